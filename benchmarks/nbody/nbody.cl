/* nbody.cl - a step of N bodies that attract each other. A work-item moves BODIES bodies, as the lanes of vectors,
 * and looks at all bodies one after the other; GROUP items are a work-group. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define BODIES 4
#define GROUP 32
#define SOFTENING_SQUARED 0.0025

/* Bodies are at `now` (x, y, z and the mass). What attracts them changes their velocities for the time `kick`;
 * with the new ones they move on for the time `drift`. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
move(__global double4 *restrict next, __global double4 *restrict velocity, __global const double4 *restrict now,
     int bodies, double kick, double drift)
{
	const size_t first = get_global_id(0) * BODIES;
	const double4 p0 = now[first], p1 = now[first + 1], p2 = now[first + 2], p3 = now[first + 3];
	const double4 x = (double4)(p0.x, p1.x, p2.x, p3.x);
	const double4 y = (double4)(p0.y, p1.y, p2.y, p3.y);
	const double4 z = (double4)(p0.z, p1.z, p2.z, p3.z);
	double4 ax = 0.0, ay = 0.0, az = 0.0, v0, v1, v2, v3;

	for (int j = 0; j < bodies; j++) {
		const double4 other = now[j];
		const double4 dx = other.x - x, dy = other.y - y, dz = other.z - z;
		const double4 squared = dx * dx + dy * dy + dz * dz + SOFTENING_SQUARED;
		const double4 pull = other.w / (squared * sqrt(squared));

		ax += pull * dx;
		ay += pull * dy;
		az += pull * dz;
	}
	v0 = velocity[first] + kick * (double4)(ax.x, ay.x, az.x, 0.0);
	v1 = velocity[first + 1] + kick * (double4)(ax.y, ay.y, az.y, 0.0);
	v2 = velocity[first + 2] + kick * (double4)(ax.z, ay.z, az.z, 0.0);
	v3 = velocity[first + 3] + kick * (double4)(ax.w, ay.w, az.w, 0.0);
	velocity[first] = v0;
	velocity[first + 1] = v1;
	velocity[first + 2] = v2;
	velocity[first + 3] = v3;
	next[first] = p0 + drift * v0;
	next[first + 1] = p1 + drift * v1;
	next[first + 2] = p2 + drift * v2;
	next[first + 3] = p3 + drift * v3;
}
