/* stepocl_hetero.c - STEPOCL's stencil with Hetero: hetero-stepocl's own engine runs hetero-stepocl's own
 * description of it. Who uses the tool writes the description alone. */

#include "stepocl/stepocl.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/library.h"
#include "stepocl/engine.h"

/* The engine has said why not. */
static void need(bool is_good)
{
	if (!is_good)
		exit(EXIT_FAILURE);
}

/* Gives the description the sizes that were asked for. */
static void resize(const struct stepocl_problem *p, struct description *d)
{
	struct argument *const width = &d->argument[description_argument(d, "width")];

	for (int i = 0; i < d->arguments; i++)
		if (d->argument[i].is_memory) {
			d->argument[i].size[0] = p->cols;
			d->argument[i].size[1] = p->rows;
		}
	snprintf(width->value, sizeof width->value, "%d", p->cols);
	d->global[0] = p->cols - 2 * STEPOCL_REACH;
	d->global[1] = p->rows - 2;
}

static void describe(const struct stepocl_problem *p, struct description *d)
{
	struct refusal refusal = {0, "it cannot be read"};
	FILE *const file = fopen(STEPOCL_DESCRIPTION, "rb");

	if (file && description_read(file, p->steps, d, &refusal)) {
		resize(p, d);
		if (description_check(d, &refusal)) {
			fclose(file);
			return;
		}
	}
	fprintf(stderr, STEPOCL_DESCRIPTION ":%d: %s\n", refusal.line, refusal.text);
	exit(EXIT_FAILURE);
}

/* Before the clock starts, a step that is made once more brings devices what they will read. What stays is the
 * same in both grids. */
static void stepocl(const void *problem, const struct bench_machine *machine, struct bench_clock *clock)
{
	const struct stepocl_problem *const p = problem;
	struct description *const d = bench_new(sizeof *d); /* too large for the stack */
	struct datum data[MOST_ARGUMENTS] = {{0}};
	const struct job job = {d, data, STEPOCL_DESCRIPTION, STEPOCL_KERNELS, NULL};
	struct engine engine;
	void *result;

	describe(p, d);
	for (int i = 0; i < d->arguments; i++)
		if (!d->argument[i].is_memory)
			need(type_value(d->argument[i].type, d->argument[i].value, &data[i].value));
	need(engine_open(&engine, &job, machine->system, strips_team(machine)) && engine_build(&engine));
	while (bench_round(clock)) {
		must(het_write(het_view(engine.array[d->successor], het_whole()), p->first));
		must(het_write(het_view(engine.array[d->output], het_whole()), p->first));
		need(engine_step(&engine));
		must(het_wait(engine.array[d->output]));
		bench_start(clock);
		need(engine_iterate(&engine));
		must(het_map(engine.array[d->output], HET_READ, &result));
		bench_stop(clock, result);
		must(het_unmap(engine.array[d->output]));
	}
	free(d);
}

const struct bench_version stepocl_hetero = {.name = "hetero", .program = stepocl};
