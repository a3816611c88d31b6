/* status.h - what every call returns, and what is known about the last failure.
 *
 * Every function that can fail returns a het_status: HET_OK (0) or a negative code. The codes are
 * grouped by what is broken: only this call, one kernel, one array, one device, or the whole system. A failing
 * call leaves its out-parameters untouched and everything else as it was, unless its comment says
 * otherwise. The library never writes to stdout. It never ends the process, except that a build configured
 * with --enable-debug-checks aborts where an invariant of its own is broken.
 *
 * Using a freed handle is the program's mistake, as with free(). A call recognises one (HET_ERR_HANDLE) as long
 * as its memory is not used again. A library configured with --enable-debug-checks recognises every freed
 * handle until its system is closed, and also a system that is closed twice.
 */
#ifndef HETERO_STATUS_H
#define HETERO_STATUS_H

#include <hetero/api.h>

HET_BEGIN_DECLS

/* X(code, value, text): the one table from which the enum and het_status_string are made. */
#define HET_STATUS_TABLE(X)                                                                              \
	X(HET_OK, 0, "success")                                                                           \
	/* this call: nothing was changed */                                                              \
	X(HET_ERR_ARGUMENT, -1, "invalid argument")                                                       \
	X(HET_ERR_HANDLE, -2, "NULL or freed handle")                                                     \
	X(HET_ERR_SHAPE, -3, "invalid shape, box or range")                                               \
	X(HET_ERR_ALIAS, -4, "conflicting accesses to one array")                                         \
	X(HET_ERR_MAPPED, -5, "conflict with a map of the host")                                          \
	X(HET_ERR_OVERLAP, -6, "overlapping host memory")                                                 \
	X(HET_ERR_CONTEXT, -7, "not allowed from inside a callback or after fork")                        \
	X(HET_ERR_FILE, -8, "file cannot be read")                                                        \
	X(HET_ERR_SELECTION, -9, "no device matches the selection")                                       \
	/* this kernel */                                                                                 \
	X(HET_ERR_KERNEL, -20, "no such kernel in the program")                                           \
	X(HET_ERR_BUILD, -21, "program does not build")                                                   \
	X(HET_ERR_SIGNATURE, -22, "arguments do not fit the kernel's signature")                          \
	X(HET_ERR_UNSUPPORTED, -23, "the device cannot do this")                                          \
	/* this array */                                                                                  \
	X(HET_ERR_LOST, -40, "the value was lost to an earlier failure")                                  \
	X(HET_ERR_DIFFER, -41, "copies of one value differ")                                              \
	/* this device */                                                                                 \
	X(HET_ERR_DEVICE, -60, "an OpenCL call failed")                                                   \
	X(HET_ERR_DEVICE_MEMORY, -61, "device memory exhausted")                                          \
	/* the system */                                                                                  \
	X(HET_ERR_MEMORY, -80, "host memory exhausted")                                                   \
	X(HET_ERR_NO_DEVICE, -81, "no usable OpenCL device")                                              \
	X(HET_ERR_SYSTEM, -82, "an operating system call failed")

typedef enum het_status {
#define HET_STATUS_ENUM(code, value, text) code = value,
	HET_STATUS_TABLE(HET_STATUS_ENUM)
#undef HET_STATUS_ENUM
} het_status;

/** The meaning of a status code: static text, never NULL, also for unknown codes. Any thread. */
HET_API const char *het_status_string(het_status status);

/** The last failure of the calling thread, as a record.
 *  `text` names the thing (kernel, argument, array, device, file, line). The pointers stay valid until this
 *  thread's next call of the library. Ask only after a call that failed: one that succeeds may leave a record
 *  of what failed before it found another way.
 *  `cl_call` is NULL and `cl_code` 0 where OpenCL was not involved.
 *  `device` is the one that failed or cannot do what was asked; NULL where the failure concerns no device. */
struct het_error {
	het_status status;
	int cl_code;         /* an OpenCL error code, e.g. -5 for CL_OUT_OF_RESOURCES */
	const char *cl_call; /* the OpenCL function that returned it */
	const char *device;  /* stable name of the device, or NULL */
	const char *text;    /* the whole message, one or more lines, no newline at the end */
};

/** Returns the calling thread's last failure; status is HET_OK and text "" when there was none. */
HET_API struct het_error het_error_last(void);

/** The text of the calling thread's last failure; "" when there was none. Never NULL. Numbers in it have a
 *  point in every locale. Where calls have failed and no thread has ever called this or het_error_last,
 *  het_close logs a warning with the first failure; without it the end of the program writes one to stderr. */
HET_API const char *het_message(void);

HET_END_DECLS

#endif
