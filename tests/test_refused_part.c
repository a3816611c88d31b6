/* test_refused_part.c - OpenCL refuses a part of a spread, on a fake machine: before anything was started the
 * call fails and nothing has happened; afterwards the call succeeds and that part's values are lost. Of a
 * transfer: the call fails, and says which it is, of which array.
 */
#include "face.h"

#include "fakes.h"
#include "platforms.h"

enum { ITEMS = 64 };

static het_system *sys;
static het_kernel *add, *count;
static het_array *in, *out, *sum;

static void set_up(void)
{
	struct het_options options = HET_OPTIONS_INIT;

	ck_assert(het_test_fake_driver("two-gpus"));
	ok(het_open(&options, &sys));
	add = common_kernel(sys, "add");
	count = text_kernel(sys,
			    "kernel void count(global int *sum, global int *out, global const int *in)\n"
			    "{ int i = get_global_id(0); out[i] = in[i]; atomic_add(sum, in[i]); }\n",
			    "count");
	in = counting_array(sys, ITEMS);
	out = zero_array(sys, ITEMS);
	sum = zero_array(sys, 1);
}

static het_status spread(int value)
{
	return het_spread(add, het_everyone(sys), het_grid(1, ITEMS), HET_OUT(HET_EACH(out)),
			  HET_IN(HET_EACH(in)), HET_VAL(value));
}

static het_status spread_sum(void)
{
	return het_spread(count, het_everyone(sys), het_grid(1, ITEMS), HET_INOUT(HET_SUM(sum)),
			  HET_OUT(HET_EACH(out)), HET_IN(HET_EACH(in)));
}

START_TEST(first_part)
{
	set_up();
	ok(spread(1));
	ok(het_wait_all(sys));
	ck_assert_int_eq(control("fail clEnqueueNDRangeKernel 1 -5"), 0);
	fails(spread(5), HET_ERR_DEVICE, "add", "CL_OUT_OF_RESOURCES");
	assert_counts(out, 1, 1);
	ok(spread(7));
	assert_counts(out, 7, 1);
	close_face(sys);
}
END_TEST

START_TEST(later_part)
{
	int values[ITEMS];

	set_up();
	ok(spread(1));
	ok(het_wait_all(sys));
	ck_assert_int_eq(control("fail clEnqueueNDRangeKernel 2 -5"), 0);
	ok(spread(5));
	ok(het_read(het_view(out, het_rows(0, ITEMS / 2)), values));
	ck_assert_int_eq(values[ITEMS / 2 - 1], ITEMS / 2 - 1 + 5);
	fails(het_read(het_view(out, het_rows(ITEMS / 2, ITEMS)), values), HET_ERR_LOST, "add",
	      "CL_OUT_OF_RESOURCES");
	ok(spread(7));
	assert_counts(out, 7, 1);
	close_face(sys);
}
END_TEST

/* Four launches come before the one that combines: both rows are made neutral, and both parts. */
START_TEST(combining)
{
	int total;

	set_up();
	ok(spread_sum());
	ck_assert_int_eq(element(sum, 0), ITEMS * (ITEMS - 1) / 2);
	ok(het_wait_all(sys));
	ck_assert_int_eq(control("fail clEnqueueNDRangeKernel 5 -5"), 0);
	ok(spread_sum());
	assert_counts(out, 0, 1);
	fails(het_read(het_view(sum, het_whole()), &total), HET_ERR_LOST, "CL_OUT_OF_RESOURCES");
	ok(het_fill(het_view(sum, het_whole()), &(int){1}));
	ck_assert_int_eq(control("fail clEnqueueNDRangeKernel 2 -5"), 0);
	fails(spread_sum(), HET_ERR_DEVICE, "count", "argument 0", "CL_OUT_OF_RESOURCES");
	ck_assert_int_eq(element(sum, 0), 1);
	ok(spread_sum());
	ck_assert_int_eq(element(sum, 0), 1 + ITEMS * (ITEMS - 1) / 2);
	close_face(sys);
}
END_TEST

/* `residual` has its value on a card, and OpenCL refuses the next of these calls. */
static void set_up_refusal(const char *call)
{
	set_up();
	ok(het_array_name(out, "residual"));
	ok(het_launch(add, first_device(sys), het_grid(1, ITEMS), HET_OUT(out), HET_IN(in), HET_VAL(1)));
	ok(het_wait_all(sys));
	ck_assert_int_eq(control("fail %s 1 -5", call), 0);
}

static void tear_down_refusal(void)
{
	assert_counts(out, 1, 1); /* nothing is lost */
	close_face(sys);
	ck_assert_int_eq(control("alive all"), 0);
}

START_TEST(transfers)
{
	int memory[ITEMS], *at;

	for (int which = 0; which < 5; which++) { /* calls */
		set_up_refusal("clEnqueueReadBuffer");
		switch (which) {
		case 0:
			fails(het_read(het_view(out, het_whole()), memory), HET_ERR_DEVICE,
			      "het_read, residual");
			break;
		case 1:
			fails(het_read_async(het_view(out, het_whole()), memory), HET_ERR_DEVICE,
			      "het_read_async, residual");
			break;
		case 2:
			fails(het_map(out, HET_READ, &at), HET_ERR_DEVICE, "het_map: residual");
			break;
		case 3:
			fails(het_copy(het_view(zero_array(sys, ITEMS), het_whole()),
				       het_view(out, het_whole())),
			      HET_ERR_DEVICE, "het_copy, array", "from residual");
			break;
		default:
			fails(het_prefetch(het_view(out, het_whole()), last_device(sys)), HET_ERR_DEVICE,
			      "het_prefetch, residual");
		}
		tear_down_refusal();
	}
}
END_TEST

START_TEST(fill)
{
	const int value = 3;

	set_up_refusal("clEnqueueFillBuffer");
	fails(het_fill(het_view(out, het_whole()), &value), HET_ERR_DEVICE_MEMORY, "het_fill, residual");
	tear_down_refusal();
}
END_TEST

/* While a call fails it may see that a launch of before has failed. That is told to who asks for what the
 * launch was to write; this call's record is about this call. */
START_TEST(record_beside_a_failed_launch)
{
	const bool map = _i;
	het_kernel *bump;
	het_array *x;
	int values[ITEMS], *at;
	het_status st;

	set_up();
	ok(het_array_name(out, "elsewhere"));
	bump = common_kernel(sys, "bump");
	x = zero_array(sys, ITEMS);
	ok(het_kernel_build(add, first_device(sys)));
	ok(het_wait_all(sys));
	control("fail ndrange 1 -5");
	control("fail clEnqueueReadBuffer 2 -6");
	ok(het_launch(add, first_device(sys), het_grid(1, ITEMS), HET_OUT(out), HET_IN(in), HET_VAL(1)));
	for (int d = 0; d < 2; d++) {
		const int64_t lo = d * ITEMS / 2, hi = lo + ITEMS / 2;

		ok(het_launch(bump, het_device(sys, d), het_range(1, lo, hi),
			      HET_INOUT_PART(x, het_rows(lo, hi)), HET_VAL(1)));
	}
	st = map ? het_map(x, HET_READ, &at) : het_read(het_view(x, het_whole()), values);
	ck_assert_int_eq(st, HET_ERR_MEMORY);
	ck_assert_int_eq(het_error_last().status, st);
	ck_assert_msg(!strstr(het_message(), "elsewhere") && strstr(het_message(), "clEnqueueReadBuffer"),
		      "%s", het_message());
	fails(het_wait(out), HET_ERR_LOST, "elsewhere", "CL_OUT_OF_RESOURCES");
	assert_counts(x, 1, 0);
	close_face(sys);
}
END_TEST

/* Or it sends what could not be sent before, and OpenCL refuses that. */
START_TEST(record_beside_a_refused_launch)
{
	het_kernel *bump;
	het_array *x;

	ck_assert(het_test_fake_driver("three-platforms"));
	ok(het_open(NULL, &sys));
	bump = common_kernel(sys, "bump");
	x = zero_array(sys, ITEMS);
	out = zero_array(sys, ITEMS);
	for (int d = 1; d <= 2; d++)
		ok(het_kernel_build(bump, het_device(sys, d)));
	control("order late");
	control("polls 1");
	control("delay 200 1");
	control("fail clEnqueueNDRangeKernel 2 -5");
	for (int d = 1; d <= 2; d++)
		ok(het_launch(bump, het_device(sys, d), het_grid(1, ITEMS), HET_INOUT(x), HET_VAL(1)));
	for (int i = 0; i < 100; i++) {
		fails(het_launch(bump, het_device(sys, 1), het_grid(1, ITEMS), HET_INOUT(out)),
		      HET_ERR_SIGNATURE, "bump has 2 arguments, but was given 1");
		ck_assert_int_eq(het_error_last().status, HET_ERR_SIGNATURE);
	}
	fails(het_wait(x), HET_ERR_LOST, "CL_OUT_OF_RESOURCES");
	close_face(sys);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {first_part, later_part, combining, transfers, fill,
				      record_beside_a_refused_launch};
	int failed = run_fake_tests("refused part", 6, tests);

	failed |= run_fake_loop("refused part", record_beside_a_failed_launch, 2, 30);
	return failed;
}
