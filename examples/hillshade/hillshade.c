/* hillshade.c - shaded relief of a terrain, by all devices. The options; what is done is in relief.c. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <time.h>

#include "../must.h"
#include "../output.h"
#include "../printed.h"
#include "../table.h"
#include "picture.h"
#include "plain.h"
#include "relief.h"

#define EXIT_USAGE 2

static const char help[] =
	"usage: hillshade [options] [GRID]\n"
	"\n"
	"Reads a terrain (an ESRI ASCII grid; by default around the Jacksboro fault, Tennessee), smooths it,\n"
	"computes slope and hillshade by Horn's method on all OpenCL devices at once, and says what each did.\n"
	"\n"
	"  -o, --output FILE        write the shaded relief to FILE, a PNG picture\n"
	"  -s, --size ROWSxCOLS     resample to this size first (bilinear; default: the grid's own)\n"
	"  -n, --sweeps N           smooth N times (default 2)\n"
	"      --sun AZIMUTH,ALTITUDE  where the sun stands: degrees clockwise from north, degrees above the\n"
	"                           horizon (default 315,45: the northwest)\n"
	"  -z, --exaggerate FACTOR  multiply heights by FACTOR for slope and shade (default 1)\n"
	"  -d, --devices SELECTION  which devices (default: $HETERO_DEVICES, else every one)\n"
	"      --check              compare with a plain C loop: at most 1 unit in the last place apart\n"
	"  -h, --help               this text\n"
	"\n"
	"Exit status: 0 good; 1 something failed or the check found a difference; 2 wrong usage.\n";

struct options {
	const char *grid, *output, *devices;
	struct wish wish;
	int check;
};

/* ---- options ----------------------------------------------------------------------------------- */

__attribute__((noreturn)) static void wrong_usage(const char *option, const char *value, const char *expected)
{
	fprintf(stderr, "hillshade: %s \"%s\": %s; see hillshade --help\n", option, value, expected);
	exit(EXIT_USAGE);
}

/* A whole number of [low, high] at `text`. Returns what follows it, NULL when there is none. */
static const char *take_whole(const char *text, long low, long high, int *value)
{
	char *end;
	long number;

	if (!isdigit((unsigned char)*text))
		return NULL;
	errno = 0;
	number = strtol(text, &end, 10);
	if (errno || number < low || number > high)
		return NULL;
	*value = (int)number;
	return end;
}

static void take_size(const char *text, struct wish *wish)
{
	const char *rest = take_whole(text, 2, 1 << 16, &wish->rows);

	rest = rest && *rest == 'x' ? take_whole(rest + 1, 2, 1 << 16, &wish->cols) : NULL;
	if (!rest || *rest)
		wrong_usage("--size", text, "should be ROWSxCOLS, each of 2 to 65536");
}

static void take_sweeps(const char *text, struct wish *wish)
{
	const char *const rest = take_whole(text, 0, 1000000, &wish->sweeps);

	if (!rest || *rest)
		wrong_usage("--sweeps", text, "should be a whole number of 0 to 1000000");
}

static void take_sun(const char *text, struct wish *wish)
{
	char rest;

	if (sscanf(text, "%lf,%lf%c", &wish->azimuth, &wish->altitude, &rest) != 2 ||
	    !isfinite(wish->azimuth) || !(wish->altitude > 0 && wish->altitude <= 90))
		wrong_usage("--sun", text,
			    "should be AZIMUTH,ALTITUDE in degrees, the altitude above 0 and at most 90");
}

static void take_exaggeration(const char *text, struct wish *wish)
{
	char rest;

	if (sscanf(text, "%lf%c", &wish->exaggeration, &rest) != 1 || !(wish->exaggeration > 0) ||
	    wish->exaggeration > 1000)
		wrong_usage("--exaggerate", text, "should be a number above 0 and at most 1000");
}

static void take_option(struct options *o, int option)
{
	switch (option) {
	case 'o':
		o->output = optarg;
		break;
	case 's':
		take_size(optarg, &o->wish);
		break;
	case 'n':
		take_sweeps(optarg, &o->wish);
		break;
	case 'S':
		take_sun(optarg, &o->wish);
		break;
	case 'z':
		take_exaggeration(optarg, &o->wish);
		break;
	case 'd':
		o->devices = optarg;
		break;
	case 'c':
		o->check = 1;
		break;
	case 'h':
		fputs(help, stdout);
		exit(printed("hillshade", EXIT_SUCCESS));
	default:
		/* getopt has said what is wrong. */
		fputs("hillshade --help lists the options\n", stderr);
		exit(EXIT_USAGE);
	}
}

static struct options read_options(int argc, char **argv)
{
	static const struct option names[] = {{"output", required_argument, NULL, 'o'},
					      {"size", required_argument, NULL, 's'},
					      {"sweeps", required_argument, NULL, 'n'},
					      {"sun", required_argument, NULL, 'S'},
					      {"exaggerate", required_argument, NULL, 'z'},
					      {"devices", required_argument, NULL, 'd'},
					      {"check", no_argument, NULL, 'c'},
					      {"help", no_argument, NULL, 'h'},
					      {NULL, 0, NULL, 0}};
	struct options o = {.grid = EXAMPLES "/data/jacksboro_dem.asc",
			    .wish = {.sweeps = 2, .azimuth = 315, .altitude = 45, .exaggeration = 1}};
	int option;

	while ((option = getopt_long(argc, argv, "o:s:n:z:d:h", names, NULL)) != -1)
		take_option(&o, option);
	if (optind < argc)
		o.grid = argv[optind++];
	if (optind < argc)
		wrong_usage("argument", argv[optind], "one grid is enough");
	if (o.output && output_is(o.output, o.grid))
		wrong_usage("--output", o.output, "the picture would be written over the grid");
	return o;
}

/* ---- results ----------------------------------------------------------------------------------- */

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void run(struct relief *r)
{
	const double begin = now_ms();
	double started;

	relief_start(r);
	started = now_ms();
	must(het_wait_all(r->system));
	printf("%d x %d cells, %d sweeps: started in %.2f ms, done after %.2f ms\n", r->plan.rows, r->plan.cols,
	       r->plan.sweeps, started - begin, now_ms() - begin);
}

struct slopes {
	double sum, steepest;
	size_t cells;
};

static struct slopes add_up(const struct plan *p, const float *slope)
{
	struct slopes all = {0, 0, 0};

	for (int y = 0; y < p->rows; y++, slope += p->pitch)
		for (int x = 0; x < p->cols; x++) {
			if (isnan(slope[x]))
				continue;
			all.cells++;
			all.sum += (double)slope[x];
			all.steepest = fmax(all.steepest, (double)slope[x]);
		}
	return all;
}

/* In degrees, as a surveyor would have them. */
static void print_slopes(const struct relief *r)
{
	const double degrees = 180 / acos(-1.0);
	const float *slope;
	struct slopes all;

	must(het_map(r->slope, HET_READ, &slope));
	all = add_up(&r->plan, slope);
	must(het_unmap(r->slope));
	printf("slope: %.1f degrees on average, %.1f at most; %zu cells without height\n",
	       all.cells ? atan(all.sum / (double)all.cells) * degrees : 0.0, atan(all.steepest) * degrees,
	       (size_t)r->plan.rows * (size_t)r->plan.cols - all.cells);
}

static void complain(const char *path, const char *why)
{
	fprintf(stderr, "hillshade: %s: %s\n", path, why);
}

static int write_picture(const struct relief *r, const struct grid *grid, const char *path)
{
	const struct plan *const p = &r->plan;
	struct picture picture = {.rows = p->rows,
				  .cols = p->cols,
				  .pitch = p->pitch,
				  .flat_shade = p->sun_up,
				  .dx = grid->dx * (double)p->col_step,
				  .dy = grid->dy * (double)p->row_step};
	const char *why;

	must(het_map(r->height, HET_READ, &picture.height));
	must(het_map(r->shade, HET_READ, &picture.shade));
	why = picture_write(&picture, path);
	must(het_unmap(r->shade));
	must(het_unmap(r->height));
	if (why)
		complain(path, why);
	else
		printf("picture: %s\n", path);
	return why != NULL;
}

static int show(const struct relief *r, const struct grid *grid, const struct options *o)
{
	int failed = 0;

	print_slopes(r);
	if (o->check)
		failed |= plain_check(r, grid);
	if (o->output)
		failed |= write_picture(r, grid, o->output);
	table_print(r->system, r->plan.rows);
	return failed;
}

int main(int argc, char **argv)
{
	const struct options o = read_options(argc, argv);
	struct het_options how = HET_OPTIONS_INIT;
	struct grid grid;
	struct plan plan;
	struct relief relief;
	het_system *system;
	const char *const refusal = o.output ? picture_refusal(o.output) : NULL;
	char why[512];
	int failed;

	if (refusal) {
		complain(o.output, refusal);
		return EXIT_FAILURE;
	}
	if (grid_read(o.grid, &grid, why, sizeof why)) {
		fprintf(stderr, "hillshade: %s\n", why);
		return EXIT_FAILURE;
	}
	plan = plan_make(&o.wish, &grid);
	how.devices = o.devices;
	how.profile = 1;
	must(het_open(&how, &system));
	relief_open(&relief, system, &grid, &plan);
	run(&relief);
	failed = show(&relief, &grid, &o);
	relief_close(&relief);
	must(het_close(system));
	grid_free(&grid);
	return printed("hillshade", failed ? EXIT_FAILURE : EXIT_SUCCESS);
}
