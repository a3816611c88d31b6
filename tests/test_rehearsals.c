/* test_rehearsals.c - HETERO_CHECK=1: launches and spreads whose kernels do what their arguments declare are
 * as without it, and each kind of mistake is told before it has changed anything.
 */
#include "face.h"

#include <stdio.h>
#include <stdlib.h>

#include "spreads.h"

enum { ROWS = 40, COLS = 24 };

static const char text[] =
	"#include \"het.clh\"\n"
	"#define AT int x = get_global_id(0), y = get_global_id(1), i = y * 24 + x\n"
	"kernel void smooth(global float *out, global const float *in)\n"
	"{ AT; out[i] = in[i] + (y > 0 ? in[i - 24] : 0) + (y < 39 ? in[i + 24] : 0); }\n"
	"kernel void smooth_w(HET_WINDOW(global float, out), HET_WINDOW(global const float, in))\n"
	"{ int x = get_global_id(0), y = get_global_id(1);\n"
	"  HET_AT2(out, y, x) = HET_AT2(in, y, x) + (y > 0 ? HET_AT2(in, y - 1, x) : 0)\n"
	"                     + (y < 39 ? HET_AT2(in, y + 1, x) : 0); }\n"
	"kernel void smooth_rows(global float *out, global const float *in)\n"
	"{ int y = get_global_id(0);\n"
	"  for (int i = 24 * y; i < 24 * y + 24; i++) out[i] = in[i] + (y < 39 ? in[i + 24] : 0); }\n"
	"kernel void interior(global float *out, global const float *in)\n"
	"{ AT; if (y > 0 && y < 39) out[i] = in[i - 24] + in[i + 24]; }\n"
	"kernel void shifted(global float *out, global const float *in) { AT; out[i + 1] = in[i]; }\n"
	"kernel void twice(global int *x) { x[get_global_id(0)] = 2 * get_global_id(0) + 1; }\n"
	"kernel void counts(global int *x) { x[get_global_id(0)] += 1; }\n"
	"kernel void swaps(global int *x, global int *y)\n"
	"{ int i = get_global_id(0), t = x[i]; x[i] = y[i]; y[i] = t; }\n"
	"kernel void groups(global int *x)\n"
	"{ if (get_local_id(0) == 0) x[get_group_id(0)] = get_global_id(0); }\n"
	"kernel void gather(global int *out, global const int *from, global const int *in)\n"
	"{ int i = get_global_id(0); out[i] = in[from[i]]; }\n"
	"kernel void total(global int *sum, global const int *in)\n"
	"{ atomic_add(sum, in[get_global_id(0)]); }\n"
	"kernel void least(global int *least, global const int *in)\n"
	"{ atomic_min(least, in[get_global_id(0)]); }\n"
	"kernel void greatest(global int *out, global const int *in)\n"
	"{ atomic_max(out, in[get_global_id(0)]); }\n"
	"kernel void stores(global float *out, global const int *in)\n"
	"{ out[0] = in[get_global_id(0)]; }\n"
	"kernel void stores_two(global float *out, global int *most, global const int *in)\n"
	"{ out[0] = in[get_global_id(0)]; atomic_max(most, in[get_global_id(0)]); }\n"
	"kernel void stores_ints(global int *out, global const int *in)\n"
	"{ out[0] = in[get_global_id(0)]; }\n"
	"kernel void size_of_part(global float *out)\n"
	"{ if (get_global_id(0) == 63) out[0] = get_global_size(0); }\n"
	"kernel void no_number(global float *out) { if (get_global_id(0) == 0) out[0] = NAN; }\n"
	"kernel void bits(global uint *sums, global const int *in)\n"
	"{ atomic_add(&sums[get_global_id(0) & 3], in[get_global_id(0)]); }\n"
	"kernel void of_groups(global int *sum, global int *least, global const int *in)\n"
	"{ int s = 0; if (get_local_id(0) > 0) return;\n"
	"  for (int i = 0; i < 8; i++) s += in[get_global_id(0) + i];\n"
	"  atomic_add(sum, s); atomic_min(least, s); }\n"
	"kernel void three(global float3 *out, global const float3 *in)\n"
	"{ int i = get_global_id(0); out[i].x = in[i].y; out[i].y = in[i].z; out[i].z = in[i].x; }\n"
	"struct body { char c; float d; };\n"
	"kernel void bodies(global struct body *out, global const struct body *in)\n"
	"{ int i = get_global_id(0); out[i].c = in[i].c; out[i].d = in[i].d + 1; }\n"
	"kernel void doubles(global float *x) { x[get_global_id(0)] *= 2; }\n"
	"kernel void moves(global float *out, global const float *in)\n"
	"{ int i = get_global_id(0); out[i] = in[i + 1]; }\n"
	"kernel void norms(global float *out, global const float *in)\n"
	"{ int i = get_global_id(0); out[i] = in[i] * in[i] + in[i + 1] * in[i + 1]; }\n"
	"kernel void slopes(global float *out, global const float *in)\n"
	"{ int i = get_global_id(0); out[i] = in[i + 65] - in[i + 64]; }\n"
	"kernel void next(global int *out, global const int *in)\n"
	"{ int i = get_global_id(0); out[i] = in[i + 1]; }\n"
	"kernel void first_lane(global float2 *out) { out[get_global_id(0)].x = 3; }\n"
	"kernel void rows(global int *row, global const int *above, int n)\n"
	"{ int i = get_global_id(0); row[n + i] += row[i]; }\n"
	"kernel void beside(global int *sum, global const int *in)\n"
	"{ atomic_add(sum, in[get_global_id(0) + 1]); }\n"
	"kernel void perhaps(global int *x, HET_WINDOW(global const int, in), global const int *none)\n"
	"{ int i = get_global_id(0); x[i] = HET_POINTER(in) ? HET_AT1(in, i) : i; }\n"
	"kernel void nothing(global const int *x) { }\n"
	"kernel void order(global int *out, global int *next)\n"
	"{ int i = get_global_id(0); out[i] = atomic_inc(next) >= 0 ? i : 0; }\n";

static het_kernel *own_kernel(het_system *system, const char *name)
{
	return text_kernel(system, text, name);
}

static het_array *floats(het_system *system)
{
	het_array *array;
	float *at;

	ok(het_array_new(system, HET_FLOAT, het_shape(2, ROWS, COLS), &array));
	ok(het_map(array, HET_WRITE, &at));
	for (int i = 0; i < ROWS * COLS; i++)
		at[i] = (float)(i % 97);
	ok(het_unmap(array));
	return array;
}

static float cell(int y, int x)
{
	return y < 0 || y >= ROWS ? 0 : (float)((y * COLS + x) % 97);
}

static void assert_smooth(het_array *array)
{
	const float *at;

	ok(het_map(array, HET_READ, &at));
	for (int y = 0; y < ROWS; y++)
		for (int x = 0; x < COLS; x++)
			ck_assert_float_eq(at[y * COLS + x], cell(y - 1, x) + cell(y, x) + cell(y + 1, x));
	ok(het_unmap(array));
}

static void assert_unchanged(het_array *array)
{
	const float *at;

	ok(het_map(array, HET_READ, &at));
	for (int i = 0; i < ROWS * COLS; i++)
		ck_assert_float_eq(at[i], (float)(i % 97));
	ok(het_unmap(array));
}

/* ---- nothing to tell ---------------------------------------------------------------------------- */

START_TEST(right_stencils_pass)
{
	het_system *system = open_face_checking(_i);
	het_array *in = floats(system), *out = floats(system);
	het_kernel *smooth = own_kernel(system, "smooth"), *windows = own_kernel(system, "smooth_w");
	het_kernel *interior = own_kernel(system, "interior");
	const struct het_box inner = het_rows(1, ROWS - 1);

	ok(het_launch(smooth, first_device(system), het_grid(2, ROWS, COLS), HET_OUT(out), HET_IN(in)));
	assert_smooth(out);
	ok(het_fill(het_view(out, het_whole()), &(float){0}));
	ok(het_spread(smooth, uneven_team(system), het_grid(2, ROWS, COLS), HET_OUT(HET_EACH(out)),
		      HET_IN(HET_HALO(in, 1))));
	assert_smooth(out);
	ok(het_fill(het_view(out, het_whole()), &(float){0}));
	ok(het_spread(windows, uneven_team(system), het_grid(2, ROWS, COLS), HET_OUT(HET_EACH(out)),
		      HET_IN(HET_HALO(in, 1))));
	assert_smooth(out);
	ok(het_spread(interior, uneven_team(system), het_range(2, 1, ROWS - 1, 0, COLS), HET_OUT(HET_EACH(out)),
		      HET_IN(HET_HALO(in, 1))));
	ok(het_launch(interior, last_device(system), het_grid(2, ROWS, COLS), HET_OUT_PART(out, inner),
		      HET_IN(in)));
	ok(het_launch(interior, last_device(system), het_grid(2, ROWS, COLS), HET_INOUT(out), HET_IN(in)));
	close_face(system);
}
END_TEST

START_TEST(other_right_kernels_pass)
{
	het_system *system = open_face_checking(_i);
	het_array *x = ints(system, 1, 64, 0), *y = ints(system, 1, 64, 0), *sum = ints(system, 1, 1, 0);
	het_array *z = ints(system, 1, 64, 0), *v, *w, *b, *c;
	het_device *device = first_device(system);
	const struct het_box part = het_rows(8, 24);
	int got;

	ok(het_launch(own_kernel(system, "twice"), device, het_grid(1, 64), HET_OUT(x)));
	ok(het_launch(own_kernel(system, "twice"), device, het_grid(1, 16), HET_OUT(het_view(y, part))));
	ok(het_launch(own_kernel(system, "counts"), device, het_grid(1, 16), HET_INOUT(het_view(y, part))));
	ok(het_launch(own_kernel(system, "swaps"), device, het_grid(1, 64), HET_INOUT(x), HET_INOUT(y)));
	ok(het_spread(own_kernel(system, "total"), uneven_team(system), het_grid(1, 64), HET_OUT(HET_SUM(sum)),
		      HET_IN(HET_EACH(y))));
	ok(het_read(het_view(sum, het_whole()), &got));
	ck_assert_int_eq(got, 64 * 64); /* odd numbers from 1 on */
	ok(het_spread(own_kernel(system, "least"), uneven_team(system), het_grid(1, 64),
		      HET_INOUT(HET_MIN(sum)), HET_IN(HET_EACH(y))));
	ok(het_read(het_view(sum, het_whole()), &got));
	ck_assert_int_eq(got, 1);
	ok(het_fill(het_view(x, het_whole()), &(int){9}));
	ok(het_launch(own_kernel(system, "gather"), device, het_grid(1, 32), HET_OUT_PART(z, het_rows(0, 32)),
		      HET_IN(x), HET_IN_PART(y, het_rows(8, 10))));
	ok(het_launch(own_kernel(system, "order"), device, het_grid(1, 64), HET_OUT(x), HET_INOUT(sum)));
	ok(het_array_new(system, HET_FLOAT3, het_shape(1, 8), &v));
	ok(het_array_new(system, HET_FLOAT3, het_shape(1, 8), &w));
	ok(het_launch(own_kernel(system, "three"), device, het_grid(1, 8), HET_OUT(v), HET_IN(w)));
	ok(het_array_new(system, HET_STRUCT(8), het_shape(1, 8), &b));
	ok(het_array_new(system, HET_STRUCT(8), het_shape(1, 8), &c));
	ok(het_launch(own_kernel(system, "bodies"), device, het_grid(1, 8), HET_OUT(b), HET_IN(c)));
	close_face(system);
}
END_TEST

/* ---- mistakes ----------------------------------------------------------------------------------- */

START_TEST(a_halo_that_is_too_small)
{
	het_system *system = open_face_checking(_i);
	het_array *in = floats(system), *out = floats(system);
	het_kernel *smooth = own_kernel(system, "smooth"), *windows = own_kernel(system, "smooth_w");
	het_kernel *rows = own_kernel(system, "smooth_rows");

	if (het_device_count(system) > 1) {
		fails(het_spread(smooth, uneven_team(system), het_grid(2, ROWS, COLS), HET_OUT(HET_EACH(out)),
				 HET_IN(HET_EACH(in))),
		      HET_ERR_ARGUMENT, "kernel smooth on ", "argument 1 (float* in)", "it reads elsewhere",
		      "argument 0 (float* out) depends on that, at (");
		fails(het_spread(windows, uneven_team(system), het_grid(2, ROWS, COLS), HET_OUT(HET_EACH(out)),
				 HET_IN(HET_EACH(in))),
		      HET_ERR_ARGUMENT, "kernel smooth_w on ", "argument 1 (float* in)",
		      "it reads elsewhere, at (", "); HET_HALO of radius 1, 0 has that");
		fails(het_spread(smooth, uneven_team(system), het_grid(2, ROWS, COLS), HET_OUT(HET_EACH(out)),
				 HET_IN(HET_HALO(in, 0))),
		      HET_ERR_ARGUMENT, "it reads elsewhere", "); HET_HALO of radius 1 has that");
		fails(het_spread(rows, uneven_team(system), het_grid(1, ROWS), HET_OUT(HET_EACH(out)),
				 HET_IN(HET_HALO(in, 0, HET_END))),
		      HET_ERR_ARGUMENT, "it reads elsewhere", "); HET_HALO of radius 1, HET_END has that");
	}
	fails(het_launch(smooth, first_device(system), het_grid(2, 10, COLS),
			 HET_OUT_PART(out, het_rows(0, 10)), HET_IN_PART(in, het_rows(0, 10))),
	      HET_ERR_ARGUMENT, "[0:10, 0:24]",
	      "it reads elsewhere, at (10, 0) (argument 0 (float* out) depends on that, at (9, 0))");
	assert_unchanged(out);
	close_face(system);
}
END_TEST

/* What the library makes for itself is not counted: messages of two runs name the same array. */
START_TEST(arrays_keep_their_numbers)
{
	het_system *system = open_face_checking(_i);
	het_array *x = ints(system, 1, 64, 0), *sum = ints(system, 1, 1, 0), *last;

	ok(het_launch(own_kernel(system, "counts"), first_device(system), het_grid(1, 64), HET_INOUT(x)));
	ok(het_spread(own_kernel(system, "total"), uneven_team(system), het_grid(1, 64), HET_OUT(HET_SUM(sum)),
		      HET_IN(HET_EACH(x))));
	ok(het_reduce(HET_REDUCE_SUM, het_view(x, het_whole()), het_view(sum, het_whole()),
		      uneven_team(system)));
	last = ints(system, 1, 1, 0);
	fails(het_fill(het_view(last, het_rows(0, 5)), &(int){0}), HET_ERR_SHAPE, "array 2, whose");
	close_face(system);
}
END_TEST

START_TEST(out_that_is_not_all_written)
{
	het_system *system = open_face_checking(_i);
	het_array *in = floats(system), *out = floats(system);

	fails(het_launch(own_kernel(system, "interior"), first_device(system), het_grid(2, ROWS, COLS),
			 HET_OUT(out), HET_IN(in)),
	      HET_ERR_ARGUMENT, "kernel interior on ",
	      "argument 0 (float* out), given array 1 [0:40, 0:24]", "HET_OUT promises all of that",
	      "HET_INOUT keeps them", "at (0, 0) and 47 more");
	assert_unchanged(out);
	close_face(system);
}
END_TEST

START_TEST(writes_elsewhere)
{
	het_system *system = open_face_checking(_i);
	het_array *in = floats(system), *out = floats(system), *x = ints(system, 1, 64, 0),
		  *y = ints(system, 1, 64, 0);
	het_kernel *twice = own_kernel(system, "twice"), *shifted = own_kernel(system, "shifted");

	fails(het_launch(shifted, first_device(system), het_range(2, 3, 4, 0, COLS),
			 HET_INOUT_PART(out, het_rows(3, 4)), HET_IN(in)),
	      HET_ERR_ARGUMENT, "kernel shifted on ",
	      "argument 0 (float* out), given array 1 [3:4, 0:24]", "it writes elsewhere, at (4, 0)");
	fails(het_launch(shifted, first_device(system), het_grid(2, ROWS, COLS), HET_INOUT(out), HET_IN(in)),
	      HET_ERR_ARGUMENT, "it writes behind the array's end, at (40, 0)");
	fails(het_launch(twice, first_device(system), het_grid(1, 67), HET_OUT(x)), HET_ERR_ARGUMENT,
	      "behind the array's end, at (64) and 2 more");
	fails(het_launch(twice, first_device(system), het_range(1, 8, 24),
			 HET_OUT(het_view(x, het_rows(8, 24)))),
	      HET_ERR_ARGUMENT, "[8:24]: it writes behind that, at (24) and 7 more");
	ok(het_fill(het_view(y, het_whole()), &(int){7}));
	fails(het_launch(own_kernel(system, "swaps"), first_device(system), het_grid(1, 64), HET_INOUT(x),
			 HET_IN(y)),
	      HET_ERR_ARGUMENT, "argument 1 (int* y)", "HET_IN, but it writes to it, at (0) and 63 more");
	assert_unchanged(out);
	close_face(system);
}
END_TEST

START_TEST(reads_what_it_gives_up)
{
	het_system *system = open_face_checking(_i);
	het_array *x = ints(system, 1, 64, 0);
	int got[64];

	fails(het_launch(own_kernel(system, "counts"), first_device(system), het_grid(1, 64), HET_OUT(x)),
	      HET_ERR_ARGUMENT, "argument 0 (int* x)",
	      "it reads what was there, at (0), which HET_OUT gives up; HET_INOUT keeps it",
	      "(argument 0 (int* x) depends on that, at (0))");
	ok(het_read(het_view(x, het_whole()), got));
	for (int i = 0; i < 64; i++)
		ck_assert_int_eq(got[i], 1);
	close_face(system);
}
END_TEST

/* What only a spread may have is refused as without rehearsals; of its elements nothing is assumed. */
START_TEST(combined_arguments_of_launches)
{
	het_system *system = open_face_checking(_i);
	het_array *fours, *x = ints(system, 1, 64, 0);

	ok(het_array_new(system, HET_FLOAT4, het_shape(1, 64), &fours));
	fails(het_launch(own_kernel(system, "total"), first_device(system), het_grid(1, 64),
			 HET_OUT(HET_MIN(fours)), HET_IN(x)),
	      HET_ERR_ARGUMENT, "HET_SUM, HET_MIN, HET_MAX and HET_OR are for het_spread");
	if (het_device_count(system) > 1)
		fails(het_spread(own_kernel(system, "beside"), uneven_team(system), het_grid(1, 63),
				 HET_OUT(HET_SUM(ints(system, 1, 1, 0))), HET_IN(HET_EACH(x))),
		      HET_ERR_ARGUMENT, "argument 1 (int* in)", "it reads elsewhere", "at (0)");
	close_face(system);
}
END_TEST

/* Kernels that do something else than their arguments say to what is combined. */
START_TEST(combined_otherwise)
{
	het_system *system = open_face_checking(_i);
	het_array *x = ints(system, 1, 64, 1), *sum = ints(system, 1, 4, 0), *least = ints(system, 1, 1, 0);
	het_array *bits, *real;
	het_team *team = uneven_team(system);

	ok(het_array_new(system, HET_UINT, het_shape(1, 4), &bits));
	ok(het_array_new(system, HET_FLOAT, het_shape(1, 1), &real));
	fails(het_spread(own_kernel(system, "greatest"), team, het_grid(1, 64), HET_OUT(HET_SUM(sum)),
			 HET_IN(HET_EACH(x))),
	      HET_ERR_ARGUMENT, "argument 0 (int* out)", "HET_SUM of what two halves of its range make, ",
	      " is not what all of it makes, ", ", at (0)");
	fails(het_spread(own_kernel(system, "total"), team, het_grid(1, 64), HET_OUT(HET_MAX(sum)),
			 HET_IN(HET_EACH(x))),
	      HET_ERR_ARGUMENT, "argument 0 (int* sum)", "HET_MAX of what two halves of its range make, ");
	fails(het_spread(own_kernel(system, "bits"), team, het_grid(1, 64), HET_OUT(HET_OR(bits)),
			 HET_IN(HET_EACH(x))),
	      HET_ERR_ARGUMENT, "argument 0 (uint* sums)", "HET_OR of what two halves");
	fails(het_spread(own_kernel(system, "stores_two"), team, het_grid(1, 64), HET_OUT(HET_SUM(real)),
			 HET_OUT(HET_SUM(sum)), HET_IN(HET_EACH(x))),
	      HET_ERR_ARGUMENT, "argument 1 (int* most)", "HET_SUM of what two halves");
	fails(het_spread(own_kernel(system, "stores_ints"), team, het_grid(1, 64), HET_OUT(HET_SUM(sum)),
			 HET_IN(HET_EACH(x))),
	      HET_ERR_ARGUMENT, "HET_SUM of what two halves of its range make, 1 and 1, is not what all of it "
				"makes, 1, at (0)");
	ok(het_spread(own_kernel(system, "stores_ints"), team, het_grid(1, 64), HET_OUT(HET_MAX(sum)),
		      HET_IN(HET_EACH(x)))); /* of numbers that are all the same it does not show */
	fails(het_spread(own_kernel(system, "size_of_part"), team, het_grid(1, 64), HET_OUT(HET_MIN(real))),
	      HET_ERR_ARGUMENT, "argument 0 (float* out)", "HET_MIN of what two halves", ", inf and ");
	ok(het_spread(own_kernel(system, "no_number"), team, het_grid(1, 64), HET_OUT(HET_MIN(real))));
	ok(het_spread(own_kernel(system, "bits"), team, het_grid(1, 64), HET_INOUT(HET_SUM(bits)),
		      HET_IN(HET_EACH(x))));
	ok(het_spread(own_kernel(system, "of_groups"), team, het_local(het_grid(1, 64), 8),
		      HET_INOUT(HET_SUM(sum)), HET_OUT(HET_MIN(least)), HET_IN(HET_EACH(x))));
	ok(het_spread(own_kernel(system, "greatest"), team, het_grid(1, 1), HET_OUT(HET_SUM(sum)),
		      HET_IN(HET_EACH(x)))); /* one work-item has no halves */
	ok(het_team_free(team));
	close_face(system);
}
END_TEST

/* What is no argument of interest, or without elements, goes as it is. */
START_TEST(nothing_to_look_at)
{
	het_system *system = open_face_checking(_i);
	het_array *none, *x = ints(system, 1, 64, 0), *y = ints(system, 1, 64, 0);
	const int *mapped;

	ok(het_array_new(system, HET_INT, het_shape(3, 0, INT64_C(1) << 40, INT64_C(1) << 40), &none));
	ok(het_launch(own_kernel(system, "twice"), first_device(system), het_grid(1, 0), HET_OUT(x)));
	ok(het_launch(own_kernel(system, "perhaps"), first_device(system), het_grid(1, 64), HET_OUT(x),
		      HET_NULL, HET_IN(none)));
	ok(het_map(y, HET_READ, &mapped));
	ok(het_launch(own_kernel(system, "perhaps"), first_device(system), het_grid(1, 64), HET_OUT(x),
		      HET_IN(y), HET_IN(none)));
	ok(het_unmap(y));
	ok(het_launch(own_kernel(system, "nothing"), first_device(system), het_grid(1, 64), HET_IN(x)));
	close_face(system);
}
END_TEST

static struct {
	int lines;
	char last[1000];
} warned;

static void hear(void *user, enum het_log_level level, const char *line)
{
	(void)user;
	if (level > HET_LOG_WARN)
		return;
	warned.lines++;
	snprintf(warned.last, sizeof warned.last, "%s", line);
}

static het_system *open_heard(void)
{
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system;

	options.devices = on_cpu("cpu");
	options.log = hear;
	warned.lines = 0;
	setenv("HETERO_CHECK", "1", 1);
	ok(het_open(&options, &system));
	unsetenv("HETERO_CHECK");
	return system;
}

struct inside {
	het_kernel *kernel;
	het_device *device;
	het_array *array;
};

static het_status launch_inside(void *user, int count, const struct het_host_arg *args)
{
	const struct inside *const in = user;

	(void)count;
	(void)args;
	return het_launch(in->kernel, in->device, het_grid(1, 64), HET_INOUT(in->array));
}

/* The program is told once that a kernel is not tried, and of no calls but its own. */
START_TEST(what_is_not_tried)
{
	het_system *system = open_heard();
	struct inside in = {own_kernel(system, "counts"), first_device(system), ints(system, 1, 64, 0)};
	het_array *other = ints(system, 1, 64, 0);
	int got[64];

	for (int i = 0; i < 3; i++)
		ok(het_call(system, launch_inside, &in, HET_INOUT(other)));
	ok(het_read(het_view(other, het_whole()), got));
	ok(het_read(het_view(in.array, het_whole()), got));
	ck_assert_int_eq(got[63], 4);
	ck_assert_int_eq(warned.lines, 1);
	ck_assert_msg(strstr(warned.last, "kernel counts on ") &&
			      strstr(warned.last, "is not tried beforehand"),
		      "%s", warned.last);
	ok(het_close(system));
	ck_assert_int_eq(warned.lines, 1);
}
END_TEST

/* Sums of floats may cancel out, and be what rounding leaves: a warning, once. */
START_TEST(a_float_that_is_stored)
{
	het_system *system = open_heard();
	het_array *x = ints(system, 1, 64, 7), *sum;
	het_kernel *const stores = own_kernel(system, "stores");

	ok(het_array_new(system, HET_FLOAT, het_shape(1, 1), &sum));
	for (int i = 0; i < 2; i++)
		ok(het_spread(stores, het_everyone(system), het_grid(1, 64),
			      HET_OUT(HET_SUM(sum)), HET_IN(HET_EACH(x))));
	ck_assert_int_eq(warned.lines, 1);
	ck_assert_msg(strstr(warned.last, "argument 0 (float* out)") &&
			      strstr(warned.last, "HET_SUM of what two halves of its range make, 1 and 1, is "
						  "not what all of it makes, 1, at (0) (HETERO_CHECK)"),
		      "%s", warned.last);
	ok(het_close(system));
}
END_TEST

static het_status fail_always(void *user, int count, const struct het_host_arg *args)
{
	(void)user;
	(void)count;
	(void)args;
	return HET_ERR_FILE;
}

/* Who launches is told of a lost input, which the rehearsal has come upon first. */
START_TEST(lost_inputs_are_told)
{
	het_system *system = open_heard();
	het_array *x = ints(system, 1, 64, 0);

	ok(het_call(system, fail_always, NULL, HET_OUT(x)));
	fails(het_launch(own_kernel(system, "counts"), first_device(system), het_grid(1, 64), HET_INOUT(x)),
	      HET_ERR_LOST, "kernel counts on ", "tried beforehand");
	ok(het_launch(own_kernel(system, "twice"), first_device(system), het_grid(1, 64), HET_OUT(x)));
	ck_assert_int_eq(element(x, 1), 3);
	ok(het_close(system));
}
END_TEST

/* Whatever is made of what is not declared. */
START_TEST(reads_that_might_cancel_out)
{
	static const char *const names[] = {"moves", "norms", "slopes"};
	static const char *const first_read[] = {"(32)", "(32)", "(64)"};
	het_system *system = open_face_checking(_i);
	het_array *in, *out, *x = ints(system, 1, 64, 0), *y = ints(system, 1, 64, 0);
	const struct het_box half = het_rows(0, 32);

	ok(het_array_new(system, HET_FLOAT, het_shape(1, 128), &in));
	ok(het_array_new(system, HET_FLOAT, het_shape(1, 128), &out));
	for (int k = 0; k < 3; k++) {
		fails(het_launch(own_kernel(system, names[k]), first_device(system), het_grid(1, 32),
				 HET_OUT_PART(out, half), HET_IN_PART(in, half)),
		      HET_ERR_ARGUMENT, names[k], "argument 1 (float* in), given array 2 [0:32]",
		      "it reads elsewhere, at (", first_read[k]);
		ok(het_launch(own_kernel(system, names[k]), first_device(system), het_grid(1, 32),
			      HET_OUT_PART(out, half), HET_IN(in)));
	}
	fails(het_launch(own_kernel(system, "doubles"), first_device(system), het_grid(1, 128), HET_OUT(out)),
	      HET_ERR_ARGUMENT, "it reads what was there");
	fails(het_launch(own_kernel(system, "next"), first_device(system), het_grid(1, 32),
			 HET_OUT_PART(x, half), HET_IN_PART(y, half)),
	      HET_ERR_ARGUMENT, "it reads elsewhere, at (32) (argument 0 (int* out) depends on that, at (31))");
	close_face(system);
}
END_TEST

START_TEST(lanes_and_siblings)
{
	het_system *system = open_face_checking(_i);
	het_array *pairs, *x = ints(system, 2, 4, 16);
	int got;

	ok(het_array_new(system, HET_FLOAT2, het_shape(1, 8), &pairs));
	fails(het_launch(own_kernel(system, "first_lane"), first_device(system), het_grid(1, 8),
			 HET_OUT(pairs)),
	      HET_ERR_ARGUMENT, "it leaves elements as they were", "at (0) and 7 more");
	ok(het_launch(own_kernel(system, "rows"), first_device(system), het_grid(1, 16),
		      HET_INOUT_PART(x, het_rows(1, 2)), HET_IN_PART(x, het_rows(0, 1)), HET_VAL(16)));
	ok(het_read(het_view(x, het_box(2, 1, 2, 15, 16)), &got));
	ck_assert_int_eq(got, 2);
	close_face(system);
}
END_TEST

/* A spread's parts count their groups from 0: all but the first write where the first does. */
START_TEST(groups_of_parts)
{
	het_system *system = open_face_checking(_i);
	het_array *blocks = ints(system, 1, 16, 0);
	het_team *team = uneven_team(system);
	het_kernel *groups = own_kernel(system, "groups");

	if (het_device_count(system) > 1)
		fails(het_spread(groups, team, het_local(het_grid(1, 64), 4), HET_OUT(HET_BLOCKS(blocks, 4))),
		      HET_ERR_ARGUMENT, "kernel groups on ", "argument 0 (int* x)",
		      "it writes elsewhere, at (0)");
	ok(het_launch(groups, first_device(system), het_local(het_grid(1, 64), 4), HET_OUT(blocks)));
	close_face(system);
}
END_TEST

START_TEST(the_setting)
{
	het_system *system;

	setenv("HETERO_CHECK", "yes", 1);
	fails(het_open(NULL, &system), HET_ERR_ARGUMENT, "HETERO_CHECK is 'yes': it must be 0 or 1");
	unsetenv("HETERO_CHECK");
	system = open_face(_i); /* nothing is looked at */
	ok(het_launch(own_kernel(system, "counts"), first_device(system), het_grid(1, 64),
		      HET_OUT(ints(system, 1, 64, 0))));
	close_face(system);
}
END_TEST

int main(void)
{
	const struct face_test tests[] = {
		{&right_stencils_pass, 1},
		{&other_right_kernels_pass, 1},
		{&a_halo_that_is_too_small, 1},
		{&arrays_keep_their_numbers, 1},
		{&out_that_is_not_all_written, 1},
		{&writes_elsewhere, 1},
		{&reads_what_it_gives_up, 1},
		{&combined_arguments_of_launches, 1},
		{&combined_otherwise, 1},
		{&reads_that_might_cancel_out, 1},
		{&lanes_and_siblings, 1},
		{&nothing_to_look_at, 1},
		{&groups_of_parts, 1},
		{&what_is_not_tried, 0},
		{&a_float_that_is_stored, 0},
		{&lost_inputs_are_told, 0},
		{&the_setting, 0}};

	return run_face_tests("rehearsals", sizeof tests / sizeof tests[0], tests);
}
