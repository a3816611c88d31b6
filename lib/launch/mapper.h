/* mapper.h - what a part of a range touches of an array. Pure: nothing is allocated, nothing changes. */
#ifndef HETERO_LIB_LAUNCH_MAPPER_H
#define HETERO_LIB_LAUNCH_MAPPER_H

#include <hetero/spread.h>

#include "array/array.h"

/** Is it HET_SUM or the like? */
static inline bool het__mapper_combines(enum het_mapper mapper)
{
	return mapper >= HET_MAPPER_SUM && mapper <= HET_MAPPER_OR;
}

static inline bool het__arg_is_combined(const struct het_arg *arg)
{
	return arg->kind == HET_ARG_MAPPED && het__mapper_combines(arg->u.mapped.mapper);
}

/** Is it mapped by a function of the program's own? */
static inline bool het__arg_is_own(const struct het_arg *arg)
{
	return arg->kind == HET_ARG_MAPPED && arg->u.mapped.mapper == HET_MAPPER_FN;
}

/** The operation of a mapper that combines. */
static inline enum het_reduction het__mapper_reduction(enum het_mapper mapper)
{
	return (enum het_reduction)(mapper - HET_MAPPER_SUM + HET_REDUCE_SUM);
}

/** Is it a mapper that this mode allows, with as many numbers as it takes, none of them too small? The caller
 *  puts before the message which argument it is. HET_ERR_ARGUMENT. */
het_status het__mapper_check(const struct het_mapped *mapped, enum het_mode mode);

/** Does the array, a usable one, have as many dimensions as are named? HET_ERR_ARGUMENT. */
het_status het__mapper_fits(const struct het_mapped *mapped);

/** The box that `part` (complete, its numbers sound) touches of the mapper's array, a usable one of `system`
 *  that fits: HET_ERR_SHAPE where that is beyond the array's bounds (HET_HALO ends at them). */
het_status het__mapper_box(const struct het_mapped *mapped, const het_system *system,
			   const struct het_range *part, struct het__box *box);

/** The mapper lets dimension d of a range be cut at multiples of so many work-items: 1 or more. */
int64_t het__mapper_step(const struct het_mapped *mapped, int d);

/** Sets *across to where a WRAP, for which het__mapper_box had no error, goes on at the array's other end: a
 *  box apart from that one. False: it does not go on, or is no WRAP. */
bool het__mapper_across(const struct het_mapped *mapped, const struct het_range *part, struct het__box *across);

/** Does it read beside the range, as HALO and WRAP do? */
static inline bool het__mapper_is_halo(enum het_mapper mapper)
{
	return mapper == HET_MAPPER_HALO || mapper == HET_MAPPER_WRAP;
}

static inline bool het__arg_is_halo(const struct het_arg *arg)
{
	return arg->kind == HET_ARG_MAPPED && het__mapper_is_halo(arg->u.mapped.mapper);
}

/** How far a halo reads beyond the range in dimension d; 0 for other mappers. */
int64_t het__mapper_reach(const struct het_mapped *mapped, int d);

#endif
