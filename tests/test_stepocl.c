/* test_stepocl.c - hetero-stepocl's descriptions, and its partitioner against one that looks at every
 * element. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "stepocl/partition.h"
#include "suite.h"

/* ---- descriptions ---------------------------------------------------------------------------- */

#define SIZE(x, y) "<arg_size><dim_size>" #x "</dim_size>\n<dim_size>" #y "</dim_size></arg_size>\n"
#define FLOAT "<dataType>float</dataType>\n"
#define OUTPUT_B(rest) "<argument><name>B</name>\n<property>output</property>" FLOAT rest "</argument>\n"
#define INPUT_A(rest) "<argument><name>A</name>\n<property>input</property>" FLOAT rest "</argument>\n"
#define ALONG_X "<point>{-1,0}</point><point>{1,0}</point>\n"
#define ALONG_Y "<point>{0,-1}</point><point>{0,1}</point>"
#define SHADOW "<shadow>" ALONG_X ALONG_Y "</shadow>\n"
#define GLOBAL "<global><g_size>16</g_size><g_size>8</g_size></global>\n"
#define AT_1_1 "<offset><g_offset>1</g_offset><g_offset>1</g_offset></offset>\n"
#define KERNEL "<kernel><name>k.cl</name>" GLOBAL AT_1_1 "</kernel>\n"
#define LINE "<arg_size><dim_size>18</dim_size></arg_size>"
#define LINE_KERNEL "<kernel><name>k.cl</name><global><g_size>16</g_size></global></kernel>\n"
#define GOOD_B OUTPUT_B(SIZE(18, 10))
#define GOOD_A INPUT_A(SIZE(18, 10) SHADOW)
#define ALL(text) "<stepocl>\n" text "</stepocl>\n"

static struct description description;
static struct refusal refusal;

static bool read_text(const char *text)
{
	FILE *const file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	bool good;

	ck_assert_ptr_nonnull(file);
	memset(&refusal, 0, sizeof refusal);
	good = description_read(file, 0, &description, &refusal);
	fclose(file);
	return good;
}

static const struct wrong {
	const char *text;
	int line;
	const char *reason;
} wrong[] = {
	{"hello\n", 1, "not XML"},
	{" ", 1, "not XML"},
	{"<stepocl>\n<argument>\n</stepocl>\n", 3, "not XML: mismatched tag"},
	{ALL(GOOD_B GOOD_A KERNEL) "<more/>", 18, "not XML"},
	{"<project/>", 1, "begins with <stepocl>"},
	{ALL("<argumment/>"), 2, "what is <argumment>"},
	{ALL("<dim_size>4</dim_size>"), 2, "<dim_size> does not belong in <stepocl>"},
	{ALL("\nwords"), 3, "text in <stepocl>: 'words'"},
	{ALL("words <kernel/>"), 2, "text in <stepocl>"},
	{ALL("<kernel speed='high'/>"), 2, "<kernel> has no attributes"},
	{ALL(INPUT_A("<shadow border='mine'/>")), 4, "border=\"kernel\", not border=\"mine\""},
	{ALL(INPUT_A("<shadow border='kernel'\nwidth='2'/>")), 4, "border=\"kernel\", not width=\"2\""},
	{ALL(GOOD_B GOOD_A KERNEL KERNEL), 17, "<kernel> is there twice"},
	{ALL(INPUT_A("<name>A</name>")), 4, "<name> is there twice"},
	{ALL(GOOD_A GOOD_A), 9, "two arguments have the name 'A'"},
	{ALL("<argument><name>1st</name></argument>"), 2, "<name> is a name of letters"},
	{ALL("<argument><name/></argument>"), 2, "<name> is a name of"},
	{ALL("<argument><dataType>float5</dataType></argument>"), 2, "<dataType> is char, uchar"},
	{ALL("<argument><property>both</property></argument>"), 2, "<property> is input or output, not 'both'"},
	{ALL("<argument><cl_mem>2</cl_mem></argument>"), 2, "<cl_mem> is 1"},
	{ALL(INPUT_A("<arg_size><dim_size>4x</dim_size></arg_size>")), 4,
	 "<dim_size> is a whole number below 2^63, not '4x'"},
	{ALL(INPUT_A("<arg_size>\n<dim_size>0</dim_size></arg_size>")), 5,
	 "<dim_size> is a number of 1 or more"},
	{ALL(INPUT_A("<arg_size><dim_size>99999999999999999999</dim_size></arg_size>")), 4, "a whole number"},
	{ALL(INPUT_A("<arg_size><dim_size/></arg_size>")), 4, "a whole number"},
	{ALL(INPUT_A("<arg_size><dim_size>1</dim_size><dim_size>1</dim_size><dim_size>1</dim_size>\n"
		     "<dim_size>1</dim_size></arg_size>")),
	 5, "more than 3 dimensions"},
	{ALL(GOOD_B INPUT_A(SIZE(4611686018427387904, 4)) KERNEL), 7, "more bytes than can be counted"},
	{ALL(GOOD_B INPUT_A(SIZE(1844674407370955161, 2)) KERNEL), 7, "more bytes than can be counted"},
	{ALL("<argument><name>A</name></argument>" GOOD_B KERNEL), 2, "argument 'A' has no <property>"},
	{ALL("\n<argument/>" GOOD_B KERNEL), 3, "an argument without a <name>"},
	{ALL("<argument><name>A</name><property>input</property></argument>" KERNEL), 2, "has no <dataType>"},
	{ALL(GOOD_B INPUT_A("") KERNEL), 7, "argument 'A' has no <arg_size>"},
	{ALL(KERNEL), 0, "no <argument>"},
	{ALL(GOOD_B GOOD_A), 0, "no <kernel>"},
	{ALL(GOOD_B GOOD_A "<kernel>" GLOBAL AT_1_1 "</kernel>"), 14, "the kernel has no <name>"},
	{ALL(GOOD_B GOOD_A "<kernel><name>k.cl</name></kernel>"), 14, "the kernel has no <global> size"},
	{ALL(GOOD_A KERNEL), 0, "no argument is the output"},
	{ALL(GOOD_B OUTPUT_B("") KERNEL), 7, "two arguments have the name 'B'"},
	{ALL(GOOD_B "<argument><name>C</name><property>output</property><dataType>int</dataType>" SIZE(
		 18, 10) "</argument>" KERNEL),
	 7, "'B' and 'C' are two outputs"},
	{ALL(OUTPUT_B(SIZE(18, 10) "<becomes>C</becomes>") GOOD_A KERNEL), 6, "there is no argument 'C'"},
	{ALL(OUTPUT_B(SIZE(18, 10) "<becomes>B</becomes>") GOOD_A KERNEL), 6, "'B' cannot become 'B'"},
	{ALL(OUTPUT_B(SIZE(18, 10) "<becomes>A</becomes>") INPUT_A(SIZE(18, 11) SHADOW) KERNEL), 6,
	 "cannot become"},
	{ALL(GOOD_B INPUT_A(SIZE(18, 10) SHADOW "<becomes>B</becomes>") KERNEL), 13, "'A' is an input"},
	{ALL(OUTPUT_B(SIZE(18, 10) SHADOW) KERNEL), 2, "'B' is the output: shadow points"},
	{ALL(GOOD_B INPUT_A(SIZE(18, 10) "<shadow><point>(1,0)</point></shadow>")), 11, "{x,y}, not '(1,0)'"},
	{ALL(GOOD_B INPUT_A(SIZE(18, 10) "<shadow><point>{1,}</point></shadow>")), 11, "{x,y}"},
	{ALL(GOOD_B INPUT_A(SIZE(18, 10) "<shadow><point>{1,0</point></shadow>")), 11, "{x,y}"},
	{ALL(GOOD_B INPUT_A(SIZE(18, 10) "<shadow><point>{1,0}</point><point>{1}</point></shadow>")), 11,
	 "not the same number"},
	{ALL(GOOD_B INPUT_A(SIZE(18, 10) "<shadow><point>{-2,0}</point></shadow>") KERNEL), 11,
	 "reach outside of 'A' along x (18)"},
	{ALL(GOOD_B INPUT_A(SIZE(18, 10) "<shadow>\n<point>{0,2}</point></shadow>") KERNEL), 12,
	 "reach outside of 'A' along y"},
	{ALL(GOOD_B INPUT_A(SIZE(18, 10) "<shadow border='kernel'><point>{0,10}</point></shadow>") KERNEL), 11,
	 "reach outside of 'A' along y (10)"},
	{ALL(GOOD_B INPUT_A(SIZE(18, 10) "<shadow><point>{-9223372036854775807,0}</point></shadow>") KERNEL),
	 11, "reach outside"},
	{ALL(GOOD_B INPUT_A(SIZE(18, 10) "<shadow><point>{0,0,1}</point></shadow>") KERNEL), 11,
	 "a point of more than 2 dimensions"},
	{ALL(GOOD_B INPUT_A(SIZE(18, 10) "<shadow><point>{0,0,0}</point></shadow>") KERNEL), 11,
	 "a point of more than 2 dimensions"},
	{ALL(GOOD_B INPUT_A(SIZE(18, 10) "<shadow>\n<point>{1}</point></shadow>") KERNEL), 12,
	 "a point of fewer than 2 dimensions"},
	{ALL(OUTPUT_B(LINE) INPUT_A(LINE "<shadow>\n<point>{1,0}</point></shadow>") LINE_KERNEL), 8,
	 "a point of more than 1 dimension"},
	{ALL(OUTPUT_B(SIZE(16, 10)) GOOD_A KERNEL), 2, "work-items lie outside of 'B' along x (16)"},
	{ALL(OUTPUT_B("<arg_size><dim_size>180</dim_size></arg_size>") GOOD_A KERNEL), 2,
	 "'B' has 1 dimension, the kernel's space 2"},
	{ALL(OUTPUT_B(SIZE(18, 10) "<origin><o_size>9</o_size><o_size>0</o_size></origin>") GOOD_A KERNEL), 2,
	 "lie outside of 'B'"},
	{ALL(GOOD_B INPUT_A(SIZE(18, 10) "\n<origin><o_size>0</o_size></origin>") KERNEL), 12,
	 "the <origin> of 'A' has fewer dimensions than it"},
	{ALL(GOOD_B INPUT_A(SIZE(18, 10) SHADOW "<origin/>") KERNEL), 13, "has fewer dimensions than it"},
	{ALL(GOOD_B INPUT_A(SIZE(18, 10) "<origin><o_size>0</o_size><o_size>0</o_size>\n<o_size>0</o_size>"
					 "</origin>") KERNEL),
	 11, "the <origin> of 'A' has more dimensions than it"},
	{ALL(GOOD_B GOOD_A "<kernel><name>k.cl</name>" GLOBAL AT_1_1
			   "<local><l_size>5</l_size><l_size>1</l_size></local></kernel>"),
	 14, "16 work-items are no multiple of"},
	{ALL(GOOD_B GOOD_A "<kernel><name>k.cl</name>" GLOBAL AT_1_1
			   "<local><l_size>4</l_size></local></kernel>"),
	 16, "<local> has fewer dimensions"},
	{ALL(GOOD_B GOOD_A "<kernel><name>k.cl</name>" GLOBAL AT_1_1 "\n<local/></kernel>"), 17,
	 "<local> has fewer dimensions"},
	{ALL(GOOD_B GOOD_A "<kernel><name>k.cl</name>" GLOBAL
			   "<local><l_size>4</l_size><l_size>1</l_size><l_size>1</l_size></local></kernel>"),
	 15, "<local> has more dimensions"},
	{ALL(GOOD_B GOOD_A "<kernel><name>k.cl</name>" GLOBAL
			   "<offset><g_offset>1</g_offset></offset></kernel>"),
	 15, "<offset> has fewer dimensions than <global>"},
	{ALL(GOOD_B GOOD_A "<kernel><name>k.cl</name>" GLOBAL "<offset><g_offset>1</g_offset>"
			   "<g_offset>1</g_offset><g_offset>0</g_offset></offset></kernel>"),
	 15, "<offset> has more dimensions than <global>"},
	{ALL(GOOD_B GOOD_A "<kernel><name>k.cl</name><global><g_size>4</g_size></global>\n" AT_1_1 "</kernel>"),
	 15, "<offset> has more dimensions"},
	{ALL(GOOD_B GOOD_A "<kernel><name>k.cl</name><global><g_size>4611686018427387904</g_size>"
			   "<g_size>4</g_size></global></kernel>"),
	 14, "more work-items than can be counted"},
	{ALL(GOOD_B INPUT_A(SIZE(18, 10)) KERNEL "<iterations>2</iterations>"), 2,
	 "2 iterations, and no input"},
	{ALL(GOOD_B GOOD_A KERNEL "<iterations>-1</iterations>"), 17, "<iterations> is a number of 1 or more"},
	{ALL(GOOD_B GOOD_A KERNEL "<flops>none</flops>"), 17, "<flops> is a number above 0"},
	{ALL(GOOD_B GOOD_A KERNEL "<flops>2e9</flops>"), 17,
	 "<flops> is a number above 0, and at most 1e9, not"},
	{ALL(GOOD_B INPUT_A("<cl_mem>0</cl_mem>" SIZE(1, 1)) KERNEL), 7, "is a number (<cl_mem> 0)"},
	{ALL(GOOD_B INPUT_A("<cl_mem>0</cl_mem><value>much</value>") KERNEL), 7,
	 "no number of type float: 'much'"},
	{ALL(OUTPUT_B("<cl_mem>0</cl_mem>") GOOD_A KERNEL), 2, "it cannot be the output"},
	{ALL(GOOD_B INPUT_A(SIZE(18, 10) SHADOW "<value>1</value>") KERNEL), 13,
	 "'A' is an array (<cl_mem> 1): it has no <value>"},
	{ALL(GOOD_B GOOD_A "<argument><name>n</name><property>input</property>" FLOAT
			   "<cl_mem>0</cl_mem><origin><o_size>0</o_size></origin></argument>" KERNEL),
	 15, "'n' is a number (<cl_mem> 0): it has no <origin>"},
	{ALL(GOOD_B GOOD_A "<argument><name>n</name><property>input</property>" FLOAT
			   "<cl_mem>0</cl_mem><becomes>A</becomes></argument>" KERNEL),
	 15, "'n' is an input: only the output becomes another"},
};

START_TEST(refused)
{
	const struct wrong *const w = &wrong[_i];

	ck_assert_msg(!read_text(w->text), "taken: %s", w->text);
	ck_assert_msg(strstr(refusal.text, w->reason), "\"%s\" instead of \"%s\" for\n%s", refusal.text,
		      w->reason, w->text);
	ck_assert_msg(!strstr(refusal.text, " 1 dimensions"), "%s", refusal.text);
	ck_assert_msg(refusal.line == w->line, "line %d instead of %d of\n%s(%s)", refusal.line, w->line,
		      w->text, refusal.text);
}
END_TEST

START_TEST(taken)
{
	const struct argument *a;

	ck_assert_msg(read_text(ALL(GOOD_B GOOD_A KERNEL "<iterations> 7 </iterations>\n<flops>4</flops>")),
		      "%s", refusal.text);
	ck_assert_int_eq(description.arguments, 2);
	ck_assert_int_eq(description.output, 0);
	ck_assert_int_eq(description.successor, 1);
	ck_assert_int_eq(description.stencil, 1);
	ck_assert_int_eq(description.rank, 2);
	ck_assert_int_eq(description.global[0], 16);
	ck_assert_int_eq(description.offset[1], 1);
	ck_assert_int_eq(description.iterations, 7);
	ck_assert_str_eq(description.function, "k");
	a = &description.argument[1];
	ck_assert_int_eq(a->points, 4);
	ck_assert_int_eq(a->point[0][0], -1);
	ck_assert_int_eq(a->point[3][1], 1);
	ck_assert_int_eq(a->size[0], 18);
	ck_assert_str_eq(a->type->name, "float");
}
END_TEST

/* Every description cut off at every place is refused, and nothing else happens. */
START_TEST(cut_off)
{
	static const char text[] = ALL(GOOD_B GOOD_A KERNEL "<iterations>7</iterations>");
	char part[sizeof text];

	for (size_t length = 1; length < sizeof text - 3; length++) {
		memcpy(part, text, length);
		part[length] = '\0';
		ck_assert(!read_text(part));
		ck_assert(*refusal.text);
	}
}
END_TEST

START_TEST(numbers)
{
	uint64_t value;
	static const struct {
		const char *type, *text;
		bool good;
	} number[] = {{"char", "-128", true},
		      {"char", "128", false},
		      {"uchar", "255", true},
		      {"uchar", "-1", false},
		      {"int", "2147483648", false},
		      {"long", "-9223372036854775808", true},
		      {"uint", "1.5", false},
		      {"ulong", "18446744073709551615", true},
		      {"ulong", "18446744073709551616", false},
		      {"float", "1e39", false},
		      {"double", "1e39", true},
		      {"double", "nan", false},
		      {"float", "", false}};

	for (size_t i = 0; i < sizeof number / sizeof *number; i++)
		ck_assert_msg(type_value(type_named(number[i].type), number[i].text, &value) == number[i].good,
			      "%s %s", number[i].type, number[i].text);
	ck_assert(type_value(type_named("short"), "-2", &value));
	ck_assert_int_eq(type_whole(type_named("short"), &value), -2);
	ck_assert_ptr_null(type_named("half"));
}
END_TEST

/* ---- the partitioner ------------------------------------------------------------------------- */

/* The stencil of the paper: 4096 x 1024 points, 10 to both sides in x, 1 in y. */
static void anisotropic(void)
{
	ck_assert_msg(
		read_text(
			ALL(OUTPUT_B(SIZE(4116, 1026))
				    INPUT_A(SIZE(4116, 1026) "<shadow><point>{-10,0}</point><point>{10,0}</"
							     "point>"
							     "<point>{0,1}</point><point>{0,-1}</point></"
							     "shadow>") "<kernel><name>k.cl</"
									"name><global><g_size>4096</"
									"g_size><g_size>1024</g_size></global>"
									"<offset><g_offset>10</"
									"g_offset><g_offset>1</g_offset></"
									"offset>"
									"<local><l_size>64</l_size><l_size>16</"
									"l_size></local></kernel>"
									"<iterations>50</iterations>")),
		"%s", refusal.text);
}

START_TEST(cut_of_the_paper)
{
	struct partition p;

	anisotropic();
	ck_assert(partition_make(&description, 2, &p));
	ck_assert_int_eq(p.order[0], 1); /* y, then x */
	ck_assert_int_eq(p.order[1], 0);
	ck_assert_int_eq(p.parts[0], 1);
	ck_assert_int_eq(p.parts[1], 2);
	ck_assert_int_eq(p.part[0].write.hi[1], 513);
	ck_assert_int_eq(p.part[0].read.lo[0], 0);
	ck_assert_int_eq(p.part[0].read.hi[1], 514);
	ck_assert_int_eq(p.part[1].read.lo[1], 512);
	ck_assert_int_eq(4 * (partition_sent(&description, &p.part[0], &p.part[1]) +
			      partition_sent(&description, &p.part[1], &p.part[0])),
			 32768);
	partition_free(&p);
}
END_TEST

/* The same cut along x costs 81920 bytes. */
START_TEST(cut_along_x)
{
	struct partition p;

	anisotropic();
	description.global[1] = 1; /* nothing to be cut along y */
	description.local[1] = 1;
	ck_assert(partition_make(&description, 2, &p));
	ck_assert_int_eq(p.parts[0], 2);
	ck_assert_int_eq(4 * 2 * 1024 * partition_sent(&description, &p.part[0], &p.part[1]), 81920);
	partition_free(&p);
}
END_TEST

/* What is read whole leads every part to all that the others write. */
START_TEST(read_whole)
{
	struct partition p;

	ck_assert_msg(read_text(ALL(OUTPUT_B(SIZE(18, 10) "<becomes>A</becomes>") INPUT_A(SIZE(18, 10)) KERNEL
				    "<iterations>3</iterations>")),
		      "%s", refusal.text);
	ck_assert(partition_make(&description, 4, &p));
	ck_assert_int_eq(p.order[0], 1);
	ck_assert_int_eq(p.count, 4);
	for (int from = 0; from < 4; from++) {
		ck_assert_int_eq(p.part[from].read.lo[0], 0);
		ck_assert_int_eq(p.part[from].read.hi[0], 18);
		ck_assert_int_eq(p.part[from].read.hi[1], 10);
		for (int to = 0; to < 4; to++)
			ck_assert_int_eq(partition_sent(&description, &p.part[from], &p.part[to]),
					 from == to ? 0 : 16 * 8 / 4);
	}
	partition_free(&p);
}
END_TEST

static void choose(int64_t gx, int64_t gy, int first, int devices, int wanted, int px, int py)
{
	const int64_t groups[MOST_RANK] = {gx, gy, 1};
	const int order[MOST_RANK] = {first, 1 - first, 2};
	int parts[MOST_RANK];

	ck_assert_int_eq(partition_choose(2, groups, order, devices, FEWER_PARTS, parts), wanted);
	ck_assert_int_eq(parts[0], px);
	ck_assert_int_eq(parts[1], py);
}

START_TEST(grids)
{
	choose(4, 3, 1, 2, 2, 2, 1);    /* 3 rows of groups cannot be halved */
	choose(4, 3, 1, 12, 12, 4, 3);  /* all that the paper's first figure allows */
	choose(4, 3, 1, 13, 12, 4, 3);  /* one device less */
	choose(4, 3, 1, 100, 12, 4, 3); /* 88 less */
	choose(64, 16, 1, 32, 32, 2, 16);
	choose(64, 16, 0, 32, 32, 32, 1);
	choose(7, 5, 0, 3, 1, 1, 1); /* 3, 2, 1 */
	choose(1, 1, 0, 1024, 1, 1, 1);
}
END_TEST

/* ---- against every element ------------------------------------------------------------------- */

enum { WIDE = 12 };

static void random_description(void)
{
	struct argument *const a = &description.argument[1], *const b = &description.argument[0];

	memset(&description, 0, sizeof description);
	description.arguments = 2;
	description.rank = random_in(1, 3);
	description.stencil = description.successor = 1;
	description.grouped = true;
	a->property = INPUT;
	a->has_shadow = random_in(0, 7) != 0;
	a->points = a->has_shadow ? random_in(0, 6) : 0;
	for (int d = 0; d < description.rank; d++) {
		description.local[d] = random_in(1, 2);
		description.global[d] = description.local[d] * random_in(1, 4);
		description.offset[d] = random_in(0, 2);
		a->origin[d] = b->origin[d] = random_in(0, 1);
		a->size[d] = b->size[d] =
			description.global[d] + description.offset[d] + a->origin[d] + random_in(0, 1);
		for (int p = 0; p < a->points; p++)
			a->point[p][d] = random_in(-3, 3);
	}
	a->rank = b->rank = description.rank;
	a->type = b->type = type_named("float");
}

static bool is_in(const struct zone *zone, const int64_t *at)
{
	for (int d = 0; d < MOST_RANK; d++)
		if (at[d] < zone->lo[d] || at[d] >= zone->hi[d])
			return false;
	return true;
}

/* Does the step lead a work-item of the part to this element? */
static bool leads(const struct part *part, const int64_t *step, const int64_t *at)
{
	int64_t item[MOST_RANK] = {0};

	for (int d = 0; d < description.rank; d++)
		item[d] = at[d] - description.argument[1].origin[d] - step[d];
	return is_in(&part->range, item);
}

/* Does a work-item of the part read this element, beside its own? */
static bool reads(const struct part *part, const int64_t *at)
{
	const struct argument *const a = &description.argument[1];

	for (int p = 0; p < a->points; p++)
		if (leads(part, a->point[p], at))
			return true;
	return !a->has_shadow;
}

static bool is_in_array(const int64_t *at)
{
	for (int d = 0; d < description.rank; d++)
		if (at[d] >= description.argument[1].size[d])
			return false;
	return true;
}

static void next_element(int64_t *at)
{
	for (int d = 0; d < MOST_RANK; d++) {
		if (++at[d] < (d < description.rank ? WIDE : 1))
			return;
		at[d] = 0;
	}
	at[0] = -1;
}

/* What a part reads, its own elements among it, lies in the box, and on each of its sides. */
static void compare_box(const struct part *part)
{
	static const int64_t nowhere[MOST_RANK];
	int64_t lo[MOST_RANK] = {WIDE, WIDE, WIDE}, hi[MOST_RANK] = {0};

	for (int64_t at[MOST_RANK] = {0}; at[0] >= 0; next_element(at)) {
		if (!is_in_array(at) || (!reads(part, at) && !leads(part, nowhere, at)))
			continue;
		for (int d = 0; d < MOST_RANK; d++) {
			lo[d] = at[d] < lo[d] ? at[d] : lo[d];
			hi[d] = at[d] >= hi[d] ? at[d] + 1 : hi[d];
		}
	}
	for (int d = 0; d < MOST_RANK; d++)
		if (part->read.lo[d] != lo[d] || part->read.hi[d] != hi[d])
			ck_abort_msg("part %d reads [%lld, %lld) instead of [%lld, %lld) in dimension %d",
				     part->id, (long long)part->read.lo[d], (long long)part->read.hi[d],
				     (long long)lo[d], (long long)hi[d], d);
}

/* Each element of the space is written by one part, and what is sent is what one writes and the other reads. */
static void compare(const struct partition *p)
{
	int64_t sent[64][64] = {{0}}, written = 0, items = 1;

	for (int64_t at[MOST_RANK] = {0}; at[0] >= 0; next_element(at)) {
		int from = -1;
		for (int i = 0; i < p->count; i++)
			if (is_in(&p->part[i].write, at)) {
				ck_assert_int_eq(from, -1);
				from = i;
			}
		written += from >= 0;
		for (int to = 0; to < p->count; to++)
			if (from >= 0 && to != from)
				sent[from][to] += reads(&p->part[to], at);
	}
	for (int d = 0; d < description.rank; d++)
		items *= description.global[d];
	ck_assert_int_eq(written, items);
	for (int from = 0; from < p->count; from++)
		for (int to = 0; to < p->count; to++)
			if (partition_sent(&description, &p->part[from], &p->part[to]) != sent[from][to])
				ck_abort_msg(
					"%d to %d: %lld instead of %lld", from, to,
					(long long)partition_sent(&description, &p->part[from], &p->part[to]),
					(long long)sent[from][to]);
}

START_TEST(random_partitions)
{
	random_start("random_partitions");
	for (int n = 0; n < random_rounds(1000); n++) {
		struct partition p;
		random_description();
		ck_assert(partition_make(&description, random_in(1, 64), &p));
		ck_assert_int_eq(p.count, p.parts[0] * p.parts[1] * p.parts[2]);
		for (int i = 0; i < p.count; i++) {
			ck_assert_int_eq(p.part[i].id, i);
			compare_box(&p.part[i]);
		}
		compare(&p);
		partition_free(&p);
	}
}
END_TEST

int main(void)
{
	TCase *const all = tcase_create("stepocl");

	tcase_set_timeout(all, 60);
	tcase_add_loop_test(all, refused, 0, (int)(sizeof wrong / sizeof *wrong));
	tcase_add_test(all, taken);
	tcase_add_test(all, cut_off);
	tcase_add_test(all, numbers);
	tcase_add_test(all, cut_of_the_paper);
	tcase_add_test(all, cut_along_x);
	tcase_add_test(all, read_whole);
	tcase_add_test(all, grids);
	tcase_add_test(all, random_partitions);
	return run_case("stepocl", all);
}
