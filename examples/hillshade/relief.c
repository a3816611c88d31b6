/* relief.c - slope and shaded relief of a terrain, computed by all devices of a system.
 *
 * Every device makes a band of rows. A sweep needs one row more on each side, which another device made: the
 * launches say so (`with_halo`), and that is all there is to exchanging borders. */
#include "relief.h"

#include <math.h>

#include "../must.h"
#include "../table.h"

#define SOURCE EXAMPLES "/hillshade/hillshade.cl"

/* For compilers that know it. Other devices divide correctly anyway, or a unit off, which --check allows. */
#define CORRECT_ROUNDING "-cl-fp32-correctly-rounded-divide-sqrt"

/* Work-groups are pieces of rows: a CPU's compiler makes vectors of neighbouring columns. Rows are padded to
 * whole work-groups. A device that cannot have such large ones gets halves, quarters and so on. */
#define GROUP_COLS 256

struct plan plan_make(const struct wish *wish, const struct grid *grid)
{
	const double degree = acos(-1.0) / 180, flat = cos(wish->altitude * degree);
	struct plan p = {.rows = wish->rows ? wish->rows : grid->rows,
			 .cols = wish->cols ? wish->cols : grid->cols,
			 .sweeps = wish->sweeps,
			 .grid_rows = grid->rows,
			 .grid_cols = grid->cols};
	const double row_step = (grid->rows - 1.0) / (p.rows - 1), col_step = (grid->cols - 1.0) / (p.cols - 1);

	p.pitch = (p.cols + GROUP_COLS - 1) / GROUP_COLS * GROUP_COLS;
	p.row_step = (float)row_step;
	p.col_step = (float)col_step;
	p.per_east = (float)(wish->exaggeration / (8 * grid->dx * col_step));
	p.per_north = (float)(wish->exaggeration / (8 * grid->dy * row_step));
	p.sun_east = (float)(flat * sin(wish->azimuth * degree));
	p.sun_north = (float)(flat * cos(wish->azimuth * degree));
	p.sun_up = (float)sin(wish->altitude * degree);
	return p;
}

/* ---- open and close ---------------------------------------------------------------------------- */

static het_array *new_array(struct relief *r, const char *name)
{
	het_array *array;

	must(het_array_new(r->system, HET_FLOAT, het_shape(2, r->plan.rows, r->plan.pitch), &array));
	must(het_array_name(array, name));
	return array;
}

/* Whether the device's compiler takes the option: drivers that do not know it refuse the program. */
static int takes_option(het_system *system, het_device *device)
{
	het_kernel *trial;
	int takes;

	must(het_kernel_from_file(system, SOURCE, "relief", CORRECT_ROUNDING, &trial));
	takes = het_kernel_build(trial, device) == HET_OK;
	must(het_kernel_free(trial));
	return takes;
}

static het_kernel *new_kernel(struct relief *r, const char *name)
{
	het_kernel *kernel;

	must(het_kernel_from_file(r->system, SOURCE, name, NULL, &kernel));
	for (int d = 0; d < het_device_count(r->system); d++) {
		het_device *const device = het_device(r->system, d);
		if (takes_option(r->system, device))
			must(het_kernel_options(kernel, device, CORRECT_ROUNDING));
		must(het_kernel_build(kernel, device));
	}
	return kernel;
}

static int *new_groups(int count)
{
	int *const group_cols = malloc((size_t)count * sizeof *group_cols);

	if (!group_cols) {
		fputs("no memory\n", stderr);
		exit(EXIT_FAILURE);
	}
	for (int d = 0; d < count; d++)
		group_cols[d] = GROUP_COLS;
	return group_cols;
}

void relief_open(struct relief *r, het_system *system, const struct grid *grid, const struct plan *plan)
{
	r->system = system;
	r->plan = *plan;
	r->group_cols = new_groups(het_device_count(system));
	must(het_array_wrap(system, HET_FLOAT, het_shape(2, grid->rows, grid->cols), grid->height, &r->grid));
	must(het_array_name(r->grid, "grid"));
	r->height = new_array(r, "height");
	r->smoothed = new_array(r, "smoothed");
	r->slope = new_array(r, "slope");
	r->shade = new_array(r, "shade");
	r->resample = new_kernel(r, "resample");
	r->smooth = new_kernel(r, "smooth");
	r->relief = new_kernel(r, "relief");
}

void relief_close(struct relief *r)
{
	het_array *const arrays[] = {r->grid, r->height, r->smoothed, r->slope, r->shade};
	het_kernel *const kernels[] = {r->resample, r->smooth, r->relief};

	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
		must(het_array_free(arrays[i]));
	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
		must(het_kernel_free(kernels[i]));
	free(r->group_cols);
}

/* ---- the computation --------------------------------------------------------------------------- */

/* One device's rows of the result, [lo, hi), and the range of a launch that makes them. */
struct band {
	het_device *device;
	int lo, hi;
	struct het_range range;
};

static struct band band_of(const struct relief *r, int d)
{
	const int count = het_device_count(r->system), rows = r->plan.rows;
	const int lo = table_first_row(rows, d, count), hi = table_first_row(rows, d + 1, count);
	const struct het_range range = het_range(2, lo, hi, 0, r->plan.pitch);
	const struct band band = {het_device(r->system, d), lo, hi, het_local(range, 1, r->group_cols[d])};

	return band;
}

static struct het_box rows_of(struct band b)
{
	return het_rows(b.lo, b.hi);
}

static struct het_box with_halo(const struct relief *r, struct band b)
{
	return het_rows(b.lo > 0 ? b.lo - 1 : 0, b.hi < r->plan.rows ? b.hi + 1 : b.hi);
}

static het_status resample_band(struct relief *r, struct band b)
{
	const struct plan *const p = &r->plan;

	return het_launch(r->resample, b.device, b.range, HET_OUT_PART(r->height, rows_of(b)),
			  HET_VAL(p->pitch), HET_IN(r->grid), HET_VAL(p->grid_rows), HET_VAL(p->grid_cols),
			  HET_VAL(p->row_step), HET_VAL(p->col_step));
}

static het_status smooth_band(struct relief *r, struct band b)
{
	const struct plan *const p = &r->plan;

	return het_launch(r->smooth, b.device, b.range, HET_OUT_PART(r->smoothed, rows_of(b)),
			  HET_IN_PART(r->height, with_halo(r, b)), HET_VAL(p->rows), HET_VAL(p->cols),
			  HET_VAL(p->pitch));
}

static het_status relief_band(struct relief *r, struct band b)
{
	const struct plan *const p = &r->plan;

	return het_launch(r->relief, b.device, b.range, HET_OUT_PART(r->slope, rows_of(b)),
			  HET_OUT_PART(r->shade, rows_of(b)), HET_IN_PART(r->height, with_halo(r, b)),
			  HET_VAL(p->rows), HET_VAL(p->cols), HET_VAL(p->pitch), HET_VAL(p->per_east),
			  HET_VAL(p->per_north), HET_VAL(p->sun_east), HET_VAL(p->sun_north),
			  HET_VAL(p->sun_up));
}

/* Has every device make its band. A launch that is refused has changed nothing, so it can be tried again. */
static void on_all_devices(struct relief *r, het_status (*make)(struct relief *r, struct band b))
{
	const int count = het_device_count(r->system);
	het_status st;

	for (int d = 0; d < count; d++) {
		st = make(r, band_of(r, d));
		for (; st == HET_ERR_UNSUPPORTED && r->group_cols[d] > 1; st = make(r, band_of(r, d)))
			r->group_cols[d] /= 2;
		must(st);
	}
}

void relief_start(struct relief *r)
{
	on_all_devices(r, resample_band);
	for (int sweep = 0; sweep < r->plan.sweeps; sweep++) {
		on_all_devices(r, smooth_band);
		must(het_swap(r->height, r->smoothed));
	}
	on_all_devices(r, relief_band);
}
