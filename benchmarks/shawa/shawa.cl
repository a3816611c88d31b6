/* shawa.cl - a step of shallow water that carries a contaminant: what passes the edges of the cells, the largest speed,
 * and the new state. A work-item looks at LANES cells of a row, as the lanes of vectors.
 *
 * A row of the state is four rows of numbers: depth, momentum to the east, to the south, amount of contaminant (depth
 * times concentration). A row of cells has `pitch` places, those from `cols` on stay empty. Row 0 is the northernmost.
 * No operation is fused with another: what leaves a cell enters its neighbour bit for bit, on whatever devices. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

#define LANES 4
#define GROUP 25
#define SEARCH 64
#define GRAVITY 9.81

typedef double4 real;
typedef long4 truth;

enum { WEST, EAST, NORTH, SOUTH };
enum { WALL, OPEN, PERIODIC, TIDE };

/* As in shawa.h. */
struct sea {
	int rows, cols, pitch, first_row, above, below, clock, side[4];
	double dx, dy, courant, dry, until, tide_mean, tide_height, tide_period;
};

/* Cells, and cells as an edge sees them: momentum across the edge and along it. */
struct cells {
	real h, east, south, c, z;
};

struct bank {
	real h, across, along, c, z;
};

/* What passes an edge; the momentum across it as either side feels it; the fastest wave. */
struct passing {
	real mass, along, tracer, left, right, speed;
};

/* ---- edges ------------------------------------------------------------------------------------- */

real per_depth(real amount, real h, double dry)
{
	return h > dry ? amount / h : 0.0;
}

real pressure(real h)
{
	return 0.5 * GRAVITY * h * h;
}

/* What comes with the water that passes: its concentration is that of where it comes from. */
real carried(real mass, real at_left, real at_right, real hl, real hr, double dry)
{
	return mass * per_depth(mass > 0.0 ? at_left : at_right, mass > 0.0 ? hl : hr, dry);
}

/* `where` the edge lets nothing through, each side feels its own water, and a wet side's waves run up to it. */
struct passing shut(struct passing p, struct bank l, struct bank r, double dry, truth where)
{
	const real left = fabs(per_depth(l.across, l.h, dry)) + sqrt(GRAVITY * l.h);
	const real right = fabs(per_depth(r.across, r.h, dry)) + sqrt(GRAVITY * r.h);

	p.mass = where ? 0.0 : p.mass;
	p.along = where ? 0.0 : p.along;
	p.tracer = where ? 0.0 : p.tracer;
	p.left = where ? pressure(l.h) : p.left;
	p.right = where ? pressure(r.h) : p.right;
	p.speed = where ? (l.h > dry ? left : (r.h > dry ? right : 0.0)) : p.speed;
	return p;
}

/* The absolute speed of a wave, made larger where the wave spreads (Harten and Hyman). */
real damped(real speed, real at_left, real at_right)
{
	const real least = fmax(fmax(speed - at_left, at_right - speed), 0.0);

	return fabs(speed) >= least ? fabs(speed) : (speed * speed + least * least) / (2.0 * least);
}

/* Roe's solver, the slope of the bed split among the waves. */
struct passing roe(struct bank l, struct bank r, double dry)
{
	const real ul = per_depth(l.across, l.h, dry), ur = per_depth(r.across, r.h, dry);
	const real vl = per_depth(l.along, l.h, dry), vr = per_depth(r.along, r.h, dry);
	const real root_l = sqrt(l.h), root_r = sqrt(r.h), roots = root_l + root_r;
	const real h = 0.5 * (l.h + r.h), a = sqrt(GRAVITY * h), dh = r.h - l.h, dz = r.z - l.z;
	const real u = (root_l * ul + root_r * ur) / roots, v = (root_l * vl + root_r * vr) / roots;
	const real first = u - a, last = u + a, push = (r.across - l.across - u * dh) / a;
	const real wave_l = sqrt(GRAVITY * l.h), wave_r = sqrt(GRAVITY * r.h);
	const real one = 0.5 * damped(first, ul - wave_l, ur - wave_r) * (dh - push) - 0.5 * sign(first) * a * dz;
	const real four = 0.5 * damped(last, ul + wave_l, ur + wave_r) * (dh + push) + 0.5 * sign(last) * a * dz;
	const real shear = fabs(u) * (r.along - l.along - v * dh);
	const real thrust = 0.5 * (l.across * ul + r.across * ur) - 0.5 * (one * first + four * last);
	const real level_l = l.h + l.z, level_r = r.h + r.z, lift = 0.5 * GRAVITY * h * (level_r - level_l);
	const truth wet_l = l.h > dry, wet_r = r.h > dry;
	struct passing p;

	p.mass = 0.5 * (l.across + r.across) - 0.5 * (one + four);
	p.along = 0.5 * (l.across * vl + r.across * vr) - 0.5 * ((one + four) * v + shear);
	p.tracer = carried(p.mass, l.c, r.c, l.h, r.h, dry);
	p.left = pressure(l.h) + thrust + lift;
	p.right = pressure(r.h) + thrust - lift;
	p.speed = fmax(fabs(first), fabs(last));
	return shut(p, l, r, dry, (!wet_l && (!wet_r || level_r <= l.z)) || (!wet_r && level_l <= r.z));
}

/* Depths above the higher of the two beds, and the solver of Harten, Lax and van Leer. */
struct passing hll(struct bank l, struct bank r, double dry)
{
	const real ul = per_depth(l.across, l.h, dry), ur = per_depth(r.across, r.h, dry), bed = fmax(l.z, r.z);
	const real hl = fmax(l.h + l.z - bed, 0.0), hr = fmax(r.h + r.z - bed, 0.0);
	const real wave_l = sqrt(GRAVITY * hl), wave_r = sqrt(GRAVITY * hr), ql = hl * ul, qr = hr * ur;
	const real first = hl > 0.0 ? fmin(ul - wave_l, ur - wave_r) : ur - 2.0 * wave_r;
	const real last = hr > 0.0 ? fmax(ul + wave_l, ur + wave_r) : ul + 2.0 * wave_l;
	const real thrust_l = ql * ul + pressure(hl), thrust_r = qr * ur + pressure(hr), span = last - first;
	const real mass = (last * ql - first * qr + first * last * (hr - hl)) / span;
	const real thrust = (last * thrust_l - first * thrust_r + first * last * (qr - ql)) / span;
	const real push = first >= 0.0 ? thrust_l : (last <= 0.0 ? thrust_r : thrust);
	struct passing p;

	p.mass = first >= 0.0 ? ql : (last <= 0.0 ? qr : mass);
	p.along = carried(p.mass, l.along, r.along, l.h, r.h, dry);
	p.tracer = carried(p.mass, l.c, r.c, l.h, r.h, dry);
	p.left = push + pressure(l.h) - pressure(hl);
	p.right = push + pressure(r.h) - pressure(hr);
	p.speed = fmax(fabs(ul) + sqrt(GRAVITY * l.h), fabs(ur) + sqrt(GRAVITY * r.h));
	return shut(p, l, r, dry, hl <= 0.0 && hr <= 0.0);
}

/* ---- cells ------------------------------------------------------------------------------------- */

/* LANES cells from a column on; `state` and `bed` are those of their row. */
struct cells load(__global const double *state, __global const double *bed, int pitch, int column)
{
	struct cells c;

	c.h = vload4(0, state + column);
	c.east = vload4(0, state + pitch + column);
	c.south = vload4(0, state + 2 * pitch + column);
	c.c = vload4(0, state + 3 * pitch + column);
	c.z = vload4(0, bed + column);
	return c;
}

void put(__global double *to, truth where, real value)
{
	vstore4(where ? value : 0.0, 0, to);
}

/* One cell in all lanes. */
struct cells load_one(__global const double *state, __global const double *bed, int pitch, int column)
{
	const struct cells c = {state[column], state[pitch + column], state[2 * pitch + column],
				state[3 * pitch + column], bed[column]};
	return c;
}

struct bank to_east(struct cells c)
{
	const struct bank b = {c.h, c.east, c.south, c.c, c.z};
	return b;
}

struct bank to_south(struct cells c)
{
	const struct bank b = {c.h, c.south, c.east, c.c, c.z};
	return b;
}

struct bank choose(truth where, struct bank a, struct bank b)
{
	const struct bank c = {where ? a.h : b.h, where ? a.across : b.across, where ? a.along : b.along,
			       where ? a.c : b.c, where ? a.z : b.z};
	return c;
}

/* What lies beyond a side of the sea. The tide brings clean water. */
struct bank beyond(struct bank in, int kind, double level, double dry)
{
	struct bank out = in;

	if (kind == WALL)
		out.across = -in.across;
	if (kind == TIDE) {
		out.h = fmax(level - in.z, 0.0);
		out.across = per_depth(in.across, in.h, dry) * out.h;
		out.along = per_depth(in.along, in.h, dry) * out.h;
		out.c = 0.0;
	}
	return out;
}

struct passing solve(int with_roe, struct bank l, struct bank r, double dry, truth wall)
{
	struct passing p = with_roe ? roe(l, r, dry) : hll(l, r, dry);

	p.mass = wall ? 0.0 : p.mass;
	p.along = wall ? 0.0 : p.along;
	p.tracer = wall ? 0.0 : p.tracer;
	return p;
}

double tide_at(const struct sea *sea, double time)
{
	return sea->tide_mean + sea->tide_height * sin(2.0 * M_PI * time / sea->tide_period);
}

/* ---- neighbours -------------------------------------------------------------------------------- */

/* Where the rows around a cell are read: in `near` its own and those of its neighbours, in `far` the one across
 * the sea, where it is periodic. */
struct view {
	__global const double *near, *far, *near_bed, *far_bed;
	const struct sea *sea;
	double level;
	int x, y;
	struct cells me;
};

struct cells row_near(const struct view *v, int y, int x)
{
	const size_t row = y - v->sea->first_row, pitch = v->sea->pitch;

	return load(v->near + row * 4 * pitch, v->near_bed + row * pitch, (int)pitch, x);
}

struct cells row_far(const struct view *v, int row)
{
	const size_t pitch = v->sea->pitch;

	return load(v->far + row * 4 * pitch, v->far_bed + row * pitch, (int)pitch, v->x);
}

/* What lies beyond the western or eastern side; `other` is the column at the other end of the row. */
struct bank beyond_row(const struct view *v, int side, int other)
{
	const size_t row = v->y - v->sea->first_row, pitch = v->sea->pitch;

	if (v->sea->side[side] != PERIODIC)
		return beyond(to_east(v->me), v->sea->side[side], v->level, v->sea->dry);
	return to_east(load_one(v->near + row * 4 * pitch, v->near_bed + row * pitch, (int)pitch, other));
}

struct bank west_of(const struct view *v, truth at_side)
{
	const struct bank b = to_east(v->me);
	const struct bank moved = {b.h.s0012, b.across.s0012, b.along.s0012, b.c.s0012, b.z.s0012};

	if (v->x > 0)
		return to_east(row_near(v, v->y, v->x - 1));
	return choose(at_side, beyond_row(v, WEST, v->sea->cols - 1), moved);
}

struct bank east_of(const struct view *v, truth at_side)
{
	const struct bank b = to_east(v->me);
	const struct bank moved = {b.h.s1233, b.across.s1233, b.along.s1233, b.c.s1233, b.z.s1233};

	if (v->x + LANES < v->sea->cols)
		return to_east(row_near(v, v->y, v->x + 1));
	return choose(at_side, beyond_row(v, EAST, 0), moved);
}

struct bank north_of(const struct view *v)
{
	if (v->y > 0)
		return to_south(row_near(v, v->y - 1, v->x));
	if (v->sea->side[NORTH] == PERIODIC)
		return to_south(row_far(v, v->sea->above));
	return beyond(to_south(v->me), v->sea->side[NORTH], v->level, v->sea->dry);
}

struct bank south_of(const struct view *v)
{
	if (v->y < v->sea->rows - 1)
		return to_south(row_near(v, v->y + 1, v->x));
	if (v->sea->side[SOUTH] == PERIODIC)
		return to_south(row_far(v, v->sea->below));
	return beyond(to_south(v->me), v->sea->side[SOUTH], v->level, v->sea->dry);
}

/* ---- kernels ----------------------------------------------------------------------------------- */

/* How the cells of this work-item change in a second, and the largest sum over a cell's edges of length times
 * speed. */
void flux_inside(__global double *rate, __global double *pace, const struct view *v, int with_roe)
{
	const struct sea *const sea = v->sea;
	const int4 column = v->x + (int4)(0, 1, 2, 3);
	const truth inside = convert_long4(column < sea->cols), none = 0;
	const truth first = convert_long4(column == 0), last = convert_long4(column == sea->cols - 1);
	const truth top = v->y == 0 ? ~none : none, bottom = v->y == sea->rows - 1 ? ~none : none;
	const double dx = sea->dx, dy = sea->dy, area = dx * dy, dry = sea->dry;
	const struct bank eastward = to_east(v->me), southward = to_south(v->me);
	const int pitch = sea->pitch;
	struct passing w, e, n, s;
	real sum;

	w = solve(with_roe, west_of(v, first), eastward, dry, sea->side[WEST] == WALL ? first : none);
	e = solve(with_roe, eastward, east_of(v, last), dry, sea->side[EAST] == WALL ? last : none);
	n = solve(with_roe, north_of(v), southward, dry, sea->side[NORTH] == WALL ? top : none);
	s = solve(with_roe, southward, south_of(v), dry, sea->side[SOUTH] == WALL ? bottom : none);
	sum = inside ? dy * (w.speed + e.speed) + dx * (n.speed + s.speed) : 0.0;
	put(rate, inside, (dy * (w.mass - e.mass) + dx * (n.mass - s.mass)) / area);
	put(rate + pitch, inside, (dy * (w.right - e.left) + dx * (n.along - s.along)) / area);
	put(rate + 2 * pitch, inside, (dy * (w.along - e.along) + dx * (n.right - s.left)) / area);
	put(rate + 3 * pitch, inside, (dy * (w.tracer - e.tracer) + dx * (n.tracer - s.tracer)) / area);
	*pace = fmax(fmax(sum.s0, sum.s1), fmax(sum.s2, sum.s3));
}

/* Where there are no cells nothing changes. */
void flux_outside(__global double *rate, __global double *pace, int pitch)
{
	for (int i = 0; i < 4; i++)
		vstore4((real)0.0, 0, rate + i * pitch);
	*pace = 0.0;
}

/* Where a row's clock says what time it is. */
size_t clock_of(const struct sea *sea, int now)
{
	return get_global_id(1) * sea->clock + now;
}

void flux(__global double *rate, __global double *pace, struct view *v, const struct sea *sea,
	  __global const double *clock, int now, int with_roe)
{
	const int x = (int)get_global_id(0) * LANES, y = (int)get_global_id(1), pitch = sea->pitch;
	const size_t row = y - sea->first_row;

	rate += row * 4 * pitch + x;
	pace += (row * pitch + x) / LANES;
	if (x >= sea->cols) {
		flux_outside(rate, pace, pitch);
		return;
	}
	v->sea = sea;
	v->level = tide_at(sea, clock[clock_of(sea, now)]);
	v->x = x;
	v->y = y;
	v->me = row_near(v, y, x);
	flux_inside(rate, pace, v, with_roe);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
flux_roe(__global double *restrict rate, __global double *restrict pace, __global const double *near,
	 __global const double *far, __global const double *near_bed, __global const double *far_bed,
	 __global const double *clock, const struct sea sea, int now)
{
	struct view v = {near, far, near_bed, far_bed};

	flux(rate, pace, &v, &sea, clock, now, 1);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
flux_hll(__global double *restrict rate, __global double *restrict pace, __global const double *near,
	 __global const double *far, __global const double *near_bed, __global const double *far_bed,
	 __global const double *clock, const struct sea sea, int now)
{
	struct view v = {near, far, near_bed, far_bed};

	flux(rate, pace, &v, &sea, clock, now, 0);
}

/* The largest pace: each of so many groups finds that of its part of the rows. */
__kernel __attribute__((reqd_work_group_size(SEARCH, 1, 1))) void
fastest(__global double *restrict most, __global const double *restrict pace, const struct sea sea, int groups)
{
	const int item = (int)get_local_id(0), group = (int)get_global_id(0) / SEARCH, columns = sea.pitch / LANES;
	const int end = sea.rows * (group + 1) / groups - sea.first_row;
	__local double found[SEARCH];
	double largest = 0.0;

	for (int y = sea.rows * group / groups - sea.first_row; y < end; y++)
		for (int x = item; x < columns; x += SEARCH)
			largest = fmax(largest, pace[(size_t)y * columns + x]);
	found[item] = largest;
	for (int reach = SEARCH / 2; reach > 0; reach /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (item < reach)
			found[item] = fmax(found[item], found[item + reach]);
	}
	if (item == 0)
		most[group] = found[0];
}

/* Everything moves on by as much time as the fastest cell of all devices allows. The first work-item of a row stores
 * what its clock says then, or, where rows have one in common, that of the device's first row. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
update(__global double *restrict state, __global double *restrict clock, __global const double *restrict rate,
       __global const double *restrict most, const struct sea sea, int now, int count)
{
	const int pitch = sea.pitch, x = (int)get_global_id(0) * LANES;
	const size_t at = (get_global_id(1) - sea.first_row) * 4 * pitch + x, time = clock_of(&sea, now);
	__local double step;
	real h, east, south, c;
	truth wet;

	if (get_local_id(0) == 0) {
		double largest = 0.0;

		for (int i = 0; i < count; i++)
			largest = fmax(largest, most[i]);
		step = largest > 0.0 ? 2.0 * sea.courant * sea.dx * sea.dy / largest : 0.0;
		step = fmax(0.0, fmin(step, sea.until - clock[time]));
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (x == 0 && (sea.clock || get_global_id(1) == get_global_offset(1)))
		clock[time + 1] = clock[time] + step;
	h = vload4(0, state + at) + step * vload4(0, rate + at);
	east = vload4(0, state + at + pitch) + step * vload4(0, rate + at + pitch);
	south = vload4(0, state + at + 2 * pitch) + step * vload4(0, rate + at + 2 * pitch);
	c = vload4(0, state + at + 3 * pitch) + step * vload4(0, rate + at + 3 * pitch);
	wet = h > sea.dry;
	vstore4(fmax(h, 0.0), 0, state + at);
	vstore4(wet ? east : 0.0, 0, state + at + pitch);
	vstore4(wet ? south : 0.0, 0, state + at + 2 * pitch);
	vstore4(h < 0.0 ? 0.0 : c, 0, state + at + 3 * pitch);
}
