/* count.h - how long a C program is, and how much effort it is by Halstead's measure.
 *
 * Lines: those with anything but blanks and comments; lone braces count. Statements: the same after every
 * line break has been put anew: after { and }, after ; and labels outside of parentheses, after each
 * directive (but ; , ) and else stay with a } before them). They do not depend on how the text is laid out.
 *
 * Operands are names (of variables, functions, types, members, macros) and literals. Operators are
 * keywords, built-in types, punctuation; a pair of brackets is one, and so are ?: and a directive
 * (#include, #define...) without the rest of its line. The file of an #include is an operand. Different
 * ones are told by their spelling. */
#ifndef SLOC_COUNT_H
#define SLOC_COUNT_H

struct count;

/** What was counted. */
struct count_result {
	int lines, statements;
	int operators, operands; /* all of them */
	int different_operators, different_operands;
	double effort; /* (different operators / 2) (operands / different operands) length log2(vocabulary) */
};

/** An empty count, or NULL when there is no memory. */
struct count *count_new(void);
void count_free(struct count *count);

/** Adds a program text to a count. Returns 0, or -1 when there is no memory. */
int count_text(struct count *count, const char *text);

/** Adds a file. Returns 0, or -1 with `errno` set. */
int count_file(struct count *count, const char *path);

struct count_result count_result(const struct count *count);

#endif
