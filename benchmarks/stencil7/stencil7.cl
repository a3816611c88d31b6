/* stencil7.cl - a step of a 7-point stencil in three dimensions, in single and in double precision. Every operation is
 * rounded by itself, so that the result does not depend on who computes which planes. */
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT OFF

/* Whole planes: what lies on the border of one stays as it is. The first and last plane are none of the range's, so
 * there is something beside every element of it. */
#define RELAX(name, number)                                                                                            \
	__kernel void name(__global number *restrict next, __global const number *restrict now, int nx, int ny,        \
			   number alpha, number beta)                                                                  \
	{                                                                                                              \
		const int x = (int)get_global_id(0), y = (int)get_global_id(1);                                        \
		const size_t row = nx, plane = row * ny, i = get_global_id(2) * plane + y * row + x;                   \
		const number sum =                                                                                     \
			now[i - 1] + now[i + 1] + now[i - row] + now[i + row] + now[i - plane] + now[i + plane];       \
		const int inside = x > 0 && x < nx - 1 && y > 0 && y < ny - 1;                                         \
                                                                                                                       \
		next[i] = inside ? alpha * now[i] + beta * sum : now[i];                                               \
	}

RELAX(relax_float, float)
#ifdef cl_khr_fp64
RELAX(relax_double, double)
#endif
