/* cholesky.cl - the steps of a factorisation A = L L' by tiles. A matrix has n columns; the tile in row and
 * column k of the tiles begins with element (k * b, k * b). Only the lower triangle means something. */

/* A tile on the diagonal becomes its own factor: one work-item. */
__kernel void factor(__global float *a, int n, int k, int b)
{
	for (int j = k * b; j < (k + 1) * b; j++) {
		a[j * n + j] = sqrt(a[j * n + j]);
		for (int i = j + 1; i < (k + 1) * b; i++)
			a[i * n + j] /= a[j * n + j];
		for (int i = j + 1; i < (k + 1) * b; i++)
			for (int m = j + 1; m <= i; m++)
				a[i * n + m] -= a[i * n + j] * a[m * n + j];
	}
}

/* A tile below it is solved for: a row for each work-item. */
__kernel void solve(__global float *a, __global const float *factor, int n, int k, int b)
{
	const int i = get_global_id(0);

	for (int j = k * b; j < (k + 1) * b; j++) {
		float sum = a[i * n + j];

		for (int m = k * b; m < j; m++)
			sum -= a[i * n + m] * factor[j * n + m];
		a[i * n + j] = sum / factor[j * n + j];
	}
}

/* A tile further right loses the product of the two in column k that are in its row and in its column's row. */
__kernel void update(__global float *a, __global const float *left, __global const float *above, int n, int k,
		     int b)
{
	const int i = get_global_id(1), j = get_global_id(0);
	float sum = 0;

	for (int m = k * b; m < (k + 1) * b; m++)
		sum += left[i * n + m] * above[j * n + m];
	a[i * n + j] -= sum;
}
