/* fresh.c - memory full of POISON. What is large shares its pages until they are written to: a program that
 * makes megabytes, of which it uses little, costs next to nothing. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fake.h"

#define PAGE 4096 /* bytes that are looked at together */
/* Pages are shared of memory of so many bytes. */
#define SHARED_LEAST ((size_t)1 << 20)
#define SHARED_MOST ((size_t)16 << 20)
/* Bytes that are poisoned at each end of what is larger: a card may have more memory than the machine. */
#define POISONED ((size_t)64 << 20)

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static int pages = -1; /* a file full of POISON */
static size_t page_bytes;

static bool write_poison(size_t bytes)
{
	unsigned char poison[PAGE];

	memset(poison, POISON, sizeof poison);
	for (; page_bytes < bytes; page_bytes += PAGE)
		if (pwrite(pages, poison, PAGE, (off_t)page_bytes) != PAGE)
			return false;
	return true;
}

static unsigned char *share_pages(size_t bytes)
{
	unsigned char *at = MAP_FAILED;

	pthread_mutex_lock(&turn);
	if (pages < 0)
		pages = memfd_create("fakecl", MFD_CLOEXEC);
	if (pages >= 0 && write_poison(bytes))
		at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, pages, 0);
	pthread_mutex_unlock(&turn);
	return at == MAP_FAILED ? NULL : at;
}

unsigned char *fake_fresh(size_t bytes, bool *shares_p)
{
	unsigned char *at = bytes >= SHARED_LEAST && bytes <= SHARED_MOST ? share_pages(bytes) : NULL;

	*shares_p = at != NULL;
	if (at)
		return at;
	at = fake_alloc(bytes);
	memset(at, POISON, bytes < POISONED ? bytes : POISONED);
	if (bytes > POISONED)
		memset(at + bytes - POISONED, POISON, POISONED);
	return at;
}

void fake_fresh_free(unsigned char *at, size_t bytes, bool shares)
{
	if (shares)
		(void)munmap(at, bytes);
	else
		free(at);
}

/* Is it all poison? */
static bool is_poison(const unsigned char *at, size_t bytes)
{
	return bytes == 0 || (at[0] == POISON && memcmp(at, at + 1, bytes - 1) == 0);
}

void fake_poison(unsigned char *at, size_t bytes)
{
	for (size_t done = 0; done < bytes; done += PAGE) {
		const size_t piece = bytes - done < PAGE ? bytes - done : PAGE;

		if (!is_poison(at + done, piece))
			memset(at + done, POISON, piece);
	}
}

void fake_copy_changed(unsigned char *to, const unsigned char *from, size_t bytes)
{
	for (size_t at = 0; at < bytes; at += PAGE) {
		const size_t piece = bytes - at < PAGE ? bytes - at : PAGE;

		if (memcmp(to + at, from + at, piece) != 0)
			memcpy(to + at, from + at, piece);
	}
}
