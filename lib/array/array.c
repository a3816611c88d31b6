/* array.c - handles: listed, described, swapped, freed; operations on them. */

#include "array/array.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/answer.h"
#include "base/type.h"
#include "base/utf8.h"
#include "kernel/kernel.h"

struct arrays {
	het_array *first;
	struct het__value *left;
	struct het__guest *scratch;
	int unnoted;
	uint64_t next_number;
};

static struct arrays *arrays_here(const het_system *system)
{
	return system->room[HET__ROOM_ARRAY].state;
}

het_array *het__arrays_first(const het_system *system)
{
	return arrays_here(system)->first;
}

struct het__value **het__values_left(const het_system *system)
{
	return &arrays_here(system)->left;
}

struct het__guest **het__scratches(const het_system *system)
{
	return &arrays_here(system)->scratch;
}

int *het__values_unnoted(const het_system *system)
{
	return &arrays_here(system)->unnoted;
}

void het__array_list(het_array *array, const char *label)
{
	struct arrays *arrays = arrays_here(array->system);

	if (label)
		snprintf(array->value->label, sizeof array->value->label, "%s", label);
	else
		snprintf(array->value->label, sizeof array->value->label, "array %llu",
			 (unsigned long long)arrays->next_number++);
	array->next = arrays->first;
	if (arrays->first)
		arrays->first->prev = array;
	arrays->first = array;
	array->system->count.live_arrays++;
}

static void unlink_array(het_array *array)
{
	if (array->prev)
		array->prev->next = array->next;
	else
		arrays_here(array->system)->first = array->next;
	if (array->next)
		array->next->prev = array->prev;
	array->system->count.live_arrays--;
}

static het_array *first_wrapped(const het_system *system)
{
	het_array *array = arrays_here(system)->first;

	while (array && !array->wrapped)
		array = array->next;
	return array;
}

/* There is no other try: the array goes, whatever fails. */
static void give_back(het_array *array, struct het__failure **first)
{
	het_system *const system = array->system;
	const het_status st = het__array_destroy(array, array->discard);

	if (!st)
		return;
	if (!*first)
		*first = het__failure_capture();
	else
		het__log(system->logger, HET_LOG_ERROR, "system", "het_close: %s", het__message());
	if (st != HET_ERR_LOST)
		(void)het__array_destroy(array, true);
}

/* Most likely an unmap was forgotten. */
static void tell_of_maps(const het_system *system)
{
	for (const het_array *a = arrays_here(system)->first; a; a = a->next)
		if (a->maps.count > 0)
			het__log(system->logger, HET_LOG_WARN, "system", "het_close: %s is still mapped",
				 a->value->label);
}

/* First half of closing: what the user's memory is to hold is written there. */
static het_status settle_room(het_system *system)
{
	struct het__failure *first = NULL;
	het_status st = HET_OK;

	pthread_mutex_lock(&system->lock);
	tell_of_maps(system);
	for (het_array *a; (a = first_wrapped(system)) != NULL;)
		give_back(a, &first);
	het__leave(system);
	if (first)
		st = het__fail_because(het__failure_status(first), first, "an array of the program's memory");
	het__failure_release(first);
	return st;
}

static void free_room(het_system *system)
{
	struct arrays *arrays = arrays_here(system);

	while (arrays->first)
		(void)het__array_destroy(arrays->first, true);
	het__values_sweep(system);
	het__free(arrays);
	system->room[HET__ROOM_ARRAY].state = NULL;
}

/* This room's state and that of the tasks below. */
static het_status open_rooms(het_system *system)
{
	struct het__room_state *room = &system->room[HET__ROOM_ARRAY];
	struct het__tasks *tasks;
	het_status st = het__tasks_of(system, &tasks);

	if (st)
		return st;
	room->state = het__alloc_zeroed(1, sizeof(struct arrays));
	if (!room->state)
		return het__fail(HET_ERR_MEMORY, "no host memory for the system's arrays");
	room->settle = settle_room;
	room->free = free_room;
	return HET_OK;
}

static inline het_status enter(het_system *system, const char *what, bool makes_tasks)
{
	het_status st = het__enter(system, what);

	if (st)
		return st;
	if (!system->room[HET__ROOM_ARRAY].state)
		st = open_rooms(system);
	if (st)
		return het__leave_with(system, st);
	if (makes_tasks)
		het__tasks_make_room(system);
	if (arrays_here(system)->unnoted > 0)
		het__values_sweep(system);
	if (system->context_count > 1)
		het__lanes_reap(system);
	het__tasks_in(system)->stamp++;
	return HET_OK;
}

het_status het__operation_enter(het_system *system, const char *what)
{
	return enter(system, what, true);
}

het_status het__operation_enter_at_once(het_system *system, const char *what)
{
	return enter(system, what, false);
}

void het__operation_leave(het_system *system)
{
	het__tasks_progress(system);
#ifdef HETERO_DEBUG_CHECKS
	het__tasks_check(system);
	het__arrays_check(system);
#endif
	het__leave(system);
}

void het__operation_next(het_system *system)
{
	het__tasks_in(system)->stamp++;
}

void het__operation_wait(het_system *system, struct het__ref task)
{
	struct het__tasks *const tasks = het__tasks_in(system);
	const uint64_t stamp = tasks->stamp;

	if (het__alive(task) && task.task->behind_user)
		(void)het__task_wait_behind_user(system, task); /* in vain: who tries again is told */
	else
		het__task_wait(system, task);
	if (tasks->stamp != stamp)
		tasks->stamp++;
}

het_status het__operation_wait_again(het_system *system)
{
	const struct het__ref again = het__tasks_in(system)->again;
	const het_status st =
		het__alive(again) ? het__may_wait("a call that must wait until copies give way") : HET_OK;

	if (!st)
		het__operation_wait(system, again);
	return st;
}

/* The message cannot name what is no array: freed memory does not say what it was. */
static het_status check_handle(const het_array *array)
{
	if (array && array->magic == HET__MAGIC_ARRAY)
		return HET_OK;
	return het__complain_of(array, "array", "freed, or none", NULL);
}

static het_status check_freed(const het_array *array)
{
	return array->freed ? het__fail(HET_ERR_HANDLE, "%s was freed", array->value->label) : HET_OK;
}

het_status het__array_usable(const het_array *array, const het_system *system)
{
	het_status st = check_handle(array);

	if (!st && array->system != system)
		st = het__fail(HET_ERR_HANDLE, "%s belongs to another system than the rest of the call",
			       array->value->label);
	return st ? st : check_freed(array);
}

het_status het__array_refuse(const het_array *array, het_status status)
{
	return het__refuse(array && array->magic == HET__MAGIC_ARRAY ? array->system : NULL, status);
}

static het_status enter_array(het_array *array, const char *what, bool makes_tasks)
{
	het_status st = check_handle(array);
	het_system *system;

	if (st)
		return het__fail_within("%s", what);
	system = array->system;
	st = enter(system, what, makes_tasks);
	if (st)
		return st;
	st = check_handle(array); /* this thread may have waited for room while another freed the array */
	if (!st)
		st = check_freed(array);
	if (!st)
		return HET_OK;
	(void)het__fail_within("%s", what);
	return het__leave_with(system, st);
}

het_status het__array_enter(het_array *array, const char *what)
{
	return enter_array(array, what, true);
}

het_status het__array_enter_at_once(het_array *array, const char *what)
{
	return enter_array(array, what, false);
}

/* Each piece by itself: what keeps one from coming home need not keep the others. */
static void fetch_pieces(struct het__value *value)
{
	const int count = het__directory_lacking(&value->dir, HET__HOME, NULL, 0);
	struct het__box *const piece = het__alloc_zeroed((size_t)count + 1, sizeof *piece);

	if (!piece)
		return;
	(void)het__directory_lacking(&value->dir, HET__HOME, piece, count);
	for (int i = 0; i < count; i++)
		(void)het__home_fetch(value, &piece[i]);
	het__free(piece);
}

/* The caller's memory gets the value. A failed transfer, which elsewhere costs nothing but another try, loses
 * it here, as the array goes: so what failed is tried once more. */
static het_status write_back(struct het__value *value)
{
	het_status st = het__home_fetch(value, &value->whole);
	struct het__failure *cause;

	if (st && st != HET_ERR_LOST) {
		fetch_pieces(value);
		st = het__home_fetch(value, &value->whole);
	}
	if (st != HET_ERR_DEVICE)
		return st;
	cause = het__failure_capture();
	st = het__fail_because(HET_ERR_LOST, cause, "%s is not written back whole", value->label);
	het__failure_release(cause);
	return st;
}

/* Afterwards nobody touches the caller's memory or has a buffer over it, though tasks may go on with copies of
 * the value elsewhere. */
static void take_leave(het_system *system, struct het__block *block)
{
	struct het__ref ref;

	while ((ref = het__block_user(block)).task)
		het__task_wait(system, ref);
	if (block->parts.count > 0)
		het__kernels_let_go(system, NULL, block);
	het__block_release_parts(block);
}

het_status het__array_destroy(het_array *array, bool discard)
{
	struct het__value *value = array->value;
	het_system *system = array->system;
	struct het__doing doing;
	const bool freed = array->freed;
	het_status st = HET_OK;

	array->freed = true; /* while we wait, other threads find it gone */
	het__doing(&doing, system, "het_array_free", "gives back", value->label);
	if (array->wrapped && !discard)
		st = write_back(value);
	if (st && st != HET_ERR_LOST) {
		array->freed = freed;
		het__doing_end(&doing);
		return st;
	}
	if (array->wrapped)
		take_leave(system, value->store[HET__HOME]->block);
	het__doing_end(&doing);
	unlink_array(array);
	het__free(array->maps.at);
	array->magic = HET__MAGIC_DEAD;
	het__bury(system, array);
	het__value_release(value);
	return st;
}

static het_status free_or_discard(het_array *array, bool discard, const char *what)
{
	het_system *system;
	het_status st;

	if (!array)
		return HET_OK;
	if (array->magic == HET__MAGIC_ARRAY && array->wrapped) {
		st = het__may_wait(what);
		if (st)
			return het__array_refuse(array, st);
	}
	st = het__array_enter_at_once(array, what);
	if (st)
		return st;
	system = array->system;
	if (array->maps.count) {
		array->freed = true;
		array->discard = discard;
	} else {
		st = het__array_destroy(array, discard);
	}
	return het__operation_leave_with(system, st);
}

het_status het_array_free(het_array *array)
{
	return free_or_discard(array, false, "het_array_free");
}

het_status het_array_discard(het_array *array)
{
	return free_or_discard(array, true, "het_array_discard");
}

/* A name that is too long loses whole characters: bytes 10xxxxxx continue one (RFC 3629). */
static void set_label(char label[HET__LABEL], const char *name)
{
	size_t length = strnlen(name, HET__LABEL);

	if (length == HET__LABEL) {
		length--;
		for (int back = 0; back < 3 && (name[length] & 0xc0) == 0x80; back++)
			length--;
	}
	memcpy(label, name, length);
	label[length] = '\0';
}

/* A newline would begin a line of the log. */
static het_status check_name(const char *name)
{
	for (const char *c = name; c && *c; c += het__utf8_bytes(c)) {
		const bool is_text = het__utf8_bytes(c) > 0;

		if (!is_text || het__utf8_is_control(c))
			return het__fail(HET_ERR_ARGUMENT, "het_array_name: byte %td of the name is 0x%02x: %s",
					 c - name, (unsigned char)*c,
					 is_text ? "a control character" : "no UTF-8");
	}
	if (name && *name)
		return HET_OK;
	return het__fail(HET_ERR_ARGUMENT, "het_array_name: the name is %s", name ? "empty" : "NULL");
}

het_status het_array_name(het_array *array, const char *name)
{
	het_status st = het__array_enter_at_once(array, "het_array_name");

	if (st)
		return st;
	st = check_name(name);
	if (!st)
		set_label(array->value->label, name);
	return het__operation_leave_with(array->system, st);
}

het_status het_array_info(het_array *array, struct het_array_info *info)
{
	struct het_array_info now = HET_ARRAY_INFO_INIT;
	het_status st = het__array_enter_at_once(array, "het_array_info");

	if (st)
		return st;
	now.system = array->system;
	now.type = array->value->type;
	now.shape = array->shape;
	now.bytes = array->value->bytes;
	now.elements = now.bytes / array->value->element_bytes;
	now.is_wrapped = array->wrapped;
	st = het__answer("het_array_info", "info", &now, sizeof now, info);
	return het__operation_leave_with(array->system, st);
}

size_t het_array_pitch(het_array *array, int dim)
{
	het_status st = het__array_enter_at_once(array, "het_array_pitch");
	size_t pitch = 0;

	if (st)
		return 0;
	if (dim >= 0 && dim < array->value->rank)
		pitch = array->value->store[HET__HOME]->layout.pitch_bytes[dim];
	else
		st = het__fail(HET_ERR_ARGUMENT, "het_array_pitch: %s has no dimension %d", array->value->label,
			       dim);
	(void)het__operation_leave_with(array->system, st);
	return pitch;
}

static het_status check_swap(const het_array *a, const het_array *b)
{
	char one[HET__TYPE_TEXT], other[HET__TYPE_TEXT];

	if (a->wrapped || b->wrapped)
		return het__fail(HET_ERR_ARGUMENT, "het_swap: %s is the caller's memory and stays where it is",
		                 a->wrapped ? a->value->label : b->value->label);
	if (a->value->type != b->value->type)
		return het__fail(HET_ERR_ARGUMENT, "het_swap: %s and %s have different types, %s and %s",
		                 a->value->label, b->value->label, het__type_name(a->value->type, one),
		                 het__type_name(b->value->type, other));
	if (a->value->rank != b->value->rank ||
	    !het__box_equal(a->value->rank, &a->value->whole, &b->value->whole))
		return het__fail(HET_ERR_SHAPE, "het_swap: %s and %s have different shapes", a->value->label,
		                 b->value->label);
	if (a->maps.count || b->maps.count)
		return het__fail(HET_ERR_MAPPED, "het_swap: %s is mapped",
		                 a->maps.count ? a->value->label : b->value->label);
	return HET_OK;
}

static void exchange(het_array *a, het_array *b)
{
	struct het__value *value = a->value;
	char label[sizeof value->label];

	a->value = b->value;
	b->value = value;
	memcpy(label, a->value->label, sizeof label); /* names stay with the handles */
	memcpy(a->value->label, b->value->label, sizeof label);
	memcpy(b->value->label, label, sizeof label);
}

het_status het_swap(het_array *a, het_array *b)
{
	het_status st = het__array_enter_at_once(a, "het_swap");

	if (st)
		return st;
	st = het__array_usable(b, a->system);
	st = st ? het__fail_within("het_swap, the second array") : check_swap(a, b);
	if (!st && a != b)
		exchange(a, b);
	return het__operation_leave_with(a->system, st);
}

void het__arrays_check(het_system *system)
{
	for (const het_array *a = arrays_here(system)->first; a; a = a->next)
		het__value_check(a->value);
}
