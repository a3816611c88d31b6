/* plain.c - the plate by one thread of the host. The expression is the kernel's, so the bits should be too. */
#include "plain.h"

#include <stddef.h>
#include <stdlib.h>

static void diffuse(float *next, const float *now, size_t n)
{
	for (size_t y = 1; y < n - 1; y++)
		for (size_t x = 1; x < n - 1; x++) {
			const float *const at = &now[y * n + x];

			next[y * n + x] = 0.25f * ((at[-(ptrdiff_t)n] + at[n]) + (at[-1] + at[1]));
		}
}

float *plain_plate(int size, int steps)
{
	const size_t n = (size_t)size;
	float *now = calloc(n, n * sizeof *now), *next = calloc(n, n * sizeof *next);

	if (!now || !next) {
		free(now);
		free(next);
		return NULL;
	}
	for (size_t x = 0; x < n; x++)
		now[x] = next[x] = HOT;
	for (int k = 0; k < steps; k++) {
		float *const done = next;

		diffuse(next, now, n);
		next = now;
		now = done;
	}
	free(next);
	return now;
}
