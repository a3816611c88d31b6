/* trial.c - the runs of a rehearsal. */

#include "launch/trial.h"

#include <stdio.h>
#include <string.h>

#include "array/audit.h"
#include "base/alloc.h"
#include "base/error.h"
#include "launch/combine.h"
#include "launch/cut.h"
#include "launch/mapper.h"

/* How much of an image is in front of the array, and behind its end, at least; up to which size it has room
 * behind the end for twice the array as well, because a range that is too large, or has its dimensions
 * exchanged, writes as far beyond; and what a buffer's start is aligned to. */
enum { GUARD_BYTES = 4096, SMALL_BYTES = 1 << 20, ALIGN_BYTES = 4096 };

/* ---- preparations ------------------------------------------------------------------------------- */

static bool is_combined(const struct het__trial *t, const struct het_arg *arg)
{
	return t->cut >= 0 && het__arg_is_combined(arg);
}

/* The kernel sees the whole array, or what a packed view has of it. Where that has no elements there is only
 * what is around it, in rows of one element. */
static void learn_extents(struct het__shadow *s, const struct het__value *value)
{
	size_t row_bytes = value->element_bytes;

	s->is_empty = het__box_empty(value->rank, s->is_packed ? &s->given : &value->whole);
	for (int d = 0; d < s->rank; d++) {
		s->from[d] = s->is_packed ? s->given.lo[d] : 0;
		s->box.lo[d] = s->given.lo[d] - s->from[d];
		s->box.hi[d] = s->given.hi[d] - s->from[d];
		s->extent[d] = s->is_packed ? s->box.hi[d] : value->whole.hi[d];
		if (s->is_empty) {
			s->box.lo[d] = s->box.hi[d] = 0;
			s->extent[d] = d > 0;
		}
		row_bytes *= d > 0 ? (size_t)s->extent[d] : 1;
	}
	s->width = s->extent[s->rank - 1];
	s->front = 1 + (int64_t)(GUARD_BYTES / row_bytes);
	s->rows = s->extent[0] + s->front;
	if (!s->is_const && row_bytes * (size_t)s->extent[0] <= SMALL_BYTES)
		s->rows += 2 * s->extent[0];
}

/* Only the indices of windows fit a window's image: its rows are apart, and it begins behind its pointer. As
 * far as kernels care all stays aligned as it was: to 16 elements, or to as many as rows are multiples of.
 * Rows of 16 and more become multiples of 16, which at most doubles them. */
static void learn_window(struct het__shadow *s)
{
	const int64_t gap = s->width < 16 ? s->width & -s->width : 16 - s->width % 16;
	int64_t cells = 1, step;

	if (s->rank > 1)
		s->width += gap;
	for (int d = 1; d < s->rank; d++)
		cells *= het__shadow_across(s, d);
	step = 16 / (cells % 16 == 0 ? 16 : cells & -cells); /* so many rows make multiples of 16 elements */
	s->front = (s->front + step - 1) / step * step;
}

static void learn_array(struct het__trial *t, const struct het__access *access)
{
	struct het__shadow *const s = &t->shadow[t->shadow_count++];
	const struct het_arg *const arg = &t->args[access->arg];
	const struct het__value *const value = access->value;

	s->arg = access->arg;
	s->reads = arg->mode != HET_MODE_OUT || is_combined(t, arg);
	s->writes = arg->mode != HET_MODE_IN;
	s->is_const = het__trial_param(t, s)->is_const;
	s->is_window = het__trial_param(t, s)->kind == HET__PARAM_WINDOW;
	s->is_packed = arg->kind == HET_ARG_PACKED && !s->is_window;
	snprintf(s->label, sizeof s->label, "%s", value->label);
	s->type = value->type;
	s->element_bytes = value->element_bytes;
	s->rank = value->rank;
	s->given = *access->box;
	learn_extents(s, value);
	if (s->is_window)
		learn_window(s);
}

/* The second piece of an argument. The kernel sees the array as it is. */
static void learn_across(struct het__trial *t, const struct het__access *access)
{
	struct het__shadow *s = t->shadow;

	while (s->arg != access->arg)
		s++;
	s->wraps = true;
	s->across = *access->box;
}

static bool can_be_written(const struct het__trial *t)
{
	for (int k = 0; k < t->shadow_count; k++)
		if (!t->shadow[k].is_const)
			return true;
	return false;
}

const struct het_arg *het__trial_args(const struct het_arg *args, int count, struct het_arg *room)
{
	for (int i = 0; i < count; i++)
		room[i] = het__arg_is_combined(&args[i])
				  ? het_arg_whole(args[i].u.mapped.array, HET_MODE_INOUT)
				  : args[i];
	return room;
}

bool het__trial_learn(struct het__trial *t)
{
	het_system *const system = t->kernel->system;
	struct het_arg room[HET__ARGS_MOST];
	const struct het_arg *const args = t->cut < 0 ? t->args : het__trial_args(t->args, t->count, room);
	struct het__work work = {.kernel = t->kernel, .device = t->device, .given = t->range};
	struct het__args all;
	bool good;

	if (het__work_prepare(&work) || work.range.empty || het__operation_enter(system, t->kernel->title))
		return false;
	t->on = work.on;
	for (int d = 0; d < t->range->rank; d++)
		t->group[d] = work.range.has_local ? (int64_t)work.range.local[t->range->rank - 1 - d] : 1;
	good = !het__work_resolve(&work, args, t->count, &all);
	for (int k = 0; good && k < all.count; k++)
		if (k < het__args_arrays(&all))
			learn_array(t, &all.access[k]);
		else
			learn_across(t, &all.access[k]);
	het__operation_leave(system);
	return good && can_be_written(t);
}

int64_t het__trial_step(const struct het__trial *t, int d)
{
	int64_t step = t->group[d];

	for (int i = 0; i < t->count; i++)
		if (t->args[i].kind == HET_ARG_MAPPED)
			step = het__common_multiple(step, het__mapper_step(&t->args[i].u.mapped, d));
	return step;
}

int64_t het__trial_middle(const struct het__trial *t, int d)
{
	const int64_t lo = t->range->lo[d], length = t->range->hi[d] - lo, step = het__trial_step(t, d);

	return length / step < 2 ? t->range->hi[d] : lo + length / step / 2 * step;
}

static struct het_box box_of(const struct het__shadow *s)
{
	struct het_box box = {.rank = s->rank, .given = 2 * s->rank};

	memcpy(box.lo, s->given.lo, sizeof box.lo);
	memcpy(box.hi, s->given.hi, sizeof box.hi);
	return box;
}

/* Of what is combined each device has a private array, neutral at first. */
static void fill_neutral(const struct het__shadow *s, enum het_mapper mapper)
{
	const size_t cells = (size_t)het__box_cells(s->rank, &s->box);
	unsigned char neutral[8];

	het__reducer_neutral(s->type, het__mapper_reduction(mapper), neutral);
	for (size_t i = 0; i < cells; i++)
		memcpy(s->content + i * s->element_bytes, neutral, s->element_bytes);
}

/* What the kernel may read, and all that it could: that may be lost, or mapped, and only HET_WRAP needs it. */
static het_status fetch(const struct het__trial *t, struct het__shadow *s)
{
	const struct het_arg *const arg = &t->args[s->arg];
	het_array *array;

	if (is_combined(t, arg)) {
		fill_neutral(s, arg->u.mapped.mapper);
		return HET_OK;
	}
	array = arg->kind == HET_ARG_MAPPED ? arg->u.mapped.array : arg->u.view.array;
	s->knows_truth = het__array_is_whole(array) &&
			 het_read(het_view(array, s->is_packed ? box_of(s) : het_whole()), s->now) == HET_OK;
	if (s->wraps && !s->knows_truth)
		return het__fail(HET_ERR_UNSUPPORTED,
				 "%s, which HET_WRAP reads at both ends, is mapped, or not all of it is known",
				 s->label);
	return s->reads && !s->knows_truth ? het_read(het_view(array, box_of(s)), s->content) : HET_OK;
}

/* Named after the array that it stands for. */
static het_status new_shadow(het_system *system, het_type type, struct het_shape shape, struct het__shadow *s)
{
	char label[sizeof "a copy of " + HET__LABEL];
	het_status st = het__operation_enter_at_once(system, "HETERO_CHECK");

	snprintf(label, sizeof label, "a copy of %s", s->label);
	if (!st) {
		het__lanes_reap(system); /* as in het_array_new */
		st = het__array_new(system, type, &shape, label, &s->array);
		st = het__operation_leave_with(system, st);
	}
	return st;
}

/* A window needs an array of the same rank, in which it begins behind what is in front. Other parameters get a
 * view that begins there, of bytes, which any type of theirs accepts. */
static het_status make_array(const struct het__trial *t, struct het__shadow *s)
{
	het_system *const system = t->kernel->system;
	const size_t front_bytes = het__shadow_front_bytes(s);
	int64_t extent[HET_MAX_RANK];

	if (s->is_window) {
		het_status st;

		for (int d = 1; d < s->rank; d++)
			extent[d] = het__shadow_across(s, d);
		extent[0] = s->front + s->rows;
		st = new_shadow(system, s->type, het_shape_of(s->rank, s->rank, extent), s);
		if (!st)
			s->array->value->window_front = het__shadow_front_cells(s);
		return st;
	}
	s->pad_bytes = (ALIGN_BYTES - front_bytes % ALIGN_BYTES) % ALIGN_BYTES;
	return new_shadow(system, HET_UCHAR, het_shape(1, (int64_t)(s->pad_bytes + het__shadow_bytes(s))), s);
}

/* Where the image lies in its array; what the kernel sees of that. */
static struct het_view image_of(const struct het__shadow *s)
{
	return het_view(s->array, s->is_window ? het_whole() : het_rows((int64_t)s->pad_bytes, HET_END));
}
static struct het_arg seen_of(const struct het__shadow *s)
{
	const enum het_mode mode = s->is_const ? HET_MODE_IN : HET_MODE_INOUT;
	const size_t first = s->pad_bytes + het__shadow_front_bytes(s);

	return s->is_window ? het_arg_whole(s->array, mode)
			    : het_arg_packed(het_view(s->array, het_rows((int64_t)first, HET_END)), mode);
}

/* What the last run has made is looked at no more. */
static het_status leave_last(struct het__shadow *s)
{
	const bool is_mapped = s->is_mapped;

	s->is_mapped = false;
	return is_mapped ? het_unmap_view(image_of(s)) : HET_OK;
}

/* The memory of all images of a rehearsal. The next one gets it, too, unless it is very large: new pages would
 * cost a third more. */
struct het__images {
	size_t bytes;
};

enum { IMAGES = HET__FILLERS + 2 };

#define IMAGES_KEPT ((size_t)256 << 20)

static size_t rounded(size_t bytes)
{
	return (bytes + HET__CACHE_LINE - 1) & ~(size_t)(HET__CACHE_LINE - 1);
}

static size_t content_bytes(const struct het__shadow *s)
{
	return s->element_bytes * (size_t)het__box_cells(s->rank, &s->box);
}

/* Adds what a shadow's images take. The size of one can be rounded up, for it is no larger than its array,
 * which has been made. False: the sum is too much. */
static bool add_bytes(const struct het__shadow *s, size_t *bytes)
{
	size_t images;

	return !__builtin_mul_overflow(IMAGES, rounded(het__shadow_bytes(s)), &images) &&
	       !__builtin_add_overflow(images, rounded(content_bytes(s)), &images) &&
	       !__builtin_add_overflow(images, *bytes, bytes);
}

static het_status take_memory(struct het__trial *t)
{
	size_t bytes = HET__CACHE_LINE;
	bool fits = true;

	for (int k = 0; k < t->shadow_count; k++)
		fits = fits && add_bytes(&t->shadow[k], &bytes);
	t->images = fits ? atomic_exchange(&t->kernel->system->images, NULL) : NULL;
	if (t->images && t->images->bytes < bytes) {
		het__free_aligned(t->images);
		t->images = NULL;
	}
	if (fits && !t->images) {
		t->images = het__alloc_aligned(HET__CACHE_LINE, bytes);
		if (t->images)
			t->images->bytes = bytes;
	}
	return t->images ? HET_OK : het__fail(HET_ERR_MEMORY, "no host memory for images of arrays");
}

/* From `memory` on. Returns what is behind them. */
static unsigned char *place_images(struct het__shadow *s, unsigned char *memory)
{
	unsigned char **const image[IMAGES] = {&s->before[0], &s->before[1], &s->before[2], &s->before[3],
					       &s->now,       &s->after[0]};

	for (int i = 0; i < IMAGES; i++, memory += rounded(het__shadow_bytes(s)))
		*image[i] = memory;
	s->content = memory;
	return memory + rounded(content_bytes(s));
}

static bool is_all_of_array(const struct het__shadow *s)
{
	return !s->is_packed && !s->is_window;
}

/* An array that is several arguments is one buffer: by one pointer a kernel may read what another declares.
 * Windows may have memory of their own. */
static void share_shadows(struct het__trial *t)
{
	for (int k = 0; k < t->shadow_count; k++)
		for (int l = 0; l < t->shadow_count; l++) {
			struct het__shadow *const s = &t->shadow[k], *const other = &t->shadow[l];

			if (k != l && is_all_of_array(s) && is_all_of_array(other) &&
			    het__arg_array(&t->args[s->arg]) == het__arg_array(&t->args[other->arg]))
				het__shadow_share(s, other);
		}
}

/* The arrays come first: making them checks the shapes. */
het_status het__trial_make(struct het__trial *t)
{
	unsigned char *memory;
	het_status st = HET_OK;

	for (int k = 0; k < t->shadow_count && !st; k++)
		st = make_array(t, &t->shadow[k]);
	if (!st)
		st = take_memory(t);
	if (st)
		return st;
	memory = (unsigned char *)t->images + HET__CACHE_LINE;
	for (int k = 0; k < t->shadow_count && !st; k++) {
		memory = place_images(&t->shadow[k], memory);
		st = fetch(t, &t->shadow[k]);
		if (!st)
			het__shadow_fill(&t->shadow[k]);
	}
	if (!st)
		share_shadows(t);
	return st;
}

void het__trial_free(struct het__trial *t)
{
	for (int k = 0; k < t->shadow_count; k++) {
		(void)leave_last(&t->shadow[k]);
		if (t->shadow[k].array)
			(void)het_array_free(t->shadow[k].array);
	}
	if (t->images && t->images->bytes <= IMAGES_KEPT)
		t->images = atomic_exchange(&t->kernel->system->images, t->images);
	het__free_aligned(t->images);
}

/* ---- runs --------------------------------------------------------------------------------------- */

/* What is in front goes to the device's memory too, where the kernel then has an offset into it. */
static het_status put(const struct het__trial *t, struct het__shadow *s)
{
	het_status st = leave_last(s);

	if (!st)
		st = het_write(image_of(s), s->given_to_run);
	return st ? st : het_prefetch(het_view(s->array, het_whole()), t->device);
}

/* Neither what is in front nor a const parameter was declared to be written: a kernel that wrote there, in a
 * memory other than the host's, made two copies of it. Run 0's results are kept, others looked at in place. */
static het_status get(struct het__shadow *s, int number)
{
	het_status st = het_audit(s->array);

	s->has_two_copies |= st == HET_ERR_DIFFER;
	if (st && st != HET_ERR_DIFFER)
		return st;
	if (number == 0)
		return het_read(image_of(s), s->after[0]);
	st = het_map_view(image_of(s), HET_READ, &s->after[1]);
	s->is_mapped = !st;
	return st;
}

static het_status run(struct het__trial *t, const struct het_range *range, int number)
{
	struct het_arg args[HET__ARGS_MOST];
	het_status st = HET_OK;

	for (int i = 0; i < t->count; i++)
		args[i] = t->args[i];
	for (int k = 0; k < t->shadow_count && !st; k++) {
		args[t->shadow[k].arg] = seen_of(&t->shadow[k]);
		st = put(t, &t->shadow[k]);
	}
	if (!st)
		st = het_launch_args(t->kernel, t->device, *range, args, t->count);
	for (int k = 0; k < t->shadow_count && !st; k++)
		st = get(&t->shadow[k], number);
	return st;
}

/* A command has failed, and with it what copies held: nothing of the program's is lost. */
static het_status tell_of_copies(void)
{
	struct het__failure *const failure = het__failure_capture();
	const het_status st = het__fail_because(HET_ERR_DEVICE, failure, "nothing of the program's is lost");

	het__failure_release(failure);
	return st;
}

het_status het__trial_run_range(struct het__trial *t, const struct het_range *range, int kind,
				const struct het__change *but, int number)
{
	het_status st;

	for (int k = 0; k < t->shadow_count; k++) {
		struct het__shadow *const s = &t->shadow[k];

		het__shadow_compose(s, kind, but && but->in == s ? but : NULL);
		s->kind[number] = kind;
	}
	st = run(t, range, number);
	return st == HET_ERR_LOST ? tell_of_copies() : st;
}

het_status het__trial_run(struct het__trial *t, int kind, const struct het__change *but, int number)
{
	return het__trial_run_range(t, t->range, kind, but, number);
}
