/* test_io.c - reads, writes, fills, copies and prefetches of boxes against a model in plain C.
 *
 * Two arrays of a random shape and element type live in the library and as plain memory. Random operations
 * are made on both; every read is compared, and all of both arrays at the end.
 */
#include "face.h"

#include <stdlib.h>

#include "array/array.h"
#include "random.h"

#define BYTES_MOST 65536
#define STEPS 60

static struct {
	het_system *system;
	int rank;
	int64_t extent[HET_MAX_RANK];
	size_t element, cells;
	het_type type;
	het_array *array[2];
	unsigned char *model[2], *wrapped, *buffer;
	het_kernel *invert;
} t;

static const het_type types[] = {HET_CHAR,   HET_SHORT,      HET_INT,       HET_DOUBLE, HET_FLOAT4,
				 HET_UCHAR3, HET_STRUCT(12), HET_STRUCT(7), HET_LONG16};

struct place {
	struct het_box box;
	int64_t extent[HET_MAX_RANK]; /* of the box */
	size_t cells;
};

/* ---- the model ---- */

/* The number of a cell of the array from that of a cell of a box. */
static size_t cell_of(const struct place *p, size_t i)
{
	size_t cell = 0, step = 1;

	for (int d = t.rank - 1; d >= 0; d--) {
		cell += ((size_t)p->box.lo[d] + i % (size_t)p->extent[d]) * step;
		i /= (size_t)p->extent[d];
		step *= (size_t)t.extent[d];
	}
	return cell;
}

static void model_write(int which, const struct place *p, const unsigned char *from, size_t stride)
{
	for (size_t i = 0; i < p->cells; i++)
		memcpy(t.model[which] + cell_of(p, i) * t.element, from + i * stride, t.element);
}

static void model_read(int which, const struct place *p, unsigned char *to)
{
	for (size_t i = 0; i < p->cells; i++)
		memcpy(to + i * t.element, t.model[which] + cell_of(p, i) * t.element, t.element);
}

/* ---- random things ---- */

static void measure(struct place *p)
{
	p->cells = 1;
	p->box.rank = t.rank;
	p->box.given = 2 * t.rank;
	for (int d = 0; d < t.rank; d++)
		p->cells *= (size_t)(p->extent[d] = p->box.hi[d] - p->box.lo[d]);
}

static struct place random_place(void)
{
	struct place p;

	for (int d = 0; d < t.rank; d++) {
		p.box.lo[d] = random_in(0, (int)t.extent[d] - 1);
		p.box.hi[d] = random_in((int)p.box.lo[d] + !random_once_in(20), (int)t.extent[d]);
	}
	measure(&p);
	return p;
}

/* The same extents elsewhere. */
static struct place moved_place(const struct place *p)
{
	struct place q = *p;

	for (int d = 0; d < t.rank; d++) {
		q.box.lo[d] = random_in(0, (int)(t.extent[d] - p->extent[d]));
		q.box.hi[d] = q.box.lo[d] + p->extent[d];
	}
	return q;
}

/* As the user may write it: with HET_END, and without the trailing dimensions that are whole. */
static struct het_view view_of(int which, const struct place *p)
{
	struct het_box box = p->box;

	for (int d = 0; d < t.rank; d++)
		if (box.hi[d] == t.extent[d] && random_once_in(2))
			box.hi[d] = HET_END;
	while (box.rank > 0 && p->extent[box.rank - 1] == t.extent[box.rank - 1] && random_once_in(2))
		box.rank--;
	box.given = 2 * box.rank;
	return het_view(t.array[which], box);
}

static void random_bytes(unsigned char *at, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		at[i] = (unsigned char)random_next();
}

/* ---- one step ---- */

static void step_write(int which, const struct place *p)
{
	random_bytes(t.buffer, p->cells * t.element);
	model_write(which, p, t.buffer, t.element);
	if (random_once_in(2)) {
		ok(het_write(view_of(which, p), t.buffer));
		return;
	}
	ok(het_write_async(view_of(which, p), t.buffer));
	ok(het_wait(t.array[which]));
}

static void step_read(int which, const struct place *p)
{
	unsigned char *const wanted = malloc(p->cells * t.element + 1);

	ck_assert_ptr_nonnull(wanted);
	model_read(which, p, wanted);
	memset(t.buffer, 0xee, p->cells * t.element);
	if (random_once_in(2)) {
		ok(het_read(view_of(which, p), t.buffer));
	} else {
		ok(het_read_async(view_of(which, p), t.buffer));
		ok(het_wait(t.array[which]));
	}
	ck_assert_mem_eq(t.buffer, wanted, p->cells * t.element);
	free(wanted);
}

static void step_fill(int which, const struct place *p)
{
	unsigned char value[128];

	random_bytes(value, t.element);
	ok(het_fill(view_of(which, p), value));
	model_write(which, p, value, 0);
	memset(value, 0, sizeof value); /* it was copied */
}

static void step_copy(int which, const struct place *p)
{
	const struct place q = moved_place(p);
	const int from = random_in(0, 1);
	unsigned char *const between = malloc(p->cells * t.element + 1);

	ck_assert_ptr_nonnull(between);
	ok(het_copy(view_of(which, p), view_of(from, &q)));
	model_read(from, &q, between);
	model_write(which, p, between, t.element);
	free(between);
}

/* Inverts every byte of a band of rows, on some device. */
static void step_launch(int which, struct place *p)
{
	const int row_bytes = (int)(t.cells * t.element / (size_t)t.extent[0]);

	for (int d = 1; d < t.rank; d++) {
		p->box.lo[d] = 0;
		p->box.hi[d] = t.extent[d];
	}
	measure(p);
	ok(het_launch(t.invert, het_device(t.system, random_in(0, het_device_count(t.system) - 1)),
		      het_range(1, p->box.lo[0] * row_bytes, p->box.hi[0] * row_bytes),
		      HET_INOUT_PART(t.array[which], p->box)));
	for (size_t i = (size_t)p->box.lo[0] * (size_t)row_bytes; i < (size_t)p->box.hi[0] * (size_t)row_bytes;
	     i++)
		t.model[which][i] = (unsigned char)~t.model[which][i];
}

static void step_prefetch(int which, const struct place *p)
{
	const int to = random_in(-1, het_device_count(t.system) - 1);

	ok(het_prefetch(view_of(which, p), to < 0 ? NULL : het_device(t.system, to)));
}

static void step(void)
{
	struct place p = random_place();
	const int which = random_in(0, 1);

	switch (random_in(0, 7)) {
	case 0:
		step_write(which, &p);
		break;
	case 1:
	case 2:
		step_read(which, &p);
		break;
	case 3:
		step_fill(which, &p);
		break;
	case 4:
		step_copy(which, &p);
		break;
	case 5:
	case 6:
		step_launch(which, &p);
		break;
	default:
		step_prefetch(which, &p);
	}
}

/* ---- one shape ---- */

static void random_shape(int rank)
{
	const int most[HET_MAX_RANK] = {200, 24, 10, 6, 4, 4, 3, 3};

	t.rank = rank;
	t.cells = 1;
	t.type = types[random_in(0, sizeof types / sizeof types[0] - 1)];
	t.element = HET_TYPE_BYTES(t.type);
	for (int d = 0; d < rank; d++) {
		t.extent[d] = random_in(1, most[rank - 1]);
		if (t.cells * (size_t)t.extent[d] * t.element > BYTES_MOST)
			t.extent[d] = 1;
		t.cells *= (size_t)t.extent[d];
	}
}

static void set_up(int rank)
{
	size_t bytes;

	random_shape(rank);
	bytes = t.cells * t.element;
	t.buffer = malloc(bytes);
	t.wrapped = malloc(bytes + 1);
	ck_assert(t.buffer && t.wrapped);
	for (int which = 0; which < 2; which++) {
		t.model[which] = calloc(t.cells, t.element);
		ck_assert_ptr_nonnull(t.model[which]);
	}
	random_bytes(t.model[1], bytes);
	memcpy(t.wrapped + 1, t.model[1], bytes);
	ok(het_array_new(t.system, t.type, het_shape_of(rank, rank, t.extent), &t.array[0]));
	ok(het_array_wrap(t.system, t.type, het_shape_of(rank, rank, t.extent), t.wrapped + 1, &t.array[1]));
}

static void tear_down(void)
{
	struct place all;

	for (int d = 0; d < t.rank; d++) {
		all.box.lo[d] = 0;
		all.box.hi[d] = t.extent[d];
	}
	measure(&all);
	step_read(0, &all);
	ok(het_array_free(t.array[0]));
	ok(het_array_free(t.array[1]));
	ck_assert_mem_eq(t.wrapped + 1, t.model[1], t.cells * t.element);
	free(t.model[0]);
	free(t.model[1]);
	free(t.wrapped);
	free(t.buffer);
}

START_TEST(test_against_model)
{
	random_start("test_io");
	t.system = open_face(_i);
	t.invert = text_kernel(
		t.system, "kernel void invert(global uchar *io) { int i = get_global_id(0); io[i] = ~io[i]; }",
		"invert");
	for (int round = 0; round < (_i == FACE_RUSTICL ? 1 : 4); round++)
		for (int rank = 1; rank <= HET_MAX_RANK; rank++) {
			set_up(rank);
			for (int s = 0; s < STEPS; s++)
				step();
			tear_down();
		}
	ck_assert_uint_eq(stats_of(t.system).live_arrays, 0);
	close_face(t.system);
}
END_TEST

/* Above the size that is copied on the spot, and strided. */
START_TEST(test_large_boxes)
{
	het_system *system = open_face(_i);
	enum { ROWS = 600, COLUMNS = 500 };
	het_array *array;
	int *out = malloc(sizeof(int) * ROWS * COLUMNS), *in = malloc(sizeof(int) * ROWS * COLUMNS);
	het_kernel *bump = common_kernel(system, "bump");

	ck_assert(out && in);
	for (int i = 0; i < ROWS * COLUMNS; i++)
		out[i] = i;
	ok(het_array_new(system, HET_INT, het_shape(2, ROWS, COLUMNS), &array));
	ok(het_write(het_view(array, het_whole()), out));
	ok(het_launch(bump, last_device(system), het_grid(1, ROWS * COLUMNS), HET_INOUT(array), HET_VAL(7)));
	ok(het_read(het_view(array, het_cols(100, HET_END)), in));
	for (int i = 0; i < ROWS * (COLUMNS - 100); i++)
		ck_assert_int_eq(in[i], i / 400 * COLUMNS + 100 + i % 400 + 7);
	ok(het_write(het_view(array, het_box(2, 1, 599, 1, 499)), out));
	ok(het_read(het_view(array, het_whole()), in));
	for (int y = 0; y < ROWS; y++)
		for (int x = 0; x < COLUMNS; x++) {
			int inside = y > 0 && y < 599 && x > 0 && x < 499;
			ck_assert_int_eq(in[y * COLUMNS + x],
					 inside ? (y - 1) * 498 + x - 1 : y * COLUMNS + x + 7);
		}
	close_face(system);
	free(out);
	free(in);
}
END_TEST

/* Many asynchronous reads and writes in flight see the values of their place in the program. */
START_TEST(test_async_order)
{
	het_system *system = open_face(_i);
	het_kernel *bump = common_kernel(system, "bump");
	het_array *array = counting_array(system, 512);
	static int seen[20][512], sources[20][8];

	for (int k = 0; k < 20; k++) {
		ok(het_read_async(het_view(array, het_whole()), seen[k]));
		for (int i = 0; i < 8; i++)
			sources[k][i] = 1000 * k + i;
		ok(het_launch(bump, het_device(system, k % het_device_count(system)), het_grid(1, 512),
			      HET_INOUT(array), HET_VAL(1)));
		ok(het_write_async(het_view(array, het_rows(0, 8)), sources[k]));
	}
	ok(het_wait(array));
	for (int k = 0; k < 20; k++)
		for (int i = 0; i < 512; i++)
			ck_assert_int_eq(seen[k][i], i >= 8 ? i + k : k ? 1000 * (k - 1) + i : i);
	close_face(system);
}
END_TEST

START_TEST(test_copy_between_types)
{
	het_system *system = open_face(FACE_SHARED);
	het_array *ints = counting_array(system, 10), *floats;
	int as_ints[10];

	ok(het_array_new(system, HET_FLOAT, het_shape(1, 10), &floats));
	ok(het_copy(het_view(floats, het_whole()), het_view(ints, het_whole()))); /* equal size: bytes */
	ok(het_read(het_view(floats, het_whole()), as_ints));
	for (int i = 0; i < 10; i++)
		ck_assert_int_eq(as_ints[i], i);
	close_face(system);
}
END_TEST

/* Copies of rows that are asked for one by one do not make the directory long, whoever asks. */
START_TEST(test_rows_by_the_hundred)
{
	enum { ROWS = 400 };
	het_system *const system = open_face(_i);
	het_array *array;
	const int *at;

	ok(het_array_new(system, HET_INT, het_shape(2, ROWS, 16), &array));
	ok(het_launch(common_kernel(system, "set"), last_device(system), het_grid(1, ROWS * 16), HET_OUT(array),
		      HET_VAL(7)));
	for (int i = 0; i < ROWS; i += 2) {
		if (i % 4)
			ok(het_prefetch(het_view(array, het_rows(i, i + 1)), NULL));
		else
			ok(het_map_view(het_view(array, het_rows(i, i + 1)), HET_READ, &at));
		ck_assert_int_le(array->value->dir.entries.count, HET__DIRECTORY_MOST + 4);
		if (i % 4 == 0)
			ok(het_unmap_view(het_view(array, het_rows(i, i + 1))));
	}
	assert_counts(array, 7, 0);
	close_face(system);
}
END_TEST

static const struct face_test tests[] = {
	{&test_against_model, 1},
	{&test_large_boxes, 1},
	{&test_async_order, 1},
	{&test_copy_between_types, 0},
	{&test_rows_by_the_hundred, 1},
};

int main(void)
{
	return run_face_tests("io", sizeof tests / sizeof tests[0], tests);
}
