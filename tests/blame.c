/* blame.c - see blame.h. */
#include "blame.h"

#include <string.h>

/* Did the call wait for what has failed? It tells of it then; nothing was refused. */
static bool is_told(het_status status)
{
	const char *const text = het_message();

	return status == HET_ERR_LOST ||
	       (status == HET_ERR_DEVICE &&
		(strstr(text, "could not be brought to the host") || strstr(text, "could not be copied") ||
		 strstr(text, "an asynchronous copy of")));
}

bool blame_explains(struct blame *blame, het_status status)
{
	const bool waited = is_told(status);

	blame->told += status != HET_OK;
	blame->refused |= status != HET_OK && !waited;
	return status != HET_ERR_MAPPED && status != HET_ERR_ARGUMENT && status != HET_ERR_HANDLE &&
	       (status == HET_OK ||
		(het_error_last().status == status && strstr(het_message(), blame->word) != NULL));
}

/* ---- what values were made by ------------------------------------------------------------------- */

uint64_t blame_of(const struct array *a, const struct cells *box)
{
	uint64_t all = 0;

	EACH_CELL(box, i, j, k)
	all |= a->model.made_by[cell_at(&a->model, i, j, k)];
	return all;
}

uint64_t blame_touch(const struct program *p, struct array *a, const struct cells *box)
{
	uint64_t all = 0;

	EACH_CELL(box, i, j, k)
	all |= a->model.touched_by[cell_at(&a->model, i, j, k)] |= blame_bit(p);
	return all;
}

void blame_make(struct array *a, const struct cells *box, uint64_t made_by, uint64_t touched_by)
{
	EACH_CELL(box, i, j, k)
	{
		a->model.made_by[cell_at(&a->model, i, j, k)] = made_by;
		a->model.touched_by[cell_at(&a->model, i, j, k)] = touched_by;
	}
}

void blame_set(struct array *a, const struct cells *box, uint64_t made_by)
{
	blame_make(a, box, made_by, made_by);
}

void blame_copy(const struct program *p, struct array *to, const struct cells *to_box, struct array *from,
		const struct cells *from_box)
{
	uint64_t made_by[CELLS_MOST], touched_by[CELLS_MOST];
	int n = 0;

	if (to == from && cells_equal(to_box, from_box))
		return;
	if (to == from && cells_overlap(to_box, from_box)) {
		blame_make(to, to_box, blame_of(from, from_box) | blame_bit(p) | BLAME_UNSURE,
			   blame_touch(p, from, from_box));
		return;
	}
	(void)blame_touch(p, from, from_box);
	EACH_CELL(from_box, i, j, k)
	{
		made_by[n] = from->model.made_by[cell_at(&from->model, i, j, k)] | blame_bit(p);
		touched_by[n++] = from->model.touched_by[cell_at(&from->model, i, j, k)];
	}
	n = 0;
	EACH_CELL(to_box, i, j, k)
	{
		to->model.made_by[cell_at(&to->model, i, j, k)] = made_by[n];
		to->model.touched_by[cell_at(&to->model, i, j, k)] = touched_by[n++];
	}
}

static void write_anew(struct program *p, struct array *a, const struct cells *box)
{
	uint32_t values[CELLS_MOST];
	int n = 0;

	for (; n < cells_count(box); n++)
		values[n] = random_value();
	for (int tries = 0; tries < 2; tries++)
		if (het_write(view_from(a, box), values) == HET_OK)
			break;
	n = 0;
	EACH_CELL(box, i, j, k)
	a->model.value[cell_at(&a->model, i, j, k)] = values[n++];
	blame_set(a, box, blame_bit(p));
}

void blame_half_copy(struct program *p, struct array *to, const struct cells *to_box, const struct array *from,
		     const struct cells *from_box)
{
	uint32_t copied[CELLS_MOST], values[CELLS_MOST];
	int n = 0;

	EACH_CELL(from_box, i, j, k)
	copied[n++] = from->model.value[cell_at(&from->model, i, j, k)];
	n = 0;
	if (het_read(view_from(to, to_box), values) == HET_OK)
		EACH_CELL(to_box, i, j, k)
		{
			if (values[n] != copied[n] &&
			    values[n] != to->model.value[cell_at(&to->model, i, j, k)])
				fail_program(p, "a copy that failed made element %d 0x%x", n, values[n]);
			n++;
		}
	write_anew(p, to, to_box);
}

/* ---- what is known not to have failed ----------------------------------------------------------- */

bool blame_left(const struct blame *blame, const struct array *a, int i, int j, int k)
{
	return (a->model.made_by[cell_at(&a->model, i, j, k)] & ~blame->good) != 0;
}

static bool box_left(const struct blame *blame, const struct array *a, const struct cells *box)
{
	return (blame_of(a, box) & ~blame->good) != 0;
}

static void box_is_there(struct blame *blame, struct array *a, const struct cells *box)
{
	blame->good |= blame_of(a, box) & blame->whole;
	EACH_CELL(box, i, j, k)
	a->model.made_by[cell_at(&a->model, i, j, k)] = 0; /* other copies of it may still be on their way */
}

void blame_read(struct program *p, struct array *a, const struct cells *box, bool seen, het_status status)
{
	if (!p->blame)
		return;
	(void)blame_touch(p, a, box);
	/* The transfer to the host may itself be what failed. */
	if (status == HET_ERR_LOST && p->blame->one_launch && !box_left(p->blame, a, box))
		fail_program(p, "lost what cannot be lost: %s", het_message());
	if (status == HET_OK && seen)
		box_is_there(p->blame, a, box);
}

void blame_waited(struct program *p, struct array *a, het_status status)
{
	if (status || (!a && p->blame->told > 0)) /* what has been told once is not told of all again */
		return;
	for (int i = 0; i < p->arrays; i++)
		if (!a || a == &p->array[i])
			box_is_there(p->blame, &p->array[i], &p->array[i].model.whole);
}

/* ---- the end ------------------------------------------------------------------------------------ */

static unsigned char is_lost[ARRAYS_MOST][CELLS_MOST];

/* Reads a box that is one row or a part of it. */
static int read_row(struct program *p, int index, const struct cells *row)
{
	struct array *a = &p->array[index];
	uint32_t values[CELLS_MOST];
	const size_t pitch[DIMS] = {ELEMENT, ELEMENT, ELEMENT};
	const het_status st = het_read(view_from(a, row), values);
	int lost = 0;

	expect_status(p, st, false);
	if (!st)
		compare_cells(p, a, row, values, pitch);
	else if (cells_count(row) == 1)
		lost = is_lost[index][cell_at(&a->model, row->lo[0], row->lo[1], row->lo[2])] = 1;
	else
		for (int k = row->lo[2]; k < row->hi[2]; k++) {
			const struct cells one = {{row->lo[0], row->lo[1], k}, {row->hi[0], row->hi[1], k + 1}};
			lost += read_row(p, index, &one);
		}
	return lost;
}

static int read_array(struct program *p, int index)
{
	const int *extent = p->array[index].model.whole.hi;
	int lost = 0;

	memset(is_lost[index], 0, sizeof is_lost[index]);
	for (int i = 0; i < extent[0]; i++)
		for (int j = 0; j < extent[1]; j++) {
			const struct cells row = {{i, j, 0}, {i + 1, j + 1, extent[2]}};
			lost += read_row(p, index, &row);
		}
	return lost;
}

/* The launches that can have failed: none of what they made can be read. */
static uint64_t suspects(const struct program *p)
{
	uint64_t suspects = p->blame->whole & ~p->blame->good;

	for (int n = 0; n < p->arrays; n++) {
		const struct model *m = &p->array[n].model;

		EACH_CELL(&m->whole, i, j, k)
		if (!is_lost[n][cell_at(m, i, j, k)] && !(m->made_by[cell_at(m, i, j, k)] & BLAME_UNSURE))
			suspects &= ~m->made_by[cell_at(m, i, j, k)];
	}
	return suspects;
}

/* Data operations consist of several transfers, each of which may fail. */
static void check_reasons(const struct program *p, uint64_t guilty)
{
	const uint64_t whole = p->blame->whole;

	for (int n = 0; n < p->arrays; n++) {
		const struct model *m = &p->array[n].model;

		EACH_CELL(&m->whole, i, j, k)
		{
			const uint64_t made_by = m->made_by[cell_at(m, i, j, k)] & ~p->blame->good;
			const bool maybe = !p->blame->one_launch && (made_by & ~whole & ~BLAME_UNSURE);

			if (is_lost[n][cell_at(m, i, j, k)] && !(made_by & guilty) && !maybe &&
			    !p->blame->all_may_go)
				fail_program(p, "a%d[%d %d %d] is lost, made by operations %llx, but not %llx",
					     n, i, j, k, (unsigned long long)made_by,
					     (unsigned long long)guilty);
		}
	}
}

/* All that is lost has some operation in common: blame.h says why. */
static void check_one_task(const struct program *p, int lost)
{
	uint64_t common = ~UINT64_C(0);

	if (lost == 0 || !p->blame->one_task)
		return;
	for (int n = 0; n < p->arrays; n++) {
		const struct model *m = &p->array[n].model;

		EACH_CELL(&m->whole, i, j, k)
		if (is_lost[n][cell_at(m, i, j, k)])
			common &= m->touched_by[cell_at(m, i, j, k)];
	}
	if (p->blame->refused)
		fail_program(p, "a call was refused, and %d cells are lost", lost);
	if (!common)
		fail_program(p, "%d cells are lost that have nothing in common", lost);
}

/* The one launch that has lost all that is lost. */
static uint64_t only_suspect(const struct program *p, uint64_t guilty)
{
	for (int n = 0; n < p->arrays; n++) {
		const struct model *m = &p->array[n].model;

		EACH_CELL(&m->whole, i, j, k)
		if (is_lost[n][cell_at(m, i, j, k)])
			guilty &= m->made_by[cell_at(m, i, j, k)];
	}
	return guilty;
}

void blame_wait(struct program *p)
{
	het_status st;

	say(p, "wait for all until nothing is told");
	while ((st = het_wait_all(p->bench->system)) != HET_OK)
		expect_status(p, st, false);
}

int blame_end(struct program *p)
{
	uint64_t guilty;
	int lost = 0;

	say(p, "end");
	settle_pending(p, NULL, HET_ERR_LOST);
	for (int n = 0; n < p->arrays; n++) {
		struct array *a = &p->array[n];

		while (a->maps > 0)
			expect_status(p, het_unmap_view(view_from(a, &a->map[--a->maps].box)), false);
		lost += read_array(p, n);
	}
	guilty = suspects(p);
	if (p->blame->one_launch)
		guilty = only_suspect(p, guilty);
	check_reasons(p, guilty);
	check_one_task(p, lost);
	for (int n = 0; n < p->arrays; n++)
		free_array(p, n, false);
	while (het_wait_all(p->bench->system) == HET_ERR_LOST)
		;
	check_nothing_left(p);
	return lost;
}
