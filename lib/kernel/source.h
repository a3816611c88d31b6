/* source.h - what can be told from OpenCL C text without compiling it. */
#ifndef HETERO_LIB_KERNEL_SOURCE_H
#define HETERO_LIB_KERNEL_SOURCE_H

#include <stdbool.h>

/** How sure a mention of something is to be compiled. */
enum het__mention {
	HET__NEVER,
	HET__PERHAPS, /* only in directives or between #if and #endif: the compiler decides */
	HET__SURELY,
};

struct het__source_facts {
	enum het__mention uses_double;
	bool includes; /* other files are part of the program */
};

/** Reads a text; comments and quoted text do not count. */
struct het__source_facts het__source_facts(const char *text);

#endif
