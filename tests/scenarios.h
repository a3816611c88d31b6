/* scenarios.h - what users run, for tests that make it fail: the code of the examples itself, on a system of
 * the test's.
 *
 * The examples end the process when a call fails. Here they only stop (gives_up.h), and the test looks at what
 * they leave.
 */
#ifndef HETERO_TESTS_SCENARIOS_H
#define HETERO_TESTS_SCENARIOS_H

#include <stdbool.h>

#include <hetero.h>

/* What may have been lost, apart from what can be found out from the values. */
enum loss {
	NO_LOSS,       /* nothing failed */
	ONE_READ,      /* a transfer out of a device, and what was made of it elsewhere */
	ONE_LAUNCH,    /* one kernel, and what was made of its results */
	SOME_LAUNCHES, /* some kernels, each all or nothing */
};

struct scenario {
	const char *name;
	/** Does what the example does up to the results. HET_OK, or the first failure, where it stopped. */
	het_status (*run)(het_system *system);
	/** Reads the results as a user would, first failure and all. HET_OK when all can be read. */
	het_status (*look)(void);
	/** Fails the test unless all that can be read is right, and what cannot be read can be explained. Frees
	 *  what `run` made. `complete`: run had no failure. */
	void (*check)(bool complete, enum loss loss);
	/** After het_close: gives back memory that arrays were made of. */
	void (*release)(void);
};

extern const struct scenario heat_scenario, hillshade_scenario, pipeline_scenario, product_scenario;

#endif
