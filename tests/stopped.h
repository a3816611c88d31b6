/* stopped.h - a fake machine of three devices of three platforms; the one in the middle, `stuck`, is going to
 * stop. Tests are run with every order in which a driver may run what is ready: their index is the order's. */
#ifndef HETERO_TESTS_STOPPED_H
#define HETERO_TESTS_STOPPED_H

#include <stdatomic.h>

#include "face.h"

#include "fakes.h"
#include "platforms.h"
#include "array/directory.h"
#include "store/staging.h"
#include "system/handle.h"

enum { N = 64 };

extern het_system *sys;
extern het_device *good, *stuck, *other;
extern het_kernel *bump, *add;

/** Opens a fake machine; nothing is launched yet. */
void open_on(const char *machine, int order, int64_t patience_ns);
/** Opens the three devices, each of which has run both kernels. */
void open_patiently(int order, int64_t patience_ns);
/** The same; nothing is ever reported. */
void open_three(int order);

/** Closes what is open; nothing of OpenCL is left. */
void close_three(void);

/** Until a counter of the system's is so large: `&sys->waiting` 1, `&sys->holding` 2 where a call that builds
 *  or opens has come to the step that waits (after the first it could still be refused). */
void wait_until_counted(const int *counter, int least);

/** A host function that ends when its argument, an atomic_bool, is true. */
het_status wait_for_word(void *word, int count, const struct het_host_arg *args);

/** The stuck device stops; goes on. */
void stop(void);
void go(void);

/** A log function that keeps warnings and errors; was such a line with these words logged? */
void keep_warnings(void *user, enum het_log_level level, const char *line);
bool has_heard(const char *words);

/** Runs each of the tests with every order. Returns the exit status of the program. */
int run_stopped(const char *name, const TTest *const *tests, int count);

#endif
