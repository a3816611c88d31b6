/* test_call.c - functions of the program as tasks: het_call and het_native. */
#include "face.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include <hetero/opencl.h>

/* ---- host functions ---- */

static het_status add_up(void *user, int count, const struct het_host_arg *args)
{
	const int *from = args[1].data;
	int *to = args[0].data, factor = *(const int *)args[2].data;

	(void)user;
	if (count != 3 || args[2].bytes != sizeof factor || args[1].box.rank != 1)
		return HET_ERR_ARGUMENT;
	for (int64_t i = args[1].box.lo[0]; i < args[1].box.hi[0]; i++)
		to[i] = from[i] * factor;
	return HET_OK;
}

START_TEST(test_between_kernels)
{
	het_system *system = open_face(_i);
	het_kernel *bump = common_kernel(system, "bump");
	het_array *a = counting_array(system, 500), *b = zero_array(system, 500);

	for (int k = 0; k < 5; k++) {
		het_device *device = het_device(system, k % het_device_count(system));

		ok(het_launch(bump, device, het_grid(1, 500), HET_INOUT(a), HET_VAL(1)));
		ok(het_call(system, add_up, NULL, HET_OUT(b), HET_IN(a), HET_VAL(3)));
		ok(het_launch(bump, device, het_grid(1, 500), HET_INOUT(b), HET_VAL(7)));
	}
	assert_counts(b, 22, 3);
	assert_counts(a, 5, 1);
	ck_assert_uint_eq(stats_of(system).host_calls, 5);
	close_face(system);
}
END_TEST

struct seen {
	struct het_host_arg args[4];
	int count, packed_first, whole_first;
	void *user;
};

static het_status look(void *user, int count, const struct het_host_arg *args)
{
	struct seen *seen = user;

	seen->user = user;
	seen->count = count;
	memcpy(seen->args, args, (size_t)count * sizeof *args);
	seen->packed_first = *(const int *)args[0].data;
	seen->whole_first = *(const int *)args[1].data;
	return memcmp(args[2].data, "twelve bytes", 12) ? HET_ERR_ARGUMENT : HET_OK;
}

START_TEST(test_arguments)
{
	het_system *system = open_face(_i);
	struct seen seen = {.count = 0};
	het_array *array;
	int values[6 * 7];

	for (int i = 0; i < 42; i++)
		values[i] = i;
	ok(het_array_new(system, HET_INT, het_shape(2, 6, 7), &array));
	ok(het_write(het_view(array, het_whole()), values));
	ok(het_call(system, look, &seen, HET_IN(het_view(array, het_box(2, 2, 4, 3, 5))),
		    HET_IN_PART(array, het_rows(1, 3)), HET_BYTES("twelve bytes", 12), HET_NULL));
	ok(het_wait_all(system));
	ck_assert_ptr_eq(seen.user, &seen);
	ck_assert_int_eq(seen.count, 4);
	ck_assert_int_eq(seen.packed_first, 2 * 7 + 3);
	ck_assert_int_eq(seen.whole_first, 0);
	ck_assert_int_eq(seen.args[0].box.rank, 2);
	ck_assert_int_eq(seen.args[0].box.lo[1], 3);
	ck_assert_int_eq(seen.args[0].box.hi[0], 4);
	ck_assert_uint_eq(seen.args[0].pitch_bytes[0], 28);
	ck_assert_int_eq(seen.args[1].box.lo[0], 1);
	ck_assert_int_eq(seen.args[1].box.hi[1], 7);
	ck_assert_uint_eq(seen.args[2].bytes, 12);
	ck_assert_ptr_null(seen.args[3].data);
	close_face(system);
}
END_TEST

/* Many of them run one after another, in the program's order. */
struct order {
	atomic_int inside, next, wrong;
};

static het_status one_by_one(void *user, int count, const struct het_host_arg *args)
{
	struct order *order = user;

	(void)count;
	if (atomic_fetch_add(&order->inside, 1) != 0 ||
	    *(const int *)args[0].data != atomic_fetch_add(&order->next, 1))
		atomic_fetch_add(&order->wrong, 1);
	atomic_fetch_sub(&order->inside, 1);
	return HET_OK;
}

static het_status look_at_places(void *user, int count, const struct het_host_arg *args)
{
	for (int i = 0; i < count; i++)
		*(unsigned *)user |= (unsigned)((uintptr_t)args[i].data % 16);
	return HET_OK;
}

/* Values lie where any type may, however many they are. */
START_TEST(test_values_are_aligned)
{
	het_system *system = open_face(_i);
	const struct het_arg three = HET_BYTES("abc", 3);
	const struct het_arg args[] = {three, HET_VAL(1.0), three, three, HET_VAL('c')};
	unsigned wrong = 0;

	for (int count = 1; count <= 5; count++)
		ok(het_call_args(system, look_at_places, &wrong, args, count));
	ok(het_wait_all(system));
	ck_assert_uint_eq(wrong, 0);
	close_face(system);
}
END_TEST

START_TEST(test_in_order)
{
	het_system *system = open_face(_i);
	struct order order = {0};

	for (int k = 0; k < 1000; k++)
		ok(het_call(system, one_by_one, &order, HET_VAL(k)));
	ok(het_wait_all(system));
	ck_assert_int_eq(order.next, 1000);
	ck_assert_int_eq(order.wrong, 0);
	close_face(system);
}
END_TEST

/* Data that come sooner let a function overtake others, but not those that it has an array in common with. */
START_TEST(test_take_turns)
{
	het_system *system = open_face(_i);
	het_kernel *bump = common_kernel(system, "bump");
	het_array *a[2] = {zero_array(system, 5000), zero_array(system, 5)}, *turn = zero_array(system, 1);
	struct order order = {0};

	for (int k = 0; k < 60; k++) {
		for (int launches = k % 2 ? 1 : 9; launches > 0; launches--)
			ok(het_launch(bump, het_device(system, k % het_device_count(system)),
				      het_grid(1, k % 2 ? 5 : 5000), HET_INOUT(a[k % 2]), HET_VAL(1)));
		ok(het_call(system, one_by_one, &order, HET_VAL(k), HET_IN(a[k % 2]), HET_INOUT(turn)));
	}
	ok(het_wait_all(system));
	ck_assert_int_eq(order.next, 60);
	ck_assert_int_eq(order.wrong, 0);
	close_face(system);
}
END_TEST

/* ---- calls from inside ---- */

struct inside {
	het_system *system;
	het_array *array, *wrapped, *gone; /* freed, but for two maps */
	het_kernel *bump;
	int refused, launched, unmapped, not_mapped;
	char first[200];
};

static void expect_refusal(struct inside *in, het_status status, const char *name)
{
	if (status == HET_ERR_CONTEXT && strstr(het_message(), name) && strstr(het_message(), "callback"))
		in->refused++;
	else if (!in->first[0])
		snprintf(in->first, sizeof in->first, "%s: %d %s", name, (int)status, het_message());
}

static het_status call_back(void *user, int count, const struct het_host_arg *args)
{
	struct inside *in = user;
	void *at;
	int values[64];

	(void)count;
	(void)args;
	expect_refusal(in, het_map(in->array, HET_READ, &at), "het_map");
	expect_refusal(in, het_map_view(het_view(in->array, het_rows(0, 1)), HET_READ, &at), "het_map");
	expect_refusal(in, het_read(het_view(in->array, het_whole()), values), "het_read");
	expect_refusal(in, het_write(het_view(in->array, het_whole()), values), "het_write");
	expect_refusal(in, het_wait(in->array), "het_wait");
	expect_refusal(in, het_wait_all(in->system), "het_wait_all");
	expect_refusal(in, het_array_free(in->wrapped), "het_array_free");
	expect_refusal(in, het_array_discard(in->wrapped), "het_array_discard");
	expect_refusal(in, het_close(in->system), "het_close");
	/* and what does not wait works */
	in->not_mapped = het_unmap(in->gone);
	in->unmapped = het_unmap_view(het_view(in->gone, het_rows(0, 1)));
	expect_refusal(in, het_unmap_view(het_view(in->gone, het_rows(1, 2))), "het_unmap_view");
	in->launched = het_launch(in->bump, first_device(in->system), het_grid(1, 64), HET_INOUT(in->array),
				  HET_VAL(5));
	return HET_OK;
}

START_TEST(test_calls_from_inside)
{
	struct inside in = {.refused = 0};
	int memory[64] = {0}, other[64] = {0};
	void *at;

	in.system = open_face(_i);
	in.array = counting_array(in.system, 64);
	in.bump = common_kernel(in.system, "bump");
	ok(het_kernel_build(in.bump, first_device(in.system)));
	ok(het_array_wrap(in.system, HET_INT, het_shape(1, 64), memory, &in.wrapped));
	ok(het_array_wrap(in.system, HET_INT, het_shape(1, 64), other, &in.gone));
	ok(het_map_view(het_view(in.gone, het_rows(0, 1)), HET_WRITE, &at));
	ok(het_map_view(het_view(in.gone, het_rows(1, 2)), HET_WRITE, &at));
	ok(het_array_free(in.gone));
	ok(het_call(in.system, call_back, &in, HET_VAL(1)));
	ok(het_wait_all(in.system));
	ck_assert_msg(in.refused == 10, "%d refused; %s", in.refused, in.first);
	ck_assert_int_eq(in.not_mapped, HET_ERR_MAPPED);
	ck_assert_int_eq(in.unmapped, HET_OK);
	ok(het_unmap_view(het_view(in.gone, het_rows(1, 2))));
	ck_assert_int_eq(in.launched, HET_OK);
	assert_counts(in.array, 5, 1);
	ok(het_array_free(in.wrapped));
	close_face(in.system);
}
END_TEST

/* ---- memory ---- */

static const char large[100000];

static het_status look_at(void *bytes, int count, const struct het_host_arg *args)
{
	return count == 2 && args[1].bytes == *(size_t *)bytes ? HET_OK : HET_ERR_ARGUMENT;
}

/* Calls many functions before one of them ends; returns how much memory this process has taken then. */
static size_t call_many(het_system *system, het_array *array, size_t bytes)
{
	struct mallinfo2 memory;

	for (int k = 0; k < 100; k++)
		ok(het_call(system, look_at, &bytes, HET_INOUT(array), HET_BYTES(large, bytes)));
	ok(het_wait_all(system));
	memory = mallinfo2(); /* all 0 where a sanitizer sees to memory */
	return memory.uordblks + memory.hblkhd;
}

/* What functions were given is not kept when they have run. */
START_TEST(test_large_values_go)
{
	het_system *system = open_face(_i);
	het_array *array = zero_array(system, 16);
	size_t before;

	call_many(system, array, 8);
	before = call_many(system, array, 8);
	ck_assert_uint_le(call_many(system, array, sizeof large), before + 20 * sizeof large);
	close_face(system);
}
END_TEST

/* ---- what is empty ---- */

static het_status take_a_while(void *done, int count, const struct het_host_arg *args)
{
	(void)count;
	(void)args;
	nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
	atomic_store((atomic_int *)done, 1);
	return HET_OK;
}

/* Who waits for an array waits for those who were given nothing of it, too. */
START_TEST(test_waits_for_empty_parts)
{
	het_system *system = open_face(_i);
	het_array *array = zero_array(system, 16), *empty = zero_array(system, 0);
	atomic_int done;

	atomic_init(&done, 0);
	ok(het_call(system, take_a_while, &done, HET_INOUT_PART(array, het_rows(8, 8))));
	ok(het_wait(array));
	ck_assert_int_eq(atomic_exchange(&done, 0), 1);
	ok(het_call(system, take_a_while, &done, HET_IN(empty)));
	ok(het_wait(empty));
	ck_assert_int_eq(atomic_load(&done), 1);
	close_face(system);
}
END_TEST

/* ---- native functions ---- */

struct fill {
	int value, own_queue, count;
};

static het_status enqueue_fill(void *user, const struct het_native_info *info)
{
	const struct fill *fill = user;
	cl_command_queue queue = info->queue;
	cl_int code = 0;

	if (fill->own_queue)
		queue = clCreateCommandQueue(info->context, info->device, 0, &code);
	if (code)
		return HET_ERR_DEVICE;
	code = clEnqueueFillBuffer(queue, info->buffers[0], &fill->value, sizeof fill->value,
				   info->offset_elements[0] * sizeof(int), (size_t)fill->count * sizeof(int),
				   info->wait_count, info->wait_list, fill->own_queue ? info->event_p : NULL);
	if (fill->own_queue) {
		clFlush(queue);
		clReleaseCommandQueue(queue);
	}
	return code ? HET_ERR_DEVICE : HET_OK;
}

static void run_native(int face, int own_queue)
{
	het_system *system = open_face(face);
	het_kernel *bump = common_kernel(system, "bump");
	het_array *array = zero_array(system, 256);
	struct fill all = {40, own_queue, 256}, some = {70, own_queue, 32};

	ok(het_native(last_device(system), enqueue_fill, &all, HET_OUT(array)));
	ok(het_launch(bump, first_device(system), het_grid(1, 256), HET_INOUT(array), HET_VAL(2)));
	ok(het_native(first_device(system), enqueue_fill, &some, HET_OUT_PART(array, het_rows(64, 96))));
	ok(het_launch(bump, last_device(system), het_grid(1, 256), HET_INOUT(array), HET_VAL(1)));
	ck_assert_int_eq(element(array, 63), 43);
	ck_assert_int_eq(element(array, 64), 71);
	ck_assert_int_eq(element(array, 95), 71);
	ck_assert_int_eq(element(array, 96), 43);
	close_face(system);
}

START_TEST(test_native_on_the_queue)
{
	run_native(_i, 0);
}
END_TEST

START_TEST(test_native_returning_an_event)
{
	run_native(_i, 1);
}
END_TEST

static het_status fail_natively(void *user, const struct het_native_info *info)
{
	*(int *)user += info->count;
	return HET_ERR_FILE;
}

static het_status check_natively(void *user, const struct het_native_info *info)
{
	int *waits = user;

	*waits = het_wait_all(NULL) == HET_ERR_CONTEXT && info->count == 4 && info->buffers[0] &&
		 !info->buffers[1] && !info->buffers[2] && info->offset_elements[3] == 0 && info->buffers[3];
	return HET_OK;
}

START_TEST(test_native_details)
{
	het_system *system = open_face(_i);
	het_array *array = counting_array(system, 64), *other = counting_array(system, 64);
	int called = 0, right = 0;

	ok(het_array_name(array, "tide"));
	ok(het_native(last_device(system), check_natively, &right, HET_IN(array), HET_NULL, HET_VAL(3),
		      HET_IN(het_view(other, het_rows(5, 9)))));
	ok(het_native(last_device(system), fail_natively, &called, HET_OUT_PART(array, het_rows(0, 8))));
	fails(het_wait(array), HET_ERR_LOST, "native function", "that writes tide", "file cannot be read");
	ck_assert_int_eq(called, 1);
	ck_assert_int_eq(right, 1);
	ck_assert_int_eq(element(array, 8), 8);
	assert_counts(other, 0, 1);
	close_face(system);
}
END_TEST

static het_status look_at_pages(void *user, const struct het_native_info *info)
{
	const cl_int code = clGetMemObjectInfo(info->buffers[0], CL_MEM_HOST_PTR, sizeof(void *), user, NULL);

	return code ? HET_ERR_DEVICE : HET_OK;
}

/* PoCL's own buffers are in pages of 4 KiB, so the library brings huge ones, also where memories are apart;
 * and takes them back. */
START_TEST(test_native_pages)
{
	enum { COUNT = 1 << 21 };
	het_system *system = open_face(_i);
	het_device *device = last_device(system);
	struct het_device_info known = HET_DEVICE_INFO_INIT;
	const int bump_at[] = {0, COUNT - 1};
	het_kernel *bump = common_kernel(system, "bump");
	void *pages = NULL;
	int is_pocl;

	ok(het_device_info(device, &known));
	is_pocl = known.type == HET_DEVICE_CPU && strstr(known.platform, "Portable Computing Language");
	for (int i = 0; i < 3; i++) {
		het_array *const array = counting_array(system, COUNT);

		ok(het_native(device, look_at_pages, &pages, HET_INOUT(array)));
		ok(het_wait(array));
		if (is_separate(device))
			ck_assert_int_eq(pages != NULL, is_pocl);
		ok(het_launch(bump, device, het_grid(1, COUNT), HET_INOUT(array), HET_VAL(1)));
		for (int j = 0; j < 2; j++)
			ck_assert_int_eq(element(array, bump_at[j]), bump_at[j] + 1);
		ok(het_launch(bump, device, het_grid(1, COUNT), HET_INOUT(array), HET_VAL(1)));
		ok(het_array_free(array)); /* beneath the launch */
	}
	ok(het_wait_all(system));
	close_face(system);
}
END_TEST

/* The function behind the macro. */
START_TEST(test_native_list)
{
	het_system *system = open_face(_i);
	het_device *device = last_device(system);
	het_array *array = counting_array(system, 8);
	struct het_arg args[] = {het_arg_whole(array, HET_MODE_IN), het_arg_plain(HET_ARG_NULL, NULL, 0)};
	int called = 0;

	fails(het_native_args(NULL, fail_natively, &called, args, 2), HET_ERR_HANDLE, "device");
	fails(het_native_args(device, NULL, &called, args, 2), HET_ERR_ARGUMENT, "NULL");
	fails(het_native_args(device, fail_natively, &called, NULL, 2), HET_ERR_ARGUMENT,
	      "2 arguments at NULL");
	fails(het_native_args(device, fail_natively, &called, args, -1), HET_ERR_ARGUMENT, "-1 arguments");
	args[1] = het_arg_plain(HET_ARG_BYTES, NULL, 4);
	fails(het_native_args(device, fail_natively, &called, args, 2), HET_ERR_ARGUMENT, "argument 1");
	args[1] = het_arg_whole(array, HET_MODE_OUT);
	fails(het_native_args(device, fail_natively, &called, args, 2), HET_ERR_ALIAS, "overlap");
	ok(het_wait_all(system));
	ck_assert_int_eq(called, 0);
	ok(het_native_args(device, fail_natively, &called, &args[1], 1));
	fails(het_wait(array), HET_ERR_LOST, "native function");
	ck_assert_int_eq(called, 1);
	close_face(system);
}
END_TEST

static const struct face_test tests[] = {
	{&test_between_kernels, 1},   {&test_arguments, 1},           {&test_in_order, 1},
	{&test_calls_from_inside, 1}, {&test_native_on_the_queue, 1}, {&test_native_returning_an_event, 1},
	{&test_native_details, 1}, {&test_native_list, 1}, {&test_native_pages, 1},
	{&test_values_are_aligned, 0}, {&test_large_values_go, 1}, {&test_waits_for_empty_parts, 1},
	{&test_take_turns, 1},
};

int main(void)
{
	return run_face_tests("call", sizeof tests / sizeof tests[0], tests);
}
