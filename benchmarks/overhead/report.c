/* report.c - text at once, JSON at the end. */

#include "overhead/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef HAVE_JSON
#include <jansson.h>
#endif

struct report {
	int json;
#ifdef HAVE_JSON
	json_t *sections, *rows; /* rows: of the last section, borrowed */
#endif
};

static void check(int good)
{
	if (good)
		return;
	fputs("no memory for the report\n", stderr);
	exit(EXIT_FAILURE);
}

int report_can_json(void)
{
#ifdef HAVE_JSON
	return 1;
#else
	fputs("built without jansson: no JSON\n", stderr);
	return 0;
#endif
}

struct report *report_new(int json)
{
	struct report *const report = calloc(1, sizeof *report);

	check(report != NULL);
	report->json = json;
#ifdef HAVE_JSON
	report->sections = json_array();
	check(report->sections != NULL);
#endif
	return report;
}

#ifdef HAVE_JSON

static void json_section(struct report *report, const char *name, const char *title)
{
	report->rows = json_array();
	check(json_array_append_new(report->sections, json_pack("{s:s, s:s, s:o}", "name", name, "title", title,
								"rows", report->rows)) == 0);
}

static void json_row(struct report *report, json_t *row)
{
	check(json_array_append_new(report->rows, row) == 0);
}

static void json_end(struct report *report)
{
	json_t *const whole = json_pack("{s:o}", "overhead", report->sections);

	check(whole && json_dumpf(whole, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) == 0);
	putchar('\n');
	json_decref(whole);
}

#endif

void report_section(struct report *report, const char *name, const char *title, ...)
{
	char text[256];
	va_list args;

	va_start(args, title);
	vsnprintf(text, sizeof text, title, args);
	va_end(args);
	if (!report->json)
		printf("%s:\n", text);
#ifdef HAVE_JSON
	else
		json_section(report, name, text);
#else
	(void)name;
#endif
}

void report_row(struct report *report, const char *what, struct estimate e, const char *unit)
{
	if (!report->json) {
		printf("  %-44s %9.3f %-3s  [%.3f, %.3f]\n", what, e.median, unit, e.low, e.high);
		fflush(stdout);
	}
#ifdef HAVE_JSON
	else
		json_row(report, json_pack("{s:s, s:s, s:f, s:f, s:f}", "what", what, "unit", unit, "median",
					   e.median, "low", e.low, "high", e.high));
#endif
}

void report_count(struct report *report, const char *what, double count, const char *unit)
{
	if (!report->json)
		printf("  %-44s %9.0f %s\n", what, count, unit);
#ifdef HAVE_JSON
	else
		json_row(report, json_pack("{s:s, s:s, s:f}", "what", what, "unit", unit, "count", count));
#endif
}

void report_end(struct report *report)
{
#ifdef HAVE_JSON
	if (report->json)
		json_end(report);
	else
		json_decref(report->sections);
#endif
	free(report);
}
