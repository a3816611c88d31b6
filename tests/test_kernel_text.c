/* test_kernel_text.c - what the kernel room reads and writes without OpenCL: types, sources, cache files. */
#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "kernel/cache.h"
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
	/* not known */
	{"", 0},                    {"float5", 0},
	{"float32", 0},             {"float02", 0},
	{"pair", 0},                {"struct pair*", 0},
	{"float**", 0},             {"void*", 0},
	{"int[3]", 0},              {"bool", 0},
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
	int count; /* of arguments */
} windows[] = {
	{"x", "het_window", "x_window", 1},
	{"x", "struct het_window", "x_window", 1},
	{"x", "const het_window", "x_window", 1},
	{"x", "const struct het_window", "x_window", 1},
	{"x", "struct const_het_window", "x_window", 2},
	{"x", "het_window*", "x_window", 2},
	{"x", "constant", "x_window", 2},
	{"x", "het_window", "y_window", 2},
	{"x", "het_window", "x_windows", 2},
	{"x", "het_window", "x", 2},
	/* of 56, 57 and 63 characters, at which names are cut */
#define FIFTY "a_name_of_which_there_are_many_letters_up_to_fifty__"
	{FIFTY "2345", "het_window", FIFTY "2345_window", 1},
	{FIFTY "23456", "het_window", FIFTY "23456_windo", 1},
	{FIFTY "23456", "het_window", FIFTY "23456_wide_", 2},
	{FIFTY "23456789abc", "het_window", FIFTY "23456789abc", 1},
	{FIFTY "23456789abc", "het_window", FIFTY "23456789abd", 2},
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
	ck_assert_msg(signature->count == windows[_i].count, "%s and %s %s: %d arguments", windows[_i].name,
		      windows[_i].type, windows[_i].window, signature->count);
	ck_assert_int_eq(het__signature_slots(signature), 2);
	het__free(signature);
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

/* A log in which the compiler counts the lines of what it got. */
static void assert_log(const het_kernel *kernel, unsigned long line, const char *want)
{
	char log[64];
	char *named;

	snprintf(log, sizeof(log), "input.cl:%lu:3: error", line);
	named = het__log_named(kernel, log);
	ck_assert_str_eq(named, want);
	het__free(named);
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

/* ---- cache files ---- */

static char folder[] = "/tmp/hetero-test-XXXXXX";
static char path[512]; /* of the one entry in the folder */

static const struct het__cache_key key = {.kernel = "k", .source = "source", .options = "-DX",
                                          .platform = "p", .device = "d", .driver = "1"};

static const unsigned char binary[] = {1, 2, 3, 0, 5, 255, 7};

/* The name of a file in the folder; the number of files. */
static int list_folder(char *name, size_t bytes)
{
	DIR *const dir = opendir(folder);
	int count = 0;

	ck_assert_ptr_nonnull(dir);
	for (struct dirent *e; (e = readdir(dir));) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(name, bytes, "%s/%s", folder, e->d_name);
		count++;
	}
	closedir(dir);
	return count;
}

static void make_folder(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void remove_folder(void)
{
	char name[512];

	while (list_folder(name, sizeof(name)) > 0)
		ck_assert_int_eq(unlink(name), 0);
	ck_assert_int_eq(rmdir(folder), 0);
}

/* An entry with `params` parameters. */
static struct het__cache_entry new_entry(int params)
{
	struct het__cache_entry entry = {.binary_bytes = sizeof(binary)};

	entry.signature = het__signature_new(params);
	entry.binary = het__alloc(sizeof(binary));
	ck_assert(entry.signature && entry.binary);
	memcpy(entry.binary, binary, sizeof(binary));
	for (int i = 0; i < params; i++) {
		entry.signature->param[i].kind = HET__PARAM_BUFFER;
		entry.signature->param[i].align_bytes = (size_t)(i + 1);
		snprintf(entry.signature->param[i].name, sizeof(entry.signature->param[i].name), "arg%d", i);
	}
	return entry;
}

static void drop_entry(struct het__cache_entry *entry)
{
	het__free(entry->binary);
	het__free(entry->signature);
}

static void assert_entry(const struct het__cache_entry *got, int params)
{
	struct het__cache_entry want = new_entry(params);

	ck_assert_uint_eq(got->binary_bytes, want.binary_bytes);
	ck_assert_mem_eq(got->binary, want.binary, want.binary_bytes);
	ck_assert_int_eq(got->signature->count, params);
	ck_assert_mem_eq(got->signature->param, want.signature->param,
	                 (size_t)params * sizeof(struct het__param));
	drop_entry(&want);
}

static void store(const struct het__cache_key *k, int params)
{
	struct het__cache_entry entry = new_entry(params);

	ck_assert(het__cache_store(NULL, HET_LOG_WARN, folder, k, &entry));
	drop_entry(&entry);
}

static bool loads(const struct het__cache_key *k, int params)
{
	struct het__cache_entry entry;

	if (!het__cache_load(NULL, folder, k, &entry))
		return false;
	assert_entry(&entry, params);
	drop_entry(&entry);
	return true;
}

START_TEST(test_entry_comes_back)
{
	ck_assert(!loads(&key, 0));
	store(&key, 0);
	ck_assert(loads(&key, 0));
	store(&key, 3); /* replaces it */
	ck_assert(loads(&key, 3));
	ck_assert_int_eq(list_folder(path, sizeof(path)), 1);
}
END_TEST

/* Every part of the key counts, and no two parts run into each other. */
START_TEST(test_key_is_compared_whole)
{
	struct het__cache_key other[8];

	for (int i = 0; i < 8; i++)
		other[i] = key;
	other[0].kernel = "k2";
	other[1].source = "source2";
	other[2].options = "-DY";
	other[3].platform = "q";
	other[4].device = "e";
	other[5].driver = "2";
	other[6].kernel = "k-DX";
	other[6].options = "";
	other[7].kernel = "";
	other[7].options = "k-DX";
	store(&key, 1);
	for (int i = 0; i < 8; i++)
		ck_assert_msg(!loads(&other[i], 1), "key %d found another's entry", i);
	for (int i = 0; i < 8; i++)
		store(&other[i], i + 2);
	for (int i = 0; i < 8; i++)
		ck_assert(loads(&other[i], i + 2));
	ck_assert(loads(&key, 1));
	ck_assert_int_eq(list_folder(path, sizeof(path)), 9);
}
END_TEST

/* A file that was renamed by hand, or a collision of the hash: whole and sound, but not ours. */
START_TEST(test_entry_of_another_key_is_refused)
{
	struct het__cache_key other = key;
	char mine[512], aside[64];

	snprintf(aside, sizeof(aside), "%s/.aside", folder);
	other.source = "sourcf";
	store(&key, 1);
	ck_assert_int_eq(list_folder(mine, sizeof(mine)), 1);
	ck_assert_int_eq(rename(mine, aside), 0);
	store(&other, 1);
	ck_assert_int_eq(list_folder(path, sizeof(path)), 1);
	ck_assert_int_eq(rename(aside, path), 0);
	ck_assert(!loads(&other, 1));
	ck_assert(!loads(&key, 1));
}
END_TEST

static size_t read_entry(char *data, size_t room)
{
	FILE *const file = fopen(path, "r");
	size_t bytes;

	ck_assert_ptr_nonnull(file);
	bytes = fread(data, 1, room, file);
	ck_assert(bytes > 0 && bytes < room);
	fclose(file);
	return bytes;
}

static void write_entry(const char *data, size_t bytes)
{
	FILE *const file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(data, 1, bytes, file), bytes);
	ck_assert_int_eq(fclose(file), 0);
}

START_TEST(test_no_damage_goes_unseen)
{
	static char data[4096], bad[4097];
	size_t bytes;

	store(&key, 2);
	ck_assert_int_eq(list_folder(path, sizeof(path)), 1);
	bytes = read_entry(data, sizeof(data));
	for (size_t i = 0; i < bytes; i++) {
		write_entry(data, i);
		ck_assert_msg(!loads(&key, 2), "cut to %zu of %zu bytes", i, bytes);
		for (int bit = 0; bit < 8; bit++) {
			memcpy(bad, data, bytes);
			bad[i] = (char)(bad[i] ^ (1 << bit));
			write_entry(bad, bytes);
			ck_assert_msg(!loads(&key, 2), "bit %d of byte %zu of %zu flipped", bit, i, bytes);
		}
	}
	memcpy(bad, data, bytes);
	bad[bytes] = 0;
	write_entry(bad, bytes + 1);
	ck_assert(!loads(&key, 2));
	write_entry(data, bytes);
	ck_assert(loads(&key, 2));
}
END_TEST

/* What is no file at all neither hangs nor crashes a load. */
START_TEST(test_odd_files)
{
	store(&key, 1);
	ck_assert_int_eq(list_folder(path, sizeof(path)), 1);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert(!loads(&key, 1));
	store(&key, 1); /* takes its place */
	ck_assert(loads(&key, 1));
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	ck_assert(!loads(&key, 1));
	ck_assert_int_eq(rmdir(path), 0);
}
END_TEST

START_TEST(test_nowhere_to_keep)
{
	struct het__cache_entry entry = new_entry(1);

	ck_assert(!het__cache_store(NULL, HET_LOG_WARN, "/nonexistent/hetero", &key, &entry));
	ck_assert(!het__cache_load(NULL, "/nonexistent/hetero", &key, &entry));
	drop_entry(&entry);
}
END_TEST

/* Each allocation fails in turn: the answer is no, never a crash, and no half file stays. */
START_TEST(test_without_memory)
{
	struct het__cache_entry entry = new_entry(2);
	long after = 0;

	for (; after < 100; after++) {
		bool kept;

		het__alloc_fail_after(after, 0);
		kept = het__cache_store(NULL, HET_LOG_WARN, folder, &key, &entry);
		het__alloc_fail_after(-1, 0);
		if (kept)
			break;
		ck_assert_int_eq(list_folder(path, sizeof(path)), 0);
	}
	ck_assert_int_gt(after, 0);
	ck_assert_int_lt(after, 100);
	drop_entry(&entry);
	for (after = 0; after < 100; after++) {
		bool found;

		het__alloc_fail_after(after, 0);
		found = het__cache_load(NULL, folder, &key, &entry);
		het__alloc_fail_after(-1, 0);
		if (found)
			break;
	}
	ck_assert_int_gt(after, 1);
	ck_assert_int_lt(after, 100);
	assert_entry(&entry, 2);
	drop_entry(&entry);
}
END_TEST

static void write_and_read(int rounds)
{
	for (int i = 0; i < rounds; i++) {
		struct het__cache_entry entry = new_entry(3);

		if (!het__cache_store(NULL, HET_LOG_WARN, folder, &key, &entry))
			_exit(1);
		drop_entry(&entry);
		if (!loads(&key, 3))
			_exit(2);
	}
	_exit(0);
}

/* While others replace the entry, every load finds a whole one. */
START_TEST(test_many_processes)
{
	pid_t child[4];

	for (int i = 0; i < 4; i++) {
		child[i] = fork();
		ck_assert_int_ge(child[i], 0);
		if (child[i] == 0)
			write_and_read(200);
	}
	for (int i = 0; i < 4; i++) {
		int status = -1;

		ck_assert_int_eq(waitpid(child[i], &status, 0), child[i]);
		ck_assert_msg(status == 0, "process %d ended with %#x", i, (unsigned)status);
	}
	ck_assert_int_eq(list_folder(path, sizeof(path)), 1);
}
END_TEST

int main(void)
{
	Suite *const suite = suite_create("kernel text");
	TCase *const text = tcase_create("text"), *const files = tcase_create("files");

	tcase_add_loop_test(text, test_type_names, 0, (int)(sizeof(types) / sizeof(types[0])));
	tcase_add_loop_test(text, test_source_facts, 0, (int)(sizeof(sources) / sizeof(sources[0])));
	tcase_add_loop_test(text, test_windows, 0, (int)(sizeof(windows) / sizeof(windows[0])));
	tcase_add_test(text, test_lines);
	tcase_add_test(text, test_prelude_line);
	suite_add_tcase(suite, text);
	tcase_add_checked_fixture(files, make_folder, remove_folder);
	tcase_set_timeout(files, 60);
	tcase_add_test(files, test_entry_comes_back);
	tcase_add_test(files, test_key_is_compared_whole);
	tcase_add_test(files, test_entry_of_another_key_is_refused);
	tcase_add_test(files, test_no_damage_goes_unseen);
	tcase_add_test(files, test_odd_files);
	tcase_add_test(files, test_nowhere_to_keep);
	tcase_add_test(files, test_without_memory);
	tcase_add_test(files, test_many_processes);
	suite_add_tcase(suite, files);
	return run_suite(suite);
}
