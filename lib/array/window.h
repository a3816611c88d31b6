/* window.h - what the files that place kernels' accesses share: place.c, room.c, window.c. */
#ifndef HETERO_LIB_ARRAY_WINDOW_H
#define HETERO_LIB_ARRAY_WINDOW_H

#include "array/value.h"

/** A new store in the device's memory, holding nothing. HET_ERR_DEVICE_MEMORY, HET_ERR_MEMORY; HET__AGAIN:
 *  all numbers of stores are in use. */
het_status het__store_new(struct het__value *value, het_device *device, const struct het__box *window,
			  struct het__store **store_p);

/** The same; where there is not room enough, at the cost of stores that the present operation does not use
 *  (room.c). HET__AGAIN also while such a store is in use or what it holds is on its way home, and while tasks
 *  use what freed arrays take, or scratch, or what waits for users' functions. */
het_status het__store_make(struct het__value *value, het_device *device, const struct het__box *window,
			   struct het__store **store_p);

/** Could the device have such a buffer if nothing else were there? */
bool het__room_possible(const het_device *device, uint64_t bytes);
/** Has it room for one now, as far as is known? */
bool het__room_is_there(const het_device *device, uint64_t bytes);
/** Before one is made: takes from kernels the buffers that are gone. A driver that finds memory only when a
 *  buffer is used would lack theirs. */
void het__room_clear(const het_device *device, uint64_t bytes);

/** May the store's end be waited for? Not by callbacks, nor behind a user's function, which may be waiting for
 *  the caller. A store that nobody uses and that holds nothing alone may always go. */
bool het__store_may_go(const struct het__value *value, struct het__store *store);

/** The least recently used one, not the home, that the present operation does not use and that may go, of those
 *  in a memory (NULL: in any); `oldest`, which may be NULL, where none was used before it. */
struct het__store *het__store_oldest(const struct het__value *value, const struct het__memory *memory,
				     struct het__store *oldest);

/** The value of a store's window goes to the home as far as it is not there. HET__AGAIN until it has arrived
 *  and nobody uses the store any more. To write it back does not count as a use of the store. */
het_status het__store_write_back(struct het__value *value, struct het__store *store);

/** Frees a store that no task uses, and that is nowhere the last settled member. */
void het__store_drop(struct het__value *value, struct het__store *store);

/** het__access_place of SEES_WINDOW. */
het_status het__window_place(struct het__access *access, het_device *device, size_t align_bytes);

#endif
