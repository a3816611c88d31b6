/* pause.c - what threads of the host do while they wait, and on whose behalf transfers are started. */
#include "trace/watcher.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "system/system.h"

/* The innermost call of this thread; of any system. */
static _Thread_local struct het__doing *current;

static struct het__doing *current_of(const het_system *system)
{
	return current && current->system == system ? current : NULL;
}

/* ---- what it does ------------------------------------------------------------------------------ */

void het__doing_begin(struct het__doing *doing, het_system *system, const char *call, const char *verb,
		      const char *subject)
{
	doing->system = system;
	doing->outer = current;
	doing->call = call;
	doing->verb = verb;
	snprintf(doing->subject, sizeof doing->subject, "%s", subject);
	doing->arg = -1;
	doing->awaited[0] = '\0';
	doing->since_ns = doing->until_ns = 0;
	current = doing;
}

void het__doing_arg(const het_system *system, int arg)
{
	struct het__doing *const doing = current_of(system);

	if (doing)
		doing->arg = arg;
}

void het__doing_why(char *text, size_t bytes)
{
	text[0] = '\0';
	if (!current)
		return;
	if (current->arg >= 0)
		snprintf(text, bytes, "%s arg %d %s it", current->subject[0] ? current->subject : current->call,
			 current->arg, current->verb);
	else
		snprintf(text, bytes, "%s %s it", current->call, current->verb);
}

/* ---- waits ------------------------------------------------------------------------------------- */

int het__track_of_thread(struct het__watch *watch)
{
	static _Thread_local long self;
	static _Thread_local unsigned generation; /* a child that was forked from it is another thread */
	const int first = 2 * watch->system->device_count + 3;
	char name[64];
	int i = 0;

	if (self == 0 || generation != het__fork_generation()) {
		self = syscall(SYS_gettid);
		generation = het__fork_generation();
	}
	while (i < watch->threads.count && watch->threads.at[i] != self)
		i++;
	if (i < watch->threads.count)
		return first + i;
	if (het__grow(&watch->threads.at, &watch->threads.room, i + 1, sizeof *watch->threads.at))
		return first + i; /* without a name */
	watch->threads.at[watch->threads.count++] = self;
	snprintf(name, sizeof name, self == getpid() ? "main thread (waits)" : "thread %ld (waits)", self);
	het__track_name(watch, first + i, name, i - 1000); /* shown above the devices */
	return first + i;
}

static void show(struct het__watch *watch, const struct het__doing *doing)
{
	const int track = het__track_of_thread(watch);
	struct het__text *text = het__timeline_begin(watch->timeline);
	char name[128];

	snprintf(name, sizeof name, "%s%s%s", doing->call, doing->subject[0] ? " " : "", doing->subject);
	het__text_add(text, "{\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"ts\":", watch->number, track);
	het__text_us(text, doing->since_ns);
	het__text_add(text, ",\"dur\":");
	het__text_us(text, doing->until_ns - doing->since_ns);
	het__text_add(text, ",\"cat\":\"wait\",\"name\":");
	het__text_quote(text, name);
	het__text_add(text, ",\"args\":{\"waits_for\":");
	het__text_quote(text, doing->awaited);
	het__text_add(text, "}}");
	(void)het__timeline_end(watch->timeline);
}

void het__doing_finish(struct het__doing *doing)
{
	struct het__watch *const watch = doing->system->watch;

	current = doing->outer;
	if (doing->since_ns == 0 || !watch->timeline)
		return;
	show(watch, doing);
	if (strncmp(doing->call, "het_wait", strlen("het_wait")) == 0)
		het__timeline_hurry(watch->timeline);
}

void het__watch_pause(het_system *system, const struct het__task *task)
{
	struct het__doing *const doing = current_of(system);

	if (!doing || doing->since_ns)
		return;
	doing->since_ns = het__host_ns();
	snprintf(doing->awaited, sizeof doing->awaited, "%s", task->span ? task->span->name : task->ops->kind);
}

void het__watch_resume(het_system *system)
{
	struct het__doing *const doing = current_of(system);

	if (doing)
		doing->until_ns = het__host_ns();
}
