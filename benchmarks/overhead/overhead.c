/* overhead.c - what the library costs beside OpenCL by hand: launches on one device and on two, hops between
 * memories.
 *
 * Both sides do the same work on equal devices in interleaved rounds; what is reported are medians over the
 * rounds with 95 % intervals. Host time is the CPU time of the calling thread, until all has been waited for.
 * instructions.sh counts the library's instructions instead. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/number.h"
#include "common/refuse.h"
#include "overhead/overhead.h"
#include "printed.h"

#define NUMBER_MOST 1000000
#define MIB_MOST 4096
#define CHAIN_LEAST 3 /* arrays: one of each launch, and those of the two before it */
/* unless an option says another number */
#define ROUNDS 21
#define LAUNCHES 1000
#define HOPS 4
#define MIB 64
#define ELEMENTS 1000000

static const char source[] =
	"__kernel void add(__global float *c, __global const float *a, __global const float *b)\n"
	"{ size_t i = get_global_id(0); c[i] = a[i] + b[i]; }\n"
	"__kernel void increment(__global float *a) { a[get_global_id(0)] += 1.0f; }\n"
	"__kernel void blur(__global float *out, __global const float *in)\n"
	"{ size_t i = get_global_id(0); out[i] = 0.5f * (in[i - 1] + in[i + 1]); }\n"
	"__kernel void settle(__global float *out, __global const float *in)\n"
	"{ size_t i = get_global_id(0); float x = in[i];\n"
	"  for (int k = 0; k < 300; k++) x = 0.5f * x + 1.0f;\n"
	"  out[i] = x; }\n";

static het_kernel *new_kernel(het_system *system, const char *name)
{
	het_kernel *kernel;

	must(het_kernel_from_source(system, source, name, NULL, &kernel));
	return kernel;
}

static void wait_all(void *system)
{
	must(het_wait_all(system));
}

static void nothing(void *user)
{
	(void)user;
}

/* The two sides; the one by hand may be left out, when something counts what Hetero does. */
void measure_pair(const struct bench *b, struct pair *pair, const struct side *ours,
		  const struct side *by_hand)
{
	static const struct side none = {.start = nothing, .finish = nothing};

	pair->alone = b->setup.alone;
	pair_measure(pair, b->setup.rounds, ours, b->setup.alone ? &none : by_hand);
}

/* ---- chain: one device, three whole arrays ------------------------------------------------------ */

struct chain {
	struct bench *bench;
	int launches;
	het_array *ours[3];
	cl_mem by_hand[3];
	cl_event last;
};

static void chain_start(void *user)
{
	const struct chain *const c = user;
	het_device *const device = het_device(c->bench->system, 0);

	for (int i = 0; i < c->launches; i++)
		must(het_launch(c->bench->add, device, het_local(het_grid(1, c->bench->setup.items), ITEMS),
				 HET_OUT(c->ours[0]), HET_IN(c->ours[1]), HET_IN(c->ours[2])));
}

static void chain_finish(void *user)
{
	wait_all(((struct chain *)user)->bench->system);
}

static void raw_chain_start(void *user)
{
	struct chain *const c = user;

	c->last = raw_chain(&c->bench->raw, c->by_hand, c->launches, (size_t)c->bench->setup.items, ITEMS);
}

static void raw_chain_finish(void *user)
{
	struct chain *const c = user;

	raw_wait(&c->bench->raw.part[0], c->last);
}

static void measure_chain(struct bench *b, int launches)
{
	struct chain c = {.bench = b, .launches = launches};
	const size_t items = (size_t)b->setup.items;
	const struct side ours = side_of(chain_start, chain_finish, &c),
			  by_hand = side_of(raw_chain_start, raw_chain_finish, &c);
	static struct pair pair;
	void *host[3];

	for (int i = 0; i < 3; i++) {
		c.ours[i] = new_array(b->system, items);
		c.by_hand[i] = raw_over_host(b->raw.part[0].context, items * sizeof(float), &host[i]);
	}
	measure_pair(b, &pair, &ours, &by_hand);
	report_section(b->report, "chain",
		       "chain of %d launches of %zu items, three whole arrays, one device, %d round%s",
	               launches, items, b->setup.rounds, report_plural(b->setup.rounds));
	pair_report_launches(&pair, b->report, launches);
	for (int i = 0; i < 3; i++) {
		must(het_array_free(c.ours[i]));
		clReleaseMemObject(c.by_hand[i]);
		free(host[i]);
	}
}

/* ---- hops: two devices by turns, the same data --------------------------------------------------- */

struct hops {
	het_system *system;
	het_kernel *step;
	het_array *array;
	struct raw *raw;                 /* one context; NULL: two */
	struct raw_device *device[2];
	enum raw_hop kind;
	cl_mem mem[2];
	void *host;
	int steps;
	size_t items, bytes;
};

static void hops_start(void *user)
{
	const struct hops *const h = user;

	for (int i = 0; i < h->steps; i++)
		must(het_launch(h->step, het_device(h->system, i % 2),
				het_local(het_grid(1, (int64_t)h->items), RAW_HOP_GROUP), HET_INOUT(h->array)));
}

static void hops_finish(void *user)
{
	must(het_wait(((struct hops *)user)->array));
}

static void raw_hops_start(void *user)
{
	const struct hops *const h = user;

	if (h->raw)
		raw_hops(h->raw, h->kind, h->mem, h->steps, h->items, h->bytes);
	else
		raw_cross_hops(h->device, h->mem, h->steps, h->items, h->bytes, h->host);
}

static void raw_hops_finish(void *user)
{
	(void)user; /* it has waited */
}

/* Also reports how many bytes Hetero moved in a step, to be compared with what had to be. */
static void run_hops(struct bench *b, struct hops *h, const char *name, const char *against)
{
	const struct side ours = side_of(hops_start, hops_finish, h);
	const struct side by_hand = side_of(raw_hops_start, raw_hops_finish, h);
	struct het_stats before = HET_STATS_INIT, after = HET_STATS_INIT;
	static struct pair pair;

	h->step = new_kernel(h->system, "increment");
	h->array = new_array(h->system, h->items);
	must(het_stats(h->system, &before));
	measure_pair(b, &pair, &ours, &by_hand);
	must(het_stats(h->system, &after));
	report_section(b->report, name, "step of %zu KiB after the other device's, against %s, %d round%s",
		       h->bytes / 1024, against, b->setup.rounds, report_plural(b->setup.rounds));
	pair_report_steps(&pair, b->report, h->steps);
	report_count(b->report, "bytes moved per step",
		     (double)(after.transfer_bytes - before.transfer_bytes) /
			     (h->steps * (b->setup.rounds + 1)),
		     "");
	must(het_array_free(h->array));
	must(het_kernel_free(h->step));
}

static void measure_hops(struct bench *b, enum raw_hop kind, size_t bytes)
{
	const cl_context context = b->raw.part[0].context;
	struct hops h = {.raw = &b->raw, .kind = kind, .steps = 2 * b->setup.hops, .bytes = bytes};

	h.items = bytes / sizeof(float);
	if (kind == RAW_SHARED) {
		h.system = b->system;
		h.mem[0] = raw_over_host(context, bytes, &h.host);
		run_hops(b, &h, "hop-shared", "a buffer shared by hand");
	} else {
		h.system = open_devices("pocl:cpu/1", HET_SHARE_OFF);
		h.mem[0] = raw_own(context, bytes);
		h.mem[1] = raw_own(context, bytes);
		run_hops(b, &h, "hop-copy", "clEnqueueCopyBuffer by hand");
		must(het_close(h.system));
		clReleaseMemObject(h.mem[1]);
	}
	clReleaseMemObject(h.mem[0]);
	free(h.host);
}

static void measure_cross_hops(struct bench *b, size_t bytes)
{
	struct raw_device other;
	struct hops h = {.device = {&b->raw.part[0], &other}, .steps = 2 * b->setup.hops, .bytes = bytes};
	char name[280], selection[320];

	if (!raw_other_open(&b->raw, source, &other)) {
		report_section(b->report, "hop-contexts",
			       "no second platform: hops between contexts are not measured");
		return;
	}
	raw_name(&other, name, sizeof name);
	snprintf(selection, sizeof selection, "pocl:cpu0.0,%s", name);
	h.items = bytes / sizeof(float);
	h.system = open_devices(selection, HET_SHARE_OFF);
	h.mem[0] = raw_own(b->raw.part[0].context, bytes);
	h.mem[1] = raw_own(other.context, bytes);
	h.host = malloc(bytes);
	if (!h.host)
		exit(1);
	run_hops(b, &h, "hop-contexts", "a read and a write by hand, to another context");
	must(het_close(h.system));
	clReleaseMemObject(h.mem[0]);
	clReleaseMemObject(h.mem[1]);
	raw_other_close(&other);
	free(h.host);
}

/* ---- elements: the host writes an array, one element after the other ------------------------------ */

struct elements {
	het_system *system;
	het_array *ours;
	int *by_hand;
};

static void write_elements(int *at)
{
	for (int i = 0; i < ELEMENTS; i++)
		((volatile int *)at)[i] = i;
}

static void elements_start(void *user)
{
	const struct elements *const e = user;
	int *at;

	must(het_map(e->ours, HET_WRITE, &at));
	write_elements(at);
	must(het_unmap(e->ours));
}

static void raw_elements_start(void *user)
{
	write_elements(((struct elements *)user)->by_hand);
}

static void measure_elements(struct bench *b)
{
	struct elements e = {.system = b->system, .by_hand = malloc(ELEMENTS * sizeof(int))};
	const struct side ours = side_of(elements_start, nothing, &e);
	const struct side by_hand = side_of(raw_elements_start, nothing, &e);
	static struct pair pair;

	if (!e.by_hand)
		exit(1);
	must(het_array_new(b->system, HET_INT, het_shape(1, (int64_t)ELEMENTS), &e.ours));
	measure_pair(b, &pair, &ours, &by_hand);
	report_section(b->report, "elements", "%d elements that the host writes one by one, %d round%s",
		       ELEMENTS, b->setup.rounds, report_plural(b->setup.rounds));
	pair_report_elements(&pair, b->report, ELEMENTS);
	must(het_array_free(e.ours));
	free(e.by_hand);
}

/* ---- the program --------------------------------------------------------------------------------- */

static const char help[] =
	"usage: overhead [--rounds N] [--launches N] [--items N] [--arrays N] [--hops N] [--mib N]\n"
	"                [--only SECTION] [--sides both|hetero] [--format text|json]\n"
	"Measures Hetero against OpenCL by hand on two one-core parts of the CPU under PoCL.\n"
	"  --rounds N    both by turns: 1 to " NUMBER_TEXT(PAIR_ROUNDS_MOST) " (" NUMBER_TEXT(ROUNDS) ")\n"
	"  --launches N  in a burst, made even: 1 to " NUMBER_TEXT(NUMBER_MOST) " (" NUMBER_TEXT(LAUNCHES) ")\n"
	"  --items N     of the chain's kernels: 16, 32... up to " NUMBER_TEXT(NUMBER_MOST) " (16). Where\n"
	"                they last longer than a launch the device stays awake; else each may have to wake it\n"
	"  --arrays N    by turns: 1 to " NUMBER_TEXT(ARRAYS_MOST) ", of chains from " NUMBER_TEXT(
		CHAIN_LEAST) " on (1, then 1000, then the most)\n"
	"  --hops N      there and back in a round: 1 to " NUMBER_TEXT(NUMBER_MOST) " (" NUMBER_TEXT(HOPS) ")\n"
	"  --mib N       of the large hop: 1 to " NUMBER_TEXT(MIB_MOST) " (" NUMBER_TEXT(MIB) ")\n"
	"  --only SECTION  chain arrays array-boxes array-chains array-box-chains boxes bands spreads\n"
	"                elements hops (hops-shared hops-copy) contexts\n";

static int parse_number(const char *name, const char *number, struct setup *s)
{
	int n;

	if (number_read(number, 1, NUMBER_MOST, &n))
		return -1;
	if (!strcmp(name, "--rounds") && n <= PAIR_ROUNDS_MOST)
		s->rounds = n;
	else if (!strcmp(name, "--launches"))
		s->launches = n + n % 2; /* two devices by turns */
	else if (!strcmp(name, "--items") && n % ITEMS == 0)
		s->items = n;
	else if (!strcmp(name, "--arrays") && n <= ARRAYS_MOST)
		s->arrays = n;
	else if (!strcmp(name, "--hops"))
		s->hops = n;
	else if (!strcmp(name, "--mib") && n <= MIB_MOST)
		s->bytes = (size_t)n << 20;
	else
		return -1;
	return 0;
}

static int parse_option(const char *name, const char *value, struct setup *s)
{
	static const char *const sections[] = {"chain",	   "arrays",	"array-boxes", "array-chains",
					       "boxes",	   "spreads",	"elements",    "hops",
					       "contexts", "hops-copy", "hops-shared", "array-box-chains",
					       "bands"};

	if (!value)
		return -1;
	for (size_t i = 0; i < sizeof sections / sizeof *sections && !strcmp(name, "--only"); i++)
		if (!strcmp(value, sections[i])) {
			s->only = sections[i];
			return 0;
		}
	if (!strcmp(name, "--sides") && (!strcmp(value, "both") || !strcmp(value, "hetero"))) {
		s->alone = !strcmp(value, "hetero");
		return 0;
	}
	if (!strcmp(name, "--format") && (!strcmp(value, "text") || !strcmp(value, "json"))) {
		s->json = !strcmp(value, "json");
		return s->json && !report_can_json() ? -1 : 0;
	}
	return parse_number(name, value, s);
}

/* Is only a chain wanted, through fewer arrays than it needs? Then says so. */
static int is_no_chain(const struct setup *s)
{
	if (!s->only || (strcmp(s->only, "array-chains") != 0 && strcmp(s->only, "array-box-chains") != 0) ||
	    !s->arrays || s->arrays >= CHAIN_LEAST)
		return 0;
	fprintf(stderr, "overhead: --only %s --arrays %d: a chain goes through at least %d\n%s", s->only,
		s->arrays, CHAIN_LEAST, help);
	return 1;
}

static int wanted(const struct bench *b, const char *section)
{
	return !b->setup.only || !strcmp(b->setup.only, section);
}

/* One, a thousand, ten thousand, or as many as wished; of a chain through them at least three. */
static void measure_counts(struct bench *b, const char *section, enum raw_arrays kind)
{
	static const int counts[] = {1, 1000, ARRAYS_MOST};

	if (!wanted(b, section))
		return;
	for (size_t i = kind >= RAW_CHAIN; i < sizeof counts / sizeof *counts && !b->setup.arrays; i++)
		measure_arrays(b, kind, counts[i]);
	if (b->setup.arrays && (kind < RAW_CHAIN || b->setup.arrays >= CHAIN_LEAST))
		measure_arrays(b, kind, b->setup.arrays);
}

static void measure(struct bench *b)
{
	const size_t sizes[] = {65536, b->setup.bytes};

	if (wanted(b, "chain")) {
		measure_chain(b, b->setup.launches);
		if (!b->setup.alone)
			measure_chain(b, 20 * b->setup.launches); /* a burst, and a stream */
	}
	measure_counts(b, "arrays", RAW_WHOLE);
	measure_counts(b, "array-boxes", RAW_HALF);
	measure_counts(b, "array-chains", RAW_CHAIN);
	measure_counts(b, "array-box-chains", RAW_HALF_CHAIN);
	if (wanted(b, "boxes"))
		measure_boxes(b);
	if (wanted(b, "bands"))
		measure_bands(b);
	if (wanted(b, "spreads"))
		measure_spreads(b);
	if (wanted(b, "elements"))
		measure_elements(b);
	for (size_t i = 0; i < 2; i++) {
		if (wanted(b, "hops") || wanted(b, "hops-shared"))
			measure_hops(b, RAW_SHARED, sizes[i]);
		if (wanted(b, "hops") || wanted(b, "hops-copy"))
			measure_hops(b, RAW_COPY, sizes[i]);
		if (wanted(b, "contexts"))
			measure_cross_hops(b, sizes[i]);
	}
}

int main(int argc, char **argv)
{
	struct bench b = {.setup = {.rounds = ROUNDS,
				    .launches = LAUNCHES,
				    .hops = HOPS,
				    .items = ITEMS,
				    .bytes = (size_t)MIB << 20}};

	if (argc > 1 && !strcmp(argv[1], "--help")) {
		fputs(help, stdout);
		return printed("overhead", 0);
	}
	for (int i = 1; i < argc; i += 2)
		if (parse_option(argv[i], argv[i + 1], &b.setup))
			return refuse("overhead", help, argv[i], argv[i + 1]);
	if (is_no_chain(&b.setup))
		return 2;
	setenv("RUSTICL_ENABLE", "llvmpipe", 0); /* a second platform for hops between contexts */
	b.report = report_new(b.setup.json);
	raw_open(&b.raw, source);
	b.system = open_devices("pocl:cpu/1", HET_SHARE_PROVED);
	report_about(b.report, b.system);
	b.add = new_kernel(b.system, "add");
	b.step = new_kernel(b.system, "increment");
	b.blur = new_kernel(b.system, "blur");
	b.settle = new_kernel(b.system, "settle");
	measure(&b);
	report_end(b.report);
	must(het_close(b.system));
	raw_close(&b.raw);
	return printed("overhead", 0);
}
