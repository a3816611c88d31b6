/* bench.c - see bench.h. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"

#define WORD 4
#define ROW_WORDS 256 /* as in the kernels; rows of 1 KiB, without gaps or as far apart again */
#define CHECKERS 4096 /* work-items that look at rows: so each loops little; some drivers cut loops at 65535 */

/* Both sides compute the same from the place and the repetition, row by row and without divisions, because
 * looking at what came takes longer than moving it. */
#define MIX(place, seed) (((uint32_t)(place)*2654435761u + (seed)) ^ ((uint32_t)(place) >> 15))

static const char text[] =
	"#define ROW 256\n"
	"#define MIX(place, seed) (((uint)(place) * 2654435761u + (seed)) ^ ((uint)(place) >> 15))\n"
	"kernel void make(global uint *x, uint pitch, uint seed)\n"
	"{\n"
	"	uint row = get_global_id(0);\n"
	"	for (uint column = 0; column < ROW; column++)\n"
	"		x[row * pitch + column] = MIX(row * ROW + column, seed);\n"
	"}\n"
	"kernel void check(global uint *wrong, global const uint *x, uint pitch, uint seed, uint first,\n"
	"                  uint count)\n"
	"{\n"
	"	uint found = 0;\n"
	"	for (uint row = first + get_global_id(0); row < first + count; row += get_global_size(0))\n"
	"		for (uint column = 0; column < ROW; column++)\n"
	"			found += x[row * pitch + column] != MIX(row * ROW + column, seed);\n"
	"	wrong[get_global_id(0)] = found;\n"
	"}\n";

/* ---- memories ---------------------------------------------------------------------------------- */

het_status memories_open(het_system *system, struct memories *memories)
{
	het_status status = HET_OK;

	memset(memories, 0, sizeof *memories);
	memories->system = system;
	system->packs = true;
	for (int d = 0; d < het_device_count(system) && !status; d++)
		status = het__device_open(het_device(system, d));
	if (!status)
		status = het_kernel_from_source(system, text, "make", NULL, &memories->make);
	if (!status)
		status = het_kernel_from_source(system, text, "check", NULL, &memories->check);
	if (status)
		return status;
	memories->at = calloc((size_t)system->memory_count, sizeof *memories->at);
	if (!memories->at)
		return het__fail(HET_ERR_MEMORY, "no memory for a list of memories");
	for (int i = 0; i < system->memory_count; i++)
		memories->at[memories->count++] = system->memories[i];
	return HET_OK;
}

void memories_free(struct memories *memories)
{
	free(memories->at);
}

/* ---- the array --------------------------------------------------------------------------------- */

/* The thread's last failure in few words: OpenCL's own where it was asked. */
static void note_why(struct bench *bench)
{
	const struct het_error error = het_error_last();

	bench->no_memory = error.status == HET_ERR_MEMORY || error.status == HET_ERR_DEVICE_MEMORY ||
			   error.cl_code == CL_MEM_OBJECT_ALLOCATION_FAILURE ||
			   error.cl_code == CL_OUT_OF_HOST_MEMORY;
	bench->may_pass = error.cl_code == CL_OUT_OF_RESOURCES;
	if (error.cl_call)
		snprintf(bench->why, sizeof bench->why, "%s%s%.64s returned %s (%d)", error.cl_call,
			 error.device ? " on " : "", error.device ? error.device : "",
			 het__cl_code_name(error.cl_code), error.cl_code);
	else
		snprintf(bench->why, sizeof bench->why, "%s", error.text);
}

uint64_t bench_memory_bytes(const het_device *device)
{
	return device->facts.memory_bytes ? device->facts.memory_bytes : ASSUMED_BYTES;
}

uint64_t bench_buffer_bytes(const het_device *device)
{
	const uint64_t told = device->facts.max_alloc_bytes;

	return told ? told : bench_memory_bytes(device) / 4;
}

bool bench_has_room(const struct het__memory *memory, size_t bytes)
{
	const het_device *const device = memory->owner;

	return !device || (2 * bytes <= bench_buffer_bytes(device) && 4 * bytes <= bench_memory_bytes(device));
}

het_status bench_open(const struct memories *memories, const struct het__memory *from,
		      const struct het__memory *to, bool strided, size_t bytes, void (*warn)(const char *what),
		      struct bench *bench)
{
	het_status status;

	*bench = (struct bench){.memories = memories,
				.from = from,
				.to = to,
				.bytes = bytes,
				.strided = strided,
				.warn = warn,
				.rows = (int64_t)(bytes / WORD) / ROW_WORDS,
				.pitch = strided ? 2 * ROW_WORDS : ROW_WORDS};
	bench->box = het_box(2, 0, bench->rows, 0, ROW_WORDS);
	status = het_array_new(memories->system, HET_UINT, het_shape(2, bench->rows, bench->pitch),
			       &bench->array);
	if (!status)
		status = het_array_new(memories->system, HET_UINT, het_shape(1, CHECKERS), &bench->found);
	if (status) {
		note_why(bench);
		bench_close(bench);
	}
	return status;
}

void bench_close(struct bench *bench)
{
	het_array_discard(bench->array);
	het_array_discard(bench->found);
	bench->array = bench->found = NULL;
}

/* ---- making and checking ----------------------------------------------------------------------- */

static void make_words(uint32_t *words, const struct bench *bench, uint32_t seed)
{
	for (int64_t row = 0; row < bench->rows; row++)
		for (int64_t column = 0; column < ROW_WORDS; column++)
			words[row * bench->pitch + column] = MIX(row * ROW_WORDS + column, seed);
}

static uint64_t wrong_words(const uint32_t *words, const struct bench *bench, uint32_t seed, int64_t first,
			    int64_t count)
{
	uint64_t wrong = 0;

	for (int64_t row = first; row < first + count; row++)
		for (int64_t column = 0; column < ROW_WORDS; column++)
			wrong += words[row * bench->pitch + column] != MIX(row * ROW_WORDS + column, seed);
	return wrong;
}

static het_status make(struct bench *bench, uint32_t seed)
{
	uint32_t *words;
	het_status status;

	if (bench->from->owner)
		return het_launch(bench->memories->make, bench->from->owner,
				  het_grid(1, bench->rows), HET_OUT_PART(bench->array, bench->box),
				  HET_VAL((cl_uint)bench->pitch), HET_VAL((cl_uint)seed));
	status = het_map_view(het_view(bench->array, bench->box), HET_WRITE, &words);
	if (status)
		return status;
	make_words(words, bench, seed);
	return het_unmap_view(het_view(bench->array, bench->box));
}

static het_status check_on_device(struct bench *bench, uint32_t seed, int64_t first, int64_t count,
				  uint64_t *wrong_p)
{
	const uint32_t *found;
	het_status status =
		het_launch(bench->memories->check, bench->to->owner, het_grid(1, CHECKERS),
			   HET_OUT(bench->found), HET_IN_PART(bench->array, bench->box),
			   HET_VAL((cl_uint)bench->pitch), HET_VAL((cl_uint)seed),
			   HET_VAL((cl_uint)first), HET_VAL((cl_uint)count));

	if (!status)
		status = het_map(bench->found, HET_READ, &found);
	if (status)
		return status;
	*wrong_p = 0;
	for (int i = 0; i < CHECKERS; i++)
		*wrong_p += found[i];
	return het_unmap(bench->found);
}

static het_status check(struct bench *bench, uint32_t seed, int stripe, uint64_t *wrong_p)
{
	const struct het_view view = het_view(bench->array, bench->box);
	const bool whole = !stripe || bench->rows < STRIPES;
	const int64_t count = whole ? bench->rows : bench->rows / STRIPES;
	const int64_t first = whole ? 0 : count * (stripe % STRIPES);
	const uint32_t *found;
	het_status status;

	if (bench->to->owner)
		return check_on_device(bench, seed, first, count, wrong_p);
	status = het_map_view(view, HET_READ, &found);
	if (status)
		return status;
	*wrong_p = wrong_words(found, bench, seed, first, count);
	return het_unmap_view(view);
}

/* ---- rounds ------------------------------------------------------------------------------------ */

void bench_order(int *order, int count, unsigned round)
{
	uint32_t random = round * 2654435761u + 1;

	for (int i = 0; i < count; i++) {
		int other;

		random = random * 1664525u + 1013904223u;
		other = (int)((random >> 16) % (uint32_t)(i + 1));
		order[i] = order[other];
		order[other] = i;
	}
}

/* ---- one repetition ---------------------------------------------------------------------------- */

/* Ends a step that came to this status: nothing is under way afterwards, and no failure is left that a later
 * step would be told of. A transfer that failed and that nobody needs yet loses no value, and so only
 * het_wait_all tells of it. The first failure is noted. */
static het_status settle(struct bench *bench, het_status status)
{
	het_system *const system = bench->memories->system;

	if (!status)
		status = het_wait_all(system);
	if (!status)
		return HET_OK;
	note_why(bench);
	while (het_wait_all(system) == HET_ERR_LOST)
		;
	return status;
}

/* The move alone is timed. */
static het_status move(struct bench *bench, const char *route, double *ns_p)
{
	het_system *const system = bench->memories->system;
	const char *const forced = system->route;
	const uint64_t began = het__host_ns();
	het_status status;

	system->route = route;
	status = het_prefetch(het_view(bench->array, bench->box), bench->to->owner);
	if (!status)
		status = het_wait(bench->array);
	*ns_p = het__ns_since(began);
	system->route = forced;
	return status;
}

static enum bench_end run_once(struct bench *bench, const char *route, int stripe, double *ns_p,
			       uint64_t *wrong_p)
{
	static uint32_t repetitions;
	const uint32_t seed = ++repetitions * 40503u;

	if (settle(bench, make(bench, seed)))
		return BENCH_BROKEN;
	if (settle(bench, move(bench, route, ns_p)))
		return bench->no_memory ? BENCH_BROKEN : BENCH_FAILED;
	return settle(bench, check(bench, seed, stripe, wrong_p)) ? BENCH_BROKEN : BENCH_DONE;
}

static void tell_passed(const struct bench *bench, const char *route, const char *why)
{
	char what[2 * HET__CAL_NAME_BYTES + sizeof bench->why + 120];

	snprintf(what, sizeof what,
		 "from %s to %s the route %s failed at %zu bytes, and not when tried again: %s",
		 het__memory_name(bench->from), het__memory_name(bench->to), route, bench->bytes, why);
	bench->warn(what);
}

/* Tries a route that failed for CL_OUT_OF_RESOURCES once more. If data cannot even be made or looked at then,
 * and memory is not what is lacking, the route is to blame all the same. */
enum bench_end bench_run(struct bench *bench, const char *route, int stripe, double *ns_p, uint64_t *wrong_p)
{
	const struct timespec moment = {0, 250000000};
	enum bench_end end = run_once(bench, route, stripe, ns_p, wrong_p);
	char why[sizeof bench->why];
	unsigned bit;

	if (end != BENCH_FAILED || !bench->may_pass || !bench->warn)
		return end;
	bit = 1u << het__cal_route_of(route);
	if (bench->tried_again & bit)
		return end;
	bench->tried_again |= bit;
	memcpy(why, bench->why, sizeof why);
	nanosleep(&moment, NULL);
	end = run_once(bench, route, stripe, ns_p, wrong_p);
	if (end == BENCH_DONE)
		tell_passed(bench, route, why);
	if (end != BENCH_BROKEN || bench->no_memory)
		return end;
	memcpy(bench->why, why, sizeof why);
	return BENCH_FAILED;
}
