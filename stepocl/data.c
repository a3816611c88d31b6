/* data.c - see data.h. */
#include "data.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "calibrate/tool.h"

static bool failed(const char *path, const char *why)
{
	fprintf(stderr, "%s: %s: %s\n", program, path, why);
	return false;
}

/* ---- the command line ------------------------------------------------------------------------ */

static bool given_twice(const struct argument *argument, const struct wish *wish)
{
	return wrong_wish(wish, "the data of '%s' are given twice", argument->name);
}

/* Are all elements numbers of their type? They lie between those of two corners, added up as slope() does. */
static bool stays_finite(const struct argument *argument, const struct datum *datum)
{
	double least = datum->base, most = datum->base;

	for (int d = 0; d < argument->rank; d++) {
		const double last = datum->step[d] * (double)(argument->size[d] - 1);
		least += last < 0 ? last : 0;
		most += last > 0 ? last : 0;
	}
	if (argument->type->het == HET_FLOAT)
		return isfinite((float)least) && isfinite((float)most);
	return isfinite(least) && isfinite(most);
}

/* VALUE:STEPX...: no more steps than dimensions. */
static bool read_slope(const struct argument *argument, const struct wish *wish, struct datum *datum)
{
	const char *at = wish->text;
	char *end;

	datum->base = strtod(at, &end);
	for (int d = 0; end != at && *end == ':' && d < argument->rank; d++) {
		at = end + 1;
		datum->step[d] = strtod(at, &end);
		if (!isfinite(datum->step[d]))
			return wrong_wish(wish, "a step is a number");
	}
	if (end == at || *end || !isfinite(datum->base))
		return wrong_wish(wish, "it is VALUE:STEPX, and a step for each further dimension of '%s'",
				  argument->name);
	if (argument->type->numbers != OF_REALS)
		return wrong_wish(wish, "steps are for float and double; '%s' is of type %s", argument->name,
				  argument->type->name);
	datum->sloped = stays_finite(argument, datum);
	return datum->sloped || wrong_wish(wish, "the elements of '%s' would not all be numbers of type %s",
					   argument->name, argument->type->name);
}

static bool fill(const struct argument *argument, const struct wish *wish, struct datum *datum)
{
	if (datum->in || datum->given || datum->sloped)
		return given_twice(argument, wish);
	if (argument->is_memory && strchr(wish->text, ':'))
		return read_slope(argument, wish, datum);
	datum->given = type_value(argument->type, wish->text, datum->value.byte);
	return datum->given || wrong_wish(wish, "'%s' is no number of the type of '%s', %s", wish->text,
					  argument->name, argument->type->name);
}

static bool load_or_save(const struct argument *argument, const struct wish *wish, struct datum *datum)
{
	if (wish->kind == IN && (datum->in || datum->given || datum->sloped))
		return given_twice(argument, wish);
	if (wish->kind == OUT && datum->out)
		return wrong_wish(wish, "'%s' is written twice", argument->name);
	if (wish->kind == IN)
		datum->in = wish->text;
	else
		datum->out = wish->text;
	return true;
}

enum { LIST_ROOM = MOST_ARGUMENTS * (NAME_ROOM + 2) };

/* The names of all arguments, or of the arrays. */
static const char *listed(const struct description *description, bool arrays, char list[LIST_ROOM])
{
	size_t length = 0;

	for (int i = 0; i < description->arguments; i++)
		if (!arrays || description->argument[i].is_memory)
			length += (size_t)snprintf(list + length, LIST_ROOM - length, "%s%s",
						   length ? ", " : "", description->argument[i].name);
	return list;
}

static bool grant(const struct description *description, const struct wish *wish, struct datum *data)
{
	const int length = (int)strcspn(wish->given, "=");
	char name[NAME_ROOM + 1], list[LIST_ROOM]; /* what is too long for a name is none */
	const struct argument *argument;
	int i;

	snprintf(name, sizeof name, "%.*s", length, wish->given);
	i = description_argument(description, name);
	if (i < 0)
		return wrong_wish(wish, "there is no argument '%.*s', but %s", length, wish->given,
				  listed(description, false, list));
	argument = &description->argument[i];
	if (wish->kind == FILL)
		return fill(argument, wish, &data[i]);
	if (!argument->is_memory)
		return wrong_wish(wish, "'%s' is a number and has no file; the arrays are %s", argument->name,
				  listed(description, true, list));
	return load_or_save(argument, wish, &data[i]);
}

static bool is_standard_output(const char *path)
{
	return path && strcmp(path, STANDARD_OUTPUT) == 0;
}

static bool is_standard_input(const char *path)
{
	return path && strcmp(path, STANDARD_INPUT) == 0;
}

/* Standard input and output may be one terminal: nothing is written over. */
static bool is_terminal(const char *out, const char *in)
{
	return is_standard_output(out) && is_standard_input(in) && isatty(STDOUT_FILENO);
}

/* Two arrays must not be written to one file, nor one over the file that another one is read from, which would
 * be gone. An array may be written over its own. */
static bool are_apart(const struct description *description, const struct datum *data)
{
	for (int i = 0; i < description->arguments; i++)
		for (int j = 0; is_standard_input(data[i].in) && j < i; j++)
			if (is_standard_input(data[j].in))
				return wrong("two arrays would be read from standard input", NULL);
	for (int i = 0; i < description->arguments; i++)
		for (int j = 0; data[i].out && j < description->arguments; j++) {
			if (j < i && data[j].out && is_one_file(data[i].out, data[j].out))
				return wrong("two arrays would be written to the same file", data[i].out);
			if (j != i && data[j].in && !is_terminal(data[i].out, data[j].in) &&
			    is_one_file(data[i].out, data[j].in))
				return wrong("--out: a result would be written over another array's data",
					     data[i].out);
		}
	return true;
}

/* The text that --emit-c writes, or what the command compiles that to: the name without .c. */
static bool is_program(const struct options *options, const char *path)
{
	const size_t length = strlen(options->program) - strlen(".c");
	char compiled[PATH_MAX];

	snprintf(compiled, sizeof compiled, "%.*s", (int)length, options->program);
	return is_one_file(options->program, path) || is_one_file(compiled, path);
}

static bool is_spared(const char *source, const struct options *options, const struct description *description,
		      const struct datum *data)
{
	if (options->program && is_program(options, source))
		return wrong("--emit-c: the program would be written over", source);
	for (int i = 0; i < description->arguments; i++)
		if (data[i].out && is_one_file(data[i].out, source))
			return wrong("--out: a result would be written over", source);
	return true;
}

static bool is_used(const char *path, const struct options *options, const char *kernel,
		    const struct description *description, const struct datum *data)
{
	if (is_program(options, path) || is_one_file(path, options->description) || is_one_file(path, kernel))
		return true;
	for (int i = 0; i < description->arguments; i++)
		if ((data[i].in && is_one_file(path, data[i].in)) ||
		    (data[i].out && is_one_file(path, data[i].out)))
			return true;
	return false;
}

/* The program that is emitted first writes a result to FILE.new, over nothing (emit.c): is that name free? */
static bool has_room(const char *out, const struct options *options, const char *kernel,
		     const struct description *description, const struct datum *data)
{
	char fresh[PATH_MAX];
	struct stat is;

	if (lstat(out, &is) == 0 && !S_ISREG(is.st_mode)) /* a link, a pipe: it is written itself */
		return true;
	snprintf(fresh, sizeof fresh, "%s.new", out);
	if (!is_used(fresh, options, kernel, description, data))
		return true;
	fprintf(stderr, "%s: --emit-c: the program would first make %s as %s, which is used already\n", program,
		out, fresh);
	return wrong(NULL, NULL);
}

bool data_spare(const struct options *options, const char *kernel, const struct description *description,
		const struct datum *data)
{
	if (!is_spared(options->description, options, description, data) ||
	    !is_spared(kernel, options, description, data))
		return false;
	for (int i = 0; options->program && i < description->arguments; i++) {
		if (data[i].in && is_program(options, data[i].in))
			return wrong("--emit-c: the program would be written over", data[i].in);
		if (is_standard_output(data[i].out))
			return wrong("--emit-c: the program prints its report on standard output: --out needs "
				     "a file",
				     NULL);
		if (data[i].out && is_program(options, data[i].out))
			return wrong("--emit-c: the program would write a result over itself", data[i].out);
		if (data[i].out && !has_room(data[i].out, options, kernel, description, data))
			return false;
	}
	return true;
}

/* Settles an argument that no option gives. The caller tells of --help, after all that is missing. */
static bool complete(const struct description *description, int i, struct datum *datum)
{
	const struct argument *const argument = &description->argument[i];

	if (datum->in || datum->given || datum->sloped)
		return true;
	if (!argument->is_memory && *argument->value)
		return datum->given = type_value(argument->type, argument->value, datum->value.byte);
	if (argument->property == OUTPUT) {
		datum->copied = description->successor >= 0;
		return true;
	}
	fprintf(stderr, "%s: no %s: %s\n", program,
		argument->is_memory ? "data for an input: --in NAME=FILE or --fill NAME=VALUE"
				    : "value for a number: --fill NAME=VALUE",
		argument->name);
	return false;
}

bool data_named(const struct options *options, const struct description *description, struct datum *data)
{
	memset(data, 0, (size_t)description->arguments * sizeof *data);
	for (int w = 0; w < options->wishes; w++)
		if (!grant(description, &options->wish[w], data))
			return false;
	return true;
}

bool data_resolve(const struct options *options, const struct description *description, struct datum *data)
{
	bool all = true;

	if (!data_named(options, description, data))
		return false;
	for (int i = 0; i < description->arguments; i++)
		all &= complete(description, i, &data[i]);
	return all ? are_apart(description, data) : wrong(NULL, NULL);
}

bool data_may_write(const struct description *description, const struct datum *data)
{
	for (int i = 0; i < description->arguments; i++)
		if (data[i].out && !het__file_may_replace(data[i].out))
			return failed(data[i].out, strerror(errno));
	return true;
}

/* Standard output as it was, where elements go there. */
static int kept = -1;

bool data_keep_output(const struct description *description, const struct datum *data)
{
	for (int i = 0; i < description->arguments; i++) {
		if (!is_standard_output(data[i].out))
			continue;
		kept = dup(STDOUT_FILENO);
		if (kept < 0 || fflush(stdout) || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
			return failed(data[i].out, strerror(errno));
	}
	return true;
}

/* ---- elements -------------------------------------------------------------------------------- */

static size_t bytes_of(const struct argument *argument)
{
	return (size_t)argument_elements(argument) * HET_TYPE_BYTES(argument->type->het);
}

/* The program that --emit-c writes calculates the same, in the same order. */
static void slope(const struct argument *argument, const struct datum *datum, void *memory)
{
	const int64_t elements = argument_elements(argument);

	for (int64_t i = 0; i < elements; i++) {
		double value = datum->base;
		int64_t rest = i;
		for (int d = 0; d < argument->rank; d++) {
			value += datum->step[d] * (double)(rest % argument->size[d]);
			rest /= argument->size[d];
		}
		if (argument->type->het == HET_FLOAT)
			((float *)memory)[i] = (float)value;
		else
			((double *)memory)[i] = value;
	}
}

bool data_load(const struct argument *argument, const struct datum *datum, void *memory)
{
	const size_t bytes = bytes_of(argument);
	FILE *file;
	size_t got;
	char why[128];

	if (datum->sloped) {
		slope(argument, datum, memory);
		return true;
	}
	file = fopen(datum->in, "rb");
	if (!file)
		return failed(datum->in, strerror(errno));
	got = fread(memory, 1, bytes, file);
	if (ferror(file)) {
		failed(datum->in, strerror(errno));
		fclose(file);
		return false;
	}
	if (got == bytes && getc(file) == EOF) {
		fclose(file);
		return true;
	}
	fclose(file);
	snprintf(why, sizeof why, "it has %s bytes than the %zu of '%s'", got < bytes ? "fewer" : "more", bytes,
		 argument->name);
	return failed(datum->in, why);
}

bool data_save(const struct argument *argument, const struct datum *datum, const void *memory)
{
	const size_t bytes = bytes_of(argument);
	const bool saved = is_standard_output(datum->out)
				   ? het__file_write(kept, memory, bytes, -1) && close(kept) == 0
				   : het__file_replace(datum->out, memory, bytes);

	return saved || failed(datum->out, strerror(errno));
}
