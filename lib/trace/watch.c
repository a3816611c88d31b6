/* watch.c - who watches a system: opened if the environment asks for it, closed with the system or when the
 * program ends.
 *
 * At the end of a program nothing is asked of OpenCL any more: drivers may have shut down already.
 */
#include "trace/watcher.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/env.h"
#include "base/fork.h"
#include "base/thread.h"
#include "system/system.h"

/* The watched systems of the process. The lock is taken before a system's. */
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct het__watch *list;
static unsigned serials;
static atomic_uint list_generation; /* of the process that made the last entry */
static atomic_bool only_log;

/* ---- the end ----------------------------------------------------------------------------------- */

static void say_failure(const struct het__watch *watch, const char *reason)
{
	if (reason)
		het__log(watch->system->logger, HET_LOG_WARN, "system",
			 "HETERO_TRACE: the timeline in %s ends here: %s", het__timeline_path(watch->timeline),
			 reason);
}

static void flush_all(struct het__watch *watch)
{
	if (watch->timeline)
		say_failure(watch, het__timeline_flush(watch->timeline, true));
}

/* Tasks that had not ended, or whose ends nobody saw. */
static void show_unfinished(struct het__watch *watch)
{
	const struct het__tasks *tasks = het__tasks_in(watch->system);
	const uint64_t now = het__host_ns();
	struct het__task *task;

	for (int i = 0; tasks && (task = het__tasks_at(tasks, i)) != NULL; i++)
		if (task->span)
			het__span_unfinished(watch, task, now);
}

/* Once, by whoever comes first: het_close, or the end of the program. With the system's lock. */
static void tell(struct het__watch *watch)
{
	if (watch->is_told)
		return;
	watch->is_told = true;
	if (watch->timeline)
		show_unfinished(watch);
	if (watch->wants_table)
		het__table_print(watch);
}

/* Other threads may go on, and one may have been stopped inside a call for good. A child that has no system of
 * its own has nothing to tell. */
static void end_of_program(void)
{
	if (atomic_load(&list_generation) != het__fork_generation())
		return;
	pthread_mutex_lock(&list_lock);
	for (struct het__watch *w = list; w; w = w->next) {
		if (w->generation != het__fork_generation())
			continue;
		if (het__lock_for_a_second(&w->system->lock)) {
			tell(w);
			pthread_mutex_unlock(&w->system->lock);
		}
		flush_all(w);
	}
	pthread_mutex_unlock(&list_lock);
}

void het__watch_close_now(het_system *system)
{
	pthread_mutex_lock(&system->lock);
	tell(system->watch);
	pthread_mutex_unlock(&system->lock);
	flush_all(system->watch);
}

static void delist(struct het__watch *watch)
{
	struct het__watch **at = &list;

	pthread_mutex_lock(&list_lock);
	while (*at && *at != watch)
		at = &(*at)->next;
	if (*at)
		*at = watch->next;
	pthread_mutex_unlock(&list_lock);
}

void het__watch_free_now(het_system *system)
{
	struct het__watch *const watch = system->watch;

	delist(watch);
	flush_all(watch);
	if (watch->timeline)
		het__timeline_close(watch->timeline);
	het__free(watch->threads.at);
	het__table_free(watch);
	het__free(watch->track);
	het__free(watch);
	system->watch = NULL;
}

void het__watch_flush(het_system *system)
{
	struct het__watch *const watch = system->watch;

	if (watch->timeline)
		say_failure(watch, het__timeline_flush(watch->timeline, false));
}

/* ---- the beginning ----------------------------------------------------------------------------- */

static bool wants_table(het_system *system)
{
	const char *const text = het__env("HETERO_STATS");

	if (text && strcmp(text, "0") != 0 && strcmp(text, "1") != 0)
		het__log(system->logger, HET_LOG_WARN, "system", "HETERO_STATS is '%s': it must be 0 or 1",
			 text);
	return text && strcmp(text, "1") == 0;
}

static void name_system(struct het__watch *watch)
{
	struct het__text *text = het__timeline_begin(watch->timeline);
	char name[256];

	snprintf(name, sizeof name, "%s, process %ld, system %u", program_invocation_short_name, (long)getpid(),
		 watch->serial);
	het__text_add(text, "{\"ph\":\"M\",\"pid\":%d,\"tid\":0,\"name\":\"process_name\",\"args\":{\"name\":",
		      watch->number);
	het__text_quote(text, name);
	het__text_add(text, "}}");
	(void)het__timeline_end(watch->timeline);
}

/* Kernels are timed: device queues are made with profiling. */
static void open_timeline(struct het__watch *watch, const char *path)
{
	het_system *const system = watch->system;
	const char *reason = "no host memory";

	watch->track = het__alloc_zeroed(2 * (size_t)system->device_count + 2, sizeof *watch->track);
	if (watch->track)
		watch->timeline = het__timeline_open(path, &watch->number, &reason);
	if (watch->timeline)
		system->profile = true;
	else
		het__log(system->logger, HET_LOG_WARN, "system", "HETERO_TRACE: %s cannot be written: %s", path,
			 reason);
}

static void enlist(struct het__watch *watch)
{
	static bool registered;

	het__fork_guards(&list_lock);
	pthread_mutex_lock(&list_lock);
	watch->serial = ++serials;
	watch->generation = het__fork_generation();
	atomic_store(&list_generation, watch->generation);
	watch->next = list;
	list = watch;
	if (!registered)
		registered = atexit(end_of_program) == 0;
	pthread_mutex_unlock(&list_lock);
}

void het__watch_only_log(void)
{
	atomic_store(&only_log, true);
}

void het__watch_open(het_system *system)
{
	const bool all = !atomic_load(&only_log);
	const char *const path = all ? het__env("HETERO_TRACE") : NULL;
	const bool table = wants_table(system) && all;
	const bool lines = het__log_wants(system->logger, HET_LOG_TRACE, "task");
	struct het__watch *watch;

	if (!path && !table && !lines)
		return;
	watch = het__alloc_zeroed(1, sizeof *watch);
	if (!watch) {
		het__log(system->logger, HET_LOG_WARN, "system",
			 "no host memory to watch what happens: HETERO_TRACE, HETERO_STATS, HETERO_LOG=task");
		return;
	}
	system->watch = watch;
	watch->system = system;
	watch->wants_table = table;
	watch->wants_lines = lines;
	if (path)
		open_timeline(watch, path);
	if (!table && !lines && !watch->timeline) {
		het__watch_free_now(system);
		return;
	}
	enlist(watch);
	if (watch->timeline)
		name_system(watch);
}

static void set_clock(struct het__track *track, int64_t offset_ns)
{
	track->has_clock = true;
	track->offset_ns = offset_ns;
}

/* A simulator's times say nothing, and its commands must not run beside others. */
void het__watch_device_now(het_device *device)
{
	struct het__watch *const watch = device->system->watch;
	int64_t offset = 0;

	if (!watch->timeline || device->driver->clock_wrong || device->driver->runs_in_caller ||
	    !het__cl_clock_offset(device->context->cl, device->id, device->name, &offset))
		return;
	pthread_mutex_lock(&device->system->lock);
	set_clock(&watch->track[device->index], offset);
	set_clock(&watch->track[device->system->device_count + 2 + device->index], offset);
	pthread_mutex_unlock(&device->system->lock);
}
