/* text.c - the report for a terminal, and for programs. */

#include <stdio.h>

#include "common/sample.h"
#include "report/results.h"

#define MIB (1 << 20)

/* ---- machine ----------------------------------------------------------------------------------- */

static void print_machine(const struct results *r)
{
	char text[512];

	printf("Hetero %s, %s\n", json_string_value(json_object_get(r->info, "library")), r->date);
	printf("  machine      %s, %d processors, %s\n", r->processor, r->processors, r->system);
	for (size_t i = 0; i < json_array_size(json_object_get(r->info, "devices")); i++) {
		results_device(r, i, text, sizeof text);
		printf("  device       %s\n", text);
	}
	results_calibration(r, text, sizeof text);
	printf("  calibration  %s\n", text);
}

/* ---- times ------------------------------------------------------------------------------------- */

static void print_version(const struct cell *c, int v)
{
	const struct figure *const t = &c->seconds[v], *const ratio = &c->ratio[v];

	if (!t->is_there)
		return;
	printf("    %-8s %9.4f s [%.4f, %.4f] %9.0f Mop/s", version_names[v], t->median, t->low, t->high,
	       c->rate[v].median);
	if (c->peak_bytes[v] > 0)
		printf(" %6.0f MiB", c->peak_bytes[v] / MIB);
	if (ratio->is_there)
		printf("   hetero / %s %.3f [%.3f, %.3f]", version_names[v], ratio->median, ratio->low,
		       ratio->high);
	putchar('\n');
}

static void print_loss(const struct loss *l, int rounds, const char *what)
{
	const struct figure *const cost = &l->cost;

	if (!cost->is_there)
		return;
	printf("    %s %.1f %% [%.1f, %.1f] of its time", what, cost->median, cost->low, cost->high);
	for (int v = 0; v < VERSIONS; v++)
		if (l->recovered[v].is_there)
			printf("; %s recovers %.0f %% [%.0f, %.0f]", version_names[v], l->recovered[v].median,
			       l->recovered[v].low, l->recovered[v].high);
	if (rounds < SAMPLE_FEWEST)
		puts(": too few rounds to say what is recovered");
	else
		puts(cost->low > 0 ? "" : ": none is shown");
}

static void print_cell(const struct cell *c)
{
	printf("  %s class %s, %s: ", benchmark_names[c->benchmark], c->class_name, c->set->name);
	if (!c->said) {
		printf("%s\n", c->status == 77 ? "not on these devices" : "FAILED");
		return;
	}
	printf("%s; hetero moved %.2f MiB; %d round%s\n", c->status ? "WRONG" : "all versions verified",
	       c->moved_bytes / MIB, c->rounds, c->rounds == 1 ? "" : "s");
	for (int v = 0; v < VERSIONS; v++)
		print_version(c, v);
	print_loss(&c->exchange, c->rounds, "exchange costs copying");
	print_loss(&c->bytes, c->rounds, "its bytes alone cost");
}

/* ---- cost -------------------------------------------------------------------------------------- */

static void print_saved(const char *name, const char *version, const struct cost *ours,
			const struct cost *theirs)
{
	printf("  %-10s %-8s %6d %6d %6.0f%% %11d %11d %6.0f%% %10.0f %10.0f %6.0f%%\n", name, version,
	       ours->lines, theirs->lines, results_saved(ours->lines, theirs->lines), ours->statements,
	       theirs->statements, results_saved(ours->statements, theirs->statements), ours->effort,
	       theirs->effort, results_saved(ours->effort, theirs->effort));
}

static void print_mean(const struct results *r, int v)
{
	double lines = 0, effort = 0;
	int count = 0;

	for (int b = 0; b < BENCHMARKS_COUNT; b++) {
		const struct cost *const ours = &r->cost[b][HETERO], *const theirs = &r->cost[b][v];

		if (!(theirs->effort > 0))
			continue;
		count++;
		lines += results_saved(ours->lines, theirs->lines);
		effort += results_saved(ours->effort, theirs->effort);
	}
	if (count)
		printf("  mean of %d below %s: lines %.0f %%, effort %.0f %%\n", count, version_names[v],
		       lines / count, effort / count);
}

static void print_cost(const struct results *r)
{
	printf("\nHost code (hetero, by hand, how much less)\n  %-10s %-8s %21s %31s %29s\n", "", "against",
	       "lines", "statements", "effort");
	for (int b = 0; b < BENCHMARKS_COUNT; b++)
		for (int v = SHARED; v < VERSIONS; v++)
			if (r->cost[b][v].effort > 0)
				print_saved(benchmark_names[b], version_names[v], &r->cost[b][HETERO],
					    &r->cost[b][v]);
	print_saved("helpers", "both", &r->helpers[0], &r->helpers[1]);
	for (int v = SHARED; v < VERSIONS; v++)
		print_mean(r, v);
}

/* What several devices bring. */
static void print_gains(const struct results *r)
{
	const struct set *const set = results_shared(r);

	if (set == &r->set[0])
		return;
	printf("\nHetero on %s: how often as fast as on the fastest by itself, and of all their speeds by "
	       "themselves\n",
	       set->name);
	for (int b = 0; b < BENCHMARKS_COUNT; b++) {
		const struct cell *const c = results_cell(r, b, set);

		if (c && c->speed_up.is_there)
			printf("  %-10s %5.2f [%.2f, %.2f] %6.0f %% [%.0f, %.0f]\n", benchmark_names[b],
			       c->speed_up.median, c->speed_up.low, c->speed_up.high, c->of_speeds.median,
			       c->of_speeds.low, c->of_speeds.high);
	}
}

void text_print(const struct results *r)
{
	print_machine(r);
	printf("\nTimes: median [95 %% interval; of fewer than 6 rounds: range], rate, largest resident set "
	       "where it was measured, ratio of equal rounds\n");
	for (int i = 0; i < r->cells; i++)
		print_cell(&r->cell[i]);
	print_gains(r);
	print_cost(r);
}

/* ---- JSON -------------------------------------------------------------------------------------- */

static json_t *json_cell(const struct cell *c)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:b, s:i, s:O?}", "benchmark", benchmark_names[c->benchmark],
			 "class", c->class_name, "set", c->set->name, "devices", c->set->selection, "share",
			 c->set->share, "status", c->status, "report", c->said);
}

static json_t *json_figure(const struct figure *f)
{
	return f->is_there ? json_pack("{s:f, s:f, s:f}", "median", f->median, "low", f->low, "high", f->high)
			   : json_null();
}

/* In percent. */
static json_t *json_loss(const struct loss *l)
{
	return json_pack("{s:o, s:o, s:o}", "cost", json_figure(&l->cost), "hetero",
			 json_figure(&l->recovered[HETERO]), "shared", json_figure(&l->recovered[SHARED]));
}

static json_t *json_exchange(const struct cell *c)
{
	json_t *const about = json_loss(&c->exchange);

	json_object_set_new(about, "benchmark", json_string(benchmark_names[c->benchmark]));
	json_object_set_new(about, "class", json_string(c->class_name));
	json_object_set_new(about, "set", json_string(c->set->name));
	json_object_set_new(about, "bytes", json_loss(&c->bytes));
	return about;
}

static json_t *json_exchanges(const struct results *r)
{
	json_t *const list = json_array();

	for (int i = 0; i < r->cells; i++) {
		const struct cell *const c = &r->cell[i];

		if (c->exchange.cost.is_there)
			json_array_append_new(list, json_exchange(c));
	}
	return list;
}

static json_t *json_gains(const struct results *r)
{
	json_t *const list = json_array();

	for (int i = 0; i < r->cells; i++) {
		const struct cell *const c = &r->cell[i];

		if (c->speed_up.is_there)
			json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:o, s:o}", "benchmark",
							      benchmark_names[c->benchmark], "class",
							      c->class_name, "set", c->set->name, "speed_up",
							      json_figure(&c->speed_up), "of_speeds",
							      json_figure(&c->of_speeds)));
	}
	return list;
}

static json_t *json_cost(const char *name, const char *version, const struct cost *cost)
{
	return json_pack("{s:s, s:s, s:i, s:i, s:f}", "benchmark", name, "version", version, "lines",
			 cost->lines, "statements", cost->statements, "effort", cost->effort);
}

static json_t *json_costs(const struct results *r)
{
	json_t *const list = json_array();

	for (int b = 0; b < BENCHMARKS_COUNT; b++)
		for (int v = 0; v < VERSIONS; v++)
			if (r->cost[b][v].effort > 0)
				json_array_append_new(
					list, json_cost(benchmark_names[b], version_names[v], &r->cost[b][v]));
	json_array_append_new(list, json_cost("helpers", "hetero", &r->helpers[0]));
	json_array_append_new(list, json_cost("helpers", "by hand", &r->helpers[1]));
	return list;
}

void json_print(const struct results *r)
{
	json_t *const cells = json_array();
	json_t *whole;

	for (int i = 0; i < r->cells; i++)
		json_array_append_new(cells, json_cell(&r->cell[i]));
	whole = json_pack("{s:s, s:s, s:i, s:s, s:b, s:O, s:o, s:o, s:o, s:o}", "date", r->date, "processor",
			  r->processor, "processors", r->processors, "system", r->system, "good", !r->wrong,
			  "machine", r->info, "cells", cells, "exchange", json_exchanges(r), "together",
			  json_gains(r), "host_code", json_costs(r));
	if (!whole || (json_dumpf(whole, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(12)) && !ferror(stdout)))
		fputs("report: no memory for the JSON\n", stderr);
	putchar('\n');
	json_decref(whole);
}
