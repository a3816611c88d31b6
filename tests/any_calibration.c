/* any_calibration.c - calibrations as they come. */
#include "any_calibration.h"

#include <check.h>
#include <string.h>

#include "calibration/scan.h"
#include "random.h"

static void random_text(char *out, size_t room)
{
	static const char letters[] = "abcXYZ019 .:-_()[]=;#'@/\xc3\xa4";
	char text[HET__CAL_NAME_BYTES + 1];
	const size_t length = (size_t)random_in(1, random_once_in(8) ? (int)room : 20);

	for (size_t i = 0; i < length; i++)
		text[i] = letters[random_in(0, (int)sizeof letters - 2)];
	text[length] = '\0';
	het__cal_text(out, room, text);
}

static uint64_t random_up_to(uint64_t most)
{
	return random_once_in(10) ? most : random_next() % (most >> random_in(0, 30));
}

static enum het__cal_origin random_origin(void)
{
	return (enum het__cal_origin)random_in(0, HET__CAL_ORIGINS - 1);
}

static void random_figures(struct het__cal_device *device)
{
	for (int i = 0; i < HET__CAL_FIGURES; i++) {
		const uint64_t most = het__cal_figure_most(i);
		const uint64_t value = most == 1 ? (uint64_t)random_in(0, 1) : random_up_to(most);

		if (random_once_in(2))
			device->figure[i] = (struct het__cal_figure){value, random_up_to(HET__CAL_MOST_FIGURE),
								     random_origin(), 1};
	}
}

static void random_devices(struct het__calibration *c)
{
	for (int count = random_in(0, 6); count > 0; count--) {
		struct het__cal_device device = {.memory_bytes = random_up_to(UINT64_MAX - 1)}, *added;

		random_text(device.name, sizeof device.name);
		random_text(device.platform, sizeof device.platform);
		random_text(device.hardware, sizeof device.hardware);
		random_text(device.driver, sizeof device.driver);
		random_text(device.id, sizeof device.id);
		random_figures(&device);
		if (het__calibration_device(c, device.name))
			continue;
		added = het__calibration_add_device(c);
		ck_assert_ptr_nonnull(added);
		*added = device;
	}
}

static void random_choices(struct het__cal_pair *pair)
{
	const int count = random_in(0, HET__CAL_CHOICES);
	uint64_t from = 0;

	for (int i = 0; i < count; i++) {
		pair->choice[i] = (struct het__cal_choice){from, random_in(0, HET__CAL_ROUTES - 1),
			random_up_to(HET__CAL_MOST_BYTES), random_in(0, HET__CAL_MOST_DEPTH), random_origin()};
		from += 1 + random_up_to(HET__CAL_MOST_BYTES / HET__CAL_CHOICES - 1);
	}
	pair->choice_count = count;
}

static void random_curve(struct het__cal_curve *curve, int route)
{
	uint64_t bytes = 0;

	curve->route = route;
	curve->origin = random_origin();
	curve->count = random_in(1, HET__CAL_POINTS);
	for (int i = 0; i < curve->count; i++) {
		bytes += 1 + random_up_to(HET__CAL_MOST_BYTES / HET__CAL_POINTS - 1);
		curve->at[i] = (struct het__cal_point){bytes, 1 + random_up_to(HET__CAL_MOST_NS - 1),
						       random_up_to(HET__CAL_MOST_NS)};
	}
}

static void random_pair(struct het__calibration *c, const char *from, const char *to, enum het__cal_shape shape)
{
	struct het__cal_pair *const pair = het__calibration_add_pair(c);

	ck_assert_ptr_nonnull(pair);
	strcpy(pair->from, from);
	strcpy(pair->to, to);
	pair->shape = shape;
	random_choices(pair);
	for (int route = 0; route < HET__CAL_ROUTES; route++) {
		if (random_once_in(2))
			random_curve(&pair->curve[pair->curve_count++], route);
		if (random_once_in(4)) {
			struct het__cal_bar *const bar = &pair->bar[pair->bar_count++];

			bar->route = route;
			bar->origin = random_origin();
			random_text(bar->why, sizeof bar->why - 10);
		}
	}
}

const char *calibrated_memory(const struct het__calibration *c, int i)
{
	return i < 0 ? HET__CAL_HOST : c->device[i].name;
}

void any_calibration(struct het__calibration *c)
{
	memset(c, 0, sizeof *c);
	c->format = HET__CAL_FORMAT;
	random_text(c->library, sizeof c->library);
	random_text(c->date, sizeof c->date);
	random_devices(c);
	for (int from = -1; from < c->device_count; from++)
		for (int to = -1; to < c->device_count; to++)
			for (int shape = 0; shape < HET__CAL_SHAPES; shape++)
				if (from != to && random_once_in(2))
					random_pair(c, calibrated_memory(c, from), calibrated_memory(c, to),
						    (enum het__cal_shape)shape);
}

void assert_equal_calibrations(const struct het__calibration *a, const struct het__calibration *b)
{
	ck_assert_int_eq(a->format, b->format);
	ck_assert_str_eq(a->library, b->library);
	ck_assert_str_eq(a->date, b->date);
	ck_assert_int_eq(a->device_count, b->device_count);
	ck_assert_int_eq(a->pair_count, b->pair_count);
	for (int i = 0; i < a->device_count; i++)
		ck_assert_mem_eq(&a->device[i], &b->device[i], sizeof a->device[i]);
	for (int i = 0; i < a->pair_count; i++)
		ck_assert_mem_eq(&a->pair[i], &b->pair[i], sizeof a->pair[i]);
}
