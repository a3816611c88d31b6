/* ft.cl - FT of the NAS Parallel Benchmarks: transforms along the three axes of a box of complex numbers, x fastest.
 *
 * A work-item transforms LANES neighbouring lines, as the lanes of vectors, in memory of its own: by Stockham's
 * method, which needs no reordering, with radix 4, and 2 where that is left over. `roots` are those of 1,
 * `finest` in a circle; `sign` is 1 forwards, -1 backwards. Work-groups are GROUP items beside each other. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define LANES 4
#define GROUP 8
#define LONGEST 512
#define SEED 314159265UL
#define FACTOR 1220703125UL
#define MASK ((1UL << 46) - 1)

/* LANES lines, real and imaginary parts apart. */
struct lines {
	double4 re[LONGEST], im[LONGEST];
};

/* One step of radix 4: `s` interleaved transforms, of `n` points each, are left to do. */
static void step4(struct lines *to, const struct lines *from, int n, int s, __global const double2 *roots, int every,
		  double sign)
{
	const int m = n / 4;

	for (int p = 0; p < m; p++) {
		const double2 r1 = roots[p * s * every], r2 = roots[2 * p * s * every], r3 = roots[3 * p * s * every];
		const double i1 = sign * r1.y, i2 = sign * r2.y, i3 = sign * r3.y;

		for (int q = 0; q < s; q++) {
			const int a = q + s * p, b = a + s * m, c = b + s * m, d = c + s * m, at = q + s * 4 * p;
			const double4 sum_re = from->re[a] + from->re[c], sum_im = from->im[a] + from->im[c];
			const double4 dif_re = from->re[a] - from->re[c], dif_im = from->im[a] - from->im[c];
			const double4 odd_re = from->re[b] + from->re[d], odd_im = from->im[b] + from->im[d];
			const double4 turn_re = sign * (from->im[d] - from->im[b]);
			const double4 turn_im = sign * (from->re[b] - from->re[d]);
			const double4 re1 = dif_re - turn_re, im1 = dif_im - turn_im;
			const double4 re2 = sum_re - odd_re, im2 = sum_im - odd_im;
			const double4 re3 = dif_re + turn_re, im3 = dif_im + turn_im;

			to->re[at] = sum_re + odd_re;
			to->im[at] = sum_im + odd_im;
			to->re[at + s] = r1.x * re1 - i1 * im1;
			to->im[at + s] = r1.x * im1 + i1 * re1;
			to->re[at + 2 * s] = r2.x * re2 - i2 * im2;
			to->im[at + 2 * s] = r2.x * im2 + i2 * re2;
			to->re[at + 3 * s] = r3.x * re3 - i3 * im3;
			to->im[at + 3 * s] = r3.x * im3 + i3 * re3;
		}
	}
}

static void step2(struct lines *to, const struct lines *from, int s)
{
	for (int q = 0; q < s; q++) {
		to->re[q] = from->re[q] + from->re[q + s];
		to->im[q] = from->im[q] + from->im[q + s];
		to->re[q + s] = from->re[q] - from->re[q + s];
		to->im[q + s] = from->im[q] - from->im[q + s];
	}
}

/* Transforms `n` points of `one`, with `other` to work in. Returns which of them has the result. */
static struct lines *transform(struct lines *one, struct lines *other, int n, __global const double2 *roots,
			       int finest, double sign)
{
	const int every = finest / n;
	int s = 1;

	for (; n > 1; n /= 4, s *= 4) {
		struct lines *const from = one;

		if (n == 2)
			step2(other, one, s);
		else
			step4(other, one, n, s, roots, every, sign);
		one = other;
		other = from;
	}
	return one;
}

/* Four neighbouring numbers of a row into the lanes, and back. */
static void take(struct lines *to, int i, __global const double2 *from)
{
	const double4 a = vload4(0, (__global const double *)from), b = vload4(1, (__global const double *)from);

	to->re[i] = (double4)(a.even, b.even);
	to->im[i] = (double4)(a.odd, b.odd);
}

static void give(__global double2 *to, double4 re, double4 im)
{
	vstore4((double4)(re.x, im.x, re.y, im.y), 0, (__global double *)to);
	vstore4((double4)(re.z, im.z, re.w, im.w), 1, (__global double *)to);
}

/* Rows y, y + 1, y + 2 and y + 3 of a plane. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
along_x(__global double2 *restrict u, __global const double2 *restrict roots, int nx, int ny, int finest, int sign)
{
	__global double2 *const row = u + (get_global_id(1) * ny + get_global_id(0) * LANES) * nx;
	struct lines one, other, *done;

	for (int i = 0; i < nx; i++) {
		const double2 a = row[i], b = row[i + nx], c = row[i + 2 * nx], d = row[i + 3 * nx];

		one.re[i] = (double4)(a.x, b.x, c.x, d.x);
		one.im[i] = (double4)(a.y, b.y, c.y, d.y);
	}
	done = transform(&one, &other, nx, roots, finest, sign);
	for (int i = 0; i < nx; i++) {
		const double4 re = done->re[i], im = done->im[i];

		row[i] = (double2)(re.x, im.x);
		row[i + nx] = (double2)(re.y, im.y);
		row[i + 2 * nx] = (double2)(re.z, im.z);
		row[i + 3 * nx] = (double2)(re.w, im.w);
	}
}

/* Columns of a plane. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
along_y(__global double2 *restrict u, __global const double2 *restrict roots, int nx, int ny, int finest, int sign)
{
	__global double2 *const column = u + get_global_id(1) * ny * nx + get_global_id(0) * LANES;
	struct lines one, other, *done;

	for (int i = 0; i < ny; i++)
		take(&one, i, column + i * nx);
	done = transform(&one, &other, ny, roots, finest, sign);
	for (int i = 0; i < ny; i++)
		give(column + i * nx, done->re[i], done->im[i]);
}

static double squared(int i, int n)
{
	const double wave = i < n / 2 ? i : i - n;
	return wave * wave;
}

/* Lines from plane to plane. Before that the number of wave (i, j, k) fades by exp(-fade (i^2 + j^2 + k^2)). */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
along_z(__global double2 *restrict out, __global const double2 *restrict in, __global const double2 *restrict roots,
	int nx, int ny, int nz, int finest, int sign, double fade)
{
	const int x = get_global_id(0) * LANES, y = get_global_id(1);
	const size_t line = (size_t)y * nx + x, plane = (size_t)nx * ny;
	const double4 across = (double4)(squared(x, nx), squared(x + 1, nx), squared(x + 2, nx), squared(x + 3, nx));
	const double4 left = exp(-fade * (across + squared(y, ny)));
	struct lines one, other, *done;

	for (int i = 0; i < nz; i++)
		take(&one, i, in + line + i * plane);
	for (int i = 0; fade > 0.0 && i < nz; i += 4) {
		const double4 along = (double4)(squared(i, nz), squared(i + 1, nz), squared(i + 2, nz),
						squared(i + 3, nz));
		const double4 part = exp(-fade * along);

		one.re[i] *= left * part.x;
		one.im[i] *= left * part.x;
		one.re[i + 1] *= left * part.y;
		one.im[i + 1] *= left * part.y;
		one.re[i + 2] *= left * part.z;
		one.im[i + 2] *= left * part.z;
		one.re[i + 3] *= left * part.w;
		one.im[i + 3] *= left * part.w;
	}
	done = transform(&one, &other, nz, roots, finest, sign);
	for (int i = 0; i < nz; i++)
		give(out + line + i * plane, done->re[i], done->im[i]);
}

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

/* A row of random numbers. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
start(__global double2 *restrict u, int nx, int ny)
{
	const ulong row = get_global_id(1) * ny + get_global_id(0);
	ulong x = after(SEED, 2 * nx * row);

	for (int i = 0; i < nx; i++) {
		double2 number;

		x = x * FACTOR & MASK;
		number.x = x * 0x1p-46;
		x = x * FACTOR & MASK;
		number.y = x * 0x1p-46;
		u[row * nx + i] = number;
	}
}

/* Adds up those of the checksum's 1024 numbers that are in a plane, each nz-th of them. A plane has a sum for
 * each of `iterations`; this is number `t`. */
__kernel void checksum(__global double2 *restrict sums, __global const double2 *restrict u, int nx, int ny, int nz,
		       int iterations, int t)
{
	const int z = get_global_id(0);
	double2 sum = 0.0;
	int q = 1;

	while (5 * q % nz != z)
		q++;
	for (; q <= 1024; q += nz)
		sum += u[((size_t)z * ny + 3 * q % ny) * nx + q % nx];
	sums[z * iterations + t] = sum;
}
