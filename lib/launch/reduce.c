/* reduce.c - het_reduce: all elements of a view into one.
 *
 * Every HET__BLOCK elements become HET__LANES, until so few are left that one work-item takes them all. Where a
 * block begins depends on the shape alone: blocks are of whole rows of the view, or within one.
 * The first step is made by all devices, each of them for some of the rows.
 */

#include <limits.h>
#include <string.h>

#include "launch/combine.h"
#include "launch/worth.h"

/* So few elements are left to one work-item. */
#define FEW 256

/* How `rows` rows of `row` elements fall into blocks. */
struct blocks {
	int64_t rows, row;
	int64_t unit_rows; /* rows that stay together */
	int64_t pieces;    /* blocks of such a unit */
	int64_t units;
};

#define LEVELS 12 /* 2^63 elements are 256 after 8 */

struct step {
	struct het__work work;
	struct het_range range;
	struct het_view in, out;
	int64_t cells, unit, pieces;
	int64_t made; /* elements */
};

/* The last level is one launch of the kernel that takes all. */
struct level {
	int first, count;    /* its steps */
	int64_t items;       /* what it makes */
	het_array *array;    /* where to; the last level has none */
};

struct reduction {
	het_system *system;
	het_team *team;
	enum het_reduction op;
	const struct het__reducer *by;
	struct het_view in, out;
	int64_t rows, row;   /* of what is read; 0 rows: nothing */
	double share[HET__TEAM_MOST];
	int levels, steps;
	int now;             /* the level that runs */
	struct level level[LEVELS];
	struct step step[HET__TEAM_MOST + LEVELS];
};

static void lay(struct blocks *b, int64_t rows, int64_t row)
{
	b->rows = rows;
	b->row = row;
	b->unit_rows = row < HET__BLOCK ? HET__BLOCK / row : 1;
	b->pieces = (b->unit_rows * row + HET__BLOCK - 1) / HET__BLOCK;
	b->units = (rows + b->unit_rows - 1) / b->unit_rows;
}

/* ---- checks ------------------------------------------------------------------------------------- */

/* With the lock. */
static het_status look_at(struct reduction *r, het_type *type_p)
{
	struct het__box in, out;
	const struct het__value *value;
	int64_t cells;
	int rank;
	het_status st = het__view_resolve(&r->in, r->system, "het_reduce: what is read", &in);

	if (!st)
		st = het__view_resolve(&r->out, r->system, "het_reduce: the result", &out);
	if (st)
		return st;
	value = r->in.array->value;
	rank = value->rank;
	*type_p = value->type;
	if (r->out.array->value->type != value->type)
		return het__fail(HET_ERR_ARGUMENT, "het_reduce: %s and %s have elements of different types",
				 value->label, r->out.array->value->label);
	if (het__box_cells(r->out.array->value->rank, &out) != 1)
		return het__fail(HET_ERR_ARGUMENT, "het_reduce: the result is to have one element, not %llu",
				 (unsigned long long)het__box_cells(r->out.array->value->rank, &out));
	if (r->out.array->value == value && het__box_overlaps(rank, &in, &out))
		return het__fail(HET_ERR_ALIAS, "het_reduce: the result lies in what is read of %s",
				 value->label);
	st = het__maps_allow(r->in.array, &in, false, "het_reduce: what is read");
	if (!st)
		st = het__maps_allow(r->out.array, &out, true, "het_reduce: the result");
	if (st)
		return st;
	cells = (int64_t)het__box_cells(rank, &in);
	r->rows = cells > 0 ? in.hi[0] - in.lo[0] : 0;
	r->row = cells > 0 ? cells / r->rows : 0;
	r->in.box = (struct het_box){rank, 2 * rank, {0}, {0}};
	for (int d = 0; d < rank; d++) {
		r->in.box.lo[d] = in.lo[d];
		r->in.box.hi[d] = in.hi[d];
	}
	return HET_OK;
}

static double bytes_of(const struct reduction *r)
{
	return (double)r->rows * (double)r->row * (double)r->in.array->value->element_bytes;
}

static het_status check(struct reduction *r, het_type *type_p)
{
	het_status st = het__team_check(r->team, "het_reduce");

	if (st)
		return st;
	r->system = r->team->system;
	st = het__enter(r->system, "het_reduce");
	if (st)
		return st;
	st = het__team_check(r->team, "het_reduce");
	if (!st)
		st = look_at(r, type_p);
	if (!st && het__reducer_fits(*type_p, r->op))
		st = het__fail_within("het_reduce");
	if (!st)
		memcpy(r->share, het__worth_beside(r->team, bytes_of(r)), sizeof r->share);
	if (!st)
		r->system->holding++; /* until het__let_go: the team and the arrays are looked at again */
	return het__leave_with(r->system, st);
}

/* ---- steps -------------------------------------------------------------------------------------- */

/* Adds a step on `device` that makes `made` elements of `rows` rows: each by a work-item of its own, or LANES
 * of them by one. */
static het_status add_step(struct reduction *r, het_kernel *kernel, het_device *device, const struct blocks *b,
			   int64_t rows, int64_t made)
{
	const int64_t items = kernel == r->by->blocks ? made / HET__LANES : made;
	struct step *const step = &r->step[r->steps++];

	step->cells = rows * b->row;
	step->unit = b->unit_rows * b->row;
	step->pieces = b->pieces;
	step->made = made;
	step->range = het_grid_of(1, 1, &items);
	step->work = (struct het__work){.kernel = kernel, .device = device, .given = &step->range};
	r->level[r->levels].count++;
	r->level[r->levels].items += made;
	if (het__reducer_runs_on(r->by, device))
		return het__fail_within("het_reduce");
	return het__work_prepare(&step->work);
}

static het_kernel *lanes_on(const struct reduction *r, const het_device *device)
{
	const bool is_cpu = device->facts.type & CL_DEVICE_TYPE_CPU;

	return is_cpu && device->driver->vectors_within ? r->by->blocks : r->by->lanes;
}

static void begin_level(struct reduction *r)
{
	r->level[r->levels] = (struct level){.first = r->steps};
}

/* The rows are cut between units, by the shares. */
static het_status prepare_first(struct reduction *r, const struct blocks *b)
{
	const struct het__cut cut = {.hi = b->rows, .step = b->unit_rows, .units = b->units};
	int64_t edge[HET__TEAM_MOST + 1];
	het_status st = HET_OK;

	het__cut_edges(&cut, r->share, r->team->count, edge);
	begin_level(r);
	for (int i = 0; i < r->team->count && !st; i++) {
		const int64_t rows = edge[i + 1] - edge[i], units = (rows + b->unit_rows - 1) / b->unit_rows;
		struct het_view *const in = &r->step[r->steps].in;

		if (rows == 0)
			continue;
		*in = r->in;
		in->box.lo[0] = r->in.box.lo[0] + edge[i];
		in->box.hi[0] = r->in.box.lo[0] + edge[i + 1];
		st = add_step(r, lanes_on(r, r->team->device[i]), r->team->device[i], b, rows,
			      units * b->pieces * HET__LANES);
	}
	r->levels += !st;
	return st;
}

/* All later levels are made by the first device with a share. */
static het_status prepare_next(struct reduction *r, bool is_last, const struct blocks *b, int64_t made)
{
	het_device *device;
	int i = 0;
	het_status st;

	while (r->share[i] <= 0)
		i++;
	device = r->team->device[i];
	begin_level(r);
	st = add_step(r, is_last ? r->by->last : lanes_on(r, device), device, b, b->rows, made);
	r->levels += !st;
	return st;
}

static het_status prepare(struct reduction *r)
{
	struct blocks b;
	int64_t left = r->rows * r->row;
	het_status st = HET_OK;

	lay(&b, r->rows, r->row);
	if (left > FEW) {
		st = prepare_first(r, &b);
		left = b.units * b.pieces * HET__LANES;
		lay(&b, left, 1);
	}
	while (left > FEW && !st) {
		st = prepare_next(r, false, &b, b.units * HET__LANES);
		left = b.units * HET__LANES;
		lay(&b, left, 1);
	}
	return st ? st : prepare_next(r, true, &b, 1);
}

static const struct het__work *work_of(const void *user, int i)
{
	const struct reduction *const r = user;

	return &r->step[r->level[r->now].first + i].work;
}

static const struct het_arg *args_of(const void *user, int i, struct het_arg *room)
{
	const struct reduction *const r = user;
	const struct step *const s = &r->step[r->level[r->now].first + i];
	const struct het_arg neutral =
		het_arg_plain(HET_ARG_BYTES, r->by->neutral, HET_TYPE_BYTES(r->by->type));

	room[0] = het_arg_packed(s->out, HET_MODE_OUT);
	room[1] = het_arg_packed(s->in, HET_MODE_IN);
	room[2] = het_arg_value(HET_LONG, &s->cells);
	room[3] = neutral; /* the last argument of the kernel that takes all */
	if (s->work.kernel == r->by->last)
		return room;
	room[3] = het_arg_value(HET_LONG, &s->unit);
	room[4] = het_arg_value(HET_LONG, &s->pieces);
	room[5] = neutral;
	return room;
}

/* ---- running ------------------------------------------------------------------------------------ */

/* A level's steps write into a new array, one behind another; the last level writes the result. */
static het_status place(struct reduction *r, struct level *level, bool last)
{
	const struct het_shape shape = het_shape_of(1, 1, &level->items);
	int64_t box[2] = {0, 0};
	het_status st = last ? HET_OK : het__array_new(r->system, r->by->type, &shape, "partial results",
						       &level->array);

	for (int i = level->first; i < level->first + level->count && !st; i++) {
		box[1] = box[0] + r->step[i].made;
		r->step[i].out = last ? r->out : het_view(level->array, het_box_of(1, 2, box));
		box[0] = box[1];
	}
	return st;
}

static het_status run_level(struct reduction *r)
{
	const bool last = r->now == r->levels - 1;
	struct level *const level = &r->level[r->now];
	const struct het__batch batch = {.count = level->count, .arg_count = last ? 4 : 6, .lose_from = INT_MAX,
					 .user = r, .work = work_of, .args = args_of};
	het_status st = place(r, level, last);

	het__operation_next(r->system);
	if (!st && r->now > 0)
		r->step[level->first].in = het_view(r->level[r->now - 1].array, het_whole());
	else if (!st && last)
		r->step[level->first].in = r->in;
	return st ? st : het__batch_run(&batch);
}

/* With the lock. No array of the program's changes but by the last launch. */
static het_status run(struct reduction *r)
{
	const int64_t rows = r->rows, row = r->row;
	het_type type;
	het_status st = look_at(r, &type);

	if (!st && (type != r->by->type || r->rows != rows || r->row != row))
		st = het__fail(HET_ERR_HANDLE, "an array was freed meanwhile");
	if (!st)
		st = het__team_check(r->team, "het_reduce");
	for (r->now = 0; r->now < r->levels && !st; r->now++)
		st = run_level(r);
	for (int i = 0; i < r->levels; i++)
		if (r->level[i].array)
			(void)het__array_destroy(r->level[i].array, true);
	return st;
}

het_status het_reduce(enum het_reduction op, struct het_view in, struct het_view out, het_team *team)
{
	struct reduction r;
	het_type type;
	het_status st;

	r.team = team;
	r.op = op;
	r.in = in;
	r.out = out;
	r.levels = r.steps = 0;
	st = check(&r, &type);
	if (st)
		return het__team_refuse(team, st);
	st = het__reducer_get(r.system, type, op, &r.by);
	if (!st && r.rows == 0)
		return het__let_go(r.system, het_fill(out, r.by->neutral));
	if (!st)
		st = prepare(&r);
	if (!st)
		st = het__operation_enter(r.system, "het_reduce");
	if (st)
		return het__let_go(r.system, st);
	st = run(&r);
	het__back(r.system, &r.system->holding);
	if (st)
		(void)het__fail_within("het_reduce");
	return het__operation_leave_with(r.system, st);
}
