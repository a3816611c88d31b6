/* system.h - the inside of a system: devices, contexts, memories, the lock.
 *
 * Lock rule of the whole library: one mutex per system guards everything reachable from it. Public
 * functions take it with het__enter and drop it with het__leave; internal functions are called with it
 * held unless their comment says otherwise. Nothing waits with it held; no user code runs under it but
 * mappers (het_part_fn), which only calculate.
 *
 * Exceptions, which are waited for with it: what has ended as far as anybody can tell (a command that its
 * driver does not answer for, and the producers of a command that has ended); the second try to unmap, where
 * the first has failed and no barrier can be had (route/mapped.c); and, where a driver has no room for a
 * marker, the end of all that is in the queue, twice at most (task/quiet.c). On Oclgrind, which runs commands
 * in the thread that flushes, a flush takes as long as they do; and kernels are built with the lock held,
 * because its compiler is not thread-safe.
 */
#ifndef HETERO_LIB_SYSTEM_SYSTEM_H
#define HETERO_LIB_SYSTEM_SYSTEM_H

#include <pthread.h>
#include <stdatomic.h>

#include <hetero/system.h>

#include "base/callback.h"
#include "base/error.h"
#include "base/fork.h"
#include "base/log.h"
#include "cl/cl.h"
#include "cl/query.h"

/* First word of every handle. A freed handle keeps HET__MAGIC_DEAD; with --enable-debug-checks freed handles
 * are kept apart until the system closes, so that using one is an error, not a crash. */
#define HET__MAGIC_SYSTEM 0x48655379u
#define HET__MAGIC_DEVICE 0x48654465u
#define HET__MAGIC_ARRAY 0x48654172u
#define HET__MAGIC_KERNEL 0x48654b65u
#define HET__MAGIC_TEAM 0x48655465u
#define HET__MAGIC_CLOSING 0x4865436cu /* of a system: het_close has begun */
#define HET__MAGIC_MAPPING 0x48654d70u /* of a system: who has its lock is inside a HET_MAP_BY function */
#define HET__MAGIC_SETTLED 0x48655374u /* all tasks have ended: callbacks begin nothing any more */
#define HET__MAGIC_DEAD 0xdeadbeefu

/** When a queue must be flushed so that its commands start. */
enum het__flush {
	HET__FLUSH_LAZY,  /* the driver starts by itself: flush only before somebody else waits */
	HET__FLUSH_EAGER, /* nothing runs until flushed: flush after every task */
};

/** A pair of memories, and for which sizes the log knows the route: bit i, of 2^i bytes and more. */
struct het__told {
	int from, to;
	bool strided, instead; /* of another route, which could not make a copy */
	uint64_t sizes;
};

/** What we know about a driver; driver.c says of each value why. */
struct het__driver {
	const char *short_name;   /* of the platform, in stable device names */
	const char *match;        /* part of the platform's name; NULL: the default entry */
	const char *source_name;  /* what its compiler's messages call a program's text where they do not heed
	                             #line; NULL: they do */
	const char *options_from; /* the variable of the environment whose options its compiler adds to a
	                             program's; NULL: there is none */
	enum het__flush flush;
	bool one_context;         /* all devices of the platform in one context */
	bool can_cut;             /* clCreateSubDevices works */
	bool keeps_parts;         /* sub-devices are never released: it uses them after their commands ended */
	bool programs_apart;      /* two devices must not run one compiled program (seat.h), and its binary is
	                             to be asked for before it runs */
	bool groups_by_extents;   /* its choice of a work-group is often a bad one (range.h) */
	bool vectors_within;      /* a processor's vectors are made of a work-item's loops (reducer.c) */
	bool small_pages;         /* a processor's buffers are in pages of the usual size (block.c) */
	bool runs_in_caller;      /* a flush runs the commands in the caller; not thread-safe */
	bool clock_wrong;         /* profiling times are not to be believed */
	bool maps_once;           /* mapped twice at one address, a buffer cannot be unmapped twice */
	bool lost_in_forks;       /* once it has come up it is of no use to children: they wait for ever for its
	                             threads, or are refused by it */
	bool pins_wrapped;        /* it pins the host's memory that a buffer is made over, and then copies to
	                             and from there several times faster */
	bool takes_early;         /* a write takes the host's bytes when it is enqueued, not when what it waits
	                             for has ended */
	bool events_dear;         /* an event costs a good part of what a launch costs, and after a command that
	                             failed none of its context succeeds */
	bool waits_spin;          /* clWaitForEvents spins a core: poll instead, after 50 us with sleeps */
};
const struct het__driver *het__driver_of(const char *platform_name);

/** Devices that can pass events and buffers to each other. */
struct het__context {
	int index;
	cl_context cl;            /* NULL until a device of it is first used */
	het_system *system;
	const struct het__driver *driver;
	cl_platform_id platform;
	int device_count;
	het_device **devices;     /* borrowed */
};

/** One physical memory. Number 0 is the host's. */
struct het__memory {
	int index;
	het_device *owner;        /* NULL: the host's */
	int known;                /* its number in the calibration (0: the host's), or -1 */
	uint64_t block_bytes;     /* that blocks take there now; not counted for the host's */
	uint64_t gone_bytes;      /* of freed blocks, whose buffers kernels may still have */
};

struct het_device {
	unsigned magic;
	int index;                /* in the system */
	het_system *system;
	char *name;               /* stable: "pocl:cpu0.1" */
	char *hardware, *platform, *driver_version, *opencl;
	const struct het__driver *driver;
	struct het__cl_device_facts facts;
	cl_device_id id;
	int seat;                 /* among all of the process, or -1: seat.h */
	het_device *next_seated;  /* the list is seat.c's */
	bool is_part;             /* a sub-device: released with the system */
	cl_device_id root;        /* the device it is a part of, or id */
	struct het__context *context;
	struct het__memory *memory; /* NULL until first used */
	int known;                  /* the number of its own memory in the calibration, or -1 */
	atomic_bool opened;         /* context and memory are there */
	bool copies_apart;          /* copies have a queue of their own */
	struct het__lane *lane;     /* both made by the task room at first use */
	struct het__lane *copies;   /* where nothing is apart: `lane` */
	uint64_t launches, kernel_ns, bytes_in, bytes_out;
	uint64_t timed;             /* launches that kernel_ns is of */
};

/** As people and calibrations call it: its owner's name, or "host". */
static inline const char *het__memory_name(const struct het__memory *memory)
{
	return memory->owner ? memory->owner->name : "host";
}

/* Rooms above this one keep their state here; they are closed from the highest to the lowest. */
enum het__room {
	HET__ROOM_TASK,
	HET__ROOM_KERNEL,
	HET__ROOM_STORE,
	HET__ROOM_ROUTE,
	HET__ROOM_ARRAY,
	HET__ROOM_LAUNCH,
	HET__ROOMS
};

struct het__room_state {
	void *state;
	/** Waits for all that was begun, and what that begins. With the lock. */
	void (*drain)(het_system *system);
	/** First half of closing, without the lock: may wait. Only the closing thread begins anything now.
	 *  Returns the first failure nobody was told of. */
	het_status (*settle)(het_system *system);
	/** Second half: frees everything; nothing is running any more. */
	void (*free)(het_system *system);
};

struct het_system {
	atomic_uint magic;        /* changed with the lock, read without */
	unsigned fork_generation; /* of the process that opened it: handle.c */
	pthread_mutex_t lock;
	pthread_cond_t all_back;  /* while it is being closed: neither `waiting` nor `holding` calls are left */
	pthread_mutex_t open_lock; /* taken before `lock`, held while a device is opened */
	struct het__logger *logger;
	const atomic_bool *log_news; /* the logger's */
	atomic_uint failed_calls;
	_Atomic(char *) first_failed; /* the text of the first of them; NULL: none, or there was no memory */
	atomic_bool failures_told;
	het_system *next_listed;  /* the list is untold.c's */
	bool share;               /* memories may be shared (proved first) */
	atomic_bool profile;      /* kernels are timed; set later by het_team_rebalance, never cleared */
	bool rehearses;           /* launches are tried on copies first: launch/rehearse.h */
	_Atomic(void *) images;   /* memory that such copies had, for the next ones; NULL: none */
	int queues;               /* of a device, as $HETERO_QUEUES has it: 1 or 2; 0: as measured */
	struct het__watch *watch; /* NULL: neither HETERO_TRACE nor HETERO_STATS; lib/trace */
	const char *route;        /* what $HETERO_ROUTE names, or NULL */
	bool packs;               /* devices are made ready for the route pack when they are opened */
	size_t chunk_bytes;       /* of a part of a transfer that is made in parts; 0: HET__CHUNK_BYTES */
	int depth;                /* how many such parts may be on their way at a time; 0: not said */
	int64_t patience_ns;      /* until a device that does not answer is reported; 0: it is not */
	size_t staging_bytes;     /* most that all staging buffers and what is pinned may have together */
	size_t pinned_bytes;      /* of arrays: store/pin.h */
	struct het__calibration *calibration; /* NULL: none; stays as it is from het_open on */
	bool calibration_off;     /* there is none by the user's wish */
	struct het__told *told;   /* decisions that the log has been told of: route/tell.c */
	int told_count, told_room;
	int device_count, context_count, memory_count;
	het_device **devices;
	struct het__context **contexts;
	struct het__memory **memories; /* [0] is the host's */
	struct het__room_state room[HET__ROOMS];
	struct het_stats count;   /* the counters het_stats copies; gauges are filled in by their rooms */
	struct het__flow_row *flows; /* what moved, by pair and route: flow.c; het__free'd with the system */
	int flow_count, flow_room;
	struct het__verdicts *verdicts; /* what trials of sharing showed: verdict.c, under open_lock */
	uint64_t buffers_freed;   /* of blocks: once it has grown, a new block may have an old one's address */
	int waiting;              /* callers that have dropped the lock in the middle of a call */
	int holding;              /* callers that do anything else without it, and go on afterwards: build
	                             kernels, open devices, hand log lines out */
	atomic_int visitors[2];   /* callers that wait for the lock, or say without it that they were refused */
	atomic_uint turn;         /* who comes is counted in visitors[turn % 2] */
	void *graveyard;          /* freed handles that any of these may look at; with debug checks all */
	void *old_graves;         /* of the turn before */
};

/** Of all devices. With the lock. */
static inline uint64_t het__system_launches(const het_system *system)
{
	uint64_t launches = 0;

	for (int d = 0; d < system->device_count; d++)
		launches += system->devices[d]->launches;
	return launches;
}

/** A system opened under another count of forks belongs to an ancestor: its locks may be held by threads that
 *  are not here, and the drivers' threads are not here either. */
static inline bool het__system_is_ours(const het_system *system)
{
	return system->fork_generation == atomic_load_explicit(&het__forks, memory_order_relaxed);
}

static inline bool het__system_is_usable(const het_system *system)
{
	return system && atomic_load_explicit(&system->magic, memory_order_relaxed) == HET__MAGIC_SYSTEM &&
	       het__system_is_ours(system);
}

/** HET_OK, or HET_ERR_HANDLE or HET_ERR_CONTEXT (after fork) naming `what`. No lock needed. While a system is
 *  being closed it is alive for callbacks, whose tasks are waited for, and for the thread that closes it. */
het_status het__system_complain(const het_system *system, const char *what);
static inline het_status het__system_check(const het_system *system, const char *what)
{
	return het__system_is_usable(system) ? HET_OK : het__system_complain(system, what);
}

/** Checks a system handle and takes its lock. `what` names the call. HET_ERR_HANDLE, HET_ERR_CONTEXT (after
 *  fork). */
het_status het__enter_closing(het_system *system, const char *what);
het_status het__enter_waiting(het_system *system, const char *what);
static inline het_status het__enter(het_system *system, const char *what)
{
	if (!het__system_is_usable(system))
		return het__enter_closing(system, what);
	return pthread_mutex_trylock(&system->lock) ? het__enter_waiting(system, what) : HET_OK;
}

/** Ends the count of a call that dropped the lock, in `*counter`: &system->waiting or &system->holding. As long
 *  as any is counted the system stays, and so do handles that are freed. With the lock. */
static inline void het__back(het_system *system, int *counter)
{
	if (--*counter == 0)
		pthread_cond_broadcast(&system->all_back);
}

/** Between the two a call of several steps is counted in `holding`. After the second, which returns `status`,
 *  it looks at nothing of the system any more. Without the lock. */
het_status het__hold(het_system *system, const char *what);
het_status het__let_go(het_system *system, het_status status);

/** Logs, as het__leave_with does, a call of the program's that failed before it had the lock, if the system can
 *  be used. Returns `status`. Called WITHOUT the lock. */
het_status het__refuse(het_system *system, het_status status) __attribute__((cold));

/** Drops the lock and hands waiting log lines out. */
void het__leave(het_system *system);
/** For a caller that has the lock and is going to sleep: hands out what may have been logged, for which the
 *  lock is dropped. False: there is nothing, and the lock was not dropped. */
bool het__tell_news(het_system *system);
/** het__leave at the end of a call of the program's: returns `status`, and logs a failure, for programs that do
 *  not look at it. HET__AGAIN and other positive statuses are no failures. */
void het__log_failure(het_system *system) __attribute__((cold));
static inline het_status het__leave_with(het_system *system, het_status status)
{
	if (status < HET_OK)
		het__log_failure(system);
	het__leave(system);
	return status;
}

/** Takes (drops) the system's lock if the device's driver is not thread-safe: whoever gives it commands has
 *  that lock. Called WITHOUT it. */
static inline void het__driver_lock(const het_device *device)
{
	if (device->driver->runs_in_caller)
		pthread_mutex_lock(&device->system->lock);
}
static inline void het__driver_unlock(const het_device *device)
{
	if (device->driver->runs_in_caller)
		pthread_mutex_unlock(&device->system->lock);
}

/** A device, of a system that may belong to another process. No lock needed. */
static inline bool het__is_device(const het_device *device)
{
	return device && device->magic == HET__MAGIC_DEVICE;
}

/** HET_OK, or HET_ERR_HANDLE naming `what` when the device is NULL or freed. No lock needed. */
het_status het__device_complain(const het_device *device, const char *what);
static inline het_status het__device_check(const het_device *device, const char *what)
{
	if (het__is_device(device) && het__system_is_usable(device->system))
		return HET_OK;
	return het__device_complain(device, what);
}

/** HET_ERR_HANDLE: "what: the device is a team", or NULL, or `gone`: no handle that lives. `what` may be
 *  NULL. */
het_status het__complain_of(const void *handle, const char *wanted, const char *gone, const char *what)
	__attribute__((cold));

/** As het__refuse, of a call that was given this device, which need not be one. */
static inline het_status het__device_refuse(const het_device *device, het_status status)
{
	return het__refuse(het__is_device(device) ? device->system : NULL, status);
}

/** A mapper of a system's that this thread is in. */
struct het__ask {
	het_system *system;
	unsigned magic;               /* the system's before: it may be in the middle of being closed */
	bool has_refused;             /* a call */
	struct het__ask *around;      /* another system's, whose mapper has called this one's */
};

/** Between the two a function of the program's runs with the lock, which they neither take nor drop. Its own
 *  calls are refused, for they would wait for ever; those of other threads wait. With the lock. */
void het__ask_begin(struct het__ask *ask, het_system *system);
void het__ask_end(struct het__ask *ask);

/** HET_ERR_CONTEXT naming `what` when called from inside a callback, else HET_OK. */
het_status het__may_wait(const char *what);

static inline bool het__is_open(const het_device *device)
{
	return atomic_load_explicit(&device->opened, memory_order_acquire);
}

/** Makes a device ready for its first use: context, memory (with the proof of sharing where it applies).
 *  Called WITHOUT the system's lock, because it waits: openings are serialised by open_lock and published
 *  with release order in `opened`. Cheap when done already (one acquire load). A caller that goes on afterwards
 *  is counted (het__hold). */
het_status het__device_open_first(het_device *device);
static inline het_status het__device_open(het_device *device)
{
	return het__is_open(device) ? HET_OK : het__device_open_first(device);
}

/** What a freed handle's memory becomes. It still has the system, so that a call that took the lock by this
 *  handle can drop it. */
struct het__grave {
	unsigned magic; /* HET__MAGIC_DEAD */
	het_system *system;
	struct het__grave *next;
};
/** Does a type of handles begin as its graves do? */
#define HET__CAN_BE_BURIED(type)                                                                        \
	_Static_assert(offsetof(type, magic) == 0 && sizeof(type) >= sizeof(struct het__grave) &&       \
			       offsetof(type, system) == offsetof(struct het__grave, system),           \
		       #type " does not begin as struct het__grave")

/** Frees a handle's memory, or with debug checks marks it dead and keeps it until the system closes. In other
 *  builds it stays while some caller waits. With the lock. */
void het__bury(het_system *system, void *handle);

/** The steps of closing, without the lock; they wait. After shut: only callbacks and the calling thread are let
 *  in any more, and who was inside has left. HET_ERR_HANDLE: another thread is closing it. After drain: all
 *  tasks have ended, and callbacks begin no more. After end: nobody is let in, and no callback runs. */
het_status het__system_shut(het_system *system);
void het__system_drain(het_system *system);
void het__system_end(het_system *system);
/** Closes a system all of whose rooms are settled and freed. Without the lock. */
void het__system_free(het_system *system);

#endif
