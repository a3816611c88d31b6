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

#include "platforms.h"
#include "program.h"
#include "random.h"

/* ---- kernels ------------------------------------------------------------------------------------ */

/* Every box of every array of any rank is an offset and three steps; work-items carry their place in the range,
 * whose offset `yo` and `xo` make up for. PTR is what alignment the kernel asks for. */
static const char source[] =
	"#define I ((int)get_global_id(2))\n"
	"#define J ((int)get_global_id(1))\n"
	"#define K ((int)get_global_id(0))\n"
	"#define AT(p, s) ((global uint *)(p))[s.x + I * s.y + J * s.z + K * s.w]\n"
	"#define IN(p, s) ((global const uint *)(p))[s.x + I * s.y + J * s.z + K * s.w]\n"
	"kernel void make(global PTR *y, int4 ys, uint c)\n"
	"{ AT(y, ys) = c + 29 * I + 7 * J + K; }\n"
	"kernel void change(global PTR *y, int4 ys, uint c)\n"
	"{ AT(y, ys) = 3 * AT(y, ys) + c; }\n"
	"kernel void from_one(global PTR *y, int4 ys, uint c, global const PTR *x, int4 xs)\n"
	"{ AT(y, ys) = 5 * IN(x, xs) + c + K; }\n"
	"kernel void add_one(global PTR *y, int4 ys, uint c, global const PTR *x, int4 xs)\n"
	"{ AT(y, ys) = 7 * AT(y, ys) + IN(x, xs) + c; }\n"
	"kernel void from_two(global PTR *y, int4 ys, uint c, global const PTR *x, int4 xs, global const PTR *z, int4 zs)\n"
	"{ AT(y, ys) = IN(x, xs) - 2 * IN(z, zs) + c; }\n";

struct kind {
	const char *name;
	enum het_mode mode; /* of y */
	int inputs;
};

static const struct kind kinds[] = {
	{"make", HET_MODE_OUT, 0},    {"change", HET_MODE_INOUT, 0},   {"from_one", HET_MODE_OUT, 1},
	{"add_one", HET_MODE_INOUT, 1}, {"from_two", HET_MODE_OUT, 2},
};
#define KINDS ((int)(sizeof kinds / sizeof kinds[0]))

/* What a cell becomes; the same for kernels, host functions and the model. */
static uint32_t result(int kind, uint32_t y, uint32_t x, uint32_t z, uint32_t c, int i, int j, int k)
{
	const uint32_t results[] = {c + 29 * (uint32_t)i + 7 * (uint32_t)j + (uint32_t)k, 3 * y + c,
	                            5 * x + c + (uint32_t)k, 7 * y + x + c, x - 2 * z + c};
	return results[kind];
}

/* ---- a launch, chosen --------------------------------------------------------------------------- */

/* One array argument. Inputs are as large as the output, or one index thick and then seen by all. */
struct use {
	struct array *array;
	struct cells box;
	bool packed;
};

struct launch {
	int kind;
	uint32_t c;
	int origin[DIMS]; /* of the range */
	struct use use[3]; /* y, x, z */
};

static struct array *any_array(struct program *p)
{
	return &p->array[random_in(0, p->arrays - 1)];
}

static void choose_input(struct program *p, const struct use *y, struct use *x)
{
	x->array = any_array(p);
	x->packed = random_once_in(3);
	for (int d = 0; d < DIMS; d++) {
		int extent = x->array->model.whole.hi[d], wanted = y->box.hi[d] - y->box.lo[d];

		if (wanted > extent || random_once_in(8))
			wanted = 1;
		x->box.lo[d] = random_in(0, extent - wanted);
		x->box.hi[d] = x->box.lo[d] + wanted;
	}
}

static void choose_launch(struct program *p, struct launch *l)
{
	struct use *y = &l->use[0];

	memset(l, 0, sizeof *l);
	l->kind = random_in(0, KINDS - 1);
	l->c = random_value();
	y->array = any_array(p);
	y->box = random_cells(&y->array->model.whole);
	y->packed = random_once_in(3);
	for (int d = 0; d < DIMS; d++)
		l->origin[d] = random_once_in(2) ? y->box.lo[d] : 0;
	for (int i = 1; i <= kinds[l->kind].inputs; i++) {
		choose_input(p, y, &l->use[i]);
		if (l->use[i].array == y->array && cells_overlap(&l->use[i].box, &y->box)) {
			l->kind = l->kind % 2; /* make or change: no inputs */
			return;
		}
	}
}

static void say_launch(struct program *p, const struct launch *l, const char *where)
{
	static const char *const modes[] = {"", "in", "out", "inout"};
	char text[512];
	int at = sprintf(text, "%s on %s", kinds[l->kind].name, where);

	for (int i = 0; i <= kinds[l->kind].inputs; i++)
		at += sprintf(text + at, ", %s %sa%d %s", modes[i ? HET_MODE_IN : kinds[l->kind].mode],
		              l->use[i].packed ? "packed " : "", (int)(l->use[i].array - p->array),
		              box_text(l->use[i].array, &l->use[i].box));
	say(p, "%s", text);
}

static bool launch_conflicts(const struct launch *l)
{
	bool conflict = false;

	for (int i = 0; i <= kinds[l->kind].inputs; i++)
		conflict |= is_mapped(l->use[i].array, &l->use[i].box, i == 0);
	return conflict;
}

static uint32_t input_value(const struct use *x, const int at[DIMS])
{
	int cell[DIMS];

	if (!x->array)
		return 0;
	for (int d = 0; d < DIMS; d++)
		cell[d] = x->box.lo[d] + (x->box.hi[d] - x->box.lo[d] > 1 ? at[d] : 0);
	return x->array->model.value[cell_at(&x->array->model, cell[0], cell[1], cell[2])];
}

static void model_values(const struct launch *l)
{
	struct model *m = &l->use[0].array->model;
	const struct cells *box = &l->use[0].box;

	EACH_CELL(box, i, j, k) {
		const int at[DIMS] = {i - box->lo[0], j - box->lo[1], k - box->lo[2]};
		uint32_t *y = &m->value[cell_at(m, i, j, k)];

		*y = result(l->kind, *y, input_value(&l->use[1], at), input_value(&l->use[2], at), l->c,
		            at[0] + l->origin[0], at[1] + l->origin[1], at[2] + l->origin[2]);
	}
}

/* Finds every store first, then fetches what is read, then writes: as the library does. device < 0: the host. */
static void model_launch(struct program *p, const struct launch *l, int device, unsigned align)
{
	const struct machine *machine = &p->bench->machine;
	int store[3] = {HOME, HOME, HOME}, uses = kinds[l->kind].inputs + 1;

	for (int i = 0; i < uses && device >= 0; i++)
		store[i] = model_place(&l->use[i].array->model, machine, device, &l->use[i].box, l->use[i].packed, align,
		                       &p->moved);
	for (int i = 0; i < uses; i++)
		if (i > 0 || kinds[l->kind].mode != HET_MODE_OUT)
			model_fetch(&l->use[i].array->model, machine, store[i], &l->use[i].box, &p->moved);
	model_write(&l->use[0].array->model, store[0], &l->use[0].box);
	model_values(l);
}

static struct het_arg array_arg(const struct use *u, enum het_mode mode)
{
	if (u->packed)
		return het_arg_packed(view_from(u->array, &u->box), mode);
	return het_arg_part(u->array->handle, het_box_from(u->array, &u->box), mode);
}

/* ---- operations: kernels and host functions ----------------------------------------------------- */

/* Offset and steps of an argument in elements, for a range that begins at the launch's origin. */
static void find_steps(const struct launch *l, int i, int32_t steps[4])
{
	const struct use *u = &l->use[i];
	const struct cells *seen = u->packed ? &u->box : &u->array->model.whole;
	int step = 1;

	steps[0] = 0;
	for (int d = DIMS - 1; d >= 0; d--) {
		bool flat = i > 0 && u->box.hi[d] - u->box.lo[d] == 1;

		steps[1 + d] = flat ? 0 : step;
		steps[0] += (u->box.lo[d] - seen->lo[d]) * step - l->origin[d] * steps[1 + d];
		step *= seen->hi[d] - seen->lo[d];
	}
}

/* Work-groups of one item: PoCL compiles a kernel anew for every size of work-groups. */
static struct het_range range_of(const struct launch *l)
{
	static const int64_t one[DIMS] = {1, 1, 1};
	const struct array *a = l->use[0].array;
	int rank = random_once_in(2) ? DIMS : a->rank; /* leading dimensions of one index at 0 may be left out */
	int64_t lo_hi[2 * DIMS];

	for (int d = 0; d < rank; d++) {
		int from = DIMS - rank + d;

		lo_hi[2 * d] = l->origin[from];
		lo_hi[2 * d + 1] = l->origin[from] + l->use[0].box.hi[from] - l->use[0].box.lo[from];
	}
	return het_local_of(het_range_of(rank, 2 * rank, lo_hi), rank, one);
}

static void do_launch(struct program *p)
{
	int device = random_in(0, p->bench->machine.devices - 1), four = random_once_in(3), count = 0;
	int32_t steps[3][4];
	struct het_arg arg[7];
	struct launch l;
	char where[48];
	het_status st;

	choose_launch(p, &l);
	snprintf(where, sizeof where, "device %d%s", device, four ? " (aligned)" : "");
	say_launch(p, &l, where);
	for (int i = 0; i <= kinds[l.kind].inputs; i++) {
		find_steps(&l, i, steps[i]);
		arg[count++] = array_arg(&l.use[i], i ? HET_MODE_IN : kinds[l.kind].mode);
		arg[count++] = HET_BYTES(steps[i], sizeof steps[i]);
		if (i == 0)
			arg[count++] = het_arg_value(HET_UINT, &l.c);
	}
	st = het_launch_args(p->bench->kernel[four][l.kind], het_device(p->bench->system, device), range_of(&l), arg,
	                     count);
	expect_status(p, st, launch_conflicts(&l));
	if (!st)
		model_launch(p, &l, device, four ? 16 : 4);
}

/* Element (i, j, k) of the box of a host function's argument, counted from the box's first. */
static uint32_t *host_cell(const struct het_host_arg *arg, bool packed, const int at[DIMS])
{
	unsigned char *data = arg->data;
	int rank = arg->box.rank;

	for (int d = 0; d < rank; d++) {
		int64_t index = at[DIMS - rank + d];

		if (arg->box.hi[d] - arg->box.lo[d] == 1)
			index = 0;
		data += (size_t)(index + (packed ? 0 : arg->box.lo[d])) * arg->pitch_bytes[d];
	}
	return (uint32_t *)(void *)data;
}

/* The host's version of the kernels. The launch comes by value, as its last argument. */
static het_status host_function(void *user, int count, const struct het_host_arg *arg)
{
	const struct launch *l = arg[count - 1].data;
	const struct cells *box = &l->use[0].box;

	(void)user;
	EACH_CELL(box, i, j, k) {
		const int at[DIMS] = {i - box->lo[0], j - box->lo[1], k - box->lo[2]};
		uint32_t *y = host_cell(&arg[0], l->use[0].packed, at);
		uint32_t x = count > 2 ? *host_cell(&arg[1], l->use[1].packed, at) : 0;
		uint32_t z = count > 3 ? *host_cell(&arg[2], l->use[2].packed, at) : 0;

		*y = result(l->kind, *y, x, z, l->c, at[0] + l->origin[0], at[1] + l->origin[1], at[2] + l->origin[2]);
	}
	return HET_OK;
}

static void do_call(struct program *p)
{
	struct het_arg arg[4];
	struct launch l;
	int count = 0;
	het_status st;

	choose_launch(p, &l);
	say_launch(p, &l, "the host");
	for (; count <= kinds[l.kind].inputs; count++)
		arg[count] = array_arg(&l.use[count], count ? HET_MODE_IN : kinds[l.kind].mode);
	arg[count++] = HET_BYTES(&l, sizeof l);
	st = het_call_args(p->bench->system, host_function, NULL, arg, count);
	expect_status(p, st, launch_conflicts(&l));
	if (!st)
		model_launch(p, &l, -1, 1);
}

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
	{36, do_launch}, {4, do_call},     {8, do_fill}, {10, do_copy},  {8, do_read}, {6, do_write},
	{8, do_map},     {6, do_unmap},    {6, do_prefetch}, {4, do_swap}, {2, do_free}, {2, do_wait},
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
		for (int e = 0; e < d && context == d; e++)
			if (strcmp(platform[e], platform[d]) == 0)
				context = e; /* all drivers here have one context per platform */
		machine->memory[d] = info.memory;
		machine->base_align[d] = info.base_align_bytes;
		machine->context_of_memory[info.memory] = context;
	}
}

/* False where no such device is installed. */
static bool open_bench(struct bench *bench, const char *devices, enum het_share share)
{
	static const char *const options[2] = {"-DPTR=uint", "-DPTR=uint4"};
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
	for (int four = 0; four < 2; four++)
		for (int k = 0; k < KINDS; k++)
			ck_assert_msg(het_kernel_from_source(bench->system, source, kinds[k].name, options[four],
			                                     &bench->kernel[four][k]) == HET_OK,
			              "%s", het_message());
	return true;
}

static int count_of(const char *name, int otherwise)
{
	const char *given = getenv(name);

	return given ? atoi(given) : otherwise;
}

static void run_programs(const char *devices, enum het_share share, int count)
{
	struct bench bench;
	uint64_t first;
	int checked = 0;

	count = count_of("HETERO_TEST_PROGRAMS", count_of("HETERO_TEST_LONG", 0) ? 20 * count : count);
	if (!open_bench(&bench, devices, share))
		return;
	random_start(devices);
	first = random_state;
	for (int i = 0; i < count; i++)
		run_program(&bench, first + (uint64_t)i, &checked);
	ck_assert_msg(het_close(bench.system) == HET_OK, "%s", het_message());
	printf("%s, %s: %d programs, bytes counted in %d\n", devices, share == HET_SHARE_OFF ? "separate" : "shared", count,
	       checked);
	ck_assert_int_eq(unexpected_lines, 0);
	ck_assert_int_ge(checked, count / 2);
}

START_TEST(shared_parts)
{
	run_programs("pocl:cpu0/1", HET_SHARE_DEFAULT, 3000);
}
END_TEST

START_TEST(separate_parts)
{
	run_programs("pocl:cpu0/1", HET_SHARE_OFF, 3000);
}
END_TEST

START_TEST(shared_two_platforms)
{
	run_programs("pocl:cpu0/1,rusticl:*", HET_SHARE_DEFAULT, 2000);
}
END_TEST

START_TEST(separate_two_platforms)
{
	run_programs("pocl:cpu0/1,rusticl:*", HET_SHARE_OFF, 2000);
}
END_TEST

START_TEST(shared_three_platforms)
{
	run_programs("pocl:cpu0/1,rusticl:*,oclgrind:*", HET_SHARE_DEFAULT, 300);
}
END_TEST

START_TEST(separate_three_platforms)
{
	run_programs("pocl:cpu0/1,rusticl:*,oclgrind:*", HET_SHARE_OFF, 500);
}
END_TEST

int main(void)
{
	const struct {
		const char *name;
		const TTest *test;
	} all[] = {
		{"shared_parts", shared_parts},
		{"separate_parts", separate_parts},
		{"shared_two_platforms", shared_two_platforms},
		{"separate_two_platforms", separate_two_platforms},
		{"shared_three_platforms", shared_three_platforms},
		{"separate_three_platforms", separate_three_platforms},
	};
	Suite *suite = suite_create("random programs");
	SRunner *runner;
	int failed;

	het_test_platforms();
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
		TCase *tcase = tcase_create(all[i].name);

		tcase_set_timeout(tcase, count_of("HETERO_TEST_LONG", 0) ? 3600 : 300);
		tcase_add_test(tcase, all[i].test);
		suite_add_tcase(suite, tcase);
	}
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
