/* test_own_types.c - types that only a kernel's text knows: the compiler is asked what they are. */

#include <check.h>
#include <hetero.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/type.h"
#include "kernel/own_types.h"
#include "kernels.h"

/* ---- what the names are ---- */

static const struct {
	const char *printed, *name; /* NULL: none */
} names[] = {
	{"real", "real"},
	{"const real*", "real"},
	{"struct body *restrict", "struct body"},
	{"const struct body", "struct body"},
	{"__global union word *", "union word"},
	{"_t1", "_t1"},
	{"__global real[4]*", "real"},
	{"const __constant struct body[2][3]*", "struct body"},
	{"float", NULL},
	{"unsigned int*", NULL},
	{"unsigned real", NULL},
	{"real real", NULL},
	{"float real", NULL},
	{"real**", NULL},
	{"real (*)[4]", NULL},
	{"real[", NULL},
	{"real[n]*", NULL},
	{"typeof(real[4])*", NULL},
	{"vec<float>", NULL},
	{"struct", NULL},
	{"struct *", NULL},
	{"struct struct", NULL},
	{"void*", NULL},
	{"const", NULL},
	{"", NULL},
	{"a_name_that_has_as_many_letters_as_there_is_room_for_and_was_cut", NULL},
};

START_TEST(names_of_types)
{
	char name[HET__OWN_TYPE_BYTES];

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		ck_assert_msg(het__type_own_name(names[i].printed, name) == (names[i].name != NULL), "\"%s\"",
			      names[i].printed);
		if (names[i].name)
			ck_assert_str_eq(name, names[i].name);
	}
}
END_TEST

/* ---- what they are ---- */

static const char text[] =
	"#ifdef WIDE\n"
	"typedef long count;\n"
	"#else\n"
	"typedef int count;\n"
	"#endif\n"
	"typedef float real;\n"
	"typedef real weight;\n"
	"typedef float4 point;\n"
	"typedef uchar3 colour;\n"
	"struct body { float3 at; weight mass; };\n" /* 32 bytes: float3 is as large as float4 */
	"typedef struct { struct body body[40]; char last; } crowd;\n"
	"union word { float real; uint bits; };\n"
	"enum side { LEFT, RIGHT };\n"
	"kernel void values(global int *out, count c, weight w, point p, struct body b, union word u,\n"
	"                   enum side s, global const crowd *many, global real *r, constant colour *k)\n"
	"{\n"
	"	out[0] = c + w + p.w + b.mass + u.real + s;\n"
	"	out[1] = many->body[39].mass + r[0] + k[0].z;\n"
	"}\n"
	"kernel void masses(global float *out, global const struct body *b)\n"
	"{ size_t i = get_global_id(0); out[i] = b[i].mass; }\n"
	"kernel void scale(global real *out, real by) { out[get_global_id(0)] *= by; }\n";

static void assert_types(const struct het__kernel_on *on, het_type count)
{
	const het_type types[] = {HET_INT,       count,    HET_FLOAT,        HET_FLOAT4, HET_STRUCT(32),
				  HET_STRUCT(4), HET_UINT, HET_STRUCT(1296), HET_FLOAT,  HET_UCHAR3};
	const size_t aligned[] = {4, HET_TYPE_BYTES(count), 4, 16, 16, 4, 4, 16, 4, 4};

	ck_assert_int_eq(on->signature->count, (int)(sizeof types / sizeof types[0]));
	for (int i = 0; i < on->signature->count; i++) {
		const struct het__param *const param = &on->signature->param[i];

		ck_assert_msg(param->type == types[i], "%s %s: %#x", param->type_name, param->name,
			      param->type);
		ck_assert_msg(param->align_bytes == aligned[i], "%s: aligned to %zu", param->name,
			      param->align_bytes);
	}
}

START_TEST(types_are_known)
{
	het_system *const system = open_platform(_i);
	het_device *const device = het_device(system, 0);

	assert_types(built_on(source_kernel(system, text, "values", NULL), device), HET_INT);
	assert_logged("weight is float");
	assert_logged("crowd is struct of 1296 bytes");
	assert_types(built_on(source_kernel(system, text, "values", "-DWIDE -Werror -cl-std=CL1.2"), device),
		     HET_LONG);
	assert_ok(het_close(system));
}
END_TEST

/* Not by kernels of the same text, nor where the program comes from the cache. */
START_TEST(it_is_asked_once)
{
	het_system *system = open_platform(_i);

	built_on(source_kernel(system, text, "values", NULL), het_device(system, 0));
	ck_assert_int_eq(count_logged(": real is float"), 1);
	assert_logged(": crowd is");
	built_on(source_kernel(system, text, "scale", NULL), het_device(system, 0));
	built_on(source_kernel(system, text, "masses", NULL), het_device(system, 0));
	ck_assert_int_eq(count_logged(": real is float"), 1);
	ck_assert_int_eq(count_logged(": struct body is struct of 32 bytes"), 1);
	assert_ok(het_close(system));

	system = open_platform(_i);
	assert_types(built_on(source_kernel(system, text, "values", NULL), het_device(system, 0)), HET_INT);
	assert_logged("made from the cache");
	assert_not_logged(": real is float");
	assert_ok(het_close(system));
}
END_TEST

/* ---- what cannot be told ---- */

/* "kernel void k(global int *out, count c, T *h)" is no worse for it. */
static const struct het__kernel_on *built_and_run(het_system *system, const char *odd)
{
	het_device *const device = het_device(system, 0);
	het_kernel *const kernel = source_kernel(system, odd, "k", NULL);
	het_array *out;
	int got = 0;

	assert_ok(het_array_new(system, HET_INT, het_shape(1, 1), &out));
	assert_ok(het_launch(kernel, device, het_grid(1, 1), HET_OUT(out), HET_VAL(7), HET_NULL));
	assert_ok(het_read(het_view(out, het_whole()), &got));
	ck_assert_int_eq(got, -7);
	return built_on(kernel, device);
}

START_TEST(a_question_that_is_not_understood)
{
	het_system *const system = open_platform(_i);
	const struct het__kernel_on *const on = built_and_run(
		system, "#define __builtin_types_compatible_p(a, b) (is that so)\ntypedef int count;\n"
			"kernel void k(global int *out, count c, global count *h) { out[0] = h ? c : -c; }\n");

	assert_logged("its own types are not known, or only some");
	ck_assert_uint_eq(on->signature->param[1].type, 0);
	ck_assert_uint_eq(on->signature->param[2].align_bytes, HET__ALIGN_UNKNOWN);
	assert_ok(het_close(system));
}
END_TEST

/* A struct that is only declared is not asked for. (The fake driver's compiler wants to know it itself.) */
START_TEST(a_type_that_is_nowhere_told)
{
	het_system *const system = open_platform(_i);
	const struct het__kernel_on *const on =
		getenv("HETERO_TEST_FAKE")
			? NULL
			: built_and_run(system, "struct hidden; /* struct hidden: seen elsewhere */\n"
						"struct hidden_not { int a; };\nstruct not_hidden { int a; };\n"
						"typedef int count;\n"
						"kernel void k(global int *out, count c,\n"
						"              global struct hidden *h)\n"
						"{ out[0] = h ? c : -c; }\n");

	if (on) {
		assert_logged(": count is int");
		ck_assert_uint_eq(on->signature->param[2].type, 0);
		ck_assert_uint_eq(on->signature->param[2].align_bytes, HET__ALIGN_UNKNOWN);
	}
	assert_ok(het_close(system));
}
END_TEST

/* Behind a kernel nobody knows a struct of its parameters' own: it is not asked for. (The fake driver's
 * compiler wants to know it.) */
START_TEST(a_struct_among_the_parameters)
{
	het_system *const system = open_platform(_i);
	static const char among[] =
		"typedef int count;\n"
		"kernel void k(global int *out, struct own /* it is */ { int a; float b; } v, count c)\n"
		"{ out[0] = v.a + c; }\n";
	const struct het__signature *signature;

	if (!getenv("HETERO_TEST_FAKE")) {
		signature = built_on(source_kernel(system, among, "k", NULL), het_device(system, 0))->signature;
		assert_not_logged("its own types are not known, or only some");
		ck_assert_uint_eq(signature->param[1].type, 0);
		ck_assert_uint_eq(signature->param[2].type, HET_INT);
	}
	assert_ok(het_close(system));
}
END_TEST

/* It takes no other type with it, of this kernel or another one. (The fake driver's compiler wants to know it.)
 */
START_TEST(a_type_without_a_size)
{
	het_system *const system = open_platform(_i);
	static const char with_hidden[] =
		"typedef struct hidden hidden;\n"
		"struct body /* of one */ // , or more\n{ int a[3]; };\ntypedef int count;\n"
		"kernel void other(global int *out, global hidden *h) { out[0] = !h; }\n"
		"kernel void own(global int *out, global struct body *b, global hidden *h, count c)\n"
		"{ out[0] = b->a[0] + c; }\n"
		"kernel void k(global int *out, count c) { out[0] = c; }\n";

	for (int own = 0; own < 2 && !getenv("HETERO_TEST_FAKE"); own++) {
		het_kernel *const kernel = source_kernel(system, with_hidden, own ? "own" : "k", NULL);
		const struct het__signature *const signature =
			built_on(kernel, het_device(system, 0))->signature;

		ck_assert_uint_eq(signature->param[own ? 3 : 1].type, HET_INT);
		if (!own)
			continue; /* what was asked for it does for the next */
		ck_assert_uint_eq(signature->param[1].type, HET_STRUCT(12));
		ck_assert_uint_eq(signature->param[2].type, 0);
	}
	assert_ok(het_close(system));
}
END_TEST

/* "typedef TYPE own" between two pieces of a text. */
struct odd {
	const char *before, *type, *behind;
	het_type is;
};

static void assert_odd(het_device *device, const struct odd *odd)
{
	char odd_text[512];
	const struct het__param *param;
	het_kernel *kernel;

	snprintf(odd_text, sizeof odd_text,
		 "%stypedef %s own;\n"
		 "kernel void k(global int *out, global own *x) { out[0] = !x; }\n%s",
		 odd->before, odd->type, odd->behind);
	kernel = source_kernel(device->system, odd_text, "k", NULL);
	param = &built_on(kernel, device)->signature->param[1];
	ck_assert_msg(param->type == odd->is, "%#x is %s", param->type, odd_text);
	ck_assert_uint_ge(param->align_bytes, 1);
	ck_assert_uint_le(param->align_bytes, HET__ALIGN_UNKNOWN);
}

static void assert_all(int platform, const struct odd *odd, size_t count)
{
	het_system *const system = open_platform(platform);

	for (size_t i = 0; i < count; i++)
		assert_odd(het_device(system, 0), &odd[i]);
	assert_ok(het_close(system));
}

/* Macros that change the numbers' names, or a type's own behind its use: of what does not fit nothing is
 * believed. */
START_TEST(texts_with_odd_macros)
{
	static const struct odd odd[] = {
		{"#define uint int\n", "int", "", HET_INT},
		{"#define short int\n#pragma push_macro(\"short\")\n", "int", "", 0},
		{"#define uchar char\n", "char", "", HET_CHAR},
		{"", "signed char", "", HET_CHAR},
		{"", "float", "#define own double\n", HET_FLOAT},
		{"#define __kernel __kernel __attribute__((reqd_work_group_size(2, 1, 1)))\n", "float", "", 0},
		{"", "struct { int a[512]; } __attribute__((aligned(256)))", "", HET_STRUCT(2048)},
		{"", "struct { int a[70000]; }", "", HET_STRUCT(280000)},
		{"", "struct { int a[4194306]; }", "", 0}, /* more than a HET_STRUCT can have */
	};

	assert_all(_i, odd, sizeof odd / sizeof odd[0]);
}
END_TEST

/* What a text makes of the questions' words is nothing to them. */
START_TEST(texts_that_change_the_words)
{
	static const struct odd odd[] = {
		{"#define short int\n", "int", "", HET_INT},
		{"#define char signed char\n", "char", "", HET_CHAR},
		{"", "float", "#define float2 no\n", HET_FLOAT},
		{"", "uchar16", "#define ulong int\n#define uchar4 uchar16\n", HET_UCHAR16},
		{"", "long", "#define sizeof(x) 4\n#define __alignof__(x) 16\n", HET_LONG},
		{"", "int", "#define reqd_work_group_size(x, y, z)\n#define signed no\n", HET_INT},
	};

	assert_all(_i, odd, sizeof odd / sizeof odd[0]);
}
END_TEST

/* The first of the questions is not a part of it. */
START_TEST(texts_that_end_within_a_line)
{
	static const struct odd odd[] = {
		{"", "float", "// see C:\\kernels\\", HET_FLOAT},
		{"", "float", "#define LAST \\ ", HET_FLOAT},
		{"", "float", "#define LAST \\\n", HET_FLOAT},
		{"", "float", "// the end", HET_FLOAT},
	};

	assert_all(_i, odd, sizeof odd / sizeof odd[0]);
}
END_TEST

/* double is known where the device has it, and half in memory everywhere. */
START_TEST(types_that_not_all_devices_have)
{
	static const struct odd doubles[] = {
		{"", "double", "#undef cl_khr_fp64\n", HET_DOUBLE},
		{"#undef cl_khr_fp64\n", "double4", "#define double8 no\n", HET_DOUBLE4},
	};
	static const struct odd half = {"", "half", "#undef cl_khr_fp16\n", HET_HALF};
	het_system *const system = open_platform(_i);
	het_device *const device = het_device(system, 0);

	for (size_t i = 0; i < sizeof doubles / sizeof doubles[0] && device->facts.has_double; i++)
		assert_odd(device, &doubles[i]);
	assert_odd(device, &half);
	assert_ok(het_close(system));
}
END_TEST

/* ---- what it is good for ---- */

static het_array *array_of(het_system *system, het_type type, int64_t extent, const char *name)
{
	het_array *array;

	assert_ok(het_array_new(system, type, het_shape(1, extent), &array));
	assert_ok(het_array_name(array, name));
	return array;
}

START_TEST(values_of_another_type_are_refused)
{
	het_system *const system = open_platform(_i);
	het_device *const device = het_device(system, 0);
	het_kernel *const scale = source_kernel(system, text, "scale", NULL);
	het_array *const x = array_of(system, HET_FLOAT, 4, "x");
	het_array *const y = array_of(system, HET_DOUBLE, 4, "y");
	float got[4] = {1, 2, 3, 4};

	assert_ok(het_write(het_view(x, het_whole()), got));
	assert_fails(het_launch(scale, device, het_grid(1, 4), HET_INOUT(x), HET_VAL(0.5)), HET_ERR_SIGNATURE,
		     "kernel scale",
		     "argument 1 (real by; real is float) was given double of 8 bytes; it has 4");
	assert_fails(het_launch(scale, device, het_grid(1, 4), HET_INOUT(x), HET_VAL(2)), HET_ERR_SIGNATURE,
		     "argument 1 (real by; real is float) was given an integer number");
	assert_fails(het_launch(scale, device, het_grid(1, 4), HET_INOUT(y), HET_VAL(2.0f)), HET_ERR_SIGNATURE,
		     "argument 0: (real*", "out; real is float) was given y, whose elements are double");
	assert_ok(het_launch(scale, device, het_grid(1, 4), HET_INOUT(x), HET_VAL(2.0f)));
	assert_ok(het_read(het_view(x, het_whole()), got));
	ck_assert(got[0] == 2 && got[3] == 8);
	assert_ok(het_close(system));
}
END_TEST

/* Of the host's struct a float3 that the host has as float[3] makes another size. */
START_TEST(structs_of_another_size_are_refused)
{
	struct {
		float at[4], mass, rest[3];
	} body[2] = {{.mass = 3}, {.mass = 4}};
	struct {
		float at[3], mass;
	} small = {.mass = 5};
	het_system *const system = open_platform(_i);
	het_device *const device = het_device(system, 0);
	het_kernel *const masses = source_kernel(system, text, "masses", NULL);
	het_array *const out = array_of(system, HET_FLOAT, 2, "out");
	het_array *const smalls = array_of(system, HET_STRUCT(sizeof small), 4, "smalls");
	het_array *const likes[] = {array_of(system, HET_STRUCT(32), 2, "structs"),
				    array_of(system, HET_STRUCT(64), 1, "pair"),
				    array_of(system, HET_STRUCT(1), 64, "bytes"),
				    array_of(system, HET_FLOAT, 16, "numbers")};
	float got[2];

	for (int tries = 0; tries < 2; tries++)
		assert_fails(het_launch(masses, device, het_grid(1, 2), HET_OUT(out), HET_IN(smalls)),
			     HET_ERR_SIGNATURE, "argument 1",
			     "; struct body has 32 bytes) was given smalls",
			     "whose elements are struct of 16 bytes");
	for (int i = 0; i < 4; i++) {
		assert_ok(het_write(het_view(likes[i], het_whole()), body));
		assert_ok(het_launch(masses, device, het_grid(1, 2), HET_OUT(out), HET_IN(likes[i])));
		assert_ok(het_read(het_view(out, het_whole()), got));
		ck_assert(got[0] == 3 && got[1] == 4);
	}
	assert_fails(het_launch(source_kernel(system, text, "values", NULL), device, het_grid(1, 1), HET_NULL,
				HET_VAL(1), HET_VAL(1.0f), HET_BYTES(&small, sizeof small),
				HET_BYTES(&small, sizeof small), HET_VAL(1.0f), HET_VAL(1u), HET_NULL, HET_NULL,
				HET_NULL),
		     HET_ERR_SIGNATURE, "argument 4 (struct body b; struct body has 32 bytes)",
		     "was given 16 bytes; it has 32");
	assert_ok(het_close(system));
}
END_TEST

/* ---- pointers to rows ---- */

static const char rows[] =
	"#include \"het.clh\"\n"
	"typedef float real;\n"
	"typedef real row[4];\n"
	"typedef row other;\n"
	"typedef float three[3];\n"
	"typedef long large[40];\n"
	"typedef float4 quad[2];\n"
	"typedef float3 triple[2];\n"
	"typedef long matrix[3][4];\n"
	"typedef struct { float a, b; } pair;\n"
	"#define PUT(T) (global T *x) { if (get_global_id(0) == 7) x[0][1] = 1; }\n"
	"kernel void own PUT(row)\n"
	"kernel void again PUT(other)\n"
	"kernel void of_three PUT(three)\n"
	"kernel void of_many PUT(large)\n"
	"kernel void of_vectors PUT(quad)\n"
	"kernel void of_triples PUT(triple)\n"
	"kernel void of_rows(global matrix *x) { if (get_global_id(0) == 7) x[0][1][2] = 1; }\n"
	"kernel void plain(global long (*x)[4]) { if (get_global_id(0) == 7) x[0][1] = 1; }\n"
	"kernel void deep(global int x[][2][3]) { if (get_global_id(0) == 7) x[0][1][2] = 1; }\n"
	"kernel void of_own(global real (*x)[4]) { if (get_global_id(0) == 7) x[0][1] = 1; }\n"
	"kernel void of_pairs(global pair (*x)[4]) { if (get_global_id(0) == 7) x[0][1].a = 1; }\n"
	"kernel void windowed(HET_WINDOW(global row, x))\n"
	"{ if (get_global_id(0) == 7) HET_AT2(x, 0, 0)[1] = 1; }\n";

static const struct {
	const char *kernel;
	het_type fits[6], fits_not[6];
	const char *means; /* what is said of what does not fit */
} of_rows[] = {
	{"own",
	 {HET_FLOAT, HET_FLOAT4, HET_INT2, HET_UCHAR, HET_STRUCT(16), HET_STRUCT(32)},
	 {HET_DOUBLE, HET_DOUBLE2, HET_LONG, HET_HALF, HET_STRUCT(20)},
	 "(row* x; row is an array of float)"},
	{"again", {HET_FLOAT}, {HET_DOUBLE}, "(other* x; other is an array of float)"},
	{"of_three", {HET_FLOAT, HET_STRUCT(12)}, {HET_DOUBLE, HET_STRUCT(16)}, "three is an array of float)"},
	{"of_many", {HET_LONG, HET_STRUCT(320), HET_STRUCT(640)}, {HET_FLOAT, HET_STRUCT(328)},
	 "large is an array of long)"},
	{"of_vectors", {HET_FLOAT, HET_FLOAT4}, {HET_DOUBLE, HET_DOUBLE4}, "quad is an array of float4)"},
	{"of_triples", {HET_FLOAT4, HET_FLOAT3}, {HET_DOUBLE}, "triple is an array of float3)"},
	{"of_rows", {HET_LONG, HET_STRUCT(96)}, {HET_FLOAT, HET_STRUCT(64)}, "matrix is an array of long)"},
	{"plain", {HET_LONG, HET_ULONG2, HET_STRUCT(8)}, {HET_FLOAT}, "x was given"},
	{"deep", {HET_INT, HET_UINT3, HET_FLOAT}, {HET_SHORT2}, "x was given"},
	{"of_own", {HET_FLOAT, HET_FLOAT2}, {HET_DOUBLE}, "real is float)"},
	{"of_pairs", {HET_FLOAT, HET_STRUCT(8), HET_STRUCT(32)}, {HET_STRUCT(12)}, "pair has 8 bytes)"},
	{"windowed", {HET_FLOAT4, HET_STRUCT(16)}, {HET_DOUBLE2}, "row is an array of float)"},
};

static void assert_arrays(het_kernel *kernel, het_device *device, size_t number)
{
	het_system *const system = kernel->system;

	for (int i = 0; i < 6 && of_rows[number].fits[i]; i++) {
		het_array *x;

		assert_ok(het_array_new(system, of_rows[number].fits[i], het_shape(2, 24, 40), &x));
		assert_ok(het_launch(kernel, device, het_grid(1, 8), HET_OUT(x)));
		het_array_free(x);
	}
	for (int i = 0; i < 6 && of_rows[number].fits_not[i]; i++) {
		het_array *x;
		char said[64], type[HET__TYPE_TEXT];

		assert_ok(het_array_new(system, of_rows[number].fits_not[i], het_shape(2, 24, 40), &x));
		assert_ok(het_array_name(x, "wrong"));
		snprintf(said, sizeof said, "was given wrong, whose elements are %s",
			 het__type_name(of_rows[number].fits_not[i], type));
		assert_fails(het_launch(kernel, device, het_grid(1, 8), HET_OUT(x)), HET_ERR_SIGNATURE,
			     of_rows[number].kernel, "argument 0", of_rows[number].means, said);
		het_array_free(x);
	}
}

/* The second time they come from the cache. */
START_TEST(rows_of_other_numbers_are_refused)
{
	for (int cached = 0; cached < 2; cached++) {
		het_system *const system = open_platform(_i);

		for (size_t i = 0; i < sizeof of_rows / sizeof of_rows[0]; i++)
			assert_arrays(source_kernel(system, rows, of_rows[i].kernel, NULL),
				      het_device(system, 0), i);
		ck_assert_int_eq(count_logged(": row is an array of float"), !cached);
		assert_ok(het_close(system));
	}
}
END_TEST

/* Indices count whole rows there. */
START_TEST(windows_of_rows)
{
	het_system *const system = open_platform(_i);
	het_kernel *const windowed = source_kernel(system, rows, "windowed", NULL);
	het_array *x;

	assert_ok(het_array_new(system, HET_FLOAT, het_shape(2, 8, 4), &x));
	assert_ok(het_array_name(x, "x"));
	assert_fails(het_launch(windowed, het_device(system, 0), het_grid(1, 8), HET_OUT(x)), HET_ERR_SIGNATURE,
		     "argument 0 (HET_WINDOW of row* x) was given x, whose elements have 4 bytes",
		     "they must have 16");
	assert_ok(het_close(system));
}
END_TEST

/* Three in a row are no vector, which has the room of four. */
START_TEST(rows_of_three)
{
	het_system *const system = open_platform(_i);
	het_device *const device = het_device(system, 0);
	het_kernel *threes, *triples;
	float x[6] = {0};
	het_array *a;

	assert_ok(het_array_new(system, HET_FLOAT, het_shape(2, 2, 3), &a));
	assert_ok(het_write(het_view(a, het_whole()), x));
	threes = source_kernel(system, rows, "of_three", NULL);
	triples = source_kernel(system, rows, "of_triples", NULL);
	assert_ok(het_launch(threes, device, het_grid(1, 8), HET_INOUT(a)));
	assert_fails(het_launch(triples, device, het_grid(1, 8), HET_INOUT(a)),
		     HET_ERR_SIGNATURE, "vectors of three take the room of four");
	assert_ok(het_read(het_view(a, het_whole()), x));
	ck_assert(x[1] == 1 && x[2] == 0);
	assert_ok(het_close(system));
}
END_TEST

int main(void)
{
	static const struct kernel_test tests[] = {{&names_of_types, false},
						   {&types_are_known, true},
						   {&it_is_asked_once, true},
						   {&a_question_that_is_not_understood, true},
						   {&texts_with_odd_macros, true},
						   {&texts_that_change_the_words, true},
						   {&texts_that_end_within_a_line, true},
						   {&types_that_not_all_devices_have, true},
						   {&a_type_that_is_nowhere_told, true},
						   {&a_struct_among_the_parameters, true},
						   {&a_type_without_a_size, true},
						   {&values_of_another_type_are_refused, true},
						   {&structs_of_another_size_are_refused, true},
						   {&rows_of_other_numbers_are_refused, true},
						   {&windows_of_rows, true},
						   {&rows_of_three, true}};

	return run_kernel_tests("own types", (int)(sizeof tests / sizeof tests[0]), tests);
}
