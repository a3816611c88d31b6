/* answer.h - what the library tells in a struct of the caller's.
 *
 * Such a struct leads with its size, which the caller's header set: it may be of an older version than the
 * library's, and shorter. A longer one is refused, as het_open refuses longer options: perhaps nobody set its
 * size.
 */
#ifndef HETERO_LIB_BASE_ANSWER_H
#define HETERO_LIB_BASE_ANSWER_H

#include <stddef.h>

#include <hetero/status.h>

/** Fills `out`, the argument `name` of the call `what`, from the library's own struct of `known_bytes`; the
 *  size stays the caller's. HET_ERR_ARGUMENT: NULL, or a size that cannot be. */
het_status het__answer(const char *what, const char *name, const void *known, size_t known_bytes, void *out);

#endif
