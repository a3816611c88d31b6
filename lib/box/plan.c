/* plan.c - copies between layouts, with as few dimensions as possible. */
#include "box/plan.h"

#include <assert.h>
#include <string.h>

void het__layout_dense(int rank, const struct het__box *window, size_t element_bytes, struct het__layout *out)
{
	size_t pitch = element_bytes;

	*out = (struct het__layout){.offset_bytes = 0};
	for (int d = rank - 1; d >= 0; d--) {
		out->lo[d] = window->lo[d];
		out->pitch_bytes[d] = pitch;
		pitch *= (size_t)(window->hi[d] - window->lo[d]);
	}
}

/* ---- making plans ------------------------------------------------------------------------------ */

static size_t offset_of(int rank, const struct het__layout *layout, const int64_t *index)
{
	size_t offset = layout->offset_bytes;
	for (int d = 0; d < rank; d++)
		offset += (size_t)(index[d] - layout->lo[d]) * layout->pitch_bytes[d];
	return offset;
}

/* Takes in the next dimension outwards; until `reverse` the plan has its innermost dimension first. If it
 * can on both sides, it lengthens the run or continues the dimension before it; else it is one more. */
static void add_dimension(struct het__plan *plan, size_t count, size_t a_pitch, size_t b_pitch)
{
	const int n = plan->dims;

	if (count == 1)
		return;
	if (n == 0 && a_pitch == plan->bytes && b_pitch == plan->bytes) {
		plan->bytes *= count;
		return;
	}
	if (n > 0 && a_pitch == plan->count[n - 1] * plan->a_pitch[n - 1] &&
	    b_pitch == plan->count[n - 1] * plan->b_pitch[n - 1]) {
		plan->count[n - 1] *= count;
		return;
	}
	plan->count[n] = count;
	plan->a_pitch[n] = a_pitch;
	plan->b_pitch[n] = b_pitch;
	plan->dims++;
}

static void reverse(size_t *values, int count)
{
	for (int i = 0, j = count - 1; i < j; i++, j--) {
		const size_t value = values[i];
		values[i] = values[j];
		values[j] = value;
	}
}

static size_t run_count(const struct het__plan *plan)
{
	size_t runs = 1;
	for (int d = 0; d < plan->dims; d++)
		runs *= plan->count[d];
	return runs;
}

void het__plan_copy(int rank, size_t element_bytes, const struct het__layout *a, const struct het__box *a_box,
		    const struct het__layout *b, const int64_t *b_lo, struct het__plan *out)
{
	*out = (struct het__plan){.dims = 0};
	if (het__box_empty(rank, a_box))
		return;

	out->bytes = element_bytes;
	out->a_offset = offset_of(rank, a, a_box->lo);
	out->b_offset = offset_of(rank, b, b_lo);
	for (int d = rank - 1; d >= 0; d--)
		add_dimension(out, (size_t)(a_box->hi[d] - a_box->lo[d]), a->pitch_bytes[d], b->pitch_bytes[d]);
	out->total_bytes = run_count(out) * out->bytes;
	reverse(out->count, out->dims);
	reverse(out->a_pitch, out->dims);
	reverse(out->b_pitch, out->dims);
}

bool het__layout_contiguous(int rank, size_t element_bytes, const struct het__layout *layout,
			    const struct het__box *box, size_t *offset_bytes)
{
	struct het__plan onto_itself;
	het__plan_copy(rank, element_bytes, layout, box, layout, box->lo, &onto_itself);
	if (onto_itself.dims > 0)
		return false;
	*offset_bytes = onto_itself.a_offset;
	return true;
}

/* ---- running them in host memory --------------------------------------------------------------- */

/* The innermost repeated dimension. Inlined with `bytes` constant, the copy is a load and a store. */
static inline void copy_runs(const struct het__plan *plan, size_t bytes, const char *a, char *b)
{
	const int d = plan->dims - 1;
	const size_t count = plan->count[d], a_pitch = plan->a_pitch[d], b_pitch = plan->b_pitch[d];

	for (size_t i = 0; i < count; i++)
		memcpy(b + i * b_pitch, a + i * a_pitch, bytes);
}

static void copy_innermost(const struct het__plan *plan, const char *a, char *b)
{
	switch (plan->bytes) {
	case 1:
		copy_runs(plan, 1, a, b);
		return;
	case 2:
		copy_runs(plan, 2, a, b);
		return;
	case 4:
		copy_runs(plan, 4, a, b);
		return;
	case 8:
		copy_runs(plan, 8, a, b);
		return;
	case 16:
		copy_runs(plan, 16, a, b);
		return;
	default:
		copy_runs(plan, plan->bytes, a, b);
	}
}

static void copy_level(const struct het__plan *plan, int level, const char *a, char *b)
{
	if (level == plan->dims - 1) {
		copy_innermost(plan, a, b);
		return;
	}
	for (size_t i = 0; i < plan->count[level]; i++)
		copy_level(plan, level + 1, a + i * plan->a_pitch[level], b + i * plan->b_pitch[level]);
}

void het__plan_run(const struct het__plan *plan, const void *a, void *b)
{
	if (plan->total_bytes == 0)
		return;

	const char *from = (const char *)a + plan->a_offset;
	char *to = (char *)b + plan->b_offset;
	if (plan->dims == 0)
		memcpy(to, from, plan->bytes);
	else
		copy_level(plan, 0, from, to);
}

/* ---- slices ------------------------------------------------------------------------------------ */

/* The dimension with the fewest indices among those not yet taken apart; the outermost of equals. */
static int fewest(const struct het__plan *plan, const bool *apart)
{
	int best = -1;
	for (int d = 0; d < plan->dims; d++)
		if (!apart[d] && (best < 0 || plan->count[d] < plan->count[best]))
			best = d;
	return best;
}

static void choose_apart(const struct het__plan *plan, int inner, bool apart[HET_MAX_RANK])
{
	memset(apart, 0, HET_MAX_RANK * sizeof apart[0]);
	for (int left = plan->dims; left > inner; left--)
		apart[fewest(plan, apart)] = true;
}

size_t het__plan_slices(const struct het__plan *plan, int inner)
{
	bool apart[HET_MAX_RANK];
	size_t slices = plan->total_bytes ? 1 : 0;

	choose_apart(plan, inner, apart);
	for (int d = 0; d < plan->dims; d++)
		slices *= apart[d] ? plan->count[d] : 1;
	return slices;
}

/* `index` is read as a number whose digits are the indices of the dimensions taken apart. */
void het__plan_slice(const struct het__plan *plan, int inner, size_t index, struct het__plan *out)
{
	bool apart[HET_MAX_RANK];

	choose_apart(plan, inner, apart);
	*out = (struct het__plan){.bytes = plan->bytes, .a_offset = plan->a_offset, .b_offset = plan->b_offset};
	for (int d = plan->dims - 1; d >= 0; d--) {
		if (apart[d]) {
			const size_t digit = index % plan->count[d];
			index /= plan->count[d];
			out->a_offset += digit * plan->a_pitch[d];
			out->b_offset += digit * plan->b_pitch[d];
			continue;
		}
		const int n = out->dims++;
		out->count[n] = plan->count[d];
		out->a_pitch[n] = plan->a_pitch[d];
		out->b_pitch[n] = plan->b_pitch[d];
	}
	assert(index == 0);
	reverse(out->count, out->dims);
	reverse(out->a_pitch, out->dims);
	reverse(out->b_pitch, out->dims);
	out->total_bytes = run_count(out) * out->bytes;
}
