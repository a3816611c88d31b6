/* engine.h - what carries a description out: its kernel, its arrays, its iterations. hetero-stepocl runs it,
 * and so does benchmarks/stepocl, with a clock of its own. Of the library it uses the public face alone. */
#ifndef HETERO_STEPOCL_ENGINE_H
#define HETERO_STEPOCL_ENGINE_H

#include "data.h"
#include "description.h"

/** What is to be done. */
struct job {
	const struct description *description;
	const struct datum *data;
	const char *path, *kernel, *devices; /* the description's, the kernel's file; the selection or NULL */
};

/** What a part touches of an argument whose elements are not numbered as the work-items are. */
struct reach {
	int rank;
	int64_t before[MOST_RANK], after[MOST_RANK], size[MOST_RANK];
};

struct engine {
	const struct job *job;
	const struct description *description;
	het_system *system;
	het_team *team;
	het_kernel *kernel;
	het_array *array[MOST_ARGUMENTS]; /* NULL: a number */
	struct reach reach[MOST_ARGUMENTS];
	struct het_arg arg[MOST_ARGUMENTS];
	struct het_range range;
};

/** Makes the arrays, which have no elements yet, and the arguments: of a number, the datum's value as it is
 *  now. The job and the engine stay where they are; closing the system frees what was made. False, with a line
 *  on stderr, as for all below. */
bool engine_open(struct engine *engine, const struct job *job, het_system *system, het_team *team);

/** Builds the kernel for every device of the team, so that no compiler is timed. */
bool engine_build(const struct engine *engine);

/** Starts one iteration: it makes the output of what the inputs have. */
bool engine_step(const struct engine *engine);

/** Starts all iterations; between two of them the output and what it becomes change places, so that the
 *  output has the result. */
bool engine_iterate(const struct engine *engine);

/** Is it HET_OK? Else prints what the library says, on stderr. */
bool good(het_status status);

/** How far to both sides the shadow points of an argument lead in dimension d: what HET_HALO is given. */
int64_t radius(const struct argument *argument, int d);

/** Is the element that a work-item stands for the one with its own indices? */
bool at_origin(const struct argument *argument);

/** Is every element that the kernel may write written by every run? Not if it looks for borders itself. */
bool writes_all(const struct description *description);

#endif
