/* scene.h - the terrain that paths lead over, how results are checked, and what is made of them; for path.c. */
#ifndef PATH_SCENE_H
#define PATH_SCENE_H

#include "path/path.h"

/** A class, and what the user asked for instead. Points are "ROW,COL" or the words that --help lists. */
struct scene {
	const char *name;
	int rows, cols;      /* 0: as the terrain has */
	const char *terrain; /* a file; NULL: made up */
	const char *target, *from;
	const char *prefix; /* of files to be written; NULL: none */
	int cuts;           /* runs for each time in tables of cut lines; 0: no tables */
	int batch;
	int climb;     /* what a metre up or down counts */
	int is_single; /* costs are floats */
};

struct scene_problem {
	struct path_problem problem; /* the first member: what the versions get */
	struct scene scene;
	int from_row, from_col;  /* where the path that is painted begins */
	unsigned long long hash; /* of the heights of made-up terrain */
	double west, south;      /* where the terrain lies: hillshade/grid.h */
	float *height;
};

/** Makes a scene's terrain. Ends the program, saying why, where it cannot be. */
const struct scene_problem *scene_make(const struct scene *scene);

/** Fills in what has to do with the ground: its size, heights and distances. */
void scene_ground(struct scene_problem *p);

/** Whether a result is right, as benchmark.verify. The first right one is written, if that was asked for. */
int scene_verify(const void *problem, const void *result, char *said, size_t bytes);

/** How many sweeps the last result took that was checked; 1: none was. */
int scene_sweeps(void);

/** Costs as an ESRI ASCII grid; a picture of them and of a path. */
void scene_write(const struct scene_problem *p, const double *cost);

/** Ends the program, saying why, where that will not be possible. Without libpng only says so. */
void scene_may_write(const struct scene_problem *p);

/** Times over cut lines, as benchmark.afterwards. */
int scene_cuts(const void *problem, const struct bench_machine *machine, struct report *report);

#endif
