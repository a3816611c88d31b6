/* alloc.h - the one seam through which the library gets host memory.
 *
 * Every allocation of the library goes through here, so that tests can make the k-th one fail.
 */
#ifndef HETERO_LIB_BASE_ALLOC_H
#define HETERO_LIB_BASE_ALLOC_H

#include <stddef.h>

/* Each returns NULL without memory, also when count * size overflows. het__free takes NULL. */
void *het__alloc(size_t bytes);
void *het__alloc_zeroed(size_t count, size_t size);
void *het__realloc(void *memory, size_t bytes);
char *het__strdup(const char *text);
void het__free(void *memory);

#define HET__HUGE_FROM_BYTES ((size_t)4 << 20)

/** Zeroed memory aligned to `alignment` (a power of two); of a block of a MiB or more untouched pages cost
 *  nothing; one of HET__HUGE_FROM_BYTES or more, aligned to 4 KiB or less, lies in huge pages but for its ends,
 *  where the system gives them. NULL without memory. Freed with het__free_aligned, which takes NULL. */
void *het__alloc_aligned(size_t alignment, size_t bytes);
/** The same for a block of which few pages will be touched: never in huge pages, which are cleared wholly. */
void *het__alloc_sparse(size_t alignment, size_t bytes);
void het__free_aligned(void *memory);

/** What a launch looks at begins on a line of the cache, so that it lies in few of them. */
#define HET__CACHE_LINE 64

/** Grows *items (of `size` bytes each) so that it holds at least `need`; *capacity is updated, doubling.
 *  0, or -1 without memory (nothing changes). */
int het__grow(void *items_p, int *capacity, int need, size_t size);
/** The same for items that may still lie at `own`, a place inside something else, which is not freed. */
int het__grow_from(const void *own, void *items_p, int *capacity, int need, size_t size);

/** Test seam: the allocation after `after` more successful ones fails, and with `sticky` all later ones.
 *  A negative `after` switches it off. Returns how many allocations were asked for, in all threads, since
 *  the last call switched it on (0 when it was off: then nothing is counted; LONG_MAX counts without
 *  failing). So the loop over every failure ends when the count is at most `after`.
 *  Not for concurrent use with itself. */
long het__alloc_fail_after(long after, int sticky);

/** Test seam: blocks handed out and not freed, in all threads. Always 0 without debug checks. */
long het__alloc_live(void);

#endif
