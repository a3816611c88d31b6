/* calibration.c - the calibration of a system: found, read, and held against its devices.
 *
 * A file that cannot be used never fails a program: it is refused with one named reason, and defaults apply.
 */
#include "calibration/calibration.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/env.h"
#include "base/folder.h"
#include "system/prepare.h"
#include "system/setup.h"

#define FILE_NAME "calibration.ini"

/* ---- where it is ------------------------------------------------------------------------------- */

/* A file that nobody may look at is there: to read it then says why it is refused. */
static bool is_there(const char *path)
{
	return access(path, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

bool het__setup_own_calibration(char path[PATH_MAX])
{
	char folder[PATH_MAX - sizeof "/" FILE_NAME];

	if (!het__config_folder(folder, sizeof folder))
		return false;
	snprintf(path, PATH_MAX, "%s/%s", folder, FILE_NAME);
	return true;
}

void het__setup_installed_calibration(char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/hetero/%s", HETERO_SYSCONFDIR, FILE_NAME);
}

bool het__setup_find_calibration(char path[PATH_MAX])
{
	const char *const given = het__env("HETERO_CALIBRATION");

	if (given) {
		snprintf(path, PATH_MAX, "%s", het__env_is_off(given) ? "off" : given);
		return !het__env_is_off(given);
	}
	if (het__setup_own_calibration(path) && is_there(path))
		return true;
	het__setup_installed_calibration(path);
	return is_there(path);
}

/* ---- whose it is ------------------------------------------------------------------------------- */

het_status het__setup_identity(const het_device *device, struct het__cal_device *identity)
{
	char id[64];
	const het_status status = het__cl_device_identity(device->id, id, sizeof id);

	if (status)
		return status;
	het__cal_text(identity->name, sizeof identity->name, device->name);
	het__cal_text(identity->platform, sizeof identity->platform, device->platform);
	het__cal_text(identity->hardware, sizeof identity->hardware, device->hardware);
	het__cal_text(identity->driver, sizeof identity->driver, device->driver_version);
	het__cal_text(identity->id, sizeof identity->id, id);
	identity->memory_bytes = device->facts.memory_bytes;
	return HET_OK;
}

static bool fits(het_device *device, const struct het__calibration *calibration, const char *path,
		 struct het__cal_refusal *refusal)
{
	const int number = het__calibration_memory(calibration, device->name);
	struct het__cal_device now;
	const char *what;

	if (number <= 0) {
		het__log(device->system->logger, HET_LOG_INFO, "system",
			 "%s: nothing was measured with %s; defaults apply to it", path, device->name);
		return true;
	}
	if (het__setup_identity(device, &now) != HET_OK)
		return het__cal_refuse(refusal, path, 0, HET__CAL_CHANGED_DEVICE, "%s", het__message());
	what = het__cal_device_differs(&calibration->device[number - 1], &now);
	device->known = number;
	if (!what)
		return true;
	if (strcmp(what, "driver") == 0)
		return het__cal_refuse(refusal, path, 0, HET__CAL_CHANGED_DRIVER,
				       "of %.80s: measured with '%.60s', now '%.60s'", device->name,
				       calibration->device[number - 1].driver, now.driver);
	return het__cal_refuse(refusal, path, 0, HET__CAL_CHANGED_DEVICE, "the %s of %.100s is another now",
			       what, device->name);
}

/* Is it a part of a device that the file tells of? "pocl:cpu0.1" is one of "pocl:cpu0". */
static bool is_part_of_known(const het_device *device, const struct het__calibration *calibration)
{
	char whole[HET__CAL_NAME_BYTES];
	const char *const dot = strrchr(device->name, '.');

	if (!device->is_part || !dot)
		return false;
	snprintf(whole, sizeof whole, "%.*s", (int)(dot - device->name), device->name);
	return het__calibration_memory(calibration, whole) > 0;
}

/* A file need not tell of every device, but one that tells of none that is used here is of another machine. A
 * device that is used in parts counts as told of if the whole device is. */
static bool fits_all(het_system *system, const struct het__calibration *calibration, const char *path,
		     struct het__cal_refusal *refusal)
{
	int known = 0;

	for (int i = 0; i < system->device_count; i++) {
		if (!fits(system->devices[i], calibration, path, refusal))
			return false;
		known += system->devices[i]->known > 0 || is_part_of_known(system->devices[i], calibration);
	}
	return known > 0 || het__cal_refuse(refusal, path, 0, HET__CAL_UNKNOWN_DEVICE,
					    "it is of other devices: none of those in use, of which %.100s is "
					    "the first, is in it",
					    system->devices[0]->name);
}

/* ---- reading it -------------------------------------------------------------------------------- */

/* The advice is given once in a process. */
static void complain(const het_system *system, const struct het__cal_refusal *refusal)
{
	static atomic_flag advised = ATOMIC_FLAG_INIT;

	het__log(system->logger, HET_LOG_WARN, "system", "the calibration is not used, defaults apply: %s%s",
		 refusal->text, atomic_flag_test_and_set(&advised) ? "" : "; hetero-calibrate makes a new one");
}

static void forget(het_system *system)
{
	for (int i = 0; i < system->device_count; i++)
		system->devices[i]->known = -1;
	het__calibration_free(system->calibration);
	het__free(system->calibration);
	system->calibration = NULL;
}

bool het__setup_read_calibration(het_system *system, const char *path, struct het__cal_refusal *refusal)
{
	system->calibration = het__alloc_zeroed(1, sizeof *system->calibration);
	if (!system->calibration)
		return het__cal_refuse(refusal, path, 0, HET__CAL_NO_MEMORY, "no memory to read it");
	if (het__calibration_read(path, system->calibration, refusal) &&
	    fits_all(system, system->calibration, path, refusal)) {
		if (het__calibration_index(system->calibration)) {
			het__log(system->logger, HET_LOG_INFO, "system", "the calibration is %s, of %s", path,
				 system->calibration->date);
			return true;
		}
		het__cal_refuse(refusal, path, 0, HET__CAL_NO_MEMORY, "no memory to use it");
	}
	forget(system);
	return false;
}

static het_status check_route(het_system *system)
{
	system->route = het__env("HETERO_ROUTE");
	if (system->route && het__cal_route_of(system->route) < 0)
		return het__fail(HET_ERR_ARGUMENT,
				 "HETERO_ROUTE is '%s': no route is called that (there are copy, staged, "
				 "chunked, pinned, mapped, pack)",
				 system->route);
	if (system->route)
		system->route = het__cal_route_name(het__cal_route_of(system->route));
	return HET_OK;
}

/* May any choice fall on the route pack? */
static bool may_pack(const het_system *system)
{
	const struct het__calibration *const c = system->calibration;
	const int pack = het__cal_route_of("pack");

	if (system->route && het__cal_route_of(system->route) == pack)
		return true;
	for (int i = 0; c && i < c->pair_count; i++)
		for (int n = 0; n < c->pair[i].choice_count; n++)
			if (c->pair[i].choice[n].route == pack)
				return true;
	return false;
}

het_status het__setup_calibration(het_system *system)
{
	const het_status status = check_route(system);
	struct het__cal_refusal refusal;
	char path[PATH_MAX];

	if (!status && !het__setup_find_calibration(path))
		system->calibration_off = strcmp(path, "off") == 0;
	else if (!status && !het__setup_read_calibration(system, path, &refusal))
		complain(system, &refusal);
	system->packs = !status && may_pack(system);
	if (!status && system->route)
		het__route_check(system);
	return status;
}
