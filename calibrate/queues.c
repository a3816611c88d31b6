/* queues.c - what the queues of a device do: with two of our own, beside those of the system. */
#include <time.h>

#include "base/clock.h"
#include "speed.h"

#define TRIALS 5
#define UNFLUSHED_NS 50e6 /* a kernel of one loop that has not ended by then has not begun */
#define LITTLE 64         /* bytes that are written meanwhile */

struct pair {
	const struct busy *busy;
	struct het__queue first, second;
	cl_kernel kernel; /* not the system's own, whose arguments it counts on */
	cl_mem out, little;
};

static const struct het__after nothing = {0, NULL};

static het_status pair_open(const struct busy *busy, struct pair *p)
{
	het_device *const device = busy->device;
	const cl_context context = device->context->cl;
	het_status st;

	*p = (struct pair){.busy = busy};
	st = het__cl_queue_create(context, device->id, device->name, false, &p->first);
	if (!st)
		st = het__cl_queue_create(context, device->id, device->name, false, &p->second);
	if (!st)
		st = het__cl_kernel_create(busy->program, "compute", device->name, &p->kernel);
	if (!st)
		st = het__cl_buffer_create(context, busy->items * sizeof(float), device->name, &p->out);
	return st ? st : het__cl_buffer_create(context, LITTLE, device->name, &p->little);
}

static void pair_close(struct pair *p)
{
	het__cl_buffer_release(p->out);
	het__cl_buffer_release(p->little);
	het__cl_kernel_release(p->kernel);
	het__cl_queue_release(&p->first);
	het__cl_queue_release(&p->second);
}

/* ---- commands ---------------------------------------------------------------------------------- */

static het_status set_arguments(const struct pair *p, cl_uint loops)
{
	const struct busy *const busy = p->busy;
	const char *const device = busy->device->name;
	const cl_double d = 1;
	const cl_float f = 1;
	const size_t bytes = busy->is_double ? sizeof d : sizeof f;
	const void *const one = busy->is_double ? (const void *)&d : (const void *)&f;
	het_status st = het__cl_set_arg(p->kernel, 0, sizeof p->out, &p->out, "compute", device);

	if (!st)
		st = het__cl_set_arg(p->kernel, 1, bytes, one, "compute", device);
	return st ? st : het__cl_set_arg(p->kernel, 2, sizeof loops, &loops, "compute", device);
}

static het_status launch(const struct pair *p, cl_uint loops, cl_event *event_p)
{
	const het_status st = set_arguments(p, loops);

	return st ? st
		  : het__cl_launch(&p->first, p->kernel, "compute", 1, NULL, &p->busy->items,
				   &p->busy->group, nothing, event_p);
}

/* Waits for the end of a command, and releases its event. NULL: there was none. */
static het_status finish(const char *device, cl_event event)
{
	int code = 0;
	enum het__event_state state;

	if (!event)
		return HET_OK;
	het__cl_event_wait(event);
	state = het__cl_event_poll(event, &code);
	het__cl_event_release(event);
	return state == HET__EVENT_DONE ? HET_OK
					: het__fail(HET_ERR_DEVICE, "%s: a command failed (%d)", device, code);
}

/* ---- does what is in the second wait for the first --------------------------------------------- */

static het_status write_little(const struct pair *p, cl_event *event_p)
{
	static const char bytes[LITTLE];
	const struct het__plan plan = {.bytes = LITTLE, .total_bytes = LITTLE};
	const het_status st = het__cl_write(&p->second, bytes, p->little, &plan, nothing, event_p);

	return st ? st : het__cl_flush(&p->second);
}

/* From the kernel's launch: when the bytes are there, and when the kernel has ended. */
static het_status time_trial(const struct pair *p, double *bytes_ns_p, double *kernel_ns_p)
{
	const char *const device = p->busy->device->name;
	const uint64_t began = het__host_ns();
	cl_event kernel = NULL, write = NULL;
	het_status st = launch(p, p->busy->loops, &kernel), end;

	if (!st)
		st = het__cl_flush(&p->first);
	if (!st)
		st = write_little(p, &write);
	end = finish(device, write);
	*bytes_ns_p = het__ns_since(began);
	st = st ? st : end;
	end = finish(device, kernel);
	*kernel_ns_p = het__ns_since(began);
	return st ? st : end;
}

static het_status find_overlap(const struct pair *p, bool *overlap_p)
{
	int before = 0;
	double kernel_ns, bytes_ns;
	het_status st = HET_OK;

	for (int i = 0; i < TRIALS && !st; i++) {
		st = time_trial(p, &bytes_ns, &kernel_ns);
		before += !st && bytes_ns < kernel_ns / 2;
	}
	*overlap_p = before > TRIALS / 2;
	return st;
}

/* ---- does anything start by itself ------------------------------------------------------------- */

static het_status find_unflushed(const struct pair *p, bool *unflushed_p)
{
	const struct timespec pause = {0, 200000};
	const uint64_t began = het__host_ns();
	cl_event kernel = NULL;
	het_status st = launch(p, 1, &kernel), end;

	*unflushed_p = false;
	while (!st && !*unflushed_p && het__ns_since(began) < UNFLUSHED_NS) {
		*unflushed_p = het__cl_event_poll(kernel, NULL) == HET__EVENT_DONE;
		nanosleep(&pause, NULL);
	}
	if (!st)
		st = het__cl_flush(&p->first);
	end = finish(p->busy->device->name, kernel);
	return st ? st : end;
}

het_status queues_measure(const struct busy *busy, bool *overlap_p, bool *unflushed_p)
{
	struct pair p;
	het_status st = pair_open(busy, &p);

	if (!st)
		st = find_overlap(&p, overlap_p);
	if (!st)
		st = find_unflushed(&p, unflushed_p);
	pair_close(&p);
	return st;
}
