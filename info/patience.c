/* patience.c - see patience.h. */
#include "patience.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned patience_s;
static char last_words[600]; /* ready when they are needed: little may be done in a signal's handler */

static void give_up(int signal)
{
	const ssize_t done = write(STDERR_FILENO, last_words, strlen(last_words));

	(void)signal;
	(void)done;
	_exit(EXIT_FAILURE);
}

void patience_set(unsigned seconds)
{
	patience_s = seconds;
	signal(SIGALRM, give_up);
}

void patience_for(const char *what)
{
	alarm(0);
	if (!what || patience_s == 0)
		return;
	snprintf(last_words, sizeof last_words,
		 "hetero-info: no answer within %u s (--patience): %.300s\n"
		 "HETERO_DEVICES, or --devices, with the names of the others leaves a device out.\n",
		 patience_s, what);
	alarm(patience_s);
}
