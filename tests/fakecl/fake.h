/* fake.h - what the files of the fake driver share.
 *
 * One lock, `fake.lock`, guards everything. Every call of OpenCL takes it with fake_enter and drops it with
 * fake_leave; internal functions are called with it held. It is dropped while a command's body runs, so that
 * the host goes on beside a kernel.
 *
 * The driver has no threads: commands run in whoever waits for them, in the order that schedule.c picks.
 */
#ifndef FAKECL_FAKE_H
#define FAKECL_FAKE_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl_icd.h>

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "calls.h"

#define MEMORIES_MOST 16
#define NOWHERE       (-1) /* memory of a buffer that no device has used yet */
#define POISON        0xDB /* fills fresh memory */

/* ---- objects ------------------------------------------------------------------------------------ */

enum fake_kind { PLATFORM, DEVICE, CONTEXT, QUEUE, MEM, PROGRAM, KERNEL, EVENT, KINDS };

/* First in every object; the loader reads `dispatch`. */
struct object {
	const cl_icd_dispatch *dispatch;
	enum fake_kind kind;
	unsigned long number;         /* counts all objects ever made: its name in messages */
	int refs;                     /* the program's: 0 once it has released the object */
	int holds;                    /* the driver's own */
	struct object *next;          /* of the dead */
};

struct _cl_platform_id {
	struct object object;
	char name[128];
	int device_count;
	struct _cl_device_id **devices;
};

struct _cl_device_id {
	struct object object;
	cl_platform_id platform;
	cl_device_id parent;          /* NULL unless a sub-device */
	cl_device_type type;
	char name[128];
	int memory;                   /* index in fake.memories; 0 is the host's */
	cl_ulong size_bytes, alloc_bytes, local_bytes;
	size_t align_bytes, max_group;
	size_t early_bytes;           /* such flat writes take the host's bytes when they are enqueued */
	cl_uint units, parts;
	bool fp64;
	int index;                    /* in the machine; of its root for a sub-device */
	long executed, stop_after;    /* commands; stop_after < 0: never */
};

struct _cl_context {
	struct object object;
	cl_uint device_count;
	cl_device_id *devices;
	size_t align_bytes;           /* the largest of its devices' */
	int memory;                   /* of all its devices, NOWHERE where they differ */
	bool dead;                    /* a command failed, and none succeeds from then on */
};

struct _cl_command_queue {
	struct object object;
	cl_context context;
	cl_device_id device;
	cl_command_queue_properties properties;
	cl_event head, tail;          /* unfinished commands */
	cl_command_queue next;        /* of all queues */
	unsigned long seen;           /* stamp of schedule.c's search */
};

/* A device's memory: one block, with guards around it where the driver made it. */
struct block {
	unsigned char *bytes, *allocation;
	size_t size, allocated;
	bool shares; /* the allocation, its pages: fresh.c */
};

struct mapping {
	struct mapping *next;
	cl_mem mem;                   /* that was mapped, and is to be unmapped; only compared */
	unsigned char *at;
	size_t offset, bytes;
	cl_map_flags flags;
	bool pending;                 /* its map has not ended */
	bool mapped, leaving;         /* its map has ended, and its unmap not begun; its unmap is enqueued */
	bool owned, shares;           /* `at` was made for this map; shares its pages (fresh.c) */
};

struct _cl_mem {
	struct object object;
	cl_context context;
	cl_mem parent;                /* of a sub-buffer */
	cl_mem_flags flags;
	size_t size, origin;
	unsigned char *host;          /* CL_MEM_USE_HOST_PTR */
	int home;                     /* memory, or NOWHERE; of a root only, as is all below */
	bool copied_into;             /* before it had a home */
	struct block block;           /* at home */
	struct block *strays;         /* by memory: after counted violations */
	struct mapping *mappings;
};

/* ---- commands ----------------------------------------------------------------------------------- */

enum fake_run {
	RUN_NDRANGE, RUN_READ, RUN_WRITE, RUN_COPY, RUN_FILL, RUN_MAP, RUN_UNMAP, RUN_MARKER, RUN_KINDS
};

/* One end of a transfer: a buffer or host memory. */
struct side {
	cl_mem mem;
	unsigned char *host;
	size_t offset, row, slice;
};

struct transfer {
	struct side from, to;
	size_t region[3];
};

struct fill {
	cl_mem mem;
	unsigned char pattern[128];
	size_t pattern_bytes, offset, bytes;
};

struct map_work {
	cl_mem mem;
	struct mapping *mapping;
};

struct arg {
	enum { ARG_UNSET, ARG_VALUE, ARG_MEM, ARG_LOCAL } what;
	cl_mem mem;                   /* may be NULL */
	size_t bytes;
	unsigned char *value;
};

struct range {
	unsigned rank, backwards;
	size_t offset[3], global[3], local[3];
};

struct launch {
	cl_kernel kernel;
	struct arg *args;
	struct range range;
};

struct _cl_event {
	struct object object;
	cl_context context;
	cl_command_queue queue;       /* NULL: a user event */
	cl_command_type type;
	enum fake_run run;
	cl_int status;                /* CL_SUBMITTED: flushed; negative: failed */
	bool doomed;                  /* a command before it in its queue failed */
	unsigned polls;
	cl_uint wait_count;
	cl_event *waits;
	cl_event next;                /* in its queue */
	cl_ulong times[4];            /* queued, submitted, start, end: ns */
	void *taken;                  /* of the host's bytes, when it was enqueued; freed when it ends */
	union {
		struct transfer transfer;
		struct fill fill;
		struct map_work map;
		struct launch launch;
	} work;
};

/* ---- programs ----------------------------------------------------------------------------------- */

struct param {
	char *name, *type;
	cl_kernel_arg_address_qualifier address;
	cl_kernel_arg_type_qualifier qualifier;
	size_t bytes;                 /* of a value; of a pointer's target what it must be aligned to */
};

struct kernel_info {
	char *name;
	int param_count;
	struct param *params;
	size_t required[3];           /* reqd_work_group_size */
	void (*call)(void **args);
};

/* A compiled text. Builds live as long as the process: the same text is compiled once. */
struct build {
	struct build *next;
	char key[40];                 /* of text and options */
	char *path;                   /* of the shared object; NULL: does not build */
	char *log;
	bool barriers;
	int kernel_count;
	struct kernel_info *kernels;
	pthread_mutex_t turn;         /* held while one of the kernels runs */
};

struct program_on {
	struct build *build;          /* NULL: not built */
	unsigned char *binary;        /* as given to clCreateProgramWithBinary */
	size_t binary_bytes;
	char *options;
	bool arg_info;
};

struct _cl_program {
	struct object object;
	cl_context context;
	char *source;                 /* NULL: from a binary */
	cl_uint device_count;
	cl_device_id *devices;
	struct program_on *on;        /* by device */
	int kernels;                  /* made of it and alive */
};

struct _cl_kernel {
	struct object object;
	cl_program program;
	char *name;
	int param_count;
	struct arg *args;
};

/* ---- the driver --------------------------------------------------------------------------------- */

enum fake_order { ORDER_FIFO, ORDER_LATE, ORDER_RANDOM };

struct memory {
	char name[64];
	cl_ulong limit_bytes, used_bytes;
};

struct fault {
	struct fault *next;
	long left;                    /* calls or executions until it strikes */
	cl_int code;
};

struct fake {
	pthread_mutex_t lock;
	pthread_cond_t changed;       /* an event changed its status, or a queue was flushed */
	int platform_count, memory_count, device_count;
	cl_platform_id *platforms;
	struct memory memories[MEMORIES_MOST];
	cl_command_queue queues;
	enum fake_order order;
	uint64_t random;
	unsigned polls;               /* of an event until `late` takes a step towards it */
	long patience_ms;             /* of a wait that nothing but another thread could end */
	long latency_us[RUN_KINDS];
	long mib_us[RUN_KINDS];       /* of transfers: beside that, for each MiB */
	size_t corrupt_from[RUN_KINDS]; /* transfers of so many bytes get one wrong; 0: none */
	cl_ulong ahead_ns;            /* of device 0's clock before the host's; of device 1's twice that... */
	long delay_us;                /* of calls and commands, at most; the state of their random numbers */
	uint64_t delay_random;
	bool fail_successors, contexts_die, count_violations, null;
	long violations;
	struct fault *call_faults[FAKE_CALL_COUNT], *run_faults[RUN_KINDS];
	long calls[FAKE_CALL_COUNT], runs[RUN_KINDS], alive[KINDS], made[KINDS];
};
extern struct fake fake;
extern const char *const fake_call_names[FAKE_CALL_COUNT], *const fake_run_names[RUN_KINDS],
	*const fake_kind_names[KINDS];
extern const cl_icd_dispatch fake_dispatch;

/* icd.c: beginning and end of every call. fake_enter returns the code of a scripted failure. */
cl_int fake_enter(enum fake_call call);
cl_int fake_leave(cl_int code);
/** Ends a call that makes an object: stores the code where the caller wants it. */
void *fake_leave_with(void *object, cl_int code, cl_int *code_p);

/* report.c */
/** Something that OpenCL forbids and real drivers let pass: said on stderr with the call's name, then abort. */
void fake_violation(const char *format, ...) __attribute__((format(printf, 1, 2)));
void fake_report(void);
void *fake_alloc(size_t bytes); /* zeroed; ends the process without memory, as only a test driver may */
char *fake_strdup(const char *text);
enum fake_call fake_current_call(void);
void fake_set_call(enum fake_call call);

/* fresh.c */
/** Memory full of POISON (but for the middle of more than 128 MiB). */
unsigned char *fake_fresh(size_t bytes, bool *shares_p);
void fake_fresh_free(unsigned char *at, size_t bytes, bool shares);
/** Fills memory with POISON, and does not write where that is all there is. */
void fake_poison(unsigned char *at, size_t bytes);
/** Copies what differs: pages that nobody has written stay shared. */
void fake_copy_changed(unsigned char *to, const unsigned char *from, size_t bytes);

/* object.c */
void *fake_object_new(enum fake_kind kind, size_t bytes);
/** Is this a living object of the kind? One that was released ends the process. */
bool fake_is(const void *handle, enum fake_kind kind);
cl_int fake_retain(void *handle, enum fake_kind kind, cl_int otherwise);
cl_int fake_release(void *handle, enum fake_kind kind, cl_int otherwise);
void fake_hold(void *object);
void fake_unhold(void *object);
/** Answers a query: copies `bytes` of `value` if there is room. */
cl_int fake_answer(const void *value, size_t bytes, size_t room, void *to, size_t *bytes_p);
cl_int fake_answer_text(const char *text, size_t room, void *to, size_t *bytes_p);
#define FAKE_ANSWER(value, room, to, bytes_p) fake_answer(&(value), sizeof(value), room, to, bytes_p)

/* machine.c */
bool fake_machine_read(const char *path);

/* platform.c, context.c */
cl_device_id fake_root_device(cl_device_id device);
bool fake_context_has(cl_context context, cl_device_id device);
void fake_context_drop(cl_context context);
void fake_queue_drop(cl_command_queue queue);
void fake_device_drop(cl_device_id device);

/* memory.c */
void fake_mem_drop(cl_mem mem);
cl_mem fake_mem_root(cl_mem mem);
/** The device is going to use the buffer: traps a second memory. `copying`: as an end of a copy. */
cl_int fake_mem_use(cl_mem mem, cl_device_id device, bool copying);
unsigned char *fake_mem_bytes(cl_mem mem, cl_device_id device, bool copying);

/* event.c */
cl_event fake_event_new(cl_context context, cl_command_queue queue, cl_command_type type, enum fake_run run);
void fake_event_drop(cl_event event);
cl_ulong fake_now_ns(void);

/* queue.c */
cl_int fake_check_queue(cl_command_queue queue, cl_uint count, const cl_event *waits);
/** Puts a new command into its queue and hands its event out; a blocking one is waited for. */
cl_int fake_enqueue(cl_event command, cl_uint count, const cl_event *waits, bool blocking, cl_event *event_p);
void fake_flush(cl_command_queue queue);

/* schedule.c */
cl_int fake_wait(cl_event event);
void fake_nudge(cl_event polled); /* some other call was made; `polled` may be NULL */
/** Runs what may be run after something became flushed or complete. */
void fake_kick(void);
/** Has it come to the command at which it was to stop? With the lock. */
bool fake_has_stopped(cl_device_id device);

/* mapped.c */
bool fake_maps_to_write(cl_map_flags flags);
bool fake_mapping_overlaps(const struct mapping *m, size_t offset, size_t bytes);
/** The command is going to run: does it touch what the host has mapped? */
void fake_check_mapped(const struct _cl_event *command);

/* execute.c */
cl_int fake_execute(cl_event command);
void fake_command_clear(cl_event command);

/* program.c, compile.c, binary.c, kernel.c */
void fake_program_drop(cl_program program);
void fake_kernel_drop(cl_kernel kernel);
int fake_program_place(cl_program program, cl_device_id device);
const struct kernel_info *fake_kernel_on(cl_kernel kernel, cl_device_id device, struct build **build_p);
struct build *fake_compile(const char *source, const char *options, bool fp64);
bool fake_options_known(const char *options);
bool fake_have_compiler(void);
/** Fills in a build from its shared object; false where that cannot be loaded, with the reason in the log. */
bool fake_build_load(struct build *build);
/** Is there a path for a file of the cache? Its name is `key` and `ending`. */
char *fake_cache_path(const char *key, const char *ending);
/** What the compiler's intermediate text `ir` says of kernels, as the driver keeps it; wrappers for them. */
char *fake_kernels_of(const char *ir);
char *fake_wrappers_of(const char *description);
void fake_describe_kernels(const char *description, struct build *build, void *library);
char *fake_read_file(const char *path, size_t *bytes_p);
bool fake_write_file(const char *path, const char *text, size_t bytes);
uint64_t fake_driver_hash(void);
void fake_key(char key[40], const char *text, const char *options, unsigned more);
struct build *fake_build_of_binary(const unsigned char *binary, size_t bytes);
unsigned char *fake_binary_of(const struct build *build, size_t *bytes_p);

/* device.c */
void fake_device_run(const struct range *range, bool barriers, void (*call)(void **), void **args);

/* fault.c, control.c */
cl_int fake_fault_due(struct fault **faults);
/** A random time of at most fake.delay_us; us. */
long fake_random_delay(void);
/** Sleeps; without the lock. */
void fake_let_pass(long us);
long fakecl_control(const char *command);
void fake_read_environment(void);


/* null.c: no command does anything. Called before the first object is made. */
extern cl_icd_dispatch fake_null_dispatch;
void fake_null_begin(void);

/* Every call, as the dispatch table has it. */
#define FAKE_SLOT(call) extern __typeof__(*((cl_icd_dispatch *)0)->call) fake_##call;
FAKE_CALLS(FAKE_SLOT)
#undef FAKE_SLOT

#endif
