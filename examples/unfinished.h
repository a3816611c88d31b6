/* unfinished.h - files that could not be written to their end. */
#ifndef UNFINISHED_H
#define UNFINISHED_H

#include <stdio.h>
#include <sys/stat.h>

/** Takes such a file away. What is none, a device or a pipe that was to be written to, stays. */
static inline void remove_unfinished(const char *path)
{
	struct stat facts;

	if (!stat(path, &facts) && S_ISREG(facts.st_mode))
		remove(path);
}

#endif
