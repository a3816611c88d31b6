/* test_rehearsed_ends.c - HETERO_CHECK=1: kernels that go far beyond the end of an array, as one does whose
 * range is too large or has its dimensions exchanged, are refused and named. They would end the process
 * otherwise.
 */
#include "face.h"

#include "platforms.h"

static const char text[] =
	"kernel void sets(global int *v) { v[get_global_id(0)] = 1; }\n"
	"kernel void exchanged(global int *v, int columns)\n"
	"{ v[get_global_id(1) * columns + get_global_id(0)] = 1; }\n"
	"kernel void elsewhere(global int *v, global int *w)\n"
	"{ int i = get_global_id(0); v[i] = 1; if (i == 0) w[30000] = 1; }\n";

START_TEST(far_behind_the_end)
{
	static const int sizes[][2] = {{1000, 3000}, {1000, 4000}, {100000, 200000}, {250000, 700000}};
	het_system *const system = open_face_checking(_i);
	het_kernel *const sets = text_kernel(system, text, "sets");

	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		het_array *const v = counting_array(system, sizes[i][0]);

		fails(het_launch(sets, first_device(system), het_grid(1, sizes[i][1]), HET_OUT(v)),
		      HET_ERR_ARGUMENT, "kernel sets", "argument 0", "it writes behind the array's end");
		assert_counts(v, 0, 1);
	}
	close_face(system);
}
END_TEST

/* 200 rows of 500 columns, given as 500 of 200. */
START_TEST(exchanged_dimensions)
{
	het_system *const system = open_face_checking(_i);
	het_array *v;

	ok(het_array_new(system, HET_INT, het_shape(2, 200, 500), &v));
	fails(het_launch(text_kernel(system, text, "exchanged"), first_device(system), het_grid(2, 500, 200),
			 HET_OUT(v), HET_VAL(500)),
	      HET_ERR_ARGUMENT, "kernel exchanged", "argument 0", "behind the array's end, at (200, 0)");
	close_face(system);
}
END_TEST

/* The argument that is left is the one that is told. */
START_TEST(of_two_arrays)
{
	het_system *const system = open_face_checking(_i);
	het_array *const v = counting_array(system, 20000), *const w = counting_array(system, 20000);

	fails(het_launch(text_kernel(system, text, "elsewhere"), first_device(system), het_grid(1, 20000),
			 HET_OUT(v), HET_INOUT(w)),
	      HET_ERR_ARGUMENT, "kernel elsewhere", "argument 1", "behind the array's end, at (30000)");
	close_face(system);
}
END_TEST

int main(void)
{
	const struct face_test tests[] = {
		{&far_behind_the_end, 1}, {&exchanged_dimensions, 1}, {&of_two_arrays, 1}};

	return run_face_tests("rehearsed_ends", sizeof tests / sizeof tests[0], tests);
}
