/* machine.c - see machine.h. */
#include "machine.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "patience.h"
#include "system/setup.h"

/* ---- names and problems ------------------------------------------------------------------------ */

const char *severity_name(enum severity severity)
{
	static const char *const names[] = {"note", "warning", "error"};

	return names[severity];
}

const char *kernels_fault(const struct device *device)
{
	static const char *const faults[][2] = {{"early", "; kernels end loops early"},
						{"wrong", "; kernels compute wrong results"},
						{"fail", "; kernels fail"}};

	for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
		if (!strcmp(device->kernels, faults[i][0]))
			return faults[i][1];
	return "";
}

const char *state_name(enum calibration_state state)
{
	static const char *const names[] = {"none", "fits", "refused", "saved", "untried"};

	return names[state];
}

void problem_add(struct machine *machine, enum severity severity, const char *advice, const char *format, ...)
{
	struct problem *problem;
	va_list arguments;

	if (het__grow(&machine->problem, &machine->problem_room, machine->problem_count + 1,
		      sizeof *machine->problem)) {
		machine->failed = true;
		return;
	}
	problem = &machine->problem[machine->problem_count++];
	*problem = (struct problem){.severity = severity, .advice = advice};
	va_start(arguments, format);
	vsnprintf(problem->text, sizeof problem->text, format, arguments);
	va_end(arguments);
}

/* ---- what the library says --------------------------------------------------------------------- */

/* Lines come one at a time, and until the system is closed. */
static void collect(void *user, enum het_log_level level, const char *line)
{
	struct machine *const machine = user;
	const int length = (int)strlen(line);

	(void)level;
	if (het__grow(&machine->log.text, &machine->log.room, machine->log.length + length + 2, 1)) {
		machine->failed = true;
		return;
	}
	memcpy(machine->log.text + machine->log.length, line, (size_t)length);
	machine->log.length += length;
	strcpy(machine->log.text + machine->log.length++, "\n");
}

/* ---- the machine as it is ---------------------------------------------------------------------- */

static const char *kind_name(enum het_device_type type)
{
	static const char *const names[] = {
		[HET_DEVICE_CPU] = "cpu",
		[HET_DEVICE_GPU] = "gpu",
		[HET_DEVICE_ACCELERATOR] = "accelerator",
		[HET_DEVICE_OTHER] = "other",
	};

	return names[type];
}

static void describe(struct device *device, const struct het_device_info *info)
{
	*device = (struct device){
		.name = info->name,
		.kind = kind_name(info->type),
		.hardware = info->hardware,
		.platform = info->platform,
		.driver = info->driver,
		.opencl = info->opencl,
		.memory_bytes = info->memory_bytes,
		.memory = info->memory,
		.compute_units = info->compute_units,
		.clock_mhz = info->clock_mhz,
		.max_alloc_bytes = info->max_alloc_bytes,
		.local_bytes = info->local_bytes,
		.max_work_group = info->max_work_group,
		.has_double = info->has_double != 0,
		.has_half = info->has_half != 0,
		.queues = info->queues,
	};
}

/* A device that cannot be opened is shown as far as it is known; programs cannot use it. */
static void add_device(struct machine *machine, het_device *device)
{
	struct device *const shown = &machine->device[machine->device_count++];
	struct het_device_info info = HET_DEVICE_INFO_INIT;

	patience_for(device->name);
	if (het_device_info(device, &info) == HET_OK) {
		describe(shown, &info);
		shown->fits = machine->system->calibration && device->known > 0;
		if (shown->fits)
			shown->measured = &machine->system->calibration->device[device->known - 1];
		shown->kernels = probe_device(machine, device);
		machine->usable |= strcmp(shown->kernels, "fail") != 0;
		return;
	}
	problem_add(machine, ERROR, "HETERO_DEVICES, with the names of the others, leaves it out.",
		    "%s cannot be used: %s", device->name, het_message());
	*shown = (struct device){
		.name = device->name,
		.kind = "",
		.hardware = device->hardware,
		.platform = device->platform,
		.driver = device->driver_version,
		.memory = -1,
		.memory_bytes = device->facts.memory_bytes,
	};
}

static uint64_t host_bytes(void)
{
	const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

	return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
}

static void add_memories(struct machine *machine)
{
	const het_system *const system = machine->system;

	for (int i = 0; i < system->memory_count; i++) {
		const het_device *const owner = system->memories[i]->owner;

		machine->memory[machine->memory_count++] = (struct memory){
			.name = owner ? owner->name : HET__CAL_HOST,
			.owner = owner ? owner->index : -1,
			.bytes = owner ? owner->facts.memory_bytes : host_bytes(),
		};
	}
}

static bool has_room(struct machine *machine, int devices)
{
	const size_t memories = (size_t)devices + 1;

	machine->device = het__alloc_zeroed(memories, sizeof *machine->device);
	machine->memory = het__alloc_zeroed(memories, sizeof *machine->memory);
	machine->way = het__alloc_zeroed(memories * memories * HET__CAL_SHAPES, sizeof *machine->way);
	return machine->device && machine->memory && machine->way;
}

/* The library has read the file, or refused it in the log: then it is read once more, to know why. */
static void look_at_calibration(struct machine *machine)
{
	if (!het__setup_find_calibration(machine->path)) {
		machine->state = NOT_THERE;
	} else if (machine->system->calibration ||
		   het__setup_read_calibration(machine->system, machine->path, &machine->refusal)) {
		machine->state = FITS;
		machine->calibration = machine->system->calibration;
	} else {
		machine->state = REFUSED;
	}
}

static bool look_at_system(struct machine *machine)
{
	if (!has_room(machine, het_device_count(machine->system)))
		return false;
	look_at_calibration(machine);
	for (int d = 0; d < het_device_count(machine->system); d++)
		add_device(machine, het_device(machine->system, d));
	add_memories(machine);
	ways_of_system(machine);
	return true;
}

bool machine_look(struct machine *machine, const char *devices)
{
	struct het_options options = HET_OPTIONS_INIT;
	char opening[4096] = "";
	het_status status;
	bool good = true;

	*machine = (struct machine){.state = NOT_THERE, .devices = devices};
	options.devices = devices;
	options.log = collect;
	options.log_user = machine;
	patience_for("the drivers, which were asked for their devices");
	status = het_open(&options, &machine->system);
	if (status) {
		snprintf(opening, sizeof opening, "%s", het_message());
		machine->system = NULL;
		machine->state = het__setup_find_calibration(machine->path) ? UNTRIED : NOT_THERE;
	} else {
		good = look_at_system(machine);
	}
	settings_look(machine);
	patience_for("the drivers, which were looked at one by one");
	advise(machine, status, opening);
	patience_for(NULL);
	return good && !machine->failed;
}

/* ---- a saved calibration ----------------------------------------------------------------------- */

static void add_saved_device(struct machine *machine, const struct het__cal_device *device)
{
	machine->device[machine->device_count++] = (struct device){
		.name = device->name,
		.kind = "",
		.hardware = device->hardware,
		.platform = device->platform,
		.driver = device->driver,
		.memory_bytes = device->memory_bytes,
		.memory = -1,
		.fits = true,
		.measured = device,
	};
}

static bool is_in_a_pair(const struct het__calibration *calibration, const char *name)
{
	for (int i = 0; i < calibration->pair_count; i++)
		if (strcmp(calibration->pair[i].from, name) == 0 || strcmp(calibration->pair[i].to, name) == 0)
			return true;
	return false;
}

/* A device that no pair names has no memory of its own, or was not measured: the file does not tell which. */
static void add_saved_memories(struct machine *machine)
{
	machine->memory[machine->memory_count++] = (struct memory){.name = HET__CAL_HOST, .owner = -1};
	for (int d = 0; d < machine->device_count; d++) {
		struct device *const device = &machine->device[d];

		if (!is_in_a_pair(&machine->saved, device->name))
			continue;
		device->memory = machine->memory_count;
		machine->memory[machine->memory_count++] =
			(struct memory){.name = device->name, .owner = d, .bytes = device->memory_bytes};
	}
}

bool machine_read(struct machine *machine, const char *path)
{
	*machine = (struct machine){.state = SAVED};
	snprintf(machine->path, sizeof machine->path, "%s", path);
	if (!het__calibration_read(path, &machine->saved, &machine->refusal))
		return false;
	if (!has_room(machine, machine->saved.device_count))
		return het__cal_refuse(&machine->refusal, path, 0, HET__CAL_NO_MEMORY, "no memory to show it");
	machine->calibration = &machine->saved;
	for (int d = 0; d < machine->saved.device_count; d++)
		add_saved_device(machine, &machine->saved.device[d]);
	add_saved_memories(machine);
	ways_of_calibration(machine);
	return true;
}

void machine_free(struct machine *machine)
{
	het__calibration_free(&machine->saved);
	het__free(machine->device);
	het__free(machine->memory);
	het__free(machine->way);
	het__free(machine->problem);
	patience_for("the devices, which were being closed");
	het_close(machine->system);
	patience_for(NULL);
	het__free(machine->log.text);
}
