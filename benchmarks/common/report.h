/* report.h - what was measured, printed as a table or as JSON. */
#ifndef COMMON_REPORT_H
#define COMMON_REPORT_H

#include <hetero.h>

#include "common/sample.h"

struct report;

/** A report that prints text lines as they come, or, with `json`, one object at its end. Ends the program when
 *  there is no memory. */
struct report *report_new(int json);

/** Whether it is JSON: who prints a table of his own prints it only where it is not. */
int report_is_json(const struct report *report);

/** Whether the program was built with jansson; when not, says so on stderr. */
int report_can_json(void);

/** What is measured, where and when: the library's version, the date, the processors, the system's devices. */
void report_about(struct report *report, het_system *system);

/** What the following rows belong to. `name` is for programs ("chain"), `title` for people. */
void report_section(struct report *report, const char *name, const char *title, ...)
	__attribute__((format(printf, 3, 4)));

/** One figure with its 95 % interval. */
void report_row(struct report *report, const char *what, struct estimate e, const char *unit);

/** One figure that is not an estimate: a count. */
void report_count(struct report *report, const char *what, double count, const char *unit);

/** A figure without an interval that is no count: seconds, percent. Text has one digit after its point. */
void report_value(struct report *report, const char *what, double value, const char *unit);

/** What is put behind the word for so many things: "" or "s". */
const char *report_plural(int count);

/** A word, or a whole number, about the section that is for programs only. */
void report_field(struct report *report, const char *name, const char *value);
void report_number_field(struct report *report, const char *name, int value);

/** Something said in words. */
void report_text(struct report *report, const char *what, const char *text);

/** Prints what is left to print and frees the report. */
void report_end(struct report *report);

#endif
