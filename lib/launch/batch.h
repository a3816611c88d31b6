/* batch.h - launches that are one operation: all of them happen, or none.
 *
 * First the arguments of every launch are checked and brought to its device, which changes no value. Then they
 * are started, one after another, under one hold of the system's lock: no other call comes between.
 */
#ifndef HETERO_LIB_LAUNCH_BATCH_H
#define HETERO_LIB_LAUNCH_BATCH_H

#include "launch/launch.h"

struct het__batch {
	int count;     /* of launches; no range is empty */
	int arg_count;
	int lose_from; /* where this launch, or a later one, cannot be started, what it was to write is lost,
	                  but the batch succeeds: others have been started, or what goes with it. 0: also
	                  where one cannot be brought */
	void *user;
	const struct het__work *(*work)(const void *user, int i);
	/** The arguments of launch i, which may be put together in `room`, for HET__ARGS_MOST. */
	const struct het_arg *(*args)(const void *user, int i, struct het_arg *room);
	/** Told of each launch that was started. May be NULL. */
	void (*started)(void *user, int i, struct het__ref task);
};

/** Runs it. May wait, before anything is started. With the lock. */
het_status het__batch_run(const struct het__batch *batch);

#endif
