/* program.c - what random programs are made of, apart from their operations. */
#include "program.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "blame.h"
#include "checks.h"
#include "random.h"

#define PADDING 0xa5 /* bytes of the caller's memory that nobody may touch */
#define GUARD 64     /* of them before and after */

/* ---- text --------------------------------------------------------------------------------------- */

void say(struct program *p, const char *format, ...)
{
	size_t room = sizeof p->text - p->length;
	va_list list;
	int n;

	va_start(list, format);
	n = vsnprintf(p->text + p->length, room, format, list);
	va_end(list);
	if (n > 0 && (size_t)n + 1 < room) {
		p->length += (size_t)n;
		p->text[p->length++] = '\n';
		p->text[p->length] = '\0';
	}
}

void fail_program(const struct program *p, const char *format, ...)
{
	const char *const queues = getenv("HETERO_QUEUES");
	char reason[1024];
	va_list list;

	va_start(list, format);
	vsnprintf(reason, sizeof reason, format, list);
	va_end(list);
	printf("\n%s%s\nagain: CK_RUN_CASE='%s' HETERO_QUEUES=%s HETERO_TEST_SEED=%llu "
	       "HETERO_TEST_PROGRAMS=1\n",
	       p->text, reason, p->bench->name, queues ? queues : "", (unsigned long long)p->seed);
	fflush(stdout);
	ck_abort_msg("%s", reason);
	abort();
}

void expect_status(struct program *p, het_status status, bool conflict)
{
	const het_status expected = conflict ? HET_ERR_MAPPED : HET_OK;
	const bool explained = status != expected && p->blame && blame_explains(p->blame, status);

	if (explained)
		say(p, "  -> %d, %s", (int)status, status ? het_message() : "success");
	if (status != expected && !explained)
		fail_program(p, "status %d (%s)%s", (int)status, status ? het_message() : "success",
			     conflict ? " in spite of a map" : "");
}

const char *box_text(const struct array *a, const struct cells *box)
{
	static char text[8][96];
	static int next;
	char *out = text[next++ % 8];
	int at = 0;

	for (int d = DIMS - a->rank; d < DIMS; d++)
		at += sprintf(out + at, "%c%d:%d", d == DIMS - a->rank ? '[' : ' ', box->lo[d], box->hi[d]);
	strcpy(out + at, "]");
	return out;
}

/* ---- boxes -------------------------------------------------------------------------------------- */

struct het_box het_box_from(const struct array *a, const struct cells *box)
{
	int64_t lo_hi[2 * DIMS];

	for (int d = 0; d < a->rank; d++) {
		lo_hi[2 * d] = box->lo[DIMS - a->rank + d];
		lo_hi[2 * d + 1] = box->hi[DIMS - a->rank + d];
	}
	return het_box_of(a->rank, 2 * a->rank, lo_hi);
}

struct het_view view_from(const struct array *a, const struct cells *box)
{
	return het_view(a->handle, het_box_from(a, box));
}

struct array *any_array(struct program *p)
{
	return &p->array[random_in(0, p->arrays - 1)];
}

/* Whole dimensions and whole arrays are frequent: much depends on them. */
struct cells random_cells(const struct cells *inside)
{
	struct cells box = *inside;
	bool whole = random_once_in(6);

	for (int d = 0; d < DIMS && !whole; d++) {
		if (random_once_in(3))
			continue;
		box.lo[d] = random_in(inside->lo[d], inside->hi[d] - 1);
		box.hi[d] = random_in(box.lo[d] + 1, inside->hi[d]);
	}
	return box;
}

uint32_t random_value(void)
{
	return (uint32_t)random_next();
}

/* ---- arrays ------------------------------------------------------------------------------------- */

static void random_extents(const struct program *p, int rank, int extent[DIMS])
{
	for (int d = 0; d < DIMS; d++)
		extent[d] = d < DIMS - rank ? 1 : random_in(1, p->largest);
	if (random_once_in(4)) /* rows that devices can take offsets of */
		extent[DIMS - 1] = 32;
	else if (rank == 1)
		extent[DIMS - 1] = random_in(1, p->largest * p->largest);
}

/* The steps of the home, and of the bytes it covers. */
static void lay_out(struct array *a)
{
	const int *extent = a->model.whole.hi;
	size_t pad = a->kind == HOME_PITCHED ? (size_t)random_in(0, 3) * ELEMENT : 0;

	a->pitch[2] = ELEMENT;
	a->pitch[1] = (size_t)extent[2] * ELEMENT + pad;
	a->pitch[0] = (size_t)extent[1] * a->pitch[1];
	if (pad) /* also what is no whole number of rows */
		a->pitch[0] += random_once_in(2) ? a->pitch[1] : (size_t)random_in(0, 5) * ELEMENT;
	a->bytes = (size_t)(extent[0] - 1) * a->pitch[0] + (size_t)(extent[1] - 1) * a->pitch[1] +
		   (size_t)extent[2] * ELEMENT;
}

static unsigned char *cell_in(const void *memory, const size_t *pitch, int i, int j, int k)
{
	return (unsigned char *)(uintptr_t)memory + (size_t)i * pitch[0] + (size_t)j * pitch[1] +
	       (size_t)k * pitch[2];
}

static void wrap_memory(struct program *p, struct array *a)
{
	size_t shift = a->kind == HOME_MISALIGNED ? (size_t)random_in(1, 31) * ELEMENT : 0;

	a->allocation = aligned_alloc(128, (a->bytes + 4 * GUARD + 255) / 128 * 128);
	if (!a->allocation)
		fail_program(p, "no memory");
	memset(a->allocation, PADDING, a->bytes + 4 * GUARD);
	a->memory = a->allocation + 128 + shift - (a->kind == HOME_MISALIGNED ? 64 : 0);
	EACH_CELL(&a->model.whole, i, j, k) {
		uint32_t value = random_value();

		a->model.value[cell_at(&a->model, i, j, k)] = value;
		memcpy(cell_in(a->memory, a->pitch, i, j, k), &value, ELEMENT);
	}
	a->model.store[HOME].address = (uintptr_t)a->memory;
}

static het_status get_handle(const struct program *p, struct array *a, struct het_shape shape)
{
	size_t pitch[DIMS];

	for (int d = 0; d < a->rank; d++)
		pitch[d] = a->pitch[DIMS - a->rank + d];
	if (a->kind == HOME_OWNED)
		return het_array_new(p->bench->system, HET_UINT, shape, &a->handle);
	return a->kind == HOME_PITCHED
		       ? het_array_wrap_pitched(p->bench->system, HET_UINT, shape, a->memory, pitch, &a->handle)
		       : het_array_wrap(p->bench->system, HET_UINT, shape, a->memory, &a->handle);
}

/* A home is dense when its steps are those of an array without padding, also in dimensions of one index. */
static bool is_dense(const struct array *a, const int extent[DIMS])
{
	return (a->rank < 2 || a->pitch[1] == (size_t)extent[2] * ELEMENT) &&
	       (a->rank < 3 || a->pitch[0] == (size_t)extent[1] * (size_t)extent[2] * ELEMENT);
}

void make_array(struct program *p, int index)
{
	static const char *const kinds[] = {"", ", wrapped", ", wrapped, misaligned", ", wrapped, pitched"};
	struct array *a = &p->array[index];
	int extent[DIMS];
	int64_t shape[DIMS];
	het_status st;

	memset(a, 0, sizeof *a);
	a->rank = random_in(1, DIMS);
	a->kind = (enum home_kind)(random_once_in(2) ? HOME_OWNED : random_in(0, HOME_KINDS - 1));
	random_extents(p, a->rank, extent);
	if (index > 0 && random_once_in(2)) { /* like its neighbour, for copies and swaps */
		a->rank = p->array[index - 1].rank;
		memcpy(extent, p->array[index - 1].model.whole.hi, sizeof extent);
	}
	if (extent[0] * extent[1] * extent[2] > CELLS_MOST)
		fail_program(p, "the model has no room for so large an array");
	model_init(&a->model, extent, 0, true);
	lay_out(a);
	a->model.store[HOME].dense = is_dense(a, extent);
	for (int d = 0; d < a->rank; d++)
		shape[d] = extent[DIMS - a->rank + d];
	if (a->kind != HOME_OWNED)
		wrap_memory(p, a);
	say(p, "new a%d %s%s", index, box_text(a, &a->model.whole), kinds[a->kind]);
	st = get_handle(p, a, het_shape_of(a->rank, a->rank, shape));
	expect_status(p, st, false);
	if (st) /* of the one failure that there is */
		expect_status(p, get_handle(p, a, het_shape_of(a->rank, a->rank, shape)), false);
	for (int d = 0; d < a->rank; d++)
		if (het_array_pitch(a->handle, d) != a->pitch[DIMS - a->rank + d])
			fail_program(p, "pitch %d is %zu", d, het_array_pitch(a->handle, d));
}

/* Where it is not one launch that fails, it may be the transfer that was to write the cell back. */
static bool may_be_lost(const struct program *p, const struct array *a, int i, int j, int k)
{
	return p->blame && (!p->blame->one_launch || blame_left(p->blame, a, i, j, k));
}

/* `some_lost`: a call that gave the memory its value was told that some of it is lost. */
static void compare_most(const struct program *p, const struct array *a, const struct cells *box,
			 const void *memory, const size_t *pitch, bool some_lost)
{
	EACH_CELL(box, i, j, k) {
		uint32_t expected = a->model.value[cell_at(&a->model, i, j, k)], found;

		memcpy(&found, cell_in(memory, pitch, i - box->lo[0], j - box->lo[1], k - box->lo[2]), ELEMENT);
		if (found != expected && !(some_lost && may_be_lost(p, a, i, j, k)))
			fail_program(p, "a%d[%d %d %d] is 0x%x instead of 0x%x", (int)(a - p->array), i, j, k,
				     found, expected);
	}
}

void compare_cells(const struct program *p, const struct array *a, const struct cells *box, const void *memory,
		   const size_t *pitch)
{
	compare_most(p, a, box, memory, pitch, false);
}

/* After an array is freed: its value is there, and nothing else was written. */
static void check_memory(const struct program *p, struct array *a, bool discard, bool some_lost)
{
	const unsigned char *end = a->allocation + a->bytes + 4 * GUARD;

	if (!discard)
		compare_most(p, a, &a->model.whole, a->memory, a->pitch, some_lost);
	EACH_CELL(&a->model.whole, i, j, k)
		memset(cell_in(a->memory, a->pitch, i, j, k), PADDING, ELEMENT);
	for (const unsigned char *byte = a->allocation; byte < end; byte++)
		if (*byte != PADDING)
			fail_program(p, "padding or neighbours of a%d were written", (int)(a - p->array));
}

void free_array(struct program *p, int index, bool discard)
{
	struct array *a = &p->array[index];
	het_status st;

	if (a->kind != HOME_OWNED && !discard)
		model_fetch(&a->model, &p->bench->machine, HOME, &a->model.whole, &p->moved);
	/* What the directory has no room to remember of former copies, the model does not know. */
	p->moved.known &= a->handle->value->dir.formers.forgotten == 0;
	say(p, "%s a%d", discard ? "discard" : "free", index);
	do { /* an array that there is no memory to write back stays as it was */
		st = discard ? het_array_discard(a->handle) : het_array_free(a->handle);
		expect_status(p, st, false);
	} while (st == HET_ERR_MEMORY || st == HET_ERR_DEVICE_MEMORY);
	if (a->allocation)
		check_memory(p, a, discard, st != HET_OK);
	free(a->allocation);
	a->allocation = NULL;
	for (int i = 0; i < p->pendings; i++)
		if (p->pending[i].array == a)
			p->pending[i].array = NULL;
}

bool is_mapped(const struct array *a, const struct cells *box, bool write)
{
	for (int i = 0; i < a->maps; i++)
		if ((write || a->map[i].mode != HET_READ) && cells_overlap(&a->map[i].box, box))
			return true;
	return false;
}

void unmodified(struct program *p, struct array *a, const struct cells *box)
{
	const struct cells part = random_cells(box);
	het_status st;

	if (p->blame)
		return;
	say(p, "unmodified a%d %s", (int)(a - p->array), box_text(a, &part));
	st = het_unmodified(view_from(a, &part));
	expect_status(p, st, is_mapped(a, &part, false));
	if (!st)
		model_unmodified(&a->model, &part);
}

/* ---- what is on its way ------------------------------------------------------------------------- */

void wait_for(struct program *p, struct array *a)
{
	const het_status st = a ? het_wait(a->handle) : het_wait_all(p->bench->system);

	expect_status(p, st, false);
	if (p->blame)
		blame_waited(p, a, st);
	settle_pending(p, a, st);
}

void add_pending(struct program *p, struct array *a, uint32_t *memory, uint32_t *expected, int count)
{
	if (p->pendings == PENDING_MOST) {
		say(p, "wait for all");
		wait_for(p, NULL);
	}
	p->pending[p->pendings++] = (struct pending){a, count, memory, expected};
}

void settle_pending(struct program *p, const struct array *a, het_status status)
{
	const bool compared = status == HET_OK && !(p->blame && !a && p->blame->told > 0);
	int kept = 0;

	for (int i = 0; i < p->pendings; i++) {
		struct pending *one = &p->pending[i];

		if (a && one->array != a) {
			p->pending[kept++] = *one;
			continue;
		}
		for (int c = 0; compared && one->expected && c < one->count; c++)
			if (one->memory[c] != one->expected[c])
				fail_program(
					p, "an asynchronous read gave 0x%x instead of 0x%x (element %d of %d)",
					one->memory[c], one->expected[c], c, one->count);
		free(one->memory);
		free(one->expected);
	}
	p->pendings = kept;
}

/* ---- beginning and end -------------------------------------------------------------------------- */

static struct het_stats stats(struct program *p)
{
	struct het_stats now = HET_STATS_INIT;

	expect_status(p, het_stats(p->bench->system, &now), false);
	return now;
}

void begin_program(struct program *p, const struct bench *bench, uint64_t seed)
{
	p->bench = bench;
	p->seed = seed;
	p->operation = 0;
	p->pendings = 0;
	p->length = 0;
	p->text[0] = '\0';
	p->bytes_are_open = bench->machine.ways == WAYS_OF_SHAPES;
	p->moved = (struct moved){0, 0, true};
	random_state = seed;
	p->before = stats(p);
	p->arrays = random_in(2, ARRAYS_MOST);
	p->largest = random_in(2, 9);
	for (int i = 0; i < p->arrays; i++)
		make_array(p, i);
}

/* Merges make the directory forget copies: how much moves after that, the model does not know. */
static void check_bytes( struct program *p)
{
	struct het_stats now = stats(p);
	uint64_t between = now.transfer_bytes - p->before.transfer_bytes;
	uint64_t inside = now.repack_bytes - p->before.repack_bytes;

	if (now.failures != p->before.failures)
		fail_program(p, "tasks failed");
	if (p->bytes_are_open || !p->moved.known || now.directory_merges != p->before.directory_merges)
		return;
	if (between != p->moved.between || inside != p->moved.inside)
		fail_program(p,
			     "%llu bytes moved between memories instead of %llu, %llu inside instead of %llu",
			     (unsigned long long)between, (unsigned long long)p->moved.between,
			     (unsigned long long)inside, (unsigned long long)p->moved.inside);
}

static void check_value(struct program *p, struct array *a)
{
	uint32_t *all = malloc(CELLS_MOST * ELEMENT);
	const int *extent = a->model.whole.hi;
	const size_t pitch[DIMS] = {(size_t)extent[1] * (size_t)extent[2] * ELEMENT,
				    (size_t)extent[2] * ELEMENT, ELEMENT};

	model_read(&a->model, &p->bench->machine, &a->model.whole, true, &p->moved);
	expect_status(p, het_read(het_view(a->handle, het_whole()), all), false);
	compare_cells(p, a, &a->model.whole, all, pitch);
	free(all);
}

/* Every copy that counts as valid has the same bytes. What the look itself moves is not the program's. */
static void audit(struct program *p, struct array *a)
{
	const struct het_stats before = stats(p);
	struct het_stats after;

	if (p->blame)
		return;
	expect_status(p, het_audit(a->handle), false);
	after = stats(p);
	p->before.transfer_bytes += after.transfer_bytes - before.transfer_bytes;
	p->before.repack_bytes += after.repack_bytes - before.repack_bytes;
}

void end_program(struct program *p)
{
	say(p, "end");
	for (int i = 0; i < p->arrays; i++) {
		struct array *a = &p->array[i];

		while (a->maps > 0)
			expect_status(p, het_unmap_view(view_from(a, &a->map[--a->maps].box)), false);
		audit(p, a);
		if (random_once_in(2)) /* else freeing shows the value, where it is wrapped */
			check_value(p, a);
		else if (a->kind == HOME_OWNED)
			check_value(p, a);
		free_array(p, i, false);
	}
	expect_status(p, het_wait_all(p->bench->system), false);
	settle_pending(p, NULL, HET_OK);
	check_bytes(p);
	check_nothing_left(p);
}

void check_nothing_left( struct program *p)
{
	const struct het_stats now = stats(p);

	if (now.unfinished || now.live_arrays || now.live_events || now.live_buffers)
		fail_program(p, "left: %llu tasks, %llu arrays, %llu events, %llu buffers",
			     (unsigned long long)now.unfinished, (unsigned long long)now.live_arrays,
			     (unsigned long long)now.live_events, (unsigned long long)now.live_buffers);
}
