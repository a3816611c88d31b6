/* promised.h - where the promises of each task that makes some lie, while an array has very many entries.
 *
 * A task that ends settles or breaks its promises. Of thousands of entries most have promises of tasks begun
 * at about the same time, so the ranges of ids in leaves tell little. So each task's promises are noted here
 * with a box around them. It only hastens: of a task that is not noted nothing is known, and everywhere is
 * looked.
 *
 * Invariant (het__directory_check):
 *   P1  the promises of a noted task lie in its box.
 */
#ifndef HETERO_LIB_ARRAY_PROMISED_H
#define HETERO_LIB_ARRAY_PROMISED_H

#include "task/task.h"

struct het__promised_at {
	uint64_t id;          /* of the task */
	struct het__box box;
};

struct het__promised {
	HET__VEC(struct het__promised_at) list; /* by ascending id */
	int first;            /* those before it are over */
	uint64_t since;       /* only tasks with greater ids can be noted: all their promises were */
};

/** Begins; no promise is of a task with a greater id than `since`. */
void het__promised_begin(struct het__promised *p, uint64_t since);
void het__promised_free(struct het__promised *p);

/** Task `id` has promised something in the box. */
void het__promised_add(struct het__promised *p, int rank, uint64_t id, const struct het__box *box);

/** The box around what the task has promised; NULL: nothing is known. Until the next call. */
const struct het__box *het__promised_box(const struct het__promised *p, uint64_t id);

/** The task has no promise any more. */
void het__promised_end(struct het__promised *p, uint64_t id);

#endif
