/* model.c - the data of a calibration: making, naming, finding. */
#include "calibration/calibration.h"

#include <string.h>

#include "base/alloc.h"

#define COUNT_OF(names) ((int)(sizeof(names) / sizeof(names)[0]))

/* Every route that a file may name, among them ones that this library may not have. Among equally cheap ones
 * the first is taken. */
static const char *const routes[HET__CAL_ROUTES] = {"copy", "staged", "pinned", "chunked", "mapped", "pack"};
static const char *const shapes[HET__CAL_SHAPES] = {"contiguous", "strided"};
static const char *const origins[HET__CAL_ORIGINS] = {"measured", "assumed", "user"};
static const char *const figures[HET__CAL_FIGURES] = {
	"launch_ns",         "triad_bytes_per_s", "single_flop_per_s",
	"double_flop_per_s", "queues_overlap",    "starts_unflushed",
	"behind_ns",         "edges_ns",
};

static int place_of(const char *name, const char *const *names, int count)
{
	for (int i = 0; i < count; i++)
		if (strcmp(name, names[i]) == 0)
			return i;
	return -1;
}

const char *het__cal_route_name(int route)
{
	return route >= 0 && route < COUNT_OF(routes) ? routes[route] : NULL;
}

const char *het__cal_shape_name(enum het__cal_shape shape)
{
	return shape < HET__CAL_SHAPES ? shapes[shape] : NULL;
}

const char *het__cal_origin_name(enum het__cal_origin origin)
{
	return origin < HET__CAL_ORIGINS ? origins[origin] : NULL;
}

const char *het__cal_figure_name(int figure)
{
	return figure >= 0 && figure < COUNT_OF(figures) ? figures[figure] : NULL;
}

uint64_t het__cal_figure_most(int figure)
{
	switch (figure) {
	case HET__CAL_QUEUES_OVERLAP:
	case HET__CAL_STARTS_UNFLUSHED:
		return 1;
	case HET__CAL_LAUNCH_NS:
	case HET__CAL_BEHIND_NS:
	case HET__CAL_EDGES_NS:
		return HET__CAL_MOST_NS;
	default:
		return HET__CAL_MOST_FIGURE;
	}
}

int het__cal_figure_of(const char *name)
{
	return place_of(name, figures, COUNT_OF(figures));
}

int het__cal_route_of(const char *name)
{
	return place_of(name, routes, COUNT_OF(routes));
}

int het__cal_shape_of(const char *name)
{
	return place_of(name, shapes, COUNT_OF(shapes));
}

int het__cal_origin_of(const char *name)
{
	return place_of(name, origins, COUNT_OF(origins));
}

bool het__cal_is_of_a_kind(const struct het__cal_device *a, const struct het__cal_device *b)
{
	return strcmp(a->platform, b->platform) == 0 && strcmp(a->hardware, b->hardware) == 0 &&
	       strcmp(a->driver, b->driver) == 0;
}

/* ---- making ------------------------------------------------------------------------------------ */

void het__calibration_free(struct het__calibration *calibration)
{
	if (!calibration)
		return;
	het__free(calibration->device);
	het__free(calibration->pair);
	het__free(calibration->between);
	memset(calibration, 0, sizeof *calibration);
}

struct het__cal_device *het__calibration_add_device(struct het__calibration *calibration)
{
	struct het__cal_device *device;

	if (het__grow(&calibration->device, &calibration->device_room, calibration->device_count + 1,
		      sizeof *calibration->device))
		return NULL;
	device = &calibration->device[calibration->device_count++];
	memset(device, 0, sizeof *device);
	return device;
}

struct het__cal_pair *het__calibration_add_pair(struct het__calibration *calibration)
{
	struct het__cal_pair *pair;

	if (het__grow(&calibration->pair, &calibration->pair_room, calibration->pair_count + 1,
		      sizeof *calibration->pair))
		return NULL;
	pair = &calibration->pair[calibration->pair_count++];
	memset(pair, 0, sizeof *pair);
	return pair;
}

static char writable(char c)
{
	if (c == '"' || c == '\\')
		return '\'';
	return (unsigned char)c < ' ' || c == 0x7f ? '?' : c;
}

void het__cal_text(char *out, size_t room, const char *text)
{
	size_t length;

	text += strspn(text, " \t\r\n");
	length = strlen(text);
	if (length > room - 1)
		length = room - 1;
	while (length > 0 && strchr(" \t\r\n", text[length - 1]))
		length--;
	memset(out, 0, room);
	for (size_t i = 0; i < length; i++)
		out[i] = writable(text[i]);
	if (length == 0)
		out[0] = '-';
}

/* ---- finding ----------------------------------------------------------------------------------- */

struct het__cal_device *het__calibration_device(const struct het__calibration *calibration, const char *name)
{
	for (int i = 0; i < calibration->device_count; i++)
		if (strcmp(calibration->device[i].name, name) == 0)
			return &calibration->device[i];
	return NULL;
}

struct het__cal_pair *het__calibration_pair(const struct het__calibration *calibration, const char *from,
					    const char *to, enum het__cal_shape shape)
{
	for (int i = 0; i < calibration->pair_count; i++) {
		struct het__cal_pair *pair = &calibration->pair[i];

		if (pair->shape == shape && strcmp(pair->from, from) == 0 && strcmp(pair->to, to) == 0)
			return pair;
	}
	return NULL;
}

int het__calibration_memory(const struct het__calibration *calibration, const char *name)
{
	const struct het__cal_device *const device = het__calibration_device(calibration, name);

	if (device)
		return (int)(device - calibration->device) + 1;
	return strcmp(name, HET__CAL_HOST) == 0 ? 0 : -1;
}

static size_t place_between(const struct het__calibration *calibration, int from, int to,
			    enum het__cal_shape shape)
{
	const size_t memories = (size_t)calibration->device_count + 1;

	return ((size_t)from * memories + (size_t)to) * HET__CAL_SHAPES + (size_t)shape;
}

bool het__calibration_index(struct het__calibration *calibration)
{
	const size_t memories = (size_t)calibration->device_count + 1;

	calibration->between =
		het__alloc_zeroed(memories * memories * HET__CAL_SHAPES, sizeof(struct het__cal_pair *));
	if (!calibration->between)
		return false;
	for (int i = 0; i < calibration->pair_count; i++) {
		const struct het__cal_pair *pair = &calibration->pair[i];
		const int from = het__calibration_memory(calibration, pair->from);
		const int to = het__calibration_memory(calibration, pair->to);

		calibration->between[place_between(calibration, from, to, pair->shape)] = pair;
	}
	return true;
}

const struct het__cal_pair *het__calibration_between(const struct het__calibration *calibration, int from,
						     int to, enum het__cal_shape shape)
{
	if (from < 0 || to < 0)
		return NULL;
	return calibration->between[place_between(calibration, from, to, shape)];
}

struct het__cal_curve *het__cal_curve(const struct het__cal_pair *pair, int route)
{
	for (int i = 0; i < pair->curve_count; i++)
		if (pair->curve[i].route == route)
			return (struct het__cal_curve *)&pair->curve[i];
	return NULL;
}

const struct het__cal_bar *het__cal_bar(const struct het__cal_pair *pair, int route)
{
	for (int i = 0; i < pair->bar_count; i++)
		if (pair->bar[i].route == route)
			return &pair->bar[i];
	return NULL;
}

const struct het__cal_choice *het__cal_choice(const struct het__cal_pair *pair, uint64_t bytes)
{
	const struct het__cal_choice *last = NULL;

	for (int i = 0; i < pair->choice_count && pair->choice[i].from_bytes <= bytes; i++)
		last = &pair->choice[i];
	return last;
}

/* A CPU's memory is the host's, whose size is no mark of the device; what PoCL tells of it changes from run to
 * run on some machines. */
static bool is_cpu(const struct het__cal_device *device)
{
	return strstr(device->name, ":cpu") != NULL;
}

const char *het__cal_device_differs(const struct het__cal_device *known, const struct het__cal_device *now)
{
	if (strcmp(known->platform, now->platform) != 0)
		return "platform";
	if (strcmp(known->hardware, now->hardware) != 0)
		return "hardware";
	if (strcmp(known->id, now->id) != 0)
		return "id";
	if (strcmp(known->driver, now->driver) != 0)
		return "driver";
	return known->memory_bytes == now->memory_bytes || is_cpu(known) ? NULL : "memory";
}
