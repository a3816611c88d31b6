/* env.c - the one door to the environment. */
#include "base/env.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool in_table(const char *name)
{
#define NAME_OF(name_, values, meaning) #name_,
	static const char *const names[] = {HET__ENV_TABLE(NAME_OF)};
#undef NAME_OF

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* secure_getenv: a program that runs with its file's privileges must not be told by its caller where to
 * write files. */
const char *het__env(const char *name)
{
	const bool known = in_table(name);
	assert(known);

	const char *value = known ? secure_getenv(name) : NULL;
	return value && *value ? value : NULL;
}

bool het__env_is_off(const char *value)
{
	return value && strcasecmp(value, "off") == 0;
}

bool het__env_number(const char *name, int64_t unit, int64_t *value_p)
{
	const char *const text = het__env(name);
	char *end;
	long long number;

	if (!text)
		return true;
	errno = 0;
	number = strtoll(text, &end, 10);
	if (errno || end == text || *end || number < 0 || number > INT64_MAX / unit)
		return false;
	*value_p = number * unit;
	return true;
}

bool het__env_mib(const char *name, int64_t *bytes_p)
{
	return het__env_number(name, (int64_t)1 << 20, bytes_p);
}
