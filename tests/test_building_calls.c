/* test_building_calls.c - calls that build kernels or open devices, or wait for the system's lock, while
 * another thread frees their team or kernel. That the test holds a kernel's build lock stands for a compiler
 * that takes long, the lock of openings for a driver that does.
 */
#include "stopped.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "launch/combine.h"

struct call {
	het_status (*run)(const struct call *call);
	het_kernel *kernel;
	het_team *team;
	het_array *array, *sum;
	het_status status;
	char message[256];
};

static void *call_it(void *argument)
{
	struct call *const c = argument;

	c->status = c->run(c);
	snprintf(c->message, sizeof c->message, "%s", het_message());
	return NULL;
}

static het_status spread(const struct call *c)
{
	return het_spread(c->kernel, c->team, het_grid(1, N), HET_INOUT(HET_EACH(c->array)), HET_VAL(1));
}

static het_status combine(const struct call *c)
{
	return het_spread(c->kernel, c->team, het_grid(1, N), HET_INOUT(HET_SUM(c->sum)), HET_VAL(1));
}

static het_status reduce(const struct call *c)
{
	return het_reduce(HET_REDUCE_SUM, het_view(c->array, het_whole()), het_view(c->sum, het_whole()),
			  c->team);
}

static het_status launch_it(const struct call *c)
{
	return het_launch(c->kernel, good, het_grid(1, N), HET_INOUT(c->array), HET_VAL(1));
}

static het_status build(const struct call *c)
{
	return het_kernel_build(c->kernel, good);
}

static het_status binary(const struct call *c)
{
	size_t bytes;

	return het_kernel_binary(c->kernel, good, NULL, 0, &bytes);
}

static struct call new_call(het_status (*run)(const struct call *call))
{
	het_device *const pair[] = {good, other};
	struct call c = {.run = run, .kernel = common_kernel(sys, "bump"), .array = zero_array(sys, N),
			 .sum = zero_array(sys, 1)};

	ok(het_team_new(sys, 2, pair, NULL, &c.team));
	return c;
}

/* Calls, and frees the team, or the kernel, while the call waits for a lock and is counted so often. */
static void free_behind(struct call *c, pthread_mutex_t *slow, int counted, bool kernel)
{
	pthread_t thread;

	pthread_mutex_lock(slow);
	ck_assert_int_eq(pthread_create(&thread, NULL, call_it, c), 0);
	wait_until_counted(&sys->holding, counted);
	ok(kernel ? het_kernel_free(c->kernel) : het_team_free(c->team));
	(void)stats_of(sys); /* a call that ends: nothing is cleared by it either */
	for (int i = 0; i < 8; i++)
		(void)common_kernel(sys, "bump"); /* takes memory that was given back */
	pthread_mutex_unlock(slow);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_int_eq(c->status, HET_ERR_HANDLE);
	ck_assert_msg(strstr(c->message, "freed") != NULL, "%s", c->message);
	ck_assert_int_eq(sys->holding, 0);
	assert_counts(c->array, 0, 0);
	assert_counts(c->sum, 0, 0);
}

/* ... while `slow` is built. */
static void free_meanwhile(struct call *c, het_kernel *slow, bool kernel)
{
	free_behind(c, &slow->build_lock, 2, kernel);
}

static const struct het__reducer *sums(void)
{
	const struct het__reducer *by;

	ok(het__reducer_get(sys, HET_INT, HET_REDUCE_SUM, &by));
	return by;
}

START_TEST(team_is_freed_while_a_spread_builds)
{
	struct call c;

	open_three(_i);
	c = new_call(spread);
	free_meanwhile(&c, c.kernel, false);
	close_three();
}
END_TEST

START_TEST(kernel_is_freed_while_a_spread_builds_it)
{
	struct call c;

	open_three(_i);
	c = new_call(spread);
	free_meanwhile(&c, c.kernel, true);
	close_three();
}
END_TEST

START_TEST(kernel_is_freed_while_it_is_built)
{
	het_status (*const calls[])(const struct call *) = {launch_it, build, binary};

	for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
		struct call c;

		open_three(_i);
		c = new_call(calls[i]);
		free_meanwhile(&c, c.kernel, true);
		close_three();
	}
}
END_TEST

START_TEST(kernel_is_freed_while_its_device_is_opened)
{
	het_status (*const calls[])(const struct call *) = {launch_it, build, binary, spread};

	for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
		struct call c;

		open_on("three-platforms", _i, 0);
		good = het_device(sys, 0);
		other = het_device(sys, 2);
		c = new_call(calls[i]);
		free_behind(&c, &sys->open_lock, 1, true);
		close_three();
	}
}
END_TEST

/* The kernel is ready; it is those that combine its results that are built. */
START_TEST(kernel_is_freed_while_others_are_built)
{
	struct call c;

	open_three(_i);
	c = new_call(combine);
	ok(het_kernel_build(c.kernel, good));
	ok(het_kernel_build(c.kernel, other));
	free_meanwhile(&c, sums()->set, true);
	close_three();
}
END_TEST

START_TEST(team_is_freed_while_a_reduction_builds)
{
	struct call c;

	open_three(_i);
	c = new_call(reduce);
	free_meanwhile(&c, sums()->last, false);
	close_three();
}
END_TEST

#ifdef HETERO_DEBUG_CHECKS

static het_status free_kernel(const struct call *c)
{
	return het_kernel_free(c->kernel);
}

static het_status give_options(const struct call *c)
{
	return het_kernel_options(c->kernel, good, "-DX");
}

static het_status ask_times(const struct call *c)
{
	struct het_kernel_times times = HET_KERNEL_TIMES_INIT;

	return het_kernel_times(c->kernel, good, &times);
}

static het_status free_team(const struct call *c)
{
	return het_team_free(c->team);
}

static het_status ask_shares(const struct call *c)
{
	double shares[2];

	return het_team_shares(c->team, NULL, shares);
}

static het_status set_shares(const struct call *c)
{
	return het_team_set_shares(c->team, (const double[]){1, 2});
}

static het_status share_by(const struct call *c)
{
	return het_team_share_by(c->team, HET_BY_COMPUTE);
}

static het_status overlap(const struct call *c)
{
	return het_team_overlap(c->team, HET_OVERLAP_ALWAYS);
}

static het_status rebalance(const struct call *c)
{
	return het_team_rebalance(c->team, 0);
}

static void start_behind_the_lock(pthread_t *thread, struct call *c)
{
	ck_assert_int_eq(pthread_create(thread, NULL, call_it, c), 0);
	nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL); /* it waits by now; if not: nothing is shown */
}

/* The call has looked at its handle when another thread, which comes first, frees that. */
static void free_just_before(het_status (*free_it)(const struct call *), het_status (*run)(const struct call *))
{
	struct call freeing = new_call(free_it), c = freeing;
	pthread_t first, second;

	c.run = run;
	pthread_mutex_lock(&sys->lock);
	start_behind_the_lock(&first, &freeing);
	start_behind_the_lock(&second, &c);
	pthread_mutex_unlock(&sys->lock);
	ck_assert_int_eq(pthread_join(first, NULL), 0);
	ck_assert_int_eq(pthread_join(second, NULL), 0);
	ck_assert(freeing.status == HET_OK || (run == free_it && freeing.status == HET_ERR_HANDLE));
	ck_assert(c.status == HET_ERR_HANDLE || freeing.status == HET_ERR_HANDLE ||
		  (c.status == HET_OK && run != free_it));
	if (c.status)
		ck_assert_msg(strstr(c.message, "freed") != NULL, "%s", c.message);
	ck_assert_int_eq(sys->holding, 0);
}

START_TEST(handles_are_freed_while_calls_wait_for_the_lock)
{
	het_status (*const of_kernels[])(const struct call *) = {launch_it, build,        binary,     spread,
								 free_kernel, give_options, ask_times};
	het_status (*const of_teams[])(const struct call *) = {spread,     reduce,   free_team, ask_shares,
							       set_shares, share_by, overlap,   rebalance};

	open_three(_i);
	for (size_t i = 0; i < sizeof of_kernels / sizeof of_kernels[0]; i++)
		free_just_before(free_kernel, of_kernels[i]);
	for (size_t i = 0; i < sizeof of_teams / sizeof of_teams[0]; i++)
		free_just_before(free_team, of_teams[i]);
	close_three();
}
END_TEST

#endif

/* A call that fails holds nothing any more. */
START_TEST(calls_that_fail_let_go)
{
	struct call c;
	het_kernel *broken;

	open_three(_i);
	c = new_call(spread);
	ok(het_kernel_from_source(sys, "kernel void k(global int *x) { nonsense }", "k", NULL, &broken));
	ck_assert_int_eq(het_spread(broken, c.team, het_grid(1, N), HET_OUT(HET_EACH(c.array))), HET_ERR_BUILD);
	ck_assert_int_eq(sys->holding, 0);
	ok(het_kernel_free(broken));
	fails(het_reduce(HET_REDUCE_OR + 1, het_view(c.array, het_whole()), het_view(c.sum, het_whole()),
			 c.team),
	      HET_ERR_ARGUMENT, "het_reduce", "no reduction");
	ck_assert_int_eq(sys->holding, 0);
	ok(spread(&c));
	assert_counts(c.array, 1, 0);
	close_three();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		team_is_freed_while_a_spread_builds, kernel_is_freed_while_a_spread_builds_it,
		kernel_is_freed_while_others_are_built, team_is_freed_while_a_reduction_builds,
		kernel_is_freed_while_it_is_built, kernel_is_freed_while_its_device_is_opened,
#ifdef HETERO_DEBUG_CHECKS
		handles_are_freed_while_calls_wait_for_the_lock,
#endif
		calls_that_fail_let_go};

	return run_stopped("building calls", tests, (int)(sizeof tests / sizeof tests[0]));
}
