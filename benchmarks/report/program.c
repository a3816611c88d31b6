/* program.c - running a program, which may print JSON. */

#include "report/program.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the child: what it prints goes to `out`. execv changes nothing, though its parameter is not const. */
static void become(const char *const *arguments, int out)
{
	union {
		const char *const *read_only;
		char *const *as_execv_wants;
	} list = {arguments};

	if (out != STDOUT_FILENO) {
		dup2(out, STDOUT_FILENO);
		close(out);
	}
	execv(arguments[0], list.as_execv_wants);
	fprintf(stderr, "report: cannot run %s\n", arguments[0]);
	_exit(127);
}

static json_t *read_all(int end)
{
	FILE *const pipe_end = fdopen(end, "r");
	json_t *const said = pipe_end ? json_loadf(pipe_end, JSON_DISABLE_EOF_CHECK, NULL) : NULL;
	char rest[4096];

	while (pipe_end && fread(rest, 1, sizeof rest, pipe_end) > 0)
		continue;
	if (pipe_end)
		fclose(pipe_end);
	return said;
}

static int status_of(pid_t pid)
{
	int ended;

	if (pid <= 0 || waitpid(pid, &ended, 0) != pid)
		return 128;
	return WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
}

json_t *program_json(const char *const *arguments, int *status)
{
	json_t *said;
	int ends[2];
	pid_t pid;

	*status = 128;
	if (pipe(ends))
		return NULL;
	pid = fork();
	if (pid == 0) {
		close(ends[0]);
		become(arguments, ends[1]);
	}
	close(ends[1]);
	said = read_all(ends[0]);
	*status = status_of(pid);
	return said;
}

int program_quietly(const char *const *arguments)
{
	const pid_t pid = fork();

	if (pid == 0)
		become(arguments, open("/dev/null", O_WRONLY));
	return status_of(pid);
}
