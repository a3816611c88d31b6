/* select.h - selection strings: a pure function of the string and what was found. Private to lib/system. */
#ifndef HETERO_LIB_SYSTEM_SELECT_H
#define HETERO_LIB_SYSTEM_SELECT_H

#include "system/discover.h"

/** One device to open. */
struct het__choice {
	int device;    /* its place in the list of found devices */
	int part;      /* number of the sub-device, or -1: the whole */
	cl_uint units; /* compute units of each sub-device; 0: the whole */
};

struct het__choices {
	struct het__choice *at;
	int count, room;
};

/** Follows a selection (the grammar stands at het_open); NULL selects every usable device. The choices are
 *  het__free'd by the caller, also after a failure. HET_ERR_SELECTION names the term and lists what there
 *  is; HET_ERR_MEMORY. */
het_status het__select(const struct het__found *found, const char *selection, struct het__choices *choices);

/** Writes the stable name of a choice: "pocl:cpu0", "pocl:cpu0.1" (parts of one unit), "pocl:cpu0.1/2". */
void het__choice_name(const struct het__found *found, const struct het__choice *choice, char *name,
                      size_t bytes);

#endif
