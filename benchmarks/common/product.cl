/* product.cl - c = a b in double precision, matrices by rows.
 *
 * A work-item makes ROWS x COLS elements of c. It takes DEPTH rows of b at a time and goes down c by four rows,
 * so that these rows of b come from a near cache and the sums stay in registers. GROUP items beside each other
 * are a group, of a panel PANEL_GROUP, for so many of which its few columns of a stay near. The first dimension
 * of a range goes down the rows: a processor that runs groups in their order then keeps the columns of b near.
 * All extents are multiples of these. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define ROWS 40
#define COLS 8
#define GROUP 5
#define PANEL_GROUP 15
#define DEPTH 120

static void put(__global double *c, double4 left, double4 right, int add)
{
	vstore4(add ? vload4(0, c) + left : left, 0, c);
	vstore4(add ? vload4(1, c) + right : right, 1, c);
}

/* Four rows of c, from `depth` rows of b. */
static void four_rows(__global double *restrict c, __global const double *restrict a,
		      __global const double *restrict b, size_t c_pitch, size_t a_pitch, size_t b_pitch, int depth,
		      int add)
{
	__global const double *const a1 = a + a_pitch, *const a2 = a1 + a_pitch, *const a3 = a2 + a_pitch;
	double4 l0 = 0.0, l1 = 0.0, l2 = 0.0, l3 = 0.0, r0 = 0.0, r1 = 0.0, r2 = 0.0, r3 = 0.0;

	for (int k = 0; k < depth; k++, b += b_pitch) {
		const double4 left = vload4(0, b), right = vload4(1, b);

		l0 = fma((double4)a[k], left, l0);
		r0 = fma((double4)a[k], right, r0);
		l1 = fma((double4)a1[k], left, l1);
		r1 = fma((double4)a1[k], right, r1);
		l2 = fma((double4)a2[k], left, l2);
		r2 = fma((double4)a2[k], right, r2);
		l3 = fma((double4)a3[k], left, l3);
		r3 = fma((double4)a3[k], right, r3);
	}
	put(c, l0, r0, add);
	put(c + c_pitch, l1, r1, add);
	put(c + 2 * c_pitch, l2, r2, add);
	put(c + 3 * c_pitch, l3, r3, add);
}

/* `count` columns of a times as many rows of b; with `add`, added to what c has. */
static void block(__global double *restrict c, __global const double *restrict a,
		  __global const double *restrict b, size_t c_pitch, size_t a_pitch, size_t b_pitch, int count,
		  int add)
{
	const size_t row = get_global_id(0) * ROWS, column = get_global_id(1) * COLS;

	for (int from = 0; from < count; from += DEPTH)
		for (int r = 0; r < ROWS; r += 4)
			four_rows(c + (row + r) * c_pitch + column, a + (row + r) * a_pitch + from,
				  b + from * b_pitch + column, c_pitch, a_pitch, b_pitch,
				  count - from < DEPTH ? count - from : DEPTH, add || from);
}

/* Rows of the product of two n x n matrices. */
__kernel __attribute__((reqd_work_group_size(1, GROUP, 1))) void
rows(__global double *restrict c, __global const double *restrict a, __global const double *restrict b, int n)
{
	block(c, a, b, n, n, n, n, 0);
}

/* What one panel adds to a block of c: `count` columns of a from `a_from` on, as many rows of b from `b_from` on. */
__kernel __attribute__((reqd_work_group_size(1, PANEL_GROUP, 1))) void
panel(__global double *restrict c, __global const double *restrict a, __global const double *restrict b, int c_pitch,
      int a_pitch, int b_pitch, int a_from, int b_from, int count, int add)
{
	block(c, a + a_from, b + (size_t)b_from * b_pitch, c_pitch, a_pitch, b_pitch, count, add);
}
