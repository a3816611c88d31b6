/* test_given.c - what kernels are given, on a fake machine: what an argument has already is not given again,
 * and nothing that has gone is taken for what came in its place. What devices of one kind have of each other.
 */
#include "face.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/valgrind.h"
#include "fakes.h"
#include "platforms.h"

enum { ITEMS = 64 };

static het_system *sys;
static het_kernel *add;

static void open_card(void)
{
	struct het_options options = HET_OPTIONS_INIT;

	ck_assert(het_test_fake_driver("two-gpus"));
	options.share = HET_SHARE_OFF;
	ok(het_open(&options, &sys));
	add = common_kernel(sys, "add");
}

static het_status try(het_device *device, het_array *out, het_array *in)
{
	return het_launch(add, device, het_grid(1, ITEMS), HET_OUT(out), HET_IN(in), HET_VAL(1));
}

/* How many arguments one launch gives to its kernel. */
static long given_to(het_array *out, het_array *in)
{
	const long before = control("count clSetKernelArg");

	ok(try(first_device(sys), out, in));
	return control("count clSetKernelArg") - before;
}

START_TEST(arrays_are_given_once)
{
	het_array *a, *b, *c;

	open_card();
	a = counting_array(sys, ITEMS);
	b = zero_array(sys, ITEMS);
	c = zero_array(sys, ITEMS);
	ck_assert_int_eq(given_to(b, a), 3);
	ck_assert_int_eq(given_to(b, a), 0);
	ck_assert_int_eq(given_to(c, a), 1);
	ck_assert_int_eq(given_to(b, c), 2);
	assert_counts(b, 2, 1);
	ok(het_array_free(a));
	ok(het_wait_all(sys));
	ck_assert_int_eq(given_to(b, c), 2);
	assert_counts(b, 2, 1);
	close_face(sys);
}
END_TEST

/* A block that was freed, and a buffer with it, may lie where the next one comes to lie. */
START_TEST(no_array_is_taken_for_one_that_has_gone)
{
	het_array *sum;

	open_card();
	sum = zero_array(sys, ITEMS);
	for (int i = 0; i < 20; i++) {
		het_array *const in = i % 2 ? zero_array(sys, ITEMS) : counting_array(sys, ITEMS);

		ok(try(first_device(sys), sum, in));
		assert_counts(sum, 1, i % 2 ? 0 : 1);
		ok(het_array_free(in));
	}
	close_face(sys);
}
END_TEST

/* What the driver has refused the kernel does not have; a launch that was held back gives its own. */
START_TEST(what_was_not_given_is_given_again)
{
	het_array *a, *b, *c;

	open_card();
	a = counting_array(sys, ITEMS);
	b = zero_array(sys, ITEMS);
	c = zero_array(sys, ITEMS);
	ok(try(last_device(sys), b, a));
	ck_assert_int_eq(control("fail clSetKernelArg 1 -6"), 0);
	ck_assert_int_eq(try(last_device(sys), c, a), HET_ERR_MEMORY);
	ok(try(last_device(sys), b, a));
	assert_counts(b, 1, 1);
	ok(try(first_device(sys), c, b));
	ok(het_launch(add, last_device(sys), het_grid(1, ITEMS), HET_OUT(b), HET_IN(c), HET_VAL(2))); /* held */
	ok(try(last_device(sys), c, a));
	assert_counts(b, 4, 1);
	assert_counts(c, 1, 1);
	close_face(sys);
}
END_TEST

/* So large a struct is given every time. */
struct many {
	int number[64];
};

static const char takes_all[] =
	"typedef struct { int number[64]; } many;\n"
	"kernel void take(global int *out, global const int *in, local int *s, int a, many m)\n"
	"{ if (get_local_id(0) == 0) s[0] = a;\n"
	"  barrier(CLK_LOCAL_MEM_FENCE);\n"
	"  out[get_global_id(0)] = s[0] + m.number[63] + (in ? in[get_global_id(0)] : 0); }\n";

/* How many arguments one launch gives to the kernel, where `in` may be NULL; the result is checked. */
static long given_all(het_kernel *take, het_array *out, het_array *in, int words, int a, int last)
{
	const long before = control("count clSetKernelArg");
	struct many m = {{0}};
	struct het_arg args[] = {HET_OUT(out), HET_NULL, HET_LOCAL((size_t)words * sizeof(int)), HET_VAL(a),
				 HET_BYTES(&m, sizeof m)};

	if (in)
		args[1] = HET_IN(in);
	m.number[63] = last;
	ok(het_launch_args(take, first_device(sys), het_grid(1, ITEMS), args, 5));
	assert_counts(out, a + last, in ? 1 : 0);
	return control("count clSetKernelArg") - before;
}

START_TEST(values_are_given_when_they_change)
{
	const struct many none = {{0}};
	het_array *in, *out;
	het_kernel *take;

	open_card();
	in = counting_array(sys, ITEMS);
	out = zero_array(sys, ITEMS);
	take = text_kernel(sys, takes_all, "take");
	ck_assert_int_eq(given_all(take, out, NULL, 1, 5, 7), 5);
	ck_assert_int_eq(given_all(take, out, NULL, 1, 5, 7), 1);
	ck_assert_int_eq(given_all(take, out, NULL, 1, 6, 7), 2);
	ck_assert_int_eq(given_all(take, out, NULL, 1, 6, 8), 1);
	ck_assert_int_eq(given_all(take, out, NULL, 2, 6, 8), 2);
	ck_assert_int_eq(given_all(take, out, in, 2, 6, 8), 2);
	ck_assert_int_eq(given_all(take, out, NULL, 2, 6, 8), 2);
	ck_assert_int_eq(control("fail clSetKernelArg 1 -6"), 0);
	ck_assert_int_eq(het_launch(take, first_device(sys), het_grid(1, ITEMS), HET_OUT(out), HET_NULL,
				    HET_LOCAL(8), HET_VAL(9), HET_BYTES(&none, sizeof none)),
			 HET_ERR_MEMORY);
	ck_assert_int_eq(given_all(take, out, NULL, 2, 6, 8), 2);
	close_face(sys);
}
END_TEST

/* So small a struct is given when a member has changed, where the library can tell valgrind that it compares
 * structs. */
struct padded {
	char kind;
	int number[30];
};

static const char takes_padded[] = "typedef struct { char kind; int number[30]; } padded;\n"
				   "kernel void take(global int *out, padded p, int more)\n"
				   "{ out[get_global_id(0)] = p.kind + p.number[29] + more; }\n";

/* `filled`: zeros lie between `kind` and `number`; else what was there before, as in most programs. */
static long given_padded(het_kernel *take, het_array *out, int kind, int last, int more, bool filled)
{
	const long before = control("count clSetKernelArg");
	struct padded p;

	if (filled)
		memset(&p, 0, sizeof p);
	p.kind = (char)kind;
	for (int i = 0; i < 30; i++)
		p.number[i] = i < 29 ? 0 : last;
	ok(het_launch(take, first_device(sys), het_grid(1, ITEMS), HET_OUT(out), HET_BYTES(&p, sizeof p),
		      HET_VAL(more)));
	assert_counts(out, kind + last + more, 0);
	return control("count clSetKernelArg") - before;
}

START_TEST(structs_are_given_when_they_change)
{
	const long again = HET__STRUCTS_COMPARED ? 0 : 1;
	het_kernel *take;
	het_array *out;

	open_card();
	out = zero_array(sys, ITEMS);
	take = text_kernel(sys, takes_padded, "take");
	ck_assert_int_eq(given_padded(take, out, 1, 2, 3, true), 3);
	ck_assert_int_eq(given_padded(take, out, 1, 2, 3, true), again);
	ck_assert_int_eq(given_padded(take, out, 4, 2, 3, true), 1);
	ck_assert_int_eq(given_padded(take, out, 4, 5, 3, true), 1);
	ck_assert_int_eq(given_padded(take, out, 4, 5, 6, true), again + 1);
	(void)given_padded(take, out, 4, 5, 6, false); /* valgrind sees this one compared */
	ck_assert_int_eq(given_padded(take, out, 4, 7, 6, true), 1);
	ck_assert_int_eq(control("fail clSetKernelArg 1 -6"), 0);
	ck_assert_int_eq(het_launch(take, first_device(sys), het_grid(1, ITEMS), HET_OUT(out),
				    HET_BYTES(&(struct padded){.kind = 7}, sizeof(struct padded)), HET_VAL(6)),
			 HET_ERR_MEMORY);
	ck_assert_int_eq(given_padded(take, out, 4, 7, 6, true), 1);
	close_face(sys);
}
END_TEST

/* As much local memory as the device has, and no byte more: the library refuses that before the driver does. */
START_TEST(local_memory_to_its_end)
{
	struct het_device_info info = HET_DEVICE_INFO_INIT;
	const struct many none = {{0}};
	het_kernel *take;
	het_array *out;
	int words;

	open_card();
	ok(het_device_info(first_device(sys), &info));
	words = (int)(info.local_bytes / sizeof(int));
	out = zero_array(sys, ITEMS);
	take = text_kernel(sys, takes_all, "take");
	(void)given_all(take, out, NULL, words, 5, 7);
	fails(het_launch(take, first_device(sys), het_grid(1, ITEMS), HET_OUT(out), HET_NULL,
			 HET_LOCAL((size_t)words * sizeof(int) + 1), HET_VAL(9), HET_BYTES(&none, sizeof none)),
	      HET_ERR_UNSUPPORTED, "kernel take", "bytes of local memory; ");
	assert_counts(out, 12, 0);
	close_face(sys);
}
END_TEST

/* How often the compiler gets a text for two cards of one kind: with `-DOWN` it has a type of its own. */
static long compilations_for(const char *platform, const char *options_given)
{
	static const char takes[] = "#ifdef OWN\ntypedef float real;\n#else\n#define real float\n#endif\n"
				    "kernel void take(global int *out, global const int *in, real many)\n"
				    "{ out[get_global_id(0)] = (in ? in[0] : 0) + many; }\n";
	const float many = 1;
	static const char card[] = "device gpu\n\tname Fake card\n\tmemory own\n\tsize 64M\n";
	struct het_options options = HET_OPTIONS_INIT;
	het_kernel *kernel;
	char text[256];
	long before;

	setenv("HETERO_CACHE", "off", 1);
	snprintf(text, sizeof text, "platform %s\n%s%s", platform, card, card);
	ck_assert(het_test_fake_driver(het_test_file("like-cards.machine", text)));
	ok(het_open(&options, &sys));
	before = control("count clCreateProgramWithSource");
	kernel = text_kernel(sys, takes, "take");
	for (int d = 0; d < 2; d++)
		ok(het_kernel_options(kernel, het_device(sys, d), options_given));
	for (int d = 0; d < 2; d++) { /* the second knows its parameters, too */
		ok(het_kernel_build(kernel, het_device(sys, d)));
		fails(het_launch(kernel, het_device(sys, d), het_grid(1, ITEMS), HET_VAL(1), HET_NULL,
				 HET_VAL(many)),
		      HET_ERR_SIGNATURE, "argument 0 (int* out) was given a value");
		fails(het_launch(kernel, het_device(sys, d), het_grid(1, ITEMS), HET_NULL, HET_NULL,
				 HET_VAL(1.0)),
		      HET_ERR_SIGNATURE, "argument 2 (", " many", "was given double of 8 bytes; it has 4");
	}
	close_face(sys);
	return control("count clCreateProgramWithSource") - before;
}

START_TEST(like_devices_share_a_binary)
{
	ck_assert_int_eq(compilations_for("Fake Works", ""), 1);
	ck_assert_int_eq(compilations_for("Fake Works", "-DOWN"), 2);
}
END_TEST

/* Some drivers want programs apart. */
START_TEST(like_devices_share_no_binary)
{
	ck_assert_int_eq(compilations_for("Portable Computing Language (fake)", ""), 2);
	ck_assert_int_eq(compilations_for("Portable Computing Language (fake)", "-DOWN"), 3);
}
END_TEST

/* Each has a type of its own. */
START_TEST(kernels_of_a_text_are_asked_together)
{
	static const char text[] = "typedef float real; struct body { real mass; };\n"
				   "kernel void scale(global int *x, real by) { x[0] *= by; }\n"
				   "kernel void weigh(global int *x, struct body b) { x[0] = b.mass; }\n";
	long before;

	setenv("HETERO_CACHE", "off", 1);
	open_card();
	before = control("count clCreateProgramWithSource");
	ok(het_kernel_build(text_kernel(sys, text, "scale"), last_device(sys)));
	ok(het_kernel_build(text_kernel(sys, text, "weigh"), last_device(sys)));
	ck_assert_int_eq(control("count clCreateProgramWithSource") - before, 2);
	fails(het_launch(text_kernel(sys, text, "weigh"), last_device(sys), het_grid(1, 1), HET_NULL,
			 HET_VAL(1.0)),
	      HET_ERR_SIGNATURE, "argument 1 (struct body b; struct body has 4 bytes)");
	close_face(sys);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {arrays_are_given_once,
				      no_array_is_taken_for_one_that_has_gone,
				      what_was_not_given_is_given_again,
				      values_are_given_when_they_change,
				      structs_are_given_when_they_change,
				      local_memory_to_its_end,
				      like_devices_share_a_binary,
				      like_devices_share_no_binary,
				      kernels_of_a_text_are_asked_together};

	return run_fake_tests("given", (int)(sizeof tests / sizeof tests[0]), tests);
}
