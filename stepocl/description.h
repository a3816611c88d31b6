/* description.h - what a description says: the kernel's arguments, its space, its iterations. Dimensions
 * are in the description's order, which is that of get_global_id: dimension 0 is x, the one contiguous in
 * memory. */
#ifndef HETERO_STEPOCL_DESCRIPTION_H
#define HETERO_STEPOCL_DESCRIPTION_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <hetero.h>

enum { MOST_RANK = 3, MOST_ARGUMENTS = 32, MOST_POINTS = 128, NAME_ROOM = 64, OPTIONS_ROOM = 256 };

/** An element type of OpenCL C, and how a C program of Hetero writes it. */
struct type {
	const char *name;
	het_type het;
	const char *het_name, *c_name;
	enum { OF_INTEGERS, OF_NATURALS, OF_REALS } numbers;
};

/** The type of this name; NULL where there is none. */
const struct type *type_named(const char *name);

enum property { NOT_SAID, INPUT, OUTPUT };

struct argument {
	char name[NAME_ROOM];
	int line; /* of its element */
	int origin_line, value_line, becomes_line; /* of elements in it; 0: not there */
	enum property property;
	const struct type *type;
	bool is_memory;
	int rank, origin_rank, point_rank; /* how many numbers are given; all points have as many */
	int64_t size[MOST_RANK];
	int64_t origin[MOST_RANK]; /* the element that work-item 0 stands for */
	bool has_shadow, clipped;
	int points;
	int64_t point[MOST_POINTS][MOST_RANK];
	int point_line[MOST_POINTS];
	char value[NAME_ROOM]; /* of a number; "": none is given */
	char becomes[NAME_ROOM];
};

struct description {
	int arguments;
	struct argument argument[MOST_ARGUMENTS];
	int kernel_line, offset_line, local_line;
	char file[NAME_ROOM], function[NAME_ROOM], options[OPTIONS_ROOM];
	int rank, offset_rank, local_rank;
	int64_t global[MOST_RANK], offset[MOST_RANK];
	bool grouped;
	int64_t local[MOST_RANK];
	int64_t iterations;
	double flops; /* per point; 0: not given */
	/* Found by description_check: the output, and the input that it becomes after an iteration; the input
	 * that is the stencil's: what it becomes, or else the first with shadow points. -1: none. */
	int output, successor, stencil;
};

/** Why a description is refused. Line 0: no line in particular. */
struct refusal {
	int line;
	char text[256];
};

/** Notes the reason; false. */
bool refuse(struct refusal *refusal, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));

/** Reads and checks what `file` holds, with so many iterations (0: its own number). False with the reason. */
bool description_read(FILE *file, int64_t iterations, struct description *description, struct refusal *refusal);

/** Does it make sense? Called by description_read. */
bool description_check(struct description *description, struct refusal *refusal);

/** The argument of this name; -1 where there is none. */
int description_argument(const struct description *description, const char *name);

/** The elements of an argument in memory. */
int64_t argument_elements(const struct argument *argument);

/** Of an array: is it an input that every part reads all of? */
bool argument_is_read_whole(const struct argument *argument);

/** Reads a number of the type: 8 bytes at `value`, of which the type's are set. False where it is none, or
 *  too large. */
bool type_value(const struct type *type, const char *text, void *value);

/** The value of an integer of the type at `value`, or its bits: of a ulong above INT64_MAX and of a real
 *  number. */
int64_t type_whole(const struct type *type, const void *value);

/** The product of two numbers >= 0, in *product_p; false where it does not fit. */
bool times(int64_t a, int64_t b, int64_t *product_p);

#endif
