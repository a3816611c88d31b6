/* speed.c - see speed.h. */
#include "speed.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "kernel/kernel.h"
#include "samples.h"

#define MIB ((size_t)1 << 20)
#define COUNTERS 4096 /* work-items that look at numbers: so each loops little; some drivers cut at 65535 */
#define GROUP 64u     /* one size for all launches: some drivers compile for each */
#define LAUNCHES 31
#define ROW_OF_LAUNCHES 32
#define TRIAD_LEAST (MIB / 4) /* bytes of an array */
#define TRIAD_MOST (256 * MIB)
#define MODEST 32 /* an array has at most a memory's 32nd part: staging buffers and others are there too */
#define ROW 256                /* as in the kernel; all that is counted is a multiple of it */
#define ITEMS_LEAST ((size_t)ROW)
#define ITEMS_MOST ((size_t)1 << 22)
#define LOOPS_LEAST 16
#define LOOPS_MOST 4096 /* sums stay exact in single precision */

/* Eight sums for each of eight (four, of doubles) numbers side by side: enough for units that take several
 * cycles and work on several numbers at once. */
#define SUMS 8
#define SINGLES 8
#define DOUBLES 4

static const char text[] =
	"kernel void nothing(global uint *x) { x[0] = 1; }\n"
	"kernel void begin(global float4 *b, global float4 *c)\n"
	"{\n"
	"	b[get_global_id(0)] = 1;\n"
	"	c[get_global_id(0)] = 2;\n"
	"}\n"
	"kernel void triad(global float4 *a, global const float4 *b, global const float4 *c, float s)\n"
	"{\n"
	"	a[get_global_id(0)] = b[get_global_id(0)] + s * c[get_global_id(0)];\n"
	"}\n"
	"kernel void relax(global float *out, global const float *in, uint loops)\n"
	"{\n"
	"	const size_t i = get_global_id(0);\n"
	"	float x = in[i - 1] + in[i + 1];\n"
	"	for (uint n = 0; n < loops; n++)\n"
	"		x = 0.5f * x + 1;\n"
	"	out[i] = x;\n"
	"}\n"
	"#define ROW 256\n"
	"kernel void count(global uint *wrong, global const float *x, float wanted, uint rows)\n"
	"{\n"
	"	uint found = 0;\n"
	"	for (uint row = get_global_id(0); row < rows; row += get_global_size(0))\n"
	"		for (uint column = 0; column < ROW; column++)\n"
	"			found += x[row * ROW + column] != wanted;\n"
	"	wrong[get_global_id(0)] = found;\n"
	"}\n";

/* `one` is 1, which no compiler knows. */
static const char compute_text[] =
	"#ifdef DOUBLE\n"
	"#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
	"typedef double T;\n"
	"typedef double4 TN;\n"
	"#define REST\n"
	"#else\n"
	"typedef float T;\n"
	"typedef float8 TN;\n"
	"#define REST + a.s4 + a.s5 + a.s6 + a.s7\n"
	"#endif\n"
	"kernel void compute(global float *out, T one, uint loops)\n"
	"{\n"
	"	TN a = 0, b = 1, c = 2, d = 3, e = 4, f = 5, g = 6, h = 7;\n"
	"	for (uint i = 0; i < loops; i++) {\n"
	"		a = a * one + one;\n"
	"		b = b * one + one;\n"
	"		c = c * one + one;\n"
	"		d = d * one + one;\n"
	"		e = e * one + one;\n"
	"		f = f * one + one;\n"
	"		g = g * one + one;\n"
	"		h = h * one + one;\n"
	"	}\n"
	"	a += b + c + d + e + f + g + h;\n"
	"	out[get_global_id(0)] = (float)(a.s0 + a.s1 + a.s2 + a.s3 REST);\n"
	"}\n";

het_status speed_open(het_system *system, struct speed *speed)
{
	struct {
		const char *text, *name, *options;
		het_kernel **kernel_p;
	} const kernels[] = {
		{text, "nothing", NULL, &speed->nothing},
		{text, "begin", NULL, &speed->begin},
		{text, "triad", NULL, &speed->triad},
		{text, "count", NULL, &speed->count},
		{text, "relax", NULL, &speed->relax},
		{compute_text, "compute", NULL, &speed->single},
		{compute_text, "compute", "-DDOUBLE", &speed->twice},
	};
	het_status status = HET_OK;

	*speed = (struct speed){.system = system};
	for (size_t i = 0; i < sizeof kernels / sizeof kernels[0] && !status; i++)
		status = het_kernel_from_source(system, kernels[i].text, kernels[i].name, kernels[i].options,
						kernels[i].kernel_p);
	return status;
}

/* ---- one device -------------------------------------------------------------------------------- */

struct course {
	const struct speed *speed;
	het_device *device, *partner;
	int samples;
	double triad_ns, work_ns; /* long enough for one run */
	void (*warn)(const char *what);
	struct het__cal_device *to;
};

static void know(const struct course *c, enum het__cal_figures which, double value, double spread)
{
	const double most = (double)het__cal_figure_most((int)which);

	c->to->figure[which] = (struct het__cal_figure){
		.value = (uint64_t)(value < most ? value : most),
		.spread = (uint64_t)(spread < most ? spread : most),
		.origin = HET__CAL_MEASURED,
		.known = 1,
	};
}

/* `done`: how much was done in the time of each sample. */
static void know_rate(const struct course *c, enum het__cal_figures which, double done, struct samples *samples)
{
	const struct het__cal_point point = samples_point(samples, 0);
	const double rate = done / (double)point.ns * 1e9;

	know(c, which, rate, rate * (double)point.spread_ns / (double)point.ns);
}

/* `why` NULL: the last error's text. Waits until what failed is over, so that nothing is told of it later. */
static void give_up(const struct course *c, const char *what, const char *why)
{
	char line[HET__CAL_NAME_BYTES + 400];

	snprintf(line, sizeof line, "%s: %s is not known: %.250s", c->device->name, what,
		 why ? why : het_message());
	c->warn(line);
	while (het_wait_all(c->speed->system) == HET_ERR_LOST)
		;
}

/* The largest power of two up to GROUP that the kernel can have; 1 if it cannot be built: its launch says
 * why. */
static size_t group_of(const struct course *c, het_kernel *kernel)
{
	struct het__kernel_on *on;
	size_t group = GROUP;

	if (het__kernel_on(kernel, c->device, &on) != HET_OK)
		return 1;
	while (group > 1 && group > on->limits.work_group)
		group /= 2;
	return group;
}

static struct het_range items(const struct course *c, het_kernel *kernel, size_t count)
{
	return het_local(het_grid(1, (int64_t)count), (int64_t)group_of(c, kernel));
}

/* How large an array may be. */
static size_t most_bytes(const struct course *c)
{
	const uint64_t buffer = bench_buffer_bytes(c->device), memory = bench_memory_bytes(c->device);
	size_t most = TRIAD_MOST;

	while (most > TRIAD_LEAST && (most > buffer || most > memory / MODEST))
		most /= 2;
	return most;
}

/* ---- a launch ---------------------------------------------------------------------------------- */

static het_status launch_nothing(const struct course *c, het_array *x)
{
	return het_launch(c->speed->nothing, c->device, het_local(het_grid(1, 1), 1), HET_OUT(x));
}

static het_status time_launches(const struct course *c, het_array *x)
{
	struct samples samples = {.count = 0};
	struct het__cal_point point;
	het_status status = HET_OK;

	for (int i = -1; i < LAUNCHES && !status; i++) {
		const uint64_t began = het__host_ns();

		status = launch_nothing(c, x);
		if (!status)
			status = het_wait(x);
		if (i >= 0)
			samples.ns[samples.count++] = het__ns_since(began);
	}
	if (status)
		return status;
	point = samples_point(&samples, 0);
	know(c, HET__CAL_LAUNCH_NS, (double)point.ns, (double)point.spread_ns);
	return HET_OK;
}

/* *ns_p: what one launch of a row takes, where each writes what the one before wrote. */
static het_status time_row(const struct course *c, het_array *x, double *ns_p)
{
	const uint64_t began = het__host_ns();
	het_status status = HET_OK;

	for (int i = 0; i < ROW_OF_LAUNCHES && !status; i++)
		status = launch_nothing(c, x);
	if (!status)
		status = het_wait(x);
	*ns_p = het__ns_since(began) / ROW_OF_LAUNCHES;
	return status;
}

/* The first row does not count. */
static het_status time_rows(const struct course *c, het_array *x, struct het__cal_point *point_p)
{
	struct samples samples = {.count = 0};
	het_status status = HET_OK;

	for (int i = -1; i < c->samples && !status; i++) {
		double ns;

		status = time_row(c, x, &ns);
		if (!status && i >= 0)
			samples_add(&samples, ns);
	}
	if (!status)
		*point_p = samples_point(&samples, 0);
	return status;
}

static void measure_edges(const struct course *c)
{
	double saved, spread;

	if (edges_measure(c->speed, c->device, c->partner, 2 * c->samples + 1, &saved, &spread))
		give_up(c, "what edges apart save", NULL);
	else
		know(c, HET__CAL_EDGES_NS, saved > 0 ? saved : 0, spread);
}

static void measure_row(const struct course *c, het_array *x)
{
	struct het__cal_point behind;

	if (time_rows(c, x, &behind)) {
		give_up(c, "the time of launches in a row", NULL);
		return;
	}
	know(c, HET__CAL_BEHIND_NS, (double)behind.ns, (double)behind.spread_ns);
	if (c->partner)
		measure_edges(c);
}

static void measure_launch(const struct course *c)
{
	het_array *x = NULL;

	if (het_array_new(c->speed->system, HET_UINT, het_shape(1, 1), &x) || time_launches(c, x))
		give_up(c, "the time of a launch", NULL);
	else
		measure_row(c, x);
	het_array_discard(x);
}

/* ---- are the numbers right --------------------------------------------------------------------- */

static het_status count_wrong(const struct course *c, het_array *x, float wanted, size_t count,
			      uint64_t *wrong_p)
{
	const uint32_t *found;
	het_array *counters = NULL;
	het_status status = het_array_new(c->speed->system, HET_UINT, het_shape(1, COUNTERS), &counters);

	*wrong_p = 0;
	if (!status)
		status = het_launch(c->speed->count, c->device, items(c, c->speed->count, COUNTERS),
				    HET_OUT(counters), HET_IN(x), HET_VAL((cl_float)wanted),
				    HET_VAL((cl_uint)(count / ROW)));
	if (!status)
		status = het_map(counters, HET_READ, &found);
	for (int i = 0; i < COUNTERS && !status; i++)
		*wrong_p += found[i];
	if (!status)
		status = het_unmap(counters);
	het_array_discard(counters);
	return status;
}

/* ---- memory ------------------------------------------------------------------------------------ */

struct triad {
	het_array *a, *b, *c;
	size_t floats;
};

static void triad_close(struct triad *t)
{
	het_array_discard(t->a);
	het_array_discard(t->b);
	het_array_discard(t->c);
	*t = (struct triad){.floats = 0};
}

static het_status triad_open(const struct course *c, size_t bytes, struct triad *t)
{
	het_array **const array[] = {&t->a, &t->b, &t->c};
	het_status status = HET_OK;

	*t = (struct triad){.floats = bytes / sizeof(float)};
	for (int i = 0; i < 3 && !status; i++)
		status = het_array_new(c->speed->system, HET_FLOAT, het_shape(1, (int64_t)t->floats), array[i]);
	if (!status)
		status = het_launch(c->speed->begin, c->device, items(c, c->speed->begin, t->floats / 4),
				    HET_OUT(t->b), HET_OUT(t->c));
	if (status)
		triad_close(t);
	return status;
}

static het_status triad_run(const struct course *c, const struct triad *t, int repetition, double *ns_p)
{
	het_status status = het_wait_all(c->speed->system);
	const uint64_t began = het__host_ns();

	if (!status)
		status = het_launch(c->speed->triad, c->device, items(c, c->speed->triad, t->floats / 4),
				    HET_OUT(t->a), HET_IN(t->b), HET_IN(t->c), HET_VAL((cl_float)repetition));
	if (!status)
		status = het_wait(t->a);
	*ns_p = het__ns_since(began);
	return status;
}

/* Leaves arrays open that are large enough, and warm. The shortest of three runs counts. */
static het_status triad_fit(const struct course *c, struct triad *t)
{
	const size_t most = most_bytes(c);
	het_status status;
	double ns = 0, least_ns;

	for (size_t bytes = TRIAD_LEAST;; bytes *= 8 * least_ns < c->triad_ns && 4 * bytes <= most ? 4 : 2) {
		status = triad_open(c, bytes, t);
		least_ns = c->triad_ns;
		for (int i = 0; i < 3 && !status; i++) {
			status = triad_run(c, t, 0, &ns);
			least_ns = ns < least_ns ? ns : least_ns;
		}
		if (status || least_ns >= c->triad_ns || bytes >= most)
			return status;
		triad_close(t);
	}
}

static void measure_triad(const struct course *c)
{
	struct samples samples = {.count = 0};
	struct triad t = {.floats = 0};
	uint64_t wrong = 0;
	het_status status = triad_fit(c, &t);

	for (int i = 1; i <= c->samples && !status && !wrong; i++) {
		status = triad_run(c, &t, i, &samples.ns[samples.count++]);
		if (!status && (i == 1 || i == c->samples))
			status = count_wrong(c, t.a, 1 + 2 * (float)i, t.floats, &wrong);
	}
	if (status || wrong)
		give_up(c, "the memory bandwidth", status ? NULL : "results are wrong");
	else
		know_rate(c, HET__CAL_TRIAD_BYTES_PER_S, 3.0 * sizeof(float) * (double)t.floats, &samples);
	triad_close(&t);
}

/* ---- computing --------------------------------------------------------------------------------- */

struct work {
	het_kernel *kernel;
	bool is_double;
	uint32_t loops;
	size_t items, most;
	het_array *out;
};

static int width_of(const struct work *w)
{
	return w->is_double ? DOUBLES : SINGLES;
}

static het_status work_run(const struct course *c, const struct work *w, double *ns_p)
{
	const struct het_arg one = w->is_double ? HET_VAL((cl_double)1) : HET_VAL((cl_float)1);
	const uint64_t began = het__host_ns();
	het_status status =
		het_launch(w->kernel, c->device, items(c, w->kernel, w->items),
			   HET_OUT_PART(w->out, het_box(1, 0, (int64_t)w->items)), one,
			   HET_VAL((cl_uint)w->loops));

	if (!status)
		status = het_wait(w->out);
	*ns_p = het__ns_since(began);
	return status;
}

static het_status work_count_wrong(const struct course *c, const struct work *w, uint64_t *wrong_p)
{
	const double sum = SUMS * (SUMS - 1) / 2 + (double)SUMS * w->loops;

	return count_wrong(c, w->out, (float)(width_of(w) * sum), w->items, wrong_p);
}

/* First more loops, then more items. The first run of all is not looked at: the driver may compile then. Of two
 * runs the shorter counts: what else the machine does must not make little work look like much. */
static het_status work_fit(const struct course *c, struct work *w)
{
	double ns = 0, again_ns = 0;
	het_status status = work_run(c, w, &ns);

	while (!status) {
		status = work_run(c, w, &ns);
		if (!status && ns >= c->work_ns)
			status = work_run(c, w, &again_ns);
		if ((ns >= c->work_ns && again_ns >= c->work_ns) ||
		    (w->loops == LOOPS_MOST && w->items == w->most))
			break;
		if (w->loops < LOOPS_MOST)
			w->loops *= 2;
		else
			w->items *= 2;
	}
	return status;
}

/* Leaves in `w` what kept the device busy. */
static het_status measure_work(const struct course *c, struct work *w, const char *what,
			       enum het__cal_figures which)
{
	struct samples samples = {.count = 0};
	uint64_t wrong = 0;
	het_status status = work_fit(c, w);

	for (int i = 1; i <= c->samples && !status && !wrong; i++) {
		status = work_run(c, w, &samples.ns[samples.count++]);
		if (!status && (i == 1 || i == c->samples))
			status = work_count_wrong(c, w, &wrong);
	}
	if (status || wrong)
		give_up(c, what, status ? NULL : "results are wrong");
	else
		know_rate(c, which, 2.0 * SUMS * width_of(w) * w->loops * (double)w->items, &samples);
	return status;
}

static void measure_queues(const struct course *c, const struct work *w)
{
	struct het__kernel_on *on;
	bool overlap, unflushed;
	struct busy busy;
	het_status status = het__kernel_on(w->kernel, c->device, &on);

	if (!status) {
		busy = (struct busy){.device = c->device,
				     .program = on->program,
				     .is_double = w->is_double,
				     .loops = w->loops,
				     .items = w->items,
				     .group = group_of(c, w->kernel)};
		status = queues_measure(&busy, &overlap, &unflushed);
	}
	if (status) {
		give_up(c, "what its queues do", NULL);
		return;
	}
	know(c, HET__CAL_QUEUES_OVERLAP, overlap, 0);
	know(c, HET__CAL_STARTS_UNFLUSHED, unflushed, 0);
}

static void measure_computing(const struct course *c)
{
	const size_t room = most_bytes(c) / 16, most = room < ITEMS_MOST ? room : ITEMS_MOST;
	struct work single = {c->speed->single, false, LOOPS_LEAST, ITEMS_LEAST, most, NULL};
	struct work twice = {c->speed->twice, true, LOOPS_LEAST, ITEMS_LEAST, most, NULL};
	het_array *out = NULL;

	if (het_array_new(c->speed->system, HET_FLOAT, het_shape(1, (int64_t)most), &out)) {
		give_up(c, "the speed", NULL);
		return;
	}
	single.out = twice.out = out;
	if (!measure_work(c, &single, "the speed in single precision", HET__CAL_SINGLE_FLOP_PER_S))
		measure_queues(c, &single);
	if (c->device->facts.has_double)
		(void)measure_work(c, &twice, "the speed in double precision", HET__CAL_DOUBLE_FLOP_PER_S);
	het_array_discard(out);
}

void speed_measure(const struct speed *speed, het_device *device, het_device *partner, bool quick,
		   void (*warn)(const char *what), struct het__cal_device *to)
{
	const struct course c = {
		.speed = speed,
		.device = device,
		.partner = partner,
		.samples = quick ? 3 : 9,
		.triad_ns = quick ? 5e6 : 20e6, /* caches of tens of MiB are passed by then */
		.work_ns = quick ? 2e6 : 10e6,
		.warn = warn,
		.to = to,
	};

	measure_launch(&c);
	measure_triad(&c);
	measure_computing(&c);
}
