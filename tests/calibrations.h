/* calibrations.h - calibrations of fake machines, made by tests. */
#ifndef HETERO_TESTS_CALIBRATIONS_H
#define HETERO_TESTS_CALIBRATIONS_H

#include <stdlib.h>
#include <string.h>

#include "calibration/file.h"
#include "checks.h"
#include "system/setup.h"

/** One that knows a system's devices, all or number `only`, and nothing else. */
#define ALL_DEVICES (-1)
static inline struct het__calibration calibration_of(het_system *system, int only)
{
	struct het__calibration c = {.format = HET__CAL_FORMAT};

	het__cal_text(c.library, sizeof c.library, het_version());
	het__cal_text(c.date, sizeof c.date, "2026-01-31T10:22:05Z");
	for (int d = 0; d < het_device_count(system); d++)
		if (only == ALL_DEVICES || d == only)
			ck_assert_int_eq(het__setup_identity(het_device(system, d),
							     het__calibration_add_device(&c)),
					 HET_OK);
	return c;
}

/** HET__CAL_HOST names the host's memory. */
static inline struct het__cal_pair *add_pair(struct het__calibration *c, const char *from, const char *to,
					     enum het__cal_shape shape)
{
	struct het__cal_pair *const pair = het__calibration_add_pair(c);

	ck_assert_ptr_nonnull(pair);
	strcpy(pair->from, from);
	strcpy(pair->to, to);
	pair->shape = shape;
	return pair;
}

/** A route took so long with so many bytes. */
static inline void add_point(struct het__cal_pair *pair, const char *route, size_t bytes, uint64_t ns)
{
	struct het__cal_curve *curve = het__cal_curve(pair, het__cal_route_of(route));

	if (!curve) {
		curve = &pair->curve[pair->curve_count++];
		curve->route = het__cal_route_of(route);
	}
	curve->at[curve->count++] = (struct het__cal_point){bytes, ns, 0};
}

/** Writes it, where $HETERO_CALIBRATION finds it afterwards, and frees it. */
static inline void use_calibration(struct het__calibration *c, const char *path)
{
	struct het__cal_refusal refusal = {0};

	ck_assert_msg(het__calibration_write(path, c, &refusal), "%s", refusal.text);
	het__calibration_free(c);
	setenv("HETERO_CALIBRATION", path, 1);
}

#endif
