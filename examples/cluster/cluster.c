/* cluster.c - heat spreads over a plate that several processes share by MPI, each on a machine of its own. A
 * process has a band of the plate's rows, and spreads it over the devices of its machine. Processes exchange
 * border rows, which they map, while the devices work at the rows inside: step() is all there is to it. */
#include <getopt.h>
#include <mpi.h>
#include <string.h>

#include "../heat/plain.h"
#include "../must.h"
#include "../number.h"
#include "../printed.h"

#define EXIT_USAGE 2
#define DEVICES_MOST 64
#define LINE 256

static const char help[] =
	"usage: mpirun -n P cluster [options]\n"
	"\n"
	"A plate with one hot edge, cut over P processes, and in each over its devices. Processes on one\n"
	"machine share out its devices. The result is checked against a plain C loop, bit for bit.\n"
	"\n"
	"  -s, --size N             cells a side (default 512)\n"
	"  -k, --steps K            steps (default 500)\n"
	"  -d, --devices SELECTION  which devices (default: $HETERO_DEVICES, else every one)\n"
	"  -h, --help               this text\n"
	"\n"
	"Exit status: 0 verified; 1 something failed or is wrong; 2 wrong usage.\n";

struct options {
	const char *devices;
	int size, steps;
};

/* What a process has of the plate: its `rows` are 1 to `rows` of the arrays. Rows 0 and `rows` + 1 are others',
 * or the plate's edge. */
struct band {
	int rank, ranks;
	int size, first, rows;     /* row 1 of the arrays is row `first` of the plate */
	int beside[2];             /* the processes above and below; MPI_PROC_NULL: the plate ends there */
	het_team *team;
	het_array *now, *next, *sum;
	het_kernel *diffuse;
};

/* ---- the command line: it is the same for all processes, and the first one complains ------------ */

static _Noreturn void end(int status)
{
	MPI_Finalize();
	exit(status);
}

static int number(int rank, const char *text, long least, long most)
{
	int value;

	if (is_whole(text, least, most, &value))
		return value;
	if (rank == 0)
		fprintf(stderr, "cluster: \"%s\" is not a whole number of %ld to %ld; see cluster --help\n",
			text, least, most);
	end(EXIT_USAGE);
}

static struct options read_options(int rank, int argc, char **argv)
{
	static const struct option names[] = {{"size", required_argument, NULL, 's'},
					      {"steps", required_argument, NULL, 'k'},
					      {"devices", required_argument, NULL, 'd'},
					      {"help", no_argument, NULL, 'h'},
					      {NULL, 0, NULL, 0}};
	struct options o = {NULL, 512, 500};
	int option;

	opterr = rank == 0;
	while ((option = getopt_long(argc, argv, "s:k:d:h", names, NULL)) != -1)
		switch (option) {
		case 's':
			o.size = number(rank, optarg, 3, 16384);
			break;
		case 'k':
			o.steps = number(rank, optarg, 0, 1000000);
			break;
		case 'd':
			o.devices = optarg;
			break;
		case 'h':
			if (rank == 0)
				fputs(help, stdout);
			end(printed("cluster", EXIT_SUCCESS));
		default:
			if (rank == 0) /* getopt has said what is wrong. */
				fputs("cluster --help lists the options\n", stderr);
			end(EXIT_USAGE);
		}
	if (optind == argc)
		return o;
	if (rank == 0)
		fprintf(stderr, "cluster: \"%s\" is not an option; see cluster --help\n", argv[optind]);
	end(EXIT_USAGE);
}

/* ---- who has what ------------------------------------------------------------------------------- */

/* Of P processes on a machine, number r has the devices r, r + P... or, where there are fewer, number r modulo
 * how many there are. */
static het_team *own_team(het_system *system)
{
	const int count = het_device_count(system);
	het_device *own[DEVICES_MOST];
	het_team *team;
	MPI_Comm here;
	int r, processes, owned = 0;

	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
	MPI_Comm_rank(here, &r);
	MPI_Comm_size(here, &processes);
	MPI_Comm_free(&here);
	for (int d = r % count; d < count && owned < DEVICES_MOST; d += processes)
		own[owned++] = het_device(system, d);
	must(het_team_new(system, owned, own, NULL, &team));
	return team;
}

/* The rows inside the plate's edge, as evenly as they go. */
static void open_band(het_system *system, const struct options *o, struct band *b)
{
	const int inside = o->size - 2;
	const float hot = HOT;

	b->size = o->size;
	b->first = 1 + (int)((long)inside * b->rank / b->ranks);
	b->rows = 1 + (int)((long)inside * (b->rank + 1) / b->ranks) - b->first;
	b->beside[0] = b->rank > 0 ? b->rank - 1 : MPI_PROC_NULL;
	b->beside[1] = b->rank + 1 < b->ranks ? b->rank + 1 : MPI_PROC_NULL;
	b->team = own_team(system);
	must(het_array_new(system, HET_FLOAT, het_shape(2, b->rows + 2, b->size), &b->now));
	must(het_array_new(system, HET_FLOAT, het_shape(2, b->rows + 2, b->size), &b->next));
	must(het_array_new(system, HET_FLOAT, het_shape(1, 1), &b->sum));
	if (b->rank == 0) {
		must(het_fill(het_view(b->now, het_rows(0, 1)), &hot));
		must(het_fill(het_view(b->next, het_rows(0, 1)), &hot));
	}
	must(het_kernel_from_file(system, EXAMPLES "/heat/heat.cl", "diffuse", NULL, &b->diffuse));
}

static void close_band(struct band *b)
{
	must(het_array_free(b->now));
	must(het_array_free(b->next));
	must(het_array_free(b->sum));
	must(het_kernel_free(b->diffuse));
	must(het_team_free(b->team));
}

/* ---- steps -------------------------------------------------------------------------------------- */

static void start(const struct band *b, het_team *team, int row, int end_row)
{
	if (row < end_row)
		must(het_spread(b->diffuse, team, het_range(2, row, end_row, 0, b->size),
				HET_OUT(HET_EACH(b->next)), HET_IN(HET_HALO(b->now, 1)), HET_VAL(b->size)));
}

static struct het_view row_of(const struct band *b, int row)
{
	return het_view(b->now, het_rows(row, row + 1));
}

/* MPI reads and writes the rows in place. A map waits for its own rows only, so the devices go on. */
static void exchange(const struct band *b)
{
	const int own[2] = {1, b->rows}, others[2] = {0, b->rows + 1};
	MPI_Request request[4];
	MPI_Status status[4];
	int count = 0;

	for (int side = 0; side < 2; side++) {
		float *theirs;
		const float *ours;

		if (b->beside[side] == MPI_PROC_NULL)
			continue;
		must(het_map_view(row_of(b, others[side]), HET_WRITE, &theirs));
		MPI_Irecv(theirs, b->size, MPI_FLOAT, b->beside[side], side, MPI_COMM_WORLD,
			  &request[count++]);
		must(het_map_view(row_of(b, own[side]), HET_READ, &ours));
		MPI_Isend(ours, b->size, MPI_FLOAT, b->beside[side], !side, MPI_COMM_WORLD,
			  &request[count++]);
	}
	MPI_Waitall(count, request, status);
	for (int side = 0; side < 2; side++) {
		if (b->beside[side] == MPI_PROC_NULL)
			continue;
		must(het_unmap_view(row_of(b, others[side])));
		must(het_unmap_view(row_of(b, own[side])));
	}
}

/* The rows inside need nothing of other processes. The outermost two go to the devices that have the rows
 * beside them. */
static void step(struct band *b)
{
	het_team *const first = het_alone(het_team_device(b->team, 0));
	het_team *const last = het_alone(het_team_device(b->team, het_team_count(b->team) - 1));

	start(b, b->team, 2, b->rows);
	exchange(b);
	start(b, first, 1, 2);
	start(b, last, b->rows > 1 ? b->rows : 2, b->rows + 1);
	must(het_swap(b->now, b->next));
}

/* Each process reduces on its devices what it has; MPI the rest. */
static double mean(const struct band *b)
{
	const struct het_view own = het_view(b->now, het_rows(b->rank == 0 ? 0 : 1, b->rows + 1));
	double all;
	float sum;

	must(het_reduce(HET_REDUCE_SUM, own, het_view(b->sum, het_whole()), b->team));
	must(het_read(het_view(b->sum, het_whole()), &sum));
	all = (double)sum;
	MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return all / b->size / b->size;
}

/* ---- results ------------------------------------------------------------------------------------ */

/* Does any process have another value than the plain loop? */
static int verify(const struct band *b, int steps)
{
	const size_t n = (size_t)b->size;
	float *const plain = plain_plate(b->size, steps);
	const float *got;
	int wrong;

	if (!plain) {
		fputs("cluster: no memory for the check\n", stderr);
		exit(EXIT_FAILURE);
	}
	must(het_map_view(het_view(b->now, het_rows(1, b->rows + 1)), HET_READ, &got));
	wrong = memcmp(got, plain + (size_t)b->first * n, (size_t)b->rows * n * sizeof *got) != 0;
	must(het_unmap_view(het_view(b->now, het_rows(1, b->rows + 1))));
	free(plain);
	MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
	return wrong;
}

/* A line for each process, printed by the first. */
static void print_bands(const struct band *b)
{
	char line[LINE], *all = NULL;
	int at = snprintf(line, sizeof line, "process %d has rows %d to %d on", b->rank, b->first,
			  b->first + b->rows - 1);

	for (int d = 0; d < het_team_count(b->team) && at < LINE; d++) {
		struct het_device_info info = HET_DEVICE_INFO_INIT;

		must(het_device_info(het_team_device(b->team, d), &info));
		at += snprintf(line + at, (size_t)(LINE - at), " %s", info.name);
	}
	if (b->rank == 0) {
		all = malloc((size_t)b->ranks * LINE);
		if (!all) {
			fputs("cluster: no memory\n", stderr);
			exit(EXIT_FAILURE);
		}
	}
	MPI_Gather(line, LINE, MPI_CHAR, all, LINE, MPI_CHAR, 0, MPI_COMM_WORLD);
	for (int p = 0; all && p < b->ranks; p++)
		puts(all + (size_t)p * LINE);
	free(all);
}

int main(int argc, char **argv)
{
	struct het_options how = HET_OPTIONS_INIT;
	struct band b = {0};
	struct options o;
	het_system *system;
	int threads, wrong;
	double degrees;

	/* The library's threads do not call MPI. */
	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads);
	MPI_Comm_rank(MPI_COMM_WORLD, &b.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &b.ranks);
	o = read_options(b.rank, argc, argv);
	if (o.size - 2 < b.ranks) {
		if (b.rank == 0)
			fprintf(stderr, "cluster: %d processes need at least %d cells a side, not %d\n",
				b.ranks, b.ranks + 2, o.size);
		end(EXIT_USAGE);
	}
	how.devices = o.devices;
	must(het_open(&how, &system)); /* where a process fails and exits, mpirun ends the others */
	open_band(system, &o, &b);
	print_bands(&b);
	for (int k = 0; k < o.steps; k++)
		step(&b);
	degrees = mean(&b);
	wrong = verify(&b, o.steps);
	if (b.rank == 0)
		printf("%d x %d cells, %d steps, %d process%s, mean %.3f degrees: %s\n", o.size, o.size,
		       o.steps, b.ranks, b.ranks == 1 ? "" : "es", degrees, wrong ? "WRONG" : "verified");
	close_band(&b);
	must(het_close(system));
	end(printed("cluster", wrong ? EXIT_FAILURE : EXIT_SUCCESS));
}
