/* open.h - what the versions with Hetero share: opening the devices; must.h says which call failed. */
#ifndef COMMON_OPEN_H
#define COMMON_OPEN_H

#include <hetero.h>

#include "must.h"

/** Opens the devices of a selection, or ends the program. Ownership: het_close. */
static inline het_system *open_devices(const char *devices, enum het_share share)
{
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system;

	options.devices = devices;
	options.share = share;
	must(het_open(&options, &system));
	return system;
}

#endif
