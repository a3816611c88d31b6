/* test_hazards.c - who waits for whom on account of the bytes of a block, on a fake machine of two cards whose
 * memories exchange borders: nobody who need not, and what is known of it does not grow while nothing ends. And
 * on one of two parts of a CPU: the driver is told of no more than a programmer would tell it.
 */
#include "face.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "fakes.h"
#include "platforms.h"
#include "store/block.h"
#include "system/system.h"
#include "task/task.h"

enum { ROWS = 64, HALF = ROWS / 2 };

static het_system *sys;
static het_device *card[2];
static het_array *x, *y;

static void open_cards(void)
{
	struct het_options options = HET_OPTIONS_INIT;

	setenv("FAKECL_ORDER", "late", 1);
	ck_assert(het_test_fake_driver("one-context"));
	options.share = HET_SHARE_OFF;
	ok(het_open(&options, &sys));
	card[0] = first_device(sys);
	card[1] = last_device(sys);
	x = counting_array(sys, ROWS);
	y = zero_array(sys, ROWS);
}

static struct het_box own(int d)
{
	return het_rows(d * HALF, (d + 1) * HALF);
}

/* y becomes x + 1 in a card's half; the kernel sees the row across the border, too. */
static void look(int d)
{
	const struct het_box seen = d == 0 ? het_rows(0, HALF + 1) : het_rows(HALF - 1, ROWS);

	ok(het_launch(common_kernel(sys, "add"), card[d], het_range(1, d * HALF, (d + 1) * HALF),
		      HET_OUT_PART(y, own(d)), HET_IN_PART(x, seen), HET_VAL(1)));
}

static void move_on(int d)
{
	ok(het_launch(common_kernel(sys, "bump"), card[d], het_range(1, d * HALF, (d + 1) * HALF),
		      HET_INOUT_PART(x, own(d)), HET_VAL(1)));
}

static void step(void)
{
	for (int d = 0; d < 2; d++)
		look(d);
	for (int d = 0; d < 2; d++)
		move_on(d);
}

static int hazards_of(const het_array *array)
{
	int most = 0;

	for (int s = 0; s < array->value->top; s++) {
		const struct het__store *const store = array->value->store[s];

		if (store && store->block->hazards.count > most)
			most = store->block->hazards.count;
	}
	return most;
}

START_TEST(borders_do_not_gather)
{
	int early;

	open_cards();
	step();
	step();
	early = hazards_of(x);
	for (int i = 0; i < 20; i++)
		step();
	ck_assert_int_eq(hazards_of(x), early);
	assert_counts(x, 22, 1);
	assert_counts(y, 22, 1);
	close_face(sys);
}
END_TEST

/* Card 0 has moved on, and stands still before it fetches the border. Card 1 can fetch its own. */
START_TEST(borders_do_not_wait_for_each_other)
{
	int values[HALF];

	open_cards();
	step();
	ok(het_wait_all(sys));
	ck_assert_int_eq(control("stop 0 2"), 0);
	move_on(0);
	look(0);
	look(1);
	ok(het_read(het_view(y, own(1)), values));
	for (int i = 0; i < HALF; i++)
		ck_assert_int_eq(values[i], HALF + i + 2);
	ck_assert_int_eq(control("go 0"), 0);
	close_face(sys);
}
END_TEST

/* Of the last kernel: how many events it waits for, the first of them, and its own. */
static int told;
static cl_event awaited, made;

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint rank, const size_t *offset,
			      const size_t *global, const size_t *local, cl_uint count,
			      const cl_event *wait_list, cl_event *event_p)
{
	cl_int (*real)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *,
		       cl_uint, const cl_event *, cl_event *);
	void *const found = dlsym(RTLD_NEXT, "clEnqueueNDRangeKernel");
	cl_int status;

	memcpy(&real, &found, sizeof real);
	told = (int)count;
	awaited = count > 0 ? wait_list[0] : NULL;
	status = real(queue, kernel, rank, offset, global, local, count, wait_list, event_p);
	made = event_p ? *event_p : NULL;
	return status;
}

static void assert_told(int events, het_status launched)
{
	ok(launched);
	ck_assert_int_eq(told, events);
}

static struct het_range part(int d)
{
	return het_range(1, d * HALF, (d + 1) * HALF);
}

/* Two parts of a CPU that use arrays in place, and have written y. Returns one more array of zeros. */
static het_array *open_parts(void)
{
	struct het_options options = HET_OPTIONS_INIT;

	setenv("FAKECL_ORDER", "late", 1);
	ck_assert(het_test_fake_driver("cut-cpu"));
	options.devices = "pocl:cpu0/1";
	ok(het_open(&options, &sys));
	x = counting_array(sys, ROWS);
	y = zero_array(sys, ROWS);
	for (int d = 0; d < 2; d++) {
		card[d] = het_device(sys, d);
		ok(het_launch(common_kernel(sys, "bump"), card[d], part(d), HET_INOUT_PART(y, own(d)),
			      HET_VAL(1)));
		ok(het_wait_all(sys)); /* devices are tried out when they are used first */
	}
	return zero_array(sys, ROWS);
}

/* One part writes rows one after another, and nothing ends. Who reads one of them waits for that one alone,
 * however many come after it. */
START_TEST(a_row_does_not_wait_for_those_after_it)
{
	static const int rows[] = {2, HALF, ROWS}; /* the last are found by buckets */
	cl_event row[ROWS];

	(void)open_parts();
	for (int n = 0; n < 3; n++) {
		for (int i = 0; i < rows[n]; i++) {
			ok(het_launch(common_kernel(sys, "bump"), card[0], het_range(1, i, i + 1),
				      HET_INOUT_PART(x, het_rows(i, i + 1)), HET_VAL(1)));
			row[i] = made;
		}
		ck_assert_int_eq(hazards_of(x), rows[n]);
		for (int i = 0; i < rows[n]; i++) {
			assert_told(1, het_launch(common_kernel(sys, "add"), card[1], het_range(1, i, i + 1),
						  HET_OUT_PART(y, het_rows(i, i + 1)),
						  HET_IN_PART(x, het_rows(i, i + 1)), HET_VAL(1)));
			ck_assert_ptr_nonnull(row[i]);
			ck_assert_ptr_eq(awaited, row[i]);
		}
		ck_assert_int_eq(element(y, 0), n + 2);
		ok(het_wait_all(sys));
	}
	close_face(sys);
}
END_TEST

/* Each part looks across the border, takes in what both have found, and moves on: what it waits for is the last
 * that the other part did of what it needs, which stands for all before. */
START_TEST(one_event_stands_for_a_queue)
{
	const struct het_box seen[] = {het_rows(0, HALF + 1), het_rows(HALF - 1, ROWS)};
	het_array *const all = open_parts();
	het_kernel *const add = common_kernel(sys, "add"), *const bump = common_kernel(sys, "bump");

	for (int i = 0; i < 5; i++) {
		for (int d = 0; d < 2; d++)
			assert_told(i > 0, het_launch(add, card[d], part(d), HET_OUT_PART(y, own(d)),
						      HET_IN_PART(x, seen[d]), HET_VAL(1)));
		for (int d = 0; d < 2; d++)
			assert_told(1, het_launch(add, card[d], part(d), HET_OUT_PART(all, own(d)), HET_IN(y),
						  HET_VAL(1)));
		for (int d = 0; d < 2; d++)
			assert_told(0, het_launch(bump, card[d], part(d), HET_INOUT_PART(x, own(d)),
						  HET_VAL(1)));
	}
	assert_counts(x, 5, 1);
	assert_counts(y, 5, 1);
	assert_counts(all, 6, 1);
	close_face(sys);
}
END_TEST

/* A needed task may end while needs are told, and the next needed one may be made in its slot. */
START_TEST(a_slot_used_again_is_another_task)
{
	static const struct het__task_ops ops = {.kind = "test"};
	struct het__lane *lane[2];
	struct het__task *needy, *needed, *first = NULL;

	(void)open_parts();
	ok(het__enter(sys, "test"));
	for (int d = 0; d < 2; d++)
		ok(het__lane_of(card[d], &lane[d]));
	ok(het__task_new(lane[0], &ops, 0, &needy));
	for (int i = 1; i <= 3; i++) {
		ok(het__task_new(lane[1], &ops, 0, &needed));
		needed->state = HET__TASK_SUBMITTED; /* as far as the needy one can see */
		for (int twice = 0; twice < 2; twice++) {
			ok(het__task_needs(needy, het__ref_of(needed)));
			ok(het__task_reads(needy, het__ref_of(needed)));
		}
		ck_assert_int_eq(needy->after.count, i);
		ck_assert_int_eq(needy->inputs.count, i);
		ck_assert(!first || needed == first);
		first = needed;
		needed->state = HET__TASK_MADE;
		het__task_cancel(needed);
	}
	het__task_cancel(needy);
	het__leave(sys);
	close_face(sys);
}
END_TEST

/* Each context has a buffer of its own for an empty array over no memory. */
START_TEST(contexts_do_not_share_an_empty_array)
{
	het_system *system;
	struct het__block *block;
	cl_context context;
	cl_mem mem;

	ck_assert(het_test_fake_driver("three-platforms"));
	ok(het_open(NULL, &system));
	ok(het__block_wrap_host(system, 1, NULL, 0, &block));
	for (int d = 0; d < het_device_count(system); d++) {
		het_device *const device = het_device(system, d);

		ok(het__device_open(device));
		ok(het__block_find_buffer(block, device->context, device->name, 0, 1, &mem));
		ck_assert_int_eq(clGetMemObjectInfo(mem, CL_MEM_CONTEXT, sizeof context, &context, NULL),
				 CL_SUCCESS);
		ck_assert_ptr_eq(context, device->context->cl);
	}
	het__block_free(block);
	close_face(system);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {borders_do_not_gather, borders_do_not_wait_for_each_other,
				      a_row_does_not_wait_for_those_after_it, one_event_stands_for_a_queue,
				      a_slot_used_again_is_another_task,
				      contexts_do_not_share_an_empty_array};

	return run_fake_tests("hazards", (int)(sizeof tests / sizeof tests[0]), tests);
}
