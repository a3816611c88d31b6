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

static struct pool *pool_of(het_system *system)
{
	return system->room[HET__ROOM_STORE].state;
}

static void count_bytes(het_system *system, size_t bytes)
{
	pool_of(system)->bytes = bytes;
	system->count.staging_bytes = bytes;
}

/* ---- one buffer --------------------------------------------------------------------------------- */

static void free_staging(struct het__staging *s)
{
	het__cl_buffer_release(s->mem);
	het__block_free(s->block);
	het__free(s);
}

static het_status new_task(struct het__staging *s, const struct het__task_ops *ops, struct het__task **task_p)
{
	het_status st = het__task_new(s->lane, ops, sizeof s, task_p);

	if (st)
		return st;
	*(struct het__staging **)(*task_p)->payload = s;
	st = het__task_add_holder(*task_p, &s->holder);
	if (st)
		het__task_cancel(*task_p);
	return st;
}

/* A buffer that could not be mapped counts no longer, but is left alone until the end: its unmapping might
 * fail, too, and with it the commands behind. */
static void mapper_ended(struct het__holder *holder, struct het__ref ref, struct het__failure *cause)
{
	struct het__staging *s = (struct het__staging *)holder;
	het_system *const system = s->lane->system;

	(void)ref;
	s->broken = cause != NULL;
	if (s->broken)
		count_bytes(system, pool_of(system)->bytes - HET__STAGING_BYTES);
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
	het_status st = het__block_reserve(s->block, 1);

	s->holder.ended = mapper_ended;
	if (!st)
		st = new_task(s, &map_ops, &task);
	if (st)
		return st;
	s->mapper = het__ref_of(task);
	st = het__task_start(task);
	if (st)
		return st;
	het__block_record(s->block, &het__staging_cell, true, s->mapper);
	if (s->lane->system->watch)
		het__watch_start(task, NULL, 0);
	return HET_OK;
}

static het_status submit_unmap(struct het__task *task, struct het__after after)
{
	struct het__staging *const s = *(struct het__staging **)task->payload;
	cl_event event;
	het_status st = het__task_reserve_events(task, 1);

	if (!st)
		st = het__cl_unmap(&task->lane->queue, s->mem, s->block->host, after, &event);
	if (!st)
		het__task_add_event(task, event);
	return st;
}

static void describe_unmap(const struct het__task *task, char *text, size_t bytes)
{
	snprintf(text, bytes, "unmap of pinned memory of %s", task->lane->device->name);
}

static const struct het__task_ops unmap_ops = {
	.kind = "unmap", .submit = submit_unmap, .describe = describe_unmap};

static void unmapper_ended(struct het__holder *holder, struct het__ref ref, struct het__failure *cause)
{
	(void)ref;
	(void)cause;
	free_staging((struct het__staging *)holder);
}

/* A task like any other, although nobody needs its end: commands that no task stands for would outlive a
 * failure that all tasks have ended with, and fail what comes behind them. */
static het_status start_unmapping(struct het__staging *s)
{
	struct het__task *task;
	het_status st;

	s->holder.ended = unmapper_ended;
	st = new_task(s, &unmap_ops, &task);
	if (!st)
		st = het__task_start(task);
	if (!st && s->lane->system->watch)
		het__watch_start(task, NULL, 0);
	return st;
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

/* Could some buffer of the lane's not be mapped? Each further attempt would leave another one until the end. */
static bool has_broken(const struct pool *pool, const struct het__lane *lane)
{
	for (int i = 0; i < pool->all.count; i++)
		if (pool->all.at[i]->broken && pool->all.at[i]->lane == lane)
			return true;
	return false;
}

/* Where the driver has no pinned memory, or none that can be mapped, plain memory does as well, if more
 * slowly. */
static struct het__staging *new_staging(struct pool *pool, struct het__lane *lane)
{
	het_system *const system = lane->system;
	struct het__staging *s = het__alloc_zeroed(1, sizeof *s);
	bool is_hopeless;

	if (!s || het__grow(&pool->all.at, &pool->all.room, pool->all.count + 1, sizeof s)) {
		het__free(s);
		return NULL;
	}
	s->lane = lane;
	is_hopeless = has_broken(pool, lane);
	if (is_hopeless || pin(s)) {
		het__log(system->logger, HET_LOG_DEBUG, "route", "no pinned memory: %s",
			 is_hopeless ? "some could not be mapped" : het__message());
		s->mapper = (struct het__ref){NULL, 0};
		s->broken = false;
		if (het__block_new_host(system, 1, HET__STAGING_BYTES, &s->block)) {
			het__free(s);
			return NULL;
		}
		s->block->is_staging = true;
	}
	pool->all.at[pool->all.count++] = s;
	count_bytes(system, pool->bytes + HET__STAGING_BYTES);
	return s;
}

/* ---- the pool ----------------------------------------------------------------------------------- */

/* All tasks have ended, and nothing comes behind the unmapping. */
static void free_room(het_system *system)
{
	const struct het__after nothing = {0, NULL};
	struct pool *const pool = pool_of(system);

	for (int i = 0; i < pool->all.count; i++) {
		struct het__staging *const s = pool->all.at[i];

		if (s->mem &&
		    het__cl_unmap(&s->lane->queue, s->mem, s->block->host, nothing, NULL))
			s->mem = NULL; /* it stays: the driver may still write to it */
		free_staging(s);
	}
	het__free(pool->all.at);
	het__free(pool);
	system->room[HET__ROOM_STORE].state = NULL;
}

static struct pool *make_pool(het_system *system)
{
	struct het__room_state *room = &system->room[HET__ROOM_STORE];

	if (!room->state) {
		room->state = het__alloc_zeroed(1, sizeof(struct pool));
		room->free = room->state ? free_room : NULL;
	}
	return room->state;
}

/* Buffers that are in use in one way: how many, and which was given out longest ago. */
struct in_use {
	int count;
	struct het__staging *oldest;
};

/* What a lane has. */
struct holdings {
	struct het__staging *idle; /* the one of these, too, that was given out longest ago */
	struct in_use by[2];       /* 1: by users that wait for a user's function; 0: by others */
};

static void keep_older(struct het__staging **oldest, struct het__staging *s)
{
	if (!*oldest || s->given < (*oldest)->given)
		*oldest = s;
}

/* `lane` NULL: what all have. */
static struct holdings look(const struct pool *pool, const struct het__lane *lane)
{
	struct holdings found = {.idle = NULL};

	for (int i = 0; i < pool->all.count; i++) {
		struct het__staging *const s = pool->all.at[i];
		struct in_use *use;

		if (s->broken || (lane && s->lane != lane))
			continue;
		use = &found.by[het__block_is_behind_user(s->block, &het__staging_cell, true)];
		if (!het__block_user(s->block).task) {
			keep_older(&found.idle, s);
		} else {
			keep_older(&use->oldest, s);
			use->count++;
		}
	}
	return found;
}

/* False: the buffer could not be given up. */
static bool give_up(struct pool *pool, struct het__staging *s)
{
	het_system *const system = s->lane->system;
	int place = 0;

	if (s->mem && start_unmapping(s)) {
		het__log(system->logger, HET_LOG_WARN, "task", "%s", het__message());
		return false;
	}
	while (pool->all.at[place] != s)
		place++;
	pool->all.at[place] = pool->all.at[--pool->all.count];
	count_bytes(system, pool->bytes - HET__STAGING_BYTES);
	if (!s->mem)
		free_staging(s);
	return true;
}

static bool is_full(const struct pool *pool, const het_system *system)
{
	return pool->bytes > 0 &&
	       pool->bytes + system->pinned_bytes + HET__STAGING_BYTES > system->staging_bytes;
}

/* Another lane's idle buffer makes room for a new one. */
static bool has_room(struct pool *pool, const het_system *system)
{
	struct het__staging *idle;

	if (!is_full(pool, system))
		return true;
	idle = look(pool, NULL).idle;
	return idle && give_up(pool, idle);
}

/* For a lane that has no buffer that will do and gets no new one. Who need not wait for a user's function must
 * not come behind one: that function may be waiting for him. */
static struct het__staging *find_elsewhere(struct pool *pool, struct het__lane *lane, bool behind_user)
{
	const struct holdings all = look(pool, NULL);
	struct het__staging *s = all.idle ? all.idle : all.by[behind_user].oldest;

	if (!s && !behind_user)
		s = new_staging(pool, lane);
	return s ? s : all.by[!behind_user].oldest;
}

static struct het__staging *find(struct pool *pool, struct het__lane *lane, int depth, bool behind_user)
{
	const struct holdings own = look(pool, lane);
	const struct in_use *const alike = &own.by[behind_user];
	struct het__staging *fresh = NULL;

	if (alike->count >= depth || (alike->count > 0 && behind_user && is_full(pool, lane->system)))
		return alike->oldest;
	if (own.idle)
		return own.idle;
	if (has_room(pool, lane->system))
		fresh = new_staging(pool, lane);
	if (fresh)
		return fresh;
	return alike->oldest ? alike->oldest : find_elsewhere(pool, lane, behind_user);
}

het_status het__staging_take(struct het__lane *lane, int depth, bool behind_user,
			     struct het__staging **staging_p)
{
	struct pool *const pool = make_pool(lane->system);
	struct het__staging *const s = pool ? find(pool, lane, depth, behind_user) : NULL;

	if (!s)
		return het__fail(HET_ERR_MEMORY, "no host memory to pass bytes to and from %s through",
				 lane->device->name);
	s->given = ++pool->givings;
	*staging_p = s;
	return HET_OK;
}
