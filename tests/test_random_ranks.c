/* test_random_ranks.c - random programs over arrays of ranks 1 to 8 against a sequential model, on fake
 * machines: elements of 1 to 16 bytes, memory of the library's and of the caller's, with pitches and without,
 * empty arrays and boxes, what moves bytes by itself, and kernels that get packed boxes or windows.
 */
#include "face.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fakes.h"
#include "platforms.h"
#include "random.h"
#include "system/system.h"

enum { DIMS = HET_MAX_RANK, ARRAYS = 4, CELLS_MOST = 20000, STEPS_MOST = 45, CHUNK_BYTES = 256, PROGRAMS = 30 };

static const char *const machines[] = {"two-platforms", "one-context", "five-devices", "three-platforms",
				       "two-gpus"};
static const char *const routes[] = {NULL, "copy", "staged", "chunked", "pinned", "mapped", "pack"};
enum { MACHINES = sizeof machines / sizeof machines[0], ROUTES = sizeof routes / sizeof routes[0] };

/* Kernels have windows of HET_UINT. */
static const het_type types[] = {HET_UINT,   HET_UINT,   HET_UINT,      HET_UCHAR,     HET_USHORT,
				 HET_DOUBLE, HET_FLOAT3, HET_STRUCT(3), HET_STRUCT(12)};
enum { TYPES = sizeof types / sizeof types[0] };

static const char bump_text[] = "kernel void bump(global uchar *io) { io[get_global_id(0)]++; }\n";

/* For printf: a rank, and as many indices. */
static const char window_text[] =
	"#include \"het.clh\"\n"
	"#define CELL HET_AT%d(x%s)\n"
	"kernel void window(HET_WINDOW(global uint, x), int8 lo, int8 extent)\n"
	"{\n"
	"	const int *first = (const int *)&lo, *count = (const int *)&extent;\n"
	"	int i[8], rest = get_global_id(0);\n"
	"	for (int d = 7; d >= 0; d--) { i[d] = first[d] + rest %% count[d]; rest /= count[d]; }\n"
	"	CELL = 3 * CELL + (uint)get_global_id(0);\n"
	"}\n";

/* Dimensions that the array does not have, behind those it has, are of extent 1. */
struct box {
	int lo[DIMS], extent[DIMS];
};

/* The model is dense. The caller's memory, NULL where the library has its own, has `pitch`; `before` is a copy
 * of it as it was when it was wrapped. */
struct array {
	het_array *array;
	int rank, extent[DIMS];
	size_t cell_bytes, dense[DIMS], pitch[DIMS], memory_bytes;
	unsigned char *model, *memory, *before;
};

struct program {
	het_system *system;
	het_kernel *bump, *window[DIMS]; /* one for each rank */
	struct array array[ARRAYS];      /* all of one rank and type */
	het_type type;
	char story[16384]; /* what it did, for a failure */
	size_t length;
};

/* ---- what a failure says ------------------------------------------------------------------------ */

__attribute__((format(printf, 2, 3))) static void tell(struct program *p, const char *format, ...)
{
	va_list list;
	int n;

	va_start(list, format);
	n = vsnprintf(p->story + p->length, sizeof p->story - p->length, format, list);
	va_end(list);
	ck_assert_int_ge(n, 0);
	p->length += (size_t)n;
	ck_assert_uint_lt(p->length, sizeof p->story);
}

static void tell_box(struct program *p, const char *what, const struct array *a, const struct box *box)
{
	tell(p, "%s array %d [", what, (int)(a - p->array));
	for (int d = 0; d < a->rank; d++)
		tell(p, "%s%d:%d", d ? " " : "", box->lo[d], box->lo[d] + box->extent[d]);
	tell(p, "]\n");
}

static void give_up(const struct program *p, const char *reason)
{
	printf("%s%s\n", p->story, reason);
	fflush(stdout);
	ck_abort_msg("%s", reason);
}

static void must(const struct program *p, het_status status)
{
	char reason[1024];

	if (status == HET_OK)
		return;
	snprintf(reason, sizeof reason, "status %d: %s", (int)status, het_message());
	give_up(p, reason);
}

/* ---- boxes and bytes ---------------------------------------------------------------------------- */

static unsigned char *new_bytes(size_t count)
{
	unsigned char *const bytes = malloc(count ? count : 1);

	ck_assert_ptr_nonnull(bytes);
	return bytes;
}

static unsigned char *random_bytes(size_t count)
{
	unsigned char *const bytes = new_bytes(count);

	for (size_t i = 0; i < count; i++)
		bytes[i] = (unsigned char)random_next();
	return bytes;
}

static struct box whole(const struct array *a)
{
	struct box box = {{0}, {0}};

	memcpy(box.extent, a->extent, sizeof box.extent);
	return box;
}

static struct box random_box(const struct array *a)
{
	struct box box = whole(a);

	for (int d = 0; d < a->rank; d++)
		if (a->extent[d] > 0 && !random_once_in(3)) {
			box.lo[d] = random_in(0, a->extent[d] - 1);
			box.extent[d] = random_in(1, a->extent[d] - box.lo[d]);
		}
	if (random_once_in(20))
		box.extent[random_in(0, a->rank - 1)] = 0;
	return box;
}

static struct het_view view_of(const struct array *a, const struct box *box)
{
	int64_t lo_hi[2 * DIMS];

	for (int d = 0; d < DIMS; d++) {
		lo_hi[2 * d] = box->lo[d];
		lo_hi[2 * d + 1] = box->lo[d] + box->extent[d];
	}
	return het_view(a->array, het_box_of(a->rank, 2 * a->rank, lo_hi));
}

static int cells_of(const struct box *box)
{
	int cells = 1;

	for (int d = 0; d < DIMS; d++)
		cells *= box->extent[d];
	return cells;
}

static size_t bytes_of(const struct array *a, const struct box *box)
{
	return (size_t)cells_of(box) * a->cell_bytes;
}

/* The indices of cell number `cell` of a box. */
static void find_cell(const struct box *box, int cell, int *index)
{
	for (int d = DIMS - 1; d >= 0; d--) {
		index[d] = box->lo[d] + cell % box->extent[d];
		cell /= box->extent[d];
	}
}

static size_t place_of(const size_t *pitch, const struct box *box, int cell)
{
	int index[DIMS];
	size_t place = 0;

	find_cell(box, cell, index);
	for (int d = 0; d < DIMS; d++)
		place += (size_t)index[d] * pitch[d];
	return place;
}

/* A box's cells, dense: to be freed. */
static unsigned char *gather(const struct array *a, const struct box *box, const unsigned char *from,
			     const size_t *pitch)
{
	unsigned char *const dense = new_bytes(bytes_of(a, box));
	const int cells = cells_of(box);

	for (int i = 0; i < cells; i++)
		memcpy(dense + (size_t)i * a->cell_bytes, from + place_of(pitch, box, i), a->cell_bytes);
	return dense;
}

static void scatter(const struct array *a, const struct box *box, const unsigned char *dense, unsigned char *to,
		    const size_t *pitch)
{
	const int cells = cells_of(box);

	for (int i = 0; i < cells; i++)
		memcpy(to + place_of(pitch, box, i), dense + (size_t)i * a->cell_bytes, a->cell_bytes);
}

static unsigned char *model_of(const struct array *a, const struct box *box)
{
	return gather(a, box, a->model, a->dense);
}

static void set_model(struct array *a, const struct box *box, const unsigned char *dense)
{
	scatter(a, box, dense, a->model, a->dense);
}

/* ---- checks ------------------------------------------------------------------------------------- */

static void give_up_at(const struct program *p, const struct array *a, const int *index, const char *what)
{
	char reason[256];
	int length = snprintf(reason, sizeof reason, "array %d, cell (", (int)(a - p->array));

	for (int d = 0; d < a->rank; d++)
		length += snprintf(reason + length, sizeof reason - (size_t)length, "%s%d", d ? ", " : "",
				   index[d]);
	snprintf(reason + length, sizeof reason - (size_t)length, "): %s", what);
	give_up(p, reason);
}

/* The cells of a box, dense, are the model's. */
static void compare(const struct program *p, const struct array *a, const struct box *box,
		    const unsigned char *got)
{
	unsigned char *const right = model_of(a, box);
	const size_t bytes = bytes_of(a, box);
	char what[64];
	int index[DIMS];

	for (size_t i = 0; i < bytes; i++) {
		if (got[i] == right[i])
			continue;
		find_cell(box, (int)(i / a->cell_bytes), index);
		snprintf(what, sizeof what, "byte %d is %d, not %d", (int)(i % a->cell_bytes), got[i],
			 right[i]);
		give_up_at(p, a, index, what);
	}
	free(right);
}

static void check_box(struct program *p, const struct array *a, const struct box *box)
{
	unsigned char *const got = new_bytes(bytes_of(a, box));

	tell_box(p, "read", a, box);
	must(p, het_read(view_of(a, box), got));
	compare(p, a, box, got);
	free(got);
}

/* The caller's memory, after its array was freed: the value, and between its cells what was there before. */
static void check_memory(struct program *p, struct array *a)
{
	const struct box all = whole(a);
	unsigned char *const got = gather(a, &all, a->memory, a->pitch);

	tell(p, "array %d is freed\n", (int)(a - p->array));
	compare(p, a, &all, got);
	scatter(a, &all, got, a->before, a->pitch);
	for (size_t i = 0; i < a->memory_bytes; i++)
		if (a->memory[i] != a->before[i]) {
			tell(p, "array %d, byte %zu of %zu:\n", (int)(a - p->array), i, a->memory_bytes);
			give_up(p, "what lies between the cells was written");
		}
	free(got);
}

/* ---- arrays ------------------------------------------------------------------------------------- */

/* Sets pitches, those of the first `padded` dimensions with padding; returns the bytes of it all. */
static size_t set_pitches(const struct array *a, int padded, size_t *pitch)
{
	size_t inner = a->cell_bytes;

	for (int d = DIMS - 1; d >= 0; d--) {
		pitch[d] = inner + (d < padded ? (size_t)random_in(0, 2) * a->cell_bytes : 0);
		inner = a->extent[d] ? pitch[d] * (size_t)(a->extent[d] - 1) + inner : 0;
	}
	return inner;
}

static void draw_extents(struct array *a, int rank)
{
	int cells = 1;

	a->rank = rank;
	for (int d = 0; d < DIMS; d++) {
		a->extent[d] = d < rank ? random_in(1, rank < 3 ? 40 : 5) : 1;
		if (cells * a->extent[d] > CELLS_MOST)
			a->extent[d] = 1;
		cells *= a->extent[d];
	}
	if (random_once_in(30))
		a->extent[random_in(0, rank - 1)] = 0;
}

/* The library's memory, which is zero. */
static het_status make_owned(struct program *p, struct array *a, struct het_shape shape, size_t bytes)
{
	const struct box all = whole(a);

	tell_box(p, "owned", a, &all);
	memset(a->model, 0, bytes);
	return het_array_new(p->system, p->type, shape, &a->array);
}

/* The caller's, which holds the value. */
static het_status make_wrapped(struct program *p, struct array *a, struct het_shape shape)
{
	const struct box all = whole(a);
	const bool pitched = random_once_in(2);
	unsigned char *value;

	tell_box(p, pitched ? "pitched" : "wrapped", a, &all);
	a->memory_bytes = set_pitches(a, pitched ? a->rank - 1 : 0, a->pitch);
	a->memory = random_bytes(a->memory_bytes);
	a->before = new_bytes(a->memory_bytes);
	memcpy(a->before, a->memory, a->memory_bytes);
	value = gather(a, &all, a->memory, a->pitch);
	set_model(a, &all, value);
	free(value);
	return pitched ? het_array_wrap_pitched(p->system, p->type, shape, a->memory, a->pitch, &a->array)
		       : het_array_wrap(p->system, p->type, shape, a->memory, &a->array);
}

static void make_array(struct program *p, struct array *a, int rank)
{
	int64_t extent[DIMS];
	size_t bytes;

	memset(a, 0, sizeof *a);
	a->cell_bytes = HET_TYPE_BYTES(p->type);
	draw_extents(a, rank);
	for (int d = 0; d < DIMS; d++)
		extent[d] = a->extent[d];
	bytes = set_pitches(a, 0, a->dense);
	a->model = new_bytes(bytes);
	if (random_once_in(3))
		must(p, make_owned(p, a, het_shape_of(rank, rank, extent), bytes));
	else
		must(p, make_wrapped(p, a, het_shape_of(rank, rank, extent)));
}

static void free_array(struct program *p, struct array *a)
{
	must(p, het_array_free(a->array));
	if (a->memory)
		check_memory(p, a);
	free(a->memory);
	free(a->before);
	free(a->model);
}

static struct array *any_array(struct program *p)
{
	return &p->array[random_in(0, ARRAYS - 1)];
}

static het_device *any_device(struct program *p)
{
	const int device = random_in(0, het_device_count(p->system) - 1);

	tell(p, "  on device %d\n", device);
	return het_device(p->system, device);
}

/* ---- steps -------------------------------------------------------------------------------------- */

static void step_check(struct program *p)
{
	const struct array *const a = any_array(p);
	const struct box box = random_box(a);

	check_box(p, a, &box);
}

static void step_write(struct program *p)
{
	struct array *const a = any_array(p);
	const struct box box = random_box(a);
	unsigned char *const bytes = random_bytes(bytes_of(a, &box));

	tell_box(p, "write", a, &box);
	must(p, het_write(view_of(a, &box), bytes));
	set_model(a, &box, bytes);
	free(bytes);
}

static void step_fill(struct program *p)
{
	struct array *const a = any_array(p);
	const struct box box = random_box(a);
	unsigned char *const value = random_bytes(a->cell_bytes), *const bytes = new_bytes(bytes_of(a, &box));
	const int cells = cells_of(&box);

	tell_box(p, "fill", a, &box);
	must(p, het_fill(view_of(a, &box), value));
	for (int i = 0; i < cells; i++)
		memcpy(bytes + (size_t)i * a->cell_bytes, value, a->cell_bytes);
	set_model(a, &box, bytes);
	free(bytes);
	free(value);
}

/* Often within one array, and there onto what is copied. */
static void step_copy(struct program *p)
{
	const struct array *const a = any_array(p);
	struct array *const b = any_array(p);
	struct box from = random_box(a), to;
	unsigned char *bytes;

	for (int d = 0; d < DIMS; d++) {
		if (from.extent[d] > b->extent[d])
			from.extent[d] = b->extent[d];
		to.extent[d] = from.extent[d];
		to.lo[d] = random_in(0, b->extent[d] - to.extent[d]);
	}
	tell_box(p, "copy", a, &from);
	tell_box(p, "  to", b, &to);
	must(p, het_copy(view_of(b, &to), view_of(a, &from)));
	bytes = model_of(a, &from);
	set_model(b, &to, bytes);
	free(bytes);
}

static void step_prefetch(struct program *p)
{
	const struct array *const a = any_array(p);
	const struct box box = random_box(a);
	const bool home = random_once_in(4);

	tell_box(p, home ? "prefetch home" : "prefetch", a, &box);
	must(p, het_prefetch(view_of(a, &box), home ? NULL : any_device(p)));
}

/* The kernel gets the box's bytes and nothing between them. */
static void step_bump(struct program *p)
{
	struct array *const a = any_array(p);
	const struct box box = random_box(a);
	const size_t count = bytes_of(a, &box);
	unsigned char *const bytes = model_of(a, &box);

	tell_box(p, "bump", a, &box);
	must(p, het_launch(p->bump, any_device(p), het_grid(1, (int64_t)count), HET_INOUT(view_of(a, &box))));
	for (size_t i = 0; i < count; i++)
		bytes[i]++;
	set_model(a, &box, bytes);
	free(bytes);
}

static void step_window(struct program *p)
{
	struct array *const a = any_array(p);
	const struct box box = random_box(a);
	const int cells = cells_of(&box);
	unsigned char *const bytes = model_of(a, &box);

	tell_box(p, "window", a, &box);
	must(p, het_launch(p->window[a->rank - 1], any_device(p), het_grid(1, cells),
			   HET_INOUT_PART(a->array, view_of(a, &box).box), HET_BYTES(box.lo, sizeof box.lo),
			   HET_BYTES(box.extent, sizeof box.extent)));
	for (int i = 0; i < cells; i++) {
		unsigned value;

		memcpy(&value, bytes + (size_t)i * sizeof value, sizeof value);
		value = 3 * value + (unsigned)i;
		memcpy(bytes + (size_t)i * sizeof value, &value, sizeof value);
	}
	set_model(a, &box, bytes);
	free(bytes);
}

static void any_step(struct program *p)
{
	static void (*const steps[])(struct program *) = {step_window,   step_write, step_fill,
							  step_copy,     step_copy,  step_check,
							  step_prefetch, step_bump,  step_bump};
	const int first = p->type == HET_UINT ? 0 : 1;

	steps[random_in(first, (int)(sizeof steps / sizeof steps[0]) - 1)](p);
}

/* ---- programs ----------------------------------------------------------------------------------- */

static void make_kernels(struct program *p)
{
	char indices[8 * DIMS] = "", text[1024];

	p->bump = text_kernel(p->system, bump_text, "bump");
	for (int d = 0; d < DIMS; d++) {
		snprintf(indices + strlen(indices), sizeof indices - strlen(indices), ", i[%d]", d);
		snprintf(text, sizeof text, window_text, d + 1, indices);
		p->window[d] = text_kernel(p->system, text, "window");
	}
}

static void open_bed(struct program *p, int bed)
{
	struct het_options options = HET_OPTIONS_INIT;
	const char *const machine = machines[bed % MACHINES], *const route = routes[bed % ROUTES];
	const char *const queues = random_once_in(2) ? "1" : "2";

	printf("%s, HETERO_ROUTE=%s HETERO_QUEUES=%s\n", machine, route ? route : "", queues);
	fflush(stdout);
	if (route)
		setenv("HETERO_ROUTE", route, 1);
	else
		unsetenv("HETERO_ROUTE");
	setenv("HETERO_QUEUES", queues, 1);
	ck_assert(het_test_fake_driver(machine));
	ok(het_open(&options, &p->system));
	p->system->chunk_bytes = CHUNK_BYTES; /* the arrays are small */
	make_kernels(p);
}

static void run_program(struct program *p, int number)
{
	const int rank = random_in(1, DIMS), order = random_in(0, 9);

	p->length = 0;
	p->type = types[random_in(0, TYPES - 1)];
	tell(p, "program %d, cells of %zu bytes, order %d\n", number, HET_TYPE_BYTES(p->type), order);
	ck_assert_int_eq(order ? control("order random %d", order) : control("order late"), 0);
	for (int i = 0; i < ARRAYS; i++)
		make_array(p, &p->array[i], rank);
	for (int i = random_in(5, STEPS_MOST); i > 0; i--)
		any_step(p);
	for (int i = 0; i < ARRAYS; i++) {
		const struct box all = whole(&p->array[i]);

		check_box(p, &p->array[i], &all);
		must(p, het_audit(p->array[i].array));
	}
	for (int i = 0; i < ARRAYS; i++)
		free_array(p, &p->array[i]);
}

/* Machines and routes have no common divisor: there is a bed for each pair of them. */
START_TEST(arrays_are_as_modelled)
{
	static struct program p;
	const int programs = random_rounds(PROGRAMS);

	random_state += (uint64_t)_i << 32;
	open_bed(&p, _i);
	for (int i = 0; i < programs; i++)
		run_program(&p, i);
	close_face(p.system);
	ck_assert_int_eq(control("alive all"), 0);
}
END_TEST

int main(void)
{
	setenv("HETERO_CACHE", het_test_subfolder("cache"), 1);
	random_start("random_ranks");
	return run_fake_loop("random_ranks", arrays_are_as_modelled, MACHINES * ROUTES, 60);
}
