/* launches.c - kernels and host functions of random programs: chosen, run, modelled. */
#include "launches.h"

#include <stdio.h>
#include <string.h>

#include "blame.h"
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
	"kernel void from_two(global PTR *y, int4 ys, uint c, global const PTR *x, int4 xs,\n"
	"                     global const PTR *z, int4 zs)\n"
	"{ AT(y, ys) = IN(x, xs) - 2 * IN(z, zs) + c; }\n"
	"kernel void keep(global PTR *y, int4 ys, uint c)\n"
	"{ AT(y, ys) = AT(y, ys) + (c & 0); }\n";

struct kind {
	const char *name;
	enum het_mode mode; /* of y */
	int inputs;
	bool keeps; /* every value */
};

static const struct kind kinds[KINDS] = {
	{"make", HET_MODE_OUT, 0, false},     {"change", HET_MODE_INOUT, 0, false},
	{"from_one", HET_MODE_OUT, 1, false}, {"add_one", HET_MODE_INOUT, 1, false},
	{"from_two", HET_MODE_OUT, 2, false}, {"keep", HET_MODE_INOUT, 0, true},
};

het_status make_kernels(struct bench *bench)
{
	static const char *const options[2] = {"-DPTR=uint", "-DPTR=uint4"};
	het_status st = HET_OK;

	for (int four = 0; four < 2; four++)
		for (int k = 0; k < KINDS && !st; k++)
			st = het_kernel_from_source(bench->system, source, kinds[k].name, options[four],
						    &bench->kernel[four][k]);
	return st;
}

/* What a cell becomes; the same for kernels, host functions and the model. */
static uint32_t result(int kind, uint32_t y, uint32_t x, uint32_t z, uint32_t c, int i, int j, int k)
{
	const uint32_t results[] = {c + 29 * (uint32_t)i + 7 * (uint32_t)j + (uint32_t)k, 3 * y + c,
				    5 * x + c + (uint32_t)k, 7 * y + x + c, x - 2 * z + c, y};
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
	int origin[DIMS];  /* of the range */
	struct use use[3]; /* y, x, z */
};

static void choose_input(struct program *p, const struct use *y, struct use *x)
{
	x->array = any_array(p);
	x->packed = random_once_in(p->packed_once_in);
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
	y->packed = random_once_in(p->packed_once_in);
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

/* All of the result is made of all that was read. */
static void blame_result(const struct program *p, const struct launch *l)
{
	uint64_t made_by = blame_bit(p), touched_by = blame_bit(p);

	for (int i = kinds[l->kind].mode == HET_MODE_OUT; i <= kinds[l->kind].inputs; i++) {
		made_by |= blame_of(l->use[i].array, &l->use[i].box);
		touched_by |= blame_touch(p, l->use[i].array, &l->use[i].box);
	}
	blame_make(l->use[0].array, &l->use[0].box, made_by, touched_by);
	if (p->blame)
		p->blame->whole |= blame_bit(p);
}

/* Finds every store first, then fetches what is read, then writes: as the library does. A negative device is
 * the host. */
static void model_launch(struct program *p, const struct launch *l, int device, unsigned align)
{
	const struct machine *machine = &p->bench->machine;
	int store[3] = {HOME, HOME, HOME}, uses = kinds[l->kind].inputs + 1;

	for (int i = 0; i < uses && device >= 0; i++)
		store[i] = model_place(&l->use[i].array->model, machine, device, &l->use[i].box,
				       l->use[i].packed, align, &p->moved);
	for (int i = 0; i < uses; i++)
		if (i > 0 || kinds[l->kind].mode != HET_MODE_OUT)
			model_fetch(&l->use[i].array->model, machine, store[i], &l->use[i].box, &p->moved);
	model_write(&l->use[0].array->model, store[0], &l->use[0].box);
	model_values(l);
	blame_result(p, l);
	if (kinds[l->kind].keeps && !random_once_in(4))
		unmodified(p, l->use[0].array, &l->use[0].box);
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
	int rank =
		random_once_in(2) ? DIMS : a->rank; /* leading dimensions of one index at 0 may be left out */
	int64_t lo_hi[2 * DIMS];

	for (int d = 0; d < rank; d++) {
		int from = DIMS - rank + d;

		lo_hi[2 * d] = l->origin[from];
		lo_hi[2 * d + 1] = l->origin[from] + l->use[0].box.hi[from] - l->use[0].box.lo[from];
	}
	return het_local_of(het_range_of(rank, 2 * rank, lo_hi), rank, one);
}

void do_launch(struct program *p)
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
	st = het_launch_args(p->bench->kernel[four][l.kind], het_device(p->bench->system, device), range_of(&l),
			     arg, count);
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

		*y = result(l->kind, *y, x, z, l->c, at[0] + l->origin[0], at[1] + l->origin[1],
			    at[2] + l->origin[2]);
	}
	return HET_OK;
}

void do_call(struct program *p)
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
