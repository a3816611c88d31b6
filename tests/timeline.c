/* timeline.c - the files of HETERO_TRACE, read by tests. */
#include "timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "platforms.h"

/* ---- the file ----------------------------------------------------------------------------------- */

char timeline_path[512];

void timeline_to(const char *name)
{
	snprintf(timeline_path, sizeof timeline_path, "%s", het_test_file(name, "not JSON at all"));
	setenv("HETERO_TRACE", timeline_path, 1);
}

json_t *timeline_load(void)
{
	json_error_t error;
	json_t *events = json_load_file(timeline_path, JSON_REJECT_DUPLICATES, &error);

	ck_assert_msg(events != NULL, "%s:%d: %s", timeline_path, error.line, error.text);
	ck_assert(json_is_array(events));
	return events;
}

const char *word(const json_t *event, const char *key)
{
	const char *text = json_string_value(json_object_get(event, key));

	return text ? text : "";
}

const json_t *args(const json_t *event)
{
	return json_object_get(event, "args");
}

double number(const json_t *event, const char *key)
{
	const json_t *value = json_object_get(event, key);

	ck_assert_msg(json_is_number(value), "no number %s", key);
	return json_number_value(value);
}

bool is(const json_t *event, const char *key, const char *wanted)
{
	return strcmp(word(event, key), wanted) == 0;
}

bool is_slice(const json_t *event, const char *category)
{
	return is(event, "ph", "X") && (!category || is(event, "cat", category));
}

int slices(const json_t *events, const char *category, const char *name)
{
	const json_t *event;
	size_t i;
	int count = 0;

	json_array_foreach(events, i, event)
		count += is_slice(event, category) && (!name || is(event, "name", name));
	return count;
}

/* The only slice of a category and name. */
const json_t *slice(const json_t *events, const char *category, const char *name)
{
	const json_t *event, *found = NULL;
	size_t i;

	ck_assert_msg(slices(events, category, name) == 1, "%d slices %s %s", slices(events, category, name),
		      category, name);
	json_array_foreach(events, i, event)
		if (is_slice(event, category) && is(event, "name", name))
			found = event;
	return found;
}

/* The name of the row that an event is in. */
const char *row_of(const json_t *events, const json_t *of)
{
	const json_t *event;
	const char *name = NULL;
	size_t i;

	json_array_foreach(events, i, event)
		if (is(event, "name", "thread_name") && number(event, "pid") == number(of, "pid") &&
		    number(event, "tid") == number(of, "tid")) {
			ck_assert_msg(!name, "row %s has two names", name);
			name = word(args(event), "name");
		}
	ck_assert_msg(name != NULL, "a row without a name");
	return name;
}

/* ---- what must hold of every file --------------------------------------------------------------- */

/* To the nanosecond, which is what the file has. */
bool not_after(double a, double b)
{
	return a < b + 1e-3;
}

static bool holds(const json_t *slice, const json_t *point)
{
	return number(slice, "pid") == number(point, "pid") && number(slice, "tid") == number(point, "tid") &&
	       not_after(number(slice, "ts"), number(point, "ts")) &&
	       not_after(number(point, "ts"), number(slice, "ts") + number(slice, "dur"));
}

static void check_arrow_end(const json_t *events, const json_t *point)
{
	const json_t *event;
	size_t i;

	json_array_foreach(events, i, event)
		if (is_slice(event, NULL) && !is(event, "cat", "wait") && holds(event, point))
			return;
	ck_abort_msg("an arrow ends nowhere");
}

void check_arrows(const json_t *events)
{
	const json_t *from, *to;
	size_t i, k;

	json_array_foreach(events, i, from) {
		int partners = 0;

		if (!is(from, "ph", "s") && !is(from, "ph", "f"))
			continue;
		check_arrow_end(events, from);
		json_array_foreach(events, k, to)
			if (!is(to, "ph", word(from, "ph")) && is(to, "cat", "flow") &&
			    number(to, "id") == number(from, "id")) {
				partners++;
				if (is(from, "ph", "s"))
					ck_assert(not_after(number(from, "ts"), number(to, "ts")));
			}
		ck_assert_int_eq(partners, 1);
	}
}

int most_arrows(const json_t *events)
{
	const json_t *slice, *to;
	size_t i, k;
	int most = 0;

	json_array_foreach(events, i, slice) {
		int arrows = 0;

		if (!is_slice(slice, NULL) || is(slice, "cat", "wait"))
			continue;
		json_array_foreach(events, k, to)
			arrows += is(to, "ph", "f") && number(to, "pid") == number(slice, "pid") &&
				  number(to, "tid") == number(slice, "tid") &&
				  number(to, "ts") == number(slice, "ts");
		most = arrows > most ? arrows : most;
	}
	return most;
}

/* Tasks of one row do not overlap, and each is there once. */
static void check_rows(const json_t *events)
{
	const json_t *a, *b;
	size_t i, k;

	json_array_foreach(events, i, a) {
		if (!is_slice(a, NULL))
			continue;
		ck_assert(number(a, "dur") >= 0);
		(void)row_of(events, a);
		if (is(a, "cat", "wait"))
			continue;
		json_array_foreach(events, k, b) {
			if (k <= i || !is_slice(b, NULL) || is(b, "cat", "wait") ||
			    number(a, "pid") != number(b, "pid"))
				continue;
			ck_assert_msg(number(args(a), "task") != number(args(b), "task"), "task %g twice",
				      number(args(a), "task"));
			if (number(a, "tid") != number(b, "tid") || number(a, "dur") == 0 ||
			    number(b, "dur") == 0)
				continue;
			ck_assert_msg(not_after(number(a, "ts") + number(a, "dur"), number(b, "ts")) ||
					      not_after(number(b, "ts") + number(b, "dur"), number(a, "ts")),
				      "%s and %s at once", word(a, "name"), word(b, "name"));
		}
	}
}

json_t *timeline_load_checked(void)
{
	json_t *events = timeline_load();

	check_rows(events);
	check_arrows(events);
	return events;
}
