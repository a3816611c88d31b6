/* reducer.c - the kernels that make one element of many. */

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/type.h"
#include "launch/combine.h"

/* T is the type, OP the operation. A block's work-item l takes the elements l, l + LANES... of it: neighbours
 * read neighbours. Where compilers make vectors of a work-item's loops, one work-item takes a whole block: each
 * lane has the same elements in the same order. MIN and MAX pass over NaNs. */
static const char source[] =
	"#if REAL\n"
	"#define IS_NONE(x) ((x) != (x))\n"
	"#else\n"
	"#define IS_NONE(x) 0\n"
	"#endif\n"
	"#if OP == 1\n"
	"#define BOTH(a, b) ((a) + (b))\n"
	"#elif OP == 2\n"
	"#define BOTH(a, b) ((((b) < (a)) | IS_NONE(a)) ? (b) : (a))\n"
	"#elif OP == 3\n"
	"#define BOTH(a, b) ((((b) > (a)) | IS_NONE(a)) ? (b) : (a))\n"
	"#else\n"
	"#define BOTH(a, b) ((a) | (b))\n"
	"#endif\n"
	"kernel void het_set(global T *out, T value)\n"
	"{\n"
	"	out[get_global_id(0)] = value;\n"
	"}\n"
	"kernel void het_combine(global T *inout, global const T *rows, long count, long width, int fresh,\n"
	"                        T neutral)\n"
	"{\n"
	"	const size_t i = get_global_id(0);\n"
	"	T v = fresh ? neutral : inout[i];\n"
	"	for (long r = 0; r < count; r++)\n"
	"		v = BOTH(v, rows[r * width + i]);\n"
	"	inout[i] = v;\n"
	"}\n"
	"kernel void het_lanes(global T *out, global const T *in, long cells, long unit, long pieces,\n"
	"                      T neutral)\n"
	"{\n"
	"	const long id = get_global_id(0), block = id / LANES, u = block / pieces;\n"
	"	const long start = u * unit + block % pieces * BLOCK;\n"
	"	const long end = min(min(start + BLOCK, (u + 1) * unit), cells);\n"
	"	T v = neutral;\n"
	"	for (long i = start + id % LANES; i < end; i += LANES)\n"
	"		v = BOTH(v, in[i]);\n"
	"	out[id] = v;\n"
	"}\n"
	"kernel void het_blocks(global T *out, global const T *in, long cells, long unit, long pieces,\n"
	"                       T neutral)\n"
	"{\n"
	"	const long block = get_global_id(0), u = block / pieces;\n"
	"	const long start = u * unit + block % pieces * BLOCK;\n"
	"	const long end = min(min(start + BLOCK, (u + 1) * unit), cells);\n"
	"	const long whole = end - (end - start) % LANES;\n"
	"	T v[LANES];\n"
	"	for (int l = 0; l < LANES; l++)\n"
	"		v[l] = neutral;\n"
	"	for (long i = start; i < whole; i += LANES)\n"
	"		for (int l = 0; l < LANES; l++)\n"
	"			v[l] = BOTH(v[l], in[i + l]);\n"
	"	for (long i = whole; i < end; i++)\n"
	"		v[i - whole] = BOTH(v[i - whole], in[i]);\n"
	"	for (int l = 0; l < LANES; l++)\n"
	"		out[block * LANES + l] = v[l];\n"
	"}\n"
	"kernel void het_last(global T *out, global const T *in, long cells, T neutral)\n"
	"{\n"
	"	T v = neutral;\n"
	"	for (long i = 0; i < cells; i++)\n"
	"		v = BOTH(v, in[i]);\n"
	"	out[0] = v;\n"
	"}\n";

static bool is_real(het_type type)
{
	return HET_TYPE_BASE(type) == HET_BASE_REAL;
}

/* As OpenCL C calls it; NULL: not a type to calculate with here. */
static const char *name_of(het_type type)
{
	return type == HET_HALF ? NULL : het__type_scalar_name(type);
}

het_status het__reducer_fits(het_type type, enum het_reduction op)
{
	char text[HET__TYPE_TEXT];

	if (op < HET_REDUCE_SUM || op > HET_REDUCE_OR)
		return het__fail(HET_ERR_ARGUMENT, "%d is no reduction", (int)op);
	if (!name_of(type))
		return het__fail(HET_ERR_ARGUMENT,
				 "elements of type %s cannot be combined: only scalar numbers but half can",
				 het__type_name(type, text));
	if (op == HET_REDUCE_OR && is_real(type))
		return het__fail(HET_ERR_ARGUMENT, "floating-point numbers have no OR");
	return HET_OK;
}

het_status het__reducer_runs_on(const struct het__reducer *by, const het_device *device)
{
	if (by->type != HET_DOUBLE || device->facts.has_double)
		return HET_OK;
	return het__fail_on(HET_ERR_UNSUPPORTED, device->name,
			    "numbers of double precision are to be combined, which %s (%s) does not have",
			    device->name, device->hardware);
}

/* The largest number (lowest: the smallest) of a type. */
static void extreme(het_type type, bool lowest, unsigned char *out)
{
	const size_t bytes = HET_TYPE_BYTES(type);
	const double real = lowest ? -__builtin_inf() : __builtin_inf();
	const float single = (float)real;
	const uint16_t one = 1;
	unsigned char little;

	if (is_real(type)) {
		memcpy(out, bytes == sizeof single ? (const void *)&single : &real, bytes);
		return;
	}
	memset(out, lowest ? 0 : 0xff, bytes);
	if (HET_TYPE_BASE(type) == HET_BASE_UINT)
		return;
	memcpy(&little, &one, 1); /* where the byte with the sign is */
	out[little ? bytes - 1 : 0] = lowest ? 0x80 : 0x7f;
}

void het__reducer_neutral(het_type type, enum het_reduction op, unsigned char *out)
{
	memset(out, 0, 8);
	if (op == HET_REDUCE_MIN || op == HET_REDUCE_MAX)
		extreme(type, op == HET_REDUCE_MAX, out);
}

static het_status make(het_system *system, struct het__reducer *r)
{
	static const char *const names[] = {"het_set", "het_combine", "het_lanes", "het_blocks", "het_last"};
	het_kernel **const kernel[] = {&r->set, &r->combine, &r->lanes, &r->blocks, &r->last};
	char options[96];
	het_status st = HET_OK;

	snprintf(options, sizeof options, "-DT=%s -DREAL=%d -DOP=%d -DLANES=%d -DBLOCK=%d", name_of(r->type),
		 is_real(r->type), (int)r->op, HET__LANES, HET__BLOCK);
	het__reducer_neutral(r->type, r->op, r->neutral);
	for (int i = 0; i < 5 && !st; i++) {
		st = het_kernel_from_source(system, source, names[i], options, kernel[i]);
		if (!st)
			(*kernel[i])->what = ""; /* errors are told of the program's call, not of this kernel */
	}
	return st;
}

static const struct het__reducer *find(const struct het__spreads *room, het_type type, enum het_reduction op)
{
	for (const struct het__reducer *r = room->reducers; r; r = r->next)
		if (r->type == type && r->op == op)
			return r;
	return NULL;
}

static het_status look(het_system *system, het_type type, enum het_reduction op,
		       const struct het__reducer **reducer_p)
{
	struct het__spreads *room;
	het_status st = het__enter(system, "het_reduce");

	if (st)
		return st;
	st = het__spreads_of(system, &room);
	*reducer_p = st ? NULL : find(room, type, op);
	return het__leave_with(system, st);
}

/* Two threads may make the same one; both stay. */
static het_status keep(het_system *system, struct het__reducer *r)
{
	struct het__spreads *room;
	het_status st = het__enter(system, "het_reduce");

	if (st)
		return st;
	st = het__spreads_of(system, &room);
	if (!st) {
		r->next = room->reducers;
		room->reducers = r;
	}
	return het__leave_with(system, st);
}

het_status het__reducer_get(het_system *system, het_type type, enum het_reduction op,
			    const struct het__reducer **reducer_p)
{
	struct het__reducer *r;
	het_status st = look(system, type, op, reducer_p);

	if (st || *reducer_p)
		return st;
	r = het__alloc_zeroed(1, sizeof *r);
	if (!r)
		return het__fail(HET_ERR_MEMORY, "no host memory for a reduction");
	r->type = type;
	r->op = op;
	st = make(system, r);
	if (!st)
		st = keep(system, r);
	if (st) {
		(void)het_kernel_free(r->set);
		(void)het_kernel_free(r->combine);
		(void)het_kernel_free(r->lanes);
		(void)het_kernel_free(r->blocks);
		(void)het_kernel_free(r->last);
		het__free(r);
		return st;
	}
	*reducer_p = r;
	return HET_OK;
}

void het__reducers_free(struct het__reducer *first)
{
	for (struct het__reducer *r = first, *next; r; r = next) {
		next = r->next;
		het__free(r);
	}
}
