/* opening.c - what reading the calibration adds to het_open: systems are opened with it and without, by turns.
 *
 * A round opens and closes one of each; which begins changes. A first round is not counted: drivers are loaded
 * then. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hetero.h>

#include "common/number.h"
#include "common/sample.h"
#include "must.h"

#define ROUNDS 101
#define ROUNDS_MOST 999

/* Other warnings are of no account here. */
static void note_refusal(void *refused, enum het_log_level level, const char *line)
{
	(void)level;
	if (!strstr(line, "the calibration is not used"))
		return;
	fprintf(stderr, "opening: %s\n", line);
	*(int *)refused = 1;
}

/* Reading a file and leaving it is other work. */
static int is_used(const char *file)
{
	struct het_options how = HET_OPTIONS_INIT;
	het_system *system;
	int refused = 0;

	how.log = note_refusal;
	how.log_user = &refused;
	setenv("HETERO_CALIBRATION", file, 1);
	must(het_open(&how, &system));
	must(het_close(system));
	return !refused;
}

/* `file`: of the calibration, or "off". */
static double open_ms(const char *file)
{
	het_system *system;
	double began;

	setenv("HETERO_CALIBRATION", file, 1);
	began = wall_seconds();
	must(het_open(NULL, &system));
	began = wall_seconds() - began;
	must(het_close(system));
	return began * 1e3;
}

static void print(const char *what, double *sample, int rounds)
{
	const struct estimate e = estimate(sample, rounds);

	printf("%-32s %8.3f ms (%.3f to %.3f)\n", what, e.median, e.low, e.high);
}

static void measure(const char *file, int rounds)
{
	static double with[ROUNDS_MOST], without[ROUNDS_MOST], more[ROUNDS_MOST];

	for (int r = -1; r < rounds; r++) {
		const int first = r & 1;
		double ms[2];

		ms[first] = open_ms(first ? file : "off");
		ms[!first] = open_ms(first ? "off" : file);
		if (r < 0)
			continue;
		without[r] = ms[0];
		with[r] = ms[1];
		more[r] = ms[1] - ms[0];
	}
	print("het_open without a calibration", without, rounds);
	print("het_open with it", with, rounds);
	print("which is more", more, rounds);
}

static int usage(FILE *to, int status)
{
	fprintf(to,
		"usage: opening CALIBRATION [ROUNDS]\n"
		"Measures what reading a calibration adds to het_open, of the devices that HETERO_DEVICES\n"
		"chooses: medians and their 95 %% intervals; 6 to %d rounds, %d unless given.\n",
		ROUNDS_MOST, ROUNDS);
	return status;
}

int main(int argc, char **argv)
{
	int rounds = ROUNDS;

	if (argc == 2 && !strcmp(argv[1], "--help"))
		return usage(stdout, 0);
	if (argc < 2 || argc > 3 || (argc == 3 && number_read(argv[2], 6, ROUNDS_MOST, &rounds)))
		return usage(stderr, 2);
	unsetenv("HETERO_ROUTE");
	if (access(argv[1], R_OK) != 0) {
		perror(argv[1]);
		return 1;
	}
	if (!is_used(argv[1]))
		return 1;
	measure(argv[1], rounds);
	return 0;
}
