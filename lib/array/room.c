/* room.c - a new store in a device's memory, at the cost of others where there is not room enough.
 *
 * Which others: of all arrays' stores in that memory the least recently used one that the present operation
 * does not use, after what only it holds has gone home. The home itself is in the host's memory and never
 * goes. When no other can go, what freed arrays still take, and scratch of copies, goes with the last tasks
 * that use them: these are waited for, if that makes room enough. Last of all comes what waits for a user's
 * function, which may itself be waiting for the caller: it is waited for as long as functions end
 * (lib/task/function.c).
 */

#include "array/array.h"
#include "array/guest.h"
#include "array/window.h"
#include "kernel/kernel.h"

bool het__room_possible(const het_device *device, uint64_t bytes)
{
	const struct het__cl_device_facts *const f = &device->facts;

	return !device->memory->owner ||
	       ((f->max_alloc_bytes == 0 || bytes <= f->max_alloc_bytes) &&
		(f->memory_bytes == 0 || bytes <= f->memory_bytes));
}

bool het__room_is_there(const het_device *device, uint64_t bytes)
{
	const uint64_t most = device->facts.memory_bytes, taken = device->memory->block_bytes;

	return !device->memory->owner || most == 0 || (taken <= most && bytes <= most - taken);
}

void het__room_clear(const het_device *device, uint64_t bytes)
{
	struct het__memory *const memory = device->memory;
	const uint64_t most = device->facts.memory_bytes;

	if (memory->gone_bytes && most && memory->block_bytes + memory->gone_bytes + bytes > most)
		het__kernels_let_go(device->system, memory, NULL);
}

bool het__store_may_go(const struct het__value *value, struct het__store *store)
{
	const bool holds_alone = !het__directory_can_drop(&value->dir, store->slot);

	if (!holds_alone && !het__block_user(store->block).task)
		return true;
	return !het__in_callback() && !het__block_task_behind_user(store->block).task &&
	       !(holds_alone &&
		 het__block_is_behind_user(value->store[HET__HOME]->block, &store->window, true));
}

struct het__store *het__store_oldest(const struct het__value *value, const struct het__memory *memory,
				     struct het__store *oldest)
{
	const uint64_t now = het__tasks_in(value->system)->stamp;

	for (int s = HET__HOME + 1; s < value->top; s++) {
		struct het__store *const store = value->store[s];

		if (store && (!memory || store->memory == memory) && store->used != now &&
		    (!oldest || store->used < oldest->used) && het__store_may_go(value, store))
			oldest = store;
	}
	return oldest;
}

/* NULL: none can go. */
static struct het__store *find_oldest(const het_system *system, const struct het__memory *memory,
				      struct het__value **value_p)
{
	struct het__store *oldest = NULL;

	for (const het_array *array = het__arrays_first(system); array; array = array->next) {
		struct het__store *const found = het__store_oldest(array->value, memory, oldest);

		if (found != oldest)
			*value_p = array->value;
		oldest = found;
	}
	return oldest;
}

static het_status give_way(het_device *device, struct het__value *value, struct het__store *store)
{
	const het_status st = het__store_write_back(value, store);

	if (st)
		return st;
	het__store_drop(value, store);
	het__kernels_let_go(device->system, device->memory, NULL);
	return HET_OK;
}

static uint64_t bytes_of_stores(const struct het__value *value, const struct het__memory *memory)
{
	uint64_t bytes = 0;

	for (int s = HET__HOME + 1; s < value->top; s++)
		if (value->store[s] && value->store[s]->memory == memory)
			bytes += value->store[s]->block->bytes;
	return bytes;
}

/* Do all tasks that use a block end by themselves? *task_p becomes one of them, if there are any. A task that
 * waits for a user's function does not: the function may be waiting for the caller. */
static bool will_be_unused(const struct het__block *block, struct het__ref *task_p)
{
	for (int i = 0; i < block->hazards.count; i++) {
		const struct het__ref task = block->hazards.at[i].task;

		if (!het__alive(task))
			continue;
		if (task.task->behind_user)
			return false;
		*task_p = task;
	}
	return true;
}

/* Does a freed array go by itself, with the last of its tasks? *task_p becomes one of these. */
static bool is_leaving(const struct het__value *value, struct het__ref *task_p)
{
	*task_p = (struct het__ref){NULL, 0};
	for (int s = 0; s < value->top; s++)
		if (value->store[s] && !will_be_unused(value->store[s]->block, task_p))
			return false;
	return task_p->task != NULL;
}

static bool is_ending(const struct het__guest *guest, struct het__ref *task_p)
{
	*task_p = (struct het__ref){NULL, 0};
	return will_be_unused(guest->store.block, task_p) && task_p->task != NULL;
}

/* Bytes of freed arrays, and of scratch, that go with the last of their tasks; *first_p becomes one of these
 * tasks, if there are any. */
static uint64_t bytes_leaving(const het_device *device, struct het__ref *first_p)
{
	struct het__ref task, first = {NULL, 0};
	uint64_t leaving = 0;

	for (const struct het__value *v = *het__values_left(device->system); v; v = v->next_left) {
		const uint64_t here = bytes_of_stores(v, device->memory);

		if (here == 0 || !is_leaving(v, &task))
			continue;
		leaving += here;
		first = task; /* in the end one of the first freed */
	}
	for (const struct het__guest *g = *het__scratches(device->system); g; g = g->next) {
		if (g->store.memory != device->memory || !is_ending(g, &task))
			continue;
		leaving += g->store.block->bytes;
		first = task;
	}
	*first_p = first;
	return leaving;
}

/* A task to wait for where a store waits for a user's function, or where its window of the home does. */
static struct het__ref task_behind_user(const struct het__value *value, const struct het__store *store)
{
	struct het__block *const home = value->store[HET__HOME]->block;
	const struct het__ref own = het__block_task_behind_user(store->block);

	if (own.task || !het__block_is_behind_user(home, &store->window, true))
		return own;
	return het__block_conflict(home, &store->window, true);
}

/* Bytes of an array's stores in a memory that wait for a user's function; *task_p becomes a task to wait for.
 * Nothing is counted here that bytes_leaving counts: there no block waits for such a function. */
static uint64_t bytes_behind_users(const struct het__value *value, const struct het__memory *memory,
				   struct het__ref *task_p)
{
	const uint64_t now = het__tasks_in(value->system)->stamp;
	uint64_t bytes = 0;

	for (int s = HET__HOME + 1; s < value->top; s++) {
		const struct het__store *const store = value->store[s];
		struct het__ref task;

		if (!store || store->memory != memory || store->used == now)
			continue;
		task = task_behind_user(value, store);
		if (!task.task)
			continue;
		bytes += store->block->bytes;
		*task_p = task;
	}
	return bytes;
}

/* The same of all arrays, freed ones and scratch. */
static uint64_t bytes_behind_all_users(const het_device *device, struct het__ref *task_p)
{
	struct het__ref task = {NULL, 0};
	uint64_t leaving = 0;

	for (const het_array *a = het__arrays_first(device->system); a; a = a->next)
		leaving += bytes_behind_users(a->value, device->memory, &task);
	for (const struct het__value *v = *het__values_left(device->system); v; v = v->next_left)
		leaving += bytes_behind_users(v, device->memory, &task);
	for (const struct het__guest *g = *het__scratches(device->system); g; g = g->next) {
		const struct het__ref own = het__block_task_behind_user(g->store.block);

		if (g->store.memory != device->memory || !own.task)
			continue;
		leaving += g->store.block->bytes;
		task = own;
	}
	*task_p = task;
	return leaving;
}

static bool is_enough(const het_device *device, uint64_t leaving, uint64_t bytes)
{
	const uint64_t most = device->facts.memory_bytes, taken = device->memory->block_bytes;

	return leaving > 0 && (most == 0 || taken - leaving + bytes <= most);
}

/* Will there be room when tasks have ended, users' functions too if need be? Then tasks->again is one to wait
 * for. *in_vain: there would be room, but a function may be waiting for the caller. */
static bool will_be_room(const het_device *device, uint64_t bytes, bool *in_vain)
{
	struct het__tasks *const tasks = het__tasks_in(device->system);
	struct het__ref behind;
	uint64_t leaving;

	*in_vain = false;
	if (!device->memory->owner || het__in_callback())
		return false;
	leaving = bytes_leaving(device, &tasks->again);
	if (is_enough(device, leaving, bytes))
		return true;
	leaving += bytes_behind_all_users(device, &behind);
	if (!is_enough(device, leaving, bytes))
		return false;
	*in_vain = het__function_is_stuck(tasks);
	tasks->again = behind;
	return !*in_vain;
}

static het_status complain(const het_device *device, size_t bytes, bool in_vain)
{
	const char *const why =
		in_vain ? ": it waits for a function of the program's, which may wait for this" : "";

	return het__fail_on(HET_ERR_DEVICE_MEMORY, device->name,
			    "%zu bytes; of the %llu of %s %llu are in use by what cannot give way now%s", bytes,
			    (unsigned long long)device->facts.memory_bytes, device->name,
			    (unsigned long long)device->memory->block_bytes, why);
}

/* Where it is known that there is no room, the driver is not asked: it may promise what it does not have, and
 * fail much later, with what others have been told is theirs. */
het_status het__store_make(struct het__value *value, het_device *device, const struct het__box *window,
			   struct het__store **store_p)
{
	const size_t bytes = het__value_bytes(value, window);
	struct het__value *owner = NULL;
	struct het__store *oldest;
	het_status st = HET_ERR_DEVICE_MEMORY;
	bool is_there, in_vain;

	if (het__room_is_there(device, bytes) || !het__room_possible(device, bytes))
		st = het__store_new(value, device, window, store_p);
	if (st != HET_ERR_DEVICE_MEMORY || !het__room_possible(device, bytes))
		return st;
	het__lanes_tell(value->system);
	het__lanes_reap(value->system); /* freed arrays' memory goes with their last tasks */
	het__values_sweep(value->system);
	het__kernels_let_go(device->system, device->memory, NULL);
	for (;;) {
		oldest = find_oldest(device->system, device->memory, &owner);
		is_there = het__room_is_there(device, bytes);
		if (!oldest && !is_there && will_be_room(device, bytes, &in_vain))
			return HET__AGAIN;
		if (!oldest && !is_there) {
			(void)complain(device, bytes, in_vain);
			return het__fail_within("a copy of %s", value->label);
		}
		if (is_there)
			st = het__store_new(value, device, window, store_p);
		if (st == HET_ERR_DEVICE_MEMORY && !oldest && is_there &&
		    will_be_room(device, bytes, &in_vain))
			return HET__AGAIN; /* the driver has less than it tells */
		if (st != HET_ERR_DEVICE_MEMORY || !oldest)
			return st;
		st = give_way(device, owner, oldest);
		if (st)
			return st;
		st = HET_ERR_DEVICE_MEMORY;
	}
}
