/* mapped.c - what the host has mapped devices leave alone: nothing that is mapped to be written may be read by
 * a command, and nothing that is mapped may be written (undefined by OpenCL, whatever most drivers do). What a
 * kernel touches of its buffers nobody knows: of one all of which is mapped to be written it may be nothing. */
#include <stdlib.h>

#include "fake.h"

/* Bytes of a buffer that a command touches. */
struct touch {
	cl_mem mem;
	size_t offset, bytes;
	bool writes;
};

static bool overlap(const struct mapping *m, size_t offset, size_t bytes)
{
	return offset < m->offset + m->bytes && m->offset < offset + bytes;
}

static bool is_forbidden(const struct mapping *m, bool writes)
{
	return m->mapped && (writes || (m->flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)));
}

static void check(const struct touch *t, enum fake_run run)
{
	const size_t offset = t->mem->origin + t->offset;

	for (const struct mapping *m = fake_mem_root(t->mem)->mappings; m; m = m->next)
		if (is_forbidden(m, t->writes) && overlap(m, offset, t->bytes))
			fake_violation("a %s %s bytes of cl_mem #%lu that the host has mapped: %zu at %zu",
				       fake_run_names[run], t->writes ? "writes" : "reads",
				       fake_mem_root(t->mem)->object.number, m->bytes, m->offset);
}

/* Row by row: what lies between rows is not touched. */
static void check_side(const struct side *side, const size_t region[3], bool writes, enum fake_run run)
{
	struct touch t = {side->mem, 0, region[0], writes};

	if (!side->mem || !fake_mem_root(side->mem)->mappings)
		return;
	for (size_t z = 0; z < region[2]; z++)
		for (size_t y = 0; y < region[1]; y++) {
			t.offset = side->offset + z * side->slice + y * side->row;
			check(&t, run);
		}
}

static void check_arg(const struct arg *arg)
{
	const struct mapping *m = arg->what == ARG_MEM && arg->mem ? fake_mem_root(arg->mem)->mappings : NULL;

	for (; m; m = m->next)
		if (is_forbidden(m, false) && m->offset <= arg->mem->origin &&
		    m->offset + m->bytes >= arg->mem->origin + arg->mem->size)
			fake_violation("a kernel has cl_mem #%lu, all of which the host has mapped to write it",
				       arg->mem->object.number);
}

void fake_check_mapped(const struct _cl_event *command)
{
	const struct transfer *const t = &command->work.transfer;
	const struct fill *const f = &command->work.fill;
	const struct launch *const l = &command->work.launch;

	switch (command->run) {
	case RUN_NDRANGE:
		for (int i = 0; i < l->kernel->param_count; i++)
			check_arg(&l->args[i]);
		break;
	case RUN_FILL:
		check(&(struct touch){f->mem, f->offset, f->bytes, true}, RUN_FILL);
		break;
	case RUN_READ:
	case RUN_WRITE:
	case RUN_COPY:
		check_side(&t->from, t->region, false, command->run);
		check_side(&t->to, t->region, true, command->run);
		break;
	default: /* maps may overlap, and markers touch nothing */
		break;
	}
}
