/* world.c - tasks, lanes, and the boxes of values and blocks, by the names that a run gave them. */

#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "states.h"

static void *get_memory(void *old, size_t bytes)
{
	void *memory = realloc(old, bytes);

	if (!memory) {
		fprintf(stderr, "protocol_replay: no memory\n");
		exit(EXIT_FAILURE);
	}
	return memory;
}

static void *get_zeroed(size_t bytes)
{
	return memset(get_memory(NULL, bytes), 0, bytes);
}

/* ---- sets of tasks ------------------------------------------------------------------------------ */

static bool is_unfinished(const struct task *task)
{
	return task->state == HELD || task->state == SUBMITTED;
}

bool set_has(const struct set *set, const struct task *task)
{
	for (int i = 0; i < set->count; i++)
		if (set->at[i] == task)
			return true;
	return false;
}

void set_add(struct set *set, struct task *task)
{
	if (set_has(set, task))
		return;
	if (set->count == set->room) {
		set->room = set->room ? 2 * set->room : 4;
		set->at = get_memory(set->at, (size_t)set->room * sizeof(struct task *));
	}
	set->at[set->count++] = task;
}

void set_remove(struct set *set, const struct task *task)
{
	for (int i = 0; i < set->count; i++)
		if (set->at[i] == task) {
			set->at[i] = set->at[--set->count];
			return;
		}
}

void set_keep_unfinished(struct set *set)
{
	int kept = 0;

	for (int i = 0; i < set->count; i++)
		if (is_unfinished(set->at[i]))
			set->at[kept++] = set->at[i];
	set->count = kept;
}

bool set_any_held(const struct set *set)
{
	for (int i = 0; i < set->count; i++)
		if (set->at[i]->state == HELD)
			return true;
	return false;
}

bool set_any_unfinished(const struct set *set)
{
	for (int i = 0; i < set->count; i++)
		if (is_unfinished(set->at[i]))
			return true;
	return false;
}

bool set_any_failed(const struct set *set)
{
	for (int i = 0; i < set->count; i++)
		if (set->at[i]->cause)
			return true;
	return false;
}

bool set_all_before(const struct set *set, const struct task *task)
{
	for (int i = 0; i < set->count; i++)
		if (is_unfinished(set->at[i]) && !set_has(&task->before, set->at[i]))
			return false;
	return true;
}

void set_clear(struct set *set)
{
	free(set->at);
	memset(set, 0, sizeof *set);
}

/* Finished tasks are of no account in hazards. */
static void set_forget_finished(struct set *set)
{
	for (int i = set->count - 1; i >= 0; i--)
		if (!is_unfinished(set->at[i]))
			set->at[i] = set->at[--set->count];
}

static void set_copy(struct set *to, const struct set *from)
{
	memset(to, 0, sizeof *to);
	for (int i = 0; i < from->count; i++)
		set_add(to, from->at[i]);
}

/* ---- things by name ----------------------------------------------------------------------------- */

struct name {
	uintptr_t at;
	uint64_t id; /* of a task; else 0 */
	void *thing; /* NULL: it is no more */
};

/* A hash table with open addressing; names are never taken out. */
struct names {
	struct name *name;
	size_t count, room;
};

static struct names tasks, lanes, values, blocks;

static struct name *find_name(const struct names *names, uintptr_t at, uint64_t id)
{
	size_t i = (size_t)((at / 16 * 31 + id) * 0x9e3779b97f4a7c15u >> 20) & (names->room - 1);

	while (names->name[i].at && (names->name[i].at != at || names->name[i].id != id))
		i = (i + 1) & (names->room - 1);
	return &names->name[i];
}

static void grow_names(struct names *names)
{
	struct names larger = {NULL, names->count, names->room ? 2 * names->room : 64};

	larger.name = get_zeroed(larger.room * sizeof *larger.name);
	for (size_t i = 0; i < names->room; i++)
		if (names->name[i].at)
			*find_name(&larger, names->name[i].at, names->name[i].id) = names->name[i];
	free(names->name);
	*names = larger;
}

static struct name *name_of(struct names *names, uintptr_t at, uint64_t id)
{
	struct name *name;

	if (2 * (names->count + 1) > names->room)
		grow_names(names);
	name = find_name(names, at, id);
	if (!name->at) {
		name->at = at;
		name->id = id;
		names->count++;
	}
	return name;
}

static void *thing_of(struct names *names, uintptr_t at, uint64_t id, size_t bytes)
{
	struct name *name = name_of(names, at, id);

	if (!name->thing)
		name->thing = get_zeroed(bytes);
	return name->thing;
}

struct task *world_task(uintptr_t slot, uint64_t id)
{
	return thing_of(&tasks, slot, id, sizeof(struct task));
}

struct task *world_new_task(uintptr_t slot, uint64_t id)
{
	struct name *name = name_of(&tasks, slot, id);
	struct task *old = name->thing;

	if (!old || old->state != GONE)
		return world_task(slot, id);
	name->thing = get_zeroed(sizeof *old);
	((struct task *)name->thing)->namesake = old;
	return name->thing;
}

struct lane *world_lane(uintptr_t at)
{
	return thing_of(&lanes, at, 0, sizeof(struct lane));
}

struct space *world_value(uintptr_t at)
{
	return thing_of(&values, at, 0, sizeof(struct space));
}

/* ---- boxes -------------------------------------------------------------------------------------- */

static struct tile *new_tile(struct space *space, const struct het__box *box)
{
	struct tile *tile = get_zeroed(sizeof *tile);

	if (space->count == space->room) {
		space->room = space->room ? 2 * space->room : 4;
		space->tile = get_memory(space->tile, (size_t)space->room * sizeof(struct tile *));
	}
	space->tile[space->count++] = tile;
	tile->space = space;
	tile->box = *box;
	return tile;
}

static void clear_space(struct space *space)
{
	for (int i = 0; i < space->count; i++) {
		set_clear(&space->tile[i]->readers);
		set_clear(&space->tile[i]->writers);
		free(space->tile[i]);
	}
	free(space->tile);
	memset(space, 0, sizeof *space);
}

void world_new_value(uintptr_t at, int rank, const struct het__box *whole)
{
	struct space *value = world_value(at);

	clear_space(value);
	value->rank = rank;
	if (!het__box_empty(rank, whole))
		new_tile(value, whole)->settled = 1; /* home */
}

void world_end_value(uintptr_t at)
{
	clear_space(world_value(at));
}

struct space *world_known_block(uintptr_t at)
{
	struct name *name = name_of(&blocks, at, 0);

	return name->thing;
}

/* Of a block only the rank is ever told: its first tile is larger than any box. */
struct space *world_block(uintptr_t at, int rank)
{
	struct space *block = thing_of(&blocks, at, 0, sizeof *block);
	struct het__box all = {0};

	if (block->rank || !rank)
		return block;
	for (int d = 0; d < rank; d++) {
		all.lo[d] = INT64_MIN / 4;
		all.hi[d] = INT64_MAX / 4;
	}
	block->rank = rank;
	new_tile(block, &all);
	return block;
}

/* The space stays, empty: values may name it until they end. */
void world_end_block(uintptr_t at)
{
	clear_space(world_block(at, 0));
}

static void cut_tile(struct space *space, struct tile *tile, const struct het__box *box)
{
	struct het__box outside[HET__BOX_PIECES];
	int pieces = het__box_subtract(space->rank, &tile->box, box, outside);

	for (int p = 0; p < pieces; p++) {
		struct tile *piece = new_tile(space, &outside[p]);
		struct het__box place = piece->box;

		*piece = *tile;
		piece->box = place;
		set_copy(&piece->readers, &tile->readers);
		set_copy(&piece->writers, &tile->writers);
	}
	(void)het__box_intersect(space->rank, &tile->box, box, &tile->box);
}

bool tile_is_in(const struct tile *tile, const struct het__box *box)
{
	return het__box_contains(tile->space->rank, box, &tile->box);
}

void space_cut(struct space *space, const struct het__box *box)
{
	int count = space->count;

	for (int i = 0; i < count; i++) {
		struct tile *tile = space->tile[i];

		if (!het__box_overlaps(space->rank, &tile->box, box))
			continue;
		set_forget_finished(&tile->readers);
		set_forget_finished(&tile->writers);
		if (!tile_is_in(tile, box))
			cut_tile(space, tile, box);
	}
}

bool tile_is_used_by(const struct tile *tile, int store, const struct task *task, bool write)
{
	const struct space *block = tile->space->store[store];

	for (int i = 0; block && i < block->count; i++) {
		const struct tile *bytes = block->tile[i];

		if (het__box_overlaps(block->rank, &bytes->box, &tile->box) &&
		    !set_has(&bytes->writers, task) && (write || !set_has(&bytes->readers, task)))
			return false;
	}
	return block && block->count > 0;
}

bool tile_is_in_use(const struct tile *tile, int store, bool write)
{
	const struct space *block = tile->space->store[store];

	for (int i = 0; block && i < block->count; i++) {
		const struct tile *bytes = block->tile[i];

		if (het__box_overlaps(block->rank, &bytes->box, &tile->box) &&
		    set_any_unfinished(write ? &bytes->writers : &bytes->readers))
			return true;
	}
	return false;
}

void tile_keep_as_former(struct tile *tile, int store)
{
	const uint64_t others = ~((uint64_t)1 << store);

	tile->former = tile->settled & others;
	tile->formerly_promised = tile->promised & others;
	for (int s = 0; s < HET__STORES; s++)
		if (!(tile->formerly_promised >> s & 1))
			tile->promiser[s] = NULL;
}

/* ---- all values --------------------------------------------------------------------------------- */

static bool every_tile(bool (*is_right)(const struct tile *tile, const struct task *task),
                       const struct task *task)
{
	for (size_t v = 0; v < values.room; v++) {
		const struct space *value = values.name[v].thing;

		for (int i = 0; value && i < value->count; i++)
			if (!is_right(value->tile[i], task))
				return false;
	}
	return true;
}

static bool is_not_promised_by(const struct tile *tile, const struct task *task)
{
	const uint64_t promised = tile->promised | tile->formerly_promised;

	for (int s = 0; promised && s < HET__STORES; s++)
		if (promised >> s & 1 && tile->promiser[s] == task)
			return false;
	return true;
}

static bool has_value_or_cause(const struct tile *tile, const struct task *task)
{
	(void)task;
	return ((tile->settled | tile->promised) == 0) == (tile->poison != 0);
}

bool world_has_no_promise_of(const struct task *task)
{
	return every_tile(is_not_promised_by, task);
}

bool world_has_values_or_causes(void)
{
	return every_tile(has_value_or_cause, NULL);
}

static void end_names(struct names *names)
{
	for (size_t i = 0; i < names->room; i++)
		free(names->name[i].thing);
	free(names->name);
	memset(names, 0, sizeof *names);
}

void world_end(void)
{
	for (size_t i = 0; i < tasks.room; i++)
		while (tasks.name[i].thing) {
			struct task *task = tasks.name[i].thing;

			tasks.name[i].thing = task->namesake;
			set_clear(&task->before);
			set_clear(&task->events);
			set_clear(&task->until_submitted);
			set_clear(&task->until_ended);
			set_clear(&task->inputs);
			free(task);
		}
	for (size_t i = 0; i < values.room; i++)
		if (values.name[i].thing)
			clear_space(values.name[i].thing);
	for (size_t i = 0; i < blocks.room; i++)
		if (blocks.name[i].thing)
			clear_space(blocks.name[i].thing);
	end_names(&tasks);
	end_names(&lanes);
	end_names(&values);
	end_names(&blocks);
}
