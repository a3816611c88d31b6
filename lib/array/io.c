/* io.c - boxes between arrays and the caller's memory; waiting for an array. */

#include "array/guest.h"

#include <string.h>

#include "task/emit.h"

/* Up to here a copy inside host memory is made on the spot instead of by a thread of ours. */
#define SMALL_BYTES 65536

/* HET_ERR_DEVICE where only a transfer failed: another try may succeed. */
static het_status status_of(const struct het__value *value, const struct het__box *box,
			    const struct het__failure *cause)
{
	const bool is_lost = !het__failure_is_of_move(cause) || het__directory_poison(&value->dir, box, NULL);

	return is_lost ? HET_ERR_LOST : HET_ERR_DEVICE;
}

/* Tells why: what was to be read has no value, or had none and may have been written over since, or only a
 * transfer failed. */
static het_status could_not_copy(struct het__guest *guest, struct het__value *value, const struct het__box *box,
				 bool write)
{
	char text[HET__BOX_TEXT];
	het_status st;

	het__makers_wait(value, box);
	if (!write && het__value_lost(value, box))
		return HET_ERR_LOST; /* of the box's cause; the guest's, if another, is still to be told */
	het__tasks_report(value->system, guest->cause);
	st = status_of(value, box, guest->cause);
	het__box_format(value->rank, box, text);
	if (!write && st == HET_ERR_LOST)
		return het__fail_because(st, guest->cause, "part of %s %s had no value", value->label, text);
	return het__fail_because(st, guest->cause, "%s %s could not be copied", value->label, text);
}

/* Waits until the guest's tasks have ended, which copy `box` of the array. */
static het_status await(struct het__guest *guest, struct het__value *value, const struct het__box *box,
			bool write, const char *what)
{
	het__guest_wait(guest);
	if (!guest->cause)
		return HET_OK;
	(void)could_not_copy(guest, value, box, write);
	return het__fail_within("%s", what);
}

/* One of the two directions between a box and the caller's memory, as tasks. */
static het_status start_io(struct het__value *value, const struct het__box *box, struct het__guest *guest,
			   bool write)
{
	struct het__access in = het__access(NULL, &guest->store, box, HET__ACCESS_IN);
	struct het__access out = het__access(value, value->store[HET__HOME], box, HET__ACCESS_OUT);
	struct het__ref ref;
	het_status st;

	if (write) {
		st = het__value_move(&in, &out, NULL, &guest->holder, &ref);
		guest->pending += !st;
		return st;
	}
	out.value = NULL;
	out.store = &guest->store;
	return het__pieces_move(value, box, &out, guest);
}

static bool at_home(const struct het__value *value, const struct het__box *box)
{
	const struct het__entry *entry;
	struct het__box piece;

	return !het__directory_lacks(&value->dir, box, HET__HOME, &piece, &entry) &&
	       !het__directory_poison(&value->dir, box, NULL);
}

/* Waits until the host may touch the box at home. Others go on meanwhile: afterwards the array may be mapped,
 * may hold another value, or may be gone; the call takes its place in the order where this returns. */
static het_status wait_for_box(het_array *array, const struct het__box *box, bool write, const char *what)
{
	het_status st = HET_OK;

	while (!st && het__block_conflict(array->value->store[HET__HOME]->block, box, write).task) {
		struct het__value *value = array->value;
		bool gone;

		value->users++;
		het__home_wait(value, box, write);
		gone = array->magic != HET__MAGIC_ARRAY || array->freed;
		het__value_leave(value);
		st = gone ? het__fail(HET_ERR_HANDLE, "%s: another thread has freed the array", what)
		          : het__maps_allow(array, box, write, what);
	}
	return st;
}

/* Is a copy on the spot worth waiting for, instead of a task? */
static bool is_quick(const struct het__value *value, const struct het__box *box, bool write)
{
	return value->element_bytes * het__box_cells(value->rank, box) <= SMALL_BYTES &&
	       (write || at_home(value, box));
}

/* Is the box's value at home for certain? What was at home when a wait began may have been lost since. */
static bool settled_at_home(const struct het__value *value, const struct het__box *box)
{
	return het__directory_settled(&value->dir, box, HET__HOME) &&
	       !het__directory_poison(&value->dir, box, NULL);
}

/* The whole copy here and now, in host memory, where no task uses the box. False where the box is not settled
 * at home or, to be written, cannot be cut. */
static bool copy_now(struct het__value *value, const struct het__box *box, void *memory, bool write)
{
	const struct het__ref host = {NULL, 0};
	struct het__layout dense;
	struct het__plan plan;

	if (write ? het__directory_cut(&value->dir, box) != HET_OK : !settled_at_home(value, box))
		return false;
	het__emit_box(write ? "host_write" : "host_read", &value->dir, value->rank, box, HET__HOME, host);
	het__layout_dense(value->rank, box, value->element_bytes, &dense);
	if (write) {
		het__plan_copy(value->rank, value->element_bytes, &dense, box, &value->store[HET__HOME]->layout,
			       box->lo, &plan);
		het__plan_run(&plan, memory, value->store[HET__HOME]->block->host);
		het__directory_write(&value->dir, box, HET__HOME, host);
		if (value->system->watch)
			het__watch_host_write(value->system, value->store[HET__HOME]->block, box);
		het__value_tidy(value);
	} else {
		het__plan_copy(value->rank, value->element_bytes, &value->store[HET__HOME]->layout, box, &dense,
			       box->lo, &plan);
		het__plan_run(&plan, value->store[HET__HOME]->block->host, memory);
	}
	return true;
}

static het_status io_by_tasks(struct het__value *value, const struct het__box *box, void *memory, bool write,
                              bool wait, const char *what)
{
	struct het__guest *guest;
	het_status st;

	st = het__guest_of_caller(value, memory, box, &guest);
	if (st)
		return st;
	guest->told = wait;
	st = start_io(value, box, guest, write);
	if (st)
		(void)het__fail_within("%s, %s", what, value->label);
	if (wait || (st && !het__in_callback())) { /* after an error: pieces that have begun use the memory */
		het_status waited;

		guest->told = true;
		waited = await(guest, value, box, write, what);
		st = waited ? waited : st; /* as the thread's record has it */
	}
	het__guest_release(guest);
	return st;
}

static het_status io_box(het_array *array, const struct het__box *box, void *memory, bool write, bool wait,
                         const char *what)
{
	if (het__box_empty(array->value->rank, box))
		return HET_OK;
	if (wait && is_quick(array->value, box, write)) {
		het_status st = wait_for_box(array, box, write, what);

		if (st || copy_now(array->value, box, memory, write))
			return st;
	}
	return io_by_tasks(array->value, box, memory, write, wait, what);
}

static het_status io(struct het_view *view, void *memory, bool write, bool wait, const char *what)
{
	het_array *array = view->array;
	struct het__doing doing;
	het_system *system;
	struct het__box box;
	het_status st = wait ? het__may_wait(what) : HET_OK;

	if (st)
		return het__array_refuse(array, st);
	st = wait ? het__array_enter_at_once(array, what) : het__array_enter(array, what);
	if (st)
		return st;
	system = array->system; /* while we wait another thread may free the array */
	het__doing(&doing, system, what, write ? "writes" : "reads", array->value->label);
	st = het__view_resolve(view, system, what, &box);
	if (!st && !memory && !het__box_empty(array->value->rank, &box))
		st = het__fail(HET_ERR_ARGUMENT, "%s: the memory is NULL", what);
	if (!st)
		st = het__maps_allow(array, &box, write, what);
	if (!st)
		st = io_box(array, &box, memory, write, wait, what);
	het__doing_end(&doing);
	return het__operation_leave_with(system, st);
}

het_status het_read(struct het_view view, void *dst)
{
	return io(&view, dst, false, true, "het_read");
}

het_status het_read_async(struct het_view view, void *dst)
{
	return io(&view, dst, false, false, "het_read_async");
}

/* Writing only reads the caller's memory; blocks do not tell the two apart. */
static void *without_const(const void *memory)
{
	void *plain;

	memcpy(&plain, &memory, sizeof plain);
	return plain;
}

het_status het_write(struct het_view view, const void *src)
{
	return io(&view, without_const(src), true, true, "het_write");
}

het_status het_write_async(struct het_view view, const void *src)
{
	return io(&view, without_const(src), true, false, "het_write_async");
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

het_status het__array_look(het_array *array, const char *what, het_status (*look)(struct het__value *value))
{
	het_status st = het__may_wait(what);
	struct het__doing doing;
	struct het__value *value;
	het_system *system;

	if (st)
		return het__array_refuse(array, st);
	st = het__array_enter_at_once(array, what);
	if (st)
		return st;
	value = array->value;
	system = value->system;
	value->users++; /* it may be freed or swapped meanwhile */
	het__doing(&doing, system, what, "reads", value->label);
	het__value_settle(value);
	st = look(value);
	het__doing_end(&doing);
	het__value_leave(value);
	return het__operation_leave_with(system, st);
}

/* The failure that lost part of the value, or else that of an asynchronous copy; both count as told. */
static het_status tell_failure(struct het__value *value)
{
	struct het__failure *const copy = value->copy_failure;
	het_status st;

	value->copy_failure = NULL;
	if (copy)
		het__tasks_report(value->system, copy);
	st = het__value_lost(value, &value->whole);
	if (!st && copy)
		st = het__fail_because(status_of(value, &value->whole, copy), copy,
				       "an asynchronous copy of %s failed", value->label);
	het__failure_release(copy);
	return st;
}

het_status het_wait(het_array *array)
{
	return het__array_look(array, "het_wait", tell_failure);
}
