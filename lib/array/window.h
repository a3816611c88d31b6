/* window.h - what the files that place kernels' accesses share: place.c, window.c. */
#ifndef HETERO_LIB_ARRAY_WINDOW_H
#define HETERO_LIB_ARRAY_WINDOW_H

#include "array/value.h"

/** A new store in the device's memory, holding nothing. HET_ERR_DEVICE_MEMORY, HET_ERR_MEMORY; HET__AGAIN:
 *  all numbers of stores are in use. */
het_status het__store_new(struct het__value *value, het_device *device, const struct het__box *window,
			  struct het__store **store_p);

/** The value of a store's window goes to the home as far as it is not there. HET__AGAIN until it has arrived
 *  and nobody uses the store any more. That it is written back is no use of the store. */
het_status het__store_write_back(struct het__value *value, struct het__store *store);

/** The end of one that no task uses, and that is nowhere the last one to be settled. */
void het__store_drop(struct het__value *value, struct het__store *store);

/** het__access_place of SEES_WINDOW. */
het_status het__window_place(struct het__access *access, het_device *device, size_t align_bytes);

#endif
