/* test_queues.c - a queue for copies: which devices have one, that their copies do not wait for kernels that
 * they have nothing to do with, and that they wait for all others.
 */
#include "face.h"

#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#include "calibrations.h"
#include "fakes.h"
#include "platforms.h"

enum { ITEMS = 64 };

static het_system *sys;
static het_kernel *bump;

/* Commands run late: when they are waited for, or have been asked after often. `queues` NULL: nothing is
 * said. */
static void open_on(const char *machine, const char *queues)
{
	setenv("FAKECL_ORDER", "late", 1);
	if (queues)
		setenv("HETERO_QUEUES", queues, 1);
	ck_assert(het_test_fake_driver(machine));
	ok(het_open(NULL, &sys));
}

static int queues_of(het_device *device)
{
	struct het_device_info info = HET_DEVICE_INFO_INIT;

	ok(het_device_info(device, &info));
	return info.queues;
}

static void bump_on(het_device *device, het_array *array)
{
	ok(het_launch(bump, device, het_grid(1, ITEMS), HET_INOUT(array), HET_VAL(1)));
}

/* ---- what does not wait ------------------------------------------------------------------------- */

/* A kernel that nobody waits for; then data of others go from and to its device. Had the kernel to come first,
 * it would have been run. */
START_TEST(copies_pass_kernels)
{
	const int queues = _i + 1;
	het_array *busy, *back, *forth;
	het_device *device;
	long ran;

	open_on("two-gpus", queues == 2 ? "2" : "1");
	device = first_device(sys);
	ck_assert_int_eq(control("polls 1000000"), 0);
	ck_assert_int_eq(queues_of(device), queues);
	bump = common_kernel(sys, "bump");
	busy = counting_array(sys, ITEMS);
	back = counting_array(sys, ITEMS);
	forth = counting_array(sys, ITEMS);
	bump_on(device, back);
	ok(het_wait(back));
	ran = control("count ndrange");
	bump_on(device, busy);
	assert_counts(back, 1, 1);
	ck_assert_int_eq(control("count ndrange") - ran, queues == 2 ? 0 : 1);
	ok(het_prefetch(het_view(forth, het_whole()), device));
	ok(het_wait(forth));
	ck_assert_int_eq(control("count ndrange") - ran, queues == 2 ? 0 : 1);
	assert_counts(busy, 1, 1);
	close_face(sys);
}
END_TEST

/* ---- what waits --------------------------------------------------------------------------------- */

/* By every route: a kernel after the copy of what it reads, a copy after the kernel that makes it, and a copy
 * after the kernel that still reads what it is to write over. */
static const char *const routes[] = {"copy", "staged", "chunked", "pinned", "mapped", "pack"};
#define ROUTES ((int)(sizeof routes / sizeof routes[0]))
static const char *const orders[] = {"late", "fifo", "random 3"};
#define ORDERS ((int)(sizeof orders / sizeof orders[0]))

START_TEST(data_come_in_order)
{
	het_array *x, *y;
	het_kernel *add;
	int values[ITEMS];

	setenv("HETERO_ROUTE", routes[_i / ORDERS], 1);
	open_on("one-context", "2");
	ck_assert_int_eq(control("order %s", orders[_i % ORDERS]), 0);
	bump = common_kernel(sys, "bump");
	add = common_kernel(sys, "add");
	x = counting_array(sys, ITEMS);
	y = zero_array(sys, ITEMS);
	for (int round = 0; round < 8; round++) {
		het_device *const here = het_device(sys, round % 2);
		het_device *const there = het_device(sys, 1 - round % 2);

		bump_on(here, x);
		ok(het_launch(add, there, het_grid(1, ITEMS), HET_OUT(y), HET_IN(x), HET_VAL(10)));
		ok(het_read_async(het_view(y, het_whole()), values));
		bump_on(there, x);
		ok(het_wait(y));
		ck_assert_int_eq(values[ITEMS - 1], ITEMS - 1 + 2 * round + 11);
	}
	assert_counts(x, 16, 1);
	close_face(sys);
}
END_TEST

/* What is mapped to be written comes back with its unmapping: when that fails, and is made up for, before what
 * a kernel writes then. */
START_TEST(a_late_unmapping_overwrites_nothing)
{
	enum { SEEDS = 16 };
	het_array *x;
	char order[32];

	setenv("HETERO_ROUTE", "mapped", 1);
	open_on("three-platforms", "2");
	bump = common_kernel(sys, "bump");
	for (int i = 0; i < SEEDS * het_device_count(sys); i++) {
		het_device *const device = het_device(sys, i % het_device_count(sys));

		if (!is_separate(device))
			continue;
		snprintf(order, sizeof order, "order random %d", i);
		ck_assert_int_eq(control("%s", order), 0);
		x = counting_array(sys, ITEMS);
		ck_assert_int_eq(control("fail clEnqueueUnmapMemObject 1 -5"), 0);
		ok(het_prefetch(het_view(x, het_whole()), device));
		ok(het_launch(common_kernel(sys, "set"), device, het_grid(1, ITEMS), HET_OUT(x), HET_VAL(7)));
		assert_counts(x, 7, 0);
		ck_assert_int_eq(control("pending"), 0);
		(void)het_wait_all(sys); /* the prefetch has failed */
		ok(het_array_free(x));
	}
	close_face(sys);
}
END_TEST

/* ---- who has one -------------------------------------------------------------------------------- */

static void calibrate(const char *machine, uint64_t overlap, int known)
{
	struct het__calibration c;

	open_on(machine, NULL);
	c = calibration_of(sys, ALL_DEVICES);
	for (int d = 0; d < c.device_count; d++)
		c.device[d].figure[HET__CAL_QUEUES_OVERLAP] =
			(struct het__cal_figure){.value = overlap, .known = known};
	ok(het_close(sys));
	use_calibration(&c, het_test_file("queues.ini", ""));
}

static const struct {
	uint64_t overlap;
	int known;
	const char *said; /* by HETERO_QUEUES */
	int queues;
} cases[] = {{1, 1, NULL, 2}, {0, 1, NULL, 1}, {1, 0, NULL, 1}, {1, 1, "1", 1}, {0, 1, "2", 2}};
#define CASES ((int)(sizeof cases / sizeof cases[0]))

START_TEST(as_measured_unless_somebody_says_so)
{
	calibrate("two-gpus", cases[_i].overlap, cases[_i].known);
	open_on("two-gpus", cases[_i].said);
	ck_assert_int_eq(queues_of(first_device(sys)), cases[_i].queues);
	ck_assert_int_eq(queues_of(last_device(sys)), cases[_i].queues);
	ok(het_close(sys));
}
END_TEST

START_TEST(nobody_in_the_hosts_memory)
{
	int separate = 0;

	open_on("two-platforms", "2");
	for (int d = 0; d < het_device_count(sys); d++) {
		const int own = is_separate(het_device(sys, d));

		ck_assert_int_eq(queues_of(het_device(sys, d)), own ? 2 : 1);
		separate += own;
	}
	ck_assert_int_eq(separate, 1);
	ok(het_close(sys));
}
END_TEST

/* Data go to each device, a kernel changes them, and they come back. */
static void use_all(void)
{
	for (int d = 0; d < het_device_count(sys); d++) {
		het_array *const array = counting_array(sys, ITEMS);

		bump_on(het_device(sys, d), array);
		assert_counts(array, 1, 1);
	}
}

/* Where kernels are timed by the host's clock, and are to be timed: from the beginning (1), or from now on
 * (2). */
START_TEST(nobody_whose_clock_is_wrong)
{
	struct het_options options = HET_OPTIONS_INIT;
	int found = 0;

	setenv("HETERO_QUEUES", "2", 1);
	ck_assert(het_test_fake_driver("odd-names"));
	options.profile = _i == 1;
	options.share = HET_SHARE_OFF;
	ok(het_open(&options, &sys));
	bump = common_kernel(sys, "bump");
	use_all();
	if (_i == 2)
		ok(het_team_rebalance(het_everyone(sys), 1));
	use_all();
	for (int d = 0; d < het_device_count(sys); d++)
		if (het_device(sys, d)->driver->clock_wrong) {
			found++;
			ck_assert_int_eq(queues_of(het_device(sys, d)), _i ? 1 : 2);
		} else {
			ck_assert_int_eq(queues_of(het_device(sys, d)), 2);
		}
	ck_assert_int_gt(found, 0);
	ok(het_close(sys));
}
END_TEST

static sem_t gate;

static het_status fill_later(void *user, int count, const struct het_host_arg *args)
{
	int *const cells = args[0].data;

	(void)count;
	sem_wait(&gate);
	for (int i = 0; i < ITEMS; i++)
		cells[i] = *(const int *)user + i;
	return HET_OK;
}

/* After each column of the box has been raised by one, on the device. */
static void assert_columns(het_kernel *raise, het_device *device, het_array *cells, int first)
{
	const struct het_box columns = het_box(2, 0, 8, 3, 6);
	int got[8 * 3];

	ok(het_launch(raise, device, het_range(2, 0, 8, 3, 6), HET_INOUT_PART(cells, columns)));
	ok(het_read(het_view(cells, columns), got));
	for (int i = 0; i < 8 * 3; i++)
		ck_assert_int_eq(got[i], first + 8 * (i / 3) + 3 + i % 3 + 1);
}

/* Columns are packed beside their buffers. Those that wait for a function go by the queue for copies, even
 * when new ones go by the kernels' queue, and neither packs where the other does. */
START_TEST(held_copies_are_not_overwritten_by_those_that_came_back)
{
	enum { ARRAYS = 8 };
	static const char text[] = "kernel void raise(global int *cells)\n"
				   "{ cells[get_global_id(1) * 8 + get_global_id(0)] += 1; }\n";
	const struct het_box columns = het_box(2, 0, 8, 3, 6);
	struct het_options options = HET_OPTIONS_INIT;
	het_array *held[ARRAYS], *other[ARRAYS];
	het_device *device = NULL;
	het_kernel *raise;
	int first[ARRAYS], cells[ITEMS];

	sem_init(&gate, 0, 0);
	setenv("HETERO_QUEUES", "2", 1);
	setenv("HETERO_ROUTE", "pack", 1);
	ck_assert(het_test_fake_driver("odd-names"));
	options.share = HET_SHARE_OFF;
	ok(het_open(&options, &sys));
	ck_assert_int_eq(control("order random %d", _i), 0);
	for (int d = 0; d < het_device_count(sys); d++)
		if (het_device(sys, d)->driver->clock_wrong)
			device = het_device(sys, d);
	ck_assert_ptr_nonnull(device);
	raise = text_kernel(sys, text, "raise");
	for (int k = 0; k < ARRAYS; k++) {
		first[k] = 1000 * k;
		ok(het_array_new(sys, HET_INT, het_shape(2, 8, 8), &held[k]));
		ok(het_array_new(sys, HET_INT, het_shape(2, 8, 8), &other[k]));
		for (int i = 0; i < ITEMS; i++)
			cells[i] = 500 + first[k] + i;
		ok(het_write(het_view(other[k], het_whole()), cells));
		ok(het_call(sys, fill_later, &first[k], HET_OUT(held[k])));
		ok(het_prefetch(het_view(held[k], columns), device));
	}
	ok(het_team_rebalance(het_everyone(sys), 1));
	for (int k = 0; k < ARRAYS; k++) {
		sem_post(&gate);
		ok(het_prefetch(het_view(other[k], columns), device));
	}
	for (int k = 0; k < ARRAYS; k++) {
		assert_columns(raise, device, held[k], first[k]);
		assert_columns(raise, device, other[k], 500 + first[k]);
	}
	ok(het_close(sys));
}
END_TEST

START_TEST(nonsense_is_refused)
{
	setenv("HETERO_QUEUES", "3", 1);
	ck_assert(het_test_fake_driver("two-gpus"));
	fails(het_open(NULL, &sys), HET_ERR_ARGUMENT, "HETERO_QUEUES is '3': it must be 1 or 2");
}
END_TEST

int main(void)
{
	static const struct {
		const TTest *const *test;
		int rounds;
	} tests[] = {
		{&copies_pass_kernels, 2},
		{&data_come_in_order, ROUTES * ORDERS},
		{&a_late_unmapping_overwrites_nothing, 1},
		{&as_measured_unless_somebody_says_so, CASES},
		{&nobody_in_the_hosts_memory, 1},
		{&nobody_whose_clock_is_wrong, 3},
		{&held_copies_are_not_overwritten_by_those_that_came_back, 16},
		{&nonsense_is_refused, 1},
	};
	int status = 0;

	setenv("HETERO_CACHE", het_test_subfolder("cache"), 1);
	for (size_t i = 0; i < sizeof tests / sizeof tests[0] && !status; i++)
		status = run_fake_loop("queues", *tests[i].test, tests[i].rounds, 30);
	return status;
}
