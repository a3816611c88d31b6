/* scan.c - checks every line of a calibration's file and notes its sections and keys. */
#include "calibration/scan.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

#define WORD_BYTES 64 /* of a section's or a key's name */
#define END_MARK "end"

const char *het__cal_reason_name(enum het__cal_reason reason)
{
#define TEXT_OF(name, text) text,
	static const char *const names[] = {HET__CAL_REASONS(TEXT_OF)};
#undef TEXT_OF

	return names[reason];
}

bool het__cal_refuse(struct het__cal_refusal *refusal, const char *path, int line, enum het__cal_reason reason,
		     const char *format, ...)
{
	char what[256], at[16] = "";
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(what, sizeof what, format, arguments);
	va_end(arguments);
	if (line)
		snprintf(at, sizeof at, ":%d", line);
	refusal->reason = reason;
	refusal->line = line;
	snprintf(refusal->text, sizeof refusal->text, "%s%s: %s: %s", path, at,
		 het__cal_reason_name(reason), what);
	return false;
}

/* ---- the bytes --------------------------------------------------------------------------------- */

static bool read_all(int file, char *text, size_t bytes)
{
	size_t got = 0;

	while (got < bytes) {
		const ssize_t more = pread(file, text + got, bytes - got, (off_t)got);

		if (more < 0 && errno == EINTR)
			continue;
		if (more <= 0)
			return false;
		got += (size_t)more;
	}
	return true;
}

static bool load(int file, const char *path, struct het__cal_scan *scan, struct het__cal_refusal *refusal)
{
	struct stat about;

	if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode))
		return het__cal_refuse(refusal, path, 0, HET__CAL_UNREADABLE, "it is not a regular file");
	if (about.st_size > (off_t)HET__CAL_FILE_BYTES)
		return het__cal_refuse(refusal, path, 0, HET__CAL_UNREADABLE, "it is larger than 4 MiB");
	scan->bytes = (size_t)about.st_size;
	scan->text = het__alloc(scan->bytes + 1);
	if (!scan->text)
		return het__cal_refuse(refusal, path, 0, HET__CAL_NO_MEMORY, "no memory to read it");
	scan->text[scan->bytes] = '\0';
	if (!read_all(file, scan->text, scan->bytes))
		return het__cal_refuse(refusal, path, 0, HET__CAL_UNREADABLE, "reading it failed");
	return true;
}

/* ---- lines ------------------------------------------------------------------------------------- */

struct scanner {
	struct het__cal_scan *scan;
	const char *path;
	struct het__cal_refusal *refusal;
	int line;
};

static bool no_memory(struct scanner *s)
{
	return het__cal_refuse(s->refusal, s->path, 0, HET__CAL_NO_MEMORY, "no memory to read it");
}

static bool is_name(const char *name)
{
	const size_t length = strlen(name);

	return length > 0 && length < WORD_BYTES &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789._") == length;
}

/* Cuts the blanks off the end. */
static void cut_blanks(char *text)
{
	size_t length = strlen(text);

	while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t' || text[length - 1] == '\r'))
		text[--length] = '\0';
}

static bool take_section(struct scanner *s, char *line)
{
	struct het__cal_scan *const scan = s->scan;
	const size_t length = strlen(line);

	if (line[length - 1] != ']')
		return het__cal_refuse(s->refusal, s->path, s->line, HET__CAL_BAD_LINE,
				       "a section is [name], and nothing after it");
	line[length - 1] = '\0';
	line++;
	if (!is_name(line))
		return het__cal_refuse(s->refusal, s->path, s->line, HET__CAL_BAD_LINE,
				       "a section's name has lower case letters, digits, '.' and '_'");
	for (int i = 0; i < scan->section_count; i++)
		if (strcmp(scan->section[i].name, line) == 0)
			return het__cal_refuse(s->refusal, s->path, s->line, HET__CAL_DUPLICATE_SECTION,
					       "[%s] is in line %d already", line, scan->section[i].line);
	if (scan->section_count == HET__CAL_MOST_SECTIONS)
		return het__cal_refuse(s->refusal, s->path, s->line, HET__CAL_OUT_OF_RANGE,
				       "more than %d sections", HET__CAL_MOST_SECTIONS);
	if (het__grow(&scan->section, &scan->section_room, scan->section_count + 1, sizeof *scan->section))
		return no_memory(s);
	scan->section[scan->section_count++] = (struct het__cal_section){s->line, line};
	return true;
}

/* "text", then nothing but a comment; or words without quotes. */
static bool is_value(const char *value)
{
	const char *end;

	if (value[0] != '"') {
		const size_t words = strcspn(value, ";#");

		return words > 0 && strcspn(value, "\"'=") >= words;
	}
	end = strchr(value + 1, '"');
	if (!end || end == value + 1)
		return false;
	end += 1 + strspn(end + 1, " \t");
	return *end == '\0' || *end == ';' || *end == '#';
}

/* May the last section have this key? It must not have it yet, and there must be room for one more. */
static bool may_have(struct scanner *s, const char *key)
{
	const struct het__cal_scan *const scan = s->scan;
	int keys = 0;

	for (int i = scan->entry_count; i-- > 0 && scan->entry[i].section == scan->section_count - 1; keys++)
		if (strcmp(scan->entry[i].key, key) == 0)
			return het__cal_refuse(s->refusal, s->path, s->line, HET__CAL_DUPLICATE_KEY,
					       "%s is in line %d already", key, scan->entry[i].line);
	if (keys == HET__CAL_MOST_KEYS)
		return het__cal_refuse(s->refusal, s->path, s->line, HET__CAL_OUT_OF_RANGE,
				       "more than %d keys in one section", HET__CAL_MOST_KEYS);
	return scan->entry_count < HET__CAL_MOST_ENTRIES ||
	       het__cal_refuse(s->refusal, s->path, s->line, HET__CAL_OUT_OF_RANGE,
			       "more than %d keys in all", HET__CAL_MOST_ENTRIES);
}

static bool take_key(struct scanner *s, char *line)
{
	struct het__cal_scan *const scan = s->scan;
	char *const equals = strchr(line, '=');

	if (!equals)
		return het__cal_refuse(s->refusal, s->path, s->line, HET__CAL_BAD_LINE,
				       "neither [section] nor key = value nor a comment");
	if (!is_value(equals + 1 + strspn(equals + 1, " \t")))
		return het__cal_refuse(s->refusal, s->path, s->line, HET__CAL_BAD_LINE,
				       "a value is \"text\", or words without quotes");
	*equals = '\0';
	cut_blanks(line);
	if (!is_name(line))
		return het__cal_refuse(s->refusal, s->path, s->line, HET__CAL_BAD_LINE,
				       "a key has lower case letters, digits, '.' and '_'");
	if (scan->section_count == 0)
		return het__cal_refuse(s->refusal, s->path, s->line, HET__CAL_BAD_LINE,
				       "%s stands before the first section", line);
	if (!may_have(s, line))
		return false;
	if (het__grow(&scan->entry, &scan->entry_room, scan->entry_count + 1, sizeof *scan->entry))
		return no_memory(s);
	scan->entry[scan->entry_count++] = (struct het__cal_entry){s->line, scan->section_count - 1, line};
	return true;
}

/* One line, ended by a NUL. Nothing but comments may stand after the end mark. */
static bool take_line(struct scanner *s, char *line, size_t length)
{
	const struct het__cal_scan *const scan = s->scan;

	if (strlen(line) != length)
		return het__cal_refuse(s->refusal, s->path, s->line, HET__CAL_BAD_LINE, "it has a NUL byte");
	if (length > HET__CAL_LINE_BYTES)
		return het__cal_refuse(s->refusal, s->path, s->line, HET__CAL_BAD_LINE,
				       "it is longer than %d bytes", HET__CAL_LINE_BYTES);
	cut_blanks(line);
	if (strpbrk(line, "\\\f\v\r"))
		return het__cal_refuse(s->refusal, s->path, s->line, HET__CAL_BAD_LINE,
				       "it has a backslash or a control character");
	line += strspn(line, " \t");
	if (*line == '\0' || *line == '#' || *line == ';')
		return true;
	if (scan->section_count && strcmp(scan->section[scan->section_count - 1].name, END_MARK) == 0)
		return het__cal_refuse(s->refusal, s->path, s->line, HET__CAL_BAD_LINE,
				       "something stands after [" END_MARK "]");
	return *line == '[' ? take_section(s, line) : take_key(s, line);
}

static bool take_lines(struct scanner *s)
{
	char *at = s->scan->text, *const end = at + s->scan->bytes;

	while (at < end) {
		char *const newline = memchr(at, '\n', (size_t)(end - at));

		s->line++;
		if (!newline)
			return het__cal_refuse(s->refusal, s->path, s->line, HET__CAL_TRUNCATED,
					       "the last line has no end");
		*newline = '\0';
		if (!take_line(s, at, (size_t)(newline - at)))
			return false;
		at = newline + 1;
	}
	return true;
}

static bool is_whole(struct scanner *s)
{
	const struct het__cal_scan *const scan = s->scan;

	if (scan->section_count == 0 || strcmp(scan->section[scan->section_count - 1].name, END_MARK) != 0)
		return het__cal_refuse(s->refusal, s->path, s->line, HET__CAL_TRUNCATED,
				       "its last section is not [" END_MARK "]");
	return true;
}

bool het__cal_scan(int file, const char *path, struct het__cal_scan *scan, struct het__cal_refusal *refusal)
{
	struct scanner scanner = {scan, path, refusal, 0};

	memset(scan, 0, sizeof *scan);
	if (load(file, path, scan, refusal) && take_lines(&scanner) && is_whole(&scanner))
		return true;
	het__cal_scan_free(scan);
	return false;
}

void het__cal_scan_free(struct het__cal_scan *scan)
{
	het__free(scan->text);
	het__free(scan->section);
	het__free(scan->entry);
	memset(scan, 0, sizeof *scan);
}
