/* combine.c - what het_spread's HET_SUM, HET_MIN, HET_MAX and HET_OR take. */

#include "launch/combine.h"

#include <limits.h>
#include <string.h>

#include "base/alloc.h"
#include "launch/mapper.h"

/* Rows begin where kernels of every device can be given them in place. */
#define ROW_BYTES 1024
/* Kept until the next spread: arrays of rows of at most so many bytes; from so many on, idle ones give way. */
#define KEEP_MOST 16
#define KEEP_BYTES (1 << 20)

/* ---- preparing ---------------------------------------------------------------------------------- */

/* The array's type and number of elements. With the lock. */
static het_status look_at(const struct het__combines *c, const het_array *array, het_type *type_p,
			  int64_t *count_p)
{
	const het_status st = het__array_usable(array, c->system);

	if (st)
		return st;
	*type_p = array->value->type;
	*count_p = (int64_t)het__box_cells(array->value->rank, &array->value->whole);
	return HET_OK;
}

static het_status prepare_works(struct het__combine *one, het_device *const *device, int parts, int combiner)
{
	het_status st = HET_OK;

	one->set_range = one->combine_range = het_grid_of(1, 1, &one->count);
	for (int p = 0; p < parts && !st; p++) {
		one->set[p] = (struct het__work){
			.kernel = one->by->set, .device = device[p], .given = &one->set_range};
		st = het__reducer_runs_on(one->by, device[p]);
		if (!st)
			st = het__work_prepare(&one->set[p]);
	}
	one->combine = (struct het__work){
		.kernel = one->by->combine, .device = device[combiner], .given = &one->combine_range};
	return st ? st : het__work_prepare(&one->combine);
}

static het_status prepare_one(struct het__combines *c, int arg, het_device *const *device, int parts,
			      int combiner)
{
	const struct het_arg *const given = &c->args[arg];
	struct het__combine *const one = &c->at[c->count];
	het_type type = 0;
	het_status st = het__enter(c->system, c->title);

	if (st)
		return st;
	st = look_at(c, given->u.mapped.array, &type, &one->count);
	het__leave(c->system);
	one->arg = arg;
	one->fresh = given->mode == HET_MODE_OUT;
	one->array = given->u.mapped.array;
	if (!st)
		st = het__reducer_fits(type, het__mapper_reduction(given->u.mapped.mapper));
	if (!st)
		st = het__reducer_get(c->system, type, het__mapper_reduction(given->u.mapped.mapper), &one->by);
	if (!st)
		st = prepare_works(one, device, parts, combiner);
	c->count += !st;
	return het__about_argument(c->title, arg, st);
}

het_status het__combines_prepare(struct het__combines *c, const het_kernel *kernel, const struct het_arg *args,
				 int count, het_device *const *device, int parts, int combiner)
{
	int wanted = 0;
	het_status st = HET_OK;

	*c = (struct het__combines){.system = kernel->system, .title = kernel->title, .args = args};
	for (int i = 0; i < count; i++)
		wanted += het__arg_is_combined(&args[i]);
	if (wanted == 0)
		return HET_OK;
	c->at = het__alloc_zeroed((size_t)wanted, sizeof *c->at);
	if (!c->at)
		return het__fail(HET_ERR_MEMORY, "no host memory to combine arguments");
	for (int i = 0; i < count && !st; i++)
		if (het__arg_is_combined(&args[i]))
			st = prepare_one(c, i, device, parts, combiner);
	if (st)
		het__combines_end(c);
	return st;
}

/* ---- rows --------------------------------------------------------------------------------------- */

static struct het__rows *rows_of(const struct het__combines *c, int number)
{
	return &((struct het__spreads *)c->system->room[HET__ROOM_LAUNCH].state)->rows[number];
}

static het_status new_rows(const struct het__combines *c, const struct het__combine *one, int64_t width,
			   struct het__rows *rows)
{
	const int64_t extent[2] = {c->parts, width};
	const struct het_shape shape = het_shape_of(2, 2, extent);
	het_status st;

	rows->array = NULL;
	st = het__array_new(c->system, one->by->type, &shape, "partial results", &rows->array);
	if (!st)
		c->system->count.live_arrays--; /* it is none of the program's */
	rows->type = one->by->type;
	rows->count = c->parts;
	rows->items = one->count;
	rows->width = width;
	rows->busy = false;
	return st;
}

static void drop_rows(het_system *system, struct het__rows *rows)
{
	system->count.live_arrays++;
	(void)het__array_destroy(rows->array, true);
	rows->array = NULL;
}

/* Whoever takes these rows comes behind a user's function, which may be waiting for the taker. */
static bool are_behind_user(const struct het__rows *r)
{
	const struct het__value *const value = r->array->value;

	for (int s = 0; s < value->top; s++)
		if (value->store[s] && het__block_task_behind_user(value->store[s]->block).task)
			return true;
	return false;
}

/* Whoever reads several rows reads their padding, too. So that this holds nobody's results, rows serve only
 * spreads of as many elements as their first one. */
static bool serves(const struct het__rows *r, het_type type, int parts, int64_t items)
{
	return r->array && !r->busy && r->type == type && r->count >= parts && r->items == items &&
	       !are_behind_user(r);
}

static int find_rows(const struct het__spreads *room, het_type type, int parts, int64_t items)
{
	for (int i = 0; i < room->rows_count; i++)
		if (serves(&room->rows[i], type, parts, items))
			return i;
	return -1;
}

/* A place for new rows; where enough are kept, that of some which nobody uses. */
static het_status make_place(het_system *system, struct het__spreads *room, int *place_p)
{
	int idle = -1;

	for (int i = 0; i < room->rows_count; i++) {
		if (!room->rows[i].array) {
			*place_p = i;
			return HET_OK;
		}
		if (!room->rows[i].busy)
			idle = i;
	}
	if (room->rows_count >= KEEP_MOST && idle >= 0) {
		drop_rows(system, &room->rows[idle]);
		*place_p = idle;
		return HET_OK;
	}
	if (het__grow(&room->rows, &room->rows_room, room->rows_count + 1, sizeof *room->rows))
		return het__fail(HET_ERR_MEMORY, "no host memory to combine arguments");
	*place_p = room->rows_count;
	room->rows[room->rows_count++] = (struct het__rows){.array = NULL};
	return HET_OK;
}

/* Idle rows of this type and number of elements, or new ones. */
static het_status take_rows(struct het__combines *c, struct het__combine *one)
{
	const size_t bytes = HET_TYPE_BYTES(one->by->type);
	const int64_t whole = (int64_t)(ROW_BYTES / bytes), width = (one->count + whole - 1) / whole * whole;
	struct het__spreads *room;
	het_status st = het__spreads_of(c->system, &room);

	if (st)
		return st;
	one->rows = find_rows(room, one->by->type, c->parts, one->count);
	if (one->rows < 0) {
		st = make_place(c->system, room, &one->rows);
		if (!st)
			st = new_rows(c, one, width, &room->rows[one->rows]);
	}
	if (!st)
		room->rows[one->rows].busy = true;
	return st;
}

/* The combining device has all rows and the array as buffers at once: what could only be lost is not begun. */
static het_status check_room(const struct het__combines *c, const struct het__combine *one)
{
	const het_device *const by = one->combine.device;
	const uint64_t most = by->facts.max_alloc_bytes;
	const uint64_t memory = by->memory->owner ? by->facts.memory_bytes : 0;
	const size_t element = HET_TYPE_BYTES(one->by->type), whole = (size_t)one->count * element;
	const size_t rows = (size_t)c->parts * (size_t)rows_of(c, one->rows)->width * element;

	if (most > 0 && whole > most) {
		(void)het__too_large(by, whole);
		return het__fail_within("%s", one->array->value->label);
	}
	if (most > 0 && rows > most)
		(void)het__too_large(by, rows);
	else if (memory > 0 && rows + whole > memory)
		(void)het__fail_on(HET_ERR_DEVICE_MEMORY, by->name,
				   "%zu bytes, beside %zu of the array; %s has %llu", rows, whole, by->name,
				   (unsigned long long)memory);
	else
		return HET_OK;
	return het__fail_within("the results of %d parts", c->parts);
}

static struct het_view row_view(const struct het__combines *c, const struct het__combine *one, int64_t lo,
				int64_t hi)
{
	const struct het__rows *const r = rows_of(c, one->rows);
	const int64_t box[4] = {lo, hi, 0, hi - lo > 1 ? r->width : one->count};

	return het_view(r->array, het_box_of(2, 4, box));
}

/* ---- launches ----------------------------------------------------------------------------------- */

struct one_of {
	const struct het__combines *all;
	const struct het__combine *one;
	const int *kept;
};

static const struct het__work *set_work(const void *user, int p)
{
	const struct one_of *const u = user;

	return &u->one->set[u->kept[p]];
}

static const struct het_arg *set_args(const void *user, int p, struct het_arg *room)
{
	const struct one_of *const u = user;
	const struct het__reducer *const by = u->one->by;

	room[0] = het_arg_packed(row_view(u->all, u->one, p, p + 1), HET_MODE_OUT);
	room[1] = het_arg_plain(HET_ARG_BYTES, by->neutral, HET_TYPE_BYTES(by->type));
	return room;
}

/* Others may have freed the array, and made another one there, since it was looked at. */
static het_status look_again(const struct het__combines *c, const struct het__combine *one)
{
	het_type type;
	int64_t count;
	het_status st = look_at(c, one->array, &type, &count);

	if (!st && (type != one->by->type || count != one->count))
		st = het__fail(HET_ERR_HANDLE, "the array was freed meanwhile");
	return st;
}

het_status het__combines_begin(struct het__combines *c, const int *kept, int parts)
{
	het_status st = HET_OK;

	c->parts = parts;
	for (int i = 0; i < c->count && !st; i++) {
		struct het__combine *const one = &c->at[i];
		struct one_of user = {c, one, kept};
		const struct het__batch batch = {.count = parts, .arg_count = 2, .lose_from = INT_MAX,
						 .user = &user, .work = set_work, .args = set_args};

		st = look_again(c, one);
		if (!st && !one->taken) {
			st = take_rows(c, one);
			one->taken = !st;
		}
		if (!st)
			st = check_room(c, one);
		if (!st && one->count > 0)
			st = het__batch_run(&batch);
		st = het__about_argument(c->title, one->arg, st);
	}
	return st;
}

const struct het_arg *het__combines_whole(const struct het__combines *c, int count, struct het_arg *room)
{
	if (c->count == 0)
		return c->args;
	memcpy(room, c->args, (size_t)count * sizeof *room);
	for (int i = 0; i < c->count; i++)
		room[c->at[i].arg] = het_arg_whole(c->at[i].array, c->args[c->at[i].arg].mode);
	return room;
}

const struct het_arg *het__combines_args(const struct het__combines *c, int p, int count, struct het_arg *room)
{
	if (c->count == 0)
		return c->args;
	memcpy(room, c->args, (size_t)count * sizeof *room);
	for (int i = 0; i < c->count; i++)
		room[c->at[i].arg] = het_arg_packed(row_view(c, &c->at[i], p, p + 1), HET_MODE_INOUT);
	return room;
}

static const struct het__work *combine_work(const void *user, int i)
{
	(void)i;
	return &((const struct one_of *)user)->one->combine;
}

static const struct het_arg *combine_args(const void *user, int i, struct het_arg *room)
{
	const struct one_of *const u = user;
	const int64_t rows = u->all->parts, width = rows_of(u->all, u->one->rows)->width;
	const struct het__reducer *const by = u->one->by;
	const int fresh = u->one->fresh;

	(void)i;
	room[0] = het_arg_whole(u->one->array, fresh ? HET_MODE_OUT : HET_MODE_INOUT);
	room[1] = het_arg_packed(row_view(u->all, u->one, 0, rows), HET_MODE_IN);
	room[2] = het_arg_value(HET_LONG, &rows);
	room[3] = het_arg_value(HET_LONG, &width);
	room[4] = het_arg_value(HET_INT, &fresh);
	room[5] = het_arg_plain(HET_ARG_BYTES, by->neutral, HET_TYPE_BYTES(by->type));
	return room;
}

het_status het__combines_finish(struct het__combines *c)
{
	het_status st = HET_OK;

	/* Parts have been started: each argument that cannot be combined is lost by itself. */
	for (int i = 0; i < c->count; i++) {
		struct one_of user = {c, &c->at[i], NULL};
		const struct het__batch batch = {.count = 1, .arg_count = 6, .user = &user,
						 .work = combine_work, .args = combine_args};
		het_status now = HET_OK;

		het__operation_next(c->system);
		if (c->at[i].count > 0)
			now = het__batch_run(&batch);
		st = now ? now : st; /* as the thread's record has it */
	}
	return st;
}

/* Large ones are not kept for the next spread. */
static void give_back(het_system *system, struct het__rows *rows)
{
	rows->busy = false;
	if ((size_t)(rows->count * rows->width) * HET_TYPE_BYTES(rows->type) <= KEEP_BYTES)
		return;
	drop_rows(system, rows);
}

void het__combines_end(struct het__combines *c)
{
	for (int i = 0; i < c->count; i++)
		if (c->at[i].taken)
			give_back(c->system, rows_of(c, c->at[i].rows));
	het__free(c->at);
	c->at = NULL;
	c->count = 0;
}
