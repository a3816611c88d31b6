/* random_programs.c - the main oracle: random programs against a model of their values and of what moves.
 *
 * A program makes a few arrays and does random things with them on random devices. Every value that the host
 * gets to see is compared with the model's, and at the end the number of bytes that went between memories
 * and inside them. Every program has its own seed; a failure prints the program and how to run it again.
 *
 * HETERO_TEST_PROGRAMS=n runs n programs per test, HETERO_TEST_LONG=1 twenty times as many.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "fakes.h"
#include "launches.h"
#include "platforms.h"
#include "random.h"
#include "system/system.h"

/* ---- operations: data --------------------------------------------------------------------------- */

static void do_fill(struct program *p)
{
	struct array *a = any_array(p);
	struct cells box = random_cells(&a->model.whole);
	uint32_t value = random_value();
	het_status st;

	say(p, "fill a%d %s", (int)(a - p->array), box_text(a, &box));
	st = het_fill(view_from(a, &box), &value);
	expect_status(p, st, is_mapped(a, &box, true));
	if (st)
		return;
	model_write(&a->model, model_fill_store(&a->model, &box), &box);
	EACH_CELL(&box, i, j, k)
		a->model.value[cell_at(&a->model, i, j, k)] = value;
}

static void do_copy(struct program *p)
{
	struct array *to = any_array(p), *from = any_array(p);
	struct cells to_box, from_box;
	het_status st;

	if (from->rank != to->rank)
		from = to;
	to_box = random_cells(&to->model.whole);
	for (int d = 0; d < DIMS; d++) {
		int extent = to_box.hi[d] - to_box.lo[d], most = from->model.whole.hi[d];

		extent = extent < most ? extent : most;
		to_box.hi[d] = to_box.lo[d] + extent;
		from_box.lo[d] = random_in(0, most - extent);
		from_box.hi[d] = from_box.lo[d] + extent;
	}
	say(p, "copy a%d %s to a%d %s", (int)(from - p->array), box_text(from, &from_box), (int)(to - p->array),
	    box_text(to, &to_box));
	st = het_copy(view_from(to, &to_box), view_from(from, &from_box));
	expect_status(p, st, is_mapped(to, &to_box, true) || is_mapped(from, &from_box, false));
	if (!st)
		model_copy(&to->model, &to_box, &from->model, &from_box, &p->bench->machine, &p->moved);
}

static uint32_t *new_memory(struct program *p, int count)
{
	uint32_t *memory = malloc((size_t)count * ELEMENT);

	if (!memory)
		fail_program(p, "no memory");
	return memory;
}

static uint32_t *expected_values(struct program *p, const struct array *a, const struct cells *box)
{
	uint32_t *expected = new_memory(p, cells_count(box));
	int n = 0;

	EACH_CELL(box, i, j, k)
		expected[n++] = a->model.value[cell_at(&a->model, i, j, k)];
	return expected;
}

static void do_read(struct program *p)
{
	struct array *a = any_array(p);
	struct cells box = random_cells(&a->model.whole);
	uint32_t *memory = new_memory(p, cells_count(&box));
	bool wait = random_once_in(2);
	het_status st;

	say(p, "read a%d %s%s", (int)(a - p->array), box_text(a, &box), wait ? "" : ", later");
	st = wait ? het_read(view_from(a, &box), memory) : het_read_async(view_from(a, &box), memory);
	expect_status(p, st, is_mapped(a, &box, false));
	if (st) {
		free(memory);
		return;
	}
	model_read(&a->model, &p->bench->machine, &box, wait, &p->moved);
	add_pending(p, a, memory, expected_values(p, a, &box), cells_count(&box));
	if (wait && p->pending[p->pendings - 1].memory == memory) { /* this one is here already */
		struct pending one = p->pending[--p->pendings];

		if (memcmp(one.memory, one.expected, (size_t)one.count * ELEMENT) != 0)
			fail_program(p, "wrong values were read");
		free(one.memory);
		free(one.expected);
	}
}

static void do_write(struct program *p)
{
	struct array *a = any_array(p);
	struct cells box = random_cells(&a->model.whole);
	int count = cells_count(&box), n = 0;
	uint32_t *memory = new_memory(p, count);
	bool wait = random_once_in(2);
	het_status st;

	for (int c = 0; c < count; c++)
		memory[c] = random_value();
	say(p, "write a%d %s%s", (int)(a - p->array), box_text(a, &box), wait ? "" : ", later");
	st = wait ? het_write(view_from(a, &box), memory) : het_write_async(view_from(a, &box), memory);
	expect_status(p, st, is_mapped(a, &box, true));
	if (!st) {
		model_write_from_caller(&a->model, &box, wait, &p->moved);
		EACH_CELL(&box, i, j, k)
			a->model.value[cell_at(&a->model, i, j, k)] = memory[n++];
	}
	if (!st && !wait) {
		add_pending(p, a, memory, NULL, count);
		return;
	}
	memset(memory, 0x77, (size_t)count * ELEMENT); /* it was to be read by now */
	free(memory);
}

static void do_prefetch(struct program *p)
{
	struct array *a = any_array(p);
	struct cells box = random_cells(&a->model.whole);
	int device = random_in(-1, p->bench->machine.devices - 1), store = HOME;
	het_status st;

	say(p, "prefetch a%d %s to device %d", (int)(a - p->array), box_text(a, &box), device);
	st = het_prefetch(view_from(a, &box), device < 0 ? NULL : het_device(p->bench->system, device));
	expect_status(p, st, is_mapped(a, &box, false));
	if (st)
		return;
	if (device >= 0)
		store = model_place(&a->model, &p->bench->machine, device, &box, false, 1, &p->moved);
	model_fetch(&a->model, &p->bench->machine, store, &box, &p->moved);
}

/* ---- operations: the host's access in place ----------------------------------------------------- */

static void write_mapped(struct array *a, const struct cells *box, unsigned char *at)
{
	EACH_CELL(box, i, j, k) {
		uint32_t value = random_value();

		a->model.value[cell_at(&a->model, i, j, k)] = value;
		memcpy(at + (size_t)(i - box->lo[0]) * a->pitch[0] + (size_t)(j - box->lo[1]) * a->pitch[1] +
			       (size_t)(k - box->lo[2]) * a->pitch[2],
		       &value, ELEMENT);
	}
}

static void unmap(struct program *p, struct array *a, int map)
{
	struct cells box = a->map[map].box;

	say(p, "unmap a%d %s", (int)(a - p->array), box_text(a, &box));
	expect_status(p, het_unmap_view(view_from(a, &box)), false);
	a->map[map] = a->map[--a->maps];
}

/* A map is held over the next operations one time in three; those that conflict with it are to be refused. */
static void do_map(struct program *p)
{
	static const char *const modes[] = {"", "read", "write", "read and write"};
	struct array *a = any_array(p);
	struct cells box = random_cells(&a->model.whole);
	enum het_map_mode mode = (enum het_map_mode)random_in(HET_READ, HET_READ_WRITE);
	unsigned char *at = NULL;
	het_status st;

	if (a->maps == MAPS_MOST)
		return;
	say(p, "map a%d %s to %s", (int)(a - p->array), box_text(a, &box), modes[mode]);
	st = het_map_view(view_from(a, &box), mode, &at);
	expect_status(p, st, is_mapped(a, &box, mode != HET_READ));
	if (st)
		return;
	if (mode & HET_READ) {
		model_fetch(&a->model, &p->bench->machine, HOME, &box, &p->moved);
		compare_cells(p, a, &box, at, a->pitch);
	}
	if (mode & HET_WRITE) {
		model_write(&a->model, HOME, &box);
		write_mapped(a, &box, at);
	}
	a->map[a->maps++] = (struct held_map){box, mode};
	if (!random_once_in(3))
		unmap(p, a, a->maps - 1);
}

static void do_unmap(struct program *p)
{
	struct array *a = any_array(p);

	if (a->maps > 0)
		unmap(p, a, random_in(0, a->maps - 1));
}

/* ---- operations: handles ------------------------------------------------------------------------ */

static void do_swap(struct program *p)
{
	static struct model other; /* too large for the stack of a test */
	struct array *a = any_array(p), *b = any_array(p);
	het_status st;

	if (a == b || a->kind != HOME_OWNED || b->kind != HOME_OWNED || a->rank != b->rank ||
	    !cells_equal(&a->model.whole, &b->model.whole))
		return;
	say(p, "swap a%d and a%d", (int)(a - p->array), (int)(b - p->array));
	st = het_swap(a->handle, b->handle);
	expect_status(p, st, a->maps > 0 || b->maps > 0);
	if (st)
		return;
	other = a->model;
	a->model = b->model;
	b->model = other;
	for (int i = 0; i < p->pendings; i++)
		if (p->pending[i].array == a || p->pending[i].array == b)
			p->pending[i].array = NULL;
}

static void do_free(struct program *p)
{
	struct array *a = any_array(p);

	while (a->maps > 0)
		unmap(p, a, 0);
	free_array(p, (int)(a - p->array), random_once_in(3));
	make_array(p, (int)(a - p->array));
}

static void do_wait(struct program *p)
{
	struct array *a = random_once_in(2) ? any_array(p) : NULL;

	if (a)
		say(p, "wait for a%d", (int)(a - p->array));
	else
		say(p, "wait for all");
	expect_status(p, a ? het_wait(a->handle) : het_wait_all(p->bench->system), false);
	settle_pending(p, a);
}

/* ---- programs ----------------------------------------------------------------------------------- */

struct operation {
	int weight;
	void (*run)(struct program *p);
};

static const struct operation operations[] = {
	{36, do_launch}, {4, do_call},  {8, do_fill},     {10, do_copy}, {8, do_read}, {6, do_write},
	{8, do_map},     {6, do_unmap}, {6, do_prefetch}, {4, do_swap},  {2, do_free}, {2, do_wait},
};
#define OPERATIONS ((int)(sizeof operations / sizeof operations[0]))

static void run_operation(struct program *p)
{
	int n = random_in(1, 100), i = 0;

	while (i < OPERATIONS - 1 && n > operations[i].weight)
		n -= operations[i++].weight;
	operations[i].run(p);
}

/* Most programs are short. A few are long, so that directories are cut into many boxes and stores run out. */
static void run_program(const struct bench *bench, uint64_t seed, int *checked)
{
	static struct program program;
	struct het_stats now = HET_STATS_INIT;
	int length;

	begin_program(&program, bench, seed);
	length = random_once_in(20) ? random_in(200, 400) : random_in(4, 30);
	program.packed_once_in = random_once_in(3) ? 1 : 3;
	for (int i = 0; i < length; i++)
		run_operation(&program);
	end_program(&program);
	(void)het_stats(bench->system, &now);
	*checked += program.moved.known && now.directory_merges == program.before.directory_merges;
}

/* ---- machines ----------------------------------------------------------------------------------- */

static void report(void *unexpected, enum het_log_level level, const char *line)
{
	++*(int *)unexpected;
	printf("log, level %d: %s\n", (int)level, line);
}

static int unexpected_lines;

static void describe_machine(struct bench *bench)
{
	struct machine *machine = &bench->machine;
	const char *platform[DEVICES_MOST];

	machine->devices = het_device_count(bench->system);
	ck_assert_int_le(machine->devices, DEVICES_MOST);
	for (int d = 0; d < machine->devices; d++) {
		struct het_device_info info = HET_DEVICE_INFO_INIT;
		int context = d;

		ck_assert_int_eq(het_device_info(het_device(bench->system, d), &info), HET_OK);
		platform[d] = info.platform;
		for (int e = 0; e < d && context == d && het__driver_of(platform[d])->one_context; e++)
			if (strcmp(platform[e], platform[d]) == 0)
				context = e;
		machine->memory[d] = info.memory;
		machine->base_align[d] = info.base_align_bytes;
		machine->context_of_memory[info.memory] = context;
	}
}

/* False where no such device is installed. */
static bool open_bench(struct bench *bench, const char *devices, enum het_share share)
{
	struct het_options o = HET_OPTIONS_INIT;
	het_status st;

	o.devices = devices;
	o.share = share;
	o.log = report;
	o.log_user = &unexpected_lines;
	st = het_open(&o, &bench->system);
	if (st == HET_ERR_SELECTION || st == HET_ERR_NO_DEVICE) {
		printf("skipped: %s\n", het_message());
		return false;
	}
	ck_assert_msg(st == HET_OK, "%s", het_message());
	describe_machine(bench);
	ck_assert_msg(make_kernels(bench) == HET_OK, "%s", het_message());
	return true;
}

static int count_of(const char *name, int otherwise)
{
	const char *given = getenv(name);

	return given ? atoi(given) : otherwise;
}

static void run_programs(const char *name, const char *devices, enum het_share share, int count)
{
	struct bench bench = {.name = name};
	uint64_t first;
	int checked = 0;

	count = count_of("HETERO_TEST_PROGRAMS", count_of("HETERO_TEST_LONG", 0) ? 20 * count : count);
	if (!open_bench(&bench, devices, share))
		return;
	random_start(devices ? devices : "all devices");
	first = random_state;
	for (int i = 0; i < count; i++)
		run_program(&bench, first + (uint64_t)i, &checked);
	ck_assert_msg(het_close(bench.system) == HET_OK, "%s", het_message());
	printf("%s, %s: %d programs, bytes counted in %d\n", devices ? devices : "all devices",
	       share == HET_SHARE_OFF ? "separate" : "shared", count, checked);
	ck_assert_int_eq(unexpected_lines, 0);
	ck_assert_int_ge(checked, count / 2);
}

/* ---- real platforms ------------------------------------------------------------------------------ */

/* Parts of the CPU, under PoCL or what $HETERO_TEST_CPU names, and others beside them. */
static const struct {
	const char *name, *others;
	enum het_share share;
	int programs;
} beds[] = {
	{"shared_parts", "", HET_SHARE_DEFAULT, 3000},
	{"separate_parts", "", HET_SHARE_OFF, 3000},
	{"shared_two_platforms", ",rusticl:*", HET_SHARE_DEFAULT, 2000},
	{"separate_two_platforms", ",rusticl:*", HET_SHARE_OFF, 2000},
	{"shared_three_platforms", ",rusticl:*,oclgrind:*", HET_SHARE_DEFAULT, 300},
	{"separate_three_platforms", ",rusticl:*,oclgrind:*", HET_SHARE_OFF, 500},
};
#define BEDS ((int)(sizeof beds / sizeof beds[0]))

START_TEST(on_real_platforms)
{
	const char *const cpu = getenv("HETERO_TEST_CPU");
	char devices[128];

	snprintf(devices, sizeof devices, "%s:cpu0/1%s", cpu ? cpu : "pocl", beds[_i].others);
	run_programs(beds[_i].name, devices, beds[_i].share, beds[_i].programs);
}
END_TEST

/* ---- the fake driver ---------------------------------------------------------------------------- */

/* Machines with memories that are really separate, and a driver that runs commands late and out of order. */
static const struct {
	const char *machine, *order;
	enum het_share share;
} fakes[] = {
	{"one-gpu", "late", HET_SHARE_DEFAULT},
	{"two-gpus", "late", HET_SHARE_DEFAULT},
	{"two-gpus", "random", HET_SHARE_DEFAULT},
	{"one-context", "late", HET_SHARE_DEFAULT},
	{"one-context", "random", HET_SHARE_DEFAULT},
	{"two-platforms", "late", HET_SHARE_OFF},
	{"three-platforms", "late", HET_SHARE_DEFAULT},
	{"three-platforms", "random", HET_SHARE_DEFAULT},
	{"five-devices", "late", HET_SHARE_DEFAULT},
	{"five-devices", "random", HET_SHARE_OFF},
};
#define FAKES ((int)(sizeof fakes / sizeof fakes[0]))

/* This process has not asked for platforms before. */
START_TEST(on_fake_machine)
{
	char order[64];

	if (!het_test_fake_driver(fakes[_i].machine))
		return;
	random_start("order");
	snprintf(order, sizeof order, "%s:%llu", fakes[_i].order, (unsigned long long)random_state);
	setenv("FAKECL_ORDER", strcmp(fakes[_i].order, "random") ? fakes[_i].order : order, 0);
	printf("%s, %s\n", fakes[_i].machine, getenv("FAKECL_ORDER"));
	run_programs("fake", NULL, fakes[_i].share, 300);
	ck_assert_int_eq(control("alive all"), 0);
}
END_TEST

static void add_fakes(Suite *suite)
{
	TCase *const tcase = tcase_create("fake");

	tcase_set_timeout(tcase, count_of("HETERO_TEST_LONG", 0) ? 3600 : 300);
	tcase_add_loop_test(tcase, on_fake_machine, 0, FAKES);
	suite_add_tcase(suite, tcase);
}

int main(void)
{
	Suite *suite = suite_create("random programs");
	SRunner *runner;
	int failed;

	het_test_platforms();
	for (int i = 0; i < BEDS; i++) {
		TCase *tcase = tcase_create(beds[i].name);

		tcase_set_timeout(tcase, count_of("HETERO_TEST_LONG", 0) ? 3600 : 300);
		tcase_add_loop_test(tcase, on_real_platforms, i, i + 1);
		suite_add_tcase(suite, tcase);
	}
	add_fakes(suite);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
