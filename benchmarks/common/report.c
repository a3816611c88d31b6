/* report.c - text at once, JSON at the end. */

#include "common/report.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#ifdef HAVE_JSON
#include <jansson.h>
#endif

#include "base/utf8.h"
#include "must.h"

struct report {
	int json;
#ifdef HAVE_JSON
	json_t *about, *sections, *section, *rows; /* the last two: of the last section, borrowed */
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

int report_is_json(const struct report *report)
{
	return report->json;
}

struct report *report_new(int json)
{
	struct report *const report = calloc(1, sizeof *report);

	check(report != NULL);
	report->json = json;
#ifdef HAVE_JSON
	report->about = json_object();
	report->sections = json_array();
	check(report->about && report->sections);
#endif
	return report;
}

#ifdef HAVE_JSON

/* Files that the user names need not be UTF-8. */
static json_t *json_words(const char *text)
{
	char clean[4096];

	return json_string(het__utf8_clean(clean, sizeof clean, text));
}

/* null for what is no number: a ratio to nothing. */
static json_t *json_figure(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static void json_section(struct report *report, const char *name, const char *title)
{
	report->rows = json_array();
	report->section = json_pack("{s:s, s:o, s:o}", "name", name, "title", json_words(title), "rows",
				    report->rows);
	check(json_array_append_new(report->sections, report->section) == 0);
}

static void json_row(struct report *report, json_t *row)
{
	check(json_array_append_new(report->rows, row) == 0);
}

/* Whole numbers as integers, so that none of a count's digits is lost. */
static json_t *json_count(double count)
{
	return count > floor(count) || !(fabs(count) <= 1e15) ? json_figure(count)
							      : json_integer((json_int_t)count);
}

static void json_end(struct report *report)
{
	json_t *const whole = json_pack("{s:o, s:o}", "about", report->about, "sections", report->sections);

	check(whole && (json_dumpf(whole, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(12)) == 0 ||
			ferror(stdout))); /* that is said when the program ends */
	putchar('\n');
	json_decref(whole);
}

static void json_device(struct report *report, const struct het_device_info *info)
{
	json_t *const devices = json_object_get(report->about, "devices");

	check(json_array_append_new(devices, json_pack("{s:s, s:s, s:s, s:s}", "name", info->name, "hardware",
						       info->hardware, "platform", info->platform, "driver",
						       info->driver)) == 0);
}

static void json_about(struct report *report, const char *date, long processors)
{
	json_t *const about = json_pack("{s:s, s:s, s:i, s:[]}", "hetero", het_version(), "date", date,
					"processors", (int)processors, "devices");

	check(about && json_object_update(report->about, about) == 0);
	json_decref(about);
}

#endif

static void about_device(struct report *report, het_device *device)
{
	struct het_device_info info = HET_DEVICE_INFO_INIT;

	must(het_device_info(device, &info));
	if (!report->json)
		printf("  %s: %s, %s, driver %s\n", info.name, info.hardware, info.platform, info.driver);
#ifdef HAVE_JSON
	else
		json_device(report, &info);
#endif
}

void report_about(struct report *report, het_system *system)
{
	const time_t now = time(NULL);
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);
	char date[32] = "";
	struct tm utc;

	if (gmtime_r(&now, &utc))
		strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
	if (!report->json)
		printf("Hetero %s, %s, %ld processors:\n", het_version(), date, processors);
#ifdef HAVE_JSON
	else
		json_about(report, date, processors);
#endif
	for (int i = 0; i < het_device_count(system); i++)
		about_device(report, het_device(system, i));
}

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
		printf(fabs(e.median) < 0.1 ? "  %-44s %9.3g %-3s  [%.3g, %.3g]\n"
				      : "  %-44s %9.3f %-3s  [%.3f, %.3f]\n",
		       what, e.median, unit, e.low, e.high);
		fflush(stdout);
	}
#ifdef HAVE_JSON
	else
		json_row(report, json_pack("{s:s, s:s, s:o, s:o, s:o}", "what", what, "unit", unit, "median",
					   json_figure(e.median), "low", json_figure(e.low), "high",
					   json_figure(e.high)));
#endif
}

void report_count(struct report *report, const char *what, double count, const char *unit)
{
	if (!report->json)
		printf("  %-44s %9.0f %s\n", what, count, unit);
#ifdef HAVE_JSON
	else
		json_row(report,
			 json_pack("{s:s, s:s, s:o}", "what", what, "unit", unit, "count", json_count(count)));
#endif
}

void report_value(struct report *report, const char *what, double value, const char *unit)
{
	if (!report->json)
		printf("  %-44s %9.1f %s\n", what, value, unit);
#ifdef HAVE_JSON
	else
		json_row(report, json_pack("{s:s, s:s, s:o}", "what", what, "unit", unit, "value",
					   json_figure(value)));
#endif
}

const char *report_plural(int count)
{
	return count == 1 ? "" : "s";
}

void report_field(struct report *report, const char *name, const char *value)
{
#ifdef HAVE_JSON
	if (report->json)
		check(json_object_set_new(report->section, name, json_words(value)) == 0);
#else
	(void)report, (void)name, (void)value;
#endif
}

void report_number_field(struct report *report, const char *name, int value)
{
#ifdef HAVE_JSON
	if (report->json)
		check(json_object_set_new(report->section, name, json_integer(value)) == 0);
#else
	(void)report, (void)name, (void)value;
#endif
}

void report_text(struct report *report, const char *what, const char *text)
{
	if (!report->json)
		printf("  %-44s %s\n", what, text);
#ifdef HAVE_JSON
	else
		json_row(report, json_pack("{s:s, s:o}", "what", what, "text", json_words(text)));
#endif
}

void report_end(struct report *report)
{
#ifdef HAVE_JSON
	if (report->json) {
		json_end(report);
	} else {
		json_decref(report->about);
		json_decref(report->sections);
	}
#endif
	free(report);
}
