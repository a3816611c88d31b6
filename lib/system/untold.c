/* untold.c - failed calls of which the program has perhaps not heard.
 *
 * A program that looks at no status would never know. het_close warns it; one that does not get there is
 * warned at its end, when the library is unloaded: then its exit handlers have run, and its destructors (not
 * where it has the static library), which may still ask or close. The warning goes to stderr, since what a
 * log function needs may be gone. No system's lock is taken for it: another thread may have one for ever.
 */
#include "system/untold.h"

#include <stdio.h>

#include "base/fork.h"
#include "base/thread.h"

/* The open systems, in a child also those of its parent; and what concerns no system. Nothing is waited for
 * with the lock. */
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static het_system *list;
static struct {
	unsigned generation; /* of the process that they failed in */
	unsigned count;
	char first[4096];
} openings;

static void tell(struct het__logger *logger, unsigned count, const char *first)
{
	het__log(logger, HET_LOG_WARN, "system",
		 "%u call%s failed, and the program never asked why (het_message); the first: %s", count,
		 count > 1 ? "s" : "", first ? first : "there was no memory to keep its text");
}

void het__untold_tell(het_system *system, struct het__logger *logger)
{
	const unsigned count = atomic_load(&system->failed_calls);

	if (count > 0 && !het__error_was_asked() && !atomic_exchange(&system->failures_told, true))
		tell(logger, count, atomic_load(&system->first_failed));
}

void het__untold_enlist(het_system *system)
{
	het__fork_guards(&list_lock);
	pthread_mutex_lock(&list_lock);
	system->next_listed = list;
	list = system;
	pthread_mutex_unlock(&list_lock);
}

void het__untold_delist(het_system *system)
{
	het_system **at = &list;

	het__fork_guards(&list_lock);
	pthread_mutex_lock(&list_lock);
	while (*at && *at != system)
		at = &(*at)->next_listed;
	if (*at)
		*at = system->next_listed;
	pthread_mutex_unlock(&list_lock);
}

/* ---- openings ---------------------------------------------------------------------------------- */

static void note_opening(const char *text)
{
	const unsigned generation = het__fork_generation();

	het__fork_guards(&list_lock);
	pthread_mutex_lock(&list_lock);
	if (openings.generation != generation)
		openings.count = 0;
	openings.generation = generation;
	if (openings.count++ == 0)
		(void)snprintf(openings.first, sizeof openings.first, "%s", text);
	pthread_mutex_unlock(&list_lock);
}

/* By a logger of its own: there is no system. The options may be what is wrong. */
het_status het__open_refuse(const struct het_options *options, het_status status)
{
	const bool has_level = (unsigned)options->log_level <= HET_LOG_TRACE;
	const char *const text = het__error_news();
	struct het__logger *logger;

	if (!text)
		return status;
	note_opening(text);
	logger = het__logger_new(options->log, options->log_user,
				 has_level ? options->log_level : HET_LOG_INFO);
	het__log(logger, HET_LOG_INFO, "system", "a call failed: %s", text);
	het__logger_free(logger);
	return status;
}

/* ---- the end of the program -------------------------------------------------------------------- */

static bool is_anything_untold(void)
{
	const unsigned generation = het__fork_generation();
	bool is = openings.count > 0 && openings.generation == generation;

	for (het_system *system = list; system && !is; system = system->next_listed)
		is = system->fork_generation == generation && atomic_load(&system->failed_calls) > 0;
	return is;
}

static void tell_all(struct het__logger *logger)
{
	const unsigned generation = het__fork_generation();

	if (openings.count > 0 && openings.generation == generation)
		tell(logger, openings.count, openings.first);
	for (het_system *system = list; system; system = system->next_listed)
		if (system->fork_generation == generation)
			het__untold_tell(system, logger);
}

/* Systems stay while they are listed, and what is read of them is atomic. A signal handler that calls exit may
 * have stopped its own thread with the lock. */
__attribute__((destructor)) static void end_of_program(void)
{
	struct het__logger *logger = NULL;

	het__fork_guards(&list_lock);
	if (het__error_was_asked() || !het__lock_for_a_second(&list_lock))
		return;
	if (is_anything_untold()) {
		logger = het__logger_new(NULL, NULL, HET_LOG_WARN);
		tell_all(logger);
	}
	pthread_mutex_unlock(&list_lock);
	het__logger_free(logger);
}
