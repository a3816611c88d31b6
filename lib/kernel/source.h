/* source.h - what can be told from OpenCL C text without compiling it. */
#ifndef HETERO_LIB_KERNEL_SOURCE_H
#define HETERO_LIB_KERNEL_SOURCE_H

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>

static inline bool het__is_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/** How sure a mention of something is to be compiled. */
enum het__mention {
	HET__NEVER,
	HET__PERHAPS, /* only in directives or between #if and #endif: the compiler decides */
	HET__SURELY,
};

struct het__source_facts {
	enum het__mention uses_double;
	bool includes; /* other files are part of the program */
	bool prelude;  /* it has the line #include "het.clh", or <het.clh> */
	bool varies;   /* it has __FILE__, __TIME__ or the like: elsewhere or later it is another program */
};

/** Reads a text; comments and quoted text do not count. */
struct het__source_facts het__source_facts(const char *text);

/** Does double, or a vector of it, stand among the words of [from, end), of whatever language that is? */
bool het__source_says_double(const char *from, const char *end);

/** What the body of the kernel of that name asks for of its launch as such, in this dimension:
 *  "get_global_size", "get_group_id", "get_num_groups" or "get_global_linear_id". NULL: nothing of these, or
 *  not surely (a dimension that is no numeral, text in a directive or between #if and #endif, functions that it
 *  calls, several kernels of the name), or get_global_offset as well, so that it knows of parts. */
const char *het__source_counts(const char *text, const char *kernel, int dimension);

/** May a program see what is a spread's part's instead of the whole range's, in this dimension, as far as its
 *  text says? By get_global_offset, get_global_size, get_group_id, get_num_groups or get_global_linear_id,
 *  wherever they stand: in any function, in a directive, between #if and #endif, or of a dimension that is no
 *  numeral. */
bool het__source_knows_parts(const char *text, int dimension);

/** By which macros of het.clh the body of the kernel of that name surely indexes a window of this name: bit r
 *  for HET_ATr or HET_INDEXr. What stands in a directive or between #if and #endif does not count, nor do
 *  functions that it calls. 0: by none, or not surely (there are several kernels of the name, or a brace stands
 *  between #if and #endif). */
uint16_t het__source_ranks(const char *text, const char *kernel, const char *window);

/** The first word of a text that het.clh defines: "HET_WINDOW and HET_AT" of these and HET_AT1..., "HET_INDEX",
 *  "het_atomic_...", or the word itself. NULL: there is none. */
const char *het__source_prelude_word(const char *text);

/** Does the text define this tag of a struct, union or enum: has it a '{' behind it, outside parentheses? In a
 *  kernel's list of parameters a definition would hold only there. */
bool het__source_defines(const char *text, const char *tag);

/** Where a text asks for the prelude: from '#' to the name's end. */
struct het__include {
	const char *begin, *end;
};

/** The next such line of a text, from *at on: first the text's beginning, then where the last call left it. */
bool het__source_next_prelude(const char **at, struct het__include *found);

/** The prelude, include/hetero/het.clh: kernel/prelude.c. */
extern const char het__prelude[];
#define HET__PRELUDE_NAME "het.clh"

#endif
