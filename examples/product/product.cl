/* product.cl - c = a b, matrices by rows: c is m x n, a m x p, b p x n. One work-item an element of c. */
#pragma OPENCL FP_CONTRACT OFF

__kernel void product(__global float *c, __global const float *a, __global const float *b, int p, int n)
{
	const size_t x = get_global_id(0), y = get_global_id(1);
	float sum = 0.0f;

	for (int k = 0; k < p; k++)
		sum += a[y * p + k] * b[k * (size_t)n + x];
	c[y * n + x] = sum;
}
