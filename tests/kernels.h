/* kernels.h - what tests of kernels share: a folder and a cache per test, a log to look into, platforms. */
#ifndef HETERO_TESTS_KERNELS_H
#define HETERO_TESTS_KERNELS_H

#include <hetero.h>

#include "checks.h"
#include "kernel/kernel.h"

#define assert_ok(call)                                                                                        \
	do {                                                                                                   \
		const het_status status_ = (call);                                                             \
		ck_assert_msg(status_ == HET_OK, "%s: %d, %s", #call, (int)status_, het_message());            \
	} while (0)

/* The call fails with this status, the record agrees, and the text has all of the parts. */
#define assert_fails(call, wanted, ...)                                                                        \
	do {                                                                                                   \
		const het_status status_ = (call);                                                             \
		const char *const parts_[] = {__VA_ARGS__};                                                    \
		ck_assert_msg(status_ == (wanted), "%s: %d, %s", #call, (int)status_,                          \
			      status_ ? het_message() : "");                                                   \
		ck_assert_int_eq(het_error_last().status, (wanted));                                           \
		for (size_t p_ = 0; p_ < sizeof(parts_) / sizeof(parts_[0]); p_++)                             \
			ck_assert_msg(strstr(het_message(), parts_[p_]) != NULL, "no \"%s\" in: %s",           \
				      parts_[p_], het_message());                                              \
	} while (0)

/** The folder of this test; the cache is "cache" in it. */
extern char kernel_folder[256];

/** The path of a file in the folder; valid for three more calls. */
char *path_of(const char *name);
void write_file(const char *path, const void *data, size_t bytes);
/** Writes a file of the folder and returns its path. */
char *write_text(const char *name, const char *text);
/** The path of some entry of the cache; the number of entries. */
int list_cache(char *path, size_t bytes);
void empty_cache(void);

/** A system with an empty log. */
het_system *open_selection(const char *devices);
/** The platform of a loop test; 0 is the first. */
het_system *open_platform(int i);
/** Two devices or more that are parts of one; NULL where there are no two cores. */
het_system *open_parts(void);
/** How often something stands in the log. */
int count_logged(const char *part);
void assert_logged(const char *part);
void assert_not_logged(const char *part);

/** "kernel void k(global int *out)" that answers with the macro ANSWER. */
extern const char answer[];
het_kernel *source_kernel(het_system *system, const char *source, const char *name, const char *options);
struct het__kernel_on *built_on(het_kernel *kernel, het_device *device);
/** Runs such a kernel, and returns its answer. */
int result_of(het_kernel *kernel, het_device *device);

struct kernel_test {
	const TTest *const *test;
	bool on_each; /* platform, else on the first */
};

/** What main returns. Nothing of OpenCL may have happened before. */
int run_kernel_tests(const char *name, int count, const struct kernel_test *tests);

#endif
