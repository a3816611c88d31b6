/* cg.cl - a step of conjugate gradients, one work-item an unknown. Scalars are arrays of one element, to stay
 * where the kernels are. They are 0 once r is: further steps, until the host looks, change nothing. */
#pragma OPENCL FP_CONTRACT OFF

/* q = A p. Row i of A has entries first[i] to first[i + 1] - 1. `pq`: what is to be summed to p . q. */
__kernel void multiply(__global float *q, __global float *pq, __global const int *first, __global const int *col,
		       __global const float *value, __global const float *p)
{
	const int i = get_global_id(0);
	float sum = 0.0f;

	for (int k = first[i]; k < first[i + 1]; k++)
		sum += value[k] * p[col[k]];
	q[i] = sum;
	pq[i] = p[i] * sum;
}

/* x goes along p as far as helps, and r stays b - A x. `rr`: what is to be summed to r . r. */
__kernel void advance(__global float *x, __global float *r, __global float *rr, __global const float *p,
		      __global const float *q, __global const float *rho, __global const float *curvature)
{
	const int i = get_global_id(0);
	const float step = *curvature > 0.0f ? *rho / *curvature : 0.0f;

	x[i] += step * p[i];
	r[i] -= step * q[i];
	rr[i] = r[i] * r[i];
}

/* The next direction. */
__kernel void turn(__global float *p, __global const float *r, __global const float *rho,
		   __global const float *rho_before)
{
	const int i = get_global_id(0);

	p[i] = r[i] + (*rho_before > 0.0f ? *rho / *rho_before : 0.0f) * p[i];
}
