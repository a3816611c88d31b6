/* read.c - reads a description: expat says what the elements are, a table where they belong and what takes
 * their text. */
#include <ctype.h>
#include <errno.h>
#include <expat.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "description.h"

enum { MOST_TEXT = 256 };

enum element {
	NOWHERE,
	STEPOCL,
	ARGUMENT,
	NAME,
	PROPERTY,
	DATA_TYPE,
	CL_MEM,
	VALUE,
	ARG_SIZE,
	DIM_SIZE,
	ORIGIN,
	O_SIZE,
	SHADOW,
	POINT,
	BECOMES,
	KERNEL,
	KERNEL_NAME,
	FUNCTION,
	OPTIONS,
	GLOBAL,
	G_SIZE,
	OFFSET,
	G_OFFSET,
	LOCAL,
	L_SIZE,
	ITERATIONS,
	FLOPS,
	ELEMENTS
};

struct reader {
	XML_Parser parser;
	struct description *description;
	struct refusal *refusal;
	enum element open[8];
	int depth;
	unsigned seen[ELEMENTS]; /* which elements each open element has had, a bit for each */
	int count;               /* elements so far of the list that is open */
	char text[MOST_TEXT];
	size_t length;
	bool refused;
};

typedef bool take_fn(struct reader *reader);

static take_fn take_name, take_property, take_type, take_cl_mem, take_value, take_size, take_origin, take_point,
	take_becomes, take_file, take_function, take_options, take_global, take_offset, take_local,
	take_iterations, take_flops;

/* What may stand where. An element without a function holds elements; `once`: not twice in its parent. */
static const struct rule {
	const char *name;
	enum element parent, element;
	bool once;
	take_fn *take;
} rules[] = {
	{"stepocl", NOWHERE, STEPOCL, true, NULL},
	{"argument", STEPOCL, ARGUMENT, false, NULL},
	{"name", ARGUMENT, NAME, true, take_name},
	{"property", ARGUMENT, PROPERTY, true, take_property},
	{"dataType", ARGUMENT, DATA_TYPE, true, take_type},
	{"cl_mem", ARGUMENT, CL_MEM, true, take_cl_mem},
	{"value", ARGUMENT, VALUE, true, take_value},
	{"arg_size", ARGUMENT, ARG_SIZE, true, NULL},
	{"dim_size", ARG_SIZE, DIM_SIZE, false, take_size},
	{"origin", ARGUMENT, ORIGIN, true, NULL},
	{"o_size", ORIGIN, O_SIZE, false, take_origin},
	{"shadow", ARGUMENT, SHADOW, true, NULL},
	{"point", SHADOW, POINT, false, take_point},
	{"becomes", ARGUMENT, BECOMES, true, take_becomes},
	{"kernel", STEPOCL, KERNEL, true, NULL},
	{"name", KERNEL, KERNEL_NAME, true, take_file},
	{"function", KERNEL, FUNCTION, true, take_function},
	{"options", KERNEL, OPTIONS, true, take_options},
	{"global", KERNEL, GLOBAL, true, NULL},
	{"g_size", GLOBAL, G_SIZE, false, take_global},
	{"offset", KERNEL, OFFSET, true, NULL},
	{"g_offset", OFFSET, G_OFFSET, false, take_offset},
	{"local", KERNEL, LOCAL, true, NULL},
	{"l_size", LOCAL, L_SIZE, false, take_local},
	{"iterations", STEPOCL, ITERATIONS, true, take_iterations},
	{"flops", STEPOCL, FLOPS, true, take_flops},
};

bool refuse(struct refusal *refusal, int line, const char *format, ...)
{
	va_list list;

	refusal->line = line;
	va_start(list, format);
	vsnprintf(refusal->text, sizeof refusal->text, format, list);
	va_end(list);
	return false;
}

static int line_of(const struct reader *reader)
{
	return (int)XML_GetCurrentLineNumber(reader->parser);
}

static const char *name_of(enum element element)
{
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		if (rules[i].element == element)
			return rules[i].name;
	return "";
}

static enum element innermost(const struct reader *reader)
{
	return reader->depth ? reader->open[reader->depth - 1] : NOWHERE;
}

static struct argument *current(const struct reader *reader)
{
	return &reader->description->argument[reader->description->arguments - 1];
}

/* `what`: what the text of the element that ends should be, as "a number". */
static bool refuse_text(struct reader *reader, const char *what)
{
	return refuse(reader->refusal, line_of(reader), "<%s> is %s, not '%.60s'", name_of(innermost(reader)),
		      what, reader->text);
}

static bool whole_number(const char *text, char **end_p, int64_t *number_p)
{
	errno = 0;
	*number_p = strtoll(text, end_p, 10);
	return *end_p != text && !errno;
}

/* ---- what takes a text ----------------------------------------------------------------------- */

static bool take_word(struct reader *reader, char *word, size_t room, const char *what)
{
	if (!reader->length || reader->length >= room)
		return refuse_text(reader, what);
	memcpy(word, reader->text, reader->length + 1);
	return true;
}

/* A name of C, because --emit-c writes it into a program. */
static bool take_identifier(struct reader *reader, char *name)
{
	const char *const text = reader->text;
	size_t good = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	if (text[good] || isdigit((unsigned char)*text))
		return refuse_text(reader, "a name of letters, digits and _");
	return take_word(reader, name, NAME_ROOM, "a name of at most 63 characters");
}

static bool take_name(struct reader *reader)
{
	const struct description *const d = reader->description;
	char name[NAME_ROOM];

	if (!take_identifier(reader, name))
		return false;
	if (description_argument(d, name) >= 0)
		return refuse(reader->refusal, line_of(reader), "two arguments have the name '%s'", name);
	memcpy(current(reader)->name, name, sizeof name);
	return true;
}

static bool take_property(struct reader *reader)
{
	struct argument *const argument = current(reader);

	argument->property = strcmp(reader->text, "input") == 0    ? INPUT
			     : strcmp(reader->text, "output") == 0 ? OUTPUT
								   : NOT_SAID;
	return argument->property != NOT_SAID || refuse_text(reader, "input or output");
}

static bool take_type(struct reader *reader)
{
	current(reader)->type = type_named(reader->text);
	return current(reader)->type ||
	       refuse_text(reader, "char, uchar, short, ushort, int, uint, long, ulong, float or double");
}

static bool take_cl_mem(struct reader *reader)
{
	const bool one = strcmp(reader->text, "1") == 0;

	current(reader)->is_memory = one;
	return one || strcmp(reader->text, "0") == 0 || refuse_text(reader, "1 (an array) or 0 (a number)");
}

static bool take_value(struct reader *reader)
{
	return take_word(reader, current(reader)->value, NAME_ROOM, "a number");
}

/* One more number of a list with one for each dimension. */
static bool take_extent(struct reader *reader, int64_t *list, int64_t least, int *count_p)
{
	char *end;
	int64_t number;

	if (!whole_number(reader->text, &end, &number) || *end)
		return refuse_text(reader, "a whole number below 2^63");
	if (number < least)
		return refuse_text(reader, least ? "a number of 1 or more" : "a number of 0 or more");
	if (reader->count == MOST_RANK)
		return refuse(reader->refusal, line_of(reader), "more than %d dimensions", MOST_RANK);
	list[reader->count++] = number;
	*count_p = reader->count;
	return true;
}

static bool take_size(struct reader *reader)
{
	return take_extent(reader, current(reader)->size, 1, &current(reader)->rank);
}

static bool take_origin(struct reader *reader)
{
	return take_extent(reader, current(reader)->origin, 0, &current(reader)->origin_rank);
}

static bool take_global(struct reader *reader)
{
	return take_extent(reader, reader->description->global, 1, &reader->description->rank);
}

static bool take_offset(struct reader *reader)
{
	return take_extent(reader, reader->description->offset, 0, &reader->description->offset_rank);
}

static bool take_local(struct reader *reader)
{
	reader->description->grouped = true;
	return take_extent(reader, reader->description->local, 1, &reader->description->local_rank);
}

/* {x,y}: with as many numbers as the kernel's space has dimensions, which is checked when that is known. */
static bool take_point(struct reader *reader)
{
	struct argument *const argument = current(reader);
	const char *at = reader->text;
	char *end = NULL;
	int d = 0;

	if (argument->points == MOST_POINTS)
		return refuse(reader->refusal, line_of(reader), "more than %d points", MOST_POINTS);
	do {
		at += *at == (d ? ',' : '{') ? 1 : 0;
		if (d == MOST_RANK || !whole_number(at, &end, &argument->point[argument->points][d++]))
			return refuse_text(reader, "whole numbers, {x,y}");
		for (at = end; *at == ' ';)
			at++;
	} while (*at == ',');
	if (strcmp(at, *reader->text == '{' ? "}" : "") != 0)
		return refuse_text(reader, "whole numbers, {x,y}");
	if (argument->points && argument->point_rank != d)
		return refuse(reader->refusal, line_of(reader),
			      "the points have not the same number of dimensions");
	argument->point_rank = d;
	argument->point_line[argument->points++] = line_of(reader);
	return true;
}

static bool take_becomes(struct reader *reader)
{
	return take_identifier(reader, current(reader)->becomes);
}

static bool take_file(struct reader *reader)
{
	return take_word(reader, reader->description->file, NAME_ROOM,
			 "a file's name of at most 63 characters");
}

static bool take_function(struct reader *reader)
{
	return take_identifier(reader, reader->description->function);
}

static bool take_options(struct reader *reader)
{
	return take_word(reader, reader->description->options, OPTIONS_ROOM, "of 1 to 255 characters");
}

static bool take_iterations(struct reader *reader)
{
	char *end;
	int64_t *const iterations = &reader->description->iterations;

	if (!whole_number(reader->text, &end, iterations) || *end || *iterations < 1)
		return refuse_text(reader, "a number of 1 or more");
	return true;
}

static bool take_flops(struct reader *reader)
{
	char *end;

	reader->description->flops = strtod(reader->text, &end);
	if (end == reader->text || *end || !(reader->description->flops > 0) ||
	    reader->description->flops > 1e9)
		return refuse_text(reader, "a number above 0, and at most 1e9");
	return true;
}

/* ---- the elements ---------------------------------------------------------------------------- */

static bool begin_argument(struct reader *reader)
{
	struct description *const description = reader->description;

	if (description->arguments == MOST_ARGUMENTS)
		return refuse(reader->refusal, line_of(reader), "more than %d arguments", MOST_ARGUMENTS);
	description->argument[description->arguments++] =
		(struct argument){.line = line_of(reader), .is_memory = true};
	return true;
}

/* The only attribute there is: <shadow border="kernel">. */
static bool begin_shadow(struct reader *reader, const XML_Char **attributes)
{
	current(reader)->has_shadow = true;
	for (; attributes[0]; attributes += 2) {
		if (strcmp(attributes[0], "border") != 0 || strcmp(attributes[1], "kernel") != 0)
			return refuse(reader->refusal, line_of(reader),
				      "<shadow> knows border=\"kernel\", not %.40s=\"%.40s\"", attributes[0],
				      attributes[1]);
		current(reader)->clipped = true;
	}
	return true;
}

/* Keeps where an element begins that may be refused when all is read. */
static void note_line(const struct reader *reader, enum element element)
{
	struct description *const description = reader->description;
	const int line = line_of(reader);

	if (element == KERNEL)
		description->kernel_line = line;
	else if (element == OFFSET)
		description->offset_line = line;
	else if (element == LOCAL)
		description->local_line = line;
	else if (element == ORIGIN)
		current(reader)->origin_line = line;
	else if (element == VALUE)
		current(reader)->value_line = line;
	else if (element == BECOMES)
		current(reader)->becomes_line = line;
}

static bool begin(struct reader *reader, const struct rule *rule, const XML_Char **attributes)
{
	const int line = line_of(reader);

	if (reader->length)
		return refuse(reader->refusal, line, "text in <%s>", name_of(innermost(reader)));
	if (rule->once && reader->seen[rule->parent] & 1u << rule->element)
		return refuse(reader->refusal, line, "<%s> is there twice", rule->name);
	if (attributes[0] && rule->element != SHADOW)
		return refuse(reader->refusal, line, "<%s> has no attributes", rule->name);
	reader->seen[rule->parent] |= 1u << rule->element;
	reader->seen[rule->element] = 0;
	if (!rule->take)
		reader->count = 0;
	note_line(reader, rule->element);
	if (rule->element == ARGUMENT && !begin_argument(reader))
		return false;
	if (rule->element == SHADOW && !begin_shadow(reader, attributes))
		return false;
	reader->open[reader->depth++] = rule->element;
	return true;
}

/* What may stand in the element that is open, or why not. */
static const struct rule *rule_for(struct reader *reader, const char *name)
{
	const enum element parent = innermost(reader);
	const struct rule *elsewhere = NULL;

	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
		if (strcmp(rules[i].name, name) != 0)
			continue;
		if (rules[i].parent == parent)
			return &rules[i];
		elsewhere = &rules[i];
	}
	if (parent == NOWHERE)
		refuse(reader->refusal, line_of(reader), "a description begins with <stepocl>, not <%.40s>",
		       name);
	else if (elsewhere)
		refuse(reader->refusal, line_of(reader), "<%s> does not belong in <%s>", name, name_of(parent));
	else
		refuse(reader->refusal, line_of(reader), "what is <%.40s>?", name);
	return NULL;
}

static void stop(struct reader *reader)
{
	reader->refused = true;
	XML_StopParser(reader->parser, XML_FALSE);
}

static void XMLCALL on_start(void *user, const XML_Char *name, const XML_Char **attributes)
{
	struct reader *const reader = user;
	const struct rule *const rule = rule_for(reader, name);

	if (!rule || !begin(reader, rule, attributes))
		stop(reader);
}

static void XMLCALL on_text(void *user, const XML_Char *text, int length)
{
	struct reader *const reader = user;

	for (int i = 0; i < length && !reader->refused; i++) {
		const char c = isspace((unsigned char)text[i]) ? ' ' : text[i];
		if (c == ' ' && !reader->length)
			continue;
		if (reader->length + 1 < sizeof reader->text) {
			reader->text[reader->length++] = c;
			continue;
		}
		refuse(reader->refusal, line_of(reader), "a text of more than %d characters", MOST_TEXT - 1);
		stop(reader);
	}
}

static void XMLCALL on_end(void *user, const XML_Char *name)
{
	struct reader *const reader = user;
	const struct rule *rule = rules;
	bool good = true;

	(void)name; /* expat has seen that it is the one that is open */
	if (reader->refused)
		return; /* expat still tells the end of an empty element */
	while (rule->element != innermost(reader))
		rule++;
	while (reader->length && reader->text[reader->length - 1] == ' ')
		reader->length--;
	reader->text[reader->length] = '\0';
	if (rule->take)
		good = rule->take(reader);
	else if (reader->length)
		good = refuse(reader->refusal, line_of(reader), "text in <%s>: '%.60s'", rule->name,
			      reader->text);
	reader->length = 0;
	reader->depth--;
	if (!good)
		stop(reader);
}

static bool parse(FILE *file, struct reader *reader)
{
	char buffer[4096];
	size_t bytes;

	do {
		bytes = fread(buffer, 1, sizeof buffer, file);
		if (ferror(file))
			return refuse(reader->refusal, 0, "%s", strerror(errno));
		if (XML_Parse(reader->parser, buffer, (int)bytes, bytes == 0) != XML_STATUS_OK)
			return reader->refused ? false
					       : refuse(reader->refusal, line_of(reader), "this is not XML: %s",
							XML_ErrorString(XML_GetErrorCode(reader->parser)));
	} while (bytes);
	return true;
}

bool description_read(FILE *file, int64_t iterations, struct description *description, struct refusal *refusal)
{
	struct reader reader = {.description = description, .refusal = refusal};
	bool good;

	memset(description, 0, sizeof *description);
	description->iterations = 1;
	reader.parser = XML_ParserCreate(NULL);
	if (!reader.parser)
		return refuse(refusal, 0, "no memory");
	XML_SetUserData(reader.parser, &reader);
	XML_SetElementHandler(reader.parser, on_start, on_end);
	XML_SetCharacterDataHandler(reader.parser, on_text);
	good = parse(file, &reader);
	XML_ParserFree(reader.parser);
	if (iterations)
		description->iterations = iterations;
	return good && description_check(description, refusal);
}
