/* ft_hetero.c - FT with Hetero. Transforms along x and y work on planes, those along z on rows of all
 * planes: what a spread reads and writes says it all, and there is no exchange to write. */

#include "ft/ft.h"

#include <math.h>

#include "common/library.h"

struct state {
	const struct ft_problem *problem;
	het_team *team;
	het_kernel *start, *along_x, *along_y, *along_z, *checksum;
	het_array *u, *v, *roots, *sums;
};

/* Lines of the planes of u, `items` work-items a plane. */
static void transform_planes(const struct state *s, het_kernel *along, int items, int sign)
{
	const struct ft_problem *const p = s->problem;

	must(het_spread(along, s->team, het_grid(2, p->nz, items), HET_INOUT(HET_ROWS_OF(s->u)),
			HET_IN(s->roots), HET_VAL(p->nx), HET_VAL(p->ny), HET_VAL(p->finest), HET_VAL(sign)));
}

/* From one array to the other along z; it is y that is cut. */
static void transform_lines(const struct state *s, het_array *to, het_array *from, int sign, double fade)
{
	const struct ft_problem *const p = s->problem;

	must(het_spread(s->along_z, s->team, het_grid(3, 1, p->ny, p->nx / FT_LANES), HET_OUT(HET_COLS_OF(to)),
			HET_IN(HET_COLS_OF(from)), HET_IN(s->roots), HET_VAL(p->nx), HET_VAL(p->ny),
			HET_VAL(p->nz), HET_VAL(p->finest), HET_VAL(sign), HET_VAL(fade)));
}

static void ft(const void *problem, const struct bench_machine *machine, struct bench_clock *clock)
{
	const struct ft_problem *const p = problem;
	het_system *const system = machine->system;
	struct state s = {.problem = p, .team = het_everyone(system)};
	struct ft_result result;
	const struct ft_complex *sums;

	s.start = library_kernel(system, FT_KERNELS, "start");
	s.along_x = library_kernel(system, FT_KERNELS, "along_x");
	s.along_y = library_kernel(system, FT_KERNELS, "along_y");
	s.along_z = library_kernel(system, FT_KERNELS, "along_z");
	s.checksum = library_kernel(system, FT_KERNELS, "checksum");
	s.u = library_array(system, HET_DOUBLE2, het_shape(3, p->nz, p->ny, p->nx));
	s.v = library_array(system, HET_DOUBLE2, het_shape(3, p->nz, p->ny, p->nx));
	s.roots = library_array(system, HET_DOUBLE2, het_shape(1, p->finest));
	s.sums = library_array(system, HET_DOUBLE2, het_shape(2, p->nz, p->iterations));
	must(het_write(het_view(s.roots, het_whole()), p->roots));
	while (bench_round(clock)) {
		library_spoil(s.sums, &(struct ft_complex){NAN, NAN});
		bench_start(clock);
		must(het_spread(s.start, s.team, het_grid(2, p->nz, p->ny), HET_OUT(HET_EACH(s.u)),
				HET_VAL(p->nx), HET_VAL(p->ny)));
		transform_planes(&s, s.along_y, p->nx / FT_LANES, FT_FORWARD);
		transform_planes(&s, s.along_x, p->ny / FT_LANES, FT_FORWARD);
		transform_lines(&s, s.v, s.u, FT_FORWARD, 0);
		for (int t = 0; t < p->iterations; t++) {
			transform_lines(&s, s.u, s.v, FT_BACKWARD, p->fade * (t + 1));
			transform_planes(&s, s.along_y, p->nx / FT_LANES, FT_BACKWARD);
			transform_planes(&s, s.along_x, p->ny / FT_LANES, FT_BACKWARD);
			must(het_spread(s.checksum, s.team, het_local(het_grid(1, p->nz), 1),
					HET_INOUT(HET_EACH(s.sums)), HET_IN(HET_EACH(s.u)), HET_VAL(p->nx),
					HET_VAL(p->ny), HET_VAL(p->nz), HET_VAL(p->iterations), HET_VAL(t)));
		}
		must(het_map(s.sums, HET_READ, &sums));
		ft_add(&result, p, sums);
		must(het_unmap(s.sums));
		bench_stop(clock, &result);
	}
}

const struct bench_version ft_hetero = {.name = "hetero", .program = ft};
