/* show.h - a machine as text, as JSON and as a picture. */
#ifndef HETERO_INFO_SHOW_H
#define HETERO_INFO_SHOW_H

#include "machine.h"

/** On stdout, within 100 columns. `brief`: a line for each device, the calibration, the problems. */
void show_text(const struct machine *machine, bool brief);

/** On stdout. False without memory, or without jansson. */
bool show_json(const struct machine *machine);

/** Writes the picture to a file. False with errno. */
bool show_picture(const struct machine *machine, const char *path);

#endif
