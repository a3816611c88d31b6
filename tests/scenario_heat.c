/* scenario_heat.c - the plate of examples/heat as a scenario: spreads with halos, a combined argument, and
 * het_reduce. */
#include "gives_up.h"

#define main heat_main
#include "../examples/heat/heat.c"
#undef main
#include "../examples/heat/plain.c"

#include "scenarios.h"

enum { SIZE = 21, STEPS = 3 };

static const struct options sizes = {.size = SIZE, .little = 0.01f};
static struct plate made;
static int swaps;     /* -1: the plate is not filled */
static bool advanced; /* `next` is one step further than `now` */
static bool compared; /* `moving` was written */
static bool summed;

/* Without memory there is none: that is the failure. */
static het_team *everyone(het_system *system)
{
	het_team *const team = het_everyone(system);

	if (!team)
		must(het_error_last().status);
	return team;
}

static het_status run(het_system *system)
{
	const struct het_range inside = het_range(2, 1, SIZE - 1, 0, SIZE);

	made = (struct plate){.now = NULL};
	swaps = -1;
	advanced = compared = summed = false;
	if (setjmp(gave_up))
		return reason;
	open_plate(system, &sizes, &made);
	for (swaps = 0; swaps < STEPS; swaps++) {
		must(het_spread(made.diffuse, everyone(system), inside, HET_OUT(HET_EACH(made.next)),
				HET_IN(HET_HALO(made.now, 1)), HET_VAL(made.size)));
		advanced = true;
		must(het_swap(made.now, made.next));
		advanced = false;
	}
	must(het_spread(made.compare, everyone(system), inside, HET_OUT(HET_OR(made.moving)),
			HET_IN(HET_EACH(made.next)), HET_IN(HET_EACH(made.now)), HET_VAL(made.size),
			HET_VAL(made.little)));
	compared = true;
	must(het_reduce(HET_REDUCE_SUM, het_view(made.now, het_whole()), het_view(made.sum, het_whole()),
			everyone(system)));
	summed = true;
	return HET_OK;
}

static het_status look(void)
{
	float rows[SIZE][SIZE];
	int moving;
	het_status st = het_read(het_view(made.now, het_whole()), rows);

	if (!st)
		st = het_read(het_view(made.sum, het_whole()), rows);
	return st ? st : het_read(het_view(made.moving, het_whole()), &moving);
}

/* The plate after so many steps. */
static void model(int steps, float *now)
{
	float next[SIZE * SIZE];

	memset(now, 0, sizeof next);
	for (int x = 0; x < SIZE; x++)
		now[x] = HOT;
	memcpy(next, now, sizeof next);
	for (int k = 0; k < steps; k++) {
		diffuse(next, now, SIZE);
		memcpy(now, next, sizeof next);
	}
}

/* Row by row: right, or lost. What one task has lost spreads from its rows to those beside them, so there is no
 * good row between lost ones. Returns how many are lost. */
static int check_rows(het_array *array, int steps, enum loss loss)
{
	float wanted[SIZE * SIZE], row[SIZE];
	int lost = 0, first = SIZE, last = -1;

	model(steps, wanted);
	for (int y = 0; y < SIZE; y++)
		if (!can_read(het_view(array, het_rows(y, y + 1)), row)) {
			lost++;
			first = y < first ? y : first;
			last = y;
		} else {
			ck_assert_msg(memcmp(row, &wanted[y * SIZE], sizeof row) == 0,
				      "row %d of the plate is not that after %d steps", y, steps);
		}
	ck_assert_msg(loss == SOME_LAUNCHES || lost == 0 || lost == last - first + 1,
		      "after %d steps %d rows from %d to %d are lost by one task", steps, lost, first, last);
	return lost;
}

/* What was made of all of it, where it can be read. */
static int check_results(void)
{
	float sum, wanted[SIZE * SIZE];
	double all = 0;
	int moving, lost = 0;

	model(STEPS, wanted);
	for (int i = 0; i < SIZE * SIZE; i++)
		all += (double)wanted[i];
	if (!can_read(het_view(made.moving, het_whole()), &moving))
		lost++;
	else if (compared)
		ck_assert_int_eq(moving, 1);
	if (!can_read(het_view(made.sum, het_whole()), &sum))
		lost++;
	else if (summed)
		ck_assert_double_eq_tol((double)sum, all, 0.01);
	return lost;
}

static void check(bool complete, enum loss loss)
{
	int lost = 0;

	(void)complete; /* rows are of whole steps at any time */
	if (swaps >= 0) {
		lost += check_rows(made.now, swaps, loss);
		lost += check_rows(made.next, advanced ? swaps + 1 : swaps > 0 ? swaps - 1 : 0, loss);
		lost += check_results();
	}
	ck_assert_msg(loss != NO_LOSS || lost == 0, "%d values are lost for nothing", lost);
	drop_array(&made.now);
	drop_array(&made.next);
	drop_array(&made.moving);
	drop_array(&made.sum);
	if (made.diffuse)
		ck_assert_int_eq(het_kernel_free(made.diffuse), HET_OK);
	if (made.compare)
		ck_assert_int_eq(het_kernel_free(made.compare), HET_OK);
}

const struct scenario heat_scenario = {"heat", run, look, check, free_blocks};
