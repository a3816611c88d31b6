/* fault.c - calls and commands that fail, or take their time, because a test said so. */
#include <stdlib.h>
#include <time.h>

#include "fake.h"

/* Counts this call or execution for every fault in the list; the first that is due gives its code. */
cl_int fake_fault_due(struct fault **faults)
{
	cl_int code = CL_SUCCESS;

	while (*faults) {
		struct fault *const fault = *faults;

		if (--fault->left > 0) {
			faults = &fault->next;
			continue;
		}
		if (!code)
			code = fault->code;
		*faults = fault->next;
		free(fault);
	}
	return code;
}

long fake_random_delay(void)
{
	fake.delay_random = fake.delay_random * 6364136223846793005u + 1442695040888963407u;
	return fake.delay_us ? (long)((fake.delay_random >> 33) % (uint64_t)fake.delay_us) : 0;
}

void fake_let_pass(long us)
{
	const struct timespec time = {us / 1000000, us % 1000000 * 1000};

	if (us > 0)
		nanosleep(&time, NULL);
}
