/* test_giving_way.c - what goes home when windows give way, on a fake machine of two cards with 160 KiB, of
 * which a buffer may take 64, and one context.
 */
#include "face.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "array/array.h"
#include "array/window.h"
#include "fakes.h"
#include "platforms.h"

enum { ROWS = 240, N = 64, ROW = N * sizeof(int) };

static const char text[] = "#include \"het.clh\"\n"
			   "kernel void bump(HET_WINDOW(global int, x), int v)\n"
			   "{ HET_AT2(x, get_global_id(1), get_global_id(0)) += v; }\n"
			   "kernel void first(global int *y, global const int *x, global const int *unused)\n"
			   "{ y[get_global_id(0)] = x[get_global_id(0)]; }\n";

static het_system *open_cards(void)
{
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system;

	setenv("HETERO_PATIENCE", "1", 1); /* with functions that wait for the caller */
	ck_assert(het_test_fake_driver("small-neighbours"));
	ok(het_open(&options, &system));
	return system;
}

static void close_cards(het_system *system)
{
	close_face(system);
	ck_assert_int_eq(control("alive all"), 0);
}

/* 60 KiB. */
static het_array *rows_of(het_system *system)
{
	het_array *array;

	ok(het_array_new(system, HET_INT, het_shape(2, ROWS, N), &array));
	return array;
}

/* Rows [lo, hi) by a window on the first card. */
static void bump_rows(het_system *system, het_kernel *bump, het_array *array, int lo, int hi)
{
	ok(het_launch(bump, first_device(system), het_range(2, lo, hi, 0, N), HET_INOUT(HET_EACH(array)),
		      HET_VAL(1)));
}

/* Two arrays of nobody's on the first card: beside them 40 KiB are left. */
static void fill_card(het_system *system, het_kernel *bump)
{
	for (int i = 0; i < 2; i++)
		bump_rows(system, bump, rows_of(system), 0, ROWS);
}

static uint64_t bytes_home(het_system *system)
{
	struct het_flow flow = HET_FLOW_INIT;
	uint64_t bytes = 0;

	ok(het_wait_all(system));
	for (int i = 0; het_flow_at(system, i, &flow) == HET_OK; i++)
		if (flow.to == 0)
			bytes += flow.bytes;
	return bytes;
}

/* What rows below `first` and rows [lo, hi) have been bumped. */
static void assert_rows(het_array *array, int first, int lo, int hi)
{
	const int *at;

	ok(het_map(array, HET_READ, &at));
	for (int i = 0; i < ROWS * N; i++)
		ck_assert_int_eq(at[i], (i / N < first) + (i / N >= lo && i / N < hi));
	ok(het_unmap(array));
}

START_TEST(what_others_have_does_not_go_home)
{
	enum { ALONE = 16 };
	het_system *const system = open_cards();
	het_kernel *const bump = text_kernel(system, text, "bump");
	het_array *const array = rows_of(system);

	bump_rows(system, bump, array, 0, ROWS);
	ok(het_prefetch(het_view(array, het_rows(0, ROWS - ALONE)), last_device(system)));
	ck_assert_uint_eq(bytes_home(system), 0);
	fill_card(system, bump);
	ck_assert_uint_eq(bytes_home(system), ALONE * ROW);
	assert_rows(array, ROWS, 0, 0);
	close_cards(system);
}
END_TEST

/* Nor does what lies between two pieces that nobody else has. */
START_TEST(what_others_have_between_does_not_go_home)
{
	enum { LO = 10, HI = 230 };
	het_system *const system = open_cards();
	het_kernel *const bump = text_kernel(system, text, "bump");
	het_array *const array = rows_of(system);

	bump_rows(system, bump, array, 0, ROWS);
	ok(het_prefetch(het_view(array, het_rows(LO, HI)), last_device(system)));
	ck_assert_uint_eq(bytes_home(system), 0);
	fill_card(system, bump);
	ck_assert_uint_eq(bytes_home(system), (LO + ROWS - HI) * ROW);
	assert_rows(array, ROWS, 0, 0);
	close_cards(system);
}
END_TEST

/* A window of 10 KiB and one of 45 that overlaps it would be one of 50, for which there is no room where the
 * first one goes: another array gives way, and the window stays. */
START_TEST(no_window_gives_way_in_vain)
{
	enum { FIRST = 40, LO = 20, HI = 200 };
	het_system *const system = open_cards();
	het_kernel *const bump = text_kernel(system, text, "bump");
	het_array *const array = rows_of(system);

	fill_card(system, bump);
	bump_rows(system, bump, array, 0, FIRST);
	bump_rows(system, bump, array, LO, HI);
	ck_assert_uint_eq(bytes_home(system), ROWS * ROW);
	assert_rows(array, FIRST, LO, HI);
	close_cards(system);
}
END_TEST

static atomic_bool gate;

static het_status wait_at_gate(void *user, int count, const struct het_host_arg *args)
{
	(void)user;
	(void)count;
	while (!atomic_load(&gate))
		sched_yield();
	((int *)args[0].data)[0] = 7;
	return HET_OK;
}

static int cell(het_array *array, int row)
{
	int got;

	ok(het_read(het_view(array, het_box(2, row, row + 1, 0, 1)), &got));
	return got;
}

/* Sets all of it on a device. */
static void set_all(het_system *system, int device, het_array *array, int rows)
{
	ok(het_launch(common_kernel(system, "set"), het_device(system, device), het_grid(1, rows * N),
		      HET_OUT(array), HET_VAL(device + 1)));
}

/* The first half of an array goes home to make room, which there is when a freed array has gone: it stays. Then
 * the other card lets go of the second half, so that this is what must go home next: it never was sent, and has
 * not failed to come. */
static void let_go_after_a_try(int lo)
{
	enum { HALF = 64 };
	het_system *const system = open_cards();
	het_array *const gone = rows_of(system);
	het_array *x, *y;

	ok(het_array_new(system, HET_INT, het_shape(2, 2 * HALF, N), &x));
	ok(het_array_new(system, HET_INT, het_shape(2, 2 * HALF, N), &y));
	set_all(system, 0, x, 2 * HALF);
	ok(het_launch(text_kernel(system, text, "first"), het_device(system, 1), het_grid(1, HALF * N),
		      HET_OUT_PART(y, het_rows(0, HALF)), HET_IN(het_view(x, het_rows(lo, lo + HALF))),
		      HET_NULL));
	ok(het_wait_all(system));
	set_all(system, 0, rows_of(system), ROWS);
	set_all(system, 0, gone, ROWS);
	ok(het_array_free(gone));
	set_all(system, 0, rows_of(system), ROWS);
	for (int i = 0; i < 3; i++)
		set_all(system, 1, rows_of(system), ROWS);
	set_all(system, 0, rows_of(system), ROWS);
	ok(het_wait_all(system));
	ck_assert_int_eq(cell(x, lo), 1);
	close_cards(system);
}

START_TEST(what_stayed_holds_more)
{
	let_go_after_a_try(64);
}
END_TEST

/* The same of what lies between two pieces that went home. */
START_TEST(what_stayed_holds_more_between)
{
	let_go_after_a_try(32);
}
END_TEST

/* What waits for a function of the program's keeps 120 of 160 KiB: who comes then is refused, and nobody is
 * asked for more than there is. A driver that promises it would lose what comes first. */
START_TEST(a_full_memory_is_asked_for_nothing)
{
	het_system *const system = open_cards();
	het_array *const x = rows_of(system), *const y = rows_of(system), *const z = rows_of(system);

	atomic_store(&gate, false);
	ok(het_fill(het_view(x, het_whole()), &(int){3}));
	ok(het_array_name(z, "late"));
	ok(het_call(system, wait_at_gate, NULL, HET_INOUT(x)));
	ok(het_launch(text_kernel(system, text, "first"), first_device(system), het_grid(1, ROWS * N),
		      HET_OUT(y), HET_IN(x), HET_NULL));
	fails(het_launch(common_kernel(system, "set"), first_device(system), het_grid(1, ROWS * N), HET_OUT(z),
			 HET_VAL(1)),
	      HET_ERR_DEVICE_MEMORY, "kernel set, argument 0: a copy of late: 61440 bytes", "pocl:gpu0",
	      "163840", "122880",
	      "it waits for a function of the program's");
	atomic_store(&gate, true);
	ck_assert_int_eq(cell(y, 0), 7);
	ck_assert_int_eq(cell(y, ROWS - 1), 3);
	set_all(system, 0, z, ROWS);
	ok(het_wait_all(system));
	close_cards(system);
}
END_TEST

static het_status dawdle(void *user, int count, const struct het_host_arg *args)
{
	nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
	return wait_at_gate(user, count, args);
}

/* But a function that ends is waited for, where all that is in the memory waits for it: stores, what a freed
 * array leaves, and scratch. */
START_TEST(functions_are_waited_for)
{
	het_system *const system = open_cards();
	het_kernel *const first = text_kernel(system, text, "first");
	het_array *last = rows_of(system);

	atomic_store(&gate, true);
	ok(het_fill(het_view(last, het_whole()), &(int){3}));
	for (int i = 0; i < 4; i++) {
		het_array *const next = rows_of(system);

		ok(het_call(system, dawdle, NULL, HET_INOUT(last)));
		ok(het_launch(first, first_device(system), het_grid(1, ROWS * N), HET_OUT(next), HET_IN(last),
			      HET_NULL));
		if (i == 2)
			ok(het_copy(het_view(next, het_rows(1, ROWS)), het_view(next, het_rows(0, ROWS - 1))));
		if (i % 2)
			ok(het_array_free(last));
		last = next;
	}
	ck_assert_int_eq(cell(last, 0), 7);
	ck_assert_int_eq(cell(last, 1), 7);
	ck_assert_int_eq(cell(last, 2), 3);
	close_cards(system);
}
END_TEST

/* A launch that waits for a function of the program's, which waits for this thread, has taken no more than an
 * empty part of an array: that keeps its memory all the same. */
START_TEST(what_waits_for_a_function_stays)
{
	het_system *const system = open_cards();
	het_kernel *const bump = text_kernel(system, text, "bump");
	het_kernel *const first = text_kernel(system, text, "first");
	het_array *const array = rows_of(system);
	het_array *const x = zero_array(system, 1), *const y = zero_array(system, 1);

	atomic_store(&gate, false);
	ok(het_call(system, wait_at_gate, NULL, HET_OUT(x)));
	ok(het_launch(first, first_device(system), het_grid(1, 1), HET_OUT(y), HET_IN(x),
		      HET_IN_PART(array, het_rows(0, 0))));
	fill_card(system, bump);
	atomic_store(&gate, true);
	ck_assert_int_eq(element(y, 0), 7);
	close_cards(system);
}
END_TEST

/* Two kernels keep 60 KiB each of arrays that are gone: beside them the next two have no room. */
START_TEST(kernels_let_go_of_what_is_gone)
{
	static const char *const names[] = {"bump", "set"};
	het_system *const system = open_cards();
	het_kernel *const add = common_kernel(system, "add");
	het_array *sum, *in;

	for (int i = 0; i < 2; i++) {
		het_array *const gone = zero_array(system, ROWS * N);

		ok(het_launch(common_kernel(system, names[i]), first_device(system), het_grid(1, ROWS * N),
			      HET_INOUT(gone), HET_VAL(1)));
		ok(het_array_free(gone));
		ok(het_wait_all(system));
	}
	sum = zero_array(system, ROWS * N);
	in = zero_array(system, ROWS * N);
	ok(het_launch(add, first_device(system), het_grid(1, ROWS * N), HET_OUT(sum), HET_IN(in), HET_VAL(3)));
	ok(het_wait_all(system));
	ck_assert_int_eq(element(sum, ROWS * N - 1), 3);
	close_cards(system);
}
END_TEST

/* One keeps 60 KiB: beside them, and the array, what an overlapping copy goes through would have no room. (On
 * the fake machine copies find it all the same: what can be seen is that the buffer goes.) */
START_TEST(kernels_let_go_for_a_scratch)
{
	het_system *const system = open_cards();
	het_kernel *const bump = common_kernel(system, "bump"), *const set = common_kernel(system, "set");
	het_array *const array = counting_array(system, ROWS * N), *const gone = zero_array(system, ROWS * N);

	ok(het_launch(bump, first_device(system), het_grid(1, ROWS * N), HET_INOUT(array), HET_VAL(1)));
	ok(het_launch(set, first_device(system), het_grid(1, ROWS * N), HET_OUT(gone), HET_VAL(1)));
	ok(het_array_free(gone));
	ok(het_wait_all(system));
	ck_assert_int_eq(control("used 1"), 2 * ROWS * ROW);
	ok(het_copy(het_view(array, het_box(1, 1, ROWS * N)), het_view(array, het_box(1, 0, ROWS * N - 1))));
	ok(het_wait_all(system));
	ck_assert_int_eq(control("used 1"), ROWS * ROW);
	ck_assert_int_eq(element(array, ROWS * N - 1), ROWS * N - 1);
	close_cards(system);
}
END_TEST

/* An overlapping copy goes through 59 KiB of scratch beside its array's 60: who needs another 60 then waits
 * until the copy has ended. */
START_TEST(a_scratch_is_waited_for)
{
	het_system *const system = open_cards();
	het_array *const x = counting_array(system, ROWS * N), *const y = zero_array(system, ROWS * N);
	const int moved = ROWS * N - N;

	ok(het_launch(common_kernel(system, "bump"), first_device(system), het_grid(1, ROWS * N), HET_INOUT(x),
		      HET_VAL(1)));
	ok(het_copy(het_view(x, het_box(1, N, N + moved)), het_view(x, het_box(1, 0, moved))));
	ok(het_launch(common_kernel(system, "add"), first_device(system), het_grid(1, ROWS * N), HET_OUT(y),
		      HET_IN(x), HET_VAL(3)));
	ck_assert_int_eq(element(y, N - 1), N - 1 + 1 + 3);
	ck_assert_int_eq(element(y, ROWS * N - 1), moved - 1 + 1 + 3);
	close_cards(system);
}
END_TEST

/* Behind a function of the program's that does not end it is not waited for without end: that may be waiting
 * for the caller. */
START_TEST(a_scratch_behind_a_function_is_given_up)
{
	het_system *const system = open_cards();
	het_array *const x = rows_of(system), *const y = rows_of(system);
	const int moved = ROWS - 1;

	atomic_store(&gate, false);
	set_all(system, 0, x, ROWS);
	ok(het_call(system, wait_at_gate, NULL, HET_INOUT(x)));
	ok(het_launch(common_kernel(system, "bump"), first_device(system), het_grid(1, ROWS * N), HET_INOUT(x),
		      HET_VAL(1)));
	ok(het_copy(het_view(x, het_rows(1, ROWS)), het_view(x, het_rows(0, moved))));
	fails(het_launch(text_kernel(system, text, "first"), first_device(system), het_grid(1, ROWS * N),
			 HET_OUT(y), HET_IN(x), HET_NULL),
	      HET_ERR_DEVICE_MEMORY, "kernel first, argument 0", "pocl:gpu0", "which may wait for this");
	atomic_store(&gate, true);
	ck_assert_int_eq(cell(x, 1), 7 + 1);
	ck_assert_int_eq(cell(x, 2), 1 + 1);
	close_cards(system);
}
END_TEST

/* The only store in the first card's memory. */
static struct het__store *store_on_first(het_system *system, const het_array *array)
{
	const struct het__memory *const memory = first_device(system)->memory;
	struct het__store *store = NULL;

	for (int s = 0; s < array->value->top; s++)
		if (array->value->store[s] && array->value->store[s]->memory == memory)
			store = array->value->store[s];
	return store;
}

/* In a long directory merging may forget that something has come home, before the store that it came from has
 * gone: then it is sent again, and nothing has failed. */
START_TEST(what_is_forgotten_is_sent_again)
{
	enum { HELD = 40, SHARED = 20, WRITTEN = 80 };
	het_system *const system = open_cards();
	het_kernel *const bump = text_kernel(system, text, "bump");
	het_array *const array = rows_of(system);
	const int zeros[N] = {0};
	struct het__store *store;

	ok(het_launch(bump, last_device(system), het_range(2, 0, ROWS, 0, N), HET_INOUT(array), HET_VAL(1)));
	bump_rows(system, bump, array, 0, HELD);
	ok(het_prefetch(het_view(array, het_rows(SHARED, HELD)), last_device(system)));
	for (int i = 0; i < WRITTEN; i++) /* no two neighbours are in one memory */
		ok(het_write(het_view(array, het_rows(HELD + 2 * i, HELD + 2 * i + 1)), zeros));
	ok(het_wait_all(system));

	ok(het__array_enter_at_once(array, "test"));
	store = store_on_first(system, array);
	ck_assert_int_eq(het__store_write_back(array->value, store), HET__AGAIN);
	ok(het__operation_wait_again(system));
	het__value_tidy(array->value);
	ck_assert(!het__directory_can_drop(&array->value->dir, store->slot));
	ck_assert_int_eq(het__store_write_back(array->value, store), HET__AGAIN);
	ok(het__operation_wait_again(system));
	ok(het__store_write_back(array->value, store));
	ck_assert(het__directory_can_drop(&array->value->dir, store->slot));
	het__operation_leave(system);
	ck_assert_int_eq(cell(array, SHARED), 2);
	close_cards(system);
}
END_TEST

/* Does any task? */
static bool tells(het_system *system, const struct het__holder *holder)
{
	const struct het__task *task;

	for (int i = 0; (task = het__tasks_at(het__tasks_in(system), i)); i++)
		for (int h = 0; h < task->holders.count; h++)
			if (task->holders.at[h] == holder)
				return true;
	return false;
}

/* What both cards have been promised goes home from the last one: the store on the first one may go when it has
 * the value, and is not told when that has arrived. */
START_TEST(what_is_gone_hears_of_no_end)
{
	het_system *const system = open_cards();
	het_kernel *const bump = text_kernel(system, text, "bump");
	het_array *const array = rows_of(system);
	const struct het_range all = het_range(2, 0, ROWS, 0, N);
	struct het__store *store;
	const struct het__holder *gone;
	het_status st;

	ok(het_launch(bump, last_device(system), all, HET_INOUT(array), HET_VAL(1)));
	bump_rows(system, bump, array, 0, ROWS);
	ok(het_wait_all(system));
	ck_assert_int_eq(control("stop 1 1"), 0);
	ok(het_launch(bump, last_device(system), all, HET_INOUT(array), HET_VAL(1)));
	ok(het_prefetch(het_view(array, het_whole()), first_device(system)));

	ok(het__array_enter_at_once(array, "test"));
	store = store_on_first(system, array);
	ck_assert_int_eq(het__store_write_back(array->value, store), HET__AGAIN);
	ck_assert_int_eq(control("stop 1 3"), 0); /* before what goes home */
	do
		ok(het__operation_wait_again(system));
	while ((st = het__store_write_back(array->value, store)) == HET__AGAIN);
	ok(st);
	ck_assert(!het__directory_settled(&array->value->dir, &array->value->whole, HET__HOME));
	gone = &store->sending;
	het__store_drop(array->value, store);
	ck_assert(!tells(system, gone));
	het__operation_leave(system);
	ck_assert_int_eq(control("go 1"), 0);
	ck_assert_int_eq(cell(array, ROWS - 1), 3);
	close_cards(system);
}
END_TEST

struct launcher {
	het_system *system;
	het_kernel *add;
	het_array *out, *in;
};

static long waits_before;

/* Once the other thread waits, needs room; then the card goes on. */
static void *need_room(void *user)
{
	const struct launcher *const l = user;

	while (control("count clWaitForEvents") == waits_before)
		sched_yield();
	ok(het_launch(l->add, first_device(l->system), het_grid(1, ROWS * N), HET_OUT(l->out), HET_IN(l->in),
		      HET_VAL(3)));
	return NULL;
}

static void *let_go(void *user)
{
	(void)user;
	while (control("count clWaitForEvents") < waits_before + 2)
		sched_yield();
	ck_assert_int_eq(control("go 0"), 0);
	return NULL;
}

/* A spread that waits for times to balance its shares by, and a launch that waits for room meanwhile: what the
 * spread uses afterwards is not in use by the launch. */
START_TEST(who_waited_for_times_is_another_operation)
{
	het_system *const system = open_cards();
	het_device *const device = first_device(system);
	het_array *const a = zero_array(system, ROWS * N);
	struct launcher l = {system, common_kernel(system, "add"), zero_array(system, ROWS * N),
			     zero_array(system, ROWS * N)};
	het_kernel *const bump = common_kernel(system, "bump");
	pthread_t needs, goes;
	het_team *team;

	ok(het_kernel_build(l.add, device));
	ok(het_team_new(system, 1, &device, NULL, &team));
	ok(het_team_rebalance(team, 1));
	ok(het_spread(bump, team, het_grid(1, ROWS * N), HET_INOUT(HET_EACH(a)), HET_VAL(1)));
	ok(het_wait_all(system));
	ck_assert_int_eq(control("stop 0 1"), 0);
	waits_before = control("count clWaitForEvents");
	for (int i = 0; i < 2; i++)
		ok(het_spread(bump, team, het_grid(1, ROWS * N), HET_INOUT(HET_EACH(a)), HET_VAL(1)));
	ck_assert_int_eq(control("count clWaitForEvents"), waits_before);
	ck_assert_int_eq(pthread_create(&needs, NULL, need_room, &l), 0);
	ck_assert_int_eq(pthread_create(&goes, NULL, let_go, NULL), 0);
	ok(het_spread(bump, team, het_grid(1, ROWS * N), HET_INOUT(HET_EACH(a)), HET_VAL(1)));
	ck_assert_int_eq(pthread_join(needs, NULL), 0);
	ck_assert_int_eq(pthread_join(goes, NULL), 0);
	ck_assert_int_eq(element(l.out, ROWS * N - 1), 3);
	ck_assert_int_eq(element(a, ROWS * N - 1), 4);
	ok(het_team_free(team));
	close_cards(system);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {what_others_have_does_not_go_home,
				      what_others_have_between_does_not_go_home, no_window_gives_way_in_vain,
				      what_stayed_holds_more, what_stayed_holds_more_between,
				      a_full_memory_is_asked_for_nothing,
				      what_waits_for_a_function_stays, functions_are_waited_for,
				      kernels_let_go_of_what_is_gone,
				      kernels_let_go_for_a_scratch, a_scratch_is_waited_for,
				      a_scratch_behind_a_function_is_given_up, what_is_forgotten_is_sent_again,
				      what_is_gone_hears_of_no_end,
				      who_waited_for_times_is_another_operation};

	return run_fake_tests("giving_way", (int)(sizeof tests / sizeof tests[0]), tests);
}
