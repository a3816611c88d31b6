/* type.c - element types by name. */
#include "base/type.h"

#include <stdio.h>
#include <string.h>

static const struct {
	het_type type;
	const char *name;
} scalars[] = {
	{HET_CHAR, "char"}, {HET_UCHAR, "uchar"}, {HET_SHORT, "short"}, {HET_USHORT, "ushort"},
	{HET_INT, "int"},   {HET_UINT, "uint"},   {HET_LONG, "long"},   {HET_ULONG, "ulong"},
	{HET_HALF, "half"}, {HET_FLOAT, "float"}, {HET_DOUBLE, "double"},
};
#define SCALARS (sizeof scalars / sizeof scalars[0])

/* How many lanes' memory a vector takes; 0: there is none of so many. */
static unsigned lanes_of_memory(unsigned lanes)
{
	switch (lanes) {
	case 1: case 2: case 4: case 8: case 16: return lanes;
	case 3: return 4;
	default: return 0;
	}
}

het_type het__type_vector(het_type scalar, unsigned lanes)
{
	const unsigned wide = lanes_of_memory(lanes);

	return wide ? HET_TYPE(HET_TYPE_BASE(scalar), lanes, wide * HET_TYPE_BYTES(scalar)) : 0;
}

static unsigned log2_of(size_t power)
{
	return (unsigned)__builtin_ctzl(power);
}

/* What the lanes are, or NULL. */
static const char *scalar_of(het_type type)
{
	for (size_t i = 0; i < SCALARS && type; i++)
		if (type == het__type_vector(scalars[i].type, HET_TYPE_LANES(type)))
			return scalars[i].name;
	return NULL;
}

const char *het__type_scalar_name(het_type type)
{
	return HET_TYPE_LANES(type) == 1 ? scalar_of(type) : NULL;
}

het_type het__type_of_scalar(const char *name, size_t length)
{
	for (size_t i = 0; i < SCALARS; i++)
		if (strlen(scalars[i].name) == length && strncmp(scalars[i].name, name, length) == 0)
			return scalars[i].type;
	return 0;
}

static size_t bytes_of_number(het_type type)
{
	return HET_TYPE_BYTES(type) / lanes_of_memory(HET_TYPE_LANES(type));
}

/* In place of lanes rows have this bit, two bits for the bytes of their numbers, and five for their lanes. */
#define ROWS     0x80u
#define BYTES_AT 5

het_type het__type_rows(het_type of, size_t bytes)
{
	return HET_TYPE(HET_TYPE_BASE(of),
			ROWS | log2_of(bytes_of_number(of)) << BYTES_AT | HET_TYPE_LANES(of), bytes);
}

het_type het__type_in_rows(het_type type)
{
	const unsigned lanes = HET_TYPE_LANES(type);
	const het_type number = HET_TYPE(HET_TYPE_BASE(type), 1, 1u << (lanes >> BYTES_AT & 3));

	return lanes & ROWS ? het__type_vector(number, lanes & ((1u << BYTES_AT) - 1)) : type;
}

/* ---- what kernels need of them ----------------------------------------------------------------- */

/* The bits of het__needs: alignments in bytes, then numbers of 1, 2, 4, 8 bytes: integers, reals; then structs,
 * by eight bits of their size, each as one of two; last, that a vector of three has the room of four. */
#define ALIGNMENTS 128u
#define INTEGERS_AT 8
#define REALS_AT 12
#define STRUCTS_AT 16
#define ALL_NUMBERS 0xff00u
#define ALL_STRUCTS 0xffff0000u
#define ROOM_OF_FOUR (UINT64_C(1) << 32)

static bool is_struct(het_type type)
{
	return HET_TYPE_BASE(type) == HET_BASE_STRUCT && HET_TYPE_LANES(type) == 1 && HET_TYPE_BYTES(type) > 0;
}

static bool is_real(het_type type)
{
	return HET_TYPE_BASE(type) == HET_BASE_REAL;
}

static unsigned alignment(size_t bytes)
{
	return bytes < ALIGNMENTS ? (unsigned)bytes : ALIGNMENTS;
}

/* Sizes from here on have one number, which no memory meets. */
#define LARGE_STRUCT 254u
#define NO_STRUCT    255u

static unsigned struct_of(size_t bytes, unsigned large)
{
	const size_t size = bytes < LARGE_STRUCT ? bytes : large;
	unsigned bits = 0;

	for (unsigned i = 0; i < 8; i++)
		bits |= 1u << (STRUCTS_AT + 2 * i + (size >> i & 1));
	return bits;
}

size_t het__type_number_bytes(het_type type)
{
	const unsigned lanes = HET_TYPE_LANES(type);

	return HET_TYPE_BASE(type) == HET_BASE_STRUCT ? 1 : HET_TYPE_BYTES(type) / (lanes == 3 ? 4 : lanes);
}

uint64_t het__needs(het_type pointee, size_t align_bytes)
{
	const het_type number = het__type_in_rows(pointee);
	uint64_t needs = alignment(align_bytes) | (HET_TYPE_LANES(number) == 3 ? ROOM_OF_FOUR : 0);

	if (is_struct(pointee) || number != pointee)
		needs |= struct_of(HET_TYPE_BYTES(pointee), LARGE_STRUCT);
	if (scalar_of(number))
		needs |= 1u << (is_real(number) ? REALS_AT : INTEGERS_AT) << log2_of(bytes_of_number(number));
	return needs;
}

uint64_t het__meets(het_type element, int64_t row, size_t align_bytes)
{
	const bool are_threes = HET_TYPE_LANES(element) == 1 && row == 3 && !is_struct(element);
	const bool is_blob = is_struct(element) && HET_TYPE_BYTES(element) > 1;
	const size_t step = is_blob ? HET_TYPE_BYTES(element) & -HET_TYPE_BYTES(element) : align_bytes;
	const unsigned starts = 2 * alignment(step < align_bytes ? step : align_bytes) - 1;
	const uint64_t aligned = starts | (are_threes ? 0 : ROOM_OF_FOUR);
	const size_t bytes = scalar_of(element) ? bytes_of_number(element) : 1;
	const unsigned as_wide = log2_of(bytes);

	if (is_blob)
		return aligned | ALL_NUMBERS | struct_of(HET_TYPE_BYTES(element), NO_STRUCT);
	if (bytes == 1)
		return aligned | ALL_NUMBERS | ALL_STRUCTS;
	return aligned | ALL_STRUCTS | ((2u << as_wide) - 1) << INTEGERS_AT | 1u << REALS_AT << as_wide;
}

/* ---- all of them ------------------------------------------------------------------------------- */

bool het__type_exists(het_type type)
{
	return is_struct(type) || scalar_of(type) != NULL;
}

const char *het__type_name(het_type type, char text[HET__TYPE_TEXT])
{
	const het_type in_rows = het__type_in_rows(type);
	const char *const scalar = scalar_of(in_rows);
	const char *const begin = in_rows != type ? "an array of " : "";

	if (is_struct(type))
		snprintf(text, HET__TYPE_TEXT, "struct of %zu bytes", HET_TYPE_BYTES(type));
	else if (!scalar)
		snprintf(text, HET__TYPE_TEXT, "0x%x", (unsigned)type);
	else if (HET_TYPE_LANES(in_rows) == 1)
		snprintf(text, HET__TYPE_TEXT, "%s%s", begin, scalar);
	else
		snprintf(text, HET__TYPE_TEXT, "%s%s%u", begin, scalar, HET_TYPE_LANES(in_rows));
	return text;
}
