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

char *het__source_named(const het_kernel *kernel)
{
	const char *const name = name_of(kernel);
	char *const text = het__alloc(2 * strlen(name) + strlen(kernel->source) + sizeof("#line 1 \"\"\n"));

	if (text)
		stpcpy(stpcpy(put_quoted(stpcpy(text, "#line 1 "), name), "\n"), kernel->source);
	return text;
}

static const char alias[] = "input.cl:";

/* The room that the log takes with each alias as a name and a number. */
static size_t named_room(const char *log, const char *name)
{
	size_t room = strlen(log) + 1;

	for (const char *hit = log; (hit = strstr(hit, alias)); hit += strlen(alias))
		room += strlen(name) + sizeof(":18446744073709551615");
	return room;
}

char *het__log_named(const het_kernel *kernel, const char *log)
{
	const char *const name = name_of(kernel);
	char *const text = het__alloc(named_room(log, name));
	char *at = text;
	const char *hit;

	if (!text)
		return NULL;
	while ((hit = strstr(log, alias))) {
		char *end;
		const unsigned long line = strtoul(hit + strlen(alias), &end, 10);

		at = mempcpy(at, log, (size_t)(hit - log));
		at += sprintf(at, "%s:%lu", name, line > 0 ? line - 1 : 0);
		log = end;
	}
	stpcpy(at, log);
	return text;
}
