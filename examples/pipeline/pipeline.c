/* pipeline.c - frames go through two kernels on two devices, while the host reads the next and writes the last.
 *
 * The loop in run() is all there is to it. Launches return at once, also when what they need is still being
 * made on another device. Only `write` waits, for the result of the step before.
 *
 * Two devices with memories of their own hold a copy of `middle` each: f0 may make the next frame in its copy
 * while f1 still reads the last in the other. Devices that share a memory share the copy too: for them each
 * step swaps the array with a spare one, which costs nothing. */
#include <getopt.h>
#include <math.h>
#include <time.h>

#include "../must.h"
#include "../number.h"
#include "../printed.h"
#include "../table.h"

#define EXIT_USAGE 2
#define WIDTH 96

static const char help[] =
	"usage: pipeline [options]\n"
	"\n"
	"Sends frames of a signal through two kernels, f0 on the first and f1 on the last OpenCL device, and "
	"prints\n"
	"how long the host spent in each call of each step.\n"
	"\n"
	"  -n, --steps N            how many frames (default 12)\n"
	"  -s, --size N             samples in a frame (default 65536)\n"
	"  -d, --devices SELECTION  which devices (default: $HETERO_DEVICES, else every one)\n"
	"  -h, --help               this text\n"
	"\n"
	"Exit status: 0 verified; 1 something failed or is wrong; 2 wrong usage.\n";

struct options {
	const char *devices;
	int steps, size;
};

struct pipeline {
	het_system *system;
	het_device *d0, *d1;
	het_kernel *f0, *f1;
	het_array *input, *input_spare, *middle, *middle_spare, *output;
	int steps, size, wrong;
};

/* What the host's time of one step went into, in microseconds. */
struct step {
	double read, f0, write, f1;
};

/* ---- options ----------------------------------------------------------------------------------- */

static int whole(const char *option, const char *text, long low, long high)
{
	int value;

	if (is_whole(text, low, high, &value))
		return value;
	fprintf(stderr, "pipeline: %s \"%s\": should be a whole number of %ld to %ld\n", option, text, low,
		high);
	exit(EXIT_USAGE);
}

static struct options read_options(int argc, char **argv)
{
	static const struct option names[] = {{"steps", required_argument, NULL, 'n'},
					      {"size", required_argument, NULL, 's'},
					      {"devices", required_argument, NULL, 'd'},
					      {"help", no_argument, NULL, 'h'},
					      {NULL, 0, NULL, 0}};
	struct options o = {NULL, 12, 65536};
	int option;

	while ((option = getopt_long(argc, argv, "n:s:d:h", names, NULL)) != -1)
		switch (option) {
		case 'n':
			o.steps = whole("--steps", optarg, 1, 100000);
			break;
		case 's':
			o.size = whole("--size", optarg, WIDTH, 1 << 24);
			break;
		case 'd':
			o.devices = optarg;
			break;
		case 'h':
			fputs(help, stdout);
			exit(printed("pipeline", EXIT_SUCCESS));
		default:
			/* getopt has said what is wrong. */
			fputs("pipeline --help lists the options\n", stderr);
			exit(EXIT_USAGE);
		}
	if (optind == argc)
		return o;
	fprintf(stderr, "pipeline: what is \"%s\"? See pipeline --help\n", argv[optind]);
	exit(EXIT_USAGE);
}

/* ---- frames ------------------------------------------------------------------------------------ */

/* Sample i of a frame: a noise that is the same in every run. */
static float sample(int frame, int i)
{
	const unsigned x = ((unsigned)frame * 7919u + (unsigned)i) * 2654435761u;

	return (float)(x >> 16) * 0x1p-16f;
}

/* What f0 and f1 make of a frame at sample i, by plain C. Only good for a check: it repeats f0's work for
 * each of f1's samples. */
static float f0_at(int frame, int i, int size)
{
	float sum = 0.0f;

	for (int k = 0; k < WIDTH; k++)
		sum += sample(frame, (i + k) % size);
	return sum / WIDTH;
}

static float f1_at(int frame, int i, int size)
{
	float low = f0_at(frame, i, size), high = low;

	for (int k = 1; k < WIDTH; k++) {
		const float x = f0_at(frame, (i + k) % size, size);
		low = fminf(low, x);
		high = fmaxf(high, x);
	}
	return high - low;
}

/* Checks a few samples, the first and the last among them. A device may divide less exactly than C does. */
static int is_right(const float *result, int frame, int size)
{
	for (int n = 0; n <= 8; n++) {
		const int i = n < 8 ? n * (size / 8) : size - 1;
		const float want = f1_at(frame, i, size);
		if (!(fabsf(result[i] - want) <= 4e-7f))
			return 0;
	}
	return 1;
}

/* ---- the pipeline ------------------------------------------------------------------------------ */

static void read_frame(struct pipeline *p, int frame)
{
	float *in;

	must(het_swap(p->input, p->input_spare));
	must(het_map(p->input, HET_WRITE, &in));
	for (int i = 0; i < p->size; i++)
		in[i] = sample(frame, i);
	must(het_unmap(p->input));
}

static void start_f0(struct pipeline *p)
{
	must(het_swap(p->middle, p->middle_spare));
	must(het_launch(p->f0, p->d0, het_grid(1, p->size), HET_OUT(p->middle), HET_IN(p->input),
			HET_VAL(p->size), HET_VAL(WIDTH)));
}

static void start_f1(struct pipeline *p)
{
	must(het_launch(p->f1, p->d1, het_grid(1, p->size), HET_OUT(p->output), HET_IN(p->middle),
			HET_VAL(p->size), HET_VAL(WIDTH)));
}

static void write_frame(struct pipeline *p, int frame)
{
	const float *out;

	must(het_map(p->output, HET_READ, &out));
	if (!is_right(out, frame, p->size)) {
		printf("frame %d is WRONG\n", frame);
		p->wrong++;
	}
	must(het_unmap(p->output));
}

/* Microseconds since the last call. */
static double lap(void)
{
	static double last;
	struct timespec t;
	double now, passed;

	clock_gettime(CLOCK_MONOTONIC, &t);
	now = (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
	passed = now - last;
	last = now;
	return passed;
}

static void run(struct pipeline *p, struct step *steps)
{
	lap();
	for (int i = 0; i < p->steps; i++) {
		read_frame(p, i);
		steps[i].read = lap();
		start_f0(p);
		steps[i].f0 = lap();
		if (i > 0)
			write_frame(p, i - 1);
		steps[i].write = lap();
		start_f1(p);
		steps[i].f1 = lap();
	}
	write_frame(p, p->steps - 1);
}

/* ---- around it --------------------------------------------------------------------------------- */

static het_array *new_array(const struct pipeline *p, const char *name)
{
	het_array *array;

	must(het_array_new(p->system, HET_FLOAT, het_shape(1, p->size), &array));
	must(het_array_name(array, name));
	return array;
}

static het_kernel *new_kernel(het_system *system, het_device *device, const char *name)
{
	het_kernel *kernel;

	must(het_kernel_from_file(system, EXAMPLES "/pipeline/pipeline.cl", name, NULL, &kernel));
	must(het_kernel_build(kernel, device));
	return kernel;
}

static struct pipeline open_pipeline(const struct options *o)
{
	struct het_options how = HET_OPTIONS_INIT;
	struct pipeline p = {.steps = o->steps, .size = o->size};

	how.devices = o->devices;
	how.profile = 1;
	must(het_open(&how, &p.system));
	p.d0 = het_device(p.system, 0);
	p.d1 = het_device(p.system, het_device_count(p.system) - 1); /* the same when there is but one */
	p.f0 = new_kernel(p.system, p.d0, "mean");
	p.f1 = new_kernel(p.system, p.d1, "spread");
	p.input = new_array(&p, "input");
	p.input_spare = new_array(&p, "input, spare");
	p.middle = new_array(&p, "middle");
	p.middle_spare = new_array(&p, "middle, spare");
	p.output = new_array(&p, "output");
	return p;
}

static void print_steps(const struct step *steps, int count)
{
	puts("host time, microseconds:");
	printf("%6s %10s %10s %10s %10s\n", "step", "read", "launch f0", "write", "launch f1");
	for (int i = 0; i < count; i++)
		printf("%6d %10.1f %10.1f %10.1f %10.1f\n", i, steps[i].read, steps[i].f0, steps[i].write,
		       steps[i].f1);
	puts("(read makes a frame; write waits for the result of the step before and checks it)");
}

int main(int argc, char **argv)
{
	const struct options o = read_options(argc, argv);
	struct step *const steps = calloc((size_t)o.steps, sizeof *steps);
	struct pipeline p;

	if (!steps) {
		fprintf(stderr, "pipeline: no memory for %d steps\n", o.steps);
		return EXIT_FAILURE;
	}
	p = open_pipeline(&o);
	run(&p, steps);
	print_steps(steps, o.steps);
	free(steps);
	table_print(p.system, 0);
	printf("%d frames through two kernels: %s\n", p.steps, p.wrong ? "WRONG" : "verified");
	must(het_close(p.system)); /* frees arrays and kernels too */
	return printed("pipeline", p.wrong ? EXIT_FAILURE : EXIT_SUCCESS);
}
