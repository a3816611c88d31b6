/* emit.h - tells a file what the protocol does, so that tests/protocol_replay can check it.
 *
 * In a build with debug checks, HETERO_PROTOCOL=FILE appends one line per transition: the name of a command of
 * tests/protocol/commands.h and its arguments. Places, lanes and causes are written as addresses, a task as its
 * slot's address and its id. Without debug checks nothing of this exists.
 *
 * A value is named by the address of its directory.
 */
#ifndef HETERO_LIB_TASK_EMIT_H
#define HETERO_LIB_TASK_EMIT_H

#include "box/box.h"
#include "task/task.h"

#ifdef HETERO_DEBUG_CHECKS
void het__emit_make(const struct het__task *task);
void het__emit_task(const char *command, struct het__ref task);
void het__emit_pair(const char *command, struct het__ref task, struct het__ref other);
void het__emit_three(const char *command, struct het__ref task, struct het__ref other, struct het__ref third);
void het__emit_cause(const char *command, struct het__ref task, const struct het__failure *cause);
/** By the order of the queue `task`, which uses `box`, comes after `before`, which uses `other`. Writes nothing
 *  when `before` has ended, or the boxes have no cells in common. */
void het__emit_follow(struct het__ref task, const struct het__box *box, struct het__ref before,
                      const struct het__box *other, int rank);
/** A value or a block, and what it has to do with another address. */
void het__emit_place(const char *command, const void *place, int slot, const void *other);
/** A box of a value, in one of its stores, or of a block (slot 0); `by` may be a NULL reference. */
void het__emit_box(const char *command, const void *place, int rank, const struct het__box *box, int slot,
                   struct het__ref by);
/** In a box of a block `later` stands for `earlier`. Writes nothing when `earlier` has ended. */
void het__emit_collapse(const void *block, int rank, const struct het__box *box, bool write,
                        struct het__ref later, struct het__ref earlier);
/** The host is not shown a box of a value. */
void het__emit_refusal(const void *value, int rank, const struct het__box *box,
		       const struct het__failure *cause);
#else
static inline void het__emit_make(const struct het__task *task)
{
	(void)task;
}
static inline void het__emit_task(const char *command, struct het__ref task)
{
	(void)command;
	(void)task;
}
static inline void het__emit_pair(const char *command, struct het__ref task, struct het__ref other)
{
	het__emit_task(command, task);
	(void)other;
}
static inline void het__emit_three(const char *command, struct het__ref task, struct het__ref other,
				   struct het__ref third)
{
	het__emit_pair(command, task, other);
	(void)third;
}
static inline void het__emit_cause(const char *command, struct het__ref task, const struct het__failure *cause)
{
	het__emit_task(command, task);
	(void)cause;
}
static inline void het__emit_follow(struct het__ref task, const struct het__box *box, struct het__ref before,
                                    const struct het__box *other, int rank)
{
	het__emit_pair("", task, before);
	(void)box;
	(void)other;
	(void)rank;
}
static inline void het__emit_place(const char *command, const void *place, int slot, const void *other)
{
	(void)command;
	(void)place;
	(void)slot;
	(void)other;
}
static inline void het__emit_box(const char *command, const void *place, int rank, const struct het__box *box,
                                 int slot, struct het__ref by)
{
	het__emit_task(command, by);
	(void)place;
	(void)rank;
	(void)box;
	(void)slot;
}
static inline void het__emit_collapse(const void *block, int rank, const struct het__box *box, bool write,
                                      struct het__ref later, struct het__ref earlier)
{
	het__emit_box("", block, rank, box, write, later);
	(void)earlier;
}
static inline void het__emit_refusal(const void *value, int rank, const struct het__box *box,
                                     const struct het__failure *cause)
{
	(void)value;
	(void)rank;
	(void)box;
	(void)cause;
}
#endif

#endif
