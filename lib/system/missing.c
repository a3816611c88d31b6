/* missing.c - why there is no device: the chain from loader to hardware, link by link. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "system/discover.h"

#define PATH_BYTES 1024
#define VENDORS    "/etc/OpenCL/vendors"

/* Who is told of every link that was looked at. */
struct report {
	het__tell_link *tell;
	void *user;
};

static void say(const struct report *report, enum het__link state, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void say(const struct report *report, enum het__link state, const char *format, ...)
{
	char text[HET__LINK_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	report->tell(report->user, state, text);
}

/* ---- vendor files and libraries ---------------------------------------------------------------- */

/* Loads a vendor library as the loader would have done, says what is wrong with it, and lets it go again; if it
 * is in use, it stays loaded. */
static void try_library(const struct report *report, const char *where, const char *library)
{
	void *const handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);

	if (!handle) {
		const char *const why = dlerror();
		say(report, HET__LINK_BROKEN, "%s: library '%s' cannot be loaded: %s", where, library,
		    why ? why : "unknown");
		return;
	}
	if (!dlsym(handle, "clIcdGetPlatformIDsKHR") && !dlsym(handle, "clGetExtensionFunctionAddress"))
		say(report, HET__LINK_BROKEN, "%s: library '%s' is no OpenCL driver", where, library);
	else
		say(report, HET__LINK_GOOD, "%s: library '%s' can be loaded", where, library);
	dlclose(handle);
}

/* An .icd file holds the name of a library in its first line. */
static void try_vendor_file(const struct report *report, const char *path)
{
	char library[PATH_BYTES] = "";
	FILE *const file = fopen(path, "re");

	if (!file) {
		say(report, HET__LINK_BROKEN, "%s: cannot be read: %s", path, strerror(errno));
		return;
	}
	if (!fgets(library, sizeof library, file))
		library[0] = '\0';
	fclose(file);
	library[strcspn(library, "\r\n")] = '\0';
	if (library[0])
		try_library(report, path, library);
	else
		say(report, HET__LINK_BROKEN, "%s: names no library", path);
}

static int is_vendor_file(const struct dirent *entry)
{
	const size_t length = strlen(entry->d_name);

	return length > 4 && strcmp(entry->d_name + length - 4, ".icd") == 0;
}

static void try_vendor_folder(const struct report *report, const char *folder)
{
	struct dirent **files = NULL;
	const int count = scandir(folder, &files, is_vendor_file, alphasort);

	if (count < 0) {
		say(report, HET__LINK_BROKEN, "vendor folder %s cannot be read: %s", folder, strerror(errno));
		return;
	}
	if (count == 0)
		say(report, HET__LINK_BROKEN,
		    "vendor folder %s holds no .icd file: is an OpenCL driver installed?", folder);
	for (int i = 0; i < count; i++) {
		char path[PATH_BYTES];
		snprintf(path, sizeof path, "%s/%s", folder, files[i]->d_name);
		try_vendor_file(report, path);
		free(files[i]);
	}
	free(files);
}

static bool is_folder(const char *path)
{
	struct stat facts;

	return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

/* Looks where the loader did: OCL_ICD_VENDORS may name a folder, one vendor file or one library. */
static void try_vendors(const struct report *report)
{
	const char *const own = secure_getenv("OCL_ICD_VENDORS");
	const char *const other = secure_getenv("OPENCL_VENDOR_PATH");
	const size_t length = own ? strlen(own) : 0;

	if (length > 0) {
		say(report, HET__LINK_GOOD, "OCL_ICD_VENDORS is %s", own);
		if (is_folder(own))
			try_vendor_folder(report, own);
		else if (length > 4 && strcmp(own + length - 4, ".icd") == 0)
			try_vendor_file(report, own);
		else if (own[length - 1] == '/')
			try_vendor_folder(report, own);
		else
			try_library(report, "OCL_ICD_VENDORS", own);
		return;
	}
	if (other && *other)
		say(report, HET__LINK_GOOD, "OPENCL_VENDOR_PATH is %s", other);
	try_vendor_folder(report, other && *other ? other : VENDORS);
}

/* ---- platforms and device files ---------------------------------------------------------------- */

static const char *hint(const struct het__found_platform *platform)
{
	if (strcmp(platform->driver->short_name, "rusticl") == 0)
		return " (RUSTICL_ENABLE names the Mesa drivers it may use, such as llvmpipe or radeonsi)";
	if (strcmp(platform->driver->short_name, "pocl") == 0)
		return " (PoCL needs a folder that it can write to: POCL_CACHE_DIR, or .cache in the home "
		       "folder; POCL_DEVICES, if it is set, names its devices, such as pthread)";
	return "";
}

void het__platform_trouble(const struct het__found_platform *platform, char text[HET__LINK_BYTES])
{
	if (platform->trouble)
		snprintf(text, HET__LINK_BYTES, "platform '%s': %s", platform->name, platform->trouble);
	else
		snprintf(text, HET__LINK_BYTES, "platform '%s' offers no device%s", platform->name,
			 hint(platform));
}

static void tell_platform(const struct report *report, const struct het__found *found, int index)
{
	const struct het__found_platform *const platform = &found->platforms[index];
	char text[HET__LINK_BYTES];
	bool any = false;

	for (int i = 0; i < found->device_count; i++) {
		const struct het__found_device *const device = &found->devices[i];
		if (device->platform != index)
			continue;
		any = true;
		if (!device->usable)
			say(report, HET__LINK_BROKEN, "platform '%s': device '%s' %s", platform->name,
			    device->hardware,
			    device->facts.available ? "has no compiler" : "is not available");
	}
	if (platform->trouble || !any) {
		het__platform_trouble(platform, text);
		say(report, platform->trouble ? HET__LINK_BROKEN : HET__LINK_EMPTY, "%s", text);
	}
}

/* Device files that are there and closed to this user: the commonest reason of a missing GPU. */
static void try_device_files(const struct report *report)
{
	static const char *const patterns[] = {"/dev/nvidia[0-9]*", "/dev/nvidiactl", "/dev/nvidia-uvm",
	                                       "/dev/dri/renderD*", "/dev/kfd"};
	glob_t files;

	for (size_t p = 0; p < sizeof patterns / sizeof patterns[0]; p++) {
		if (glob(patterns[p], 0, NULL, &files) != 0)
			continue;
		for (size_t i = 0; i < files.gl_pathc; i++)
			if (access(files.gl_pathv[i], R_OK | W_OK) != 0)
				say(report, HET__LINK_BROKEN, "%s cannot be opened: %s (groups render, video?)",
				    files.gl_pathv[i], strerror(errno));
		globfree(&files);
	}
}

void het__look_at_chain(const struct het__found *found, het__tell_link *tell, void *user)
{
	const struct report report = {tell, user};

	for (int i = 0; i < found->platform_count; i++)
		tell_platform(&report, found, i);
	try_vendors(&report);
	try_device_files(&report);
}

/* ---- no device --------------------------------------------------------------------------------- */

/* One line per link. What does not fit is left out. */
struct lines {
	char text[3500];
	size_t used;
};

static void add_line(void *user, enum het__link state, const char *text)
{
	struct lines *const lines = user;
	const size_t room = sizeof lines->text - lines->used;
	const int length = snprintf(lines->text + lines->used, room, "\n  %s", text);

	(void)state;
	if (length > 0)
		lines->used += (size_t)length < room ? (size_t)length : room - 1;
}

het_status het__no_device(const struct het__found *found)
{
	struct lines lines = {.used = 0};

	het__look_at_chain(found, add_line, &lines);
	return het__fail(HET_ERR_NO_DEVICE, "no usable OpenCL device%s%s",
			 found->platform_count == 0 ? ": the loader is there but finds no driver" : "",
			 lines.text);
}
