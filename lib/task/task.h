/* task.h - asynchronous work: kernels, transfers, fills, host functions, and what they wait for.
 *
 * A task is made, told what it needs, and started. It is then either SUBMITTED (its commands are in an
 * in-order queue, with events of the same context to wait for) or HELD (something it needs lies in another
 * context, is itself held, or must be over before this one is sent); a held task is submitted by whoever sees
 * its last blocker go. It ends SUCCEEDED or FAILED when somebody sees its event; then its slot is used again,
 * under a new id.
 *
 * Invariants (het__tasks_check looks at what shows of T1, T2, T5 and T6 at one moment; tests/protocol_replay
 * tries each transition):
 *   T1  a lane's list holds its SUBMITTED tasks in the order of submission; they have the lane's last places;
 *   T2  a task is HELD exactly while blockers > 0 or it stands in the ready list;
 *   T3  what a task reads that another unfinished task promised is listed in its inputs, so that the
 *       failure of the one reaches the other, whatever the driver does with successors;
 *   T4  a task ends after every task in its inputs has ended, unless it is known to fail before that;
 *   T5  a reference {slot, id} names a live task exactly while the slot still has that id;
 *   T6  a quiet task is SUBMITTED and has no event: the next one in its lane that has one tells of its end. No
 *       more than HET__QUIET_MOST wait for one, and lane->untold is the number of those that nobody tells of.
 *
 * Everything here is called with the system's lock unless a comment says otherwise.
 */
#ifndef HETERO_LIB_TASK_TASK_H
#define HETERO_LIB_TASK_TASK_H

#include "base/alloc.h"
#include "base/clock.h"
#include "system/watch.h"

/** Most unfinished tasks before a caller from outside waits. A system of one context ends finished tasks only
 *  when there are so many, or when somebody waits or wants memory: to ask for the event of a command that is
 *  just running makes this thread and the driver's wait for each other. More tasks would not stay in the caches
 *  of either. */
#define HET__WINDOW 2048

/** Most tasks behind users' functions before a caller waits. A held task stands for no other, so each of them
 *  has to come after every task before it that it conflicts with. */
#define HET__BEHIND_MOST (HET__WINDOW / 2)

/** Who waits for room waits for a task behind which a quarter of the window stays, to let the device work on.
 *  To find it without a walk a lane notes one submitted task in HET__MILESTONE. */
#define HET__MILESTONE 64
#define HET__MILESTONES (HET__WINDOW / 4 / HET__MILESTONE + 1)

/** Most launches in a row without an event of their own (quiet.c): one event for 16 costs next to nothing. */
#define HET__QUIET_MOST 15

enum het__task_state { HET__TASK_FREE, HET__TASK_MADE, HET__TASK_HELD, HET__TASK_SUBMITTED };

struct het__task;

/** A weak reference; a task that has ended is seen by its id. */
struct het__ref {
	struct het__task *task;
	uint64_t id;
};

/** Somebody who wants to know how a task ends: a value it promised something to, a waiting reader. */
struct het__holder {
	/** The task has ended. `cause` is NULL when it succeeded. Must not wait, start tasks or fail. */
	void (*ended)(struct het__holder *holder, struct het__ref ref, struct het__failure *cause);
};

/** What a kind of task does. Host lanes call `run` instead of `submit`. */
struct het__task_ops {
	const char *kind;
	/** The task's name where many are shown, such as a kernel's; NULL: its kind. *piece_p, if piece_p is
	 *  not NULL, says which piece of a device's part it is; NULL for a whole part. */
	const char *(*name)(const struct het__task *task, const char **piece_p);
	bool moves; /* the values it writes are those that it reads: a part of a transfer */
	/** Puts the commands into task->lane's queue, waiting for `after`; adds an event for each (reserved
	 *  before the first) with het__task_add_event, the last one being the last to finish. An error after
	 *  the first event is not returned: it is kept with het__task_spoil, because commands are running. */
	het_status (*submit)(struct het__task *task, struct het__after after);
	/** On a host lane's thread, without the lock. */
	het_status (*run)(struct het__task *task);
	/** Gives back what the payload holds; also called for a task that never started. May be NULL. */
	void (*drop)(struct het__task *task);
	/** Writes "kernel smooth (s.cl) on pocl:cpu0", for the cause of a failure of its commands. NULL for
	 *  tasks of host lanes only: what fails there has said so itself. */
	void (*describe)(const struct het__task *task, char *text, size_t bytes);
};

struct het__lane;

/** Task `by` of this lane has waited for one task of another lane, and for nothing else. So what comes behind
 *  `by` also comes behind that task and all before it in its lane. (Had `by` waited for more, the failure of
 *  one could end it before the others.) */
struct het__awaited {
	const struct het__lane *lane; /* the other one */
	uint64_t place;               /* of what was waited for, there */
	struct het__ref by;           /* who waited */
};

/** A task, and its lane, which the task does not tell any more when it has ended. */
struct het__before {
	struct het__ref ref;
	const struct het__lane *lane;
};

struct het__edge {
	struct het__ref to;
	bool until_submitted; /* else until it has ended */
};

#define HET__VEC(type)            \
	struct {                  \
		type *at;         \
		int count, room;  \
	}

/** What a task has room for inside itself; a vector or payload that needs more moves out. So most tasks are one
 *  piece of memory, and a launch touches few lines of the cache. */
#define HET__OWN_HOLDERS 2
#define HET__OWN_INPUTS 8
#define HET__OWN_AFTER 2
#define HET__OWN_PAYLOAD 128

struct het__task {
	_Alignas(HET__CACHE_LINE) uint64_t id; /* never 0 while in use */
	enum het__task_state state;
	bool behind_user;         /* waits, perhaps through others, for a user's function */
	bool done;                /* its last event was seen to have succeeded */
	bool watched;             /* some held task waits for its end: the lane's waiter looks after it */
	bool quiet;               /* has no event of its own */
	bool is_large;            /* has more memory than the next task in its slot is likely to need */
	int blockers;             /* tasks that hold it back */
	uint64_t place;           /* in its lane, once it is submitted: 1, 2... */
	uint64_t awaited_by, read_by; /* ids of the last tasks in whose `after` and `inputs` it is */
	const struct het__task_ops *ops;
	struct het__lane *lane;
	struct het__task *next;   /* in the lane's list, the ready list or the free list */
	struct het__failure *cause; /* known to fail, for this reason */
	HET__VEC(cl_event) events;
	HET__VEC(struct het__before) after; /* same context, other lane: their events are waited for */
	HET__VEC(struct het__ref) inputs; /* promises it reads */
	HET__VEC(struct het__edge) edges; /* held tasks that wait for this one */
	HET__VEC(struct het__holder *) holders;
	void *payload;
	size_t payload_room;
	struct het__span *span;   /* what is known of it, while somebody watches */
	uint64_t start_ns;        /* host clock: at submission, where the driver's clock is wrong; on a host
	                             lane, while somebody watches, when it begins to run */
	cl_event own_event[1];
	struct het__holder *own_holder[HET__OWN_HOLDERS];
	struct het__ref own_input[HET__OWN_INPUTS];
	struct het__before own_after[HET__OWN_AFTER];
	_Alignas(16) unsigned char own_payload[HET__OWN_PAYLOAD];
};

/** The first task of a lane, as it was seen when somebody waited: how long it has been the first. */
struct het__overdue_head {
	uint64_t id, since_ns;
	bool told;                /* the log knows */
};

/** An in-order place to run tasks: a device's queue, its queue for copies, or a thread of the host. */
struct het__lane {
	het_system *system;
	het_device *device;       /* NULL: host lane */
	struct het__context *context; /* NULL: host lane; nothing shares events with it */
	struct het__queue queue;
	struct het__queue retired; /* the queue before kernels were timed: users' functions may still have it */
	struct het__task *head, *tail;
	uint64_t places;          /* tasks submitted so far; those in the list have the last places */
	struct het__task *milestone[HET__MILESTONES]; /* tasks at the last places that HET__MILESTONE divides */
	HET__VEC(struct het__awaited) awaited; /* for every other lane the last */
	bool is_plain;            /* neither eager, nor by_host, nor may_be_quiet */
	bool eager;               /* nothing runs until it is flushed */
	bool may_be_quiet;        /* launches may do without events, which are dear with its driver */
	int untold;               /* number of last tasks that are quiet and that nobody tells of yet */
	int loud, loud_next;      /* launches still to have events; how many the next time */
	int natives;              /* functions that may put commands of the user's into the queue now */
	bool takes_early;         /* a write takes the host's bytes when it is sent: they must be there */
	bool timed;               /* kernels are timed */
	bool by_host;             /* by the host's clock */
	bool unflushed;
	bool refused;             /* its last flush was refused */
	bool is_user;             /* the host lane for users' functions */
	pthread_t thread;         /* waiter (device lane, when something is watched) or worker (host lane) */
	bool has_thread;
	pthread_cond_t wake;
	int watched;              /* submitted, watched tasks */
	uint64_t seen_ns; /* host clock when a task here was last seen to have ended; clock_wrong only */
	struct het__overdue_head first;
	struct het__failure *failed; /* the last failure here: what its successors failed of */
	uint64_t failed_id;          /* of the task that failed of it */
};

/** Who sees to it that a device that does not answer is reported: overdue.c. */
struct het__overdue {
	pthread_t thread;
	bool tried, has_thread;   /* a start was tried; it runs */
	bool idle;                /* nobody waits for anything */
	bool told;                /* of some device that does not answer yet */
	pthread_cond_t wake;
};

/** How far users' functions were when somebody waited for what lies behind them: function.c. */
struct het__function {
	uint64_t stage, since_ns;
	bool stuck;               /* it has been this stage for so long that nobody waits any more */
};

/** Most failures that are kept for het_wait_all; of further ones the log is told. */
#define HET__UNREPORTED 64

struct het__tasks {
	het_system *system;
	struct het__tasks *next;  /* of all systems: ending.c */
	unsigned generation;      /* of the process that opened the system */
	unsigned pass;            /* the last one, at the end of the program, that came to this system */
	bool given_up;            /* some device does not answer */
	bool stop;
	uint64_t next_id;
	int unfinished, behind_user, sleepers;
	pthread_cond_t ended;     /* some task ended or was submitted; signalled when sleepers > 0 */
	struct het__task *free, *ready_head, *ready_tail;
	HET__VEC(struct het__slab *) slabs; /* all tasks there are */
	HET__VEC(struct het__lane *) lanes;
	int refused;              /* number of lanes that are `refused` */
	struct het__lane *copier, *user;
	struct het__failure *unreported[HET__UNREPORTED]; /* failures nobody has been told of, oldest first */
	int unreported_count;
	HET__VEC(cl_event) wait_list; /* scratch of one submission */
	uint64_t uses;            /* numbers the times that a call's arguments were looked at */
	uint64_t stamp;           /* counts operations: what is in use by the present one carries it */
	struct het__overdue overdue;
	struct het__function function;
	struct het__ref again;    /* what to wait for before an operation is tried again */
};

static inline bool het__alive(struct het__ref ref)
{
	return ref.task && ref.task->id == ref.id;
}

/** How many tasks the lane's list holds. */
static inline int het__lane_count(const struct het__lane *lane)
{
	return lane->head ? (int)(lane->places - lane->head->place + 1) : 0;
}

/** The task room's state, once it has been made (het__tasks_of). */
static inline struct het__tasks *het__tasks_in(const het_system *system)
{
	return system->room[HET__ROOM_TASK].state;
}

/** H1, H2: may a use by `later` stand for one by `earlier`? It may once submitted, if `earlier` has ended
 *  or is submitted to the same queue. */
static inline bool het__task_stands_for(const struct het__task *later, struct het__ref earlier)
{
	return later->state == HET__TASK_SUBMITTED &&
	       ((earlier.task->lane == later->lane && earlier.task->state == HET__TASK_SUBMITTED) ||
		!het__alive(earlier));
}

/** Is the order of the queue that `task` is made for enough for it to come after `before`? */
static inline bool het__task_follows(const struct het__task *task, struct het__ref before)
{
	return before.task->lane == task->lane && before.task->state == HET__TASK_SUBMITTED &&
	       !before.task->behind_user;
}

static inline struct het__ref het__ref_of(struct het__task *task)
{
	struct het__ref ref = {task, task->id};
	return ref;
}

/* lanes */
het_status het__lane_first(het_device *device, struct het__lane **lane_p);
static inline het_status het__lane_of(het_device *device, struct het__lane **lane_p) /* an opened device */
{
	*lane_p = device->lane;
	return *lane_p ? HET_OK : het__lane_first(device, lane_p);
}
/** Where copies to and from the device's memory go: a queue of their own, or the device's. */
het_status het__lane_for_copies(het_device *device, struct het__lane **lane_p);
het_status het__lane_copier(het_system *system, struct het__lane **lane_p);
het_status het__lane_user(het_system *system, struct het__lane **lane_p);
/** Called before a wait for something in its queue, or for what waits for that. Commands there may depend on
 *  queues whose flush was refused, so these are tried again, too. */
void het__lane_flush(struct het__lane *lane);
/** Flushes those queues again whose last flush was refused, perhaps for want of resources, and not for long. */
void het__lanes_flush_refused(het_system *system);
/** Ends the tasks at the head of the lane that are seen to have finished. */
void het__lane_reap(struct het__lane *lane);
/** het__lane_tell for all lanes, and flushes them: what tells is on its way then. */
void het__lanes_tell(het_system *system);
/** Ends every finished task of the system's devices, but quiet ones that nobody tells of (het__lanes_tell).
 *  Called before memory is wanted, or where what has finished decides whether a task must be held. */
void het__lanes_reap(het_system *system);

/** From now on all kernels are timed. Queues that do not time are emptied and replaced: waits, and drops the
 *  lock meanwhile. HET_ERR_DEVICE: a driver refuses a queue; the old one stays. */
het_status het__lanes_time(het_system *system);

/** Waits for one event of the lane in the way its driver likes. Without the lock. */
void het__lane_wait_event(const struct het__lane *lane, cl_event event);

/** Puts a marker behind quiet tasks that nobody tells of, so that their end can be seen. */
void het__lane_tell(struct het__lane *lane);

/** Around a native function and what it puts into the lane's queue. Without the lock. */
void het__lane_native_begins(struct het__lane *lane);
void het__lane_native_ends(struct het__lane *lane);

/* a task's life */
het_status het__task_new(struct het__lane *lane, const struct het__task_ops *ops, size_t payload_bytes,
                         struct het__task **task_p);
/** For a new task: the lane's waiter, if it can be had, sees its end when it happens. */
void het__task_watch(struct het__task *task);
/** The task waits for `before` to end (as far as the lanes' order does not see to it already). */
het_status het__task_needs(struct het__task *task, struct het__ref before);
/** The same for a task that is to run even when `before` fails: it does not wait for the event of a `before` in
 *  another queue, whose failure would become the task's. */
het_status het__task_needs_the_end(struct het__task *task, struct het__ref before);
/** The task is not sent before `before` has ended, not even behind it in its queue. */
het_status het__task_needs_it_over(struct het__task *task, struct het__ref before);
/** The task reads what `producer` promised. Implies nothing about order. */
het_status het__task_reads(struct het__task *task, struct het__ref producer);
het_status het__task_more_holders(struct het__task *task);
static inline het_status het__task_add_holder(struct het__task *task, struct het__holder *holder)
{
	if (task->holders.count == task->holders.room && het__task_more_holders(task))
		return HET_ERR_MEMORY;
	task->holders.at[task->holders.count++] = holder;
	return HET_OK;
}
/** The holder is going: no task tells it any more. Looks at all tasks. */
void het__tasks_forget_holder(struct het__tasks *tasks, const struct het__holder *holder);
/** Enlarges the payload and keeps the bytes that it has. */
het_status het__task_more_payload(struct het__task *task, size_t bytes);
/** Of one task. A box that can only be moved run by run, and has more runs, is refused. */
#define HET__COMMANDS_MOST (1 << 30)
het_status het__task_more_events(struct het__task *task, size_t count);
/** Room for `count` events; het__task_add_event, which takes the event, then cannot fail. HET_ERR_MEMORY,
 *  HET_ERR_UNSUPPORTED. */
static inline het_status het__task_reserve_events(struct het__task *task, size_t count)
{
	const size_t room = (size_t)(task->events.room - task->events.count);

	return count <= room ? HET_OK : het__task_more_events(task, count);
}
static inline void het__task_add_event(struct het__task *task, cl_event event)
{
	task->events.at[task->events.count++] = event;
	task->lane->system->count.live_events++;
}
/** May the launch that is being submitted do without an event? Ask once: it counts. The caller sets `quiet`. */
bool het__task_chooses_quiet(struct het__task *task, struct het__after after);
static inline bool het__task_may_be_quiet(struct het__task *task, struct het__after after)
{
	return task->lane->may_be_quiet && het__task_chooses_quiet(task, after);
}
/** What `submit` returns for this status: a failure after the first command is kept as the task's instead. */
het_status het__task_kept(struct het__task *task, het_status status);
/** The task is going to fail: if it has no cause, keeps that of a lost input, or the thread's error record. */
void het__task_spoil(struct het__task *task);
void het__task_doom(struct het__task *task, struct het__failure *cause);
/** It cannot be submitted at once: het__task_start is going to hold it. */
static inline bool het__task_must_wait(const struct het__task *task)
{
	return task->cause || task->blockers > 0;
}
/** Submits now: all it waits for in other contexts has ended. On an error nothing was enqueued. */
het_status het__task_submit(struct het__task *task);
/** From now on it is one of the unfinished. */
static inline void het__task_count_in(const struct het__task *task)
{
	struct het__tasks *const tasks = het__tasks_in(task->lane->system);

	tasks->unfinished++;
	tasks->behind_user += task->behind_user;
}
/** Submits or holds it. On an error the task is gone and nothing has happened. A task that has a cause is
 *  not submitted: it ends as failed with the next het__tasks_progress. */
het_status het__task_start(struct het__task *task);
/** Gives up a task that was not started. */
void het__task_cancel(struct het__task *task);
/** Starts a task that need not wait. Errors: as of het__task_start. */
static inline het_status het__task_start_now(struct het__task *task)
{
	const het_status st = het__task_submit(task);

	if (st)
		het__task_cancel(task);
	else
		het__task_count_in(task);
	return st;
}

/** Submits what has become ready. Called before the lock is dropped by everything that starts or ends
 *  tasks. */
void het__tasks_submit_ready(het_system *system);
static inline void het__tasks_progress(het_system *system)
{
	const struct het__tasks *tasks = het__tasks_in(system);

	if (tasks && tasks->ready_head)
		het__tasks_submit_ready(system);
}

/** Task number i, 0 and up, of all that there is memory for; NULL behind the last. One that is not in use has
 *  id 0. */
struct het__task *het__tasks_at(const struct het__tasks *tasks, int i);

/** Waits for a task to end. Drops the lock meanwhile. */
void het__task_wait(het_system *system, struct het__ref ref);
/** Waits until none is unfinished. Drops the lock meanwhile. */
void het__tasks_wait_all(het_system *system);
/** As het__task_wait for a task behind a user's function, but only as long as functions begin and end: false
 *  where it was in vain. Drops the lock meanwhile. */
bool het__task_wait_behind_user(het_system *system, struct het__ref ref);
/** Was such a wait in vain, and would it still be? The function may be waiting for the caller. */
bool het__function_is_stuck(const struct het__tasks *tasks);
/** If HET__WINDOW tasks that are not behind users' functions are unfinished, waits until fewer than half are;
 *  if HET__BEHIND_MOST are behind such functions, the same for these, as long as functions end. Drops the lock
 *  meanwhile; inside a callback it does nothing. */
void het__tasks_wait_for_room(het_system *system);
/** The same, inline while there is nothing to wait for. The task room is there. */
static inline void het__tasks_make_room(het_system *system)
{
	const struct het__tasks *tasks = het__tasks_in(system);

	if (tasks->unfinished - tasks->behind_user >= HET__WINDOW || tasks->behind_user >= HET__BEHIND_MOST)
		het__tasks_wait_for_room(system);
}

/** Somebody was told of this failure: het_wait_all and het_close need not tell it again. */
void het__tasks_report(het_system *system, struct het__failure *told);

/** Walks all tasks and lanes; aborts with a message where an invariant is broken. Debug checks only. */
void het__tasks_check(het_system *system);

/** The task room's state, made at its first use. */
het_status het__tasks_of(het_system *system, struct het__tasks **tasks_p);

#endif
