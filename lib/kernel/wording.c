/* wording.c - options, sources and messages as compilers take and give them. */
#include "kernel/wording.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "system/seat.h"

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

/* A folder whose name has blanks is quoted: rusticl and Oclgrind understand that; PoCL knows no way to
 * write it, and will say that it does not find the file. */
char *het__options_whole(const het_kernel *kernel, const het_device *device, const char *given)
{
	char seat[HET__SEAT_BYTES];
	const char *const folder = kernel->facts.includes ? kernel->folder : NULL;
	const char *const quote = folder && strpbrk(folder, " \t") ? "\"" : "";

	het__seat_option(device, seat);
	return text_of("%s%s-cl-kernel-arg-info%s%s%s%s%s%s", given, *given ? " " : "", *seat ? " " : "", seat,
		       folder ? " -I" : "", quote, folder ? folder : "", quote);
}

/* By getenv, as the driver reads it, whatever the program's privileges are. */
char *het__options_of_driver(const het_device *device)
{
	const char *const variable = device->driver->options_from;
	const char *const value = variable ? getenv(variable) : NULL;

	return text_of("%s", value ? value : "");
}

/* With the units: a part of a device has the name of the whole. PoCL has one code for both, but by no rule. */
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
		*to++ = *text == '\n' || *text == '\r' ? ' ' : *text;
	}
	*to++ = '"';
	return to;
}

/* What put_line writes, and a final 0. */
static size_t line_room(const char *name)
{
	return 2 * strlen(name) + sizeof("#line 1 \"\"\n");
}

/* The next line is a file's first. */
static char *put_line(char *to, const char *name)
{
	return stpcpy(put_quoted(stpcpy(to, "#line 1 "), name), "\n");
}

static size_t named_source_room(const het_kernel *kernel)
{
	const size_t room = strlen(kernel->source) + line_room(name_of(kernel));

	return kernel->facts.prelude ? room + strlen(het__prelude) + line_room(HET__PRELUDE_NAME) : room;
}

/* Only what ends the lines of [from, end). */
static char *put_newlines(char *to, const char *from, const char *end)
{
	for (; from < end; from++)
		if (*from == '\n' || *from == '\r')
			*to++ = *from;
	return to;
}

/* The prelude stands in front of the text, not where the text asks for it: there it may be in a group that is
 * not compiled (#if 0), and a #line behind it would be skipped with it. In front, the text's lines are
 * counted from 1 whatever the preprocessor leaves out. Nothing has to come before the prelude: it reads no
 * macro of the text's, and what it defines begins with het_ or HET_; a text that does not get to its #include
 * and defines the same macros itself has its own from there on. */
char *het__source_named(const het_kernel *kernel)
{
	const char *const name = name_of(kernel);
	const char *rest = kernel->source, *at = rest;
	char *const text = het__alloc(named_source_room(kernel));
	struct het__include include;
	char *to = text;

	if (!text)
		return NULL;
	if (kernel->facts.prelude)
		to = stpcpy(put_line(to, HET__PRELUDE_NAME), het__prelude);
	to = put_line(to, name);
	while (kernel->facts.prelude && het__source_next_prelude(&at, &include)) {
		to = mempcpy(to, rest, (size_t)(include.begin - rest));
		to = put_newlines(to, include.begin, include.end);
		rest = include.end;
	}
	stpcpy(to, rest);
	return text;
}

/* A line of a file. */
struct place {
	const char *name;
	unsigned long line;
};

/* The lines of the prelude. */
static unsigned long prelude_lines(void)
{
	unsigned long lines = 0;

	for (const char *at = het__prelude; (at = strchr(at, '\n')); at++)
		lines++;
	return lines;
}

/* What line number `count` of a text from het__source_named is: each of its two parts is behind a #line. */
static struct place place_of(const het_kernel *kernel, unsigned long count)
{
	const unsigned long before = kernel->facts.prelude ? prelude_lines() + 2 : 1;

	if (count > before)
		return (struct place){name_of(kernel), count - before};
	if (kernel->facts.prelude && count > 1)
		return (struct place){HET__PRELUDE_NAME, count - 1};
	return (struct place){name_of(kernel), 1};
}

/* The room that the log takes with each source_name as a name and a number. */
static size_t named_log_room(const char *log, const char *source_name, const char *name)
{
	size_t room = strlen(log) + 1;

	for (const char *hit = log; (hit = strstr(hit, source_name)); hit += strlen(source_name))
		room += strlen(name) + sizeof(HET__PRELUDE_NAME ":18446744073709551615");
	return room;
}

char *het__log_named(const het_kernel *kernel, const char *source_name, const char *log)
{
	char *const text = het__alloc(named_log_room(log, source_name, name_of(kernel)));
	char *at = text;
	const char *hit;

	while (text && (hit = strstr(log, source_name))) {
		char *end;
		const struct place place = place_of(kernel, strtoul(hit + strlen(source_name), &end, 10));

		at = mempcpy(at, log, (size_t)(hit - log));
		at += sprintf(at, "%s:%lu", place.name, place.line);
		log = end;
	}
	if (text)
		stpcpy(at, log);
	return text;
}

void het__log_warnings(const het_kernel *kernel, const het_device *device, cl_program program)
{
	const char *const source_name = device->driver->source_name;
	struct het__logger *const logger = kernel->system->logger;
	char *said, *named = NULL;

	if (!het__log_wants(logger, HET_LOG_INFO, "kernel"))
		return;
	said = het__cl_program_log(program, device->id);
	if (said && said[strspn(said, " \t\r\n")]) {
		if (source_name)
			named = het__log_named(kernel, source_name, said);
		het__log(logger, HET_LOG_INFO, "kernel", "%s for %s: the compiler says:\n%s", kernel->title,
			 device->name, named ? named : said);
	}
	het__free(named);
	het__free(said);
}

/* Looks only behind "error:" in its line: the lines below show what stands around the error. */
bool het__log_has_double(const char *log)
{
	for (const char *error = log; (error = strstr(error, "error:")); error++)
		if (het__source_says_double(error, error + strcspn(error, "\n")))
			return true;
	return false;
}

/* ---- what a text was perhaps meant to be -------------------------------------------------------- */

static bool hint_at_prelude(const het_kernel *kernel)
{
	const bool has_all = !kernel->source || kernel->facts.prelude || kernel->facts.includes;
	const char *const word = has_all ? NULL : het__source_prelude_word(kernel->source);
	char text[96];

	if (!word)
		return false;
	snprintf(text, sizeof text, "\n(%s %s of het.clh: the text has no #include \"het.clh\")", word,
		 strchr(word, ' ') ? "are" : "is");
	het__fail_more(text);
	return true;
}

/* The next HET_WINDOW(type, name) of a text, from *at on, which goes behind its comma: where the name is, and
 * how long. NULL: there is none. A type has no parentheses with commas in them. */
static const char *next_window(const char **at, int *length_p)
{
	const char *window = strstr(*at, "HET_WINDOW("), *name;

	if (!window)
		return NULL;
	name = window + strcspn(window, ",");
	name += strspn(name, ", \t\r\n\\");
	*at = name;
	for (*length_p = 0; het__is_of_name(name[*length_p]); ++*length_p)
		;
	return name;
}

/* Of a window that is hinted at. */
#define NAME_MOST 63

/* The log's "use of undeclared identifier 'x'", where x is a window: there is nothing of that name. */
static bool hint_at_window(const char *source)
{
	const char *at = source, *name;
	char text[5 * NAME_MOST + 96];
	int length;

	while ((name = next_window(&at, &length))) {
		const bool fits = length > 0 && length <= NAME_MOST;

		snprintf(text, sizeof text, "identifier '%.*s'", fits ? length : 0, name);
		if (!fits || !strstr(het__message(), text))
			continue;
		snprintf(text, sizeof text,
			 "\n(%.*s is a HET_WINDOW: its elements are HET_AT1(%.*s, i), HET_AT2(%.*s, i, j)...)",
			 length, name, length, name, length, name);
		het__fail_more(text);
		return true;
	}
	return false;
}

void het__log_hint(const het_kernel *kernel)
{
	if (hint_at_prelude(kernel))
		return;
	if (!kernel->facts.prelude && strstr(het__message(), "het.clh"))
		het__fail_more("\n(Hetero has het.clh for a text that itself has the line "
			       "#include \"het.clh\", not for files that it includes)");
	else if (kernel->facts.prelude && hint_at_window(kernel->source))
		return;
	else if (!kernel->path && kernel->source && !strchr(kernel->source, '('))
		het__fail_more("\n(is the text a file's name? het_kernel_from_file reads files)");
}
