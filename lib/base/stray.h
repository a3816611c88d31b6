/* stray.h - variables of the environment that look like the library's and are not: misspelt ones, mostly. */
#ifndef HETERO_LIB_BASE_STRAY_H
#define HETERO_LIB_BASE_STRAY_H

#include "base/log.h"

/** Warns of every variable HETERO_... that is set and not in the library's table (base/env.h), with the name
 *  that was perhaps meant. The tests' own, HETERO_TEST_... and HETERO_FAKE_..., are passed over. */
void het__env_warn_of_strays(struct het__logger *logger);

#endif
