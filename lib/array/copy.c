/* copy.c - copies between views; prefetch.
 *
 * The target of a copy is a memory where both arrays have copies, so that nothing crosses; else the memory of
 * the target's newest copy (Vinas et al. 2015, section 3.1). Overlapping boxes of one array go through
 * scratch in that memory, or in the host's where there is no room.
 */

#include "array/guest.h"

static bool is_member(const struct het__value *value, const struct het__box *box, int slot)
{
	const struct het__entry *entry;
	struct het__box piece;

	return value->store[slot] && het__box_contains(value->rank, &value->store[slot]->window, box) &&
	       !het__directory_lacks(&value->dir, box, slot, &piece, &entry);
}

static bool has_box_in(const struct het__value *value, const struct het__box *box,
		       const struct het__memory *memory)
{
	for (int s = 0; s < value->top; s++)
		if (is_member(value, box, s) && value->store[s]->memory == memory)
			return true;
	return false;
}

static struct het__store *target_store(struct het__value *dst, const struct het__box *dst_box,
                                       const struct het__value *src, const struct het__box *src_box)
{
	struct het__store *newest = het__value_newest(dst, dst_box);

	for (int s = 0; s < dst->top; s++)
		if (is_member(dst, dst_box, s) && has_box_in(src, src_box, dst->store[s]->memory))
			return dst->store[s];
	return het__box_contains(dst->rank, &newest->window, dst_box) ? newest : dst->store[HET__HOME];
}

static het_status copy_through_scratch(struct het__value *value, const struct het__box *dst_box,
                                       const struct het__box *src_box, struct het__store *target)
{
	struct het__guest *guest;
	struct het__ref ref;
	het_status st = het__guest_scratch(value, target, src_box, &guest);

	if (st)
		return st;
	struct het__access scratch = het__access(NULL, &guest->store, src_box, HET__ACCESS_OUT);
	struct het__access to = het__access(value, target, dst_box, HET__ACCESS_OUT);

	guest->told = true; /* a loss shows in the target's box */
	st = het__pieces_move(value, src_box, &scratch, guest);
	scratch.mode = HET__ACCESS_IN;
	scratch.makers = guest->makers.at;
	scratch.maker_count = guest->makers.count;
	if (!st)
		st = het__value_move(&scratch, &to, NULL, &guest->holder, &ref);
	guest->pending += !st;
	het__guest_release(guest);
	return st;
}

static het_status check_pair(const het_array *dst, const struct het__box *dst_box, const het_array *src,
                             const struct het__box *src_box)
{
	if (dst->value->element_bytes != src->value->element_bytes)
		return het__fail(HET_ERR_ARGUMENT, "het_copy: elements of %s have %zu bytes, those of %s %zu",
		                 dst->value->label, dst->value->element_bytes, src->value->label,
		                 src->value->element_bytes);
	if (dst->value->rank != src->value->rank)
		return het__fail(HET_ERR_SHAPE, "het_copy: %s has rank %d, %s rank %d", dst->value->label,
		                 dst->value->rank, src->value->label, src->value->rank);
	for (int d = 0; d < dst->value->rank; d++)
		if (dst_box->hi[d] - dst_box->lo[d] != src_box->hi[d] - src_box->lo[d])
			return het__fail(HET_ERR_SHAPE,
					 "het_copy: the views differ in dimension %d: %lld and %lld", d,
					 (long long)(dst_box->hi[d] - dst_box->lo[d]),
					 (long long)(src_box->hi[d] - src_box->lo[d]));
	return HET_OK;
}

static het_status copy_boxes(het_array *dst, const struct het__box *dst_box, het_array *src,
                             const struct het__box *src_box)
{
	struct het__value *value = dst->value;
	struct het__access to = het__access(value, NULL, dst_box, HET__ACCESS_OUT);

	if (het__box_empty(value->rank, dst_box))
		return HET_OK;
	if (value == src->value && het__box_equal(value->rank, dst_box, src_box)) {
		het__formers_overwrite(&value->dir, dst_box, HET__ANY_STORE); /* they were before this write */
		return HET_OK;
	}
	to.store = target_store(value, dst_box, src->value, src_box);
	to.store->used = het__tasks_in(value->system)->stamp;
	if (value == src->value && het__box_overlaps(value->rank, dst_box, src_box))
		return copy_through_scratch(value, dst_box, src_box, to.store);
	return het__pieces_move(src->value, src_box, &to, NULL);
}

static het_status start_copy(het_array *dst, const struct het__box *dst_box, het_array *src,
			     const struct het__box *src_box)
{
	const het_status st = copy_boxes(dst, dst_box, src, src_box);

	return st ? het__fail_within("het_copy, %s from %s", dst->value->label, src->value->label) : HET_OK;
}

het_status het_copy(struct het_view dst, struct het_view src)
{
	struct het__doing doing;
	struct het__box dst_box, src_box;
	het_status st = het__array_enter(dst.array, "het_copy");

	if (st)
		return st;
	het__doing(&doing, dst.array->system, "het_copy", "copies", dst.array->value->label);
	st = het__view_resolve(&dst, dst.array->system, "het_copy, target", &dst_box);
	if (!st)
		st = het__view_resolve(&src, dst.array->system, "het_copy, source", &src_box);
	if (!st)
		st = check_pair(dst.array, &dst_box, src.array, &src_box);
	if (!st)
		st = het__maps_allow(dst.array, &dst_box, true, "het_copy, target");
	if (!st)
		st = het__maps_allow(src.array, &src_box, false, "het_copy, source");
	if (!st)
		st = start_copy(dst.array, &dst_box, src.array, &src_box);
	het__doing_end(&doing);
	return het__operation_leave_with(dst.array->system, st);
}

/* Where kernels have asked for windows, and no store has all of the array, a store for windows gets the box. */
static enum het__sees sees(const struct het__access *access, const het_device *device)
{
	if (het__value_whole_store(access->value, device->memory, HET__NEEDS_BYTES) ||
	    !het__value_has_windows(access->value, device->memory))
		return HET__SEES_ALL;
	return HET__SEES_WINDOW;
}

/* The view is resolved again after each wait: others may have mapped or freed. */
static het_status prefetch(const struct het_view *view, het_device *device, het_system *system)
{
	struct het__access access;
	struct het__lane *lane = NULL;
	struct het__box box;
	het_status st = device ? het__lane_of(device, &lane) : HET_OK;

	do {
		if (st == HET__AGAIN)
			st = het__operation_wait_again(system);
		if (!st)
			st = het__view_resolve(view, system, "het_prefetch", &box);
		if (!st)
			st = het__maps_allow(view->array, &box, false, "het_prefetch");
		if (st || het__box_empty(view->array->value->rank, &box))
			return st;
		access = het__access(view->array->value, view->array->value->store[HET__HOME], &box,
				     HET__ACCESS_IN);
		if (device)
			st = het__access_place(&access, device, sees(&access, device), 1);
	} while (st == HET__AGAIN);
	if (st)
		return het__fail_within("het_prefetch");
	het__value_trim(access.value);
	st = het__value_fetch(access.value, access.store, &box, lane, NULL, NULL);
	return st ? het__fail_within("het_prefetch, %s", access.value->label) : HET_OK;
}

/* `device` may be NULL. */
static het_status open_and_prefetch(struct het_view view, het_device *device)
{
	struct het__doing doing;
	het_system *system;
	het_status st = device ? het__device_open(device) : HET_OK;

	if (!st)
		st = het__array_enter(view.array, "het_prefetch");
	if (st)
		return st;
	system = view.array->system;
	het__doing(&doing, system, "het_prefetch", "asks for", view.array->value->label);
	if (device && device->system != system)
		st = het__fail(HET_ERR_HANDLE, "het_prefetch: %s is not a device of the array's system",
			       device->name);
	if (!st)
		st = prefetch(&view, device, system);
	het__doing_end(&doing);
	return het__operation_leave_with(system, st);
}

het_status het_prefetch(struct het_view view, het_device *device)
{
	het_status st = device ? het__device_check(device, "het_prefetch") : HET_OK;

	if (st)
		return het__array_refuse(view.array, st);
	if (!device || het__is_open(device))
		return open_and_prefetch(view, device);
	st = het__hold(device->system, "het_prefetch");
	return st ? st : het__let_go(device->system, open_and_prefetch(view, device));
}
