/* test_building_calls.c - spreads and reductions that build kernels, while another thread frees their team or
 * kernel. That the test holds a kernel's build lock stands for a compiler that takes long.
 */
#include "stopped.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

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

static struct call new_call(het_status (*run)(const struct call *call))
{
	het_device *const pair[] = {good, other};
	struct call c = {.run = run, .kernel = common_kernel(sys, "bump"), .array = zero_array(sys, N),
			 .sum = zero_array(sys, 1)};

	ok(het_team_new(sys, 2, pair, NULL, &c.team));
	return c;
}

/* Calls, and frees the team, or the kernel, while `slow` is built. */
static void free_meanwhile(struct call *c, het_kernel *slow, bool kernel)
{
	pthread_t thread;

	pthread_mutex_lock(&slow->build_lock);
	ck_assert_int_eq(pthread_create(&thread, NULL, call_it, c), 0);
	wait_until_counted(&sys->holding, 2);
	ok(kernel ? het_kernel_free(c->kernel) : het_team_free(c->team));
	(void)stats_of(sys); /* a call that ends: nothing is cleared by it either */
	pthread_mutex_unlock(&slow->build_lock);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_int_eq(c->status, HET_ERR_HANDLE);
	ck_assert_msg(strstr(c->message, "freed") != NULL, "%s", c->message);
	ck_assert_int_eq(sys->holding, 0);
	assert_counts(c->array, 0, 0);
	assert_counts(c->sum, 0, 0);
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
		calls_that_fail_let_go};

	return run_stopped("building calls", tests, (int)(sizeof tests / sizeof tests[0]));
}
