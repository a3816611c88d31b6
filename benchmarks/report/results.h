/* results.h - what the report is made of: the machine, what each benchmark said on each set of devices,
 * what its versions cost to write. */
#ifndef REPORT_RESULTS_H
#define REPORT_RESULTS_H

#include <jansson.h>

#define CELLS_MOST 64
#define SETS_MOST 4
#define VERSIONS_MOST 4
#define BENCHMARKS_COUNT 10

/** The versions that are compared, in this order; HETERO is the first. */
enum version { HETERO, SHARED, COPYING, VERSIONS };
extern const char *const version_names[VERSIONS];
extern const char *const benchmark_names[BENCHMARKS_COUNT];

/** Devices, and whether they may share the host's memory. */
struct set {
	char name[64];
	const char *selection;
	int share;
};

/** A median with its interval; `is_there` where it was measured. */
struct figure {
	int is_there;
	double median, low, high;
};

/** What something costs the version that copies, in percent of its time; how much of it others do not lose. */
struct loss {
	struct figure cost, recovered[VERSIONS];
};

/** One benchmark on one set of devices. */
struct cell {
	int benchmark; /* its number */
	const char *class_name;
	int is_further; /* a class beside the usual one, to show what size does */
	const struct set *set;
	int rounds;
	int status; /* of the program: 0 good, 77 not on these devices */
	struct figure seconds[VERSIONS], rate[VERSIONS];
	struct figure ratio[VERSIONS];      /* of Hetero's time to this version's */
	struct figure to_copying[VERSIONS]; /* of this version's time to copying's; */
	struct figure local, unsent;        /* of copying's without exchanges, and without their bytes */
	struct figure speed_up, of_speeds;  /* of Hetero, to the fastest device by itself; to all, in percent */
	struct loss exchange, bytes;        /* with devices' waits for each other; of the bytes alone */
	double moved_bytes, peak_bytes[VERSIONS];
	json_t *said; /* the program's own report; NULL: none */
};

/** Lines and effort of a version. */
struct cost {
	int lines, statements;
	double effort; /* 0: there is no such version */
};

struct results {
	char date[32], processor[128], system[128];
	int processors;
	const char *selection; /* of all devices */
	json_t *info;          /* what hetero-info says */
	struct set set[SETS_MOST];
	int sets;
	struct cell cell[CELLS_MOST];
	int cells, wrong;
	struct cost cost[BENCHMARKS_COUNT][VERSIONS];
	struct cost helpers[2]; /* Hetero's, by hand */
};

/** What to do. */
struct wish {
	int quick, rounds, json;
	int paced; /* fewer rounds where all of them would take too long */
	const char *devices, *only, *page, *calibrate;
};

/** Looks at the machine. Returns 0, or, having said why it cannot, the program's exit status. */
int results_look(struct results *results, const struct wish *wish);

/** Runs everything, telling on stderr what runs. */
void results_run(struct results *results, const struct wish *wish);

/** Is it one of the benchmarks that were asked for? */
int results_wanted(const struct wish *wish, int benchmark);

/** Counts the sources of what is wanted. Returns -1, having said why, when one cannot be read. */
int results_count(struct results *results, const struct wish *wish);

/** How much less of something a version with Hetero has than one by hand, in percent. */
double results_saved(double hetero, double by_hand);

/** The cell of a benchmark's usual class on a set, or NULL. */
const struct cell *results_cell(const struct results *results, int benchmark, const struct set *set);

/** All devices, where they may share; further classes run there. */
const struct set *results_shared(const struct results *results);

/** "pocl:cpu0.0: pthread-haswell, Portable Computing Language, driver 3.1"; the calibration in words. */
void results_device(const struct results *results, size_t index, char *text, size_t bytes);
void results_calibration(const struct results *results, char *text, size_t bytes);

void text_print(const struct results *results);
void json_print(const struct results *results);

/** Could the page be written? Asked before the benchmarks run. Returns -1, having said why not. */
int page_refused(const char *path);
/** Writes the page. Returns -1, having said why, when it cannot. */
int page_write(const struct results *results, const char *path);

#endif
