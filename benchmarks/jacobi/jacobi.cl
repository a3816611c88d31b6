/* jacobi.cl - a sweep of Jacobi's iteration, in single and in double precision. Rounding is that of the plain loop: the
 * order of the additions is fixed, and none is fused with another operation. */
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT OFF

#define GROUP 32

/* A cell of the next grid: the mean of its four neighbours now. The range is of whole rows, so that what
 * another device needs of them is one piece; their first and last cell stay, as do the places that make a row a
 * multiple of the work-group, GROUP cells beside each other. An array may begin with `first_row`. */
#define SWEEP(name, number)                                                                                            \
	__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void name(                                          \
		__global number *restrict next, __global const number *restrict now, int cols, int pitch, int first_row)\
	{                                                                                                               \
		const int col = (int)get_global_id(0);                                                                  \
		const size_t cell = (get_global_id(1) - (size_t)first_row) * (size_t)pitch + (size_t)col;               \
		const number sum = now[cell - pitch] + now[cell + pitch] + now[cell - 1] + now[cell + 1];               \
                                                                                                                       \
		next[cell] = col > 0 && col < cols - 1 ? (number)0.25 * sum : now[cell];                                \
	}

SWEEP(sweep_float, float)
#ifdef cl_khr_fp64
SWEEP(sweep_double, double)
#endif
