/* flow.c - arrows: from what made a value to what reads it. Drawn when the reader ends, which is after all that
 * it reads has ended; but a task that is known to fail may end before, without an arrow from what goes on.
 *
 * Mere order has no arrows. A task that writes over what others read, in other queues, waits for all of them
 * that have not ended, and that may be as many as a program has started.
 */
#include "trace/watcher.h"

static void point(struct het__text *text, const struct het__watch *watch, char end, uint64_t arrow, int track,
		  uint64_t ns)
{
	het__text_add(text,
		      "{\"ph\":\"%c\",\"pid\":%d,\"tid\":%d,\"id\":%llu,\"cat\":\"flow\",\"name\":\"needs\",%s"
		      "\"ts\":",
		      end, watch->number, track, (unsigned long long)arrow, end == 'f' ? "\"bp\":\"e\"," : "");
	het__text_us(text, ns);
	het__text_add(text, "}");
}

/* The arrow leaves the first span in its last nanosecond, for viewers take its end for the next span's; or,
 * where clocks differ a little, when the second begins. Where they differ much there is none, nor from or to
 * what is not in the file. */
static void draw(struct het__watch *watch, const struct het__span *first, const struct het__span *second)
{
	uint64_t from = first->end_ns - (first->end_ns > first->begin_ns);
	struct het__text *text;
	uint64_t arrow;

	if (from > second->begin_ns)
		from = second->begin_ns;
	if (from < first->begin_ns || !first->shown || !second->shown)
		return;
	arrow = het__timeline_arrow(watch->timeline);
	text = het__timeline_begin(watch->timeline);
	point(text, watch, 's', arrow, first->track, from);
	het__text_add(text, ",\n");
	point(text, watch, 'f', arrow, second->track, second->begin_ns);
	(void)het__timeline_end(watch->timeline);
}

void het__flow_end(struct het__watch *watch, struct het__span *span)
{
	span->ended = true;
	for (int i = 0; i < span->makers.count; i++)
		if (span->makers.at[i]->ended)
			draw(watch, span->makers.at[i], span);
}
