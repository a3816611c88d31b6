/* test_random_small.c - random programs on fake devices that cannot hold what they use: a call that is refused
 * for want of memory has changed nothing, what was accepted is not lost, and in the end all values are those of
 * a sequential model.
 */
#include "small.h"

#include <stdlib.h>
#include <string.h>

#include "random.h"

enum { GRIDS = 4, TOTALS = 2, DEVICES_MOST = 3, ROWS_MOST = 400, WIDE_MOST = 12000, STEPS = 60, PROGRAMS = 12 };

static const char *const machines[] = {"small-cards", "small-neighbours", "small-buffers", "small-mixed"};
enum { MACHINES = sizeof machines / sizeof machines[0] };

/* What is summed of a grid comes to cell 7 (HET_SUM, by the kernel) or 5 (het_reduce); the others are 0. */
struct total {
	het_array *array;
	int wide;
	unsigned cell[8];
};

struct grid {
	het_array *array;
	int rows;
	int cell[ROWS_MOST][N];
};

struct program {
	het_system *system;
	het_team *team;
	het_kernel *sum, *add, *bump, *plain;
	struct grid grid[GRIDS];
	struct total total[TOTALS];
	int done;
};

/* True: the model does it too. */
static bool was_accepted(struct program *p, het_status st)
{
	ck_assert_msg(st == HET_OK || st == HET_ERR_DEVICE_MEMORY, "%d: %s", (int)st, het_message());
	p->done += !st;
	return !st;
}

/* ---- arrays and teams --------------------------------------------------------------------------- */

static void new_grid(struct program *p, struct grid *g)
{
	const int value = random_in(-9, 9);

	g->rows = random_in(1, random_once_in(3) ? ROWS_MOST : ROWS_MOST / 4);
	g->array = rows_of(p->system, g->rows);
	ok(het_fill(het_view(g->array, het_whole()), &value));
	for (int i = 0; i < g->rows * N; i++)
		g->cell[i / N][i % N] = value;
}

static void new_total(struct program *p, struct total *t)
{
	const int zero = 0;

	t->wide = random_in(8, random_once_in(2) ? WIDE_MOST : WIDE_MOST / 8);
	ok(het_array_new(p->system, HET_INT, het_shape(1, t->wide), &t->array));
	ok(het_fill(het_view(t->array, het_whole()), &zero));
	memset(t->cell, 0, sizeof t->cell);
}

static void new_team(struct program *p)
{
	const int count = het_device_count(p->system), first = random_in(0, count - 1);
	const int members = random_in(1, count);
	het_device *device[DEVICES_MOST];
	double share[DEVICES_MOST];

	for (int i = 0; i < members; i++) {
		device[i] = het_device(p->system, (first + i) % count);
		share[i] = i > 0 && random_once_in(4) ? 0 : random_in(1, 5);
	}
	if (p->team)
		ok(het_team_free(p->team));
	ok(het_team_new(p->system, members, device, share, &p->team));
	ok(het_team_overlap(p->team, random_once_in(3) ? HET_OVERLAP_ALWAYS : HET_OVERLAP_NEVER));
}

static void open_program(struct program *p, const char *machine)
{
	struct het_options options = HET_OPTIONS_INIT;

	ck_assert(het_test_fake_driver(machine));
	ok(het_open(&options, &p->system));
	ck_assert_int_le(het_device_count(p->system), DEVICES_MOST);
	p->sum = text_kernel(p->system, small_text, "sum");
	p->add = text_kernel(p->system, small_text, "add");
	p->bump = text_kernel(p->system, small_text, "bump");
	p->plain = text_kernel(p->system, small_text, "plain");
	for (int i = 0; i < GRIDS; i++)
		new_grid(p, &p->grid[i]);
	for (int i = 0; i < TOTALS; i++)
		new_total(p, &p->total[i]);
	new_team(p);
}

static struct grid *any_grid(struct program *p)
{
	return &p->grid[random_in(0, GRIDS - 1)];
}

static struct grid *other_grid(struct program *p, const struct grid *than)
{
	return &p->grid[((than - p->grid) + random_in(1, GRIDS - 1)) % GRIDS];
}

static struct total *any_total(struct program *p)
{
	return &p->total[random_in(0, TOTALS - 1)];
}

/* ---- steps -------------------------------------------------------------------------------------- */

static unsigned sum_of(const struct grid *g)
{
	unsigned sum = 0;

	for (int i = 0; i < g->rows * N; i++)
		sum += (unsigned)g->cell[i / N][i % N];
	return sum;
}

/* What small_text's kernel does, of rows that both have. */
static void step_sum(struct program *p)
{
	struct grid *const a = any_grid(p), *const b = other_grid(p, a);
	const int rows = a->rows < b->rows ? a->rows : b->rows;
	const het_status st = het_spread(p->sum, p->team, het_grid(2, rows, N), HET_OUT(HET_EACH(b->array)),
					 HET_IN(HET_HALO(a->array, 1)), HET_VAL(rows), HET_VAL((int)N));

	if (!was_accepted(p, st))
		return;
	for (int y = 0; y < rows; y++)
		for (int x = 0; x < N; x++) {
			unsigned s = (unsigned)a->cell[y][x];

			s += y ? 3U * (unsigned)a->cell[y - 1][x] : 0;
			s -= y + 1 < rows ? (unsigned)a->cell[y + 1][x] : 0;
			b->cell[y][x] = (int)s;
		}
}

static void step_bump(struct program *p)
{
	struct grid *const g = any_grid(p);
	const int lo = random_in(0, g->rows), hi = random_in(lo, g->rows), by = random_in(1, 9);
	const struct het_range range = het_range(2, lo, hi, 0, N);
	const struct het_arg x = HET_INOUT(HET_EACH(g->array));
	het_device *const device = het_device(p->system, random_in(0, het_device_count(p->system) - 1));
	const het_status st = random_once_in(2) ? het_spread(p->bump, p->team, range, x, HET_VAL(by))
						: het_launch(p->bump, device, range, x, HET_VAL(by));

	if (!was_accepted(p, st))
		return;
	for (int i = lo * N; i < hi * N; i++)
		g->cell[i / N][i % N] = (int)((unsigned)g->cell[i / N][i % N] + (unsigned)by);
}

static void step_add(struct program *p)
{
	const struct grid *const g = any_grid(p);
	struct total *const t = any_total(p);
	const bool fresh = random_once_in(2);
	const struct het_arg s = fresh ? HET_OUT(HET_SUM(t->array)) : HET_INOUT(HET_SUM(t->array));
	const het_status st =
		het_spread(p->add, p->team, het_grid(2, g->rows, N), s, HET_IN(HET_EACH(g->array)));

	if (!was_accepted(p, st))
		return;
	if (fresh)
		memset(t->cell, 0, sizeof t->cell);
	t->cell[7] += sum_of(g);
}

static void step_reduce(struct program *p)
{
	const struct grid *const g = any_grid(p);
	struct total *const t = any_total(p);

	if (was_accepted(p, het_reduce(HET_REDUCE_SUM, het_view(g->array, het_whole()),
				       het_view(t->array, het_rows(5, 6)), p->team)))
		t->cell[5] = sum_of(g);
}

/* By a kernel that sees all of both. */
static void step_plain(struct program *p)
{
	const struct grid *const a = any_grid(p);
	struct grid *const b = other_grid(p, a);
	const int rows = a->rows < b->rows ? a->rows : b->rows;
	het_device *const device = het_device(p->system, random_in(0, het_device_count(p->system) - 1));

	if (was_accepted(p, het_launch(p->plain, device, het_grid(2, rows, N), HET_INOUT(b->array),
				       HET_IN(a->array), HET_VAL(rows), HET_VAL((int)N))))
		memcpy(b->cell, a->cell, (size_t)rows * sizeof a->cell[0]);
}

static void step_prefetch(struct program *p)
{
	const struct grid *const g = any_grid(p);
	const int lo = random_in(0, g->rows), hi = random_in(lo, g->rows);
	het_device *const device = het_device(p->system, random_in(0, het_device_count(p->system) - 1));

	(void)was_accepted(p, het_prefetch(het_view(g->array, het_rows(lo, hi)), device));
}

static void step_new(struct program *p)
{
	struct grid *const g = any_grid(p);
	struct total *const t = any_total(p);

	if (random_once_in(2)) {
		ok(het_array_free(g->array));
		new_grid(p, g);
	} else {
		ok(het_array_free(t->array));
		new_total(p, t);
	}
}

static void step_team(struct program *p)
{
	new_team(p);
}

/* ---- checks ------------------------------------------------------------------------------------- */

static void check_grid(const struct grid *g, int lo, int hi)
{
	static int got[ROWS_MOST][N];

	ok(het_read(het_view(g->array, het_rows(lo, hi)), got));
	for (int i = 0; i < (hi - lo) * N; i++)
		ck_assert_msg(got[i / N][i % N] == g->cell[lo + i / N][i % N], "row %d is wrong", lo + i / N);
}

static void check_total(const struct total *t)
{
	static unsigned got[WIDE_MOST];

	ok(het_read(het_view(t->array, het_whole()), got));
	for (int i = 0; i < t->wide; i++)
		ck_assert_msg(got[i] == (i < 8 ? t->cell[i] : 0), "total %d is wrong", i);
}

static void step_check(struct program *p)
{
	const struct grid *const g = any_grid(p);
	const int lo = random_in(0, g->rows), hi = random_in(lo, g->rows);

	check_grid(g, lo, hi);
}

static void close_program(struct program *p)
{
	ok(het_wait_all(p->system));
	for (int i = 0; i < GRIDS; i++)
		check_grid(&p->grid[i], 0, p->grid[i].rows);
	for (int i = 0; i < TOTALS; i++)
		check_total(&p->total[i]);
	close_face(p->system);
	ck_assert_int_eq(control("alive all"), 0);
}

START_TEST(refused_or_right)
{
	static void (*const steps[])(struct program *) = {step_sum, step_sum,      step_bump,  step_bump,
							  step_add, step_add,      step_reduce, step_plain,
							  step_new, step_prefetch, step_team,  step_check};
	static struct program p;

	random_state += (uint64_t)_i << 32;
	open_program(&p, machines[_i % MACHINES]);
	for (int i = 0; i < STEPS; i++)
		steps[random_in(0, (int)(sizeof steps / sizeof steps[0]) - 1)](&p);
	ck_assert_int_gt(p.done, STEPS / 6); /* not all was refused */
	close_program(&p);
}
END_TEST

int main(void)
{
	random_start("random_small");
	return run_fake_loop("random_small", refused_or_right, MACHINES * random_rounds(PROGRAMS), 60);
}
