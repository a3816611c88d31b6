/* calibration.h - what was measured about a machine: its devices, and what each way to move bytes costs.
 *
 * A calibration is plain data: it owns no OpenCL object and knows no system. Everything here is a pure function
 * of it, but for reading and writing its file (file.h).
 *
 * Invariants, which the reader demands of a file and the writer keeps:
 *   K1  devices have unequal names, none of which is "host"; a pair's memories are "host" or names of devices,
 *       and unequal;
 *   K2  there is at most one pair for (from, to, shape), and in it at most one curve, and one bar, per route;
 *   K3  the choices of a pair begin at 0 bytes and are in ascending order; so are the points of a curve,
 *       of which there is at least one;
 *   K4  numbers are within the limits given here, and texts have no quotes, backslashes or control characters;
 *   K5  a figure that is not known is all zeros.
 */
#ifndef HETERO_LIB_CALIBRATION_CALIBRATION_H
#define HETERO_LIB_CALIBRATION_CALIBRATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HET__CAL_FORMAT 1
#define HET__CAL_HOST "host"

#define HET__CAL_NAME_BYTES 256 /* of a stable name, with its NUL */
#define HET__CAL_TEXT_BYTES 160 /* of any other text */
#define HET__CAL_ROUTES 6
#define HET__CAL_POINTS 20
#define HET__CAL_CHOICES 16
#define HET__CAL_MOST_DEVICES 64
#define HET__CAL_MOST_PAIRS 1024 /* of 22 devices with memories of their own, and the host */
#define HET__CAL_MOST_BYTES (UINT64_C(1) << 48)
#define HET__CAL_MOST_NS UINT64_C(10000000000000)
#define HET__CAL_MOST_DEPTH 64
#define HET__CAL_MOST_FIGURE UINT64_C(1000000000000000000)

enum het__cal_shape { HET__CAL_CONTIGUOUS, HET__CAL_STRIDED, HET__CAL_SHAPES };
enum het__cal_origin { HET__CAL_MEASURED, HET__CAL_ASSUMED, HET__CAL_USER, HET__CAL_ORIGINS };

/** A name as it stands in the file; NULL for a number that has none. The number of a route is its place in the
 *  list of all that a file may name. */
const char *het__cal_route_name(int route);
const char *het__cal_shape_name(enum het__cal_shape shape);
const char *het__cal_origin_name(enum het__cal_origin origin);
const char *het__cal_figure_name(int figure);
/** The number of a name, or -1. */
int het__cal_route_of(const char *name);
int het__cal_shape_of(const char *name);
int het__cal_origin_of(const char *name);
int het__cal_figure_of(const char *name);
/** The largest value that a figure may have. */
uint64_t het__cal_figure_most(int figure);

/** What a device was measured to do. */
enum het__cal_figures {
	HET__CAL_LAUNCH_NS,         /* a kernel that does next to nothing, until the host has seen its end */
	HET__CAL_TRIAD_BYTES_PER_S, /* a = b + s c: two arrays read, one written */
	HET__CAL_SINGLE_FLOP_PER_S, /* additions and multiplications, of numbers in registers */
	HET__CAL_DOUBLE_FLOP_PER_S,
	HET__CAL_QUEUES_OVERLAP,    /* 1: what is in a second queue does not wait for a kernel in the first */
	HET__CAL_STARTS_UNFLUSHED,  /* 1: a kernel that nobody flushed or waits for runs */
	HET__CAL_BEHIND_NS,         /* one more kernel that does next to nothing, in a row of such */
	HET__CAL_EDGES_NS,          /* how much shorter a step, of 40 us or more, of two devices of one kind and
	                               memory is where edges are launched apart; 0: not shorter */
	HET__CAL_FIGURES
};
struct het__cal_figure {
	uint64_t value, spread;     /* median of the samples; by how much it varies (calibrate/samples.h) */
	enum het__cal_origin origin;
	int known;                  /* 1; 0: all is zeros (K5) */
};

/** What a device is known by, and what was measured. Two devices are the same when all that they are known by
 *  is equal, but for the memory of CPUs (het__cal_device_differs). */
struct het__cal_device {
	char name[HET__CAL_NAME_BYTES];     /* stable: "nvidia:gpu0" */
	char platform[HET__CAL_TEXT_BYTES];
	char hardware[HET__CAL_TEXT_BYTES];
	char driver[HET__CAL_TEXT_BYTES];   /* its version */
	char id[HET__CAL_TEXT_BYTES];       /* "pci 0000:3b:00.0", "uuid ..."; "-" where nobody tells */
	uint64_t memory_bytes;
	struct het__cal_figure figure[HET__CAL_FIGURES]; /* by enum het__cal_figures */
	bool kept; /* the figures were taken over from an older calibration; the file does not tell */
};

/** Are they, as far as can be told, two of the same product with the same driver? */
bool het__cal_is_of_a_kind(const struct het__cal_device *a, const struct het__cal_device *b);

struct het__cal_point {
	uint64_t bytes, ns; /* the median of the samples */
	uint64_t spread_ns; /* by how much ns varies, a median of samples (calibrate/samples.h) */
};

/** What one route costs. */
struct het__cal_curve {
	int route;
	enum het__cal_origin origin;
	int count;
	struct het__cal_point at[HET__CAL_POINTS];
};

/** From so many bytes on this route is taken. */
struct het__cal_choice {
	uint64_t from_bytes;
	int route;
	uint64_t chunk_bytes; /* 0: the route's own default */
	int depth;            /* 0: the route's own default */
	enum het__cal_origin origin;
};

/** A route that is never to be taken. */
struct het__cal_bar {
	int route;
	enum het__cal_origin origin;
	char why[HET__CAL_TEXT_BYTES];
};

struct het__cal_pair {
	char from[HET__CAL_NAME_BYTES], to[HET__CAL_NAME_BYTES];
	enum het__cal_shape shape;
	int choice_count, curve_count, bar_count;
	struct het__cal_choice choice[HET__CAL_CHOICES];
	struct het__cal_curve curve[HET__CAL_ROUTES];
	struct het__cal_bar bar[HET__CAL_ROUTES];
	bool kept; /* it was taken over from an older calibration; the file does not tell */
};

/** Made by zeroing; freed by het__calibration_free. */
struct het__calibration {
	int format;
	char library[HET__CAL_TEXT_BYTES]; /* version of the library that measured */
	char date[HET__CAL_TEXT_BYTES];    /* of the measurement, UTC: "2026-01-31T10:22:05Z" */
	int device_count, device_room, pair_count, pair_room;
	struct het__cal_device *device;
	struct het__cal_pair *pair;
	const struct het__cal_pair **between; /* made by het__calibration_index; else NULL */
};

/** Makes het__calibration_between quick; nothing is added afterwards. False without memory. */
bool het__calibration_index(struct het__calibration *calibration);

/** The number of a memory: 0 is the host's, n the one of device n - 1; -1: none. */
int het__calibration_memory(const struct het__calibration *calibration, const char *name);

/** The pair of two memories, by their numbers; NULL where there is none, or one of them is -1. After
 *  het__calibration_index. */
const struct het__cal_pair *het__calibration_between(const struct het__calibration *calibration, int from,
						     int to, enum het__cal_shape shape);

/** Frees what it holds, not the struct, which is empty then. NULL is allowed. */
void het__calibration_free(struct het__calibration *calibration);
/** Adds one, zeroed, at the end; pointers into the list are no longer good. NULL without memory. */
struct het__cal_device *het__calibration_add_device(struct het__calibration *calibration);
struct het__cal_pair *het__calibration_add_pair(struct het__calibration *calibration);

/** A text as files can hold it: cut to the room there is, quotes and backslashes as ', control characters as ?,
 *  no blanks at its ends; "-" when nothing is left. Bytes after its end are zeros. */
void het__cal_text(char *out, size_t room, const char *text);

/* ---- looking things up ------------------------------------------------------------------------- */

struct het__cal_device *het__calibration_device(const struct het__calibration *calibration, const char *name);
struct het__cal_pair *het__calibration_pair(const struct het__calibration *calibration, const char *from,
					    const char *to, enum het__cal_shape shape);
struct het__cal_curve *het__cal_curve(const struct het__cal_pair *pair, int route);
const struct het__cal_bar *het__cal_bar(const struct het__cal_pair *pair, int route);

/** The choice for so many bytes; NULL where the pair has none. */
const struct het__cal_choice *het__cal_choice(const struct het__cal_pair *pair, uint64_t bytes);

/** What a route is predicted to take: between measured sizes by interpolation; below the smallest what that
 *  took; above the largest by the slope of the last two, or of the whole curve if that is steeper (of one point
 *  alone: in proportion). False where the route was not measured. */
bool het__cal_predict(const struct het__cal_pair *pair, int route, uint64_t bytes, double *ns_p);

/* ---- deciding ---------------------------------------------------------------------------------- */

/** A change of route must win by more than 5 % and by more than either spread, and not be behind at the next
 *  size; or be ahead by more than 5 %, and win at the next size. */
#define HET__CAL_MARGIN 1.05

/** Of several settings of one route the first, unless another one wins by as much as a change of route must. */
int het__cal_best(const struct het__cal_point *point, int count);

/** Sets how a route's choices, but the user's, move pieces: in parts of so many bytes, so many at a time. */
void het__cal_set_parts(struct het__cal_pair *pair, int route, uint64_t chunk_bytes, int depth);

/** Makes the choices of a pair from its curves: at the smallest size the route of the lowest number, unless the
 *  cheapest wins by 5 % and by either spread; then, size by size, another one only where it wins as above or
 *  where the present one was not measured any more. Barred routes do not count. When changes are more than
 *  there is room for, the last ones are left out. A pair without a curve gets no choices. The parts that
 *  earlier choices, but the user's, gave a route stay. */
void het__cal_decide(struct het__cal_pair *pair);

/** Takes over from an older calibration the pairs about which nothing was found out now, if the newer one knows
 *  both memories, and both are as they were. Where one is not, the pair is added only if a user wrote something
 *  about it, for het__calibration_keep_user to fill in. *left_out_p: how many there was no room for
 *  (HET__CAL_MOST_PAIRS). False without memory. */
bool het__calibration_keep_others(struct het__calibration *fresh, const struct het__calibration *older,
				  int *left_out_p);

/** Takes over what a user wrote into an older calibration: figures, choices (each for its range of sizes),
 *  curves and bars; the other choices are made again. What is about memories that the newer one does not know
 *  is left out. Figures that were not measured now, of devices that are as they were, are taken over too. */
void het__calibration_keep_user(struct het__calibration *fresh, const struct het__calibration *older);

/** What differs between a device and how the calibration knows it: "driver", "hardware", "platform", "id",
 *  "memory" (not of CPUs); NULL when nothing does. Static text. */
const char *het__cal_device_differs(const struct het__cal_device *known, const struct het__cal_device *now);

#endif
