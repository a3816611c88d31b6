/* table.c - what the devices have done, for people to read. */
#include "table.h"

#include <inttypes.h>
#include <stdio.h>

#include "must.h"

int table_first_row(int rows, int d, int count)
{
	return (int)((int64_t)rows * d / count);
}

static double mib(uint64_t bytes)
{
	return (double)bytes / (1 << 20);
}

/* A cell of the column `rows`, which is left out where no rows were cut. */
static void print_rows(het_system *system, int d, int rows)
{
	const int count = het_device_count(system);

	if (rows)
		printf(" %6d", table_first_row(rows, d + 1, count) - table_first_row(rows, d, count));
}

static void print_device(het_system *system, int d, int rows)
{
	struct het_device_info info = HET_DEVICE_INFO_INIT;
	struct het_device_stats done = HET_DEVICE_STATS_INIT;

	must(het_device_info(het_device(system, d), &info));
	must(het_device_stats(het_device(system, d), &done));
	printf("%-20s %6d", info.name, info.memory);
	print_rows(system, d, rows);
	printf(" %8" PRIu64 " %11.3f %9.2f %9.2f\n", done.launches, (double)done.kernel_ns * 1e-6,
	       mib(done.bytes_in), mib(done.bytes_out));
}

static void memory_name(char *name, size_t size, int memory)
{
	if (memory == 0)
		snprintf(name, size, "host memory");
	else
		snprintf(name, size, "memory %d", memory);
}

/* het_flow_at says where the list ends. */
static void print_flows(het_system *system)
{
	struct het_flow flow = HET_FLOW_INIT;
	char from[24], to[24];

	for (int i = 0; het_flow_at(system, i, &flow) == HET_OK; i++) {
		memory_name(from, sizeof from, flow.from);
		memory_name(to, sizeof to, flow.to);
		printf("  %s -> %s, %s: %" PRIu64 " times, %.2f MiB\n", from, to, flow.route, flow.count,
		       mib(flow.bytes));
	}
}

void table_print(het_system *system, int rows)
{
	struct het_stats total = HET_STATS_INIT;

	printf("%-20s %6s%s %8s %11s %9s %9s\n", "device", "memory", rows ? "   rows" : "", "launches",
	       "kernels, ms", "in, MiB", "out, MiB");
	for (int d = 0; d < het_device_count(system); d++)
		print_device(system, d, rows);
	must(het_stats(system, &total));
	printf("moved: %" PRIu64 " transfers, %.2f MiB; inside one memory: %" PRIu64 ", %.2f MiB\n",
	       total.transfers, mib(total.transfer_bytes), total.repacks, mib(total.repack_bytes));
	print_flows(system);
}
