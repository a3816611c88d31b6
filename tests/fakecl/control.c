/* control.c - commands by which tests direct the driver: at run time, or from the environment. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

#define WRONG (-1)

/* ---- names -------------------------------------------------------------------------------------- */

static int find(const char *name, const char *const *names, int count)
{
	for (int i = 0; i < count; i++)
		if (strcmp(name, names[i]) == 0)
			return i;
	return -1;
}

static int run_named(const char *name)
{
	return find(name, fake_run_names, RUN_KINDS);
}

static int call_named(const char *name)
{
	return find(name, fake_call_names, FAKE_CALL_COUNT);
}

static cl_device_id device_numbered(int number)
{
	for (int p = 0; p < fake.platform_count; p++)
		for (int d = 0; d < fake.platforms[p]->device_count; d++)
			if (fake.platforms[p]->devices[d]->index == number)
				return fake.platforms[p]->devices[d];
	return NULL;
}

/* ---- commands: each gets what stands after its word --------------------------------------------- */

static long set_order(const char *text)
{
	unsigned long long seed = 1;

	if (strcmp(text, "fifo") == 0)
		fake.order = ORDER_FIFO;
	else if (strcmp(text, "late") == 0)
		fake.order = ORDER_LATE;
	else if (strcmp(text, "random") == 0 || sscanf(text, "random %llu", &seed) == 1) {
		fake.order = ORDER_RANDOM;
		fake.random = seed;
	} else
		return WRONG;
	return 0;
}

static long set_polls(const char *text)
{
	return sscanf(text, "%u", &fake.polls) == 1 ? 0 : WRONG;
}

static long set_patience(const char *text)
{
	return sscanf(text, "%ld", &fake.patience_ms) == 1 ? 0 : WRONG;
}

static long set_latency(const char *text)
{
	char kind[32];
	long us;

	if (sscanf(text, "%31s %ld", kind, &us) != 2 || us < 0 || run_named(kind) < 0)
		return WRONG;
	fake.latency_us[run_named(kind)] = us;
	return 0;
}

static long set_cost(const char *text)
{
	char kind[32];
	long us;

	if (sscanf(text, "%31s %ld", kind, &us) != 2 || us < 0 ||
	    (run_named(kind) != RUN_READ && run_named(kind) != RUN_WRITE && run_named(kind) != RUN_COPY))
		return WRONG;
	fake.mib_us[run_named(kind)] = us;
	return 0;
}

static long set_corrupt(const char *text)
{
	char kind[32];
	size_t bytes;

	if (sscanf(text, "%31s %zu", kind, &bytes) != 2 || run_named(kind) < 0)
		return WRONG;
	fake.corrupt_from[run_named(kind)] = bytes;
	return 0;
}

static long set_delay(const char *text)
{
	unsigned long long seed;
	long us;

	if (sscanf(text, "%ld %llu", &us, &seed) != 2 || us < 0)
		return WRONG;
	fake.delay_us = us;
	fake.delay_random = seed;
	return 0;
}

static long set_clock(const char *text)
{
	long ms;

	if (sscanf(text, "%ld", &ms) != 1 || ms < 0)
		return WRONG;
	fake.ahead_ns = (cl_ulong)ms * 1000000u;
	return 0;
}

static long add_fault(const char *text)
{
	struct fault fault = {.next = NULL}, **list;
	char name[64];

	if (sscanf(text, "%63s %ld %d", name, &fault.left, &fault.code) != 3 || fault.left < 1 ||
	    fault.code >= 0)
		return WRONG;
	if (call_named(name) >= 0)
		list = &fake.call_faults[call_named(name)];
	else if (run_named(name) >= 0)
		list = &fake.run_faults[run_named(name)];
	else
		return WRONG;
	fault.next = *list;
	*list = fake_alloc(sizeof fault);
	**list = fault;
	return 0;
}

static long stop_device(const char *text)
{
	cl_device_id device;
	int number;
	long k;

	if (sscanf(text, "%d %ld", &number, &k) != 2 || k < 1)
		return WRONG;
	device = device_numbered(number);
	if (!device)
		return WRONG;
	device->stop_after = device->executed + k - 1;
	pthread_cond_broadcast(&fake.changed); /* it may have stopped before, and goes on up to there */
	fake_kick();
	return 0;
}

static void resume(cl_device_id device)
{
	device->stop_after = -1;
	pthread_cond_broadcast(&fake.changed);
}

static long go_device(const char *text)
{
	cl_device_id const device = device_numbered(atoi(text));

	if (!device)
		return WRONG;
	resume(device);
	fake_kick();
	return 0;
}

static long ask_stopped(const char *text)
{
	cl_device_id const device = device_numbered(atoi(text));

	return device ? fake_has_stopped(device) : WRONG;
}

static long set_successors(const char *text)
{
	fake.fail_successors = strcmp(text, "fail") == 0;
	fake.contexts_die = strcmp(text, "die") == 0;
	return fake.fail_successors || fake.contexts_die || strcmp(text, "run") == 0 ? 0 : WRONG;
}

static long set_violations(const char *text)
{
	fake.count_violations = strcmp(text, "count") == 0;
	return fake.count_violations || strcmp(text, "abort") == 0 ? 0 : WRONG;
}

static void drop_faults(struct fault **list)
{
	while (*list) {
		struct fault *const fault = *list;

		*list = fault->next;
		free(fault);
	}
}

static long forget(const char *text)
{
	(void)text;
	for (int call = 0; call < FAKE_CALL_COUNT; call++)
		drop_faults(&fake.call_faults[call]);
	for (int run = 0; run < RUN_KINDS; run++)
		drop_faults(&fake.run_faults[run]);
	for (int d = 0; d < fake.device_count; d++)
		resume(device_numbered(d));
	fake_kick();
	return 0;
}

static long get_pending(const char *text)
{
	long pending = 0;

	(void)text;
	for (int call = 0; call < FAKE_CALL_COUNT; call++)
		pending += fake.call_faults[call] != NULL;
	for (int run = 0; run < RUN_KINDS; run++)
		pending += fake.run_faults[run] != NULL;
	return pending;
}

static long get_count(const char *text)
{
	if (strcmp(text, "violations") == 0)
		return fake.violations;
	if (run_named(text) >= 0)
		return fake.runs[run_named(text)];
	return call_named(text) >= 0 ? fake.calls[call_named(text)] : WRONG;
}

static long get_alive(const char *text)
{
	const int kind = find(text, fake_kind_names, KINDS);
	long all = 0;

	if (kind >= 0)
		return fake.alive[kind];
	for (int k = CONTEXT; k < KINDS; k++)
		all += fake.alive[k];
	return strcmp(text, "all") == 0 ? all : WRONG;
}

static long get_used(const char *text)
{
	const int memory = atoi(text);

	return memory >= 0 && memory < fake.memory_count ? (long)fake.memories[memory].used_bytes : WRONG;
}

static const struct {
	const char *word;
	long (*carry_out)(const char *text);
	const char *variable; /* of the environment: the same, with ':' between and ',' for another */
} commands[] = {
	{"order", set_order, "FAKECL_ORDER"},
	{"polls", set_polls, "FAKECL_POLLS"},
	{"patience", set_patience, "FAKECL_PATIENCE"},
	{"latency", set_latency, "FAKECL_LATENCY"},
	{"cost", set_cost, "FAKECL_COST"},
	{"corrupt", set_corrupt, "FAKECL_CORRUPT"},
	{"delay", set_delay, "FAKECL_DELAY"},
	{"clock", set_clock, "FAKECL_CLOCK"},
	{"fail", add_fault, "FAKECL_FAIL"},
	{"stop", stop_device, "FAKECL_STOP"},
	{"go", go_device, NULL},
	{"stopped", ask_stopped, NULL},
	{"successors", set_successors, "FAKECL_SUCCESSORS"},
	{"violations", set_violations, "FAKECL_VIOLATIONS"},
	{"forget", forget, NULL},
	{"pending", get_pending, NULL},
	{"count", get_count, NULL},
	{"alive", get_alive, NULL},
	{"used", get_used, NULL},
};
#define COMMANDS (sizeof commands / sizeof commands[0])

long fakecl_control(const char *command)
{
	const size_t length = strcspn(command, " ");
	long result = WRONG;

	pthread_mutex_lock(&fake.lock);
	for (size_t i = 0; i < COMMANDS; i++)
		if (strlen(commands[i].word) == length && strncmp(command, commands[i].word, length) == 0)
			result = commands[i].carry_out(command + length + (command[length] == ' '));
	pthread_mutex_unlock(&fake.lock);
	if (result == WRONG)
		fprintf(stderr, "fakecl: command not understood: %s\n", command);
	return result;
}

/* ---- the environment ---------------------------------------------------------------------------- */

static void read_variable(size_t i, char *value)
{
	for (char *one = strtok(value, ","); one; one = strtok(NULL, ",")) {
		for (char *colon = strchr(one, ':'); colon; colon = strchr(colon, ':'))
			*colon = ' ';
		if (commands[i].carry_out(one) == WRONG) {
			fprintf(stderr, "fakecl: %s: not understood: %s\n", commands[i].variable, one);
			abort();
		}
	}
}

void fake_read_environment(void)
{
	for (size_t i = 0; i < COMMANDS; i++) {
		const char *const value = commands[i].variable ? getenv(commands[i].variable) : NULL;

		if (value && *value) {
			char *const copy = fake_strdup(value);

			read_variable(i, copy);
			free(copy);
		}
	}
}
