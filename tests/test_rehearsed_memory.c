/* test_rehearsed_memory.c - HETERO_CHECK=1: what is around and under what a kernel declares: strange numbers,
 * what the array really holds, and guards in front and behind; and beside a part, also where there is one part.
 */
#include "face.h"

#include <stdlib.h>

#include "spreads.h"

enum { ROWS = 40, COLS = 24 };

static const char text[] =
	"#include \"het.clh\"\n"
	"#define AT int x = get_global_id(0), y = get_global_id(1), i = y * 24 + x\n"
	"kernel void in_front(global float *out, global const float *in)\n"
	"{ AT; out[i] = in[i]; if (i == 5) out[i - 6] = 1; }\n"
	"kernel void before(global float *out, global const float *in) { AT; out[i] = in[i - 24]; }\n"
	"kernel void sums(global float *y, global const int *p, global const float *v)\n"
	"{ int i = get_global_id(0); float s = 0;\n"
	"  for (int k = p[i]; k < p[i + 1]; k++) s += v[k];\n"
	"  y[i] = s; }\n"
	"kernel void counts(global int *y, global const int *p, global const int *v)\n"
	"{ int i = get_global_id(0), s = 0;\n"
	"  for (int k = p[i]; k < p[i + 1]; k++) s += v[k];\n"
	"  y[i] = s; }\n"
	"kernel void dilate(global uchar *out, global const uchar *in)\n"
	"{ int i = get_global_id(0); out[i] = max(in[i], in[i + 1]); }\n"
	"kernel void largest(global int *y, global const int *x)\n"
	"{ int i = get_global_id(0); y[i] = max(x[i], y[i]); }\n"
	"kernel void far(global int *y, global const int *x) { int i = get_global_id(0); y[i] = x[i + 32]; }\n"
	"kernel void twice(global int *x) { x[get_global_id(0)] = 2 * get_global_id(0) + 1; }\n"
	"kernel void by_both(global int *out, HET_WINDOW(global const int, in), global const int *same)\n"
	"{ int i = get_global_id(0); out[i] = same[i + 32] + HET_AT1(in, i); }\n"
	"kernel void in_place(global int *x, HET_WINDOW(global const int, in))\n"
	"{ int i = get_global_id(0); x[i] = x[i + 32] + HET_AT1(in, i + 32); }\n"
	"#define FLAT HET_AT1\n" /* the text alone does not tell */
	"kernel void flat(HET_WINDOW(global float, out), global const float *in)\n"
	"{ AT; FLAT(out, i) = in[i]; }\n"
	"kernel void plain(global float *out, HET_WINDOW(global const float, in))\n"
	"{ AT; out[i] = HET_POINTER(in)[i]; }\n"
	"kernel void plain_row(HET_WINDOW(global int, x))\n"
	"{ int i = get_global_id(0); HET_POINTER(x)[i] = HET_AT1(x, i); }\n"
	"kernel void above(HET_WINDOW(global float4, out), HET_WINDOW(global const float4, in))\n"
	"{ int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
	"  HET_AT3(out, z, y, x) = HET_AT3(in, z, y, x) + HET_AT3(in, z + 1, y, x); }\n"
	"kernel void pointers(global int *x, global const int *in)\n"
	"{ int i = get_global_id(0); x[i] = x[i + 32] + in[i + 32]; }\n"
	"kernel void apart(global int *out, HET_WINDOW(global const int, in),\n"
	"                  HET_WINDOW(global const int, other))\n"
	"{ int i = get_global_id(0); out[i] = HET_AT1(in, i) + HET_AT1(other, i); }\n"
	"kernel void bright(global uchar *out, global const uchar *in)\n"
	"{ int i = get_global_id(0); out[i] = in[i + 1] > 15; }\n"
	"kernel void fours(HET_WINDOW(global float, x))\n"
	"{ int i = get_global_id(0); *(global float4 *)&HET_AT1(x, 4 * i) += 1; }\n"
	"kernel void columns(global int *out, global int *none, int n)\n"
	"{ int i = get_global_id(0); for (int k = 0; k < n; k++) none[k] = i; out[i] = i; }\n"
	"kernel void casts(global float *out, global const float *in)\n"
	"{ AT; out[i] = in[i]; ((global float *)in)[i] += 1; }\n"
	"kernel void adds(global int *x, global const int *by)\n"
	"{ int i = get_global_id(0); x[i] += by[i]; }\n"
	"kernel void ranks(global int *rank, global int *count, global const int *cell, int first)\n"
	"{ int i = get_global_id(0); rank[i] = first + atomic_inc(count + cell[i]); }\n"
	"kernel void scatters(global int *out, global const int *in)\n"
	"{ int i = get_global_id(0); out[i] = in[i] + in[4000];\n"
	"  if (i == 0) out[1500] = out[1501] = out[3500] = 77; }\n"
	"kernel void gathers(global float *out, HET_WINDOW(global const float, in))\n"
	"{ int x = get_global_id(0), y = get_global_id(1); out[y * 700 + x] = HET_AT2(in, y, x + 3); }\n"
	"kernel void three(global int *out, global const int *in, int n)\n"
	"{ int i = get_global_id(0); if (i < n) out[i] = in[max(i - 1, 0)] + in[i] + in[min(i + 1, n - 1)]; }\n"
	"kernel void boxes(global int *out, global const int *in)\n"
	"{ int x = get_global_id(0), y = get_global_id(1), s = 0;\n"
	"  for (int v = max(y - 2, 0); v <= min(y + 1, 15); v++)\n"
	"    for (int u = max(x - 3, 0); u <= min(x + 1, 15); u++) s += in[16 * v + u];\n"
	"  out[16 * y + x] = s; }\n"
	"kernel void stars(global int *out, global const int *in)\n"
	"{ int x = get_global_id(0), y = get_global_id(1), i = 16 * y + x;\n"
	"  out[i] = (y < 15 ? in[i + 16] : 0) + (x > 0 ? in[i - 1] : 0); }\n"
	"kernel void tori(global float *out, global const float *in, int dy, int dx)\n"
	"{ int x = get_global_id(0), y = get_global_id(1);\n"
	"  out[16 * y + x] = in[(y + dy) % 16 * 16 + (x + dx) % 16]; }\n"
	"kernel void rows(global int *out, global const int *in)\n"
	"{ int x = get_global_id(0), y = get_global_id(1), s = y < 15 ? in[16 * y + 16 + x] : 0;\n"
	"  for (int u = 0; u < 16; u++) s += in[16 * y + u];\n"
	"  out[16 * y + x] = s; }\n"
	"kernel void mirrors(global int *out, global const int *in, int n)\n"
	"{ int i = get_global_id(0); out[i] = in[n - 1 - i]; }\n"
	"kernel void shifts(global int *x) { int i = get_global_id(0); if (i < 63) x[i] += x[i + 1]; }\n"
	"kernel void behind(global int *out, global const int *in)\n"
	"{ int i = get_global_id(0); out[i] = in[i + 1] + in[64]; }\n"
	"kernel void ring(global int *out, global const int *in, int n)\n"
	"{ int i = get_global_id(0); out[i] = in[(i + n - 1) % n] + in[(i + 1) % n]; }\n"
	"kernel void left(global int *out, global const int *in)\n"
	"{ int x = get_global_id(0), y = get_global_id(1); out[16 * y + x] = in[16 * y + max(x - 1, 0)]; }\n"
	"kernel void all_by_one(global int *out, global const int *in, int n)\n"
	"{ if (get_global_id(0) == get_global_offset(0)) for (int i = 0; i < n; i++) out[i] = in[i] + 1; }\n"
	"kernel void numbers_groups(global int *out)\n"
	"{ out[get_group_id(0) * get_local_size(0) + get_local_id(0)] = 1; }\n"
	"kernel void from_its_own(global int *out)\n"
	"{ out[get_global_offset(0) + get_group_id(0) * get_local_size(0) + get_local_id(0)] = 1; }\n"
	"kernel void by_groups(global int *out, global int *sum, global int *most, global const int *in)\n"
	"{ int i = get_global_id(0); atomic_add(sum, in[i]); atomic_max(most, in[i]);\n"
	"  if (get_local_id(0) == 0) out[i / get_local_size(0)] = in[i]; }\n"
	"kernel void strays(global int *out, global const int *in)\n"
	"{ int i = get_global_id(0); out[i] = in[i]; if (in[i + 1] > 100) out[i + 1] = 5; }\n";

static het_kernel *own_kernel(het_system *system, const char *name)
{
	return text_kernel(system, text, name);
}

static het_array *floats(het_system *system)
{
	het_array *array;

	ok(het_array_new(system, HET_FLOAT, het_shape(2, ROWS, COLS), &array));
	ok(het_fill(het_view(array, het_whole()), &(float){3}));
	return array;
}

/* A row and more in front of what a kernel is given is looked at as well. */
START_TEST(in_front_of_the_array)
{
	het_system *system = open_face_checking(_i);
	het_array *in = floats(system), *out = floats(system);
	het_kernel *before = own_kernel(system, "before"), *in_front = own_kernel(system, "in_front");
	const int is_apart = is_separate(first_device(system)); /* then it is not known at which element */

	fails(het_launch(in_front, first_device(system), het_grid(2, ROWS, COLS), HET_OUT(out), HET_IN(in)),
	      HET_ERR_ARGUMENT, "argument 0 (float* out)", "it writes in front of the array",
	      is_apart ? "" : ", at (-1, 23)");
	fails(het_launch(in_front, first_device(system), het_grid(2, 2, COLS),
			 HET_OUT(het_view(out, het_rows(8, 10))), HET_IN(het_view(in, het_rows(8, 10)))),
	      HET_ERR_ARGUMENT, "given array 1 [8:10, 0:24]", "it writes in front of that",
	      is_apart ? "" : ", at (7, 23)");
	fails(het_launch(before, first_device(system), het_grid(2, ROWS, COLS), HET_OUT(out), HET_IN(in)),
	      HET_ERR_ARGUMENT, "argument 1 (float* in)", "it reads in front of the array, at (-1, 0)",
	      "argument 0 (float* out) depends on that, at (0, 0)");
	ok(het_launch(before, first_device(system), het_range(2, 1, ROWS, 0, COLS),
		      HET_OUT_PART(out, het_rows(1, ROWS)), HET_IN(in)));
	close_face(system);
}
END_TEST

/* Indices that fit the array and not its windows are wrong where a device holds a part. */
START_TEST(windows_are_no_whole_arrays)
{
	het_system *system = open_face_checking(_i);
	het_array *in = floats(system), *out = floats(system), *x = ints(system, 1, 64, 3), *fours, *sums, *row;
	het_kernel *above = own_kernel(system, "above");
	float got[8 * 5 * 3 * 4];

	fails(het_launch(own_kernel(system, "flat"), first_device(system), het_grid(2, ROWS, COLS),
			 HET_OUT(out), HET_IN(in)),
	      HET_ERR_ARGUMENT, "argument 0 (float* out)", "it writes elsewhere, at (0, 24)",
	      "HET_AT2");
	fails(het_launch(own_kernel(system, "plain"), first_device(system), het_grid(2, ROWS, COLS),
			 HET_OUT(out), HET_IN(in)),
	      HET_ERR_ARGUMENT, "argument 1 (float* in)", "it reads in front of the array, at (-",
	      "(if it indexes by HET_AT2 or HET_INDEX2) (argument 0 (float* out) depends on that, at (0, 0))");
	fails(het_launch(own_kernel(system, "plain_row"), first_device(system), het_grid(1, 64), HET_INOUT(x)),
	      HET_ERR_ARGUMENT, "argument 0 (int* x)", "it writes in front of the array, at (-");

	ok(het_array_new(system, HET_FLOAT, het_shape(1, 64), &row));
	ok(het_launch(own_kernel(system, "fours"), first_device(system), het_grid(1, 16), HET_INOUT(row)));
	ok(het_array_new(system, HET_FLOAT4, het_shape(3, 9, 5, 3), &fours));
	ok(het_array_new(system, HET_FLOAT4, het_shape(3, 8, 5, 3), &sums));
	ok(het_fill(het_view(fours, het_whole()), &(float[4]){1, 2, 3, 4}));
	ok(het_spread(above, uneven_team(system), het_grid(3, 8, 5, 3), HET_OUT(HET_EACH(sums)),
		      HET_IN(HET_HALO(fours, 1))));
	ok(het_read(het_view(sums, het_whole()), got));
	for (int i = 0; i < 8 * 5 * 3 * 4; i++)
		ck_assert_float_eq(got[i], (float)(2 * (i % 4 + 1)));
	fails(het_launch(above, first_device(system), het_grid(3, 8, 5, 3), HET_OUT(sums),
			 HET_IN_PART(fours, het_rows(0, 8))),
	      HET_ERR_ARGUMENT, "argument 1 (float4* in)", "it reads elsewhere, at (8, 0, 0)");
	close_face(system);
}
END_TEST

/* Small fillers pass under bounds, comparisons and maxima of larger numbers; what the array really holds does
 * not. */
START_TEST(reads_that_only_real_numbers_show)
{
	het_system *system = open_face_checking(_i);
	het_kernel *sums = own_kernel(system, "sums"), *dilate = own_kernel(system, "dilate");
	het_kernel *largest = own_kernel(system, "largest"), *bright = own_kernel(system, "bright");
	het_team *team = uneven_team(system);
	het_array *y, *p = ints(system, 1, 65, 0), *v, *x = ints(system, 1, 64, 0), *image, *wider;
	int *at;

	ok(het_map(p, HET_WRITE, &at));
	for (int i = 0; i < 65; i++)
		at[i] = 2 * i;
	ok(het_unmap(p));
	ok(het_array_new(system, HET_FLOAT, het_shape(1, 64), &y));
	ok(het_array_new(system, HET_FLOAT, het_shape(1, 128), &v));
	ok(het_fill(het_view(v, het_whole()), &(float){1}));
	fails(het_spread(sums, team, het_grid(1, 64), HET_OUT(HET_EACH(y)), HET_IN(HET_EACH(p)), HET_IN(v)),
	      HET_ERR_ARGUMENT, "kernel sums", "argument 1 (int* p)", "it reads elsewhere, at (", "argument 0");
	ok(het_spread(sums, team, het_grid(1, 64), HET_OUT(HET_EACH(y)), HET_IN(p), HET_IN(v)));

	ok(het_array_new(system, HET_UCHAR, het_shape(1, 65), &image));
	ok(het_array_new(system, HET_UCHAR, het_shape(1, 64), &wider));
	ok(het_fill(het_view(image, het_whole()), &(unsigned char){100}));
	ok(het_fill(het_view(image, het_rows(64, 65)), &(unsigned char){101}));
	fails(het_launch(dilate, first_device(system), het_grid(1, 64), HET_OUT(wider),
			 HET_IN_PART(image, het_rows(0, 64))),
	      HET_ERR_ARGUMENT, "kernel dilate", "argument 1 (uchar* in)", "it reads elsewhere, at (64)",
	      "at (63)");
	ok(het_launch(dilate, first_device(system), het_grid(1, 64), HET_OUT(wider), HET_IN(image)));

	/* What is read now is small, as fillers are. */
	ok(het_fill(het_view(image, het_whole()), &(unsigned char){10}));
	ok(het_fill(het_view(image, het_rows(50, 60)), &(unsigned char){20}));
	fails(het_launch(bright, first_device(system), het_grid(1, 32), HET_OUT_PART(wider, het_rows(0, 32)),
			 HET_IN_PART(image, het_rows(0, 32))),
	      HET_ERR_ARGUMENT, "kernel bright", "argument 1 (uchar* in)", "it reads elsewhere, at (32)",
	      "at (31)");
	ok(het_launch(bright, first_device(system), het_grid(1, 64), HET_OUT(wider), HET_IN(image)));

	ok(het_fill(het_view(x, het_whole()), &(int){10}));
	fails(het_launch(largest, first_device(system), het_grid(1, 64),
			 HET_OUT(counting_array(system, 64)), HET_IN(x)),
	      HET_ERR_ARGUMENT, "kernel largest", "argument 0 (int* y)", "it reads what was there");
	ok(het_launch(largest, first_device(system), het_grid(1, 64), HET_INOUT(p), HET_IN(x)));
	close_face(system);
}
END_TEST

/* The third run, with what is really there, may write where the others did not. */
START_TEST(writes_that_only_real_numbers_cause)
{
	het_system *system = open_face_checking(_i);
	het_array *in = ints(system, 1, 65, 0), *out = ints(system, 1, 65, 0);

	ok(het_fill(het_view(in, het_rows(32, 33)), &(int){101}));
	fails(het_launch(own_kernel(system, "strays"), first_device(system), het_grid(1, 32),
			 HET_OUT_PART(out, het_rows(0, 32)), HET_IN_PART(in, het_rows(0, 32))),
	      HET_ERR_ARGUMENT, "argument 0 (int* out)", "it writes elsewhere, at (32)");
	close_face(system);
}
END_TEST

/* However many elements behind an array go into a sum of integers, it is another one with other fillers. */
START_TEST(sums_that_go_on_behind_the_end)
{
	het_system *system = open_face_checking(_i);
	het_kernel *counts = own_kernel(system, "counts");
	het_array *y = ints(system, 1, 64, 0), *p = ints(system, 1, 65, 0), *v = ints(system, 1, 128, 0);
	int *at;

	for (int more = 0; more < 24; more++) {
		ok(het_map(p, HET_WRITE, &at));
		for (int i = 0; i < 65; i++)
			at[i] = 2 * i + (i == 64 ? more : 0);
		ok(het_unmap(p));
		if (more == 0)
			ok(het_launch(counts, first_device(system), het_grid(1, 64), HET_OUT(y), HET_IN(p),
				      HET_IN(v)));
		else
			fails(het_launch(counts, first_device(system), het_grid(1, 64), HET_OUT(y), HET_IN(p),
					 HET_IN(v)),
			      HET_ERR_ARGUMENT, "argument 2 (int* v)", "it reads behind the array's end");
	}
	close_face(system);
}
END_TEST

/* One array is one buffer for pointers, by any of which a kernel reads what is declared of another; windows may
 * be others. */
START_TEST(an_array_as_window_and_pointer)
{
	het_system *system = open_face_checking(_i);
	het_device *const device = first_device(system);
	het_array *array = counting_array(system, 64), *out = zero_array(system, 32);

	fails(het_launch(own_kernel(system, "in_place"), device, het_grid(1, 32),
			 HET_INOUT_PART(array, het_rows(0, 32)), HET_IN_PART(array, het_rows(32, 64))),
	      HET_ERR_ARGUMENT, "argument 0 (int* x)", "it reads elsewhere, at (32)");
	fails(het_launch(own_kernel(system, "apart"), device, het_grid(1, 32), HET_OUT(out),
			 HET_IN_PART(array, het_rows(0, 32)), HET_IN_PART(array, het_rows(32, 64))),
	      HET_ERR_ARGUMENT, "argument 2 (int* other)", "it reads elsewhere, at (0)");
	ok(het_launch(own_kernel(system, "pointers"), device, het_grid(1, 32),
		      HET_INOUT_PART(array, het_rows(0, 32)), HET_IN_PART(array, het_rows(32, 64))));
	for (int i = 0; i < 32; i += 31)
		ck_assert_int_eq(element(array, i), 2 * (i + 32));
	ok(het_launch(own_kernel(system, "by_both"), device, het_grid(1, 32), HET_OUT(out),
		      HET_IN_PART(array, het_rows(0, 32)), HET_IN_PART(array, het_rows(32, 64))));
	ck_assert_int_eq(element(out, 1), 33 + 66);
	close_face(system);
}
END_TEST

/* Of what has no cells there is only what is around it. */
START_TEST(views_without_cells)
{
	het_system *system = open_face_checking(_i);
	het_array *array = ints(system, 2, 8, 8), *out = zero_array(system, 8), *none;
	het_kernel *columns = own_kernel(system, "columns");

	ok(het_launch(columns, first_device(system), het_grid(1, 8), HET_OUT(out),
		      HET_INOUT(het_view(array, het_box(2, 0, 8, 3, 3))), HET_VAL(0)));
	ok(het_launch(columns, first_device(system), het_grid(1, 8), HET_OUT(out),
		      HET_INOUT(het_view(array, het_box(2, 3, 3, 0, 8))), HET_VAL(0)));
	assert_counts(out, 0, 1);
	fails(het_launch(columns, first_device(system), het_grid(1, 8), HET_OUT(out),
			 HET_INOUT(het_view(array, het_box(2, 0, 8, 3, 3))), HET_VAL(1)),
	      HET_ERR_ARGUMENT, "argument 1 (int* none), given array 0 [0:8, 3:3]",
	      "it writes what is not there, for that has no elements");
	ok(het_array_new(system, HET_INT, het_shape(1, 0), &none));
	fails(het_launch(columns, first_device(system), het_grid(1, 8), HET_OUT(out), HET_OUT(none),
			 HET_VAL(1)),
	      HET_ERR_ARGUMENT, "argument 1 (int* none)", "it writes what is not there");
	close_face(system);
}
END_TEST

static het_status fail_always(void *user, int count, const struct het_host_arg *args)
{
	(void)user;
	(void)count;
	(void)args;
	return HET_ERR_ARGUMENT;
}

/* What is lost or mapped elsewhere in the array is not needed, and stays to be told. */
START_TEST(what_cannot_be_read)
{
	het_system *system = open_face_checking(_i);
	het_kernel *twice = own_kernel(system, "twice");
	het_array *x = ints(system, 1, 65, 0);
	int *busy;

	ok(het_map_view(het_view(x, het_rows(60, 65)), HET_READ_WRITE, &busy));
	ok(het_launch(twice, first_device(system), het_grid(1, 32), HET_OUT_PART(x, het_rows(0, 32))));
	fails(het_launch(twice, first_device(system), het_grid(1, 33), HET_OUT_PART(x, het_rows(0, 32))),
	      HET_ERR_ARGUMENT, "kernel twice", "it writes elsewhere, at (32)"); /* it was tried */
	ok(het_unmap_view(het_view(x, het_rows(60, 65))));
	ok(het_call(system, fail_always, NULL, HET_OUT(het_view(x, het_rows(40, 48)))));
	ok(het_launch(twice, first_device(system), het_grid(1, 32), HET_OUT_PART(x, het_rows(0, 32))));
	fails(het_wait_all(system), HET_ERR_LOST, "returned -1");
	ck_assert_int_eq(element(x, 31), 63);
	ok(het_fill(het_view(x, het_whole()), &(int){0}));
	close_face(system);
}
END_TEST

/* What is const may be written by a cast, and is looked at all the same. */
START_TEST(const_by_a_cast)
{
	het_system *system = open_face_checking(_i);
	het_array *in = floats(system), *out = floats(system);

	fails(het_launch(own_kernel(system, "casts"), first_device(system), het_grid(2, ROWS, COLS),
			 HET_OUT(out), HET_IN(in)),
	      HET_ERR_ARGUMENT, "argument 1 (float* in)", "HET_IN, but it writes to it");
	close_face(system);
}
END_TEST

/* A sum with zeros leaves elements, but what is wrong is that it reads them. */
START_TEST(what_is_read_comes_first)
{
	het_system *system = open_face_checking(_i);
	het_array *by = counting_array(system, 64), *x = ints(system, 1, 64, 0);

	ok(het_fill(het_view(by, het_rows(0, 32)), &(int){0}));
	fails(het_launch(own_kernel(system, "adds"), first_device(system), het_grid(1, 64), HET_OUT(x),
			 HET_IN(by)),
	      HET_ERR_ARGUMENT, "argument 0 (int* x)", "it reads what was there");
	close_face(system);
}
END_TEST

/* Who comes first differs from run to run, often or seldom, in few numbers or many: nobody is accused. */
START_TEST(results_of_chance)
{
	enum { N = 1024, CELLS = 64, GROUP = 32 };
	het_system *system = open_face_checking(_i);
	het_kernel *ranks = own_kernel(system, "ranks");
	het_array *rank = zero_array(system, N), *count = zero_array(system, N), *cell;
	int *at;

	ok(het_array_new(system, HET_INT, het_shape(1, N), &cell));
	for (int k = 0; k < 24; k++) {
		ok(het_map(cell, HET_WRITE, &at));
		for (int i = 0; i < N; i++) /* by turns many in a cell, and two of neighbouring groups */
			at[i] = k % 2 ? (int)((unsigned)i * 2654435761U >> 8) % CELLS
				      : (i + 1) % GROUP == 0 && i + 1 < N ? i + 1 : i;
		ok(het_unmap(cell));
		ok(het_fill(het_view(count, het_whole()), &(int){0}));
		ok(het_launch(ranks, first_device(system), het_local(het_grid(1, N), GROUP),
			      HET_OUT(rank), HET_INOUT(count), HET_IN(cell), HET_VAL(k % 4 < 2 ? 0 : 10)));
	}
	close_face(system);
}
END_TEST

/* Images are looked at by stretches of a thousand elements, or as long as boxes are wide. */
START_TEST(in_large_arrays)
{
	het_system *system = open_face_checking(_i);
	het_device *const device = first_device(system);
	het_kernel *const scatters = own_kernel(system, "scatters");
	het_kernel *const gathers = own_kernel(system, "gathers");
	het_array *in = zero_array(system, 5000), *out = zero_array(system, 5000), *wide, *made;

	fails(het_launch(scatters, device, het_grid(1, 1400), HET_OUT_PART(out, het_rows(0, 1400)), HET_IN(in)),
	      HET_ERR_ARGUMENT, "argument 0 (int* out)", "it writes elsewhere, at (1500) and 2 more");
	fails(het_launch(scatters, device, het_grid(1, 1400), HET_INOUT(out),
			 HET_IN_PART(in, het_rows(0, 2000))),
	      HET_ERR_ARGUMENT, "argument 1 (int* in)", "it reads elsewhere, at (4000)",
	      "at (0) and 1399 more");
	fails(het_launch(scatters, device, het_grid(1, 1400), HET_OUT(out), HET_IN(in)),
	      HET_ERR_ARGUMENT, "leaves elements as they were", "at (1400) and 3596 more");
	ok(het_launch(scatters, device, het_grid(1, 1400), HET_INOUT(out), HET_IN(in)));

	ok(het_array_new(system, HET_FLOAT, het_shape(2, 9, 1500), &wide));
	ok(het_array_new(system, HET_FLOAT, het_shape(2, 9, 700), &made));
	ok(het_fill(het_view(wide, het_whole()), &(float){1}));
	fails(het_launch(gathers, device, het_grid(2, 9, 700), HET_OUT(made),
			 HET_IN(het_view(wide, het_box(2, 0, 9, 0, 702)))),
	      HET_ERR_ARGUMENT, "argument 1 (float* in)", "it reads elsewhere, at (", ", 702)", ", 699)");
	ok(het_launch(gathers, device, het_grid(2, 9, 700), HET_OUT(made),
		      HET_IN(het_view(wide, het_box(2, 0, 9, 3, 703)))));
	close_face(system);
}
END_TEST

static het_team *team_of_one(het_system *system, het_device *device)
{
	het_team *team;

	ok(het_team_new(system, 1, &device, NULL, &team));
	return team;
}

/* One device gets all of a spread: it is tried as two would get it, where a halo that is too small shows. */
START_TEST(one_part_is_tried_as_two)
{
	enum { N = 64 };
	het_system *system = open_face_checking(_i);
	het_team *const team = team_of_one(system, last_device(system));
	het_array *in = counting_array(system, N), *out = zero_array(system, N);
	het_array *table = ints(system, 2, 8, 16), *made = ints(system, 2, 8, 16);
	het_kernel *three = own_kernel(system, "three"), *ring = own_kernel(system, "ring");

	ok(het_spread(three, het_alone(last_device(system)), het_grid(1, N), HET_OUT(HET_EACH(out)),
		      HET_IN(HET_EACH(in)), HET_VAL(N))); /* it is never to be two */
	ok(het_fill(het_view(out, het_whole()), &(int){0}));
	fails(het_spread(three, team, het_grid(1, N), HET_OUT(HET_EACH(out)), HET_IN(HET_EACH(in)), HET_VAL(N)),
	      HET_ERR_ARGUMENT, "kernel three on ", " (as one of two parts), argument 1 (int* in), ",
	      "[0:32]: ",
	      "it reads elsewhere, at (32) (argument 0 (int* out) depends on that, at (31))",
	      "HET_HALO of radius 1 has that");
	assert_counts(out, 0, 0); /* nothing has happened */
	ok(het_spread(three, team, het_grid(1, N), HET_OUT(HET_EACH(out)), HET_IN(HET_HALO(in, 1)),
		      HET_VAL(N)));
	ck_assert_int_eq(element(out, 32), 96);
	fails(het_spread(three, team, het_padded(het_local(het_grid(1, N - 3), 16)),
			 HET_OUT(HET_EACH(out)), HET_IN(HET_EACH(in)), HET_VAL(N - 3)),
	      HET_ERR_ARGUMENT, "it reads elsewhere, at (32)");
	fails(het_spread(ring, team, het_grid(1, N), HET_OUT(HET_EACH(out)), HET_IN(HET_HALO(in, 1)),
			 HET_VAL(N)),
	      HET_ERR_ARGUMENT, "it reads elsewhere, at (63)", "; HET_WRAP of radius 1 has that and all else");
	fails(het_spread(own_kernel(system, "numbers_groups"), team, het_local(het_grid(1, N), 8),
			 HET_OUT(HET_EACH(out))),
	      HET_ERR_ARGUMENT, "(as one of two parts)", "it writes elsewhere, at (0)");
	/* Only in its second dimension can that be cut. */
	fails(het_spread(own_kernel(system, "left"), team, het_grid(2, 8, 16), HET_OUT(HET_COLS_OF(made)),
			 HET_IN(HET_COLS_OF(table))),
	      HET_ERR_ARGUMENT, "given array 2 [0:8, 8:16]: it reads elsewhere, at (0, 7)");
	close_face(system);
}
END_TEST

static void everything(void *user, const struct het_box *part, struct het_box *touched)
{
	(void)user;
	(void)part;
	*touched = het_whole();
}

/* Of the whole range the first 64; of less what is not there. */
static void beyond_if_cut(void *user, const struct het_box *part, struct het_box *touched)
{
	(void)user;
	*touched = part->hi[0] - part->lo[0] == 64 ? het_rows(0, 64) : het_rows(60, 70);
}

/* Of 32 indices the 32 behind them; of the first half of these what the second half writes. */
static void ahead_as_one(void *user, const struct het_box *part, struct het_box *touched)
{
	(void)user;
	*touched = part->hi[0] - part->lo[0] == 32 ? het_rows(32, 64)
						   : het_rows(part->lo[0] + 16, part->hi[0] + 16);
}

/* What two devices would be refused, or cannot be cut, and what knows that it is a part. */
START_TEST(one_part_that_stays_one)
{
	enum { N = 64 };
	het_system *system = open_face_checking(_i);
	het_team *const team = team_of_one(system, first_device(system));
	het_array *in = counting_array(system, N), *out = zero_array(system, N);
	het_array *groups = zero_array(system, 8), *sum = zero_array(system, 1), *most = zero_array(system, 1);
	het_kernel *three = own_kernel(system, "three"), *one = own_kernel(system, "all_by_one");
	het_kernel *by_groups = own_kernel(system, "by_groups");

	ok(het_spread(one, team, het_grid(1, N), HET_OUT(HET_MAP_BY(out, everything, NULL)), HET_IN(in),
		      HET_VAL(N)));
	ok(het_spread(one, team, het_grid(1, N), HET_OUT(HET_MAP_BY(out, beyond_if_cut, NULL)), HET_IN(in),
		      HET_VAL(N)));
	assert_counts(out, 1, 1);
	ok(het_spread(own_kernel(system, "far"), team, het_grid(1, 32), HET_OUT(HET_EACH(out)),
		      HET_IN(HET_MAP_BY(out, ahead_as_one, NULL))));
	ok(het_spread(three, team, het_local(het_grid(1, 32), 32), HET_OUT(HET_EACH(out)),
		      HET_IN(HET_EACH(in)), HET_VAL(32)));
	ok(het_spread(three, team, het_range(1, 5, 6), HET_OUT(HET_EACH(out)), HET_IN(HET_HALO(in, 1)),
		      HET_VAL(N)));
	ok(het_spread(own_kernel(system, "ring"), team, het_grid(1, N), HET_OUT(HET_EACH(out)),
		      HET_IN(HET_WRAP(in, 1)), HET_VAL(N)));
	ok(het_spread(own_kernel(system, "from_its_own"), team, het_local(het_grid(1, N), 8),
		      HET_OUT(HET_EACH(out))));
	for (int local = 8; local < N; local *= 2) /* the last time each part is one group */
		ok(het_spread(by_groups, team, het_local(het_grid(1, N), local),
			      HET_INOUT(HET_BLOCKS(groups, local)), HET_OUT(HET_SUM(sum)),
			      HET_INOUT(HET_MAX(most)), HET_IN(HET_EACH(in))));
	ck_assert_int_eq(element(sum, 0), 63 * 32);
	fails(het_spread(by_groups, team, het_local(het_grid(1, N), 32), HET_INOUT(HET_BLOCKS(groups, 32)),
			 HET_OUT(HET_MAX(sum)), HET_INOUT(HET_MAX(most)), HET_IN(HET_EACH(in))),
	      HET_ERR_ARGUMENT, "HET_MAX of what two halves of its range make");
	close_face(system);
}
END_TEST

/* The halo that is named has all that is read, also where the part goes over all of a dimension. */
START_TEST(halos_that_suffice)
{
	enum { N = 64 };
	het_system *system = open_face_checking(_i);
	het_team *const team = team_of_one(system, first_device(system));
	const struct het_range square = het_grid(2, 16, 16);
	het_array *table = ints(system, 2, 16, 16), *made = ints(system, 2, 16, 16);
	het_array *in = ints(system, 1, N, 0), *out = ints(system, 1, N, 0), *real, *moved;
	het_kernel *boxes = own_kernel(system, "boxes"), *tori = own_kernel(system, "tori");
	het_kernel *mirrors = own_kernel(system, "mirrors"), *rows = own_kernel(system, "rows");

	fails(het_spread(boxes, team, square, HET_OUT(HET_EACH(made)), HET_IN(HET_EACH(table))),
	      HET_ERR_ARGUMENT, "[0:8, 0:16]: it reads elsewhere, at (8, 0)",
	      "; HET_HALO of radius 1, 3 has that and all else that was seen");
	fails(het_spread(boxes, team, square, HET_OUT(HET_EACH(made)), HET_IN(HET_HALO(table, 1, 3))),
	      HET_ERR_ARGUMENT, "; HET_HALO of radius 2, 3 has that");
	ok(het_spread(boxes, team, square, HET_OUT(HET_EACH(made)), HET_IN(HET_HALO(table, 2, 3))));
	fails(het_spread(own_kernel(system, "stars"), team, square, HET_OUT(HET_EACH(made)),
			 HET_IN(HET_EACH(table))),
	      HET_ERR_ARGUMENT, "; HET_HALO of radius 1, 1 has that");
	fails(het_spread(rows, team, square, HET_OUT(HET_EACH(made)), HET_IN(HET_EACH(table))),
	      HET_ERR_ARGUMENT, "; HET_HALO of radius 1, HET_END has that");
	ok(het_spread(rows, team, square, HET_OUT(HET_EACH(made)), HET_IN(HET_HALO(table, 1, HET_END))));
	fails(het_spread(mirrors, team, het_grid(1, N), HET_OUT(HET_EACH(out)), HET_IN(HET_EACH(in)),
			 HET_VAL(N)),
	      HET_ERR_ARGUMENT, "it reads elsewhere, at (", "; HET_ALL has that");
	fails(het_spread(mirrors, team, het_grid(1, N), HET_OUT(HET_EACH(out)), HET_IN(HET_WRAP(in, 2)),
			 HET_VAL(N)),
	      HET_ERR_ARGUMENT, "; HET_ALL has that");
	fails(het_spread(own_kernel(system, "shifts"), team, het_grid(1, N), HET_INOUT(HET_EACH(out))),
	      HET_ERR_ARGUMENT, "; what reads beside what it writes needs two arrays");
	fails(het_launch(own_kernel(system, "behind"), first_device(system), het_grid(1, 48),
			 HET_OUT(HET_EACH(out)), HET_IN(HET_EACH(in))),
	      HET_ERR_ARGUMENT, "it reads elsewhere, at (48)");
	ck_assert_ptr_null(strstr(het_message(), "HET_"));

	ok(het_array_new(system, HET_FLOAT, het_shape(2, 16, 16), &real));
	ok(het_array_new(system, HET_FLOAT, het_shape(2, 16, 16), &moved));
	fails(het_spread(tori, team, square, HET_OUT(HET_EACH(moved)), HET_IN(HET_HALO(real, 1, 1)),
			 HET_VAL(14), HET_VAL(15)),
	      HET_ERR_ARGUMENT, "; HET_WRAP of radius 2, 1 has that and all else that was seen");
	ok(het_spread(tori, team, square, HET_OUT(HET_EACH(moved)), HET_IN(HET_WRAP(real, 2, 1)),
		      HET_VAL(14), HET_VAL(15)));
	close_face(system);
}
END_TEST

static const struct face_test tests[] = {
	{&in_front_of_the_array, 1},          {&windows_are_no_whole_arrays, 1},
	{&reads_that_only_real_numbers_show, 1}, {&sums_that_go_on_behind_the_end, 1},
	{&writes_that_only_real_numbers_cause, 1}, {&an_array_as_window_and_pointer, 1},
	{&views_without_cells, 1},            {&what_cannot_be_read, 1},
	{&const_by_a_cast, 1},                {&what_is_read_comes_first, 1},
	{&results_of_chance, 1},              {&in_large_arrays, 1},
	{&one_part_is_tried_as_two, 1},       {&one_part_that_stays_one, 1},
	{&halos_that_suffice, 1},
};

int main(void)
{
	return run_face_tests("rehearsed memory", sizeof tests / sizeof tests[0], tests);
}
