/* test_padded.c - ranges whose last work-groups reach beyond their end (het_padded): as many work-items run as
 * groups have, what they touch follows from the range, and results are those of the range. */
#include "face.h"

#include "spreads.h"

enum { ROWS = 133, COLS = 29, GROUP_ROWS = 4, GROUP_COLS = 8 };

static const char text[] =
	"#include \"het.clh\"\n"
	"kernel void smooth(global int *out, global const int *in, int rows, int cols)\n"
	"{\n"
	"	int j = get_global_id(0), i = get_global_id(1);\n"
	"	if (i >= rows || j >= cols)\n"
	"		return;\n"
	"	int sum = in[i * cols + j];\n"
	"	if (i > 0) sum += in[(i - 1) * cols + j];\n"
	"	if (i < rows - 1) sum += in[(i + 1) * cols + j];\n"
	"	out[i * cols + j] = sum;\n"
	"}\n"
	"kernel void smooth_window(HET_WINDOW(global int, out), HET_WINDOW(global const int, in),\n"
	"                          int rows, int cols)\n"
	"{\n"
	"	int j = get_global_id(0), i = get_global_id(1);\n"
	"	if (i >= rows || j >= cols)\n"
	"		return;\n"
	"	int sum = HET_AT2(in, i, j);\n"
	"	if (i > 0) sum += HET_AT2(in, i - 1, j);\n"
	"	if (i < rows - 1) sum += HET_AT2(in, i + 1, j);\n"
	"	HET_AT2(out, i, j) = sum;\n"
	"}\n"
	"kernel void count(global int *ran, int n, global int *items)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	atomic_add(items, 1);\n"
	"	if (i < n)\n"
	"		ran[i] = 1000 * get_local_size(0) + i;\n"
	"}\n"
	"kernel __attribute__((reqd_work_group_size(8, 1, 1)))\n"
	"void count_by_8(global int *ran, int n, global int *items)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	atomic_add(items, 1);\n"
	"	if (i < n)\n"
	"		ran[i] = 1000 * get_local_size(0) + i;\n"
	"}\n";

static int cell(int i, int j)
{
	return i < 0 || i >= ROWS ? 0 : 7 * i - 3 * j;
}

static void assert_smooth(het_array *out)
{
	int got[ROWS][COLS];

	ok(het_read(het_view(out, het_whole()), got));
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLS; j++)
			ck_assert_msg(got[i][j] == cell(i - 1, j) + cell(i, j) + cell(i + 1, j),
				      "[%d][%d] is %d", i, j, got[i][j]);
}

static het_array *array_of(het_system *system, struct het_shape shape)
{
	het_array *array;

	ok(het_array_new(system, HET_INT, shape, &array));
	return array;
}

START_TEST(spreads_with_a_halo)
{
	static const char *const names[] = {"smooth", "smooth_window"};
	static const enum het_overlap overlaps[] = {HET_OVERLAP_NEVER, HET_OVERLAP_ALWAYS};
	het_system *system = open_face(_i);
	het_team *const teams[] = {het_everyone(system), uneven_team(system)};
	const struct het_range range = het_padded(het_local(het_grid(2, ROWS, COLS), GROUP_ROWS, GROUP_COLS));
	het_array *in = array_of(system, het_shape(2, ROWS, COLS)), *out;
	int at_first[ROWS][COLS];

	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLS; j++)
			at_first[i][j] = cell(i, j);
	ok(het_write(het_view(in, het_whole()), at_first));
	for (int round = 0; round < 8; round++) {
		het_team *const team = teams[round & 1];
		const uint64_t before = stats_of(system).launches;

		out = array_of(system, het_shape(2, ROWS, COLS));
		ok(het_team_overlap(team, overlaps[round >> 1 & 1]));
		ok(het_spread(text_kernel(system, text, names[round >> 2 & 1]), team, range,
			      HET_OUT(HET_EACH(out)), HET_IN(HET_HALO(in, 1)), HET_VAL(ROWS),
			      HET_VAL(COLS)));
		if (round == 2 && het_team_count(team) > 1) /* edges are launched, too */
			ck_assert_int_gt((int)(stats_of(system).launches - before), het_team_count(team));
		assert_smooth(out);
	}
	out = array_of(system, het_shape(2, ROWS, COLS));
	ok(het_launch(text_kernel(system, text, "smooth"), first_device(system), range, HET_OUT(HET_EACH(out)),
		      HET_IN(HET_HALO(in, 1)), HET_VAL(ROWS), HET_VAL(COLS)));
	assert_smooth(out);
	close_face(system);
}
END_TEST

/* Of a range from `lo` on: `items` work-items in groups of `group`, or, 0, of any size. */
static void assert_ran(het_array *ran, het_array *items, int lo, int hi, int group, int wanted)
{
	int got[64], count;

	ok(het_read(het_view(ran, het_whole()), got));
	ok(het_read(het_view(items, het_whole()), &count));
	for (int i = 0; i < 64; i++)
		ck_assert_int_eq(group ? got[i] : got[i] % 1000, i >= lo && i < hi ? 1000 * group + i : 0);
	ck_assert_int_eq(count, wanted);
}

/* Only the last part has work-items beyond; none has where the extents are multiples, or the size is open. */
START_TEST(work_items_beyond_the_end)
{
	static const struct {
		const char *name;
		int lo, hi, group, items, local_size;
	} cases[] = {
		{"count", 0, 61, 8, 64, 8},   {"count", 3, 40, 4, 40, 4},      {"count", 0, 64, 16, 64, 16},
		{"count", 5, 6, 16, 16, 16},  {"count_by_8", 0, 57, 0, 64, 8}, {"count_by_8", 1, 2, 8, 8, 8},
		{"count", 20, 20, 8, 0, 8},   {"count", 0, 61, 0, 61, 0},
	};
	het_system *system = open_face(_i);

	for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
		for (int by = 0; by < 2; by++) {
			het_array *ran = array_of(system, het_shape(1, 64));
			het_array *items = array_of(system, het_shape(1, 1));
			het_kernel *kernel = text_kernel(system, text, cases[c].name);
			struct het_range range = het_range(1, cases[c].lo, cases[c].hi);

			if (cases[c].group)
				range = het_local(range, cases[c].group);
			range = het_padded(range);
			if (by)
				ok(het_spread(kernel, uneven_team(system), range, HET_OUT(HET_EACH(ran)),
					      HET_VAL(cases[c].hi), HET_INOUT(HET_SUM(items))));
			else
				ok(het_launch(kernel, last_device(system), range, HET_OUT(HET_EACH(ran)),
					      HET_VAL(cases[c].hi), HET_INOUT(items)));
			assert_ran(ran, items, cases[c].lo, cases[c].hi, cases[c].local_size, cases[c].items);
		}
	close_face(system);
}
END_TEST

START_TEST(what_is_not_padded_is_refused)
{
	het_system *system = open_face(_i);
	het_kernel *count = text_kernel(system, text, "count");
	het_array *ran = array_of(system, het_shape(1, 61)), *items = array_of(system, het_shape(1, 1));

	fails(het_launch(count, first_device(system), het_local(het_grid(1, 61), 8), HET_OUT(HET_EACH(ran)),
			 HET_VAL(61), HET_INOUT(items)),
	      HET_ERR_SHAPE, "61 work-items", "no multiple of the work-group size 8", "het_padded");
	fails(het_spread(count, het_everyone(system), het_local(het_grid(1, 64), 8), HET_OUT(HET_EACH(ran)),
			 HET_VAL(61), HET_INOUT(HET_SUM(items))),
	      HET_ERR_SHAPE, "[0, 64) in dimension 0 is not inside", "rounded up to work-groups? het_padded");
	fails(het_launch(count, first_device(system), het_padded(het_local(het_grid(1, 61), 1 << 30)),
			 HET_OUT(HET_EACH(ran)), HET_VAL(61), HET_INOUT(items)),
	      HET_ERR_UNSUPPORTED, "work-group of 1073741824");
	fails(het_launch(count, first_device(system), het_padded(het_local(het_grid(1, 70), 8)),
			 HET_OUT(HET_EACH(ran)), HET_VAL(61), HET_INOUT(items)),
	      HET_ERR_SHAPE, "[0, 70) in dimension 0 is not inside");
	ck_assert_ptr_null(strstr(het_message(), "rounded up"));
	fails(het_launch(count, first_device(system),
			 het_padded(het_local(het_grid(2, INT64_C(1) << 61, 1), 1, 8)),
			 HET_OUT(ran), HET_VAL(61), HET_INOUT(items)),
	      HET_ERR_SHAPE, "2305843009213693952 x 8 are more work-items than can be counted");
	close_face(system);
}
END_TEST

int main(void)
{
	const struct face_test tests[] = {
		{&spreads_with_a_halo, 1},
		{&work_items_beyond_the_end, 1},
		{&what_is_not_padded_is_refused, 1}};

	return run_face_tests("padded ranges", sizeof tests / sizeof tests[0], tests);
}
