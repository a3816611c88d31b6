/* figures.c - see figures.h. */
#include "figures.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "words.h"

/* "40.1 Gflop/s" */
static const char *flop_words(char *text, uint64_t per_s)
{
	const double giga = (double)per_s / 1e9;

	if (giga >= 1000)
		snprintf(text, WORDS_BYTES, "%.2f Tflop/s", giga / 1e3);
	else if (giga >= 0.1)
		snprintf(text, WORDS_BYTES, giga >= 100 ? "%.0f Gflop/s" : "%.1f Gflop/s", giga);
	else
		snprintf(text, WORDS_BYTES, "%.1f Mflop/s", giga * 1e3);
	return text;
}

static void name_one(char *text, size_t room, int which, uint64_t value)
{
	char words[WORDS_BYTES];

	switch (which) {
	case HET__CAL_LAUNCH_NS:
		snprintf(text, room, "launch %s", het__time_words(words, (double)value));
		break;
	case HET__CAL_TRIAD_BYTES_PER_S:
		snprintf(text, room, "memory %s", rate_words(words, (double)value, 1e9));
		break;
	case HET__CAL_SINGLE_FLOP_PER_S:
		snprintf(text, room, "single %s", flop_words(words, value));
		break;
	case HET__CAL_DOUBLE_FLOP_PER_S:
		snprintf(text, room, "double %s", flop_words(words, value));
		break;
	case HET__CAL_QUEUES_OVERLAP:
		snprintf(text, room, "%s", value ? "queues overlap" : "queues wait for each other");
		break;
	case HET__CAL_BEHIND_NS:
		snprintf(text, room, "behind another %s", het__time_words(words, (double)value));
		break;
	case HET__CAL_EDGES_NS:
		snprintf(text, room, "edges apart save %s", het__time_words(words, (double)value));
		break;
	default:
		snprintf(text, room, "%s", value ? "starts by itself" : "starts when flushed");
	}
}

const char *figures_words(char *text, const struct het__cal_device *device)
{
	size_t used = 0;

	text[0] = '\0';
	for (int i = 0; i < HET__CAL_FIGURES; i++) {
		const struct het__cal_figure *const figure = &device->figure[i];
		char one[2 * WORDS_BYTES];
		int more;

		if (!figure->known)
			continue;
		name_one(one, sizeof one, i, figure->value);
		more = snprintf(text + used, FIGURES_BYTES - used, "%s%s%s%s%s", used ? ", " : "", one,
				figure->origin == HET__CAL_MEASURED ? "" : " (",
				figure->origin == HET__CAL_MEASURED ? "" : het__cal_origin_name(figure->origin),
				figure->origin == HET__CAL_MEASURED ? "" : ")");
		if (more > 0 && used + (size_t)more < FIGURES_BYTES)
			used += (size_t)more;
	}
	return text;
}

#ifdef HAVE_JSON
json_t *json_words(const char *text)
{
	char clean[4096];

	return text ? json_string(het__utf8_clean(clean, sizeof clean, text)) : json_null();
}

/* Drops the whole where a part could not be added. */
static void note(json_t **whole_p, bool good)
{
	if (good)
		return;
	json_decref(*whole_p);
	*whole_p = NULL;
}

void json_add(json_t **list_p, json_t *value)
{
	note(list_p, json_array_append_new(*list_p, value) == 0);
}

void json_put(json_t **object_p, const char *key, json_t *value)
{
	note(object_p, json_object_set_new(*object_p, key, value) == 0);
}

bool json_print(json_t *whole)
{
	char *const text = whole ? json_dumps(whole, JSON_INDENT(1)) : NULL;
	const bool good = text != NULL;

	if (good)
		puts(text);
	free(text);
	json_decref(whole);
	return good;
}

json_t *figures_json(const struct het__cal_device *device)
{
	json_t *out = json_object();

	for (int i = 0; i < HET__CAL_FIGURES; i++) {
		const struct het__cal_figure *const figure = &device->figure[i];

		if (figure->known)
			json_put(&out, het__cal_figure_name(i),
				 json_pack("{s:I, s:I, s:s}", "value", (json_int_t)figure->value, "spread",
					   (json_int_t)figure->spread, "origin",
					   het__cal_origin_name(figure->origin)));
	}
	return out;
}
#endif
