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

bool fake_maps_to_write(cl_map_flags flags)
{
	return flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION);
}

bool fake_mapping_overlaps(const struct mapping *m, size_t offset, size_t bytes)
{
	return offset < m->offset + m->bytes && m->offset < offset + bytes;
}

static bool is_forbidden(const struct mapping *m, bool writes)
{
	return m->mapped && (writes || fake_maps_to_write(m->flags));
}

static void check(const struct touch *t, enum fake_run run)
{
	const size_t offset = t->mem->origin + t->offset;

	for (const struct mapping *m = fake_mem_root(t->mem)->mappings; m; m = m->next)
		if (is_forbidden(m, t->writes) && fake_mapping_overlaps(m, offset, t->bytes))
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

/* A map takes the bytes that the host is to see, and an unmap puts back what it may have written. Others may
 * map the same bytes to read them. */
static void check_other_maps(const struct map_work *work, enum fake_run run)
{
	const struct mapping *const own = work->mapping;
	const bool writes = run == RUN_UNMAP && fake_maps_to_write(own->flags);

	if (run == RUN_UNMAP && !writes)
		return;
	for (const struct mapping *m = fake_mem_root(work->mem)->mappings; m; m = m->next)
		if (m != own && is_forbidden(m, writes) && fake_mapping_overlaps(m, own->offset, own->bytes))
			fake_violation("%s of bytes of cl_mem #%lu that another map has: %zu at %zu",
				       writes ? "an unmap, to write," : "a map",
				       fake_mem_root(work->mem)->object.number, m->bytes, m->offset);
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
	case RUN_MAP:
	case RUN_UNMAP:
		check_other_maps(&command->work.map, command->run);
		break;
	default: /* markers touch nothing */
		break;
	}
}
