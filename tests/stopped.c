/* stopped.c - a fake machine of which one device stops. */
#include "stopped.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const orders[] = {"late", "fifo", "random:7"};
#define ORDERS ((int)(sizeof orders / sizeof orders[0]))

het_system *sys;
het_device *good, *stuck, *other;
het_kernel *bump, *add;

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

/* Warnings and errors that the log was told. */
static struct {
	pthread_mutex_t lock;
	char text[4096];
} heard = {.lock = PTHREAD_MUTEX_INITIALIZER};

void keep_warnings(void *user, enum het_log_level level, const char *line)
{
	(void)user;
	pthread_mutex_lock(&heard.lock);
	if (level <= HET_LOG_WARN && strlen(heard.text) + strlen(line) + 2 < sizeof heard.text)
		strcat(strcat(heard.text, line), "\n");
	pthread_mutex_unlock(&heard.lock);
}

bool has_heard(const char *words)
{
	bool found;

	pthread_mutex_lock(&heard.lock);
	found = strstr(heard.text, words) != NULL;
	pthread_mutex_unlock(&heard.lock);
	return found;
}

/* Before anybody waits: who looks after devices begins then. */
void open_on(const char *machine, int order, int64_t patience_ns)
{
	struct het_options options = HET_OPTIONS_INIT;

	setenv("FAKECL_ORDER", orders[order], 1);
	ck_assert(het_test_fake_driver(machine));
	options.log = keep_warnings;
	ok(het_open(&options, &sys));
	sys->patience_ns = patience_ns;
	bump = common_kernel(sys, "bump");
	add = common_kernel(sys, "add");
}

void open_patiently(int order, int64_t patience_ns)
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

void open_three(int order)
{
	open_patiently(order, 0);
}

void close_three(void)
{
	ok(het_close(sys));
	ck_assert_int_eq(control("alive all"), 0);
}

void wait_until_counted(const int *counter, int least)
{
	int count = 0;

	while (count < least) {
		pthread_mutex_lock(&sys->lock);
		count = *counter;
		pthread_mutex_unlock(&sys->lock);
	}
}

het_status wait_for_word(void *word, int count, const struct het_host_arg *args)
{
	(void)count;
	(void)args;
	while (!atomic_load((atomic_bool *)word))
		sched_yield();
	return HET_OK;
}

void stop(void)
{
	ck_assert_int_eq(control("stop 1 1"), 0);
}

void go(void)
{
	ck_assert_int_eq(control("go 1"), 0);
}

int run_stopped(const char *name, const TTest *const *tests, int count)
{
	int status = 0;

	setenv("HETERO_CACHE", het_test_subfolder("cache"), 1);
	for (int i = 0; i < count && !status; i++)
		status = run_fake_loop(name, tests[i], ORDERS, 30);
	return status;
}
