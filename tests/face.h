/* face.h - what the tests of the public face share: systems to run on, kernels, checks of statuses. */
#ifndef HETERO_TESTS_FACE_H
#define HETERO_TESTS_FACE_H

#include <string.h>

#include <hetero.h>

#include "checks.h"

#define ok(call)                                                                                               \
	do {                                                                                                   \
		const het_status status_ = (call);                                                             \
		ck_assert_msg(status_ == HET_OK, "%s: %d, %s", #call, (int)status_, het_message());            \
	} while (0)

/* The call fails with this status, the thread's record agrees, and the text has all of the parts. */
#define fails(call, wanted, ...)                                                                               \
	do {                                                                                                   \
		const het_status status_ = (call);                                                             \
		const char *const parts_[] = {__VA_ARGS__};                                                    \
		ck_assert_msg(status_ == (wanted), "%s: %d instead of %d, %s", #call, (int)status_,            \
			      (int)(wanted), het_message());                                                   \
		ck_assert_int_eq(het_error_last().status, (wanted));                                           \
		for (size_t p_ = 0; p_ < sizeof parts_ / sizeof parts_[0]; p_++)                               \
			ck_assert_msg(strstr(het_message(), parts_[p_]) != NULL, "no \"%s\" in: %s",           \
				      parts_[p_], het_message());                                              \
	} while (0)

/* Where a test runs: parts of PoCL's CPU that share the host's memory, the same parts with a memory each,
 * Mesa's llvmpipe. Tests are looped over 0 .. FACES - 1. Where $HETERO_TEST_DRIVER names another driver, or
 * devices, those take PoCL's place: het_test_selection. */
enum face { FACE_SHARED, FACE_SEPARATE, FACE_RUSTICL, FACES };

/** A selection of CPU devices ("cpu/1") of the driver for CPUs, valid until the next call; NULL, everything, on
 *  a fake machine. */
const char *on_cpu(const char *devices);
/** Opens the system of a face. Where its platform is not installed, no test of that face is run. */
het_system *open_face(int face);
het_system *open_face_profiling(int face);
het_system *open_face_checking(int face); /* with HETERO_CHECK=1 */
/** Closes it after checking that the test has left nothing behind that runs. */
void close_face(het_system *system);

het_device *first_device(het_system *system);
/** The last device: another one than the first where there are two. */
het_device *last_device(het_system *system);
/** Whether the device has a memory of its own. */
int is_separate(het_device *device);
/** Are all devices processors? They reach the host's memory by its addresses, and parts of one are as fast. */
int all_are_cpus(het_system *system);

/** A kernel of the common program:
 *      set(out, int value)             out[i] = value
 *      add(out, const in, int value)   out[i] = in[i] + value
 *      bump(inout, int value)          inout[i] += value
 *      three_rows(out, const in, int columns, int rows)   out = sum of a row and its neighbours, 2-d
 *  all over int arrays. */
het_kernel *common_kernel(het_system *system, const char *name);
het_kernel *text_kernel(het_system *system, const char *text, const char *name);

/** A new array of `count` ints: 0, 1, 2...; the same, zero. */
het_array *counting_array(het_system *system, int count);
het_array *zero_array(het_system *system, int count);
/** Fails the test unless element i is first + i * step, for all of the array. */
void assert_counts(het_array *array, int first, int step);
/** One element of a 1-d int array. */
int element(het_array *array, int index);

struct het_stats stats_of(het_system *system);

/** What has been moved into the devices' memories. */
uint64_t bytes_into_devices(het_system *system);

/** Runs `count` tests, each over the faces where `looped`; returns what main returns. */
struct face_test {
	const TTest *const *test;
	int looped;
};
int run_face_tests(const char *name, int count, const struct face_test *tests);

#endif
