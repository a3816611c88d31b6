/* operations.c - what random programs do apart from computing: data, the host's access, handles. */
#include "operations.h"

#include <stdlib.h>
#include <string.h>

#include "blame.h"
#include "launches.h"
#include "random.h"

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
	blame_set(a, &box, blame_bit(p));
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
	if (st && p->blame && st != HET_ERR_MAPPED)
		blame_half_copy(p, to, &to_box, from, &from_box);
	if (st)
		return;
	blame_copy(p, to, &to_box, from, &from_box);
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
	blame_read(p, a, &box, wait || st, st);
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
		blame_set(a, &box, blame_bit(p));
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
	(void)blame_touch(p, a, &box);
	if (device >= 0)
		store = model_place(&a->model, &p->bench->machine, device, &box, false, 1, &p->moved);
	model_fetch(&a->model, &p->bench->machine, store, &box, &p->moved);
}

/* Of what may have been written long ago; after a launch that keeps what it writes it is said as well. */
static void do_unmodified(struct program *p)
{
	struct array *a = any_array(p);
	struct cells box = random_cells(&a->model.whole);

	for (int tries = 0; tries < 8 && !model_is_unmodified(&a->model, &box); tries++)
		box = random_cells(&box);
	if (model_is_unmodified(&a->model, &box))
		unmodified(p, a, &box);
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

	het_status st;

	say(p, "unmap a%d %s", (int)(a - p->array), box_text(a, &box));
	st = het_unmap_view(view_from(a, &box));
	expect_status(p, st, false);
	if (!st)
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
	blame_read(p, a, &box, (mode & HET_READ) != 0, st);
	if (st)
		return;
	if (mode & HET_READ) {
		model_fetch(&a->model, &p->bench->machine, HOME, &box, &p->moved);
		compare_cells(p, a, &box, at, a->pitch);
	}
	if (mode & HET_WRITE) {
		model_write(&a->model, HOME, &box);
		write_mapped(a, &box, at);
		blame_set(a, &box, 0);
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
	wait_for(p, a);
}

/* ---- any of them ----------------------------------------------------------------------------------- */

struct operation {
	int weight;
	void (*run)(struct program *p);
};

static const struct operation operations[] = {
	{36, do_launch}, {4, do_call},  {6, do_fill},     {10, do_copy}, {8, do_read}, {6, do_write},
	{8, do_map},     {6, do_unmap}, {6, do_prefetch}, {4, do_swap},  {2, do_free}, {2, do_wait},
	{2, do_unmodified},
};
#define OPERATIONS ((int)(sizeof operations / sizeof operations[0]))

void run_operation(struct program *p)
{
	int n = random_in(1, 100), i = 0;

	while (i < OPERATIONS - 1 && n > operations[i].weight)
		n -= operations[i++].weight;
	operations[i].run(p);
	p->operation++;
}

