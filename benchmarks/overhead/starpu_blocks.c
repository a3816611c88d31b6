/* starpu_blocks.c - blocks of matrices under Hetero and under StarPU: a block of columns that goes to a device
 * and back, row by row or at once; a product whose halves two devices compute; and how long both take to open.
 *
 * Work-groups and kernels are the same; StarPU's kernels get the pitch of the block that it has made, Hetero's
 * that of the matrix.
 */
#include <stdlib.h>
#include <string.h>

#include "must.h"
#include "overhead/starpu_side.h"

#define TILE 16 /* work-groups of TILE x TILE */
#define OPENINGS 5 /* rounds, at most */

const char blocks_source[] =
	"__kernel void increment_block(__global float *a, ulong first, uint pitch)\n"
	"{ a[first + get_global_id(1) * pitch + get_global_id(0)] += 1.0f; }\n"
	"__kernel void product(__global float *c, __global const float *a, __global const float *b,\n"
	"                      ulong first_c, ulong first_a, uint n)\n"
	"{\n"
	"	const size_t x = get_global_id(0), y = get_global_id(1);\n"
	"	float sum = 0.0f;\n"
	"	for (uint k = 0; k < n; k++)\n"
	"		sum += a[first_a + y * n + k] * b[k * (size_t)n + x];\n"
	"	c[first_c + y * n + x] = sum;\n"
	"}\n";

static const size_t tile[2] = {TILE, TILE};

static float *numbers(size_t count)
{
	float *const at = malloc(count * sizeof *at);

	give_up(!at, "malloc");
	for (size_t i = 0; i < count; i++)
		at[i] = (float)(i % 17) - 8.0f;
	return at;
}

static void assert_same(het_array *ours, const float *theirs, size_t count)
{
	const void *seen = NULL;

	must(het_map(ours, HET_READ, &seen));
	give_up(memcmp(seen, theirs, count * sizeof *theirs), "comparing the two sides");
	must(het_unmap(ours));
}

static het_array *matrix_like(het_system *system, int n, const float *values)
{
	het_array *array;

	must(het_array_new(system, HET_FLOAT, het_shape(2, (int64_t)n, (int64_t)n), &array));
	must(het_write(het_view(array, het_whole()), values));
	return array;
}

static het_kernel *kernel_named(het_system *system, const char *name)
{
	het_kernel *kernel;

	must(het_kernel_from_source(system, blocks_source, name, NULL, &kernel));
	return kernel;
}

/* ---- columns: an eighth of a matrix goes to a device, and the host looks at it ------------------- */

struct columns {
	int n, lo, hi;
	het_system *system;
	het_kernel *kernel;
	het_array *array;
	float *memory; /* StarPU's */
	starpu_data_handle_t handle;
};

static void columns_ours(void *user)
{
	const struct columns *const c = user;
	const struct het_range range =
		het_local(het_grid(2, (int64_t)c->n, (int64_t)(c->hi - c->lo)), TILE, TILE);
	void *seen;

	must(het_launch(c->kernel, het_device(c->system, 0), range,
			HET_INOUT_PART(c->array, het_cols(c->lo, c->hi)), HET_VAL((cl_ulong)c->lo),
			HET_VAL((cl_uint)c->n)));
	must(het_map(c->array, HET_READ_WRITE, &seen));
	must(het_unmap(c->array));
}

static void increment_block(void *buffers[], void *argument)
{
	const cl_mem mem = (cl_mem)STARPU_MATRIX_GET_DEV_HANDLE(buffers[0]);
	const cl_uint pitch = STARPU_MATRIX_GET_LD(buffers[0]);
	const cl_ulong first = 0;
	const size_t global[2] = {STARPU_MATRIX_GET_NX(buffers[0]), STARPU_MATRIX_GET_NY(buffers[0])};
	const struct starpu_launch launch = starpu_side_kernel("increment_block");

	(void)argument;
	starpu_side_arg(&launch, 0, sizeof mem, &mem);
	starpu_side_arg(&launch, 1, sizeof first, &first);
	starpu_side_arg(&launch, 2, sizeof pitch, &pitch);
	starpu_side_launch(&launch, 2, global, tile);
}

static struct starpu_codelet incrementing = {
	.opencl_funcs = {increment_block},
	.opencl_flags = {STARPU_OPENCL_ASYNC},
	.nbuffers = 1,
	.modes = {STARPU_RW},
	.name = "increment_block",
};

static void columns_theirs(void *user)
{
	const struct columns *const c = user;

	give_up(starpu_task_insert(&incrementing, STARPU_EXECUTE_ON_WORKER, starpu_side_worker(0), STARPU_RW,
				   c->handle, 0),
		"starpu_task_insert");
	give_up(starpu_data_acquire(c->handle, STARPU_RW), "starpu_data_acquire");
	starpu_data_release(c->handle);
}

static void columns_of(struct report *report, int rounds, het_system *system, int n, const char *how)
{
	struct columns c = {.n = n, .lo = n / 4, .hi = n / 4 + n / 8, .system = system};
	const struct side ours = hetero_side(columns_ours, &c), theirs = starpu_side(columns_theirs, &c);
	static struct pair pair;

	c.memory = numbers((size_t)n * (size_t)n);
	c.kernel = kernel_named(system, "increment_block");
	c.array = matrix_like(system, n, c.memory);
	starpu_matrix_data_register(&c.handle, STARPU_MAIN_RAM, (uintptr_t)(c.memory + c.lo), (uint32_t)n,
				    (uint32_t)(c.hi - c.lo), (uint32_t)n, sizeof(float));
	pair_measure(&pair, rounds, &ours, &theirs);
	report_section(report, "columns",
		       "%d columns of a matrix of %d rows: to a device, a kernel, and back; %s, %d round%s",
		       c.hi - c.lo, n, how, rounds, report_plural(rounds));
	pair_report_peer(&pair, report, 1, "block", "StarPU");
	starpu_resume();
	starpu_data_unregister(c.handle);
	starpu_pause();
	assert_same(c.array, c.memory, (size_t)n * (size_t)n);
	must(het_array_free(c.array));
	must(het_kernel_free(c.kernel));
	free(c.memory);
}

void measure_columns(struct report *report, int rounds, het_system *system)
{
	struct het_options options = HET_OPTIONS_INIT;
	het_system *apart;

	options.devices = HETERO_SIDE;
	options.share = HET_SHARE_OFF;
	must(het_open(&options, &apart));
	for (int n = 1024; n <= 4096; n *= 4) {
		columns_of(report, rounds, system, n, "shared memory");
		columns_of(report, rounds, apart, n, "memories apart");
	}
	must(het_close(apart));
}

/* ---- product: two devices compute the halves of c = a b ------------------------------------------ */

enum { C, A, B, MATRICES };

struct product {
	int n;
	het_system *system;
	het_kernel *kernel;
	het_array *ours[MATRICES];
	float *memory[MATRICES];                         /* StarPU's */
	starpu_data_handle_t c_half[2], a_half[2], b;
};

static void product_ours(void *user)
{
	const struct product *const p = user;
	const struct het_range range = het_local(het_grid(2, (int64_t)(p->n / 2), (int64_t)p->n), TILE, TILE);
	const void *seen;

	for (int d = 0; d < 2; d++) {
		const int lo = d * p->n / 2, hi = lo + p->n / 2;
		const cl_ulong first = (cl_ulong)lo * (cl_ulong)p->n;

		must(het_launch(p->kernel, het_device(p->system, d), range,
				HET_OUT_PART(p->ours[C], het_rows(lo, hi)),
				HET_IN_PART(p->ours[A], het_rows(lo, hi)), HET_IN(p->ours[B]), HET_VAL(first),
				HET_VAL(first), HET_VAL((cl_uint)p->n)));
	}
	must(het_map(p->ours[C], HET_READ, &seen));
	must(het_unmap(p->ours[C]));
}

static void multiply(void *buffers[], void *argument)
{
	const cl_uint n = STARPU_MATRIX_GET_NX(buffers[B]);
	const size_t global[2] = {n, STARPU_MATRIX_GET_NY(buffers[C])};
	const struct starpu_launch launch = starpu_side_kernel("product");
	const cl_ulong first = 0;

	(void)argument;
	for (cl_uint i = 0; i < MATRICES; i++) {
		const cl_mem mem = (cl_mem)STARPU_MATRIX_GET_DEV_HANDLE(buffers[i]);

		starpu_side_arg(&launch, i, sizeof mem, &mem);
	}
	starpu_side_arg(&launch, 3, sizeof first, &first);
	starpu_side_arg(&launch, 4, sizeof first, &first);
	starpu_side_arg(&launch, 5, sizeof n, &n);
	starpu_side_launch(&launch, 2, global, tile);
}

static struct starpu_codelet multiplying = {
	.opencl_funcs = {multiply},
	.opencl_flags = {STARPU_OPENCL_ASYNC},
	.nbuffers = MATRICES,
	.modes = {STARPU_W, STARPU_R, STARPU_R},
	.name = "product",
};

static void product_theirs(void *user)
{
	const struct product *const p = user;

	for (int d = 0; d < 2; d++)
		give_up(starpu_task_insert(&multiplying, STARPU_EXECUTE_ON_WORKER, starpu_side_worker(d),
					   STARPU_W, p->c_half[d], STARPU_R, p->a_half[d], STARPU_R, p->b, 0),
			"starpu_task_insert");
	for (int d = 0; d < 2; d++) {
		give_up(starpu_data_acquire(p->c_half[d], STARPU_R), "starpu_data_acquire");
		starpu_data_release(p->c_half[d]);
	}
}

static starpu_data_handle_t rows_of(const struct product *p, int which, int lo, int count)
{
	const uint32_t n = (uint32_t)p->n;
	starpu_data_handle_t handle;

	starpu_matrix_data_register(&handle, STARPU_MAIN_RAM,
				    (uintptr_t)(p->memory[which] + (size_t)lo * (size_t)n), n, n,
				    (uint32_t)count, sizeof(float));
	return handle;
}

void measure_product(struct report *report, int rounds, het_system *system)
{
	struct product p = {.n = 512, .system = system, .kernel = kernel_named(system, "product")};
	const struct side ours = hetero_side(product_ours, &p), theirs = starpu_side(product_theirs, &p);
	const size_t count = (size_t)p.n * (size_t)p.n;
	static struct pair pair;

	for (int i = 0; i < MATRICES; i++) {
		p.memory[i] = numbers(count);
		p.ours[i] = matrix_like(system, p.n, p.memory[i]);
	}
	for (int d = 0; d < 2; d++) {
		p.c_half[d] = rows_of(&p, C, d * p.n / 2, p.n / 2);
		p.a_half[d] = rows_of(&p, A, d * p.n / 2, p.n / 2);
	}
	p.b = rows_of(&p, B, 0, p.n);
	pair_measure(&pair, rounds, &ours, &theirs);
	report_section(report, "product",
		       "product of two matrices of %d x %d on two devices, looked at by the host, %d round%s",
		       p.n, p.n, rounds, report_plural(rounds));
	pair_report_peer(&pair, report, 1, "product", "StarPU");
	starpu_resume();
	for (int d = 0; d < 2; d++) {
		starpu_data_unregister(p.c_half[d]);
		starpu_data_unregister(p.a_half[d]);
	}
	starpu_data_unregister(p.b);
	starpu_pause();
	assert_same(p.ours[C], p.memory[C], count);
	for (int i = 0; i < MATRICES; i++) {
		must(het_array_free(p.ours[i]));
		free(p.memory[i]);
	}
	must(het_kernel_free(p.kernel));
}

/* ---- opening ------------------------------------------------------------------------------------- */

/* Opens Hetero until both devices can be used, and gives all back. */
static void open_ours(void *user)
{
	struct het_options options = HET_OPTIONS_INIT;
	struct het_device_info info = HET_DEVICE_INFO_INIT;
	het_system *system;

	(void)user;
	options.devices = HETERO_SIDE;
	must(het_open(&options, &system));
	for (int d = 0; d < 2; d++)
		must(het_device_info(het_device(system, d), &info));
	must(het_close(system));
}

static void open_theirs(void *user)
{
	(void)user;
	starpu_side_open(NULL);
	starpu_shutdown();
}

/* Both are sides without a pause: StarPU has no workers between its turns here. */
void measure_opening(struct report *report, int rounds)
{
	const struct side ours = hetero_side(open_ours, NULL), theirs = hetero_side(open_theirs, NULL);
	const int count = rounds < OPENINGS ? rounds : OPENINGS;
	static struct pair pair;

	pair_measure(&pair, count, &ours, &theirs);
	report_section(report, "opening", "opened and closed, with two devices, %d round%s", count,
		       report_plural(count));
	pair_report_peer(&pair, report, 1, "opening", "StarPU");
}
