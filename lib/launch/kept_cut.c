/* kept_cut.c - a kernel's last cut, kept. */

#include "launch/kept_cut.h"

#include <string.h>

#include "base/alloc.h"
#include "launch/mapper.h"

struct het__kept_cut {
	struct het__cut cut;
	int count;
	int64_t word[]; /* count */
};

/* What one argument adds at most: how it is given, which array it is, its shape, and a box or numbers. */
#define MOST_OF_ONE (5 + HET_MAX_RANK + 2 * HET_MAX_RANK)

_Static_assert(HET_MAX_RANGE * 3 + 3 + MOST_OF_ONE < HET__CUT_WORDS, "an argument has room");

static void put(struct het__cut_key *key, const int64_t *word, int count)
{
	for (int i = 0; i < count; i++)
		key->word[key->count++] = word[i];
}

static void put_one(struct het__cut_key *key, int64_t word)
{
	key->word[key->count++] = word;
}

static void put_shape(struct het__cut_key *key, const het_array *array)
{
	put_one(key, (int64_t)array->value->element_bytes);
	put_one(key, array->shape.rank);
	put(key, array->shape.extent, array->shape.rank);
}

/* The number of the first argument, but for number `but`, that is this array; `count` where there is none. */
static int first_of(const het_array *array, const struct het_arg *args, int count, int but)
{
	for (int i = 0; i < count; i++)
		if (i != but && het__arg_array(&args[i]) == array)
			return i;
	return count;
}

static bool put_mapped(struct het__cut_key *key, int i, const struct het_arg *args, int count, int rank)
{
	const struct het_mapped *const m = &args[i].u.mapped;
	const bool is_own = het__arg_is_own(&args[i]), is_combined = het__mapper_combines(m->mapper);

	if (is_own && !het__cut_ignores(&args[i], rank))
		return false;
	if ((is_own || is_combined) && first_of(m->array, args, count, i) < count)
		return false;
	if (is_combined && m->array->maps.count > 0)
		return false;
	put_one(key, (int64_t)m->mapper << 8 | m->given);
	put(key, m->number, m->given);
	return true;
}

static bool put_box(struct het__cut_key *key, const struct het_box *box)
{
	if (box->rank < 0 || box->rank > HET_MAX_RANK)
		return false;
	put_one(key, box->rank);
	put(key, box->lo, box->rank);
	put(key, box->hi, box->rank);
	return true;
}

static bool put_argument(struct het__cut_key *key, const het_system *system, int i, const struct het_arg *args,
			 int count, int rank)
{
	const struct het_arg *const a = &args[i];
	const het_array *const array = het__arg_array(a);

	if (key->count + MOST_OF_ONE > HET__CUT_WORDS)
		return false;
	put_one(key, (int64_t)a->kind << 16 | (int64_t)a->mode);
	if (!het__arg_is_array(a))
		return true;
	if (!het__array_is_of(array, system))
		return false;
	put_one(key, first_of(array, args, i, i)); /* a part may not see all that overlaps */
	put_shape(key, array);
	return a->kind == HET_ARG_MAPPED ? put_mapped(key, i, args, count, rank) : put_box(key, &a->u.view.box);
}

void het__cut_key(struct het__cut_key *key, const het_system *system, const struct het_range *range,
		  const struct het__cut_grain *grain, int parts, const struct het_arg *args, int count)
{
	bool good = true;

	key->count = 0;
	put_one(key, parts);
	put_one(key, range->rank);
	put(key, range->lo, range->rank);
	put(key, range->hi, range->rank);
	put(key, grain->local, range->rank);
	put_one(key, grain->pieces);
	for (int i = 0; i < count && good; i++)
		good = put_argument(key, system, i, args, count, range->rank);
	if (!good)
		key->count = 0;
}

bool het__cut_recall(const het_kernel *kernel, const struct het__cut_key *key, struct het__cut *cut)
{
	const struct het__kept_cut *const kept = kernel->cut;

	if (!kept || key->count == 0 || key->count != kept->count ||
	    memcmp(key->word, kept->word, (size_t)key->count * sizeof *key->word) != 0)
		return false;
	*cut = kept->cut;
	return true;
}

void het__cut_keep(het_kernel *kernel, const struct het__cut_key *key, const struct het__cut *cut)
{
	const size_t bytes = (size_t)key->count * sizeof *key->word;

	if (key->count == 0)
		return;
	if (!kernel->cut || kernel->cut->count != key->count) {
		het__free(kernel->cut);
		kernel->cut = het__alloc(sizeof *kernel->cut + bytes);
	}
	if (!kernel->cut)
		return;
	kernel->cut->cut = *cut;
	kernel->cut->count = key->count;
	memcpy(kernel->cut->word, key->word, bytes);
}
