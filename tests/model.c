/* model.c - the protocol, cell by cell. */
#include "model.h"

#include <string.h>

/* ---- cells -------------------------------------------------------------------------------------- */

int cells_count(const struct cells *box)
{
	int count = 1;

	for (int d = 0; d < DIMS; d++)
		count *= box->hi[d] > box->lo[d] ? box->hi[d] - box->lo[d] : 0;
	return count;
}

bool cells_overlap(const struct cells *a, const struct cells *b)
{
	struct cells both;

	for (int d = 0; d < DIMS; d++) {
		both.lo[d] = a->lo[d] > b->lo[d] ? a->lo[d] : b->lo[d];
		both.hi[d] = a->hi[d] < b->hi[d] ? a->hi[d] : b->hi[d];
	}
	return cells_count(&both) > 0;
}

bool cells_contain(const struct cells *outer, const struct cells *inner)
{
	for (int d = 0; d < DIMS; d++)
		if (inner->lo[d] < outer->lo[d] || inner->hi[d] > outer->hi[d])
			return false;
	return true;
}

bool cells_equal(const struct cells *a, const struct cells *b)
{
	return memcmp(a, b, sizeof *a) == 0;
}

int cell_at(const struct model *m, int i, int j, int k)
{
	return (i * m->whole.hi[1] + j) * m->whole.hi[2] + k;
}

/* ---- stores ------------------------------------------------------------------------------------- */

void model_init(struct model *m, const int extent[DIMS], uintptr_t address, bool dense)
{
	memset(m, 0, sizeof *m);
	for (int d = 0; d < DIMS; d++)
		m->whole.hi[d] = extent[d];
	m->stores = 1;
	m->store[HOME] = (struct model_store){0, m->whole, dense, address};
	EACH_CELL(&m->whole, i, j, k)
		m->holders[cell_at(m, i, j, k)] = 1u << HOME;
}

static bool holds(const struct model *m, int store, int cell)
{
	return (m->holders[cell] >> store) & 1;
}

/* The store gets the cell's value. */
static void join(struct model *m, int store, int cell)
{
	m->holders[cell] |= UINT64_C(1) << store;
	m->former[cell] &= ~(UINT64_C(1) << store);
}

static bool holds_all(const struct model *m, int store, const struct cells *box)
{
	EACH_CELL(box, i, j, k)
		if (!holds(m, store, cell_at(m, i, j, k)))
			return false;
	return true;
}

/* A dense store of exactly this window in this memory, where kernels with that wish can use it. */
static int find_store(const struct model *m, int memory, const struct cells *window, unsigned align)
{
	for (int s = 0; s < m->stores; s++) {
		const struct model_store *store = &m->store[s];

		if (store->memory == memory && store->dense && cells_equal(&store->window, window) &&
		    (memory != 0 || store->address % align == 0))
			return s;
	}
	return -1;
}

/* How many runs of contiguous elements the box is in a dense layout of the window. */
static int runs(const struct cells *window, const struct cells *box)
{
	int d = DIMS - 1, count = 1;

	while (d > 0 && box->hi[d] - box->lo[d] == window->hi[d] - window->lo[d])
		d--;
	while (--d >= 0)
		count *= box->hi[d] - box->lo[d];
	return count;
}

/* Whether a packed view is a contiguous piece of a store of the whole array, and starts well for the device. */
static bool can_offset(const struct model *m, int store, unsigned base_align, unsigned align,
		       const struct cells *box)
{
	uintptr_t offset = (uintptr_t)cell_at(m, box->lo[0], box->lo[1], box->lo[2]) * ELEMENT;

	if (runs(&m->whole, box) != 1)
		return false;
	if (m->store[store].memory == 0)
		return (m->store[store].address + offset) % align == 0;
	return offset % base_align == 0 && offset % align == 0;
}

int model_place(struct model *m, const struct machine *machine, int device, const struct cells *box,
		bool packed, unsigned align, struct moved *moved)
{
	const struct cells *window = packed ? box : &m->whole;
	int memory = machine->memory[device];
	int store = packed ? find_store(m, memory, &m->whole, 1) : -1;

	if (store >= 0 && can_offset(m, store, machine->base_align[device], align, box))
		return store;
	store = find_store(m, memory, window, align);
	if (store >= 0)
		return store;
	if (m->stores == STORES_MOST) { /* some store goes: which one is not followed here */
		moved->known = false;
		return HOME;
	}
	m->store[m->stores] = (struct model_store){memory, *window, true, 0};
	return m->stores++;
}

/* ---- moves -------------------------------------------------------------------------------------- */

enum way { INSIDE, DIRECT, BY_HOST };

static enum way way_between(const struct machine *machine, int from, int to)
{
	if (from == to)
		return INSIDE;
	if (from == 0 || to == 0 || machine->ways == WAYS_ALL_DIRECT)
		return DIRECT;
	if (machine->ways == WAYS_ALL_BY_HOST)
		return BY_HOST;
	return machine->context_of_memory[from] == machine->context_of_memory[to] ? DIRECT : BY_HOST;
}

/* One cell goes to a memory, from the holder that has the shortest way. What stops over in the host's memory
 * stays there. */
static void move_cell(struct model *m, const struct machine *machine, int cell, int memory, struct moved *moved)
{
	enum way best = BY_HOST;

	for (int s = 0; s < m->stores; s++) {
		enum way way = way_between(machine, m->store[s].memory, memory);

		if (holds(m, s, cell) && way < best)
			best = way;
	}
	if (best == INSIDE)
		moved->inside += ELEMENT;
	else
		moved->between += ELEMENT;
	if (best == BY_HOST) {
		moved->between += ELEMENT;
		join(m, HOME, cell);
	}
}

static void move_cells(struct model *m, const struct machine *machine, const struct cells *box, int memory,
		       struct moved *moved)
{
	EACH_CELL(box, i, j, k)
		move_cell(m, machine, cell_at(m, i, j, k), memory, moved);
}

void model_fetch(struct model *m, const struct machine *machine, int store, const struct cells *box,
		 struct moved *moved)
{
	EACH_CELL(box, i, j, k) {
		int cell = cell_at(m, i, j, k);

		if (holds(m, store, cell))
			continue;
		move_cell(m, machine, cell, m->store[store].memory, moved);
		join(m, store, cell);
	}
}

void model_write(struct model *m, int store, const struct cells *box)
{
	EACH_CELL(box, i, j, k) {
		int cell = cell_at(m, i, j, k);

		m->former[cell] = m->holders[cell] & ~(UINT64_C(1) << store);
		m->holders[cell] = UINT64_C(1) << store;
		m->before[cell] = m->value[cell];
	}
}

bool model_is_unmodified(const struct model *m, const struct cells *box)
{
	EACH_CELL(box, i, j, k)
		if (m->value[cell_at(m, i, j, k)] != m->before[cell_at(m, i, j, k)])
			return false;
	return true;
}

void model_unmodified(struct model *m, const struct cells *box)
{
	EACH_CELL(box, i, j, k) {
		m->holders[cell_at(m, i, j, k)] |= m->former[cell_at(m, i, j, k)];
		m->former[cell_at(m, i, j, k)] = 0;
	}
}

/* ---- the library's choices ---------------------------------------------------------------------- */

/* The newest copy of the box's first cell; of several the host's. */
static int newest(const struct model *m, const struct cells *box)
{
	int cell = cell_at(m, box->lo[0], box->lo[1], box->lo[2]);

	for (int s = 0; s < m->stores; s++)
		if (holds(m, s, cell))
			return s;
	return HOME;
}

/* Devices fill a box of at most 64 runs. */
int model_fill_store(const struct model *m, const struct cells *box)
{
	int store = newest(m, box);
	const struct cells *window = &m->store[store].window;

	if (m->store[store].memory == 0 || !cells_contain(window, box) || runs(window, box) > 64)
		return HOME;
	return store;
}

static bool memory_holds_all(const struct model *m, int memory, const struct cells *box)
{
	for (int s = 0; s < m->stores; s++)
		if (m->store[s].memory == memory && holds_all(m, s, box))
			return true;
	return false;
}

static int copy_store(const struct model *to, const struct cells *to_box, const struct model *from,
		      const struct cells *from_box)
{
	int store = newest(to, to_box);

	for (int s = 0; s < to->stores; s++)
		if (holds_all(to, s, to_box) && memory_holds_all(from, to->store[s].memory, from_box))
			return s;
	return cells_contain(&to->store[store].window, to_box) ? store : HOME;
}

/* A write that changes nothing, and moves nothing. */
static void write_as_it_is(struct model *m, const struct cells *box)
{
	EACH_CELL(box, i, j, k) {
		m->former[cell_at(m, i, j, k)] = 0;
		m->before[cell_at(m, i, j, k)] = m->value[cell_at(m, i, j, k)];
	}
}

void model_copy(struct model *to, const struct cells *to_box, struct model *from, const struct cells *from_box,
		const struct machine *machine, struct moved *moved)
{
	uint32_t value[CELLS_MOST];
	int store, n = 0;

	if (cells_count(to_box) == 0)
		return;
	if (to == from && cells_equal(to_box, from_box)) {
		write_as_it_is(to, to_box);
		return;
	}
	EACH_CELL(from_box, i, j, k)
		value[n++] = from->value[cell_at(from, i, j, k)];
	store = copy_store(to, to_box, from, from_box);
	move_cells(from, machine, from_box, to->store[store].memory, moved);
	if (to == from && cells_overlap(to_box, from_box)) /* out of scratch again */
		moved->inside += (uint64_t)n * ELEMENT;
	model_write(to, store, to_box);
	n = 0;
	EACH_CELL(to_box, i, j, k)
		to->value[cell_at(to, i, j, k)] = value[n++];
}

void model_read(struct model *m, const struct machine *machine, const struct cells *box, bool wait,
		struct moved *moved)
{
	if (!wait || !holds_all(m, HOME, box))
		move_cells(m, machine, box, 0, moved);
}

void model_write_from_caller(struct model *m, const struct cells *box, bool wait, struct moved *moved)
{
	if (!wait)
		moved->inside += (uint64_t)cells_count(box) * ELEMENT;
	model_write(m, HOME, box);
}
