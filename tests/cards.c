/* cards.c - see cards.h. */
#include "cards.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fakes.h"
#include "platforms.h"
#include "route/choose.h"

/* ---- systems ----------------------------------------------------------------------------------- */

struct lines said;

void keep_line(void *user, enum het_log_level level, const char *line)
{
	struct lines *lines = user;
	const size_t length = strlen(lines->text);

	if (level <= HET_LOG_WARN || strncmp(line, "[route]", 7) == 0)
		snprintf(lines->text + length, sizeof lines->text - length, "%d %s\n", (int)level, line);
}

het_system *open_cards(void)
{
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system;

	ck_assert(het_test_fake_driver("one-context"));
	said.text[0] = '\0';
	options.log = keep_line;
	options.log_user = &said;
	options.log_level = HET_LOG_TRACE;
	ok(het_open(&options, &system));
	for (int d = 0; d < het_device_count(system); d++)
		ok(het__device_open(het_device(system, d)));
	return system;
}

void assert_said(const char *words)
{
	ck_assert_msg(strstr(said.text, words) != NULL, "\"%s\" is not in: %s", words, said.text);
}

int times_said(const char *words)
{
	int times = 0;

	for (const char *at = strstr(said.text, words); at; at = strstr(at + 1, words))
		times++;
	return times;
}

/* ---- calibrations ------------------------------------------------------------------------------- */

struct het__calibration of_cards(void)
{
	struct het__calibration c;
	het_system *system;

	setenv("HETERO_CALIBRATION", "off", 1);
	system = open_cards();
	c = calibration_of(system, ALL_DEVICES);
	ok(het_close(system));
	return c;
}

struct het__cal_pair *crossing(struct het__calibration *c)
{
	struct het__cal_pair *const pair =
		add_pair(c, c->device[0].name, c->device[1].name, HET__CAL_CONTIGUOUS);

	add_point(pair, "copy", 4 * KIB, 1000);
	add_point(pair, "copy", 64 * KIB, 100000);
	add_point(pair, "staged", 4 * KIB, 5000);
	add_point(pair, "staged", 64 * KIB, 50000);
	het__cal_decide(pair);
	ck_assert_int_eq(pair->choice_count, 2);
	return pair;
}

const char *path_of(const char *name)
{
	static char path[4096];

	snprintf(path, sizeof path, "%s/%s", het_test_folder(), name);
	return path;
}

const char *route_of(het_system *system, int from, int to, size_t bytes, bool strided)
{
	const struct het__memory *const host = system->memories[0];
	const struct het__hop hop = {from < 0 ? host : het_device(system, from)->memory,
				     to < 0 ? host : het_device(system, to)->memory, bytes, strided};

	return het__route_choose(&hop)->name;
}
