/* test_window_texts.c - texts of kernels that include het.clh, what compilers say of them, and binaries. */
#include "face.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms.h"

static const char text[] = "#include <het.clh>\n"
			   "kernel void bump_w(HET_WINDOW(global int, x), int v)\n"
			   "{ HET_AT1(x, get_global_id(0)) += v; }\n";

/* The pointer alone is another element wherever a window begins: it has a name by which nobody takes it. */
START_TEST(plain_indices_do_not_build)
{
	static const char plain[] =
		"#include \"het.clh\"\n"
		"kernel void plain(HET_WINDOW(global int, x))\n"
		"{ x[get_global_id(0)] = 5; }\n";
	static const char second[] =
		"#include \"het.clh\"\n"
		"kernel void plain(HET_WINDOW(global int, x), HET_WINDOW(global const int,\n\t in_1))\n"
		"{ HET_AT1(x, 0) = in_1[0]; }\n";
	static const char other[] =
		"#include \"het.clh\"\n"
		"kernel void plain(HET_WINDOW(global int, x)) { HET_AT1(x, 0) = xx[0]; }\n";
	static const char with_long_name[] =
		"#include \"het.clh\"\n"
		"kernel void plain(HET_WINDOW(global int, a_window_whose_name_is_so_longer))\n"
		"{ a_window_whose_name_is_so_longer[0] = 1; }\n";
	static const char by_pointer[] =
		"#include \"het.clh\"\n"
		"kernel void pairs(HET_WINDOW(global int, x))\n"
		"{ global int *p = HET_POINTER(x) + HET_INDEX1(x, 2 * get_global_id(0));\n"
		"  p[0] = 5; p[1] = 6; }\n";
	het_system *system = open_face(_i);
	het_array *a = zero_array(system, 8);

	fails(het_launch(text_kernel(system, plain, "plain"), first_device(system), het_grid(1, 4), HET_OUT(a)),
	      HET_ERR_BUILD, "kernel plain does not build",
	      "(x is a HET_WINDOW: its elements are HET_AT1(x, i), HET_AT2(x, i, j)...)");
	fails(het_kernel_build(text_kernel(system, second, "plain"), first_device(system)), HET_ERR_BUILD,
	      "(in_1 is a HET_WINDOW: its elements are HET_AT1(in_1, i)");
	fails(het_kernel_build(text_kernel(system, other, "plain"), first_device(system)), HET_ERR_BUILD, "xx");
	ck_assert_ptr_null(strstr(het_message(), "is a HET_WINDOW"));
	fails(het_kernel_build(text_kernel(system, with_long_name, "plain"), first_device(system)),
	      HET_ERR_BUILD, "HET_AT2(a_window_whose_name_is_so_longer, i, j)...)");
	ok(het_launch(text_kernel(system, by_pointer, "pairs"), first_device(system), het_range(1, 1, 3),
		      HET_OUT_PART(a, het_rows(2, 6))));
	for (int i = 0; i < 8; i++)
		ck_assert_int_eq(element(a, i), i < 2 || i >= 6 ? 0 : 5 + i % 2);
	fails(het_launch(text_kernel(system, by_pointer, "pairs"), first_device(system), het_grid(1, 4),
			 HET_VAL(1)),
	      HET_ERR_SIGNATURE, "kernel pairs", "argument 0 (int* x)");
	close_face(system);
}
END_TEST

/* Of local memory there are no windows. Of constant memory there are. */
START_TEST(windows_of_other_memory)
{
	static const char of_local[] = "#include \"het.clh\"\n"
				       "kernel void l(HET_WINDOW(local int, x), global int *y)\n"
				       "{ HET_AT1(x, 0) = 1; y[0] = HET_AT1(x, 0); }\n";
	static const char of_constant[] = "#include \"het.clh\"\n"
					  "kernel void c(global int *y, HET_WINDOW(constant int, x))\n"
					  "{ y[0] = HET_AT1(x, 3); }\n";
	het_system *system = open_face(_i);
	het_array *x = counting_array(system, 8), *y = zero_array(system, 1);

	fails(het_launch(text_kernel(system, of_local, "l"), first_device(system), het_grid(1, 1), HET_LOCAL(8),
			 HET_OUT(y)),
	      HET_ERR_SIGNATURE, "kernel l has 3 arguments, but was given 2; a HET_WINDOW is of global or");
	ok(het_launch(text_kernel(system, of_constant, "c"), first_device(system), het_grid(1, 1), HET_OUT(y),
		      HET_IN(x)));
	ck_assert_int_eq(element(y, 0), 3);
	close_face(system);
}
END_TEST

/* Where a text asks for the prelude, and where it does not; what stands around it. */
START_TEST(texts_that_ask)
{
	static const char body[] = "kernel void k(HET_WINDOW(global int, x), int v)\n"
				   "{ HET_AT1(x, get_global_id(0)) = v; }\n";
	static const struct {
		const char *head;
		int asks;
	} heads[] = {
		{"#include \"het.clh\"\n", 1},
		{"  # /* the */ include <het.clh> // windows\n", 1},
		{"#include /* the name stands right behind */ \"het.clh\"\n", 0},
		{"#include <het.clh> /* two\nlines */\n", 1},
		{"/* none\n*/ #include \"het.clh\"", 1},
		{"#\\\ninclude \"het.clh\"\n#include \"het.clh\"\n", 1},
		{"#if 0\n#include \"het.clh\"\n#endif\n#include \"het.clh\"\n", 1},
		{"#if 0\n#include \"het.clh\"\n#else\n#define HET_WINDOW(type, x) type *x\n"
		 "#define HET_AT1(x, i) x[i]\n#endif\n", 1},
		{"// #include \"het.clh\"\n", 0},
		{"// goes on \\\n#include \"het.clh\"\n", 0},
		{"// goes on \\\r\n#include \"het.clh\"\n", 0},
		{"// goes on \\\n \\\n#include \"het.clh\"\n", 0},
		{"// goes on \\\n and ends\n#include \"het.clh\"\n", 1},
		{"/*\n#include \"het.clh\"\n*/", 0},
		{"constant char t[] = \"#include <het.clh>\";\n", 0},
	};
	het_system *system = open_face(_i);

	for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
		het_array *a = zero_array(system, 8);
		char whole[512];
		het_kernel *k;
		het_status st;

		snprintf(whole, sizeof whole, "%s\n%s", heads[i].head, body);
		k = text_kernel(system, whole, "k");
		st = het_launch(k, first_device(system), het_range(1, 2, 4), HET_OUT_PART(a, het_rows(2, 4)),
				HET_VAL(5));
		ck_assert_msg((st == HET_OK) == heads[i].asks, "%s: %s", whole,
			      st ? het_message() : "it builds");
		ck_assert(st == HET_OK || st == HET_ERR_BUILD);
		ck_assert_int_eq(element(a, 3), heads[i].asks ? 5 : 0);
		ok(het_array_free(a));
	}
	close_face(system);
}
END_TEST

/* Wrong in line 6. */
static const char *const wrong[] = {
	"/* 1 */\n"
	"#include \"het.clh\" /* 2 */\n"
	"#include <het.clh>\n"
	"kernel void k(HET_WINDOW(global int, x))\n"
	"{\n"
	"	HET_AT1(x, 0) = nothing;\n"
	"}\n",
	/* an include that is not compiled */
	"#if 0\n"
	"#include \"het.clh\"\n"
	"#endif\n"
	"#\\\ninclude \"het.clh\"\n" /* 4 and 5 */
	"kernel void k(HET_WINDOW(global int, x)) { HET_AT1(x, 0) = nothing; }\n",
	"#if 0\n"
	"#ifdef B\n"
	"#include \"het.clh\"\n"
	"#endif\n"
	"#else\n"
	"kernel void k(global int *x) { x[0] = nothing; }\n"
	"#endif\n",
	/* what looks like a directive */
	"#include \"het.clh\" /*\n"
	"#line 40\n"
	"*/\n"
	"kernel void k(HET_WINDOW(global int, x))\n"
	"{\n"
	"	HET_AT1(x, 0) = nothing;\n"
	"}\n",
};

/* What is said of a text that lacks the line for it says nothing of why. */
static void assert_line_is_missed(het_system *system)
{
	het_kernel *const kernel =
		text_kernel(system, "kernel void k(HET_WINDOW(global int, x)) { HET_AT1(x, 0) = 1; }\n", "k");

	fails(het_kernel_build(kernel, first_device(system)), HET_ERR_BUILD, "kernel k",
	      "HET_WINDOW and HET_AT are of het.clh: the text has no #include \"het.clh\"");
	ok(het_kernel_free(kernel));
}

static void assert_missed_for(het_system *system, const char *used, const char *said)
{
	char using[160];
	het_kernel *kernel;

	snprintf(using, sizeof using, "kernel void k(global int *x) { %s; }\n", used);
	kernel = text_kernel(system, using, "k");
	fails(het_kernel_build(kernel, first_device(system)), HET_ERR_BUILD, said);
	ok(het_kernel_free(kernel));
}

/* So do the other macros and functions. */
static void assert_words_are_missed(het_system *system)
{
	assert_missed_for(system, "HET_AT8(x, 1, 1, 1, 1, 1, 1, 1, 1) = 1",
			  "HET_AT are of het.clh: the text has no #include");
	assert_missed_for(system, "x[HET_INDEX4(x, 1, 2, 3, 4)] = 1", "(HET_INDEX is of het.clh");
	assert_missed_for(system, "of(HET_PASS(x))", "(HET_PASS is of het.clh");
	assert_missed_for(system, "HET_POINTER(x)[0] = 1", "(HET_POINTER is of het.clh");
	assert_missed_for(system, "het_atomic_add_float(x, 1)", "(het_atomic_... is of het.clh");
}

/* Compilers name the lines of the program's text and file. */
static void assert_line_is_named(het_system *system, const char *wrong_text)
{
	const char *const path = het_test_file("wrong.cl", wrong_text);
	het_kernel *kernel;
	char place[600];

	kernel = text_kernel(system, wrong_text, "k");
	fails(het_kernel_build(kernel, first_device(system)), HET_ERR_BUILD, "k:6:", "nothing");
	snprintf(place, sizeof place, "%s:6:", path);
	ok(het_kernel_from_file(system, path, "k", NULL, &kernel));
	fails(het_kernel_build(kernel, first_device(system)), HET_ERR_BUILD, place, "nothing");
}

START_TEST(lines_keep_their_numbers)
{
	het_system *system = open_face(_i);

	assert_line_is_missed(system);
	assert_words_are_missed(system);
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
		assert_line_is_named(system, wrong[i]);
	close_face(system);
}
END_TEST

/* Oclgrind heeds no #line. */
START_TEST(lines_keep_their_numbers_under_oclgrind)
{
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system;

	options.devices = "oclgrind";
	if (het_test_units("Oclgrind") == 0)
		return;
	ok(het_open(&options, &system));
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
		assert_line_is_named(system, wrong[i]);
	close_face(system);
}
END_TEST

/* A program's own macros, in its text and among its options, may be called what others call variables. */
START_TEST(macros_may_have_any_name)
{
	static const char with_macros[] =
		"#include \"het.clh\"\n"
		"#define base 3\n#define pitch 4\n#define type float\n"
		"kernel void k(HET_WINDOW(global int, x), global float *most, int v)\n"
		"{ HET_AT2(x, get_global_id(1), get_global_id(0)) = v + base * pitch;\n"
		"  het_atomic_max_float(most, v); }\n";
	het_system *system = open_face(_i);
	het_kernel *kernel = text_kernel(system, with_macros, "k");
	het_array *plane, *most;
	float got = 0;
	int at[4 * 4];

	ok(het_kernel_options(kernel, last_device(system), "-Dat=1 -Dwas=2 -Dseen=3 -Dis=4 -Dnext=5 -Dbits=6"));
	ok(het_array_new(system, HET_INT, het_shape(2, 4, 4), &plane));
	ok(het_array_new(system, HET_FLOAT, het_shape(1, 1), &most));
	ok(het_fill(het_view(plane, het_whole()), &(int){7}));
	ok(het_write(het_view(most, het_whole()), &got));
	ok(het_launch(kernel, last_device(system), het_range(2, 2, 4, 1, 3),
		      HET_INOUT_PART(plane, het_box(2, 2, 4, 1, 3)), HET_INOUT(most), HET_VAL(8)));
	ok(het_read(het_view(plane, het_whole()), at));
	for (int i = 0; i < 16; i++)
		ck_assert_int_eq(at[i], i / 4 >= 2 && i % 4 >= 1 && i % 4 < 3 ? 8 + 12 : 7);
	ok(het_read(het_view(most, het_whole()), &got));
	ck_assert_float_eq(got, 8);
	close_face(system);
}
END_TEST

/* Of long names only the beginning is kept. */
START_TEST(arrays_may_have_long_names)
{
	het_system *system = open_face(_i);

	for (int letters = 54; letters < 80; letters += letters < 66 ? 1 : 13) {
		het_array *a = zero_array(system, 8);
		char name[100], whole[600];

		memset(name, 'x', (size_t)letters);
		name[letters] = '\0';
		snprintf(whole, sizeof whole,
			 "#include \"het.clh\"\n"
			 "kernel void k(HET_WINDOW(global int, %s), int v)\n"
			 "{ HET_AT1(%s, get_global_id(0)) = v; }\n",
			 name, name);
		ok(het_launch(text_kernel(system, whole, "k"), first_device(system), het_range(1, 2, 4),
			      HET_OUT_PART(a, het_rows(2, 4)), HET_VAL(letters)));
		ck_assert_int_eq(element(a, 3), letters);
		ok(het_array_free(a));
	}
	close_face(system);
}
END_TEST

/* A binary tells of its windows where its driver tells of parameters; where it does not, it says so. */
START_TEST(binaries_may_have_windows)
{
	het_system *system = open_face(_i);
	het_kernel *w = text_kernel(system, text, "bump_w"), *again;
	het_array *a = counting_array(system, 16);
	size_t bytes = 0;
	void *binary;
	het_status st;

	ok(het_kernel_binary(w, first_device(system), NULL, 0, &bytes));
	binary = malloc(bytes);
	ok(het_kernel_binary(w, first_device(system), binary, bytes, &bytes));
	ok(het_kernel_from_binary(first_device(system), binary, bytes, "bump_w", &again));
	free(binary);
	st = het_launch(again, first_device(system), het_grid(1, 16), HET_INOUT(a), HET_VAL(3));
	if (st)
		fails(st, HET_ERR_SIGNATURE, "has 3 arguments, but was given 2; the driver does not tell");
	assert_counts(a, st ? 0 : 3, 1);
	close_face(system);
}
END_TEST

/* The number in a macro's name is the array's rank. */
START_TEST(ranks_are_those_of_macros)
{
	static const char ranks[] =
		"#include \"het.clh\"\n"
		"kernel void flat(HET_WINDOW(global int, x))\n"
		"{ HET_AT1(x, get_global_id(1) * 8 + get_global_id(0)) = 1; }\n"
		"kernel void deep(HET_WINDOW(global int, x), HET_WINDOW(global const int, y))\n"
		"{ HET_AT3 ( /* all */ x , 0, get_global_id(1), get_global_id(0)) = HET_AT2(y, 0, 0); }\n"
		"kernel void right(HET_WINDOW(global int, x), HET_WINDOW(global const int, xy))\n"
		"{ HET_AT2(x, get_global_id(1), get_global_id(0)) = HET_POINTER(xy)[HET_INDEX1(xy, 0)]; }\n"
		"kernel void some(HET_WINDOW(global int, x))\n"
		"{ if (get_global_id(0) > 8) HET_AT1(x, 0) = 1;"
		" HET_AT2(x, get_global_id(1), get_global_id(0)) = 1; }\n"
		"kernel void perhaps(HET_WINDOW(global int, x))\n"
		"{\n#if 0\n HET_AT1(x, 0) = 1;\n#endif\n"
		" HET_AT2(x, get_global_id(1), get_global_id(0)) = 1; }\n"
		"kernel void lost(HET_WINDOW(global int, x))\n"
		"{\n#ifdef NEVER\n if (1) {\n#else\n {\n#endif\n HET_AT1(x, 0) = 1; } }\n"
		"kernel void behind(HET_WINDOW(global int, x)) { HET_AT3(x, 0, 0, 0) = 1; }\n";
	het_system *system = open_face(_i);
	het_device *const device = first_device(system);
	const struct het_range all = het_grid(2, 4, 8);
	het_array *one = zero_array(system, 8), *two;

	ok(het_array_new(system, HET_INT, het_shape(2, 4, 8), &two));
	fails(het_launch(text_kernel(system, ranks, "flat"), device, all, HET_OUT(two)), HET_ERR_SIGNATURE,
	      "kernel flat", "argument 0", "rank is 2", "HET_AT1 or HET_INDEX1");
	fails(het_launch(text_kernel(system, ranks, "deep"), device, all, HET_OUT(two), HET_IN(two)),
	      HET_ERR_SIGNATURE, "kernel deep", "argument 0", "HET_AT3");
	ok(het_launch(text_kernel(system, ranks, "some"), device, all, HET_OUT(two)));
	fails(het_launch(text_kernel(system, ranks, "right"), device, all, HET_OUT(two), HET_IN(two)),
	      HET_ERR_SIGNATURE, "kernel right", "argument 1", "HET_AT1");
	ok(het_launch(text_kernel(system, ranks, "right"), device, all, HET_OUT(two), HET_IN(one)));
	ok(het_launch(text_kernel(system, ranks, "perhaps"), device, all, HET_OUT(two)));
	ok(het_launch(text_kernel(system, ranks, "lost"), device, het_grid(1, 1),
		      HET_OUT_PART(one, het_rows(0, 1))));
	ok(het_wait(two));
	close_face(system);
}
END_TEST

static const struct face_test tests[] = {
	{&texts_that_ask, 1},
	{&plain_indices_do_not_build, 1},
	{&windows_of_other_memory, 1},
	{&lines_keep_their_numbers, 1},
	{&lines_keep_their_numbers_under_oclgrind, 0},
	{&arrays_may_have_long_names, 1},
	{&macros_may_have_any_name, 1},
	{&binaries_may_have_windows, 1},
	{&ranks_are_those_of_macros, 1},
};

int main(void)
{
	return run_face_tests("window_texts", sizeof tests / sizeof tests[0], tests);
}
