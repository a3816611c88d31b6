/* memory.c - buffers and where their bytes are.
 *
 * A buffer is at home in one memory: the only one of its context's devices, or that of the device that first
 * uses it. Until then its bytes lie nowhere in particular, and only copies may touch them. Where the home is
 * the host's memory, CL_MEM_USE_HOST_PTR means those very bytes; elsewhere it means a copy made at creation,
 * which the specification allows and which meets the host's bytes again only through map and unmap.
 */
#include <stdlib.h>
#include <string.h>

#include "fake.h"

#define GUARD 64 /* bytes on both sides of a block */
#define GUARD_BYTE 0xE7

cl_mem fake_mem_root(cl_mem mem)
{
	return mem->parent ? mem->parent : mem;
}

/* ---- blocks ------------------------------------------------------------------------------------- */

/* Aligned to `align` and not to twice that: nobody may rely on more. */
static struct block block_new(size_t size, size_t align)
{
	const size_t lead = align + (GUARD + align - 1) / align * align;
	struct block block = {.size = size, .allocated = lead + 2 * align + size + GUARD};
	uintptr_t start;

	block.allocation = fake_fresh(block.allocated, &block.shares);
	start = (uintptr_t)block.allocation + GUARD;
	start = (start + 2 * align - 1) / (2 * align) * (2 * align) + align;
	if (start - align >= (uintptr_t)block.allocation + GUARD + 2 * align)
		start -= 2 * align;
	block.bytes = block.allocation + (start - (uintptr_t)block.allocation);
	memset(block.bytes - GUARD, GUARD_BYTE, GUARD);
	memset(block.bytes + size, GUARD_BYTE, GUARD);
	return block;
}

static bool guards_hold(const struct block *block)
{
	for (size_t i = 0; i < GUARD; i++)
		if ((block->bytes - GUARD)[i] != GUARD_BYTE || block->bytes[block->size + i] != GUARD_BYTE)
			return false;
	return true;
}

static void block_free(struct block *block, unsigned long number)
{
	if (block->allocation && !guards_hold(block))
		fake_violation("something wrote outside of cl_mem #%lu (%zu bytes)", number, block->size);
	fake_fresh_free(block->allocation, block->allocated, block->shares);
}

/* ---- a root buffer's home ----------------------------------------------------------------------- */

static cl_int reserve(int memory, size_t bytes)
{
	struct memory *const m = &fake.memories[memory];

	if (memory != 0 && m->used_bytes + bytes > m->limit_bytes)
		return CL_MEM_OBJECT_ALLOCATION_FAILURE;
	m->used_bytes += bytes;
	return CL_SUCCESS;
}

static cl_int settle(cl_mem root, int memory)
{
	const cl_int code = reserve(memory, root->size);

	if (code)
		return code;
	root->home = memory;
	if (memory == 0 && root->host) {
		if (root->copied_into)
			memcpy(root->host, root->block.bytes, root->size);
		block_free(&root->block, root->object.number);
		root->block = (struct block){.bytes = root->host, .size = root->size};
	}
	return CL_SUCCESS;
}

/* After a violation that was only counted: the second memory has bytes of its own. */
static struct block *stray(cl_mem root, int memory)
{
	if (!root->strays)
		root->strays = fake_alloc(MEMORIES_MOST * sizeof *root->strays);
	if (!root->strays[memory].bytes)
		root->strays[memory] = block_new(root->size, root->context->align_bytes);
	return &root->strays[memory];
}

cl_int fake_mem_use(cl_mem mem, cl_device_id device, bool copying)
{
	cl_mem const root = fake_mem_root(mem);

	if (mem->parent && mem->origin % device->align_bytes)
		return CL_MISALIGNED_SUB_BUFFER_OFFSET;
	if (root->size > device->alloc_bytes)
		return CL_MEM_OBJECT_ALLOCATION_FAILURE;
	if (root->home == device->memory || copying)
		return CL_SUCCESS;
	if (root->home == NOWHERE)
		return settle(root, device->memory);
	fake_violation("cl_mem #%lu lives in memory '%s' and is used by '%s', whose memory is '%s'",
		       mem->object.number, fake.memories[root->home].name, device->name,
		       fake.memories[device->memory].name);
	return CL_SUCCESS;
}

unsigned char *fake_mem_bytes(cl_mem mem, cl_device_id device, bool copying)
{
	cl_mem const root = fake_mem_root(mem);

	if (copying || root->home == device->memory)
		return root->block.bytes + mem->origin;
	return stray(root, device->memory)->bytes + mem->origin;
}

/* ---- making ------------------------------------------------------------------------------------- */

static cl_int check_size(cl_context context, size_t bytes)
{
	cl_ulong most = 0;

	for (cl_uint d = 0; d < context->device_count; d++)
		if (context->devices[d]->alloc_bytes > most)
			most = context->devices[d]->alloc_bytes;
	return bytes == 0 || bytes > most ? CL_INVALID_BUFFER_SIZE : CL_SUCCESS;
}

#define FLAGS_ACCESS (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY)
#define FLAGS_HOST_ACCESS (CL_MEM_HOST_NO_ACCESS | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY)
#define FLAGS_OF_HOST (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR)

static bool is_one_at_most(cl_mem_flags flags)
{
	return (flags & (flags - 1)) == 0;
}

static cl_int check_flags(cl_mem_flags flags, const void *host)
{
	if ((flags & ~(cl_mem_flags)(FLAGS_ACCESS | FLAGS_HOST_ACCESS | FLAGS_OF_HOST)) ||
	    !is_one_at_most(flags & FLAGS_ACCESS) || !is_one_at_most(flags & FLAGS_HOST_ACCESS))
		return CL_INVALID_VALUE;
	if ((flags & CL_MEM_USE_HOST_PTR) && (flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR)))
		return CL_INVALID_VALUE;
	return (host != NULL) != ((flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0)
		       ? CL_INVALID_HOST_PTR
		       : CL_SUCCESS;
}

/* A part may have less than its whole, and has what it is not given. */
static cl_int part_flags(cl_mem_flags whole, cl_mem_flags *flags)
{
	const cl_mem_flags access = *flags & FLAGS_ACCESS, by_host = *flags & FLAGS_HOST_ACCESS;

	if ((*flags & FLAGS_OF_HOST) || check_flags(*flags, NULL))
		return CL_INVALID_VALUE;
	if ((whole & (CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY)) && access && !(whole & access))
		return CL_INVALID_VALUE;
	if ((whole & FLAGS_HOST_ACCESS) && by_host && by_host != CL_MEM_HOST_NO_ACCESS && !(whole & by_host))
		return CL_INVALID_VALUE;
	*flags = (access ? access : whole & FLAGS_ACCESS) | (by_host ? by_host : whole & FLAGS_HOST_ACCESS) |
		 (whole & FLAGS_OF_HOST);
	return CL_SUCCESS;
}

static cl_int create(cl_context context, cl_mem_flags flags, size_t bytes, void *host, cl_mem *mem_p)
{
	cl_int code;
	cl_mem mem;

	if (!fake_is(context, CONTEXT))
		return CL_INVALID_CONTEXT;
	code = check_flags(flags, host);
	if (!code)
		code = check_size(context, bytes);
	if (code)
		return code;
	mem = fake_object_new(MEM, sizeof *mem);
	fake_hold(context);
	mem->context = context;
	mem->flags = flags;
	mem->size = bytes;
	mem->host = (flags & CL_MEM_USE_HOST_PTR) ? host : NULL;
	mem->home = NOWHERE;
	if (!mem->host || context->memory != 0)
		mem->block = block_new(bytes, context->align_bytes);
	if (host && mem->block.bytes)
		memcpy(mem->block.bytes, host, bytes);
	code = context->memory == NOWHERE ? CL_SUCCESS : settle(mem, context->memory);
	if (code)
		fake_release(mem, MEM, CL_INVALID_MEM_OBJECT);
	*mem_p = mem;
	return code;
}

CL_API_ENTRY cl_mem CL_API_CALL fake_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes,
						    void *host, cl_int *code_p)
{
	cl_mem mem = NULL;
	cl_int code = fake_enter(CALL_clCreateBuffer);

	if (!code)
		code = create(context, flags, bytes, host, &mem);
	return fake_leave_with(mem, code, code_p);
}

/* An origin must suit at least one device of the context; the others refuse the buffer when it is used. */
static bool suits_a_device(cl_context context, size_t origin)
{
	for (cl_uint d = 0; d < context->device_count; d++)
		if (origin % context->devices[d]->align_bytes == 0)
			return true;
	return false;
}

static cl_int create_part(cl_mem root, cl_mem_flags flags, cl_buffer_create_type type,
			  const cl_buffer_region *region, cl_mem *mem_p)
{
	cl_mem mem;
	cl_int code;

	if (!fake_is(root, MEM) || root->parent)
		return CL_INVALID_MEM_OBJECT;
	if (type != CL_BUFFER_CREATE_TYPE_REGION || !region)
		return CL_INVALID_VALUE;
	code = part_flags(root->flags, &flags);
	if (code)
		return code;
	if (region->size == 0)
		return CL_INVALID_BUFFER_SIZE;
	if (region->origin > root->size || region->size > root->size - region->origin)
		return CL_INVALID_VALUE;
	if (!suits_a_device(root->context, region->origin))
		return CL_MISALIGNED_SUB_BUFFER_OFFSET;
	mem = fake_object_new(MEM, sizeof *mem);
	mem->context = root->context;
	mem->parent = root;
	mem->flags = flags;
	mem->host = root->host ? root->host + region->origin : NULL;
	mem->origin = region->origin;
	mem->size = region->size;
	fake_hold(root);
	*mem_p = mem;
	return CL_SUCCESS;
}

CL_API_ENTRY cl_mem CL_API_CALL fake_clCreateSubBuffer(cl_mem root, cl_mem_flags flags,
						       cl_buffer_create_type type, const void *region,
						       cl_int *code_p)
{
	cl_mem mem = NULL;
	cl_int code = fake_enter(CALL_clCreateSubBuffer);

	if (!code)
		code = create_part(root, flags, type, region, &mem);
	return fake_leave_with(mem, code, code_p);
}

void fake_mem_drop(cl_mem mem)
{
	for (const struct mapping *m = fake_mem_root(mem)->mappings; m; m = m->next)
		if (m->mem == mem || !mem->parent)
			fake_violation("cl_mem #%lu is released while it is mapped", mem->object.number);
	if (mem->parent) {
		fake_unhold(mem->parent);
		return;
	}
	if (mem->home != NOWHERE)
		fake.memories[mem->home].used_bytes -= mem->size;
	block_free(&mem->block, mem->object.number);
	for (int m = 0; mem->strays && m < MEMORIES_MOST; m++)
		block_free(&mem->strays[m], mem->object.number);
	free(mem->strays);
	fake_unhold(mem->context);
}

/* ---- references and queries --------------------------------------------------------------------- */

CL_API_ENTRY cl_int CL_API_CALL fake_clRetainMemObject(cl_mem mem)
{
	cl_int code = fake_enter(CALL_clRetainMemObject);

	return fake_leave(code ? code : fake_retain(mem, MEM, CL_INVALID_MEM_OBJECT));
}

CL_API_ENTRY cl_int CL_API_CALL fake_clReleaseMemObject(cl_mem mem)
{
	cl_int code = fake_enter(CALL_clReleaseMemObject);

	return fake_leave(code ? code : fake_release(mem, MEM, CL_INVALID_MEM_OBJECT));
}

static cl_int mem_info(cl_mem mem, cl_mem_info what, size_t room, void *to, size_t *bytes_p)
{
	const cl_mem_object_type type = CL_MEM_OBJECT_BUFFER;

	if (!fake_is(mem, MEM))
		return CL_INVALID_MEM_OBJECT;
	switch (what) {
	case CL_MEM_TYPE:
		return FAKE_ANSWER(type, room, to, bytes_p);
	case CL_MEM_FLAGS:
		return FAKE_ANSWER(mem->flags, room, to, bytes_p);
	case CL_MEM_SIZE:
		return FAKE_ANSWER(mem->size, room, to, bytes_p);
	case CL_MEM_HOST_PTR:
		return FAKE_ANSWER(mem->host, room, to, bytes_p);
	case CL_MEM_REFERENCE_COUNT:
		return FAKE_ANSWER(mem->object.refs, room, to, bytes_p);
	case CL_MEM_CONTEXT:
		return FAKE_ANSWER(mem->context, room, to, bytes_p);
	case CL_MEM_ASSOCIATED_MEMOBJECT:
		return FAKE_ANSWER(mem->parent, room, to, bytes_p);
	case CL_MEM_OFFSET:
		return FAKE_ANSWER(mem->origin, room, to, bytes_p);
	default:
		return CL_INVALID_VALUE;
	}
}

CL_API_ENTRY cl_int CL_API_CALL fake_clGetMemObjectInfo(cl_mem mem, cl_mem_info what, size_t room, void *to,
							size_t *bytes_p)
{
	cl_int code = fake_enter(CALL_clGetMemObjectInfo);

	return fake_leave(code ? code : mem_info(mem, what, room, to, bytes_p));
}
