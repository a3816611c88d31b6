/* unmodified.c - a program says that a write has changed nothing: former copies are valid again. */

#include "array/audit.h"

#include "array/array.h"

/* Former copies that a promise of the program's makes valid again, as they were before. */
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

/* With HETERO_CHECK=1: when the write has ended the copies are compared. Where that shows that it is not so, or
 * cannot be done, they are former copies no more. */
static het_status take_at_its_word(struct het__value *value, const struct het__box *box)
{
	struct promise promise;
	het_status st;

	het__value_settle(value);
	note(value, box, &promise);
	st = het__directory_unmodified(&value->dir, box);
	if (st || promise.count == 0)
		return st;
	st = het__value_audit(value, box);
	for (int i = 0; i < promise.count && st; i++)
		if (het__directory_forget(&value->dir, &promise.former[i].box, promise.former[i].slot))
			break; /* no memory; the promise stands */
	return st;
}

static het_status unmodified(struct het__value *value, const struct het__box *box)
{
	het_status st;

	value->users++; /* others come in while copies are compared: it may be freed or swapped */
	if (value->system->rehearses && !het__in_callback())
		st = take_at_its_word(value, box);
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
		st = unmodified(view.array->value, &box);
		if (st)
			st = het__fail_within("het_unmodified");
	}
	return het__operation_leave_with(system, st);
}
