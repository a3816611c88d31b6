/* pin.c - host memory that a driver keeps pinned while a buffer lies over it. */

#include "store/pin.h"

#include "store/staging.h"

uint64_t het__pin_from_bytes = (uint64_t)32 << 20;

static bool has_buffer(const struct het__block *block, const struct het__context *context)
{
	for (int i = 0; i < block->parts.count; i++)
		if (block->parts.at[i].context == context && block->parts.at[i].bytes == block->bytes)
			return true;
	return false;
}

static bool is_room(const het_device *device, const struct het__block *block)
{
	const het_system *const system = device->system;
	const size_t pinned = system->pinned_bytes + block->bytes;
	const size_t staging = system->count.staging_bytes + HET__STAGING_DEPTH * HET__STAGING_BYTES;

	return pinned <= device->facts.memory_bytes / 8 && staging + pinned <= system->staging_bytes;
}

void het__pin_for(struct het__block *block, const struct het__lane *lane, size_t bytes)
{
	const het_device *const device = lane->device;
	het_system *const system = lane->system;
	cl_mem mem;

	if (!device->driver->pins_wrapped || !block->owned || block->is_staging || block->unpinned)
		return;
	block->moved_bytes += bytes;
	if (block->moved_bytes < het__pin_from_bytes || has_buffer(block, lane->context) ||
	    !is_room(device, block))
		return;
	block->unpinned =
		het__block_buffer(block, lane->context, device->name, 0, block->bytes, &mem) != HET_OK;
	if (block->unpinned) {
		het__log(system->logger, HET_LOG_DEBUG, "route", "%zu bytes are not pinned: %s", block->bytes,
			 het__message());
		return;
	}
	block->parts.at[block->parts.count - 1].pins = true;
	system->pinned_bytes += block->bytes;
	het__log(system->logger, HET_LOG_DEBUG, "route", "%zu bytes of an array are pinned for %s",
		 block->bytes, device->name);
}
