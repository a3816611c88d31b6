/* tool.h - what the command lines of hetero-calibrate, hetero-info and hetero-stepocl have in common. */
#ifndef HETERO_CALIBRATE_TOOL_H
#define HETERO_CALIBRATE_TOOL_H

#include <stdbool.h>

/** Of the program that is linked. */
extern const char program[], usage[];

/** Called first. Takes the number of a standard stream that is closed, so that no file that is opened later
 *  gets it, and with it what is said. The stream stays of no use. */
void hold_streams(void);

/** "PROGRAM: what: which" on stderr, and that --help lists the options; false. NULL: without it. */
bool wrong(const char *what, const char *which);

struct option;

/** The next option of a table without short ones, as getopt_long. What getopt says begins with the program's
 *  name, too, however it was called. */
int next_option(int argc, char **argv, const struct option *table);

/** *json_p: is the format JSON? False, with a line on stderr, when it is none or cannot be written. */
bool read_format(const char *format, bool *json_p);

/** Are these two names for one file, whether it is there or not? */
bool is_one_file(const char *a, const char *b);

/** What --help and --version print. */
void print_usage(void);
void print_version(void);

/** The exit status of a program that ended with `status`: a failure, with a line on stderr, where not all that
 *  it printed got out. */
int printed(int status);

#endif
