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

/* ---- what kernels need of them ----------------------------------------------------------------- */

/* The bits of het__needs: alignments in bytes, then numbers of 1, 2, 4, 8 bytes: integers, reals. */
#define ALIGNMENTS 128u
#define INTEGERS_AT 8
#define REALS_AT 12
#define ALL_NUMBERS 0xff00u

static bool is_real(het_type type)
{
	return HET_TYPE_BASE(type) == HET_BASE_REAL;
}

static size_t bytes_of_number(het_type type)
{
	return HET_TYPE_BYTES(type) / lanes_of_memory(HET_TYPE_LANES(type));
}

static unsigned alignment(size_t bytes)
{
	return bytes < ALIGNMENTS ? (unsigned)bytes : ALIGNMENTS;
}

unsigned het__needs(het_type pointee, size_t align_bytes)
{
	const unsigned aligned = alignment(align_bytes);

	if (!scalar_of(pointee))
		return aligned;
	return aligned | 1u << (is_real(pointee) ? REALS_AT : INTEGERS_AT) << log2_of(bytes_of_number(pointee));
}

unsigned het__meets(het_type element, size_t align_bytes)
{
	const unsigned aligned = alignment(align_bytes);
	const size_t bytes = scalar_of(element) ? bytes_of_number(element) : 1;
	const unsigned as_wide = log2_of(bytes);

	if (bytes == 1)
		return (2 * aligned - 1) | ALL_NUMBERS;
	return (2 * aligned - 1) | ((2u << as_wide) - 1) << INTEGERS_AT | 1u << REALS_AT << as_wide;
}

/* ---- all of them ------------------------------------------------------------------------------- */

static bool is_struct(het_type type)
{
	return HET_TYPE_BASE(type) == HET_BASE_STRUCT && HET_TYPE_LANES(type) == 1 && HET_TYPE_BYTES(type) > 0;
}

bool het__type_exists(het_type type)
{
	return is_struct(type) || scalar_of(type) != NULL;
}

const char *het__type_name(het_type type, char text[HET__TYPE_TEXT])
{
	const char *const scalar = scalar_of(type);

	if (is_struct(type))
		snprintf(text, HET__TYPE_TEXT, "struct of %zu bytes", HET_TYPE_BYTES(type));
	else if (!scalar)
		snprintf(text, HET__TYPE_TEXT, "0x%x", (unsigned)type);
	else if (HET_TYPE_LANES(type) == 1)
		snprintf(text, HET__TYPE_TEXT, "%s", scalar);
	else
		snprintf(text, HET__TYPE_TEXT, "%s%u", scalar, HET_TYPE_LANES(type));
	return text;
}
