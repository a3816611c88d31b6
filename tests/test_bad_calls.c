/* test_bad_calls.c - arguments, kernels, maps and systems that do not fit the call or one another: the
 * right status, a text that names the thing, and nothing changed.
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bad.h"
#include "platforms.h"

/* ---- arguments ---- */

START_TEST(test_overlapping_outputs)
{
	static const char text[] = "kernel void two(global int *a, global int *b) { a[get_global_id(0)] = 1; }";
	het_kernel *two;

	set_up(FACE_SHARED);
	two = text_kernel(system_, text, "two");
	fails(het_launch(two, device, het_grid(1, 50), HET_OUT_PART(field, het_rows(0, 50)),
			 HET_OUT_PART(field, het_rows(49, N))),
	      HET_ERR_ALIAS, "kernel two", "arguments 0 and 1", "field [49:50]");
	fails(het_launch(two, device, het_grid(1, 50), HET_OUT(het_view(field, het_rows(0, 50))),
			 HET_INOUT(field)),
	      HET_ERR_ALIAS, "field");
	fails(het_call(system_, host_nothing, NULL, HET_OUT(field), HET_VAL(1), HET_IN(field)), HET_ERR_ALIAS,
	      "het_call", "arguments 0 and 2", "field");
	tear_down();
}
END_TEST

START_TEST(test_same_box_in_and_out)
{
	set_up(FACE_SHARED);
	fails(het_launch(add, device, het_grid(1, N), HET_OUT(field), HET_IN(field), HET_VAL(1)), HET_ERR_ALIAS,
	      "kernel add", "arguments 0 and 1", "field");
	tear_down();
}
END_TEST

START_TEST(test_out_to_const)
{
	set_up(FACE_SHARED);
	fails(het_launch(add, device, het_grid(1, N), HET_OUT(other), HET_OUT(field), HET_VAL(1)),
	      HET_ERR_SIGNATURE, "kernel add", "argument 1", "in", "const", "field as out");
	fails(het_launch(add, device, het_grid(1, N), HET_OUT(other), HET_INOUT(field), HET_VAL(1)),
	      HET_ERR_SIGNATURE, "argument 1", "inout");
	tear_down();
}
END_TEST

START_TEST(test_wrong_arguments)
{
	set_up(FACE_SHARED);
	fails(het_launch(add, device, het_grid(1, N), HET_OUT(other), HET_IN(field)), HET_ERR_SIGNATURE,
	      "kernel add", "3 arguments", "given 2");
	fails(het_launch(add, device, het_grid(1, N), HET_OUT(other), HET_IN(field), HET_VAL(1), HET_VAL(1)),
	      HET_ERR_SIGNATURE, "given 4");
	fails(het_launch(add, device, het_grid(1, N), HET_OUT(other), HET_VAL(1), HET_VAL(1)),
	      HET_ERR_SIGNATURE, "argument 1", "a value");
	fails(het_launch(add, device, het_grid(1, N), HET_OUT(other), HET_IN(field), HET_IN(field)),
	      HET_ERR_SIGNATURE, "argument 2", "int value", "an array, field");
	fails(het_launch(add, device, het_grid(1, N), HET_OUT(other), HET_IN(field), HET_LOCAL(4)),
	      HET_ERR_SIGNATURE, "argument 2", "local memory");
	fails(het_launch(add, device, het_grid(1, N), HET_OUT(other), HET_IN(field), HET_NULL),
	      HET_ERR_SIGNATURE, "argument 2", "NULL");
	fails(het_launch(add, device, het_grid(1, N), HET_OUT(other), HET_IN(field), HET_VAL((short)1)),
	      HET_ERR_SIGNATURE, "argument 2", "2 bytes", "4");
	fails(het_launch(add, device, het_grid(1, N), HET_OUT(other), HET_IN(field), HET_VAL(1.0f)),
	      HET_ERR_SIGNATURE, "argument 2", "floating-point");
	fails(het_launch(add, device, het_grid(1, N), HET_OUT(other), HET_IN(field), HET_BYTES("eight by", 8)),
	      HET_ERR_SIGNATURE, "argument 2", "8 bytes");
	tear_down();
}
END_TEST

/* The message begins with the call or the kernel, and then comes what is wrong. */
static void assert_message_is(const char *wanted)
{
	ck_assert_str_eq(het_message(), wanted);
}

START_TEST(test_messages_begin_with_the_call)
{
	int *at;

	set_up(FACE_SHARED);
	fails(het_launch(set, device, het_grid(1, 1), HET_OUT_PART(field, het_rows(90, 101)), HET_VAL(1)),
	      HET_ERR_SHAPE, "");
	ck_assert_ptr_nonnull(strstr(het_message(), ", argument 0: box [90, 101) in dimension 0 is not"));
	ok(het_map(field, HET_READ, &at));
	fails(het_launch(set, device, het_grid(1, 1), HET_OUT(field), HET_VAL(1)), HET_ERR_MAPPED, "");
	ck_assert_ptr_nonnull(strstr(het_message(), ", argument 0: field [0:100] is mapped by the host for"));
	ck_assert_int_eq(strncmp(het_message(), "kernel set", strlen("kernel set")), 0);
	fails(het_fill(all(field), &at), HET_ERR_MAPPED, "");
	assert_message_is("het_fill: field [0:100] is mapped by the host for reading");
	ok(het_unmap(field));
	fails(het_array_new(system_, HET_INT, het_shape(1, -3), &other), HET_ERR_SHAPE, "");
	assert_message_is("het_array_new: extent 0 of a shape is -3");
	fails(het_array_wrap(system_, HET_INT, het_shape(1, 3), NULL, &other), HET_ERR_ARGUMENT, "");
	assert_message_is("het_array_wrap: the memory is NULL");
	fails(het_array_wrap_pitched(system_, HET_INT, het_shape(2, 2, 3), &at, (const size_t[]){8}, &other),
	      HET_ERR_SHAPE, "het_array_wrap_pitched: pitch 0 is 8 bytes: ");
	fails(het_array_wrap_pitched(system_, HET_INT, het_shape(1, -3), &at, NULL, &other), HET_ERR_SHAPE,
	      "het_array_wrap_pitched: extent 0");
	tear_down();
}
END_TEST

/* A pointer steps over numbers that the array has, or bits of them. It is seen also where the array is on the
 * device already, and of a part. */
START_TEST(test_numbers_of_another_width)
{
	static const char text[] = "#include <het.clh>\n"
				   "kernel void longs(global const long *a) { }\n"
				   "kernel void reals(global const float *a) { }\n"
				   "kernel void pairs(global const uint2 *a) { }\n"
				   "kernel void triples(global const float3 *a) { }\n"
				   "kernel void bytes(global const uchar *a) { }\n"
				   "kernel void window(HET_WINDOW(global const long, x)) { }\n";
	struct het_part plan[64];
	het_array *doubles, *raw, *pairs, *places, *wide;
	int dimension;
	het_kernel *longs, *reals;

	set_up(FACE_SHARED);
	ok(het_array_new(system_, HET_DOUBLE, het_shape(1, N), &doubles));
	ok(het_array_new(system_, HET_STRUCT(12), het_shape(1, N), &raw));
	ok(het_array_new(system_, HET_FLOAT2, het_shape(1, N), &pairs));
	ok(het_array_name(doubles, "doubles"));
	longs = text_kernel(system_, text, "longs");
	reals = text_kernel(system_, text, "reals");
	for (int tries = 0; tries < 2; tries++) {
		fails(het_launch(longs, device, het_grid(1, N), HET_IN(field)), HET_ERR_SIGNATURE,
		      "kernel longs, argument 0: ", "long* a was given field, whose elements are int");
		ok(het_launch(text_kernel(system_, text, "pairs"), device, het_grid(1, N / 2), HET_IN(field)));
	}
	fails(het_launch(longs, device, het_grid(1, N), HET_IN_PART(field, het_rows(0, 64))),
	      HET_ERR_SIGNATURE, "argument 0");
	fails(het_launch(reals, device, het_grid(1, N), HET_IN(doubles)), HET_ERR_SIGNATURE, "argument 0",
	      "doubles", "double");
	fails(het_launch(reals, device, het_grid(1, 0), HET_IN(doubles)), HET_ERR_SIGNATURE, "doubles");
	fails(het_launch(text_kernel(system_, text, "window"), device, het_grid(1, N), HET_IN(pairs)),
	      HET_ERR_SIGNATURE, "long* x was given array", "whose elements are float2");
	fails(het_spread_plan(reals, het_everyone(system_), het_grid(1, N), plan, &dimension,
			      HET_IN(HET_EACH(doubles))),
	      HET_ERR_SIGNATURE, "kernel reals, argument 0: float* a was given doubles");
	ok(het_launch(longs, device, het_grid(1, N), HET_IN(doubles)));
	ok(het_launch(reals, device, het_grid(1, N), HET_IN(field)));
	ok(het_launch(reals, device, het_grid(1, N), HET_IN(raw)));
	fails(het_launch(text_kernel(system_, text, "triples"), device, het_grid(1, N / 2), HET_IN(raw)),
	      HET_ERR_SIGNATURE, "float3* a was given array", "whose elements are struct of 12 bytes");
	ok(het_array_new(system_, HET_FLOAT, het_shape(2, N, 3), &places));
	ok(het_array_name(places, "places"));
	for (int tries = 0; tries < 2; tries++)
		fails(het_launch(text_kernel(system_, text, "triples"), device, het_grid(1, N), HET_IN(places)),
		      HET_ERR_SIGNATURE, "float3* a was given places, in rows of 3 float;", "vload3");
	fails(het_spread(text_kernel(system_, text, "triples"), het_everyone(system_), het_grid(1, N),
			 HET_IN(HET_EACH(places))),
	      HET_ERR_SIGNATURE, "places, in rows of 3 float");
	ok(het_array_new(system_, HET_FLOAT, het_shape(2, N, 8), &wide));
	fails(het_launch(text_kernel(system_, text, "triples"), device, het_grid(1, N),
			 HET_IN(het_view(wide, het_cols(2, 5)))),
	      HET_ERR_SIGNATURE, "in rows of 3 float");
	ok(het_launch(text_kernel(system_, text, "triples"), device, het_grid(1, N),
		      HET_IN(het_view(wide, het_cols(2, 6)))));
	ok(het_launch(text_kernel(system_, text, "triples"), device, het_grid(1, N), HET_IN(wide)));
	ok(het_launch(reals, device, het_grid(1, 3 * N), HET_IN(places)));
	ok(het_launch(text_kernel(system_, text, "triples"), device, het_grid(1, N / 4), HET_IN(field)));
	ok(het_launch(text_kernel(system_, text, "bytes"), device, het_grid(1, N), HET_IN(doubles)));
	ok(het_wait_all(system_));
	tear_down();
}
END_TEST

/* Images and samplers of a kernel have no arguments, by whatever name. The fake driver has none. */
START_TEST(test_unsupported_parameters)
{
	static const char text[] =
		"kernel void look(global int *out, read_only image2d_t photo, sampler_t how)\n"
		"{ out[0] = read_imagei(photo, how, (int2)(0, 0)).x; }\n"
		"typedef read_only image2d_t picture;\n"
		"kernel void size(global int *out, picture photo) { out[0] = get_image_width(photo); }\n";
	het_kernel *look;

	if (getenv("HETERO_TEST_FAKE"))
		return;
	set_up(FACE_SHARED);
	look = text_kernel(system_, text, "look");
	fails(het_launch(look, device, het_grid(1, 1), HET_OUT(other), HET_IN(field), HET_VAL(1)),
	      HET_ERR_SIGNATURE, "kernel look",
	      ": argument 1 (image2d_t photo) is of a type that is not supported", "only buffers, values",
	      "and local memory are");
	fails(het_launch(text_kernel(system_, text, "size"), device, het_grid(1, 1), HET_OUT(other),
			 HET_IN(field)),
	      HET_ERR_SIGNATURE, "argument 1 (picture photo) is of a type that is not supported");
	tear_down();
}
END_TEST

/* Arguments as nobody makes them by the macros. */
START_TEST(test_malformed_arguments)
{
	struct het_arg args[3];

	set_up(FACE_SHARED);
	args[0] = HET_OUT(other);
	args[1] = HET_IN(field);
	args[2] = HET_VAL(1);
	args[1].mode = (enum het_mode)7;
	fails(het_launch_args(add, device, het_grid(1, N), args, 3), HET_ERR_ARGUMENT, "kernel add",
	      "argument 1", "mode");
	args[1].kind = (enum het_arg_kind)0;
	fails(het_launch_args(add, device, het_grid(1, N), args, 3), HET_ERR_ARGUMENT, "argument 1");
	fails(het_launch_args(add, device, het_grid(1, N), NULL, 3), HET_ERR_ARGUMENT, "kernel add", "3");
	fails(het_launch_args(add, device, het_grid(1, N), args, -1), HET_ERR_ARGUMENT, "-1");
	fails(het_launch(add, device, het_grid(1, N), HET_BYTES(NULL, 4)), HET_ERR_ARGUMENT, "argument 0",
	      "NULL");
	fails(het_launch(add, device, het_grid(1, N), HET_BYTES("", 0)), HET_ERR_ARGUMENT, "argument 0",
	      "0 bytes");
	fails(het_launch(add, device, het_grid(1, N), HET_LOCAL(0)), HET_ERR_ARGUMENT, "argument 0", "0 bytes");
	args[0] = HET_VAL(1);
	args[0].bytes = 0;
	fails(het_launch_args(add, device, het_grid(1, N), args, 1), HET_ERR_ARGUMENT, "argument 0", "0 bytes");
	fails(het_call(system_, host_nothing, NULL, HET_LOCAL(8)), HET_ERR_ARGUMENT, "het_call", "argument 0",
	      "local");
	tear_down();
}
END_TEST

/* ---- kernels ---- */

START_TEST(test_unknown_kernel)
{
	het_kernel *nobody;

	set_up(_i);
	nobody = common_kernel(system_, "nobody");
	fails(het_launch(nobody, device, het_grid(1, N), HET_OUT(field)), HET_ERR_KERNEL, "nobody",
	      "three_rows");
	tear_down();
}
END_TEST

/* The last failure's record says of which device it is, as its text does. */
static void assert_record_names_device(void)
{
	struct het_device_info info = HET_DEVICE_INFO_INIT;

	ok(het_device_info(device, &info));
	ck_assert_ptr_nonnull(het_error_last().device);
	ck_assert_str_eq(het_error_last().device, info.name);
}

START_TEST(test_build_failure)
{
	const char *const path = het_test_file("bad.cl", "\n\nsyntax error\n");
	het_kernel *bad;

	set_up(_i);
	bad = text_kernel(system_, "kernel void bad(global int *x)\n{\n\tx[0] = missing;\n}\n", "bad");
	fails(het_launch(bad, device, het_grid(1, N), HET_OUT(field)), HET_ERR_BUILD, "bad", "missing", ":3:");
	ck_assert_str_eq(het_error_last().cl_call, "clBuildProgram");
	assert_record_names_device();
	ok(het_kernel_from_file(system_, path, "bad", NULL, &bad));
	fails(het_launch(bad, device, het_grid(1, N), HET_OUT(field)), HET_ERR_BUILD, path, ":3:");
	unlink(path);
	fails(het_kernel_from_file(system_, path, "bad", NULL, &bad), HET_ERR_FILE, path);
	tear_down();
}
END_TEST

START_TEST(test_double_precision)
{
	struct het_device_info info = HET_DEVICE_INFO_INIT;
	het_kernel *twice;

	set_up(_i);
	ok(het_device_info(device, &info));
	twice = text_kernel(system_, "kernel void twice(global double *x) { x[get_global_id(0)] *= 2; }",
			    "twice");
	if (info.has_double) {
		ok(het_kernel_build(twice, device));
	} else {
		fails(het_launch(twice, device, het_grid(1, 2), HET_INOUT(field)), HET_ERR_UNSUPPORTED, "twice",
		      info.name, "double");
		assert_record_names_device();
	}
	tear_down();
}
END_TEST

START_TEST(test_group_too_large)
{
	struct het_device_info info = HET_DEVICE_INFO_INIT;

	set_up(_i);
	ok(het_device_info(device, &info));
	fails(het_launch(set, device, het_local(het_grid(1, 1 << 22), 1 << 22), HET_OUT(field), HET_VAL(1)),
	      HET_ERR_UNSUPPORTED, "kernel set", "4194304", info.name);
	assert_record_names_device();
	tear_down();
}
END_TEST

START_TEST(test_local_memory_too_large)
{
	struct het_device_info info = HET_DEVICE_INFO_INIT;
	het_kernel *scratch;

	set_up(_i);
	ok(het_device_info(device, &info));
	scratch = text_kernel(system_, "kernel void scratch(global int *x, local int *s) { s[0] = x[0]; }",
			      "scratch");
	fails(het_launch(scratch, device, het_grid(1, 1), HET_INOUT(field), HET_LOCAL((size_t)1 << 40)),
	      HET_ERR_UNSUPPORTED, "kernel scratch needs 1099511627776 bytes of local memory", info.name,
	      "; the largest HET_LOCAL, argument 1, has 1099511627776");
	assert_record_names_device();
	scratch = text_kernel(system_,
			      "kernel void scratch(global int *x, local int *s, local int *t) { }", "scratch");
	fails(het_launch(scratch, device, het_grid(1, 1), HET_INOUT(field), HET_LOCAL((size_t)1 << 63),
			 HET_LOCAL((size_t)1 << 63)), /* together 0, in 64 bits */
	      HET_ERR_UNSUPPORTED, "kernel scratch", "local memory", info.name);
	fails(het_launch(scratch, device, het_grid(1, 1), HET_INOUT(field), HET_LOCAL(4),
			 HET_LOCAL((size_t)-1)),
	      HET_ERR_UNSUPPORTED, "kernel scratch: argument 2 is HET_LOCAL(-1); ", info.name);
	tear_down();
}
END_TEST

/* What het_arg_value has no room for. */
START_TEST(test_value_too_large)
{
	const float four[4] = {1, 2, 3, 4};
	const struct het_arg wide = het_arg_value(HET_FLOAT4, four);
	het_kernel *take;

	set_up(_i);
	take = text_kernel(system_, "kernel void take(global int *x, float4 v) { x[0] = (int)v.x; }", "take");
	fails(het_launch(take, device, het_grid(1, 1), HET_INOUT(field), wide), HET_ERR_ARGUMENT, "kernel take",
	      "argument 1", "16 bytes", "HET_BYTES");
	fails(het_call(system_, host_nothing, NULL, wide), HET_ERR_ARGUMENT, "het_call", "argument 0",
	      "16 bytes");
	ok(het_launch(take, device, het_grid(1, 1), HET_INOUT(zero_array(system_, 4)), HET_BYTES(four, 16)));
	ok(het_wait_all(system_));
	tear_down();
}
END_TEST

/* ---- maps ---- */

START_TEST(test_conflicts_with_maps)
{
	int *at, values[N];
	const int value = 1;
	void *again;

	set_up(_i);
	ok(het_map(field, HET_READ, &at));
	fails(het_launch(bump, device, het_grid(1, N), HET_INOUT(field), HET_VAL(1)), HET_ERR_MAPPED,
	      "kernel bump", "argument 0", "field", "reading");
	fails(het_launch(set, device, het_range(1, 3, 4), HET_OUT_PART(field, het_rows(3, 4)), HET_VAL(1)),
	      HET_ERR_MAPPED, "kernel set", "field");
	fails(het_write(het_view(field, het_rows(0, 1)), &value), HET_ERR_MAPPED, "het_write", "field");
	fails(het_write_async(het_view(field, het_rows(0, 1)), &value), HET_ERR_MAPPED, "het_write_async",
	      "field");
	fails(het_fill(all(field), &value), HET_ERR_MAPPED, "het_fill", "field");
	fails(het_copy(all(field), all(other)), HET_ERR_MAPPED, "target", "field");
	fails(het_map(field, HET_WRITE, &again), HET_ERR_MAPPED, "het_map", "field");
	fails(het_swap(field, other), HET_ERR_MAPPED, "het_swap", "field");
	fails(het_call(system_, host_nothing, NULL, HET_OUT(field)), HET_ERR_MAPPED, "het_call", "argument 0",
	      "field");
	ok(het_unmap(field));
	ok(het_map_view(het_view(field, het_rows(10, 20)), HET_READ_WRITE, &at));
	fails(het_read(all(field), values), HET_ERR_MAPPED, "het_read", "[10:20]", "writing");
	fails(het_read_async(het_view(field, het_rows(19, 21)), values), HET_ERR_MAPPED, "het_read_async");
	fails(het_copy(het_view(other, het_rows(0, 11)), het_view(field, het_rows(0, 11))), HET_ERR_MAPPED,
	      "source");
	fails(het_prefetch(all(field), device), HET_ERR_MAPPED, "het_prefetch", "field");
	fails(het_map(field, HET_READ, &again), HET_ERR_MAPPED, "het_map: ", "field");
	fails(het_map_view(het_view(field, het_rows(0, 11)), HET_READ, &again), HET_ERR_MAPPED,
	      "het_map_view: ", "field");
	fails(het_launch(add, device, het_grid(1, N), HET_OUT(other), HET_IN(field), HET_VAL(1)),
	      HET_ERR_MAPPED, "kernel add", "argument 1", "field");
	ok(het_read(het_view(field, het_rows(0, 10)), values));
	ok(het_unmap_view(het_view(field, het_rows(10, 20))));
	tear_down();
}
END_TEST

START_TEST(test_unmap_without_map)
{
	int *at;

	set_up(FACE_SHARED);
	fails(het_unmap(field), HET_ERR_MAPPED, "het_unmap", "field");
	ok(het_map_view(het_view(field, het_rows(0, 10)), HET_READ, &at));
	fails(het_unmap(field), HET_ERR_MAPPED, "field");
	fails(het_unmap_view(het_view(field, het_rows(0, 9))), HET_ERR_MAPPED, "het_unmap_view: field [0:9]");
	ok(het_unmap_view(het_view(field, het_rows(0, 10))));
	fails(het_unmap_view(het_view(field, het_rows(0, 10))), HET_ERR_MAPPED, "field");
	tear_down();
}
END_TEST

START_TEST(test_overlapping_wraps)
{
	int memory[100];
	const size_t pitch[1] = {40};
	het_array *first, *second, *third;

	set_up(FACE_SHARED);
	ok(het_array_wrap(system_, HET_INT, het_shape(1, 50), memory, &first));
	ok(het_array_name(first, "first"));
	fails(het_array_wrap(system_, HET_INT, het_shape(1, 50), memory + 49, &second), HET_ERR_OVERLAP,
	      "first");
	fails(het_array_wrap(system_, HET_CHAR, het_shape(1, 1), (char *)memory + 7, &second), HET_ERR_OVERLAP,
	      "first");
	fails(het_array_wrap(system_, HET_INT, het_shape(1, 4), (void *)(UINTPTR_MAX - 14), &second),
	      HET_ERR_SHAPE, "16 bytes");
	ok(het_array_wrap(system_, HET_INT, het_shape(1, 50), memory + 50, &second));
	ok(het_array_free(first));
	fails(het_array_wrap_pitched(system_, HET_INT, het_shape(2, 6, 1), memory, pitch, &third),
	      HET_ERR_OVERLAP, "array");
	ok(het_array_wrap_pitched(system_, HET_INT, het_shape(2, 5, 10), memory, pitch, &third));
	ok(het_array_free(second));
	ok(het_array_free(third));
	tear_down();
}
END_TEST

START_TEST(test_unequal_swaps)
{
	het_array *longer, *floats, *wrapped, *flat;
	int memory[N], *at;

	set_up(FACE_SHARED);
	longer = zero_array(system_, N + 1);
	ok(het_array_name(longer, "longer"));
	ok(het_array_new(system_, HET_FLOAT, het_shape(1, N), &floats));
	ok(het_array_new(system_, HET_INT, het_shape(2, N, 1), &flat));
	ok(het_array_wrap(system_, HET_INT, het_shape(1, N), memory, &wrapped));
	ok(het_array_name(wrapped, "wrapped"));
	fails(het_swap(field, longer), HET_ERR_SHAPE, "field", "longer");
	fails(het_swap(field, flat), HET_ERR_SHAPE, "field");
	fails(het_swap(field, floats), HET_ERR_ARGUMENT, "types, int and float", "field");
	fails(het_swap(field, wrapped), HET_ERR_ARGUMENT, "wrapped");
	fails(het_swap(wrapped, field), HET_ERR_ARGUMENT, "wrapped");
	ok(het_map_view(het_view(other, het_rows(0, 1)), HET_READ, &at));
	fails(het_swap(field, other), HET_ERR_MAPPED, "other");
	ok(het_unmap_view(het_view(other, het_rows(0, 1))));
	fails(het_copy(all(longer), all(field)), HET_ERR_SHAPE, "101 and 100");
	fails(het_copy(all(flat), all(field)), HET_ERR_SHAPE, "rank");
	tear_down();
}
END_TEST

START_TEST(test_copy_of_other_elements)
{
	het_array *doubles;

	set_up(FACE_SHARED);
	ok(het_array_new(system_, HET_DOUBLE, het_shape(1, N), &doubles));
	ok(het_array_name(doubles, "doubles"));
	fails(het_copy(all(doubles), all(field)), HET_ERR_ARGUMENT, "doubles", "8 bytes", "field", "4");
	tear_down();
}
END_TEST

/* ---- other systems and processes ---- */

/* What is freed while it is mapped stays until it is unmapped, and has its name. */
START_TEST(test_freed_while_mapped)
{
	het_array *gone;
	int *at;

	set_up(FACE_SHARED);
	gone = zero_array(system_, N);
	ok(het_array_name(gone, "gone"));
	ok(het_map(gone, HET_WRITE, &at));
	ok(het_array_free(gone));
	fails(het_launch(bump, device, het_grid(1, N), HET_INOUT(gone), HET_VAL(1)), HET_ERR_HANDLE,
	      "kernel bump", "argument 0", "gone was freed");
	fails(het_copy(all(field), all(gone)), HET_ERR_HANDLE, "gone was freed");
	fails(het_swap(field, gone), HET_ERR_HANDLE, "het_swap, the second array", "gone was freed");
	fails(het_swap(field, NULL), HET_ERR_HANDLE, "het_swap, the second array", "NULL");
	fails(het_fill(all(gone), &(int){1}), HET_ERR_HANDLE, "gone was freed");
	ok(het_unmap(gone));
	tear_down();
}
END_TEST

START_TEST(test_of_another_system)
{
	het_system *elsewhere;
	het_array *foreign;
	het_device *far;

	set_up(FACE_SHARED);
	elsewhere = open_face(FACE_SEPARATE);
	foreign = zero_array(elsewhere, N);
	far = first_device(elsewhere);
	ok(het_array_name(foreign, "foreign"));
	fails(het_launch(bump, far, het_grid(1, N), HET_INOUT(field), HET_VAL(1)), HET_ERR_HANDLE,
	      "kernel bump", "another system");
	fails(het_launch(bump, device, het_grid(1, N), HET_INOUT(foreign), HET_VAL(1)), HET_ERR_HANDLE,
	      "kernel bump", "argument 0", "foreign", "another system than the rest of the call");
	fails(het_native(device, native_nothing, NULL, HET_IN(foreign)), HET_ERR_HANDLE, "foreign");
	fails(het_call(system_, host_nothing, NULL, HET_IN(foreign)), HET_ERR_HANDLE, "foreign");
	fails(het_copy(all(field), all(foreign)), HET_ERR_HANDLE, "foreign");
	fails(het_swap(field, foreign), HET_ERR_HANDLE, "het_swap, the second array", "foreign",
	      "another system");
	fails(het_prefetch(all(field), far), HET_ERR_HANDLE, "het_prefetch");
	fails(het_kernel_build(bump, far), HET_ERR_HANDLE, "kernel bump", "different systems");
	close_face(elsewhere);
	tear_down();
}
END_TEST

/* In the child: 0 when every call was refused. */
static int refused_after_fork(void)
{
	struct het_stats stats = HET_STATS_INIT;
	het_array *array;
	int values[N];
	void *at;

	return !(het_launch(bump, device, het_grid(1, N), HET_INOUT(field), HET_VAL(1)) == HET_ERR_CONTEXT &&
		 strstr(het_message(), "fork") &&
		 het_launch(add, device, het_grid(1, N), HET_OUT(field), HET_IN(field), HET_VAL(1)) ==
			 HET_ERR_CONTEXT &&
		 het_map(field, HET_READ, &at) == HET_ERR_CONTEXT &&
		 het_read(all(field), values) == HET_ERR_CONTEXT &&
		 het_array_new(system_, HET_INT, het_shape(1, 1), &array) == HET_ERR_CONTEXT &&
		 het_array_free(field) == HET_ERR_CONTEXT && het_unmap(field) == HET_ERR_CONTEXT &&
		 het_wait(field) == HET_ERR_CONTEXT && het_wait_all(system_) == HET_ERR_CONTEXT &&
		 het_stats(system_, &stats) == HET_ERR_CONTEXT && het_kernel_free(bump) == HET_ERR_CONTEXT &&
		 het_call(system_, host_nothing, NULL, HET_VAL(1)) == HET_ERR_CONTEXT &&
		 het_native(device, native_nothing, NULL, HET_VAL(1)) == HET_ERR_CONTEXT &&
		 het_kernel_build(add, device) == HET_ERR_CONTEXT && het_close(system_) == HET_ERR_CONTEXT);
}

START_TEST(test_use_after_fork)
{
	pid_t child;
	int status;

	set_up(FACE_SHARED);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0)
		_exit(refused_after_fork());
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 0);
	tear_down();
}
END_TEST

START_TEST(test_close_with_live_handles)
{
	static int memory[N], mapped[N];
	het_array *wrapped, *held;
	int *at;

	set_up(_i);
	ok(het_array_wrap(system_, HET_INT, het_shape(1, N), memory, &wrapped));
	ok(het_array_wrap(system_, HET_INT, het_shape(1, N), mapped, &held));
	ok(het_launch(set, device, het_grid(1, N), HET_OUT(wrapped), HET_VAL(5)));
	ok(het_launch(set, device, het_grid(1, N), HET_OUT(held), HET_VAL(6)));
	ok(het_launch(bump, first_device(system_), het_grid(1, N), HET_INOUT(wrapped), HET_VAL(5)));
	ok(het_map_view(het_view(held, het_rows(0, 1)), HET_READ, &at));
	ok(het_close(system_));
	for (int i = 0; i < N; i++) {
		ck_assert_int_eq(memory[i], 10);
		ck_assert_int_eq(mapped[i], 6);
	}
}
END_TEST

static const struct face_test tests[] = {
	{&test_overlapping_outputs, 0},    {&test_same_box_in_and_out, 0}, {&test_out_to_const, 0},
	{&test_wrong_arguments, 0},        {&test_malformed_arguments, 0}, {&test_unknown_kernel, 1},
	{&test_numbers_of_another_width, 0},
	{&test_build_failure, 1},          {&test_double_precision, 1},    {&test_group_too_large, 1},
	{&test_local_memory_too_large, 1}, {&test_value_too_large, 1},
	{&test_conflicts_with_maps, 1}, {&test_unmap_without_map, 0},
	{&test_messages_begin_with_the_call, 0}, {&test_unsupported_parameters, 0},
	{&test_overlapping_wraps, 0},      {&test_unequal_swaps, 0},       {&test_copy_of_other_elements, 0},
	{&test_of_another_system, 0},      {&test_freed_while_mapped, 0},  {&test_use_after_fork, 0},
	{&test_close_with_live_handles, 1},
};

int main(void)
{
	return run_face_tests("bad_calls", sizeof tests / sizeof tests[0], tests);
}
