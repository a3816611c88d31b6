/* test_fake_threads.c - eight threads that make, launch, map, read and free, on one system and on two, on fake
 * machines that take a random time for every call and every command, with and without a timeline. What they
 * compute is compared with a sequential count; every thread has its own sequence of random numbers from the
 * seed.
 */
#include "face.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "fakes.h"
#include "platforms.h"
#include "random.h"
#include "threads.h"

enum { WORKERS = 8, ARRAYS = 4, N = 96, ROUNDS = 150, DELAY_US = 60 };

static const struct {
	const char *machine, *order;
	int systems;
	bool traced;
} beds[] = {
	{"three-platforms", "late", 1, false}, {"five-devices", "random", 1, true},
	{"one-context", "fifo", 1, false},     {"three-platforms", "random", 2, true},
	{"five-devices", "late", 2, false},
};
#define BEDS ((int)(sizeof beds / sizeof beds[0]))

/* What the threads of one system share: arrays whose cells all are added to, in any order. */
struct office {
	het_system *system;
	het_kernel *bump, *add;
	het_array *shared[ARRAYS];
};

struct worker {
	struct office *office;
	uint64_t random;
	int number;
	uint32_t added[ARRAYS][N]; /* to the shared arrays, by this thread */
	int refused;               /* launches and maps, because of another thread's map */
};

static int pick(struct worker *w, int lo, int hi)
{
	w->random = w->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return lo + (int)((w->random >> 33) % (uint64_t)(hi - lo + 1));
}

static het_device *any_device(struct worker *w)
{
	return het_device(w->office->system, pick(w, 0, het_device_count(w->office->system) - 1));
}

/* True where the call was carried out; else somebody has a map there. */
static bool carried_out(struct worker *w, het_status st)
{
	must(st == HET_OK || st == HET_ERR_MAPPED);
	w->refused += st != HET_OK;
	return st == HET_OK;
}

static void note(struct worker *w, int which, int lo, int hi, int value)
{
	for (int i = lo; i < hi; i++)
		w->added[which][i] += (uint32_t)value;
}

static void bump_shared(struct worker *w)
{
	const int which = pick(w, 0, ARRAYS - 1), lo = pick(w, 0, N - 1), hi = pick(w, lo + 1, N);
	const int value = pick(w, 1, 1000);

	if (carried_out(w,
			het_launch(w->office->bump, any_device(w), het_range(1, lo, hi),
				   HET_INOUT_PART(w->office->shared[which], het_rows(lo, hi)), HET_VAL(value))))
		note(w, which, lo, hi, value);
}

static void bump_by_host(struct worker *w)
{
	const int which = pick(w, 0, ARRAYS - 1), lo = pick(w, 0, N - 1), hi = pick(w, lo + 1, N);
	const struct het_view view = het_view(w->office->shared[which], het_rows(lo, hi));
	int *at;

	if (!carried_out(w, het_map_view(view, HET_READ_WRITE, &at)))
		return;
	for (int i = 0; i < hi - lo; i++)
		at[i] += w->number;
	must(!het_unmap_view(view));
	note(w, which, lo, hi, w->number);
}

/* Arrays of the thread's own come and go. */
static void own_arrays(struct worker *w)
{
	const int first = pick(w, 0, 1000), value = pick(w, 0, 1000), lo = pick(w, 0, N / 2);
	het_array *mine, *other;
	int values[N];

	for (int i = 0; i < N; i++)
		values[i] = first + i;
	must(!het_array_new(w->office->system, HET_INT, het_shape(1, N), &mine));
	must(!het_array_new(w->office->system, HET_INT, het_shape(1, N), &other));
	must(!het_write(het_view(mine, het_whole()), values));
	must(!het_launch(w->office->add, any_device(w), het_grid(1, N), HET_OUT(other), HET_IN(mine),
			 HET_VAL(value)));
	must(!het_launch(w->office->bump, any_device(w), het_grid(1, N), HET_INOUT(other), HET_VAL(1)));
	must(!het_swap(mine, other));
	must(!het_copy(het_view(other, het_rows(0, N / 2)), het_view(mine, het_rows(lo, lo + N / 2))));
	must(!(pick(w, 0, 1) ? het_array_free(mine) : het_array_discard(mine)));
	must(!het_read(het_view(other, het_whole()), values));
	for (int i = 0; i < N; i++)
		must(values[i] == first + i + (i < N / 2 ? lo + value + 1 : 0));
	must(!het_array_free(other));
}

static void look_at_shared(struct worker *w)
{
	int values[N];

	(void)carried_out(w,
			  het_read(het_view(w->office->shared[pick(w, 0, ARRAYS - 1)], het_whole()), values));
}

static void audit_shared(struct worker *w)
{
	must(!het_audit(w->office->shared[pick(w, 0, ARRAYS - 1)]));
}

static void *work(void *argument)
{
	static void (*const jobs[])(struct worker *) = {bump_shared,  bump_shared, bump_shared,
							bump_by_host, own_arrays,  look_at_shared,
							audit_shared};
	struct worker *w = argument;
	const int rounds = getenv("HETERO_TEST_SHORT") ? ROUNDS / 3 : ROUNDS;

	for (int round = 0; round < rounds; round++)
		jobs[pick(w, 0, (int)(sizeof jobs / sizeof jobs[0]) - 1)](w);
	return NULL;
}

static void open_office(struct office *office)
{
	ok(het_open(NULL, &office->system));
	office->bump = common_kernel(office->system, "bump");
	office->add = common_kernel(office->system, "add");
	for (int a = 0; a < ARRAYS; a++)
		office->shared[a] = counting_array(office->system, N);
}

/* The sequential count: what was there, and what each thread says it has added. */
static void check_office(const struct office *office, const struct worker *crew)
{
	for (int a = 0; a < ARRAYS; a++) {
		int values[N];

		ok(het_read(het_view(office->shared[a], het_whole()), values));
		for (int i = 0; i < N; i++) {
			uint32_t want = (uint32_t)i;

			for (int w = 0; w < WORKERS; w++)
				want += crew[w].office == office ? crew[w].added[a][i] : 0;
			ck_assert_int_eq(values[i], (int)want);
		}
	}
}

static void close_office(struct office *office)
{
	ok(het_wait_all(office->system));
	ck_assert_uint_eq(stats_of(office->system).unfinished, 0);
	ck_assert_uint_eq(stats_of(office->system).live_arrays, ARRAYS);
	ok(het_close(office->system));
}

static void run_crew(struct worker *crew)
{
	pthread_t threads[WORKERS];
	int refused = 0;

	for (int i = 0; i < WORKERS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, work, &crew[i]), 0);
	for (int i = 0; i < WORKERS; i++) {
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
		refused += crew[i].refused;
	}
	printf("%d calls met a map of another thread\n", refused);
}

START_TEST(test_random_delays)
{
	static struct worker crew[WORKERS];
	struct office office[2];
	char order[64];

	random_start(beds[_i].machine);
	snprintf(order, sizeof order, "random:%llu", (unsigned long long)random_state);
	if (beds[_i].traced)
		setenv("HETERO_TRACE", het_test_file("trace.json", ""), 1);
	setenv("HETERO_QUEUES", _i % 2 ? "1" : "2", 1);
	setenv("FAKECL_ORDER", strcmp(beds[_i].order, "random") ? beds[_i].order : order, 1);
	ck_assert(het_test_fake_driver(beds[_i].machine));
	for (int s = 0; s < beds[_i].systems; s++)
		open_office(&office[s]);
	ck_assert_int_eq(control("delay %d %u", DELAY_US, (unsigned)random_next()), 0);
	for (int i = 0; i < WORKERS; i++) {
		crew[i].office = &office[i % beds[_i].systems];
		crew[i].random = random_next();
		crew[i].number = i;
	}
	run_crew(crew);
	ck_assert_int_eq(control("delay 0 0"), 0);
	for (int s = 0; s < beds[_i].systems; s++) {
		check_office(&office[s], crew);
		close_office(&office[s]);
	}
	ck_assert_int_eq(control("alive all"), 0);
}
END_TEST

int main(void)
{
	setenv("HETERO_CACHE", het_test_subfolder("cache"), 1);
	return run_fake_loop("fake threads", test_random_delays, BEDS, 120);
}
