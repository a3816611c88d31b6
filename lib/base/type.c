/* type.c - element types by name. */
#include "base/type.h"

#include <stdio.h>

static const struct {
	het_type type;
	const char *name;
} scalars[] = {
	{HET_CHAR, "char"}, {HET_UCHAR, "uchar"}, {HET_SHORT, "short"}, {HET_USHORT, "ushort"},
	{HET_INT, "int"},   {HET_UINT, "uint"},   {HET_LONG, "long"},   {HET_ULONG, "ulong"},
	{HET_HALF, "half"}, {HET_FLOAT, "float"}, {HET_DOUBLE, "double"},
};

/* How many lanes' memory a vector takes; 0: there is none of so many. */
static unsigned lanes_of_memory(unsigned lanes)
{
	switch (lanes) {
	case 1: case 2: case 4: case 8: case 16: return lanes;
	case 3: return 4;
	default: return 0;
	}
}

/* What the lanes are, or NULL. */
static const char *scalar_of(het_type type)
{
	const unsigned lanes = HET_TYPE_LANES(type), wide = lanes_of_memory(lanes);

	for (size_t i = 0; i < sizeof scalars / sizeof scalars[0] && wide; i++) {
		const het_type scalar = scalars[i].type;

		if (type == HET_TYPE(HET_TYPE_BASE(scalar), lanes, wide * HET_TYPE_BYTES(scalar)))
			return scalars[i].name;
	}
	return NULL;
}

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
