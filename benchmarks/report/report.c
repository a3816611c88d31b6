/* report.c - every benchmark on every set of devices: is Hetero as fast as OpenCL by hand, and how much
 * shorter? */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/number.h"
#include "printed.h"
#include "report/results.h"

#define EXIT_USAGE 2

static const char help[] =
	"usage: report [options]\n"
	"\n"
	"Runs the benchmarks of this build with Hetero and by hand, on one device, on all, and on all with "
	"memories\n"
	"kept apart, and shows times, ratios, bytes moved, memory, and what the versions cost to write.\n"
	"\n"
	"  --quick              small classes, without memory; under a minute on two cores\n"
	"  --devices SELECTION  all devices (default: $HETERO_DEVICES; else those with double precision, a "
	"single\n"
	"                       CPU in halves)\n"
	"  --calibrate FILE     measures first, in some seconds, which way bytes are moved best and whether\n"
	"                       edges are worth a launch of their own, and runs everything with this file\n"
	"  --only LIST          of: ep ft nbody matmulrow summa shawa stencil7 jacobi path stepocl\n"
	"  --rounds N           measured rounds (11, fewer, down to six, where they take long; quick 5 to 3)\n"
	"  --page FILE.html     also a page with charts\n"
	"  --format text|json   of what is printed\n"
	"  --help               this text\n"
	"\n"
	"Exit status: 0 good; 1 something failed or is wrong; 2 wrong usage; 77 no device has double\n"
	"precision.\n";

static int are_benchmarks(const char *list)
{
	for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
		const size_t length = strcspn(at, ",");
		int found = 0;

		for (int b = 0; b < BENCHMARKS_COUNT; b++)
			found |= strlen(benchmark_names[b]) == length &&
				 !strncmp(benchmark_names[b], at, length);
		if (!found)
			return 0;
	}
	return 1;
}

static int set_option(struct wish *w, const char *name, const char *value)
{
	if (!strcmp(name, "--devices"))
		w->devices = value;
	else if (!strcmp(name, "--calibrate") && *value)
		w->calibrate = value;
	else if (!strcmp(name, "--only") && are_benchmarks(value))
		w->only = value;
	else if (!strcmp(name, "--rounds") && !number_read(value, 1, 999, &w->rounds))
		return 0;
	else if (!strcmp(name, "--page"))
		w->page = value;
	else if (!strcmp(name, "--format") && (!strcmp(value, "json") || !strcmp(value, "text")))
		w->json = !strcmp(value, "json");
	else
		return -1;
	return 0;
}

static struct wish read_wish(int argc, char **argv)
{
	struct wish w = {.quick = 0};

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--help")) {
			fputs(help, stdout);
			exit(printed("report", EXIT_SUCCESS));
		}
		if (!strcmp(argv[i], "--quick")) {
			w.quick = 1;
			continue;
		}
		if (i + 1 == argc || set_option(&w, argv[i], argv[i + 1])) {
			fprintf(stderr, "report: %s %s is not possible\nreport --help lists the options\n",
				argv[i], i + 1 < argc ? argv[i + 1] : "");
			exit(EXIT_USAGE);
		}
		i++;
	}
	if (!w.rounds) {
		w.rounds = w.quick ? 5 : 11;
		w.paced = 1;
	}
	return w;
}

static void free_results(struct results *r)
{
	json_decref(r->info);
	for (int i = 0; i < r->cells; i++)
		json_decref(r->cell[i].said);
}

int main(int argc, char **argv)
{
	static struct results results;
	const struct wish wish = read_wish(argc, argv);
	int status;

	if (wish.page && page_refused(wish.page))
		return EXIT_FAILURE;
	if (results_count(&results, &wish))
		return EXIT_FAILURE;
	status = results_look(&results, &wish);
	if (status)
		return status;
	results_run(&results, &wish);
	if (wish.json)
		json_print(&results);
	else
		text_print(&results);
	status = wish.page && page_write(&results, wish.page) ? EXIT_FAILURE : results.wrong;
	free_results(&results);
	return printed("report", status);
}
