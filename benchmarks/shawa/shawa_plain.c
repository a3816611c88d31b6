/* shawa_plain.c - ShaWa in plain C, on one core: edge by edge, each once. */

#include "shawa/shawa.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct state {
	const struct shawa_problem *problem;
	double *state, *rate, *pace, *clock;
};

/* A cell as an edge sees it: momentum and speed across it and along it. */
struct bank {
	double h, across, along, c, z;
};

struct passing {
	double mass, along, tracer, left, right, speed;
};

static double per_depth(double amount, double h, double dry)
{
	return h > dry ? amount / h : 0;
}

static double pressure(double h)
{
	return 0.5 * SHAWA_GRAVITY * h * h;
}

static double wave(const struct bank *b, double dry)
{
	return fabs(per_depth(b->across, b->h, dry)) + sqrt(SHAWA_GRAVITY * b->h);
}

/* ---- edges ------------------------------------------------------------------------------------- */

/* Nothing passes; each side feels its own water. */
static struct passing shut(const struct bank *l, const struct bank *r, double dry)
{
	const struct passing p = {.left = pressure(l->h),
				  .right = pressure(r->h),
				  .speed = l->h > dry   ? wave(l, dry)
					   : r->h > dry ? wave(r, dry)
							: 0};

	return p;
}

static double damped(double speed, double at_left, double at_right)
{
	const double least = fmax(0, fmax(speed - at_left, at_right - speed));

	return fabs(speed) >= least ? fabs(speed) : (speed * speed + least * least) / (2 * least);
}

static double sign_of(double x)
{
	return (x > 0) - (x < 0);
}

static int is_shut(const struct bank *l, const struct bank *r, double dry)
{
	if (l->h <= dry)
		return r->h <= dry || r->h + r->z <= l->z;
	return r->h <= dry && l->h + l->z <= r->z;
}

static struct passing roe(const struct bank *l, const struct bank *r, double dry)
{
	const double ul = per_depth(l->across, l->h, dry), ur = per_depth(r->across, r->h, dry);
	const double vl = per_depth(l->along, l->h, dry), vr = per_depth(r->along, r->h, dry);
	const double root_l = sqrt(l->h), root_r = sqrt(r->h), roots = root_l + root_r;
	const double u = (root_l * ul + root_r * ur) / roots, v = (root_l * vl + root_r * vr) / roots;
	const double h = 0.5 * (l->h + r->h), a = sqrt(SHAWA_GRAVITY * h), dh = r->h - l->h, dz = r->z - l->z;
	const double wave_l = sqrt(SHAWA_GRAVITY * l->h), wave_r = sqrt(SHAWA_GRAVITY * r->h);
	const double first = u - a, last = u + a, push = (r->across - l->across - u * dh) / a;
	const double one =
		0.5 * damped(first, ul - wave_l, ur - wave_r) * (dh - push) - 0.5 * sign_of(first) * a * dz;
	const double four =
		0.5 * damped(last, ul + wave_l, ur + wave_r) * (dh + push) + 0.5 * sign_of(last) * a * dz;
	const double shear = fabs(u) * (r->along - l->along - v * dh);
	const double thrust = 0.5 * (l->across * ul + r->across * ur) - 0.5 * (one * first + four * last);
	const double lift = 0.5 * SHAWA_GRAVITY * h * (r->h + r->z - (l->h + l->z));
	struct passing p;

	if (is_shut(l, r, dry))
		return shut(l, r, dry);
	p.mass = 0.5 * (l->across + r->across) - 0.5 * (one + four);
	p.along = 0.5 * (l->across * vl + r->across * vr) - 0.5 * ((one + four) * v + shear);
	p.tracer = p.mass * (p.mass > 0 ? per_depth(l->c, l->h, dry) : per_depth(r->c, r->h, dry));
	p.left = pressure(l->h) + thrust + lift;
	p.right = pressure(r->h) + thrust - lift;
	p.speed = fmax(fabs(first), fabs(last));
	return p;
}

static struct passing hll(const struct bank *l, const struct bank *r, double dry)
{
	const double ul = per_depth(l->across, l->h, dry), ur = per_depth(r->across, r->h, dry);
	const double bed = fmax(l->z, r->z), hl = fmax(0, l->h + l->z - bed), hr = fmax(0, r->h + r->z - bed);
	const double wave_l = sqrt(SHAWA_GRAVITY * hl), wave_r = sqrt(SHAWA_GRAVITY * hr);
	const double first = hl > 0 ? fmin(ul - wave_l, ur - wave_r) : ur - 2 * wave_r;
	const double last = hr > 0 ? fmax(ul + wave_l, ur + wave_r) : ul + 2 * wave_l;
	const double thrust_l = hl * ul * ul + pressure(hl), thrust_r = hr * ur * ur + pressure(hr);
	struct passing p;
	double push;

	if (hl <= 0 && hr <= 0)
		return shut(l, r, dry);
	if (first >= 0) {
		p.mass = hl * ul;
		push = thrust_l;
	} else if (last <= 0) {
		p.mass = hr * ur;
		push = thrust_r;
	} else {
		p.mass = (last * hl * ul - first * hr * ur + first * last * (hr - hl)) / (last - first);
		push = (last * thrust_l - first * thrust_r + first * last * (hr * ur - hl * ul)) /
		       (last - first);
	}
	p.along = p.mass * (p.mass > 0 ? per_depth(l->along, l->h, dry) : per_depth(r->along, r->h, dry));
	p.tracer = p.mass * (p.mass > 0 ? per_depth(l->c, l->h, dry) : per_depth(r->c, r->h, dry));
	p.left = push + pressure(l->h) - pressure(hl);
	p.right = push + pressure(r->h) - pressure(hr);
	p.speed = fmax(wave(l, dry), wave(r, dry));
	return p;
}

/* ---- cells ------------------------------------------------------------------------------------- */

static size_t cell_at(const struct shawa_sea *sea, int row, int col)
{
	return (size_t)row * shawa_row(sea) + (size_t)col;
}

static struct bank bank_at(const struct state *s, int row, int col, int down)
{
	const struct shawa_sea *const sea = &s->problem->sea;
	const double *const cell = s->state + cell_at(sea, row, col);
	const struct bank b = {cell[0], cell[(down ? 2 : 1) * sea->pitch], cell[(down ? 1 : 2) * sea->pitch],
			       cell[3 * sea->pitch], s->problem->bed[row * sea->pitch + col]};

	return b;
}

static struct bank beyond(const struct shawa_sea *sea, const struct bank *in, int kind, double time)
{
	const double level = sea->tide_mean + sea->tide_height * sin(2 * acos(-1.0) * time / sea->tide_period);
	struct bank out = *in;

	if (kind == SHAWA_WALL)
		out.across = -in->across;
	if (kind == SHAWA_TIDE) {
		out.h = fmax(0, level - in->z);
		out.across = per_depth(in->across, in->h, sea->dry) * out.h;
		out.along = per_depth(in->along, in->h, sea->dry) * out.h;
		out.c = 0;
	}
	return out;
}

/* Adds what passes an edge of `length` to a cell: it flows in from the west or north (`sign` 1), or out. */
static void add_to(struct state *s, int row, int col, int down, const struct passing *p, double thrust,
		   int sign, double length)
{
	const struct shawa_sea *const sea = &s->problem->sea;
	double *const rate = s->rate + cell_at(sea, row, col);
	const double by = sign * length / (sea->dx * sea->dy);

	rate[0] += by * p->mass;
	rate[(down ? 2 : 1) * sea->pitch] += by * thrust;
	rate[(down ? 1 : 2) * sea->pitch] += by * p->along;
	rate[3 * sea->pitch] += by * p->tracer;
	s->pace[row * sea->pitch + col] += length * p->speed;
}

/* The edge before cell number `at` of a line of `count`; the line's last edge is before the cell that is not
 * there. */
static void pass_edge(struct state *s, int line, int at, int down, double time)
{
	const struct shawa_sea *const sea = &s->problem->sea;
	const int count = down ? sea->rows : sea->cols,
		  side = (down ? SHAWA_NORTH : SHAWA_WEST) + (at == count);
	const int is_end = at == 0 || at == count, kind = is_end ? sea->side[side] : SHAWA_PERIODIC;
	const int left = (at + count - 1) % count, right = at % count;
	struct bank l = bank_at(s, down ? left : line, down ? line : left, down);
	struct bank r = bank_at(s, down ? right : line, down ? line : right, down);
	const double length = down ? sea->dx : sea->dy;
	struct passing p;

	if (kind != SHAWA_PERIODIC && at == 0)
		l = beyond(sea, &r, kind, time);
	if (kind != SHAWA_PERIODIC && at == count)
		r = beyond(sea, &l, kind, time);
	p = s->problem->with_roe ? roe(&l, &r, sea->dry) : hll(&l, &r, sea->dry);
	if (kind == SHAWA_WALL)
		p.mass = p.along = p.tracer = 0;
	if (at > 0)
		add_to(s, down ? left : line, down ? line : left, down, &p, p.left, -1, length);
	if (at < count)
		add_to(s, down ? right : line, down ? line : right, down, &p, p.right, 1, length);
}

static void pass_edges(struct state *s, double time)
{
	const struct shawa_sea *const sea = &s->problem->sea;

	memset(s->rate, 0, 4 * shawa_cells(sea) * sizeof *s->rate);
	memset(s->pace, 0, shawa_cells(sea) * sizeof *s->pace);
	for (int row = 0; row < sea->rows; row++)
		for (int at = 0; at <= sea->cols; at++)
			pass_edge(s, row, at, 0, time);
	for (int col = 0; col < sea->cols; col++)
		for (int at = 0; at <= sea->rows; at++)
			pass_edge(s, col, at, 1, time);
}

static double step_of(const struct state *s, double time)
{
	const struct shawa_sea *const sea = &s->problem->sea;
	double most = 0;

	for (size_t i = 0; i < shawa_cells(sea); i++)
		most = fmax(most, s->pace[i]);
	if (!(most > 0))
		return 0;
	return fmax(0, fmin(2 * sea->courant * sea->dx * sea->dy / most, sea->until - time));
}

static void move_on(struct state *s, double step)
{
	const struct shawa_sea *const sea = &s->problem->sea;

	for (size_t i = 0; i < 4 * shawa_cells(sea); i++)
		s->state[i] += step * s->rate[i];
	for (int row = 0; row < sea->rows; row++)
		for (int col = 0; col < sea->cols; col++) {
			double *const cell = s->state + cell_at(sea, row, col);

			if (cell[0] < 0)
				cell[0] = cell[3 * sea->pitch] = 0;
			if (cell[0] <= sea->dry)
				cell[sea->pitch] = cell[2 * sea->pitch] = 0;
		}
}

/* ---- the version ------------------------------------------------------------------------------- */

static void shawa(const void *problem, const struct bench_machine *machine, struct bench_clock *clock)
{
	const struct shawa_problem *const p = problem;
	const size_t cells = shawa_cells(&p->sea);
	struct state s = {.problem = p,
			  .state = bench_new(4 * cells * sizeof(double)),
			  .rate = bench_new(4 * cells * sizeof(double)),
			  .pace = bench_new(cells * sizeof(double)),
			  .clock = bench_new(((size_t)p->steps + 1) * sizeof(double))};
	const struct shawa_result result = {s.state, s.clock};

	(void)machine;
	while (bench_round(clock)) {
		memcpy(s.state, p->state, 4 * cells * sizeof *s.state);
		bench_start(clock);
		for (int i = 0; i < p->steps; i++) {
			double step;

			pass_edges(&s, s.clock[i]);
			step = step_of(&s, s.clock[i]);
			move_on(&s, step);
			s.clock[i + 1] = s.clock[i] + step;
		}
		bench_stop(clock, &result);
	}
	free(s.state);
	free(s.rate);
	free(s.pace);
	free(s.clock);
}

const struct bench_version shawa_plain = {.name = "plain", .optional = 1, .program = shawa};
