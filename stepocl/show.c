/* show.c - see show.h. */
#include "show.h"

#include <stdio.h>

char axis_name(int d)
{
	return "xyz"[d];
}

static void show_list(int rank, const int64_t *list)
{
	for (int d = 0; d < rank; d++)
		printf("%s%lld", d ? " x " : "", (long long)list[d]);
}

void show_space(const struct description *description)
{
	show_list(description->rank, description->global);
	printf(" work-items");
	if (description->grouped) {
		printf(" in groups of ");
		show_list(description->rank, description->local);
	}
}

void show_zone(int rank, const struct zone *zone)
{
	for (int d = 0; d < rank; d++)
		printf("%s%c [%lld, %lld)", d ? "  " : "", axis_name(d), (long long)zone->lo[d],
		       (long long)zone->hi[d]);
}

static void show_line(const char *what, const char *whose, int rank, const struct zone *zone, const char *rest)
{
	printf("  %s%s%s: ", what, *whose ? " " : "", whose);
	show_zone(rank, zone);
	printf("%s\n", rest);
}

/* Prints a part's neighbours and the bytes for them. Returns the sum, a real number, for it may be large. */
static double show_sent(const struct description *description, const struct partition *partition,
			const struct part *part)
{
	const int64_t element = (int64_t)HET_TYPE_BYTES(description->argument[description->output].type->het);
	double sum = 0;

	for (int other = 0; other < partition->count; other++) {
		const int64_t sent = partition_sent(description, part, &partition->part[other]);
		if (!sent)
			continue;
		printf("  sends to part %d: %lld bytes per iteration\n", other, (long long)(sent * element));
		sum += (double)(sent * element);
	}
	if (!(sum > 0))
		printf("  sends nothing\n");
	return sum;
}

static void show_part(const struct description *description, const struct partition *partition,
		      const struct part *part)
{
	const int rank = partition->rank;
	const struct argument *const stencil =
		description->stencil < 0 ? NULL : &description->argument[description->stencil];

	printf("part %d, {", part->id);
	for (int d = 0; d < rank; d++)
		printf("%s%d", d ? "," : "", part->at[d]);
	printf("}\n");
	show_line("work-items", "", rank, &part->range, "");
	show_line("writes", description->argument[description->output].name, rank, &part->write, "");
	if (stencil)
		show_line("reads", stencil->name, rank, &part->read,
			  argument_is_read_whole(stencil) ? ", all of it" : "");
}

void show_plan(const struct description *description, const struct partition *partition, int devices)
{
	double sum = 0;

	show_space(description);
	printf(": ");
	show_list(partition->rank, partition->groups);
	printf(" groups\ncut first along %c", axis_name(partition->order[0]));
	for (int n = 1; n < partition->rank; n++)
		printf(", then %c", axis_name(partition->order[n]));
	printf("; %d device%s: %d part%s, ", devices, devices == 1 ? "" : "s", partition->count,
	       partition->count == 1 ? "" : "s");
	for (int d = 0; d < partition->rank; d++)
		printf("%s%d", d ? " x " : "", partition->parts[d]);
	printf("\n");
	for (int id = 0; id < partition->count; id++) {
		show_part(description, partition, &partition->part[id]);
		sum += show_sent(description, partition, &partition->part[id]);
	}
	printf("%.0f bytes per iteration between all parts\n", sum);
	printf("A plan only: what is run is cut along one dimension, by het_spread.\n");
}
