/* write.c - from a calibration to a file that people can read and edit. */
#include "calibration/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"

static const char head[] =
	"# Calibration of Hetero: what hetero-calibrate measured on this machine; see hetero-calibration(5).\n"
	"# Programs read it when they open the devices. It decides how long things take, never what they\n"
	"# compute. Without it, or where it does not fit the machine any more, documented defaults apply.\n"
	"#\n"
	"# Of a device:\n"
	"#   figure.NAME = ORIGIN VALUE SPREAD\n"
	"#       what it was measured to do: median of the samples, and by how much medians vary\n"
	"# A pair is two memories, of which \"host\" is one, and a shape: boxes that are contiguous or not.\n"
	"#   choice.N = FROM_BYTES ROUTE CHUNK_BYTES DEPTH ORIGIN\n"
	"#       from so many bytes on, up to the next choice, this route; 0 is the route's own default\n"
	"#   points.ROUTE = ORIGIN BYTES NS SPREAD_NS, ...\n"
	"#       so many bytes took so long: median of the samples, and by how much medians vary\n"
	"#   barred.ROUTE = \"ORIGIN WHY\"\n"
	"#       never taken\n"
	"# ORIGIN is measured, assumed or user. Lines that you mark with user outlive the next measurement,\n"
	"# comments do not.\n";

/* ---- sections ---------------------------------------------------------------------------------- */

static void put_device(struct het__text *out, int number, const struct het__cal_device *device)
{
	het__text_add(out, "\n[device.%d]\n", number);
	het__text_add(out, "name = \"%s\"\n", device->name);
	het__text_add(out, "platform = \"%s\"\n", device->platform);
	het__text_add(out, "hardware = \"%s\"\n", device->hardware);
	het__text_add(out, "driver = \"%s\"\n", device->driver);
	het__text_add(out, "id = \"%s\"\n", device->id);
	het__text_add(out, "memory_bytes = %" PRIu64 "\n", device->memory_bytes);
	for (int i = 0; i < HET__CAL_FIGURES; i++)
		if (device->figure[i].known)
			het__text_add(out, "figure.%s = %s %" PRIu64 " %" PRIu64 "\n", het__cal_figure_name(i),
				      het__cal_origin_name(device->figure[i].origin), device->figure[i].value,
				      device->figure[i].spread);
}

static void put_curve(struct het__text *out, const struct het__cal_curve *curve)
{
	het__text_add(out, "points.%s = %s", het__cal_route_name(curve->route),
		      het__cal_origin_name(curve->origin));
	for (int i = 0; i < curve->count; i++)
		het__text_add(out, "%s %" PRIu64 " %" PRIu64 " %" PRIu64, i ? "," : "", curve->at[i].bytes,
			      curve->at[i].ns, curve->at[i].spread_ns);
	het__text_add(out, "\n");
}

static void put_pair(struct het__text *out, int number, const struct het__cal_pair *pair)
{
	het__text_add(out, "\n[pair.%d]\n", number);
	het__text_add(out, "from = \"%s\"\nto = \"%s\"\n", pair->from, pair->to);
	het__text_add(out, "shape = %s\n", het__cal_shape_name(pair->shape));
	for (int i = 0; i < pair->choice_count; i++)
		het__text_add(out, "choice.%d = %" PRIu64 " %s %" PRIu64 " %d %s\n", i + 1,
			      pair->choice[i].from_bytes, het__cal_route_name(pair->choice[i].route),
			      pair->choice[i].chunk_bytes, pair->choice[i].depth,
			      het__cal_origin_name(pair->choice[i].origin));
	for (int i = 0; i < pair->curve_count; i++)
		put_curve(out, &pair->curve[i]);
	for (int i = 0; i < pair->bar_count; i++)
		het__text_add(out, "barred.%s = \"%s %s\"\n", het__cal_route_name(pair->bar[i].route),
			      het__cal_origin_name(pair->bar[i].origin), pair->bar[i].why);
}

char *het__calibration_text(const struct het__calibration *calibration)
{
	struct het__text out = {.lost = false};

	het__text_add(&out, "%s\n[calibration]\nformat = %d\n", head, HET__CAL_FORMAT);
	het__text_add(&out, "library = \"%s\"\ndate = \"%s\"\n", calibration->library, calibration->date);
	for (int i = 0; i < calibration->device_count; i++)
		put_device(&out, i + 1, &calibration->device[i]);
	for (int i = 0; i < calibration->pair_count; i++)
		put_pair(&out, i + 1, &calibration->pair[i]);
	het__text_add(&out, "\n# The last section says that the file is whole.\n[end]\n");
	if (!out.lost)
		return out.at;
	het__free(out.at);
	return NULL;
}

/* A file that its own reader refuses must not take the place of a good one. */
struct proof {
	const char *path;
	struct het__cal_refusal *refusal;
};

static bool can_be_read(int file, const char *name, void *user)
{
	const struct proof *const proof = user;
	struct het__calibration again = {.format = 0};
	const bool good = het__calibration_read_open(file, name, proof->path, &again, proof->refusal);

	het__calibration_free(&again);
	if (!good)
		errno = EINVAL;
	return good;
}

bool het__calibration_write(const char *path, const struct het__calibration *calibration,
			    struct het__cal_refusal *refusal)
{
	char *const text = het__calibration_text(calibration);
	struct proof proof = {path, refusal};
	bool good;

	refusal->reason = HET__CAL_NONE;
	if (!text) {
		errno = ENOMEM;
		return false;
	}
	good = het__file_replace_if(path, text, strlen(text), can_be_read, &proof);
	het__free(text);
	return good;
}
