/* machine.h - what hetero-info shows, as plain data: of the machine as programs find it, or of a calibration
 * that was saved, without it.
 *
 * Texts are the system's, the calibration's or static, but for those of problems; they live as long as the
 * machine.
 */
#ifndef HETERO_INFO_MACHINE_H
#define HETERO_INFO_MACHINE_H

#include <limits.h>

#include <hetero.h>

#include "calibration/file.h"
#include "options.h"
#include "route/choose.h"

struct device {
	const char *name, *kind, *hardware, *platform, *driver;
	uint64_t memory_bytes;
	int memory;           /* its place in the list of memories; -1: not known */
	bool fits;            /* its identity is that of the calibration */
	const struct het__cal_device *measured; /* what is known of it; NULL: nothing */
	/* Only of a device that is here: else opencl is NULL. */
	const char *opencl;
	unsigned compute_units, clock_mhz;
	uint64_t max_alloc_bytes, local_bytes, max_work_group;
	bool has_double, has_half;
	int queues;           /* 2: copies have one of their own */
	const char *kernels;  /* did one run: "run", "early" (it ends loops early), "wrong", "fail" */
};

struct memory {
	const char *name;
	uint64_t bytes;       /* 0: not known */
	int owner;            /* the device; -1: the host's */
};

/** From so many bytes on this route. Times are of `least` and of `most` bytes; 0: not known. */
struct step {
	uint64_t from_bytes, least, most;
	const char *route;
	const char *chosen;   /* "measured", "assumed", "user", "forced" */
	const char *times;    /* "measured", "assumed", "user"; NULL: not known */
	struct het__parts parts; /* what was chosen of them; 0: the route's own default */
	double least_ns, most_ns;
};

#define MOST_STEPS 24

/** From one memory to another. */
struct way {
	int from, to;
	enum het__cal_shape shape;
	int step_count;
	struct step step[MOST_STEPS];
	const struct het__cal_pair *measured; /* NULL: nothing was */
};

enum severity { NOTE, WARNING, ERROR };

struct problem {
	enum severity severity;
	char text[1600];
	const char *advice;   /* NULL: the text says it */
};

struct setting {
	const char *name, *values, *meaning;
	const char *value;    /* NULL: not set */
};

enum calibration_state {
	NOT_THERE,            /* no file, or none wanted ("off") */
	FITS,
	REFUSED,
	SAVED,                /* a file that is looked at without the machine */
	UNTRIED,              /* a file, and no devices to hold it against */
};

struct machine {
	het_system *system;   /* NULL: a saved calibration, or nothing could be opened */
	const char *devices;  /* the selection, where it is not the environment's; else NULL */
	char measure[256];    /* advice how to calibrate these devices */
	struct het__calibration saved;
	const struct het__calibration *calibration; /* the one in force; NULL: none */
	enum calibration_state state;
	char path[PATH_MAX];  /* where it is, was looked for last, or "off" */
	struct het__cal_refusal refusal;
	int device_count, memory_count, way_count, problem_count, setting_count;
	int problem_room;
	struct device *device;
	struct memory *memory;
	struct way *way;
	struct problem *problem;
	const struct setting *setting; /* none of a saved calibration */
	struct {
		char *text;   /* what the library said, one line each; NULL: nothing */
		int length, room;
	} log;
	bool usable;          /* programs can be run here */
	bool failed;          /* for want of memory something is missing */
};

/** Looks at the machine. What is wrong with it is among its problems. False without memory. */
bool machine_look(struct machine *machine, const char *devices);
/** Reads a calibration. False: refused, machine->refusal says why. */
bool machine_read(struct machine *machine, const char *path);
void machine_free(struct machine *machine);

const char *severity_name(enum severity severity);
/** What is wrong with a device's kernels, as it stands behind other things: "; kernels fail"; "": nothing. */
const char *kernels_fault(const struct device *device);
const char *state_name(enum calibration_state state);

/* What it is made of. */

void problem_add(struct machine *machine, enum severity severity, const char *advice, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/** Lists the environment (settings.c). */
void settings_look(struct machine *machine);

/** Fills in the ways between the memories, of the open system or of the saved calibration (ways.c); there is
 *  room for them. */
void ways_of_system(struct machine *machine);
void ways_of_calibration(struct machine *machine);

/** Runs a kernel whose result is known, with a long loop, on a device (probe.c). Returns "run", "early",
 *  "wrong" or "fail"; adds a problem for all but the first. */
const char *probe_device(struct machine *machine, het_device *device);

/** What is wrong with the machine as it was found (advice.c). `opening`: what het_open said, if it failed. */
void advise(struct machine *machine, het_status status, const char *opening);

#endif
