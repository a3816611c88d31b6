/* test_counted.c - kernels that ask for what a part of a spread changes (get_group_id and the like): which
 * texts do, and that a spread warns of them once.
 */
#include "face.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "kernel/source.h"
#include "platforms.h"
#include "suite.h"

#define KERNEL(body) "kernel void k(global int *x, int n)\n{\n" body "\n}\n"

static const struct {
	const char *text;
	int dimension;
	const char *asks; /* NULL: nothing that is surely wrong */
} texts[] = {
	{KERNEL("x[get_group_id(0)] = n;"), 0, "get_group_id"},
	{KERNEL("x[get_group_id(0)] = n;"), 1, NULL},
	{KERNEL("x[get_group_id ( 1u )] = n;"), 1, "get_group_id"},
	{KERNEL("for (int i = get_global_id(0); i < n; i += get_global_size(0)) { x[i] = 0; }"), 0,
	 "get_global_size"},
	{KERNEL("{ { x[0] = 1; } } x[0] = get_num_groups(2);"), 2, "get_num_groups"},
	{KERNEL("x[get_global_linear_id()] = n;"), 1, "get_global_linear_id"},
	{KERNEL("x[get_global_id(0)] = get_local_size(0) + get_local_id(0);"), 0, NULL},
	/* who knows where the part begins */
	{KERNEL("x[get_global_offset(0) / 8 + get_group_id(0)] = n;"), 0, NULL},
	{KERNEL("x[get_group_id(0)] = get_global_offset(0);"), 0, NULL},
	{KERNEL("x[get_group_id(0)] = get_global_offset(1);"), 0, "get_group_id"},
	/* not surely */
	{KERNEL("int d = 0; x[get_group_id(d)] = n;"), 0, NULL},
	{KERNEL("x[get_group_id(0 + 1)] = n;"), 0, NULL},
	{KERNEL("x[my_get_group_id(0)] = get_group_ids(0);"), 0, NULL},
	{KERNEL("// get_group_id(0)\n/* get_group_id(0) } */ x[0] = '}';"), 0, NULL},
	{KERNEL("#if 0\nx[get_group_id(0)] = n;\n#endif\nx[0] = 1;"), 0, NULL},
	{KERNEL("#define group get_group_id(0)\nx[group] = n;"), 0, NULL},
	{KERNEL("#define open {\nx[get_group_id(0)] = n;"), 0, "get_group_id"},
	/* the kernel's own body */
	{"int f(int i) { return get_group_id(0) + i; }\n" KERNEL("x[0] = f(n);"), 0, NULL},
	{"kernel void other(global int *x) { x[get_group_id(0)] = 1; }\n" KERNEL("x[0] = n;"), 0, NULL},
	{KERNEL("x[0] = n;") "kernel void other(global int *x) { x[get_group_id(0)] = 1; }\n", 0, NULL},
	{"kernel void other(global int *k) { k[get_group_id(0)] = 1; }\n" KERNEL("x[0] = n;"), 0, NULL},
	{"kernel void k(global int *x, int n);\nvoid f(global int *x) { x[get_group_id(0)] = 1; }\n"
	 KERNEL("x[0] = n;"), 0, NULL},
	{"struct s { int k; };\n__kernel __attribute__((reqd_work_group_size(8, 1, 1)))\nvoid\nk\n"
	 "(global int *x) { x[get_group_id(0)] = 1; }", 0, "get_group_id"},
	{"#ifdef EVER\n#endif\n#ifndef SEEN\n" KERNEL("x[get_group_id(0)] = n;") "#endif\n", 0, "get_group_id"},
	{"#if A\n" KERNEL("x[get_group_id(0)] = n;") "#else\n" KERNEL("x[0] = n;") "#endif\n", 0, NULL},
	{"kernel void kk(global int *x) { x[get_group_id(0)] = 1; }", 0, NULL},
	{"kernel void k\\\n(global int *x) { x[get_gr\\\noup_id(0)] = 1; }", 0, "get_group_id"},
	{"kernel void k(", 0, NULL},
	{"kernel void k(global int *x) { x[get_group_id(0", 0, NULL},
	{"", 0, NULL},
};

START_TEST(test_texts)
{
	const char *const asks = het__source_counts(texts[_i].text, "k", texts[_i].dimension);

	ck_assert_msg(!asks == !texts[_i].asks && (!asks || strcmp(asks, texts[_i].asks) == 0),
		      "%s\nis said to ask for %s, not %s", texts[_i].text, asks ? asks : "nothing",
		      texts[_i].asks ? texts[_i].asks : "nothing");
}
END_TEST

START_TEST(test_long_name)
{
	const char *const text = "kernel void a_name_of_more_than_twenty_four_letters(global int *x)"
				 "{ x[get_group_id(0)] = 1; }";

	ck_assert_str_eq(het__source_counts(text, "a_name_of_more_than_twenty_four_letters", 0),
			 "get_group_id");
	ck_assert_ptr_null(het__source_counts(text, "a_name_of_more_than_twenty_four_lettera", 0));
	ck_assert_ptr_null(het__source_counts(text, "a_name_of_more_than_twenty_four", 0));
}
END_TEST

/* ---- who may know of parts ---------------------------------------------------------------------- */

static const struct {
	const char *text;
	bool knows; /* in dimension 0 */
} knowing[] = {
	{KERNEL("x[get_global_id(0)] = get_local_id(0) + get_local_size(0);"), false},
	{KERNEL("x[get_global_id(0)] = get_global_offset(0);"), true},
	{KERNEL("x[0] = get_global_offset(1) + get_global_size(2u) + get_num_groups( 1 );"), false},
	{KERNEL("x[get_global_id(0)] = get_global_size(n);"), true},
	{KERNEL("x[get_global_id(0)] = get_global_size(1 - 1);"), true},
	{KERNEL("x[get_group_id(0)] = n;"), true},
	{KERNEL("x[get_num_groups(0)] = n;"), true},
	{KERNEL("x[get_global_linear_id()] = n;"), true},
	{KERNEL("x[my_get_group_id(0)] = get_group_ids(0);"), false},
	{KERNEL("// get_group_id(0)\n/* get_group_id(0) } */ x[0] = '}';"), false},
	{KERNEL("#if 0\nx[get_group_id(0)] = n;\n#endif\nx[0] = 1;"), true},
	{"#define BEGIN get_global_offset\n" KERNEL("x[0] = BEGIN(1);"), true},
	{"int f(int i) { return get_group_id(0) + i; }\n" KERNEL("x[0] = f(n);"), true},
	{"", false},
};

START_TEST(test_knowing_texts)
{
	ck_assert_msg(het__source_knows_parts(knowing[_i].text, 0) == knowing[_i].knows,
		      "%s\nis said to%s know of parts", knowing[_i].text, knowing[_i].knows ? " not" : "");
}
END_TEST

/* ---- edges -------------------------------------------------------------------------------------- */

#define CELLS 96

static const char cells[] =
	"#ifndef CELL\n"
	"#define CELL x[i]\n"
	"#endif\n"
	"kernel void plain(global int *y, global const int *x)\n"
	"{ int i = get_global_id(0); y[i] = CELL; }\n"
	"kernel void fourth(global int *y, global const int *x, global int *z)\n"
	"{ int i = get_global_id(0); y[i] = CELL; if (i % 4 == 0) z[i / 4] = CELL; }\n";
static const char begins[] =
	"kernel void begins(global int *y, global const int *x)\n"
	"{ y[get_global_id(0)] = get_global_offset(0); }\n";

static void fourths(void *user, const struct het_box *items, struct het_box *touched)
{
	(void)user;
	*touched = het_rows(items->lo[0] / 4, (items->hi[0] + 3) / 4);
}

/* x[i] == i; the team is of two devices. */
struct edges {
	het_system *system;
	het_team *team;
	het_array *y, *x, *z;
};

/* Of a spread of `x` to `y`, and by fourths to `z` where `also_z`; told to launch edges apart. */
static uint64_t launches_of(const struct edges *e, het_kernel *kernel, bool also_z)
{
	const uint64_t before = stats_of(e->system).launches;
	const struct het_range range = het_local(het_grid(1, CELLS), 4);

	if (also_z)
		ok(het_spread(kernel, e->team, range, HET_OUT(HET_EACH(e->y)), HET_IN(HET_HALO(e->x, 2)),
			      HET_OUT(HET_MAP_BY(e->z, fourths, NULL))));
	else
		ok(het_spread(kernel, e->team, range, HET_OUT(HET_EACH(e->y)), HET_IN(HET_HALO(e->x, 2))));
	return stats_of(e->system).launches - before;
}

/* Each part was told where it begins, which is what the plan says, and no edge anything else. */
static void assert_begins(const struct edges *e, het_kernel *kernel)
{
	struct het_part part[2];
	int told[CELLS], dimension;

	ck_assert_uint_eq(launches_of(e, kernel, false), 2);
	ok(het_spread_plan(kernel, e->team, het_local(het_grid(1, CELLS), 4), part, &dimension,
			   HET_OUT(HET_EACH(e->y)), HET_IN(HET_HALO(e->x, 2))));
	ok(het_read(het_view(e->y, het_whole()), told));
	for (int p = 0; p < 2; p++)
		for (int64_t i = part[p].range.lo[0]; i < part[p].range.hi[0]; i++)
			ck_assert_int_eq(told[i], part[p].range.lo[0]);
}

static bool open_edges(struct edges *e)
{
	struct het_options options = HET_OPTIONS_INIT;
	het_device *two[2];

	options.devices = on_cpu("cpu/1");
	ok(het_open(&options, &e->system));
	if (het_device_count(e->system) == 1) /* of a fake machine */
		return false;
	for (int i = 0; i < 2; i++)
		two[i] = het_device(e->system, i);
	ok(het_team_new(e->system, 2, two, NULL, &e->team));
	ok(het_team_overlap(e->team, HET_OVERLAP_ALWAYS));
	e->x = counting_array(e->system, CELLS);
	e->y = zero_array(e->system, CELLS);
	e->z = zero_array(e->system, CELLS / 4);
	return true;
}

/* Edges are launched apart of kernels that cannot tell, and of no others, whatever the team is told. */
START_TEST(test_edges)
{
	struct edges e;
	het_kernel *hidden;

	if (open_edges(&e)) {
		ck_assert_uint_eq(launches_of(&e, text_kernel(e.system, cells, "plain"), false), 4);
		assert_counts(e.y, 0, 1);
		ck_assert_uint_eq(launches_of(&e, text_kernel(e.system, cells, "fourth"), true), 2);
		assert_counts(e.z, 0, 4);
		assert_begins(&e, text_kernel(e.system, begins, "begins"));
		ok(het_kernel_from_source(e.system, cells, "plain", "-DCELL=get_global_offset(0)", &hidden));
		assert_begins(&e, hidden);
		hidden = text_kernel(e.system, cells, "plain"); /* by the options of one device */
		for (int d = 0; d < 2; d++)
			ok(het_kernel_options(hidden, het_device(e.system, d), "-DCELL=get_global_offset(0)"));
		assert_begins(&e, hidden);
	}
	ok(het_close(e.system));
}
END_TEST

/* ---- what a program hears ----------------------------------------------------------------------- */

static struct {
	pthread_mutex_t lock;
	int lines;
	char last[400];
} heard = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void hear(void *user, enum het_log_level level, const char *line)
{
	(void)user;
	if (level > HET_LOG_WARN || !strstr(line, "a spread cuts"))
		return;
	pthread_mutex_lock(&heard.lock);
	heard.lines++;
	snprintf(heard.last, sizeof heard.last, "%s", line);
	pthread_mutex_unlock(&heard.lock);
}

static const char kernels[] =
	"kernel void groups(global int *x)\n"
	"{ x[get_global_id(1) * 8 + get_global_id(0)] = get_group_id(1); }\n"
	"kernel void across(global int *x)\n"
	"{ x[get_global_id(1) * 8 + get_global_id(0)] = get_group_id(0); }\n"
	"kernel void knows(global int *x)\n"
	"{ x[get_global_id(1) * 8 + get_global_id(0)] = get_global_offset(1) + get_group_id(1); }\n";

static void spread_twice(het_system *system, het_kernel *kernel, het_array *array)
{
	for (int i = 0; i < 2; i++)
		ok(het_spread(kernel, het_everyone(system), het_local(het_grid(2, 16, 8), 1, 8),
			      HET_OUT(HET_EACH(array))));
}

START_TEST(test_warning)
{
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system;
	het_array *array;

	options.devices = on_cpu("cpu/1");
	options.log = hear;
	ok(het_open(&options, &system));
	if (het_device_count(system) == 1) { /* of a fake machine */
		ck_assert(!het_test_can_cut());
		ok(het_close(system));
		return;
	}
	ok(het_array_new(system, HET_INT, het_shape(2, 16, 8), &array));
	spread_twice(system, text_kernel(system, kernels, "across"), array);
	spread_twice(system, text_kernel(system, kernels, "knows"), array);
	ok(het_launch(text_kernel(system, kernels, "groups"), first_device(system),
		      het_local(het_grid(2, 16, 8), 1, 8), HET_OUT(HET_EACH(array))));
	ck_assert_msg(heard.lines == 0, "warned for nothing: %s", heard.last);
	spread_twice(system, text_kernel(system, kernels, "groups"), array);
	ck_assert_int_eq(heard.lines, 1);
	ck_assert_msg(strstr(heard.last, "kernel groups") &&
			      strstr(heard.last, "get_group_id, and a spread cuts its range in dimension 1"),
		      "%s", heard.last);
	ok(het_close(system));
}
END_TEST

int main(void)
{
	TCase *const all = tcase_create("all");

	het_test_platforms();
	tcase_set_timeout(all, 120);
	tcase_add_loop_test(all, test_texts, 0, sizeof texts / sizeof texts[0]);
	tcase_add_test(all, test_long_name);
	tcase_add_loop_test(all, test_knowing_texts, 0, sizeof knowing / sizeof knowing[0]);
	tcase_add_test(all, test_edges);
	tcase_add_test(all, test_warning);
	return run_case("what parts are told", all);
}
