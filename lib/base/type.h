/* type.h - element types: which there are, and what they are called. */
#ifndef HETERO_LIB_BASE_TYPE_H
#define HETERO_LIB_BASE_TYPE_H

#include <stdbool.h>

#include <hetero/shape.h>

/** True of those of hetero/shape.h: OpenCL C's numbers and vectors, and structs of at least one byte. */
bool het__type_exists(het_type type);

/** "float", "uchar16", "struct of 12 bytes"; of what is no type its bits: "0x1234". Returns `text`. */
#define HET__TYPE_TEXT 32
const char *het__type_name(het_type type, char text[HET__TYPE_TEXT]);

#endif
