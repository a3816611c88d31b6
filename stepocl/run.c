/* run.c - see run.h. */
#include "run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include <hetero.h>

#include "base/alloc.h"
#include "show.h"

/* ---- data ------------------------------------------------------------------------------------ */

static bool fill_array(const struct engine *engine, int i)
{
	const struct argument *const argument = &engine->description->argument[i];
	const struct datum *const datum = &engine->job->data[i];
	void *memory;
	bool loaded;

	if (datum->given)
		return good(het_fill(het_view(engine->array[i], het_whole()), &datum->value));
	if (!datum->in && !datum->sloped)
		return true;
	if (!good(het_map(engine->array[i], HET_WRITE, &memory)))
		return false;
	loaded = data_load(argument, datum, memory);
	return good(het_unmap(engine->array[i])) && loaded;
}

static bool save_array(const struct engine *engine, int i)
{
	void *memory;
	bool saved;

	if (!engine->job->data[i].out)
		return true;
	if (!good(het_map(engine->array[i], HET_READ, &memory)))
		return false;
	saved = data_save(&engine->description->argument[i], &engine->job->data[i], memory);
	return good(het_unmap(engine->array[i])) && saved;
}

static bool fill_all(const struct engine *engine)
{
	const struct description *const d = engine->description;

	for (int i = 0; i < d->arguments; i++)
		if (d->argument[i].is_memory && !fill_array(engine, i))
			return false;
	return !engine->job->data[d->output].copied ||
	       good(het_copy(het_view(engine->array[d->output], het_whole()),
			     het_view(engine->array[d->successor], het_whole())));
}

/* ---- the run --------------------------------------------------------------------------------- */

static void show_cut(const struct engine *engine, const struct het_part *part, int dimension)
{
	const int rank = engine->description->rank;

	printf("\ncut along %c by het_spread:\n", axis_name(rank - 1 - dimension));
	for (int i = 0; i < het_team_count(engine->team); i++) {
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

static bool plan(const struct engine *engine)
{
	const size_t count = (size_t)het_team_count(engine->team);
	struct het_part *const parts = het__alloc_zeroed(count, sizeof *parts);
	int dimension;
	const bool done = parts && engine_build(engine) &&
			  job_fits(engine->job, engine->kernel, het_team_device(engine->team, 0)) &&
			  good(het_spread_plan_args(engine->kernel, engine->team, engine->range, parts,
						    &dimension, engine->arg, engine->description->arguments));

	if (done) {
		show_space(engine->description);
		show_cut(engine, parts, dimension);
	}
	het__free(parts);
	return done;
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void show_rate(const struct engine *engine, double took, uint64_t moved_bytes)
{
	const struct description *const d = engine->description;
	double points = (double)d->iterations;

	for (int i = 0; i < d->rank; i++)
		points *= (double)d->global[i];
	printf("%" PRId64 " iteration%s in %.6f s: %.4g Mpoint/s", d->iterations, d->iterations == 1 ? "" : "s",
	       took, points / took * 1e-6);
	if (d->flops > 0)
		printf(", %.4g GFLOP/s", points * d->flops / took * 1e-9);
	printf("\n%" PRIu64 " bytes were moved between memories\n", moved_bytes);
}

static bool timed(const struct engine *engine)
{
	struct het_stats before = HET_STATS_INIT, after = HET_STATS_INIT;
	double began;

	if (!good(het_wait_all(engine->system)) || !good(het_stats(engine->system, &before)))
		return false;
	began = seconds();
	if (!engine_iterate(engine) || !good(het_wait_all(engine->system)))
		return false;
	began = seconds() - began;
	if (!good(het_stats(engine->system, &after)))
		return false;
	show_rate(engine, began, after.transfer_bytes - before.transfer_bytes);
	return true;
}

static bool carry_out(struct engine *engine, const struct job *job, het_system *system)
{
	het_team *const team = het_everyone(system);

	if (!team)
		return good(HET_ERR_MEMORY);
	if (!engine_open(engine, job, system, team) || !fill_all(engine) || !plan(engine) || !timed(engine))
		return false;
	for (int i = 0; i < job->description->arguments; i++)
		if (!save_array(engine, i))
			return false;
	return true;
}

bool job_run(const struct job *job)
{
	struct het_options options = HET_OPTIONS_INIT;
	struct engine engine;
	het_system *system;
	bool done;

	options.devices = job->devices;
	if (!good(het_open(&options, &system)))
		return false;
	done = carry_out(&engine, job, system);
	if (het_close(system) != HET_OK && done)
		return good(HET_ERR_LOST);
	return done;
}
