/* figures.h - what a device was measured to do, as both tools show it. */
#ifndef HETERO_CALIBRATE_FIGURES_H
#define HETERO_CALIBRATE_FIGURES_H

#include "calibration/calibration.h"

#define FIGURES_BYTES 320

/** "launch 9.1 us, memory 12.30 GB/s, single 40.1 Gflop/s, double 20.0 Gflop/s, queues overlap"; what is not
 *  measured has its origin behind it. "" where nothing is known. Returns `text`, of FIGURES_BYTES. */
const char *figures_words(char *text, const struct het__cal_device *device);

#ifdef HAVE_JSON
#include <jansson.h>
/** A string of a driver's or a user's text, which need not be UTF-8 (het__utf8_clean); null for NULL. */
json_t *json_words(const char *text);
/** Add a value, which is taken over, to a list or an object. Without memory the list or object is NULL from
 *  then on, and so cannot pass for a whole one. */
void json_add(json_t **list_p, json_t *value);
void json_put(json_t **object_p, const char *key, json_t *value);
/** Prints a whole, which it takes over. False: without memory nothing is printed. If the text does not get out,
 *  that is said when the program ends (tool.h). */
bool json_print(json_t *whole);
/** An object, with value, spread and origin of each figure that is known. NULL without memory. */
json_t *figures_json(const struct het__cal_device *device);
#endif

#endif
