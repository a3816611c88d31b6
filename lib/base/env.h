/* env.h - the library's environment variables: one table, and the one door to them. (Only folder.c looks at
 * others, for the user's folders, wording.c at a driver's, and stray.c at the names of all.) */
#ifndef HETERO_LIB_BASE_ENV_H
#define HETERO_LIB_BASE_ENV_H

#include <stdbool.h>
#include <stdint.h>

/* X(name, values, meaning): what users may set. doc/hetero.7 tells of each. */
#define HET__ENV_USERS(X)                                                                             \
	X(HETERO_DEVICES, "selection", "devices to use, as in het_open")                               \
	X(HETERO_SHARE, "on|off", "off: every device's memory is treated as separate")                 \
	X(HETERO_CHECK, "0|1", "1: launches are tried on copies first: do kernels keep to arguments?") \
	X(HETERO_QUEUES, "1|2", "queues of a device; of two one is for copies")                        \
	X(HETERO_LOG, "level,topic...", "what to log on stderr: error, warn, info, debug, trace")      \
	X(HETERO_CACHE, "directory|off", "where built programs are kept")                              \
	X(HETERO_CACHE_MIB, "number", "how large that may grow, in MiB; 256 unless set")               \
	X(HETERO_CALIBRATION, "file|off", "what was measured about this machine")                      \
	X(HETERO_ROUTE, "route", "the way that bytes take wherever it is possible")                    \
	X(HETERO_STAGING_MIB, "number", "most pinned host memory, in MiB; an eighth of all unless set") \
	X(HETERO_PATIENCE, "number", "s until a device that does not answer is reported; 30; 0: never") \
	X(HETERO_TRACE, "file", "where a timeline of all that happens goes, for Perfetto")             \
	X(HETERO_STATS, "0|1", "1: a table of what was done, on stderr, when a system is closed")
/* All, also what is for the library's own tests. */
#define HET__ENV_TABLE(X)                                                                             \
	HET__ENV_USERS(X)                                                                              \
	X(HETERO_PROTOCOL, "file", "with debug checks: where transitions go, for tests/protocol_replay")

/** What HETERO_CACHE_MIB is unless set. */
#define HET__CACHE_MIB INT64_C(256)

/** The value of a variable of the table; NULL when unset or empty, and always NULL in a program that runs
 *  with other privileges than its caller's. Asserts that it is in the table. The text is the
 *  environment's own: valid until somebody changes the variable. */
const char *het__env(const char *name);

/** What HETERO_PATIENCE is unless set. */
#define HET__PATIENCE_S INT64_C(30)

/** Whether a value is the word that stands for none: off, in letters of any case. NULL is not. */
bool het__env_is_off(const char *value);

/** *value_p becomes the value of a variable of the table, a whole number times `unit`, and stays as it is when
 *  the variable is not set. Not a number, or one that is too large: false, and it stays too. */
bool het__env_number(const char *name, int64_t unit, int64_t *value_p);

/** The same for a number of MiB, in bytes. */
bool het__env_mib(const char *name, int64_t *bytes_p);

#endif
