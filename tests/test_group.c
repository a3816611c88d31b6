/* test_group.c - which work-group the library chooses where nobody has. */
#include <string.h>

#include "launch/cut.h"
#include "launch/range.h"
#include "random.h"
#include "suite.h"

static const struct het__driver bad = {.groups_by_extents = true}, good = {.groups_by_extents = false};

static het_device device_of(const struct het__driver *driver, cl_uint units)
{
	const het_device device = {.driver = driver,
				   .facts = {.compute_units = units, .max_items = {4096, 4096, 4096}}};

	return device;
}

static struct het__range range_of(cl_uint rank, size_t x, size_t y, size_t z)
{
	const struct het__range range = {.rank = rank, .global = {x, y, z}};

	return range;
}

/* Extents and group in OpenCL's order; two compute units, kernels of up to 4096 work-items. */
static const struct {
	cl_uint rank;
	size_t global[3], group[3];
} cases[] = {
	{1, {1 << 20}, {1024}},
	{1, {1088}, {64}},    /* not 544: a power of two is enough */
	{1, {100000}, {800}}, /* 32 * 5 * 5 */
	{1, {2048}, {256}},   /* eight groups: two units are evenly busy */
	{1, {64}, {8}},
	{1, {6}, {6}},
	{1, {1000003}, {1}}, /* a prime */
	{2, {512, 722}, {512, 2}},
	{2, {512, 363}, {512, 1}},
	{2, {1000, 361}, {1000, 1}},
	{2, {1999, 2000}, {1999, 1}},  /* a prime, but a group can have it */
	{2, {2018, 2048}, {2018, 1}},  /* 2 * 1009 */
	{2, {5003, 2000}, {1, 16}},    /* a prime, and too large */
	{2, {36, 512}, {36, 16}},
	{2, {5, 1 << 20}, {5, 128}},
	{3, {40, 100, 100}, {40, 4, 4}},
	{3, {64, 64, 64}, {64, 16, 1}},
	{3, {1, 1, 4096}, {1, 1, 512}},
};

START_TEST(table)
{
	const het_device device = device_of(&bad, 2);
	const struct het__kernel_on on = {.limits.work_group = 4096};
	const struct het__range range =
		range_of(cases[_i].rank, cases[_i].global[0], cases[_i].global[1], cases[_i].global[2]);
	size_t room[3] = {0, 0, 0};

	ck_assert_ptr_eq(het__range_group(&range, &device, &on, room), room);
	for (int d = 0; d < 3; d++)
		ck_assert_uint_eq(room[d], cases[_i].group[d]);
}
END_TEST

START_TEST(whoever_chose_is_obeyed)
{
	const het_device device = device_of(&bad, 2), other = device_of(&good, 2);
	const struct het__kernel_on on = {.limits.work_group = 4096};
	struct het__range range = range_of(2, 512, 722, 0);
	size_t room[3];

	ck_assert_ptr_null(het__range_group(&range, &other, &on, room));
	range.has_local = true;
	ck_assert_ptr_eq(het__range_group(&range, &device, &on, room), range.local);
	ck_assert_ptr_eq(het__range_group(&range, &other, &on, room), range.local);
}
END_TEST

/* Where a limit is not known, or so small that nothing is gained, the driver chooses. */
START_TEST(limits)
{
	const struct het__range range = range_of(2, 512, 722, 0);
	het_device device = device_of(&bad, 2);
	struct het__kernel_on on = {.limits.work_group = 128};
	size_t room[3];

	ck_assert_ptr_eq(het__range_group(&range, &device, &on, room), room);
	ck_assert_uint_eq(room[0], 128);
	ck_assert_uint_eq(room[1], 1);
	device.facts.max_items[1] = 16;
	ck_assert_ptr_eq(het__range_group(&range, &device, &on, room), room);
	ck_assert_uint_eq(room[0], 16);
	device.facts.max_items[1] = 0;
	ck_assert_ptr_null(het__range_group(&range, &device, &on, room));
	device.facts.max_items[1] = 4096;
	for (on.limits.work_group = 0; on.limits.work_group < 8; on.limits.work_group++)
		ck_assert_ptr_null(het__range_group(&range, &device, &on, room));
}
END_TEST

/* Never a group that OpenCL would refuse. */
START_TEST(random_ranges)
{
	random_start("random_ranges");
	for (int i = 0; i < random_rounds(20000); i++) {
		const het_device device = device_of(&bad, (cl_uint)random_in(0, 65));
		const struct het__kernel_on on = {.limits.work_group = (size_t)random_in(8, 5000)};
		const struct het__range range =
			range_of((cl_uint)random_in(1, 3), (size_t)random_in(1, 3000),
				 (size_t)random_in(1, 3000), (size_t)random_in(1, 3000));
		size_t room[3], items = 1;
		const size_t *const group = het__range_group(&range, &device, &on, room);

		for (cl_uint d = 0; d < range.rank; d++) {
			if (group[d] == 0 || range.global[d] % group[d])
				ck_abort_msg("%zu of %zu", group[d], range.global[d]);
			items *= group[d];
		}
		if (items > on.limits.work_group)
			ck_abort_msg("%zu work-items of %zu", items, on.limits.work_group);
	}
}
END_TEST

START_TEST(the_smallest_share_decides)
{
	const double equal[] = {1, 0, 1}, unlike[] = {0.99, 0.01, 0}, tiny[] = {1, 1e-300};

	ck_assert_int_eq(het__cut_pieces(equal, 3), 256);
	ck_assert_int_eq(het__cut_pieces(unlike, 3), 12800);
	ck_assert_int_eq(het__cut_step(1, 1000000, het__cut_pieces(unlike, 3)), 64);
	ck_assert_int_eq(het__cut_step(1, 1 << 30, het__cut_pieces(tiny, 2)), 1);
}
END_TEST

/* Pieces are as large as groups can be, and as small as it takes to leave enough of them; and multiples of what
 * they must be. */
START_TEST(pieces)
{
	ck_assert_int_eq(het__cut_step(1, 1 << 20, 256), 1024);
	ck_assert_int_eq(het__cut_step(1, 1024 * 256, 256), 1024);
	ck_assert_int_eq(het__cut_step(1, 1024 * 256 - 1, 256), 512);
	ck_assert_int_eq(het__cut_step(1, 64 * 256, 256), 64);
	ck_assert_int_eq(het__cut_step(1, 64 * 256 - 1, 256), 1);
	ck_assert_int_eq(het__cut_step(1, 64 * 256, 257), 1);
	ck_assert_int_eq(het__cut_step(1, INT64_MAX, 256), 1024);
	ck_assert_int_eq(het__cut_step(64, 64 * 256, 256), 64);
	ck_assert_int_eq(het__cut_step(2048, 1 << 20, 256), 2048);
	ck_assert_int_eq(het__cut_step(100, 1600 * 256, 256), 1600);
	ck_assert_int_eq(het__cut_step(1000, 1 << 20, 256), 1000); /* 8000 would be too large */
	ck_assert_int_eq(het__cut_step(INT64_MAX / 2, INT64_MAX, 256), INT64_MAX / 2);
}
END_TEST

static size_t group_of(size_t items)
{
	const het_device device = device_of(&bad, 1);
	const struct het__kernel_on on = {.limits.work_group = 4096};
	const struct het__range range = range_of(1, items, 0, 0);
	size_t room[3];

	return het__range_group(&range, &device, &on, room)[0];
}

/* The sizes that a device's parts have at some cut, as bits: all are powers of two from 64 to 1024. */
static size_t sizes_at_cuts(int64_t extent, int64_t step, bool is_last)
{
	size_t sizes = 0;

	for (int64_t cut = extent / 4 / step * step; cut < extent * 3 / 4; cut += step)
		sizes |= group_of((size_t)(is_last ? extent - cut : cut));
	return sizes;
}

/* Wherever a range of 64-multiples is cut at such pieces: five sizes at most, for all the cuts there are. One
 * is enough where pieces are as large as groups. */
START_TEST(few_sizes_at_every_cut)
{
	for (int64_t extent = 16384; extent <= 3000000; extent = extent * 5 / 4 / 64 * 64) {
		const int64_t step = het__cut_step(1, extent, 256);
		const size_t first = sizes_at_cuts(extent, step, false);
		const size_t last = sizes_at_cuts(extent, step, true);

		ck_assert_uint_eq((first | last) & ~(size_t)(64 | 128 | 256 | 512 | 1024), 0);
		if (step == 1024) {
			ck_assert_uint_eq(first, 1024);
			ck_assert_uint_eq(last & (last - 1), 0);
		}
	}
}
END_TEST

int main(void)
{
	TCase *const tcase = tcase_create("group");

	tcase_add_loop_test(tcase, table, 0, sizeof cases / sizeof cases[0]);
	tcase_add_test(tcase, whoever_chose_is_obeyed);
	tcase_add_test(tcase, limits);
	tcase_add_test(tcase, random_ranges);
	tcase_add_test(tcase, the_smallest_share_decides);
	tcase_add_test(tcase, pieces);
	tcase_add_test(tcase, few_sizes_at_every_cut);
	return run_case("group", tcase);
}
