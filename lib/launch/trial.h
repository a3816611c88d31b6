/* trial.h - the runs of a rehearsal: shadows in the place of arrays, and a kernel on them.
 *
 * Shadows are arrays and runs are launches of the public face: without the lock.
 */
#ifndef HETERO_LIB_LAUNCH_TRIAL_H
#define HETERO_LIB_LAUNCH_TRIAL_H

#include "launch/launch.h"
#include "launch/shadow.h"

struct het__trial {
	het_kernel *kernel;
	het_device *device;
	const struct het_range *range;
	const struct het_arg *args;
	int count;
	int cut; /* this is a part of a spread, which is cut in this dimension; -1: it is a launch */
	bool is_of_two; /* the spread has one part, and this is one of two that it might have: as_two.h */
	struct het__kernel_on *on;
	int64_t group[HET_MAX_RANGE]; /* work-items of a work-group; 1: nobody gave a size */
	int shadow_count;
	struct het__shadow shadow[HET__ARGS_MOST];
	struct het__images *images; /* the memory of all shadows' images */
	het_status status; /* of the rehearsal; */
	char text[1000];   /* and what is to be said of that, or of a mistake */
	bool is_mistake;
};

static inline const struct het__param *het__trial_param(const struct het__trial *t, const struct het__shadow *s)
{
	return &t->on->signature->param[s->arg];
}

/** Learns what the arguments stand for. False where nothing is to be tried: the launch itself will be refused,
 *  its range is empty, or the kernel can write nothing that could be looked at. */
bool het__trial_learn(struct het__trial *t);
/** The arguments of a part of a spread, in `room`: what is combined is an array of its own. */
const struct het_arg *het__trial_args(const struct het_arg *args, int count, struct het_arg *room);
/** The range may be cut in dimension d at multiples of so many work-items from its beginning. */
int64_t het__trial_step(const struct het__trial *t, int d);
/** Such a place about in the middle; the range's end: there is none. */
int64_t het__trial_middle(const struct het__trial *t, int d);
/** Makes shadows of all that was learnt; het__trial_free also after an error. */
het_status het__trial_make(struct het__trial *t);
void het__trial_free(struct het__trial *t);

/** Runs the kernel. All shadows have fillers of one kind, but for a change in one (NULL: in none). What comes
 *  of it are the images after[number]. */
het_status het__trial_run(struct het__trial *t, int kind, const struct het__change *but, int number);
/** The same with a part of the range. */
het_status het__trial_run_range(struct het__trial *t, const struct het_range *range, int kind,
				const struct het__change *but, int number);

#endif
