/* range.c - a launch range in OpenCL's terms, checked. */

#include "launch/range.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static bool is_sound(const struct het_range *given)
{
	return given->rank >= 1 && given->rank <= HET_MAX_RANGE && given->given == 2 * given->rank &&
	       (given->local_given == given->rank || given->local_given == 0);
}

static __attribute__((cold, noinline)) het_status unsound(const struct het_range *given, const char *title)
{
	if (given->rank < 1 || given->rank > HET_MAX_RANGE)
		return het__fail(HET_ERR_SHAPE, "%s: a range of rank %d: the rank must be 1 to %d", title,
				 given->rank, HET_MAX_RANGE);
	for (int d = 0; d < HET_MAX_RANGE; d++)
		if (given->hi[d] == HET_END)
			return het__fail(HET_ERR_SHAPE, "%s: dimension %d ends at HET_END, which is for boxes",
					 title, d);
	if (given->given % 2)
		return het__fail(HET_ERR_SHAPE,
				 "%s: a range of rank %d was given %d numbers instead of %d (extents alone are "
				 "het_grid's)",
				 title, given->rank, given->given, 2 * given->rank);
	if (given->given != 2 * given->rank)
		return het__fail(HET_ERR_SHAPE,
				 "%s: a range of rank %d was given %d numbers instead of %d, or by het_grid %d "
				 "instead of %d",
				 title, given->rank, given->given, 2 * given->rank, given->given / 2,
				 given->rank);
	return het__fail(HET_ERR_SHAPE, "%s: a range of rank %d was given %d work-group sizes", title,
			 given->rank, given->local_given);
}

static __attribute__((cold, noinline)) het_status wrong_numbers(const struct het_range *given,
								const char *title, int d)
{
	if (given->local[d] < 0)
		return het__fail(HET_ERR_SHAPE, "%s: work-group size %lld in dimension %d", title,
				 (long long)given->local[d], d);
	return het__fail(HET_ERR_SHAPE, "%s: range [%lld, %lld) in dimension %d", title,
			 (long long)given->lo[d], (long long)given->hi[d], d);
}

/* Drivers that are given more work-items than a size_t can count, or about as many, do nothing, or end the
 * program. Of rank 2 or 3. */
static bool are_too_many(const struct het__range *range)
{
	const double items = (double)range->global[0] * (double)range->global[1];

	return items * (range->rank > 2 ? (double)range->global[2] : 1) > (double)SIZE_MAX / 2;
}

static __attribute__((cold)) het_status too_many(const struct het__range *range, const char *title)
{
	char text[80] = "";
	size_t length = 0;

	for (cl_uint d = range->rank; d-- > 0;)
		length += (size_t)snprintf(text + length, sizeof text - length, "%zu%s", range->global[d],
					   d ? " x " : "");
	return het__fail(HET_ERR_SHAPE, "%s: %s are more work-items than can be counted", title, text);
}

/* The kernel's own size, from its attribute, counts where the launch gives none. */
static __attribute__((cold, noinline)) het_status take_required(const het_kernel *kernel,
								const het_device *device,
								const struct het__kernel_on *on,
								struct het__range *range)
{
	const size_t *required = on->limits.required_local;

	for (cl_uint d = range->rank; d < HET_MAX_RANGE; d++)
		if (required[d] > 1)
			return het__fail_on(HET_ERR_UNSUPPORTED, device->name,
					    "%s: the kernel requires work-groups of %zu in "
					    "get_local_size(%u); the range has %u dimensions",
					    kernel->title, required[d], d, range->rank);
	if (range->has_local)
		for (cl_uint d = 0; d < range->rank; d++)
			if (range->local[d] != required[d])
				return het__fail_on(HET_ERR_UNSUPPORTED, device->name,
						    "%s: work-group size %zu in get_local_size(%u), but "
						    "the kernel requires %zu",
						    kernel->title, range->local[d], d, required[d]);
	memcpy(range->local, required, sizeof range->local);
	range->has_local = true;
	return HET_OK;
}

/* Some extent is no multiple of the work-group's: in a padded range it becomes one, else it is refused. */
static __attribute__((cold, noinline)) het_status round_up(const struct het_range *given,
							   const het_kernel *kernel, struct het__range *range)
{
	size_t items = 1;

	for (cl_uint d = 0; d < range->rank; d++) {
		if (!given->padded && range->global[d] % range->local[d])
			return het__fail(HET_ERR_SHAPE,
					 "%s: %zu work-items of get_global_size(%u) are no multiple of the "
					 "work-group size %zu (for kernels that look whether there is anything "
					 "to do: het_padded)",
					 kernel->title, range->global[d], d, range->local[d]);
		range->global[d] = het__range_items(range, (int)d, range->global[d]);
		if (__builtin_mul_overflow(items, range->global[d], &items) || items > SIZE_MAX / 2)
			return too_many(range, kernel->title);
	}
	return HET_OK;
}

static het_status check_group(const struct het_range *given, const het_kernel *kernel, const het_device *device,
			      const struct het__kernel_on *on, struct het__range *range)
{
	size_t items = 1, rests = 0;

	for (cl_uint d = 0; d < range->rank; d++) {
		rests |= range->global[d] % range->local[d];
		items *= range->local[d];
		if (range->local[d] > device->facts.max_items[d] && device->facts.max_items[d])
			return het__fail_on(HET_ERR_UNSUPPORTED, device->name,
					    "%s: a work-group of %zu work-items in get_local_size(%u); %s can "
					    "do %zu",
					    kernel->title, range->local[d], d, device->name,
					    device->facts.max_items[d]);
	}
	if (items > on->limits.work_group && on->limits.work_group)
		return het__fail_on(HET_ERR_UNSUPPORTED, device->name,
				    "%s: a work-group of %zu work-items; on %s this kernel can have %zu",
				    kernel->title, items, device->name, on->limits.work_group);
	return rests ? round_up(given, kernel, range) : HET_OK;
}

/* A work-group's size is given, by the launch or by the kernel. */
static het_status resolve_group(const struct het_range *given, const het_kernel *kernel,
				const het_device *device, const struct het__kernel_on *on,
				struct het__range *range)
{
	het_status st = HET_OK;

	if (on->limits.required_local[0])
		st = take_required(kernel, device, on, range);
	return st || range->empty ? st : check_group(given, kernel, device, on, range);
}

het_status het__range_resolve(const struct het_range *given, const het_kernel *kernel, const het_device *device,
			      const struct het__kernel_on *on, struct het__range *range)
{
	bool empty = false;
	int64_t groups = 0;

	if (!is_sound(given))
		return unsound(given, kernel->title);
	for (int d = 0, c = given->rank - 1; c >= 0; d++, c--) {
		const int64_t lo = given->lo[d], hi = given->hi[d], local = given->local[d];

		if (lo < 0 || hi < lo || local < 0)
			return wrong_numbers(given, kernel->title, d);
		range->offset[c] = (size_t)lo;
		range->global[c] = (size_t)(hi - lo);
		range->local[c] = (size_t)(local + (local == 0)); /* what the launch leaves out is 1 */
		empty |= range->global[c] == 0;
		groups |= local;
	}
	range->rank = (cl_uint)given->rank;
	range->empty = empty;
	range->has_local = groups != 0;
	if (range->rank > 1 && are_too_many(range))
		return too_many(range, kernel->title);
	if (groups == 0 && on->limits.required_local[0] == 0)
		return HET_OK;
	return resolve_group(given, kernel, device, on, range);
}

/* ---- a work-group of the library's choice ------------------------------------------------------- */

/* GROUP_LEAST is in work-items. A power of two from HET__GROUP_ENOUGH on is taken before a larger group: there
 * are few such sizes, and the driver compiles a kernel anew for every size. */
enum { GROUP_LEAST = 8, GROUPS_PER_UNIT = 4, FACTOR_MOST = 31 };

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t power_of_two_in(size_t extent, size_t most)
{
	size_t power = extent & (~extent + 1);

	while (power > most)
		power /= 2;
	return power;
}

/* A divisor of the extent, at most `most`; or all of it, at most `room`, if it has none to speak of. */
static size_t group_along(size_t extent, size_t most, size_t room)
{
	size_t group = power_of_two_in(extent, most);

	if (group >= HET__GROUP_ENOUGH)
		return group;
	if (extent <= most)
		return extent;
	for (size_t factor = 3; factor <= FACTOR_MOST; factor += 2)
		while (group * factor <= most && extent / group % factor == 0)
			group *= factor;
	return group < HET__GROUP_ENOUGH && extent <= room ? extent : group;
}

/* The most work-items that a group can have while compute units share well. 0: not known. */
static size_t room_of_group(const struct het__range *r, const het_device *device,
			    const struct het__kernel_on *on)
{
	const cl_uint units = device->facts.compute_units + !device->facts.compute_units;
	size_t fair = 1, room = on->limits.work_group;

	for (cl_uint d = 0; d < r->rank; d++) {
		room = least(room, device->facts.max_items[d]);
		fair = fair > SIZE_MAX / r->global[d] ? SIZE_MAX : fair * r->global[d];
	}
	fair /= (size_t)GROUPS_PER_UNIT * units;
	return least(room, fair > GROUP_LEAST ? fair : GROUP_LEAST);
}

const size_t *het__range_group(const struct het__range *r, const het_device *device,
			       const struct het__kernel_on *on, size_t group[3])
{
	size_t room, left;

	if (r->has_local)
		return r->local;
	if (!device->driver->groups_by_extents)
		return NULL;
	room = room_of_group(r, device, on);
	if (room < GROUP_LEAST)
		return NULL;
	left = least(room, HET__GROUP_MOST);
	group[0] = group_along(r->global[0], left, room);
	for (cl_uint d = 1; d < r->rank; d++) {
		left = left > group[d - 1] ? left / group[d - 1] : 1;
		group[d] = power_of_two_in(r->global[d], left);
	}
	return group;
}
