/* picture.h - a terrain as a PNG file. */
#ifndef HILLSHADE_PICTURE_H
#define HILLSHADE_PICTURE_H

/** What is painted: `rows` x `cols` heights and shades (cosine of the angle to the sun), NaN in holes; a row
 *  begins `pitch` cells after the one before. `flat_shade` is the shade of level ground; cells are `dx` wide
 *  and `dy` high. `stain`, unless NULL, says how much of each cell is stained, 0 to 1. */
struct picture {
	int rows, cols, pitch;
	const float *height, *shade, *stain;
	float flat_shade;
	double dx, dy;
};

/** Why no picture can be written to this path, as far as can be told beforehand; NULL when it can. What is
 *  there stays as it is. */
const char *picture_refusal(const char *path);

/** Writes a PNG file: shaded relief over colours of elevation, holes transparent. Returns NULL, or why it
 *  could not (a text that is valid until another call fails); what was there then stays. */
const char *picture_write(const struct picture *picture, const char *path);

#endif
