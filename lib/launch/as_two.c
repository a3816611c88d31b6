/* as_two.c - the parts that two devices would get of a spread. */

#include "launch/as_two.h"

#include <string.h>

#include "launch/cut.h"
#include "launch/launch.h"
#include "launch/trial.h"

/* Where the range may be cut for two devices like this one, with equal shares. */
static void take_grain(const struct het__work *work, struct het__cut_grain *grain)
{
	static const double share[] = {0.5, 0.5};

	memset(grain->local, 0, sizeof grain->local);
	grain->pieces = 0;
	if (!het__cut_align(grain, &work->range) && work->device->driver->groups_by_extents)
		grain->pieces = het__cut_pieces(share, 2);
}

/* May a launch be given this part? */
static bool is_possible(const struct het__work *whole, const struct het_range *part, const struct het_arg *args,
			int count)
{
	struct het__work work = *whole;
	struct het__args all;

	work.given = part;
	return het__work_resolve(&work, args, count, &all) == HET_OK;
}

/* Would two devices be allowed these parts? They are refused parts that touch what the other writes. */
static bool are_apart(const struct het__args *all, const het_device *device, const struct het_range part[2])
{
	const struct het__cut_part parts[] = {{&part[0], device}, {&part[1], device}};

	return het__cut_check_own(all, parts, 2) == HET_OK;
}

/* Cuts at the very place where het__cut_choose compared what both halves write. */
static bool cut(const struct het__work *work, const struct het_arg *args, int count, struct het_range part[2],
		int *dimension_p)
{
	struct het__cut_grain grain;
	struct het__args all;
	struct het__cut cut;
	int d;

	take_grain(work, &grain);
	if (het__work_resolve(work, args, count, &all) || het__cut_choose(&all, &grain, 2, &cut) ||
	    cut.units < 2)
		return false;
	d = cut.dimension;
	part[0] = part[1] = *work->given;
	part[0].hi[d] = part[1].lo[d] = cut.lo + cut.units / 2 * cut.step;
	if (!are_apart(&all, work->device, part) || !is_possible(work, &part[0], args, count) ||
	    !is_possible(work, &part[1], args, count))
		return false;
	*dimension_p = d;
	return true;
}

bool het__as_two(het_kernel *kernel, het_device *device, const struct het_range *range,
		 const struct het_arg *args, int count, struct het_range part[2], int *dimension_p)
{
	struct het__work work = {.kernel = kernel, .device = device, .given = range};
	struct het_arg room[HET__ARGS_MOST];
	bool is_cut;

	if (het__work_prepare(&work) || work.range.empty || het__operation_enter(kernel->system, kernel->title))
		return false;
	is_cut = cut(&work, het__trial_args(args, count, room), count, part, dimension_p);
	het__operation_leave(kernel->system);
	return is_cut;
}
