/* unmodified.c - a program says that a write has changed nothing: former copies are valid again. */

#include "array/array.h"

#include "array/audit.h"

/* Former copies that a promise of the program's is about. */
struct promise {
	int count;
	struct het__former former[HET__FORMERS_MOST];
};

static void note(const struct het__value *value, const struct het__box *box, struct promise *promise)
{
	const struct het__formers *const fs = &value->dir.formers;

	promise->count = 0;
	for (int i = 0; i < fs->list.count; i++) {
		struct het__former *const f = &promise->former[promise->count];

		*f = fs->list.at[i];
		promise->count += het__box_intersect(value->rank, &fs->list.at[i].box, box, &f->box);
	}
}

static bool is_noted(const struct het__value *value, const struct promise *promise, const struct het__box *box,
		     int slot)
{
	for (int i = 0; i < promise->count; i++)
		if (promise->former[i].slot == slot &&
		    het__box_contains(value->rank, &promise->former[i].box, box))
			return true;
	return false;
}

/* Are all former copies of the box among those that were compared? Others may have come about meanwhile. */
static bool are_noted(const struct het__value *value, const struct promise *promise, const struct het__box *box)
{
	const struct het__formers *const fs = &value->dir.formers;
	struct het__box piece;

	for (int i = 0; i < fs->list.count; i++)
		if (het__box_intersect(value->rank, &fs->list.at[i].box, box, &piece) &&
		    !is_noted(value, promise, &piece, fs->list.at[i].slot))
			return false;
	return true;
}

/* With HETERO_CHECK=1: when the write has ended the former copies are compared with what it wrote, and taken
 * for members only then. Where others have written meanwhile none is: that costs a transfer at most. */
static het_status prove(het_array *array, struct het__value *value, const struct het__box *box)
{
	struct promise promise;
	het_status st = HET_OK;

	note(value, box, &promise);
	if (promise.count == 0)
		return het__directory_unmodified(&value->dir, box);
	het__value_settle(value);
	for (int i = 0; i < promise.count && !st; i++)
		st = het__value_audit(value, &promise.former[i].box, promise.former[i].slot);
	if (!st && (array->magic != HET__MAGIC_ARRAY || array->freed))
		st = het__fail(HET_ERR_HANDLE, "another thread has freed %s", value->label);
	if (st || array->value != value || !are_noted(value, &promise, box))
		return st;
	st = het__maps_allow(array, box, false, NULL);
	return st ? st : het__directory_unmodified(&value->dir, box);
}

static het_status unmodified(het_array *array, struct het__value *value, const struct het__box *box)
{
	het_status st;

	value->users++; /* others come in while copies are compared: it may be freed or swapped */
	if (value->system->rehearses && !het__in_callback())
		st = prove(array, value, box);
	else
		st = het__directory_unmodified(&value->dir, box);
	het__value_tidy(value);
	het__value_leave(value);
	return st;
}

het_status het_unmodified(struct het_view view)
{
	het_system *system;
	struct het__box box;
	het_status st = het__array_enter_at_once(view.array, "het_unmodified");

	if (st)
		return st;
	system = view.array->system;
	st = het__view_resolve(&view, system, "het_unmodified", &box);
	if (!st)
		st = het__maps_allow(view.array, &box, false, "het_unmodified");
	if (!st) {
		st = unmodified(view.array, view.array->value, &box);
		if (st)
			st = het__fail_within("het_unmodified");
	}
	return het__operation_leave_with(system, st);
}
