/* test_failing_driver.c - every call of OpenCL fails in turn, and every execution, on fake machines.
 *
 * A scenario runs with one failure at a time, until the failure lies behind its end. Calls may fail; what can
 * be read is right all the same, closing works, and nothing of OpenCL is left alive. Then the same system must
 * do everything: one failure breaks nothing for good.
 */
#include "face.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "culprit.h"
#include "platforms.h"
#include "store/staging.h"
#include "system/system.h"

enum { N = 64, MOST = 400, CHUNK_BYTES = 64 };

static const struct {
	const char *machine, *order, *successors, *route;
} beds[] = {
	{"one-context", "late", "run", NULL},
	{"one-context", "fifo", "fail", NULL},
	{"three-platforms", "late", "fail", NULL},
	{"cut-cpu", "late", "run", NULL},
	{"three-platforms", "fifo", "run", "mapped"},
	{"two-gpus", "late", "fail", "mapped"},
	{"two-gpus", "late", "run", "chunked"},
	{"three-platforms", "fifo", "run", "pinned"},
	{"two-gpus", "late", "fail", "pinned"},
	{"three-platforms", "fifo", "run", "pack"},
	{"two-gpus", "late", "fail", "pack"},
};
#define BEDS ((int)(sizeof beds / sizeof beds[0]))

/* What the library calls when a system is open, and what is executed. */
static const char *const culprits[] = {
	CULPRITS_AT_FIRST,
	CULPRITS_AT_WORK,
	"clGetProgramInfo",
	"clGetKernelInfo",
	"clGetKernelArgInfo",
	"clGetProgramBuildInfo",
	"clGetContextInfo",
	"clEnqueueBarrierWithWaitList",
	"clGetEventProfilingInfo",
};
#define CULPRITS ((int)(sizeof culprits / sizeof culprits[0]))

/* What it calls while a system is opened. */
static const char *const openers[] = {"clGetPlatformInfo", "clGetDeviceIDs", "clGetDeviceInfo",
				      "clCreateSubDevices"};
#define OPENERS ((int)(sizeof openers / sizeof openers[0]))

static const char text[] = "kernel void add(global int *out, global const int *in, int v)\n"
			   "{ int i = get_global_id(0); out[i] = in[i] + v; }\n"
			   "kernel void bump(global int *io, int v) { io[get_global_id(0)] += v; }\n";

/* How often each of them came to pass, in all the tests' processes. */
static int *struck_by_culprit;

static int failures;
static const char *culprit;
static int turn; /* which call or execution of it fails */

/* A call that failed says why, and that it was OpenCL's fault. */
static bool done_by(het_status st)
{
	if (st) {
		failures++;
		ck_assert_msg(het_message()[0] != '\0', "no word about status %d", (int)st);
		ck_assert_msg(het_error_last().status == st, "status %d, but %s", (int)st, het_message());
		ck_assert_msg(st == HET_ERR_DEVICE || st == HET_ERR_DEVICE_MEMORY || st == HET_ERR_LOST ||
				      st == HET_ERR_BUILD || st == HET_ERR_MEMORY || st == HET_ERR_KERNEL,
			      "status %d: %s", (int)st, het_message());
	}
	return st == HET_OK;
}

/* An array whose value is known while all calls about it succeed: cell i holds `first` + i. */
struct known {
	het_array *array;
	bool known;
	int first;
};

static void check(const struct known *x)
{
	int values[N];

	if (!done_by(het_read(het_view(x->array, het_whole()), values)) || !x->known)
		return;
	for (int i = 0; i < N; i++)
		ck_assert_msg(values[i] == x->first + i, "%s %d: element %d is %d instead of %d", culprit, turn,
			      i, values[i], x->first + i);
}

static void write_counts(struct known *x, int first)
{
	int values[N];

	for (int i = 0; i < N; i++)
		values[i] = first + i;
	x->known = done_by(het_write(het_view(x->array, het_whole()), values));
	x->first = first;
}

/* A call that fails changes nothing: only a call that is HET_OK makes a new value. */
static void add_to(het_kernel *add, het_device *device, struct known *out, const struct known *in, int v)
{
	if (!done_by(het_launch(add, device, het_grid(1, N), HET_OUT(out->array), HET_IN(in->array),
				HET_VAL(v))))
		return;
	out->known = in->known;
	out->first = in->first + v;
}

static void bump_by(het_kernel *bump, het_device *device, struct known *x, int v)
{
	if (done_by(het_launch(bump, device, het_local(het_grid(1, N), 1), HET_INOUT(x->array), HET_VAL(v))))
		x->first += v;
}

/* A write changes nothing, and that is said when a transfer to where a former copy is may have failed. */
static void keep(het_kernel *add, het_kernel *bump, het_system *system, struct known *x, struct known *y)
{
	het_device *a = first_device(system), *b = last_device(system);
	bool kept;

	add_to(add, b, y, x, 10);
	kept = done_by(het_launch(bump, a, het_local(het_grid(1, N), 1), HET_INOUT(x->array), HET_VAL(0)));
	(void)done_by(het_prefetch(het_view(x->array, het_whole()), b));
	if (kept)
		(void)done_by(het_unmodified(het_view(x->array, het_whole())));
	add_to(add, b, y, x, 3);
	(void)done_by(het_audit(x->array));
	check(y);
	check(x);
}

/* Strided boxes, and a part of an array that a buffer can begin at. Where one of these fails nothing is known
 * of the array any more. */
static void cut_through(het_kernel *bump, het_system *system)
{
	het_device *a = first_device(system), *b = last_device(system);
	struct known x = {.known = false}, y = {.known = false};
	int column[N / 4], got[N / 4];

	ok(het_array_new(system, HET_INT, het_shape(2, N / 4, 4), &x.array));
	ok(het_array_new(system, HET_INT, het_shape(2, N / 4, 4), &y.array));
	write_counts(&x, 0);
	for (int i = 0; i < N / 4; i++)
		column[i] = 4 * i + 1;
	bump_by(bump, b, &x, 0);
	if (done_by(het_read(het_view(x.array, het_box(2, 0, N / 4, 1, 2)), got)) && x.known)
		ck_assert_mem_eq(got, column, sizeof column);
	x.known &= done_by(het_write(het_view(x.array, het_box(2, 0, N / 4, 1, 2)), column));
	bump_by(bump, b, &x, 7);
	(void)done_by(het_prefetch(het_view(x.array, het_box(2, 0, N / 4, 2, 4)), a));
	y.known = x.known;
	y.first = x.first;
	for (int part = 0; part < 2; part++) {
		const struct het_box half = het_box(2, 0, N / 4, 2 * part, 2 * part + 2);

		y.known &= done_by(het_copy(het_view(y.array, half), het_view(x.array, half)));
	}
	bump_by(bump, b, &y, 1);
	check(&y);
	for (int d = 0; d < 2; d++)
		x.known &= done_by(het_launch(bump, d ? a : b, het_grid(1, N / 2),
					      HET_INOUT(het_view(x.array, het_rows(N / 8, N / 4))),
					      HET_VAL(0)));
	check(&x);
	(void)done_by(het_array_free(x.array));
	(void)done_by(het_array_free(y.array));
}

static void work(het_system *system, het_kernel *add, het_kernel *bump)
{
	het_device *a = first_device(system), *b = last_device(system);
	struct known x = {.known = false}, y = {.known = false};
	int zero = 0;

	ok(het_array_new(system, HET_INT, het_shape(1, N), &x.array));
	ok(het_array_new(system, HET_INT, het_shape(1, N), &y.array));
	write_counts(&x, 100);
	for (int round = 0; round < 2; round++) {
		bump_by(bump, a, &x, 1);
		add_to(add, b, &y, &x, 10);
		bump_by(bump, b, &y, 5);
		if (done_by(het_copy(het_view(x.array, het_whole()), het_view(y.array, het_whole()))))
			x = (struct known){x.array, y.known, y.first};
		check(&y);
		check(&x);
	}
	keep(add, bump, system, &x, &y);
	cut_through(bump, system);
	if (done_by(het_fill(het_view(y.array, het_rows(0, 8)), &zero)))
		y.known = false;
	if (done_by(het_launch(bump, b, het_grid(1, 8), HET_INOUT(het_view(y.array, het_rows(3, 11))),
			       HET_VAL(1))))
		y.known = false;
	(void)done_by(het_prefetch(het_view(y.array, het_whole()), a));
	check(&y);
	(void)done_by(het_array_free(x.array));
	(void)done_by(het_array_free(y.array));
}

/* A barrier comes where an unmapping has failed, and kernels have another queue than copies. */
static bool is_barrier(void)
{
	return strcmp(culprit, "clEnqueueBarrierWithWaitList") == 0;
}

static void start_to_fail(void)
{
	culprit_fails_in(is_barrier() ? "clEnqueueUnmapMemObject" : culprit, turn);
	if (is_barrier())
		culprit_fails_in(culprit, 1);
}

/* What is only called where nothing is in the cache. */
static bool is_without_cache(void)
{
	return strcmp(culprit, "clCreateProgramWithSource") == 0 || strcmp(culprit, "clGetProgramInfo") == 0 ||
	       strcmp(culprit, "clGetKernelArgInfo") == 0;
}

/* `whole`: of devices that are no parts; 0: whether parts are left is not looked at. */
static void assert_nothing_is_left(int whole)
{
	ck_assert_msg(control("alive all") == 0, "%s %d: %ld objects are left", culprit, turn,
		      control("alive all"));
	if (whole)
		ck_assert_msg(control("alive cl_device_id") == whole, "%s %d: parts of devices are left",
			      culprit, turn);
}

/* Tells whether the failure came to pass: else the scenario is over before it. */
static bool fails_once(const char *devices, int bed)
{
	struct het_options options = HET_OPTIONS_INIT;
	het_kernel *add = NULL, *bump = NULL;
	het_system *system;
	bool struck;

	options.devices = devices;
	options.share = bed % 2 ? HET_SHARE_OFF : HET_SHARE_DEFAULT;
	options.log_level = HET_LOG_ERROR;
	options.profile = strcmp(culprit, "clGetEventProfilingInfo") == 0;
	if (is_without_cache()) {
		char name[64];

		snprintf(name, sizeof name, "cache-%s-%d-%d", culprit, bed, turn);
		setenv("HETERO_CACHE", het_test_subfolder(name), 1);
	}
	if (is_barrier())
		setenv("HETERO_QUEUES", "2", 1);
	ok(het_open(&options, &system));
	system->chunk_bytes = CHUNK_BYTES;
	system->staging_bytes = 2 * HET__STAGING_BYTES; /* so that they are waited for */
	start_to_fail();
	failures = 0;
	if (done_by(het_kernel_from_source(system, text, "add", NULL, &add)) &&
	    done_by(het_kernel_from_source(system, text, "bump", NULL, &bump)))
		work(system, add, bump);
	(void)done_by(het_wait_all(system)); /* what is only executed now may fail as well */
	struck = culprit_has_failed(culprit, turn);
	failures = 0;
	if (!add)
		ok(het_kernel_from_source(system, text, "add", NULL, &add));
	if (!bump)
		ok(het_kernel_from_source(system, text, "bump", NULL, &bump));
	work(system, add, bump);
	ck_assert_int_eq(failures, 0);
	ok(het_close(system));
	assert_nothing_is_left(0);
	return struck;
}

START_TEST(every_call_fails_in_turn)
{
	const int bed = _i / CULPRITS;

	culprit = culprits[_i % CULPRITS];
	setenv("FAKECL_ORDER", beds[bed].order, 1);
	setenv("FAKECL_SUCCESSORS", beds[bed].successors, 1);
	if (beds[bed].route)
		setenv("HETERO_ROUTE", beds[bed].route, 1);
	ck_assert(het_test_fake_driver(beds[bed].machine));
	for (turn = 1; turn < MOST && fails_once(bed == 3 ? "cpu0/1" : NULL, bed);)
		turn++;
	ck_assert_int_lt(turn, MOST);
	struck_by_culprit[_i % CULPRITS] += turn - 1;
	printf("%s %s: %s failed %d times\n", beds[bed].machine, beds[bed].order, culprit, turn - 1);
}
END_TEST

/* What is opened while something fails. Of PoCL's devices parts are kept for good (keeps_parts). */
static const struct {
	const char *machine, *devices;
	int count; /* of devices */
	int whole; /* of these and others, those that are no parts; 0: parts are kept */
} opened[] = {{"cut-cpu", "cpu0/1", 4, 0}, {"two-platforms", "cpu0/1", 4, 2}, {"three-platforms", NULL, 3, 3}};
#define OPENED ((int)(sizeof opened / sizeof opened[0]))

/* Opens a system while something fails. Devices may be missing then, or all of them; those that are there work,
 * and the next system has them all. */
static bool opens_once(const char *devices, int count, int whole)
{
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system = NULL;
	het_status st;
	bool struck;

	options.devices = devices;
	options.log_level = HET_LOG_ERROR;
	culprit_fails_in(culprit, turn);
	st = het_open(&options, &system);
	struck = culprit_has_failed(culprit, turn);
	ck_assert((st == HET_OK) == (system != NULL) && (st == HET_OK || het_message()[0] != '\0'));
	if (!st) {
		ck_assert_int_le(het_device_count(system), count);
		work(system, common_kernel(system, "add"), common_kernel(system, "bump"));
		ok(het_wait_all(system));
		ok(het_close(system));
	}
	assert_nothing_is_left(whole);
	ok(het_open(&options, &system));
	ck_assert_int_eq(het_device_count(system), count);
	ok(het_close(system));
	assert_nothing_is_left(whole);
	return struck;
}

START_TEST(every_call_of_het_open_fails_in_turn)
{
	const int o = _i / OPENERS;
	int failed = 0;

	culprit = openers[_i % OPENERS];
	ck_assert(het_test_fake_driver(opened[o].machine));
	failures = 0;
	for (turn = 1; turn < MOST && opens_once(opened[o].devices, opened[o].count, opened[o].whole); turn++)
		failed++;
	ck_assert_msg(failures == 0, "%s failed, and so did a call, last with %s", culprit, het_message());
	ck_assert_int_eq(failed > 0, opened[o].devices || strcmp(culprit, "clCreateSubDevices") != 0);
}
END_TEST

/* bump on the first device makes what add reads. */
struct chain {
	het_system *system;
	het_kernel *add, *bump;
	het_array *made, *derived;
};

static struct chain open_chain(void)
{
	struct chain c;

	ck_assert(het_test_fake_driver("one-context"));
	ok(het_open(NULL, &c.system));
	c.add = common_kernel(c.system, "add");
	c.bump = common_kernel(c.system, "bump");
	c.made = counting_array(c.system, N);
	c.derived = zero_array(c.system, N);
	ok(het_kernel_build(c.bump, het_device(c.system, 0)));
	return c;
}

/* What reads a failed kernel's result is known to fail while it has yet to run. A map of its own result says
 * that this is lost, not that the way to the host failed, after which another try could succeed. */
START_TEST(a_map_waits_to_see_what_is_lost)
{
	struct chain c;
	int *at;

	setenv("FAKECL_ORDER", "late", 1);
	setenv("FAKECL_SUCCESSORS", "run", 1);
	setenv("HETERO_QUEUES", "2", 1); /* the map's transfer does not lie behind what reads the result */
	c = open_chain();
	ok(het_kernel_build(c.add, first_device(c.system)));
	ck_assert_int_eq(control("fail ndrange 1 -5"), 0);
	ok(het_launch(c.bump, first_device(c.system), het_grid(1, N), HET_INOUT(c.made), HET_VAL(1)));
	ok(het_launch(c.add, first_device(c.system), het_grid(1, N), HET_OUT(c.derived), HET_IN(c.made),
		     HET_VAL(1)));
	ck_assert_int_eq(het_map(c.made, HET_READ, &at), HET_ERR_LOST);
	ck_assert_int_eq(het_map(c.derived, HET_READ, &at), HET_ERR_LOST);
	ok(het_close(c.system));
}
END_TEST

/* A driver has no resources for a while, and starts nothing that was not flushed: who waits for another queue
 * flushes that one again. */
START_TEST(a_flush_is_refused)
{
	struct chain c;
	int *at;

	setenv("FAKECL_ORDER", "late", 1);
	c = open_chain();
	ok(het_kernel_build(c.add, het_device(c.system, 1)));
	ok(het_launch(c.bump, het_device(c.system, 0), het_grid(1, N), HET_INOUT(c.made), HET_VAL(1)));
	for (int i = 1; i <= 3; i++)
		ck_assert_int_eq(control("fail clFlush %d -5", i), 0);
	ok(het_launch(c.add, het_device(c.system, 1), het_grid(1, N), HET_OUT(c.derived), HET_IN(c.made),
		     HET_VAL(1)));
	ck_assert_int_eq(control("pending"), 0);
	ok(het_wait(c.derived));
	ok(het_map(c.derived, HET_READ, &at));
	for (int i = 0; i < N; i++)
		ck_assert_int_eq(at[i], i + 2);
	ok(het_unmap(c.derived));
	ok(het_close(c.system));
}
END_TEST

/* A transfer to the host fails. The value is there, and another try succeeds: that is what all say who read. */
START_TEST(a_way_to_the_host_fails)
{
	enum { CELLS = 1 << 18 };
	int *const values = malloc(CELLS * sizeof *values), *at;
	het_system *system;
	het_kernel *bump;
	het_array *array;

	ck_assert(het_test_fake_driver("two-gpus"));
	ok(het_open(NULL, &system));
	bump = common_kernel(system, "bump");
	array = counting_array(system, CELLS);
	for (int d = 0; d < 2; d++) {
		const struct het_box half = het_rows(d * CELLS / 2, (d + 1) * CELLS / 2);

		ok(het_launch(bump, het_device(system, d), het_range(1, half.lo[0], half.hi[0]),
			      HET_INOUT_PART(array, half), HET_VAL(1)));
	}
	ok(het_wait_all(system));
	ck_assert_int_eq(control("fail read 1 -5"), 0);
	fails(het_read(het_view(array, het_whole()), values), HET_ERR_DEVICE, "could not be copied");
	ck_assert_int_eq(control("fail read 1 -5"), 0); /* of the first half; the second is refused */
	ck_assert_int_eq(control("fail clEnqueueReadBuffer 2 -6"), 0);
	fails(het_read(het_view(array, het_whole()), values), HET_ERR_DEVICE, "could not be copied");
	ck_assert_int_eq(control("forget"), 0);
	ck_assert_int_eq(control("fail read 1 -5"), 0);
	ok(het_read_async(het_view(array, het_whole()), values));
	fails(het_wait(array), HET_ERR_DEVICE, "asynchronous copy of array");
	ok(het_wait(array));
	ck_assert_int_eq(control("fail read 1 -5"), 0);
	fails(het_map(array, HET_READ, &at), HET_ERR_DEVICE, "could not be brought");
	ok(het_read(het_view(array, het_whole()), values));
	for (int i = 0; i < CELLS; i++)
		ck_assert_int_eq(values[i], i + 1);
	ck_assert_int_eq(control("fail ndrange 1 -5"), 0); /* what is read is lost, and written over before */
	ok(het_launch(bump, het_device(system, 0), het_grid(1, CELLS), HET_INOUT(array), HET_VAL(1)));
	ok(het_read_async(het_view(array, het_whole()), values));
	ok(het_fill(het_view(array, het_whole()), &(int){3}));
	fails(het_wait(array), HET_ERR_LOST, "asynchronous copy of array");
	ok(het_close(system));
	free(values);
}
END_TEST

/* What never failed was not tried: on all beds together none of them is left out. */
static int all_were_tried(void)
{
	int missing = 0;

	for (int c = 0; c < CULPRITS; c++)
		if (struck_by_culprit[c] == 0) {
			printf("%s: never failed\n", culprits[c]);
			missing++;
		}
	return missing > 0;
}

int main(void)
{
	const int beds_tried = getenv("HETERO_TEST_SHORT") ? 4 : BEDS;
	int status;

	setenv("HETERO_CACHE", het_test_subfolder("cache"), 1);
	struck_by_culprit = mmap(NULL, sizeof(int[CULPRITS]), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (struck_by_culprit == MAP_FAILED)
		return EXIT_FAILURE;
	status = run_fake_loop("failing driver", every_call_fails_in_turn, beds_tried * CULPRITS, 60);
	if (!status && beds_tried == BEDS && !getenv("CK_RUN_CASE"))
		status = all_were_tried();
	if (!status)
		status = run_fake_loop("het_open", every_call_of_het_open_fails_in_turn, OPENED * OPENERS, 60);
	if (!status)
		status = run_fake_loop("a map", a_map_waits_to_see_what_is_lost, 1, 60);
	status = status ? status : run_fake_loop("flushes", a_flush_is_refused, 1, 60);
	return status ? status : run_fake_loop("ways", a_way_to_the_host_fails, 1, 60);
}
