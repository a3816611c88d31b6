/* timeline.h - the files of HETERO_TRACE, read by tests.
 *
 * Among the events are slices - tasks, transfers and waits, each with a beginning and a duration - in rows, and
 * arrows between them. Whatever is not as it should be fails the test.
 */
#ifndef HETERO_TESTS_TIMELINE_H
#define HETERO_TESTS_TIMELINE_H

#include <stdbool.h>

#include <jansson.h>

/** The file that timeline_to named last. */
extern char timeline_path[512];

/** $HETERO_TRACE names a file of the test's folder, where there is rubbish. */
void timeline_to(const char *name);
/** All events of the file. The caller releases them. */
json_t *timeline_load(void);
/** The same, of a file that is complete: what must hold of every one was checked. */
json_t *timeline_load_checked(void);
/** The most arrows that lead to one slice. */
int most_arrows(const json_t *events);
/** Every arrow has two ends, in slices, the second not before the first. */
void check_arrows(const json_t *events);

/* one event */
const char *word(const json_t *event, const char *key); /* "" where there is none */
const json_t *args(const json_t *event);
double number(const json_t *event, const char *key);
bool is(const json_t *event, const char *key, const char *wanted);
bool is_slice(const json_t *event, const char *category); /* NULL: of any category */
/** To the nanosecond, which is what the file has. */
bool not_after(double a, double b);

/* slices; `name` NULL: of any name */
int slices(const json_t *events, const char *category, const char *name);
const json_t *slice(const json_t *events, const char *category, const char *name); /* the only one */
/** The name of the row that an event is in. */
const char *row_of(const json_t *events, const json_t *of);

#endif
