/* test_soak.c - random programs on a fake machine for a long time: what is checked of each (program.h), and
 * that nothing grows: not the memory of the process, not what the library holds, not what it has made of
 * OpenCL's.
 *
 * It runs for HETERO_TEST_SOAK_S seconds, 15 unless given, 3 in short; `make check-long` gives it half an hour.
 * That begins when all kernels are built. What there was after the first fifth of the time is compared with
 * what there is later, each time between two programs. All of it is one system; now and then another is opened
 * and closed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "bench.h"
#include "checks.h"
#include "fakes.h"
#include "operations.h"
#include "platforms.h"
#include "random.h"
#include "system/handle.h"

#define RSS_ROOM_KIB 4096 /* by which the process may grow: pieces of heap that are free but not given back */
#define BLOCK_ROOM 1500   /* of the library's: lists grow to what the longest program needed */
#define SAMPLES 10        /* printed */
#define WARM_UP 200       /* programs, which use every kernel on every device */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RSS_IS_OURS false
#else
#define RSS_IS_OURS true
#endif

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What must not grow. */
struct holdings {
	long rss_kib, blocks, events, mems, kernels, others;
};

static long rss_kib(void)
{
	FILE *const file = fopen("/proc/self/statm", "r");
	long size = 0, resident = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%ld %ld", &size, &resident) != 2)
		resident = 0;
	fclose(file);
	return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/* A thread of the library that waited for an event gives it back a moment after others have seen it end. */
static void let_go_of_events(void)
{
	const struct timespec moment = {0, 1000000};

	for (int tries = 0; tries < 1000 && control("alive cl_event") > 0; tries++)
		nanosleep(&moment, NULL);
}

static struct holdings look(double at_s, long programs)
{
	struct holdings h;

	let_go_of_events();
	h = (struct holdings){rss_kib(),
			      het__alloc_live(),
			      control("alive cl_event"),
			      control("alive cl_mem"),
			      control("alive cl_kernel"),
			      0};
	h.others = control("alive all") - h.events - h.mems - h.kernels;
	printf("%6.0f s, %8ld programs: %ld KiB, %ld blocks; %ld events, %ld mems, %ld kernels, %ld others\n",
	       at_s, programs, h.rss_kib, h.blocks, h.events, h.mems, h.kernels, h.others);
	fflush(stdout);
	return h;
}

static void assert_flat(struct holdings then, struct holdings now)
{
	ck_assert_int_eq(now.events, 0); /* between programs */
	ck_assert_int_eq(now.mems, 0);
	ck_assert_int_eq(now.others, then.others);
	ck_assert_int_eq(now.kernels, then.kernels);
	ck_assert_int_le(now.blocks, then.blocks + BLOCK_ROOM);
	if (RSS_IS_OURS)
		ck_assert_int_le(now.rss_kib, then.rss_kib + RSS_ROOM_KIB);
}

static void run_one(const struct bench *bench, uint64_t seed)
{
	static struct program program;
	int length;

	begin_program(&program, bench, seed);
	length = random_once_in(50) ? random_in(200, 300) : random_in(4, 30);
	program.packed_once_in = random_once_in(3) ? 1 : 3;
	for (int i = 0; i < length; i++)
		run_operation(&program);
	end_program(&program);
}

static void open_and_close(const struct het_options *options)
{
	het_system *system;
	het_array *array;
	const int value = 1;

	ck_assert_msg(het_open(options, &system) == HET_OK, "%s", het_message());
	ck_assert_int_eq(het_array_new(system, HET_INT, het_shape(1, 100), &array), HET_OK);
	ck_assert_int_eq(het_fill(het_view(array, het_whole()), &value), HET_OK);
	ck_assert_int_eq(het_prefetch(het_view(array, het_whole()), het_device(system, 0)), HET_OK);
	ck_assert_msg(het_close(system) == HET_OK, "%s", het_message());
}

/* ---- the program -------------------------------------------------------------------------------- */

static struct het_options options = HET_OPTIONS_INIT;
static struct bench bench = {.name = "soak"};
static uint64_t next_seed;
static long programs, closed; /* since the beginning; systems, which are kept with debug checks */

static void open_warm(void)
{
	ck_assert(open_bench(&bench, &options));
	for (int i = 0; i < WARM_UP; i++)
		run_one(&bench, next_seed++);
}

/* With debug checks the handles of freed arrays are kept, to be known again, until their system is closed. Here
 * nobody gives them again, so the system need not be closed, and what else grows in it is seen. */
static void drop_handles(void)
{
	if (het__alloc_live() == 0)
		return;
	pthread_mutex_lock(&bench.system->lock);
	het__graveyard_clear(bench.system);
	pthread_mutex_unlock(&bench.system->lock);
}

static void run_until(double end_s)
{
	while (now_s() < end_s) {
		run_one(&bench, next_seed++);
		if (++programs % 5000)
			continue;
		open_and_close(&options);
		closed++;
		drop_handles();
	}
}

START_TEST(test_soak)
{
	const char *const given = getenv("HETERO_TEST_SOAK_S");
	const double total_s = given ? atof(given) : getenv("HETERO_TEST_SHORT") ? 3 : 15;
	struct holdings warm = {0}, last;
	double begin;

	ck_assert(het_test_fake_driver("five-devices"));
	random_start("soak");
	next_seed = random_state;
	open_warm();
	begin = now_s();
	for (int sample = 1; sample <= SAMPLES; sample++) {
		run_until(begin + total_s * sample / SAMPLES);
		drop_handles();
		last = look(now_s() - begin, programs);
		last.blocks -= het__alloc_live() ? closed : 0;
		if (sample <= SAMPLES / 5)
			warm = last;
		else
			assert_flat(warm, last);
	}
	ck_assert_msg(het_close(bench.system) == HET_OK, "%s", het_message());
	ck_assert_int_eq(control("alive all"), 0);
}
END_TEST

int main(void)
{
	const char *const given = getenv("HETERO_TEST_SOAK_S");

	setenv("HETERO_CACHE", het_test_subfolder("cache"), 1);
	return run_fake_loop("soak", test_soak, 1, 300 + (given ? 2 * atoi(given) : 0));
}
