/* map.c - the host's access in place: views resolved, maps made, held and ended. */

#include "array/array.h"

#include <string.h>

#include "base/alloc.h"
#include "task/emit.h"

#define MAPS_TOLD 3

/* One dimension of a box against the array's extent. */
static het_status resolve_dim(const het_array *array, const struct het_box *given, int d, struct het__box *box)
{
	int64_t extent = array->shape.extent[d];
	int64_t lo = 0, hi = extent;

	if (d < given->rank) {
		lo = given->lo[d];
		hi = given->hi[d] == HET_END ? extent : given->hi[d];
	}
	if (lo > extent && d < given->rank && given->hi[d] == HET_END)
		return het__fail(HET_ERR_SHAPE,
				 "box [%lld, HET_END) in dimension %d begins beyond the end of %s, whose "
				 "extent is %lld",
				 (long long)lo, d, array->value->label, (long long)extent);
	if (lo < 0 || hi > extent || lo > hi)
		return het__fail(HET_ERR_SHAPE,
				 "box [%lld, %lld) in dimension %d %s %s, whose extent is %lld", (long long)lo,
				 (long long)hi, d, lo > hi ? "ends before it begins, in" : "is not inside",
				 array->value->label, (long long)extent);
	box->lo[d] = lo;
	box->hi[d] = hi;
	return HET_OK;
}

static het_status resolve(const struct het_view *view, const het_system *system, struct het__box *box)
{
	const het_array *array = view->array;
	const struct het_box *given = &view->box;
	het_status st = het__array_is_of(array, system) ? HET_OK : het__array_usable(array, system);

	if (st)
		return st;
	if (given->rank == 0) {
		*box = array->value->whole;
		return HET_OK;
	}
	if (given->rank < 0)
		return het__fail(HET_ERR_SHAPE,
				 "a box of rank 0 or less of %s, whose rank is %d; het_whole is all of it",
				 array->value->label, array->value->rank);
	if (given->rank > array->value->rank)
		return het__fail(HET_ERR_SHAPE, "a box of rank %d of %s, whose rank is %d", given->rank,
				 array->value->label, array->value->rank);
	if (given->given != 2 * given->rank)
		return het__fail(HET_ERR_SHAPE, "a box of rank %d was given %d numbers instead of %d",
				 given->rank, given->given, 2 * given->rank);
	for (int d = 0; d < array->value->rank && !st; d++)
		st = resolve_dim(array, given, d, box);
	return st;
}

het_status het__view_resolve(const struct het_view *view, const het_system *system, const char *what,
			     struct het__box *box)
{
	const het_status st = resolve(view, system, box);

	return st && what ? het__fail_within("%s", what) : st;
}

static het_status mapped(const het_array *array, const struct het__map *map, const char *what)
{
	char text[HET__BOX_TEXT];
	const het_status st =
		het__fail(HET_ERR_MAPPED, "%s %s is mapped by the host for %s", array->value->label,
			  het__box_format(array->value->rank, &map->box, text),
			  map->mode == HET_READ ? "reading" : "writing");

	return what ? het__fail_within("%s", what) : st;
}

het_status het__maps_allow(const het_array *array, const struct het__box *box, bool write, const char *what)
{
	for (int i = 0; i < array->maps.count; i++) {
		const struct het__map *m = &array->maps.at[i];

		if ((write || m->mode != HET_READ) && het__box_overlaps(array->value->rank, &m->box, box))
			return mapped(array, m, what);
	}
	return HET_OK;
}

void het__home_wait(struct het__value *value, const struct het__box *box, bool write)
{
	struct het__ref ref;

	while ((ref = het__block_conflict(value->store[HET__HOME]->block, box, write)).task)
		het__task_wait(value->system, ref);
}

static struct het__map *find_map(het_array *array, const struct het__box *box)
{
	for (int i = 0; i < array->maps.count; i++)
		if (het__box_equal(array->value->rank, &array->maps.at[i].box, box))
			return &array->maps.at[i];
	return NULL;
}

/* The map holds its box from here on, while its data are still on their way. */
static het_status enter_map(het_array *array, const struct het__box *box, enum het_map_mode mode)
{
	struct het__map *same;
	het_status st = het__maps_allow(array, box, mode != HET_READ, NULL);

	if (st)
		return st;
	same = find_map(array, box);
	if (same) {
		same->count++;
		same->pending++;
		return HET_OK;
	}
	if (het__grow(&array->maps.at, &array->maps.room, array->maps.count + 1, sizeof *array->maps.at))
		return het__fail(HET_ERR_MEMORY, "no host memory to map %s", array->value->label);
	array->maps.at[array->maps.count++] = (struct het__map){*box, mode, 1, 1};
	return HET_OK;
}

static void leave_map(het_array *array, struct het__map *map)
{
	if (--map->count == 0)
		*map = array->maps.at[--array->maps.count];
}

void het__makers_wait(struct het__value *value, const struct het__box *box)
{
	struct het__ref maker;

	while ((maker = het__directory_maker(&value->dir, box)).task)
		het__task_wait(value->system, maker);
}

het_status het__value_lost(const struct het__value *value, const struct het__box *box)
{
	char text[HET__BOX_TEXT];
	struct het__box lost;
	struct het__failure *const poison = het__directory_poison(&value->dir, box, &lost);

	if (!poison)
		return HET_OK;
	het__tasks_report(value->system, poison);
	return het__fail_because(HET_ERR_LOST, poison, "%s %s has no value", value->label,
				 het__box_format(value->rank, &lost, text));
}

/* Every cell of the box is to be in the home store now: if not, its value or its transfer was lost. */
static het_status check_arrival(struct het__value *value, const struct het__box *box,
				struct het__failure *cause)
{
	struct het__box lost;
	struct het__failure *poison = het__directory_poison(&value->dir, box, &lost);

	if (poison) {
		het__emit_refusal(&value->dir, value->rank, &lost, poison);
		return het__value_lost(value, box);
	}
	if (het__directory_settled(&value->dir, box, HET__HOME))
		return HET_OK;
	if (!cause)
		return het__fail(HET_ERR_DEVICE, "%s could not be brought to the host", value->label);
	het__tasks_report(value->system, cause);
	return het__fail_because(HET_ERR_DEVICE, cause, "%s could not be brought to the host", value->label);
}

/* Hears of the transfers' ends; lives on the waiting caller's stack. */
struct listener {
	struct het__holder holder;
	int ended;
	struct het__failure *cause;
};

static void listen(struct het__holder *holder, struct het__ref ref, struct het__failure *cause)
{
	struct listener *listener = (struct listener *)holder;

	(void)ref;
	listener->ended++;
	if (cause && !listener->cause)
		listener->cause = het__failure_retain(cause);
}

/* One try; *arrived tells whether everything that has a value is settled in the home afterwards. */
static het_status try_fetch(struct het__value *value, const struct het__box *box, struct het__failure **cause_p,
                            bool *arrived)
{
	struct listener listener = {{listen}, 0, NULL};
	int started = 0;
	het_status st =
		het__value_fetch(value, value->store[HET__HOME], box, NULL, &listener.holder, &started);

	if (st)
		(void)het__fail_within("%s", value->label);
	het__tasks_progress(value->system);
	do /* also after an error: the listener is to outlive what was started */
		het__home_wait(value, box, false);
	while (listener.ended < started);
	*cause_p = listener.cause;
	*arrived = het__directory_settled(&value->dir, box, HET__HOME);
	return st;
}

het_status het__home_fetch(struct het__value *value, const struct het__box *box)
{
	struct het__failure *cause;
	bool arrived;
	het_status st;

	het__value_trim(value);
	/* While we wait other threads write other boxes, and the directory, merging, may forget that this one
	 * is in the home store: then it is fetched again. */
	do
		st = try_fetch(value, box, &cause, &arrived);
	while (!st && !arrived && !cause);
	if (!st && !arrived)
		het__makers_wait(value, box);
	if (!st)
		st = check_arrival(value, box, cause);
	if (!st)
		het__emit_box("host_read", &value->dir, value->rank, box, HET__HOME,
			      (struct het__ref){NULL, 0});
	het__failure_release(cause);
	return st;
}

static het_status map_box(het_array *array, const struct het__box *box, enum het_map_mode mode)
{
	struct het__value *value = array->value;
	const struct het__ref host = {NULL, 0};
	het_status st = HET_OK;

	if (mode & HET_READ)
		st = het__home_fetch(value, box);
	if (st || !(mode & HET_WRITE))
		return st;
	het__home_wait(value, box, true);
	st = het__directory_cut(&value->dir, box);
	if (st)
		return st;
	het__emit_box("host_write", &value->dir, value->rank, box, HET__HOME, host);
	if (value->system->watch)
		het__watch_host_write(value->system, value->store[HET__HOME]->block, box);
	if (!het__box_empty(value->rank, box))
		het__directory_write(&value->dir, box, HET__HOME, host);
	het__value_tidy(value);
	return HET_OK;
}

struct given_up {
	het_array *array;
	const struct het__box *box;
};

/* The map did not come about. If the array was freed meanwhile and this was its last map, it goes now; what
 * cannot be written back now is written back when the system is closed. */
static void give_up_map(const void *about)
{
	const struct given_up *const g = about;
	het_array *const array = g->array;
	struct het__map *const map = find_map(array, g->box);

	map->pending--;
	leave_map(array, map);
	if (array->freed && array->maps.count == 0)
		(void)het__array_destroy(array, array->discard);
}

static void *address_of(const struct het__value *value, const struct het__box *box)
{
	const struct het__store *home = value->store[HET__HOME];
	unsigned char *at = home->block->host;

	for (int d = 0; d < value->rank; d++)
		at += (size_t)box->lo[d] * home->layout.pitch_bytes[d];
	return at;
}

static het_status map_locked(het_array *array, const struct het__box *box, enum het_map_mode mode,
			     void *pointer_p)
{
	void *at = address_of(array->value, box);
	het_status st = enter_map(array, box, mode);

	if (st)
		return st;
	st = map_box(array, box, mode);
	if (st) {
		het__error_aside(give_up_map, &(struct given_up){array, box});
		return st;
	}
	find_map(array, box)->pending--;
	memcpy(pointer_p, &at, sizeof at);
	array->system->count.maps++;
	return HET_OK;
}

static het_status map(struct het_view view, enum het_map_mode mode, void *pointer_p, const char *call)
{
	het_array *array = view.array;
	struct het__doing doing;
	het_system *system;
	struct het__box box;
	het_status st = het__may_wait(call);

	if (!st && !pointer_p)
		st = het__fail(HET_ERR_ARGUMENT, "%s: pointer_p is NULL", call);
	if (!st && (mode < HET_READ || mode > HET_READ_WRITE))
		st = het__fail(HET_ERR_ARGUMENT, "%s: mode %d is none of HET_READ, HET_WRITE, HET_READ_WRITE",
			       call, (int)mode);
	if (st)
		return het__array_refuse(array, st);
	st = het__array_enter_at_once(array, call);
	if (st)
		return st;
	system = array->system;
	het__doing(&doing, system, call, "reads", array->value->label);
	st = het__view_resolve(&view, system, NULL, &box);
	if (!st)
		st = map_locked(array, &box, mode, pointer_p);
	if (st)
		(void)het__fail_within("%s", call);
	het__doing_end(&doing);
	return het__operation_leave_with(system, st);
}

het_status(het_map)(het_array *array, enum het_map_mode mode, void *pointer_p)
{
	return map(het_view(array, het_whole()), mode, pointer_p, "het_map");
}

het_status(het_map_view)(struct het_view view, enum het_map_mode mode, void *pointer_p)
{
	return map(view, mode, pointer_p, "het_map_view");
}

/* The last map of a freed array. Where its value cannot be written back now it stays, for another try. */
static het_status end_last(het_array *array, const struct het__map *map)
{
	const struct het__map last = *map;
	het_status st;

	array->maps.count = 0;
	st = het__array_destroy(array, array->discard);
	if (st && st != HET_ERR_LOST)
		array->maps.at[array->maps.count++] = last;
	return st;
}

/* Names some boxes that are mapped: one may be what was meant. */
static het_status not_mapped(const het_array *array, const struct het__box *box)
{
	char text[HET__BOX_TEXT];
	const het_status st = het__fail(HET_ERR_MAPPED, "%s %s is not mapped", array->value->label,
				  het__box_format(array->value->rank, box, text));

	for (int i = 0, told = 0; i < array->maps.count && told <= MAPS_TOLD; i++) {
		const struct het__map *const map = &array->maps.at[i];

		if (map->count == map->pending)
			continue;
		het__fail_more(told++ ? ", " : "; what is: ");
		het__fail_more(told > MAPS_TOLD ? "..."
						: het__box_format(array->value->rank, &map->box, text));
	}
	return st;
}

/* An array freed while mapped is resolved too: het__view_resolve must not refuse it here. */
static het_status unmap_locked(het_array *array, struct het_view view)
{
	bool freed = array->freed;
	struct het__map *map;
	struct het__box box;
	het_status st;

	array->freed = false;
	st = het__view_resolve(&view, array->system, NULL, &box);
	array->freed = freed;
	if (st)
		return st;
	map = find_map(array, &box);
	if (!map || map->count == map->pending)
		return not_mapped(array, &box);
	if (!freed || array->maps.count > 1 || map->count > 1) {
		leave_map(array, map);
		return HET_OK;
	}
	st = array->wrapped ? het__may_wait("the last one of a freed array") : HET_OK;
	return st ? st : end_last(array, map);
}

static het_status unmap(struct het_view view, const char *call)
{
	het_array *array = view.array;
	het_system *system;
	het_status st;

	if (!array || array->magic != HET__MAGIC_ARRAY)
		return het__fail(HET_ERR_HANDLE, "%s: the array is NULL or freed", call);
	system = array->system;
	st = het__operation_enter_at_once(system, call);
	if (st)
		return st;
	if (array->magic != HET__MAGIC_ARRAY)
		st = het__fail(HET_ERR_HANDLE, "the array was freed");
	if (!st)
		st = unmap_locked(array, view);
	if (st)
		(void)het__fail_within("%s", call);
	return het__operation_leave_with(system, st);
}

het_status het_unmap(het_array *array)
{
	return unmap(het_view(array, het_whole()), "het_unmap");
}

het_status het_unmap_view(struct het_view view)
{
	return unmap(view, "het_unmap_view");
}
