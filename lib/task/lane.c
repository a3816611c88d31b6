/* lane.c - in-order places to run tasks: device queues with their waiters, host threads. */

#include "task/inside.h"

#define AWAKE_NS 50000    /* so long a wait asks for an event without sleeping */
#define NAP_MOST_NS 50000 /* between two times that it asks */

static het_status register_lane(struct het__tasks *tasks, struct het__lane *lane)
{
	if (HET__VEC_GROW(tasks->lanes))
		return het__fail(HET_ERR_MEMORY, "no host memory for a lane");
	tasks->lanes.at[tasks->lanes.count++] = lane;
	return HET_OK;
}

static struct het__lane *new_lane(het_system *system)
{
	struct het__lane *lane = het__alloc_zeroed(1, sizeof *lane);

	if (!lane) {
		(void)het__fail(HET_ERR_MEMORY, "no host memory for a lane");
		return NULL;
	}
	lane->system = system;
	pthread_cond_init(&lane->wake, NULL);
	return lane;
}

void het__lane_drop(struct het__lane *lane)
{
	het__cl_queue_release(&lane->queue);
	het__cl_queue_release(&lane->retired);
	pthread_cond_destroy(&lane->wake);
	het__free(lane->awaited.at);
	het__free(lane);
}

/* A queue of the device, for `slot`. */
static het_status new_device_lane(struct het__tasks *tasks, het_device *device, struct het__lane **slot)
{
	struct het__lane *lane = new_lane(device->system);
	het_status st;

	if (!lane)
		return HET_ERR_MEMORY;
	lane->device = device;
	lane->context = device->context;
	lane->eager = device->driver->flush == HET__FLUSH_EAGER;
	lane->may_be_quiet = device->driver->events_dear;
	lane->takes_early = device->driver->takes_early;
	lane->timed = device->system->profile;
	lane->by_host = lane->timed && device->driver->clock_wrong;
	lane->is_plain = !lane->eager && !lane->by_host && !lane->may_be_quiet;
	st = het__cl_queue_create(device->context->cl, device->id, device->name, device->system->profile,
	                          &lane->queue);
	if (!st)
		st = register_lane(tasks, lane);
	if (st) {
		het__lane_drop(lane);
		return st;
	}
	*slot = lane;
	return HET_OK;
}

static het_status make(het_device *device, struct het__lane **slot)
{
	struct het__tasks *tasks;
	het_status st = het__tasks_of(device->system, &tasks);

	return st ? st : new_device_lane(tasks, device, slot);
}

het_status het__lane_first(het_device *device, struct het__lane **lane_p)
{
	het_status st = make(device, &device->lane);

	if (!st)
		*lane_p = device->lane;
	return st;
}

het_status het__lane_for_copies(het_device *device, struct het__lane **lane_p)
{
	het_status st = HET_OK;

	if (!device->copies)
		st = device->copies_apart ? make(device, &device->copies)
					  : het__lane_of(device, &device->copies);
	if (!st)
		*lane_p = device->copies;
	return st;
}

/* The lane is empty. */
static het_status time_lane(struct het__lane *lane)
{
	const het_device *const device = lane->device;
	struct het__queue queue;
	het_status st = het__cl_queue_create(device->context->cl, device->id, device->name, true, &queue);

	if (st)
		return st;
	lane->retired = lane->queue;
	lane->queue = queue;
	lane->timed = true;
	lane->by_host = device->driver->clock_wrong;
	lane->is_plain = lane->is_plain && !lane->by_host;
	return HET_OK;
}

/* By the host's clock a kernel is timed from the end of what was before it in its queue. So copies go into the
 * kernels' queue from now on, except those started before, which may be held, or in their own queue. */
static void bring_copies_back(het_system *system)
{
	for (int d = 0; d < system->device_count; d++) {
		het_device *const device = system->devices[d];

		if (!device->copies_apart || !device->driver->clock_wrong)
			continue;
		device->copies_apart = false;
		device->copies = NULL; /* the lane ends with the system */
	}
}

het_status het__lanes_time(het_system *system)
{
	const struct het__tasks *tasks = het__tasks_in(system);
	het_status st = HET_OK;

	system->profile = true;
	bring_copies_back(system);
	for (int i = 0; tasks && i < tasks->lanes.count && !st; i++) {
		struct het__lane *const lane = tasks->lanes.at[i];

		if (!lane->device || lane->timed)
			continue;
		while (lane->tail)
			het__task_wait(system, het__ref_of(lane->tail));
		if (!lane->timed) /* another thread may have done so meanwhile */
			st = time_lane(lane);
	}
	return st;
}

static het_status host_lane(het_system *system, bool is_user, struct het__lane **lane_p)
{
	struct het__tasks *tasks;
	struct het__lane **slot, *lane;
	het_status st = het__tasks_of(system, &tasks);

	if (st)
		return st;
	slot = is_user ? &tasks->user : &tasks->copier;
	if (!*slot) {
		lane = new_lane(system);
		if (!lane)
			return HET_ERR_MEMORY;
		lane->is_user = is_user;
		st = register_lane(tasks, lane);
		if (st) {
			het__lane_drop(lane);
			return st;
		}
		*slot = lane;
	}
	st = het__lane_watch(*slot);
	if (st)
		return st;
	*lane_p = *slot;
	return HET_OK;
}

het_status het__lane_copier(het_system *system, struct het__lane **lane_p)
{
	return host_lane(system, false, lane_p);
}

het_status het__lane_user(het_system *system, struct het__lane **lane_p)
{
	return host_lane(system, true, lane_p);
}

struct refusal {
	const struct het__lane *lane;
	int code;
};

static void log_refusal(const void *about)
{
	const struct refusal *const r = about;

	(void)het__cl_not_flushed(&r->lane->queue, r->code);
	het__log(r->lane->system->logger, HET_LOG_WARN, "task", "%s", het__message());
}

/* Tells the log only of a queue's first refusal in a row. */
static void flush(struct het__lane *lane, struct het__tasks *tasks)
{
	int code = CL_SUCCESS;

	for (int tries = 0; lane->unflushed && tries < 3; tries++) {
		code = het__cl_flush_code(&lane->queue);
		lane->unflushed = code != CL_SUCCESS;
	}
	if (lane->unflushed && !lane->refused)
		het__error_aside(log_refusal, &(struct refusal){lane, code});
	tasks->refused += lane->unflushed - lane->refused;
	lane->refused = lane->unflushed;
}

static void flush_refused(struct het__tasks *tasks, const struct het__lane *but)
{
	for (int i = 0; i < tasks->lanes.count && tasks->refused > 0; i++) {
		struct het__lane *const lane = tasks->lanes.at[i];

		if (lane->refused && lane->head && lane != but)
			flush(lane, tasks);
	}
}

void het__lanes_flush_refused(het_system *system)
{
	flush_refused(het__tasks_in(system), NULL);
}

void het__lane_flush(struct het__lane *lane)
{
	struct het__tasks *const tasks = het__tasks_in(lane->system);

	if (lane->unflushed)
		flush(lane, tasks);
	if (tasks->refused > 0)
		flush_refused(tasks, lane);
}

enum het__event_state het__lane_ask(struct het__lane *lane, cl_event event, int *code)
{
	enum het__event_state state = het__cl_event_poll(event, code);

	if (state != HET__EVENT_UNKNOWN)
		return state;
	het__lane_flush(lane);
	het__cl_event_wait(event);
	state = het__cl_event_poll(event, code);
	return state == HET__EVENT_UNKNOWN ? HET__EVENT_FAILED : state;
}

/* The event of several quiet tasks is asked once: the task that has it remembers the answer in `done`. */
static bool __attribute__((noinline)) end_quiet(struct het__task *head)
{
	struct het__task *const teller = het__task_teller(head);

	if (!teller)
		return false;
	if (!teller->done) {
		const enum het__event_state state = het__lane_ask(head->lane, het__task_event(teller), NULL);

		if (state == HET__EVENT_PENDING)
			return false;
		teller->done = state == HET__EVENT_DONE;
	}
	head->done = teller->done;
	het__task_end(head);
	return true;
}

bool het__lane_end_first(struct het__lane *lane)
{
	struct het__task *head = lane->head;
	enum het__event_state state = HET__EVENT_FAILED;

	if (!head || !lane->device)
		return false; /* a host lane's worker ends its own tasks */
	if (head->events.count)
		state = het__lane_ask(lane, head->events.at[head->events.count - 1], NULL);
	else if (head->quiet)
		return end_quiet(head);
	if (state == HET__EVENT_PENDING)
		return false;
	head->done = state == HET__EVENT_DONE;
	het__task_end(head);
	return true;
}

void het__lane_reap(struct het__lane *lane)
{
	while (het__lane_end_first(lane))
		;
}

void het__lanes_reap(het_system *system)
{
	struct het__tasks *tasks = het__tasks_in(system);

	for (int i = 0; i < tasks->lanes.count; i++)
		het__lane_reap(tasks->lanes.at[i]);
}

/* At first asks without a sleep, for what ends soon; later sleeps a thirtieth of the time waited so far. */
void het__lane_wait_event(const struct het__lane *lane, cl_event event)
{
	const uint64_t begun_ns = het__host_ns();

	if (!lane->device->driver->waits_spin) {
		het__cl_event_wait(event);
		return;
	}
	while (het__cl_event_poll(event, NULL) == HET__EVENT_PENDING) {
		const uint64_t waited_ns = het__host_ns() - begun_ns;

		if (waited_ns >= AWAKE_NS)
			het__nap(waited_ns < 30 * NAP_MOST_NS ? waited_ns / 30 : NAP_MOST_NS);
	}
}
