/* setup.c - a system put together: options, host memory, devices, contexts. */
#include "system/setup.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/at_end.h"
#include "base/env.h"
#include "base/fork.h"
#include "base/stray.h"
#include "system/seat.h"
#include "system/untold.h"
#include "system/watch.h"

/* Where the system does not tell how much memory it has. */
#define STAGING_USUAL ((int64_t)256 << 20)

static het_status no_memory(void)
{
	return het__fail(HET_ERR_MEMORY, "no memory to open a system");
}

/* ---- options ----------------------------------------------------------------------------------- */

het_status het__options_read(const char *call, const struct het_options *given, struct het_options *options)
{
	*options = (struct het_options)HET_OPTIONS_INIT;
	if (!given)
		return HET_OK;
	if (given->size < sizeof given->size || given->size > sizeof *options)
		return het__fail(HET_ERR_ARGUMENT,
		                 "%s: options of %zu bytes; this version of the library knows %zu "
		                 "(HET_OPTIONS_INIT sets the size)",
		                 call, given->size, sizeof *options);
	memcpy(options, given, given->size);
	if (options->share < HET_SHARE_DEFAULT || options->share > HET_SHARE_OFF)
		return het__fail(HET_ERR_ARGUMENT, "%s: no such way to share: %d", call, (int)options->share);
	if ((unsigned)options->log_level > HET_LOG_TRACE)
		return het__fail(HET_ERR_ARGUMENT, "%s: no such level of log lines: %d", call,
		                 (int)options->log_level);
	return HET_OK;
}

static het_status read_share(enum het_share wanted, bool *share_p)
{
	const char *const text = het__env("HETERO_SHARE");

	*share_p = wanted != HET_SHARE_OFF;
	if (wanted != HET_SHARE_DEFAULT || !text)
		return HET_OK;
	*share_p = strcasecmp(text, "on") == 0;
	if (!*share_p && !het__env_is_off(text))
		return het__fail(HET_ERR_ARGUMENT, "HETERO_SHARE is '%s': it must be on or off", text);
	return HET_OK;
}

static het_status read_check(bool *rehearses_p)
{
	const char *const text = het__env("HETERO_CHECK");

	*rehearses_p = text && strcmp(text, "1") == 0;
	if (text && !*rehearses_p && strcmp(text, "0") != 0)
		return het__fail(HET_ERR_ARGUMENT, "HETERO_CHECK is '%s': it must be 0 or 1", text);
	return HET_OK;
}

static het_status read_queues(int *queues_p)
{
	const char *const text = het__env("HETERO_QUEUES");

	*queues_p = 0;
	if (!text)
		return HET_OK;
	if (strcmp(text, "1") != 0 && strcmp(text, "2") != 0)
		return het__fail(HET_ERR_ARGUMENT, "HETERO_QUEUES is '%s': it must be 1 or 2", text);
	*queues_p = text[0] - '0';
	return HET_OK;
}

/* ---- the system without devices ---------------------------------------------------------------- */

static het_status add_host_memory(het_system *system)
{
	struct het__memory *const host = het__alloc_zeroed(1, sizeof *host);

	if (!host)
		return no_memory();
	system->memories[0] = host;
	system->memory_count = 1;
	return HET_OK;
}

het_status het__setup_room(het_system *system, int devices)
{
	const size_t count = (size_t)devices;

	system->devices = het__alloc_zeroed(count, sizeof(het_device *));
	system->contexts = het__alloc_zeroed(count, sizeof(struct het__context *));
	system->memories = het__alloc_zeroed(count + 1, sizeof(struct het__memory *));
	if (!system->devices || !system->contexts || !system->memories)
		return no_memory();
	return add_host_memory(system);
}

/* An eighth of the machine's memory, or what the user wishes. */
static size_t staging_allowed(struct het__logger *logger)
{
	const int64_t usual = (int64_t)sysconf(_SC_PHYS_PAGES) / 8 * sysconf(_SC_PAGESIZE);
	int64_t bytes = usual > 0 ? usual : STAGING_USUAL;

	if (!het__env_mib("HETERO_STAGING_MIB", &bytes))
		het__log(logger, HET_LOG_WARN, "route",
			 "HETERO_STAGING_MIB is '%s', which is no whole number of MiB: %" PRId64
			 " are the most that transfers pass through",
			 het__env("HETERO_STAGING_MIB"), bytes >> 20);
	return (size_t)bytes;
}

static int64_t patience(struct het__logger *logger)
{
	int64_t ns = HET__PATIENCE_S * 1000000000;

	if (!het__env_number("HETERO_PATIENCE", 1000000000, &ns))
		het__log(logger, HET_LOG_WARN, "task",
			 "HETERO_PATIENCE is '%s', which is no whole number of seconds to wait: devices have "
			 "%" PRId64 " s to answer",
			 het__env("HETERO_PATIENCE"), HET__PATIENCE_S);
	return ns;
}

/* Once in a process: the cache belongs to all systems. */
static void check_cache_limit(struct het__logger *logger)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;
	int64_t bytes = 0;

	if (!het__env_mib("HETERO_CACHE_MIB", &bytes) && !atomic_flag_test_and_set(&said))
		het__log(logger, HET_LOG_WARN, "kernel",
			 "HETERO_CACHE_MIB is '%s', which is no whole number of MiB: the cache may have %"
			 PRId64, het__env("HETERO_CACHE_MIB"), HET__CACHE_MIB);
}

het_status het__setup_system(const struct het_options *options, het_system **system_p)
{
	het_system *const system = het__alloc_zeroed(1, sizeof *system);
	het_status status;

	if (!system)
		return no_memory();
	atomic_init(&system->magic, HET__MAGIC_SYSTEM);
	system->fork_generation = het__fork_generation();
	system->profile = options->profile != 0;
	pthread_mutex_init(&system->lock, NULL);
	pthread_cond_init(&system->all_back, NULL);
	pthread_mutex_init(&system->open_lock, NULL);
	system->logger = het__logger_new(options->log, options->log_user, options->log_level);
	system->log_news = het__log_news(system->logger);
	het__env_warn_of_strays(system->logger);
	system->staging_bytes = staging_allowed(system->logger);
	system->patience_ns = patience(system->logger);
	check_cache_limit(system->logger);
	status = system->logger ? read_share(options->share, &system->share) : no_memory();
	if (!status)
		status = read_queues(&system->queues);
	if (!status)
		status = read_check(&system->rehearses);
	if (status) {
		het__system_free(system);
		return status;
	}
	*system_p = system;
	return HET_OK;
}

/* ---- devices and contexts ---------------------------------------------------------------------- */

struct het__context *het__setup_context(het_system *system, const struct het__found_platform *platform,
					int room)
{
	struct het__context *const context = het__alloc_zeroed(1, sizeof *context);

	if (!context)
		return NULL;
	context->devices = het__alloc_zeroed((size_t)room, sizeof *context->devices);
	if (!context->devices) {
		het__free(context);
		return NULL;
	}
	context->index = system->context_count;
	context->system = system;
	context->driver = platform->driver;
	context->platform = platform->id;
	system->contexts[system->context_count++] = context;
	return context;
}

void het__setup_join(het_device *device, struct het__context *context)
{
	context->devices[context->device_count++] = device;
	device->context = context;
}

static het_status describe(het_device *device, const struct het__found_device *found, const char *platform,
                           const char *name)
{
	het_status status;

	device->name = het__strdup(name);
	device->hardware = het__strdup(found->hardware);
	device->platform = het__strdup(platform);
	if (!device->name || !device->hardware || !device->platform)
		return no_memory();
	status = het__cl_device_text(found->id, CL_DRIVER_VERSION, &device->driver_version);
	return status ? status : het__cl_device_text(found->id, CL_DEVICE_VERSION, &device->opencl);
}

/* A driver that is of no use here. */
static het_status lost_driver(const struct het__found_platform *platform, const char *name)
{
	return het__fail_on(HET_ERR_CONTEXT, name,
			    "%s: the driver (%s) came up before a fork, in another process, where its threads "
			    "are: open systems in the children only, or have them exec a program",
			    name, platform->name);
}

het_status het__setup_device(het_system *system, const struct het__found *found, int which, const char *name,
                             het_device **device_p)
{
	const struct het__found_device *const root = &found->devices[which];
	const struct het__found_platform *const platform = &found->platforms[root->platform];
	het_device *device;

	if (platform->driver->lost_in_forks && het__drivers_came_up_elsewhere())
		return lost_driver(platform, name);
	device = het__alloc_zeroed(1, sizeof *device);
	if (!device)
		return no_memory();
	device->magic = HET__MAGIC_DEVICE;
	device->index = system->device_count;
	device->known = -1;
	device->system = system;
	device->driver = platform->driver;
	device->id = device->root = root->id;
	device->facts = root->facts;
	het__seat_take(device);
	system->devices[system->device_count++] = device;
	*device_p = device;
	return describe(device, root, platform->name, name);
}

het_status het__setup_part(het_device *device, cl_device_id id)
{
	device->id = id;
	device->is_part = true;
	return het__cl_device_facts(id, &device->facts);
}

void het__setup_end(het_system *system)
{
	het__watch_open(system);
	for (int i = 0; i < system->device_count; i++)
		het__log(system->logger, HET_LOG_INFO, "system", "device %d is %s: %s", i,
			 system->devices[i]->name, system->devices[i]->hardware);
	het__log_flush(system->logger);
	het__untold_enlist(system);
	het__at_end_of_main();
}
