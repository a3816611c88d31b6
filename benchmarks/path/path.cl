/* path.cl - a sweep of the shortest paths to a target: a point's cost is the least by way of a neighbour. A work-item
 * looks at ITEM points beside each other, as the lanes of vectors; GROUP items beside each other are a work-group.
 * Rounding is that of Dijkstra's algorithm in plain C: sums are those of a path, edge by edge from the target, and no
 * operation is fused with another. */
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT OFF

#define ITEM 4
#define GROUP 16

/* Costs after one more edge, in single or double precision: the least by way of a neighbour. Where a height is not
 * known a sum is no number, and not less. `last` tells which sweep was the last that changed something: where a
 * cost is lower than before, last[at] becomes `number`, or, if `each` is 1, so that each row has its own,
 * last[row + at]. Rows are as long as `pitch`, and their first and last ITEM places are no points, so that the
 * range can be of whole rows and nobody looks beyond them. `flat`: the squares of distances on the map, across,
 * down and diagonally. Costs and heights may begin with `first_row`. */
#define LOOK(real, way, flat)                                                                                          \
{                                                                                                                      \
	const real##4 climb = convert_##real##4(vload4(0, height + place + (way))) - z;                                \
	const real##4 sum = vload4(0, now + place + (way)) + sqrt(flat + climb * climb);                               \
                                                                                                                       \
	best = select(best, sum, sum < best);                                                                          \
}

#define SWEEP(name, real)                                                                                              \
	__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void name(                                         \
		__global real *restrict next, __global int *restrict last, __global const real *restrict now,          \
		__global const float *restrict height, real##4 flat, int pitch, int first_row, int each, int at,       \
		int number)                                                                                            \
	{                                                                                                              \
		const int item = (int)get_global_id(0);                                                                \
		const size_t place = (get_global_id(1) - (size_t)first_row) * (size_t)pitch + (size_t)(item * ITEM);   \
		const real##4 old = vload4(0, now + place), z = convert_##real##4(vload4(0, height + place));          \
		real##4 best = old;                                                                                    \
                                                                                                                       \
		if (item > 0 && item < pitch / ITEM - 1) {                                                             \
			LOOK(real, -pitch - 1, flat.s2)                                                                \
			LOOK(real, -pitch, flat.s1)                                                                    \
			LOOK(real, -pitch + 1, flat.s2)                                                                \
			LOOK(real, -1, flat.s0)                                                                        \
			LOOK(real, 1, flat.s0)                                                                         \
			LOOK(real, pitch - 1, flat.s2)                                                                 \
			LOOK(real, pitch, flat.s1)                                                                     \
			LOOK(real, pitch + 1, flat.s2)                                                                 \
		}                                                                                                      \
		vstore4(best, 0, next + place);                                                                        \
		if (any(best < old))                                                                                   \
			last[(int)get_global_id(1) * each + at] = number;                                              \
	}

SWEEP(sweep_float, float)
#ifdef cl_khr_fp64
SWEEP(sweep_double, double)
#endif
