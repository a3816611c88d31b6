/* value.c - what an array holds: made, told of its tasks' ends, freed. */

#include "array/value.h"

#include <string.h>

#include "base/alloc.h"
#include "task/emit.h"

static void unlink_left(struct het__value *value)
{
	*value->left_at = value->next_left;
	if (value->next_left)
		value->next_left->left_at = value->left_at;
}

static void free_value(struct het__value *value)
{
	if (value->left_at)
		unlink_left(value);
	for (int s = HET__HOME + 1; s < value->top; s++)
		if (value->store[s]) {
			het__block_free(value->store[s]->block);
			het__free(value->store[s]);
		}
	het__block_clear(&value->home_block);
	het__emit_place("end_value", &value->dir, 0, NULL);
	het__directory_free(&value->dir);
	het__failure_release(value->copy_failure);
	het__free_aligned(value);
}

void het__value_tidy(struct het__value *value)
{
	het__directory_tidy(&value->dir);
	value->system->count.directory_merges += value->dir.merges;
	value->dir.merges = 0;
}

static void task_ended(struct het__holder *holder, struct het__ref ref, struct het__failure *cause)
{
	struct het__value *value = (struct het__value *)holder; /* het__value_of_holder, to be changed */

	het__directory_ended(&value->dir, ref, cause);
	het__value_leave(value);
}

/* What is known of where a block starts: its address in the host's memory. A device's blocks are taken to be
 * aligned for everything: the driver sees to it. */
static size_t alignment_of(const struct het__block *block)
{
	const uintptr_t at = (uintptr_t)block->host;

	return at ? (size_t)(at & ~(at - 1)) : SIZE_MAX / 2 + 1;
}

void het__store_init(struct het__store *store, int slot, const struct het__value *value,
		     struct het__block *block, const struct het__box *window)
{
	store->slot = slot;
	store->memory = block->memory;
	store->block = block;
	store->window = *window;
	store->dense = true;
	store->align_bytes = alignment_of(block);
	store->whole_lacks = UINT64_MAX;
	if (het__box_equal(value->rank, window, &value->whole))
		store->whole_lacks = ~het__meets(value->type, het__value_row(value), store->align_bytes);
	het__layout_dense(value->rank, window, value->element_bytes, &store->layout);
}

void het__value_tell(const struct het__value *value, const struct het__box *box, struct het__cells *cells)
{
	memcpy(cells->label, value->label, sizeof cells->label);
	cells->rank = value->rank;
	cells->box = *box;
}

static void pitch_home(struct het__store *home, int rank, const size_t *pitch_bytes)
{
	struct het__layout *const layout = &home->layout;

	for (int d = 0; pitch_bytes && d < rank - 1; d++) {
		home->dense &= layout->pitch_bytes[d] == pitch_bytes[d];
		layout->pitch_bytes[d] = pitch_bytes[d];
	}
	if (!home->dense)
		home->whole_lacks = UINT64_MAX;
}

static het_status make_home(struct het__value *value, const struct het__host_bytes *where)
{
	struct het__block *const block = &value->home_block;

	if (where->wrapped) {
		het__block_init_wrapped(block, value->system, value->rank, where->wrapped, where->bytes);
	} else {
		het_status st = het__block_init_host(block, value->system, value->rank, where->bytes);

		if (st)
			return st;
	}
	block->whole = &value->whole;
	het__store_init(&value->home, HET__HOME, value, block, &value->whole);
	pitch_home(&value->home, value->rank, where->pitch_bytes);
	value->store[HET__HOME] = &value->home;
	value->top = HET__HOME + 1;
	return HET_OK;
}

/* Merging two entries spares a transfer later on, or loses copies, which are sent again. To send a piece of
 * 64 KiB takes about as long as to begin to. */
static int most_entries(size_t bytes)
{
	const size_t pieces = bytes >> 16;

	if (pieces <= HET__DIRECTORY_MOST)
		return HET__DIRECTORY_MOST;
	return pieces < HET__DIRECTORY_LIMIT ? (int)pieces : HET__DIRECTORY_LIMIT;
}

het_status het__value_new(het_system *system, het_type type, const struct het_shape *shape,
			  const struct het__host_bytes *where, struct het__value **value_p)
{
	struct het__value *value = het__alloc_aligned(HET__CACHE_LINE, sizeof *value);
	het_status st;

	if (!value)
		return het__fail(HET_ERR_MEMORY, "no host memory to describe an array");
	value->holder.ended = task_ended;
	value->system = system;
	value->type = type;
	value->rank = shape->rank;
	value->element_bytes = HET_TYPE_BYTES(type);
	for (int d = 0; d < shape->rank; d++)
		value->whole.hi[d] = shape->extent[d];
	value->bytes = value->element_bytes * (size_t)het__box_cells(shape->rank, &value->whole);
	st = make_home(value, where);
	if (st) {
		het__free_aligned(value);
		return st;
	}
	het__directory_init(&value->dir, value->rank, &value->whole, HET__HOME);
	value->dir.most = most_entries(value->bytes);
	het__emit_box("new_value", &value->dir, value->rank, &value->whole, HET__HOME,
		      (struct het__ref){NULL, 0});
	het__emit_place("new_store", &value->dir, HET__HOME, value->home.block);
	*value_p = value;
	return HET_OK;
}

/* The value goes when the tasks that use the block have ended. False where there is no memory to note that. */
static bool outlive_users(struct het__value *value, const struct het__block *block)
{
	for (int i = 0; i < block->hazards.count; i++) {
		const struct het__ref ref = block->hazards.at[i].task;

		if (!het__alive(ref))
			continue;
		if (het__task_add_holder(ref.task, &value->holder))
			return false;
		value->users++;
	}
	return true;
}

static void link_left(struct het__value *value)
{
	struct het__value **const first = het__values_left(value->system);

	value->left_at = first;
	value->next_left = *first;
	if (value->next_left)
		value->next_left->left_at = &value->next_left;
	*first = value;
}

/* Does not wait for the value's tasks: some may wait for the very function of the program's that calls this. */
void het__value_release(struct het__value *value)
{
	value->users++;
	link_left(value);
	for (int s = 0; s < value->top && !value->is_unnoted; s++)
		value->is_unnoted = value->store[s] && !outlive_users(value, value->store[s]->block);
	if (value->is_unnoted)
		(*het__values_unnoted(value->system))++;
	else
		het__value_leave(value);
}

static bool is_used(const struct het__value *value)
{
	for (int s = 0; s < value->top; s++)
		if (value->store[s] && het__block_user(value->store[s]->block).task)
			return true;
	return false;
}

void het__values_sweep(het_system *system)
{
	int *const unnoted = het__values_unnoted(system);

	for (struct het__value *v = *het__values_left(system), *next; v && *unnoted > 0; v = next) {
		next = v->next_left;
		if (!v->is_unnoted || is_used(v))
			continue;
		v->is_unnoted = false;
		(*unnoted)--;
		het__value_leave(v);
	}
}

void het__value_leave(struct het__value *value)
{
	if (--value->users == 0 && value->left_at)
		free_value(value);
}

/* What the task depends on when it reads: nothing where all of the array is settled in the store. */
static het_status order_read(struct het__task *task, const struct het__access *a)
{
	const struct het__directory *dir = &a->value->dir;

	if (het__directory_is_all_settled_in(dir, a->store->slot))
		return HET_OK;
	return het__directory_inputs(dir, dir->entries.only && a->box == &a->value->whole ? NULL : a->box,
				     a->store->slot, task);
}

static bool reads(const struct het__access *a)
{
	return a->mode & HET__ACCESS_IN; /* alone or in INOUT */
}

static het_status order_makers(struct het__task *task, const struct het__access *a)
{
	het_status st = HET_OK;

	for (int m = 0; m < a->maker_count && !st; m++)
		st = het__task_reads(task, a->makers[m]);
	return st;
}

/* Room for the hazards of the accesses from `first` to `a` that use its block: most often there is enough even
 * for one of each of `count`. */
static inline het_status reserve(const struct het__access *first, const struct het__access *a, int count)
{
	struct het__block *const block = a->store->block;
	int uses = 1;

	if (block->hazards.count + count <= block->hazards.room)
		return HET_OK;
	for (const struct het__access *before = first; before < a; before++)
		uses += before->store->block == block;
	return het__block_reserve(block, uses);
}

/* One of `count` accesses from `first` on. */
static inline het_status order_one(struct het__task *task, const struct het__access *first,
				   const struct het__access *a, int count)
{
	const bool write = a->mode != HET__ACCESS_IN;
	het_status st = reserve(first, a, count);

	if (!st)
		st = het__block_order(a->store->block, a->box, write, task);
	if (!a->value)
		return st ? st : order_makers(task, a);
	if (!st && reads(a))
		st = order_read(task, a);
	if (st || !write)
		return st;
	if (a->box != &a->value->whole)
		st = het__directory_cut(&a->value->dir, a->box);
	return st ? st : het__task_add_holder(task, &a->value->holder);
}

het_status het__accesses_order(struct het__task *task, const struct het__access *access, int count)
{
	for (int i = 0; i < count; i++) {
		const het_status st = order_one(task, access, &access[i], count);

		if (st)
			return st;
	}
	return HET_OK;
}

/* What an access does to a value, for those who check it. */
static void emit_access(struct het__ref task, const struct het__access *a)
{
	const struct het__value *value = a->value;

	if (reads(a))
		het__emit_box("read_from", &value->dir, value->rank, a->box, a->store->slot, task);
	if (a->mode != HET__ACCESS_IN)
		het__emit_box(a->mode == HET__ACCESS_JOIN ? "join" : "write", &value->dir, value->rank, a->box,
		              a->store->slot, task);
}

static inline void commit_write(struct het__ref task, const struct het__access *a)
{
	struct het__value *const value = a->value;

	value->users++;
	if (a->mode == HET__ACCESS_JOIN)
		het__directory_join(&value->dir, a->box, a->store->slot, task);
	else if (a->box == &value->whole)
		het__directory_write_all(&value->dir, a->box, a->store->slot, task);
	else if (!het__box_empty(value->rank, a->box))
		het__directory_write(&value->dir, a->box, a->store->slot, task);
}

static void tidy(const struct het__access *access, int count)
{
	for (int i = 0; i < count; i++) {
		struct het__value *value = access[i].value;

		if (!value ||
		    (access[i].mode == HET__ACCESS_IN && value->dir.entries.count <= value->dir.most))
			continue;
		het__value_tidy(value);
	}
}

void het__accesses_enter(struct het__ref task, const struct het__access *access, int count)
{
	if (task.task->lane->system->watch)
		het__watch_start(task.task, access, count);
	for (int i = 0; i < count; i++) {
		const struct het__access *const a = &access[i];

		het__block_record(a->store->block, a->box, a->mode != HET__ACCESS_IN, task);
		if (a->value)
			emit_access(task, a);
	}
}

void het__accesses_commit(struct het__ref task, const struct het__access *access, int count)
{
	int modes = 0, entries = 0; /* their bits */

	if (task.task->lane->system->watch)
		het__watch_start(task.task, access, count);
	for (int i = 0; i < count; i++) {
		const struct het__access *const a = &access[i];
		const bool write = a->mode != HET__ACCESS_IN;

		het__block_record(a->store->block, a->box, write, task);
		if (!a->value)
			continue;
		emit_access(task, a);
		if (write)
			commit_write(task, a);
		modes |= (int)a->mode;
		entries |= a->value->dir.entries.count;
	}
	/* After one piece of a fetch, merging could take out again what the others brought. */
	if (entries > 1 && !(modes & HET__ACCESS_JOIN))
		tidy(access, count);
}
