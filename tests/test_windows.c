/* test_windows.c - kernels that ask for windows (het.clh): what they see, and what devices hold for it. */
#include "face.h"

#include "random.h"
#include "spreads.h"

/* Each cell becomes its neighbours' sum, once as always and once by windows. */
static const char text[] =
	"#include \"het.clh\"\n"
	"kernel void line(global int *b, global const int *a, int n)\n"
	"{ size_t i = get_global_id(0); b[i] = 3 * a[i] + (i ? a[i - 1] : 0) + (i + 1 < n ? a[i + 1] : 0); }\n"
	"kernel void line_w(HET_WINDOW(global int, b), HET_WINDOW(global const int, a), int n)\n"
	"{ size_t i = get_global_id(0);\n"
	"  HET_AT1(b, i) = 3 * HET_AT1(a, i) + (i ? HET_AT1(a, i - 1) : 0)\n"
	"                  + (i + 1 < n ? HET_AT1(a, i + 1) : 0); }\n"
	"kernel void plane(global int *b, global const int *a, int m, int n)\n"
	"{ int y = get_global_id(1), x = get_global_id(0), s = a[y * n + x];\n"
	"  if (y) s += 3 * a[(y - 1) * n + x]; if (y + 1 < m) s -= a[(y + 1) * n + x];\n"
	"  if (x) s += 5 * a[y * n + x - 1]; if (x + 1 < n) s ^= a[y * n + x + 1]; b[y * n + x] = s; }\n"
	"kernel void plane_w(HET_WINDOW(global int, b), HET_WINDOW(global const int, a), int m, int n)\n"
	"{ int y = get_global_id(1), x = get_global_id(0), s = HET_AT2(a, y, x);\n"
	"  if (y) s += 3 * HET_AT2(a, y - 1, x); if (y + 1 < m) s -= HET_AT2(a, y + 1, x);\n"
	"  if (x) s += 5 * HET_AT2(a, y, x - 1); if (x + 1 < n) s ^= HET_AT2(a, y, x + 1);\n"
	"  HET_AT2(b, y, x) = s; }\n"
	"kernel void space(global int *b, global const int *a, int l, int m, int n)\n"
	"{ int z = get_global_id(2), y = get_global_id(1), x = get_global_id(0), i = (z * m + y) * n + x;\n"
	"  int s = a[i]; if (z) s += 7 * a[i - m * n]; if (y) s += a[i - n]; if (x + 1 < n) s -= a[i + 1];\n"
	"  if (z + 1 < l) s ^= a[i + m * n]; b[i] = s; }\n"
	"int at(HET_WINDOW(global const int, a), int z, int y, int x) { return HET_AT3(a, z, y, x); }\n"
	"kernel void space_w(HET_WINDOW(global int, b), HET_WINDOW(global const int, a), int l, int m, int n)\n"
	"{ int z = get_global_id(2), y = get_global_id(1), x = get_global_id(0);\n"
	"  int s = at(HET_PASS(a), z, y, x); if (z) s += 7 * at(HET_PASS(a), z - 1, y, x);\n"
	"  if (y) s += at(HET_PASS(a), z, y - 1, x); if (x + 1 < n) s -= at(HET_PASS(a), z, y, x + 1);\n"
	"  if (z + 1 < l) s ^= at(HET_PASS(a), z + 1, y, x); HET_AT3(b, z, y, x) = s; }\n"
	"kernel void mixed(global int *sum, HET_WINDOW(global const int, a), int f, global const int *b,\n"
	"                  HET_WINDOW(global const int, c), local int *t, long g)\n"
	"{ size_t i = get_global_id(0); t[0] = 0;\n"
	"  sum[i] = HET_AT1(a, i) + f * b[i] + (HET_POINTER(c) ? HET_AT1(c, i) : 0) + (int)g + t[0]; }\n"
	"kernel void deep(HET_WINDOW(global int, x))\n"
	"{ int i = get_global_id(0);\n"
	"  HET_AT8(x, i & 1, i >> 1 & 1, i >> 2 & 1, i >> 3 & 1, i >> 4 & 1, i >> 5 & 1, i >> 6 & 1,\n"
	"          i >> 7) = i; }\n"
	"kernel void bump_w(HET_WINDOW(global int, x), int v) { HET_AT1(x, get_global_id(0)) += v; }\n"
	"kernel void bump_2(HET_WINDOW(global int, x), int v)\n"
	"{ HET_AT2(x, get_global_id(1), get_global_id(0)) += v; }\n"
	"kernel void bump(global int *x, int v) { x[get_global_id(0)] += v; }\n"
	"kernel void both_w(HET_WINDOW(global int, lo), HET_WINDOW(global int, hi), int n)\n"
	"{ size_t i = get_global_id(0); HET_AT1(lo, i) += 1; HET_AT1(hi, i + n) += 2; }\n"
	"kernel void fours(HET_WINDOW(global int4, x)) { HET_AT1(x, get_global_id(0)) += 1; }\n";

static uint64_t bytes_on(het_device *device)
{
	struct het_device_stats stats = HET_DEVICE_STATS_INIT;

	ok(het_device_stats(device, &stats));
	return stats.array_bytes;
}

static int memory_of(het_device *device)
{
	struct het_device_info info = HET_DEVICE_INFO_INIT;

	ok(het_device_info(device, &info));
	return info.memory;
}

/* ---- the same by windows ------------------------------------------------------------------------ */

static het_array *random_array(het_system *system, int rank, const int64_t *extent)
{
	const struct het_shape shape = het_shape_of(rank, rank, extent);
	int64_t cells = 1;
	het_array *array;
	int *at;

	for (int d = 0; d < rank; d++)
		cells *= extent[d];
	ok(het_array_new(system, HET_INT, shape, &array));
	ok(het_map(array, HET_WRITE, &at));
	for (int64_t i = 0; i < cells; i++)
		at[i] = random_in(-1000, 1000);
	ok(het_unmap(array));
	return array;
}

static void assert_equal(het_array *a, het_array *b, int64_t cells)
{
	const int *x, *y;

	ok(het_map(a, HET_READ, &x));
	ok(het_map(b, HET_READ, &y));
	for (int64_t i = 0; i < cells; i++)
		ck_assert_msg(x[i] == y[i], "cell %d is %d instead of %d", (int)i, y[i], x[i]);
	ok(het_unmap(a));
	ok(het_unmap(b));
}

static void step(het_kernel *kernel, het_team *team, int rank, const int64_t *n, het_array *b, het_array *a)
{
	const int64_t one[3] = {1, 1, 1};
	const struct het_arg args[] = {HET_OUT(HET_EACH(b)),
				       HET_IN(het_mapped_by(a, HET_MAPPER_HALO, rank, one)),
				       HET_VAL((int)n[0]), HET_VAL((int)n[1]), HET_VAL((int)n[2])};

	ok(het_spread_args(kernel, team, het_grid_of(rank, rank, n), args, 2 + rank));
}

START_TEST(windows_are_seen_as_whole_arrays)
{
	static const char *const plain[] = {"line", "plane", "space"};
	static const char *const windowed[] = {"line_w", "plane_w", "space_w"};
	het_system *system = open_face(_i);

	random_start("windows_are_seen_as_whole_arrays");
	for (int rank = 1; rank <= 3; rank++) {
		int64_t n[3] = {random_in(5, 37), random_in(1, 19), random_in(1, 7)};
		const int64_t cells = n[0] * (rank > 1 ? n[1] : 1) * (rank > 2 ? n[2] : 1);
		het_kernel *const k = text_kernel(system, text, plain[rank - 1]);
		het_kernel *const w = text_kernel(system, text, windowed[rank - 1]);
		het_array *a = random_array(system, rank, n), *b = random_array(system, rank, n), *c, *d;

		ok(het_array_new(system, HET_INT, het_shape_of(rank, rank, n), &c));
		ok(het_array_new(system, HET_INT, het_shape_of(rank, rank, n), &d));
		ok(het_copy(het_view(c, het_whole()), het_view(a, het_whole())));
		ok(het_copy(het_view(d, het_whole()), het_view(b, het_whole())));
		for (int t = 0; t < 5; t++) {
			step(k, het_everyone(system), rank, n, b, a);
			step(w, het_everyone(system), rank, n, d, c);
			ok(het_swap(a, b));
			ok(het_swap(c, d));
		}
		assert_equal(a, c, cells);
		assert_equal(b, d, cells);
	}
	close_face(system);
}
END_TEST

/* ---- what devices hold -------------------------------------------------------------------------- */

/* Of every device's memory: the bytes of its rows and those beside them, of two arrays. */
static void assert_holds_its_rows(het_team *team, const struct het_part *part, int rows, int row_bytes)
{
	const int devices = het_team_count(team);

	for (int i = 0; i < devices; i++) {
		const int memory = memory_of(part[i].device);
		int64_t lo = rows, hi = 0;

		if (memory == 0)
			continue;
		for (int j = 0; j < devices; j++) { /* devices beside each other may share a memory */
			const struct het_range *const r = &part[j].range;

			if (memory_of(part[j].device) != memory || r->lo[0] == r->hi[0])
				continue;
			lo = r->lo[0] - 1 < lo ? (r->lo[0] ? r->lo[0] - 1 : 0) : lo;
			hi = r->hi[0] + 1 > hi ? (r->hi[0] < rows ? r->hi[0] + 1 : rows) : hi;
		}
		ck_assert_int_eq((int)bytes_on(part[i].device), 2 * (int)(hi - lo) * row_bytes);
	}
}

/* Two arrays change places, are written in [lo, hi) and read in [lo - 1, hi + 1). */
static void run_jacobi(het_system *system, enum het_overlap overlap)
{
	enum { M = 60, N = 12, STEPS = 6 };
	het_kernel *plane = text_kernel(system, text, "plane_w");
	het_team *team = uneven_team(system);
	const int devices = het_team_count(team);
	struct het_part part[64];
	int64_t n[3] = {M, N, 1};
	static int now[M][N], next[M][N];
	uint64_t before = 0;
	het_array *a = random_array(system, 2, n), *b = random_array(system, 2, n);
	int dimension, apart = 1;

	ok(het_team_overlap(team, overlap));
	ok(het_read(het_view(a, het_whole()), now));
	ok(het_spread_plan(plane, team, het_grid(2, M, N), part, &dimension, HET_OUT(HET_EACH(b)),
			   HET_IN(HET_HALO(a, 1, 1)), HET_VAL((int)M), HET_VAL((int)N)));
	ck_assert_int_eq(dimension, 0);
	for (int i = 0; i < devices; i++)
		for (int j = 0; j <= i; j++)
			apart &= memory_of(part[i].device) != 0 &&
				 (i == j || memory_of(part[i].device) != memory_of(part[j].device));
	for (int t = 0; t < STEPS; t++) {
		if (t == STEPS - 1) {
			ok(het_wait_all(system));
			before = bytes_into_devices(system);
		}
		step(plane, team, 2, n, b, a);
		for (int y = 0; y < M; y++)
			for (int x = 0; x < N; x++) {
				int s = now[y][x];

				s += y ? 3 * now[y - 1][x] : 0;
				s -= y + 1 < M ? now[y + 1][x] : 0;
				s += x ? 5 * now[y][x - 1] : 0;
				next[y][x] = x + 1 < N ? s ^ now[y][x + 1] : s;
			}
		memcpy(now, next, sizeof now);
		ok(het_swap(a, b));
	}
	ok(het_wait_all(system));
	assert_holds_its_rows(team, part, M, N * (int)sizeof(int));
	if (apart) /* a row to each side of a cut */
		ck_assert_uint_eq(bytes_into_devices(system) - before,
				  2 * (uint64_t)(devices - 1) * sizeof now[0]);
	ok(het_read(het_view(a, het_whole()), next));
	ck_assert_int_eq(memcmp(now, next, sizeof now), 0);
	ok(het_team_free(team));
}

START_TEST(arrays_that_change_places_have_one_window_each)
{
	for (int overlap = 0; overlap < 2; overlap++) {
		het_system *system = open_face(_i);

		random_start("arrays_that_change_places_have_one_window_each");
		run_jacobi(system, overlap ? HET_OVERLAP_ALWAYS : HET_OVERLAP_NEVER);
		close_face(system);
	}
}
END_TEST

/* Rows [lo, hi) are bumped on one device, by a windowed kernel or by one that sees the whole array. */
START_TEST(any_boxes_in_any_order)
{
	enum { M = 47, N = 9, ROUNDS = 300 };
	static int model[M][N], got[M][N];
	het_system *system = open_face(_i);
	het_kernel *w = text_kernel(system, text, "bump_2"), *k = text_kernel(system, text, "bump");
	const int devices = het_device_count(system);
	const int64_t n[2] = {M, N};
	het_array *a;

	random_start("any_boxes_in_any_order");
	a = random_array(system, 2, n);
	ok(het_read(het_view(a, het_whole()), model));
	for (int round = 0; round < ROUNDS; round++) {
		het_device *const device = het_device(system, random_in(0, devices - 1));
		const int lo = random_in(0, M), hi = random_in(lo, random_once_in(3) ? M : lo + (M - lo) / 8);
		const int left = random_once_in(2) ? 0 : random_in(0, N - 1);
		const int right = left ? random_in(left, N) : N, v = random_in(1, 9);
		const struct het_box box = het_box(2, lo, hi, left, right);

		if (random_once_in(40) && left == 0)
			ok(het_launch(k, device, het_range(1, lo * N, hi * N), HET_INOUT_PART(a, box),
				      HET_VAL(v)));
		else if (random_once_in(4))
			ok(het_launch(w, device, het_range(2, lo, hi, left, right),
				      HET_INOUT(het_view(a, box)), HET_VAL(v)));
		else
			ok(het_launch(w, device, het_range(2, lo, hi, left, right), HET_INOUT_PART(a, box),
				      HET_VAL(v)));
		for (int y = lo; y < hi; y++)
			for (int x = left; x < right; x++)
				model[y][x] += v;
		if (random_once_in(10)) {
			ok(het_read(het_view(a, het_whole()), got));
			ck_assert_int_eq(memcmp(model, got, sizeof got), 0);
		}
		if (random_once_in(10))
			ok(het_prefetch(het_view(a, box), het_device(system, random_in(0, devices - 1))));
	}
	ok(het_read(het_view(a, het_whole()), got));
	ck_assert_int_eq(memcmp(model, got, sizeof got), 0);
	close_face(system);
}
END_TEST

/* What a device holds after windows that lie apart, overlap, grow; what is there is not brought again. */
START_TEST(windows_grow_by_what_overlaps)
{
	enum { N = 1000, INT = sizeof(int) };
	het_system *system = open_face(_i);
	het_device *const device = last_device(system);
	het_kernel *w = text_kernel(system, text, "bump_w"), *both = text_kernel(system, text, "both_w");
	het_array *a = counting_array(system, N);
	uint64_t moved;

	if (!is_separate(device)) {
		close_face(system);
		return;
	}
	ok(het_launch(w, device, het_range(1, 100, 200), HET_INOUT_PART(a, het_rows(100, 200)), HET_VAL(1)));
	ck_assert_int_eq((int)bytes_on(device), 100 * INT);
	ok(het_launch(w, device, het_range(1, 120, 130), HET_INOUT_PART(a, het_rows(120, 130)), HET_VAL(0)));
	ck_assert_int_eq((int)bytes_on(device), 100 * INT);
	ok(het_launch(w, device, het_range(1, 300, 400), HET_INOUT_PART(a, het_rows(300, 400)), HET_VAL(1)));
	ck_assert_int_eq((int)bytes_on(device), 200 * INT);
	moved = stats_of(system).transfer_bytes;
	ok(het_launch(w, device, het_range(1, 150, 350), HET_INOUT_PART(a, het_rows(150, 350)), HET_VAL(1)));
	ok(het_launch(w, device, het_range(1, 150, 350), HET_INOUT_PART(a, het_rows(150, 350)), HET_VAL(-1)));
	ck_assert_int_eq((int)bytes_on(device), 300 * INT);
	ck_assert_int_eq((int)(stats_of(system).transfer_bytes - moved), 100 * INT);
	ok(het_launch(w, device, het_range(1, 200, 300), HET_INOUT_PART(a, het_rows(200, 300)), HET_VAL(1)));
	/* two windows of one array in one call, of which the second makes the first one go */
	ok(het_launch(both, device, het_range(1, 450, 500), HET_INOUT_PART(a, het_rows(450, 500)),
		      HET_INOUT_PART(a, het_rows(400, 450)), HET_VAL(-50)));
	ok(het_launch(both, device, het_range(1, 380, 400), HET_INOUT_PART(a, het_rows(380, 400)),
		      HET_INOUT_PART(a, het_rows(400, 420)), HET_VAL(20)));
	ok(het_launch(w, device, het_range(1, 100, 500), HET_INOUT_PART(a, het_rows(100, 500)), HET_VAL(5)));
	ck_assert_int_eq((int)bytes_on(device), 400 * INT);
	for (int i = 0; i < N; i++) {
		const int more = (i >= 100 && i < 400) + (i >= 100 && i < 500 ? 5 : 0) + (i >= 450 && i < 500) +
				 2 * (i >= 400 && i < 450) + (i >= 380 && i < 400) + 2 * (i >= 400 && i < 420);

		ck_assert_int_eq(element(a, i), i + more);
	}
	close_face(system);
}
END_TEST

/* Then it is found as any whole array is. */
START_TEST(a_window_may_become_the_whole_array)
{
	enum { N = 1000, INT = sizeof(int) };
	het_system *system = open_face(_i);
	het_device *const device = last_device(system);
	het_kernel *w = text_kernel(system, text, "bump_w");
	het_array *a = counting_array(system, N);

	if (is_separate(device)) {
		ok(het_launch(w, device, het_range(1, 1, N - 1), HET_INOUT_PART(a, het_rows(1, N - 1)),
			      HET_VAL(1)));
		ck_assert_int_eq((int)bytes_on(device), (N - 2) * INT);
		for (int i = 0; i < 3; i++)
			ok(het_launch(w, device, het_grid(1, N), HET_INOUT(a), HET_VAL(2)));
		ok(het_launch(w, device, het_range(1, 1, N - 1), HET_INOUT_PART(a, het_rows(1, N - 1)),
			      HET_VAL(1)));
		ck_assert_int_eq((int)bytes_on(device), N * INT);
		for (int i = 0; i < N; i++)
			ck_assert_int_eq(element(a, i), i + 6 + 2 * (i > 0 && i < N - 1));
	}
	close_face(system);
}
END_TEST

/* A program that goes over an array row by row has few windows all the same. */
START_TEST(many_small_windows_become_one)
{
	enum { N = 400 };
	het_system *system = open_face(_i);
	het_device *const device = last_device(system);
	het_kernel *w = text_kernel(system, text, "bump_w");
	het_array *a = counting_array(system, N);
	uint64_t moved;

	for (int i = 0; i < N; i += 2)
		ok(het_launch(w, device, het_range(1, i, i + 2), HET_INOUT_PART(a, het_rows(i, i + 2)),
			      HET_VAL(1)));
	moved = stats_of(system).transfer_bytes;
	if (is_separate(device))
		ck_assert_int_le((int)moved, N * (int)sizeof(int));
	assert_counts(a, 1, 1);
	close_face(system);
}
END_TEST

struct growth {
	het_system *system;
	het_kernel *bump;
	het_array *array;
};

static het_status grow(void *user, int count, const struct het_host_arg *args)
{
	const struct growth *const g = user;

	(void)count;
	(void)args;
	return het_launch(g->bump, last_device(g->system), het_range(1, 5, 35),
			  HET_INOUT_PART(g->array, het_rows(5, 35)), HET_VAL(1));
}

/* Who must not wait leaves what is outgrown for the next launch. */
START_TEST(windows_grow_inside_callbacks)
{
	enum { N = 64 };
	het_system *system = open_face(_i);
	struct growth g = {system, text_kernel(system, text, "bump_w"), counting_array(system, N)};
	het_array *other = zero_array(system, N);

	ok(het_kernel_build(g.bump, last_device(system)));
	ok(het_launch(g.bump, last_device(system), het_range(1, 0, 20),
		      HET_INOUT_PART(g.array, het_rows(0, 20)), HET_VAL(1)));
	ok(het_call(system, grow, &g, HET_INOUT(other)));
	ok(het_wait_all(system));
	ok(het_launch(g.bump, last_device(system), het_range(1, 10, 30),
		      HET_INOUT_PART(g.array, het_rows(10, 30)), HET_VAL(1)));
	if (is_separate(last_device(system)))
		ck_assert_uint_eq(bytes_on(last_device(system)), 35 * sizeof(int));
	for (int i = 0; i < N; i++)
		ck_assert_int_eq(element(g.array, i), i + (i < 20) + (i >= 5 && i < 35) + (i >= 10 && i < 30));
	close_face(system);
}
END_TEST

/* ---- arguments ---------------------------------------------------------------------------------- */

START_TEST(windows_among_other_arguments)
{
	enum { N = 64 };
	het_system *system = open_face(_i);
	het_kernel *mixed = text_kernel(system, text, "mixed");
	het_array *a = counting_array(system, N), *b = counting_array(system, N);
	het_array *c = counting_array(system, N), *sum = zero_array(system, N);

	for (int i = 0; i < 3; i++) /* with and without the third, on either device */
		for (int d = 0; d < het_device_count(system); d++) {
			ok(het_launch(mixed, het_device(system, d), het_range(1, 16, 48),
				      HET_OUT_PART(sum, het_rows(16, 48)), HET_IN_PART(a, het_rows(16, 48)),
				      HET_VAL(2), HET_IN(b), i == 1 ? HET_NULL : HET_IN(HET_EACH(c)),
				      HET_LOCAL(4), HET_VAL(7L)));
			for (int k = 16; k < 48; k += 31)
				ck_assert_int_eq(element(sum, k), (i == 1 ? 3 : 4) * k + 7);
		}
	fails(het_launch(mixed, first_device(system), het_grid(1, N), HET_OUT(sum), HET_IN(a), HET_VAL(2),
			 HET_IN(b)),
	      HET_ERR_SIGNATURE, "kernel mixed has 7 arguments, but was given 4");
	fails(het_launch(mixed, first_device(system), het_grid(1, N), HET_OUT(sum), HET_OUT(a), HET_VAL(2),
			 HET_IN(b), HET_IN(c), HET_LOCAL(4), HET_VAL(7L)),
	      HET_ERR_SIGNATURE, "argument 1", "only read");
	fails(het_launch(mixed, first_device(system), het_grid(1, N), HET_OUT(sum), HET_IN(a), HET_IN(b),
			 HET_IN(b), HET_IN(c), HET_LOCAL(4), HET_VAL(7L)),
	      HET_ERR_SIGNATURE, "argument 2 (int f) was given an array");
	fails(het_launch(mixed, first_device(system), het_grid(1, N), HET_OUT(sum), HET_IN(a), HET_VAL(2),
			 HET_IN(b), HET_VAL(3), HET_LOCAL(4), HET_VAL(7L)),
	      HET_ERR_SIGNATURE, "argument 4", "c) was given a value");
	fails(het_launch(mixed, first_device(system), het_grid(1, N), HET_OUT(sum), HET_IN(a), HET_VAL(2),
			 HET_IN(b), HET_IN(c), HET_LOCAL(4), HET_VAL(7)),
	      HET_ERR_SIGNATURE, "argument 6", "was given int of 4 bytes; it has 8");
	close_face(system);
}
END_TEST

START_TEST(what_windows_do_not_go_with)
{
	het_system *system = open_face(_i);
	het_kernel *fours = text_kernel(system, text, "fours"), *w = text_kernel(system, text, "bump_w");
	het_array *a = counting_array(system, 16), *fit;

	fails(het_launch(fours, first_device(system), het_grid(1, 4), HET_INOUT(a)), HET_ERR_SIGNATURE,
	      "kernel fours: argument 0 (HET_WINDOW of int4", "4 bytes; they must have 16");
	ok(het_array_new(system, HET_INT4, het_shape(1, 4), &fit));
	ok(het_launch(fours, first_device(system), het_range(1, 1, 3), HET_INOUT_PART(fit, het_rows(1, 3))));
	fails(het_spread(w, het_everyone(system), het_grid(1, 16), HET_OUT(HET_SUM(a)), HET_VAL(1)),
	      HET_ERR_ARGUMENT, "kernel bump_w, argument 0: HET_SUM", "HET_WINDOW");
	assert_counts(a, 0, 1);
	close_face(system);
}
END_TEST

/* As deep as arrays are; memory of the program's own, with padding, and not aligned. */
START_TEST(all_arrays_have_windows)
{
	enum { M = 9, N = 5, PITCH = 7 };
	het_system *system = open_face(_i);
	het_kernel *deep = text_kernel(system, text, "deep"), *w = text_kernel(system, text, "bump_2");
	static int padded[M * PITCH], deeps[256];
	static char odd[M * N * sizeof(int) + 2];
	const size_t pitch[] = {PITCH * sizeof(int)};
	het_array *x, *y, *z;
	int value;

	ok(het_array_new(system, HET_INT, het_shape(8, 2, 2, 2, 2, 2, 2, 2, 2), &x));
	ok(het_launch(deep, last_device(system), het_grid(1, 256), HET_OUT(x)));
	ok(het_read(het_view(x, het_whole()), deeps));
	for (int i = 0; i < 256; i++) {
		int at = 0;

		for (int d = 0; d < 8; d++)
			at = 2 * at + (i >> d & 1);
		ck_assert_int_eq(deeps[at], i);
	}
	ok(het_array_wrap_pitched(system, HET_INT, het_shape(2, M, N), padded, pitch, &y));
	ok(het_array_wrap(system, HET_INT, het_shape(2, M, N), odd + 1, &z));
	ok(het_spread(w, het_everyone(system), het_range(2, 1, M, 0, N), HET_INOUT(HET_EACH(y)), HET_VAL(3)));
	ok(het_spread(w, het_everyone(system), het_range(2, 1, M, 0, N), HET_INOUT(HET_EACH(z)), HET_VAL(4)));
	ok(het_launch(w, last_device(system), het_range(2, 3, 4, 1, 2),
		      HET_INOUT_PART(y, het_box(2, 3, 4, 1, 2)), HET_VAL(1)));
	ok(het_array_free(y));
	ok(het_array_free(z));
	for (int i = 0; i < M * PITCH; i++)
		ck_assert_int_eq(padded[i], i < PITCH || i % PITCH >= N ? 0 : i == 3 * PITCH + 1 ? 4 : 3);
	for (int i = 0; i < M * N; i++) {
		memcpy(&value, odd + 1 + (size_t)i * sizeof value, sizeof value);
		ck_assert_int_eq(value, i < N ? 0 : 4);
	}
	close_face(system);
}
END_TEST

static const struct face_test tests[] = {
	{&windows_are_seen_as_whole_arrays, 1},
	{&arrays_that_change_places_have_one_window_each, 1},
	{&any_boxes_in_any_order, 1},
	{&windows_grow_by_what_overlaps, 1},
	{&a_window_may_become_the_whole_array, 1},
	{&many_small_windows_become_one, 1},
	{&windows_grow_inside_callbacks, 1},
	{&windows_among_other_arguments, 1},
	{&what_windows_do_not_go_with, 1},
	{&all_arrays_have_windows, 1},
};

int main(void)
{
	return run_face_tests("windows", sizeof tests / sizeof tests[0], tests);
}
