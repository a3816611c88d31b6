/* guest.c - the caller's memory and scratch in copies; copies piece by piece. */

#include "array/guest.h"

#include <string.h>

#include "array/window.h"
#include "base/alloc.h"

static void list(struct het__guest *guest)
{
	struct het__guest **const first = het__scratches(guest->value->system);

	guest->at = first;
	guest->next = *first;
	if (guest->next)
		guest->next->at = &guest->next;
	*first = guest;
}

static void unlist(struct het__guest *guest)
{
	if (!guest->at)
		return;
	*guest->at = guest->next;
	if (guest->next)
		guest->next->at = guest->at;
}

static void free_guest(struct het__guest *guest)
{
	struct het__value *value = guest->value;

	unlist(guest);
	het__block_free(guest->store.block);
	het__failure_release(guest->cause);
	het__free(guest->makers.at);
	het__free(guest);
	het__value_leave(value);
}

static void task_ended(struct het__holder *holder, struct het__ref ref, struct het__failure *cause)
{
	struct het__guest *guest = (struct het__guest *)holder;

	(void)ref;
	if (cause && !guest->cause)
		guest->cause = het__failure_retain(cause);
	if (cause && !guest->told && !guest->value->copy_failure)
		guest->value->copy_failure = het__failure_retain(cause);
	if (--guest->pending == 0 && guest->released)
		free_guest(guest);
}

static struct het__guest *new_guest(struct het__value *value)
{
	struct het__guest *guest = het__alloc_zeroed(1, sizeof *guest);

	if (!guest) {
		(void)het__fail(HET_ERR_MEMORY, "no host memory for a copy of %s", value->label);
		return NULL;
	}
	guest->holder.ended = task_ended;
	guest->value = value;
	return guest;
}

/* The guest gets its block; where that could not be made, the guest goes. */
static het_status furnish(struct het__guest *guest, het_status st, struct het__block *block,
                          const struct het__box *box, struct het__guest **guest_p)
{
	if (st) {
		het__free(guest);
		return st;
	}
	het__store_init(&guest->store, 0, guest->value, block, box);
	guest->value->users++;
	*guest_p = guest;
	return HET_OK;
}

het_status het__guest_of_caller(struct het__value *value, void *memory, const struct het__box *box,
                                struct het__guest **guest_p)
{
	size_t bytes = het__value_bytes(value, box);
	struct het__guest *guest = new_guest(value);
	struct het__block *block = NULL;
	het_status st;

	if (!guest)
		return HET_ERR_MEMORY;
	st = het__block_wrap_host(value->system, value->rank, memory, bytes, &block);
	return furnish(guest, st, block, box, guest_p);
}

het_status het__guest_scratch(struct het__value *value, const struct het__store *like,
			      const struct het__box *box, struct het__guest **guest_p)
{
	size_t bytes = het__value_bytes(value, box);
	struct het__guest *guest = new_guest(value);
	struct het__block *block = NULL;
	het_status st;

	if (!guest)
		return HET_ERR_MEMORY;
	st = HET_ERR_DEVICE_MEMORY;
	if (like->memory->owner && het__room_is_there(like->memory->owner, bytes)) {
		het__room_clear(like->memory->owner, bytes);
		st = het__block_new_device(like->memory->owner, value->rank, bytes, &block);
	}
	if (!st)
		list(guest);
	else if (st == HET_ERR_DEVICE_MEMORY)
		st = het__block_new_host(value->system, value->rank, bytes, &block);
	return furnish(guest, st, block, box, guest_p);
}

void het__guest_wait(struct het__guest *guest)
{
	het_system *const system = guest->value->system;

	het__tasks_progress(system);
	while (guest->pending > 0) {
		struct het__ref ref = het__block_conflict(guest->store.block, &guest->store.window, true);
		if (ref.task)
			het__task_wait(system, ref);
	}
}

void het__guest_release(struct het__guest *guest)
{
	guest->released = true;
	if (guest->pending == 0)
		free_guest(guest);
}

/* The pieces of a box, one per entry, as they are now: moving them changes the directory. */
static het_status list_pieces(const struct het__value *value, const struct het__box *box,
			      struct het__box **pieces_p, int *count_p)
{
	const struct het__entries *const es = &value->dir.entries;
	struct het__box *pieces = het__alloc((size_t)(es->count + 1) * sizeof *pieces);
	struct het__walk walk = het__walk(es, box);
	const struct het__entry *e;
	int count = 0;

	if (!pieces)
		return het__fail(HET_ERR_MEMORY, "no host memory to copy %s", value->label);
	while ((e = het__walk_next(&walk)))
		count += het__box_intersect(value->rank, &e->box, box, &pieces[count]);
	*pieces_p = pieces;
	*count_p = count;
	return HET_OK;
}

static void shift(int rank, const struct het__box *piece, const int64_t *from, const int64_t *to,
                  struct het__box *out)
{
	for (int d = 0; d < rank; d++) {
		out->lo[d] = piece->lo[d] - from[d] + to[d];
		out->hi[d] = piece->hi[d] - from[d] + to[d];
	}
}

static het_status move_part(struct het__value *value, const struct het__box *part, const struct het__box *box,
                            const struct het__access *to, struct het__guest *guest)
{
	struct het__access from = het__access(value, NULL, part, HET__ACCESS_IN), target = *to;
	struct het__box target_box;
	struct het__ref ref;
	het_status st;

	if (guest && het__grow(&guest->makers.at, &guest->makers.room, guest->makers.count + 1,
	                       sizeof *guest->makers.at))
		return het__fail(HET_ERR_MEMORY, "no host memory to copy %s", value->label);
	shift(value->rank, part, box->lo, to->box->lo, &target_box);
	target.box = &target_box;
	st = het__value_source(value, part, box, to, &from.store);
	if (!st)
		st = het__value_move(&from, &target, NULL, guest ? &guest->holder : NULL, &ref);
	if (!st && guest) {
		guest->pending++;
		guest->makers.at[guest->makers.count++] = ref;
	}
	return st;
}

/* A piece lay in one entry when the copy began; where the copy writes the same array, entries have been cut and
 * merged since, and its parts are looked up anew: no store has all of it for certain. */
static het_status move_piece(struct het__value *value, const struct het__box *piece, const struct het__box *box,
                             const struct het__access *to, struct het__guest *guest)
{
	const struct het__entry *const entry = het__directory_entry(&value->dir, piece);
	struct het__box part, rest[HET__BOX_PIECES];
	int rests;
	het_status st;

	(void)het__box_intersect(value->rank, &entry->box, piece, &part);
	rests = het__box_subtract(value->rank, piece, &part, rest);
	st = move_part(value, &part, box, to, guest);
	for (int r = 0; r < rests && !st; r++)
		st = move_piece(value, &rest[r], box, to, guest);
	return st;
}

het_status het__pieces_move(struct het__value *value, const struct het__box *box, const struct het__access *to,
                            struct het__guest *guest)
{
	struct het__box *pieces = NULL;
	int count = 0;
	het_status st = list_pieces(value, box, &pieces, &count);

	for (int i = 0; i < count && !st; i++)
		st = move_piece(value, &pieces[i], box, to, guest);
	het__free(pieces);
	return st;
}
