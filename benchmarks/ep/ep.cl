/* ep.cl - Gaussian pairs by acceptance and rejection (EP of the NAS Parallel Benchmarks).
 *
 * A work-item makes PAIRS pairs, LANES at a time: each lane of a vector has its own stretch of the generator, so
 * that processors with vectors use them, for the logarithm too. A pair that is not accepted takes part with weight 0.
 * A work-group of GROUP items adds up what its items found: 12 numbers, the sums and ten counts. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define LANES 4
#define PAIRS 16384
#define GROUP 64
#define NUMBERS 12
#define SEED 271828183UL
#define FACTOR 1220703125UL
#define MASK ((1UL << 46) - 1)

/* The generator's state `steps` numbers after x. */
static ulong after(ulong x, ulong steps)
{
	ulong power = FACTOR;

	for (; steps; steps >>= 1) {
		if (steps & 1)
			x = x * power & MASK;
		power = power * power & MASK;
	}
	return x;
}

static double sum_of(double4 v)
{
	return (v.x + v.y) + (v.z + v.w);
}

static double count_of(long4 v)
{
	return -(double)((v.x + v.y) + (v.z + v.w));
}

/* Comparisons give -1 where they are true: counts go down. */
static void item(ulong first_pair, __local double *found)
{
	double4 sum_x = 0.0, sum_y = 0.0;
	long4 at_least[10];
	ulong4 state;
	ulong start[LANES];

	for (int i = 0; i < LANES; i++)
		start[i] = after(SEED, 2 * (first_pair + i * (PAIRS / LANES)));
	state = vload4(0, start);
	for (int l = 0; l < 10; l++)
		at_least[l] = 0;
	for (int i = 0; i < PAIRS / LANES; i++) {
		double4 x, y, t, scale, largest;
		long4 accepted;

		state = state * FACTOR & MASK;
		x = convert_double4(state) * 0x1p-45 - 1.0;
		state = state * FACTOR & MASK;
		y = convert_double4(state) * 0x1p-45 - 1.0;
		t = x * x + y * y;
		accepted = t <= 1.0;
		t = select((double4)1.0, t, accepted);
		scale = sqrt(-2.0 * log(t) / t);
		x *= scale;
		y *= scale;
		sum_x += x;
		sum_y += y;
		largest = fmax(fabs(x), fabs(y));
		at_least[0] += accepted;
		at_least[1] += largest >= 1.0;
		at_least[2] += largest >= 2.0;
		at_least[3] += largest >= 3.0;
		if (any(largest >= 4.0))
			for (int l = 4; l < 10; l++)
				at_least[l] += largest >= (double4)l;
	}
	found[0] = sum_of(sum_x);
	found[1] = sum_of(sum_y);
	for (int l = 0; l < 10; l++)
		found[2 + l] = count_of(at_least[l]) - (l < 9 ? count_of(at_least[l + 1]) : 0.0);
}

/* `sums`: 12 numbers for each group, those of group `first` at the start. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void ep(__global double *sums, int first)
{
	__local double found[GROUP][NUMBERS];
	const size_t me = get_local_id(0), group = get_global_id(0) / GROUP - first;

	item((ulong)get_global_id(0) * PAIRS, found[me]);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (me < NUMBERS) {
		double sum = 0.0;

		for (int i = 0; i < GROUP; i++)
			sum += found[i][me];
		sums[group * NUMBERS + me] = sum;
	}
}
