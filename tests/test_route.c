/* test_route.c - ways to move bytes: which is chosen, and what each does, on fake machines.
 *
 * That every one moves the right bytes is for random_programs and test_failing_driver to show.
 */
#include "routing.h"

#include "array/array.h"
#include "base/alloc.h"
#include "store/staging.h"

/* ---- the choice --------------------------------------------------------------------------------- */

START_TEST(test_choice_between_contexts)
{
	open_machine("two-gpus", NULL);
	ok(het_wait(array_on_first()));
	ok(het_prefetch(het_view(array_on_first(), het_whole()), last)); /* both are open now */
	sys->chunk_bytes = 0;
	ck_assert_str_eq(chosen(first, first, 100), "repack");
	ck_assert_str_eq(chosen(NULL, NULL, 100), "repack");
	ck_assert_str_eq(chosen(NULL, last, 100), "staged");
	ck_assert_str_eq(chosen(first, NULL, (size_t)1 << 30), "staged");
	ck_assert_str_eq(chosen(first, last, 100), "staged");
	ck_assert_str_eq(chosen(first, last, HET__CHUNK_BYTES), "staged");
	ck_assert_str_eq(chosen(first, last, HET__CHUNK_BYTES + 1), "chunked");
	ck_assert_str_eq(chosen(first, last, (size_t)1 << 30), "chunked");
	close_machine();
}
END_TEST

START_TEST(test_choice_within_a_context)
{
	open_machine("one-context", NULL);
	ok(het_prefetch(het_view(array_on_first(), het_whole()), last));
	ck_assert_str_eq(chosen(first, last, 100), "copy");
	ck_assert_str_eq(chosen(first, last, (size_t)1 << 30), "copy");
	ck_assert_str_eq(chosen(first, NULL, 100), "staged");
	close_machine();
}
END_TEST

static const struct {
	const char *machine, *route, *staging_mib, *why; /* NULL: it is possible */
} somewhere[] = {
	{"two-gpus", "copy", NULL, "no two devices have a context in common"},
	{"one-context", "copy", NULL, NULL},
	{"one-gpu", "chunked", NULL, "there is only one device"},
	{"two-gpus", "chunked", NULL, NULL},
	{"two-gpus", "pinned", "3", "there is no memory for bytes to pass through"},
	{"two-gpus", "pack", "3", "there is no memory for bytes to pass through"},
	{"two-gpus", "pack", "4", NULL},
	{"one-gpu", "mapped", NULL, NULL},
};
#define SOMEWHERE ((int)(sizeof somewhere / sizeof somewhere[0]))

START_TEST(test_forced_nowhere)
{
	char said[200] = "", wanted[200] = "";
	struct het_options options = HET_OPTIONS_INIT;

	ck_assert(het_test_fake_driver(somewhere[_i].machine));
	setenv("HETERO_ROUTE", somewhere[_i].route, 1);
	if (somewhere[_i].staging_mib)
		setenv("HETERO_STAGING_MIB", somewhere[_i].staging_mib, 1);
	options.log = keep_line;
	options.log_user = said;
	options.log_level = HET_LOG_WARN;
	ok(het_open(&options, &sys));
	if (somewhere[_i].why)
		snprintf(wanted, sizeof wanted,
			 "[route] HETERO_ROUTE=%s is possible nowhere: %s; bytes go as they would without it",
			 somewhere[_i].route, somewhere[_i].why);
	ck_assert_str_eq(said, wanted);
	close_machine();
}
END_TEST

START_TEST(test_forced_where_possible)
{
	open_machine("one-context", "chunked");
	ok(het_prefetch(het_view(array_on_first(), het_whole()), last));
	ck_assert_str_eq(chosen(first, last, 100), "chunked");
	ck_assert_str_eq(chosen(first, NULL, 100), "staged");
	ck_assert_str_eq(chosen(first, first, 100), "repack");
	close_machine();
}
END_TEST

/* Bytes that go by the host's memory are there for whoever else needs them. */
START_TEST(test_many_readers_are_staged_once)
{
	static const char *const routes[] = {"staged", "chunked"};
	het_array *array;

	open_machine("three-cards", routes[_i]);
	sys->chunk_bytes = 0;
	array = array_on_first();
	for (int d = 1; d < het_device_count(sys); d++)
		ok(het_prefetch(het_view(array, het_whole()), het_device(sys, d)));
	ok(het_wait_all(sys));
	assert_flow(first, NULL, routes[_i], 1, BYTES);
	for (int d = 1; d < het_device_count(sys); d++)
		ck_assert_uint_eq(flow_by(0, het_device(sys, d)->memory->index, "staged").bytes +
					  flow_by(0, het_device(sys, d)->memory->index, "chunked").bytes,
				  BYTES);
	close_machine();
}
END_TEST

/* ---- in parts ----------------------------------------------------------------------------------- */

/* The first part is written while a later one is still being read: the reading device stops after two. */
START_TEST(test_parts_overlap)
{
	static const char *const routes[] = {"chunked", "pinned"};
	het_array *array;

	open_machine("two-gpus", routes[_i]);
	array = array_on_first();
	ok(het_prefetch(het_view(array_on_first(), het_whole()), last)); /* all is open and warm */
	ok(het_wait_all(sys));
	const long before = control("count write");
	ck_assert_int_eq(control("order fifo"), 0);
	ck_assert_int_eq(control("stop 0 3"), 0);
	ok(het_prefetch(het_view(array, het_whole()), last));
	while (control("count write") < before + 2) /* the test's time is limited */
		;
	ck_assert_int_eq(control("go 0"), 0);
	assert_counts(array, 1, 1);
	close_machine();
}
END_TEST

/* ---- chunked ------------------------------------------------------------------------------------ */

START_TEST(test_chunks)
{
	het_array *array;

	open_machine("two-gpus", "chunked");
	array = array_on_first();
	ok(het_prefetch(het_view(array, het_whole()), last));
	ck_assert_int_gt(array->value->dir.entries.count, 1);
	ok(het_wait(array));
	ck_assert_int_eq(array->value->dir.entries.count, 1);
	assert_flow(first, NULL, "chunked", PARTS, BYTES);
	assert_flow(NULL, last, "chunked", PARTS, BYTES);
	ok(het_launch(common_kernel(sys, "bump"), last, het_grid(1, N), HET_INOUT(array), HET_VAL(1)));
	assert_counts(array, 2, 1);
	close_machine();
}
END_TEST

/* A part that fails costs this part: it is fetched again, and only it. */
START_TEST(test_chunk_fails)
{
	het_array *array;

	open_machine("two-gpus", "chunked");
	array = array_on_first();
	ck_assert_int_eq(control("fail read 3 -5"), 0);
	ok(het_prefetch(het_view(array, het_whole()), last));
	fails(het_wait_all(sys), HET_ERR_LOST, "by route chunked");
	const uint64_t before = stats_of(sys).transfer_bytes;
	ok(het_launch(common_kernel(sys, "bump"), last, het_grid(1, N), HET_INOUT(array), HET_VAL(1)));
	ck_assert_uint_eq(stats_of(sys).transfer_bytes - before, 2 * BYTES / PARTS);
	assert_counts(array, 2, 1);
	close_machine();
}
END_TEST

/* ---- pinned ------------------------------------------------------------------------------------- */

/* In parts, and past the home: it does not get the bytes of the other device's. */
START_TEST(test_pinned)
{
	het_array *array;

	open_machine("two-gpus", "pinned");
	array = array_on_first();
	assert_flow(NULL, first, "pinned", 1, BYTES);
	const long reads = control("count read"), writes = control("count write");
	ok(het_launch(common_kernel(sys, "bump"), last, het_grid(1, N), HET_INOUT(array), HET_VAL(1)));
	assert_flow(first, last, "pinned", 1, BYTES);
	assert_flow(first, NULL, "pinned", 0, 0);
	assert_counts(array, 2, 1);
	assert_flow(last, NULL, "pinned", 1, BYTES);
	ok(het_wait_all(sys));
	ck_assert_int_eq(control("count read") - reads, 2 * PARTS);
	ck_assert_int_eq(control("count write") - writes, PARTS);
	close_machine();
}
END_TEST

/* Buffers that lie idle are not given out beyond the depth. */
START_TEST(test_pinned_depth)
{
	het_array *array;
	long reads;

	open_machine("two-gpus", "pinned");
	ok(het_prefetch(het_view(array_on_first(), het_whole()), last)); /* there are buffers now */
	array = array_on_first();
	ok(het_wait_all(sys));
	sys->depth = 1;
	ck_assert_int_eq(control("stop 1 1"), 0);
	reads = control("count read");
	ok(het_prefetch(het_view(array, het_whole()), last));
	ck_assert_int_le(control("count read") - reads, 1);
	ck_assert_int_eq(control("go 1"), 0);
	ok(het_wait_all(sys));
	ck_assert_int_eq(control("count read") - reads, PARTS);
	assert_counts(array, 1, 1);
	close_machine();
}
END_TEST

/* The memory is capped: who comes next waits, and the last of a buffer's lane may be somebody else's. */
START_TEST(test_pinned_is_capped)
{
	het_array *array[4];

	open_machine("two-gpus", "pinned");
	ck_assert_uint_eq(stats_of(sys).staging_bytes, 0);
	const size_t most = (size_t)(_i + 1) * HET__STAGING_BYTES;
	sys->staging_bytes = most + 1;
	for (int i = 0; i < 4; i++) {
		array[i] = array_on_first();
		ok(het_prefetch(het_view(array[i], het_whole()), last));
		ck_assert_uint_le(stats_of(sys).staging_bytes, most);
	}
	ck_assert_uint_gt(stats_of(sys).staging_bytes, 0);
	for (int i = 0; i < 4; i++) {
		ok(het_launch(common_kernel(sys, "bump"), last, het_grid(1, N), HET_INOUT(array[i]),
			      HET_VAL(1)));
		assert_counts(array[i], 2, 1);
	}
	ck_assert_uint_le(stats_of(sys).staging_bytes, most);
	close_machine();
}
END_TEST

START_TEST(test_no_pinned_memory_allowed)
{
	setenv("HETERO_STAGING_MIB", "3", 1);
	open_machine("two-gpus", "pinned");
	ok(het_prefetch(het_view(array_on_first(), het_whole()), last));
	ck_assert_str_eq(chosen(first, last, 100), "staged");
	ck_assert_uint_eq(stats_of(sys).staging_bytes, 0);
	close_machine();
}
END_TEST

/* Whichever allocation fails: what was not made is not missed when the system is closed. */
START_TEST(test_no_memory_on_the_way)
{
	long failed = 0, asked;
	het_array *array;

	do {
		open_machine("two-gpus", "pinned");
		array = counting_array(sys, N);
		ok(het_wait_all(sys));
		(void)het__alloc_fail_after(failed, 0);
		(void)het_prefetch(het_view(array, het_whole()), last);
		asked = het__alloc_fail_after(-1, 0);
		(void)het_wait_all(sys);
		close_machine();
	} while (asked > failed++);
	ck_assert_int_gt(failed, 3);
}
END_TEST

/* What is no number is said, and changes nothing. */
START_TEST(test_no_number_of_mib)
{
	char said[200] = "";
	struct het_options options = HET_OPTIONS_INIT;
	size_t usual;

	open_machine("two-gpus", NULL);
	usual = sys->staging_bytes;
	ck_assert_uint_ge(usual, HET__STAGING_BYTES);
	close_machine();
	setenv("HETERO_STAGING_MIB", "4 MiB", 1);
	options.log = keep_line;
	options.log_user = said;
	options.log_level = HET_LOG_WARN;
	ok(het_open(&options, &sys));
	ck_assert_msg(strstr(said, "HETERO_STAGING_MIB is '4 MiB', which is no whole number of MiB: "), "%s",
		      said);
	ck_assert_uint_eq(sys->staging_bytes, usual);
	close_machine();
	setenv("HETERO_STAGING_MIB", "5", 1);
	open_machine("two-gpus", NULL);
	ck_assert_uint_eq(sys->staging_bytes, (size_t)5 << 20);
	close_machine();
}
END_TEST

/* Parts of four bytes, as a calibration may want them, would be more than anybody has patience for. */
START_TEST(test_parts_are_not_countless)
{
	const struct het__route *const pinned = het__route_named("pinned");
	struct het__hop hop;

	open_machine("two-gpus", "pinned");
	ok(het_prefetch(het_view(array_on_first(), het_whole()), last));
	hop = (struct het__hop){first->memory, last->memory, (size_t)64 << 20, false};
	sys->chunk_bytes = 4;
	ck_assert_uint_ge(het__route_chunk_bytes(&hop, pinned), hop.bytes / HET__PARTS_MOST);
	hop.bytes = 4000;
	ck_assert_uint_eq(het__route_chunk_bytes(&hop, pinned), 4);
	sys->chunk_bytes = (size_t)1 << 20;
	hop.bytes = (size_t)64 << 20;
	ck_assert_uint_eq(het__route_chunk_bytes(&hop, pinned), (size_t)1 << 20);
	close_machine();
}
END_TEST

/* Where the driver pins none plain memory does. */
START_TEST(test_pinned_without)
{
	het_array *array;

	open_machine("two-gpus", "pinned");
	ck_assert_int_eq(control("fail clEnqueueMapBuffer 1 -6"), 0);
	array = array_on_first();
	assert_flow(NULL, first, "pinned", 1, BYTES);
	ck_assert_uint_ge(stats_of(sys).staging_bytes, HET__STAGING_BYTES);
	ok(het_launch(common_kernel(sys, "bump"), last, het_grid(1, N), HET_INOUT(array), HET_VAL(1)));
	assert_counts(array, 2, 1);
	close_machine();
}
END_TEST

/* A part that fails fails the whole, whichever half of its way it was on; it is fetched again. */
START_TEST(test_pinned_fails)
{
	static const char *const culprits[] = {"read", "write"};
	het_array *array;

	open_machine("two-gpus", "pinned");
	array = array_on_first();
	ok(het_wait_all(sys));
	ck_assert_int_eq(control("fail %s 3 -5", culprits[_i]), 0);
	ok(het_prefetch(het_view(array, het_whole()), last));
	fails(het_wait_all(sys), HET_ERR_LOST, "by route pinned");
	ok(het_launch(common_kernel(sys, "bump"), last, het_grid(1, N), HET_INOUT(array), HET_VAL(1)));
	assert_counts(array, 2, 1);
	close_machine();
}
END_TEST

/* What makes room is unmapped behind a kernel that fails, on a driver that fails all that is behind: this is
 * over when the failure is reported, and what comes afterwards is none of it. */
START_TEST(test_pinned_gives_up_a_buffer)
{
	het_array *lost, *array;

	open_machine("two-gpus", "pinned");
	sys->staging_bytes = HET__STAGING_BYTES;
	lost = array_on_first();
	array = counting_array(sys, N);
	ck_assert_int_eq(control("successors fail"), 0);
	ck_assert_int_eq(control("fail ndrange 1 -5"), 0);
	ok(het_launch(common_kernel(sys, "bump"), first, het_grid(1, N), HET_INOUT(lost), HET_VAL(1)));
	ok(het_prefetch(het_view(array, het_whole()), last));
	fails(het_wait_all(sys), HET_ERR_LOST, "kernel bump");
	ck_assert_uint_eq(stats_of(sys).staging_bytes, HET__STAGING_BYTES);
	ok(het_launch(common_kernel(sys, "bump"), first, het_grid(1, N), HET_INOUT(array), HET_VAL(1)));
	ok(het_wait_all(sys));
	assert_counts(array, 1, 1);
	close_machine();
}
END_TEST

/* A buffer that could not be mapped is given to nobody any more, and its lane tries no other one. */
START_TEST(test_pinned_cannot_be_mapped)
{
	het_array *array;
	long mems;

	open_machine("two-gpus", "pinned");
	sys->staging_bytes = HET__STAGING_BYTES;
	array = counting_array(sys, N);
	ck_assert_int_eq(control("successors fail"), 0);
	ck_assert_int_eq(control("fail map 1 -5"), 0);
	ok(het_prefetch(het_view(array, het_whole()), first));
	fails(het_wait_all(sys), HET_ERR_LOST, "map of pinned memory");
	for (int i = 0; i < 2; i++) {
		ok(het_prefetch(het_view(array, het_whole()), i == 0 ? first : last));
		ok(het_wait_all(sys));
	}
	assert_counts(array, 0, 1);
	mems = control("alive cl_mem");
	for (int i = 0; i < 3; i++) {
		ok(het_launch(common_kernel(sys, "bump"), first, het_grid(1, N), HET_INOUT(array), HET_VAL(1)));
		ck_assert_int_eq(control("fail map 1 -5"), 0);
		assert_counts(array, i + 1, 1);
		ck_assert_int_le(control("alive cl_mem"), mems);
	}
	close_machine();
}
END_TEST

/* ---- mapped ------------------------------------------------------------------------------------- */

START_TEST(test_mapped_between_contexts)
{
	het_array *array;

	open_machine("two-gpus", "mapped");
	array = array_on_first();
	assert_flow(NULL, first, "mapped", 1, BYTES);
	ok(het_launch(common_kernel(sys, "bump"), last, het_grid(1, N), HET_INOUT(array), HET_VAL(1)));
	assert_flow(first, last, "mapped", 1, BYTES);
	assert_counts(array, 2, 1);
	assert_flow(last, NULL, "mapped", 1, BYTES);
	ok(het_wait_all(sys));
	ck_assert_int_eq(control("count map"), 3);
	ck_assert_int_eq(control("count unmap"), 3);
	close_machine();
}
END_TEST

/* A driver that nobody knows maps a buffer once at a time. */
START_TEST(test_mapped_once)
{
	het_array *array;

	open_machine("two-gpus", "mapped");
	array = array_on_first();
	ok(het_prefetch(het_view(array_on_first(), het_whole()), last)); /* all is open */
	ok(het_wait_all(sys));
	const long maps = control("count clEnqueueMapBuffer");
	const long unmaps = control("count clEnqueueUnmapMemObject");
	ck_assert_int_eq(control("stop 1 1"), 0);
	ok(het_prefetch(het_view(array, het_rows(0, N / 2)), last));
	ok(het_prefetch(het_view(array, het_rows(N / 2, N)), last));
	ck_assert_int_eq(control("count clEnqueueMapBuffer") - maps, 1);
	ck_assert_int_eq(control("count clEnqueueUnmapMemObject") - unmaps, 0);
	ck_assert_int_eq(control("go 1"), 0);
	assert_counts(array, 1, 1);
	ck_assert_int_ge(control("count clEnqueueMapBuffer") - maps, 2);
	close_machine();
}
END_TEST

/* In one context the source's queue does not hear of what the target's fails of. */
START_TEST(test_mapped_fails_alone)
{
	het_array *array, *other;

	open_machine("one-context", "mapped");
	ck_assert_int_eq(control("successors fail"), 0);
	array = array_on_first();
	ok(het_array_new(sys, HET_INT, het_shape(1, N), &other));
	ok(het_fill(het_view(other, het_whole()), &(int){5}));
	ok(het_prefetch(het_view(other, het_whole()), first));
	ok(het_wait_all(sys));
	ck_assert_int_eq(control("fail write 1 -5"), 0);
	ok(het_prefetch(het_view(array, het_whole()), last));
	ok(het_launch(common_kernel(sys, "bump"), first, het_grid(1, N), HET_INOUT(other), HET_VAL(1)));
	assert_counts(other, 6, 0);
	fails(het_wait_all(sys), HET_ERR_LOST, "by route mapped");
	assert_counts(array, 1, 1);
	close_machine();
}
END_TEST

/* Of a box that is no range the range around it is mapped to be read; to be written it is staged. */
START_TEST(test_mapped_columns)
{
	int values[N], columns[N / 2];
	het_array *array;

	open_machine("two-gpus", "mapped");
	for (int i = 0; i < N; i++)
		values[i] = i;
	ok(het_array_wrap(sys, HET_INT, het_shape(2, 32, 32), values, &array));
	ok(het_prefetch(het_view(array, het_box(2, 0, 32, 8, 24)), first));
	assert_flow(NULL, first, "staged", 1, BYTES / 2);
	ok(het_launch(common_kernel(sys, "bump"), first, het_grid(1, N), HET_INOUT(array), HET_VAL(1)));
	ok(het_read(het_view(array, het_box(2, 0, 32, 8, 24)), columns));
	assert_flow(first, NULL, "mapped", 1, BYTES / 2);
	for (int i = 0; i < N / 2; i++)
		ck_assert_int_eq(columns[i], i / 16 * 32 + 8 + i % 16 + 1);
	ok(het_array_free(array));
	for (int i = 0; i < N; i++)
		ck_assert_int_eq(values[i], i + 1);
	close_machine();
}
END_TEST

/* Whatever fails between map and unmap, the buffer is unmapped: it can be freed, and used again. */
START_TEST(test_mapped_and_failed)
{
	static const char *const culprits[] = {"map", "write", "clEnqueueMapBuffer", "clEnqueueWriteBuffer"};
	het_array *array;

	open_machine("two-gpus", "mapped");
	ck_assert_int_eq(control("successors %s", _i % 2 ? "run" : "fail"), 0);
	array = array_on_first();
	ck_assert_int_eq(control("fail %s 1 -5", culprits[_i / 2]), 0);
	(void)het_prefetch(het_view(array, het_whole()), last);
	(void)het_wait_all(sys);
	ck_assert_int_eq(control("pending"), 0);
	ok(het_launch(common_kernel(sys, "bump"), last, het_grid(1, N), HET_INOUT(array), HET_VAL(1)));
	assert_counts(array, 2, 1);
	ok(het_wait_all(sys));
	ck_assert_int_eq(control("count clEnqueueUnmapMemObject") + (_i / 2 == 2),
			 control("count clEnqueueMapBuffer"));
	close_machine();
}
END_TEST

/* Part of the bytes has been on its way to where a former copy was, from a store to which nothing was written:
 * the former copy is none any more. */
START_TEST(test_given_up_half_way)
{
	het_kernel *count;
	het_array *array, *seen;

	open_machine("one-context", "pinned");
	count = text_kernel(sys, "kernel void count(global int *y) { y[get_global_id(0)] = get_global_id(0); }",
			    "count");
	array = counting_array(sys, N);
	seen = zero_array(sys, N);
	ok(het_prefetch(het_view(array, het_whole()), last));
	ok(het_wait_all(sys));
	ck_assert_int_eq(control("fail ndrange 1 -5"), 0);
	ok(het_launch(count, first, het_grid(1, N), HET_OUT(array))); /* what it was, if it did not fail */
	ck_assert_int_eq(control("fail clEnqueueReadBuffer 2 -5"), 0);
	fails(het_prefetch(het_view(array, het_whole()), last), HET_ERR_DEVICE, "het_prefetch");
	ok(het_unmodified(het_view(array, het_whole())));
	fails(het_wait_all(sys), HET_ERR_LOST, "count");
	ok(het_launch(common_kernel(sys, "add"), last, het_grid(1, N), HET_OUT(seen), HET_IN(array),
		      HET_VAL(0)));
	assert_counts(seen, 0, 1);
	close_machine();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {test_choice_between_contexts,
				      test_choice_within_a_context,
				      test_forced_where_possible,
				      test_chunks,
				      test_chunk_fails,
				      test_pinned,
				      test_pinned_depth,
				      test_no_pinned_memory_allowed, test_no_memory_on_the_way,
				      test_pinned_without,
				      test_pinned_gives_up_a_buffer,
				      test_pinned_cannot_be_mapped,
				      test_no_number_of_mib,
				      test_parts_are_not_countless,
				      test_mapped_between_contexts,
				      test_mapped_once,
				      test_mapped_fails_alone,
				      test_mapped_columns,
				      test_given_up_half_way};
	int status;

	setenv("HETERO_CACHE", het_test_subfolder("cache"), 1);
	status = run_fake_tests("routes", sizeof tests / sizeof tests[0], tests);
	if (!status)
		status = run_fake_loop("forced nowhere", test_forced_nowhere, SOMEWHERE, 60);
	if (!status)
		status = run_fake_loop("many readers", test_many_readers_are_staged_once, 2, 60);
	if (!status)
		status = run_fake_loop("parts that overlap", test_parts_overlap, 2, 60);
	if (!status)
		status = run_fake_loop("capped staging memory", test_pinned_is_capped, 4, 60);
	if (!status)
		status = run_fake_loop("parts that fail", test_pinned_fails, 2, 60);
	return status ? status : run_fake_loop("maps that fail", test_mapped_and_failed, 8, 60);
}
