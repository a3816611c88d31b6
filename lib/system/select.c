/* select.c - from "pocl:cpu/1, gpu0" to a list of devices. */
#include "system/select.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"

/* A term, cut in pieces. Texts point into the caller's copy of the selection. */
struct term {
	const char *whole;    /* as written, for errors */
	const char *platform; /* NULL: any */
	bool by_label;        /* `platform` is some platform's label: parts of names do not count */
	char *what;
	size_t length;        /* of the front of `what` that the hardware's name has; the number follows it */
	const char *kind;     /* "*", "cpu"...; NULL: `what` is part of the hardware's name */
	bool is_number;       /* `what` is digits that a name has, not a device's number */
	long number;          /* of the device among those of its platform that match; -1: all */
	bool of_all;          /* `number` counts all devices that can be used, as het_open numbers them */
	long part;            /* of the device; -1: the device, or all its parts */
	long units;           /* per part; 0: the device is not cut */
};

static const char *const kinds[] = {"*", "cpu", "gpu", "accelerator", "other"};

/* ---- texts ------------------------------------------------------------------------------------- */

static char *trim(char *text)
{
	char *end;

	while (isspace((unsigned char)*text))
		text++;
	end = text + strlen(text);
	while (end > text && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return text;
}

static bool contains(const char *text, const char *part, size_t length)
{
	for (; strlen(text) >= length; text++)
		if (strncasecmp(text, part, length) == 0)
			return true;
	return false;
}

/* Does a name have this number? Some digits of a longer number are not it. Nor are one or two digits beside a
 * letter or a point: else the number of a device that is not there would be found in names. Found are 4090, 200
 * of H200, 7 of EPYC 7; not 1 of avx512, 5 of E5, nor 6 of LLVM 15.0.6. */
static bool contains_number(const char *text, const char *digits)
{
	const size_t length = strlen(digits);

	for (const char *p = text; (p = strstr(p, digits)) != NULL; p++) {
		const char beside[2] = {p > text ? p[-1] : ' ', p[length]};
		bool is_alone = true;

		for (int i = 0; i < 2; i++)
			if (isdigit((unsigned char)beside[i]) ||
			    (length <= 2 && (isalpha((unsigned char)beside[i]) || beside[i] == '.')))
				is_alone = false;
		if (is_alone)
			return true;
	}
	return false;
}

/* Reads digits, at most nine, and moves *text_p past them. False where there are none or too many. */
static bool read_number(const char **text_p, long *number_p)
{
	const size_t length = strspn(*text_p, "0123456789");

	if (length == 0 || length > 9)
		return false;
	*number_p = strtol(*text_p, NULL, 10);
	*text_p += length;
	return true;
}

/* ---- parsing ----------------------------------------------------------------------------------- */

static het_status malformed(const struct term *term, const char *why)
{
	return het__fail(HET_ERR_SELECTION, "device selection: '%s' %s", term->whole, why);
}

/* Is `what` a kind, perhaps with a number and a part? "cpu", "cpu1", "cpu1.0". */
static bool parse_kind(struct term *term, const char *kind)
{
	const size_t length = strlen(kind);
	const char *rest = term->what + length;
	long number = -1, part = -1;

	if (strncasecmp(term->what, kind, length) != 0)
		return false;
	if (*rest && !read_number(&rest, &number))
		return false;
	if (*rest == '.' && (rest++, !read_number(&rest, &part)))
		return false;
	if (*rest)
		return false;
	term->kind = kind;
	term->number = number;
	term->part = part;
	return true;
}

/* Takes "/UNITS" off the end of `what`. */
static het_status parse_units(struct term *term)
{
	char *const slash = strrchr(term->what, '/');
	const char *rest;

	if (!slash)
		return HET_OK;
	rest = trim(slash + 1);
	if (!read_number(&rest, &term->units) || *rest || term->units == 0)
		return malformed(term, "needs a number of compute units, 1 or more, after '/'");
	*slash = '\0';
	term->what = trim(term->what);
	return HET_OK;
}

/* `text` is cut up; `whole` is the same text for errors. */
static het_status parse_term(char *text, const char *whole, struct term *term)
{
	char *const colon = strchr(text, ':');
	het_status status;

	*term = (struct term){.whole = whole, .what = trim(text), .number = -1, .part = -1};
	if (colon) {
		*colon = '\0';
		term->platform = trim(text);
		term->what = trim(colon + 1);
		if (!*term->platform)
			return malformed(term, "has no platform before ':'");
	}
	status = parse_units(term);
	if (status)
		return status;
	if (!*term->what)
		return malformed(term, "names no device");
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (parse_kind(term, kinds[i]))
			break;
	return HET_OK;
}

/* ---- matching ---------------------------------------------------------------------------------- */

static bool platform_matches(const struct term *term, const struct het__found_platform *platform)
{
	if (!term->platform)
		return true;
	if (term->by_label)
		return strcasecmp(term->platform, platform->label) == 0;
	return contains(platform->name, term->platform, strlen(term->platform));
}

static bool is_label(const struct het__found *found, const char *text)
{
	for (int i = 0; i < found->platform_count; i++)
		if (strcasecmp(text, found->platforms[i].label) == 0)
			return true;
	return false;
}

/* Does a device match a term, but for the number? */
static bool device_matches(const struct het__found *found, const struct term *term, int index)
{
	const struct het__found_device *const device = &found->devices[index];

	if (!platform_matches(term, &found->platforms[device->platform]))
		return false;
	if (term->is_number)
		return contains_number(device->hardware, term->what);
	if (!term->kind)
		return contains(device->hardware, term->what, term->length);
	return term->kind[0] == '*' || strcmp(term->kind, device->kind) == 0;
}

static bool anything_matches(const struct het__found *found, const struct term *term)
{
	for (int i = 0; i < found->device_count; i++)
		if (device_matches(found, term, i))
			return true;
	return false;
}

/* "rusticl", alone: all of that platform's devices, unless it is part of some device's name. */
static void expand_platform(const struct het__found *found, struct term *term)
{
	if (term->platform || term->kind || anything_matches(found, term) || !is_label(found, term->what))
		return;
	term->platform = term->what;
	term->by_label = true;
	term->kind = kinds[0];
}

/* "1", "pocl:0": a number alone is a device's. Where there are not so many devices it is part of a name, as
 * 4090 is. */
static void take_number(const struct het__found *found, struct term *term)
{
	const char *rest = term->what;
	long number, devices = 0;

	if (term->kind || !read_number(&rest, &number) || *rest)
		return;
	for (int i = 0; i < found->device_count; i++)
		if (term->platform ? platform_matches(term, &found->platforms[found->devices[i].platform])
				   : found->devices[i].usable)
			devices++;
	term->is_number = number >= devices;
	if (term->is_number)
		return;
	term->kind = kinds[0];
	term->number = number;
	term->of_all = !term->platform;
}

/* "llvmpipe0": digits at the end of a text are part of the name as far as some device is called so ("H200"),
 * and the rest of them is the device's number. */
static void split_number(const struct het__found *found, struct term *term)
{
	const size_t length = strlen(term->what);
	const char *digits = term->what + length;

	term->length = length;
	if (term->kind || term->is_number)
		return;
	while (!anything_matches(found, term) && digits > term->what + 1 && isdigit((unsigned char)digits[-1]))
		term->length = (size_t)(--digits - term->what);
	if (*digits && !read_number(&digits, &term->number))
		term->length = length;
}

/* ---- choosing ---------------------------------------------------------------------------------- */

static het_status choose(struct het__choices *choices, struct het__choice choice)
{
	for (int i = 0; i < choices->count; i++) {
		const struct het__choice *const had = &choices->at[i];
		if (had->device == choice.device && had->part == choice.part && had->units == choice.units)
			return HET_OK;
	}
	if (het__grow(&choices->at, &choices->room, choices->count + 1, sizeof *choices->at))
		return het__fail(HET_ERR_MEMORY, "no memory for the list of chosen devices");
	choices->at[choices->count++] = choice;
	return HET_OK;
}

static het_status choose_parts(const struct het__found *found, const struct term *term, int index,
                               struct het__choices *choices)
{
	const struct het__found_device *const device = &found->devices[index];
	const struct het__driver *const driver = found->platforms[device->platform].driver;
	const cl_uint units = term->units ? (cl_uint)term->units : 1;
	const cl_uint parts = device->facts.compute_units / units;
	const bool can_cut = driver->can_cut && device->facts.can_part_equally && device->facts.max_parts >= 2;
	het_status status = HET_OK;

	/* "cpu/1" speaks of every CPU: one that cannot be cut is taken whole. "rusticl:cpu/1" asks for parts of
	 * just that one, and fails. */
	if (!can_cut && term->kind && !term->platform && term->number < 0 && term->part < 0)
		return choose(choices, (struct het__choice){index, -1, 0});
	if (!can_cut)
		return het__fail(HET_ERR_SELECTION, "device selection: '%s': %s cannot be cut into sub-devices",
		                 term->whole, device->name);
	if (parts == 0 || parts > device->facts.max_parts || term->part >= (long)parts)
		return het__fail(HET_ERR_SELECTION,
		                 "device selection: '%s': %s has %u compute units, which make %u parts of %u",
		                 term->whole, device->name, (unsigned)device->facts.compute_units,
		                 (unsigned)parts, (unsigned)units);
	if (term->part >= 0)
		return choose(choices, (struct het__choice){index, (int)term->part, units});
	for (cl_uint i = 0; i < parts && !status; i++)
		status = choose(choices, (struct het__choice){index, (int)i, units});
	return status;
}

static het_status choose_device(const struct het__found *found, const struct term *term, int index,
                                struct het__choices *choices)
{
	if (term->units || term->part >= 0)
		return choose_parts(found, term, index, choices);
	return choose(choices, (struct het__choice){index, -1, 0});
}

/* ---- a whole selection ------------------------------------------------------------------------- */

static bool has_devices(const struct het__found *found, int platform)
{
	for (int i = 0; i < found->device_count; i++)
		if (found->devices[i].platform == platform)
			return true;
	return false;
}

/* A platform that was named, and is there, may lack devices for a reason. */
static void add_trouble(const struct het__found *found, const struct term *term)
{
	char text[HET__LINK_BYTES];

	for (int i = 0; i < found->platform_count && term->platform; i++) {
		if (!platform_matches(term, &found->platforms[i]) || has_devices(found, i))
			continue;
		het__platform_trouble(&found->platforms[i], text);
		het__fail_more("; ");
		het__fail_more(text);
	}
}

static het_status nothing_matches(const struct het__found *found, const struct term *term)
{
	char list[2048] = "";
	size_t used = 0;

	for (int i = 0; i < found->device_count && used < sizeof list; i++) {
		const struct het__found_device *const device = &found->devices[i];
		const int n = snprintf(list + used, sizeof list - used, "%s%s (%s%s)", i ? ", " : "",
		                       device->name, device->hardware, device->usable ? "" : "; not usable");
		used += n > 0 ? (size_t)n : 0;
	}
	(void)het__fail(HET_ERR_SELECTION, "device selection: nothing matches '%s'; there is: %s", term->whole,
			list);
	add_trouble(found, term);
	return HET_ERR_SELECTION;
}

static het_status follow_term(const struct het__found *found, struct term *term, struct het__choices *choices)
{
	het_status status = HET_OK;
	int platform = -1, number = 0, matched = 0;

	term->by_label = term->platform && is_label(found, term->platform);
	term->length = strlen(term->what);
	take_number(found, term);
	expand_platform(found, term);
	split_number(found, term);
	for (int i = 0; i < found->device_count && !status; i++) {
		if (found->devices[i].platform != platform && !term->of_all) {
			platform = found->devices[i].platform;
			number = 0;
		}
		if (!device_matches(found, term, i) || (term->of_all && !found->devices[i].usable))
			continue;
		if ((term->number >= 0 && number++ != term->number) || !found->devices[i].usable)
			continue;
		matched++;
		status = choose_device(found, term, i, choices);
	}
	return status || matched ? status : nothing_matches(found, term);
}

/* Terms stand at equal places in both copies: one is cut up, the other keeps what was written. */
static het_status follow(const struct het__found *found, const char *selection, char *text, char *whole,
			 struct het__choices *choices)
{
	het_status status = HET_OK;
	bool more = true;

	while (more && !status) {
		const size_t length = strcspn(text, ",");
		struct term term;

		more = text[length] == ',';
		text[length] = whole[length] = '\0';
		status = parse_term(text, trim(whole), &term);
		if (status && !*term.whole && *selection)
			status = het__fail(HET_ERR_SELECTION,
					   "device selection: a term of '%s' is empty, which names no device",
					   selection);
		if (!status)
			status = follow_term(found, &term, choices);
		text += length + 1;
		whole += length + 1;
	}
	return status;
}

het_status het__select(const struct het__found *found, const char *selection, struct het__choices *choices)
{
	char *const text = het__strdup(selection ? selection : "*");
	char *const whole = text ? het__strdup(text) : NULL;
	het_status status;

	*choices = (struct het__choices){.at = NULL};
	if (whole)
		status = follow(found, selection ? selection : "*", text, whole, choices);
	else
		status = het__fail(HET_ERR_MEMORY, "no memory for a device selection");
	het__free(whole);
	het__free(text);
	return status;
}

void het__choice_name(const struct het__found *found, const struct het__choice *choice, char *name,
                      size_t bytes)
{
	const char *const whole = found->devices[choice->device].name;

	if (choice->part < 0)
		snprintf(name, bytes, "%s", whole);
	else if (choice->units == 1)
		snprintf(name, bytes, "%s.%d", whole, choice->part);
	else
		snprintf(name, bytes, "%s.%d/%u", whole, choice->part, (unsigned)choice->units);
}
