/* schedule.c - which command runs next.
 *
 * Queues are in order, so only their heads can run: a head that is flushed and whose wait list is complete.
 * Every choice among these is legal; the orders differ in which they take, and when:
 *
 *   fifo    as soon as something is flushed, oldest first;
 *   late    only when somebody waits, only what that needs, youngest first;
 *   random  now and then, at any call, any of them.
 */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "fake.h"

#define LOOK_AHEAD 64 /* commands of a queue whose wait lists are looked at before their turn */

static unsigned long stamp;

static bool is_over(const struct _cl_event *event)
{
	return event->status <= CL_COMPLETE;
}

static unsigned next_random(unsigned below)
{
	fake.random = fake.random * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(fake.random >> 33) % below;
}

bool fake_has_stopped(cl_device_id device)
{
	cl_device_id const root = fake_root_device(device);

	return root->stop_after >= 0 && root->executed >= root->stop_after;
}

/* ---- one step ----------------------------------------------------------------------------------- */

static bool can_run(cl_event command)
{
	if (!command || command->status != CL_SUBMITTED || fake_has_stopped(command->queue->device))
		return false;
	for (cl_uint i = 0; i < command->wait_count; i++)
		if (!is_over(command->waits[i]))
			return false;
	return true;
}

static bool has_failed_waits(cl_event command)
{
	for (cl_uint i = 0; i < command->wait_count; i++)
		if (command->waits[i]->status < 0)
			return true;
	return false;
}

/* What the command comes to. Drops the lock while its body runs. */
static cl_int carry_out(cl_event command)
{
	cl_int code;

	fake.runs[command->run]++;
	fake_root_device(command->queue->device)->executed++;
	if (fake.fail_successors && (command->doomed || has_failed_waits(command)))
		return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	if (command->queue->context->dead)
		return CL_OUT_OF_RESOURCES;
	code = fake_fault_due(&fake.run_faults[command->run]);
	return code ? code : fake_execute(command);
}

static void finish(cl_event command, cl_int code)
{
	cl_command_queue const queue = command->queue;

	queue->head = command->next;
	if (!queue->head)
		queue->tail = NULL;
	for (cl_event e = code < 0 ? queue->head : NULL; e; e = e->next)
		e->doomed = true;
	queue->context->dead |= code < 0 && fake.contexts_die;
	for (cl_uint i = 0; i < command->wait_count; i++)
		fake_unhold(command->waits[i]);
	free(command->waits);
	command->waits = NULL;
	command->wait_count = 0;
	free(command->taken);
	command->taken = NULL;
	fake_command_clear(command);
	command->times[3] = fake_now_ns();
	if (command->times[3] <= command->times[2])
		command->times[3] = command->times[2] + 1;
	command->status = code;
	pthread_cond_broadcast(&fake.changed);
	fake_unhold(command);
	fake_unhold(queue);
}

static void run(cl_event command)
{
	command->status = CL_RUNNING;
	command->times[2] = fake_now_ns();
	finish(command, carry_out(command));
}

/* ---- choices ------------------------------------------------------------------------------------ */

/* The candidates of one search, of which one is kept as it goes. */
struct choice {
	cl_event best;
	unsigned count;
	bool stopped, running, user, unflushed; /* what the target may be waiting for */
	cl_event culprit;                       /* that is not flushed */
};

static void consider(struct choice *c, cl_event command)
{
	const bool younger = c->best && command->object.number > c->best->object.number;

	c->count++;
	if (!c->best || (fake.order == ORDER_RANDOM && next_random(c->count) == 0) ||
	    (fake.order == ORDER_LATE && younger) || (fake.order == ORDER_FIFO && !younger))
		c->best = command;
}

static void search(struct choice *c, cl_command_queue queue);

static void search_waits(struct choice *c, cl_event command)
{
	for (cl_uint i = 0; i < command->wait_count; i++) {
		if (is_over(command->waits[i]))
			continue;
		if (command->waits[i]->queue)
			search(c, command->waits[i]->queue);
		else
			c->user = true;
	}
}

/* Finds what can run of all that the commands of a queue need. */
static void search(struct choice *c, cl_command_queue queue)
{
	cl_event const head = queue->head;
	int ahead = 0;

	if (queue->seen == stamp)
		return;
	queue->seen = stamp;
	if (can_run(head))
		consider(c, head);
	else if (head && head->status == CL_RUNNING)
		c->running = true;
	else if (head && head->status == CL_QUEUED) {
		c->unflushed = true;
		c->culprit = head;
	} else if (head && fake_has_stopped(queue->device))
		c->stopped = true;
	for (cl_event e = head; e && e->status != CL_QUEUED && ahead < LOOK_AHEAD; e = e->next, ahead++)
		search_waits(c, e);
}

static void search_for(struct choice *c, cl_event target)
{
	*c = (struct choice){.best = NULL};
	stamp++;
	if (!target->queue) {
		c->user = true;
		return;
	}
	if (target->status == CL_QUEUED) {
		c->unflushed = true;
		c->culprit = target;
	}
	search(c, target->queue);
}

static cl_event any_runnable(void)
{
	struct choice c = {.best = NULL};

	for (cl_command_queue queue = fake.queues; queue; queue = queue->next)
		if (can_run(queue->head))
			consider(&c, queue->head);
	return c.best;
}

/* ---- waiting ------------------------------------------------------------------------------------ */

/* Nothing can run. That may change when another thread flushes; if it does not, the program is wrong. */
static void wait_for_others(cl_event target, const struct choice *c, struct timespec *until)
{
	if (c->running || c->user || c->stopped || !c->unflushed) {
		pthread_cond_wait(&fake.changed, &fake.lock);
		return;
	}
	if (until->tv_sec == 0) {
		clock_gettime(CLOCK_REALTIME, until);
		until->tv_sec += fake.patience_ms / 1000;
		until->tv_nsec += fake.patience_ms % 1000 * 1000000;
		until->tv_sec += until->tv_nsec / 1000000000;
		until->tv_nsec %= 1000000000;
	}
	if (pthread_cond_timedwait(&fake.changed, &fake.lock, until) != ETIMEDOUT)
		return;
	fake_violation(
		"deadlock: event #%lu (%s on queue #%lu) waits for event #%lu (%s), whose queue #%lu was "
		"not flushed",
		target->object.number, fake_run_names[target->run], target->queue->object.number,
		c->culprit->object.number, fake_run_names[c->culprit->run], c->culprit->queue->object.number);
	fake_flush(c->culprit->queue);
	until->tv_sec = 0;
}

cl_int fake_wait(cl_event target)
{
	struct timespec until = {0, 0};
	cl_int status;

	fake_hold(target);
	while (!is_over(target)) {
		struct choice c;

		search_for(&c, target);
		if (c.best && fake.order == ORDER_RANDOM && next_random(2) == 0)
			c.best = any_runnable();
		if (c.best) {
			run(c.best);
			until.tv_sec = 0;
		} else {
			wait_for_others(target, &c, &until);
		}
	}
	status = target->status;
	fake_unhold(target);
	return status < 0 ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS;
}

/* ---- progress without anybody waiting ----------------------------------------------------------- */

static void step_towards(cl_event target)
{
	struct choice c;

	search_for(&c, target);
	if (c.best)
		run(c.best);
}

void fake_nudge(cl_event polled)
{
	if (fake.order == ORDER_RANDOM && next_random(4) == 0) {
		cl_event const command = any_runnable();

		if (command)
			run(command);
	}
	if (!polled || is_over(polled) || ++polled->polls < fake.polls)
		return;
	polled->polls = 0;
	step_towards(polled);
}

void fake_kick(void)
{
	unsigned steps = fake.order == ORDER_RANDOM ? next_random(4) : 0;
	cl_event command;

	while ((fake.order == ORDER_FIFO || steps-- > 0) && (command = any_runnable()) != NULL)
		run(command);
}
