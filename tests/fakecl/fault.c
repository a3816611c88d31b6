/* fault.c - calls and commands that fail because a test said so. */
#include <stdlib.h>

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
