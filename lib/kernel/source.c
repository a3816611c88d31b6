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

/* Its letters, without what joins lines among them; of long words only the first. */
struct word {
	const char *begin;
	char text[24];
	size_t length;
	bool names_directive;
};

static bool word_is(const struct word *word, const char *text)
{
	return strlen(text) == word->length && memcmp(word->text, text, word->length) == 0;
}

static void add_letter(struct word *word, char letter)
{
	if (word->length < sizeof(word->text))
		word->text[word->length] = letter;
	word->length++;
}

/* "double" and its vectors. */
static bool word_is_double(const struct word *word)
{
	static const char *const names[] = {"double", "double2", "double3", "double4", "double8", "double16"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (word_is(word, names[i]))
			return true;
	return false;
}

bool het__source_says_double(const char *from, const char *end)
{
	while (from < end) {
		struct word word = {.length = 0};

		for (; from < end && het__is_of_name(*from); from++)
			add_letter(&word, *from);
		if (word_is_double(&word))
			return true;
		from += word.length == 0;
	}
	return false;
}

/* Macros whose value is where a text stands, or when it was compiled or written. */
static bool varies(const struct word *word)
{
	static const char *const names[] = {"__FILE__", "__BASE_FILE__", "__FILE_NAME__",
					    "__DATE__", "__TIME__",      "__TIMESTAMP__"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (word_is(word, names[i]))
			return true;
	return false;
}

/* A lone CR ends a line, too. */
static bool ends_line(char c)
{
	return c == '\n' || c == '\r';
}

/* The bytes of a backslash and the end of its line at `p`, which join two lines; 0 where there is none.
 * Compilers overlook blanks between the two. */
static size_t join_length(const char *p)
{
	size_t length = 1;

	if (*p != '\\')
		return 0;
	length += strspn(p + length, " \t\v\f");
	if (!ends_line(p[length]))
		return 0;
	return ends_line(p[length + 1]) && p[length + 1] != p[length] ? length + 2 : length + 1;
}

/* The first position from `p` on that does not join lines. */
static const char *over_joins(const char *p)
{
	for (size_t join; (join = join_length(p)) > 0;)
		p += join;
	return p;
}

/* The position of the character after the one at `p`. */
static const char *next(const char *p)
{
	return over_joins(p + 1);
}

/* The position of the character that ends the line at `p`, which may go on over several. */
static const char *end_of_line(const char *p)
{
	while (*p && !ends_line(*p))
		p = next(p);
	return p;
}

static bool begins_comment(const char *p)
{
	return *p == '/' && (*next(p) == '/' || *next(p) == '*');
}

/* The position after the comment that starts at `p`; a line comment ends before its newline. */
static const char *after_comment(const char *p)
{
	p = next(p);
	if (*p == '/')
		return end_of_line(p);
	for (p = next(p); *p; p = next(p))
		if (*p == '*' && *next(p) == '/')
			return next(next(p));
	return p;
}

static const char *over_gap(const char *at)
{
	for (at = over_joins(at); isspace((unsigned char)*at) || begins_comment(at);)
		at = begins_comment(at) ? after_comment(at) : next(at);
	return at;
}

/* The position after the quoted text that starts at `p`; it ends with its line if need be. */
static const char *after_quoted(const char *p)
{
	const char quote = *p;

	for (p = next(p); *p && *p != quote && !ends_line(*p); p = next(p))
		if (*p == '\\' && *next(p))
			p = next(p);
	return *p == quote ? next(p) : p;
}

static void new_line(struct scan *scan)
{
	scan->line_start = true;
	scan->directive = scan->names_it = false;
	scan->at = next(scan->at);
}

/* The position after '#', "%:" or, where the compiler knows trigraphs, "?\?="; NULL where there is none. */
static const char *after_hash(const struct scan *scan)
{
	const char *const p = scan->at;

	if (!scan->line_start)
		return NULL;
	if (*p == '#')
		return next(p);
	if (*p == '%' && *next(p) == ':')
		return next(next(p));
	return strncmp(p, "?\?=", 3) == 0 ? over_joins(p + 3) : NULL;
}

/* Steps over one thing that is not a word. */
static void step(struct scan *scan)
{
	const char *const p = scan->at, *const hash = after_hash(scan);

	if (ends_line(*p)) {
		new_line(scan);
	} else if (begins_comment(p)) {
		scan->at = after_comment(p);
	} else if (hash) {
		scan->directive = scan->names_it = true;
		scan->line_start = false;
		scan->hash = p;
		scan->at = hash;
	} else if (*p == '"' || *p == '\'') {
		scan->at = after_quoted(p);
		scan->line_start = false;
	} else {
		scan->line_start = scan->line_start && isspace((unsigned char)*p);
		scan->at = next(p);
	}
}

/* A number takes the letters in it along: they are no words. */
static void take_word(struct scan *scan, struct word *word)
{
	word->begin = scan->at;
	for (word->length = 0; het__is_of_name(*scan->at); scan->at = next(scan->at))
		add_letter(word, *scan->at);
	word->names_directive = scan->names_it;
	scan->names_it = scan->line_start = false;
}

static bool next_word(struct scan *scan, struct word *word)
{
	while (*scan->at && !het__is_of_name(*scan->at))
		step(scan);
	if (!*scan->at)
		return false;
	take_word(scan, word);
	return true;
}

/* Behind the word `include`: the end of the prelude's name, or NULL where another file is named. */
static const char *after_prelude(const char *p)
{
	static const char name[] = HET__PRELUDE_NAME;
	char end;

	while (*p == ' ' || *p == '\t')
		p = next(p);
	if (*p != '"' && *p != '<')
		return NULL;
	end = *p++ == '<' ? '>' : '"';
	return strncmp(p, name, sizeof(name) - 1) == 0 && p[sizeof(name) - 1] == end ? p + sizeof(name) : NULL;
}

bool het__source_next_prelude(const char **at, struct het__include *found)
{
	struct scan scan = {.at = over_joins(*at), .line_start = true};
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

static bool names_file(const struct word *word)
{
	return word_is(word, "include") || word_is(word, "include_next") ||
	       word_is(word, "import") || word_is(word, "embed");
}

/* Other words of a directive that ask for files. */
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

/* Only the compiler knows whether it takes the trigraph for a backslash, and so where lines end. */
static void heed_trigraphs(const char *text, struct het__source_facts *facts)
{
	if (!strstr(text, "?\?/"))
		return;
	facts->includes = true;
	if (facts->uses_double == HET__SURELY)
		facts->uses_double = HET__PERHAPS;
}

struct het__source_facts het__source_facts(const char *text)
{
	struct het__source_facts facts = {HET__NEVER, false, false, false};
	struct scan scan = {.at = over_joins(text), .line_start = true};
	struct word word;

	while (next_word(&scan, &word)) {
		if (word.names_directive)
			follow_directive(&scan, &word, &facts);
		else if (word_is_double(&word) && (scan.directive || scan.depth > 0))
			facts.uses_double = facts.uses_double == HET__SURELY ? HET__SURELY : HET__PERHAPS;
		else if (word_is_double(&word))
			facts.uses_double = HET__SURELY;
		else if (varies(&word))
			facts.varies = true;
		else if (scan.directive && asks_for_file(&word))
			facts.includes = true;
	}
	heed_trigraphs(text, &facts);
	return facts;
}

/* ---- a kernel's body ---------------------------------------------------------------------------- */

/* The next word, told by 'w', or the next brace or semicolon, but none of a directive; 0: no more. */
static char next_mark(struct scan *scan, struct word *word)
{
	struct het__source_facts unused = {HET__NEVER, false, false, false};

	while (*scan->at) {
		const char c = *scan->at;

		if (het__is_of_name(c))
			take_word(scan, word);
		else
			step(scan);
		if (het__is_of_name(c) && word->names_directive)
			follow_directive(scan, word, &unused);
		else if (het__is_of_name(c) && !scan->directive)
			return 'w';
		else if ((c == '{' || c == '}' || c == ';') && !scan->directive)
			return c;
	}
	return 0;
}

/* As word_is, for names of any length. */
static bool word_spells(const struct word *word, const char *name)
{
	const char *p = word->begin;

	for (; *name; name++, p = next(p))
		if (*p != *name)
			return false;
	return !het__is_of_name(*p);
}

bool het__source_defines(const char *text, const char *tag)
{
	struct scan scan = {.at = over_joins(text), .line_start = true};
	struct word word;
	int depth = 0;

	while (*scan.at) {
		if (!het__is_of_name(*scan.at)) {
			depth += scan.directive ? 0 : (*scan.at == '(') - (*scan.at == ')');
			step(&scan);
			continue;
		}
		take_word(&scan, &word);
		if (depth <= 0 && word_spells(&word, tag) && *over_gap(scan.at) == '{')
			return true;
	}
	return false;
}

static const char *over_blanks(const char *p)
{
	while (isspace((unsigned char)*p))
		p = next(p);
	return p;
}

/* Goes behind the brace that opens the kernel's body; false: there is none. */
static bool find_body(struct scan *scan, const char *kernel)
{
	bool is_kernel = false, is_named = false;
	struct word word;
	int braces = 0;

	for (char mark; (mark = next_mark(scan, &word)) != 0;) {
		if (mark == '{' && braces == 0 && is_named)
			return true;
		if (mark == '{')
			braces++;
		if (mark == '}' && braces > 0)
			braces--;
		if (mark == 'w' && (word_is(&word, "kernel") || word_is(&word, "__kernel")))
			is_kernel = true;
		else if (mark == 'w' && is_kernel && word_spells(&word, kernel))
			is_named |= *over_blanks(scan->at) == '(';
		else if (mark != 'w')
			is_kernel = is_named = false;
	}
	return false;
}

/* "(0)", "( 0u )" at `p`. */
static bool gives_dimension(const char *p, int dimension)
{
	p = over_blanks(p);
	if (*p != '(')
		return false;
	p = over_blanks(next(p));
	if (*p != '0' + dimension)
		return false;
	p = next(p);
	p = over_blanks(*p == 'u' || *p == 'U' ? next(p) : p);
	return *p == ')';
}

/* A kernel's body, word by word. */
struct body {
	struct scan scan;
	int depth, braces; /* #if around it; braces that are open */
	bool is_lost;      /* a brace stands between #if and #endif: nobody knows where it ends */
};

static bool begin_body(struct body *body, const char *text, const char *kernel)
{
	*body = (struct body){.scan = {.at = over_joins(text), .line_start = true}, .braces = 1};
	if (!find_body(&body->scan, kernel))
		return false;
	body->depth = body->scan.depth;
	return true;
}

/* The next word that is surely compiled. */
static bool next_in_body(struct body *body, struct word *word)
{
	for (char mark; body->braces > 0 && (mark = next_mark(&body->scan, word)) != 0;) {
		const bool is_sure = body->scan.depth == body->depth;

		if (mark == 'w' && is_sure)
			return true;
		if (mark == '{' || mark == '}') {
			body->is_lost |= !is_sure;
			body->braces += mark == '{' ? 1 : -1;
		}
		if (body->is_lost)
			return false;
	}
	return false;
}

/* Asked behind its last word. Of several kernels of the name the compiler takes one, nobody knows which. */
static bool is_body_known(struct body *body, const char *kernel)
{
	return !body->is_lost && !find_body(&body->scan, kernel);
}

const char *het__source_counts(const char *text, const char *kernel, int dimension)
{
	static const char *const asked[] = {"get_global_size", "get_group_id", "get_num_groups"};
	const char *found = NULL;
	struct body body;
	struct word word;

	if (!begin_body(&body, text, kernel))
		return NULL;
	while (next_in_body(&body, &word)) {
		if (word_is(&word, "get_global_linear_id"))
			found = "get_global_linear_id";
		if (!gives_dimension(body.scan.at, dimension))
			continue;
		if (word_is(&word, "get_global_offset"))
			return NULL;
		for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++)
			if (word_is(&word, asked[i]))
				found = asked[i];
	}
	return is_body_known(&body, kernel) ? found : NULL;
}

static bool gives_another(const char *p, int dimension)
{
	for (int other = 0; other < 3; other++)
		if (other != dimension && gives_dimension(p, other))
			return true;
	return false;
}

bool het__source_knows_parts(const char *text, int dimension)
{
	static const char *const told[] = {"get_global_offset", "get_global_size", "get_group_id",
					   "get_num_groups"};
	struct scan scan = {.at = over_joins(text), .line_start = true};
	struct word word;

	while (next_word(&scan, &word)) {
		if (word_is(&word, "get_global_linear_id"))
			return true;
		for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++)
			if (word_is(&word, told[i]) && !gives_another(scan.at, dimension))
				return true;
	}
	return false;
}

/* "(in," at `p`. */
static bool gives_name(const char *p, const char *name)
{
	p = over_gap(p);
	if (*p != '(')
		return false;
	p = over_gap(next(p));
	for (; *name; name++, p = next(p))
		if (*p != *name)
			return false;
	return *over_gap(p) == ',';
}

/* HET_AT3, HET_INDEX3: 3. Else 0. */
static int rank_of_macro(const struct word *word)
{
	static const char *const stems[] = {"HET_AT", "HET_INDEX"};

	for (size_t i = 0; i < sizeof(stems) / sizeof(stems[0]); i++) {
		const size_t length = strlen(stems[i]);
		const char digit = word->text[length];

		if (word->length == length + 1 && memcmp(word->text, stems[i], length) == 0 && digit >= '1' &&
		    digit <= '8')
			return digit - '0';
	}
	return 0;
}

uint16_t het__source_ranks(const char *text, const char *kernel, const char *window)
{
	uint16_t found = 0;
	struct body body;
	struct word word;

	if (!begin_body(&body, text, kernel))
		return 0;
	while (next_in_body(&body, &word))
		if (rank_of_macro(&word) && gives_name(body.scan.at, window))
			found |= (uint16_t)(1u << rank_of_macro(&word));
	return is_body_known(&body, kernel) ? found : 0;
}

const char *het__source_prelude_word(const char *text)
{
	static const char *const names[] = {"HET_PASS", "HET_POINTER"};
	static const char atomics[] = "het_atomic_";
	struct scan scan = {.at = over_joins(text), .line_start = true};
	struct word word;

	while (next_word(&scan, &word)) {
		if (word_is(&word, "HET_WINDOW") || (rank_of_macro(&word) && word.text[4] == 'A'))
			return "HET_WINDOW and HET_AT";
		if (rank_of_macro(&word))
			return "HET_INDEX";
		if (word.length > strlen(atomics) && memcmp(word.text, atomics, strlen(atomics)) == 0)
			return "het_atomic_...";
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (word_is(&word, names[i]))
				return names[i];
	}
	return NULL;
}
