/* seats.c - walks through the platforms and sits down everywhere. */
#include "seats.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "checks.h"
#include "system/system.h"

void ok(het_status status)
{
	ck_assert_msg(status == HET_OK, "%s", het_message());
}

typedef void (*seat_fn)(struct seat *seat);

static void sit(cl_platform_id platform, cl_device_id id, const char *name, seat_fn fn)
{
	struct seat seat = {.platform = platform, .id = id};

	snprintf(seat.name, sizeof seat.name, "%s", name);
	ok(het__cl_device_facts(id, &seat.facts));
	ok(het__cl_context_create(platform, 1, &id, seat.name, &seat.context));
	ok(het__cl_queue_create(seat.context, id, seat.name, true, &seat.queue));
	fn(&seat);
	ok(het__cl_finish(&seat.queue));
	het__cl_queue_release(&seat.queue);
	ck_assert_ptr_null(seat.queue.cl);
	het__cl_queue_release(&seat.queue);
	het__cl_context_release(seat.context);
}

/* Also on the last part, where the driver can cut. rusticl crashes when it is asked to: it says so first. Parts
 * that the library keeps for the driver's sake are kept here too. */
static void sit_on_device(cl_platform_id platform, cl_device_id id, const char *name, seat_fn fn)
{
	cl_device_id *parts = NULL;
	cl_uint count = 0;
	char part[sizeof(((struct seat *)0)->name)];

	sit(platform, id, name, fn);
	if (het__cl_device_cut(id, 1, name, &parts, &count) != HET_OK)
		return;
	snprintf(part, sizeof part, "%s, part %u", name, (unsigned)count - 1);
	sit(platform, parts[count - 1], part, fn);
	for (cl_uint i = 0; i < count && !het__driver_of(name)->keeps_parts; i++)
		het__cl_device_release(parts[i]);
	het__free(parts);
}

void everywhere(seat_fn fn)
{
	cl_platform_id *platforms;
	cl_uint platform_count, seats = 0;

	ok(het__cl_platforms(&platforms, &platform_count));
	for (cl_uint p = 0; p < platform_count; p++) {
		cl_device_id *ids;
		cl_uint count;
		char *name;

		ok(het__cl_platform_text(platforms[p], CL_PLATFORM_NAME, &name));
		ok(het__cl_devices(platforms[p], &ids, &count));
		for (cl_uint d = 0; d < count; d++, seats++)
			sit_on_device(platforms[p], ids[d], name, fn);
		het__free(ids);
		het__free(name);
	}
	het__free(platforms);
	ck_assert_msg(seats > 0, "there is no OpenCL device to test on");
}

struct het__plan run_of(size_t a_offset, size_t b_offset, size_t bytes)
{
	return (struct het__plan){
		.bytes = bytes, .total_bytes = bytes, .a_offset = a_offset, .b_offset = b_offset};
}

void finish(struct seat *seat, cl_event event)
{
	int code = 0;

	ok(het__cl_flush(&seat->queue));
	het__cl_event_wait(event);
	ck_assert_msg(het__cl_event_poll(event, &code) == HET__EVENT_DONE, "%s: %s", seat->name,
	              het__cl_code_name(code));
	het__cl_event_release(event);
}

void put(struct seat *seat, cl_mem mem, const void *bytes, size_t count)
{
	const struct het__plan plan = run_of(0, 0, count);
	cl_event event;

	ok(het__cl_write(&seat->queue, bytes, mem, &plan, nothing, &event));
	finish(seat, event);
}

void get(struct seat *seat, cl_mem mem, void *bytes, size_t count)
{
	const struct het__plan plan = run_of(0, 0, count);
	cl_event event;

	ok(het__cl_read(&seat->queue, mem, bytes, &plan, nothing, &event));
	finish(seat, event);
}

cl_program build(struct seat *seat, const char *text, const char *options)
{
	cl_program program;

	ok(het__cl_program_source(seat->context, text, strlen(text), seat->name, &program));
	ok(het__cl_program_build(program, 1, &seat->id, options, seat->name, "build of the test's program"));
	return program;
}
