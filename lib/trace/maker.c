/* maker.c - who made what is in a block: disjoint boxes, each with the span that wrote it last.
 *
 * Hazards know of unfinished tasks only, and directories of copies; a reader's arrow and a transfer's reason
 * are about tasks that ended long ago, too. Of boxes beyond the limit the oldest are forgotten: then an arrow
 * is missing.
 */
#include "trace/watcher.h"

#include <string.h>

#include "base/alloc.h"

#define MAKERS_MOST 64

struct made {
	struct het__box box;
	struct het__span *by;
	uint64_t number; /* the larger, the later it was written */
};

struct het__makers {
	HET__VEC(struct made) list;
	uint64_t numbers;
};

static void forget(struct het__makers *makers, int i)
{
	het__span_release(makers->list.at[i].by);
	for (makers->list.count--; i < makers->list.count; i++)
		makers->list.at[i] = makers->list.at[i + 1];
}

static int oldest(const struct het__makers *makers)
{
	int found = 0;

	for (int i = 1; i < makers->list.count; i++)
		if (makers->list.at[i].number < makers->list.at[found].number)
			found = i;
	return found;
}

/* Without memory the box has no maker. */
static void add(struct het__makers *makers, const struct het__box *box, struct het__span *by, uint64_t number)
{
	if (makers->list.count == MAKERS_MOST)
		forget(makers, oldest(makers));
	if (het__grow(&makers->list.at, &makers->list.room, makers->list.count + 1, sizeof *makers->list.at))
		return;
	makers->list.at[makers->list.count++] = (struct made){*box, het__span_use(by), number};
}

/* Takes `box` out of what was written before; the rest of each stays. */
static void cut(struct het__makers *makers, int rank, const struct het__box *box)
{
	for (int i = makers->list.count - 1; i >= 0; i--) {
		const struct made old = makers->list.at[i];
		struct het__box rest[HET__BOX_PIECES];
		int count;

		if (!het__box_overlaps(rank, &old.box, box))
			continue;
		count = het__box_subtract(rank, &old.box, box, rest);
		het__span_use(old.by);
		forget(makers, i);
		for (int r = 0; r < count; r++)
			add(makers, &rest[r], old.by, old.number);
		het__span_release(old.by);
	}
}

void het__makers_set(struct het__block *block, const struct het__box *box, struct het__span *span)
{
	if (het__box_empty(block->rank, box))
		return;
	if (!block->makers)
		block->makers = het__alloc_zeroed(1, sizeof *block->makers);
	if (!block->makers)
		return;
	cut(block->makers, block->rank, box);
	add(block->makers, box, span, ++block->makers->numbers);
}

bool het__makers_find(const struct het__block *block, const struct het__box *box, het__spans *spans,
		      const char **origin)
{
	const struct het__makers *const makers = block->makers;
	uint64_t newest = 0;
	bool kept = true;

	for (int i = 0; makers && i < makers->list.count; i++) {
		const struct made *const made = &makers->list.at[i];

		if (!het__box_overlaps(block->rank, &made->box, box))
			continue;
		if (spans)
			kept &= het__spans_add(spans, made->by);
		if (origin && made->number > newest) {
			*origin = made->by->origin;
			newest = made->number;
		}
	}
	return kept;
}

void het__watch_forget(struct het__block *block)
{
	while (block->makers->list.count > 0)
		forget(block->makers, block->makers->list.count - 1);
	het__free(block->makers->list.at);
	het__free(block->makers);
	block->makers = NULL;
}

void het__watch_host_write(het_system *system, struct het__block *block, const struct het__box *box)
{
	struct het__span *span = system->watch->timeline ? het__alloc_zeroed(1, sizeof *span) : NULL;

	if (!span)
		return;
	span->users = 1;
	span->ended = true;
	span->begin_ns = span->end_ns = span->made_ns = het__host_ns();
	memcpy(span->origin, "the host", sizeof "the host");
	het__makers_set(block, box, span);
	het__span_release(span);
}
