/* test_combined.c - arguments of spreads that are combined: HET_SUM, HET_MIN, HET_MAX, HET_OR. */
#include <math.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "random.h"
#include "spreads.h"

static const char counting_text[] =
	"kernel void count(global int *odd, global int *least, global int *most, global uint *bits,\n"
	"                  global const int *in)\n"
	"{ int v = in[get_global_id(0)]; if (v & 1) atomic_inc(odd);\n"
	"  atomic_min(least, v); atomic_max(most, v); atomic_or(bits, 1u << (v & 31)); }\n"
	"kernel void wide(global long *bins, global const int *in) { bins[0] = in[0]; }\n"
	"kernel void many(global int *a, global int *b, global int *c, global int *d, global int *e,\n"
	"                 global int *f, global int *g, global int *h, global int *i)\n"
	"{ global int *all[] = {a, b, c, d, e, f, g, h, i};\n"
	"  for (int k = 0; k < 9; k++) atomic_add(all[k], k); }\n"
	"kernel void histogram(global int *bins, global const int *in)\n"
	"{ atomic_inc(&bins[in[get_global_id(0)] & 255]); }\n";

START_TEST(test_combined)
{
	enum { N = 500 };
	het_system *system = open_face(_i);
	het_kernel *count = text_kernel(system, counting_text, "count");
	het_team *team = uneven_team(system);
	het_array *in, *odd = zero_array(system, 1), *least = zero_array(system, 1),
		  *most = zero_array(system, 1), *bits;
	int values[N], first = 0, smallest = 1000, largest = -1000;
	unsigned seen = 0, got;

	for (int i = 0; i < N; i++) {
		values[i] = random_in(-300, 600);
		first += values[i] & 1;
		smallest = values[i] < smallest ? values[i] : smallest;
		largest = values[i] > largest ? values[i] : largest;
		seen |= 1u << (values[i] & 31);
	}
	ok(het_array_new(system, HET_INT, het_shape(1, N), &in));
	ok(het_array_new(system, HET_UINT, het_shape(1, 1), &bits));
	ok(het_write(het_view(in, het_whole()), values));
	ok(het_fill(het_view(bits, het_whole()), &(unsigned){0}));
	for (int k = 1; k <= 3; k++) { /* SUM adds to what is there; the others take it into account, or not */
		ok(het_spread(count, team, het_grid(1, N), HET_INOUT(HET_SUM(odd)), HET_OUT(HET_MIN(least)),
			      HET_INOUT(HET_MAX(most)), HET_OUT(HET_OR(bits)), HET_IN(HET_EACH(in))));
		ck_assert_int_eq(element(odd, 0), k * first);
		ck_assert_int_eq(element(least, 0), smallest);
		ck_assert_int_eq(element(most, 0), largest);
		ok(het_read(het_view(bits, het_whole()), &got));
		ck_assert_uint_eq(got, seen);
	}
	ok(het_spread(count, team, het_grid(1, 0), HET_OUT(HET_SUM(odd)), HET_OUT(HET_MIN(least)),
		      HET_INOUT(HET_MAX(most)), HET_OUT(HET_OR(bits)), HET_IN(HET_EACH(in))));
	ck_assert_int_eq(element(odd, 0), 3 * first); /* nothing ran */
	ok(het_team_free(team));
	close_face(system);
}
END_TEST

START_TEST(test_combined_array)
{
	enum { N = 3000 };
	het_system *system = open_face(_i);
	het_kernel *histogram = text_kernel(system, counting_text, "histogram");
	het_array *in = counting_array(system, N), *bins = zero_array(system, 256), *real, *empty;

	ok(het_array_new(system, HET_DOUBLE, het_shape(1, 4), &real));
	ok(het_array_new(system, HET_INT, het_shape(1, 0), &empty));
	for (int k = 0; k < 4; k++)
		ok(het_spread(histogram, het_everyone(system), het_grid(1, N), HET_OUT(HET_SUM(bins)),
			      HET_IN(HET_EACH(in))));
	for (int i = 0; i < 256; i++)
		ck_assert_int_eq(element(bins, i), N / 256 + (i < N % 256));
	ok(het_spread(histogram, het_everyone(system), het_grid(1, 0), HET_OUT(HET_SUM(empty)),
		      HET_IN(HET_EACH(in))));
	fails(het_spread(histogram, het_everyone(system), het_grid(1, N), HET_OUT(HET_OR(real)),
			 HET_IN(HET_EACH(in))),
	      HET_ERR_ARGUMENT, "argument 0", "OR");
	ok(het_array_name(bins, "many"));
	fails(het_spread(text_kernel(system, counting_text, "wide"), het_everyone(system), het_grid(1, N),
			 HET_OUT(HET_SUM(bins)), HET_IN(HET_EACH(in))),
	      HET_ERR_SIGNATURE, "argument 0: long* bins was given many", "elements are int");
	fails(het_spread(histogram, het_everyone(system), het_grid(1, N), HET_OUT(HET_SUM(NULL)),
			 HET_IN(HET_EACH(in))),
	      HET_ERR_HANDLE, "argument 0", "NULL");
	close_face(system);
}
END_TEST

START_TEST(test_combined_errors)
{
	het_system *system = open_face(_i);
	het_kernel *add = common_kernel(system, "add");
	het_team *team = het_everyone(system);
	het_array *x = counting_array(system, 8), *y = zero_array(system, 8);
	const void *at;

	fails(het_spread(add, team, het_grid(1, 8), HET_OUT(HET_SUM(x)), HET_IN(x), HET_VAL(1)), HET_ERR_ALIAS,
	      "kernel add", "0 and 1");
	ok(het_map(x, HET_READ, &at));
	fails(het_spread(add, team, het_grid(1, 8), HET_INOUT(HET_SUM(x)), HET_IN(HET_EACH(y)), HET_VAL(1)),
	      HET_ERR_MAPPED, "kernel add", "argument 0");
	ok(het_unmap(x));
	ck_assert_uint_eq(stats_of(system).launches, 0);
	assert_counts(x, 0, 1);
	close_face(system);
}
END_TEST

/* A kernel that has been spread before is not looked at less closely. */
START_TEST(test_combined_again)
{
	het_system *system = open_face(_i);
	het_kernel *histogram = text_kernel(system, counting_text, "histogram");
	het_team *team = het_everyone(system);
	het_array *in = counting_array(system, 256), *bins = zero_array(system, 256);
	uint64_t launches;
	const void *at;

	for (int k = 0; k < 3; k++)
		ok(het_spread(histogram, team, het_grid(1, 256), HET_OUT(HET_SUM(bins)), HET_IN(HET_EACH(in))));
	launches = stats_of(system).launches;
	ok(het_map(bins, HET_READ, &at));
	fails(het_spread(histogram, team, het_grid(1, 256), HET_OUT(HET_SUM(bins)), HET_IN(HET_EACH(in))),
	      HET_ERR_MAPPED, "kernel histogram", "argument 0");
	ok(het_unmap(bins));
	fails(het_spread(histogram, team, het_grid(1, 256), HET_OUT(HET_SUM(in)), HET_IN(HET_EACH(in))),
	      HET_ERR_ALIAS, "kernel histogram", "0 and 1");
	ck_assert_uint_eq(stats_of(system).launches, launches);
	assert_counts(bins, 1, 0);
	close_face(system);
}
END_TEST

static het_status give_up(void *user, int count, const struct het_host_arg *args)
{
	(void)user, (void)count, (void)args;
	return HET_ERR_SYSTEM;
}

/* What is lost with a spread is not what the next one adds up, whatever has fewer elements. */
START_TEST(test_combined_after_a_failure)
{
	het_system *system = open_face(_i);
	het_kernel *histogram = text_kernel(system, counting_text, "histogram");
	het_array *lost = zero_array(system, 256), *in = counting_array(system, 256);
	het_array *many = zero_array(system, 300), *bins = zero_array(system, 256);

	ok(het_call(system, give_up, NULL, HET_OUT(lost)));
	ok(het_spread(histogram, het_everyone(system), het_grid(1, 256), HET_OUT(HET_SUM(many)),
		      HET_IN(HET_EACH(lost))));
	fails(het_wait(many), HET_ERR_LOST, "");
	while (het_wait_all(system))
		; /* each failure is told */
	ok(het_spread(histogram, het_everyone(system), het_grid(1, 256), HET_OUT(HET_SUM(bins)),
		      HET_IN(HET_EACH(in))));
	assert_counts(bins, 1, 0);
	ok(het_wait_all(system));
	close_face(system);
}
END_TEST

/* Partial results are kept for the next spread; of many sizes not those of each. */
START_TEST(test_combined_sizes)
{
	enum { STEP = 256, SIZES = 150 };
	struct het_device_stats stats = HET_DEVICE_STATS_INIT;
	het_system *system = open_face(_i);
	het_kernel *histogram = text_kernel(system, counting_text, "histogram");
	het_array *in = counting_array(system, STEP);
	const uint64_t largest = (uint64_t)SIZES * STEP * sizeof(int) * (uint64_t)het_device_count(system);

	for (int round = 0; round < 2; round++)
		for (int k = 1; k <= SIZES; k++) {
			het_array *const bins = zero_array(system, k * STEP);

			ok(het_spread(histogram, het_everyone(system), het_grid(1, STEP),
				      HET_OUT(HET_SUM(bins)), HET_IN(HET_EACH(in))));
			ck_assert_int_eq(element(bins, 255), 1);
			ck_assert_int_eq(element(bins, k * STEP - 1), k == 1);
			ok(het_array_free(bins));
		}
	ok(het_wait_all(system));
	for (int d = 0; d < het_device_count(system); d++) {
		ok(het_device_stats(het_device(system, d), &stats));
		ck_assert_uint_le(stats.array_bytes, 17 * largest);
	}
	close_face(system);
}
END_TEST

static sem_t word;

/* Not for ever, so that a failure is told of. */
static het_status wait_for_word(void *waited_in_vain, int count, const struct het_host_arg *args)
{
	struct timespec until;

	(void)count;
	(void)args;
	timespec_get(&until, TIME_UTC);
	until.tv_sec += 10;
	*(int *)waited_in_vain = sem_timedwait(&word, &until) != 0;
	return HET_OK;
}

/* A spread behind a user's function accumulates where no other does: who has nothing to do with it need not
 * wait for what may be waiting for him. */
START_TEST(test_combined_beside_a_function)
{
	enum { N = 256 };
	het_system *system = open_face(_i);
	het_kernel *histogram = text_kernel(system, counting_text, "histogram");
	het_array *behind = counting_array(system, N), *beside = counting_array(system, N);
	het_array *behind_bins = zero_array(system, 256), *bins = zero_array(system, 256);
	int waited_in_vain = 0;

	ck_assert_int_eq(sem_init(&word, 0, 0), 0);
	ok(het_call(system, wait_for_word, &waited_in_vain, HET_INOUT(behind)));
	ok(het_spread(histogram, het_everyone(system), het_grid(1, N), HET_OUT(HET_SUM(behind_bins)),
		      HET_IN(HET_EACH(behind))));
	ok(het_spread(histogram, het_everyone(system), het_grid(1, N), HET_OUT(HET_SUM(bins)),
		      HET_IN(HET_EACH(beside))));
	ok(het_wait(bins));
	sem_post(&word);
	ck_assert_int_eq(element(bins, 255), 1);
	ck_assert_int_eq(element(behind_bins, 255), 1);
	ck_assert(!waited_in_vain);
	sem_destroy(&word);
	close_face(system);
}
END_TEST

static volatile int gate;

/* The result is there while a device still works at something else: at what ends when the result has been
 * read. */
START_TEST(test_result_beside_other_work)
{
	enum { N = 256 };
	static const char text[] =
		"kernel void held(global int *x, ulong gate)\n"
		"{ volatile global int *g = (volatile global int *)gate; while (!*g) ;\n"
		"  x[get_global_id(0)] = 5; }\n";
	const uint64_t address = (uint64_t)(uintptr_t)&gate;
	het_system *system;
	het_kernel *histogram, *held;
	het_array *in, *bins, *other;

	if (getenv("HETERO_TEST_FAKE") || getenv("HETERO_TEST_DRIVER"))
		return; /* it has no threads, so nothing runs beside a kernel; or it knows no host addresses */
	system = open_face(FACE_SHARED);
	if (!all_are_cpus(system) || is_separate(first_device(system))) {
		close_face(system);
		return;
	}
	histogram = text_kernel(system, counting_text, "histogram");
	held = text_kernel(system, text, "held");
	in = counting_array(system, N);
	bins = zero_array(system, 256);
	other = zero_array(system, 1);
	for (int k = 0; k < 2; k++) { /* at first all is built */
		gate = k == 0;
		ok(het_spread(histogram, het_everyone(system), het_grid(1, N), HET_OUT(HET_SUM(bins)),
			      HET_IN(HET_EACH(in))));
		for (int d = 0; d < het_device_count(system); d++)
			ok(het_launch(held, het_device(system, d), het_grid(1, 1), HET_INOUT(other),
				      HET_VAL(address)));
		ck_assert_int_eq(element(bins, 255), 1);
		gate = 1;
		ok(het_wait_all(system));
	}
	ck_assert_int_eq(element(other, 0), 5);
	close_face(system);
}
END_TEST

START_TEST(test_combined_of_many)
{
	enum { MANY = 9, ITEMS = 100 };
	het_system *system = open_face(_i);
	struct het_arg sums[MANY];
	het_array *sum[MANY];

	for (int k = 0; k < MANY; k++) {
		sum[k] = zero_array(system, 1);
		sums[k] = HET_OUT(HET_SUM(sum[k]));
	}
	ok(het_spread_args(text_kernel(system, counting_text, "many"), het_everyone(system), het_grid(1, ITEMS),
			   sums, MANY));
	for (int k = 0; k < MANY; k++)
		ck_assert_int_eq(element(sum[k], 0), k * ITEMS);
	close_face(system);
}
END_TEST

/* Whether one device has a part or all have one: NaNs are left out. */
START_TEST(test_combined_nans)
{
	static const char text[] = "kernel void first(global float *least, global float *most)\n"
				   "{ if (get_global_id(0) == 0) least[0] = most[0] = NAN; }\n";
	het_system *system = open_face(_i);
	het_kernel *first = text_kernel(system, text, "first");
	het_team *team = uneven_team(system), *one;
	het_array *low, *high;
	float least, most;

	ok(het_team_new(system, 1, (het_device *[]){first_device(system)}, NULL, &one));
	ok(het_array_new(system, HET_FLOAT, het_shape(1, 1), &low));
	ok(het_array_new(system, HET_FLOAT, het_shape(1, 1), &high));
	for (int k = 0; k < 2; k++) {
		het_team *const by = k ? team : one;

		ok(het_fill(het_view(high, het_whole()), &(float){5}));
		ok(het_spread(first, by, het_grid(1, 64), HET_OUT(HET_MIN(low)), HET_INOUT(HET_MAX(high))));
		ok(het_read(het_view(low, het_whole()), &least));
		ok(het_read(het_view(high, het_whole()), &most));
		ck_assert(least > 0 && isinf(least));
		ck_assert(most == 5);
	}
	ok(het_team_free(one));
	ok(het_team_free(team));
	close_face(system);
}
END_TEST

static const char real_text[] =
	"#include \"het.clh\"\n"
	"#ifdef DOUBLE\n"
	"typedef double real;\n"
	"#define DO(what) het_atomic_##what##_double\n"
	"#else\n"
	"typedef float real;\n"
	"#define DO(what) het_atomic_##what##_float\n"
	"#endif\n"
	"kernel void reals(global real *sum, global real *least, global real *most, global const real *in)\n"
	"{ real x = in[get_global_id(0)];\n"
	"  DO(add)(sum, x == x ? x : 0); DO(min)(least, x); DO(max)(most, x); }\n";

enum { REALS = 600 };

/* Thousands of multiples of 1/8, whose sums are exact, and no number. */
static double real_at(int i)
{
	return i == 77 ? NAN : (i * 37 % 501 - 250) / 8.0;
}

/* Where there was a NaN, the least and the most of the numbers are, as in a spread. */
static void start_from_nan(het_device *device, het_kernel *kernel, het_array *in, het_array *const result[3],
			   bool wide)
{
	const void *const nan = wide ? (const void *)&(double){NAN} : (const void *)&(float){NAN};
	double wide_got[3];
	float got[3];

	for (int k = 0; k < 3; k++)
		ok(het_fill(het_view(result[k], het_whole()), nan));
	ok(het_launch(kernel, device, het_grid(1, REALS), HET_INOUT(result[0]), HET_INOUT(result[1]),
		      HET_INOUT(result[2]), HET_IN(in)));
	for (int k = 0; k < 3; k++) {
		ok(het_read(het_view(result[k], het_whole()), wide ? (void *)&wide_got[k] : (void *)&got[k]));
		wide_got[k] = wide ? wide_got[k] : (double)got[k];
	}
	ck_assert(isnan(wide_got[0]) && wide_got[1] == -250 / 8.0 && wide_got[2] == 250 / 8.0);
}

static void combine_reals(het_system *system, het_team *team, het_kernel *kernel, het_type type)
{
	const bool wide = type == HET_DOUBLE;
	float narrow_values[REALS], narrow;
	double values[REALS], got[3], sum = 0, least = INFINITY, most = -INFINITY;
	het_array *in, *result[3];

	for (int i = 0; i < REALS; i++) {
		values[i] = real_at(i);
		narrow_values[i] = (float)values[i];
		sum += isnan(values[i]) ? 0 : values[i];
		least = fmin(least, values[i]);
		most = fmax(most, values[i]);
	}
	ok(het_array_new(system, type, het_shape(1, REALS), &in));
	ok(het_write(het_view(in, het_whole()), wide ? (void *)values : (void *)narrow_values));
	for (int k = 0; k < 3; k++)
		ok(het_array_new(system, type, het_shape(1, 1), &result[k]));
	ok(het_spread(kernel, team, het_grid(1, REALS), HET_OUT(HET_SUM(result[0])),
		      HET_OUT(HET_MIN(result[1])), HET_OUT(HET_MAX(result[2])), HET_IN(HET_EACH(in))));
	for (int k = 0; k < 3; k++) {
		ok(het_read(het_view(result[k], het_whole()), wide ? (void *)&got[k] : (void *)&narrow));
		got[k] = wide ? got[k] : (double)narrow;
	}
	ck_assert(got[0] == sum && got[1] == least && got[2] == most);
	start_from_nan(het_team_device(team, 0), kernel, in, result, wide);
}

/* By what het.clh has; of doubles on devices that can exchange 64 bits at once, as PoCL's. */
START_TEST(test_combined_reals)
{
	het_system *system = open_face(_i);
	het_team *team = uneven_team(system);
	het_kernel *kernel;
	bool is_there = true;

	ok(het_kernel_from_source(system, real_text, "reals", NULL, &kernel));
	combine_reals(system, team, kernel, HET_FLOAT);
	ok(het_kernel_from_source(system, real_text, "reals", "-cl-std=CL1.1", &kernel));
	combine_reals(system, team, kernel, HET_FLOAT);
	ok(het_kernel_from_source(system, real_text, "reals", "-DDOUBLE", &kernel));
	for (int i = 0; i < het_team_count(team); i++)
		is_there &= het_kernel_build(kernel, het_team_device(team, i)) == HET_OK;
	ck_assert(is_there || _i == FACE_RUSTICL || getenv("HETERO_TEST_FAKE"));
	if (is_there)
		combine_reals(system, team, kernel, HET_DOUBLE);
	ok(het_team_free(team));
	close_face(system);
}
END_TEST

static const struct face_test tests[] = {
	{&test_combined, 1},
	{&test_combined_beside_a_function, 1},
	{&test_combined_array, 1},
	{&test_combined_errors, 1},
	{&test_combined_again, 1},
	{&test_combined_after_a_failure, 1},
	{&test_combined_sizes, 1},
	{&test_combined_nans, 1},
	{&test_combined_reals, 1},
	{&test_result_beside_other_work, 0},
	{&test_combined_of_many, 1},
};

int main(void)
{
	return run_face_tests("combined", sizeof tests / sizeof tests[0], tests);
}
