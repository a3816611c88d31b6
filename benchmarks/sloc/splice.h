/* splice.h - a program text as compilers see it: lines that end in a backslash are one with the next. */
#ifndef SLOC_SPLICE_H
#define SLOC_SPLICE_H

struct spliced {
	char *text;
	const char **joints; /* where in `text` an end of a line was taken out, in order; NULL behind them */
};

/** Splices a text; spliced_free() what came of it. Returns 0, or -1 when there is no memory. */
int splice(struct spliced *spliced, const char *text);
void spliced_free(struct spliced *spliced);

#endif
