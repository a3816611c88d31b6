/* buckets.c - numbered boxes in buckets by where they lie. */
#include "store/buckets.h"

#define LOOSE (HET__BUCKET / 2) /* when so many have left a bucket its hull is measured again */

static const struct het__box *box_of(const struct het__buckets *b, int number)
{
	return b->box_of(b->row, number);
}

static void measure(const struct het__buckets *b, struct het__bucket *bucket)
{
	bucket->hull = *box_of(b, bucket->number[0]);
	for (int i = 1; i < bucket->count; i++)
		het__box_cover(b->rank, &bucket->hull, box_of(b, bucket->number[i]));
	bucket->left = 0;
}

/* By how much the sides of the hull would grow, all together. Bounds may be further apart than an int64_t
 * tells. */
static double growth(int rank, const struct het__box *hull, const struct het__box *box)
{
	double sum = 0;

	for (int d = 0; d < rank; d++) {
		if (box->lo[d] < hull->lo[d])
			sum += (double)hull->lo[d] - (double)box->lo[d];
		if (box->hi[d] > hull->hi[d])
			sum += (double)box->hi[d] - (double)hull->hi[d];
	}
	return sum;
}

/* The bucket that grows least by the box; of equals, the first. There is one. */
static int best_for(const struct het__buckets *b, const struct het__box *box)
{
	double least = 0;
	int best = -1;

	for (int i = 0; i < b->count; i++) {
		const double more = growth(b->rank, &b->bucket[i].hull, box);

		if (best >= 0 && more >= least)
			continue;
		best = i;
		least = more;
		if (more <= 0)
			break;
	}
	return best;
}

/* Twice the middle of a box. */
static double middle(const struct het__box *box, int d)
{
	return (double)box->lo[d] + (double)box->hi[d];
}

/* The dimension in which the middles are furthest apart. */
static int widest(const struct het__buckets *b, const struct het__bucket *bucket)
{
	double most = -1;
	int best = 0;

	for (int d = 0; d < b->rank; d++) {
		double first = middle(box_of(b, bucket->number[0]), d), last = first;

		for (int i = 1; i < bucket->count; i++) {
			const double at = middle(box_of(b, bucket->number[i]), d);

			first = at < first ? at : first;
			last = at > last ? at : last;
		}
		if (last - first > most) {
			most = last - first;
			best = d;
		}
	}
	return best;
}

static void sort(const struct het__buckets *b, struct het__bucket *bucket, int d)
{
	for (int i = 1; i < bucket->count; i++) {
		const int moving = bucket->number[i];
		const double key = middle(box_of(b, moving), d);
		int j = i;

		for (; j > 0 && middle(box_of(b, bucket->number[j - 1]), d) > key; j--)
			bucket->number[j] = bucket->number[j - 1];
		bucket->number[j] = moving;
	}
}

static struct het__bucket *new_bucket(struct het__buckets *b)
{
	if (het__grow(&b->bucket, &b->room, b->count + 1, sizeof *b->bucket))
		return NULL;
	b->bucket[b->count].count = 0;
	return &b->bucket[b->count++];
}

/* A full bucket keeps one half, a new one beside it gets the other. */
static bool split(struct het__buckets *b, int i)
{
	struct het__bucket *const fresh = new_bucket(b), *const full = &b->bucket[i];

	if (!fresh)
		return false;
	sort(b, full, widest(b, full));
	for (int k = HET__BUCKET / 2; k < HET__BUCKET; k++) {
		fresh->number[fresh->count++] = full->number[k];
		b->where[full->number[k]] = b->count - 1;
	}
	full->count = HET__BUCKET / 2;
	measure(b, full);
	measure(b, fresh);
	return true;
}

bool het__buckets_add(struct het__buckets *b)
{
	const int number = b->numbers;
	const struct het__box *const box = box_of(b, number);
	int i;

	if (het__grow(&b->where, &b->where_room, number + 1, sizeof *b->where))
		return false;
	if (b->count == 0) {
		if (!new_bucket(b))
			return false;
		b->bucket[0].hull = *box;
		b->bucket[0].left = 0;
	}
	i = best_for(b, box);
	if (b->bucket[i].count == HET__BUCKET) {
		if (!split(b, i))
			return false;
		if (growth(b->rank, &b->bucket[i].hull, box) >
		    growth(b->rank, &b->bucket[b->count - 1].hull, box))
			i = b->count - 1;
	}
	het__box_cover(b->rank, &b->bucket[i].hull, box);
	b->bucket[i].number[b->bucket[i].count++] = number;
	b->where[number] = i;
	b->numbers++;
	return true;
}

/* The last bucket takes the place of an empty one. */
static void drop_bucket(struct het__buckets *b, int i)
{
	const struct het__bucket *const last = &b->bucket[--b->count];

	if (i == b->count)
		return;
	b->bucket[i] = *last;
	for (int k = 0; k < last->count; k++)
		b->where[last->number[k]] = i;
}

void het__buckets_remove(struct het__buckets *b, int number)
{
	const int last = --b->numbers;
	struct het__bucket *bucket = &b->bucket[b->where[number]];

	bucket->number[het__bucket_place(bucket, number)] = bucket->number[bucket->count - 1];
	bucket->count--;
	if (bucket->count == 0)
		drop_bucket(b, b->where[number]);
	else if (++bucket->left >= LOOSE)
		measure(b, bucket);
	if (number == last)
		return;
	bucket = &b->bucket[b->where[last]];
	bucket->number[het__bucket_place(bucket, last)] = number;
	b->where[number] = b->where[last];
}

void het__buckets_enlarge(struct het__buckets *b, int number)
{
	het__box_cover(b->rank, &b->bucket[b->where[number]].hull, box_of(b, number));
}

struct het__buckets *het__buckets_new(int rank, const void *row,
				      const struct het__box *(*of)(const void *row, int number), int numbers)
{
	struct het__buckets *const b = het__alloc_zeroed(1, sizeof *b);

	if (!b)
		return NULL;
	b->rank = rank;
	b->row = row;
	b->box_of = of;
	while (b->numbers < numbers)
		if (!het__buckets_add(b)) {
			het__buckets_free(b);
			return NULL;
		}
	return b;
}

void het__buckets_free(struct het__buckets *b)
{
	if (!b)
		return;
	het__free(b->bucket);
	het__free(b->where);
	het__free(b);
}

const char *het__buckets_check(const struct het__buckets *b)
{
	int count = 0;

	for (int i = 0; i < b->count; i++) {
		const struct het__bucket *const bucket = &b->bucket[i];

		if (bucket->count < 1 || bucket->count > HET__BUCKET)
			return "B1: an empty bucket";
		count += bucket->count;
		for (int k = 0; k < bucket->count; k++) {
			const int number = bucket->number[k];

			if (number < 0 || number >= b->numbers || b->where[number] != i)
				return "B1: a number in another bucket";
			if (!het__box_contains(b->rank, &bucket->hull, box_of(b, number)))
				return "B2: a box outside its bucket";
		}
	}
	return count == b->numbers ? NULL : "B1: a number in two buckets, or in none";
}
