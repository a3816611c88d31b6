/* test_odd_drivers.c - drivers that behave oddly, by their names or because something fails at a bad moment:
 * fake machines, one for each test. */
#include "face.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include <hetero/opencl.h>

#include "base/alloc.h"
#include "fakes.h"
#include "platforms.h"

enum { N = 256 };

/* The lines of a log that have these words. */
struct count {
	const char *words;
	int lines;
};

static void count_lines(void *user, enum het_log_level level, const char *line)
{
	struct count *count = user;

	(void)level;
	count->lines += strstr(line, count->words) != NULL;
}

/* `fault`, when not NULL, is what fails from then on. */
static het_system *open_failing(const char *machine, const char *fault, int profile, struct count *count)
{
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system;

	ck_assert(het_test_fake_driver(machine));
	if (fault)
		ck_assert_int_eq(control("fail %s -5", fault), 0);
	options.profile = profile;
	options.share = HET_SHARE_OFF;
	options.log = count ? count_lines : NULL;
	options.log_user = count;
	ok(het_open(&options, &system));
	return system;
}

static het_system *open_machine(const char *machine, int profile, struct count *count)
{
	return open_failing(machine, NULL, profile, count);
}

static void close_machine(het_system *system)
{
	close_face(system);
	ck_assert_int_eq(control("alive all"), 0);
}

/* These devices and no other ones. */
static void assert_names(het_system *system, int count, const char *const *names)
{
	ck_assert_int_eq(het_device_count(system), count);
	for (int d = 0; d < count; d++)
		ck_assert_msg(het_device_named(system, names[d]) != NULL, "no %s", names[d]);
}

/* ---- names -------------------------------------------------------------------------------------- */

/* What is known of a driver by its platform's name changes how it is waited for and timed, and no value. */
START_TEST(known_by_name)
{
	static const char *const names[] = {"nvidia:gpu0", "rusticl:cpu0", "fake:accelerator0",
					    "fake-2:accelerator0"};
	static const enum het_device_type types[] = {HET_DEVICE_GPU, HET_DEVICE_CPU, HET_DEVICE_ACCELERATOR,
						     HET_DEVICE_ACCELERATOR};
	het_system *system = open_machine("odd-names", 1, NULL);
	het_kernel *add = common_kernel(system, "add"), *bump = common_kernel(system, "bump");
	het_array *x = counting_array(system, N), *y = zero_array(system, N);

	assert_names(system, 4, names);
	for (int d = 0; d < 4; d++) {
		struct het_device_info info = HET_DEVICE_INFO_INIT;

		ok(het_device_info(het_device(system, d), &info));
		ck_assert_int_eq(info.type, types[d]);
	}
	for (int round = 0; round < 3; round++)
		for (int d = 0; d < 4; d++) {
			ok(het_launch(bump, het_device(system, d), het_grid(1, N), HET_INOUT(x), HET_VAL(1)));
			ok(het_launch(add, het_device(system, (d + 1) % 4), het_grid(1, N), HET_OUT(y),
				      HET_IN(x), HET_VAL(7)));
		}
	assert_counts(y, 12 + 7, 1);
	assert_counts(x, 12, 1);
	for (int d = 0; d < 4; d++) {
		struct het_kernel_times times = HET_KERNEL_TIMES_INIT;

		ok(het_kernel_times(bump, het_device(system, d), &times));
		ck_assert_uint_eq(times.launches, 3);
		ck_assert(times.min_ns > 0 && times.min_ns <= times.max_ns && times.max_ns <= times.total_ns);
	}
	close_machine(system);
}
END_TEST

/* ---- platforms that do not answer --------------------------------------------------------------- */

static const char *const without_first[] = {"rusticl:cpu0", "fake:accelerator0", "fake-2:accelerator0"};

/* A platform whose devices cannot be listed, or described, is left out with a word; the others are there. */
static void leave_out(const char *fault, const char *words)
{
	struct count left_out = {words, 0};
	het_system *system = open_failing("odd-names", fault, 0, &left_out);

	assert_names(system, 3, without_first);
	ck_assert_int_eq(left_out.lines, 1);
	assert_counts(counting_array(system, N), 0, 1);
	close_machine(system);
}

START_TEST(platform_without_an_answer)
{
	leave_out("clGetDeviceIDs 1", "platform 'NVIDIA CUDA (fake)' is left out");
}
END_TEST

/* Whichever property of the first device cannot be asked for, the other devices are there. */
START_TEST(device_without_an_answer)
{
	struct count left_out = {"is left out: ", 0};
	int struck = 0;

	for (int call = 1; call <= 40; call++) {
		char fault[32];
		het_system *system;

		snprintf(fault, sizeof fault, "clGetDeviceInfo %d", call);
		system = open_failing("odd-names", fault, 0, &left_out);
		struck += control("pending") == 0;
		ck_assert_int_eq(control("forget"), 0);
		ck_assert_int_ge(het_device_count(system), 3);
		ck_assert_ptr_nonnull(het_device_named(system, "fake-2:accelerator0"));
		assert_counts(counting_array(system, N), 0, 1);
		close_machine(system);
	}
	ck_assert_int_gt(struck, 0);
	ck_assert_int_ge(left_out.lines, 1);
}
END_TEST

START_TEST(platform_without_a_name)
{
	leave_out("clGetPlatformInfo 1", "a platform without a name is left out");
}
END_TEST

/* ---- failures of commands ----------------------------------------------------------------------- */

/* A writer of x waits for a reader in another queue, which makes y of it. */
struct rivals {
	het_system *system;
	het_array *x, *y;
};

static struct rivals open_rivals(void)
{
	struct rivals r;
	het_kernel *set;

	setenv("FAKECL_SUCCESSORS", "fail", 1);
	r.system = open_machine("one-context", 0, NULL);
	set = common_kernel(r.system, "set");
	r.x = zero_array(r.system, N);
	r.y = zero_array(r.system, N);
	ok(het_launch(set, first_device(r.system), het_grid(1, N), HET_OUT(r.x), HET_VAL(5)));
	ok(het_wait_all(r.system));
	ck_assert_int_eq(control("fail copy 1 -5"), 0);
	ok(het_launch(common_kernel(r.system, "add"), last_device(r.system), het_grid(1, N), HET_OUT(r.y),
		      HET_IN(r.x), HET_VAL(1)));
	ok(het_launch(set, first_device(r.system), het_grid(1, N), HET_OUT(r.x), HET_VAL(6)));
	return r;
}

/* A writer waits for a reader in another queue that fails, and the driver fails the writer for that. It has
 * read nothing of the reader's, but is lost with it: of the reader's cause, not of "the wait list". */
START_TEST(failed_of_another_queue)
{
	const struct rivals r = open_rivals();

	fails(het_wait(r.x), HET_ERR_LOST, "transfer", "CL_OUT_OF_RESOURCES");
	fails(het_wait(r.y), HET_ERR_LOST, "transfer", "CL_OUT_OF_RESOURCES");
	ok(het_launch(common_kernel(r.system, "set"), first_device(r.system), het_grid(1, N), HET_OUT(r.x),
		      HET_VAL(7)));
	assert_counts(r.x, 7, 0);
	close_machine(r.system);
}
END_TEST

/* The same where nobody has looked at the other queue yet: the host asks for the writer's value only. */
START_TEST(failed_of_another_queue_unseen)
{
	const struct rivals r = open_rivals();
	const int *at;

	fails(het_map(r.x, HET_READ, &at), HET_ERR_LOST, "transfer", "CL_OUT_OF_RESOURCES");
	fails(het_wait(r.y), HET_ERR_LOST, "transfer", "CL_OUT_OF_RESOURCES");
	close_machine(r.system);
}
END_TEST

/* A transfer of many commands of which the driver takes only the first: what it was to bring is lost to its
 * reader, and not to the array. */
START_TEST(half_a_transfer)
{
	het_system *system = open_machine("two-gpus", 0, NULL);
	het_kernel *add = common_kernel(system, "add");
	const struct het_box box = het_box(4, 0, 2, 1, 3, 1, 4, 1, 5);
	het_array *x, *y = zero_array(system, N);
	int *at;

	ok(het_array_new(system, HET_INT, het_shape(4, 3, 4, 5, 6), &x));
	ok(het_map(x, HET_WRITE, &at));
	for (int i = 0; i < 3 * 4 * 5 * 6; i++)
		at[i] = i;
	ok(het_unmap(x));
	ck_assert_int_eq(control("fail clEnqueueWriteBufferRect 2 -5"), 0);
	ok(het_launch(add, first_device(system), het_grid(1, 48), HET_OUT_PART(y, het_rows(0, 48)),
		      HET_IN(het_view(x, box)), HET_VAL(1)));
	fails(het_wait(y), HET_ERR_LOST, "clEnqueueWriteBufferRect", "CL_OUT_OF_RESOURCES");
	ok(het_wait_all(system)); /* the half that runs */
	ok(het_launch(add, first_device(system), het_grid(1, 48), HET_OUT_PART(y, het_rows(0, 48)),
		      HET_IN(het_view(x, box)), HET_VAL(1)));
	ck_assert_int_eq(element(y, 0), 1 * 30 + 1 * 6 + 1 + 1);
	ck_assert_int_eq(element(y, 47), 1 * 120 + 2 * 30 + 3 * 6 + 4 + 1);
	close_machine(system);
}
END_TEST

/* The same of a fill: its box is lost, and nothing beside it. */
START_TEST(half_a_fill)
{
	het_system *system = open_machine("two-gpus", 0, NULL);
	het_kernel *set = common_kernel(system, "set");
	const int value = 9;
	het_array *x;
	int left[8];

	ok(het_array_new(system, HET_INT, het_shape(2, 8, 8), &x));
	ok(het_launch(set, first_device(system), het_grid(1, 64), HET_OUT(x), HET_VAL(4)));
	ck_assert_int_eq(control("fail clEnqueueFillBuffer 2 -5"), 0);
	ok(het_fill(het_view(x, het_box(2, 0, 8, 1, 8)), &value));
	fails(het_wait(x), HET_ERR_LOST, "clEnqueueFillBuffer", "CL_OUT_OF_RESOURCES");
	ok(het_read(het_view(x, het_box(2, 0, 8, 0, 1)), left));
	for (int i = 0; i < 8; i++)
		ck_assert_int_eq(left[i], 4);
	ok(het_fill(het_view(x, het_whole()), &value));
	assert_counts(x, 9, 0);
	close_machine(system);
}
END_TEST

/* ---- native functions --------------------------------------------------------------------------- */

/* Fills the first argument; `user` tells whether the fill's event is handed over. */
static het_status fill_natively(void *user, const struct het_native_info *info)
{
	const int value = 3;

	if (clEnqueueFillBuffer(info->queue, info->buffers[0], &value, sizeof value, 0, N * sizeof value,
				info->wait_count, info->wait_list, *(int *)user ? info->event_p : NULL))
		return HET_ERR_DEVICE;
	return HET_OK;
}

/* Commands of a user's function fail: with them what comes after in the queue, or only their own event. */
static void fail_natively(const char *successors, int hands_over)
{
	het_system *system;
	het_array *x;

	setenv("FAKECL_SUCCESSORS", successors, 1);
	system = open_machine("two-gpus", 0, NULL);
	x = counting_array(system, N);
	ok(het_array_name(x, "tide"));
	ck_assert_int_eq(control("fail fill 1 -5"), 0);
	ok(het_native(first_device(system), fill_natively, &hands_over, HET_OUT(x)));
	fails(het_wait(x), HET_ERR_LOST, "a native function that writes tide failed");
	ok(het_native(first_device(system), fill_natively, &hands_over, HET_OUT(x)));
	assert_counts(x, 3, 0);
	close_machine(system);
}

START_TEST(native_queue_fails)
{
	fail_natively("fail", 0);
}
END_TEST

START_TEST(native_event_fails)
{
	fail_natively("run", 1);
}
END_TEST

/* A queue of the program's own, which it never flushes. */
static het_status fill_apart(void *user, const struct het_native_info *info)
{
	cl_command_queue *const queue = user;
	const int value = 3;
	cl_int code;

	*queue = clCreateCommandQueue(info->context, info->device, 0, &code);
	if (!code)
		code = clEnqueueFillBuffer(*queue, info->buffers[0], &value, sizeof value, 0, N * sizeof value,
					   info->wait_count, info->wait_list, info->event_p);
	return code ? HET_ERR_DEVICE : HET_OK;
}

/* Where events are polled, nothing else tells the driver to begin. */
START_TEST(native_queue_unflushed)
{
	het_system *const system = open_machine("odd-names", 0, NULL);
	het_array *const x = counting_array(system, N);
	cl_command_queue queue;

	ok(het_native(first_device(system), fill_apart, &queue, HET_OUT(x)));
	assert_counts(x, 3, 0);
	ck_assert_int_eq(clReleaseCommandQueue(queue), CL_SUCCESS);
	close_machine(system);
}
END_TEST

/* What a native function enqueued is waited for, also where no marker is to be had: until then it uses the
 * array, and the function's word is not all there is. */
START_TEST(native_marker_fails)
{
	het_system *const system = open_machine("two-gpus", 0, NULL);
	het_array *const x = counting_array(system, N);
	int hands_over = 0;
	long fills;

	ok(het_array_name(x, "tide"));
	ok(het_wait_all(system));
	fills = control("count fill");
	ck_assert_int_eq(control("fail clEnqueueMarkerWithWaitList 1 -5"), 0);
	ok(het_native(first_device(system), fill_natively, &hands_over, HET_OUT(x)));
	fails(het_wait(x), HET_ERR_LOST, "clEnqueueMarkerWithWaitList");
	ck_assert_int_eq(control("count fill"), fills + 1);
	ok(het_native(first_device(system), fill_natively, &hands_over, HET_OUT(x)));
	assert_counts(x, 3, 0);
	close_machine(system);
}
END_TEST

/* ---- host memory that is short ------------------------------------------------------------------ */

/* Rows of the caller's array lie on both cards. While the host has no memory it cannot be freed, and nothing is
 * lost: neither where it is freed, nor where it was and its last map ends. `allowed` allocations succeed. False
 * where they are enough. */
static bool free_without_memory(long allowed, bool mapped)
{
	het_system *const system = open_machine("two-gpus", 0, NULL);
	het_kernel *const set = common_kernel(system, "set");
	int memory[16][4] = {{0}};
	het_array *x;
	const int *at;
	het_status st;

	ok(het_array_wrap(system, HET_INT, het_shape(2, 16, 4), memory, &x));
	for (int row = 0; row < 16; row++)
		ok(het_launch(set, het_device(system, row % 2), het_grid(1, 4),
			      HET_OUT(het_view(x, het_rows(row, row + 1))), HET_VAL(row)));
	if (mapped) {
		ok(het_map_view(het_view(x, het_rows(0, 1)), HET_READ, &at));
		ok(het_array_free(x));
	}
	het__alloc_fail_after(allowed, 1);
	st = mapped ? het_unmap_view(het_view(x, het_rows(0, 1))) : het_array_free(x);
	het__alloc_fail_after(-1, 0);
	if (st) {
		ck_assert_msg(st == HET_ERR_MEMORY, "status %d: %s", (int)st, het_message());
		ok(mapped ? het_unmap_view(het_view(x, het_rows(0, 1))) : het_array_free(x));
	}
	for (int i = 0; i < 16 * 4; i++)
		ck_assert_int_eq(memory[i / 4][i % 4], i / 4);
	close_machine(system);
	return st != HET_OK;
}

START_TEST(no_memory_to_write_back)
{
	for (int mapped = 0; mapped < 2; mapped++) {
		long allowed = 0;

		while (free_without_memory(allowed, mapped))
			allowed++;
		ck_assert_int_gt(allowed, 0);
	}
}
END_TEST

/* A host function that begins to read what lies behind itself. */
struct reader {
	atomic_bool word;
	long allowed; /* allocations */
	het_array *array;
	het_status status;
	int got[16][4];
};

static het_status read_inside(void *user, int count, const struct het_host_arg *args)
{
	struct reader *const r = user;

	(void)count;
	(void)args;
	while (!atomic_load(&r->word))
		sched_yield();
	het__alloc_fail_after(r->allowed, 1);
	r->status = het_read_async(het_view(r->array, het_whole()), r->got);
	het__alloc_fail_after(-1, 0);
	return HET_OK;
}

/* False where the allocations were enough. */
static bool read_without_memory(struct reader *r)
{
	het_system *const system = open_machine("two-gpus", 0, NULL);
	het_kernel *const add = common_kernel(system, "add");
	het_array *before;

	ok(het_array_new(system, HET_INT, het_shape(2, 1, 4), &before));
	ok(het_array_new(system, HET_INT, het_shape(2, 16, 4), &r->array));
	atomic_store(&r->word, false);
	ok(het_call(system, read_inside, r, HET_INOUT(before)));
	for (int row = 0; row < 16; row++)
		ok(het_launch(add, het_device(system, row % 2), het_grid(1, 4),
			      HET_OUT(het_view(r->array, het_rows(row, row + 1))), HET_IN(before),
			      HET_VAL(row)));
	atomic_store(&r->word, true);
	ok(het_wait_all(system));
	ck_assert(r->status == HET_OK || r->status == HET_ERR_MEMORY);
	for (int i = 0; i < 16 * 4 && !r->status; i++)
		ck_assert_int_eq(r->got[i / 4][i % 4], i / 4);
	close_machine(system);
	return r->status != HET_OK;
}

/* It does not wait for the pieces that it could begin: they wait for the function. */
START_TEST(no_memory_to_read_inside)
{
	static struct reader reader;

	while (read_without_memory(&reader))
		reader.allowed++;
	ck_assert_int_gt(reader.allowed, 1);
}
END_TEST

/* ---- limits ------------------------------------------------------------------------------------- */

static het_status fail_call(void *user, int count, const struct het_host_arg *args)
{
	(void)user;
	(void)count;
	(void)args;
	return HET_ERR_FILE;
}

/* 64 failures are kept until somebody asks; of the others the log is told. */
START_TEST(more_failures_than_are_kept)
{
	struct count further = {"too many failures to keep", 0};
	het_system *system = open_machine("one-gpu", 0, &further);
	het_array *x = zero_array(system, 70);

	for (int i = 0; i < 70; i++)
		ok(het_call(system, fail_call, NULL, HET_OUT_PART(x, het_rows(i, i + 1))));
	fails(het_wait_all(system), HET_ERR_LOST, "the first of 64 failures");
	ck_assert_int_eq(further.lines, 6);
	for (int i = 1; i < 64; i++)
		fails(het_wait_all(system), HET_ERR_LOST, "a host function that writes array ");
	close_machine(system);
}
END_TEST

/* Work-groups that the device cannot have are refused, with the limit. */
START_TEST(group_too_large)
{
	het_system *system = open_machine("three-platforms", 0, NULL);
	het_device *device = het_device_named(system, "mock:gpu0");
	het_kernel *set = common_kernel(system, "set");
	het_array *x = zero_array(system, N);

	fails(het_launch(set, device, het_local(het_grid(1, N), 128), HET_OUT(x), HET_VAL(1)),
	      HET_ERR_UNSUPPORTED, "128", "64");
	ck_assert_str_eq(het_error_last().device, "mock:gpu0");
	fails(het_launch(set, device, het_local(het_grid(2, 16, 16), 16, 16), HET_OUT(x), HET_VAL(1)),
	      HET_ERR_UNSUPPORTED, "256 work-items", "64");
	ck_assert_str_eq(het_error_last().device, "mock:gpu0");
	ok(het_launch(set, device, het_local(het_grid(1, N), 64), HET_OUT(x), HET_VAL(1)));
	assert_counts(x, 1, 0);
	close_machine(system);
}
END_TEST

/* An array has room for 63 windows besides its home. A prefetch that needs another one waits until the oldest
 * has given way, and loses nothing. */
START_TEST(prefetch_makes_room)
{
	het_system *system = open_machine("two-gpus", 0, NULL);
	het_kernel *set = common_kernel(system, "set");
	const int *at;
	het_array *x;

	ok(het_array_new(system, HET_INT, het_shape(2, 63, 5), &x));
	for (int row = 0; row < 63; row++)
		ok(het_launch(set, first_device(system), het_grid(1, 5),
			      HET_OUT(het_view(x, het_rows(row, row + 1))), HET_VAL(row)));
	ok(het_prefetch(het_view(x, het_whole()), last_device(system)));
	ok(het_map(x, HET_READ, &at));
	for (int i = 0; i < 63 * 5; i++)
		ck_assert_int_eq(at[i], i / 5);
	ok(het_unmap(x));
	close_machine(system);
}
END_TEST

/* A call that uses more windows of one array than it has room for is refused; nothing has happened. */
START_TEST(more_windows_than_fit_one_call)
{
	enum { WINDOWS = 64 };
	het_system *system = open_machine("two-gpus", 0, NULL);
	struct het_arg args[WINDOWS];
	char text[WINDOWS * 32] = "kernel void all(";
	size_t at = strlen(text);
	het_kernel *all;
	het_array *x;

	for (int i = 0; i < WINDOWS; i++)
		at += (size_t)snprintf(text + at, sizeof text - at, "%sglobal int *p%d", i ? ", " : "", i);
	snprintf(text + at, sizeof text - at, ") { p0[0] = 1; p63[0] = 2; }\n");
	ok(het_kernel_from_source(system, text, "all", NULL, &all));
	ok(het_array_new(system, HET_INT, het_shape(2, WINDOWS, 5), &x));
	for (int i = 0; i < WINDOWS; i++)
		args[i] = HET_INOUT(het_view(x, het_rows(i, i + 1)));
	fails(het_launch_args(all, first_device(system), het_grid(1, 1), args, WINDOWS), HET_ERR_MEMORY,
	      "more than 63 windows");
	assert_counts(x, 0, 0);
	close_machine(system);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		known_by_name,
		platform_without_an_answer,
		device_without_an_answer,
		platform_without_a_name,
		failed_of_another_queue,
		failed_of_another_queue_unseen,
		half_a_transfer,
		half_a_fill,
		native_queue_fails,
		native_event_fails,
		native_queue_unflushed,
		native_marker_fails,
		no_memory_to_write_back,
		no_memory_to_read_inside,
		more_failures_than_are_kept,
		group_too_large,
		prefetch_makes_room,
		more_windows_than_fit_one_call,
	};

	return run_fake_tests("odd drivers", (int)(sizeof tests / sizeof tests[0]), tests);
}
