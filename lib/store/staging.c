/* staging.c - the pool of staging buffers. */

#include "store/staging.h"

#include <stdio.h>

#include "base/alloc.h"

const struct het__box het__staging_cell = {.hi = {1}};

struct pool {
	size_t bytes; /* of all buffers */
	uint64_t givings;
	HET__VEC(struct het__staging *) all;
};

bool het__staging_exists(const het_system *system)
{
	return system->staging_bytes >= HET__STAGING_BYTES;
}

/* ---- one buffer --------------------------------------------------------------------------------- */

/* Behind all that is in its queue. False where the driver does not, asked twice: the buffer must stay then. */
static bool unmap(struct het__staging *s)
{
	const struct het__after nothing = {0, NULL};
	het_status st = het__cl_unmap(&s->lane->queue, s->mem, s->block->host, nothing, NULL);

	if (st)
		st = het__cl_unmap(&s->lane->queue, s->mem, s->block->host, nothing, NULL);
	if (st)
		het__log(s->lane->system->logger, HET_LOG_WARN, "task", "%s", het_message());
	s->lane->unflushed = true;
	return st == HET_OK;
}

static void uncount(struct pool *pool, struct het__staging *s)
{
	if (s->counts)
		pool->bytes -= HET__STAGING_BYTES;
	s->counts = false;
	s->lane->system->count.staging_bytes = pool->bytes;
}

/* Nobody uses it. */
static void free_staging(struct pool *pool, struct het__staging *s)
{
	if (s->mem && unmap(s))
		het__cl_buffer_release(s->mem);
	het__block_free(s->block);
	uncount(pool, s);
	het__free(s);
}

static void mapper_ended(struct het__holder *holder, struct het__ref ref, struct het__failure *cause)
{
	struct het__staging *s = (struct het__staging *)holder;

	(void)ref;
	s->broken = cause != NULL;
}

/* The pointer is good as soon as the command is in the queue, the bytes when it has ended. */
static het_status submit_map(struct het__task *task, struct het__after after)
{
	struct het__staging *const s = *(struct het__staging **)task->payload;
	void *at = NULL;
	cl_event event;
	het_status st = het__task_reserve_events(task, 1);

	if (!st)
		st = het__cl_map(&task->lane->queue, s->mem, HET__MAP_TO_WRITE, 0, HET__STAGING_BYTES, after,
				 &at, &event);
	if (st)
		return st;
	s->block->host = at;
	het__task_add_event(task, event);
	return HET_OK;
}

static void describe_map(const struct het__task *task, char *text, size_t bytes)
{
	snprintf(text, bytes, "map of pinned memory of %s", task->lane->device->name);
}

static const struct het__task_ops map_ops = {
	.kind = "map", .submit = submit_map, .describe = describe_map};

static het_status start_mapping(struct het__staging *s)
{
	struct het__task *task;
	het_status st = het__task_new(s->lane, &map_ops, sizeof s, &task);

	if (st)
		return st;
	*(struct het__staging **)task->payload = s;
	st = het__block_reserve(s->block, 1);
	if (!st)
		st = het__task_add_holder(task, &s->holder);
	if (st) {
		het__task_cancel(task);
		return st;
	}
	s->mapper = het__ref_of(task);
	st = het__task_start(task);
	if (st)
		return st;
	het__block_record(s->block, &het__staging_cell, true, s->mapper);
	if (s->lane->system->watch)
		het__watch_start(task, NULL, 0);
	return HET_OK;
}

static het_status pin(struct het__staging *s)
{
	het_status st = het__block_wrap_host(s->lane->system, 1, NULL, HET__STAGING_BYTES, &s->block);

	if (!st)
		st = het__cl_buffer_pinned(s->lane->context->cl, HET__STAGING_BYTES, s->lane->device->name,
					   &s->mem);
	if (!st)
		st = start_mapping(s);
	if (st) {
		het__cl_buffer_release(s->mem);
		s->mem = NULL;
		het__block_free(s->block);
	}
	return st;
}

/* Where the driver has no pinned memory left plain memory does as well, if more slowly. */
static struct het__staging *new_staging(struct pool *pool, struct het__lane *lane)
{
	het_system *const system = lane->system;
	struct het__staging *s = het__alloc_zeroed(1, sizeof *s);

	if (!s || het__grow(&pool->all.at, &pool->all.room, pool->all.count + 1, sizeof s)) {
		het__free(s);
		return NULL;
	}
	s->holder.ended = mapper_ended;
	s->lane = lane;
	if (pin(s)) {
		het__log(system->logger, HET_LOG_DEBUG, "route", "no pinned memory: %s", het_message());
		s->mapper = (struct het__ref){NULL, 0};
		s->broken = false;
		if (het__block_new_host(system, 1, HET__STAGING_BYTES, &s->block)) {
			het__free(s);
			return NULL;
		}
	}
	pool->all.at[pool->all.count++] = s;
	pool->bytes += HET__STAGING_BYTES;
	s->counts = true;
	system->count.staging_bytes = pool->bytes;
	return s;
}

/* ---- the pool ----------------------------------------------------------------------------------- */

static void free_room(het_system *system)
{
	struct pool *pool = system->room[HET__ROOM_STORE].state;

	while (pool->all.count > 0)
		free_staging(pool, pool->all.at[--pool->all.count]);
	het__free(pool->all.at);
	het__free(pool);
	system->room[HET__ROOM_STORE].state = NULL;
}

static struct pool *pool_of(het_system *system)
{
	struct het__room_state *room = &system->room[HET__ROOM_STORE];

	if (!room->state) {
		room->state = het__alloc_zeroed(1, sizeof(struct pool));
		room->free = free_room;
	}
	return room->state;
}

static bool is_idle(const struct het__staging *s)
{
	return !het__block_user(s->block).task;
}

/* What `lane` has, or anybody where it is NULL. */
struct search {
	int count, oldest; /* oldest: its place, or -1 */
};

static struct search look(const struct pool *pool, const struct het__lane *lane, bool idle_only)
{
	struct search found = {0, -1};

	for (int i = 0; i < pool->all.count; i++) {
		const struct het__staging *const s = pool->all.at[i];

		if (s->broken || (lane && s->lane != lane) || (idle_only && !is_idle(s)))
			continue;
		found.count++;
		if (found.oldest < 0 || s->given < pool->all.at[found.oldest]->given)
			found.oldest = i;
	}
	return found;
}

static void drop(struct pool *pool, int place)
{
	free_staging(pool, pool->all.at[place]);
	pool->all.at[place] = pool->all.at[--pool->all.count];
}

/* They make room, but are left alone: to unmap what was never mapped fails, and with it what is behind. */
static void set_broken_aside(struct pool *pool)
{
	for (int i = 0; i < pool->all.count; i++)
		if (pool->all.at[i]->broken)
			uncount(pool, pool->all.at[i]);
}

/* Another lane's idle buffer makes room for a new one. */
static bool has_room(struct pool *pool, const het_system *system)
{
	struct search idle;

	if (pool->bytes + HET__STAGING_BYTES <= system->staging_bytes)
		return true;
	idle = look(pool, NULL, true);
	if (idle.oldest < 0)
		return false;
	drop(pool, idle.oldest);
	return true;
}

static struct het__staging *find(struct pool *pool, struct het__lane *lane, int depth)
{
	struct het__staging *fresh = NULL;
	struct search own, idle, any;

	set_broken_aside(pool);
	own = look(pool, lane, false);
	idle = look(pool, lane, true);
	if (idle.oldest >= 0)
		return pool->all.at[idle.oldest];
	if (own.count < depth && has_room(pool, lane->system))
		fresh = new_staging(pool, lane);
	if (fresh)
		return fresh;
	any = own.count > 0 ? look(pool, lane, false) : look(pool, NULL, false);
	return any.oldest >= 0 ? pool->all.at[any.oldest] : NULL;
}

het_status het__staging_take(struct het__lane *lane, int depth, struct het__staging **staging_p)
{
	struct pool *const pool = pool_of(lane->system);
	struct het__staging *const s = pool ? find(pool, lane, depth) : NULL;

	if (!s)
		return het__fail(HET_ERR_MEMORY, "no host memory to pass bytes to and from %s through",
				 lane->device->name);
	s->given = ++pool->givings;
	*staging_p = s;
	return HET_OK;
}
