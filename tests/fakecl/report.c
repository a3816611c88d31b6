/* report.c - violations, and what is counted and still alive at the end. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

const char *const fake_kind_names[KINDS] = {
	"cl_platform_id", "cl_device_id", "cl_context", "cl_command_queue",
	"cl_mem",         "cl_program",   "cl_kernel",  "cl_event",
};
const char *const fake_run_names[RUN_KINDS] = {
	"ndrange", "read", "write", "copy", "fill", "map", "unmap", "marker",
};

static __thread enum fake_call current;

enum fake_call fake_current_call(void)
{
	return current;
}

void fake_set_call(enum fake_call call)
{
	current = call;
}

void fake_violation(const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	fprintf(stderr, "fakecl: %s: %s\n", fake_call_names[current], text);
	fake.violations++;
	if (!fake.count_violations)
		abort();
}

void fake_report(void)
{
	fprintf(stderr, "fakecl: %ld violations\n", fake.violations);
	for (int call = 0; call < FAKE_CALL_COUNT; call++)
		if (fake.calls[call])
			fprintf(stderr, "fakecl: %8ld calls of %s\n", fake.calls[call], fake_call_names[call]);
	for (int run = 0; run < RUN_KINDS; run++)
		if (fake.runs[run])
			fprintf(stderr, "fakecl: %8ld executions of %s\n", fake.runs[run], fake_run_names[run]);
	fprintf(stderr, "fakecl: %8ld parts of devices made, %ld not released\n",
		fake.made[DEVICE] - fake.device_count, fake.alive[DEVICE] - fake.device_count);
	for (int kind = CONTEXT; kind < KINDS; kind++)
		fprintf(stderr, "fakecl: %8ld %s made, %ld not released\n", fake.made[kind],
			fake_kind_names[kind], fake.alive[kind]);
}

void *fake_alloc(size_t bytes)
{
	void *const memory = calloc(1, bytes ? bytes : 1);

	if (!memory) {
		fprintf(stderr, "fakecl: no memory\n");
		abort();
	}
	return memory;
}

char *fake_strdup(const char *text)
{
	return strcpy(fake_alloc(strlen(text) + 1), text);
}
