/* text.c - a machine for people who read. */
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "calibrate/figures.h"
#include "calibrate/words.h"
#include "show.h"

#define COLUMNS 100
#define CLEAN_BYTES 2000

/* ---- lines ------------------------------------------------------------------------------------- */

/* How many columns a text takes, up to `most`; *bytes_p: of how many bytes. */
static int fit(const char *text, int most, size_t *bytes_p)
{
	size_t at = 0;
	int columns = 0;

	while (text[at] && text[at] != '\n' && columns < most) {
		at += het__utf8_bytes(text + at);
		columns++;
	}
	*bytes_p = at;
	return columns;
}

/* Prints as many words as fit; returns what is left. A word that fits in no line is cut. */
static const char *print_words(const char *text, int room)
{
	size_t length, cut;

	fit(text, room, &length);
	cut = length;
	if (text[length] && text[length] != '\n' && text[length] != ' ')
		while (cut > 0 && text[cut - 1] != ' ')
			cut--;
	if (cut == 0)
		cut = length;
	for (length = cut; length > 0 && text[length - 1] == ' ';)
		length--;
	printf("%.*s\n", (int)length, text);
	text += cut;
	return text + strspn(text, " \n");
}

/* `head` stands before the first line. The text of every line begins at `column`; line ends that it has itself
 * are kept. */
static void print_item(int column, const char *head, const char *text)
{
	char clean[CLEAN_BYTES];

	printf("%-*s", column, head);
	text = print_words(het__utf8_clean(clean, sizeof clean, text), COLUMNS - column);
	while (*text) {
		printf("%*s", column, "");
		text = print_words(text, COLUMNS - column);
	}
}

static const char *yes_no(bool yes)
{
	return yes ? "yes" : "no";
}

/* ---- devices ----------------------------------------------------------------------------------- */

static const char *where(const struct machine *machine, const struct device *device)
{
	if (device->memory == 0)
		return "in the host's memory";
	if (device->memory > 0)
		return "a memory of its own";
	return machine->state == SAVED ? "in no measured pair: in the host's memory, or not measured"
				       : "it could not be opened";
}

static void print_limits(const struct device *device)
{
	char text[200], local[WORDS_BYTES];
	const char *const kernels = strcmp(device->kernels, "run") == 0     ? "run"
				    : strcmp(device->kernels, "early") == 0 ? "END LOOPS EARLY"
				    : strcmp(device->kernels, "wrong") == 0 ? "COMPUTE WRONG RESULTS"
									    : "FAIL";

	snprintf(text, sizeof text, "%u unit%s at %u MHz, work-groups of up to %llu; local memory %s",
		 device->compute_units, device->compute_units == 1 ? "" : "s", device->clock_mhz,
		 (unsigned long long)device->max_work_group, amount_words(local, device->local_bytes));
	print_item(16, "    compute", text);
	snprintf(text, sizeof text, "double %s, half %s%s; kernels %s", yes_no(device->has_double),
		 yes_no(device->has_half), device->queues == 2 ? ", copies beside kernels" : "", kernels);
	print_item(16, "    can", text);
}

static void print_device(const struct machine *machine, const struct device *device)
{
	char text[CLEAN_BYTES], head[HET__CAL_NAME_BYTES + 8], whole[WORDS_BYTES], most[WORDS_BYTES];

	snprintf(head, sizeof head, "  %s", device->name);
	snprintf(text, sizeof text, "%s%s%s", device->kind, *device->kind ? ", " : "", device->hardware);
	if (strlen(head) < 30) {
		snprintf(head + strlen(head), 3, "  ");
		print_item((int)strlen(head), head, text);
	} else {
		print_item(2, "", device->name);
		print_item(4, "", text);
	}
	snprintf(text, sizeof text, "%s, driver %s%s%s", device->platform, device->driver,
		 device->opencl ? ", " : "", device->opencl ? device->opencl : "");
	print_item(16, "    platform", text);
	if (device->opencl)
		print_limits(device);
	amount_words(whole, device->memory_bytes);
	snprintf(text, sizeof text, device->opencl ? "%s, one allocation up to %s; %s" : "%s%.0s; %s", whole,
		 amount_words(most, device->max_alloc_bytes), where(machine, device));
	print_item(16, "    memory", text);
	if (device->measured && *figures_words(text, device->measured))
		print_item(16, "    measured", text);
}

static void print_devices(const struct machine *machine)
{
	printf("Devices\n");
	for (int d = 0; d < machine->device_count; d++)
		print_device(machine, &machine->device[d]);
	if (machine->device_count == 0)
		printf("  none\n");
}

/* ---- memories ---------------------------------------------------------------------------------- */

static void print_memories(const struct machine *machine)
{
	printf("\nMemories\n");
	for (int m = 0; m < machine->memory_count; m++) {
		char text[CLEAN_BYTES] = "";
		size_t used = (size_t)snprintf(text, sizeof text, "%s", m ? "" : "the host");

		for (int d = 0; d < machine->device_count && used < sizeof text; d++)
			if (machine->device[d].memory == m)
				used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
							 used ? ", " : "", machine->device[d].name);
		print_item(2, "", machine->memory[m].name);
		print_item(16, "    used by", text);
	}
	if (machine->memory_count == 0)
		printf("  none\n");
}

/* ---- routes ------------------------------------------------------------------------------------ */

static void print_step(const struct way *way, const struct step *step, bool first)
{
	char from[WORDS_BYTES], took[WORDS_BYTES], at[WORDS_BYTES], rate[WORDS_BYTES], most[WORDS_BYTES];

	printf("    %-10s from %8s %-7s ", first ? het__cal_shape_name(way->shape) : "",
	       size_words(from, step->from_bytes), step->route);
	if (step->least_ns > 0)
		printf("%-8s  %9s at %s, %s at %s", step->chosen, het__time_words(took, step->least_ns),
		       size_words(at, step->least), rate_words(rate, (double)step->most, step->most_ns),
		       size_words(most, step->most));
	else
		printf("%s", step->chosen);
	if (step->times && strcmp(step->times, step->chosen) != 0 && strcmp(step->times, "measured") != 0)
		printf(" (%s)", step->times);
	putchar('\n');
}

static void print_parts(const struct het__parts *parts)
{
	char size[WORDS_BYTES];

	if (parts->bytes && parts->depth)
		printf("%29sin parts of %s, %d at a time\n", "", size_words(size, parts->bytes), parts->depth);
	else if (parts->bytes)
		printf("%29sin parts of %s\n", "", size_words(size, parts->bytes));
	else if (parts->depth)
		printf("%29s%d parts at a time\n", "", parts->depth);
}

static void print_way(const struct machine *machine, const struct way *way)
{
	char text[2 * HET__CAL_NAME_BYTES + 16];
	char head[64];

	if (way->shape == HET__CAL_CONTIGUOUS || way == machine->way || way[-1].from != way->from ||
	    way[-1].to != way->to) {
		snprintf(text, sizeof text, "%s to %s", machine->memory[way->from].name,
			 machine->memory[way->to].name);
		print_item(2, "", text);
	}
	for (int i = 0; i < way->step_count; i++) {
		print_step(way, &way->step[i], i == 0);
		print_parts(&way->step[i].parts);
	}
	if (way->step_count == 0)
		printf("    %-10s nothing was measured: defaults apply\n", het__cal_shape_name(way->shape));
	for (int b = 0; way->measured && b < way->measured->bar_count; b++) {
		snprintf(head, sizeof head, "    %-10s barred        %-8s", "",
			 het__cal_route_name(way->measured->bar[b].route));
		print_item(37, head, way->measured->bar[b].why);
	}
}

static const char *why_no_way(const struct machine *machine)
{
	switch (machine->memory_count) {
	case 0: return "there is no device";
	case 1: return "there is one memory, and nothing has to be moved";
	default: return "nothing was measured";
	}
}

static void print_ways(const struct machine *machine)
{
	printf("\nRoutes: from which size on, how chosen, what it takes\n");
	for (int w = 0; w < machine->way_count; w++)
		print_way(machine, &machine->way[w]);
	if (machine->way_count == 0)
		printf("  none: %s\n", why_no_way(machine));
}

/* ---- calibration, settings, problems ----------------------------------------------------------- */

static void print_calibration(const struct machine *machine, bool brief)
{
	char text[PATH_MAX + 2 * HET__CAL_TEXT_BYTES + 40];
	const struct het__calibration *const known = machine->calibration;

	if (known)
		snprintf(text, sizeof text, "%s, of %s, by version %s%s", machine->path, known->date,
			 known->library, machine->state == FITS ? "; it fits this machine" : "");
	else if (machine->state == REFUSED)
		snprintf(text, sizeof text, "refused (%s): %s", het__cal_reason_name(machine->refusal.reason),
			 machine->path);
	else if (machine->state == UNTRIED)
		snprintf(text, sizeof text, "%s; there is no device to hold it against", machine->path);
	else if (strcmp(machine->path, "off") == 0)
		snprintf(text, sizeof text, "off (HETERO_CALIBRATION)");
	else
		snprintf(text, sizeof text, "none; the last place looked at is %s", machine->path);
	if (brief) {
		print_item(13, "Calibration", text);
		return;
	}
	printf("\nCalibration\n");
	print_item(2, "", text);
}

static void print_settings(const struct machine *machine)
{
	char head[40], text[CLEAN_BYTES];

	if (machine->setting_count > 0)
		printf("\nEnvironment\n");
	for (int i = 0; i < machine->setting_count; i++) {
		const struct setting *const s = &machine->setting[i];

		snprintf(head, sizeof head, "  %-20s", s->name);
		if (s->value)
			snprintf(text, sizeof text, "%s", s->value);
		else
			snprintf(text, sizeof text, "- (%s: %s)", s->values, s->meaning);
		print_item(22, head, text);
	}
}

static void print_problems(const struct machine *machine)
{
	if (machine->state == SAVED)
		return;
	printf("\nProblems\n");
	for (int p = 0; p < machine->problem_count; p++) {
		const struct problem *const problem = &machine->problem[p];
		char head[16];

		snprintf(head, sizeof head, "  %s", severity_name(problem->severity));
		print_item(11, head, problem->text);
		if (problem->advice)
			print_item(11, "", problem->advice);
	}
	if (machine->problem_count == 0)
		printf("  none\n");
}

/* ---- all of it --------------------------------------------------------------------------------- */

static void print_brief(const struct machine *machine)
{
	for (int d = 0; d < machine->device_count; d++) {
		const struct device *const device = &machine->device[d];
		char text[CLEAN_BYTES], memory[WORDS_BYTES];

		if (device->opencl)
			snprintf(text, sizeof text, "%s: %s; %u unit%s, %s, %s%s%s", device->name,
				 device->hardware, device->compute_units, device->compute_units == 1 ? "" : "s",
				 amount_words(memory, device->memory_bytes), where(machine, device),
				 device->has_double ? ", double" : "",
				 kernels_fault(device));
		else
			snprintf(text, sizeof text, "%s: %s; %s", device->name, device->hardware,
				 where(machine, device));
		print_item(13, d ? "" : "Devices", text);
	}
	print_calibration(machine, true);
}

void show_text(const struct machine *machine, bool brief)
{
	if (brief) {
		print_brief(machine);
		print_problems(machine);
		return;
	}
	if (machine->state == SAVED)
		printf("Saved by Hetero %s\n\n", machine->calibration->library);
	else
		printf("Hetero %s\n\n", het_version());
	print_devices(machine);
	print_memories(machine);
	print_ways(machine);
	print_calibration(machine, false);
	print_settings(machine);
	print_problems(machine);
}
