/* systems.h - opening systems in tests that cannot go on when that fails. */
#ifndef HETERO_TESTS_SYSTEMS_H
#define HETERO_TESTS_SYSTEMS_H

#include <stdbool.h>

#include <hetero/system.h>

#include "checks.h"
#include "platforms.h"
#include "system/system.h"

static inline void ok(het_status status)
{
	ck_assert_msg(status == HET_OK, "%s", het_message());
}

static inline het_system *open_devices(const char *devices)
{
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system = NULL;

	options.devices = devices;
	ok(het_open(&options, &system));
	ck_assert_ptr_nonnull(system);
	return system;
}

static inline struct het_device_info info_of(het_device *device)
{
	struct het_device_info info = HET_DEVICE_INFO_INIT;

	ok(het_device_info(device, &info));
	return info;
}

/* Of all systems this one was opened first: its devices have the first seats. Closes it. */
static inline void assert_seats_from_first(het_system *system)
{
	int seats = 0;

	for (int i = 0; i < het_device_count(system); i++)
		if (het_device(system, i)->driver->programs_apart)
			ck_assert_int_eq(het_device(system, i)->seat, seats++);
		else
			ck_assert_int_eq(het_device(system, i)->seat, -1);
	ok(het_close(system));
}

/* Does PoCL have a device of several units, which "pocl:cpu0/1" cuts? */
static inline bool has_pocl_parts(void)
{
	return het_test_units(HET_TEST_POCL) > 1;
}

#endif
