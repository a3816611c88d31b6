/* platforms.c - a vendors folder made for the occasion. */
#include "platforms.h"

#include <hetero.h>

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#define SYSTEM_VENDORS "/etc/OpenCL/vendors"
#define OCLGRIND       "/usr/lib/oclgrind/liboclgrind-rt-icd.so"

static char folder[PATH_MAX];
static pid_t owner; /* the tests' processes are children of it, and leave the folder alone */

static void die(const char *what)
{
	fprintf(stderr, "tests: %s: %s\n", what, strerror(errno));
	exit(EXIT_FAILURE);
}

static int remove_one(const char *path, const struct stat *facts, int kind, struct FTW *place)
{
	(void)facts;
	(void)kind;
	(void)place;
	return remove(path);
}

static void remove_folder(void)
{
	if (getpid() == owner)
		nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *het_test_folder(void)
{
	const char *const where = getenv("TMPDIR");

	if (owner)
		return folder;
	snprintf(folder, sizeof folder, "%s/hetero-test-XXXXXX", where && *where ? where : "/tmp");
	if (!mkdtemp(folder))
		die(folder);
	owner = getpid();
	atexit(remove_folder);
	return folder;
}

static void compose(char path[PATH_MAX], const char *parent, const char *name)
{
	const int length = snprintf(path, PATH_MAX, "%s/%s", parent, name);

	if (length < 0 || length >= PATH_MAX) {
		errno = ENAMETOOLONG;
		die(name);
	}
}

static void make_folder(const char *path)
{
	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		die(path);
}

const char *het_test_subfolder(const char *name)
{
	static char path[PATH_MAX];

	compose(path, het_test_folder(), name);
	for (char *slash = strchr(path + strlen(folder) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		make_folder(path);
		*slash = '/';
	}
	make_folder(path);
	return path;
}

static void write_file(const char *path, const char *text)
{
	FILE *const file = fopen(path, "w");

	if (!file || fputs(text, file) < 0 || fclose(file) != 0)
		die(path);
}

const char *het_test_file(const char *name, const char *text)
{
	static char path[PATH_MAX];
	char parent[PATH_MAX];

	snprintf(parent, sizeof parent, "%s", name);
	if (strrchr(parent, '/')) {
		*strrchr(parent, '/') = '\0';
		het_test_subfolder(parent);
	}
	compose(path, het_test_folder(), name);
	write_file(path, text);
	return path;
}

/* ---- vendors ----------------------------------------------------------------------------------- */

static int is_vendor_file(const struct dirent *entry)
{
	const size_t length = strlen(entry->d_name);

	return length > 4 && strcmp(entry->d_name + length - 4, ".icd") == 0;
}

/* Copies one vendor file. Tells whether it names Oclgrind's library. */
static int copy_vendor(const char *from, const char *to, const char *name)
{
	char path[PATH_MAX], text[PATH_MAX] = "";
	FILE *file;

	compose(path, from, name);
	file = fopen(path, "r");
	if (!file)
		return 0;
	if (!fgets(text, sizeof text, file))
		text[0] = '\0';
	fclose(file);
	compose(path, to, name);
	write_file(path, text);
	return strstr(text, "oclgrind") != NULL;
}

static void fill_vendors(const char *from, const char *to)
{
	struct dirent **files = NULL;
	const int count = scandir(from, &files, is_vendor_file, alphasort);
	int has_oclgrind = 0;
	char path[PATH_MAX];

	for (int i = 0; i < count; i++) {
		has_oclgrind |= copy_vendor(from, to, files[i]->d_name);
		free(files[i]);
	}
	free(files);
	if (has_oclgrind || access(OCLGRIND, R_OK) != 0)
		return;
	compose(path, to, "oclgrind.icd");
	write_file(path, OCLGRIND "\n");
}

static int is_folder(const char *path)
{
	struct stat facts;

	return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

/* ---- the fake driver --------------------------------------------------------------------------- */

bool het_test_fake_driver(const char *machine)
{
	const char *const driver = getenv("HETERO_FAKE_DRIVER");
	const char *const machines = getenv("HETERO_FAKE_MACHINES");
	char path[PATH_MAX], text[PATH_MAX + 1];

	if (!driver || access(driver, R_OK) != 0) {
		fprintf(stderr, "tests: no fake driver: HETERO_FAKE_DRIVER must name libfakecl.so\n");
		return false;
	}
	if (strchr(machine, '/') || !machines)
		snprintf(path, sizeof path, "%s", machine);
	else if (snprintf(path, sizeof path, "%s/%s.machine", machines, machine) >= (int)sizeof path)
		die(machine);
	unsetenv("HETERO_DEVICES"); /* a wish about real ones */
	setenv("FAKECL_MACHINE", path, 1);
	snprintf(text, sizeof text, "%s\n", driver);
	(void)het_test_file("fake/fakecl.icd", text);
	setenv("OCL_ICD_VENDORS", het_test_subfolder("fake"), 1);
	return true;
}

/* ---- which devices ----------------------------------------------------------------------------- */

unsigned het_test_units(const char *platform)
{
	cl_platform_id platforms[16];
	cl_uint count = 0, units = 0;

	if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS)
		return 0;
	for (cl_uint p = 0; p < count && p < 16 && units == 0; p++) {
		char name[128] = "";
		cl_device_id device;

		clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, sizeof name, name, NULL);
		if (strncmp(name, platform, strlen(platform)) == 0 &&
		    clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS)
			clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
	}
	return units;
}

unsigned het_test_units_aside(const char *platform)
{
	const pid_t child = fork();
	int status = 0;

	if (child == 0) {
		const unsigned units = het_test_units(platform);

		_exit(units < 127 ? (int)units : 127);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
		die("a process that asks for devices");
	return (unsigned)WEXITSTATUS(status);
}

bool het_test_can_cut(void)
{
	return !getenv("HETERO_TEST_FAKE") && !getenv("HETERO_TEST_DRIVER") &&
	       het_test_units(HET_TEST_POCL) > 1;
}

bool het_test_is_there(const char *selection)
{
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system;
	const pid_t child = fork();
	int status = -1;

	options.devices = selection;
	if (child == 0) {
		const het_status st = het_open(&options, &system);

		_exit(st == HET_ERR_SELECTION || st == HET_ERR_NO_DEVICE ? EXIT_FAILURE : EXIT_SUCCESS);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		die("a process that looks for devices");
	/* Who crashes is to be seen to, and so is what valgrind finds. */
	return !WIFEXITED(status) || WEXITSTATUS(status) != EXIT_FAILURE;
}

void het_test_selection(char *selection, size_t bytes, const char *devices, const char *others)
{
	const char *driver = getenv("HETERO_TEST_DRIVER");

	if (!driver || !*driver)
		driver = "pocl";
	if (strlen(driver) + strlen(devices) + strlen(others) + 2 > bytes) {
		errno = ENAMETOOLONG;
		die(driver);
	}
	if (strchr(driver, ':'))
		sprintf(selection, "%s%s", driver, others);
	else
		sprintf(selection, "%s:%s%s", driver, devices, others);
}

/* ---- all of it --------------------------------------------------------------------------------- */

void het_test_platforms(void)
{
	const char *const fake = getenv("HETERO_TEST_FAKE");
	const char *const given = getenv("OCL_ICD_VENDORS");
	const char *vendors;

	setenv("HETERO_CACHE", het_test_subfolder("cache"), 1);
	if (fake && *fake) {
		if (!het_test_fake_driver(fake))
			exit(77);
		return;
	}
	setenv("RUSTICL_ENABLE", "llvmpipe", 0);
	if (given && *given && !is_folder(given))
		return; /* somebody wants one particular driver tested */
	vendors = het_test_subfolder("vendors");
	fill_vendors(given && *given ? given : SYSTEM_VENDORS, vendors);
	setenv("OCL_ICD_VENDORS", vendors, 1);
}
