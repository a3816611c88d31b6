/* test_kernel_text.c - what the kernel room reads without OpenCL: types and sources. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/type.h"
#include "kernel/signature.h"
#include "kernel/source.h"
#include "kernel/wording.h"
#include "suite.h"

/* ---- types ---- */

static const struct {
	const char *text;
	het_type type;
} types[] = {
	{"char", HET_CHAR},         {"uchar", HET_UCHAR},
	{"short", HET_SHORT},       {"ushort", HET_USHORT},
	{"int", HET_INT},           {"uint", HET_UINT},
	{"long", HET_LONG},         {"ulong", HET_ULONG},
	{"half", HET_HALF},         {"float", HET_FLOAT},
	{"double", HET_DOUBLE},     {"unsigned char", HET_UCHAR},
	{"unsigned int", HET_UINT}, {"unsigned", HET_UINT},
	{"signed", HET_INT},        {"unsigned long", HET_ULONG},
	{"signed char", HET_CHAR},  {"long int", HET_LONG},
	{"unsigned short int", HET_USHORT},
	{"float2", HET_FLOAT2},     {"float3", HET_FLOAT3},
	{"uchar16", HET_UCHAR16},   {"double8", HET_DOUBLE8},
	{"float*", HET_FLOAT},      {"float4 *", HET_FLOAT4},
	{"const float4*", HET_FLOAT4}, {"__global const volatile int * restrict", HET_INT},
	{"__global double[4]*", HET_DOUBLE}, {"const __constant unsigned int[2][3]*", HET_UINT},
	{"float3[16] *", HET_FLOAT3},
	/* not known */
	{"", 0},                    {"float5", 0},
	{"float32", 0},             {"float02", 0},
	{"pair", 0},                {"struct pair*", 0},
	{"float**", 0},             {"void*", 0},
	{"int[n]*", 0},             {"bool", 0},
	{"int[3", 0},               {"typeof(float[4])*", 0},
	{"float float", 0},         {"a_name_that_is_longer_than_any_type_there_is*", 0},
	{"floatx", 0},              {"4float", 0},
};

START_TEST(test_type_names)
{
	ck_assert_msg(het__type_named(types[_i].text) == types[_i].type, "\"%s\" is read as %#x, not %#x",
	              types[_i].text, het__type_named(types[_i].text), types[_i].type);
}
END_TEST

/* ---- windows ---- */

static const struct {
	const char *name, *type, *window;
	const char *known_as; /* one argument of this name; NULL: two arguments */
} windows[] = {
	{"x_pointer", "het_window", "x_window", "x"},
	{"x_pointer", "struct het_window", "x_window", "x"},
	{"x_pointer", "const het_window", "x_window", "x"},
	{"x_pointer", "const struct het_window", "x_window", "x"},
	{"x_pointer_pointer", "het_window", "x_pointer_window", "x_pointer"},
	{"x_pointer", "struct const_het_window", "x_window", NULL},
	{"x_pointer", "het_window*", "x_window", NULL},
	{"x_pointer", "constant", "x_window", NULL},
	{"x_pointer", "het_window", "y_window", NULL},
	{"x_pointer", "het_window", "x_windows", NULL},
	{"x_pointer", "het_window", "x_pointer", NULL},
	{"x", "het_window", "x_window", NULL},
	{"_pointer", "het_window", "_window", NULL},
	/* names of 54 to 57, 61 and 63 letters: what stands behind 63 is not told */
#define FIFTY "a_name_of_which_there_are_many_letters_up_to_fifty__"
	{FIFTY "23_pointer", "het_window", FIFTY "23_window", FIFTY "23"},
	{FIFTY "234_pointer", "het_window", FIFTY "234_window", FIFTY "234"},
	{FIFTY "2345_pointe", "het_window", FIFTY "2345_window", FIFTY "2345"},
	{FIFTY "23456_point", "het_window", FIFTY "23456_windo", FIFTY "23456"},
	{FIFTY "23456_point", "het_window", FIFTY "23456_wide_", NULL},
	{FIFTY "23456789a_p", "het_window", FIFTY "23456789a_w", FIFTY "23456789a"},
	{FIFTY "23456789abc", "het_window", FIFTY "23456789abc", FIFTY "23456789abc"},
	{FIFTY "23456789abc", "het_window", FIFTY "23456789abd", NULL},
};

static struct het__cl_param told(cl_uint address, const char *type, const char *name)
{
	struct het__cl_param param = {.known = true, .address = address};

	ck_assert_uint_lt(strlen(name), sizeof(param.name));
	snprintf(param.type, sizeof(param.type), "%s", type);
	snprintf(param.name, sizeof(param.name), "%s", name);
	return param;
}

START_TEST(test_windows)
{
	const struct het__cl_param pointer = told(CL_KERNEL_ARG_ADDRESS_GLOBAL, "float*", windows[_i].name);
	const struct het__cl_param window =
		told(CL_KERNEL_ARG_ADDRESS_PRIVATE, windows[_i].type, windows[_i].window);
	struct het__signature *const signature = het__signature_new(2);

	ck_assert_ptr_nonnull(signature);
	signature->count = 0;
	ck_assert_int_eq(het__signature_slots(signature), 0);
	het__signature_add(signature, 0, &pointer);
	ck_assert_int_eq(het__signature_slots(signature), 1);
	het__signature_add(signature, 1, &window);
	ck_assert_msg(signature->count == (windows[_i].known_as ? 1 : 2), "%s and %s %s: %d arguments",
		      windows[_i].name, windows[_i].type, windows[_i].window, signature->count);
	ck_assert_str_eq(signature->param[0].name,
			 windows[_i].known_as ? windows[_i].known_as : windows[_i].name);
	ck_assert_int_eq(het__signature_slots(signature), 2);
	het__free(signature);
}
END_TEST

/* Their elements are whole rows: what a pointer to these steps over says nothing. */
START_TEST(test_windows_of_rows)
{
	const struct het__cl_param pointer =
		told(CL_KERNEL_ARG_ADDRESS_GLOBAL, "__global float[4]*", "x_pointer");
	const struct het__cl_param window = told(CL_KERNEL_ARG_ADDRESS_PRIVATE, "het_window", "x_window");
	struct het__signature *const signature = het__signature_new(2);

	ck_assert_ptr_nonnull(signature);
	signature->count = 0;
	het__signature_add(signature, 0, &pointer);
	ck_assert_uint_eq(signature->param[0].type, HET_FLOAT);
	ck_assert_uint_eq(signature->param[0].needs, het__needs(HET_FLOAT, 4));
	het__signature_add(signature, 1, &window);
	ck_assert_uint_eq(signature->param[0].type, 0);
	ck_assert_uint_eq(signature->param[0].needs, het__needs(0, HET__ALIGN_UNKNOWN));
	het__free(signature);
}
END_TEST

/* What is called like a sampler or an event, and is a pointer or another word, is the program's own. */
START_TEST(test_objects)
{
	static const struct {
		const char *type;
		cl_uint address;
		bool is_object;
		enum het__param_kind kind;
	} objects[] = {
		{"sampler_t", CL_KERNEL_ARG_ADDRESS_PRIVATE, false, HET__PARAM_OTHER},
		{"event_t", CL_KERNEL_ARG_ADDRESS_GLOBAL, false, HET__PARAM_OTHER},
		{"image2d_t", CL_KERNEL_ARG_ADDRESS_GLOBAL, false, HET__PARAM_OTHER},
		{"image1d_buffer_t", CL_KERNEL_ARG_ADDRESS_GLOBAL, true, HET__PARAM_OTHER},
		{"picture", CL_KERNEL_ARG_ADDRESS_GLOBAL, true, HET__PARAM_OTHER},
		{"event_type*", CL_KERNEL_ARG_ADDRESS_GLOBAL, false, HET__PARAM_BUFFER},
		{"queue_t*", CL_KERNEL_ARG_ADDRESS_GLOBAL, false, HET__PARAM_BUFFER},
		{"sampler_table*", CL_KERNEL_ARG_ADDRESS_CONSTANT, false, HET__PARAM_BUFFER},
		{"image2d_mine*", CL_KERNEL_ARG_ADDRESS_GLOBAL, false, HET__PARAM_BUFFER},
		{"event_type", CL_KERNEL_ARG_ADDRESS_PRIVATE, false, HET__PARAM_VALUE},
	};

	for (size_t i = 0; i < sizeof objects / sizeof objects[0]; i++) {
		struct het__cl_param param = told(objects[i].address, objects[i].type, "x");
		struct het__signature *const signature = het__signature_new(1);

		ck_assert_ptr_nonnull(signature);
		signature->count = 0;
		param.is_object = objects[i].is_object;
		het__signature_add(signature, 0, &param);
		ck_assert_msg(signature->param[0].kind == objects[i].kind, "%s", objects[i].type);
		het__free(signature);
	}
}
END_TEST

/* ---- sources ---- */

static const struct {
	const char *text;
	enum het__mention uses_double;
	bool includes;
} sources[] = {
	{"", HET__NEVER, false},
	{"kernel void k(global float *a) { a[0] = 2; }", HET__NEVER, false},
	{"kernel void k(global double *a) {}", HET__SURELY, false},
	{"kernel void k(global double16 *a) {}", HET__SURELY, false},
	{"kernel void k(global float *doubled, int redouble, int double_) {}", HET__NEVER, false},
	{"int double1, double5, double10, double20, double160, double04;", HET__NEVER, false},
	{"int double1; double3 d;", HET__SURELY, false},
	{"/* double */ // double\n// #include \"x\"\n/*\n#include <double>\n*/", HET__NEVER, false},
	{"char *s = \"double\\\"double\"; char c = '\"'; char *t = \"double\";", HET__NEVER, false},
	{"char c = '\"'; double d;", HET__SURELY, false},
	{"#ifdef cl_khr_fp64\ntypedef double real;\n#else\ntypedef float real;\n#endif\n", HET__PERHAPS, false},
	{"#if A\n#ifdef B\n#endif\ndouble d;\n#endif\n", HET__PERHAPS, false},
	{"#if A\n#endif\ndouble d;\n", HET__SURELY, false},
	{"# /* odd */ if A\ndouble d;\n#endif\n", HET__PERHAPS, false},
	{"#define real double\n", HET__PERHAPS, false},
	{"#define real \\\n double\n", HET__PERHAPS, false},
	{"#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n", HET__NEVER, false},
	{"#endif\n#if A\ndouble d;\n#endif\n", HET__PERHAPS, false},
	{"#include \"x.h\"\n", HET__NEVER, true},
	{"  #  include <x.h>\n", HET__NEVER, true},
	{"int a;\n\t/* why */ # /* so */ include \"x.h\"\n", HET__NEVER, true},
	{"#\\\ninclude \"x.h\"\n", HET__NEVER, true},
	{"%:include \"x.h\"\n", HET__NEVER, true},
	{"int a = b %:include;\n", HET__NEVER, false},
	{"int include; include(3);\n#pragma include\n", HET__NEVER, false},
	{"// goes on \\\n#include \"x.h\"\n", HET__NEVER, false},
	{"// goes on \\\r\n#include \"x.h\"\ndouble d;\n", HET__SURELY, false},
	{"//\\\n\\\n#include \"x.h\"\n#include \"y.h\"\n", HET__NEVER, true},
	{"// \\", HET__NEVER, false},
	{"#inc\\\nlude \"x\"", HET__NEVER, true},
	{"#include\\\n \"x\"", HET__NEVER, true},
	{"#if __has_include(\"x\")\n#endif", HET__NEVER, true},
	{"#if defined(A) && __has_inc\\\nlude(\"x\")\n#endif", HET__NEVER, true},
	{"#embed \"x\"", HET__NEVER, true},
	{"#inc\\\n\\\r\nlude \"x\"", HET__NEVER, true},
	{"#define A x \\\n y", HET__NEVER, false},
	{"#define A x\\\n y", HET__NEVER, false},
	{"/* never ends #include", HET__NEVER, false},
	{"\"never ends\n#include <x>", HET__NEVER, true},
	{"x \\", HET__NEVER, false},
	{"'\\", HET__NEVER, false},
	/* lines that end in a lone CR, as on old Macs */
	{"// note\r#include \"x\"\r", HET__NEVER, true},
	{"int a;\r#include \"x\"\r", HET__NEVER, true},
	{"// note\rdouble d;\r", HET__SURELY, false},
	{"#define A\rdouble d;\r", HET__SURELY, false},
	{"#if A\rdouble d;\r#endif\r", HET__PERHAPS, false},
	{"\"never ends\r#include <x>", HET__NEVER, true},
	{"// goes on \\\r#include \"x\"\rdouble d;", HET__SURELY, false},
	{"// goes on \\\n\rdouble d;", HET__NEVER, false},
	{"// does not \\\r\rdouble d;", HET__SURELY, false},
	/* blanks between a backslash and the end of its line, which join lines all the same */
	{"// old note \\ \ndouble d;\n", HET__NEVER, false},
	{"// old note \\ \t\v\f\r\n#include \"x\"\n", HET__NEVER, false},
	{"#\\ \ninclude \"x.h\"\n", HET__NEVER, true},
	{"#inc\\ \nlude \"x\"", HET__NEVER, true},
	{"#define real \\ \n double\n", HET__PERHAPS, false},
	{"// note \\ x\ndouble d;\n", HET__SURELY, false},
	{"// note \\ ", HET__NEVER, false},
	/* lines that are joined within something */
	{"dou\\\nble d;", HET__SURELY, false},
	{"dou\\\nbled d;", HET__NEVER, false},
	{"%\\\n:include \"x\"", HET__NEVER, true},
	{"/\\\n/ double", HET__NEVER, false},
	{"/\\\n* double *\\\n/\n#include \"x\"", HET__NEVER, true},
	{"/*\\\n/ double */", HET__NEVER, false},
	{"\"a\\\n\\\\\nb\" double d;", HET__SURELY, false},
	{"a_word_that_is_longer_than_all_that_are_known d;", HET__NEVER, false},
	/* letters */
	{"int double$, $double; double d;", HET__SURELY, false},
	{"int double$, $double;", HET__NEVER, false},
	/* trigraphs, which some compilers know */
	{"?\?=include \"x\"", HET__NEVER, true},
	{"int a;\n ?\?= include \"x\"", HET__NEVER, true},
	{"?\?=ifdef A\ndouble d;\n?\?=endif", HET__PERHAPS, false},
	{"#inc?\?/\nlude \"x\"", HET__NEVER, true},
	{"// goes on ?\?/\ndouble d;", HET__PERHAPS, true},
};

START_TEST(test_source_facts)
{
	const struct het__source_facts facts = het__source_facts(sources[_i].text);

	ck_assert_msg(facts.uses_double == sources[_i].uses_double, "double %d, not %d, in:\n%s",
	              (int)facts.uses_double, (int)sources[_i].uses_double, sources[_i].text);
	ck_assert_msg(facts.includes == sources[_i].includes, "includes %d in:\n%s", (int)facts.includes,
	              sources[_i].text);
}
END_TEST

static const struct {
	const char *text;
	bool defines; /* "body" */
} tags[] = {
	{"struct body { int a; };", true},
	{"typedef union body /* of */ // one\n{ int a; } other;", true},
	{"struct __attribute__((packed)) body\\\n{ int a; };", true},
	{"/* :-( */ // (\nconstant char c[] = \"(\", d = '('; struct body { int a; };", true},
	{"#define OPEN (\nstruct body { int a; };", true},
	{"struct body; struct body *f(struct body *);", false},
	{"// struct body {\n/* struct body { */ constant char c[] = \"body {\";", false},
	{"struct nobody { int a; }; struct body_ { int a; }; struct bodyless { int a; };", false},
	{"kernel void k(global int *out, const struct body { int a; } b) { out[0] = b.a; }", false},
	{"", false},
};

START_TEST(test_tags)
{
	ck_assert_msg(het__source_defines(tags[_i].text, "body") == tags[_i].defines, "%s", tags[_i].text);
}
END_TEST

/* A log in which the compiler counts the lines of what it got. */
static void assert_log(const het_kernel *kernel, unsigned long line, const char *want)
{
	static const char *const source_names[] = {"input.cl:", "<kernel>:"}; /* Oclgrind's, NVIDIA's */

	for (int i = 0; i < 2; i++) {
		char log[64];
		char *named;

		snprintf(log, sizeof(log), "%s%lu:3: error", source_names[i], line);
		named = het__log_named(kernel, source_names[i], log);
		ck_assert_str_eq(named, want);
		het__free(named);
	}
}

static unsigned long line_of(const char *text, const char *part)
{
	const char *const end = strstr(text, part);
	unsigned long line = 1;

	ck_assert_ptr_nonnull(end);
	for (; text < end; text++)
		line += *text == '\n';
	return line;
}

/* The lines of a text keep their numbers, and the prelude's have theirs. */
START_TEST(test_lines)
{
	char text[] = "#if 0\n#include \"het.clh\"\n#endif /*\n#line 40 */\n#\\\ninclude <het.clh> // too\n"
		      "seventh";
	het_kernel kernel = {.name = (char[]){"k"}, .source = text, .facts = het__source_facts(text)};
	char *got = het__source_named(&kernel), of_prelude[64];

	snprintf(of_prelude, sizeof(of_prelude), "het.clh:%lu:3: error",
		 line_of(het__prelude, "#define HET_PASS"));
	ck_assert(got && kernel.facts.prelude);
	ck_assert_ptr_null(strstr(got, "include <"));
	assert_log(&kernel, line_of(got, "seventh"), "k:7:3: error");
	assert_log(&kernel, line_of(got, "#if 0"), "k:1:3: error");
	assert_log(&kernel, line_of(got, "#define HET_PASS"), of_prelude);
	assert_log(&kernel, line_of(got, "/* het.clh"), "het.clh:1:3: error");
	assert_log(&kernel, 1, "k:1:3: error");
	het__free(got);
	kernel.source = strstr(text, "seventh");
	kernel.facts.prelude = false;
	got = het__source_named(&kernel);
	ck_assert_str_eq(got, "#line 1 \"k\"\nseventh");
	assert_log(&kernel, 2, "k:1:3: error");
	het__free(got);
}
END_TEST

/* A file's name ends no line. */
START_TEST(test_odd_file_name)
{
	const het_kernel kernel = {.name = (char[]){"k"}, .source = (char[]){"text"},
				   .path = (char[]){"a \"b\" \\ c\rd\ne.cl"}};
	char *const got = het__source_named(&kernel);

	ck_assert_str_eq(got, "#line 1 \"a \\\"b\\\" \\\\ c d e.cl\"\ntext");
	het__free(got);
}
END_TEST

/* A text that asks for the prelude becomes this one behind the prelude. */
static void assert_rest(const char *source, const char *want)
{
	const het_kernel kernel = {.name = (char[]){"k"}, .source = (char *)source,
				   .facts = het__source_facts(source)};
	char *const got = het__source_named(&kernel);
	const char *rest;

	ck_assert(got && kernel.facts.prelude && !kernel.facts.includes);
	rest = strstr(got, "#line 1 \"k\"\n");
	ck_assert_ptr_nonnull(rest);
	ck_assert_str_eq(rest + strlen("#line 1 \"k\"\n"), want);
	het__free(got);
}

/* However a text's lines end, those behind the prelude keep their numbers. */
START_TEST(test_prelude_line)
{
	assert_rest("// one\r#include \"het.clh\"\rthree", "// one\r\rthree");
	assert_rest("#\\\rinclude <het.clh> // too\rthree", "\r // too\rthree");
	assert_rest("#inc\\ \r\nlude\\\n <het.clh>\r\nfour", "\r\n\n\r\nfour");
	assert_rest("// one \\ \r#include <het.clh>\r#include <het.clh>",
		    "// one \\ \r#include <het.clh>\r");
	assert_rest("?\?=include <het.clh>\ntwo", "\ntwo");
}
END_TEST

int main(void)
{
	TCase *const text = tcase_create("text");

	tcase_add_loop_test(text, test_type_names, 0, (int)(sizeof(types) / sizeof(types[0])));
	tcase_add_loop_test(text, test_source_facts, 0, (int)(sizeof(sources) / sizeof(sources[0])));
	tcase_add_loop_test(text, test_windows, 0, (int)(sizeof(windows) / sizeof(windows[0])));
	tcase_add_loop_test(text, test_tags, 0, (int)(sizeof(tags) / sizeof(tags[0])));
	tcase_add_test(text, test_windows_of_rows);
	tcase_add_test(text, test_objects);
	tcase_add_test(text, test_lines);
	tcase_add_test(text, test_odd_file_name);
	tcase_add_test(text, test_prelude_line);
	return run_case("kernel text", text);
}
