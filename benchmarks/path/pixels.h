/* pixels.h - pixels as a PNG file. */
#ifndef PATH_PIXELS_H
#define PATH_PIXELS_H

/** Whether the program was built with libpng. */
int pixels_can_save(void);

/** Why no file can be written there, as far as can be told beforehand; NULL when it can. Changes no file. */
const char *pixels_refusal(const char *path);

/** Writes width x height pixels of red, green, blue and opacity. Returns NULL, or why it could not; what
 *  was there stays then. */
const char *pixels_save(const char *path, int width, int height, const unsigned char *rgba);

#endif
