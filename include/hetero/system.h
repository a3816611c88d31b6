/* system.h - opening the machine, its devices, waiting for everything, counters.
 *
 * A system is everything het_open found: devices, their memories, what runs and what is stored there.
 * There is no global state. Two systems know nothing of each other, except that both write into the one file
 * that $HETERO_TRACE names. Any thread may call any function; the calls on one system take effect in the order
 * in which they get its lock. But two threads may not use two systems with Oclgrind's device at once: that
 * driver cannot do it, and results are wrong, or the program crashes. They may share one system there, too.
 * A thread must not be cancelled (pthread_cancel) inside a call. A function of the program's that the library
 * calls must return, not leave by an exception, longjmp or pthread_exit. Otherwise the system may stay locked.
 * After fork() a child may not use its parent's system: calls return HET_ERR_CONTEXT. If the parent has called
 * het_open, the child cannot open a system of its own with devices of PoCL, rusticl or NVIDIA's driver, which
 * are of no use after a fork: het_open returns HET_ERR_CONTEXT, too.
 */
#ifndef HETERO_SYSTEM_H
#define HETERO_SYSTEM_H

#include <hetero/shape.h>
#include <hetero/status.h>

HET_BEGIN_DECLS

typedef struct het_system het_system;
typedef struct het_device het_device;

enum het_log_level {
	HET_LOG_ERROR = 0,
	HET_LOG_WARN = 1,
	HET_LOG_INFO = 2,
	HET_LOG_DEBUG = 3,
	HET_LOG_TRACE = 4
};

/** Receives one log line, without a newline, on any thread that is in a call or belongs to the library; that
 *  thread holds no lock of the library's, and goes on when the function returns. This is a callback, as are the
 *  functions of het_call and het_native: in it functions that wait return HET_ERR_CONTEXT. What fails in it
 *  does not change what het_error_last says outside. Lines that its own calls log are given to it, too, but not
 *  those that they log while it handles such a line. When the last lines of het_close come, nothing can be
 *  begun any more (HET_ERR_HANDLE). */
typedef void (*het_log_fn)(void *user, enum het_log_level level, const char *line);

/** Which devices use the host's memory in place. DEFAULT: as $HETERO_SHARE says, else as PROVED. PROVED: CPU
 *  devices that were proved to see what is written there. OFF: none; each has a memory of its own. */
enum het_share { HET_SHARE_DEFAULT = 0, HET_SHARE_PROVED = 1, HET_SHARE_OFF = 2 };

/** How to open a system. Set what you need after `struct het_options o = HET_OPTIONS_INIT;`. */
struct het_options {
	size_t size;          /* sizeof(struct het_options): lets the struct grow */
	const char *devices;  /* a selection (het_open), but not ""; NULL: $HETERO_DEVICES or, where that is
	                         not set or empty, every device */
	enum het_share share; /* which devices use the host's memory in place */
	int profile;          /* nonzero: record kernel times (het_kernel_times); $HETERO_TRACE does so too */
	het_log_fn log;       /* NULL: stderr, filtered by $HETERO_LOG. Levels: error, warn (the default), info
	                         (also what compilers say of the kernels that they make, and each call that
	                         fails, het_open too, unless it is on a handle that cannot be used), debug,
	                         trace.
	                         Topics, of which all is shown: system, kernel, task, route, spread */
	void *log_user;
	enum het_log_level log_level; /* for `log`: lines above this level are not passed */
};
#ifdef __cplusplus
#define HET_OPTIONS_INIT het__init<struct het_options>()
#else
#define HET_OPTIONS_INIT {.size = sizeof(struct het_options), .log_level = HET_LOG_WARN}
#endif

/** Opens the machine: finds the devices; contexts and queues are made at a device's first use.
 *
 *  A selection is a comma-separated list of terms ("gpu", "pocl:cpu/1", "nvidia:gpu0,pocl:cpu"). Devices come
 *  in the order of the terms, each once:
 *      term  := [PLATFORM ":"] WHAT ["/" UNITS]
 *      WHAT  := ("*" | "cpu" | "gpu" | "accelerator" | "other" | text) [digits] | digits
 *  PLATFORM is a part of the platform's name, or its short name (pocl, rusticl, oclgrind, nvidia...).
 *  Text is a part of the device's name. Where no device is called so, a platform's short name alone stands for
 *  all its devices ("rusticl" for "rusticl:*"). Digits that follow number what matches, from 0, on
 *  each platform ("cpu1": its second CPU device), unless a device's name has them ("H200"). Digits alone number
 *  the platform's devices ("pocl:0") or, without a platform, all devices in the order of a system opened
 *  without a selection ("1"). Where there are not so many devices, digits alone are a number in a device's name
 *  ("4090"); one or two digits then match only with no letter or point beside them, so that "1" is no CPU with
 *  avx512. "/1" cuts the device into sub-devices of one compute unit each. Where a kind is all that is named
 *  ("cpu/1"), a device that cannot be cut is taken whole. A stable name ("pocl:cpu0", "pocl:cpu0.1"; of parts
 *  of two units "pocl:cpu0.1/2") selects just that device. Upper and lower case are the same.
 *
 *  $HETERO_TRACE names a file for a timeline of all that happens, as JSON that Perfetto opens; %p in it is
 *  the number of the process. Each launch is a slice with its kernel's name; where a spread's edges are
 *  launched apart (het_team_overlap), they are "name (edge)", and the rest is "name (interior)". The file is
 *  complete at any time, and written at least when het_wait or het_wait_all returns after a wait. If it cannot
 *  be written, the log says so, and nothing else changes. $HETERO_TRACE also switches `profile` on. With
 *  $HETERO_STATS=1 a table of what was done is printed on stderr when the system is closed or the program
 *  exits.
 *
 *  A program that ends without het_close, by exit or by returning from main, first waits for the kernels and
 *  copies that it has started, since drivers crash that end before them. It does not wait for those that a
 *  function of the program's keeps from beginning, and waits $HETERO_PATIENCE seconds at most (30 where that is
 *  0). Wrapped memory is not written back. Where calls have failed, het_open or others, and no thread has ever
 *  asked for a message, a warning on stderr says how many, and how the first did, as het_close does in the log
 *  ($HETERO_LOG=error: it is left out).
 *
 *  `options` may be NULL. Ownership: het_close. Blocks while drivers start. Any thread.
 *  Errors: HET_ERR_NO_DEVICE (the text says which link is missing: loader, ICD file, vendor library,
 *  permission), HET_ERR_SELECTION (nothing matches, or a device cannot be cut as it asks), HET_ERR_ARGUMENT,
 *  HET_ERR_CONTEXT (after a fork), HET_ERR_MEMORY, HET_ERR_DEVICE (a driver does not answer what every driver
 *  must). */
HET_API het_status het_open(const struct het_options *options, het_system **system_p);

/** Waits for everything (also what callbacks begin meanwhile), frees every array and kernel left (wrapped ones
 *  are written back first), and the system itself; all its handles are dead afterwards. Maps that are left end
 *  here, and a warning in the log names their arrays. NULL is allowed.
 *  Calls of other threads that are under way are waited for; one that still has a step to make, such as a
 *  launch whose kernel is being built, returns HET_ERR_HANDLE. Other threads must not begin a call at the same
 *  time or later, as with any dead handle.
 *  Returns the first failure to write a wrapped array back, else the first asynchronous failure that the
 *  program has not been told of (the log gets the others); the system is freed all the same. Errors: also
 *  HET_ERR_CONTEXT (inside a callback, after fork: nothing happens), HET_ERR_HANDLE (another thread is closing
 *  it). */
HET_API het_status het_close(het_system *system);

/** How many devices the system has: at least 1. 0 for NULL. */
HET_API int het_device_count(const het_system *system);

/** Device number `index`, or NULL where there is none. Owned by the system. */
HET_API het_device *het_device_at(const het_system *system, int index);

/** The short form of het_device_at: het_device(system, index). */
#define het_device(system, index) het_device_at((system), (index))

/** The device with a stable name; NULL where there is none. Owned by the system. */
HET_API het_device *het_device_named(const het_system *system, const char *name);

enum het_device_type {
	HET_DEVICE_CPU = 1,
	HET_DEVICE_GPU = 2,
	HET_DEVICE_ACCELERATOR = 3,
	HET_DEVICE_OTHER = 4
};

/** What is known of a device. Strings are owned by the system. They are UTF-8 without control characters but
 *  newlines; anything else in a driver's text has become a question mark. */
struct het_device_info {
	size_t size;          /* in: sizeof(struct het_device_info) */
	const char *name;     /* stable name: "pocl:cpu0", "pocl:cpu0.1" (a part of one unit), "pocl:cpu0.1/2"
	                       * (of two), "nvidia:gpu1" */
	const char *hardware; /* the driver's name for it */
	const char *platform;
	const char *driver;   /* driver version */
	const char *opencl;   /* "OpenCL 3.0 ..." */
	enum het_device_type type;
	int index;            /* its number in the system */
	int memory;           /* number of its memory; 0 is the host's */
	int is_part;          /* nonzero for a sub-device */
	int has_double, has_half;
	unsigned compute_units, clock_mhz;
	unsigned base_align_bytes; /* alignment of buffer offsets; 0: the driver does not tell */
	uint64_t memory_bytes, max_alloc_bytes, local_bytes, max_work_group;
	int queues;                /* 2: copies have one of their own, beside the kernels' */
};
#ifdef __cplusplus
#define HET_DEVICE_INFO_INIT het__init<struct het_device_info>()
#else
#define HET_DEVICE_INFO_INIT {.size = sizeof(struct het_device_info)}
#endif

/** Fills `info` (whose size is set). `memory` and `queues` are settled only once the device has been used:
 *  before that the call opens the device and, where needed, proves whether it shares the host's memory.
 *  Errors: HET_ERR_HANDLE, HET_ERR_ARGUMENT, HET_ERR_DEVICE, HET_ERR_MEMORY. */
HET_API het_status het_device_info(het_device *device, struct het_device_info *info);

/** Waits until every task of the system (launch, copy, fill, function) has finished.
 *  Returns HET_ERR_LOST for the first asynchronous failure that the program has not been told of (by a map, a
 *  read, a wait for an array); the text names it and says how many there are. Each call tells one: HET_OK when
 *  none is left. 64 are kept; further ones go to the log.
 *  Errors: also HET_ERR_CONTEXT (inside a callback), HET_ERR_HANDLE. */
HET_API het_status het_wait_all(het_system *system);

/** What has happened since het_open. Bytes are payload bytes. A transfer goes from one memory to
 *  another; a repack is a copy inside one memory. Not counted: what het_read and het_write copy at once,
 *  without a task (64 KiB at most, of what the host's memory holds). */
struct het_stats {
	size_t size; /* in: sizeof(struct het_stats) */
	uint64_t launches, fills, host_calls, maps;
	uint64_t transfers, transfer_bytes;
	uint64_t repacks, repack_bytes;
	uint64_t held;     /* tasks that had to wait for something of another context or of the host */
	uint64_t failures; /* tasks that failed, or whose input was lost */
	uint64_t unfinished;   /* tasks not yet known to have finished, now */
	uint64_t live_arrays, live_events, live_buffers;
	uint64_t directory_merges; /* of unequal boxes in the lists of valid copies, to keep these short */
	uint64_t staging_bytes; /* host memory that transfers pass through, now, pinned where it can be */
};
#ifdef __cplusplus
#define HET_STATS_INIT het__init<struct het_stats>()
#else
#define HET_STATS_INIT {.size = sizeof(struct het_stats)}
#endif

/** Reads the counters. Never waits. Errors: HET_ERR_HANDLE, HET_ERR_ARGUMENT. */
HET_API het_status het_stats(het_system *system, struct het_stats *stats);

/** Counters of one way that data took. Memory 0 is the host's; `het_device_info` says which memory a device
 *  uses. Where `from` and `to` are equal they count repacks (het_stats). */
struct het_flow {
	size_t size; /* in: sizeof(struct het_flow) */
	int from, to;
	const char *route; /* "copy", "staged", "repack"... */
	uint64_t count, bytes;
};
#ifdef __cplusplus
#define HET_FLOW_INIT het__init<struct het_flow>()
#else
#define HET_FLOW_INIT {.size = sizeof(struct het_flow)}
#endif

/** Reads flow number `index`, 0 and up, of those that have moved something, ordered by from, to, route.
 *  Errors: HET_ERR_ARGUMENT (no such flow; past the last one it is how a loop ends, and not logged),
 *  HET_ERR_HANDLE. */
HET_API het_status het_flow_at(het_system *system, int index, struct het_flow *flow);

/** What one device has done. `kernel_ns` is the time of the launches that ended well while kernels were timed:
 *  with profiling all of them, after het_team_rebalance those since. */
struct het_device_stats {
	size_t size; /* in: sizeof(struct het_device_stats) */
	uint64_t launches, kernel_ns;
	uint64_t bytes_in, bytes_out; /* into and out of its memory, when that is not the host's */
	uint64_t array_bytes; /* in its memory now, when that is not the host's: of arrays, or windows of them,
	                         and of what copies within an array need while they run; devices that share
	                         the memory have the same */
};
#ifdef __cplusplus
#define HET_DEVICE_STATS_INIT het__init<struct het_device_stats>()
#else
#define HET_DEVICE_STATS_INIT {.size = sizeof(struct het_device_stats)}
#endif

/** Fills `stats`, whose size is set, with what the device has done. Does not wait.
 *  Errors: HET_ERR_HANDLE, HET_ERR_ARGUMENT. */
HET_API het_status het_device_stats(het_device *device, struct het_device_stats *stats);

HET_END_DECLS

#ifdef __cplusplus
template <> inline struct het_options het__init<struct het_options>()
{
	struct het_options o = het_options();
	o.size = sizeof(o);
	o.log_level = HET_LOG_WARN;
	return o;
}
#endif

#endif
