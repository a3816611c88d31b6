/* handle.h - the end of handles. Nobody needs it above lib/system. */
#ifndef HETERO_LIB_SYSTEM_HANDLE_H
#define HETERO_LIB_SYSTEM_HANDLE_H

#include "system/system.h"

/** Frees the handles that het__bury kept. With the lock, or when nothing of the system runs any more. */
void het__graveyard_clear(het_system *system);

/** Frees the struct itself, or with debug checks keeps it for ever, marked dead. */
void het__system_bury(het_system *system);

#endif
