/* audit.c - see audit.h. */

#include "array/audit.h"

#include <inttypes.h>
#include <string.h>

#include "array/guest.h"
#include "base/format.h"

/* Most bytes of one copy that are compared at once. */
#define PART_BYTES ((size_t)4 << 20)

/* ---- numbers ------------------------------------------------------------------------------------ */

#define NUMBER_TEXT 40

/* Of a struct it is one byte. */
static size_t number_bytes(het_type type)
{
	const unsigned lanes = HET_TYPE_LANES(type);

	if (HET_TYPE_BASE(type) == HET_BASE_STRUCT)
		return 1;
	return HET_TYPE_BYTES(type) / (lanes == 3 ? 4 : lanes);
}

/* The fourth lane of three is nobody's. */
static size_t used_bytes(het_type type)
{
	return HET_TYPE_LANES(type) == 3 ? 3 * number_bytes(type) : HET_TYPE_BYTES(type);
}

static void real_text(const unsigned char *number, size_t bytes, char text[NUMBER_TEXT])
{
	double wide = 0;
	float single;
	uint16_t half;

	if (bytes == 8) {
		memcpy(&wide, number, 8);
		(void)het__format(text, NUMBER_TEXT, "%.17g", wide);
	} else if (bytes == 4) {
		memcpy(&single, number, 4);
		(void)het__format(text, NUMBER_TEXT, "%.9g", (double)single);
	} else {
		memcpy(&half, number, 2);
		(void)het__format(text, NUMBER_TEXT, "0x%04x (half)", (unsigned)half);
	}
}

/* Sign and value in two's complement, whatever the order of bytes. */
static void integer_text(const unsigned char *number, size_t bytes, bool is_signed, char text[NUMBER_TEXT])
{
	uint8_t of_1;
	uint16_t of_2;
	uint32_t of_4;
	uint64_t of_8 = 0;

	memcpy(bytes == 1   ? (void *)&of_1
	       : bytes == 2 ? (void *)&of_2
	       : bytes == 4 ? (void *)&of_4
			    : (void *)&of_8,
	       number, bytes);
	if (is_signed)
		(void)het__format(text, NUMBER_TEXT, "%" PRId64,
				  bytes == 1   ? (int64_t)(int8_t)of_1
				  : bytes == 2 ? (int64_t)(int16_t)of_2
				  : bytes == 4 ? (int64_t)(int32_t)of_4
					       : (int64_t)of_8);
	else
		(void)het__format(text, NUMBER_TEXT, "%" PRIu64,
				  bytes == 1   ? (uint64_t)of_1
				  : bytes == 2 ? (uint64_t)of_2
				  : bytes == 4 ? (uint64_t)of_4
					       : of_8);
}

static void number_text(het_type type, const unsigned char *number, char text[NUMBER_TEXT])
{
	const size_t bytes = number_bytes(type);

	if (HET_TYPE_BASE(type) == HET_BASE_STRUCT)
		(void)het__format(text, NUMBER_TEXT, "0x%02x", (unsigned)*number);
	else if (HET_TYPE_BASE(type) == HET_BASE_REAL)
		real_text(number, bytes, text);
	else
		integer_text(number, bytes, HET_TYPE_BASE(type) == HET_BASE_INT, text);
}

/* ---- copies ------------------------------------------------------------------------------------- */

/* The copy of a box that one store has, in memory of ours. */
struct copy {
	const struct het__memory *memory; /* of the store, which may be gone when all is read */
	struct het__guest *guest;
	unsigned char *bytes;
};

struct copies {
	struct het__value *value;
	const struct het__box *box;
	int count;
	struct copy at[HET__STORES];
};

static het_status start_to_read(struct copies *copies, struct het__store *store)
{
	struct het__value *const value = copies->value;
	struct copy *const copy = &copies->at[copies->count];
	struct het__access from = het__access(value, store, copies->box, HET__ACCESS_IN);
	struct het__access to = het__access(NULL, NULL, copies->box, HET__ACCESS_OUT);
	struct het__ref ref;
	het_status st;

	*copy = (struct copy){.memory = store->memory};
	copy->bytes = het__alloc(het__value_bytes(value, copies->box));
	if (!copy->bytes)
		return het__fail(HET_ERR_MEMORY, "no host memory to compare copies of %s", value->label);
	st = het__guest_of_caller(value, copy->bytes, copies->box, &copy->guest);
	if (st) {
		het__free(copy->bytes);
		return st;
	}
	copies->count++;
	copy->guest->told = true;
	to.store = &copy->guest->store;
	st = het__value_move(&from, &to, NULL, &copy->guest->holder, &ref);
	copy->guest->pending += !st;
	return st;
}

/* Of all that are settled when it begins: whatever writes the box comes after them. */
static het_status read_all(struct copies *copies, uint64_t settled)
{
	struct het__value *const value = copies->value;
	het_status st = HET_OK;

	for (int s = 0; s < value->top && !st; s++)
		if (settled >> s & 1)
			st = start_to_read(copies, value->store[s]);
	for (int i = 0; i < copies->count; i++) {
		struct het__guest *const guest = copies->at[i].guest;

		het__guest_wait(guest);
		if (guest->cause && !st) {
			het__tasks_report(value->system, guest->cause);
			st = het__fail_because(HET_ERR_DEVICE, guest->cause, "a copy of %s could not be read",
					       value->label);
		}
	}
	return st;
}

static void free_all(const struct copies *copies)
{
	for (int i = 0; i < copies->count; i++) {
		het__guest_release(copies->at[i].guest);
		het__free(copies->at[i].bytes);
	}
}

/* The first number of a cell in which two copies differ. */
static het_status tell(const struct copies *copies, const struct copy *a, const struct copy *b, uint64_t cell)
{
	const struct het__value *const value = copies->value;
	const size_t bytes = number_bytes(value->type);
	const size_t first = (size_t)cell * value->element_bytes;
	char a_text[NUMBER_TEXT], b_text[NUMBER_TEXT], point[HET__POINT_TEXT];
	struct het__box one;
	size_t at = first;

	het__box_part(value->rank, copies->box, 1, cell, &one);
	while (memcmp(a->bytes + at, b->bytes + at, bytes) == 0)
		at += bytes;
	number_text(value->type, a->bytes + at, a_text);
	number_text(value->type, b->bytes + at, b_text);
	return het__fail(HET_ERR_DIFFER, "%s, cell %s: in %s it is %s, in %s %s", value->label,
			 het__point_format(value->rank, one.lo, point), het__memory_name(a->memory), a_text,
			 het__memory_name(b->memory), b_text);
}

static het_status compare(const struct copies *copies)
{
	const struct copy *const first = &copies->at[0];
	const size_t step = copies->value->element_bytes, used = used_bytes(copies->value->type);
	const uint64_t cells = het__box_cells(copies->value->rank, copies->box);

	for (int i = 1; i < copies->count; i++) {
		const struct copy *const other = &copies->at[i];

		if (memcmp(first->bytes, other->bytes, (size_t)cells * step) == 0)
			continue;
		for (uint64_t c = 0; c < cells; c++)
			if (memcmp(first->bytes + c * step, other->bytes + c * step, used) != 0)
				return tell(copies, first, other, c);
	}
	return HET_OK;
}

/* ---- boxes -------------------------------------------------------------------------------------- */

/* `box` lies in one entry, and is no larger than what is compared at once. */
static het_status audit_piece(struct het__value *value, const struct het__box *box, uint64_t settled)
{
	struct copies copies = {.value = value, .box = box};
	het_status st;

	if ((settled & (settled - 1)) == 0)
		return HET_OK;
	st = read_all(&copies, settled);
	if (!st)
		st = compare(&copies);
	free_all(&copies);
	return st;
}

/* Entries are looked up piece by piece: while one is compared others' calls may cut them anew. */
static het_status audit_part(struct het__value *value, const struct het__box *part)
{
	const struct het__entry *const entry = het__directory_entry(&value->dir, part);
	struct het__box piece, rest[HET__BOX_PIECES];
	het_status st;
	int rests;

	(void)het__box_intersect(value->rank, &entry->box, part, &piece);
	rests = het__box_subtract(value->rank, part, &piece, rest);
	st = audit_piece(value, &piece, entry->settled);
	for (int r = 0; r < rests && !st; r++)
		st = audit_part(value, &rest[r]);
	return st;
}

het_status het__value_audit(struct het__value *value, const struct het__box *box)
{
	const uint64_t most = PART_BYTES / value->element_bytes;
	const uint64_t parts = het__box_parts(value->rank, box, most);
	het_status st = HET_OK;

	for (uint64_t i = 0; i < parts && !st; i++) {
		struct het__box part;

		het__box_part(value->rank, box, most, i, &part);
		st = audit_part(value, &part);
	}
	return st;
}

void het__value_settle(struct het__value *value)
{
	het__tasks_progress(value->system);
	for (;;) {
		struct het__ref ref = {NULL, 0};

		for (int s = 0; s < value->top && !ref.task; s++)
			if (value->store[s])
				ref = het__block_user(value->store[s]->block); /* of an empty box, too */
		if (!ref.task)
			return;
		het__task_wait(value->system, ref);
	}
}

het_status het_audit(het_array *array)
{
	het_status st = het__may_wait("het_audit");
	struct het__doing doing;
	struct het__value *value;
	het_system *system;

	if (!st)
		st = het__array_enter_at_once(array, "het_audit");
	if (st)
		return het__array_refuse(array, st);
	value = array->value;
	system = value->system;
	value->users++; /* it may be freed or swapped meanwhile */
	het__doing(&doing, system, "het_audit", "reads", value->label);
	het__value_settle(value);
	st = het__value_audit(value, &value->whole);
	het__doing_end(&doing);
	het__value_leave(value);
	return het__operation_leave_with(system, st);
}
