/* test_nvidia.c - what NVIDIA's driver was seen to do that others do not: a fake card that does it too.
 *
 * The driver was 580.159, the card an H200.
 */
#include "face.h"

#include "cl/cl.h"
#include "fakes.h"
#include "platforms.h"

enum { N = 256, ROUNDS = 8 };

static het_system *open_card(void)
{
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system;

	ck_assert(het_test_fake_driver("early-card"));
	ok(het_open(&options, &system));
	return system;
}

static void close_card(het_system *system)
{
	close_face(system);
	ck_assert_int_eq(control("alive all"), 0);
}

/* What the driver does, without the library: a write behind the read that its bytes come from. */
START_TEST(small_writes_take_their_bytes_at_once)
{
	struct seat seat = seat_open("early-card");
	const int before = 1, after = 2;
	cl_mem from = buffer(&seat, sizeof(int)), to = buffer(&seat, sizeof(int));
	int between = before;

	ck_assert_int_eq(control("order late"), 0);
	done(clEnqueueWriteBuffer(seat.queue[0], from, CL_TRUE, 0, sizeof after, &after, 0, NULL, NULL));
	done(clEnqueueReadBuffer(seat.queue[0], from, CL_FALSE, 0, sizeof between, &between, 0, NULL, NULL));
	done(clEnqueueWriteBuffer(seat.queue[0], to, CL_FALSE, 0, sizeof between, &between, 0, NULL, NULL));
	done(clFinish(seat.queue[0]));
	ck_assert_int_eq(between, after);
	ck_assert_int_eq(element_of(seat.queue[0], to, 0), before);
	done(clReleaseMemObject(from));
	done(clReleaseMemObject(to));
	seat_close(&seat);
}
END_TEST

/* A copy between arrays of which one is only in the host's memory ends there, and a kernel wants it back. */
START_TEST(what_comes_back_is_sent_when_it_is_there)
{
	het_system *system = open_card();
	het_device *card = first_device(system);
	het_kernel *bump = common_kernel(system, "bump"), *add = common_kernel(system, "add");
	het_array *x = zero_array(system, N), *y = counting_array(system, N), *z = zero_array(system, N);
	int *at;

	for (int round = 1; round <= ROUNDS; round++) {
		ok(het_launch(bump, card, het_grid(1, N), HET_INOUT(x), HET_VAL(1)));
		ok(het_map(y, HET_WRITE, &at)); /* the host's alone */
		ok(het_unmap(y));
		ok(het_copy(het_view(y, het_whole()), het_view(x, het_whole())));
		ok(het_launch(add, card, het_grid(1, N), HET_OUT(z), HET_IN(y), HET_VAL(100)));
		assert_counts(z, 100 + round, 0);
	}
	close_card(system);
}
END_TEST

/* Of 4 GiB with a pattern of one byte nothing is filled, although the command succeeds. */
START_TEST(large_fills_are_cut)
{
	het_system *system = open_card();
	het_array *x = zero_array(system, N);
	const int seven = 7;

	het__cl_fill_most = N * sizeof(int) / 4 + 16;
	ok(het_prefetch(het_view(x, het_whole()), first_device(system)));
	ok(het_launch(common_kernel(system, "bump"), first_device(system), het_grid(1, N), HET_INOUT(x),
		      HET_VAL(1)));
	ok(het_fill(het_view(x, het_rows(1, N)), &seven));
	ok(het_wait(x));
	ck_assert_int_eq(control("count clEnqueueFillBuffer"), 4);
	ck_assert_int_eq(element(x, 0), 1);
	ok(het_fill(het_view(x, het_rows(0, 1)), &seven));
	assert_counts(x, 7, 0);
	close_card(system);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		small_writes_take_their_bytes_at_once,
		what_comes_back_is_sent_when_it_is_there,
		large_fills_are_cut,
	};

	return run_fake_tests("nvidia", (int)(sizeof tests / sizeof tests[0]), tests);
}
