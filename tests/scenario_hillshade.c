/* scenario_hillshade.c - the shaded relief of examples/hillshade as a scenario: bands of rows by every device,
 * with borders that go from one to the next. */
#include "gives_up.h"

#include "../examples/hillshade/plain.c"
#include "../examples/hillshade/relief.c"

#include "scenarios.h"

enum { GRID_ROWS = 9, GRID_COLS = 13, ROWS = 30, COLS = 21, SWEEPS = 2, DEVICES_MOST = 8 };

static float heights[GRID_ROWS * GRID_COLS];
static struct grid terrain = {.rows = GRID_ROWS, .cols = GRID_COLS, .dx = 30, .dy = 25, .height = heights};
static struct relief made;
static int devices;

/* What height is after 0, 1... sweeps, and the results. */
static float swept[SWEEPS + 1][ROWS * COLS], slopes[ROWS * COLS], shades[ROWS * COLS];

static struct plan prepare(void)
{
	const struct wish wish = {ROWS, COLS, SWEEPS, 315, 45, 1};
	const struct plan plan = plan_make(&wish, &terrain);

	for (int i = 0; i < GRID_ROWS * GRID_COLS; i++)
		heights[i] = i % 17 == 5 ? NAN : (float)(100 + i * 7919 % 211);
	resample(&plan, &terrain, swept[0]);
	for (int i = 0; i < SWEEPS; i++)
		smooth(&plan, swept[i], swept[i + 1]);
	relief(&plan, swept[SWEEPS], slopes, shades);
	return plan;
}

static het_status run(het_system *system)
{
	static struct plan plan;

	made = (struct relief){.grid = NULL};
	devices = het_device_count(system);
	plan = prepare();
	if (setjmp(gave_up))
		return reason;
	relief_open(&made, system, &terrain, &plan);
	relief_start(&made);
	return HET_OK;
}

static het_status look_at(het_array *array)
{
	const float *at;
	const het_status st = array ? het_map(array, HET_READ, &at) : HET_OK;

	return array && !st ? het_unmap(array) : st;
}

static het_status look(void)
{
	const het_status first = look_at(made.slope), second = look_at(made.shade);

	return first ? first : second;
}

/* ---- what is right ------------------------------------------------------------------------------ */

static bool rows_equal(const float *row, const float *want)
{
	for (int x = 0; x < COLS; x++)
		if (distance(row[x], want[x]) > 1)
			return false;
	return true;
}

/* The value of a row: one of a few whole ones; the last of them where everything was started. */
static void check_row(const char *what, int y, const float *row, int count, const float *const *want,
		      bool complete)
{
	static const float zeros[COLS];

	for (int i = complete ? count - 1 : 0; i < count; i++)
		if (rows_equal(row, want[i] + (size_t)y * COLS))
			return;
	ck_assert_msg(!complete && rows_equal(row, zeros), "row %d of %s is wrong: %.9g, %.9g, %.9g...", y,
		      what, (double)row[0], (double)row[1], (double)row[2]);
}

/* Returns the devices whose bands are lost, a bit for each. */
static unsigned check_array(const char *what, het_array *array, int count, const float *const *want,
			    bool complete)
{
	float row[256];
	unsigned bands = 0;

	for (int d = 0; array && d < devices; d++) {
		const int lo = table_first_row(ROWS, d, devices), hi = table_first_row(ROWS, d + 1, devices);
		int lost = 0;

		for (int y = lo; y < hi; y++)
			if (can_read(het_view(array, het_rows(y, y + 1)), row))
				check_row(what, y, row, count, want, complete);
			else
				lost++;
		ck_assert_msg(lost == 0 || lost == hi - lo, "%d of %d rows of %s are lost", lost, hi - lo,
			      what);
		bands |= (unsigned)(lost > 0) << d;
	}
	return bands;
}

/* ---- what one launch can have lost -------------------------------------------------------------- */

struct lost {
	unsigned height, smoothed, results;
};

static unsigned widened(unsigned bands)
{
	return (bands | bands << 1 | bands >> 1) & ((1u << devices) - 1);
}

/* After launch `stage` (0: resample, 1...: a sweep, the last: relief) of these devices has failed. */
static struct lost lost_to(int stage, unsigned failed)
{
	struct lost lost = {0, 0, 0};

	for (int s = 0; s <= SWEEPS; s++) {
		const unsigned made_now = (s ? widened(lost.height) : 0) | (s == stage ? failed : 0);

		lost.smoothed = lost.height;
		lost.height = made_now;
	}
	lost.results = widened(lost.height) | (stage == SWEEPS + 1 ? failed : 0);
	return lost;
}

static bool explains(int stage, unsigned failed, struct lost is)
{
	const struct lost l = lost_to(stage, failed);

	return l.height == is.height && l.smoothed == is.smoothed && l.results == is.results;
}

static bool one_launch_explains(struct lost is)
{
	for (int stage = 0; stage <= SWEEPS + 1; stage++)
		for (int d = 0; d < devices; d++)
			if (explains(stage, 1u << d, is))
				return true;
	return false;
}

/* What a transfer brings is read at one stage, by devices that share the memory; nothing need be lost. A border
 * that goes by the host is read by one device. */
static bool one_task_explains(struct lost is)
{
	for (int stage = 0; stage <= SWEEPS + 1; stage++)
		for (unsigned failed = 0; failed < 1u << devices; failed++)
			if (share_a_memory(made.system, failed) && explains(stage, failed, is))
				return true;
	return false;
}

static void check(bool complete, enum loss loss)
{
	const float *const all[] = {swept[0], swept[1], swept[2]}, *const slope = slopes, *const shade = shades;
	const struct lost lost = {check_array("height", made.height, SWEEPS + 1, all, complete),
				  check_array("smoothed", made.smoothed, SWEEPS + !complete, all, complete),
				  check_array("slope", made.slope, 1, &slope, complete)};
	const unsigned shade_lost = check_array("shade", made.shade, 1, &shade, complete);
	het_array **const arrays[] = {&made.grid, &made.height, &made.smoothed, &made.slope, &made.shade};
	het_kernel *const kernels[] = {made.resample, made.smooth, made.relief};

	if (complete)
		ck_assert_msg(lost.results == shade_lost, "devices %x lost slope, %x shade", lost.results,
			      shade_lost);
	if (loss == NO_LOSS)
		ck_assert_msg(!lost.height && !lost.smoothed && !lost.results, "bands are lost for nothing");
	if (loss == ONE_LAUNCH)
		ck_assert_msg(one_launch_explains(lost), "lost by devices: height %x, smoothed %x, results %x",
			      lost.height, lost.smoothed, lost.results);
	if (complete && (loss == ONE_TASK || loss == ONE_READ))
		ck_assert_msg(one_task_explains(lost), "lost by devices: height %x, smoothed %x, results %x",
			      lost.height, lost.smoothed, lost.results);
	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
		drop_array(arrays[i]);
	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
		if (kernels[i])
			ck_assert_int_eq(het_kernel_free(kernels[i]), HET_OK);
}

const struct scenario hillshade_scenario = {"hillshade", run, look, check, free_blocks};
