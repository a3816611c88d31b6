/* scene.h - the seas that are computed, what is asked of them, and whether a result is right. */
#ifndef SHAWA_SCENE_H
#define SHAWA_SCENE_H

#include "shawa/shawa.h"

enum scene_kind {
	SCENE_LAKE,
	SCENE_BASIN,
	SCENE_EVEN,
	SCENE_DAM,
	SCENE_ROUND,
	SCENE_TIDE,
	SCENE_OPEN,
	SCENE_TERRAIN
};

/** A class, changed by what the user asked for. */
struct scene {
	const char *name;
	enum scene_kind kind;
	int rows, cols, with_roe, steps;
	double level, lower;         /* of the water; behind the dam */
	const char *terrain, *place; /* TERRAIN: a file, where the contaminant is released */
	const char *sides;           /* TERRAIN: west, east, north, south, each of w, o, p, t */
	const char *prefix;          /* of the files to write; NULL: none */
	int frames;                  /* of the film to write, beside that at first; 0: none */
	double until;                /* 0: all steps */
	int is_changed;              /* by the user, so that another result is right */
};

/** A problem and how it came to be. */
struct scene_problem {
	struct shawa_problem problem; /* the first member: the versions get its address */
	struct scene scene;
	double *state, *bed;
	double *clock; /* with a film: that of the result that was written, 0 before; NULL: no film */
};

/** Makes rows x cols dry cells of this size with walls around them. */
void scene_cells(struct scene_problem *p, double dx, double dy);

/** Sets a cell: water up to `level` over a bed of height `z`, with this concentration. */
void scene_cell(struct scene_problem *p, int row, int col, double z, double level, double concentration);

/** Makes a sea, or says on stderr why it cannot, and ends the program. */
struct scene_problem *scene_make(const struct scene *scene);
void scene_terrain(struct scene_problem *p);

/** Sets the sides of a sea: four letters. Returns -1 when they are no such. */
int scene_sides(struct shawa_sea *sea, const char *letters);

/** Where a place is, in parts of width and height from the northwest corner: its name, or X,Y. Returns -1 when
 *  it is none. */
int scene_place(const char *name, double *x, double *y);

/** Whether a result is right; what was seen, in words. */
int scene_verify(const void *problem, const void *result, char *said, size_t bytes);

/** Mean errors of depth, momentum and contaminant of the first row against the exact solution of a breaking
 *  dam; and how far the other rows are apart from it. */
struct dam_error {
	double depth, momentum, tracer, apart;
};
struct dam_error dam_error(const struct scene_problem *p, const struct shawa_result *r);

/** What was found of these by an independent program; 0: not known. */
struct dam_error dam_known(const struct scene_problem *p);

/** Ends the program now, saying why, when pictures cannot be written later. Without libpng there are none. */
void scene_may_write(const struct scene_problem *p);

/** Writes a picture of a quantity in a state, PREFIX-NAME.png: depth, or with stains contaminant. */
void scene_picture(const struct scene_problem *p, const double *state, const char *name, int with_stains);

/** Ends the program, naming the option and the file, when there is a reason why it could not be written. */
void scene_complain(const char *option, const char *path, const char *why);

/** Computes a sea with Hetero once more and writes its pictures on the way, and a page that plays them; the
 *  clock of the result that was written says after which steps. Returns 1: none of it can be wrong. */
int scene_film(const void *problem, const struct bench_machine *machine, struct report *report);

/** Writes the grids and pictures of a result, or ends the program, saying why; keeps its clock for a film. */
void scene_write(const struct scene_problem *p, const struct shawa_result *r);

#endif
