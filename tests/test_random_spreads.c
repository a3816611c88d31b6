/* test_random_spreads.c - chains of random spreads against a sequential model: ranks 1 to 3, odd sizes, all
 * mappers, teams of 1 to 5 devices with any shares, which change on the way. One chain has all that others may
 * come by: edges apart, shares that follow what was measured, strips that move. */
#include "face.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel/kernel.h"
#include "random.h"

#define EXTENT 20
#define CELLS (EXTENT * EXTENT * EXTENT)
#define DEVICES 5

/* Everything has three dimensions here; those that the arrays do not have are of extent 1. A cell becomes
 * `value` and the sum of what lies r cells away in each dimension, where there is something, or, by `wrap`, at
 * the other end; `total` counts. */
static const char text[] =
	"#include \"het.clh\"\n"
	"#define IN(z, y, x) (D == 1 ? HET_AT1(in, x) : D == 2 ? HET_AT2(in, y, x) : HET_AT3(in, z, y, x))\n"
	"void combine(global int *most, int v, int how)\n"
	"{\n"
	"	if (how == 0) atomic_max(most, v);\n"
	"	else if (how == 1) atomic_min(most, v);\n"
	"	else atomic_or(most, v);\n"
	"}\n"
	"kernel void windowed(HET_WINDOW(global int, out), HET_WINDOW(global const int, in), int n0, int n1,\n"
	"                     int n2, int r0, int r1, int r2, int value, global int *total, global int *most,\n"
	"                     int wrap, int how)\n"
	"{\n"
	"	const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
	"	int v = value + IN(z, y, x);\n"
	"	if (r0 && z >= r0) v += IN(z - r0, y, x);\n"
	"	if (r0 && z + r0 < n0) v += IN(z + r0, y, x);\n"
	"	if (r1 && y >= r1) v += IN(z, y - r1, x);\n"
	"	if (r1 && y + r1 < n1) v += IN(z, y + r1, x);\n"
	"	if (r2 && x >= r2) v += IN(z, y, x - r2);\n"
	"	if (r2 && x + r2 < n2) v += IN(z, y, x + r2);\n"
	"	v = v & 0xffff;\n"
	"	if (D == 1) HET_AT1(out, x) = v; else if (D == 2) HET_AT2(out, y, x) = v;\n"
	"	else HET_AT3(out, z, y, x) = v;\n"
	"	atomic_add(total, v);\n"
	"	combine(most, v, how);\n"
	"}\n"
	"int from(global const int *in, int at, int i, int r, int n, int stride, int wrap)\n"
	"{\n"
	"	int v = 0, down = (i + 3 * n - r) % n, up = (i + r) % n;\n"
	"	if (wrap || i >= r) v += in[at + (down - i) * stride];\n"
	"	if (wrap || i + r < n) v += in[at + (up - i) * stride];\n"
	"	return v;\n"
	"}\n"
	"kernel void advance(global int *out, global const int *in, int n0, int n1, int n2, int r0, int r1,\n"
	"                    int r2, int value, global int *total, global int *most, int wrap, int how)\n"
	"{\n"
	"	const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
	"	const int at = (z * n1 + y) * n2 + x;\n"
	"	int v = value + in[at];\n"
	"	v += r0 ? from(in, at, z, r0, n0, n1 * n2, wrap) : 0;\n"
	"	v += r1 ? from(in, at, y, r1, n1, n2, wrap) : 0;\n"
	"	v += r2 ? from(in, at, x, r2, n2, 1, wrap) : 0;\n"
	"	v = v & 0xffff;\n"
	"	out[at] = v;\n"
	"	atomic_add(total, v);\n"
	"	combine(most, v, how);\n"
	"}\n";

/* One chain: the sizes, and the model. */
struct chain {
	het_system *system;
	het_kernel *step, *windowed[3]; /* one for each rank */
	het_team *team;
	het_array *in, *out, *total, *most;
	int rank, n[3]; /* n[0] and n[1] are 1 where the rank is less */
	int now[CELLS], next[CELLS], sum, most_now;
};

/* What chains came by. */
struct seen {
	int spreads, apart, balanced; /* with edges apart, at least; with other shares than before */
};

/* How `most` is combined. */
enum { BY_MAX, BY_MIN, BY_OR, WAYS };

/* One launch. */
struct launch {
	int lo[3], hi[3], r[3], value, wraps, how;
	struct het_range range;
};

static int combined(int how, int a, int b)
{
	if (how == BY_OR)
		return a | b;
	return (how == BY_MAX) == (a > b) ? a : b;
}

static void model(struct chain *c, const struct launch *l)
{
	const int *const n = c->n, stride[3] = {n[1] * n[2], n[2], 1};

	memcpy(c->next, c->now, sizeof c->next); /* `out` is a copy of `in` where it is not written */
	for (int z = l->lo[0]; z < l->hi[0]; z++)
		for (int y = l->lo[1]; y < l->hi[1]; y++)
			for (int x = l->lo[2]; x < l->hi[2]; x++) {
				const int i[3] = {z, y, x}, at = (z * n[1] + y) * n[2] + x;
				int v = l->value + c->now[at];

				for (int d = 0; d < 3; d++) {
					const int down = (i[d] + 3 * n[d] - l->r[d]) % n[d];
					const int up = (i[d] + l->r[d]) % n[d];

					if (l->r[d] && (l->wraps || i[d] >= l->r[d]))
						v += c->now[at + (down - i[d]) * stride[d]];
					if (l->r[d] && (l->wraps || i[d] + l->r[d] < n[d]))
						v += c->now[at + (up - i[d]) * stride[d]];
				}
				v &= 0xffff;
				c->next[at] = v;
				c->sum += v;
				c->most_now = combined(l->how, c->most_now, v);
			}
	memcpy(c->now, c->next, sizeof c->now);
}

/* Range, reach and work-groups. In a third something is reached in every dimension: else it is cut where
 * nothing is, and there are no edges. */
static void draw_launch(const struct chain *c, struct launch *l)
{
	int64_t numbers[6], local[3];
	const int skip = 3 - c->rank, grouped = random_once_in(3), around = random_once_in(3);

	for (int d = 0; d < 3; d++) {
		l->lo[d] = d < skip || random_once_in(2) ? 0 : random_in(0, c->n[d] - 1);
		l->hi[d] = d < skip || random_once_in(2) ? c->n[d] : random_in(l->lo[d], c->n[d]);
		l->r[d] = d < skip || (!around && random_once_in(2)) ? 0 : random_in(1, around ? 2 : 3);
	}
	for (int d = skip; d < 3; d++) {
		local[d - skip] = grouped ? random_in(1, 2) : 0;
		if (grouped && (l->hi[d] - l->lo[d]) % local[d - skip])
			local[d - skip] = 1;
		numbers[2 * (d - skip)] = l->lo[d];
		numbers[2 * (d - skip) + 1] = l->hi[d];
	}
	l->value = random_in(0, 99);
	l->wraps = random_once_in(3);
	l->how = random_in(0, WAYS - 1);
	l->range = het_range_of(c->rank, 2 * c->rank, numbers);
	if (grouped)
		l->range = het_local_of(l->range, c->rank, local);
}

/* As HET_EACH and HET_HALO; `user` is the reach, of as many dimensions as the part has, and the extents. */
struct reach {
	int64_t r[3], n[3];
};

static void around(void *user, const struct het_box *part, struct het_box *touched)
{
	const struct reach *const reach = user;

	*touched = *part;
	for (int d = 0; d < part->rank; d++) {
		touched->lo[d] -= part->lo[d] < reach->r[d] ? part->lo[d] : reach->r[d];
		touched->hi[d] += reach->n[d] - part->hi[d] < reach->r[d] ? reach->n[d] - part->hi[d]
									  : reach->r[d];
	}
}

static struct het_arg draw_in(const struct chain *c, const struct launch *l, struct reach *reach)
{
	const int skip = 3 - c->rank;
	int still = -1; /* a dimension in which nothing is reached */

	for (int d = skip; d < 3; d++) {
		reach->r[d - skip] = l->r[d];
		reach->n[d - skip] = c->n[d];
		if (l->r[d] == 0)
			still = d - skip;
	}
	switch (random_in(0, 6)) {
	case 0: return HET_IN(c->in);
	case 1: return HET_IN(HET_ALL(c->in));
	case 2: if (!l->wraps) return HET_IN(HET_MAP_BY(c->in, around, reach));
	/* fall through */
	case 3: if (still >= 0) return HET_IN(HET_DIM_OF(c->in, still));
	/* fall through */
	default: return HET_IN(het_mapped_by(c->in, l->wraps ? HET_MAPPER_WRAP : HET_MAPPER_HALO, c->rank,
					     reach->r));
	}
}

/* The same indices. */
static void part_itself(void *user, const struct het_box *part, struct het_box *touched)
{
	(void)user;
	*touched = *part;
}

/* What a part writes, said in some way: what it need not write stays as it is. */
static struct het_arg draw_out(const struct chain *c)
{
	switch (random_in(0, 3)) {
	case 0: return HET_OUT(HET_MAP_BY(c->out, part_itself, NULL));
	case 1: return HET_INOUT(HET_DIM_OF(c->out, random_in(0, c->rank - 1)));
	case 2: if (c->rank == 1) return HET_OUT(HET_BLOCKS(c->out, 1));
	/* fall through */
	default: return HET_OUT(HET_EACH(c->out));
	}
}

static struct het_arg most_by(const struct chain *c, int how)
{
	if (how == BY_MAX)
		return HET_INOUT(HET_MAX(c->most));
	return how == BY_MIN ? HET_INOUT(HET_MIN(c->most)) : HET_INOUT(HET_OR(c->most));
}

static void draw_team(struct chain *c)
{
	het_device *device[DEVICES];
	double share[DEVICES];
	const int there = het_device_count(c->system), most = there < DEVICES ? there : DEVICES;
	int count = random_in(1, most), first = random_in(0, there - 1);

	for (int i = 0; i < count; i++) {
		device[i] = het_device(c->system, (first + i) % there);
		share[i] = random_once_in(4) ? 0 : random_in(1, 9);
	}
	share[random_in(0, count - 1)] = 1;
	ok(het_team_new(c->system, count, device, random_once_in(3) ? NULL : share, &c->team));
	ok(het_team_overlap(c->team, random_once_in(2) ? HET_OVERLAP_ALWAYS : HET_OVERLAP_PREDICTED));
	if (random_once_in(3))
		ok(het_team_rebalance(c->team, random_in(1, 3)));
}

/* Extents are `least` and more. */
static void draw_arrays(struct chain *c, int least)
{
	const int64_t one = 1;
	int64_t extent[3];

	c->rank = random_in(1, 3);
	for (int d = 0; d < 3; d++)
		c->n[d] = d < 3 - c->rank ? 1 : random_in(least, EXTENT);
	for (int d = 0; d < c->rank; d++)
		extent[d] = c->n[3 - c->rank + d];
	ok(het_array_new(c->system, HET_INT, het_shape_of(c->rank, c->rank, extent), &c->in));
	ok(het_array_new(c->system, HET_INT, het_shape_of(c->rank, c->rank, extent), &c->out));
	ok(het_array_new(c->system, HET_INT, het_shape_of(1, 1, &one), &c->total));
	ok(het_array_new(c->system, HET_INT, het_shape_of(1, 1, &one), &c->most));
	for (int i = 0; i < CELLS; i++)
		c->now[i] = random_in(0, 0xffff);
	ok(het_write(het_view(c->in, het_whole()), c->now));
	ok(het_fill(het_view(c->total, het_whole()), &(int){0}));
	ok(het_fill(het_view(c->most, het_whole()), &(int){0}));
	c->sum = c->most_now = 0;
}

static void compare(struct chain *c)
{
	static int got[CELLS];

	ok(het_read(het_view(c->in, het_whole()), got));
	for (int i = 0; i < c->n[0] * c->n[1] * c->n[2]; i++)
		ck_assert_msg(got[i] == c->now[i], "cell %d of %d x %d x %d is %d, not %d", i, c->n[0], c->n[1],
			      c->n[2], got[i], c->now[i]);
	ck_assert_int_eq(element(c->total, 0), c->sum);
	ck_assert_int_eq(element(c->most, 0), c->most_now);
}

/* Both the library and the model make a step. */
static void make_step(struct chain *c, het_kernel *kernel, const struct launch *l, struct het_arg out,
		      struct het_arg in)
{
	const int *const n = c->n, *const r = l->r;

	ok(het_spread(kernel, c->team, l->range, out, in, HET_VAL(n[0]), HET_VAL(n[1]), HET_VAL(n[2]),
		      HET_VAL(r[0]), HET_VAL(r[1]), HET_VAL(r[2]), HET_VAL(l->value),
		      HET_INOUT(HET_SUM(c->total)), most_by(c, l->how), HET_VAL(l->wraps), HET_VAL(l->how)));
	model(c, l);
	ok(het_swap(c->in, c->out));
}

static void one_spread(struct chain *c, struct seen *seen)
{
	const int devices = het_team_count(c->team);
	double share[2][DEVICES] = {{0}};
	struct launch l;
	struct reach reach;
	struct het_arg in;
	het_kernel *kernel;
	uint64_t launches, whole = 2; /* of all parts together, for each of the two that are combined */

	draw_launch(c, &l);
	kernel = l.wraps || random_once_in(2) ? c->step : c->windowed[c->rank - 1];
	in = draw_in(c, &l, &reach);
	ok(het_copy(het_view(c->out, het_whole()), het_view(c->in, het_whole())));
	ok(het_team_shares(c->team, kernel, share[0]));
	launches = stats_of(c->system).launches;
	make_step(c, kernel, &l, draw_out(c), in);
	launches = stats_of(c->system).launches - launches;
	ok(het_team_shares(c->team, kernel, share[1]));
	for (int i = 0; i < devices; i++)
		whole += share[1][i] > 0 ? 3 : 0;
	seen->spreads++;
	seen->apart += launches > whole;
	seen->balanced += memcmp(share[0], share[1], sizeof share[0]) != 0;
}

/* The kernels are those of all chains. */
static void make_kernels(het_system *system, struct chain *c)
{
	static const char *const rank[] = {"-DD=1", "-DD=2", "-DD=3"};

	c->system = system;
	ok(het_kernel_from_source(system, text, "advance", rank[0], &c->step));
	for (int i = 0; i < 3; i++)
		ok(het_kernel_from_source(system, text, "windowed", rank[i], &c->windowed[i]));
}

static void end_chain(struct chain *c)
{
	compare(c);
	ok(het_audit(c->in));
	ok(het_audit(c->out));
	ok(het_team_free(c->team));
	ok(het_array_free(c->in));
	ok(het_array_free(c->out));
	ok(het_array_free(c->total));
	ok(het_array_free(c->most));
}

static void one_chain(struct chain *kernels, struct seen *seen)
{
	static struct chain c;
	const int length = random_in(1, 8);

	c = *kernels;
	draw_arrays(&c, random_once_in(2) ? EXTENT / 2 : 1);
	draw_team(&c);
	for (int k = 0; k < length; k++) {
		one_spread(&c, seen);
		if (random_once_in(4)) {
			ok(het_team_free(c.team));
			draw_team(&c);
		}
		if (random_once_in(5))
			compare(&c);
	}
	end_chain(&c);
}

/* ---- the chain in which all of it happens -------------------------------------------------------- */

/* What a spread took. */
struct cost {
	uint64_t launches, bytes_in;
};

/* All of the array, of which one neighbour is read in each direction. */
static struct cost wide_step(struct chain *c, int wraps)
{
	struct launch l = {.value = random_in(0, 99), .wraps = wraps, .how = BY_MAX};
	const int skip = 3 - c->rank;
	int64_t numbers[6], reach[3];
	struct cost cost;

	for (int d = 0; d < 3; d++) {
		l.hi[d] = c->n[d];
		l.r[d] = d >= skip;
	}
	for (int d = 0; d < c->rank; d++) {
		numbers[2 * d] = 0;
		numbers[2 * d + 1] = c->n[skip + d];
		reach[d] = 1;
	}
	l.range = het_range_of(c->rank, 2 * c->rank, numbers);
	cost = (struct cost){stats_of(c->system).launches, bytes_into_devices(c->system)};
	make_step(c, c->step, &l, HET_OUT(HET_EACH(c->out)),
		  HET_IN(het_mapped_by(c->in, wraps ? HET_MAPPER_WRAP : HET_MAPPER_HALO, c->rank, reach)));
	ok(het_wait_all(c->system));
	cost.launches = stats_of(c->system).launches - cost.launches;
	cost.bytes_in = bytes_into_devices(c->system) - cost.bytes_in;
	return cost;
}

/* As if the team's first device were so many times as fast as the others. */
static void ran(const struct chain *c, double times)
{
	const struct het_range range = het_grid(1, c->n[0] * c->n[1] * c->n[2]);

	for (int k = 0; k < HET__RATES; k++)
		for (int i = 0; i < het_team_count(c->team); i++) {
			het_device *const device = het_team_device(c->team, i);
			int at = 0;

			while (het_device(c->system, at) != device)
				at++;
			het__pace_add(&atomic_load(&c->step->on[at])->paces, het__pace_size(&range),
				      i ? 1 : times);
		}
}

static bool all_are_separate(const struct chain *c)
{
	bool separate = true;

	for (int i = 0; i < het_team_count(c->team); i++)
		separate = separate && is_separate(het_team_device(c->team, i));
	return separate;
}

static void forced_chain(struct chain *kernels)
{
	static struct chain c;
	const int there = het_device_count(kernels->system), wraps = random_once_in(2);
	const int count = there < DEVICES ? there : DEVICES;
	struct cost whole, apart, moving;
	het_device *device[DEVICES];
	double share[DEVICES];

	c = *kernels;
	draw_arrays(&c, EXTENT);
	for (int i = 0; i < count; i++) {
		device[i] = het_device(c.system, i);
		share[i] = 1;
	}
	ok(het_team_new(c.system, count, device, share, &c.team));
	ok(het_team_overlap(c.team, HET_OVERLAP_NEVER));
	(void)wide_step(&c, wraps); /* now each has its part */
	whole = wide_step(&c, wraps);
	ok(het_team_overlap(c.team, HET_OVERLAP_ALWAYS));
	apart = wide_step(&c, wraps);
	ck_assert_uint_gt(apart.launches, whole.launches);
	ck_assert_uint_eq(apart.bytes_in, whole.bytes_in);
	ok(het_team_rebalance(c.team, 1));
	for (int turn = 0; turn < 2; turn++) {
		const double times = turn ? 1 / 3.0 : 3;

		ran(&c, times);
		moving = wide_step(&c, wraps);
		ok(het_team_shares(c.team, c.step, share));
		for (int i = 1; i < count; i++)
			ck_assert_double_eq_tol(share[0], times * share[i], 1e-9);
		if (turn == 0 && all_are_separate(&c))
			ck_assert_uint_gt(moving.bytes_in, apart.bytes_in);
	}
	end_chain(&c);
}

/* Loops over the faces; the third is all CPUs there are, of every platform. */
static het_system *open_one(int face)
{
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system;

	if (face != FACE_RUSTICL || getenv("HETERO_TEST_FAKE"))
		return open_face(face);
	options.devices = "cpu/1";
	ok(het_open(&options, &system));
	return system;
}

START_TEST(test_chains)
{
	het_system *const system = open_one(_i);
	static struct chain kernels;
	struct seen seen = {0, 0, 0};
	const int chains = random_rounds(_i == FACE_RUSTICL ? 40 : 150);

	make_kernels(system, &kernels);
	random_start("test_chains");
	if (het_device_count(system) > 1)
		forced_chain(&kernels);
	for (int k = 0; k < chains; k++)
		one_chain(&kernels, &seen);
	printf("of %d random spreads at least %d had edges apart, before %d shares moved\n", seen.spreads,
	       seen.apart, seen.balanced);
	close_face(system);
}
END_TEST

static const struct face_test tests[] = {{&test_chains, 1}};

int main(void)
{
	return run_face_tests("random_spreads", sizeof tests / sizeof tests[0], tests);
}
