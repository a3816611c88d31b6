/* status.c - the texts of the status codes, and the version. */
#include <hetero/status.h>

#define TEXT_OF(number) #number
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *het_version(void)
{
	return VERSION_TEXT(HET_VERSION_MAJOR, HET_VERSION_MINOR, HET_VERSION_PATCH);
}

/* An int, because a caller may well hold a number that is no het_status. */
static const char *text_of(int status)
{
	switch (status) {
#define STATUS_CASE(code, value, text) \
	case value:                    \
		return text;
		HET_STATUS_TABLE(STATUS_CASE)
#undef STATUS_CASE
	default:
		return "unknown status";
	}
}

const char *het_status_string(het_status status)
{
	return text_of((int)status);
}
