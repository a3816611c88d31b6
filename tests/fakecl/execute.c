/* execute.c - what commands do when their time has come. The lock is dropped around the long part. */
#include <stdlib.h>
#include <string.h>

#include "fake.h"

/* How long the command takes, beside what it does. */
static long time_of(const struct _cl_event *command)
{
	return fake.latency_us[command->run] + fake_random_delay();
}

static void pass(long us)
{
	pthread_mutex_unlock(&fake.lock);
	fake_let_pass(us);
	pthread_mutex_lock(&fake.lock);
}

/* ---- transfers ---------------------------------------------------------------------------------- */

static unsigned char *side_bytes(const struct side *side, const struct _cl_event *command)
{
	if (side->host)
		return side->host + side->offset;
	return fake_mem_bytes(side->mem, command->queue->device, command->run == RUN_COPY) + side->offset;
}

static void move(const struct transfer *t, unsigned char *to, const unsigned char *from)
{
	for (size_t z = 0; z < t->region[2]; z++)
		for (size_t y = 0; y < t->region[1]; y++)
			memmove(to + z * t->to.slice + y * t->to.row,
				from + z * t->from.slice + y * t->from.row, t->region[0]);
}

static size_t bytes_of(const struct _cl_event *command)
{
	const size_t *const region = command->work.transfer.region;

	return region[0] * region[1] * region[2];
}

static bool is_corrupted(const struct _cl_event *command)
{
	const size_t from = fake.corrupt_from[command->run];

	return from > 0 && bytes_of(command) >= from;
}

static long cost_of(const struct _cl_event *command)
{
	return (long)(bytes_of(command) * (size_t)fake.mib_us[command->run] >> 20);
}

static void note_copy(const struct _cl_event *command)
{
	cl_mem const root = command->run == RUN_COPY ? fake_mem_root(command->work.transfer.to.mem) : NULL;

	if (root && root->home == NOWHERE)
		root->copied_into = true;
}

static void transfer(cl_event command)
{
	const struct transfer *const t = &command->work.transfer;
	unsigned char *const to = side_bytes(&t->to, command);
	const unsigned char *const from = side_bytes(&t->from, command);
	const long us = time_of(command) + cost_of(command);
	const bool corrupt = is_corrupted(command);

	note_copy(command);
	pthread_mutex_unlock(&fake.lock);
	move(t, to, from);
	if (corrupt)
		to[t->region[0] / 2] ^= 1;
	fake_let_pass(us);
	pthread_mutex_lock(&fake.lock);
}

static void fill(cl_event command)
{
	const struct fill *const f = &command->work.fill;
	unsigned char *const to = fake_mem_bytes(f->mem, command->queue->device, false) + f->offset;
	const long us = time_of(command);

	pthread_mutex_unlock(&fake.lock);
	for (size_t at = 0; at < f->bytes; at += f->pattern_bytes)
		memcpy(to + at, f->pattern, f->pattern_bytes);
	fake_let_pass(us);
	pthread_mutex_lock(&fake.lock);
}

/* ---- maps --------------------------------------------------------------------------------------- */

static void map(cl_event command)
{
	struct mapping *const m = command->work.map.mapping;
	cl_mem const root = fake_mem_root(command->work.map.mem);
	const unsigned char *const bytes = fake_mem_bytes(root, command->queue->device, false) + m->offset;

	/* of a map to write what is not written over is lost; memory of its own is fresh, and so is poison */
	if (!(m->flags & CL_MAP_WRITE_INVALIDATE_REGION)) {
		if (bytes != m->at)
			fake_copy_changed(m->at, bytes, m->bytes);
	} else if (bytes == m->at) {
		fake_poison(m->at, m->bytes);
	}
	pass(time_of(command));
	m->mapped = true;
}

static void unmap(cl_event command)
{
	struct mapping *const m = command->work.map.mapping;
	cl_mem const root = fake_mem_root(command->work.map.mem);
	unsigned char *const bytes = fake_mem_bytes(root, command->queue->device, false) + m->offset;

	if (m->pending) {
		fake_violation("cl_mem #%lu is unmapped by a command that does not wait for its map",
			       root->object.number);
		return;
	}
	m->mapped = false;
	if (bytes != m->at && fake_maps_to_write(m->flags))
		fake_copy_changed(bytes, m->at, m->bytes);
	pass(time_of(command));
}

/* Of an unmap that came too early the mapping stays: its map is still to come. */
static void clear_unmap(cl_mem root, struct mapping *m)
{
	struct mapping **link = &root->mappings;

	if (m->pending)
		return;
	while (*link != m)
		link = &(*link)->next;
	*link = m->next;
	if (m->owned)
		fake_fresh_free(m->at, m->bytes, m->shares);
	free(m);
}

/* ---- kernels ------------------------------------------------------------------------------------ */

/* Where a kernel's wrapper finds each argument: a value, or a place that holds a pointer. */
struct values {
	void **at, **pointer;
	void *scratch; /* all local memory */
	size_t scratch_bytes;
};

#define ALIGN_UP(bytes) (((bytes) + 127) / 128 * 128)

static struct values values_new(const struct launch *l, int count)
{
	struct values v = {.at = fake_alloc((size_t)count * sizeof(void *)),
			   .pointer = fake_alloc((size_t)count * sizeof(void *))};

	for (int i = 0; i < count; i++)
		if (l->args[i].what == ARG_LOCAL)
			v.scratch_bytes += ALIGN_UP(l->args[i].bytes);
	if (v.scratch_bytes) {
		v.scratch = aligned_alloc(128, v.scratch_bytes);
		if (!v.scratch)
			abort();
		memset(v.scratch, POISON, v.scratch_bytes);
	}
	return v;
}

static void values_free(struct values *v)
{
	free(v->scratch);
	free(v->pointer);
	free(v->at);
}

static void check_alignment(const struct kernel_info *info, int i, const void *pointer)
{
	const size_t align = info->params[i].bytes;

	if (align && (uintptr_t)pointer % align)
		fake_violation("kernel '%s', argument %d: a pointer to '%s' that is not aligned to %zu bytes",
			       info->name, i + 1, info->params[i].type, align);
}

static void find_values(const struct launch *l, const struct kernel_info *info, cl_device_id device,
			struct values *v)
{
	unsigned char *scratch = v->scratch;

	for (int i = 0; i < info->param_count; i++) {
		const struct arg *const arg = &l->args[i];

		v->at[i] = arg->what == ARG_VALUE ? (void *)arg->value : &v->pointer[i];
		if (arg->what == ARG_MEM && arg->mem) {
			v->pointer[i] = fake_mem_bytes(arg->mem, device, false);
			check_alignment(info, i, v->pointer[i]);
		} else if (arg->what == ARG_LOCAL) {
			v->pointer[i] = scratch;
			scratch += ALIGN_UP(arg->bytes);
		}
	}
}

/* Kernels of one build run one at a time, for their local variables are static. */
static void launch(cl_event command)
{
	const struct launch *const l = &command->work.launch;
	struct build *build;
	const struct kernel_info *const info = fake_kernel_on(l->kernel, command->queue->device, &build);
	struct values v = values_new(l, info->param_count);
	const long us = time_of(command);

	find_values(l, info, command->queue->device, &v);
	pthread_mutex_unlock(&fake.lock);
	pthread_mutex_lock(&build->turn);
	fake_device_run(&l->range, build->barriers, info->call, v.at);
	pthread_mutex_unlock(&build->turn);
	fake_let_pass(us);
	pthread_mutex_lock(&fake.lock);
	values_free(&v);
}

/* ---- any command -------------------------------------------------------------------------------- */

cl_int fake_execute(cl_event command)
{
	fake_check_mapped(command);
	switch (command->run) {
	case RUN_NDRANGE:
		launch(command);
		break;
	case RUN_FILL:
		fill(command);
		break;
	case RUN_MAP:
		map(command);
		break;
	case RUN_UNMAP:
		unmap(command);
		break;
	case RUN_MARKER:
		pass(time_of(command));
		break;
	default:
		transfer(command);
	}
	return CL_COMPLETE;
}

static void clear_launch(struct launch *l)
{
	for (int i = 0; i < l->kernel->param_count; i++) {
		if (l->args[i].mem)
			fake_unhold(l->args[i].mem);
		free(l->args[i].value);
	}
	free(l->args);
	fake_unhold(l->kernel);
}

/* Gives back what the command held, whether or not it ran. */
void fake_command_clear(cl_event command)
{
	switch (command->run) {
	case RUN_NDRANGE:
		clear_launch(&command->work.launch);
		break;
	case RUN_FILL:
		fake_unhold(command->work.fill.mem);
		break;
	case RUN_UNMAP:
		clear_unmap(fake_mem_root(command->work.map.mem), command->work.map.mapping);
		fake_unhold(command->work.map.mem);
		break;
	case RUN_MAP:
		command->work.map.mapping->pending = false;
		fake_unhold(command->work.map.mem);
		break;
	case RUN_MARKER:
		break;
	default:
		fake_unhold(command->work.transfer.from.mem);
		fake_unhold(command->work.transfer.to.mem);
	}
}
