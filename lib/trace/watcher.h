/* watcher.h - what is kept while somebody watches a system, and what the files of this room share.
 *
 * A span is what is known of a task: from its start until it has ended and is no longer the maker of anything.
 * Its times are the host's clock: those of device commands are translated (struct het__track).
 *
 * Everything here is called with the system's lock unless a comment says otherwise.
 */
#ifndef HETERO_LIB_TRACE_WATCHER_H
#define HETERO_LIB_TRACE_WATCHER_H

#include "array/value.h"
#include "trace/timeline.h"

#define HET__SPAN_NAME 96

struct het__span;
typedef HET__VEC(struct het__span *) het__spans;

struct het__span {
	int users;
	bool ended;
	bool shown;         /* in the file; what was dropped is not, nor the host's own writing */
	bool is_transfer, predicted;
	bool is_stepped; /* the last step of a transfer that takes several */
	int track;
	uint64_t made_ns;   /* when it was seen to have been started */
	uint64_t since_ns;  /* it was not in its queue before */
	uint64_t begin_ns, end_ns;
	const char *category;
	char name[HET__SPAN_NAME];
	char origin[64];    /* the kernel, or what else, that made the values which the task writes */
	struct het__text args; /* the inside of a JSON object; freed when it has ended */
	struct het__text why;  /* of a transfer: the first half of its reason, plain text, ended by a NUL */
	het__spans makers;  /* of what it reads; until it has ended */
};

/** A row of the timeline: a device's queue or a thread of the host. */
struct het__track {
	bool named;         /* in the file */
	bool has_clock;     /* the device's clock is known */
	int64_t offset_ns;  /* how far the host's clock is ahead of it */
	uint64_t last_ns;   /* end of the last task here: in an in-order queue the next begins later */
};

/** A kernel's line in the table. */
struct het__kernel_row {
	char *name; /* ours */
	uint64_t launches, timed, ns;
};

struct het__watch {
	het_system *system;
	struct het__watch *next; /* of the process, under a lock of its own (watch.c) */
	unsigned generation;     /* of the process that opened the system */
	unsigned serial;         /* of the system in its process, from 1 */
	bool wants_table, is_told;
	bool wants_lines;        /* a line of the log for every task that is started */
	HET__VEC(struct het__kernel_row) kernels;

	struct het__timeline *timeline; /* NULL: only the table is wanted */
	int number;              /* of the system in the file: "pid" */
	struct het__track *track; /* devices, the copier, users' functions, devices' copies */
	HET__VEC(long) threads;  /* of the host that have waited; their tracks come after `track` */
	uint64_t looked_ns;      /* when a task was last seen to start or end; later tasks start later */
};

/** Shows a task that has not ended: the first of its queue as going on until `now`, any other as a mark at
 *  `now`. It may still end. */
void het__span_unfinished(struct het__watch *watch, struct het__task *task, uint64_t now);
/** Frees a reference; NULL is allowed. */
void het__span_release(struct het__span *span);
static inline struct het__span *het__span_use(struct het__span *span)
{
	span->users++;
	return span;
}
/** Adds a reference to a list, once; false without memory. */
bool het__spans_add(het__spans *spans, struct het__span *span);
void het__spans_clear(het__spans *spans);

/** The row of a lane; named in the file when this is its first use. */
int het__track_of(struct het__watch *watch, const struct het__lane *lane);
/** The row of the calling thread. */
int het__track_of_thread(struct het__watch *watch);
/** Names a row in the file; rows are shown in the order of `rank`. */
void het__track_name(struct het__watch *watch, int track, const char *name, int rank);

/* flow.c - arrows */
/** The span has ended: draws the arrows that lead to it. */
void het__flow_end(struct het__watch *watch, struct het__span *span);

/* maker.c - who made what is in a block */
/** Adds to `spans` who made the cells of `box`; *origin gets the name of whose value the newest are. Both may
 *  be NULL. False where there was no memory for some. */
bool het__makers_find(const struct het__block *block, const struct het__box *box, het__spans *spans,
                      const char **origin);
void het__makers_set(struct het__block *block, const struct het__box *box, struct het__span *span);

/* words.c - what is said of a task */
void het__words(struct het__span *span, const struct het__task *task, const struct het__access *access,
                int count);
/** The rest of it: times, failure. */
void het__words_end(struct het__span *span, const struct het__task *task);
/** The line of the log about a task that has been started. */
void het__words_log(const struct het__task *task, const struct het__access *access, int count);
/** What the calling thread does: why it starts a transfer; "" when nobody said so. */
void het__doing_why(char *text, size_t bytes);

/* table.c */
void het__table_launch(struct het__watch *watch, const char *kernel);
void het__table_time(struct het__watch *watch, const char *kernel, uint64_t ns);
void het__table_free(struct het__watch *watch);
/** Writes the table to stderr. */
void het__table_print(const struct het__watch *watch);

#endif
