/* unmodified.c - a program says that a write has changed nothing: former copies are valid again. */

#include "array/array.h"

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
		st = het__directory_unmodified(&view.array->value->dir, &box);
		het__value_tidy(view.array->value);
		if (st)
			st = het__fail_within("het_unmodified");
	}
	return het__operation_leave_with(system, st);
}
