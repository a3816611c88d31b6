/* count.c - lines and tokens of C programs. */

#include "sloc/count.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sloc/splice.h"

/* Different spellings, and how many tokens there were. */
struct words {
	char **word;
	int count, room, tokens;
};

/* What a : would end here. */
enum label { NO_LABEL, NAME, CASE };

/* Where in a program the scanner is. */
struct place {
	int fresh;       /* nothing of the statement yet; 2: and a brace was closed before it */
	int parentheses; /* open ones, brackets too */
	int ternaries;   /* ? whose : is to come */
	int members;     /* open braces from that of a struct or union on; 0: among statements */
	int has_members; /* the next { is that of a struct or union */
	enum label label;
};

struct count {
	struct words operators, operands;
	int lines, statements;
	int no_memory;
	struct place place;
};

static const char *const keywords[] = {
	"auto",      "break",        "case",   "char",     "const",          "continue", "default",  "do",
	"double",    "else",         "enum",   "extern",   "float",          "for",      "goto",     "if",
	"inline",    "int",          "long",   "register", "restrict",       "return",   "short",    "signed",
	"sizeof",    "static",       "struct", "switch",   "typedef",        "union",    "unsigned", "void",
	"volatile",  "while",        "_Bool",  "_Generic", "_Static_assert", "_Alignas", "_Alignof", "_Atomic",
	"_Noreturn", "_Thread_local"};

/* Longest first. */
static const char *const punctuation[] = {"<<=", ">>=", "...", "->", "++", "--", "<<", ">>",
					  "<=",  ">=",  "==",  "!=", "&&", "||", "*=", "/=",
					  "%=",  "+=",  "-=",  "&=", "^=", "|=", "##"};

/* Longest first, with what they stand for. */
static const char *const digraphs[][2] = {{"%:%:", "##"}, {"%:", "#"}, {"<%", "{"},
					  {"%>", "}"},    {"<:", "["}, {":>", "]"}};

/* ---- words ------------------------------------------------------------------------------------- */

static char *copy_of(const char *text, size_t length)
{
	char *const copy = malloc(length + 1);

	if (copy) {
		memcpy(copy, text, length);
		copy[length] = '\0';
	}
	return copy;
}

static int is_word(const char *word, const char *text, size_t length)
{
	return strlen(word) == length && !memcmp(word, text, length);
}

static int add_word(struct words *words, const char *text, size_t length)
{
	words->tokens++;
	for (int i = 0; i < words->count; i++)
		if (is_word(words->word[i], text, length))
			return 0;
	if (words->count == words->room) {
		const int room = words->room ? 2 * words->room : 64;
		char **const more = realloc(words->word, (size_t)room * sizeof *more);

		if (!more)
			return -1;
		words->word = more;
		words->room = room;
	}
	words->word[words->count] = copy_of(text, length);
	return words->word[words->count] ? (words->count++, 0) : -1;
}

static void free_words(struct words *words)
{
	for (int i = 0; i < words->count; i++)
		free(words->word[i]);
	free(words->word);
}

/* ---- statements -------------------------------------------------------------------------------- */

/* With each token: it begins a statement if none is begun, and a name before it is no label: no : follows. */
static void go_on(struct count *c)
{
	if (c->place.fresh)
		c->statements++;
	c->place.fresh = 0;
	if (c->place.label == NAME)
		c->place.label = NO_LABEL;
}

static void end_statement(struct count *c)
{
	c->place.fresh = 1;
	c->place.label = NO_LABEL;
}

/* Some tokens stay on the line of the brace before them. */
static void stay_with_brace(struct count *c)
{
	if (c->place.fresh == 2)
		c->place.fresh = 0;
}

static void add_operator(struct count *c, const char *text, size_t length)
{
	go_on(c);
	if (add_word(&c->operators, text, length))
		c->no_memory = 1;
}

static void add_operand(struct count *c, const char *text, size_t length)
{
	go_on(c);
	if (add_word(&c->operands, text, length))
		c->no_memory = 1;
}

/* ---- tokens ------------------------------------------------------------------------------------ */

static int begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static int in_name(char x)
{
	return isalnum((unsigned char)x) || x == '_';
}

/* Comments and blanks. NULL when the text goes on with something else. */
static const char *skip_nothing(const char *at)
{
	const char *end;

	if (at[0] == '/' && at[1] == '*') {
		end = strstr(at + 2, "*/");
		return end ? end + 2 : at + strlen(at);
	}
	if (at[0] == '/' && at[1] == '/')
		return at + strcspn(at, "\n");
	return isspace((unsigned char)*at) ? at + 1 : NULL;
}

static const char *end_of_literal(const char *at)
{
	const char quote = *at++;

	for (; *at && *at != quote && *at != '\n'; at++)
		if (*at == '\\' && at[1])
			at++;
	return *at == quote ? at + 1 : at;
}

static int is_literal(const char *at)
{
	if (*at == 'L' || *at == 'U' || *at == 'u')
		at += at[0] == 'u' && at[1] == '8' ? 2 : 1;
	return *at == '"' || *at == '\'';
}

static const char *literal(struct count *c, const char *at)
{
	const char *const end = end_of_literal(at + strcspn(at, "\"'"));

	add_operand(c, at, (size_t)(end - at));
	return end;
}

static const char *number(struct count *c, const char *at)
{
	const char *end = at;

	while (in_name(*end) || *end == '.' || ((*end == '+' || *end == '-') && strchr("eEpP", end[-1])))
		end++;
	add_operand(c, at, (size_t)(end - at));
	return end;
}

static int is_keyword(const char *text, size_t length)
{
	for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
		if (is_word(keywords[i], text, length))
			return 1;
	return 0;
}

static const char *skip_parentheses(const char *at)
{
	int open = 1;

	for (at++; *at && open; at++)
		open += (*at == '(') - (*at == ')');
	return at;
}

/* Whether a { comes behind `struct` or `union`, or behind a name and attributes in double parentheses there. */
static int members_follow(const char *at)
{
	for (;;) {
		const char *const next = skip_nothing(at);

		if (next)
			at = next;
		else if (in_name(*at))
			at++;
		else if (at[0] == '(' && at[1] == '(')
			at = skip_parentheses(at);
		else
			return *at == '{' || begins(at, "<%");
	}
}

static void keyword(struct count *c, const char *text, size_t length)
{
	if (is_word("else", text, length))
		stay_with_brace(c);
	add_operator(c, text, length);
	if (!c->place.parentheses && (is_word("case", text, length) || is_word("default", text, length)))
		c->place.label = CASE;
	if (is_word("struct", text, length) || is_word("union", text, length))
		c->place.has_members = members_follow(text + length);
}

static const char *name(struct count *c, const char *at)
{
	const int first = c->place.fresh && !c->place.members;
	const char *end = at;

	while (in_name(*end))
		end++;
	if (is_keyword(at, (size_t)(end - at))) {
		keyword(c, at, (size_t)(end - at));
		return end;
	}
	add_operand(c, at, (size_t)(end - at));
	if (first && c->place.label == NO_LABEL)
		c->place.label = NAME;
	return end;
}

static void colon(struct count *c)
{
	const int ends = c->place.label != NO_LABEL && !c->place.parentheses;

	if (c->place.ternaries) {
		c->place.ternaries--; /* counted with its ? */
		return;
	}
	add_operator(c, ":", 1);
	if (ends)
		end_statement(c);
}

/* A bracket of either kind. Pairs count once. */
static void bracket(struct count *c, char kind)
{
	if (kind == '(' || kind == '[') {
		add_operator(c, kind == '(' ? "()" : "[]", 2);
		c->place.parentheses++;
	} else if (kind == ')' || kind == ']') {
		go_on(c);
		c->place.parentheses -= c->place.parentheses > 0;
	} else if (kind == '{') {
		add_operator(c, "{}", 2);
		c->place.members += c->place.members || c->place.has_members;
		c->place.has_members = 0;
		end_statement(c);
	} else {
		go_on(c);
		end_statement(c);
		c->place.members -= c->place.members > 0;
		c->place.fresh = 2;
	}
}

static void punctuate_one(struct count *c, const char *at)
{
	if (strchr(";,)", *at))
		stay_with_brace(c);
	if (strchr("()[]{}", *at)) {
		bracket(c, *at);
	} else if (*at == ':') {
		colon(c);
	} else {
		c->place.ternaries += *at == '?';
		add_operator(c, *at == '?' ? "?:" : at, *at == '?' ? 2 : 1);
		if (*at == ';' && !c->place.parentheses)
			end_statement(c);
	}
}

static const char *punctuate(struct count *c, const char *at)
{
	for (size_t i = 0; i < sizeof digraphs / sizeof *digraphs; i++)
		if (begins(at, digraphs[i][0])) {
			punctuate(c, digraphs[i][1]);
			return at + strlen(digraphs[i][0]);
		}
	for (size_t i = 0; i < sizeof punctuation / sizeof *punctuation; i++)
		if (begins(at, punctuation[i])) {
			add_operator(c, at, strlen(punctuation[i]));
			return at + strlen(punctuation[i]);
		}
	punctuate_one(c, at);
	return at + 1;
}

static const char *token(struct count *c, const char *at)
{
	if (is_literal(at))
		return literal(c, at);
	if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1])))
		return number(c, at);
	return in_name(*at) ? name(c, at) : punctuate(c, at);
}

/* ---- directives -------------------------------------------------------------------------------- */

static const char *skip_blanks(const char *at)
{
	while (*at == ' ' || *at == '\t')
		at++;
	return at;
}

static int is_directive(const char *at)
{
	return *at == '#' || (begins(at, "%:") && !begins(at, "%:%:"));
}

/* "#  include" counts as "#include". Returns where the rest of the line begins. */
static const char *directive(struct count *c, const char *at)
{
	const char *const word = skip_blanks(at + (*at == '#' ? 1 : 2)), *end = word;
	char text[32];

	while (in_name(*end))
		end++;
	snprintf(text, sizeof text, "#%.*s", (int)(end - word), word);
	add_operator(c, text, strlen(text));
	if (strcmp(text, "#include"))
		return end;
	end = skip_blanks(end);
	if (*end == '<' || *end == '"') {
		const char *const file = end;

		end += 1 + strcspn(file + 1, *file == '<' ? ">\r\n" : "\"\r\n");
		end += *end == '>' || *end == '"';
		add_operand(c, file, (size_t)(end - file));
	}
	return end;
}

/* ---- texts ------------------------------------------------------------------------------------- */

/* The scanner's place in a text. */
struct scan {
	struct count *count;
	const char *const *joint; /* the next one */
	int in_directive, line_has_token;
	struct place outside; /* of the directive */
};

enum part { BLANK, COMMENT, TOKEN };

/* Brackets that a directive opens and statements that it begins end with it. */
static const char *begin_directive(struct scan *s, const char *at)
{
	s->in_directive = 1;
	s->outside = s->count->place;
	s->count->place = (struct place){.fresh = 1};
	return directive(s->count, at);
}

static void end_directive(struct scan *s)
{
	s->in_directive = 0;
	s->count->place = s->outside;
	s->count->place.fresh = 1;
}

static void end_line(struct scan *s, int continued)
{
	s->count->lines += s->line_has_token;
	s->line_has_token = 0;
	if (s->in_directive && !continued)
		end_directive(s);
}

/* Goes over a part of the text, which may hold ends of lines. A comment does not end a directive. */
static void pass(struct scan *s, const char *at, const char *end, enum part part)
{
	for (; at < end; at++) {
		for (; *s->joint == at; s->joint++)
			end_line(s, 1);
		if (part == TOKEN)
			s->line_has_token = 1;
		else if (*at == '\n')
			end_line(s, part == COMMENT);
	}
}

static void scan(struct scan *s, const char *at)
{
	int line_begins = 1;

	while (*at && !s->count->no_memory) {
		const char *next = skip_nothing(at);

		if (next) {
			line_begins = line_begins || *at == '\n';
			pass(s, at, next, *at == '/' ? COMMENT : BLANK);
		} else {
			next = line_begins && is_directive(at) ? begin_directive(s, at) : token(s->count, at);
			pass(s, at, next, TOKEN);
			line_begins = 0;
		}
		at = next;
	}
	end_line(s, 0);
}

int count_text(struct count *count, const char *text)
{
	static const char byte_order_mark[] = "\xEF\xBB\xBF"; /* some editors put it before a text */
	struct spliced spliced;

	if (begins(text, byte_order_mark))
		text += strlen(byte_order_mark);
	if (splice(&spliced, text))
		return -1;
	count->place = (struct place){.fresh = 1};
	scan(&(struct scan){.count = count, .joint = spliced.joints}, spliced.text);
	spliced_free(&spliced);
	return count->no_memory ? -1 : 0;
}

int count_file(struct count *count, const char *path)
{
	FILE *const file = fopen(path, "rb");
	char *text = NULL;
	size_t bytes = 0, room = 0, got = 1;
	int status = 0;

	if (!file)
		return -1;
	while (got && !status) {
		char *const more = bytes + 1 >= room ? realloc(text, room += 65536) : text;

		if (!more) {
			status = -1;
			break;
		}
		text = more;
		got = fread(text + bytes, 1, room - bytes - 1, file);
		bytes += got;
		status = ferror(file) ? -1 : 0;
	}
	fclose(file);
	if (!status) {
		text[bytes] = '\0';
		status = count_text(count, text);
	}
	free(text);
	return status;
}

/* ---- counts ------------------------------------------------------------------------------------ */

struct count *count_new(void)
{
	return calloc(1, sizeof(struct count));
}

void count_free(struct count *count)
{
	if (!count)
		return;
	free_words(&count->operators);
	free_words(&count->operands);
	free(count);
}

struct count_result count_result(const struct count *c)
{
	struct count_result r = {.lines = c->lines,
				 .statements = c->statements,
				 .operators = c->operators.tokens,
				 .operands = c->operands.tokens,
				 .different_operators = c->operators.count,
				 .different_operands = c->operands.count};

	if (r.operands)
		r.effort = r.different_operators / 2.0 * r.operands / r.different_operands *
			   (r.operators + r.operands) *
			   log2((double)r.different_operators + r.different_operands);
	return r;
}
