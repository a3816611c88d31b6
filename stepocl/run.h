/* run.h - carries a description out, or writes the program that does. */
#ifndef HETERO_STEPOCL_RUN_H
#define HETERO_STEPOCL_RUN_H

#include "engine.h"

/** Runs the kernel on all devices, and prints how it was cut and how fast it was. False, with a line on
 *  stderr. */
bool job_run(const struct job *job);

/** Do the description's arrays have the types of the kernel's parameters, where the driver tells of them?
 *  The kernel was built for the device. False, with a line on stderr. */
bool job_fits(const struct job *job, const het_kernel *kernel, const het_device *device);

/** Writes the C program, and prints how it is compiled. False, with a line on stderr. */
bool job_emit(const struct job *job, const char *path);

#endif
