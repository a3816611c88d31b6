/* gives_up.h - stands in for examples/must.h where a test includes an example: a failure ends the scenario, not
 * the process, and the example's memory is given back when the scenario is over.
 *
 * Include it before the example's source. A scenario's `run` begins with `if (setjmp(gave_up)) return
 * reason;` and keeps what it makes in static variables.
 */
#ifndef HETERO_TESTS_GIVES_UP_H
#define HETERO_TESTS_GIVES_UP_H

#define EXAMPLES_MUST_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <hetero.h>

#include "checks.h"

static jmp_buf gave_up;
static het_status reason;

static inline void must(het_status status)
{
	if (status == HET_OK)
		return;
	reason = status;
	longjmp(gave_up, 1);
}

#define BLOCKS_MOST 16
static void *blocks[BLOCKS_MOST];
static int block_count;

static inline void *scenario_malloc(size_t bytes)
{
	ck_assert_int_lt(block_count, BLOCKS_MOST);
	return blocks[block_count++] = malloc(bytes);
}

static inline void scenario_free(void *block)
{
	for (int i = 0; i < block_count; i++)
		if (blocks[i] == block)
			blocks[i] = blocks[--block_count];
	free(block);
}

static inline void free_blocks(void)
{
	while (block_count > 0)
		free(blocks[--block_count]);
}

/* An array of a scenario that perhaps was never made. */
static inline void drop_array(het_array **array)
{
	const het_status st = *array ? het_array_free(*array) : HET_OK;

	ck_assert_msg(st == HET_OK, "het_array_free: %d, %s", (int)st, het_message());
	*array = NULL;
}

/* Whether a row (the rank is 2) or all of an array (rank 1) can be read; if not, it is because it was lost. */
static inline bool can_read(struct het_view view, void *values)
{
	const het_status st = het_read(view, values);

	ck_assert_msg(st == HET_OK || st == HET_ERR_LOST, "a read failed after the failure: %d, %s", (int)st,
		      het_message());
	return st == HET_OK;
}

#define malloc(bytes) scenario_malloc(bytes)
#define free(block) scenario_free(block)

#endif
