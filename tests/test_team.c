/* test_team.c - teams, their shares, and shares that follow what was measured. */
#include "face.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <hetero/opencl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "launch/team.h"

static void shares_are(het_team *team, const het_kernel *kernel, int count, ...)
{
	double share[HET__TEAM_MOST];
	va_list wanted;

	ok(het_team_shares(team, kernel, share));
	ck_assert_int_eq(het_team_count(team), count);
	va_start(wanted, count);
	for (int i = 0; i < count; i++)
		ck_assert_double_eq_tol(share[i], va_arg(wanted, double), 1e-12);
	va_end(wanted);
}

START_TEST(test_shares)
{
	het_system *system = open_face(_i);
	het_device *device[8];
	double share[8] = {3, 1, 4, 0, 0, 0, 0, 0};
	const int count = het_device_count(system) < 8 ? het_device_count(system) : 8;
	het_team *team;

	for (int i = 0; i < count; i++)
		device[i] = het_device(system, i);
	ok(het_team_new(system, count, device, share, &team));
	ck_assert_int_eq(het_team_count(team), count);
	for (int i = 0; i < count; i++)
		ck_assert_ptr_eq(het_team_device(team, i), device[i]);
	ck_assert_ptr_null(het_team_device(team, count));
	ck_assert_ptr_null(het_team_device(team, -1));
	if (count == 2 && all_are_cpus(system)) {
		shares_are(team, NULL, 2, 0.75, 0.25);
		ok(het_team_share_by(team, HET_BY_COMPUTE)); /* nothing is known of them: by units, one each */
		shares_are(team, NULL, 2, 0.5, 0.5);
		ok(het_team_set_shares(team, share));
		shares_are(team, NULL, 2, 0.75, 0.25);
		ok(het_team_share_by(team, HET_BY_BANDWIDTH));
		shares_are(team, NULL, 2, 0.5, 0.5);
	}
	share[0] = -1;
	fails(het_team_set_shares(team, share), HET_ERR_ARGUMENT, "share 0", "-1");
	share[0] = NAN;
	fails(het_team_set_shares(team, share), HET_ERR_ARGUMENT, "share 0", "nan");
	memset(share, 0, sizeof share);
	fails(het_team_set_shares(team, share), HET_ERR_ARGUMENT, "sum", "0");
	fails(het_team_set_shares(team, NULL), HET_ERR_ARGUMENT, "NULL");
	fails(het_team_share_by(team, (enum het_share_by)7), HET_ERR_ARGUMENT, "7");
	fails(het_team_shares(team, NULL, NULL), HET_ERR_ARGUMENT, "NULL");
	fails(het_team_overlap(team, (enum het_overlap)0), HET_ERR_ARGUMENT, "0");
	fails(het_team_overlap(NULL, HET_OVERLAP_NEVER), HET_ERR_HANDLE, "team is NULL");
	fails(het_team_rebalance(team, -1), HET_ERR_ARGUMENT, "-1");
	ok(het_team_free(team));
	close_face(system);
}
END_TEST

START_TEST(test_alone)
{
	het_system *system = open_face(_i);
	het_array *counted = counting_array(system, 300), *sum = zero_array(system, 1);

	for (int i = 0; i < het_device_count(system); i++) {
		het_device *const device = het_device(system, i);
		het_team *const team = het_alone(device);

		ck_assert_int_eq(het_team_count(team), 1);
		ck_assert_ptr_eq(het_team_device(team, 0), device);
		ok(het_team_free(team)); /* stays */
		ck_assert_ptr_eq(het_alone(device), team);
		ok(het_reduce(HET_REDUCE_SUM, het_view(counted, het_whole()), het_view(sum, het_whole()),
			      team));
		ck_assert_int_eq(element(sum, 0), 299 * 300 / 2);
	}
	ck_assert_ptr_null(het_alone(NULL));
	ck_assert_int_eq(het_error_last().status, HET_ERR_HANDLE);
	ck_assert_ptr_nonnull(strstr(het_message(), "het_alone: the device is NULL"));
	close_face(system);
}
END_TEST

START_TEST(test_members)
{
	het_system *system = open_face(_i), *other = open_face(_i);
	het_device *twice[2] = {first_device(system), first_device(system)};
	het_device *foreign[1] = {first_device(other)};
	het_team *team = NULL, *all = het_everyone(system);

	ck_assert_ptr_nonnull(all);
	ck_assert_ptr_eq(all, het_everyone(system));
	ck_assert_int_eq(het_team_count(all), het_device_count(system));
	ok(het_team_free(all)); /* stays */
	ck_assert_ptr_eq(all, het_everyone(system));
	ck_assert_int_eq(het_team_count(NULL), 0);
	ck_assert_ptr_null(het_team_device(NULL, 0));
	ck_assert_ptr_null(het_everyone(NULL));
	ok(het_team_free(NULL));
	fails(het_team_new(system, 2, twice, NULL, &team), HET_ERR_ARGUMENT, "twice");
	fails(het_team_new(system, 1, foreign, NULL, &team), HET_ERR_HANDLE, "another system");
	fails(het_team_new(system, 0, twice, NULL, &team), HET_ERR_ARGUMENT, "0 devices");
	fails(het_team_new(system, 63, twice, NULL, &team), HET_ERR_ARGUMENT, "63 devices", "62");
	fails(het_team_new(system, 1, NULL, NULL, &team), HET_ERR_ARGUMENT, "devices");
	fails(het_team_new(system, 1, twice, NULL, NULL), HET_ERR_ARGUMENT, "team_p");
	fails(het_team_new(NULL, 1, twice, NULL, &team), HET_ERR_HANDLE, "NULL");
	twice[0] = NULL;
	fails(het_team_new(system, 1, twice, NULL, &team), HET_ERR_HANDLE, "device 0 is NULL");
	ck_assert_ptr_null(team);
	fails(het_team_shares(NULL, NULL, NULL), HET_ERR_HANDLE, "team is NULL");
	close_face(other);
	close_face(system);
}
END_TEST

/* A device never works beside its own parts. */
START_TEST(test_parts_of_a_member)
{
	struct het_options options = HET_OPTIONS_INIT;
	char selection[64];
	het_system *system;
	het_device *both[2];
	het_team *team;
	int parts = 0;

	snprintf(selection, sizeof selection, "%s,", on_cpu("cpu/1") ? on_cpu("cpu/1") : "*");
	strcat(selection, on_cpu("cpu") ? on_cpu("cpu") : "*");
	options.devices = selection;
	ok(het_open(&options, &system));
	for (int i = 0; i < het_device_count(system); i++) {
		struct het_device_info info = HET_DEVICE_INFO_INIT;

		ok(het_device_info(het_device(system, i), &info));
		both[!info.is_part] = het_device(system, i);
		parts += info.is_part;
	}
	if (parts > 0 && parts < het_device_count(system) && all_are_cpus(system)) {
		fails(het_team_new(system, 2, both, NULL, &team), HET_ERR_ARGUMENT, "part of the other");
		ck_assert_int_eq(het_team_count(het_everyone(system)), parts);
	}
	ok(het_close(system));
}
END_TEST

/* ---- rebalancing -------------------------------------------------------------------------------- */

START_TEST(test_moves)
{
	double share[3] = {0.5, 0.5, 0}, rate[3] = {3, 1, 9};

	ck_assert(het__balance_move(share, rate, 3));
	ck_assert_double_eq_tol(share[0], 0.75, 1e-12);
	ck_assert_double_eq_tol(share[1], 0.25, 1e-12);
	ck_assert_double_eq_tol(share[2], 0, 1e-12); /* it was given nothing */
	ck_assert(!het__balance_move(share, rate, 3)); /* nothing to gain */
	rate[1] = 1.02;
	ck_assert(!het__balance_move(share, rate, 3)); /* too little */
	rate[1] = 0;
	ck_assert(!het__balance_move(share, rate, 3)); /* one alone */
	share[2] = 0.5; /* of 1.5: device 1 was not measured, and keeps its quarter */
	rate[0] = 1;
	rate[2] = 4;
	ck_assert(het__balance_move(share, rate, 3));
	ck_assert_double_eq_tol(share[0], 0.25, 1e-12);
	ck_assert_double_eq_tol(share[1], 0.25, 1e-12);
	ck_assert_double_eq_tol(share[2], 1, 1e-12);
}
END_TEST

/* Of an array that stays with its devices only the strip that changes hands moves; and with a halo, what each
 * reads of the other, of the last version. */
START_TEST(test_strip_moves)
{
	enum { N = 400 };
	/* But for an element that was read beside the part before. */
	static const uint64_t strip[] = {N, N / 4 - 1, N / 2 - 1};
	het_system *system = open_face(FACE_SEPARATE);
	het_kernel *bump = common_kernel(system, "bump"), *add = common_kernel(system, "add");
	het_array *x = counting_array(system, N), *y = zero_array(system, N);
	const double shares[][2] = {{1, 1}, {3, 1}, {1, 3}};
	het_device *device[2];
	het_team *team;

	if (het_device_count(system) < 2 || !is_separate(first_device(system)) ||
	    !is_separate(het_device(system, 1))) {
		close_face(system);
		return;
	}
	for (int d = 0; d < 2; d++)
		device[d] = het_device(system, d);
	ok(het_team_new(system, 2, device, shares[0], &team));
	for (int s = 0; s < 3; s++) {
		uint64_t before;

		ok(het_team_set_shares(team, shares[s]));
		before = bytes_into_devices(system);
		for (int k = 0; k < 3; k++)
			ok(het_spread(bump, team, het_grid(1, N), HET_INOUT(HET_EACH(x)), HET_VAL(1)));
		ck_assert_uint_eq(bytes_into_devices(system) - before, strip[s] * sizeof(int));
		before = bytes_into_devices(system);
		for (int k = 0; k < 3; k++)
			ok(het_spread(add, team, het_range(1, 1, N - 1), HET_OUT(HET_EACH(y)),
				      HET_IN(HET_HALO(x, 1)), HET_VAL(1)));
		ck_assert_uint_eq(bytes_into_devices(system) - before, 2 * sizeof(int));
	}
	assert_counts(x, 9, 1);
	ok(het_team_free(team));
	close_face(system);
}
END_TEST

static const char heavy_text[] =
	"kernel void heavy(global int *out, int rounds)\n"
	"{ size_t i = get_global_id(0); int v = (int)i;\n"
	"  for (int k = 0; k < rounds; k++) v = v * 1103515245 + 12345;\n"
	"  out[i] = v; }\n";

static het_status fill_slowly(void *user, const struct het_native_info *info)
{
	pthread_barrier_t *const barrier = user;
	const int seven = 7;
	cl_int code;

	pthread_barrier_wait(barrier); /* the queue is replaced meanwhile */
	pthread_barrier_wait(barrier);
	code = clEnqueueFillBuffer(info->queue, info->buffers[0], &seven, sizeof seven, 0, 64 * sizeof seven,
				   0, NULL, NULL);
	return code == CL_SUCCESS ? HET_OK : HET_ERR_DEVICE;
}

/* A function of the user's goes on with the queue that it was given. */
START_TEST(test_rebalance_beside_native)
{
	het_system *system = open_face(_i);
	het_array *x = zero_array(system, 64);
	pthread_barrier_t barrier;

	pthread_barrier_init(&barrier, NULL, 2);
	ok(het_native(first_device(system), fill_slowly, &barrier, HET_OUT(x)));
	pthread_barrier_wait(&barrier);
	ok(het_team_rebalance(het_everyone(system), 1));
	pthread_barrier_wait(&barrier);
	assert_counts(x, 7, 0);
	pthread_barrier_destroy(&barrier);
	close_face(system);
}
END_TEST

/* From a bad start, of work that both devices do equally fast, towards the middle; on a busy machine that may
 * take long. */
START_TEST(test_rebalance)
{
	enum { N = 4000, ROUNDS = 2000, SPREADS = 20, MOST = 400 };
	het_system *system = open_face(_i);
	const int count = het_device_count(system), alike = count > 1 && all_are_cpus(system);
	double share[8] = {19, 1, 1, 1, 1, 1, 1, 1}, now[8];
	het_device *device[8];
	het_array *out = zero_array(system, N);
	het_kernel *heavy = text_kernel(system, heavy_text, "heavy");
	het_team *team;

	for (int i = 0; i < count; i++)
		device[i] = het_device(system, i);
	/* this queue is not timed */
	ok(het_launch(heavy, device[0], het_grid(1, N), HET_OUT(out), HET_VAL((int)ROUNDS)));
	ok(het_team_new(system, count, device, share, &team));
	ok(het_team_rebalance(team, 1));
	now[0] = 1;
	for (int k = 0; k < SPREADS || (alike && now[0] >= 0.9 && k < MOST); k++) {
		ok(het_spread(heavy, team, het_grid(1, N), HET_OUT(HET_EACH(out)), HET_VAL((int)ROUNDS)));
		ok(het_team_shares(team, heavy, now));
	}
	if (alike)
		ck_assert_double_lt(now[0], 0.9);
	ok(het_team_shares(team, NULL, share)); /* of any other kernel */
	ck_assert_double_eq_tol(share[0], 19.0 / (19 + count - 1), 1e-12);
	ok(het_team_rebalance(team, 0)); /* what was found stays */
	ok(het_team_shares(team, heavy, share));
	ck_assert_mem_eq(share, now, (size_t)count * sizeof *share);
	ok(het_team_free(team));
	close_face(system);
}
END_TEST

/* No team, and one that was freed: with debug checks its system keeps what is left of it. */
START_TEST(test_no_team)
{
	het_system *system = open_face(_i);
	het_device *device = first_device(system);
	const double share = 1;
	het_team *team;
	double got;

	ok(het_team_new(system, 1, &device, NULL, &team));
	ok(het_team_free(team));
#ifndef HETERO_DEBUG_CHECKS
	team = NULL;
#endif
	for (int tries = 0; tries < 2; tries++, team = NULL) {
		fails(het_team_set_shares(team, &share), HET_ERR_HANDLE, "team");
		fails(het_team_share_by(team, HET_BY_COMPUTE), HET_ERR_HANDLE, "team");
		fails(het_team_shares(team, NULL, &got), HET_ERR_HANDLE, "team");
		fails(het_team_rebalance(team, 1), HET_ERR_HANDLE, "team");
		fails(het_team_overlap(team, HET_OVERLAP_NEVER), HET_ERR_HANDLE, "team");
		if (team)
			fails(het_team_free(team), HET_ERR_HANDLE, "team");
		else
			ok(het_team_free(team));
	}
	close_face(system);
}
END_TEST

static const struct face_test tests[] = {
	{&test_shares, 1},
	{&test_alone, 1},
	{&test_members, 1},
	{&test_parts_of_a_member, 0},
	{&test_no_team, 1},
	{&test_rebalance_beside_native, 1},
	{&test_moves, 0},
	{&test_strip_moves, 0},
	{&test_rebalance, 1},
};

int main(void)
{
	return run_face_tests("team", sizeof tests / sizeof tests[0], tests);
}
