/* map.c - maps and fills. */
#include <stdlib.h>
#include <string.h>

#include "fake.h"

static cl_int check_range(cl_command_queue queue, cl_mem mem, size_t offset, size_t bytes)
{
	if (!fake_is(mem, MEM))
		return CL_INVALID_MEM_OBJECT;
	if (mem->context != queue->context)
		return CL_INVALID_CONTEXT;
	if (bytes == 0 || offset > mem->size || bytes > mem->size - offset)
		return CL_INVALID_VALUE;
	return fake_mem_use(mem, queue->device, false);
}

/* ---- fills -------------------------------------------------------------------------------------- */

static cl_int fill(cl_command_queue queue, const struct fill *f, cl_uint count, const cl_event *waits,
		   cl_event *event_p)
{
	cl_event command;
	cl_int code = fake_check_queue(queue, count, waits);

	if (!code)
		code = check_range(queue, f->mem, f->offset, f->bytes);
	if (!code && (f->offset % f->pattern_bytes || f->bytes % f->pattern_bytes))
		code = CL_INVALID_VALUE;
	if (code)
		return code;
	command = fake_event_new(queue->context, queue, CL_COMMAND_FILL_BUFFER, RUN_FILL);
	command->work.fill = *f;
	fake_hold(f->mem);
	return fake_enqueue(command, count, waits, false, event_p);
}

CL_API_ENTRY cl_int CL_API_CALL fake_clEnqueueFillBuffer(cl_command_queue queue, cl_mem mem,
							 const void *pattern, size_t pattern_bytes,
							 size_t offset, size_t bytes, cl_uint count,
							 const cl_event *waits, cl_event *event_p)
{
	struct fill f = {.mem = mem, .pattern_bytes = pattern_bytes, .offset = offset, .bytes = bytes};
	cl_int code = fake_enter(CALL_clEnqueueFillBuffer);

	if (!code && (!pattern || pattern_bytes == 0 || pattern_bytes > sizeof f.pattern ||
		      (pattern_bytes & (pattern_bytes - 1))))
		code = CL_INVALID_VALUE;
	if (!code) {
		memcpy(f.pattern, pattern, pattern_bytes);
		code = fill(queue, &f, count, waits, event_p);
	}
	return fake_leave(code);
}

/* ---- maps --------------------------------------------------------------------------------------- */

/* Where the host will see the bytes: in place if they are the host's, else in its copy of them. */
static struct mapping *mapping_new(cl_mem mem, cl_map_flags flags, size_t offset, size_t bytes)
{
	cl_mem const root = fake_mem_root(mem);
	struct mapping *const m = fake_alloc(sizeof *m);

	m->mem = mem;
	m->offset = mem->origin + offset;
	m->bytes = bytes;
	m->flags = flags;
	m->pending = true;
	if (root->host)
		m->at = root->host + m->offset;
	else if (root->home == 0)
		m->at = root->block.bytes + m->offset;
	else {
		m->at = fake_fresh(bytes, &m->shares);
		m->owned = true;
	}
	m->next = root->mappings;
	root->mappings = m;
	return m;
}

static cl_int check_flags(cl_mem mem, cl_map_flags flags)
{
	const cl_map_flags known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
	cl_mem_flags barred = CL_MEM_HOST_NO_ACCESS;

	if ((flags & ~known) ||
	    ((flags & CL_MAP_WRITE_INVALIDATE_REGION) && (flags & (CL_MAP_READ | CL_MAP_WRITE))))
		return CL_INVALID_VALUE;
	if (flags & CL_MAP_READ)
		barred |= CL_MEM_HOST_WRITE_ONLY;
	if (fake_maps_to_write(flags))
		barred |= CL_MEM_HOST_READ_ONLY;
	return mem->flags & barred ? CL_INVALID_OPERATION : CL_SUCCESS;
}

/* No two maps to write have bytes in common. One that is to go may have gone by then, and one that failed has
 * nothing. */
static bool is_mapped_to_write(cl_mem mem, size_t offset, size_t bytes)
{
	for (const struct mapping *m = fake_mem_root(mem)->mappings; m; m = m->next)
		if ((m->pending || m->mapped) && !m->leaving && fake_maps_to_write(m->flags) &&
		    fake_mapping_overlaps(m, mem->origin + offset, bytes))
			return true;
	return false;
}

static cl_int map(cl_command_queue queue, cl_mem mem, cl_bool blocking, cl_map_flags flags, size_t offset,
		  size_t bytes, cl_uint count, const cl_event *waits, cl_event *event_p, void **at_p)
{
	cl_event command;
	cl_int code = fake_check_queue(queue, count, waits);

	if (!code)
		code = check_range(queue, mem, offset, bytes);
	if (!code)
		code = check_flags(mem, flags);
	if (!code && fake_maps_to_write(flags) && is_mapped_to_write(mem, offset, bytes))
		code = CL_INVALID_OPERATION;
	if (code)
		return code;
	command = fake_event_new(queue->context, queue, CL_COMMAND_MAP_BUFFER, RUN_MAP);
	command->work.map.mem = mem;
	command->work.map.mapping = mapping_new(mem, flags, offset, bytes);
	*at_p = command->work.map.mapping->at;
	fake_hold(mem);
	return fake_enqueue(command, count, waits, blocking == CL_TRUE, event_p);
}

CL_API_ENTRY void *CL_API_CALL fake_clEnqueueMapBuffer(cl_command_queue queue, cl_mem mem, cl_bool blocking,
						       cl_map_flags flags, size_t offset, size_t bytes,
						       cl_uint count, const cl_event *waits, cl_event *event_p,
						       cl_int *code_p)
{
	void *at = NULL;
	cl_int code = fake_enter(CALL_clEnqueueMapBuffer);

	if (!code)
		code = map(queue, mem, blocking, flags, offset, bytes, count, waits, event_p, &at);
	return fake_leave_with(at, code, code_p);
}

static cl_int unmap(cl_command_queue queue, cl_mem mem, const void *at, cl_uint count, const cl_event *waits,
		    cl_event *event_p)
{
	struct mapping *mapping;
	cl_event command;
	cl_int code = fake_check_queue(queue, count, waits);

	if (code)
		return code;
	if (!fake_is(mem, MEM))
		return CL_INVALID_MEM_OBJECT;
	if (mem->context != queue->context)
		return CL_INVALID_CONTEXT;
	for (mapping = fake_mem_root(mem)->mappings;
	     mapping && (mapping->leaving || mapping->mem != mem || mapping->at != at);)
		mapping = mapping->next;
	if (!mapping)
		return CL_INVALID_VALUE;
	code = fake_mem_use(mem, queue->device, false);
	if (code)
		return code;
	mapping->leaving = true;
	command = fake_event_new(queue->context, queue, CL_COMMAND_UNMAP_MEM_OBJECT, RUN_UNMAP);
	command->work.map.mem = mem;
	command->work.map.mapping = mapping;
	fake_hold(mem);
	return fake_enqueue(command, count, waits, false, event_p);
}

CL_API_ENTRY cl_int CL_API_CALL fake_clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem mem, void *at,
							     cl_uint count, const cl_event *waits,
							     cl_event *event_p)
{
	cl_int code = fake_enter(CALL_clEnqueueUnmapMemObject);

	return fake_leave(code ? code : unmap(queue, mem, at, count, waits, event_p));
}
