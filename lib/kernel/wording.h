/* wording.h - the texts that go to compilers and come from them.
 *
 * All are het__alloc'd; NULL means no memory.
 */
#ifndef HETERO_LIB_KERNEL_WORDING_H
#define HETERO_LIB_KERNEL_WORDING_H

#include "kernel/kernel.h"

/** The options the user gave for this device. With the kernel's build_lock. */
char *het__options_given(const het_kernel *kernel, const het_device *device);

/** What the compiler gets: those, and ours. */
char *het__options_whole(const het_kernel *kernel, const het_device *device, const char *given);

/** What the driver adds to them from the environment: "" when nothing. */
char *het__options_of_driver(const het_device *device);

/** The kind of device, as the cache's key has it: devices of one make run each other's binaries. */
char *het__make_of(const het_device *device);

/** The source behind a line that makes compilers call it by its own name and count its lines from 1; where it
 *  asks for the prelude, that comes first. */
char *het__source_named(const het_kernel *kernel);

/** "kernel product (product.cl) does not build for pocl:cpu0 with options "-DX"". */
char *het__head_of_log(const het_kernel *kernel, const het_device *device, const char *given);

/** Puts the right names and numbers into a compiler's log that calls what het__source_named made `source_name`
 *  ("input.cl:"), and counts its lines from the top. */
char *het__log_named(const het_kernel *kernel, const char *source_name, const char *log);

/** Logs what the compiler said of a text that it has compiled, if anything: its warnings. */
void het__log_warnings(const het_kernel *kernel, const het_device *device, cl_program program);

/** Is an error of a compiler's log about double? */
bool het__log_has_double(const char *log) __attribute__((cold));

/** Adds to the thread's error message, a compiler's log, what the text was perhaps meant to be, if that can be
 *  seen. */
void het__log_hint(const het_kernel *kernel) __attribute__((cold));

#endif
