/* splice.c - joins the lines of a program text that end in a backslash. */

#include "sloc/splice.h"

#include <stdlib.h>
#include <string.h>

/* How long the backslash and the end of a line are that begin here; 0 when they do not. Compilers allow blanks
 * between them, the CR of a CRLF among them. */
static size_t joint_length(const char *at)
{
	size_t length = 1;

	if (*at != '\\')
		return 0;
	length += strspn(at + 1, " \t\v\f\r");
	return at[length] == '\n' ? length + 1 : 0;
}

static size_t joints_in(const char *text)
{
	size_t joints = 0;

	for (; *text; text++)
		joints += joint_length(text) != 0;
	return joints;
}

int splice(struct spliced *spliced, const char *text)
{
	char *to = malloc(strlen(text) + 1);
	const char **joint = malloc((joints_in(text) + 1) * sizeof *joint);

	spliced->text = to;
	spliced->joints = joint;
	if (!to || !joint) {
		spliced_free(spliced);
		return -1;
	}
	while (*text) {
		const size_t length = joint_length(text);

		if (length)
			*joint++ = to;
		else
			*to++ = *text;
		text += length ? length : 1;
	}
	*joint = NULL;
	*to = '\0';
	return 0;
}

void spliced_free(struct spliced *spliced)
{
	free(spliced->text);
	free(spliced->joints);
}
