/* small.c - arrays that no buffer of a fake device can hold, with a model of what kernels make of them. */
#include "small.h"

#include <stdlib.h>

#include "random.h"

const char small_text[] =
	"#include \"het.clh\"\n"
	"kernel void plain(global int *b, global const int *a, int m, int n)\n"
	"{ size_t y = get_global_id(1), x = get_global_id(0); b[y * n + x] = a[y * n + x]; }\n"
	"kernel void sum(HET_WINDOW(global int, b), HET_WINDOW(global const int, a), int m, int n)\n"
	"{ int y = get_global_id(1), x = get_global_id(0); uint s = HET_AT2(a, y, x);\n"
	"  if (y) s += 3u * HET_AT2(a, y - 1, x); if (y + 1 < m) s -= HET_AT2(a, y + 1, x);\n"
	"  HET_AT2(b, y, x) = s; }\n"
	"kernel void add(global int *s, HET_WINDOW(global const int, a))\n"
	"{ atomic_add(s + 7, HET_AT2(a, get_global_id(1), get_global_id(0))); }\n"
	"kernel void bump(HET_WINDOW(global int, x), int v)\n"
	"{ HET_AT2(x, get_global_id(1), get_global_id(0)) += v; }\n";

het_array *rows_of(het_system *system, int rows)
{
	het_array *array;

	ok(het_array_new(system, HET_INT, het_shape(2, rows, N), &array));
	return array;
}

void open_field(struct field *f, const char *machine, int rows)
{
	struct het_options options = HET_OPTIONS_INIT;

	ck_assert(het_test_fake_driver(machine));
	ok(het_open(&options, &f->system));
	ck_assert_int_eq(het_device_count(f->system), CARDS);
	f->sum = text_kernel(f->system, small_text, "sum");
	f->rows = rows;
	f->a = rows_of(f->system, rows);
	f->b = rows_of(f->system, rows);
	f->now = malloc((size_t)rows * ROW);
	f->next = malloc((size_t)rows * ROW);
	ck_assert(f->now && f->next);
	for (int i = 0; i < rows * N; i++)
		f->now[i / N][i % N] = random_in(-1000, 1000);
	ok(het_write(het_view(f->a, het_whole()), f->now));
}

void close_field(struct field *f)
{
	free(f->now);
	free(f->next);
	close_face(f->system);
	ck_assert_int_eq(control("alive all"), 0);
}

/* The model's step, of rows [lo, hi): as the kernel, modulo 2^32. */
void model_rows(struct field *f, int lo, int hi)
{
	for (int y = lo; y < hi; y++)
		for (int x = 0; x < N; x++) {
			unsigned s = (unsigned)f->now[y][x];

			s += y ? 3 * (unsigned)f->now[y - 1][x] : 0;
			f->next[y][x] = (int)(s - (y + 1 < f->rows ? (unsigned)f->now[y + 1][x] : 0));
		}
}

void model_swap(struct field *f)
{
	int (*const now)[N] = f->now;

	f->now = f->next;
	f->next = now;
}

void assert_field(struct field *f)
{
	int (*const got)[N] = f->next;

	ok(het_read(het_view(f->a, het_whole()), got));
	for (int i = 0; i < f->rows * N; i++)
		ck_assert_msg(got[i / N][i % N] == f->now[i / N][i % N], "row %d is wrong", i / N);
}

void spread(struct field *f)
{
	ok(het_spread(f->sum, het_everyone(f->system), het_grid(2, f->rows, N), HET_OUT(HET_EACH(f->b)),
		      HET_IN(HET_HALO(f->a, 1)), HET_VAL(f->rows), HET_VAL((int)N)));
	ok(het_swap(f->a, f->b));
	model_rows(f, 0, f->rows);
	model_swap(f);
}

int bytes_on(het_system *system, int card)
{
	struct het_device_stats stats = HET_DEVICE_STATS_INIT;

	ok(het_device_stats(het_device(system, card), &stats));
	return (int)stats.array_bytes;
}

/* Rows [lo, hi) of `a` on a card, again and again until it works. */
int bump_rows(struct field *f, het_kernel *bump, int card, int lo, int hi)
{
	het_status st;
	int failures = 0;

	while ((st = het_launch(bump, het_device(f->system, card), het_range(2, lo, hi, 0, N),
				HET_INOUT(HET_EACH(f->a)), HET_VAL(1)))) {
		ck_assert_msg(st == HET_ERR_DEVICE_MEMORY, "%s", het_message());
		ck_assert_int_lt(++failures, 3);
	}
	for (int y = lo; y < hi; y++)
		for (int x = 0; x < N; x++)
			f->now[y][x] = (int)((unsigned)f->now[y][x] + 1);
	return failures;
}
