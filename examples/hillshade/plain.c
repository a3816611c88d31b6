/* plain.c - the same terrain computed by a plain C loop, to check the devices by. Compiled without
 * contraction: every operation rounds once, as in the kernels. */
#include "plain.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "../must.h"

struct result {
	float *height, *smoothed, *slope, *shade;
};

static float *new_cells(const struct plan *p)
{
	float *const cells = malloc((size_t)p->rows * (size_t)p->cols * sizeof *cells);

	if (cells)
		return cells;
	fprintf(stderr, "--check: no memory for %d rows of %d columns\n", p->rows, p->cols);
	exit(EXIT_FAILURE);
}

/* ---- the loops --------------------------------------------------------------------------------- */

static float known(float value, float other)
{
	return isnan(value) ? other : value;
}

static float between(float a, float b, float weight)
{
	return a + (b - a) * weight;
}

static float resampled(const struct grid *g, float down, float right)
{
	const int north = (int)down > g->rows - 2 ? g->rows - 2 : (int)down;
	const int west = (int)right > g->cols - 2 ? g->cols - 2 : (int)right;
	const float *const at = g->height + (size_t)north * (size_t)g->cols + west;
	const float v = down - (float)north, u = right - (float)west;
	const float nearest = at[(v < 0.5f ? 0 : g->cols) + (u < 0.5f ? 0 : 1)];

	return known(between(between(at[0], at[1], u), between(at[g->cols], at[g->cols + 1], u), v), nearest);
}

static void resample(const struct plan *p, const struct grid *g, float *height)
{
	for (int y = 0; y < p->rows; y++)
		for (int x = 0; x < p->cols; x++)
			*height++ = resampled(g, (float)y * p->row_step, (float)x * p->col_step);
}

static int within(int i, int count)
{
	return i < 0 ? 0 : i < count ? i : count - 1;
}

/* h[1 + dy][1 + dx] is the height dx columns east and dy rows south of the cell: outside the grid that of the
 * nearest cell inside, in holes the cell's own. */
static void look_around(const struct plan *p, const float *height, int y, int x, float h[3][3])
{
	const size_t cols = (size_t)p->cols;
	const float own = height[(size_t)y * cols + (size_t)x];

	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++) {
			const int row = within(y + i - 1, p->rows), col = within(x + j - 1, p->cols);
			h[i][j] = known(height[(size_t)row * cols + (size_t)col], own);
		}
}

static void smooth(const struct plan *p, const float *height, float *smoothed)
{
	float h[3][3];

	for (int y = 0; y < p->rows; y++)
		for (int x = 0; x < p->cols; x++) {
			look_around(p, height, y, x, h);
			const float sides = (h[0][1] + h[2][1]) + (h[1][0] + h[1][2]);
			const float corners = (h[0][0] + h[0][2]) + (h[2][0] + h[2][2]);
			*smoothed++ = (4.0f * h[1][1] + 2.0f * sides + corners) * 0.0625f;
		}
}

static void relief_at(const struct plan *p, const float *height, int y, int x, float *slope, float *shade)
{
	float h[3][3], east, north, steep, light;

	look_around(p, height, y, x, h);
	east = ((h[0][2] + 2.0f * h[1][2] + h[2][2]) - (h[0][0] + 2.0f * h[1][0] + h[2][0])) * p->per_east;
	north = ((h[0][0] + 2.0f * h[0][1] + h[0][2]) - (h[2][0] + 2.0f * h[2][1] + h[2][2])) * p->per_north;
	steep = east * east + north * north;
	light = (p->sun_up - p->sun_east * east - p->sun_north * north) / sqrtf(1.0f + steep);
	*slope = isnan(h[1][1]) ? NAN : sqrtf(steep);
	*shade = isnan(h[1][1]) ? NAN : light < 0.0f ? 0.0f : light;
}

static void relief(const struct plan *p, const float *height, float *slope, float *shade)
{
	for (int y = 0; y < p->rows; y++)
		for (int x = 0; x < p->cols; x++)
			relief_at(p, height, y, x, slope++, shade++);
}

static struct result compute(const struct plan *p, const struct grid *g)
{
	struct result is = {new_cells(p), new_cells(p), new_cells(p), new_cells(p)};
	float *other;

	resample(p, g, is.height);
	for (int sweep = 0; sweep < p->sweeps; sweep++) {
		smooth(p, is.height, is.smoothed);
		other = is.height;
		is.height = is.smoothed;
		is.smoothed = other;
	}
	relief(p, is.height, is.slope, is.shade);
	return is;
}

/* ---- the comparison ---------------------------------------------------------------------------- */

/* Numbers the floats in their order, so that neighbours differ by 1 and both zeros are 0. */
static int64_t place_of(float value)
{
	int32_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits < 0 ? -(int64_t)(bits & INT32_MAX) : bits;
}

/* Units in the last place between two values; INT64_MAX when only one is a hole. */
static int64_t distance(float a, float b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) && isnan(b) ? 0 : INT64_MAX;
	return llabs(place_of(a) - place_of(b));
}

struct difference {
	size_t cells; /* that differ */
	int64_t most; /* units in the last place */
	int row, col; /* where it is most */
};

static void compare_cell(struct difference *d, int row, int col, float got, float want)
{
	const int64_t far = distance(got, want);

	d->cells += far != 0;
	if (far <= d->most)
		return;
	d->most = far;
	d->row = row;
	d->col = col;
}

static int compare(const char *name, const struct plan *p, het_array *array, const float *want)
{
	struct difference d = {0, 0, 0, 0};
	const float *got;

	must(het_map(array, HET_READ, &got));
	for (int y = 0; y < p->rows; y++)
		for (int x = 0; x < p->cols; x++)
			compare_cell(&d, y, x, got[(size_t)y * (size_t)p->pitch + (size_t)x],
				     want[(size_t)y * (size_t)p->cols + (size_t)x]);
	if (d.most == 0)
		printf("check: %s is the host's bit for bit\n", name);
	else
		printf("check: %s differs in %zu cells, most in row %d, column %d: %.9g, should be %.9g%s\n",
		       name, d.cells, d.row, d.col,
		       (double)got[(size_t)d.row * (size_t)p->pitch + (size_t)d.col],
		       (double)want[(size_t)d.row * (size_t)p->cols + (size_t)d.col],
		       d.most > 1 ? "" : " (1 unit in the last place)");
	must(het_unmap(array));
	return d.most > 1;
}

int plain_check(const struct relief *relief, const struct grid *grid)
{
	const struct plan *const p = &relief->plan;
	struct result is = compute(p, grid);
	int wrong = compare("height", p, relief->height, is.height);

	wrong |= compare("slope", p, relief->slope, is.slope);
	wrong |= compare("shade", p, relief->shade, is.shade);
	free(is.height);
	free(is.smoothed);
	free(is.slope);
	free(is.shade);
	return wrong;
}
