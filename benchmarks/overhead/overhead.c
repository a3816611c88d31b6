/* overhead.c - what the library costs beside OpenCL by hand: launches on one device, hops between two.
 *
 * Both sides do the same work on equal devices in interleaved rounds; what is reported are medians over the
 * rounds with 95 % intervals. Host time is the CPU time of the calling thread. */

#include <hetero.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "overhead/raw.h"
#include "overhead/sample.h"

#define CHAIN_ITEMS 16
#define ROUNDS_MOST 999

static const char source[] =
	"__kernel void add(__global float *c, __global const float *a, __global const float *b)\n"
	"{ size_t i = get_global_id(0); c[i] = a[i] + b[i]; }\n"
	"__kernel void increment(__global float *a) { a[get_global_id(0)] += 1.0f; }\n";

struct setup {
	int rounds, launches, hops;
	size_t bytes;
};

/* One system with what the measurements need. */
struct ours {
	het_system *system;
	het_kernel *add, *step;
	het_array *small[3], *large;
};

static void check(het_status status)
{
	if (!status)
		return;
	fprintf(stderr, "overhead: %s\n", het_message());
	exit(1);
}

static void ours_open(struct ours *o, enum het_share share, size_t bytes)
{
	struct het_options options = HET_OPTIONS_INIT;

	options.devices = "cpu/1";
	options.share = share;
	check(het_open(&options, &o->system));
	check(het_kernel_from_source(o->system, source, "add", NULL, &o->add));
	check(het_kernel_from_source(o->system, source, "increment", NULL, &o->step));
	for (int i = 0; i < 3; i++)
		check(het_array_new(o->system, HET_FLOAT, het_shape(1, CHAIN_ITEMS), &o->small[i]));
	check(het_array_new(o->system, HET_FLOAT, het_shape(1, (int64_t)(bytes / sizeof(float))), &o->large));
}

static void ours_chain(struct ours *o, int launches)
{
	het_device *device = het_device(o->system, 0);

	for (int i = 0; i < launches; i++)
		check(het_launch(o->add, device, het_local(het_grid(1, CHAIN_ITEMS), CHAIN_ITEMS), HET_OUT(o->small[0]),
		                 HET_IN(o->small[1]), HET_IN(o->small[2])));
}

static void ours_hops(struct ours *o, int hops, size_t items)
{
	for (int i = 0; i < 2 * hops; i++)
		check(het_launch(o->step, het_device(o->system, i % 2), het_grid(1, (int64_t)items), HET_INOUT(o->large)));
	check(het_wait(o->large));
}

static void measure_chain(struct ours *o, struct raw *raw, const struct setup *s)
{
	double above[ROUNDS_MOST], ours[ROUNDS_MOST], by_hand[ROUNDS_MOST], wall[ROUNDS_MOST];

	for (int r = -1; r < s->rounds; r++) { /* the first round warms up */
		double us = 1e6 / s->launches, cpu, t, t_raw, used, used_raw;
		cl_event last;

		t = wall_seconds();
		cpu = thread_seconds();
		ours_chain(o, s->launches);
		used = thread_seconds() - cpu;
		check(het_wait_all(o->system));
		t = wall_seconds() - t;
		t_raw = wall_seconds();
		cpu = thread_seconds();
		last = raw_chain(raw, s->launches, CHAIN_ITEMS);
		used_raw = thread_seconds() - cpu;
		raw_wait(raw, last);
		t_raw = wall_seconds() - t_raw;
		if (r < 0)
			continue;
		ours[r] = used * us;
		by_hand[r] = used_raw * us;
		above[r] = (used - used_raw) * us;
		wall[r] = t / t_raw;
	}
	printf("chain of %d launches, three whole arrays, one device, %d rounds:\n", s->launches, s->rounds);
	print_estimate("host CPU time per launch, Hetero", estimate(ours, s->rounds), "us");
	print_estimate("host CPU time per launch, by hand", estimate(by_hand, s->rounds), "us");
	print_estimate("Hetero above by hand", estimate(above, s->rounds), "us");
	print_estimate("end to end, Hetero / by hand", estimate(wall, s->rounds), "");
}

static void measure_hops(struct ours *o, struct raw *raw, enum raw_hop kind, const struct setup *s)
{
	double ratio[ROUNDS_MOST], ours[ROUNDS_MOST], by_hand[ROUNDS_MOST];
	struct het_stats before = HET_STATS_INIT, after = HET_STATS_INIT;
	size_t items = s->bytes / sizeof(float);
	int steps = 2 * s->hops * (s->rounds + 1);

	check(het_stats(o->system, &before));
	for (int r = -1; r < s->rounds; r++) {
		double t = wall_seconds(), t_raw;

		ours_hops(o, s->hops, items);
		t = wall_seconds() - t;
		t_raw = wall_seconds();
		raw_hops(raw, kind, s->hops, items, s->bytes);
		t_raw = wall_seconds() - t_raw;
		if (r < 0)
			continue;
		ours[r] = t / s->hops / 2 * 1e3;
		by_hand[r] = t_raw / s->hops / 2 * 1e3;
		ratio[r] = t / t_raw;
	}
	check(het_stats(o->system, &after));
	printf("step of %zu KiB after the other device's, against %s, %d rounds:\n", s->bytes / 1024,
	       kind == RAW_SHARED ? "a buffer shared by hand" : "clEnqueueCopyBuffer by hand", s->rounds);
	print_estimate("one step, Hetero", estimate(ours, s->rounds), "ms");
	print_estimate("one step, by hand", estimate(by_hand, s->rounds), "ms");
	print_estimate("Hetero / by hand", estimate(ratio, s->rounds), "");
	printf("  bytes moved per step: %.0f\n", (double)(after.transfer_bytes - before.transfer_bytes) / steps);
}

static void usage(FILE *to)
{
	fputs("usage: overhead [--rounds N] [--launches N] [--hops N] [--mib N]\n"
	      "Measures Hetero against OpenCL by hand on two one-core parts of the CPU.\n",
	      to);
}

/* One option and its number. */
static int parse_option(const char *name, const char *number, struct setup *s)
{
	long n = number ? strtol(number, NULL, 10) : 0;

	if (n < 1 || n > 1000000)
		return -1;
	if (!strcmp(name, "--rounds") && n <= ROUNDS_MOST)
		s->rounds = (int)n;
	else if (!strcmp(name, "--launches"))
		s->launches = (int)n;
	else if (!strcmp(name, "--hops"))
		s->hops = (int)n;
	else if (!strcmp(name, "--mib") && n <= 4096)
		s->bytes = (size_t)n << 20;
	else
		return -1;
	return 0;
}

int main(int argc, char **argv)
{
	struct setup s = {21, 1000, 4, (size_t)64 << 20};
	struct ours shared, separate;
	struct raw raw;

	if (argc > 1 && !strcmp(argv[1], "--help")) {
		usage(stdout);
		return 0;
	}
	for (int i = 1; i < argc; i += 2)
		if (parse_option(argv[i], argv[i + 1], &s)) {
			usage(stderr);
			return 2;
		}
	raw_open(&raw, source, CHAIN_ITEMS * sizeof(float), s.bytes);
	ours_open(&shared, HET_SHARE_PROVED, s.bytes);
	measure_chain(&shared, &raw, &s);
	measure_hops(&shared, &raw, RAW_SHARED, &s);
	check(het_close(shared.system));
	ours_open(&separate, HET_SHARE_OFF, s.bytes);
	measure_hops(&separate, &raw, RAW_COPY, &s);
	check(het_close(separate.system));
	raw_close(&raw);
	return 0;
}
