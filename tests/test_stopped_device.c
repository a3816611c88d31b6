/* test_stopped_device.c - a device that stops answering, on a fake machine: whatever does not need it goes
 * on, also in other threads; whatever needs it waits, and is right when the device answers again.
 */
#include "face.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "fakes.h"
#include "platforms.h"
#include "array/directory.h"
#include "system/handle.h"

enum { N = 64, ROUNDS = 20 };

static const char *const orders[] = {"late", "fifo", "random:7"};
#define ORDERS ((int)(sizeof orders / sizeof orders[0]))

/* Three devices of three platforms; the one in the middle is going to stop. */
static het_system *sys;
static het_device *good, *stuck, *other;
static het_kernel *bump, *add;

static het_device *device_named(const char *start)
{
	for (int d = 0; d < het_device_count(sys); d++) {
		struct het_device_info info = HET_DEVICE_INFO_INIT;

		ok(het_device_info(het_device(sys, d), &info));
		if (strncmp(info.name, start, strlen(start)) == 0)
			return het_device(sys, d);
	}
	ck_abort_msg("no device %s", start);
}

/* What the log was told. */
static struct {
	pthread_mutex_t lock;
	char text[4096];
} heard = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void keep_line(void *user, enum het_log_level level, const char *line)
{
	(void)user;
	pthread_mutex_lock(&heard.lock);
	if (level <= HET_LOG_WARN && strlen(heard.text) + strlen(line) + 2 < sizeof heard.text)
		strcat(strcat(heard.text, line), "\n");
	pthread_mutex_unlock(&heard.lock);
}

static bool has_heard(const char *words)
{
	bool found;

	pthread_mutex_lock(&heard.lock);
	found = strstr(heard.text, words) != NULL;
	pthread_mutex_unlock(&heard.lock);
	return found;
}

/* Before anybody waits: who looks after devices begins then. */
static void open_on(const char *machine, int order, int64_t patience_ns)
{
	struct het_options options = HET_OPTIONS_INIT;

	setenv("FAKECL_ORDER", orders[order], 1);
	ck_assert(het_test_fake_driver(machine));
	options.log = keep_line;
	ok(het_open(&options, &sys));
	sys->patience_ns = patience_ns;
	bump = common_kernel(sys, "bump");
	add = common_kernel(sys, "add");
}

static void open_patiently(int order, int64_t patience_ns)
{
	het_array *warm;

	open_on("three-platforms", order, patience_ns);
	good = device_named("fake:");
	stuck = device_named("faux:");
	other = device_named("mock:");
	warm = zero_array(sys, N);
	for (int d = 0; d < 3; d++) {
		ok(het_launch(bump, het_device(sys, d), het_grid(1, N), HET_INOUT(warm), HET_VAL(1)));
		ok(het_launch(add, het_device(sys, d), het_grid(1, N), HET_OUT(zero_array(sys, N)),
			      HET_IN(warm), HET_VAL(1)));
	}
	assert_counts(warm, 3, 0);
}

static void open_three(int order)
{
	open_patiently(order, 0);
}

static void stop(void)
{
	ck_assert_int_eq(control("stop 1 1"), 0);
}

static void go(void)
{
	ck_assert_int_eq(control("go 1"), 0);
}

/* Everything a program does, on the devices that answer. `settled` has copies elsewhere than on the stuck
 * one. */
static void work_elsewhere(het_array *settled, int round)
{
	het_array *a = counting_array(sys, N), *b = zero_array(sys, N), *c = zero_array(sys, N);
	int values[N];

	ok(het_launch(bump, good, het_grid(1, N), HET_INOUT(a), HET_VAL(round)));
	ok(het_launch(add, other, het_grid(1, N), HET_OUT(b), HET_IN(a), HET_VAL(10)));
	ok(het_launch(add, other, het_grid(1, N), HET_OUT(c), HET_IN(settled), HET_VAL(100)));
	assert_counts(b, round + 10, 1);
	assert_counts(c, 101, 1);
	assert_counts(settled, 1, 1);
	ok(het_copy(het_view(c, het_rows(0, 10)), het_view(b, het_rows(10, 20))));
	ok(het_read(het_view(c, het_rows(0, 10)), values));
	ck_assert_int_eq(values[9], round + 10 + 19);
	ok(het_swap(a, b));
	ok(het_wait(a));
	ok(het_array_free(a));
	ok(het_array_free(b));
	ok(het_array_free(c));
}

/* 1, 2, 3..., made by the device in the middle and brought home. */
static het_array *settled_array(void)
{
	het_array *array = counting_array(sys, N);

	ok(het_launch(bump, stuck, het_grid(1, N), HET_INOUT(array), HET_VAL(1)));
	assert_counts(array, 1, 1);
	return array;
}

struct reader {
	het_array *array;
	atomic_bool done;
	het_status status;
	int values[N];
};

static void *read_it(void *argument)
{
	struct reader *r = argument;

	r->status = het_read(het_view(r->array, het_whole()), r->values);
	atomic_store(&r->done, true);
	return NULL;
}

START_TEST(test_others_go_on)
{
	struct reader reader = {.done = false};
	het_array *settled, *stale, *derived;
	pthread_t thread;

	open_three(_i);
	settled = settled_array();
	stale = counting_array(sys, N);
	derived = zero_array(sys, N);
	stop();
	ok(het_launch(bump, stuck, het_grid(1, N), HET_INOUT(stale), HET_VAL(5)));
	ok(het_launch(add, other, het_grid(1, N), HET_OUT(derived), HET_IN(stale), HET_VAL(10)));
	reader.array = derived;
	ck_assert_int_eq(pthread_create(&thread, NULL, read_it, &reader), 0);
	for (int round = 0; round < ROUNDS; round++)
		work_elsewhere(settled, round);
	ck_assert(!atomic_load(&reader.done));
	ck_assert_uint_ge(stats_of(sys).unfinished, 2);
	go();
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_int_eq(reader.status, HET_OK);
	ck_assert_int_eq(reader.values[N - 1], N - 1 + 15);
	assert_counts(stale, 5, 1);
	ok(het_wait_all(sys));
	ok(het_close(sys));
	ck_assert_int_eq(control("alive all"), 0);
}
END_TEST

/* A box that the stuck device is not about stays readable in an array of which it writes another one. */
START_TEST(test_other_boxes)
{
	het_array *array;
	int values[N];

	open_three(_i);
	array = settled_array();
	stop();
	ok(het_launch(bump, stuck, het_range(1, 0, 8), HET_INOUT_PART(array, het_rows(0, 8)), HET_VAL(5)));
	ok(het_launch(bump, other, het_range(1, 32, 64), HET_INOUT_PART(array, het_rows(32, 64)), HET_VAL(9)));
	ok(het_read(het_view(array, het_rows(8, 64)), values));
	ck_assert_int_eq(values[0], 9);
	ck_assert_int_eq(values[63 - 8], 64 + 9);
	go();
	ok(het_read(het_view(array, het_rows(0, 8)), values));
	ck_assert_int_eq(values[7], 8 + 5);
	ok(het_close(sys));
	ck_assert_int_eq(control("alive all"), 0);
}
END_TEST

static void *close_it(void *argument)
{
	struct reader *r = argument;

	r->status = het_close(sys);
	atomic_store(&r->done, true);
	return NULL;
}

/* Closing waits: memory that the device may still write to cannot be given back. */
START_TEST(test_close_waits)
{
	static int memory[N];
	struct reader closer = {.done = false};
	het_array *wrapped;
	pthread_t thread;

	open_three(_i);
	ok(het_array_wrap(sys, HET_INT, het_shape(1, N), memory, &wrapped));
	stop();
	ok(het_launch(bump, stuck, het_grid(1, N), HET_INOUT(wrapped), HET_VAL(5)));
	ck_assert_int_eq(pthread_create(&thread, NULL, close_it, &closer), 0);
	for (int k = 0; k < 1000; k++)
		ck_assert(!atomic_load(&closer.done) && control("alive cl_context") > 0);
	go();
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_int_eq(closer.status, HET_OK);
	for (int i = 0; i < N; i++)
		ck_assert_int_eq(memory[i], 5);
	ck_assert_int_eq(control("alive all"), 0);
}
END_TEST

struct launcher {
	het_kernel *kernel;
	het_device *device;
	struct het_view out;
	het_status status;
	char message[256];
};

static void *launch_it(void *argument)
{
	struct launcher *l = argument;

	l->status = het_launch(l->kernel, l->device, het_grid(1, 1), HET_INOUT(l->out), HET_VAL(1));
	snprintf(l->message, sizeof l->message, "%s", het_message());
	return NULL;
}

static void wait_until_somebody_waits(void)
{
	int waiting = 0;

	while (!waiting) {
		pthread_mutex_lock(&sys->lock);
		waiting = sys->waiting;
		pthread_mutex_unlock(&sys->lock);
	}
}

/* A kernel that one thread frees while a launch of it waits in another: the launch is refused, and its output
 * stays what it was. */
static void free_a_kernel_that_waits(het_device *device, struct het_view out)
{
	struct launcher launcher = {.kernel = common_kernel(sys, "bump"), .device = device, .out = out};
	pthread_t thread;

	ok(het_kernel_build(launcher.kernel, device));
	ck_assert_int_eq(pthread_create(&thread, NULL, launch_it, &launcher), 0);
	wait_until_somebody_waits();
	ok(het_kernel_free(launcher.kernel));
	go();
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_int_eq(launcher.status, HET_ERR_HANDLE);
	ck_assert_msg(strstr(launcher.message, "freed") != NULL, "%s", launcher.message);
}

/* `uncounted`: users' functions that were called before. */
static void fill_the_room(het_array *busy, unsigned uncounted)
{
	while (stats_of(sys).unfinished < HET__WINDOW + uncounted)
		ok(het_launch(bump, stuck, het_grid(1, N), HET_INOUT(busy), HET_VAL(1)));
}

START_TEST(test_kernel_is_freed_while_there_is_no_room)
{
	het_array *busy, *other_array;

	open_three(_i);
	busy = zero_array(sys, N);
	other_array = counting_array(sys, N);
	stop();
	fill_the_room(busy, 0);
	free_a_kernel_that_waits(good, het_view(other_array, het_rows(0, 1)));
	assert_counts(other_array, 0, 1);
	ok(het_close(sys));
	ck_assert_int_eq(control("alive all"), 0);
}
END_TEST

/* As many windows of one array as there can be are in use by a device that stands still. */
START_TEST(test_kernel_is_freed_while_there_is_no_window)
{
	het_array *array;

	open_three(_i);
	array = counting_array(sys, 2 * HET__STORES);
	stop();
	for (int i = 0; i < HET__STORES - 1; i++)
		ok(het_launch(bump, stuck, het_grid(1, 1), HET_INOUT(het_view(array, het_rows(i, i + 1))),
			      HET_VAL(0)));
	free_a_kernel_that_waits(stuck, het_view(array, het_rows(HET__STORES, HET__STORES + 1)));
	assert_counts(array, 0, 1);
	ok(het_close(sys));
	ck_assert_int_eq(control("alive all"), 0);
}
END_TEST

/* A launch that waits for room takes the last launch of its kernel, freed meanwhile, out of its queue itself. */
START_TEST(test_last_launch_of_a_freed_kernel_ends_in_a_wait)
{
	struct launcher launcher = {.status = HET_OK};
	het_array *busy;
	pthread_t thread;

	open_three(_i);
	busy = zero_array(sys, N);
	launcher.kernel = common_kernel(sys, "bump");
	launcher.device = stuck;
	launcher.out = het_view(busy, het_rows(0, 1));
	stop();
	ok(het_launch(launcher.kernel, stuck, het_grid(1, N), HET_INOUT(busy), HET_VAL(1)));
	fill_the_room(busy, 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, launch_it, &launcher), 0);
	wait_until_somebody_waits();
	ok(het_kernel_free(launcher.kernel));
	go();
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_int_eq(launcher.status, HET_ERR_HANDLE);
	ck_assert_msg(strstr(launcher.message, "freed") != NULL, "%s", launcher.message);
	ok(het_close(sys));
	ck_assert_int_eq(control("alive all"), 0);
}
END_TEST

/* ---- spreads that look at their shares ------------------------------------------------------------ */

struct spreader {
	het_team *team;
	het_array *array;
	het_status status;
	char message[256];
};

static het_status spread(const struct spreader *s)
{
	return het_spread(bump, s->team, het_grid(1, N), HET_INOUT(HET_EACH(s->array)), HET_VAL(1));
}

static void *spread_it(void *argument)
{
	struct spreader *const s = argument;

	s->status = spread(s);
	snprintf(s->message, sizeof s->message, "%s", het_message());
	return NULL;
}

static struct spreader watchful_pair(void)
{
	het_device *const pair[] = {stuck, good};
	struct spreader s = {.array = zero_array(sys, N)};

	ok(het_team_new(sys, 2, pair, NULL, &s.team));
	ok(het_team_rebalance(s.team, 1));
	return s;
}

START_TEST(test_team_is_freed_while_its_launches_are_waited_for)
{
	struct spreader s;
	pthread_t thread;

	open_three(_i);
	s = watchful_pair();
	stop();
	ok(spread(&s));
	ok(spread(&s));
	ck_assert_int_eq(pthread_create(&thread, NULL, spread_it, &s), 0);
	wait_until_somebody_waits();
	ok(het_team_free(s.team));
	go();
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_int_eq(s.status, HET_ERR_HANDLE);
	ck_assert_msg(strstr(s.message, "the team is freed") != NULL, "%s", s.message);
	ok(het_close(sys));
	ck_assert_int_eq(control("alive all"), 0);
}
END_TEST

/* ---- users' functions that wait for the caller ---------------------------------------------------- */

/* The caller waits for room while the function does away with what it is about. */
struct remover {
	het_status (*remove)(het_array *);
	het_array *array;
	het_status status;
};

static het_status remove_it(void *user, int count, const struct het_host_arg *args)
{
	struct remover *const r = user;

	(void)count;
	(void)args;
	wait_until_somebody_waits();
	r->status = r->remove(r->array);
	go();
	return HET_OK;
}

START_TEST(test_array_is_freed_while_there_is_no_room)
{
	const int zero = 0;
	struct remover remover = {.remove = het_array_free, .status = HET_ERR_DEVICE};
	het_array *busy;

	open_three(_i);
	busy = zero_array(sys, N);
	remover.array = zero_array(sys, N);
	stop();
	ok(het_call(sys, remove_it, &remover, HET_IN(zero_array(sys, 1))));
	fill_the_room(busy, 1);
	fails(het_fill(het_view(remover.array, het_whole()), &zero), HET_ERR_HANDLE, "het_fill", "freed");
	ok(het_wait_all(sys));
	ck_assert_int_eq(remover.status, HET_OK);
	ok(het_close(sys));
	ck_assert_int_eq(control("alive all"), 0);
}
END_TEST

/* The last map of a freed array ends twice. */
START_TEST(test_array_is_unmapped_while_there_is_no_room)
{
	struct remover remover = {.remove = het_unmap, .status = HET_ERR_DEVICE};
	het_array *busy;
	int *at;

	open_three(_i);
	busy = zero_array(sys, N);
	remover.array = zero_array(sys, N);
	ok(het_map(remover.array, HET_READ, &at));
	ok(het_array_free(remover.array));
	stop();
	ok(het_call(sys, remove_it, &remover, HET_IN(zero_array(sys, 1))));
	fill_the_room(busy, 1);
	fails(het_unmap(remover.array), HET_ERR_HANDLE, "het_unmap", "freed");
	ok(het_wait_all(sys));
	ck_assert_int_eq(remover.status, HET_OK);
	ok(het_close(sys));
	ck_assert_int_eq(control("alive all"), 0);
}
END_TEST

static het_status wait_for_word(void *user, int count, const struct het_host_arg *args)
{
	(void)count;
	(void)args;
	while (!atomic_load((atomic_bool *)user))
		sched_yield();
	return HET_OK;
}

START_TEST(test_spreads_behind_a_function_are_not_looked_at)
{
	atomic_bool word = false;
	struct spreader s;

	open_three(_i);
	s = watchful_pair();
	ok(het_call(sys, wait_for_word, &word, HET_INOUT(s.array)));
	for (int i = 0; i < 4; i++)
		ok(spread(&s));
	atomic_store(&word, true);
	assert_counts(s.array, 4, 0);
	ok(het_close(sys));
	ck_assert_int_eq(control("alive all"), 0);
}
END_TEST

/* Of all windows the one that was used longest ago is behind the function: the next one gives way. */
START_TEST(test_window_behind_a_function_stays)
{
	atomic_bool word = false;
	het_array *array;

	open_three(_i);
	array = counting_array(sys, 2 * HET__STORES);
	ok(het_call(sys, wait_for_word, &word, HET_INOUT_PART(array, het_rows(0, 1))));
	for (int i = 0; i < HET__STORES + 1; i++)
		ok(het_launch(bump, other, het_grid(1, 1), HET_INOUT(het_view(array, het_rows(i, i + 1))),
			      HET_VAL(0)));
	atomic_store(&word, true);
	assert_counts(array, 0, 1);
	ok(het_close(sys));
	ck_assert_int_eq(control("alive all"), 0);
}
END_TEST

/* Where all are behind it, or in use and a callback is asking, that is said, and nothing is lost. */
START_TEST(test_no_window_may_go)
{
	atomic_bool word = false;
	het_array *array;

	open_three(_i);
	array = counting_array(sys, 2 * HET__STORES);
	ok(het_call(sys, wait_for_word, &word, HET_INOUT_PART(array, het_rows(0, HET__STORES))));
	for (int i = 0; i < HET__STORES - 1; i++)
		ok(het_launch(bump, other, het_grid(1, 1), HET_INOUT(het_view(array, het_rows(i, i + 1))),
			      HET_VAL(0)));
	fails(het_launch(bump, other, het_grid(1, 1),
			 HET_INOUT(het_view(array, het_rows(HET__STORES, HET__STORES + 1))), HET_VAL(0)),
	      HET_ERR_MEMORY, "argument 0", "windows wait for a user's function");
	atomic_store(&word, true);
	ok(het_wait_all(sys));
	het__callback_begin();
	fails(het_launch(bump, other, het_grid(1, 1),
			 HET_INOUT(het_view(array, het_rows(HET__STORES, HET__STORES + 1))), HET_VAL(0)),
	      HET_ERR_CONTEXT, "argument 0", "a callback may not wait");
	het__callback_end();
	assert_counts(array, 0, 1);
	ok(het_close(sys));
	ck_assert_int_eq(control("alive all"), 0);
}
END_TEST

/* ---- the report --------------------------------------------------------------------------------- */

#define PATIENCE_NS 20000000

static void wait_for_words(const char *words)
{
	while (!has_heard(words)) /* the limit of the test bounds it */
		sched_yield();
}

/* Somebody waits for what another device is to do with values that never come: it is the stopped one that is to
 * blame, whether the other's task is held back or lies in its queue, waiting for an event. */
static void blame(het_device *slow, het_device *innocent, const char *stop_it, const char *let_go)
{
	struct reader reader = {.done = false};
	het_array *const stale = counting_array(sys, N), *const derived = zero_array(sys, N);
	char reported[96], wronged[96], again[96];
	pthread_t thread;

	snprintf(reported, sizeof reported, "[task] %s has not answered for ", slow->name);
	snprintf(wronged, sizeof wronged, "%s has not answered", innocent->name);
	snprintf(again, sizeof again, "[task] %s answers again", slow->name);
	ck_assert_int_eq(control("%s", stop_it), 0);
	ok(het_launch(bump, slow, het_grid(1, N), HET_INOUT(stale), HET_VAL(5)));
	ok(het_launch(bump, slow, het_grid(1, N), HET_INOUT(stale), HET_VAL(5)));
	ok(het_launch(add, innocent, het_grid(1, N), HET_OUT(derived), HET_IN(stale), HET_VAL(10)));
	ck_assert(!has_heard("has not answered"));
	reader.array = derived;
	ck_assert_int_eq(pthread_create(&thread, NULL, read_it, &reader), 0);
	wait_for_words(reported);
	ck_assert(has_heard("transfer of ") || has_heard("kernel bump"));
	ck_assert(!has_heard(wronged));
	ck_assert_int_eq(control("%s", let_go), 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_int_eq(reader.values[N - 1], N - 1 + 20);
	wait_for_words(again);
	ok(het_close(sys));
	ck_assert_int_eq(control("alive all"), 0);
}

START_TEST(test_it_is_reported)
{
	open_patiently(_i, PATIENCE_NS);
	blame(stuck, other, "stop 1 1", "go 1");
}
END_TEST

START_TEST(test_who_waits_for_it_is_not_blamed)
{
	open_on("one-context", _i, PATIENCE_NS);
	blame(het_device(sys, 0), het_device(sys, 1), "stop 0 1", "go 0");
}
END_TEST

static void patience_of(const char *text, int64_t seconds)
{
	struct het_options options = HET_OPTIONS_INIT;

	options.log = keep_line;
	setenv("HETERO_PATIENCE", text, 1);
	ok(het_open(&options, &sys));
	ck_assert_int_eq(sys->patience_ns, seconds * 1000000000);
	ok(het_close(sys));
}

START_TEST(test_patience_can_be_set)
{
	ck_assert(het_test_fake_driver("three-platforms"));
	patience_of("", 30);
	patience_of("7", 7);
	patience_of("0", 0);
	ck_assert_str_eq(heard.text, "");
	patience_of("9999999999999", 30);
	patience_of("soon", 30);
	ck_assert(has_heard("HETERO_PATIENCE is 'soon', which is no number of seconds to wait: "));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {test_others_go_on, test_other_boxes, test_close_waits,
				      test_kernel_is_freed_while_there_is_no_room,
				      test_kernel_is_freed_while_there_is_no_window,
				      test_last_launch_of_a_freed_kernel_ends_in_a_wait,
				      test_team_is_freed_while_its_launches_are_waited_for,
				      test_spreads_behind_a_function_are_not_looked_at,
				      test_array_is_freed_while_there_is_no_room,
				      test_array_is_unmapped_while_there_is_no_room,
				      test_window_behind_a_function_stays, test_no_window_may_go,
				      test_it_is_reported,
				      test_who_waits_for_it_is_not_blamed, test_patience_can_be_set};
	int status = 0;

	setenv("HETERO_CACHE", het_test_subfolder("cache"), 1);
	for (size_t i = 0; i < sizeof tests / sizeof tests[0] && !status; i++)
		status = run_fake_loop("stopped device", tests[i], ORDERS, 30);
	return status;
}
