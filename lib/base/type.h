/* type.h - element types: which there are, and what they are called. */
#ifndef HETERO_LIB_BASE_TYPE_H
#define HETERO_LIB_BASE_TYPE_H

#include <stdbool.h>

#include <hetero/shape.h>

/** True of those of hetero/shape.h: OpenCL C's numbers and vectors, and structs of at least one byte. */
bool het__type_exists(het_type type);

/** OpenCL C's name of a number, "float"; NULL for vectors and structs. */
const char *het__type_scalar_name(het_type type);
/** The number whose name the first `length` letters are; 0: there is none. */
het_type het__type_of_scalar(const char *name, size_t length);
/** That many lanes of it; 0: there is no such vector. */
het_type het__type_vector(het_type scalar, unsigned lanes);

/** Rows of numbers or vectors, each of so many bytes, over which a pointer of a kernel's may step: no element's
 *  type, but HET_TYPE_BASE and HET_TYPE_BYTES tell of it what they tell of a vector. */
het_type het__type_rows(het_type of, size_t bytes);
/** What they are rows of; any other type itself. */
het_type het__type_in_rows(het_type type);

/** Bytes of one of the numbers that an element is made of; 1 of a struct, of which nothing is known. */
size_t het__type_number_bytes(het_type type);

/** What a pointer of a kernel's needs of the memory it gets, as a set of bits: a start of this alignment (a
 *  power of two, at most the 128 bytes of OpenCL's largest type), and, if its type is a number, a vector or a
 *  row of these, numbers that can be its own as it steps from one to the next. Structs must be as large as the
 *  pointer's, or as a row. Some bit is always there. */
uint64_t het__needs(het_type pointee, size_t align_bytes);
#define HET__NEEDS_BYTES UINT64_C(1) /* of any elements, at any address */
/** All that memory gives whose start has this alignment, with such elements: their own numbers; integers that
 *  are no wider, as somebody may want their bits; from integers also reals as wide. Bytes and structs give all;
 *  but structs of several bytes lie one behind the other: those of 12 bytes are aligned to 4 only. Numbers of
 *  which three are in a `row` give no vectors of three, which are as far apart as those of four. */
uint64_t het__meets(het_type element, int64_t row, size_t align_bytes);

/** "float", "uchar16", "struct of 12 bytes", of rows "an array of float"; of what is no type its bits,
 *  "0x1234". Returns `text`. */
#define HET__TYPE_TEXT 32
const char *het__type_name(het_type type, char text[HET__TYPE_TEXT]);

#endif
