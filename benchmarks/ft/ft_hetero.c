/* ft_hetero.c - FT with Hetero. Transforms along x and y work on planes, those along z on rows of all
 * planes: what a launch reads and writes says it all, and there is no exchange to write. */

#include "ft/ft.h"

#include "common/library.h"

struct state {
	const struct ft_problem *problem;
	het_system *system;
	het_kernel *start, *along_x, *along_y, *along_z, *checksum;
	het_array *u, *v, *roots, *sums;
	struct ft_result result;
};

static void *ft_open(const void *problem, const struct bench_machine *machine)
{
	struct state *const s = bench_new(sizeof *s);
	const struct ft_problem *const p = problem;

	s->problem = p;
	s->system = machine->system;
	s->start = library_kernel(s->system, FT_KERNELS, "start");
	s->along_x = library_kernel(s->system, FT_KERNELS, "along_x");
	s->along_y = library_kernel(s->system, FT_KERNELS, "along_y");
	s->along_z = library_kernel(s->system, FT_KERNELS, "along_z");
	s->checksum = library_kernel(s->system, FT_KERNELS, "checksum");
	s->u = library_array(s->system, HET_DOUBLE2, het_shape(3, p->nz, p->ny, p->nx));
	s->v = library_array(s->system, HET_DOUBLE2, het_shape(3, p->nz, p->ny, p->nx));
	s->roots = library_array(s->system, HET_DOUBLE2, het_shape(1, p->finest));
	s->sums = library_array(s->system, HET_DOUBLE2, het_shape(3, p->iterations, machine->count, FT_SUMS));
	must(het_write(het_view(s->roots, het_whole()), p->roots));
	return s;
}

/* Planes of u along x and y, for which each device has its own. */
static void transform_planes(struct state *s, int d, int sign)
{
	const struct ft_problem *const p = s->problem;
	het_device *const device = het_device(s->system, d);
	const struct het_box own = library_rows(p->nz, 1, d, het_device_count(s->system));
	const int64_t lo = own.lo[0], hi = own.hi[0];

	if (sign == FT_FORWARD)
		must(het_launch(s->start, device, het_local(het_range(2, lo, hi, 0, p->ny), 1, FT_GROUP),
				HET_OUT_PART(s->u, own), HET_VAL(p->nx), HET_VAL(p->ny)));
	must(het_launch(s->along_y, device, het_local(het_range(2, lo, hi, 0, p->nx / FT_LANES), 1, FT_GROUP),
			HET_INOUT_PART(s->u, own), HET_IN(s->roots), HET_VAL(p->nx), HET_VAL(p->ny),
			HET_VAL(p->finest), HET_VAL(sign)));
	must(het_launch(s->along_x, device, het_local(het_range(2, lo, hi, 0, p->ny / FT_LANES), 1, FT_GROUP),
			HET_INOUT_PART(s->u, own), HET_IN(s->roots), HET_VAL(p->nx), HET_VAL(p->ny),
			HET_VAL(p->finest), HET_VAL(sign)));
}

/* From one array to the other along z, each device its own rows of all planes. */
static void transform_lines(struct state *s, int d, het_array *to, het_array *from, int sign, double fade)
{
	const struct ft_problem *const p = s->problem;
	const int lo = bench_first(p->ny, 1, d, het_device_count(s->system));
	const int hi = bench_first(p->ny, 1, d + 1, het_device_count(s->system));
	const struct het_box own = het_cols(lo, hi);

	must(het_launch(s->along_z, het_device(s->system, d),
			het_local(het_range(2, lo, hi, 0, p->nx / FT_LANES), 1, FT_GROUP),
			HET_OUT_PART(to, own), HET_IN_PART(from, own), HET_IN(s->roots), HET_VAL(p->nx),
			HET_VAL(p->ny), HET_VAL(p->nz), HET_VAL(p->finest), HET_VAL(sign), HET_VAL(fade)));
}

static void add_planes(struct state *s, int d, int t)
{
	const struct ft_problem *const p = s->problem;
	const int count = het_device_count(s->system);
	const int lo = bench_first(p->nz, 1, d, count), hi = bench_first(p->nz, 1, d + 1, count);

	must(het_launch(s->checksum, het_device(s->system, d), het_local(het_grid(1, FT_SUMS), FT_SUMS),
			HET_OUT_PART(s->sums, het_box(2, t, t + 1, d, d + 1)),
			HET_IN_PART(s->u, het_rows(lo, hi)), HET_VAL(p->nx), HET_VAL(p->ny), HET_VAL(p->nz),
			HET_VAL(lo), HET_VAL(hi), HET_VAL((t * count + d) * FT_SUMS)));
}

static const void *ft_run(void *state)
{
	struct state *const s = state;
	const int count = het_device_count(s->system);
	const struct ft_complex *sums;

	for (int d = 0; d < count; d++)
		transform_planes(s, d, FT_FORWARD);
	for (int d = 0; d < count; d++)
		transform_lines(s, d, s->v, s->u, FT_FORWARD, 0);
	for (int t = 0; t < s->problem->iterations; t++) {
		for (int d = 0; d < count; d++)
			transform_lines(s, d, s->u, s->v, FT_BACKWARD, s->problem->fade * (t + 1));
		for (int d = 0; d < count; d++) {
			transform_planes(s, d, FT_BACKWARD);
			add_planes(s, d, t);
		}
	}
	must(het_map(s->sums, HET_READ, &sums));
	ft_add(&s->result, s->problem, sums, count * FT_SUMS);
	must(het_unmap(s->sums));
	return &s->result;
}

const struct bench_version ft_hetero = {.name = "hetero", .open = ft_open, .run = ft_run, .close = free};
