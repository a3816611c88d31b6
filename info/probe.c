/* probe.c - does a device run a kernel, to its end?
 *
 * One work-item goes far through a sequence of numbers, the last of which nobody can know but by way of the
 * others. If a driver ends loops early, its number tells where it stopped.
 */
#include <stdio.h>

#include "machine.h"
#include "system/system.h"

#define ROUNDS 100000u

#define NEXT(x) ((x)*1664525u + 1013904223u)

static const char text[] = "kernel void sequence(global uint *last, uint rounds)\n"
			   "{\n"
			   "	uint x = 1;\n"
			   "	for (uint i = 0; i < rounds; i++)\n"
			   "		x = x * 1664525u + 1013904223u;\n"
			   "	last[0] = x;\n"
			   "}\n";

/* After how many rounds the sequence gives `x`; ROUNDS: that is right; beyond: it never does. */
static unsigned rounds_to(unsigned x)
{
	unsigned at = 1, round = 0;

	while (round <= ROUNDS && at != x) {
		at = NEXT(at);
		round++;
	}
	return round;
}

static het_status run(het_system *system, het_device *device, unsigned *last_p)
{
	het_array *last = NULL;
	het_kernel *kernel = NULL;
	het_status status = het_array_new(system, HET_UINT, het_shape(1, 1), &last);

	if (!status)
		status = het_kernel_from_source(system, text, "sequence", NULL, &kernel);
	if (!status)
		status = het_launch(kernel, device, het_grid(1, 1), HET_OUT(last), HET_VAL(ROUNDS));
	if (!status)
		status = het_read(het_view(last, het_whole()), last_p);
	if (last)
		het_array_discard(last);
	if (kernel)
		het_kernel_free(kernel);
	return status;
}

const char *probe_device(struct machine *machine, het_device *device)
{
	unsigned last = 0, rounds;

	if (run(machine->system, device, &last)) {
		problem_add(machine, ERROR, "HETERO_DEVICES, with the names of the others, leaves it out.",
			    "%s does not run a small kernel: %s", device->name, het_message());
		return "fail";
	}
	rounds = rounds_to(last);
	if (rounds == ROUNDS)
		return "run";
	if (rounds < ROUNDS) {
		problem_add(machine, ERROR,
			    "Give each work-item fewer rounds, take a newer driver, or leave the device out "
			    "(HETERO_DEVICES).",
			    "%s ends loops early: this %s stopped one of %u rounds after %u", device->name,
			    device->hardware, ROUNDS, rounds);
		return "early";
	}
	problem_add(machine, ERROR, "Leave the device out (HETERO_DEVICES), or take another driver.",
		    "%s computes wrong results: a loop over integers ended in another number", device->name);
	return "wrong";
}
