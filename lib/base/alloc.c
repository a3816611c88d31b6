/* alloc.c - host memory, with a counter that makes chosen allocations fail. */
#include "base/alloc.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Blocks of at least this size come straight from the kernel: calloc may hand out recycled memory, which
 * it must then fill with zeros, touching every page. */
#define MAPPED_FROM_BYTES ((size_t)1 << 20)
/* Blocks of at least two huge pages ask for them: a kernel that streams through tens of MiB misses the
 * translation of an address 512 times less often. Each begins in another place of its first one: if
 * their addresses differed by whole huge pages, their same elements would push each other out of caches. The
 * first and the last may stay small pages: what lies before the block is in the first, too. */
#define HUGE_PAGE_BYTES ((size_t)2 << 20)
#define PLACES 29u
#define PLACE_BYTES ((size_t)17 << 12)

/* ---- failure on demand ------------------------------------------------------------------------- */

/* `armed` is all that is looked at in normal use. The rest has a meaning only while it is set. */
static atomic_bool armed;
static atomic_bool fails_for_ever;
static atomic_long allowed; /* how many succeed before the first failure */
static atomic_long asked;   /* allocations asked for since armed, failed ones included */

long het__alloc_fail_after(long after, int sticky)
{
	atomic_store(&armed, false);
	const long counted = atomic_exchange(&asked, 0);
	atomic_store(&allowed, after);
	atomic_store(&fails_for_ever, sticky != 0);
	atomic_store(&armed, after >= 0);
	return counted;
}

static bool refused(void)
{
	if (!atomic_load_explicit(&armed, memory_order_relaxed))
		return false;
	const long number = atomic_fetch_add(&asked, 1);
	const long last_good = atomic_load(&allowed);
	return atomic_load(&fails_for_ever) ? number >= last_good : number == last_good;
}

/* ---- count of blocks --------------------------------------------------------------------------- */

#ifdef HETERO_DEBUG_CHECKS
static atomic_long live;

long het__alloc_live(void)
{
	return atomic_load(&live);
}

/* Notes that a block was made, if it was. */
static void *counted(void *block)
{
	atomic_fetch_add_explicit(&live, block != NULL, memory_order_relaxed);
	return block;
}

static void uncount(const void *block)
{
	atomic_fetch_sub_explicit(&live, block != NULL, memory_order_relaxed);
}
#else
long het__alloc_live(void)
{
	return 0;
}

static void *counted(void *block)
{
	return block;
}

static void uncount(const void *block)
{
	(void)block;
}
#endif

/* ---- plain blocks ------------------------------------------------------------------------------ */

/* Asking for nothing gives a block too, so that NULL always means failure. */
static size_t at_least_one(size_t bytes)
{
	return bytes ? bytes : 1;
}

void *het__alloc(size_t bytes)
{
	return refused() ? NULL : counted(malloc(at_least_one(bytes)));
}

void *het__alloc_zeroed(size_t count, size_t size)
{
	size_t bytes;
	if (refused() || __builtin_mul_overflow(count, size, &bytes))
		return NULL;
	return counted(calloc(1, at_least_one(bytes)));
}

void *het__realloc(void *memory, size_t bytes)
{
	if (refused())
		return NULL;
	return memory ? realloc(memory, at_least_one(bytes)) : counted(malloc(at_least_one(bytes)));
}

char *het__strdup(const char *text)
{
	const size_t bytes = strlen(text) + 1;
	char *copy = het__alloc(bytes);
	return copy ? memcpy(copy, text, bytes) : NULL;
}

void het__free(void *memory)
{
	uncount(memory);
	free(memory);
}

/* The next capacity: doubled, but not beyond an int, and never below what is needed. */
static int grown(int capacity, int need)
{
	const int doubled = capacity > INT_MAX / 2 ? INT_MAX : capacity < 4 ? 8 : 2 * capacity;
	return doubled > need ? doubled : need;
}

int het__grow_from(const void *own, void *items_p, int *capacity, int need, size_t size)
{
	if (need <= *capacity)
		return 0;

	const int wanted = grown(*capacity, need);
	size_t bytes;
	if (__builtin_mul_overflow((size_t)wanted, size, &bytes))
		return -1;

	/* The pointer is copied as bytes: it may point to items of any type. */
	void *items;
	memcpy(&items, items_p, sizeof items);
	const bool is_own = own && items == own;
	items = het__realloc(is_own ? NULL : items, bytes);
	if (!items)
		return -1;
	if (is_own)
		memcpy(items, own, (size_t)*capacity * size);
	memcpy(items_p, &items, sizeof items);
	*capacity = wanted;
	return 0;
}

int het__grow(void *items_p, int *capacity, int need, size_t size)
{
	return het__grow_from(NULL, items_p, capacity, need, size);
}

/* ---- aligned blocks ---------------------------------------------------------------------------- */

/* Lies just before an aligned block and says how to give it back. */
struct origin {
	void *base;
	size_t mapped_bytes; /* 0: from calloc */
};

static bool get_zeroed(size_t bytes, struct origin *origin)
{
	if (bytes < MAPPED_FROM_BYTES) {
		*origin = (struct origin){.base = calloc(1, bytes)};
		return origin->base != NULL;
	}
	void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	*origin = (struct origin){.base = base, .mapped_bytes = bytes};
	return base != MAP_FAILED;
}

/* How far after the start of a huge page the next block begins. */
static size_t next_place(void)
{
	static atomic_uint turn;

	return atomic_fetch_add_explicit(&turn, 1, memory_order_relaxed) % PLACES * PLACE_BYTES;
}

/* Asks for huge pages, which a system may not have, or for none, as some give them to everybody. */
static void ask_for_pages(void *from, size_t bytes, bool huge)
{
#ifdef MADV_HUGEPAGE
	(void)madvise(from, bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
#else
	(void)from;
	(void)bytes;
	(void)huge;
#endif
}

static void *alloc_block(size_t alignment, size_t bytes, bool sparse)
{
	_Static_assert((sizeof(struct origin) & (sizeof(struct origin) - 1)) == 0, "its size is an alignment");
	if (alignment < sizeof(struct origin))
		alignment = sizeof(struct origin);
	const bool huge = bytes >= HET__HUGE_FROM_BYTES && PLACE_BYTES % alignment == 0 && !sparse;
	const size_t place = huge ? next_place() : 0, boundary = huge ? HUGE_PAGE_BYTES : alignment;

	size_t total;
	struct origin origin;
	if (__builtin_add_overflow(bytes, boundary + place + sizeof(struct origin), &total) || refused())
		return NULL;
	if (!get_zeroed(total, &origin))
		return NULL;

	const uintptr_t first = (uintptr_t)origin.base + sizeof(struct origin);
	const uintptr_t start = (first + boundary - 1) & ~(uintptr_t)(boundary - 1);
	char *const from = (char *)origin.base + (start - (uintptr_t)origin.base), *const block = from + place;
	if (sparse && origin.mapped_bytes)
		ask_for_pages(origin.base, total, false);
	memcpy(block - sizeof origin, &origin, sizeof origin);
	if (huge)
		ask_for_pages(from, place + bytes, true);
	return counted(block);
}

void *het__alloc_aligned(size_t alignment, size_t bytes)
{
	return alloc_block(alignment, bytes, false);
}

void *het__alloc_sparse(size_t alignment, size_t bytes)
{
	return alloc_block(alignment, bytes, true);
}

void het__free_aligned(void *memory)
{
	if (!memory)
		return;

	uncount(memory);
	struct origin origin;
	memcpy(&origin, (char *)memory - sizeof origin, sizeof origin);
	if (origin.mapped_bytes)
		(void)munmap(origin.base, origin.mapped_bytes); /* if the kernel refuses, the block stays */
	else
		free(origin.base);
}
