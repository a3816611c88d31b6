/* heat.cl - a plate whose edge keeps its temperature: each cell inside becomes the mean of its neighbours.
 * Written for one device: `now` and `next` are whole plates, `columns` wide. */
#pragma OPENCL FP_CONTRACT OFF

/* The range is rows 1 to rows - 2, all columns. */
__kernel void diffuse(__global float *next, __global const float *now, int columns)
{
	const size_t x = get_global_id(0), y = get_global_id(1), at = y * columns + x;
	const bool edge = x == 0 || x == (size_t)columns - 1;

	next[at] = edge ? now[at]
			: 0.25f * ((now[at - columns] + now[at + columns]) + (now[at - 1] + now[at + 1]));
}

/* Has any cell changed by more than `little`? */
__kernel void compare(__global int *moving, __global const float *next, __global const float *now, int columns,
		      float little)
{
	const size_t at = get_global_id(1) * columns + get_global_id(0);

	if (fabs(next[at] - now[at]) > little)
		atomic_or(moving, 1);
}
