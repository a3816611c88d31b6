/* source.c - a scanner of OpenCL C that knows just comments, quotes, directives and words. */
#include "kernel/source.h"

#include <ctype.h>
#include <string.h>

struct scan {
	const char *at;
	int depth;       /* of #if */
	bool line_start; /* nothing but blanks and comments so far in this line */
	bool directive;  /* inside a line that starts with # */
	bool names_it;   /* the next word is the directive's name */
	const char *hash; /* where the last directive begins */
};

struct word {
	const char *text;
	size_t length;
	bool names_directive;
	bool joined; /* it goes on in the next line */
};

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool word_is(const struct word *word, const char *text)
{
	return strlen(text) == word->length && memcmp(word->text, text, word->length) == 0;
}

/* "double" and its vectors, "double2" to "double16". */
static bool word_is_double(const struct word *word)
{
	const size_t stem = strlen("double");

	if (word->length < stem || memcmp(word->text, "double", stem) != 0)
		return false;
	for (size_t i = stem; i < word->length; i++)
		if (!isdigit((unsigned char)word->text[i]))
			return false;
	return true;
}

/* The bytes of a backslash and the end of its line at `p`, which join two lines; 0 where there is none. */
static size_t join_length(const char *p)
{
	if (*p != '\\')
		return 0;
	if (p[1] == '\n')
		return 2;
	return p[1] == '\r' && p[2] == '\n' ? 3 : 0;
}

/* The position of the newline that ends the line at `p`, which may go on over several. */
static const char *end_of_line(const char *p)
{
	while (*p && *p != '\n') {
		const size_t join = join_length(p);

		p += join ? join : 1;
	}
	return p;
}

/* The position after the comment that starts at `p`; a line comment ends before its newline. */
static const char *after_comment(const char *p)
{
	const char *end;

	if (p[1] == '/')
		return end_of_line(p);
	end = strstr(p + 2, "*/");
	return end ? end + 2 : p + strlen(p);
}

/* The position after the quoted text that starts at `p`; it ends with its line if need be. */
static const char *after_quoted(const char *p)
{
	const char quote = *p++;

	while (*p && *p != quote && *p != '\n')
		p += *p == '\\' && p[1] ? 2 : 1;
	return *p == quote ? p + 1 : p;
}

static void new_line(struct scan *scan)
{
	scan->line_start = true;
	scan->directive = scan->names_it = false;
	scan->at++;
}

/* '#', or its other spelling "%:". */
static size_t hash_length(const struct scan *scan)
{
	if (!scan->line_start)
		return 0;
	if (*scan->at == '#')
		return 1;
	return scan->at[0] == '%' && scan->at[1] == ':' ? 2 : 0;
}

/* Steps over one thing that is not a word. */
static void step(struct scan *scan)
{
	const char *p = scan->at;
	const size_t hash = hash_length(scan), join = join_length(p);

	if (*p == '\n') {
		new_line(scan);
	} else if (join) {
		scan->at += join; /* the line goes on */
	} else if (*p == '/' && (p[1] == '/' || p[1] == '*')) {
		scan->at = after_comment(p);
	} else if (hash) {
		scan->directive = scan->names_it = true;
		scan->line_start = false;
		scan->hash = p;
		scan->at += hash;
	} else if (*p == '"' || *p == '\'') {
		scan->at = after_quoted(p);
		scan->line_start = false;
	} else {
		scan->line_start = scan->line_start && isspace((unsigned char)*p);
		scan->at++;
	}
}

/* True where a word's letters end at `p` only because a line does. */
static bool goes_on(const char *p)
{
	size_t join = join_length(p);

	if (join == 0)
		return false;
	for (; join; join = join_length(p))
		p += join;
	return in_word(*p);
}

/* A number takes the letters in it along: they are no words. */
static bool next_word(struct scan *scan, struct word *word)
{
	while (*scan->at && !in_word(*scan->at))
		step(scan);
	if (!*scan->at)
		return false;
	word->text = scan->at;
	while (in_word(*scan->at))
		scan->at++;
	word->length = (size_t)(scan->at - word->text);
	word->joined = goes_on(scan->at);
	word->names_directive = scan->names_it;
	scan->names_it = scan->line_start = false;
	return true;
}

/* Behind the word `include`: the end of the prelude's name, or NULL where another file is named. */
static const char *after_prelude(const char *p)
{
	static const char name[] = HET__PRELUDE_NAME;
	char end;

	p += strspn(p, " \t");
	if (*p != '"' && *p != '<')
		return NULL;
	end = *p++ == '<' ? '>' : '"';
	return strncmp(p, name, sizeof(name) - 1) == 0 && p[sizeof(name) - 1] == end ? p + sizeof(name) : NULL;
}

bool het__source_next_prelude(const char **at, struct het__include *found)
{
	struct scan scan = {.at = *at, .line_start = true};
	struct word word;

	while (next_word(&scan, &word)) {
		const char *const end = word.names_directive && word_is(&word, "include") ?
						after_prelude(scan.at) : NULL;

		if (!end)
			continue;
		*found = (struct het__include){scan.hash, end};
		*at = end;
		return true;
	}
	*at = scan.at;
	return false;
}

/* A name that goes on behind a joined line may be any. */
static bool names_file(const struct word *word)
{
	return word->joined || word_is(word, "include") || word_is(word, "include_next") ||
	       word_is(word, "import") || word_is(word, "embed");
}

/* What other words of a directive say of files. */
static bool asks_for_file(const struct word *word)
{
	return word_is(word, "__has_include") || word_is(word, "__has_include_next") ||
	       word_is(word, "__has_embed");
}

static void follow_directive(struct scan *scan, const struct word *word, struct het__source_facts *facts)
{
	if (word_is(word, "if") || word_is(word, "ifdef") || word_is(word, "ifndef"))
		scan->depth++;
	else if (word_is(word, "endif") && scan->depth > 0)
		scan->depth--;
	else if (word_is(word, "include") && after_prelude(scan->at))
		facts->prelude = true;
	else if (names_file(word))
		facts->includes = true;
}

struct het__source_facts het__source_facts(const char *text)
{
	struct het__source_facts facts = {HET__NEVER, false, false};
	struct scan scan = {.at = text, .line_start = true};
	struct word word;

	while (next_word(&scan, &word)) {
		if (word.names_directive)
			follow_directive(&scan, &word, &facts);
		else if (word_is_double(&word) && (scan.directive || scan.depth > 0))
			facts.uses_double = facts.uses_double == HET__SURELY ? HET__SURELY : HET__PERHAPS;
		else if (word_is_double(&word))
			facts.uses_double = HET__SURELY;
		else if (scan.directive && (asks_for_file(&word) || word.joined))
			facts.includes = true;
	}
	return facts;
}
