/* window.c - where kernels work that ask for windows: they index as if they had the whole array, and are told
 * where the store they get begins, so that any store does that has the box.
 *
 * Where none has it, a store of the box is made, or of the hull of the box and what overlaps it of those that
 * were made so before: arrays that change places, as in Jacobi's iteration, are written in [lo, hi) and then
 * read in [lo - 1, hi + 1), and end with one store. Of such stores (`grows`) it is true that
 *   W1  only they are outgrown, by another one of their memory whose window has theirs; no access that sees a
 *       window is placed in an outgrown store, which goes when no task uses it any more;
 *   W2  nothing is lost when one goes: what only it held has been handed over or written back.
 *
 * The hull is made beside what it replaces where the memory has room for both, and filled by copies inside
 * that memory. Where it has not, what it replaces goes home first, so that nothing is there twice; and where
 * the hull is not to be had at all, the box alone gets a store, if need be in the place of others (room.c).
 */

#include "array/window.h"

#include "array/array.h"
#include "kernel/kernel.h"

/* So many stores of one array in a memory become one, of their hull: a program that goes over an array row by
 * row would otherwise soon have as many stores as there may be. */
#define CROWD 8

/* How often a store tries to hand over what it holds; then that is written back. */
#define TRIES 3

static bool is_of(const struct het__store *store, const struct het__memory *memory)
{
	return store && store->memory == memory && store->grows;
}

/* Most bytes to which a type is aligned: numbers are to their size, vectors to theirs, 128 at most. */
#define ALIGN_MOST 128

/* Parts begin where an element does and where whatever a kernel takes the bytes for is aligned. */
static size_t unit_of(const struct het__value *value)
{
	const size_t bytes = value->element_bytes, even = bytes & ~(bytes - 1);

	return even < ALIGN_MOST ? bytes / even * ALIGN_MOST : bytes;
}

/* From the first byte to behind the last of a box that is not empty. */
static size_t span_of(const struct het__value *value, const struct het__store *store,
		      const struct het__box *box, size_t *first_p)
{
	const struct het__layout *const layout = &store->layout;
	size_t first = layout->offset_bytes, end = first + value->element_bytes;

	for (int d = 0; d < value->rank; d++) {
		first += (size_t)(box->lo[d] - layout->lo[d]) * layout->pitch_bytes[d];
		end += (size_t)(box->hi[d] - 1 - layout->lo[d]) * layout->pitch_bytes[d];
	}
	*first_p = first;
	return end;
}

/* Bytes of a buffer over the box in this store: it begins where a part may. */
static size_t bytes_in_place(const struct het__value *value, const struct het__store *store,
			     const struct het__box *box)
{
	size_t first;
	const size_t end = span_of(value, store, box, &first);

	return end - first + first % unit_of(value);
}

/* May a buffer of the device have the box's bytes in this store, and what lies between them? Only the host's
 * blocks are larger than a buffer. True as well where even a store of just the box would be too large: the
 * error is then about this one. */
static bool is_in_a_buffer(const struct het__value *value, const struct het__store *store,
			   const het_device *device, const struct het__box *box)
{
	const uint64_t most = device->facts.max_alloc_bytes;

	return most == 0 || store->block->bytes <= most || het__box_empty(value->rank, box) ||
	       het__value_bytes(value, box) > most || bytes_in_place(value, store, box) <= most;
}

static bool suits(const struct het__value *value, const struct het__store *store, const het_device *device,
		  const struct het__box *box, size_t align_bytes)
{
	return store && store->memory == device->memory && !store->outgrown &&
	       store->align_bytes >= align_bytes && het__box_contains(value->rank, &store->window, box) &&
	       is_in_a_buffer(value, store, device, box);
}

/* A store that suits; one that grows rather than one that was made for another purpose. */
static struct het__store *find(const struct het__value *value, const het_device *device,
			       const struct het__box *box, size_t align_bytes)
{
	struct het__store *found = NULL;

	for (int s = 0; s < value->top; s++) {
		struct het__store *const store = value->store[s];

		if (suits(value, store, device, box, align_bytes) &&
		    (!found || (store->grows && !found->grows)))
			found = store;
	}
	return found;
}

static bool has_outgrown(const struct het__value *value, const struct het__memory *memory)
{
	for (int s = 0; s < value->top && value->outgrown; s++)
		if (is_of(value->store[s], memory) && value->store[s]->outgrown)
			return true;
	return false;
}

bool het__value_has_windows(const struct het__value *value, const struct het__memory *memory)
{
	for (int s = HET__HOME + 1; s < value->top; s++)
		if (is_of(value->store[s], memory))
			return true;
	return false;
}

struct het__store *het__value_window_store(const struct het__value *value, const het_device *device,
					   const struct het__box *box, size_t align_bytes)
{
	return has_outgrown(value, device->memory) ? NULL : find(value, device, box, align_bytes);
}

/* ---- outgrown stores ---------------------------------------------------------------------------- */

/* A box of what the one store holds and the other does not; false where there is none. */
static bool lacks(const struct het__value *value, const struct het__store *from, const struct het__store *to,
		  struct het__box *piece)
{
	struct het__walk walk = het__walk(&value->dir.entries, &from->window);
	const struct het__entry *e;

	while ((e = het__walk_next(&walk))) {
		const uint64_t members = e->settled | e->promised;

		if ((members >> from->slot & 1) && !(members >> to->slot & 1)) {
			*piece = e->box; /* inside both windows: a member covers it */
			return true;
		}
	}
	return false;
}

/* Starts the copies of what an outgrown store holds, which does not count as a use of it. */
static het_status hand_over(struct het__value *value, struct het__store *from, struct het__store *to,
			    struct het__lane *lane)
{
	const uint64_t used = from->used;
	struct het__doing doing;
	struct het__box piece;
	het_status st = HET_OK;

	het__doing(&doing, value->system, "a larger window of the array", "takes the place of", value->label);
	while (!st && lacks(value, from, to, &piece)) {
		const struct het__access source = het__access(value, from, &piece, HET__ACCESS_IN);
		const struct het__access target = het__access(value, to, &piece, HET__ACCESS_JOIN);
		struct het__ref ref;

		st = het__value_move(&source, &target, lane, NULL, &ref);
	}
	het__doing_end(&doing);
	from->used = used;
	return st;
}

/* HET__AGAIN until nobody uses the store any more, so that there is one store when the next launch comes. Who
 * must not wait, or would wait for a function that may be waiting for him, leaves it for *later. */
static het_status wait_for(struct het__value *value, struct het__store *store, bool *later)
{
	struct het__tasks *const tasks = het__tasks_in(value->system);

	tasks->again = het__block_user(store->block);
	*later = tasks->again.task && (het__in_callback() || tasks->again.task->behind_user);
	return tasks->again.task && !*later ? HET__AGAIN : HET_OK;
}

/* HET__AGAIN where the same operation has placed something in the store, which is to be placed again. */
static het_status drop(struct het__value *value, struct het__store *store)
{
	struct het__tasks *const tasks = het__tasks_in(value->system);
	const bool in_use = store->used == tasks->stamp;

	het__store_drop(value, store);
	tasks->again = (struct het__ref){NULL, 0};
	return in_use ? HET__AGAIN : HET_OK;
}

static het_status retire(struct het__value *value, struct het__store *store, struct het__lane *lane)
{
	struct het__store *const heir = find(value, lane->device, &store->window, 1);
	struct het__box piece;
	bool later = false;
	het_status st;

	if (!heir || !heir->grows) { /* the heir had to go itself */
		store->outgrown = false;
		store->tries = 0;
		value->outgrown--;
		return HET_OK;
	}
	if (lacks(value, store, heir, &piece) && store->tries++ >= TRIES)
		st = het__store_may_go(value, store) ? het__store_write_back(value, store) : HET_OK;
	else
		st = hand_over(value, store, heir, lane);
	if (!st)
		st = wait_for(value, store, &later);
	if (st || later || !het__directory_can_drop(&value->dir, store->slot))
		return st;
	return drop(value, store);
}

/* Sees to what is outgrown in the device's memory. */
static het_status retire_all(struct het__value *value, het_device *device)
{
	struct het__lane *lane;
	het_status st = value->outgrown ? het__lane_of(device, &lane) : HET_OK;

	for (int s = HET__HOME + 1; s < value->top && value->outgrown && !st; s++)
		if (is_of(value->store[s], device->memory) && value->store[s]->outgrown)
			st = retire(value, value->store[s], lane);
	return st;
}

/* ---- new stores --------------------------------------------------------------------------------- */

/* Is it one that a new store of the hull makes needless? */
static bool is_inside(const struct het__value *value, int s, const struct het__memory *memory,
		      const struct het__box *hull)
{
	const struct het__store *const store = value->store[s];

	return is_of(store, memory) && het__box_contains(value->rank, hull, &store->window);
}

/* Widens *hull to have in it the stores that it overlaps; `all`: all of them. True if any store is inside. */
static bool find_hull(const struct het__value *value, const struct het__memory *memory, bool all,
		      struct het__box *hull)
{
	bool any = false;

	for (int s = HET__HOME + 1; s < value->top; s++) {
		const struct het__store *const store = value->store[s];

		if (!is_of(store, memory) || het__box_empty(value->rank, &store->window))
			continue;
		if (is_inside(value, s, memory, hull) ||
		    (!all && !het__box_overlaps(value->rank, hull, &store->window)))
			continue;
		het__box_cover(value->rank, hull, &store->window);
		s = HET__HOME; /* the hull is larger: from the beginning */
	}
	for (int s = HET__HOME + 1; s < value->top; s++)
		any |= is_inside(value, s, memory, hull);
	return any;
}

/* Are there so many stores that one of their hull is better, and is at least half of the hull theirs? */
static bool is_crowd(const struct het__value *value, const struct het__memory *memory, size_t hull_bytes)
{
	size_t bytes = 0;
	int count = 0;

	for (int s = HET__HOME + 1; s < value->top; s++)
		if (is_of(value->store[s], memory)) {
			bytes += value->store[s]->block->bytes;
			count++;
		}
	return count >= CROWD && hull_bytes / 2 <= bytes;
}

/* Is there room for the hull, or would there be without what lies in it? */
static bool would_fit(const struct het__value *value, const het_device *device, const struct het__box *hull)
{
	const size_t bytes = het__value_bytes(value, hull);
	size_t inside = 0;

	for (int s = HET__HOME + 1; s < value->top; s++)
		if (is_inside(value, s, device->memory, hull))
			inside += value->store[s]->block->bytes;
	return bytes <= inside || het__room_is_there(device, bytes - inside);
}

/* In a memory that has no room for both: the stores inside the hull go home, one after another, to make room.
 * Not where the present operation uses one of them, which would have to come back at once, or where one may not
 * be waited for. */
static het_status make_way(struct het__value *value, const het_device *device, const struct het__box *hull)
{
	struct het__memory *const memory = device->memory;
	const uint64_t now = het__tasks_in(value->system)->stamp;

	if (!would_fit(value, device, hull))
		return HET_ERR_DEVICE_MEMORY;
	for (int s = HET__HOME + 1; s < value->top; s++)
		if (is_inside(value, s, memory, hull) &&
		    (value->store[s]->used == now || !het__store_may_go(value, value->store[s])))
			return HET_ERR_DEVICE_MEMORY;
	for (int s = HET__HOME + 1; s < value->top; s++) {
		het_status st;

		if (!is_inside(value, s, memory, hull))
			continue;
		if (!het__store_may_go(value, value->store[s])) /* since another one went */
			return HET_ERR_DEVICE_MEMORY;
		st = het__store_write_back(value, value->store[s]);
		if (st)
			return st;
		het__store_drop(value, value->store[s]);
	}
	het__kernels_let_go(value->system, memory, NULL);
	return HET_OK;
}

/* A store of the hull, beside what it outgrows. */
static het_status make_hull(struct het__value *value, het_device *device, const struct het__box *hull,
			    struct het__store **store_p)
{
	het_status st = HET_ERR_DEVICE_MEMORY;

	if (het__room_is_there(device, het__value_bytes(value, hull)))
		st = het__store_new(value, device, hull, store_p);
	for (int s = HET__HOME + 1; s < value->top && !st; s++)
		if (is_inside(value, s, device->memory, hull) && !value->store[s]->outgrown) {
			value->store[s]->outgrown = true;
			value->outgrown++;
		}
	return st;
}

/* HET_ERR_DEVICE_MEMORY: no hull can be had, or none is wanted. */
static het_status make_larger(struct het__value *value, het_device *device, const struct het__box *box,
			      struct het__store **store_p)
{
	const struct het__memory *const memory = device->memory;
	struct het__box hull = *box;
	het_status st = HET_ERR_DEVICE_MEMORY;

	if (het__box_empty(value->rank, box))
		return st;
	if (find_hull(value, memory, true, &hull) && is_crowd(value, memory, het__value_bytes(value, &hull)) &&
	    het__room_possible(device, het__value_bytes(value, &hull)))
		st = make_hull(value, device, &hull, store_p);
	if (st != HET_ERR_DEVICE_MEMORY)
		return st;
	hull = *box;
	if (!find_hull(value, memory, false, &hull) ||
	    !het__room_possible(device, het__value_bytes(value, &hull)))
		return st;
	st = make_hull(value, device, &hull, store_p);
	if (st != HET_ERR_DEVICE_MEMORY)
		return st;
	st = make_way(value, device, &hull);
	return st ? st : make_hull(value, device, &hull, store_p);
}

het_status het__window_place(struct het__access *access, het_device *device, size_t align_bytes)
{
	struct het__value *const value = access->value;
	het_status st = retire_all(value, device);
	struct het__store *store = st ? NULL : find(value, device, access->box, align_bytes);

	if (!st && !store) {
		st = make_larger(value, device, access->box, &store);
		if (st == HET_ERR_DEVICE_MEMORY)
			st = het__store_make(value, device, access->box, &store);
		if (st)
			return st;
		store->grows = true;
		st = retire_all(value, device);
	}
	if (st)
		return st;
	het__access_through(access, store);
	het__access_narrow(access, device);
	return HET_OK;
}

uint64_t het__access_bytes_on(const struct het__access *access, const het_device *device)
{
	const struct het__value *const value = access->value;

	if (device->memory->owner || !access->store || het__box_empty(value->rank, access->box))
		return het__box_cells(value->rank, access->box) * value->element_bytes;
	return bytes_in_place(value, access->store, access->box);
}

/* The parts overlap by a half: few buffers do for all boxes but the largest. Only the host's memory has such
 * blocks. */
void het__access_narrow_now(struct het__access *access, size_t most_bytes)
{
	const struct het__value *const value = access->value;
	const size_t unit = unit_of(value), half = most_bytes / 2 - most_bytes / 2 % unit;
	size_t first = 0, end = 0;

	if (!het__box_empty(value->rank, access->box))
		end = span_of(value, access->store, access->box, &first);
	if (half == 0 || end > first - first % half + most_bytes)
		first -= first % unit;
	else
		first -= first % half;
	if (end - first > most_bytes)
		return;
	access->offset_bytes = first;
	if (access->bytes > first + most_bytes)
		access->bytes = most_bytes;
	else
		access->bytes -= first;
}

void het__access_window(const struct het__access *access, struct het__window *window)
{
	const struct het__store *const store = access->store;
	const struct het__layout *const layout = &store->layout;
	const int64_t bytes = (int64_t)access->value->element_bytes;
	const int64_t begin = (int64_t)access->offset_bytes - (int64_t)layout->offset_bytes;

	*window = (struct het__window){.base = begin / bytes - access->value->window_front};
	for (int d = 0; d < access->value->rank; d++) {
		const int64_t pitch = (int64_t)layout->pitch_bytes[d] / bytes;

		window->base += layout->lo[d] * pitch;
		if (d < HET_MAX_RANK - 1)
			window->pitch[d] = pitch;
	}
}
