/* emit.c - the protocol's transitions as lines of a file. Debug checks only. */

#include "task/emit.h"

#ifdef HETERO_DEBUG_CHECKS

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/env.h"

static FILE *file; /* NULL: nobody wants to know */

static void open_file(void)
{
	const char *path = het__env("HETERO_PROTOCOL");

	if (!path)
		return;
	file = fopen(path, "a");
	if (!file) {
		fprintf(stderr, "hetero: cannot write the protocol to %s\n", path);
		return;
	}
	setvbuf(file, NULL, _IOLBF, 0); /* the last lines before a crash are the interesting ones */
	fprintf(file, "process %ld\n", (long)getpid());
}

static bool is_wanted(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	(void)pthread_once(&once, open_file);
	return file != NULL;
}

/* Arguments of printf. */
#define ADDRESS    "%" PRIxPTR
#define TASK       ADDRESS ".%" PRIu64
#define AT(place)  (uintptr_t)(place)
#define OF(ref)    (uintptr_t)(ref).task, (ref).id

void het__emit_make(const struct het__task *task)
{
	if (is_wanted())
		fprintf(file, "make " TASK " " ADDRESS " " ADDRESS "\n", AT(task), task->id, AT(task->lane),
		        AT(task->lane->context));
}

void het__emit_task(const char *command, struct het__ref task)
{
	if (is_wanted())
		fprintf(file, "%s " TASK "\n", command, OF(task));
}

void het__emit_pair(const char *command, struct het__ref task, struct het__ref other)
{
	if (is_wanted())
		fprintf(file, "%s " TASK " " TASK "\n", command, OF(task), OF(other));
}

void het__emit_three(const char *command, struct het__ref task, struct het__ref other, struct het__ref third)
{
	if (is_wanted())
		fprintf(file, "%s " TASK " " TASK " " TASK "\n", command, OF(task), OF(other), OF(third));
}

void het__emit_follow(struct het__ref task, const struct het__box *box, struct het__ref before,
                      const struct het__box *other, int rank)
{
	if (het__alive(before) && het__box_overlaps(rank, box, other))
		het__emit_pair("follow", task, before);
}

void het__emit_cause(const char *command, struct het__ref task, const struct het__failure *cause)
{
	if (is_wanted())
		fprintf(file, "%s " TASK " " ADDRESS "\n", command, OF(task), AT(cause));
}

void het__emit_place(const char *command, const void *place, int slot, const void *other)
{
	if (is_wanted())
		fprintf(file, "%s " ADDRESS " %d " ADDRESS "\n", command, AT(place), slot, AT(other));
}

/* The last arguments: rank, then lo and hi of every dimension. The file is locked. */
static void end_with_box(int rank, const struct het__box *box)
{
	fprintf(file, " %d", rank);
	for (int d = 0; d < rank; d++)
		fprintf(file, " %" PRId64 " %" PRId64, box->lo[d], box->hi[d]);
	fputc('\n', file);
}

void het__emit_box(const char *command, const void *place, int rank, const struct het__box *box, int slot,
                   struct het__ref by)
{
	if (!is_wanted())
		return;
	flockfile(file);
	fprintf(file, "%s " ADDRESS " %d " TASK, command, AT(place), slot, OF(by));
	end_with_box(rank, box);
	funlockfile(file);
}

void het__emit_collapse(const void *block, int rank, const struct het__box *box, bool write,
                        struct het__ref later, struct het__ref earlier)
{
	if (!is_wanted() || !het__alive(earlier) || earlier.id == later.id)
		return;
	flockfile(file);
	fprintf(file, "collapse_%s " ADDRESS " " TASK " " TASK, write ? "write" : "read", AT(block),
	        OF(later), OF(earlier));
	end_with_box(rank, box);
	funlockfile(file);
}

void het__emit_refusal(const void *value, int rank, const struct het__box *box,
		       const struct het__failure *cause)
{
	if (!is_wanted())
		return;
	flockfile(file);
	fprintf(file, "host_refuse " ADDRESS " " ADDRESS, AT(value), AT(cause));
	end_with_box(rank, box);
	funlockfile(file);
}

#endif
