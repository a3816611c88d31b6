/* scene.h - the program whose timeline tests of HETERO_TRACE look at. */
#ifndef HETERO_TESTS_SCENE_H
#define HETERO_TESTS_SCENE_H

#include <stdlib.h>

#include "face.h"

#include "fakes.h"
#include "platforms.h"

enum { N = 64 };

struct scene {
	het_system *system;
	het_kernel *add, *bump;
	het_array *a, *b;
};

static inline void start_on(const char *machine, const char *order)
{
	setenv("FAKECL_ORDER", order, 1);
	ck_assert(het_test_fake_driver(machine));
}

static inline struct scene open_scene(void)
{
	struct scene s;

	ok(het_open(NULL, &s.system));
	s.add = common_kernel(s.system, "add");
	s.bump = common_kernel(s.system, "bump");
	s.a = counting_array(s.system, N);
	s.b = zero_array(s.system, N);
	ok(het_array_name(s.a, "left"));
	ok(het_array_name(s.b, "right"));
	return s;
}

static inline het_status nothing_much(void *user, int count, const struct het_host_arg *arg)
{
	(void)user;
	(void)count;
	(void)arg;
	return HET_OK;
}

/* Kernels and a fill on both devices, a host function, a map. */
static inline void act(struct scene *s)
{
	het_device *first = first_device(s->system), *last = last_device(s->system);
	const int *at;

	ok(het_launch(s->add, first, het_grid(1, N), HET_OUT(s->b), HET_IN(s->a), HET_VAL(1)));
	ok(het_launch(s->bump, last, het_range(1, 0, N / 2), HET_INOUT_PART(s->b, het_rows(0, N / 2)),
		      HET_VAL(1)));
	ok(het_fill(het_view(s->b, het_rows(N / 2, N / 2 + 4)), &(int){7}));
	ok(het_call(s->system, nothing_much, NULL, HET_IN(s->b)));
	ok(het_launch(s->bump, first, het_grid(1, N), HET_INOUT(s->b), HET_VAL(1)));
	ok(het_map(s->b, HET_READ, &at));
	ck_assert_int_eq(at[0], 3);
	ck_assert_int_eq(at[N / 2], 8);
	ck_assert_int_eq(at[N - 1], N + 1);
	ok(het_unmap(s->b));
}

#endif
