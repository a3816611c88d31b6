/* run.c - see run.h. Hetero's dimensions are the description's in the opposite order: dimension 0 is the
 * outermost. */
#include "run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <hetero.h>

#include "base/alloc.h"
#include "calibrate/tool.h"
#include "show.h"

/* What a part touches of an argument whose elements are not numbered as the work-items are. */
struct reach {
	int rank;
	int64_t before[MOST_RANK], after[MOST_RANK], size[MOST_RANK];
};

struct run {
	const struct job *job;
	const struct description *description;
	het_system *system;
	het_kernel *kernel;
	het_team *team;
	het_array *array[MOST_ARGUMENTS];
	struct reach reach[MOST_ARGUMENTS];
	struct het_arg arg[MOST_ARGUMENTS];
	struct het_range range;
};

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

/* What the library says is said. */
static bool good(het_status status)
{
	if (status == HET_OK)
		return true;
	fprintf(stderr, "%s: %s\n", program, het_message());
	return false;
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

static struct het_mapped mapped(struct run *run, int i)
{
	const struct argument *const argument = &run->description->argument[i];
	int64_t radii[MOST_RANK];

	if (argument_is_read_whole(argument))
		return HET_ALL(run->array[i]);
	if (!at_origin(argument))
		return by_origin(argument, run->array[i], &run->reach[i]);
	if (!argument->points)
		return HET_EACH(run->array[i]);
	for (int d = 0; d < argument->rank; d++)
		radii[argument->rank - 1 - d] = radius(argument, d);
	return het_mapped_by(run->array[i], HET_MAPPER_HALO, argument->rank, radii);
}

static void set_argument(struct run *run, int i)
{
	const struct argument *const argument = &run->description->argument[i];

	if (!argument->is_memory)
		run->arg[i] = het_arg_value(argument->type->het, &run->job->data[i].value);
	else if (argument->property == INPUT)
		run->arg[i] = HET_IN(mapped(run, i));
	else if (writes_all(run->description))
		run->arg[i] = HET_OUT(mapped(run, i));
	else
		run->arg[i] = HET_INOUT(mapped(run, i));
}

static void set_range(struct run *run)
{
	const struct description *const d = run->description;
	int64_t list[2 * MOST_RANK], local[MOST_RANK];

	for (int i = 0; i < d->rank; i++) {
		const int to = d->rank - 1 - i;
		list[2 * to] = d->offset[i];
		list[2 * to + 1] = d->offset[i] + d->global[i];
		local[to] = d->local[i];
	}
	run->range = het_range_of(d->rank, 2 * d->rank, list);
	if (d->grouped)
		run->range = het_local_of(run->range, d->rank, local);
}

/* ---- data ------------------------------------------------------------------------------------ */

static bool make_array(struct run *run, int i)
{
	const struct argument *const argument = &run->description->argument[i];
	int64_t extent[MOST_RANK];

	for (int d = 0; d < argument->rank; d++)
		extent[argument->rank - 1 - d] = argument->size[d];
	return good(het_array_new(run->system, argument->type->het,
				  het_shape_of(argument->rank, argument->rank, extent), &run->array[i])) &&
	       good(het_array_name(run->array[i], argument->name));
}

static bool fill_array(struct run *run, int i)
{
	const struct argument *const argument = &run->description->argument[i];
	const struct datum *const datum = &run->job->data[i];
	void *memory;
	bool loaded;

	if (datum->given)
		return good(het_fill(het_view(run->array[i], het_whole()), &datum->value));
	if (!datum->in && !datum->sloped)
		return true;
	if (!good(het_map(run->array[i], HET_WRITE, &memory)))
		return false;
	loaded = data_load(argument, datum, memory);
	return good(het_unmap(run->array[i])) && loaded;
}

static bool save_array(struct run *run, int i)
{
	void *memory;
	bool saved;

	if (!run->job->data[i].out)
		return true;
	if (!good(het_map(run->array[i], HET_READ, &memory)))
		return false;
	saved = data_save(&run->description->argument[i], &run->job->data[i], memory);
	return good(het_unmap(run->array[i])) && saved;
}

static bool prepare(struct run *run)
{
	const struct description *const d = run->description;

	for (int i = 0; i < d->arguments; i++)
		if (d->argument[i].is_memory && (!make_array(run, i) || !fill_array(run, i)))
			return false;
	if (run->job->data[d->output].copied &&
	    !good(het_copy(het_view(run->array[d->output], het_whole()),
			   het_view(run->array[d->successor], het_whole()))))
		return false;
	for (int i = 0; i < d->arguments; i++)
		set_argument(run, i);
	set_range(run);
	return true;
}

/* ---- the run --------------------------------------------------------------------------------- */

static void show_cut(const struct run *run, const struct het_part *part, int dimension)
{
	const int rank = run->description->rank;

	printf("\ncut along %c by het_spread:\n", axis_name(rank - 1 - dimension));
	for (int i = 0; i < het_team_count(run->team); i++) {
		struct het_device_info info = HET_DEVICE_INFO_INIT;
		struct zone zone = {{0}, {0}};
		het_device_info(part[i].device, &info);
		for (int d = 0; d < rank; d++) {
			zone.lo[d] = part[i].range.lo[rank - 1 - d];
			zone.hi[d] = part[i].range.hi[rank - 1 - d];
		}
		printf("  part %d on %s: ", i, info.name ? info.name : "?");
		if (zone.lo[rank - 1 - dimension] < zone.hi[rank - 1 - dimension])
			show_zone(rank, &zone);
		else
			printf("nothing");
		printf("\n");
	}
}

static bool plan(struct run *run)
{
	struct het_part *const parts = het__alloc_zeroed((size_t)het_team_count(run->team), sizeof *parts);
	bool done = parts != NULL;
	int dimension;

	for (int i = 0; done && i < het_team_count(run->team); i++) /* so that compilers are not timed */
		done = good(het_kernel_build(run->kernel, het_team_device(run->team, i)));
	done = done && job_fits(run->job, run->kernel, het_team_device(run->team, 0));
	done = done && good(het_spread_plan_args(run->kernel, run->team, run->range, parts, &dimension,
						 run->arg, run->description->arguments));
	if (done) {
		show_space(run->description);
		show_cut(run, parts, dimension);
	}
	het__free(parts);
	return done;
}

static bool iterate(struct run *run)
{
	const struct description *const d = run->description;

	for (int64_t i = 0; i < d->iterations; i++) {
		if (i && !good(het_swap(run->array[d->successor], run->array[d->output])))
			return false;
		if (!good(het_spread_args(run->kernel, run->team, run->range, run->arg, d->arguments)))
			return false;
	}
	return good(het_wait_all(run->system));
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void show_rate(const struct run *run, double took, uint64_t moved_bytes)
{
	const struct description *const d = run->description;
	double points = (double)d->iterations;

	for (int i = 0; i < d->rank; i++)
		points *= (double)d->global[i];
	printf("%" PRId64 " iteration%s in %.6f s: %.4g Mpoint/s", d->iterations, d->iterations == 1 ? "" : "s",
	       took, points / took * 1e-6);
	if (d->flops > 0)
		printf(", %.4g GFLOP/s", points * d->flops / took * 1e-9);
	printf("\n%" PRIu64 " bytes were moved between memories\n", moved_bytes);
}

static bool timed(struct run *run)
{
	struct het_stats before = HET_STATS_INIT, after = HET_STATS_INIT;
	double began;

	if (!good(het_wait_all(run->system)) || !good(het_stats(run->system, &before)))
		return false;
	began = seconds();
	if (!iterate(run))
		return false;
	began = seconds() - began;
	if (!good(het_stats(run->system, &after)))
		return false;
	show_rate(run, began, after.transfer_bytes - before.transfer_bytes);
	return true;
}

static bool carry_out(struct run *run)
{
	const struct description *const d = run->description;

	if (!good(het_kernel_from_file(run->system, run->job->kernel, d->function,
				       *d->options ? d->options : NULL, &run->kernel)))
		return false;
	run->team = het_everyone(run->system);
	if (!run->team)
		return good(HET_ERR_MEMORY);
	if (!prepare(run) || !plan(run) || !timed(run))
		return false;
	for (int i = 0; i < d->arguments; i++)
		if (!save_array(run, i))
			return false;
	return true;
}

bool job_run(const struct job *job)
{
	struct het_options options = HET_OPTIONS_INIT;
	struct run run = {.job = job, .description = job->description};
	bool done;

	options.devices = job->devices;
	if (!good(het_open(&options, &run.system)))
		return false;
	done = carry_out(&run);
	if (het_close(run.system) != HET_OK && done)
		return good(HET_ERR_LOST);
	return done;
}
