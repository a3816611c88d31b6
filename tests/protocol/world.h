/* world.h - the state in which transitions are replayed: tasks, lanes, and the boxes of values and blocks. */
#ifndef HETERO_TESTS_PROTOCOL_WORLD_H
#define HETERO_TESTS_PROTOCOL_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "array/directory.h"

struct task;

struct set {
	struct task **at;
	int count, room;
};

struct lane {
	uintptr_t context; /* 0: the host's; shared with nobody */
	long length, finished;
};

struct task {
	int state;
	struct lane *lane;
	long place;
	uintptr_t cause; /* 0: none */
	struct set before, events, until_submitted, until_ended, inputs;
	struct task *namesake; /* an older one of the same name: of a system that is closed */
};

struct space;

/** A box all of whose cells are in the same state; boxes of events cut it. */
struct tile {
	struct space *space;
	struct het__box box;
	/* of a value */
	uint64_t settled, promised;
	uint64_t former, formerly_promised;
	struct task *promiser[HET__STORES]; /* of what is promised, and formerly promised */
	uintptr_t poison;
	/* of a block */
	struct set readers, writers;
};

/** A value, or a block of memory: tiles. */
struct space {
	int rank; /* 0: not yet known */
	struct tile **tile;
	int count, room;
	struct space *store[HET__STORES]; /* a value's blocks */
};

/* Sets of tasks. */
bool set_has(const struct set *set, const struct task *task);
void set_add(struct set *set, struct task *task);
void set_remove(struct set *set, const struct task *task);
/** Takes those out that have ended. */
void set_keep_unfinished(struct set *set);
bool set_any_held(const struct set *set);
bool set_any_unfinished(const struct set *set);
bool set_any_failed(const struct set *set);
/** Every unfinished task of the set is among those that `task` comes after. */
bool set_all_before(const struct set *set, const struct task *task);
void set_clear(struct set *set);

/* Things by their names in the file; made when first named. */
struct task *world_task(uintptr_t slot, uint64_t id);
/** A task that is about to be made: not the GONE one of the same name. */
struct task *world_new_task(uintptr_t slot, uint64_t id);
struct lane *world_lane(uintptr_t at);
struct space *world_value(uintptr_t at);
struct space *world_block(uintptr_t at, int rank);
/** NULL when the block was never used. */
struct space *world_known_block(uintptr_t at);

/** An empty value. */
void world_new_value(uintptr_t at, int rank, const struct het__box *whole);
void world_end_value(uintptr_t at);
void world_end_block(uintptr_t at);
/** All is forgotten: another process begins. */
void world_end(void);

/** Cuts the space's tiles so that each lies inside the box or outside of it. */
void space_cut(struct space *space, const struct het__box *box);
bool tile_is_in(const struct tile *tile, const struct het__box *box);

/** The task has a hazard on all of the tile's box in the block of its store. */
bool tile_is_used_by(const struct tile *tile, int store, const struct task *task, bool write);
/** Some unfinished task reads (writes) some of the tile's box in the block of its store. */
bool tile_is_in_use(const struct tile *tile, int store, bool write);

/** The former copies are from now on what the members are now, without one store. */
void tile_keep_as_former(struct tile *tile, int store);

/** No box of any value is promised by the task. */
bool world_has_no_promise_of(const struct task *task);
/** Every box of every value has a member or a poison, and not both. */
bool world_has_values_or_causes(void);

#endif
