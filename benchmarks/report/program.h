/* program.h - running a program, which may print JSON. */
#ifndef REPORT_PROGRAM_H
#define REPORT_PROGRAM_H

#include <jansson.h>

/** Runs a program with its arguments, up to a NULL, and waits for it. Returns what it printed, or NULL where
 *  that is no JSON; `*status` is its exit status, or 128 and more when it was ended or could not run. */
json_t *program_json(const char *const *arguments, int *status);

/** The same of one whose output nobody reads: returns its exit status. */
int program_quietly(const char *const *arguments);

#endif
