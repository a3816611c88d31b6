/* test_trace.c - HETERO_TRACE: the file is JSON whatever becomes of the program, and says what happened: every
 * task once, in its row, after what it depends on; every transfer that is counted; every wait.
 */
#include "face.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "fakes.h"
#include "platforms.h"
#include "threads.h"
#include "base/text.h"

#ifdef HAVE_JANSSON
#include "scene.h"
#include "timeline.h"

enum { ROUNDS = 3 };

static const struct {
	const char *machine, *order, *route;
} beds[] = {
	{"one-context", "late", NULL},         {"one-context", "fifo", NULL},
	{"three-platforms", "random:5", NULL}, {"two-gpus", "late", "chunked"},
	{"two-gpus", "fifo", "mapped"},        {"one-context", "late", "mapped"},
	{"two-gpus", "late", "pinned"},        {"one-context", "fifo", "pinned"},
};
#define BEDS ((int)(sizeof beds / sizeof beds[0]))

/* ---- what was counted --------------------------------------------------------------------------- */

struct counted {
	char from[64], to[64];
	const char *route;
	uint64_t count, bytes;
};

static void name_memory(het_system *system, int memory, char name[64])
{
	snprintf(name, 64, "host");
	for (int i = 0; i < het_device_count(system); i++) {
		struct het_device_info info = HET_DEVICE_INFO_INIT;

		ok(het_device_info(het_device(system, i), &info));
		if (info.memory == memory && memory != 0)
			snprintf(name, 64, "%s", info.name);
	}
}

static int count_flows(het_system *system, struct counted *counted, int most)
{
	struct het_flow flow = HET_FLOW_INIT;
	int n = 0;

	for (; n < most && het_flow_at(system, n, &flow) == HET_OK; n++) {
		name_memory(system, flow.from, counted[n].from);
		name_memory(system, flow.to, counted[n].to);
		counted[n].route = flow.route;
		counted[n].count = flow.count;
		counted[n].bytes = flow.bytes;
	}
	ck_assert_int_lt(n, most);
	return n;
}

/* The tenth of a microsecond that is nearest to what the file has. */
static const char *took(const json_t *transfer)
{
	static char text[64];
	const uint64_t ns = (uint64_t)(number(args(transfer), "took_us") * 1e3 + 0.5), tenths = (ns + 50) / 100;

	snprintf(text, sizeof text, " took %llu.%llu us", (unsigned long long)(tenths / 10),
		 (unsigned long long)(tenths % 10));
	return text;
}

static void check_transfers(const json_t *events, const struct counted *counted, int flows)
{
	int all = 0;

	for (int f = 0; f < flows; f++) {
		const struct counted *c = &counted[f];
		uint64_t count = 0, bytes = 0;
		const json_t *event;
		size_t i;

		json_array_foreach(events, i, event) {
			if (!is_slice(event, "transfer") || !is(args(event), "from", c->from) ||
			    !is(args(event), "to", c->to) || !is(args(event), "route", c->route))
				continue;
			count++;
			bytes += (uint64_t)number(args(event), "bytes");
			ck_assert_str_ne(word(args(event), "array"), "");
			ck_assert_str_ne(word(args(event), "why"), "");
			ck_assert_ptr_nonnull(strstr(word(args(event), "reason"), c->route));
			ck_assert_ptr_nonnull(strstr(word(args(event), "reason"), took(event)));
		}
		ck_assert_msg(count == c->count && bytes == c->bytes,
			      "%s -> %s, %s: %llu of %llu transfers, %llu of %llu bytes", c->from, c->to,
			      c->route, (unsigned long long)count, (unsigned long long)c->count,
			      (unsigned long long)bytes, (unsigned long long)c->bytes);
		all += (int)count;
	}
	ck_assert_int_eq(slices(events, "transfer", NULL), all);
}

/* ---- a program ---------------------------------------------------------------------------------- */

START_TEST(test_closed)
{
	struct counted counted[16];
	struct scene s;
	json_t *events;
	int flows, left, values[N];

	timeline_to("closed.json");
	setenv("HETERO_QUEUES", _i % 2 ? "2" : "1", 1);
	start_on(beds[_i].machine, beds[_i].order);
	if (beds[_i].route)
		setenv("HETERO_ROUTE", beds[_i].route, 1);
	s = open_scene();
	for (int round = 0; round < ROUNDS; round++)
		act(&s);
	ok(het_launch(s.bump, last_device(s.system), het_grid(1, N), HET_INOUT(s.a), HET_VAL(0)));
	ok(het_prefetch(het_view(s.a, het_rows(0, 8)), NULL));
	ok(het_read_async(het_view(s.a, het_whole()), values));
	ok(het_wait_all(s.system));
	flows = count_flows(s.system, counted, 16);
	left = (int)stats_of(s.system).fills;
	ok(het_close(s.system));
	events = timeline_load_checked();
	ck_assert_int_eq(slices(events, "kernel", "add"), ROUNDS);
	ck_assert_int_eq(slices(events, "kernel", "bump"), 2 * ROUNDS + 1);
	ck_assert_int_eq(slices(events, "fill", NULL), left);
	ck_assert_int_eq(slices(events, "host function", NULL), ROUNDS);
	ck_assert_int_eq(slices(events, "wait", "het_map right"), ROUNDS);
	ck_assert_int_le(slices(events, "wait", "het_wait_all"), 1); /* or the host's thread was quicker */
	check_transfers(events, counted, flows);
	json_decref(events);
}
END_TEST

/* Names of devices and of their queues for copies, and the order that dependences ask for. */
START_TEST(test_rows_and_order)
{
	const json_t *add, *bump, *there, *back;
	const bool apart = _i / 2 == 1;
	char first[64], last[64], copies[96];
	struct scene s;
	json_t *events;

	timeline_to("order.json");
	setenv("HETERO_QUEUES", apart ? "2" : "1", 1);
	start_on("one-context", _i % 2 ? "late" : "fifo");
	s = open_scene();
	ok(het_launch(s.add, first_device(s.system), het_grid(1, N), HET_OUT(s.b), HET_IN(s.a), HET_VAL(1)));
	ok(het_launch(s.bump, last_device(s.system), het_grid(1, N), HET_INOUT(s.b), HET_VAL(1)));
	ck_assert_int_eq(element(s.b, 0), 2);
	name_memory(s.system, 1, first);
	name_memory(s.system, 2, last);
	ok(het_close(s.system));
	events = timeline_load_checked();
	add = slice(events, "kernel", "add");
	bump = slice(events, "kernel", "bump");
	ck_assert_str_eq(row_of(events, add), first);
	ck_assert_str_eq(row_of(events, bump), last);
	char name[96];
	snprintf(name, sizeof name, "right to %s", last);
	there = slice(events, "transfer", name);
	back = slice(events, "transfer", "right to host");
	snprintf(copies, sizeof copies, "%s%s", last, apart ? " copies" : "");
	ck_assert_str_eq(row_of(events, there), copies);
	ck_assert_str_eq(row_of(events, back), copies);
	ck_assert(not_after(number(add, "ts") + number(add, "dur"), number(there, "ts")));
	ck_assert(not_after(number(there, "ts") + number(there, "dur"), number(bump, "ts")));
	ck_assert(not_after(number(bump, "ts") + number(bump, "dur"), number(back, "ts")));
	ck_assert_str_eq(word(args(there), "why"), "bump arg 0 uses it");
	ck_assert_str_eq(word(args(there), "written_by"), "add");
	ck_assert_str_eq(word(args(back), "why"), "het_read reads it");
	ck_assert_str_eq(word(args(back), "written_by"), "bump");
	ck_assert_str_eq(word(args(add), "arrays"), "out right, in left");
	ck_assert_str_eq(word(args(slice(events, "wait", "het_read right")), "waits_for"), "right to host");
	json_decref(events);
}
END_TEST

/* A loop that waits for nothing, between devices of two contexts: what has not ended yet piles up. Each task
 * reads what at most two others made. */
START_TEST(test_arrows_are_few)
{
	const int turns = 20;
	struct scene s;
	json_t *events;

	timeline_to("arrows.json");
	setenv("HETERO_QUEUES", _i ? "2" : "1", 1);
	start_on("two-gpus", "late");
	s = open_scene();
	for (int turn = 0; turn < turns; turn++) {
		ok(het_launch(s.add, first_device(s.system), het_grid(1, N), HET_OUT(s.b), HET_IN(s.a),
			      HET_VAL(1)));
		ok(het_launch(s.add, last_device(s.system), het_grid(1, N), HET_OUT(s.a), HET_IN(s.b),
			      HET_VAL(1)));
	}
	ck_assert_int_eq(element(s.a, 0), 2 * turns);
	ok(het_close(s.system));
	events = timeline_load_checked();
	ck_assert_int_eq(slices(events, "kernel", "add"), 2 * turns);
	ck_assert_int_ge(most_arrows(events), 1);
	ck_assert_int_le(most_arrows(events), 2);
	json_decref(events);
}
END_TEST

/* Of an array the last 64 writes are known, as far as they have not been written over: what reads the 70 there
 * were has no arrow of the first six. */
START_TEST(test_many_writes)
{
	enum { WRITES = 70, KNOWN = 64 };
	struct scene s;
	het_array *many;
	json_t *events;

	timeline_to("many.json");
	start_on("two-gpus", "late");
	s = open_scene();
	ok(het_array_new(s.system, HET_INT, het_shape(1, WRITES), &many));
	for (int i = 0; i < WRITES; i++)
		ok(het_launch(s.bump, first_device(s.system), het_range(1, i, i + 1),
			      HET_INOUT_PART(many, het_rows(i, i + 1)), HET_VAL(i)));
	ok(het_launch(s.bump, first_device(s.system), het_grid(1, WRITES), HET_INOUT(many), HET_VAL(1)));
	for (int i = 0; i < WRITES; i++)
		ck_assert_int_eq(element(many, i), i + 1);
	ok(het_close(s.system));
	events = timeline_load_checked();
	ck_assert_int_eq(slices(events, "kernel", "bump"), WRITES + 1);
	ck_assert_int_eq(most_arrows(events), KNOWN);
	json_decref(events);
}
END_TEST

/* ---- clocks ------------------------------------------------------------------------------------- */

/* Everything that is new in the file happened between two times of the host's. */
static size_t check_between(size_t known, uint64_t from_ns, uint64_t to_ns)
{
	json_t *events = timeline_load_checked();
	size_t i = known;

	for (; i < json_array_size(events); i++) {
		const json_t *event = json_array_get(events, i);

		if (!is_slice(event, NULL))
			continue;
		ck_assert(not_after((double)from_ns / 1e3, number(event, "ts")));
		ck_assert(not_after(number(event, "ts") + number(event, "dur"), (double)to_ns / 1e3));
	}
	ck_assert_uint_gt(i, known);
	json_decref(events);
	return i;
}

/* The devices' clocks are seconds ahead, and then run half a second away in no time. */
START_TEST(test_clocks)
{
	uint64_t begun = het__host_ns();
	struct scene s;
	size_t known;

	timeline_to("clocks.json");
	setenv("FAKECL_CLOCK", "3000", 1);
	setenv("HETERO_QUEUES", "2", 1);
	start_on("one-context", _i ? "late" : "fifo");
	s = open_scene();
	act(&s);
	ok(het_launch(s.bump, last_device(s.system), het_grid(1, N), HET_INOUT(s.b), HET_VAL(1)));
	ok(het_wait_all(s.system));
	known = check_between(0, begun, het__host_ns());
	ck_assert_int_eq(control("clock %d", 3500), 0);
	begun = het__host_ns();
	act(&s);
	ck_assert_int_eq(control("clock %d", 3000), 0);
	act(&s);
	ok(het_close(s.system));
	(void)check_between(known, begun, het__host_ns());
}
END_TEST

/* ---- threads ------------------------------------------------------------------------------------ */

enum { WORKERS = 8, TURNS = 10 };

struct worker {
	struct scene *scene;
	int number;
};

static void *work(void *argument)
{
	const struct worker *w = argument;
	het_device *device = het_device(w->scene->system, w->number % het_device_count(w->scene->system));
	het_array *mine;
	int value = 0;

	must(!het_array_new(w->scene->system, HET_INT, het_shape(1, N), &mine));
	for (int turn = 0; turn < TURNS; turn++) {
		must(!het_launch(w->scene->add, device, het_grid(1, N), HET_OUT(mine), HET_IN(w->scene->a),
				 HET_VAL(turn)));
		must(!het_read(het_view(mine, het_rows(1, 2)), &value));
		must(value == turn + 1);
	}
	must(!het_array_free(mine));
	return NULL;
}

START_TEST(test_threads)
{
	pthread_t threads[WORKERS];
	struct worker crew[WORKERS];
	struct scene s;
	json_t *events;

	timeline_to("threads.json");
	start_on("one-context", "random:3");
	s = open_scene();
	for (int i = 0; i < WORKERS; i++) {
		crew[i] = (struct worker){&s, i};
		ck_assert_int_eq(pthread_create(&threads[i], NULL, work, &crew[i]), 0);
	}
	for (int i = 0; i < WORKERS; i++)
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
	ok(het_close(s.system));
	events = timeline_load_checked();
	ck_assert_int_eq(slices(events, "kernel", "add"), WORKERS * TURNS);
	json_decref(events);
}
END_TEST

/* ---- what goes wrong ---------------------------------------------------------------------------- */

START_TEST(test_failed_tasks)
{
	const json_t *add, *bump;
	struct scene s;
	json_t *events;

	timeline_to("failed.json");
	start_on(_i ? "one-context" : "two-gpus", "late");
	s = open_scene();
	ck_assert_int_eq(control("fail ndrange 1 -5"), 0);
	ok(het_launch(s.add, first_device(s.system), het_grid(1, N), HET_OUT(s.b), HET_IN(s.a), HET_VAL(1)));
	ok(het_launch(s.bump, last_device(s.system), het_grid(1, N), HET_INOUT(s.b), HET_VAL(1)));
	ck_assert_int_eq(het_wait_all(s.system), HET_ERR_LOST);
	ok(het_close(s.system));
	events = timeline_load_checked();
	add = slice(events, "kernel", "add");
	bump = slice(events, "kernel", "bump");
	ck_assert_ptr_nonnull(strstr(word(args(add), "error"), "CL_OUT_OF_RESOURCES"));
	ck_assert_str_eq(word(args(add), "error"), word(args(bump), "error"));
	json_decref(events);
}
END_TEST

START_TEST(test_odd_names)
{
	static const char given[] = "q\"\\ \xc3\xa9 \xe2\x82\xac";
	static const char wanted[] = "q\"\\ \xc3\xa9 \xe2\x82\xac to host";
	struct scene s;
	json_t *events;

	timeline_to("names.json");
	start_on("odd-names", "fifo");
	s = open_scene();
	ok(het_array_name(s.b, given));
	ok(het_launch(s.add, first_device(s.system), het_grid(1, N), HET_OUT(s.b), HET_IN(s.a), HET_VAL(1)));
	ck_assert_int_eq(element(s.b, 3), 4);
	ok(het_close(s.system));
	events = timeline_load_checked();
	(void)slice(events, "transfer", wanted);
	json_decref(events);
}
END_TEST

static void assert_quoted(const char *words, const char *wanted)
{
	struct het__text text = {.at = NULL};
	json_t *string;

	het__text_quote(&text, words);
	string = json_loadb(text.at, text.length, JSON_DECODE_ANY, NULL);
	ck_assert_str_eq(json_string_value(string), wanted);
	json_decref(string);
	het__free(text.at);
}

/* As a driver may have them in a device's name. */
START_TEST(test_control_characters)
{
	assert_quoted("two\nlines\t\x01\x1f\x7f", "two\nlines\t\x01\x1f\x7f");
	assert_quoted("q\"\\ \xc3\xa9 \xff\xe2\x82", "q\"\\ \xc3\xa9 \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}
END_TEST

/* Any allocation may fail once the system is open: calls may, the file does not. */
START_TEST(test_no_memory)
{
	int dropped = 0;

	timeline_to("memory.json");
	start_on("one-context", "fifo");
	for (long turn = 0, asked = 1; turn < asked; turn++) {
		struct scene s = open_scene();
		const json_t *event;
		json_t *events;
		int value;
		size_t i;

		(void)het__alloc_fail_after(turn, 0);
		(void)het_launch(s.add, first_device(s.system), het_grid(1, N), HET_OUT(s.b), HET_IN(s.a),
				 HET_VAL(1));
		(void)het_launch(s.bump, last_device(s.system), het_grid(1, N), HET_INOUT(s.b), HET_VAL(1));
		(void)het_read(het_view(s.b, het_rows(1, 2)), &value);
		(void)het_wait_all(s.system);
		asked = het__alloc_fail_after(-1, 0);
		(void)het_close(s.system);
		events = timeline_load();
		check_arrows(events);
		json_array_foreach(events, i, event)
			dropped += is(event, "ph", "i");
		json_decref(events);
		ck_assert_int_eq(remove(timeline_path), 0);
	}
	ck_assert_int_gt(dropped, 0);
}
END_TEST

int main(void)
{
	const struct {
		const TTest *test;
		int rounds;
	} tests[] = {
		{test_closed, BEDS}, {test_rows_and_order, 4}, {test_failed_tasks, 2}, {test_odd_names, 1},
		{test_control_characters, 1}, {test_many_writes, 1},
		{test_no_memory, 1}, {test_threads, 1},        {test_clocks, 2},       {test_arrows_are_few, 2},
	};
	int worst = 0;

	setenv("HETERO_CACHE", het_test_subfolder("cache"), 1);
	for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
		const int ended = run_fake_loop("trace", tests[i].test, tests[i].rounds, 60);

		if (ended == 77)
			return 77;
		worst = ended ? ended : worst;
	}
	return worst;
}

#else

int main(void)
{
	fprintf(stderr, "libjansson is missing: not tested\n");
	return 77;
}

#endif
