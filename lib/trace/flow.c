/* flow.c - dependences as arrows. One is drawn when both its ends are known: by the span that ends last.
 *
 * Of two tasks the later is seen to end after the earlier where it reads what that made, but perhaps before it
 * where it only had to come after it in another queue.
 */
#include "trace/watcher.h"

void het__flow_make(struct het__watch *watch, struct het__span *span)
{
	for (int i = 0; i < span->before.count; i++)
		if (!span->before.at[i]->ended && !het__spans_add(&span->before.at[i]->after, span))
			het__timeline_drop(watch->timeline);
}

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

/* It leaves the first in its last nanosecond, for at its end viewers take it for the next one's; or where
 * clocks differ a little, before the second begins. Where they differ much there is none, nor from or to
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
	for (int i = 0; i < span->before.count; i++)
		if (span->before.at[i]->ended)
			draw(watch, span->before.at[i], span);
	for (int i = 0; i < span->after.count; i++)
		if (span->after.at[i]->ended)
			draw(watch, span, span->after.at[i]);
}
