/* moved.c - for tests/calibrate.sh: moves bytes with the library, and says by which route they went.
 *
 * Reads lines "FROM TO SHAPE BYTES", FROM and TO names of devices or "host", from the standard input, and
 * writes each with the routes behind it that moved anything.
 */
#include <hetero.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examples/must.h"

#define FLOWS 256

static const char text[] = "kernel void begin(global char *x) { x[0] = 1; }";

static het_device *device_named(het_system *system, const char *name)
{
	if (!strcmp(name, "host"))
		return NULL;
	for (int d = 0; d < het_device_count(system); d++) {
		struct het_device_info info = HET_DEVICE_INFO_INIT;

		must(het_device_info(het_device(system, d), &info));
		if (!strcmp(info.name, name))
			return het_device(system, d);
	}
	fprintf(stderr, "moved: there is no %s\n", name);
	exit(EXIT_FAILURE);
}

static int flows_of(het_system *system, struct het_flow *flow)
{
	int count = 0;

	while (count < FLOWS) {
		flow[count] = (struct het_flow)HET_FLOW_INIT;
		if (het_flow_at(system, count, &flow[count]))
			break;
		count++;
	}
	return count;
}

static void begin(het_kernel *kernel, het_device *device, struct het_view view)
{
	const char one = 1;

	if (device)
		must(het_launch(kernel, device, het_grid(1, 1), HET_OUT_PART(view.array, view.box)));
	else
		must(het_fill(view, &one));
	must(het_wait(view.array));
}

/* The routes by which more has gone than before. */
static void tell(het_system *system, const struct het_flow *before, int count)
{
	struct het_flow now[FLOWS];
	const int found = flows_of(system, now);
	const char *last = "";

	for (int i = 0; i < found; i++) {
		uint64_t moved = now[i].count;

		for (int k = 0; k < count; k++)
			if (before[k].from == now[i].from && before[k].to == now[i].to &&
			    !strcmp(before[k].route, now[i].route))
				moved -= before[k].count;
		if (moved && strcmp(last, now[i].route))
			printf(" %s", last = now[i].route);
	}
	putchar('\n');
}

/* Boxes with gaps are two rows of an array that is a cell wider. */
static void move(het_system *system, het_kernel *kernel, const char *from, const char *to, const char *shape,
		 long long bytes)
{
	const bool strided = !strcmp(shape, "strided");
	const int64_t rows = strided ? 2 : 1, width = bytes / rows;
	het_device *const target = device_named(system, to);
	struct het_flow before[FLOWS];
	struct het_view view;
	het_array *array;
	int count;

	must(het_array_new(system, HET_CHAR, het_shape(2, rows, width + strided), &array));
	view = het_view(array, het_box(2, 0, rows, 0, width));
	begin(kernel, device_named(system, from), view);
	count = flows_of(system, before);
	must(het_prefetch(view, target));
	must(het_wait(array));
	printf("%s %s %s %lld", from, to, shape, bytes);
	tell(system, before, count);
	must(het_array_free(array));
}

int main(void)
{
	struct het_options options = HET_OPTIONS_INIT;
	char from[64], to[64], shape[16];
	het_system *system;
	het_kernel *kernel;
	long long bytes;

	must(het_open(&options, &system));
	must(het_kernel_from_source(system, text, "begin", NULL, &kernel));
	while (scanf("%63s %63s %15s %lld%*[^\n]", from, to, shape, &bytes) == 4)
		move(system, kernel, from, to, shape, bytes);
	must(het_close(system));
	return EXIT_SUCCESS;
}
