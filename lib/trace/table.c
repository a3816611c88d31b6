/* table.c - HETERO_STATS: what a system has done, as a table. */
#include "trace/watcher.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "system/flow.h"

/* ---- kernels ----------------------------------------------------------------------------------- */

/* NULL without memory. */
static struct het__kernel_row *row_of(struct het__watch *watch, const char *kernel)
{
	struct het__kernel_row row = {.launches = 0};

	for (int i = 0; i < watch->kernels.count; i++)
		if (strcmp(watch->kernels.at[i].name, kernel) == 0)
			return &watch->kernels.at[i];
	if (het__grow(&watch->kernels.at, &watch->kernels.room, watch->kernels.count + 1, sizeof row))
		return NULL;
	row.name = het__strdup(kernel);
	if (!row.name)
		return NULL;
	watch->kernels.at[watch->kernels.count] = row;
	return &watch->kernels.at[watch->kernels.count++];
}

void het__table_free(struct het__watch *watch)
{
	for (int i = 0; i < watch->kernels.count; i++)
		het__free(watch->kernels.at[i].name);
	het__free(watch->kernels.at);
}

void het__table_launch(struct het__watch *watch, const char *kernel)
{
	struct het__kernel_row *const row = watch->wants_table ? row_of(watch, kernel) : NULL;

	if (row)
		row->launches++;
}

void het__table_time(struct het__watch *watch, const char *kernel, uint64_t ns)
{
	struct het__kernel_row *const row = watch->wants_table ? row_of(watch, kernel) : NULL;

	if (row) {
		row->timed++;
		row->ns += ns;
	}
}

/* ---- the table --------------------------------------------------------------------------------- */

/* Milliseconds, or a dash where nothing was measured. */
static const char *ms(char text[32], bool measured, uint64_t ns)
{
	if (measured)
		snprintf(text, 32, "%" PRIu64 ".%03u", ns / 1000000, (unsigned)(ns / 1000 % 1000));
	else
		snprintf(text, 32, "-");
	return text;
}

/* Ends a line: of how many launches the time is, where it is not of all. */
static void print_timed(FILE *to, const char *words, uint64_t timed, uint64_t launches)
{
	if (timed > 0 && timed < launches)
		fprintf(to, "%s %" PRIu64, words, timed);
	fprintf(to, "\n");
}

static void print_devices(FILE *to, const het_system *system)
{
	char text[32];

	fprintf(to, "  %-36s %12s %12s %14s %14s\n", "device", "launches", "kernels, ms", "bytes in",
		"bytes out");
	for (int i = 0; i < system->device_count; i++) {
		const het_device *d = system->devices[i];
		const bool measured = system->profile && (d->timed > 0 || d->launches == 0);

		fprintf(to, "  %-36s %12" PRIu64 " %12s %14" PRIu64 " %14" PRIu64, d->name, d->launches,
			ms(text, measured, d->kernel_ns), d->bytes_in, d->bytes_out);
		print_timed(to, "; ms of", d->timed, d->launches);
	}
}

static void print_kernels(FILE *to, const struct het__watch *watch)
{
	char text[32];

	if (watch->kernels.count == 0)
		return;
	fprintf(to, "  %-36s %12s %12s\n", "kernel", "launches", "ms");
	for (int i = 0; i < watch->kernels.count; i++) {
		const struct het__kernel_row *row = &watch->kernels.at[i];

		fprintf(to, "  %-36s %12" PRIu64 " %12s", row->name, row->launches,
			ms(text, row->timed > 0, row->ns));
		print_timed(to, " of", row->timed, row->launches);
	}
}

static const char *memory_name(const het_system *system, int memory)
{
	return het__memory_name(system->memories[memory]);
}

/* Repacks too: copies inside a memory. */
static void print_flows(FILE *to, const het_system *system)
{
	if (system->flow_count == 0)
		return;
	fprintf(to, "  %-36s %12s %12s %14s\n", "from -> to", "route", "copies", "bytes");
	for (int i = 0; i < system->flow_count; i++) {
		const struct het__flow_row *row = &system->flows[i];
		char pair[256];

		if (row->from == row->to)
			snprintf(pair, sizeof pair, "inside %s", memory_name(system, row->from));
		else
			snprintf(pair, sizeof pair, "%s -> %s", memory_name(system, row->from),
				 memory_name(system, row->to));
		fprintf(to, "  %-36s %12s %12" PRIu64 " %14" PRIu64 "\n", pair, row->route, row->count,
			row->bytes);
	}
}

static void print_rest(FILE *to, const het_system *system)
{
	const struct het_stats *const s = &system->count;

	fprintf(to,
		"  %" PRIu64 " launches, %" PRIu64 " fills, %" PRIu64 " host functions, %" PRIu64
		" maps; %" PRIu64 " tasks held back, %" PRIu64 " failed\n",
		het__system_launches(system), s->fills, s->host_calls, s->maps, s->held, s->failures);
}

/* At once, so that what other threads print does not come in between; and not through stderr itself, whose lock
 * some thread of the program may have that waits for the system's. */
void het__table_print(const struct het__watch *watch)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *const to = open_memstream(&text, &bytes);

	if (!to)
		return;
	fprintf(to, "hetero: system %u has done:\n", watch->serial);
	print_devices(to, watch->system);
	print_kernels(to, watch);
	print_flows(to, watch->system);
	print_rest(to, watch->system);
	if (fclose(to) == 0)
		(void)het__file_write(STDERR_FILENO, text, bytes, -1);
	free(text);
}
