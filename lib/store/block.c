/* block.c - blocks of host and device memory and the buffers over them. */

#include "store/block.h"

#include <string.h>

#include "base/alloc.h"
#include "task/emit.h"

/* A block that is all zeros gets what every block has. */
static void init(struct het__block *block, het_system *system, int rank, size_t bytes)
{
	block->memory = system->memories[0];
	block->rank = rank;
	block->bytes = bytes ? bytes : 1;
	block->parts.at = block->own_part;
	block->parts.room = 1;
	block->hazards.at = block->own_hazard;
	block->hazards.room = HET__OWN_HAZARDS;
}

het_status het__block_init_host(struct het__block *block, het_system *system, int rank, size_t bytes)
{
	init(block, system, rank, bytes);
	block->host = het__alloc_aligned(HET__BLOCK_ALIGN, block->bytes);
	if (!block->host)
		return het__fail(HET_ERR_MEMORY, "no host memory for %zu bytes", bytes);
	block->owned = true;
	return HET_OK;
}

void het__block_init_wrapped(struct het__block *block, het_system *system, int rank, void *bytes_at,
			     size_t bytes)
{
	init(block, system, rank, bytes);
	block->host = bytes_at;
}

/* NULL, with an error, without memory. */
static struct het__block *new_block(void)
{
	struct het__block *const block = het__alloc_aligned(HET__CACHE_LINE, sizeof *block);

	if (!block)
		(void)het__fail(HET_ERR_MEMORY, "no host memory to describe a block");
	return block;
}

het_status het__block_new_host(het_system *system, int rank, size_t bytes, struct het__block **block_p)
{
	struct het__block *const block = new_block();
	het_status st = block ? het__block_init_host(block, system, rank, bytes) : HET_ERR_MEMORY;

	if (st) {
		het__free_aligned(block);
		return st;
	}
	*block_p = block;
	return HET_OK;
}

het_status het__block_wrap_host(het_system *system, int rank, void *bytes_at, size_t bytes,
                                struct het__block **block_p)
{
	struct het__block *const block = new_block();

	if (!block)
		return HET_ERR_MEMORY;
	het__block_init_wrapped(block, system, rank, bytes_at, bytes);
	*block_p = block;
	return HET_OK;
}

static het_status add_part(struct het__block *block, struct het__context *context, const char *device,
                           size_t offset, size_t bytes, cl_mem *mem_p)
{
	struct het__part part = {context, offset, bytes, NULL, false};
	het_status st;

	if (het__grow_from(block->own_part, &block->parts.at, &block->parts.room, block->parts.count + 1,
			   sizeof part))
		return het__fail(HET_ERR_MEMORY, "no host memory for a buffer");
	if (block->host)
		st = het__cl_buffer_wrap(context->cl, block->host + offset, bytes, device, &part.mem);
	else if (block->pages && block->parts.count == 0)
		st = het__cl_buffer_wrap(context->cl, block->pages, bytes, device, &part.mem);
	else if (!block->memory->owner || block->parts.count == 0) /* host NULL: a byte for each context */
		st = het__cl_buffer_create(context->cl, bytes, device, &part.mem);
	else
		st = het__cl_buffer_part(block->parts.at[0].mem, offset, bytes, device, &part.mem);
	if (st)
		return st;
	context->system->count.live_buffers++;
	block->parts.at[block->parts.count++] = part;
	*mem_p = part.mem;
	return HET_OK;
}

het_status het__block_new_device(het_device *device, int rank, size_t bytes, struct het__block **block_p)
{
	struct het__block *const block = new_block();
	cl_mem root;
	het_status st;

	if (!block)
		return HET_ERR_MEMORY;
	init(block, device->system, rank, bytes);
	block->memory = device->memory;
	if (device->driver->small_pages && (device->facts.type & CL_DEVICE_TYPE_CPU) &&
	    bytes >= HET__HUGE_FROM_BYTES)
		block->pages = het__alloc_aligned(HET__BLOCK_ALIGN, block->bytes);
	st = add_part(block, device->context, device->name, 0, block->bytes, &root);
	if (st) {
		het__block_free(block);
		return st;
	}
	block->memory->block_bytes += block->bytes;
	*block_p = block;
	return HET_OK;
}

static void release(const struct het__part *part)
{
	het_system *const system = part->context->system;

	het__cl_buffer_release(part->mem);
	if (part->pins)
		system->pinned_bytes -= part->bytes;
	system->count.live_buffers--;
	system->buffers_freed++;
}

void het__block_release_parts(struct het__block *block)
{
	for (int i = block->parts.count - 1; i >= 0; i--)
		release(&block->parts.at[i]);
	block->parts.count = 0;
}

void het__block_clear(struct het__block *block)
{
	if (block->memory->owner && block->parts.count > 0) {
		block->memory->block_bytes -= block->bytes;
		block->memory->gone_bytes += block->bytes;
	}
	het__emit_place("free_block", block, 0, NULL);
	het__block_release_parts(block);
	if (block->makers)
		het__watch_forget(block);
	if (block->owned)
		het__free_aligned(block->host);
	het__free_aligned(block->pages);
	if (block->parts.at != block->own_part)
		het__free(block->parts.at);
	het__buckets_free(block->near);
	if (block->hazards.at != block->own_hazard)
		het__free(block->hazards.at);
}

void het__block_free(struct het__block *block)
{
	if (!block)
		return;
	het__block_clear(block);
	het__free_aligned(block);
}

static bool is_root(const struct het__block *block, const struct het__part *part)
{
	return part->offset == 0 && part->bytes == block->bytes;
}

/* Drivers keep a released buffer until the commands that use it end; who asks for it again gets a new one. */
static void release_cut_parts(struct het__block *block)
{
	int kept = 0;

	for (int i = 0; i < block->parts.count; i++)
		if (is_root(block, &block->parts.at[i]))
			block->parts.at[kept++] = block->parts.at[i];
		else
			release(&block->parts.at[i]);
	block->parts.count = kept;
}

het_status het__block_find_buffer(struct het__block *block, struct het__context *context, const char *device,
				  size_t offset, size_t bytes, cl_mem *mem_p)
{
	int cut = 0;

	for (int i = 0; i < block->parts.count; i++) {
		const struct het__part *part = &block->parts.at[i];

		if (part->context == context && part->offset == offset && part->bytes == bytes) {
			*mem_p = part->mem;
			return HET_OK;
		}
		cut += !is_root(block, part);
	}
	if (cut >= HET__CUT_PARTS_MOST)
		release_cut_parts(block);
	return add_part(block, context, device, offset, bytes, mem_p);
}
