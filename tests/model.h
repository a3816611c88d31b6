/* model.h - what arrays are worth and what has to move for it, worked out one call after another in plain C.
 *
 * The model knows the protocol of the design (readers join, a writer is the only holder), where the library
 * keeps copies and from which copy it reads, and nothing else of the library. It keeps for every cell the
 * value and the set of stores that hold it. There are no tasks here and nothing fails: what the library
 * promised has already happened.
 *
 * Everything has three dimensions; arrays of a lower rank have leading extents of 1.
 */
#ifndef HETERO_TESTS_MODEL_H
#define HETERO_TESTS_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#define DIMS 3
#define CELLS_MOST 2592
#define DEVICES_MOST 8
#define STORES_MOST 64 /* of one array, as the library has it */
#define HOME 0         /* the store that is the array's host memory */
#define ELEMENT 4      /* bytes: all elements are 32-bit integers */

struct cells {
	int lo[DIMS], hi[DIMS];
};

/* How data go between the memories of two devices. What depends on shapes is not followed. */
enum ways { WAYS_OF_CONTEXTS, WAYS_ALL_DIRECT, WAYS_ALL_BY_HOST, WAYS_OF_SHAPES };

/* Devices as het_device_info describes them. Memory 0 is the host's; the memories of devices of one context
 * exchange data directly, others by way of the host, unless HETERO_ROUTE asks for something else. */
struct machine {
	enum ways ways;
	int devices;
	int memory[DEVICES_MOST];
	unsigned base_align[DEVICES_MOST];
	int context_of_memory[DEVICES_MOST + 1];
};

struct model_store {
	int memory;
	struct cells window;
	bool dense;
	uintptr_t address; /* of a host store, as far as its alignment goes */
};

struct model {
	struct cells whole;
	uint32_t value[CELLS_MOST];
	uint64_t holders[CELLS_MOST]; /* bit s: store s */
	uint64_t former[CELLS_MOST];  /* those that held what the last write replaced, and still have it */
	uint32_t before[CELLS_MOST];  /* the value that the last write replaced */
	uint64_t made_by[CELLS_MOST]; /* bit n: operation n, or what was made of its result (blame.h) */
	uint64_t touched_by[CELLS_MOST]; /* the same and operations that read it, or what it was made of */
	int stores;
	struct model_store store[STORES_MOST];
};

/* Bytes that a program moves; not known any more (`known` false) once a store had to give way. */
struct moved {
	uint64_t between, inside; /* memories: transfer_bytes, repack_bytes */
	bool known;
};

/* ---- cells ---- */
int cells_count(const struct cells *box);
bool cells_overlap(const struct cells *a, const struct cells *b);
bool cells_contain(const struct cells *outer, const struct cells *inner);
bool cells_equal(const struct cells *a, const struct cells *b);
/** The number of a cell of the array in row-major order. */
int cell_at(const struct model *m, int i, int j, int k);

/** Runs a statement for every cell (i, j, k) of a box. */
#define EACH_CELL(box, i, j, k)                                                                                \
	for (int i = (box)->lo[0]; i < (box)->hi[0]; i++)                                                      \
		for (int j = (box)->lo[1]; j < (box)->hi[1]; j++)                                              \
			for (int k = (box)->lo[2]; k < (box)->hi[2]; k++)

/* ---- one array ---- */

/** A fresh array of zeros, all in the home store. `address` tells how the caller's memory is aligned (0: it is
 *  the library's), `dense` that it has no padding. */
void model_init(struct model *m, const int extent[DIMS], uintptr_t address, bool dense);

/** The store through which a kernel on `device` sees `box`, made if need be. `packed`: only the box. */
int model_place(struct model *m, const struct machine *machine, int device, const struct cells *box,
		bool packed, unsigned align, struct moved *moved);
/** Reading a box through a store: it joins where it is not a holder yet. */
void model_fetch(struct model *m, const struct machine *machine, int store, const struct cells *box,
		 struct moved *moved);
/** Writing a box through a store: it is the only holder. The values are the caller's business, afterwards. */
void model_write(struct model *m, int store, const struct cells *box);
/** Whether the last write of the box has changed no value of it. */
bool model_is_unmodified(const struct model *m, const struct cells *box);
/** Such a box has its former holders again. */
void model_unmodified(struct model *m, const struct cells *box);

/** The store in which a fill of the box happens. */
int model_fill_store(const struct model *m, const struct cells *box);
/** Copies a box; `from` and `to` may be one array, also with boxes that overlap. */
void model_copy(struct model *to, const struct cells *to_box, struct model *from, const struct cells *from_box,
		const struct machine *machine, struct moved *moved);
/** A box copied out to memory of the caller's. */
void model_read(struct model *m, const struct machine *machine, const struct cells *box, bool wait,
		struct moved *moved);
/** A box set from memory of the caller's. */
void model_write_from_caller(struct model *m, const struct cells *box, bool wait, struct moved *moved);

#endif
