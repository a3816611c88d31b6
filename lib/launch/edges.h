/* edges.h - whether a part of a spread gains when its edges are launched apart from its interior. */
#ifndef HETERO_LIB_LAUNCH_EDGES_H
#define HETERO_LIB_LAUNCH_EDGES_H

#include <hetero/system.h>

#include <stdbool.h>

/** By what was measured: does a part on `device` gain if its interior does not wait for the part on `beside`,
 *  from which it reads `bytes`? A part between two others has two edges. */
bool het__edges_pay(const het_device *device, const het_device *beside, bool is_between, size_t bytes);

#endif
