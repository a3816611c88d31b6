/* wording.c - options, sources and messages as compilers take and give them. */
#include "kernel/wording.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* printf into memory of its own. */
static char *text_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

static char *text_of(const char *format, ...)
{
	va_list args;
	char *text;
	int length;

	va_start(args, format);
	length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	text = length < 0 ? NULL : het__alloc((size_t)length + 1);
	if (!text)
		return NULL;
	va_start(args, format);
	vsnprintf(text, (size_t)length + 1, format, args);
	va_end(args);
	return text;
}

char *het__options_given(const het_kernel *kernel, const het_device *device)
{
	const char *const more = kernel->device_options[device->index];

	return text_of("%s%s%s", kernel->options, *kernel->options && more ? " " : "", more ? more : "");
}

int het__pair_of(const het_device *device)
{
	int before = 0;

	if (!device->driver->pairs_only)
		return 0;
	for (int i = 0; i < device->index; i++)
		before += device->system->devices[i]->driver == device->driver;
	return before / 2;
}

/* A folder whose name has blanks is quoted: rusticl and Oclgrind understand that; PoCL knows no way to
 * write it, and will say that it does not find the file. */
char *het__options_whole(const het_kernel *kernel, const het_device *device, const char *given)
{
	const int pair = het__pair_of(device);
	char apart[32] = "";
	const char *const folder = kernel->facts.includes ? kernel->folder : NULL;
	const char *const quote = folder && strpbrk(folder, " \t") ? "\"" : "";

	if (pair)
		snprintf(apart, sizeof apart, " -DHETERO__PAIR=%d", pair);
	return text_of("%s%s-cl-kernel-arg-info%s%s%s%s%s", given, *given ? " " : "", apart,
		       folder ? " -I" : "", quote, folder ? folder : "", quote);
}

/* A part of a device has the name of the whole. PoCL has one code for both, but no rule says so. */
char *het__make_of(const het_device *device)
{
	return text_of("%s, %u units", device->hardware, (unsigned)device->facts.compute_units);
}

char *het__head_of_log(const het_kernel *kernel, const het_device *device, const char *given)
{
	if (*given == '\0')
		return text_of("%s does not build for %s", kernel->title, device->name);
	return text_of("%s does not build for %s with options \"%s\"", kernel->title, device->name, given);
}

static const char *name_of(const het_kernel *kernel)
{
	return kernel->path ? kernel->path : kernel->name;
}

/* In quotes, as C has them. Writes at most twice what it reads. */
static char *put_quoted(char *to, const char *text)
{
	*to++ = '"';
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			*to++ = '\\';
		*to++ = *text == '\n' ? ' ' : *text;
	}
	*to++ = '"';
	return to;
}

/* What put_line writes, and a final 0. */
static size_t line_room(const char *name)
{
	return 2 * strlen(name) + sizeof("\n#line 18446744073709551615 \"\"\n");
}

/* The next line is number `line` of a file. */
static char *put_line(char *to, unsigned long line, const char *name)
{
	to += sprintf(to, "#line %lu ", line);
	return stpcpy(put_quoted(to, name), "\n");
}

static size_t named_source_room(const het_kernel *kernel)
{
	size_t room = strlen(kernel->source) + line_room(name_of(kernel));
	const char *at = kernel->source;
	struct het__include include;

	while (kernel->facts.prelude && het__source_next_prelude(&at, &include))
		room += strlen(het__prelude) + line_room(HET__PRELUDE_NAME) + line_room(name_of(kernel));
	return room;
}

/* How many lines end in [from, to). */
static unsigned long lines_in(const char *from, const char *to)
{
	unsigned long lines = 0;

	while ((from = memchr(from, '\n', (size_t)(to - from)))) {
		lines++;
		from++;
	}
	return lines;
}

char *het__source_named(const het_kernel *kernel)
{
	const char *const name = name_of(kernel);
	const char *rest = kernel->source, *at = rest;
	char *const text = het__alloc(named_source_room(kernel));
	struct het__include include;
	unsigned long line = 1;
	char *to = text;

	if (!text)
		return NULL;
	to = put_line(to, line, name);
	while (kernel->facts.prelude && het__source_next_prelude(&at, &include)) {
		to = mempcpy(to, rest, (size_t)(include.begin - rest));
		*to++ = '\n';
		to = stpcpy(put_line(to, 1, HET__PRELUDE_NAME), het__prelude);
		line += lines_in(rest, include.end);
		to = put_line(to, line, name);
		rest = include.end;
	}
	stpcpy(to, rest);
	return text;
}

static const char alias[] = "input.cl:";

/* A line of a file. */
struct place {
	const char *name;
	unsigned long line;
};

/* What line number `count` of a text from het__source_named is. */
static struct place place_of(const het_kernel *kernel, const char *text, unsigned long count)
{
	static const char prelude[] = " \"" HET__PRELUDE_NAME "\"\n";
	struct place place = {name_of(kernel), 0};

	for (unsigned long i = 1; i < count && *text; i++) {
		char *end;

		place.line++;
		if (strncmp(text, "#line ", 6) == 0) {
			place.line = strtoul(text + 6, &end, 10) - 1;
			place.name = strncmp(end, prelude, sizeof(prelude) - 1) ? name_of(kernel)
									      : HET__PRELUDE_NAME;
		}
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	place.line++;
	return place;
}

/* The room that the log takes with each alias as a name and a number. */
static size_t named_log_room(const char *log, const char *name)
{
	size_t room = strlen(log) + 1;

	for (const char *hit = log; (hit = strstr(hit, alias)); hit += strlen(alias))
		room += strlen(name) + sizeof(HET__PRELUDE_NAME ":18446744073709551615");
	return room;
}

char *het__log_named(const het_kernel *kernel, const char *log)
{
	char *const source = het__source_named(kernel);
	char *const text = source ? het__alloc(named_log_room(log, name_of(kernel))) : NULL;
	char *at = text;
	const char *hit;

	while (text && (hit = strstr(log, alias))) {
		char *end;
		const struct place place = place_of(kernel, source, strtoul(hit + strlen(alias), &end, 10));

		at = mempcpy(at, log, (size_t)(hit - log));
		at += sprintf(at, "%s:%lu", place.name, place.line);
		log = end;
	}
	if (text)
		stpcpy(at, log);
	het__free(source);
	return text;
}
