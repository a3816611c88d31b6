/* test_seats.c - the seats that devices have in the process: of all its systems, by threads. */
#include <check.h>
#include <pthread.h>
#include <stdatomic.h>

#include "platforms.h"
#include "suite.h"
#include "system/seat.h"
#include "systems.h"

/* Parts of PoCL's device, or NULL. */
static het_system *open_parts(void)
{
	return has_pocl_parts() ? open_devices("pocl:cpu0/1") : NULL;
}

/* Devices have the seats that come behind one another from here. */
static void assert_seats(het_system *system, int first)
{
	for (int i = 0; i < het_device_count(system); i++)
		ck_assert_int_eq(het_device(system, i)->seat, first + i);
}

/* A process has them once, not a system. */
START_TEST(of_all_systems)
{
	het_system *first = open_parts(), *second, *third;

	if (!first)
		return;
	const int count = het_device_count(first);
	second = open_devices("pocl:cpu0/1");
	assert_seats(first, 0);
	assert_seats(second, count);
	third = open_devices("pocl:cpu0");
	assert_seats(third, 2 * count);
	ok(het_close(first));
	first = open_devices("pocl:cpu0/1");
	assert_seats(first, 0);
	ok(het_close(first));
	ok(het_close(third));
	ok(het_close(second));
}
END_TEST

static atomic_int sitting[64];

/* Opens a system again and again; nobody else has the seats of its devices. */
static void *sit(void *unused)
{
	bool good = true;

	for (int round = 0; round < 10; round++) {
		het_system *const system = open_devices("pocl:cpu0/1");

		for (int i = 0; i < het_device_count(system); i++)
			good = good && atomic_fetch_add(&sitting[het_device(system, i)->seat % 64], 1) == 0;
		for (int i = 0; i < het_device_count(system); i++)
			atomic_fetch_sub(&sitting[het_device(system, i)->seat % 64], 1);
		good = good && het_close(system) == HET_OK;
	}
	return good ? unused : NULL;
}

START_TEST(by_threads)
{
	het_system *const system = open_parts();
	pthread_t thread[3];

	if (!system)
		return;
	ok(het_close(system));
	for (int t = 0; t < 3; t++)
		ck_assert_int_eq(pthread_create(&thread[t], NULL, sit, &thread), 0);
	for (int t = 0; t < 3; t++) {
		void *good = NULL;

		ck_assert_int_eq(pthread_join(thread[t], &good), 0);
		ck_assert_ptr_nonnull(good);
	}
	assert_seats_from_first(open_devices("*"));
}
END_TEST

int main(void)
{
	TCase *const all = tcase_create("all");

	het_test_platforms();
	tcase_set_timeout(all, 300);
	tcase_add_test(all, of_all_systems);
	tcase_add_test(all, by_threads);
	return run_case("seats", all);
}
