/* fit.c - does an argument of a launch fit the kernel's signature? */

#include <stdio.h>

#include "base/type.h"
#include "kernel/signature.h"
#include "launch/args.h"

/* What a type of the text's own is: "; real is float", "; struct body has 32 bytes"; else "". */
#define MEANING_BYTES (HET__OWN_TYPE_BYTES + HET__TYPE_TEXT + 8)
static const char *meaning(const struct het__param *p, char text[MEANING_BYTES])
{
	char name[HET__OWN_TYPE_BYTES], is[HET__TYPE_TEXT];

	*text = '\0';
	if (!p->type || !het__type_own_name(p->type_name, name))
		return text;
	if (HET_TYPE_BASE(p->type) == HET_BASE_STRUCT)
		snprintf(text, MEANING_BYTES, "; %s has %zu bytes", name, HET_TYPE_BYTES(p->type));
	else
		snprintf(text, MEANING_BYTES, "; %s is %s", name, het__type_name(p->type, is));
	return text;
}

/* A struct takes whatever has its size: a union may be a number. */
static het_status check_value(const struct het_arg *a, const struct het__param *p, const char *title, int i)
{
	const bool real = HET_TYPE_BASE(p->type) == HET_BASE_REAL;
	char text[MEANING_BYTES], given[HET__TYPE_TEXT];

	if (!p->type)
		return HET_OK;
	if (a->bytes != HET_TYPE_BYTES(p->type))
		return het__fail(HET_ERR_SIGNATURE,
				 "%s: argument %d (%s %s%s) was given %s%s%zu bytes; it has %zu", title, i,
				 p->type_name, p->name, meaning(p, text),
				 a->kind == HET_ARG_VALUE ? het__type_name(a->value_type, given) : "",
				 a->kind == HET_ARG_VALUE ? " of " : "", a->bytes, HET_TYPE_BYTES(p->type));
	if (a->kind != HET_ARG_VALUE || HET_TYPE_BASE(p->type) == HET_BASE_STRUCT)
		return HET_OK;
	if (HET_TYPE_LANES(a->value_type) != HET_TYPE_LANES(p->type))
		return het__fail(HET_ERR_SIGNATURE, "%s: argument %d (%s %s%s) was given %s", title, i,
				 p->type_name, p->name, meaning(p, text),
				 HET_TYPE_LANES(p->type) > 1 ? "a number: HET_BYTES gives a vector"
							     : "a vector");
	if ((HET_TYPE_BASE(a->value_type) == HET_BASE_REAL) != real)
		return het__fail(HET_ERR_SIGNATURE, "%s: argument %d (%s %s%s) was given %s number", title, i,
				 p->type_name, p->name, meaning(p, text),
				 real ? "an integer" : "a floating-point");
	return HET_OK;
}

/* `array`: the name of what was given, "" where it is none. */
static het_status wrong_kind(const struct het__param *p, const char *title, int i, const char *given,
			     const char *array)
{
	if (p->kind == HET__PARAM_OTHER) /* images, samplers, pipes */
		return het__fail(HET_ERR_SIGNATURE,
				 "%s: argument %d (%s %s) is of a type that is not supported: only buffers, "
				 "values and local memory are",
				 title, i, p->type_name, p->name);
	return het__fail(HET_ERR_SIGNATURE, "%s: argument %d (%s%s %s) was given %s%s%s", title, i,
			 p->kind == HET__PARAM_LOCAL ? "local " : "", p->type_name, p->name, given,
			 *array ? ", " : "", array);
}

static het_status written(const struct het_arg *a, const struct het__param *p, const char *title, int i,
			  const char *array)
{
	return het__fail(HET_ERR_SIGNATURE,
			 "%s: argument %d (const %s %s) is only read by the kernel, but given %s%sas %s", title,
			 i, p->type_name, p->name, array, *array ? " " : "",
			 a->mode == HET_MODE_OUT ? "out" : "inout");
}

/* "" for what is no array, and for an unsound handle, which is refused later. */
static const char *array_name(const struct het_arg *a, const het_system *system)
{
	const het_array *const array = het__arg_array(a);

	return het__array_is_of(array, system) ? array->value->label : "";
}

/* A window takes as many indices as its array has dimensions; where a text has several ranks, one must fit. */
static het_status check_ranks(const struct het_arg *a, const struct het__param *p, const char *title, int i,
			      const het_system *system)
{
	const het_array *const array = het__arg_array(a);
	int other;

	if (!p->ranks || !het__array_is_of(array, system) || p->ranks & 1u << array->value->rank)
		return HET_OK;
	other = __builtin_ctz(p->ranks);
	return het__fail(HET_ERR_SIGNATURE,
			 "%s: argument %d (HET_WINDOW of %s %s) was given %s, whose rank is %d; its text "
			 "indexes it by HET_AT%d or HET_INDEX%d",
			 title, i, p->type_name, p->name, array->value->label, array->value->rank, other,
			 other);
}

het_status het__arg_fits(const struct het_arg *a, const struct het__param *p, const char *title, int i,
			 const het_system *system)
{
	static const char *const names[] = {"",        "an array", "a packed view", "an array",
					    "a value", "bytes",    "local memory",  "NULL"};
	const bool is_buffer = p->kind == HET__PARAM_BUFFER || p->kind == HET__PARAM_WINDOW;
	bool fits = false;

	if (p->kind == HET__PARAM_UNKNOWN)
		return HET_OK;
	switch (a->kind) {
	case HET_ARG_ARRAY:
	case HET_ARG_PACKED:
	case HET_ARG_MAPPED:
		if (is_buffer && p->is_const && a->mode != HET_MODE_IN)
			return written(a, p, title, i, array_name(a, system));
		if (is_buffer)
			return check_ranks(a, p, title, i, system);
		break;
	case HET_ARG_NULL:
		fits = is_buffer;
		break;
	case HET_ARG_LOCAL:
		fits = p->kind == HET__PARAM_LOCAL;
		break;
	case HET_ARG_VALUE:
	case HET_ARG_BYTES:
		if (p->kind == HET__PARAM_VALUE)
			return check_value(a, p, title, i);
		break;
	}
	return fits ? HET_OK : wrong_kind(p, title, i, names[a->kind], array_name(a, system));
}

/* However the array is aligned. A struct element may consist of several of the parameter's, or of rows. */
static bool elements_fit(het_type element, int64_t row, const struct het__param *p)
{
	if (!p->type || (p->needs & ~het__meets(element, row, SIZE_MAX)) == 0)
		return true;
	return HET_TYPE_BASE(element) == HET_BASE_STRUCT &&
	       HET_TYPE_BYTES(element) % HET_TYPE_BYTES(p->type) == 0;
}

het_status het__arg_elements_fit(const struct het_arg *given, const struct het__param *p,
				 const struct het__access *a)
{
	const bool packed = given->kind == HET_ARG_PACKED && p->kind == HET__PARAM_BUFFER;
	const int last = a->value->rank - 1;
	const int64_t row = packed ? a->box->hi[last] - a->box->lo[last] : het__value_row(a->value);
	char text[HET__TYPE_TEXT], is[MEANING_BYTES];

	if (elements_fit(a->value->type, row, p))
		return HET_OK;
	meaning(p, is);
	if (elements_fit(a->value->type, 0, p))
		return het__fail(HET_ERR_SIGNATURE,
				 "%s %s was given %s, in rows of 3 %s; vectors of three take the room of four: "
				 "give the array four columns, or declare a pointer to numbers and use vload3",
				 p->type_name, p->name, a->value->label, het__type_name(a->value->type, text));
	return het__fail(HET_ERR_SIGNATURE, "%s%s %s%s%s was given %s, whose elements are %s", *is ? "(" : "",
			 p->type_name, p->name, is, *is ? ")" : "", a->value->label,
			 het__type_name(a->value->type, text));
}
