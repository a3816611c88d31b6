/* valgrind.h - what valgrind is not to complain of, where its header was there when the library was built. */
#ifndef HETERO_LIB_BASE_VALGRIND_H
#define HETERO_LIB_BASE_VALGRIND_H

#include <stdbool.h>
#include <string.h>

#if defined(__has_include)
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#endif
#endif

#ifdef VALGRIND_DISABLE_ERROR_REPORTING
#define HET__STRUCTS_COMPARED 1
#else
#define HET__STRUCTS_COMPARED 0
#endif

/** Whether two structs are known to be equal. The padding between their members is compared with them. Memcheck
 *  would say of it that the program reads what it never wrote; without valgrind's header nothing is known. */
static inline bool het__structs_equal(const void *a, const void *b, size_t bytes)
{
	bool equal = false;

#if HET__STRUCTS_COMPARED
	VALGRIND_DISABLE_ERROR_REPORTING;
	equal = memcmp(a, b, bytes) == 0;
	VALGRIND_ENABLE_ERROR_REPORTING;
#else
	(void)a, (void)b, (void)bytes;
#endif
	return equal;
}

#endif
