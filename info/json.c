/* json.c - a machine for programs. */
#include "show.h"

#ifdef HAVE_JSON
#include <jansson.h>
#include <string.h>

#include "calibrate/figures.h"
#include "calibrate/words.h"

static json_t *json_number(uint64_t number)
{
	return json_integer((json_int_t)number);
}

/* For want of memory something is missing. */
static bool lost;

static void set(json_t *object, const char *key, json_t *value)
{
	lost |= json_object_set_new(object, key, value) != 0;
}

static void append(json_t *list, json_t *value)
{
	lost |= json_array_append_new(list, value) != 0;
}

/* ---- parts ------------------------------------------------------------------------------------- */

static json_t *json_device(const struct machine *machine, const struct device *d)
{
	json_t *const out = json_object();

	set(out, "name", json_words(d->name));
	set(out, "hardware", json_words(d->hardware));
	set(out, "platform", json_words(d->platform));
	set(out, "driver", json_words(d->driver));
	set(out, "memory_bytes", json_number(d->memory_bytes));
	set(out, "memory", d->memory >= 0 ? json_words(machine->memory[d->memory].name) : json_null());
	set(out, "figures", d->measured ? figures_json(d->measured) : json_null());
	if (!d->opencl)
		return out;
	set(out, "type", json_words(d->kind));
	set(out, "opencl", json_words(d->opencl));
	set(out, "compute_units", json_integer(d->compute_units));
	set(out, "clock_mhz", json_integer(d->clock_mhz));
	set(out, "max_alloc_bytes", json_number(d->max_alloc_bytes));
	set(out, "local_bytes", json_number(d->local_bytes));
	set(out, "max_work_group", json_number(d->max_work_group));
	set(out, "double", json_boolean(d->has_double));
	set(out, "half", json_boolean(d->has_half));
	set(out, "queues", json_integer(d->queues));
	set(out, "kernels", json_words(d->kernels));
	return out;
}

static json_t *json_memory(const struct machine *machine, int m)
{
	json_t *const out = json_object(), *const users = json_array();

	for (int d = 0; d < machine->device_count; d++)
		if (machine->device[d].memory == m)
			append(users, json_words(machine->device[d].name));
	set(out, "name", json_words(machine->memory[m].name));
	set(out, "devices", users);
	return out;
}

static json_t *json_time(double ns)
{
	return ns > 0 ? json_real(ns) : json_null();
}

static json_t *json_step(const struct step *s)
{
	json_t *const out = json_object();

	set(out, "from_bytes", json_number(s->from_bytes));
	set(out, "route", json_words(s->route));
	set(out, "chosen", json_words(s->chosen));
	set(out, "chunk_bytes", s->parts.bytes ? json_number(s->parts.bytes) : json_null());
	set(out, "depth", s->parts.depth ? json_integer(s->parts.depth) : json_null());
	set(out, "times", json_words(s->times));
	set(out, "least_bytes", json_number(s->least));
	set(out, "least_ns", json_time(s->least_ns));
	set(out, "most_bytes", json_number(s->most));
	set(out, "most_ns", json_time(s->most_ns));
	set(out, "bytes_per_s", s->most_ns > 0 ? json_real((double)s->most / s->most_ns * 1e9) : json_null());
	return out;
}

static json_t *json_way(const struct machine *machine, const struct way *way)
{
	json_t *const out = json_object(), *const steps = json_array(), *const barred = json_object();

	for (int i = 0; i < way->step_count; i++)
		append(steps, json_step(&way->step[i]));
	for (int b = 0; way->measured && b < way->measured->bar_count; b++)
		set(barred, het__cal_route_name(way->measured->bar[b].route),
		    json_words(way->measured->bar[b].why));
	set(out, "from", json_words(machine->memory[way->from].name));
	set(out, "to", json_words(machine->memory[way->to].name));
	set(out, "shape", json_words(het__cal_shape_name(way->shape)));
	set(out, "steps", steps);
	set(out, "barred", barred);
	return out;
}

static json_t *json_calibration(const struct machine *machine)
{
	json_t *const out = json_object();
	const struct het__calibration *const known = machine->calibration;

	set(out, "state", json_words(state_name(machine->state)));
	set(out, "file", json_words(machine->path));
	set(out, "date", known ? json_words(known->date) : json_null());
	set(out, "library", known ? json_words(known->library) : json_null());
	if (machine->state == REFUSED) {
		set(out, "reason", json_words(het__cal_reason_name(machine->refusal.reason)));
		set(out, "text", json_words(machine->refusal.text));
	}
	return out;
}

static json_t *json_problem(const struct problem *problem)
{
	json_t *const out = json_object();

	set(out, "severity", json_words(severity_name(problem->severity)));
	set(out, "text", json_words(problem->text));
	set(out, "advice", json_words(problem->advice));
	return out;
}

/* ---- all of it --------------------------------------------------------------------------------- */

static json_t *json_machine(const struct machine *machine)
{
	json_t *const out = json_object(), *const devices = json_array(), *const memories = json_array();
	json_t *const ways = json_array(), *const settings = json_object(), *const problems = json_array();

	for (int d = 0; d < machine->device_count; d++)
		append(devices, json_device(machine, &machine->device[d]));
	for (int m = 0; m < machine->memory_count; m++)
		append(memories, json_memory(machine, m));
	for (int w = 0; w < machine->way_count; w++)
		append(ways, json_way(machine, &machine->way[w]));
	for (int i = 0; i < machine->setting_count; i++)
		set(settings, machine->setting[i].name, json_words(machine->setting[i].value));
	for (int p = 0; p < machine->problem_count; p++)
		append(problems, json_problem(&machine->problem[p]));
	set(out, "library", json_string(het_version()));
	set(out, "devices", devices);
	set(out, "memories", memories);
	set(out, "routes", ways);
	set(out, "calibration", json_calibration(machine));
	if (machine->state != SAVED) {
		set(out, "environment", settings);
		set(out, "problems", problems);
	} else {
		json_decref(settings);
		json_decref(problems);
	}
	return out;
}

bool show_json(const struct machine *machine)
{
	json_t *const whole = json_machine(machine);

	if (!lost)
		return json_print(whole);
	json_decref(whole);
	return false;
}
#else
bool show_json(const struct machine *machine)
{
	(void)machine;
	return false;
}
#endif
