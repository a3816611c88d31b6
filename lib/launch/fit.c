/* fit.c - does an argument of a launch fit the kernel's signature? */

#include "launch/args.h"

static het_status check_value(const struct het_arg *a, const struct het__param *p, const char *title, int i)
{
	bool real = HET_TYPE_BASE(p->type) == HET_BASE_REAL;

	if (!p->type)
		return HET_OK;
	if (a->bytes != HET_TYPE_BYTES(p->type))
		return het__fail(HET_ERR_SIGNATURE, "%s: argument %d (%s %s) was given %zu bytes; it has %zu",
				 title, i, p->type_name, p->name, a->bytes, HET_TYPE_BYTES(p->type));
	if (a->kind == HET_ARG_VALUE && HET_TYPE_LANES(a->value_type) != HET_TYPE_LANES(p->type))
		return het__fail(HET_ERR_SIGNATURE, "%s: argument %d (%s %s) was given %s", title, i,
				 p->type_name, p->name,
				 HET_TYPE_LANES(p->type) > 1 ? "a number: HET_BYTES gives a vector"
							     : "a vector");
	if (a->kind == HET_ARG_VALUE && (HET_TYPE_BASE(a->value_type) == HET_BASE_REAL) != real)
		return het__fail(HET_ERR_SIGNATURE, "%s: argument %d (%s %s) was given %s number", title, i,
				 p->type_name, p->name, real ? "an integer" : "a floating-point");
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

/* Handles are looked at later. */
static const char *array_name(const struct het_arg *a, const het_system *system)
{
	const het_array *const array = het__arg_array(a);

	return het__array_is_of(array, system) ? array->value->label : "";
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
		fits = is_buffer;
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

het_status het__arg_elements_fit(const struct het__access *a, const struct het__param *p)
{
	char text[HET__TYPE_TEXT];

	if ((p->needs & ~het__meets(a->value->type, SIZE_MAX)) == 0) /* however it is aligned */
		return HET_OK;
	return het__fail(HET_ERR_SIGNATURE, "%s %s was given %s, whose elements are %s", p->type_name, p->name,
			 a->value->label, het__type_name(a->value->type, text));
}
