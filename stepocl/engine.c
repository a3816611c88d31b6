/* engine.c - see engine.h. Hetero's dimensions are the description's in the opposite order: dimension 0 is the
 * outermost. */
#include "engine.h"

#include <stdio.h>

#include "calibrate/tool.h"

bool good(het_status status)
{
	if (status == HET_OK)
		return true;
	fprintf(stderr, "%s: %s\n", program, het_message());
	return false;
}

int64_t radius(const struct argument *argument, int d)
{
	int64_t most = 0;

	for (int p = 0; p < argument->points; p++) {
		const int64_t step = argument->point[p][d];
		most = step > most ? step : -step > most ? -step : most;
	}
	return most;
}

bool at_origin(const struct argument *argument)
{
	for (int d = 0; d < argument->rank; d++)
		if (argument->origin[d])
			return false;
	return true;
}

bool writes_all(const struct description *description)
{
	for (int i = 0; i < description->arguments; i++)
		if (description->argument[i].clipped)
			return false;
	return true;
}

/* ---- arguments ------------------------------------------------------------------------------- */

static void touched(void *user, const struct het_box *part, struct het_box *box)
{
	const struct reach *const reach = user;
	int64_t list[2 * MOST_RANK];

	for (int d = 0; d < reach->rank; d++) {
		const int64_t lo = part->lo[d] + reach->before[d], hi = part->hi[d] + reach->after[d];
		list[2 * d] = lo > 0 ? lo : 0;
		list[2 * d + 1] = hi < reach->size[d] ? hi : reach->size[d];
	}
	*box = het_box_of(reach->rank, 2 * reach->rank, list);
}

static struct het_mapped by_origin(const struct argument *argument, het_array *array, struct reach *reach)
{
	reach->rank = argument->rank;
	for (int d = 0; d < argument->rank; d++) {
		const int to = argument->rank - 1 - d;
		int64_t lo = 0, hi = 0;
		for (int p = 0; p < argument->points; p++) {
			const int64_t step = argument->point[p][d];
			lo = step < lo ? step : lo;
			hi = step > hi ? step : hi;
		}
		reach->before[to] = argument->origin[d] + lo;
		reach->after[to] = argument->origin[d] + hi;
		reach->size[to] = argument->size[d];
	}
	return HET_MAP_BY(array, touched, reach);
}

static struct het_mapped mapped(struct engine *engine, int i)
{
	const struct argument *const argument = &engine->description->argument[i];
	int64_t radii[MOST_RANK];

	if (argument_is_read_whole(argument))
		return HET_ALL(engine->array[i]);
	if (!at_origin(argument))
		return by_origin(argument, engine->array[i], &engine->reach[i]);
	if (!argument->points)
		return HET_EACH(engine->array[i]);
	for (int d = 0; d < argument->rank; d++)
		radii[argument->rank - 1 - d] = radius(argument, d);
	return het_mapped_by(engine->array[i], HET_MAPPER_HALO, argument->rank, radii);
}

static void set_argument(struct engine *engine, int i)
{
	const struct argument *const argument = &engine->description->argument[i];

	if (!argument->is_memory)
		engine->arg[i] = het_arg_value(argument->type->het, &engine->job->data[i].value);
	else if (argument->property == INPUT)
		engine->arg[i] = HET_IN(mapped(engine, i));
	else if (writes_all(engine->description))
		engine->arg[i] = HET_OUT(mapped(engine, i));
	else
		engine->arg[i] = HET_INOUT(mapped(engine, i));
}

static void set_range(struct engine *engine)
{
	const struct description *const d = engine->description;
	int64_t list[2 * MOST_RANK], local[MOST_RANK];

	for (int i = 0; i < d->rank; i++) {
		const int to = d->rank - 1 - i;
		list[2 * to] = d->offset[i];
		list[2 * to + 1] = d->offset[i] + d->global[i];
		local[to] = d->local[i];
	}
	engine->range = het_range_of(d->rank, 2 * d->rank, list);
	if (d->grouped)
		engine->range = het_local_of(engine->range, d->rank, local);
}

/* ---- in order -------------------------------------------------------------------------------- */

static bool make_array(struct engine *engine, int i)
{
	const struct argument *const argument = &engine->description->argument[i];
	int64_t extent[MOST_RANK];

	for (int d = 0; d < argument->rank; d++)
		extent[argument->rank - 1 - d] = argument->size[d];
	return good(het_array_new(engine->system, argument->type->het,
				  het_shape_of(argument->rank, argument->rank, extent), &engine->array[i])) &&
	       good(het_array_name(engine->array[i], argument->name));
}

bool engine_open(struct engine *engine, const struct job *job, het_system *system, het_team *team)
{
	const struct description *const d = job->description;

	*engine = (struct engine){.job = job, .description = d, .system = system, .team = team};
	if (!good(het_kernel_from_file(system, job->kernel, d->function, *d->options ? d->options : NULL,
				       &engine->kernel)))
		return false;
	for (int i = 0; i < d->arguments; i++) {
		if (d->argument[i].is_memory && !make_array(engine, i))
			return false;
		set_argument(engine, i);
	}
	set_range(engine);
	return true;
}

bool engine_build(const struct engine *engine)
{
	for (int i = 0; i < het_team_count(engine->team); i++)
		if (!good(het_kernel_build(engine->kernel, het_team_device(engine->team, i))))
			return false;
	return true;
}

bool engine_step(const struct engine *engine)
{
	return good(het_spread_args(engine->kernel, engine->team, engine->range, engine->arg,
				    engine->description->arguments));
}

bool engine_iterate(const struct engine *engine)
{
	const struct description *const d = engine->description;

	for (int64_t i = 0; i < d->iterations; i++) {
		if (i && !good(het_swap(engine->array[d->successor], engine->array[d->output])))
			return false;
		if (!engine_step(engine))
			return false;
	}
	return true;
}
