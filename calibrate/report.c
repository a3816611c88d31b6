/* report.c - see report.h. */
#include "report.h"

#include <stdio.h>

#include "figures.h"
#include "words.h"

/* ---- for people -------------------------------------------------------------------------------- */

/* Tells only of measured sizes at which the choice holds: below `end`. */
static void print_rate(const struct het__cal_pair *pair, const struct het__cal_choice *choice, uint64_t end)
{
	const struct het__cal_curve *const curve = het__cal_curve(pair, choice->route);
	const struct het__cal_point *first = NULL, *last = NULL;
	char size[WORDS_BYTES];

	for (int i = 0; curve && i < curve->count; i++)
		if (curve->at[i].bytes >= choice->from_bytes && curve->at[i].bytes < end) {
			first = first ? first : &curve->at[i];
			last = &curve->at[i];
		}
	if (!first)
		return;
	printf("  %9.1f us at %s", (double)first->ns / 1e3, size_words(size, first->bytes));
	printf(", %.2f GB/s at %s", (double)last->bytes / (double)last->ns, size_words(size, last->bytes));
}

/* Marks what was not measured now. */
static const char *kept(bool is_kept)
{
	return is_kept ? " (kept)" : "";
}

static void print_pair(const struct het__cal_pair *pair)
{
	char size[WORDS_BYTES];
	int measured_bars = 0;

	printf("%s to %s, %s%s\n", pair->from, pair->to, het__cal_shape_name(pair->shape), kept(pair->kept));
	for (int i = 0; i < pair->choice_count; i++) {
		printf("  from %8s  %-8s %-8s", size_words(size, pair->choice[i].from_bytes),
		       het__cal_route_name(pair->choice[i].route),
		       het__cal_origin_name(pair->choice[i].origin));
		print_rate(pair, &pair->choice[i],
			   i + 1 < pair->choice_count ? pair->choice[i + 1].from_bytes : UINT64_MAX);
		putchar('\n');
	}
	for (int i = 0; i < pair->bar_count; i++) {
		measured_bars += pair->bar[i].origin == HET__CAL_MEASURED;
		printf("  barred         %-8s %s\n", het__cal_route_name(pair->bar[i].route), pair->bar[i].why);
	}
	if (pair->choice_count == 0 && measured_bars > 0)
		printf("  what was measured is barred: no other way is chosen\n");
	else if (pair->choice_count == 0)
		printf("  nothing was measured: defaults apply\n");
}

void report_text(const struct het__calibration *calibration, const char *path)
{
	char text[FIGURES_BYTES];

	for (int i = 0; i < calibration->device_count; i++)
		if (*figures_words(text, &calibration->device[i]))
			printf("%s%s\n  %s\n", calibration->device[i].name, kept(calibration->device[i].kept),
			       text);
	for (int i = 0; i < calibration->pair_count; i++)
		print_pair(&calibration->pair[i]);
	if (calibration->pair_count == 0)
		printf("There is one memory only: nothing has to be moved on this machine.\n");
	printf("%s\n", path);
}

/* ---- for programs ------------------------------------------------------------------------------ */

#ifdef HAVE_JSON
#include <jansson.h>

static json_t *json_choices(const struct het__cal_pair *pair)
{
	json_t *list = json_array();

	for (int i = 0; i < pair->choice_count; i++) {
		const struct het__cal_choice *const c = &pair->choice[i];

		json_add(&list, json_pack("{s:I, s:s, s:I, s:i, s:s}", "from_bytes", (json_int_t)c->from_bytes,
					  "route", het__cal_route_name(c->route), "chunk_bytes",
					  (json_int_t)c->chunk_bytes, "depth", c->depth, "origin",
					  het__cal_origin_name(c->origin)));
	}
	return list;
}

static json_t *json_points(const struct het__cal_curve *curve)
{
	json_t *list = json_array();

	for (int i = 0; i < curve->count; i++)
		json_add(&list, json_pack("{s:I, s:I, s:I}", "bytes", (json_int_t)curve->at[i].bytes, "ns",
					  (json_int_t)curve->at[i].ns, "spread_ns",
					  (json_int_t)curve->at[i].spread_ns));
	return list;
}

static json_t *json_pair(const struct het__cal_pair *pair)
{
	json_t *points = json_object(), *barred = json_object();

	for (int i = 0; i < pair->curve_count; i++)
		json_put(&points, het__cal_route_name(pair->curve[i].route), json_points(&pair->curve[i]));
	for (int i = 0; i < pair->bar_count; i++)
		json_put(&barred, het__cal_route_name(pair->bar[i].route), json_words(pair->bar[i].why));
	return json_pack("{s:o, s:o, s:s, s:b, s:o, s:o, s:o}", "from", json_words(pair->from), "to",
			 json_words(pair->to), "shape", het__cal_shape_name(pair->shape), "kept", pair->kept,
			 "choices", json_choices(pair), "points", points, "barred", barred);
}

static json_t *json_device(const struct het__cal_device *d)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:b, s:o}", "name", json_words(d->name), "platform",
			 json_words(d->platform), "hardware", json_words(d->hardware), "driver",
			 json_words(d->driver), "id", json_words(d->id), "kept", d->kept, "figures",
			 figures_json(d));
}

bool report_json(const struct het__calibration *calibration, const char *path)
{
	json_t *devices = json_array(), *pairs = json_array();

	for (int i = 0; i < calibration->device_count; i++)
		json_add(&devices, json_device(&calibration->device[i]));
	for (int i = 0; i < calibration->pair_count; i++)
		json_add(&pairs, json_pair(&calibration->pair[i]));
	return json_print(json_pack("{s:o, s:o, s:o, s:o, s:o}", "file", json_words(path), "library",
				    json_words(calibration->library), "date", json_words(calibration->date),
				    "devices", devices, "pairs", pairs));
}

static json_t *json_route(const struct het__hop *hop, const struct het__route *route)
{
	const struct het__judgement judgement = het__route_judge(hop, route);

	switch (judgement.known) {
	case HET__KNOWN_BARRED:
		return json_pack("{s:s, s:s}", "route", route->name, "known",
				 het__route_known_name(judgement.known));
	case HET__KNOWN_BEHIND:
		return json_pack("{s:s, s:s, s:I}", "route", route->name, "known",
				 het__route_known_name(judgement.known), "measured_to_bytes",
				 (json_int_t)judgement.up_to_bytes);
	default:
		return json_pack("{s:s, s:s, s:f}", "route", route->name, "known",
				 het__route_known_name(judgement.known), "ns", judgement.ns);
	}
}

/* 0: the route's own default. */
static json_t *json_setting(uint64_t value)
{
	return value ? json_integer((json_int_t)value) : json_null();
}

static json_t *json_shape(const struct het__hop *hop, const char *shape)
{
	const struct het__route *const taken = het__route_choose(hop);
	const struct het__parts parts = het__route_parts(het__route_calibrated(hop), taken);
	json_t *routes = json_array();
	const struct het__route *route;

	for (size_t row = 0; (route = het__route_at(row)) != NULL; row++)
		if (route->applies(hop))
			json_add(&routes, json_route(hop, route));
	return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o}", "shape", shape, "taken", taken->name, "why",
			 het__route_why_words(het__route_why(hop, taken)), "chunk_bytes",
			 json_setting(parts.bytes), "depth", json_setting((uint64_t)parts.depth), "routes",
			 routes);
}

bool report_explained(const struct options *options, const struct het__hop *between)
{
	json_t *shapes = json_array();
	const bool same = between->from == between->to;
	struct het__hop hop = *between;

	for (int shape = 0; shape < HET__CAL_SHAPES && !same; shape++) {
		hop.strided = shape == HET__CAL_STRIDED;
		json_add(&shapes, json_shape(&hop, het__cal_shape_name((enum het__cal_shape)shape)));
	}
	return json_print(json_pack("{s:o, s:o, s:I, s:b, s:o}", "from", json_words(options->from), "to",
				    json_words(options->to), "bytes", (json_int_t)hop.bytes, "one_memory", same,
				    "shapes", shapes));
}

static json_t *json_planned(const struct planned *pair, enum het__cal_shape shape)
{
	json_t *routes = json_array();
	const char *name;

	for (int n = 0; (name = route_between(pair->from, pair->to, shape, n)) != NULL; n++)
		json_add(&routes, json_string(name));
	return json_pack("{s:o, s:o, s:s, s:o}", "from", json_words(het__memory_name(pair->from)), "to",
			 json_words(het__memory_name(pair->to)), "shape", het__cal_shape_name(shape), "routes",
			 routes);
}

bool report_planned(const struct memories *memories, const struct plan *plan)
{
	json_t *devices = json_array(), *pairs = json_array();
	struct planned pair = {.next = 0};

	for (int d = 0; d < het_device_count(memories->system); d++)
		if (is_planned_device(plan, het_device(memories->system, d)))
			json_add(&devices, json_words(het_device(memories->system, d)->name));
	while (next_planned(plan, memories, &pair))
		for (int s = 0; s < HET__CAL_SHAPES; s++)
			json_add(&pairs, json_planned(&pair, (enum het__cal_shape)s));
	return json_print(json_pack("{s:o, s:o}", "devices", devices, "pairs", pairs));
}

static json_t *json_gap(const struct gap *gap)
{
	if (gap->device)
		return json_pack("{s:o}", "device", json_words(gap->device));
	return json_pack("{s:o, s:o, s:s?}", "from", json_words(gap->from), "to", json_words(gap->to), "shape",
			 het__cal_shape_name(gap->shape));
}

bool report_checked(const struct verdict *v)
{
	const struct het__calibration *const c = v->calibration;
	json_t *gaps = json_array();

	for (int i = 0; i < v->gap_count; i++)
		json_add(&gaps, json_gap(&v->gap[i]));
	return json_print(json_pack(
		"{s:o, s:b, s:o, s:o, s:o, s:o, s:o}", "file", json_words(v->path[0] ? v->path : NULL), "fits",
		c && v->gap_count == 0, "reason", json_words(v->reason), "text",
		json_words(v->reason ? v->text : NULL), "library", json_words(c ? c->library : NULL), "date",
		json_words(c ? c->date : NULL), "not_measured", gaps));
}
#else
bool report_checked(const struct verdict *v)
{
	(void)v;
	return false;
}

bool report_explained(const struct options *options, const struct het__hop *between)
{
	(void)options;
	(void)between;
	return false;
}

bool report_planned(const struct memories *memories, const struct plan *plan)
{
	(void)memories;
	(void)plan;
	return false;
}

bool report_json(const struct het__calibration *calibration, const char *path)
{
	(void)calibration;
	(void)path;
	return false;
}
#endif
