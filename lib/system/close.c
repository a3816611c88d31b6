/* close.c - het_close: everything settled, then everything freed. */
#include "base/alloc.h"
#include "calibration/calibration.h"
#include "system/handle.h"
#include "system/proof.h"
#include "system/seat.h"
#include "system/untold.h"
#include "system/watch.h"

/* Keeps the first failure of all rooms, and logs the others. */
static void settle(het_system *system, enum het__room room, struct het__failure **first)
{
	het_status (*const fn)(het_system *) = system->room[room].settle;

	if (!fn || !fn(system))
		return;
	if (!*first)
		*first = het__failure_capture();
	else
		het__log(system->logger, HET_LOG_ERROR, "system", "nobody was told of this failure: %s",
			 het__message());
}

het_status het_close(het_system *system)
{
	struct het__failure *first = NULL;
	het_status status;

	if (!system)
		return HET_OK;
	status = het__system_check(system, "het_close");
	if (!status)
		status = het__may_wait("het_close");
	if (status)
		return het__refuse(system, status);
	status = het__system_shut(system);
	if (status)
		return status; /* another thread closes: there may be no system any more */
	het__system_drain(system);
	for (int room = HET__ROOMS; room-- > 0;)
		settle(system, (enum het__room)room, &first);
	het__system_end(system);
	het__untold_tell(system, system->logger);
	het__watch_close(system);
	for (int room = HET__ROOMS; room-- > 0;)
		if (system->room[room].free)
			system->room[room].free(system);
	het__system_free(system);
	if (first)
		status = het__fail_because(het__failure_status(first), first, "het_close");
	het__failure_release(first);
	return status;
}

static void free_device(het_device *device)
{
	het__seat_leave(device);
	if (device->is_part && !device->driver->keeps_parts)
		het__cl_device_release(device->id);
	het__free(device->name);
	het__free(device->hardware);
	het__free(device->platform);
	het__free(device->driver_version);
	het__free(device->opencl);
	device->magic = HET__MAGIC_DEAD;
	het__free(device);
}

static void free_context(struct het__context *context)
{
	het__cl_context_release(context->cl);
	het__free(context->devices);
	het__free(context);
}

/* The log is flushed before the devices go: its function may still ask about a device, and is refused. */
void het__system_free(het_system *system)
{
	het__watch_free(system);
	het__untold_delist(system);
	het__log_flush(system->logger);
	het__free(atomic_load(&system->first_failed));
	het__free_aligned(atomic_load(&system->images));
	for (int i = 0; i < system->context_count; i++)
		free_context(system->contexts[i]);
	for (int i = 0; i < system->device_count; i++)
		free_device(system->devices[i]);
	for (int i = 0; i < system->memory_count; i++)
		het__free(system->memories[i]);
	het__free(system->contexts);
	het__free(system->devices);
	het__free(system->memories);
	het__free(system->flows);
	het__free(system->told);
	het__calibration_free(system->calibration);
	het__free(system->calibration);
	het__verdicts_free(system);
	het__graveyard_clear(system);
	het__logger_free(system->logger);
	pthread_mutex_destroy(&system->open_lock);
	pthread_cond_destroy(&system->all_back);
	pthread_mutex_destroy(&system->lock);
	het__system_bury(system);
}
