/* kernel.h - the inside of a kernel: its source, what was built of it per device, signatures.
 *
 * Building waits for compilers, so it does not happen under the system's lock, but for drivers that are not
 * thread-safe (het__driver_lock): het__kernel_on is called without it and serialises builds of one kernel by
 * the kernel's own mutex (taken before the system's).
 *
 * Every device has a program of its own, built when the device is first used: to build for devices that
 * are never used would be a waste, and what is built for one device is for no other. But a device that is
 * like one already built for takes that one's binary, unless the driver has `programs_apart`. And kernels of
 * one text share what was compiled of it for a device.
 */
#ifndef HETERO_LIB_KERNEL_KERNEL_H
#define HETERO_LIB_KERNEL_KERNEL_H

#include <hetero/kernel.h>

#include "kernel/pace.h"
#include "kernel/source.h"
#include "system/seat.h"

enum het__param_kind {
	HET__PARAM_UNKNOWN, /* the driver gives no information: only the count is checked */
	HET__PARAM_BUFFER,  /* __global or __constant pointer */
	HET__PARAM_LOCAL,
	HET__PARAM_VALUE,
	HET__PARAM_OTHER,   /* image, sampler...: not supported */
	HET__PARAM_WINDOW,  /* HET_WINDOW of the prelude: a BUFFER, and behind it a struct het_window, which is
			       no argument of its own */
};

/* Kept in files: who changes the layout changes `format` of cache.c. */
struct het__param {
	enum het__param_kind kind;
	bool is_const;          /* BUFFER, WINDOW: const or __constant: may not be written */
	uint16_t ranks;         /* WINDOW: bit r: the text indexes it by HET_ATr or HET_INDEXr */
	het_type type;          /* VALUE: its type; BUFFER, WINDOW, LOCAL: the pointee's; 0: not known; of rows:
				   het__type_rows, or, printed as "float[4]*", what they are rows of */
	int at;                 /* its number in the cl_kernel: behind windows greater than here */
	size_t align_bytes;     /* that type's: what a pointer to it needs; 128 when it is not known */
	uint64_t needs;         /* BUFFER, WINDOW, UNKNOWN: of the memory it gets (base/type.h) */
	char type_name[64];     /* as the driver prints it: "float4*" */
	char name[64];
};

struct het__signature {
	int count;              /* of arguments: of the kernel's parameters without the windows */
	struct het__param param[]; /* count */
};

struct het__block;

/** A struct (HET_BYTES) of at most so many bytes is not given again while it stays the same. */
#define HET__GIVEN_ROOM 128

/** What an argument of a kernel was given last: a part of a block, a value (HET_VAL, HET_BYTES), or neither. */
struct het__given {
	const struct het__block *block; /* NULL: no array */
	size_t offset;                  /* in the block */
	size_t bytes;                   /* 0: it is not known what it was given */
	bool is_empty;                  /* bytes without a value: local memory, a NULL pointer */
	unsigned char value[HET__GIVEN_ROOM];
};

/** What it was given last is not known any more. */
static inline void het__given_forget(struct het__given *given)
{
	given->block = NULL;
	given->bytes = 0;
}

/** A kernel made ready for one device. Lives as long as the kernel; immutable but for what the system's lock
 *  guards. */
struct het__kernel_on {
	cl_program program;
	cl_kernel cl;
	struct het__signature *signature;
	struct het__signature *own_types; /* of all kernels of the program; NULL: this build did not ask */
	struct het__given *given; /* per argument; under the system's lock, as is `times`. Who sets arguments
	                             of `cl` himself does not launch it with het_launch */
	uint64_t given_at;        /* system->buffers_freed then: what was freed since may be there again */
	struct het__cl_kernel_limits limits;
	char *compiled_with; /* all that the compiler got; NULL where a binary was taken */
	char *added;         /* by the driver to that, then: "" when nothing */
	struct het__claim claim; /* where the driver has `programs_apart` */
	bool uses_double;
	bool told_of_no_result;  /* launch.c; under the system's lock */
	struct het_kernel_times times;
	struct het__paces paces;  /* not of the first launch, of which compilers may be a part; under the
	                             system's lock */
};

struct het_kernel {
	unsigned magic;
	het_system *system;
	uint64_t number;        /* no other kernel of the process has it */
	char *name;             /* "product" */
	char *title;            /* for messages: "kernel product (product.cl)" */
	const char *what;       /* the title, for messages about arguments; "" for the library's own kernels:
	                           of their arguments the program knows only arrays */
	char *source;           /* NULL for binaries */
	struct het__source_facts facts;
	char *path;             /* as given; NULL when from text */
	char *folder;           /* where the file is, absolute; NULL when from text or not to be found */
	char *options;          /* "" when none */
	char **device_options;  /* per device index; entries may be NULL; under build_lock */
	void *binary;           /* NULL for sources */
	size_t binary_bytes;
	het_device *binary_device;
	pthread_mutex_t build_lock;
	_Atomic(struct het__kernel_on *) *on; /* per device index; published when complete */
	int users;              /* unfinished launches and holders; guarded by the system's lock */
	bool freed;             /* het_kernel_free was called: goes when users is 0 */
	struct het__kept_cut *cut; /* of its last spread: launch/kept_cut.h; guarded by the system's lock */
	struct het_kernel *prev, *next; /* of the system's kernels; guarded by its lock */
	atomic_bool told_of_no_trial, told_of_halves; /* launch/rehearse.c */
	unsigned parts_told, parts_looked_for, parts_known; /* launch/counted.h: a bit for each dimension;
	                                                       guarded by the system's lock */
};
HET__CAN_BE_BURIED(het_kernel);

/** The kernel room's state, made with the system's first kernel. */
struct het__kernels {
	het_kernel *first;
	atomic_bool cache_complained; /* trouble with the cache was logged */
};

/** HET_OK, or HET_ERR_HANDLE naming `what`. No lock needed. */
het_status het__kernel_complain(const het_kernel *kernel, const char *what);
static inline het_status het__kernel_check(const het_kernel *kernel, const char *what)
{
	return kernel && kernel->magic == HET__MAGIC_KERNEL ? HET_OK : het__kernel_complain(kernel, what);
}

/** As het__refuse, for a call whose `kernel` may be none. */
static inline het_status het__kernel_refuse(const het_kernel *kernel, het_status status)
{
	return het__refuse(kernel && kernel->magic == HET__MAGIC_KERNEL ? kernel->system : NULL, status);
}

/** What was made of the kernel for a device, which is then open; NULL: nothing yet. No lock needed. */
static inline struct het__kernel_on *het__kernel_built(const het_kernel *kernel, const het_device *device)
{
	return atomic_load_explicit(&kernel->on[device->index], memory_order_acquire);
}

/** Takes the system's lock for a kernel that is still there then: another thread may free it while this one
 *  waits. HET_ERR_HANDLE, HET_ERR_CONTEXT (after fork) naming `what`: without the lock. */
het_status het__kernel_enter(het_kernel *kernel, const char *what);

/** The kernel ready for a device, built if need be. Called WITHOUT the system's lock; the device is open, and
 *  the kernel is held by the caller, or known to nobody else.
 *  Errors: HET_ERR_BUILD, HET_ERR_KERNEL, HET_ERR_UNSUPPORTED, HET_ERR_MEMORY, HET_ERR_DEVICE, HET_ERR_HANDLE
 *  (it was freed meanwhile). */
het_status het__kernel_on_first(het_kernel *kernel, het_device *device, struct het__kernel_on **on_p);
static inline het_status het__kernel_on(het_kernel *kernel, het_device *device, struct het__kernel_on **on_p)
{
	*on_p = het__kernel_built(kernel, device);
	return *on_p ? HET_OK : het__kernel_on_first(kernel, device, on_p);
}

/** Frees what was made ready for a device; NULL is allowed. */
void het__kernel_on_free(struct het__kernel_on *on);

/** Takes one block (NULL: every array) from the kernels on a memory's devices (NULL: on all) that were given it
 *  last: some drivers keep a buffer as long as a kernel has it. With the lock. */
void het__kernels_let_go(het_system *system, struct het__memory *memory, const struct het__block *block);

/** Frees a kernel for which het_kernel_free was called, when its last launch has ended. With the lock. */
void het__kernel_end(het_kernel *kernel);

/** Counts a launch in and out. With the system's lock. */
static inline void het__kernel_use(het_kernel *kernel)
{
	kernel->users++;
}
static inline void het__kernel_unuse(het_kernel *kernel)
{
	if (--kernel->users == 0 && kernel->freed)
		het__kernel_end(kernel);
}

/** Keeps a kernel, and the system (het__hold), through what takes long without the lock: other threads may free
 *  it meanwhile. Without the lock, both. HET_ERR_HANDLE, HET_ERR_CONTEXT (after fork) naming `what`. */
het_status het__kernel_hold(het_kernel *kernel, const char *what);
/** Ends that: `status`, or HET_ERR_HANDLE where the kernel was freed meanwhile, and may be gone now. */
het_status het__kernel_release(het_kernel *kernel, het_status status);

/** Ends that for a caller who does not use the kernel again: it may have been freed meanwhile. */
void het__kernel_let_go(het_kernel *kernel);

/** Adds a finished launch's time: of `items` work-items, for a spread of this size (kernel/pace.h); `items` is
 *  0 where the time does not tell how fast the kernel is. With the lock. */
void het__kernel_record(struct het__kernel_on *on, uint64_t ns, bool by_host, uint64_t items, unsigned size);
/** Work-items per nanosecond on a device, in spreads of this size: the median of the last parts; 0: not known.
 *  With the lock. */
double het__kernel_rate(const het_kernel *kernel, const het_device *device, unsigned size);

#endif
