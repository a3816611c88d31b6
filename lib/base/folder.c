/* folder.c - where the library keeps things between runs. */
#include "base/folder.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"

#define NAME_SAID 60 /* bytes of a name that is too long */

/* Variables of the user's desktop, not of the library: they are not in its table. Relative folders do not
 * count, as the XDG rules have it. */
static const char *absolute_folder(const char *variable)
{
	const char *const value = secure_getenv(variable);

	return value && value[0] == '/' ? value : NULL;
}

/* How long the whole name is, of which `path` has what fits; 0 or less: there is none. */
static int name_folder(char *path, size_t bytes)
{
	const char *const own = het__env("HETERO_CACHE");
	const char *const cache = absolute_folder("XDG_CACHE_HOME");
	const char *const home = absolute_folder("HOME");
	int length = -1;

	if (own)
		length = het__env_is_off(own) ? -1 : snprintf(path, bytes, "%s", own);
	else if (cache)
		length = snprintf(path, bytes, "%s/hetero", cache);
	else if (home)
		length = snprintf(path, bytes, "%s/.cache/hetero", home);
	return length;
}

/* Leaves so much of a name as a message can do with, by whole characters. */
static void shorten(char *path)
{
	size_t length = NAME_SAID;

	if (strlen(path) < NAME_SAID + sizeof "...")
		return;
	while (length > 0 && ((unsigned char)path[length] & 0xc0) == 0x80)
		length--;
	memcpy(path + length, "...", sizeof "...");
}

static bool make_one(const char *path)
{
	struct stat facts;

	if (mkdir(path, 0700) == 0)
		return true;
	if (errno != EEXIST || stat(path, &facts) != 0)
		return false;
	errno = ENOTDIR;
	return S_ISDIR(facts.st_mode);
}

/* Makes the folder and those above it; `path` is the same again afterwards. */
static bool make_folder(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		const bool there = make_one(path);
		*slash = '/';
		if (!there)
			return false;
	}
	return make_one(path);
}

int het__make_folder(char *path)
{
	return make_folder(path) ? 0 : -1;
}

const char *het__config_folder(char *path, size_t bytes)
{
	const char *const config = absolute_folder("XDG_CONFIG_HOME");
	const char *const home = absolute_folder("HOME");
	int length = -1;

	if (config)
		length = snprintf(path, bytes, "%s/hetero", config);
	else if (home)
		length = snprintf(path, bytes, "%s/.config/hetero", home);
	return length > 0 && (size_t)length < bytes ? path : NULL;
}

/* What is kept there runs: nobody else may have written it. */
static bool is_own(const char *path)
{
	struct stat facts;

	if (stat(path, &facts) != 0)
		return false;
	errno = EPERM;
	return !(facts.st_mode & S_IWOTH) && (facts.st_uid == geteuid() || facts.st_uid == 0);
}

const char *het__cache_trouble(int code)
{
	return code == EPERM ? "it is another user's, or everybody may write there" : strerror(code);
}

const char *het__cache_folder(char *path, size_t bytes)
{
	const int length = name_folder(path, bytes);

	if (length <= 0) {
		path[0] = '\0';
		return NULL;
	}
	if ((size_t)length >= bytes) {
		shorten(path);
		errno = ENAMETOOLONG;
		return NULL;
	}
	if (access(path, R_OK | X_OK) != 0 && !make_folder(path))
		return NULL;
	return access(path, R_OK | X_OK) == 0 && is_own(path) ? path : NULL;
}
