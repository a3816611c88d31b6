/* strips.c - cutting grids into strips of rows by the devices' shares. */

#include "common/strips.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "must.h"

/* What the user asked for; `shares` 0: none were given. */
static struct {
	double share[HAND_DEVICES_MOST];
	int shares, rebalance;
} asked;

/* ---- options ----------------------------------------------------------------------------------- */

int strips_size(const char *text, int low, int high, int *rows, int *cols)
{
	const char *rest = number_before(text, low, high, rows);

	*cols = *rows;
	if (rest && *rest == 'x')
		rest = number_before(rest + 1, low, high, cols);
	return rest && !*rest ? 0 : -1;
}

int strips_option(const char *name, const char *value)
{
	if (!value)
		return -1;
	if (!strcmp(name, "--shares"))
		return shares_read(value, HAND_DEVICES_MOST, asked.share, &asked.shares);
	if (strcmp(name, "--rebalance") != 0)
		return -1;
	return number_read(value, 0, STRIPS_REBALANCE_MOST, &asked.rebalance);
}

/* ---- cutting ----------------------------------------------------------------------------------- */

static void check_count(int devices)
{
	if (!asked.shares || asked.shares == devices)
		return;
	fprintf(stderr, "%s: --shares: %d shares for %d devices\n", program_invocation_short_name, asked.shares,
		devices);
	exit(EXIT_USAGE);
}

het_team *strips_team(const struct bench_machine *machine)
{
	het_team *const team = het_everyone(machine->system);

	if (!machine->is_alone)
		check_count(het_team_count(team));
	if (asked.shares && !machine->is_alone)
		must(het_team_set_shares(team, asked.share));
	must(het_team_rebalance(team, asked.rebalance));
	return team;
}

int strips_cut(het_team *team, const het_kernel *kernel, int first, int last, struct strip *strip)
{
	const int devices = het_team_count(team);
	double share[HAND_DEVICES_MOST], before = 0;
	int count = 0, lo = first;

	must(het_team_shares(team, kernel, share));
	for (int d = 0; d < devices; d++) {
		int hi;

		before += share[d];
		hi = d == devices - 1 ? last : first + (int)floor((last - first) * before + 0.5);
		if (hi > lo)
			strip[count++] = (struct strip){d, lo, hi};
		lo = hi;
	}
	return count;
}
