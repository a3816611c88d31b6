/* stray.c - see stray.h. */
#include "base/stray.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/env.h"

static bool begins_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static bool same_letter(char a, char b)
{
	return toupper((unsigned char)a) == toupper((unsigned char)b);
}

/* Whether two words are equal but for one slip of the keyboard: a letter that is missing, too many or wrong, or
 * two neighbours exchanged. What is left between their common beginning and end tells. */
static bool is_near(const char *a, size_t a_left, const char *b)
{
	size_t b_left = strlen(b);

	while (a_left > 0 && b_left > 0 && same_letter(*a, *b))
		a++, b++, a_left--, b_left--;
	while (a_left > 0 && b_left > 0 && same_letter(a[a_left - 1], b[b_left - 1]))
		a_left--, b_left--;
	if (a_left <= 1 && b_left <= 1)
		return true;
	return a_left == 2 && b_left == 2 && same_letter(a[0], b[1]) && same_letter(a[1], b[0]);
}

static void look_at(struct het__logger *logger, const char *name, size_t length)
{
#define NAME_OF(name_, values, meaning) #name_,
	static const char *const known[] = {HET__ENV_TABLE(NAME_OF)};
#undef NAME_OF
	const char *near = NULL;

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
		if (strlen(known[i]) == length && memcmp(name, known[i], length) == 0)
			return;
		if (!near && is_near(name, length, known[i]))
			near = known[i];
	}
	het__log(logger, HET_LOG_WARN, "system", "%.*s is set in the environment and has no meaning%s%s%s",
		 (int)length, name, near ? ": did you mean " : "", near ? near : "", near ? "?" : "");
}

/* As in het__env: a program with other privileges than its caller's does not look, and empty variables do not
 * count. */
void het__env_warn_of_strays(struct het__logger *logger)
{
	if (getauxval(AT_SECURE))
		return;
	for (char **entry = environ; entry && *entry; entry++) {
		const size_t length = strcspn(*entry, "=");

		if (begins_with(*entry, "HETERO_") && !begins_with(*entry, "HETERO_TEST_") &&
		    !begins_with(*entry, "HETERO_FAKE_") && (*entry)[length] && (*entry)[length + 1])
			look_at(logger, *entry, length);
	}
}
