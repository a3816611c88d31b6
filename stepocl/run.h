/* run.h - carries a description out, or writes the program that does. */
#ifndef HETERO_STEPOCL_RUN_H
#define HETERO_STEPOCL_RUN_H

#include "data.h"
#include "description.h"

/** What both need. */
struct job {
	const struct description *description;
	const struct datum *data;
	const char *path, *kernel, *devices; /* the description's, the kernel's file; the selection or NULL */
};

/** Runs the kernel on all devices, and prints how it was cut and how fast it was. False, with a line on
 *  stderr. */
bool job_run(const struct job *job);

/** Have the arrays of the description the types of the kernel's parameters, where the driver tells of them?
 *  The kernel was built for the device. False, with a line on stderr. */
bool job_fits(const struct job *job, const het_kernel *kernel, const het_device *device);

/** Writes the C program, and prints how it is compiled. False, with a line on stderr. */
bool job_emit(const struct job *job, const char *path);

/** How far to both sides the shadow points of an argument lead in dimension d: what HET_HALO is given. */
int64_t radius(const struct argument *argument, int d);

/** Is the element that a work-item stands for the one with its own indices? */
bool at_origin(const struct argument *argument);

/** Is every element that the kernel may write written by every run? Not if it looks for borders itself. */
bool writes_all(const struct description *description);

#endif
