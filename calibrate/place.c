/* place.c - see place.h. */
#include "place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/folder.h"
#include "system/setup.h"

static bool say(const char *path, const char *what, const char *why)
{
	fprintf(stderr, "hetero-calibrate: %s %s%s\n", path, what, why);
	return false;
}

/* ---- signals ----------------------------------------------------------------------------------- */

#define SIGNALS 4

static const int signals[SIGNALS] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
static struct sigaction before[SIGNALS];
static volatile sig_atomic_t waiting; /* the last signal that came; 0: none */

static void wait_for_release(int number)
{
	waiting = number;
}

void place_hold(void)
{
	const struct sigaction action = {.sa_handler = wait_for_release, .sa_flags = SA_RESTART};

	waiting = 0;
	for (int i = 0; i < SIGNALS; i++) {
		sigaction(signals[i], NULL, &before[i]);
		if (before[i].sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
}

void place_release(void)
{
	for (int i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &before[i], NULL);
	if (waiting)
		raise(waiting);
}

/* ---- whether there is one ---------------------------------------------------------------------- */

static bool can_be_written(const char *path)
{
	bool good;

	place_hold();
	good = het__file_may_replace(path);
	place_release();
	return good;
}

static bool make_folder_of(const char *path)
{
	char folder[PATH_MAX];

	snprintf(folder, sizeof folder, "%s", path);
	*strrchr(folder, '/') = '\0';
	return het__make_folder(folder) == 0;
}

bool place_is_good(const char *path, bool own)
{
	if (own && !make_folder_of(path))
		return say(path, "cannot be written: its folder cannot be made: ", strerror(errno));
	if (het__file_is_special(path))
		return say(path, "is no regular file, or one that is open, and is left alone", "");
	return can_be_written(path) || say(path, "cannot be written: ", strerror(errno));
}

/* ---- one at a time ------------------------------------------------------------------------------ */

/* Locks the folder, because the file itself is replaced. */
int place_lock(const char *path)
{
	char folder[PATH_MAX];
	char *slash;
	int lock;

	if (!realpath(path, folder))
		snprintf(folder, sizeof folder, "%s", path);
	slash = strrchr(folder, '/');
	if (slash)
		slash[slash == folder] = '\0';
	else
		strcpy(folder, ".");
	lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	while (lock >= 0 && flock(lock, LOCK_EX) != 0 && errno == EINTR)
		;
	return lock;
}

void place_unlock(int lock)
{
	if (lock >= 0)
		close(lock);
}

/* ---- what is kept ------------------------------------------------------------------------------ */

/* The first that is free of FILE.old, FILE.old.2, FILE.old.3... */
static void name_aside(const char *path, char aside[PATH_MAX + 16])
{
	struct stat facts;

	snprintf(aside, PATH_MAX + 16, "%s.old", path);
	for (int i = 2; lstat(aside, &facts) == 0; i++)
		snprintf(aside, PATH_MAX + 16, "%s.old.%d", path, i);
}

/* A file that cannot be read may have something of the user's: it is not thrown away. Where files can have two
 * names, it also keeps its own until the new file takes that. */
static bool put_aside(const char *path, const char *why)
{
	char target[PATH_MAX], aside[PATH_MAX + 16];

	if (!realpath(path, target))
		return say(path, "cannot be kept: ", strerror(errno));
	name_aside(target, aside);
	if (link(target, aside) != 0 && rename(target, aside) != 0)
		return say(path, "cannot be kept: ", strerror(errno));
	fprintf(stderr, "hetero-calibrate: %s; it is kept as %s\n", why, aside);
	return true;
}

/* What a device is known by now, whether it was selected or not. False where there is none of this name. */
static bool ask_identity(const char *name, struct het__cal_device *identity)
{
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system;
	bool good;

	options.devices = name;
	if (setenv("HETERO_CALIBRATION", "off", 1) || het_open(&options, &system))
		return false;
	good = het_device_count(system) == 1 &&
	       het__setup_identity(het_device(system, 0), identity) == HET_OK &&
	       strcmp(identity->name, name) == 0;
	het_close(system);
	return good;
}

/* Devices that were not selected now stay in the file. One that the machine lacks just now stays as it was. */
static bool keep_devices(const char *path, struct het__calibration *fresh, const struct het__calibration *older)
{
	for (int i = 0; i < older->device_count; i++) {
		const char *const name = older->device[i].name;
		struct het__cal_device now = {.memory_bytes = 0}, *device;

		if (het__calibration_device(fresh, name))
			continue;
		if (fresh->device_count == HET__CAL_MOST_DEVICES) {
			say(path, "has no room any more for ", name);
			continue;
		}
		device = het__calibration_add_device(fresh);
		if (!device)
			return false;
		*device = ask_identity(name, &now) ? now : older->device[i];
		memset(device->figure, 0, sizeof device->figure); /* keep_pairs brings what is to be kept */
	}
	return true;
}

static bool keep_pairs(const char *path, struct het__calibration *fresh, const struct het__calibration *older)
{
	char count[32];
	int left_out;

	if (!het__calibration_keep_others(fresh, older, &left_out))
		return false;
	snprintf(count, sizeof count, "%d", left_out);
	if (left_out > 0)
		say(path, "has no room any more for all pairs that it had; left out: ", count);
	het__calibration_keep_user(fresh, older);
	return true;
}

/* Reads the file that is there; where there is none in the user's own place, the installed file. */
static bool read_older(const char *path, bool own, struct het__calibration *older,
		       struct het__cal_refusal *refusal)
{
	char installed[PATH_MAX];

	if (het__calibration_read(path, older, refusal))
		return true;
	if (!own || refusal->reason != HET__CAL_MISSING)
		return false;
	het__setup_installed_calibration(installed);
	if (het__calibration_read(installed, older, refusal))
		return true;
	if (refusal->reason != HET__CAL_NO_MEMORY)
		refusal->reason = HET__CAL_MISSING; /* it is not the user's, and stays */
	return false;
}

/* A file is not put aside because there is no memory to read it: it may be good. */
bool place_keep(const char *path, bool own, struct het__calibration *fresh)
{
	struct het__calibration older = {.format = 0};
	struct het__cal_refusal refusal;
	bool good;

	if (!read_older(path, own, &older, &refusal)) {
		if (refusal.reason == HET__CAL_NO_MEMORY)
			return say(path, "stays as it is, for what is kept cannot be read: ", refusal.text);
		return refusal.reason == HET__CAL_MISSING || put_aside(path, refusal.text);
	}
	good = keep_devices(path, fresh, &older) && keep_pairs(path, fresh, &older);
	het__calibration_free(&older);
	return good || say(path, "cannot be kept: ", "no memory");
}

/* ---- what is written --------------------------------------------------------------------------- */

bool place_write(const char *path, const struct het__calibration *calibration)
{
	struct het__cal_refusal refusal;
	bool good;
	int code;

	place_hold();
	good = het__calibration_write(path, calibration, &refusal);
	code = errno;
	place_release();
	if (good)
		return true;
	if (refusal.reason == HET__CAL_NONE)
		return say(path, "cannot be written: ", strerror(code));
	return say(path, "stays as it is, for the new one could not be read: ", refusal.text);
}
