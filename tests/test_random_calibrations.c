/* test_random_calibrations.c - random programs under random calibrations, on fake machines.
 *
 * Whatever a calibration says, values are the model's. Which bytes move is the calibration's affair, but never
 * the timing's: every program runs with commands done late and with commands done at once, and moves the same
 * number.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "calibrations.h"
#include "fakes.h"
#include "operations.h"
#include "platforms.h"
#include "random.h"
#include "suite.h"
#include "system/system.h"

enum { PROGRAMS = 60, CALIBRATIONS = 3 };

static const struct {
	const char *machine;
	enum het_share share;
} beds[] = {
	{"two-gpus", HET_SHARE_DEFAULT},
	{"one-context", HET_SHARE_DEFAULT},
	{"three-platforms", HET_SHARE_OFF},
	{"five-devices", HET_SHARE_DEFAULT},
};
#define BEDS ((int)(sizeof beds / sizeof beds[0]))

/* ---- a calibration ------------------------------------------------------------------------------ */

static const char *const routes[] = {"copy", "staged", "chunked", "pinned", "mapped", "pack"};
#define ROUTES ((int)(sizeof routes / sizeof routes[0]))

static int random_route(void)
{
	return het__cal_route_of(routes[random_in(0, ROUTES - 1)]);
}

/* What ways take, so unlike each other that a source near by is often a bad one; or nothing is known of it. */
static void add_random_curve(struct het__cal_pair *pair, const char *route)
{
	struct het__cal_curve *const curve = &pair->curve[pair->curve_count++];

	curve->route = het__cal_route_of(route);
	curve->origin = HET__CAL_USER;
	curve->count = 2;
	for (int i = 0; i < 2; i++)
		curve->at[i] = (struct het__cal_point){.bytes = i ? 4096 : 16,
						       .ns = (uint64_t)1 << random_in(4, 30)};
}

/* The programs' boxes have a few bytes to a few KiB. */
static void add_random_pair(struct het__calibration *c, const char *from, const char *to, int shape)
{
	struct het__cal_pair *const pair = add_pair(c, from, to, (enum het__cal_shape)shape);
	uint64_t bytes = 0;

	for (int i = random_in(1, 4); i-- > 0; bytes += (uint64_t)random_in(1, 600)) {
		struct het__cal_choice *const choice = &pair->choice[pair->choice_count++];

		*choice = (struct het__cal_choice){.from_bytes = bytes,
						   .route = random_route(),
						   .chunk_bytes = (uint64_t)random_in(16, 256),
						   .depth = random_in(0, 3),
						   .origin = HET__CAL_USER};
	}
	for (int i = 0; i < ROUTES && !random_once_in(4); i++)
		add_random_curve(pair, routes[i]);
	if (random_once_in(4)) {
		pair->bar[0].route = random_route();
		pair->bar[0].origin = HET__CAL_USER;
		strcpy(pair->bar[0].why, "it is random");
		pair->bar_count = 1;
	}
}

static const char *name_of(const struct het__calibration *c, int memory)
{
	return memory ? c->device[memory - 1].name : HET__CAL_HOST;
}

/* Of the devices there are; $HETERO_CALIBRATION names it afterwards. */
static void write_random_calibration(void)
{
	struct het__calibration c;
	char path[4096];
	het_system *system;

	setenv("HETERO_CALIBRATION", "off", 1);
	ck_assert_int_eq(het_open(NULL, &system), HET_OK);
	c = calibration_of(system, ALL_DEVICES);
	ck_assert_int_eq(het_close(system), HET_OK);
	for (int from = 0; from <= c.device_count; from++)
		for (int to = 0; to <= c.device_count; to++)
			for (int shape = 0; shape < HET__CAL_SHAPES && from != to; shape++)
				add_random_pair(&c, name_of(&c, from), name_of(&c, to), shape);
	snprintf(path, sizeof path, "%s/calibration.ini", het_test_folder());
	use_calibration(&c, path);
}

/* ---- programs ----------------------------------------------------------------------------------- */

struct outcome {
	uint64_t between, inside;
	bool known; /* no boxes were merged at a loss, and no store had to go: these do depend on timing */
};

static struct outcome run_program(const struct bench *bench, uint64_t seed)
{
	static struct program program;
	struct het_stats now = HET_STATS_INIT;

	begin_program(&program, bench, seed);
	program.packed_once_in = 3;
	for (int i = random_in(4, 40); i > 0; i--)
		run_operation(&program);
	program.bytes_are_open = true;
	end_program(&program);
	ck_assert_int_eq(het_stats(bench->system, &now), HET_OK);
	return (struct outcome){.between = now.transfer_bytes - program.before.transfer_bytes,
				.inside = now.repack_bytes - program.before.repack_bytes,
				.known = program.moved.known &&
					 now.directory_merges == program.before.directory_merges};
}

static void run_all(const char *order, enum het_share share, uint64_t seed, struct outcome *outcome)
{
	struct het_options options = HET_OPTIONS_INIT;
	struct bench bench = {.name = "random_calibrations"};

	options.share = share;
	ck_assert_int_eq(control("order %s", order), 0);
	ck_assert(open_bench(&bench, &options));
	ck_assert_ptr_nonnull(bench.system->calibration);
	bench.system->chunk_bytes = 0;
	for (int i = 0; i < PROGRAMS; i++)
		outcome[i] = run_program(&bench, seed + (uint64_t)i);
	ck_assert_msg(het_close(bench.system) == HET_OK, "%s", het_message());
}

START_TEST(bytes_do_not_depend_on_timing)
{
	static struct outcome late[PROGRAMS], at_once[PROGRAMS];
	int compared = 0;

	ck_assert(het_test_fake_driver(beds[_i / CALIBRATIONS].machine));
	random_start(beds[_i / CALIBRATIONS].machine);
	random_state += (uint64_t)_i;
	const uint64_t seed = random_state;
	write_random_calibration();
	run_all("late", beds[_i / CALIBRATIONS].share, seed, late);
	run_all("fifo", beds[_i / CALIBRATIONS].share, seed, at_once);
	for (int i = 0; i < PROGRAMS; i++) {
		if (!late[i].known || !at_once[i].known)
			continue;
		ck_assert_msg(late[i].between == at_once[i].between && late[i].inside == at_once[i].inside,
			      "program %d: %llu bytes late, %llu at once; inside %llu, %llu", i,
			      (unsigned long long)late[i].between, (unsigned long long)at_once[i].between,
			      (unsigned long long)late[i].inside, (unsigned long long)at_once[i].inside);
		compared++;
	}
	printf("%s: %d programs moved the same\n", beds[_i / CALIBRATIONS].machine, compared);
	ck_assert_int_ge(compared, PROGRAMS / 2);
	ck_assert_int_eq(control("alive all"), 0);
}
END_TEST

int main(void)
{
	setenv("HETERO_CACHE", het_test_subfolder("cache"), 1);
	return run_fake_loop("random calibrations", bytes_do_not_depend_on_timing, BEDS * CALIBRATIONS, 120);
}
