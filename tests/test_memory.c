/* test_memory.c - no memory: the host's, at every allocation in turn, and the device's.
 *
 * Each step of a scenario is tried again when it fails: that shows that a failed call has changed nothing.
 * What a task could not do when its turn came is lost, and named; everything else must be right.
 */
#include "face.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"

enum { N = 64 };

static struct {
	int failed; /* calls */
	int lost;
} seen;

/* One try without memory, one with. */
#define step(call)                                                                                             \
	do {                                                                                                   \
		het_status first_ = (call);                                                                    \
		if (first_) {                                                                                  \
			ck_assert_msg(first_ == HET_ERR_MEMORY || first_ == HET_ERR_LOST, "%s: %d, %s", #call, \
				      (int)first_, het_message());                                             \
			ck_assert_msg(strstr(het_message(), "memory") != NULL, "%s", het_message());           \
			seen.failed++;                                                                         \
			if (first_ == HET_ERR_LOST) {                                                          \
				seen.lost++;                                                                   \
				return;                                                                        \
			}                                                                                      \
			ok(call);                                                                              \
		}                                                                                              \
	} while (0)

static int memory[N], values[N];

static void scenario(het_system *system)
{
	het_array *a, *b, *wrapped;
	het_kernel *add, *bump;
	const int seven = 7;
	int *at;

	for (int i = 0; i < N; i++)
		memory[i] = i;
	step(het_array_new(system, HET_INT, het_shape(1, N), &a));
	step(het_array_new(system, HET_INT, het_shape(1, N), &b));
	step(het_array_wrap(system, HET_INT, het_shape(1, N), memory, &wrapped));
	step(het_kernel_from_source(system,
				    "kernel void add(global int *out, global const int *in, int v)"
				    "{ int i = get_global_id(0); out[i] = in[i] + v; }",
				    "add", NULL, &add));
	step(het_kernel_from_source(system, "kernel void bump(global int *io) { io[get_global_id(0)]++; }",
				    "bump", NULL, &bump));
	step(het_launch(bump, first_device(system), het_grid(1, N), HET_INOUT(wrapped)));
	step(het_launch(add, last_device(system), het_grid(1, N), HET_OUT(a), HET_IN(wrapped), HET_VAL(10)));
	step(het_launch(bump, first_device(system), het_range(1, 0, 32), HET_INOUT_PART(a, het_rows(0, 32))));
	step(het_copy(het_view(b, het_rows(1, N)), het_view(a, het_rows(0, N - 1))));
	step(het_copy(het_view(b, het_rows(4, 14)), het_view(b, het_rows(1, 11))));
	step(het_fill(het_view(b, het_rows(0, 1)), &seven));
	step(het_launch(bump, last_device(system), het_grid(1, 8), HET_INOUT(het_view(b, het_rows(41, 49)))));
	step(het_write(het_view(b, het_rows(60, 62)), memory + 3));
	step(het_prefetch(het_view(b, het_whole()), last_device(system)));
	step(het_swap(a, b));
	step(het_fill(het_view(a, het_rows(0, 1)), &seven)); /* as it is */
	step(het_unmodified(het_view(a, het_rows(0, 1))));
	step(het_audit(a));
	step(het_map(b, HET_READ, &at));
	for (int i = 0; i < N; i++)
		ck_assert_int_eq(at[i], i + 11 + (i < 32));
	ok(het_unmap(b));
	step(het_read(het_view(a, het_whole()), values));
	ck_assert_int_eq(values[0], 7);
	ck_assert_int_eq(values[3], 2 + 12);
	ck_assert_int_eq(values[4], 0 + 12);
	ck_assert_int_eq(values[13], 9 + 12);
	ck_assert_int_eq(values[40], 39 + 11);
	ck_assert_int_eq(values[41], 40 + 12);
	ck_assert_int_eq(values[63], 62 + 11);
	step(het_array_free(a));
	step(het_array_free(b));
	step(het_array_free(wrapped));
	for (int i = 0; i < N; i++)
		ck_assert_int_eq(memory[i], i + 1);
	step(het_kernel_free(add));
	step(het_kernel_free(bump));
	ck_assert_uint_eq(stats_of(system).live_arrays, 0);
}

/* The allocations of a system that is new each time. */
START_TEST(test_every_allocation_fails)
{
	long k = 0, asked = LONG_MAX;

	scenario(open_face(_i)); /* builds the kernels for the cache */
	for (; asked > k - 1; k++) {
		het_system *system = open_face(_i);
		het_status st;

		(void)het__alloc_fail_after(k, 0);
		scenario(system);
		asked = het__alloc_fail_after(-1, 0);
		st = het_wait_all(system);
		ck_assert(st == HET_OK || st == HET_ERR_LOST);
		st = het_close(system);
		ck_assert_msg(st == HET_OK || st == HET_ERR_LOST, "close after %ld: %s", k, het_message());
	}
	ck_assert_int_gt(k, 20);
	printf("face %d: %ld allocations failed in turn, seen by %d calls, %d of them late\n", _i, k - 1,
	       seen.failed, seen.lost);
	ck_assert_int_gt(seen.failed, 20);
}
END_TEST

/* No memory at all from the k-th allocation on: the first failing call says so, and closing still works. */
START_TEST(test_memory_stays_out)
{
	for (long k = 0; k < 60; k += 3) {
		het_system *system = open_face(_i);
		het_array *array = counting_array(system, N);
		het_kernel *bump = common_kernel(system, "bump");
		het_status st = HET_OK;

		(void)het__alloc_fail_after(k, 1);
		for (int i = 0; i < 200 && !st; i++) {
			het_array *fresh;

			st = het_array_new(system, HET_INT, het_shape(1, N), &fresh);
			if (!st)
				st = het_launch(bump, het_device(system, i % het_device_count(system)),
						het_grid(1, N), HET_INOUT(fresh), HET_VAL(1));
		}
		ck_assert_int_eq(st, HET_ERR_MEMORY);
		ck_assert_msg(strstr(het_message(), "memory") != NULL, "from the %ldth: %s", k, het_message());
		(void)het__alloc_fail_after(-1, 0);
		ok(het_launch(bump, last_device(system), het_grid(1, N), HET_INOUT(array), HET_VAL(1)));
		assert_counts(array, 1, 1);
		close_face(system);
	}
}
END_TEST

START_TEST(test_open_without_memory)
{
	long k = 0, asked = LONG_MAX;

	close_face(open_face(_i));
	for (; asked > k - 1; k++) {
		struct het_options options = HET_OPTIONS_INIT;
		het_system *system = NULL;
		het_status st;

		options.devices = on_cpu("cpu");
		(void)het__alloc_fail_after(k, 0);
		st = het_open(&options, &system);
		asked = het__alloc_fail_after(-1, 0);
		ck_assert_msg(st == HET_OK || st == HET_ERR_MEMORY, "%d %s", (int)st, het_message());
		if (st)
			ck_assert_ptr_null(system);
		ok(het_close(system));
	}
	ck_assert_int_gt(k, 10);
}
END_TEST

/* An array that no allocation of the device can hold. */
START_TEST(test_device_memory)
{
	het_system *system = open_face(_i);
	struct het_device_info info = HET_DEVICE_INFO_INIT;
	het_kernel *set = common_kernel(system, "set"), *bump = common_kernel(system, "bump");
	het_array *small = counting_array(system, N), *huge;
	int value = 5;

	ok(het_device_info(last_device(system), &info));
	if (info.memory == 0 ||
	    het_array_new(system, HET_INT, het_shape(1, (int64_t)(info.max_alloc_bytes / 4) + 1024), &huge)) {
		close_face(system);
		return; /* no memory of its own, or the host has not got so much either */
	}
	ok(het_array_name(huge, "huge"));
	ok(het_write(het_view(huge, het_rows(10, 11)), &value));
	fails(het_launch(set, last_device(system), het_range(1, 0, 4), HET_INOUT_PART(huge, het_rows(0, 4)),
			 HET_VAL(1)),
	      HET_ERR_DEVICE_MEMORY, "kernel set", "argument 0", "huge", info.name);
	fails(het_prefetch(het_view(huge, het_rows(0, 4)), last_device(system)), HET_ERR_DEVICE_MEMORY,
	      "het_prefetch: a copy of huge", info.name);
	ck_assert_int_eq(element(huge, 10), 5);
	ok(het_launch(bump, last_device(system), het_grid(1, N), HET_INOUT(small), HET_VAL(1)));
	ok(het_launch(bump, last_device(system), het_grid(1, 4), HET_INOUT(het_view(huge, het_rows(9, 13))),
		      HET_VAL(1)));
	ck_assert_int_eq(element(huge, 10), 6);
	assert_counts(small, 1, 1);
	close_face(system);
}
END_TEST

static const struct face_test tests[] = {
	{&test_every_allocation_fails, 1},
	{&test_memory_stays_out, 1},
	{&test_open_without_memory, 0},
	{&test_device_memory, 1},
};

int main(void)
{
	return run_face_tests("memory", sizeof tests / sizeof tests[0], tests);
}
