/* test_cl.c - what devices say, buffers, transfers and fills, on every device of every platform. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "platforms.h"
#include "random.h"
#include "seats.h"
#include "suite.h"

static size_t random_below(size_t limit)
{
	return (size_t)(random_next() % limit);
}

/* ---- what devices say -------------------------------------------------------------------------- */

static void check_facts(struct seat *seat)
{
	char *text;

	ck_assert_uint_ne(seat->facts.type, 0);
	ck_assert_uint_ge(seat->facts.compute_units, 1);
	ck_assert_uint_ge(seat->facts.max_work_group, 1);
	ck_assert_uint_ge(seat->facts.max_items[0], 1);
	ck_assert_uint_ge(seat->facts.base_align_bits, 8);
	ck_assert(seat->facts.memory_bytes >= seat->facts.max_alloc_bytes && seat->facts.max_alloc_bytes > 0);
	ck_assert(seat->facts.available && seat->facts.compiler);
	ok(het__cl_device_text(seat->id, CL_DEVICE_NAME, &text));
	ck_assert(text[0] != '\0' && text[0] != ' ' && text[strlen(text) - 1] != ' ');
	het__free(text);
	ck_assert_int_eq(het__cl_device_text(seat->id, 0x7fff, &text), HET_ERR_DEVICE);
	ck_assert_str_eq(het_error_last().cl_call, "clGetDeviceInfo");
	ck_assert_int_eq(het_error_last().cl_code, CL_INVALID_VALUE);
}

START_TEST(test_query__facts)
{
	everywhere(check_facts);
}
END_TEST

static void check_cut(struct seat *seat)
{
	const cl_uint units = seat->facts.compute_units;
	cl_device_id *parts;
	cl_uint count;
	het_status status = het__cl_device_cut(seat->id, 1, seat->name, &parts, &count);

	if (!seat->facts.can_part_equally || seat->facts.max_parts < 2) {
		ck_assert_int_eq(status, HET_ERR_UNSUPPORTED);
		ck_assert_ptr_nonnull(strstr(het_message(), seat->name));
		return;
	}
	ok(status);
	ck_assert_uint_eq(count, units);
	for (cl_uint i = 0; i < count; i++) {
		struct het__cl_device_facts facts;
		ok(het__cl_device_facts(parts[i], &facts));
		ck_assert_uint_eq(facts.compute_units, 1);
		het__cl_device_release(parts[i]);
	}
	het__free(parts);
	ck_assert_int_eq(het__cl_device_cut(seat->id, 0, seat->name, &parts, &count), HET_ERR_UNSUPPORTED);
	ck_assert_int_eq(het__cl_device_cut(seat->id, units + 1, seat->name, &parts, &count),
	                 HET_ERR_UNSUPPORTED);
}

START_TEST(test_query__cut)
{
	everywhere(check_cut);
}
END_TEST

/* ---- contexts and queues ----------------------------------------------------------------------- */

static void check_context(struct seat *seat)
{
	struct het__queue queue = {.cl = NULL};
	cl_context context = NULL;

	ck_assert_int_eq(het__cl_context_create(seat->platform, 0, NULL, seat->name, &context), HET_ERR_DEVICE);
	ck_assert_str_eq(het_error_last().cl_call, "clCreateContext");
	ck_assert_str_eq(het_error_last().device, seat->name);
	ck_assert_ptr_null(context);
	ck_assert_int_eq(het__cl_queue_create(seat->context, NULL, seat->name, false, &queue), HET_ERR_DEVICE);
	ck_assert_ptr_null(queue.cl);
	ok(het__cl_queue_create(seat->context, seat->id, seat->name, false, &queue));
	ok(het__cl_flush(&queue));
	ok(het__cl_finish(&queue));
	het__cl_queue_release(&queue);
	het__cl_context_release(NULL);
}

START_TEST(test_context)
{
	everywhere(check_context);
}
END_TEST

/* ---- buffers ----------------------------------------------------------------------------------- */

static void check_buffers(struct seat *seat)
{
	const size_t align = seat->facts.base_align_bits / 8;
	unsigned char *const host = het__alloc_aligned(4096, 8 * align);
	unsigned char *const back = het__alloc_zeroed(8 * align, 1);
	cl_mem mem = NULL, part = NULL;

	for (size_t i = 0; i < 8 * align; i++)
		host[i] = (unsigned char)random_next();
	ok(het__cl_buffer_wrap(seat->context, host, 8 * align, seat->name, &mem));
	get(seat, mem, back, 8 * align);
	ck_assert_mem_eq(back, host, 8 * align);
	ok(het__cl_buffer_part(mem, 2 * align, 3 * align, seat->name, &part));
	get(seat, part, back, 3 * align);
	ck_assert_mem_eq(back, host + 2 * align, 3 * align);
	het__cl_buffer_release(part);
	het__cl_buffer_release(mem);
	het__cl_buffer_release(NULL);
	het__free(back);
	het__free_aligned(host);
}

START_TEST(test_buffer__wrap_and_part)
{
	everywhere(check_buffers);
}
END_TEST

static void check_buffer_errors(struct seat *seat)
{
	cl_mem mem = NULL, part = NULL;

	ck_assert_int_eq(het__cl_buffer_create(seat->context, 0, seat->name, &mem), HET_ERR_DEVICE_MEMORY);
	ck_assert_int_eq(het_error_last().cl_code, CL_INVALID_BUFFER_SIZE);
	ck_assert_int_eq(het__cl_buffer_create(seat->context, (size_t)1 << 46, seat->name, &mem),
	                 HET_ERR_DEVICE_MEMORY);
	ck_assert_str_eq(het_error_last().device, seat->name);
	ck_assert_ptr_null(mem);
	ok(het__cl_buffer_create(seat->context, 4096, seat->name, &mem));
	ck_assert_int_ne(het__cl_buffer_part(mem, 4096, 4096, seat->name, &part), HET_OK);
	ck_assert_str_eq(het_error_last().cl_call, "clCreateSubBuffer");
	ck_assert_ptr_null(part);
	het__cl_buffer_release(mem);
}

START_TEST(test_buffer__errors)
{
	everywhere(check_buffer_errors);
}
END_TEST

/* ---- transfers by plan ------------------------------------------------------------------------- */

#define SIDE_BYTES 6000

/* A plan of `dims` repeated dimensions that fits; rows may straddle the pitch they are counted in. */
static struct het__plan random_plan(int dims)
{
	struct het__plan plan = {.dims = dims, .bytes = 1 + random_below(24)};
	size_t a = plan.bytes + random_below(9), b = plan.bytes + random_below(9);

	plan.total_bytes = plan.bytes;
	for (int d = dims - 1; d >= 0; d--) {
		plan.count[d] = 1 + random_below(6);
		plan.a_pitch[d] = a;
		plan.b_pitch[d] = b;
		a *= plan.count[d] + random_below(3);
		b *= plan.count[d] + random_below(3);
		plan.total_bytes *= plan.count[d];
	}
	plan.a_offset = random_below(1000);
	plan.b_offset = random_below(1000);
	return plan;
}

static void random_bytes(unsigned char *bytes)
{
	for (size_t i = 0; i < SIDE_BYTES; i++)
		bytes[i] = (unsigned char)random_next();
}

enum { READ, WRITE, COPY };

/* Does the same to a model in host memory and compares all bytes of the target, those between the runs
 * included. */
static void check_plan(struct seat *seat, int kind, const struct het__plan *plan, cl_mem source, cl_mem target)
{
	static unsigned char a[SIDE_BYTES], b[SIDE_BYTES], model[SIDE_BYTES];
	cl_event event;

	random_bytes(a);
	random_bytes(b);
	memcpy(model, b, sizeof b);
	het__plan_run(plan, a, model);
	if (kind != WRITE)
		put(seat, source, a, sizeof a);
	if (kind != READ)
		put(seat, target, b, sizeof b);
	if (kind == READ)
		ok(het__cl_read(&seat->queue, source, b, plan, nothing, &event));
	else if (kind == WRITE)
		ok(het__cl_write(&seat->queue, a, target, plan, nothing, &event));
	else
		ok(het__cl_copy(&seat->queue, source, target, plan, nothing, &event));
	finish(seat, event);
	if (kind != READ)
		get(seat, target, b, sizeof b);
	ck_assert_msg(memcmp(b, model, sizeof b) == 0, "%s, kind %d, %d dimensions", seat->name, kind,
	              plan->dims);
}

static void check_transfers(struct seat *seat)
{
	cl_mem source, target;

	ok(het__cl_buffer_create(seat->context, SIDE_BYTES, seat->name, &source));
	ok(het__cl_buffer_create(seat->context, SIDE_BYTES, seat->name, &target));
	for (int i = 0; i < 90; i++) {
		struct het__plan plan = random_plan(i / 3 % 3);

		while (!het__cl_plan_fits(&plan)) /* a row that crosses the end of its pitch */
			plan = random_plan(i / 3 % 3);
		check_plan(seat, i % 3, &plan, source, target);
	}
	het__cl_buffer_release(target);
	het__cl_buffer_release(source);
}

START_TEST(test_transfer__random_plans)
{
	random_start("test_cl");
	everywhere(check_transfers);
}
END_TEST

/* Boxes of arrays, planned as the library does it; of rank 4, so that some plans are cut in slices. */
static void check_boxes(struct seat *seat)
{
	const struct het__box window = {.hi = {5, 6, 7, 8}};
	struct het__layout layout;
	cl_mem mem;

	het__layout_dense(4, &window, 2, &layout);
	ok(het__cl_buffer_create(seat->context, SIDE_BYTES, seat->name, &mem));
	for (int i = 0; i < 20; i++) {
		struct het__box box;
		struct het__plan plan, slice;

		for (int d = 0; d < 4; d++) {
			box.lo[d] = (int64_t)random_below((size_t)window.hi[d]);
			box.hi[d] = box.lo[d] + 1 + (int64_t)random_below((size_t)(window.hi[d] - box.lo[d]));
		}
		het__plan_copy(4, 2, &layout, &box, &layout, box.lo, &plan);
		for (size_t s = 0; s < het__plan_slices(&plan, 2); s++) {
			het__plan_slice(&plan, 2, s, &slice);
			check_plan(seat, i % 2 ? READ : WRITE, &slice, mem, mem);
		}
	}
	het__cl_buffer_release(mem);
}

START_TEST(test_transfer__boxes)
{
	random_start("test_cl");
	everywhere(check_boxes);
}
END_TEST

static void check_empty_plan(struct seat *seat)
{
	const struct het__plan empty = {.dims = 0};
	unsigned char byte = 7;
	cl_event event;
	cl_mem mem;

	ok(het__cl_buffer_create(seat->context, 64, seat->name, &mem));
	ok(het__cl_read(&seat->queue, mem, &byte, &empty, nothing, &event));
	finish(seat, event);
	ok(het__cl_write(&seat->queue, &byte, mem, &empty, nothing, NULL));
	ok(het__cl_copy(&seat->queue, mem, mem, &empty, nothing, NULL));
	ck_assert_uint_eq(byte, 7);
	het__cl_buffer_release(mem);
}

START_TEST(test_transfer__empty)
{
	everywhere(check_empty_plan);
}
END_TEST

static struct het__plan plan_2d(size_t bytes, size_t slices, size_t rows, size_t slice_pitch, size_t row_pitch)
{
	return (struct het__plan){.dims = 2,
	                          .bytes = bytes,
	                          .total_bytes = bytes * slices * rows,
	                          .count = {slices, rows},
	                          .a_pitch = {slice_pitch, row_pitch},
	                          .b_pitch = {rows * bytes, bytes}};
}

START_TEST(test_transfer__fits)
{
	struct het__plan plan = plan_2d(4, 3, 5, 60, 12);

	ck_assert(het__cl_plan_fits(&plan));
	plan = plan_2d(4, 3, 5, 62, 12); /* slices not a whole number of rows apart */
	ck_assert(!het__cl_plan_fits(&plan));
	plan = plan_2d(4, 3, 5, 48, 12); /* slices overlap */
	ck_assert(!het__cl_plan_fits(&plan));
	plan = plan_2d(4, 3, 5, 60, 3); /* rows overlap */
	ck_assert(!het__cl_plan_fits(&plan));
	plan = plan_2d(4, 3, 5, 60, 0);
	ck_assert(!het__cl_plan_fits(&plan));
	plan = plan_2d(4, 3, 5, 4, 100); /* slices inside rows: a permuted layout */
	ck_assert(!het__cl_plan_fits(&plan));
	plan = plan_2d(4, 3, 5, 60, 12);
	plan.b_pitch[0] = 21;
	ck_assert(!het__cl_plan_fits(&plan));
	plan.dims = 3;
	ck_assert(!het__cl_plan_fits(&plan));
}
END_TEST

static void check_refusals(struct seat *seat)
{
	const struct het__plan unfit = plan_2d(4, 3, 5, 62, 12);
	const struct het__plan outside = run_of(1 << 20, 0, 64);
	unsigned char bytes[256] = {0};
	cl_event event = NULL;
	cl_mem mem;

	ok(het__cl_buffer_create(seat->context, 256, seat->name, &mem));
	ck_assert_int_eq(het__cl_read(&seat->queue, mem, bytes, &unfit, nothing, &event), HET_ERR_UNSUPPORTED);
	ck_assert_int_eq(het__cl_write(&seat->queue, bytes, mem, &unfit, nothing, &event), HET_ERR_UNSUPPORTED);
	ck_assert_int_eq(het__cl_copy(&seat->queue, mem, mem, &unfit, nothing, &event), HET_ERR_UNSUPPORTED);
	ck_assert_int_eq(het__cl_read(&seat->queue, mem, bytes, &outside, nothing, &event), HET_ERR_DEVICE);
	ck_assert_str_eq(het_error_last().cl_call, "clEnqueueReadBuffer");
	ck_assert_ptr_null(event);
	het__cl_buffer_release(mem);
}

START_TEST(test_transfer__refusals)
{
	everywhere(check_refusals);
}
END_TEST

/* ---- fill -------------------------------------------------------------------------------------- */

static void check_fill(struct seat *seat)
{
	unsigned char pattern[16], model[512], back[512];
	cl_event event;
	cl_mem mem;

	ok(het__cl_buffer_create(seat->context, sizeof model, seat->name, &mem));
	for (size_t size = 1; size <= sizeof pattern; size *= 2) {
		const size_t offset = size * random_below(8), count = 1 + random_below(20);
		memset(model, 0xee, sizeof model);
		put(seat, mem, model, sizeof model);
		for (size_t i = 0; i < size; i++)
			pattern[i] = (unsigned char)random_next();
		for (size_t i = 0; i < count * size; i++)
			model[offset + i] = pattern[i % size];
		ok(het__cl_fill(&seat->queue, mem, pattern, size, offset, count * size, nothing, &event));
		finish(seat, event);
		get(seat, mem, back, sizeof back);
		ck_assert_mem_eq(back, model, sizeof model);
	}
	ck_assert_int_eq(het__cl_fill(&seat->queue, mem, pattern, 4, 1 << 20, 64, nothing, NULL),
	                 HET_ERR_DEVICE);
	ck_assert_str_eq(het_error_last().cl_call, "clEnqueueFillBuffer");
	het__cl_buffer_release(mem);
}

START_TEST(test_fill)
{
	random_start("test_cl");
	everywhere(check_fill);
}
END_TEST

/* ------------------------------------------------------------------------------------------------ */

int main(void)
{
	TCase *const all = tcase_create("all");

	het_test_platforms();
	tcase_set_timeout(all, 300);
	tcase_add_test(all, test_query__facts);
	tcase_add_test(all, test_query__cut);
	tcase_add_test(all, test_context);
	tcase_add_test(all, test_buffer__wrap_and_part);
	tcase_add_test(all, test_buffer__errors);
	tcase_add_test(all, test_transfer__random_plans);
	tcase_add_test(all, test_transfer__boxes);
	tcase_add_test(all, test_transfer__empty);
	tcase_add_test(all, test_transfer__fits);
	tcase_add_test(all, test_transfer__refusals);
	tcase_add_test(all, test_fill);
	return run_case("cl", all);
}
