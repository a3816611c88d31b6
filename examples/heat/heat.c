/* heat.c - heat spreads over a plate, and the work over all devices: het_spread cuts it, and the rows at the
 * cuts move by themselves. The loop in settle() is all there is to it. */
#include <getopt.h>
#include <string.h>

#include "../must.h"
#include "../printed.h"
#include "../table.h"
#include "plain.h"

#define EXIT_USAGE 2
#define EVERY 64 /* steps between two looks at whether anything moves */

static const char help[] =
	"usage: heat [options]\n"
	"\n"
	"A plate with one hot edge, until no cell changes by more than --little in a step; all OpenCL devices "
	"have a\n"
	"part of its rows, as large as they are fast. The result is checked against a plain C loop, bit for "
	"bit.\n"
	"\n"
	"  -s, --size N             cells a side (default 256)\n"
	"  -l, --little T           degrees (default 0.002)\n"
	"  -d, --devices SELECTION  which devices (default: $HETERO_DEVICES, else every one)\n"
	"  -h, --help               this text\n"
	"\n"
	"Exit status: 0 verified; 1 something failed or is wrong; 2 wrong usage.\n";

struct options {
	const char *devices;
	int size;
	float little;
};

struct plate {
	int size, steps;
	float little, mean;
	het_array *now, *next, *moving, *sum;
	het_kernel *diffuse, *compare;
};

/* The number in a text, `least` to `most`, perhaps a whole one. The program ends where there is none. */
static double number(const char *text, double least, double most, int is_whole)
{
	char *end;
	const double value = strtod(text, &end);

	if (end != text && !*end && value >= least && value <= most && !(is_whole && value > (int)value))
		return value;
	fprintf(stderr, "heat: \"%s\" is not a %snumber of %g to %g; see heat --help\n", text,
		is_whole ? "whole " : "", least, most);
	exit(EXIT_USAGE);
}

static struct options read_options(int argc, char **argv)
{
	static const struct option names[] = {{"size", required_argument, NULL, 's'},
					      {"little", required_argument, NULL, 'l'},
					      {"devices", required_argument, NULL, 'd'},
					      {"help", no_argument, NULL, 'h'},
					      {NULL, 0, NULL, 0}};
	struct options o = {NULL, 256, 0.002f};
	int option;

	while ((option = getopt_long(argc, argv, "s:l:d:h", names, NULL)) != -1)
		switch (option) {
		case 's':
			o.size = (int)number(optarg, 3, 16384, 1);
			break;
		case 'l':
			o.little = (float)number(optarg, 1e-6, HOT, 0);
			break;
		case 'd':
			o.devices = optarg;
			break;
		case 'h':
			fputs(help, stdout);
			exit(printed("heat", EXIT_SUCCESS));
		default:
			/* getopt has said what is wrong. */
			fputs("heat --help lists the options\n", stderr);
			exit(EXIT_USAGE);
		}
	if (optind == argc)
		return o;
	fprintf(stderr, "heat: \"%s\" is not an option; see heat --help\n", argv[optind]);
	exit(EXIT_USAGE);
}

static void open_plate(het_system *system, const struct options *o, struct plate *p)
{
	const float hot = HOT, cold = 0;

	p->size = o->size;
	p->little = o->little;
	must(het_array_new(system, HET_FLOAT, het_shape(2, p->size, p->size), &p->now));
	must(het_array_new(system, HET_FLOAT, het_shape(2, p->size, p->size), &p->next));
	must(het_array_new(system, HET_INT, het_shape(1, 1), &p->moving));
	must(het_array_new(system, HET_FLOAT, het_shape(1, 1), &p->sum));
	must(het_fill(het_view(p->now, het_whole()), &cold));
	must(het_fill(het_view(p->now, het_rows(0, 1)), &hot));
	must(het_copy(het_view(p->next, het_whole()), het_view(p->now, het_whole())));
	must(het_kernel_from_file(system, EXAMPLES "/heat/heat.cl", "diffuse", NULL, &p->diffuse));
	must(het_kernel_from_file(system, EXAMPLES "/heat/heat.cl", "compare", NULL, &p->compare));
}

static int is_moving(het_team *team, const struct plate *p, struct het_range inside)
{
	int moving;

	must(het_spread(p->compare, team, inside, HET_OUT(HET_OR(p->moving)), HET_IN(HET_EACH(p->next)),
			HET_IN(HET_EACH(p->now)), HET_VAL(p->size), HET_VAL(p->little)));
	must(het_read(het_view(p->moving, het_whole()), &moving));
	return moving;
}

/* In the loop only is_moving waits. */
static void settle(het_team *team, struct plate *p)
{
	const struct het_range inside = het_range(2, 1, p->size - 1, 0, p->size);
	int moving = 1;

	for (p->steps = 0; moving; p->steps++) {
		must(het_spread(p->diffuse, team, inside, HET_OUT(HET_EACH(p->next)),
				HET_IN(HET_HALO(p->now, 1)), HET_VAL(p->size)));
		if (p->steps % EVERY == EVERY - 1)
			moving = is_moving(team, p, inside);
		must(het_swap(p->now, p->next));
	}
	must(het_reduce(HET_REDUCE_SUM, het_view(p->now, het_whole()), het_view(p->sum, het_whole()), team));
	must(het_read(het_view(p->sum, het_whole()), &p->mean));
	p->mean /= (float)p->size * (float)p->size;
}

static void close_plate(struct plate *p)
{
	must(het_array_free(p->now));
	must(het_array_free(p->next));
	must(het_array_free(p->moving));
	must(het_array_free(p->sum));
	must(het_kernel_free(p->diffuse));
	must(het_kernel_free(p->compare));
}

static int verify(const struct plate *p)
{
	const size_t bytes = (size_t)p->size * (size_t)p->size * sizeof(float);
	float *const plain = plain_plate(p->size, p->steps);
	const float *got;
	int wrong;

	if (!plain) {
		fputs("heat: no memory for the check\n", stderr);
		exit(EXIT_FAILURE);
	}
	must(het_map(p->now, HET_READ, &got));
	wrong = memcmp(got, plain, bytes) != 0;
	must(het_unmap(p->now));
	free(plain);
	return wrong;
}

int main(int argc, char **argv)
{
	const struct options o = read_options(argc, argv);
	struct het_options how = HET_OPTIONS_INIT;
	het_system *system;
	struct plate p;
	int wrong;

	how.devices = o.devices;
	how.profile = 1;
	must(het_open(&how, &system));
	open_plate(system, &o, &p);
	settle(het_everyone(system), &p);
	wrong = verify(&p);
	printf("%d x %d cells, %d steps, mean %.3f degrees: %s\n", p.size, p.size, p.steps, (double)p.mean,
	       wrong ? "WRONG" : "verified");
	table_print(system, 0);
	close_plate(&p);
	must(het_close(system));
	return printed("heat", wrong ? EXIT_FAILURE : EXIT_SUCCESS);
}
