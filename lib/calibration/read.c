/* read.c - from a file to a calibration. */
#include "calibration/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <iniparser/iniparser.h>

#include "base/alloc.h"
#include "calibration/scan.h"

struct reader {
	struct het__calibration *to;
	struct het__cal_refusal *refusal;
	const char *path;
	struct het__cal_scan scan;
	dictionary *values;
	int line; /* that is being read */
};

#define REFUSE(reader, reason, ...)                                                                            \
	het__cal_refuse((reader)->refusal, (reader)->path, (reader)->line, HET__CAL_##reason, __VA_ARGS__)

/* The value of a key as iniparser has it. */
static const char *value_of(const struct reader *r, int section, const char *key)
{
	char name[160];

	snprintf(name, sizeof name, "%s:%s", r->scan.section[section].name, key);
	return iniparser_getstring(r->values, name, NULL);
}

/* ---- words and numbers ------------------------------------------------------------------------- */

/* Moves *text past its next word; false where there is none, or none that fits. */
static bool next_word(const char **text, char *word, size_t room)
{
	const char *const at = *text + strspn(*text, " \t");
	const size_t length = strcspn(at, " \t,");

	*text = at + length;
	if (length == 0 || length >= room)
		return false;
	memcpy(word, at, length);
	word[length] = '\0';
	return true;
}

static bool at_end(const char *text)
{
	return text[strspn(text, " \t")] == '\0';
}

static bool number(struct reader *r, const char *what, const char *word, uint64_t least, uint64_t most,
		   uint64_t *number_p)
{
	uint64_t value = 0;

	if (*word == '\0' || strspn(word, "0123456789") != strlen(word))
		return REFUSE(r, BAD_NUMBER, "%s is '%.40s'", what, word);
	for (const char *digit = word; *digit; digit++) {
		const uint64_t d = (uint64_t)(*digit - '0');

		value = value > (UINT64_MAX - d) / 10 ? UINT64_MAX : value * 10 + d;
	}
	if (value < least || value > most)
		return REFUSE(r, OUT_OF_RANGE, "%s is %.40s: it must be %llu to %llu", what, word,
			      (unsigned long long)least, (unsigned long long)most);
	*number_p = value;
	return true;
}

static bool next_number(struct reader *r, const char *what, const char **text, uint64_t least, uint64_t most,
			uint64_t *number_p)
{
	char word[40] = "";

	if (!next_word(text, word, sizeof word))
		return REFUSE(r, BAD_NUMBER, "%s is missing", what);
	return number(r, what, word, least, most, number_p);
}

static bool next_origin(struct reader *r, const char **text, enum het__cal_origin *origin_p)
{
	char word[40] = "";
	int origin = -1;

	if (next_word(text, word, sizeof word))
		origin = het__cal_origin_of(word);
	if (origin < 0)
		return REFUSE(r, BAD_WORD, "'%s' is none of measured, assumed, user", word);
	*origin_p = (enum het__cal_origin)origin;
	return true;
}

static bool route_named(struct reader *r, const char *name, int *route_p)
{
	const int route = het__cal_route_of(name);

	if (route < 0)
		return REFUSE(r, UNKNOWN_ROUTE, "'%.40s'", name);
	*route_p = route;
	return true;
}

static bool done(struct reader *r, const char *text)
{
	return at_end(text) || REFUSE(r, BAD_WORD, "'%.60s' is one too many", text);
}

static bool text(struct reader *r, const char *value, char *out, size_t room)
{
	if (strlen(value) >= room)
		return REFUSE(r, OUT_OF_RANGE, "a text of more than %zu bytes", room - 1);
	het__cal_text(out, room, value);
	return strcmp(out, value) == 0 || REFUSE(r, BAD_WORD, "a text with what no text may hold");
}

/* ---- keys -------------------------------------------------------------------------------------- */

/* What comes after "choice." in "choice.3"; NULL where the key does not begin so. */
static const char *after(const char *key, const char *start)
{
	const size_t length = strlen(start);

	return strncmp(key, start, length) == 0 ? key + length : NULL;
}

static bool read_head(struct reader *r, const char *key, const char *value)
{
	struct het__calibration *const to = r->to;

	if (strcmp(key, "format") == 0)
		return true; /* looked at first of all */
	if (strcmp(key, "library") == 0)
		return text(r, value, to->library, sizeof to->library);
	if (strcmp(key, "date") == 0)
		return text(r, value, to->date, sizeof to->date);
	return REFUSE(r, UNKNOWN_KEY, "%s in [calibration]", key);
}

/* "ORIGIN VALUE SPREAD" */
static bool read_figure(struct reader *r, struct het__cal_device *device, const char *name, const char *value)
{
	const int which = het__cal_figure_of(name);
	struct het__cal_figure *figure;

	if (which < 0)
		return REFUSE(r, UNKNOWN_KEY, "figure.%.40s of a device", name);
	figure = &device->figure[which];
	figure->known = 1;
	return next_origin(r, &value, &figure->origin) &&
	       next_number(r, name, &value, 0, het__cal_figure_most(which), &figure->value) &&
	       next_number(r, "the spread", &value, 0, HET__CAL_MOST_FIGURE, &figure->spread) && done(r, value);
}

static bool read_device(struct reader *r, const char *key, const char *value)
{
	struct het__cal_device *const device = &r->to->device[r->to->device_count - 1];
	const char *figure;

	if (strcmp(key, "name") == 0)
		return text(r, value, device->name, sizeof device->name);
	if (strcmp(key, "platform") == 0)
		return text(r, value, device->platform, sizeof device->platform);
	if (strcmp(key, "hardware") == 0)
		return text(r, value, device->hardware, sizeof device->hardware);
	if (strcmp(key, "driver") == 0)
		return text(r, value, device->driver, sizeof device->driver);
	if (strcmp(key, "id") == 0)
		return text(r, value, device->id, sizeof device->id);
	if (strcmp(key, "memory_bytes") == 0)
		return number(r, key, value, 0, UINT64_MAX - 1, &device->memory_bytes);
	if ((figure = after(key, "figure.")) != NULL)
		return read_figure(r, device, figure, value);
	return REFUSE(r, UNKNOWN_KEY, "%s of a device", key);
}

/* "FROM_BYTES ROUTE CHUNK_BYTES DEPTH ORIGIN" */
static bool read_choice(struct reader *r, struct het__cal_pair *pair, const char *which, const char *value)
{
	struct het__cal_choice *const choice = &pair->choice[pair->choice_count];
	uint64_t place, depth, least = 0, most = 0;
	char route[40] = "";

	if (!number(r, "the number of a choice", which, 1, HET__CAL_CHOICES, &place))
		return false;
	if (place != (uint64_t)pair->choice_count + 1)
		return REFUSE(r, OUT_OF_RANGE, "choices are numbered 1, 2, 3... in this order");
	if (pair->choice_count > 0) {
		least = choice[-1].from_bytes + 1;
		most = HET__CAL_MOST_BYTES;
	}
	if (!next_number(r, "the first number, from how many bytes on,", &value, least, most,
			 &choice->from_bytes))
		return false;
	(void)next_word(&value, route, sizeof route);
	if (!route_named(r, route, &choice->route) ||
	    !next_number(r, "the chunk's bytes", &value, 0, HET__CAL_MOST_BYTES, &choice->chunk_bytes) ||
	    !next_number(r, "the depth", &value, 0, HET__CAL_MOST_DEPTH, &depth) ||
	    !next_origin(r, &value, &choice->origin) || !done(r, value))
		return false;
	choice->depth = (int)depth;
	pair->choice_count++;
	return true;
}

static bool read_point(struct reader *r, struct het__cal_curve *curve, const char **value)
{
	struct het__cal_point *const point = &curve->at[curve->count];
	const uint64_t least = curve->count ? point[-1].bytes + 1 : 1;

	if (curve->count == HET__CAL_POINTS)
		return REFUSE(r, OUT_OF_RANGE, "more than %d points", HET__CAL_POINTS);
	curve->count++;
	return next_number(r, "a point's bytes", value, least, HET__CAL_MOST_BYTES, &point->bytes) &&
	       next_number(r, "a point's ns", value, 1, HET__CAL_MOST_NS, &point->ns) &&
	       next_number(r, "a point's spread", value, 0, HET__CAL_MOST_NS, &point->spread_ns);
}

/* "ORIGIN BYTES NS SPREAD_NS, BYTES NS SPREAD_NS..." */
static bool read_curve(struct reader *r, struct het__cal_pair *pair, const char *route, const char *value)
{
	struct het__cal_curve *const curve = &pair->curve[pair->curve_count];

	if (!route_named(r, route, &curve->route))
		return false;
	pair->curve_count++; /* keys are unequal, and so are routes: there is room */
	if (!next_origin(r, &value, &curve->origin))
		return false;
	do {
		value += *value == ',';
		if (!read_point(r, curve, &value))
			return false;
		value += strspn(value, " \t");
	} while (*value == ',');
	return done(r, value);
}

/* "ORIGIN WHY" */
static bool read_bar(struct reader *r, struct het__cal_pair *pair, const char *route, const char *value)
{
	struct het__cal_bar *const bar = &pair->bar[pair->bar_count];

	if (!route_named(r, route, &bar->route) || !next_origin(r, &value, &bar->origin))
		return false;
	pair->bar_count++;
	value += strspn(value, " \t");
	if (*value == '\0')
		return REFUSE(r, BAD_WORD, "why it is barred is missing after %s",
			      het__cal_origin_name(bar->origin));
	return text(r, value, bar->why, sizeof bar->why);
}

static bool read_pair(struct reader *r, const char *key, const char *value)
{
	struct het__cal_pair *const pair = &r->to->pair[r->to->pair_count - 1];
	const char *rest;
	int shape;

	if (strcmp(key, "from") == 0)
		return text(r, value, pair->from, sizeof pair->from);
	if (strcmp(key, "to") == 0)
		return text(r, value, pair->to, sizeof pair->to);
	if ((rest = after(key, "choice.")) != NULL)
		return read_choice(r, pair, rest, value);
	if ((rest = after(key, "points.")) != NULL)
		return read_curve(r, pair, rest, value);
	if ((rest = after(key, "barred.")) != NULL)
		return read_bar(r, pair, rest, value);
	if (strcmp(key, "shape") != 0)
		return REFUSE(r, UNKNOWN_KEY, "%s of a pair", key);
	shape = het__cal_shape_of(value);
	if (shape < 0)
		return REFUSE(r, BAD_WORD, "the shape '%.40s' is neither contiguous nor strided", value);
	pair->shape = (enum het__cal_shape)shape;
	return true;
}

/* ---- sections ---------------------------------------------------------------------------------- */

struct kind {
	const char *name; /* "device.": a number follows */
	const char *needs[7];
	bool (*read)(struct reader *r, const char *key, const char *value);
};

static bool read_nothing(struct reader *r, const char *key, const char *value)
{
	(void)value;
	return REFUSE(r, UNKNOWN_KEY, "%s after the end", key);
}

static const struct kind kinds[] = {
	{"calibration", {"format", "library", "date"}, read_head},
	{"device.", {"name", "platform", "hardware", "driver", "id", "memory_bytes"}, read_device},
	{"pair.", {"from", "to", "shape"}, read_pair},
	{"end", {NULL}, read_nothing},
};

static bool is_of(const struct kind *kind, const char *section)
{
	const char *const rest = after(section, kind->name);

	if (!rest || kind->name[strlen(kind->name) - 1] != '.')
		return rest && *rest == '\0';
	return *rest && strlen(rest) < 10 && strspn(rest, "0123456789") == strlen(rest);
}

static const struct kind *kind_of(const char *section)
{
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (is_of(&kinds[i], section))
			return &kinds[i];
	return NULL;
}

/* Room for what the section tells of. */
static bool begin(struct reader *r, const struct kind *kind)
{
	bool good = true;

	if (kind->read == read_device && r->to->device_count == HET__CAL_MOST_DEVICES)
		return REFUSE(r, OUT_OF_RANGE, "more than %d devices", HET__CAL_MOST_DEVICES);
	if (kind->read == read_pair && r->to->pair_count == HET__CAL_MOST_PAIRS)
		return REFUSE(r, OUT_OF_RANGE, "more than %d pairs", HET__CAL_MOST_PAIRS);
	if (kind->read == read_device)
		good = het__calibration_add_device(r->to) != NULL;
	else if (kind->read == read_pair)
		good = het__calibration_add_pair(r->to) != NULL;
	return good || REFUSE(r, NO_MEMORY, "no memory to read it");
}

static bool has_needs(struct reader *r, const struct kind *kind, int section)
{
	for (int i = 0; kind->needs[i]; i++)
		if (!value_of(r, section, kind->needs[i]))
			return REFUSE(r, MISSING_KEY, "[%s] has no %s", r->scan.section[section].name,
				      kind->needs[i]);
	return true;
}

static bool is_memory(const struct reader *r, const char *name)
{
	return strcmp(name, HET__CAL_HOST) == 0 || het__calibration_device(r->to, name) != NULL;
}

/* K1 and K2 of the device or the pair that was just read. */
static bool fits(struct reader *r, const struct kind *kind)
{
	const struct het__calibration *const c = r->to;

	if (kind->read == read_device) {
		const struct het__cal_device *const last = &c->device[c->device_count - 1];

		if (strcmp(last->name, HET__CAL_HOST) == 0)
			return REFUSE(r, BAD_WORD, "a device is called %s, as the memory of the host is",
				      HET__CAL_HOST);
		if (het__calibration_device(c, last->name) != last)
			return REFUSE(r, DUPLICATE_SECTION, "a second device is called %.100s", last->name);
	}
	if (kind->read == read_pair) {
		const struct het__cal_pair *const last = &c->pair[c->pair_count - 1];

		if (het__calibration_pair(c, last->from, last->to, last->shape) != last)
			return REFUSE(r, DUPLICATE_SECTION, "a second %s pair from %.80s to %.80s",
				      het__cal_shape_name(last->shape), last->from, last->to);
		if (!is_memory(r, last->from) || !is_memory(r, last->to))
			return REFUSE(r, UNKNOWN_DEVICE,
				      "a pair of %.80s and %.80s, but no section [device] "
				      "before it says what that is",
				      last->from, last->to);
		if (strcmp(last->from, last->to) == 0)
			return REFUSE(r, OUT_OF_RANGE, "a pair of %.100s with itself", last->from);
	}
	return true;
}

static bool read_section(struct reader *r, int section, int *entry)
{
	const struct kind *const kind = kind_of(r->scan.section[section].name);
	const int first_line = r->line = r->scan.section[section].line;

	if (!kind)
		return REFUSE(r, UNKNOWN_SECTION, "[%s]", r->scan.section[section].name);
	if (!begin(r, kind) || !has_needs(r, kind, section))
		return false;
	for (; *entry < r->scan.entry_count && r->scan.entry[*entry].section == section; ++*entry) {
		const struct het__cal_entry *const e = &r->scan.entry[*entry];
		const char *const value = value_of(r, section, e->key);

		r->line = e->line;
		if (!value)
			return REFUSE(r, BAD_LINE, "iniparser does not see %s", e->key);
		if (!kind->read(r, e->key, value))
			return false;
	}
	r->line = first_line;
	return fits(r, kind);
}

/* Before anything else, so that a file of another format is refused as such. */
static bool read_format(struct reader *r)
{
	const char *value = NULL;
	uint64_t format;

	r->line = r->scan.section[0].line;
	if (strcmp(r->scan.section[0].name, "calibration") == 0)
		value = value_of(r, 0, "format");
	if (!value)
		return REFUSE(r, VERSION, "it does not begin with [calibration] and a format");
	if (!number(r, "the format", value, 0, UINT64_MAX - 1, &format))
		return false;
	if (format != HET__CAL_FORMAT)
		return REFUSE(r, VERSION, "its format is %llu; this version of the library reads %d",
			      (unsigned long long)format, HET__CAL_FORMAT);
	r->to->format = (int)format;
	return true;
}

static bool read_sections(struct reader *r)
{
	int entry = 0;

	if (!read_format(r))
		return false;
	for (int i = 0; i < r->scan.section_count; i++)
		if (!read_section(r, i, &entry))
			return false;
	return true;
}

/* ---- the file ---------------------------------------------------------------------------------- */

/* iniparser takes a name, not an open file. /proc/self/fd/N is sure to be the file that was scanned; its own
 * name may lead to another one by now. */
static dictionary *load_values(int file, const char *name)
{
	char opened[40];

	snprintf(opened, sizeof opened, "/proc/self/fd/%d", file);
	return iniparser_load(access(opened, R_OK) == 0 ? opened : name);
}

bool het__calibration_read_open(int file, const char *name, const char *path,
				struct het__calibration *calibration, struct het__cal_refusal *refusal)
{
	struct reader r = {.to = calibration, .refusal = refusal, .path = path};
	bool good;

	if (!het__cal_scan(file, path, &r.scan, refusal))
		return false;
	errno = 0;
	r.values = load_values(file, name);
	if (r.values)
		good = read_sections(&r);
	else if (errno == ENOMEM)
		good = REFUSE(&r, NO_MEMORY, "no memory to read it");
	else
		good = REFUSE(&r, UNREADABLE, "iniparser cannot read it");
	iniparser_freedict(r.values);
	het__cal_scan_free(&r.scan);
	if (!good)
		het__calibration_free(calibration);
	return good;
}

bool het__calibration_read(const char *path, struct het__calibration *calibration,
			   struct het__cal_refusal *refusal)
{
	const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool good;

	if (file < 0 && (errno == ENOENT || errno == ENOTDIR))
		return het__cal_refuse(refusal, path, 0, HET__CAL_MISSING, "there is no such file");
	if (file < 0 && errno == ENOMEM)
		return het__cal_refuse(refusal, path, 0, HET__CAL_NO_MEMORY, "no memory to read it");
	if (file < 0)
		return het__cal_refuse(refusal, path, 0, HET__CAL_UNREADABLE, "%s", strerror(errno));
	good = het__calibration_read_open(file, path, path, calibration, refusal);
	close(file);
	return good;
}
