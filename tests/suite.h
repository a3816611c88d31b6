/* suite.h - how the test programs run what they have: one suite, and an exit status. */
#ifndef HETERO_TESTS_SUITE_H
#define HETERO_TESTS_SUITE_H

#include <stdio.h>
#include <stdlib.h>

#include "checks.h"

/** Runs a suite and frees it; returns what main returns. */
static inline int run_suite(Suite *suite)
{
	SRunner *const runner = srunner_create(suite);
	int failed;

	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	if (srunner_ntests_run(runner) == 0 && !getenv("CK_RUN_CASE") && !getenv("CK_RUN_SUITE")) {
		puts("no test was run");
		failed = 1;
	}
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/** The same of one case, which is all of the suite. */
static inline int run_case(const char *name, TCase *only)
{
	Suite *const suite = suite_create(name);

	suite_add_tcase(suite, only);
	return run_suite(suite);
}

/** The same of tests without a loop. */
static inline int run_list(const char *name, const TTest *const *tests, size_t count)
{
	TCase *const tcase = tcase_create(name);

	for (size_t i = 0; i < count; i++)
		tcase_add_test(tcase, tests[i]);
	return run_case(name, tcase);
}

#endif
