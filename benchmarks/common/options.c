/* options.c - the command line of a benchmark. */

#include "common/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/number.h"
#include "common/report.h"
#include "printed.h"

#define ROUNDS 11 /* unless --rounds says how many */
#define SECONDS_MOST 9999

/* When the value of an option is not possible, the option's lines are printed: they say what is possible. */
static const char devices_help[] =
	"  --devices SELECTION  which devices (default: $HETERO_DEVICES, else every one)\n"
	"  --share on|off       whether devices may share the host's memory (default: $HETERO_SHARE, else "
	"on)\n";
static const char rounds_help[] =
	"  --rounds N           measured rounds, all versions by turns (" NUMBER_TEXT(ROUNDS) "; 1 to "
	NUMBER_TEXT(BENCH_ROUNDS_MOST) ")\n"
	"  --seconds N          fewer rounds, but six, where so many would take longer than N seconds\n"
	"                       (1 to " NUMBER_TEXT(SECONDS_MOST) ")\n"
	"  --verify             one round, not measured: is the result right?\n"
	"  --memory             also the most memory that a process with one version needs\n"
	"  --format text|json\n";

static void print_versions(FILE *to, const struct benchmark *b)
{
	fputs("  --version LIST       which versions, of:", to);
	for (const struct bench_version *const *v = b->versions; *v; v++)
		fprintf(to, " %s%s", (*v)->name, (*v)->optional ? " (only when named)" : "");
	if (b->local)
		fputs("\n                       " BENCH_LOCAL
		      " (copying without exchanges: results are wrong, the time is not)"
		      "\n                       " BENCH_UNSENT
		      " (the same, where devices wait for each other as before)",
		      to);
	fputs("\n                       " BENCH_ALONE
	      " (only when named: hetero on each device by itself)\n",
	      to);
}

static void print_help(const struct benchmark *b)
{
	printf("usage: %s [options]\n\n%s\n\n", b->name, b->purpose);
	printf("  --class NAME         how large: %s\n", b->classes);
	fputs(devices_help, stdout);
	print_versions(stdout, b);
	fputs(rounds_help, stdout);
	if (b->option_help)
		fputs(b->option_help, stdout);
	fputs("  --help               this text\n\n"
	      "Exit status: 0 good; 1 something failed or is wrong; 2 wrong usage; 77 not on these devices.\n",
	      stdout);
}

/* Where the lines begin that tell of an option. NULL: not in this help. */
static const char *lines_about(const char *help, const char *name)
{
	const size_t length = strlen(name);

	for (const char *line = help; line && *line; line = strchr(line, '\n') + 1)
		if (!strncmp(line, "  -", 3) && !strncmp(line + 2, name, length) && line[2 + length] == ' ')
			return line;
	return NULL;
}

/* Those lines: the first, and others that do not begin with an option. */
static void print_lines(FILE *to, const char *line)
{
	do {
		const char *const next = strchr(line, '\n') + 1;

		fwrite(line, 1, (size_t)(next - line), to);
		line = next;
	} while (*line && strncmp(line, "  -", 3) != 0);
}

static const char *help_about(const struct benchmark *b, const char *name)
{
	const char *const help[] = {devices_help, rounds_help, b->option_help};
	const char *found = NULL;

	for (size_t i = 0; i < sizeof help / sizeof *help && !found; i++)
		found = lines_about(help[i], name);
	return found;
}

/* Whether `word` is one of a list of words between `separator`s. */
static int is_listed(const char *list, char separator, const char *word, size_t length)
{
	while (list && *list) {
		const char *const end = strchr(list, separator);
		const size_t bytes = end ? (size_t)(end - list) : strlen(list);

		if (bytes == length && !memcmp(list, word, length))
			return 1;
		list = end ? end + 1 : NULL;
	}
	return 0;
}

static int is_version(const struct benchmark *b, const char *word, size_t length)
{
	if (is_listed(BENCH_ALONE, ',', word, length))
		return 1;
	if (b->local && is_listed(BENCH_LOCAL "," BENCH_UNSENT, ',', word, length))
		return 1;
	for (const struct bench_version *const *v = b->versions; *v; v++)
		if (strlen((*v)->name) == length && !memcmp((*v)->name, word, length))
			return 1;
	return 0;
}

static int are_versions(const struct benchmark *b, const char *list)
{
	for (const char *word = list; word;) {
		const char *const comma = strchr(word, ',');
		if (!is_version(b, word, comma ? (size_t)(comma - word) : strlen(word)))
			return 0;
		word = comma ? comma + 1 : NULL;
	}
	return 1;
}

static int set_word(struct bench_options *o, const struct benchmark *b, const char *name, const char *value)
{
	const int on = !strcmp(value, "on"), json = !strcmp(value, "json");

	if (!strcmp(name, "--class") && is_listed(b->classes, ' ', value, strlen(value)))
		o->class_name = value;
	else if (!strcmp(name, "--devices"))
		o->devices = value;
	else if (!strcmp(name, "--version") && are_versions(b, value))
		o->versions = value;
	else if (!strcmp(name, "--share") && (on || !strcmp(value, "off")))
		o->share = on ? HET_SHARE_PROVED : HET_SHARE_OFF;
	else if (!strcmp(name, "--format") && ((json && report_can_json()) || !strcmp(value, "text")))
		o->json = json;
	else
		return -1;
	return 0;
}

static int set_value(struct bench_options *o, const struct benchmark *b, const char *name, const char *value)
{
	if (!strcmp(name, "--rounds"))
		return number_read(value, 1, BENCH_ROUNDS_MOST, &o->rounds_given);
	if (!strcmp(name, "--seconds"))
		return number_read(value, 1, SECONDS_MOST, &o->seconds);
	if (b->option && !b->option(name, value)) {
		const size_t used = strlen(o->own);

		snprintf(o->own + used, sizeof o->own - used, " %s %s", name, value);
		return 0;
	}
	return set_word(o, b, name, value);
}

static int set_flag(struct bench_options *o, const char *name)
{
	if (!strcmp(name, "--verify"))
		o->only_verify = 1;
	else if (!strcmp(name, "--memory"))
		o->memory = 1;
	else
		return -1;
	return 0;
}

static int is_option(const struct benchmark *b, const char *name)
{
	return !strcmp(name, "--class") || !strcmp(name, "--version") || help_about(b, name);
}

static void end_by_usage(const char *name)
{
	fprintf(stderr, "%s --help lists the options\n", name);
	exit(EXIT_USAGE);
}

void bench_refuse(const char *benchmark, const char *option, const char *value, const char *why)
{
	fprintf(stderr, "%s: %s %s: %s\n", benchmark, option, value, why);
	end_by_usage(benchmark);
}

static void refuse_value(const struct benchmark *b, const char *name, const char *value)
{
	fprintf(stderr, "%s: %s %s is not possible:\n", b->name, name, value);
	if (!strcmp(name, "--version"))
		print_versions(stderr, b);
	else
		print_lines(stderr, help_about(b, name));
}

static void refuse(const struct benchmark *b, const char *name, const char *value)
{
	if (!strcmp(name, "--class") && value)
		fprintf(stderr, "%s: there is no class %s; there are: %s\n", b->name, value, b->classes);
	else if (!is_option(b, name))
		fprintf(stderr, "%s: there is no option %s\n", b->name, name);
	else if (!value || !*value)
		fprintf(stderr, "%s: %s: its value is missing\n", b->name, name);
	else
		refuse_value(b, name, value);
	end_by_usage(b->name);
}

static void choose_first_class(struct bench_options *o, const struct benchmark *b)
{
	snprintf(o->first_class, sizeof o->first_class, "%.*s", (int)strcspn(b->classes, " "), b->classes);
	o->class_name = o->first_class;
}

void bench_options_read(struct bench_options *o, const struct benchmark *b, int argc, char **argv)
{
	choose_first_class(o, b);
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--help")) {
			print_help(b);
			exit(printed(b->name, EXIT_SUCCESS));
		}
		if (!set_flag(o, argv[i]))
			continue;
		if (i + 1 == argc || set_value(o, b, argv[i], argv[i + 1]))
			refuse(b, argv[i], argv[i + 1]);
		i++;
	}
	o->rounds = o->only_verify ? 0 : o->rounds_given ? o->rounds_given : ROUNDS;
}

int bench_options_want(const struct bench_options *o, const char *version, int usually)
{
	return o->versions ? is_listed(o->versions, ',', version, strlen(version)) : usually;
}
