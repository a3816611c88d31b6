/* place.c - which store a kernel works in, made if need be.
 *
 * A kernel that sees the whole array needs a dense store of all of it at an address aligned for its
 * types. One that sees only a box needs an aligned offset into such a store, or a store of just that box;
 * one exists per window. One that asks for a window is seen to in window.c. Of the 64 stores an array can have,
 * the least recently used gives way.
 */

#include "array/window.h"

#include <stddef.h>

#include "base/alloc.h"
#include "task/emit.h"

/* Parts of a device's blocks must start on its base alignment; where that is not known, at offset 0. */
static bool is_aligned(const struct het__block *block, size_t offset, size_t align_bytes,
		       const het_device *device)
{
	const size_t base = device->facts.base_align_bits / 8;

	if (block->host)
		return ((uintptr_t)block->host + offset) % align_bytes == 0;
	return (base ? offset % base : offset) == 0 && offset % align_bytes == 0;
}

static struct het__store *find_window(const struct het__value *value, const struct het__memory *memory,
                                      const struct het__box *window, size_t align_bytes)
{
	for (int s = 0; s < value->top; s++) {
		struct het__store *store = value->store[s];

		if (store && store->memory == memory && store->dense && store->align_bytes >= align_bytes &&
		    !store->outgrown && het__box_equal(value->rank, &store->window, window))
			return store;
	}
	return NULL;
}

void het__store_drop(struct het__value *value, struct het__store *store)
{
	if (store->sending.ended) /* what another store had too may still be on its way home from there */
		het__tasks_forget_holder(het__tasks_in(value->system), &store->sending);
	value->outgrown -= store->outgrown;
	het__directory_drop(&value->dir, store->slot);
	het__value_tidy(value);
	value->store[store->slot] = NULL;
	het__block_free(store->block);
	het__free(store);
}

/* No store may go: the present operation uses them all, or others may not be waited for. */
static het_status complain_of_windows(const struct het__value *value)
{
	const uint64_t now = het__tasks_in(value->system)->stamp;
	bool held = false;

	for (int s = HET__HOME + 1; s < value->top; s++)
		held |= value->store[s] && value->store[s]->used != now;
	if (!held)
		return het__fail(HET_ERR_MEMORY, "%s: one call uses more than %d windows of it", value->label,
				 HET__STORES - 1);
	if (het__in_callback())
		return het__fail(HET_ERR_CONTEXT,
				 "%s: all %d windows are in use, and a callback may not wait for one",
				 value->label, HET__STORES - 1);
	return het__fail(HET_ERR_MEMORY,
			 "%s: all %d windows wait for a user's function, which may wait for this call",
			 value->label, HET__STORES - 1);
}

/* A copy that was to bring home what the store holds has ended. The store is still there (het__store_drop). */
static void sending_ended(struct het__holder *holder, struct het__ref ref, struct het__failure *cause)
{
	struct het__store *const store =
		(struct het__store *)((char *)holder - offsetof(struct het__store, sending));

	(void)ref;
	store->not_home |= cause != NULL;
}

/* Starts the copies of what no other store has, piece by piece, for others may have what lies between; the
 * store stays the oldest. If such a copy, started since the store's last use, has failed, that is told, once.
 * What has arrived and is not at home was forgotten by the directory in merging: it is sent again. */
static het_status send_home(struct het__value *value, struct het__store *store)
{
	const uint64_t used = store->used;
	const bool failed = store->not_home && store->sent_home == used + 1;
	struct het__box piece;
	struct het__doing doing;
	het_status st;

	if (!het__directory_only(&value->dir, store->slot, HET__HOME, &piece))
		return HET_OK; /* it is on its way */
	store->not_home = false; /* the next call tries again */
	if (failed)
		return het__fail(HET_ERR_DEVICE,
				 "%s: a copy could not be written back to make room for another", value->label);
	store->sending.ended = sending_ended;
	het__doing(&doing, value->system, "another window of the array", "takes the place of", value->label);
	do
		st = het__value_fetch(value, value->store[HET__HOME], &piece, NULL, &store->sending, NULL);
	while (!st && het__directory_only(&value->dir, store->slot, HET__HOME, &piece));
	het__doing_end(&doing);
	store->used = used;
	return st;
}

het_status het__store_write_back(struct het__value *value, struct het__store *store)
{
	struct het__tasks *const tasks = het__tasks_in(value->system);
	const bool needed = !het__directory_can_drop(&value->dir, store->slot);
	const het_status st = needed ? send_home(value, store) : HET_OK;

	if (st)
		return st;
	tasks->again = het__block_user(store->block);
	if (!tasks->again.task && !het__directory_can_drop(&value->dir, store->slot))
		tasks->again = het__block_conflict(value->store[HET__HOME]->block, &store->window, false);
	if (!tasks->again.task) {
		store->sent_home = 0;
		return HET_OK;
	}
	if (needed)
		store->sent_home = store->used + 1;
	return HET__AGAIN;
}

/* All 64 are in use: the oldest that may go does, after its value has been written back where it is the only
 * holder. */
static het_status free_a_slot(struct het__value *value, int *slot_p)
{
	struct het__store *const oldest = het__store_oldest(value, NULL, NULL);
	het_status st;

	if (!oldest)
		return complain_of_windows(value);
	st = het__store_write_back(value, oldest);
	if (st)
		return st;
	*slot_p = oldest->slot;
	het__store_drop(value, oldest);
	return HET_OK;
}

static het_status find_slot(struct het__value *value, int *slot_p)
{
	for (int s = HET__HOME + 1; s < HET__STORES; s++)
		if (!value->store[s]) {
			*slot_p = s;
			return HET_OK;
		}
	return free_a_slot(value, slot_p);
}

het_status het__too_large(const het_device *device, size_t bytes)
{
	return het__fail_on(HET_ERR_DEVICE_MEMORY, device->name, "%zu bytes; a buffer of %s has %llu at most",
			    bytes, device->name, (unsigned long long)device->facts.max_alloc_bytes);
}

/* The driver is not asked for a buffer that is larger than it says it can make. */
static het_status new_block(const struct het__value *value, het_device *device, const struct het__box *window,
                            struct het__block **block_p)
{
	const size_t bytes = het__value_bytes(value, window);
	const uint64_t most = device->facts.max_alloc_bytes;
	het_status st;

	if (!device->memory->owner)
		st = het__block_new_host(value->system, value->rank, bytes, block_p);
	else if (most && bytes > most)
		st = het__too_large(device, bytes);
	else {
		het__room_clear(device, bytes);
		st = het__block_new_device(device, value->rank, bytes, block_p);
	}
	return st ? het__fail_within("a copy of %s", value->label) : HET_OK;
}

het_status het__store_new(struct het__value *value, het_device *device, const struct het__box *window,
			  struct het__store **store_p)
{
	struct het__store *store = het__alloc_zeroed(1, sizeof *store);
	struct het__block *block = NULL;
	int slot = 0;
	het_status st;

	if (!store)
		return het__fail(HET_ERR_MEMORY, "no host memory to describe a copy of %s", value->label);
	st = find_slot(value, &slot);
	if (!st)
		st = new_block(value, device, window, &block);
	if (st) {
		het__free(store);
		return st;
	}
	het__store_init(store, slot, value, block, window);
	block->whole = &value->whole;
	value->store[store->slot] = store;
	het__emit_place("new_store", &value->dir, slot, block);
	if (store->slot >= value->top)
		value->top = store->slot + 1;
	*store_p = store;
	return HET_OK;
}

/* A packed view as an offset into a store of the whole array that is there already. */
static bool place_at_offset(struct het__access *access, het_device *device, size_t align_bytes)
{
	struct het__value *value = access->value;
	struct het__store *store = het__value_whole_store(value, device->memory, HET__NEEDS_BYTES);
	size_t offset;

	if (!store || het__box_empty(value->rank, access->box) ||
	    !het__layout_contiguous(value->rank, value->element_bytes, &store->layout, access->box, &offset) ||
	    !is_aligned(store->block, offset, align_bytes, device))
		return false;
	access->store = store;
	access->offset_bytes = offset;
	access->bytes = het__value_bytes(value, access->box);
	store->used = het__tasks_in(value->system)->stamp;
	return true;
}

static het_status place_in_own(struct het__access *access, het_device *device, const struct het__box *window,
                               size_t align_bytes)
{
	struct het__store *store = find_window(access->value, device->memory, window, align_bytes);
	het_status st = HET_OK;

	if (!store)
		st = het__store_make(access->value, device, window, &store);
	if (!st)
		het__access_through(access, store);
	return st;
}

het_status het__access_place(struct het__access *access, het_device *device, enum het__sees sees,
			     size_t align_bytes)
{
	switch (sees) {
	case HET__SEES_WINDOW: return het__window_place(access, device, align_bytes);
	case HET__SEES_BOX:
		if (place_at_offset(access, device, align_bytes))
			return HET_OK;
		return place_in_own(access, device, access->box, align_bytes);
	case HET__SEES_ALL: break;
	}
	return place_in_own(access, device, &access->value->whole, align_bytes);
}
