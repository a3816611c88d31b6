/* path.cl - a sweep of the shortest paths to a target: a point's cost is the least by way of a neighbour. A work-item
 * looks at ITEM points beside each other, as the lanes of vectors; GROUP items beside each other are a work-group.
 * Rounding is that of Dijkstra's algorithm in plain C: sums are those of a path, edge by edge from the target, and no
 * operation is fused with another. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

#define ITEM 4
#define GROUP 16

/* The lesser of the best cost and that by way of points with these costs, so much higher, so far away: `flat` is the
 * square of the distance on the map. Where a height is not known the sum is no number, and not less. */
double4 by_way_of(double4 best, double4 cost, double4 climb, double flat)
{
	const double4 sum = cost + sqrt(flat + climb * climb);

	return select(best, sum, sum < best);
}

/* Costs after one more edge. Where there is a lower one, last[at] becomes `number`, or with `each` row having one of its
 * own, last[row + at]: which sweep was the last that changed something. Rows are as long as `pitch`, and their first
 * and last ITEM places are no points, so that the range can be of whole rows and nobody looks beyond them. `across`, `down`
 * and `diagonal` are the squares of distances on the map. Costs and heights may begin with `first_row`. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
sweep(__global double *restrict next, __global int *restrict last, __global const double *restrict now,
      __global const float *restrict height, double across, double down, double diagonal, int pitch, int first_row,
      int each, int at, int number)
{
	const int item = (int)get_global_id(0);
	const size_t place = (get_global_id(1) - (size_t)first_row) * (size_t)pitch + (size_t)(item * ITEM);
	const double4 old = vload4(0, now + place), z = convert_double4(vload4(0, height + place));
	double4 best = old;

	if (item > 0 && item < pitch / ITEM - 1) {
#define LOOK(way, flat)                                                                                              \
	best = by_way_of(best, vload4(0, now + place + (way)), convert_double4(vload4(0, height + place + (way))) - z, \
			 flat)
		LOOK(-pitch - 1, diagonal);
		LOOK(-pitch, down);
		LOOK(-pitch + 1, diagonal);
		LOOK(-1, across);
		LOOK(1, across);
		LOOK(pitch - 1, diagonal);
		LOOK(pitch, down);
		LOOK(pitch + 1, diagonal);
	}
	vstore4(best, 0, next + place);
	if (any(best < old))
		last[(int)get_global_id(1) * each + at] = number;
}
