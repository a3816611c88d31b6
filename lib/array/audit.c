/* audit.c - see audit.h. */

#include "array/audit.h"

#include <inttypes.h>
#include <string.h>

#include "array/carry.h"
#include "array/guest.h"
#include "base/format.h"
#include "base/type.h"

/* Most bytes of one copy that are compared at once. */
#define PART_BYTES ((size_t)4 << 20)

/* ---- numbers ------------------------------------------------------------------------------------ */

#define NUMBER_TEXT 40

/* Of a vector of three numbers the fourth lane belongs to nobody. */
static size_t used_bytes(het_type type)
{
	return HET_TYPE_LANES(type) == 3 ? 3 * het__type_number_bytes(type) : HET_TYPE_BYTES(type);
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
	const size_t bytes = het__type_number_bytes(type);

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
	const struct het__memory *memory; /* the store's; the store may be gone when all is read */
	struct het__guest *guest;
	unsigned char *bytes;
};

struct copies {
	struct het__value *value;
	const struct het__box *box;
	int count;
	struct copy at[HET__STORES];
};

/* The copy may be a former one, no member: so it is read as memory that belongs to no value. */
static het_status start_to_read(struct copies *copies, struct het__store *store)
{
	struct het__value *const value = copies->value;
	struct copy *const copy = &copies->at[copies->count];
	const struct het__access from = het__access(NULL, store, copies->box, HET__ACCESS_IN);
	struct het__access to = het__access(NULL, NULL, copies->box, HET__ACCESS_OUT);
	struct het__carriage carriage = {.from = &from, .to = &to, .of = value};
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
	carriage.hearer = &copy->guest->holder;
	st = het__carry(&carriage, &ref);
	copy->guest->pending += !st;
	return st;
}

/* All reads are started before any is waited for: whatever others write then comes after them. */
static het_status read_all(struct copies *copies, uint64_t stores)
{
	struct het__value *const value = copies->value;
	het_status st = HET_OK;

	for (int s = 0; s < value->top && !st; s++)
		if (stores >> s & 1)
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
	const size_t bytes = het__type_number_bytes(value->type);
	const size_t first = (size_t)cell * value->element_bytes;
	char a_text[NUMBER_TEXT], b_text[NUMBER_TEXT], point[HET__POINT_TEXT];
	struct het__box one;
	size_t at = first;

	het__box_part(value->rank, copies->box, 1, cell, &one);
	while (memcmp(a->bytes + at, b->bytes + at, bytes) == 0)
		at += bytes;
	number_text(value->type, a->bytes + at, a_text);
	number_text(value->type, b->bytes + at, b_text);
	return het__fail(HET_ERR_DIFFER, "%s, element %s: in %s it is %s, in %s %s", value->label,
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

/* The stores whose copies of a piece, which lies in the entry, are to be compared: with HET__ANY_STORE the
 * settled ones; else `slot` and one settled store, or none if `slot` has no former copy of it any more. */
static uint64_t copies_of(const struct het__value *value, const struct het__entry *entry,
			  const struct het__box *piece, int slot)
{
	const struct het__formers *const fs = &value->dir.formers;

	if (slot == HET__ANY_STORE)
		return entry->settled;
	for (int i = 0; i < fs->list.count && entry->settled; i++)
		if (fs->list.at[i].slot == slot && het__box_contains(value->rank, &fs->list.at[i].box, piece))
			return (entry->settled & -entry->settled) | (uint64_t)1 << slot;
	return 0;
}

static het_status audit_piece(struct het__value *value, const struct het__box *piece, uint64_t stores)
{
	struct copies copies = {.value = value, .box = piece};
	het_status st;

	if ((stores & (stores - 1)) == 0)
		return HET_OK;
	st = read_all(&copies, stores);
	if (!st)
		st = compare(&copies);
	free_all(&copies);
	return st;
}

/* The boxes still to be compared. While a piece is compared, others' calls may cut the entries anew, or free
 * the array, and then the caller's memory may go. */
struct work {
	HET__VEC(struct het__box) list;
};

static het_status add(const struct het__value *value, struct work *work, const struct het__box *box)
{
	if (het__grow(&work->list.at, &work->list.room, work->list.count + 1, sizeof *work->list.at))
		return het__fail(HET_ERR_MEMORY, "no host memory to compare copies of %s", value->label);
	work->list.at[work->list.count++] = *box;
	return HET_OK;
}

/* Compares one piece, which lies in one entry, of the list's last box; the rest of the box is added. */
static het_status audit_next(struct het__value *value, struct work *work, int slot)
{
	const struct het__box box = work->list.at[--work->list.count];
	const struct het__entry *entry;
	struct het__box piece, rest[HET__BOX_PIECES];
	het_status st = HET_OK;
	int rests;

	if (value->left_at)
		return het__fail(HET_ERR_HANDLE, "another thread has freed %s", value->label);
	entry = het__directory_entry(&value->dir, &box);
	(void)het__box_intersect(value->rank, &entry->box, &box, &piece);
	rests = het__box_subtract(value->rank, &box, &piece, rest);
	for (int r = 0; r < rests && !st; r++)
		st = add(value, work, &rest[r]);
	return st ? st : audit_piece(value, &piece, copies_of(value, entry, &piece, slot));
}

het_status het__value_audit(struct het__value *value, const struct het__box *box, int slot)
{
	const uint64_t most = PART_BYTES / value->element_bytes;
	const uint64_t parts = het__box_parts(value->rank, box, most);
	struct work work = {{NULL, 0, 0}};
	het_status st = HET_OK;

	for (uint64_t i = 0; i < parts && !st; i++) {
		struct het__box part;

		het__box_part(value->rank, box, most, i, &part);
		st = add(value, &work, &part);
		while (work.list.count > 0 && !st)
			st = audit_next(value, &work, slot);
	}
	het__free(work.list.at);
	return st;
}

bool het__array_is_whole(het_array *array)
{
	struct het__value *value;
	het_system *system;
	bool is_whole;

	if (het__array_enter_at_once(array, "het_launch"))
		return false;
	value = array->value;
	system = value->system;
	value->users++;
	het__value_settle(value);
	is_whole = !value->left_at && array->value == value &&
		   !het__directory_poison(&value->dir, &value->whole, NULL) &&
		   het__maps_allow(array, &value->whole, false, NULL) == HET_OK;
	het__value_leave(value);
	het__operation_leave(system);
	return is_whole;
}

static het_status audit_all(struct het__value *value)
{
	return het__value_audit(value, &value->whole, HET__ANY_STORE);
}

het_status het_audit(het_array *array)
{
	return het__array_look(array, "het_audit", audit_all);
}
