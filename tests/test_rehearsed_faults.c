/* test_rehearsed_faults.c - HETERO_CHECK=1 on a fake card whose commands fail while a launch is tried on
 * copies: the launch is refused, and nothing of the program's is lost.
 */
#include "face.h"

#include <stdlib.h>
#include <string.h>

#include "fakes.h"
#include "platforms.h"

enum { N = 64 };

static const char text[] = "kernel void behind(global int *y, global const int *x)\n"
			   "{ int i = get_global_id(0); y[i] = x[i] + 1; }\n";

static het_system *open_checked(void)
{
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system;

	ck_assert(het_test_fake_driver("one-gpu"));
	ck_assert_int_eq(setenv("HETERO_CHECK", "1", 1), 0);
	ok(het_open(&options, &system));
	ck_assert_int_eq(unsetenv("HETERO_CHECK"), 0);
	return system;
}

/* Of the first commands of a kind each fails once, until none is left to fail. */
static int refused(het_system *system, const char *fault)
{
	het_kernel *const behind = text_kernel(system, text, "behind");
	int count = 0;

	for (bool failed = true; failed;) {
		het_array *const x = counting_array(system, N), *const y = zero_array(system, N);
		het_status st;

		ok(het_wait_all(system));
		ck_assert_int_ge(control("fail %s %d -5", fault, count + 1), 0);
		st = het_launch(behind, first_device(system), het_grid(1, N), HET_OUT(y), HET_IN(x));
		failed = st != HET_OK;
		ck_assert_int_eq(control("forget"), 0);
		if (failed) {
			ck_assert_msg(st == HET_ERR_DEVICE, "%s %d: %d, %s", fault, count + 1, (int)st,
				      het_message());
			ck_assert_ptr_nonnull(strstr(het_message(), "tried beforehand"));
			count++;
		}
		ok(het_wait_all(system));
		assert_counts(x, 0, 1);
		assert_counts(y, failed ? 0 : 1, !failed);
		ok(het_array_free(x));
		ok(het_array_free(y));
	}
	return count;
}

START_TEST(kernels_that_fail)
{
	het_system *system = open_checked();

	ck_assert_int_ge(refused(system, "ndrange"), 2);
	ck_assert_ptr_nonnull(strstr(het_message(), "a copy of array "));
	ck_assert_ptr_nonnull(strstr(het_message(), "nothing of the program's is lost"));
	close_face(system);
}
END_TEST

START_TEST(transfers_that_fail)
{
	het_system *system = open_checked();

	ck_assert_int_ge(refused(system, "read"), 1);
	ck_assert_ptr_nonnull(strstr(het_message(), "a copy of array "));
	ck_assert_int_ge(refused(system, "write"), 1);
	ck_assert_ptr_nonnull(strstr(het_message(), "a copy of array "));
	close_face(system);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {kernels_that_fail, transfers_that_fail};

	return run_fake_tests("rehearsed_faults", (int)(sizeof tests / sizeof tests[0]), tests);
}
