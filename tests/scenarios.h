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
	NO_LOSS,       /* nothing failed, or a call was refused: that changes nothing */
	ONE_READ,      /* a transfer out of a device, and what was made of it elsewhere */
	ONE_LAUNCH,    /* one kernel, and what was made of its results */
	ONE_TASK,      /* one of these, or a transfer into a memory, and what was made of it there */
	SOME_LAUNCHES, /* some kernels, each all or nothing */
};

/** Whether these devices (a bit for each) have one memory: else no transfer brings anything to all of them. */
static inline bool share_a_memory(het_system *system, unsigned devices)
{
	int memory = -1;

	for (int d = 0; d < het_device_count(system); d++) {
		struct het_device_info info = HET_DEVICE_INFO_INIT;

		if (!(devices >> d & 1))
			continue;
		if (het_device_info(het_device(system, d), &info) || (memory >= 0 && info.memory != memory))
			return false;
		memory = info.memory;
	}
	return true;
}

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
