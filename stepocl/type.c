/* type.c - the element types that a description may name, and numbers of them. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "description.h"

static const struct type types[] = {
	{"char", HET_CHAR, "HET_CHAR", "int8_t", OF_INTEGERS},
	{"uchar", HET_UCHAR, "HET_UCHAR", "uint8_t", OF_NATURALS},
	{"short", HET_SHORT, "HET_SHORT", "int16_t", OF_INTEGERS},
	{"ushort", HET_USHORT, "HET_USHORT", "uint16_t", OF_NATURALS},
	{"int", HET_INT, "HET_INT", "int32_t", OF_INTEGERS},
	{"uint", HET_UINT, "HET_UINT", "uint32_t", OF_NATURALS},
	{"long", HET_LONG, "HET_LONG", "int64_t", OF_INTEGERS},
	{"ulong", HET_ULONG, "HET_ULONG", "uint64_t", OF_NATURALS},
	{"float", HET_FLOAT, "HET_FLOAT", "float", OF_REALS},
	{"double", HET_DOUBLE, "HET_DOUBLE", "double", OF_REALS},
};

const struct type *type_named(const char *name)
{
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (strcmp(types[i].name, name) == 0)
			return &types[i];
	return NULL;
}

/* By way of the narrower type, so that it is right for either order of bytes. */
static void store(void *value, const struct type *type, uint64_t bits)
{
	const uint8_t b = (uint8_t)bits;
	const uint16_t s = (uint16_t)bits;
	const uint32_t i = (uint32_t)bits;
	const size_t bytes = HET_TYPE_BYTES(type->het);

	memset(value, 0, 8);
	memcpy(value,
	       bytes == 1   ? (const void *)&b
	       : bytes == 2 ? &s
	       : bytes == 4 ? (const void *)&i
			    : &bits,
	       bytes);
}

int64_t type_whole(const struct type *type, const void *value)
{
	const bool is_signed = type->numbers == OF_INTEGERS;
	uint8_t b;
	uint16_t s;
	uint32_t i;
	int64_t bits;

	switch (HET_TYPE_BYTES(type->het)) {
	case 1:
		memcpy(&b, value, sizeof b);
		return is_signed ? (int64_t)(int8_t)b : b;
	case 2:
		memcpy(&s, value, sizeof s);
		return is_signed ? (int64_t)(int16_t)s : s;
	case 4:
		memcpy(&i, value, sizeof i);
		return is_signed ? (int64_t)(int32_t)i : i;
	default:
		memcpy(&bits, value, sizeof bits);
		return bits;
	}
}

static bool integer(const struct type *type, const char *text, void *value)
{
	const int64_t most = INT64_MAX >> (64 - 8 * HET_TYPE_BYTES(type->het));
	char *end;
	errno = 0;
	const long long number = strtoll(text, &end, 10);

	if (end == text || *end || errno || number > most || number < -most - 1)
		return false;
	store(value, type, (uint64_t)number);
	return true;
}

static bool natural(const struct type *type, const char *text, void *value)
{
	const uint64_t most = UINT64_MAX >> (64 - 8 * HET_TYPE_BYTES(type->het));
	char *end;
	errno = 0;
	const unsigned long long number = strtoull(text, &end, 10);

	if (end == text || *end || errno || number > most || strchr(text, '-'))
		return false;
	store(value, type, number);
	return true;
}

static bool real(const struct type *type, const char *text, void *value)
{
	char *end;
	const double number = strtod(text, &end);
	const float narrow = (float)number;

	if (end == text || *end || !isfinite(number) || (type->het == HET_FLOAT && !isfinite(narrow)))
		return false;
	memset(value, 0, 8);
	if (type->het == HET_FLOAT)
		memcpy(value, &narrow, sizeof narrow);
	else
		memcpy(value, &number, sizeof number);
	return true;
}

bool type_value(const struct type *type, const char *text, void *value)
{
	switch (type->numbers) {
	case OF_INTEGERS:
		return integer(type, text, value);
	case OF_NATURALS:
		return natural(type, text, value);
	default:
		return real(type, text, value);
	}
}
