/* starpu.c - the same tasks given to Hetero and to StarPU's OpenCL driver: chains, many arrays, hops, blocks of
 * matrices (starpu_blocks.c).
 *
 * Both get two OpenCL devices, made of the whole CPU by PoCL, and the same kernels; StarPU's workers for plain
 * CPU code are left out. Sides run in interleaved rounds of this process, end to end: from the first call until
 * everything is done. StarPU's codelets are asynchronous (STARPU_OPENCL_ASYNC), its scheduler the default. */

#include <stdlib.h>
#include <string.h>

#include "common/number.h"
#include "common/refuse.h"
#include "must.h"
#include "overhead/starpu_side.h"

#define ITEMS 16
#define ARRAYS_MOST 1000
#define ROUNDS 11 /* unless --rounds says how many */

static const char source[] =
	"__kernel void add(__global float *c, __global const float *a, __global const float *b)\n"
	"{ size_t i = get_global_id(0); c[i] = a[i] + b[i]; }\n"
	"__kernel void increment(__global float *a) { a[get_global_id(0)] += 1.0f; }\n";

/* These kernels and those of the blocks. */
static const char *whole_source(void)
{
	static char text[4096];

	snprintf(text, sizeof text, "%s%s", source, blocks_source);
	return text;
}

/* What both sides do: `launches` of a kernel, number i with array i % arrays, on device i % devices. */
struct work {
	int launches, arrays, devices;
	size_t items;
	int is_add; /* add over arrays 0, 1 and 2; else increment */
	het_system *system;
	het_kernel *kernel;
	het_array *ours[ARRAYS_MOST];
	starpu_data_handle_t theirs[ARRAYS_MOST];
	float *memory[ARRAYS_MOST];
};

/* ---- Hetero ------------------------------------------------------------------------------------- */

static void ours_start(void *user)
{
	const struct work *const w = user;
	const struct het_range range = het_local(het_grid(1, (int64_t)w->items), ITEMS);

	for (int i = 0; i < w->launches; i++) {
		het_device *const device = het_device(w->system, i % w->devices);

		if (w->is_add)
			must(het_launch(w->kernel, device, range, HET_OUT(w->ours[0]), HET_IN(w->ours[1]),
					HET_IN(w->ours[2])));
		else
			must(het_launch(w->kernel, device, range, HET_INOUT(w->ours[i % w->arrays])));
	}
	must(het_wait_all(w->system));
}

/* ---- StarPU ------------------------------------------------------------------------------------- */

static void run_kernel(const char *name, void *buffers[], cl_uint count)
{
	const size_t global = STARPU_VECTOR_GET_NX(buffers[0]), local = ITEMS;
	const struct starpu_launch launch = starpu_side_kernel(name);

	for (cl_uint i = 0; i < count; i++) {
		const cl_mem mem = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[i]);

		starpu_side_arg(&launch, i, sizeof mem, &mem);
	}
	starpu_side_launch(&launch, 1, &global, &local);
}

static void run_add(void *buffers[], void *argument)
{
	(void)argument;
	run_kernel("add", buffers, 3);
}

static void run_increment(void *buffers[], void *argument)
{
	(void)argument;
	run_kernel("increment", buffers, 1);
}

static struct starpu_codelet add = {
	.opencl_funcs = {run_add},
	.opencl_flags = {STARPU_OPENCL_ASYNC},
	.nbuffers = 3,
	.modes = {STARPU_W, STARPU_R, STARPU_R},
	.name = "add",
};
static struct starpu_codelet increment = {
	.opencl_funcs = {run_increment},
	.opencl_flags = {STARPU_OPENCL_ASYNC},
	.nbuffers = 1,
	.modes = {STARPU_RW},
	.name = "increment",
};

static void theirs_start(void *user)
{
	const struct work *const w = user;
	const int worker[2] = {starpu_side_worker(0), starpu_side_worker(1)};

	for (int i = 0; i < w->launches; i++)
		if (w->is_add)
			give_up(starpu_task_insert(&add, STARPU_EXECUTE_ON_WORKER, worker[0], STARPU_W,
						   w->theirs[0], STARPU_R, w->theirs[1], STARPU_R, w->theirs[2],
						   0),
				"starpu_task_insert");
		else
			give_up(starpu_task_insert(&increment, STARPU_EXECUTE_ON_WORKER, worker[i % w->devices],
						   STARPU_RW, w->theirs[i % w->arrays], 0),
				"starpu_task_insert");
	give_up(starpu_task_wait_for_all(), "starpu_task_wait_for_all");
}

/* ---- both --------------------------------------------------------------------------------------- */

static void get_arrays(struct work *w)
{
	for (int i = 0; i < w->arrays; i++) {
		w->memory[i] = calloc(w->items, sizeof(float));
		give_up(!w->memory[i], "calloc");
		for (size_t k = 0; k < w->items; k++)
			w->memory[i][k] = (float)(k % 1000 + (size_t)i);
		must(het_array_new(w->system, HET_FLOAT, het_shape(1, (int64_t)w->items), &w->ours[i]));
		must(het_write(het_view(w->ours[i], het_whole()), w->memory[i]));
		starpu_vector_data_register(&w->theirs[i], STARPU_MAIN_RAM, (uintptr_t)w->memory[i],
					    (uint32_t)w->items, sizeof(float));
	}
}

/* Both must have computed the same. */
static void compare_and_free(struct work *w)
{
	starpu_resume();
	for (int i = 0; i < w->arrays; i++) {
		const void *seen = NULL;

		starpu_data_unregister(w->theirs[i]);
		must(het_map(w->ours[i], HET_READ, &seen));
		give_up(memcmp(seen, w->memory[i], w->items * sizeof(float)), "comparing the two sides");
		must(het_unmap(w->ours[i]));
		must(het_array_free(w->ours[i]));
		free(w->memory[i]);
	}
	starpu_pause();
}

static void compare(struct report *report, int rounds, struct work *w, const char *name, const char *title)
{
	const struct side ours = hetero_side(ours_start, w), theirs = starpu_side(theirs_start, w);
	static struct pair pair;

	get_arrays(w);
	pair_measure(&pair, rounds, &ours, &theirs);
	report_section(report, name, "%s, %d round%s", title, rounds, report_plural(rounds));
	pair_report_peer(&pair, report, w->launches, w->devices == 1 ? "launch" : "hop", "StarPU");
	compare_and_free(w);
}

static het_system *open_hetero(void)
{
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system;

	options.devices = HETERO_SIDE;
	must(het_open(&options, &system));
	return system;
}

static het_kernel *kernel_of(het_system *system, const char *name)
{
	het_kernel *kernel;

	must(het_kernel_from_source(system, source, name, NULL, &kernel));
	return kernel;
}

static const char help[] = "usage: starpu [--rounds N] [--format text|json]\n"
			   "Measures Hetero against StarPU's OpenCL driver.\n"
			   "  --rounds N    both by turns: 1 to " NUMBER_TEXT(PAIR_ROUNDS_MOST) " ("
			   NUMBER_TEXT(ROUNDS) ")\n";

static int rounds_from(int argc, char **argv, int *json)
{
	int rounds = ROUNDS;

	if (argc == 2 && !strcmp(argv[1], "--help")) {
		fputs(help, stdout);
		exit(0);
	}
	for (int i = 1; i < argc; i += 2) {
		const char *const value = i + 1 < argc ? argv[i + 1] : "";
		const int is_json = !strcmp(value, "json");

		if (!strcmp(argv[i], "--rounds") && !number_read(value, 1, PAIR_ROUNDS_MOST, &rounds))
			continue;
		if (strcmp(argv[i], "--format") != 0 || !(is_json ? report_can_json() : !strcmp(value, "text")))
			exit(refuse("starpu", help, argv[i], value));
		*json = is_json;
	}
	return rounds;
}

int main(int argc, char **argv)
{
	static struct work w;
	int json = 0;
	const int rounds = rounds_from(argc, argv, &json);
	struct report *const report = report_new(json);
	het_kernel *adding, *incrementing;

	setenv("POCL_DEVICES", "pthread pthread", 0);
	setenv("OCL_ICD_VENDORS", "/etc/OpenCL/vendors/pocl.icd", 0);
	setenv("STARPU_OPENCL_ON_CPUS", "1", 1);
	setenv("STARPU_SILENT", "1", 0);
	w.system = open_hetero();
	report_about(report, w.system);
	measure_opening(report, rounds);
	starpu_side_open(whole_source());
	adding = kernel_of(w.system, "add");
	incrementing = kernel_of(w.system, "increment");

	w = (struct work){1000, 3, 1, ITEMS, 1, w.system, adding, {NULL}, {NULL}, {NULL}};
	compare(report, rounds, &w, "chain", "chain of 1000 launches, three whole arrays, one device");
	w = (struct work){1000, ARRAYS_MOST, 1, ITEMS, 0, w.system, incrementing, {NULL}, {NULL}, {NULL}};
	compare(report, rounds, &w, "arrays", "1000 launches over 1000 arrays, one device");
	w = (struct work){100, 1, 2, 65536 / sizeof(float), 0, w.system, incrementing, {NULL}, {NULL}, {NULL}};
	compare(report, rounds, &w, "hop", "64 KiB from device to device, a kernel on each by turns");
	w = (struct work){10,     1,      2,     (64 << 20) / sizeof(float), 0, w.system, incrementing,
			  {NULL}, {NULL}, {NULL}};
	compare(report, rounds, &w, "hop-large", "64 MiB from device to device, a kernel on each by turns");
	measure_columns(report, rounds, w.system);
	measure_product(report, rounds, w.system);
	report_end(report);
	must(het_close(w.system));
	starpu_side_close();
	return 0;
}
