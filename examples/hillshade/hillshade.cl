/* hillshade.cl - terrain kernels. Row 0 is the northernmost, column 0 the westernmost; a height that is not
 * known is NaN. Only + - * / sqrt and no contraction: a device that rounds these correctly gives C's bits.
 *
 * A work-item makes one cell: column get_global_id(0), row get_global_id(1). Rows are padded to whole
 * work-groups: `pitch` is the distance from one row to the next, and the cells from `cols` on are computed like
 * any other and never looked at. So no kernel has to leave work-items out, which is slow on CPUs, whose
 * compilers make vectors of neighbouring columns. */
#pragma OPENCL FP_CONTRACT OFF

/* `value` where it is known, else `other`. */
float known(float value, float other)
{
	return value == value ? value : other;
}

/* The value at `weight`, 0 to 1, of the way from a to b. */
float between(float a, float b, float weight)
{
	return a + (b - a) * weight;
}

/* Bilinear: corner cells fall on corner cells. Beside a hole the nearest of the four cells decides. */
__kernel void resample(__global float *restrict height, int pitch, __global const float *restrict grid,
                       int grid_rows, int grid_cols, float row_step, float col_step)
{
	const size_t x = get_global_id(0), y = get_global_id(1);
	const float down = (float)(int)y * row_step, right = (float)(int)x * col_step;
	const int north = min((int)down, grid_rows - 2), west = min((int)right, grid_cols - 2);
	const float v = down - (float)north, u = right - (float)west;
	__global const float *at = grid + (size_t)north * grid_cols + west;
	const float nw = at[0], ne = at[1], sw = at[grid_cols], se = at[grid_cols + 1];
	const float nearest = v < 0.5f ? (u < 0.5f ? nw : ne) : (u < 0.5f ? sw : se);

	height[y * pitch + x] = known(between(between(nw, ne, u), between(sw, se, u), v), nearest);
}

/* The nine heights around a cell: for places outside, the nearest inside; for holes, the cell's own. */
struct around {
	float nw, n, ne, w, c, e, sw, s, se;
};

struct around look_around(__global const float *height, int rows, int cols, int pitch, size_t x, size_t y)
{
	__global const float *mid = height + y * pitch + x;
	__global const float *north = y > 0 ? mid - pitch : mid;
	__global const float *south = y < rows - 1 ? mid + pitch : mid;
	struct around a;
	a.nw = a.n = a.ne = north[0];
	a.w = a.c = a.e = mid[0];
	a.sw = a.s = a.se = south[0];
	if (x > 0) {
		a.nw = north[-1];
		a.w = mid[-1];
		a.sw = south[-1];
	}
	if (x < cols - 1) {
		a.ne = north[1];
		a.e = mid[1];
		a.se = south[1];
	}
	a.nw = known(a.nw, a.c);
	a.n = known(a.n, a.c);
	a.ne = known(a.ne, a.c);
	a.w = known(a.w, a.c);
	a.e = known(a.e, a.c);
	a.sw = known(a.sw, a.c);
	a.s = known(a.s, a.c);
	a.se = known(a.se, a.c);
	return a;
}

/* One sweep with the binomial weights 1 2 1, 2 4 2, 1 2 1. A hole stays one. */
__kernel void smooth(__global float *restrict smoothed, __global const float *restrict height, int rows,
                     int cols, int pitch)
{
	const size_t x = get_global_id(0), y = get_global_id(1);
	const struct around a = look_around(height, rows, cols, pitch, x, y);
	const float sides = (a.n + a.s) + (a.w + a.e);
	const float corners = (a.nw + a.ne) + (a.sw + a.se);

	smoothed[y * pitch + x] = (4.0f * a.c + 2.0f * sides + corners) * 0.0625f;
}

/* Horn's method: the gradient from weighted differences of the rows and columns around; `per_east` is
 * 1 / (8 dx), `per_north` 1 / (8 dy). Its length is the slope (rise over run). The shade is the cosine of the
 * angle between the surface's normal (-east, -north, 1) and the direction to the sun, a vector of length 1;
 * 0 in the shadow. A hole stays one in both. */
__kernel void relief(__global float *restrict slope, __global float *restrict shade,
                     __global const float *restrict height, int rows, int cols, int pitch, float per_east,
                     float per_north, float sun_east, float sun_north, float sun_up)
{
	const size_t x = get_global_id(0), y = get_global_id(1);
	const struct around a = look_around(height, rows, cols, pitch, x, y);
	const float east = ((a.ne + 2.0f * a.e + a.se) - (a.nw + 2.0f * a.w + a.sw)) * per_east;
	const float north = ((a.nw + 2.0f * a.n + a.ne) - (a.sw + 2.0f * a.s + a.se)) * per_north;
	const float steep = east * east + north * north;
	const float light = (sun_up - sun_east * east - sun_north * north) / sqrt(1.0f + steep);

	slope[y * pitch + x] = a.c == a.c ? sqrt(steep) : a.c;
	shade[y * pitch + x] = a.c == a.c ? (light < 0.0f ? 0.0f : light) : a.c;
}
