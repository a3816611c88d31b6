/* slot.c - the memory of tasks. */

#include <string.h>

#include "task/inside.h"

static void init_slot(struct het__task *task)
{
	task->events.at = task->own_event;
	task->events.room = 1;
	task->holders.at = task->own_holder;
	task->holders.room = HET__OWN_HOLDERS;
	task->inputs.at = task->own_input;
	task->inputs.room = HET__OWN_INPUTS;
	task->after.at = task->own_after;
	task->after.room = HET__OWN_AFTER;
	task->payload = task->own_payload;
	task->payload_room = HET__OWN_PAYLOAD;
}

/* The first slot lies on top of the free ones. */
static int add_slab(struct het__tasks *tasks)
{
	struct het__slab *slab;

	if (HET__VEC_GROW(tasks->slabs))
		return -1;
	slab = het__alloc_aligned(_Alignof(struct het__slab), sizeof *slab);
	if (!slab)
		return -1;
	tasks->slabs.at[tasks->slabs.count++] = slab;
	for (int i = HET__SLAB - 1; i >= 0; i--) {
		init_slot(&slab->slot[i]);
		het__slot_give_back(tasks, &slab->slot[i]);
	}
	return 0;
}

int het__slot_payload(struct het__task *task, size_t bytes)
{
	void *payload;

	if (task->payload_room >= bytes)
		return 0;
	payload = het__alloc(bytes);
	if (!payload)
		return -1;
	memcpy(payload, task->payload, task->payload_room);
	if (task->payload != task->own_payload)
		het__free(task->payload);
	task->payload = payload;
	task->payload_room = bytes;
	task->is_large |= bytes > HET__PAYLOAD_KEPT;
	return 0;
}

int het__slot_grow(struct het__task *task, const void *own, void *items_p, int *room, int need, size_t size)
{
	if (het__grow_from(own, items_p, room, need, size))
		return -1;
	task->is_large |= *room > HET__ELEMENTS_KEPT;
	return 0;
}

#define TRIM(vec, own, own_room)                      \
	do {                                          \
		if ((vec).room > HET__ELEMENTS_KEPT) { \
			het__free((vec).at);          \
			(vec).at = (own);             \
			(vec).room = (own_room);      \
		}                                     \
	} while (0)

void het__slot_trim(struct het__task *task)
{
	task->is_large = false;
	TRIM(task->events, task->own_event, 1);
	TRIM(task->after, task->own_after, HET__OWN_AFTER);
	TRIM(task->inputs, task->own_input, HET__OWN_INPUTS);
	TRIM(task->holders, task->own_holder, HET__OWN_HOLDERS);
	TRIM(task->edges, NULL, 0);
	if (task->payload_room > HET__PAYLOAD_KEPT) {
		het__free(task->payload);
		task->payload = task->own_payload;
		task->payload_room = HET__OWN_PAYLOAD;
	}
}

int het__slot_make(struct het__tasks *tasks, size_t payload_bytes)
{
	if (!tasks->free && add_slab(tasks))
		return -1;
	return het__slot_payload(tasks->free, payload_bytes);
}

static void free_slot(struct het__task *task)
{
	if (task->events.at != task->own_event)
		het__free(task->events.at);
	if (task->holders.at != task->own_holder)
		het__free(task->holders.at);
	if (task->payload != task->own_payload)
		het__free(task->payload);
	if (task->after.at != task->own_after)
		het__free(task->after.at);
	if (task->inputs.at != task->own_input)
		het__free(task->inputs.at);
	het__free(task->edges.at);
}

void het__slots_free(struct het__tasks *tasks)
{
	for (int i = 0; i < het__slots_count(tasks); i++)
		free_slot(het__slot(tasks, i));
	for (int s = 0; s < tasks->slabs.count; s++)
		het__free_aligned(tasks->slabs.at[s]);
	het__free(tasks->slabs.at);
}

struct het__task *het__tasks_at(const struct het__tasks *tasks, int i)
{
	return i < het__slots_count(tasks) ? het__slot(tasks, i) : NULL;
}
