/* audit.h - do all copies that count as valid have the same bytes?
 *
 * The protocol keeps them equal as long as kernels and programs keep to what they declare. What does not (a
 * kernel that writes HET_IN, a host that writes wrapped memory without a map, a promise of het_unmodified that
 * is not kept, a driver's mistake) shows here, and otherwise as results that depend on which copy was read.
 *
 * Called with the system's lock, which is dropped meanwhile; the caller counts as one of the value's users.
 */
#ifndef HETERO_LIB_ARRAY_AUDIT_H
#define HETERO_LIB_ARRAY_AUDIT_H

#include <hetero/array.h>

#include "array/value.h"

/** Without the lock: waits until no task uses the array; true where it can be read then, for nothing of it is
 *  lost or mapped to be written. Reports no failure. */
bool het__array_is_whole(het_array *array);

/** Compares copies of the box's cells: those that are settled (slot HET__ANY_STORE), or a store's former copies
 *  with what counts. HET_ERR_DIFFER: the text has a cell that differs, both numbers and where they are.
 *  HET_ERR_HANDLE: another thread has freed the array meanwhile; HET_ERR_DEVICE, HET_ERR_MEMORY: not all could
 *  be compared. */
het_status het__value_audit(struct het__value *value, const struct het__box *box, int slot);

#endif
