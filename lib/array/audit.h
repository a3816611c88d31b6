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

#include "array/value.h"

/** Waits until no task uses any of the value's stores. */
void het__value_settle(struct het__value *value);

/** Compares the settled copies of the box's cells. HET_ERR_DIFFER: the text has the first cell that differs,
 *  both numbers and where they are. HET_ERR_DEVICE, HET_ERR_MEMORY: not all could be compared. */
het_status het__value_audit(struct het__value *value, const struct het__box *box);

#endif
