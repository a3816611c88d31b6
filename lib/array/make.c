/* make.c - arrays are made, in memory of the library's or of the caller's. */

#include "array/array.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/type.h"

static het_status check_type(het_type type)
{
	if (het__type_exists(type))
		return HET_OK;
	return het__fail(HET_ERR_ARGUMENT, "0x%x is not an element type: %s", (unsigned)type,
			 HET_TYPE_BASE(type) == HET_BASE_STRUCT
				 ? "HET_STRUCT is of 1 to 1048575 bytes"
				 : "such are HET_INT, HET_FLOAT..., HET_STRUCT(bytes)");
}

static __attribute__((cold)) het_status shape_overflows(const struct het_shape *shape, size_t element_bytes)
{
	char text[HET_MAX_RANK * sizeof " x 9223372036854775807"] = "";
	size_t at = 0;

	for (int d = 0; d < shape->rank && at < sizeof text; d++)
		at += (size_t)snprintf(text + at, sizeof text - at, "%s%lld", d > 0 ? " x " : "",
				       (long long)shape->extent[d]);
	return het__fail(HET_ERR_SHAPE, "an array of %s elements of %zu bytes overflows memory", text,
			 element_bytes);
}

/* The numbers that het_shape could not refuse. *bytes: of the dense array. */
static het_status check_shape(const struct het_shape *shape, size_t element_bytes, size_t *bytes)
{
	size_t total = element_bytes;
	bool empty = false;

	if (shape->rank < 1 || shape->rank > HET_MAX_RANK)
		return het__fail(HET_ERR_SHAPE, "an array of rank %d: the rank must be 1 to %d", shape->rank,
		                 HET_MAX_RANK);
	if (shape->given != shape->rank)
		return het__fail(HET_ERR_SHAPE, "a shape of rank %d was given %d extents", shape->rank,
				 shape->given);
	for (int d = 0; d < shape->rank; d++) {
		if (shape->extent[d] < 0)
			return het__fail(HET_ERR_SHAPE, "extent %d of a shape is %lld", d,
					 (long long)shape->extent[d]);
		empty |= shape->extent[d] == 0;
	}
	for (int d = 0; d < shape->rank && !empty; d++)
		if (__builtin_mul_overflow(total, (size_t)shape->extent[d], &total) || total > PTRDIFF_MAX / 2)
			return shape_overflows(shape, element_bytes);
	*bytes = empty ? 0 : total;
	return HET_OK;
}

/* Makes the handle and its value. `label` NULL: by its number. */
static het_status new_handle(het_system *system, het_type type, const struct het_shape *shape,
			     const struct het__host_bytes *where, const char *label, het_array **array_p)
{
	het_array *array = het__alloc_zeroed(1, sizeof *array);
	het_status st;

	if (!array)
		st = het__fail(HET_ERR_MEMORY, "no host memory to describe an array");
	else
		st = het__value_new(system, type, shape, where, &array->value);
	if (st) {
		het__free(array);
		return st;
	}
	array->magic = HET__MAGIC_ARRAY;
	array->system = system;
	array->shape = *shape;
	het__array_list(array, label);
	*array_p = array;
	return HET_OK;
}

het_status het__array_new(het_system *system, het_type type, const struct het_shape *shape, const char *label,
			  het_array **array_p)
{
	struct het__host_bytes where = {.wrapped = NULL};
	het_status st = check_type(type);

	if (!st)
		st = check_shape(shape, HET_TYPE_BYTES(type), &where.bytes);
	return st ? st : new_handle(system, type, shape, &where, label, array_p);
}

het_status het_array_new(het_system *system, het_type type, struct het_shape shape, het_array **array_p)
{
	het_status st = het__operation_enter_at_once(system, "het_array_new");

	if (st)
		return st;
	het__lanes_reap(system); /* freed arrays may only wait for finished tasks to be ended */
	st = array_p ? het__array_new(system, type, &shape, NULL, array_p)
		     : het__fail(HET_ERR_ARGUMENT, "array_p is NULL");
	if (st)
		(void)het__fail_within("het_array_new");
	return het__operation_leave_with(system, st);
}

static het_status check_overlap(const het_system *system, const void *memory, size_t bytes)
{
	uintptr_t lo = (uintptr_t)memory, hi = lo + bytes;

	for (const het_array *a = het__arrays_first(system); a; a = a->next) {
		const struct het__block *home = a->value->store[HET__HOME]->block;
		uintptr_t at = (uintptr_t)home->host;

		if (a->wrapped && lo < at + home->bytes && at < hi && bytes && a->value->bytes)
			return het__fail(HET_ERR_OVERLAP,
					 "the memory at %p (%zu bytes) overlaps that of %s at %p (%zu bytes)",
					 memory, bytes, a->value->label, (void *)home->host, home->bytes);
	}
	return HET_OK;
}

/* The bytes from the first to the last element with these pitches. */
static het_status check_pitches(const struct het_shape *shape, size_t element_bytes, const size_t *pitch_bytes,
                                size_t *bytes)
{
	size_t inner = element_bytes * (size_t)shape->extent[shape->rank - 1];

	for (int d = shape->rank - 2; d >= 0 && *bytes; d--) {
		if (pitch_bytes[d] < inner || pitch_bytes[d] % element_bytes)
			return het__fail(HET_ERR_SHAPE,
					 "pitch %d is %zu bytes: it must be a multiple of the element's %zu "
					 "and at least %zu",
					 d, pitch_bytes[d], element_bytes, inner);
		if (__builtin_mul_overflow(pitch_bytes[d], (size_t)shape->extent[d] - 1, bytes) ||
		    __builtin_add_overflow(*bytes, inner, bytes) || *bytes > PTRDIFF_MAX / 2)
			return het__fail(HET_ERR_SHAPE, "a pitched array overflows memory: pitch %d is %zu", d,
			                 pitch_bytes[d]);
		inner = *bytes;
	}
	return HET_OK;
}

static het_status wrapped(het_system *system, het_type type, const struct het_shape *shape, void *memory,
			  const size_t *pitch_bytes, het_array **array_p)
{
	struct het__host_bytes where = {.wrapped = memory, .pitch_bytes = pitch_bytes};
	het_status st = array_p ? check_type(type) : het__fail(HET_ERR_ARGUMENT, "array_p is NULL");

	if (!st)
		st = check_shape(shape, HET_TYPE_BYTES(type), &where.bytes);
	if (!st && !memory && where.bytes)
		st = het__fail(HET_ERR_ARGUMENT, "the memory is NULL");
	if (!st && pitch_bytes)
		st = check_pitches(shape, HET_TYPE_BYTES(type), pitch_bytes, &where.bytes);
	if (!st && where.bytes > UINTPTR_MAX - (uintptr_t)memory)
		st = het__fail(HET_ERR_SHAPE, "the array overflows memory: %zu bytes at %p", where.bytes,
			       memory);
	if (!st)
		st = check_overlap(system, memory, where.bytes);
	if (!st)
		st = new_handle(system, type, shape, &where, NULL, array_p);
	if (!st)
		(*array_p)->wrapped = true; /* also over NULL, which an empty array may be */
	return st;
}

static het_status wrap(het_system *system, het_type type, struct het_shape shape, void *memory,
		       const size_t *pitch_bytes, het_array **array_p, const char *call)
{
	het_status st = het__operation_enter_at_once(system, call);

	if (st)
		return st;
	st = wrapped(system, type, &shape, memory, pitch_bytes, array_p);
	if (st)
		(void)het__fail_within("%s", call);
	return het__operation_leave_with(system, st);
}

het_status het_array_wrap(het_system *system, het_type type, struct het_shape shape, void *memory,
                          het_array **array_p)
{
	return wrap(system, type, shape, memory, NULL, array_p, "het_array_wrap");
}

het_status het_array_wrap_pitched(het_system *system, het_type type, struct het_shape shape, void *memory,
                                  const size_t *pitch_bytes, het_array **array_p)
{
	return wrap(system, type, shape, memory, pitch_bytes, array_p, "het_array_wrap_pitched");
}
