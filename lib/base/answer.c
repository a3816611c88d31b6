/* answer.c - structs of the caller's, filled as far as both sides know them. */
#include "base/answer.h"

#include <string.h>

#include "base/error.h"

het_status het__answer(const char *what, const char *name, const void *known, size_t known_bytes, void *out)
{
	size_t bytes;

	if (!out)
		return het__fail(HET_ERR_ARGUMENT, "%s: %s is NULL", what, name);
	memcpy(&bytes, out, sizeof bytes);
	if (bytes <= sizeof bytes || bytes > known_bytes)
		return het__fail(HET_ERR_ARGUMENT,
				 "%s: %s->size is %zu; this version of the library knows %zu (HET_..._INIT "
				 "sets it)",
				 what, name, bytes, known_bytes);
	memcpy((char *)out + sizeof bytes, (const char *)known + sizeof bytes, bytes - sizeof bytes);
	return HET_OK;
}
