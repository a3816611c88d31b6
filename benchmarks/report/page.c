/* page.c - the report as one page that needs nothing else: tables, and charts as SVG. */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "output.h"
#include "report/chart.h"
#include "report/results.h"

#define MIB (1 << 20)

static const char head[] =
	"<!DOCTYPE html>\n<html lang='en'>\n<meta charset='utf-8'>\n<title>Hetero's benchmarks</title>\n"
	"<meta name='viewport' content='width=device-width'>\n<style>\n"
	":root{--paper:#fff;--ink:#222;--faint:#ddd;--v0:#0072b2;--v1:#e69f00;--v2:#009e73;--v3:#cc79a7;\n"
	"--v4:#d55e00}\n"
	"@media(prefers-color-scheme:dark){:root{--paper:#1b1b1b;--ink:#ddd;--faint:#444;--v0:#56b4e9}}\n"
	"body{background:var(--paper);color:var(--ink);font:15px/1.5 sans-serif;max-width:960px;margin:2em "
	"auto;\n"
	"padding:0 1em}\n"
	"table{border-collapse:collapse;margin:1em 0;font-size:13px}\n"
	"th,td{padding:.2em .7em;text-align:right;border-bottom:1px solid var(--faint)}\n"
	"th:first-child,td:first-child,.left{text-align:left}\n"
	"svg{width:100%;font:12px sans-serif;fill:currentColor}\n"
	".mid{text-anchor:middle}.note{font-size:10px}.end{text-anchor:end}\n"
	".grid{stroke:var(--faint)}.one{stroke:var(--ink);stroke-width:1.5}\n"
	".v0{fill:var(--v0)}.v1{fill:var(--v1)}.v2{fill:var(--v2)}"
	".v3{fill:var(--v3)}.v4{fill:var(--v4)}\n"
	".s1{stroke:var(--v1);stroke-width:2.5}.s2{stroke:var(--v2);stroke-width:2.5}\n"
	".s0{stroke:var(--v0);stroke-width:2.5}.s3{stroke:var(--v3);stroke-width:2.5}\n"
	".s4{stroke:var(--v4);stroke-width:2.5}.thin{stroke-width:1}\n"
	".key span{display:inline-block;width:.9em;height:.9em;margin:0 .3em 0 1.2em}\n"
	".wrong{color:#d00;font-weight:bold}.scroll{overflow-x:auto}\n"
	"</style>\n<h1>Hetero's benchmarks</h1>\n";

static const char key[] = "<p class='key'><span style='background:var(--v0)'></span>hetero"
			  "<span style='background:var(--v1)'></span>shared by hand"
			  "<span style='background:var(--v2)'></span>copying by hand</p>\n";

/* Text that is not ours, escaped for a page. */
static void put_text(FILE *to, const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '&':
			fputs("&amp;", to);
			break;
		case '<':
			fputs("&lt;", to);
			break;
		default:
			fputc(*text, to);
		}
}

static void put_fact(FILE *to, const char *name, const char *text)
{
	fprintf(to, "<tr><td>%s<td class='left'>", name);
	put_text(to, text);
	fputs("\n", to);
}

static void put_machine(FILE *to, const struct results *r)
{
	char text[512];

	fputs("<table>\n", to);
	snprintf(text, sizeof text, "%s; Hetero %s", r->date,
		 json_string_value(json_object_get(r->info, "library")));
	put_fact(to, "when", text);
	snprintf(text, sizeof text, "%s, %d processors, %s", r->processor, r->processors, r->system);
	put_fact(to, "machine", text);
	for (size_t i = 0; i < json_array_size(json_object_get(r->info, "devices")); i++) {
		results_device(r, i, text, sizeof text);
		put_fact(to, "device", text);
	}
	results_calibration(r, text, sizeof text);
	put_fact(to, "calibration", text);
	fputs("</table>\n", to);
}

/* ---- tables ------------------------------------------------------------------------------------ */

static void put_version(FILE *to, const struct cell *c, int v)
{
	const struct figure *const t = &c->seconds[v], *const ratio = &c->ratio[v];

	if (!t->is_there)
		return;
	fprintf(to, "<tr><td>%s %s<td class='left'>", benchmark_names[c->benchmark], c->class_name);
	put_text(to, c->set->name);
	fprintf(to, "<td class='left'>%s<td>%.4f<td>%.4f - %.4f<td>%.0f", version_names[v], t->median, t->low,
		t->high, c->rate[v].median);
	if (ratio->is_there)
		fprintf(to, "<td>%.3f<td>%.3f - %.3f", ratio->median, ratio->low, ratio->high);
	else
		fputs("<td><td>", to);
	if (c->peak_bytes[v] > 0)
		fprintf(to, "<td>%.0f", c->peak_bytes[v] / MIB);
	else
		fputs("<td>", to);
	if (v == HETERO)
		fprintf(to, "<td>%.2f", c->moved_bytes / MIB);
	else
		fputs("<td>", to);
	fprintf(to, "<td>%s\n", c->status ? "<span class='wrong'>no</span>" : "yes");
}

static void put_times(FILE *to, const struct results *r)
{
	fputs("<h2>All times</h2>\n<p>Medians with 95 % intervals (of fewer than six rounds: ranges); ratios "
	      "of "
	      "Hetero's time to the version's in the same round; the largest resident set of a process that "
	      "runs the version once, where it was measured.</p>\n"
	      "<div class='scroll'><table>\n<tr><th>benchmark<th class='left'>devices<th "
	      "class='left'>version<th>"
	      "seconds<th>interval<th>Mop/s<th>hetero / it<th>interval<th>MiB<th>moved, MiB<th>verified\n",
	      to);
	for (int i = 0; i < r->cells; i++) {
		const struct cell *const c = &r->cell[i];

		if (!c->said)
			fprintf(to, "<tr><td>%s<td colspan='10' class='left'>%s\n",
				benchmark_names[c->benchmark],
				c->status == 77 ? "not on these devices" : "failed");
		for (int v = 0; v < VERSIONS; v++)
			put_version(to, c, v);
	}
	fputs("</table></div>\n", to);
}

static void put_percent(FILE *to, const struct figure *f)
{
	if (f->is_there)
		fprintf(to, "<td>%.1f<td>%.1f to %.1f", f->median, f->low, f->high);
	else
		fputs("<td><td>", to);
}

static void put_loss(FILE *to, const struct cell *c, const struct loss *l, const char *what)
{
	if (!l->cost.is_there)
		return;
	fprintf(to, "<tr><td>%s %s<td class='left'>", benchmark_names[c->benchmark], c->class_name);
	put_text(to, c->set->name);
	fprintf(to, "<td class='left'>%s", what);
	put_percent(to, &l->cost);
	put_percent(to, &l->recovered[HETERO]);
	put_percent(to, &l->recovered[SHARED]);
	fputs("\n", to);
}

static void put_exchanges(FILE *to, const struct results *r)
{
	fputs("<h2>What exchange costs copying</h2>\n<p>How much sooner copying by hand ends when nothing is "
	      "sent between devices (what it finds is then wrong), in percent of its time: with waiting, when "
	      "devices do not wait for each other either, which no right program can do; its bytes, when "
	      "they wait all the same. And how much of that the others do not lose, which can be more than "
	      "all: they may save something else too. Nothing where no cost is shown, or of fewer than six "
	      "rounds. Medians with 95 % intervals over rounds (of fewer than six: ranges).</p>\n"
	      "<table>\n<tr><th>benchmark<th class='left'>devices<th class='left'>what<th>costs, "
	      "%<th>interval<th>hetero recovers, %<th>interval<th>shared recovers, %<th>interval\n",
	      to);
	for (int i = 0; i < r->cells; i++) {
		put_loss(to, &r->cell[i], &r->cell[i].exchange, "with waiting");
		put_loss(to, &r->cell[i], &r->cell[i].bytes, "its bytes");
	}
	fputs("</table>\n", to);
}

static void put_gains(FILE *to, const struct results *r)
{
	if (results_shared(r) == &r->set[0]) /* one device */
		return;
	fputs("<h2>What several devices bring</h2>\n<p>Hetero on all devices: how often as fast as on the "
	      "fastest of them by itself, and its speed in percent of the sum of the speeds that each has by "
	      "itself, in the same rounds. Medians with 95 % intervals (of fewer than six: ranges).</p>\n"
	      "<table>\n<tr><th>benchmark<th class='left'>devices<th>speed-up<th>interval"
	      "<th>of all speeds, %<th>interval\n",
	      to);
	for (int i = 0; i < r->cells; i++) {
		const struct cell *const c = &r->cell[i];

		if (!c->speed_up.is_there)
			continue;
		fprintf(to, "<tr><td>%s %s<td class='left'>", benchmark_names[c->benchmark], c->class_name);
		put_text(to, c->set->name);
		fprintf(to, "<td>%.2f<td>%.2f to %.2f", c->speed_up.median, c->speed_up.low,
			c->speed_up.high);
		put_percent(to, &c->of_speeds);
		fputs("\n", to);
	}
	fputs("</table>\n", to);
}

/* One flow of a row "hetero: moved, ROUTE, memory A to B". */
static void put_flow(FILE *to, const struct cell *c, const json_t *row)
{
	const char *const what = json_string_value(json_object_get(row, "what"));
	const char prefix[] = "hetero: moved, ";

	if (strncmp(what, prefix, sizeof prefix - 1))
		return;
	fprintf(to, "<tr><td>%s %s<td class='left'>", benchmark_names[c->benchmark], c->class_name);
	put_text(to, c->set->name);
	fputs("<td class='left'>", to);
	put_text(to, what + sizeof prefix - 1);
	fprintf(to, "<td>%.2f\n", json_number_value(json_object_get(row, "count")) / MIB);
}

static void put_flows(FILE *to, const struct results *r)
{
	fputs("<h2>What Hetero moved, and how</h2>\n<p>A run without its preparation; \"repack\" is a copy "
	      "inside one memory.</p>\n<table>\n"
	      "<tr><th>benchmark<th class='left'>devices<th class='left'>route<th>MiB\n",
	      to);
	for (int i = 0; i < r->cells; i++) {
		const json_t *const section = json_array_get(json_object_get(r->cell[i].said, "sections"), 0);
		const json_t *row;
		size_t k;

		json_array_foreach(json_object_get(section, "rows"), k, row) put_flow(to, &r->cell[i], row);
	}
	fputs("</table>\n", to);
}

static void put_cost(FILE *to, const char *name, const char *version, const struct cost *ours,
		     const struct cost *theirs)
{
	fprintf(to, "<tr><td>%s<td class='left'>%s<td>%d<td>%d<td>%.0f %%<td>%d<td>%d<td>%.0f %%<td>%.0f %%\n",
		name, version, ours->lines, theirs->lines, results_saved(ours->lines, theirs->lines),
		ours->statements, theirs->statements, results_saved(ours->statements, theirs->statements),
		results_saved(ours->effort, theirs->effort));
}

static void put_costs(FILE *to, const struct results *r)
{
	fputs("<table>\n<tr><th>host code<th class='left'>against<th>lines<th>by hand<th>less<th>statements"
	      "<th>by hand<th>less<th>effort less\n",
	      to);
	for (int b = 0; b < BENCHMARKS_COUNT; b++)
		for (int v = SHARED; v < VERSIONS; v++)
			if (r->cost[b][v].effort > 0)
				put_cost(to, benchmark_names[b], version_names[v], &r->cost[b][HETERO],
					 &r->cost[b][v]);
	put_cost(to, "helpers", "both", &r->helpers[0], &r->helpers[1]);
	fputs("</table>\n", to);
}

/* ---- the page ---------------------------------------------------------------------------------- */

static void put_sets(FILE *to, const struct results *r)
{
	fputs("<p>", to);
	for (int s = 0; s < r->sets; s++) {
		fprintf(to, "%s%c: ", s ? "; " : "", 'a' + s);
		put_text(to, r->set[s].name);
		fputs(" (", to);
		put_text(to, r->set[s].selection);
		fputs(")", to);
	}
	fputs("</p>\n", to);
}

static void put_charts(FILE *to, const struct results *r)
{
	fputs("<h2>Time against OpenCL by hand</h2>\n<p>Left of 1 Hetero is faster. Lines are 95 % "
	      "intervals (of fewer than six rounds: ranges).</p>\n"
	      "<h3>hetero / shared by hand</h3>\n",
	      to);
	chart_ratios(to, r, SHARED);
	fputs("<h3>hetero / copying by hand</h3>\n", to);
	chart_ratios(to, r, COPYING);
	fputs("<h2>Speed</h2>\n<p>Copying by hand on one device is 1.</p>\n", to);
	fputs(key, to);
	chart_rates(to, r);
	put_sets(to, r);
	fputs("<h2>Problem sizes</h2>\n<p>Times on all devices over the classes of each benchmark, small ones "
	      "first; copying by hand is 1. What copying takes without the bytes of its exchanges is how fast "
	      "it could be if moving them cost nothing. Thick lines are 95 % intervals (of fewer than six "
	      "rounds: ranges), cut at the edges.</p>\n"
	      "<p class='key'><span style='background:var(--v0)'></span>hetero"
	      "<span style='background:var(--v1)'></span>shared by hand"
	      "<span style='background:var(--v4)'></span>copying, the bytes of its exchanges left out"
	      "<span style='background:var(--v3)'></span>copying, no device waiting for another either</p>\n",
	      to);
	chart_sizes(to, r);
	fputs("<h2>Less to write</h2>\n<p>Host code of the Hetero version below that by hand, in percent.</p>\n"
	      "<p class='key'><span style='background:var(--v1)'></span>below shared by hand"
	      "<span style='background:var(--v2)'></span>below copying by hand</p>\n",
	      to);
	chart_saved(to, r);
}

int page_refused(const char *path)
{
	const char *const why = output_refusal(path);

	if (why)
		fprintf(stderr, "report: %s: %s\n", path, why);
	return why ? -1 : 0;
}

int page_write(const struct results *r, const char *path)
{
	struct output output;
	FILE *const to = output_open(&output, path);
	const char *why;

	if (to) {
		fputs(head, to);
		put_machine(to, r);
		put_charts(to, r);
		put_costs(to, r);
		put_gains(to, r);
		put_exchanges(to, r);
		put_times(to, r);
		put_flows(to, r);
		fputs("</html>\n", to);
	}
	why = to ? output_close(&output, 0) : strerror(errno);
	if (why)
		fprintf(stderr, "report: %s: %s\n", path, why);
	return why ? -1 : 0;
}
