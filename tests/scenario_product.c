/* scenario_product.c - the matrix product of examples/product as a scenario. */
#include "gives_up.h"

#define main product_main
#include "../examples/product/product.c"
#undef main

#include "scenarios.h"

static const struct options sizes = {.m = 37, .p = 29, .n = 43};
static struct matrices made;
static het_kernel *kernel;
static int devices;
static het_system *given;

static het_status run(het_system *system)
{
	made = (struct matrices){.c = NULL};
	kernel = NULL;
	devices = het_device_count(system);
	given = system;
	if (setjmp(gave_up))
		return reason;
	must(het_kernel_from_file(system, EXAMPLES "/product/product.cl", "product", NULL, &kernel));
	made = open_matrices(system, &sizes);
	multiply(system, kernel, &made);
	return HET_OK;
}

static het_status look(void)
{
	const float *c;
	het_status st = made.c ? het_map(made.c, HET_READ, &c) : HET_OK;

	if (made.c && !st)
		st = het_unmap(made.c);
	return st;
}

static void check_row(const float *row, int y, bool complete)
{
	bool is_zero = true;

	for (int x = 0; x < made.n; x++)
		is_zero &= row[x] == 0.0f;
	for (int x = 0; x < made.n && (complete || !is_zero); x++) {
		double margin;
		const double want = element(&made, y, x, &margin);

		ck_assert_msg(fabs((double)row[x] - want) <= margin, "row %d, column %d is %.9g, not %.9g", y,
			      x, (double)row[x], want);
	}
}

/* Which rows are lost: each device's all or none. Returns whose are, a bit for each device. */
static unsigned check_bands(bool complete)
{
	float row[64];
	unsigned bands = 0;

	for (int d = 0; d < devices; d++) {
		const int lo = table_first_row(made.m, d, devices),
			  hi = table_first_row(made.m, d + 1, devices);
		int lost = 0;

		for (int y = lo; y < hi; y++)
			if (can_read(het_view(made.c, het_rows(y, y + 1)), row))
				check_row(row, y, complete);
			else
				lost++;
		ck_assert_msg(lost == 0 || lost == hi - lo, "%d of device %d's %d rows are lost", lost, d,
			      hi - lo);
		bands |= (unsigned)(lost > 0) << d;
	}
	return bands;
}

static void check_inputs(void)
{
	const float *a, *b;

	ck_assert_int_eq(het_map(made.a, HET_READ, &a), HET_OK);
	ck_assert_int_eq(het_map(made.b, HET_READ, &b), HET_OK);
	ck_assert(a == made.ax && b == made.bx);
	ck_assert_int_eq(het_unmap(made.a), HET_OK);
	ck_assert_int_eq(het_unmap(made.b), HET_OK);
}

static void check(bool complete, enum loss loss)
{
	if (made.c) {
		const unsigned bands = check_bands(complete);

		/* No device needs what another has made: to read it again is enough. */
		ck_assert_msg(loss > ONE_READ || bands == 0, "rows of devices %x are lost for nothing", bands);
		ck_assert_msg(loss != ONE_LAUNCH || (bands && !(bands & (bands - 1))),
			      "one launch lost rows of devices %x", bands);
		ck_assert_msg(loss != ONE_TASK || share_a_memory(given, bands),
			      "one task lost rows of devices %x", bands);
		check_inputs();
	}
	drop_array(&made.a);
	drop_array(&made.b);
	drop_array(&made.c);
	if (kernel)
		ck_assert_int_eq(het_kernel_free(kernel), HET_OK);
}

const struct scenario product_scenario = {"product", run, look, check, free_blocks};
