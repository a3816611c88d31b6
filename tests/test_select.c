/* test_select.c - selection strings, drivers' policies and verdicts kept on disk: what needs no OpenCL. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/folder.h"
#include "platforms.h"
#include "suite.h"
#include "system/proof.h"
#include "system/select.h"
#include "system/verdict.h"

/* ---- a made-up machine ------------------------------------------------------------------------- */

#define CUTTABLE                                                                                               \
	{                                                                                                      \
		.compute_units = 8, .max_parts = 8, .can_part_equally = true                                   \
	}
#define WHOLE                                                                                                  \
	{                                                                                                      \
		.compute_units = 132                                                                           \
	}

static const struct het__driver cuts = {.short_name = "pocl", .can_cut = true};
static const struct het__driver never_cuts = {.short_name = "rusticl"};

static struct het__found_platform platforms[] = {
	{.name = (char *)"Portable Computing Language", .label = (char *)"pocl", .driver = &cuts},
	{.name = (char *)"NVIDIA CUDA", .label = (char *)"nvidia", .driver = &never_cuts},
	{.name = (char *)"rusticl", .label = (char *)"rusticl", .driver = &never_cuts},
	{.name = (char *)"Portable Computing Language", .label = (char *)"pocl-2", .driver = &cuts},
	{.name = (char *)"Mesa", .label = (char *)"mesa", .driver = &never_cuts}, /* without devices */
};

static struct het__found_device devices[] = {
	{.platform = 0,
         .kind = "cpu",
         .name = (char *)"pocl:cpu0",
         .hardware = (char *)"pthread-EPYC 7",
         .usable = true,
         .facts = CUTTABLE},
	{.platform = 1,
         .kind = "gpu",
         .name = (char *)"nvidia:gpu0",
         .hardware = (char *)"NVIDIA H200",
         .usable = true,
         .facts = WHOLE},
	{.platform = 1,
         .kind = "gpu",
         .name = (char *)"nvidia:gpu1",
         .hardware = (char *)"NVIDIA T4",
         .usable = false,
         .facts = WHOLE},
	{.platform = 1,
         .kind = "gpu",
         .name = (char *)"nvidia:gpu2",
         .hardware = (char *)"NVIDIA H200",
         .usable = true,
         .facts = WHOLE},
	{.platform = 2,
         .kind = "cpu",
         .name = (char *)"rusticl:cpu0",
         .hardware = (char *)"llvmpipe (LLVM 15.0.6)",
         .usable = true,
         .facts = CUTTABLE},
	{.platform = 3,
         .kind = "cpu",
         .name = (char *)"pocl-2:cpu0",
         .hardware = (char *)"pthread-EPYC 7",
         .usable = true,
         .facts = CUTTABLE},
};

static const struct het__found machine = {
	.platforms = platforms, .platform_count = 5, .devices = devices, .device_count = 6};

/* The names of what a selection chooses, with blanks between; the error's text after a failure. */
static const char *chosen(const char *selection)
{
	static char text[1024];
	struct het__choices choices;
	char name[64];

	text[0] = '\0';
	if (het__select(&machine, selection, &choices) != HET_OK) {
		ck_assert_int_eq(het_error_last().status, HET_ERR_SELECTION);
		snprintf(text, sizeof text, "error: %s", het_message());
	} else {
		for (int i = 0; i < choices.count; i++) {
			het__choice_name(&machine, &choices.at[i], name, sizeof name);
			strcat(strcat(text, i ? " " : ""), name);
		}
	}
	het__free(choices.at);
	return text;
}

#define ALL         "pocl:cpu0 nvidia:gpu0 nvidia:gpu2 rusticl:cpu0 pocl-2:cpu0"
#define PARTS_OF(d) d ".0/2 " d ".1/2 " d ".2/2 " d ".3/2"

static const struct {
	const char *selection, *expected;
} good[] = {
	{NULL, ALL},
	{"*", ALL},
	{"cpu", "pocl:cpu0 rusticl:cpu0 pocl-2:cpu0"},
	{"GPU", "nvidia:gpu0 nvidia:gpu2"},
	{"gpu2", "nvidia:gpu2"},
	{"gpu0,cpu0", "nvidia:gpu0 pocl:cpu0 rusticl:cpu0 pocl-2:cpu0"},
	{" nvidia : gpu0 , pocl:cpu ", "nvidia:gpu0 pocl:cpu0"},
	{"nvidia:*", "nvidia:gpu0 nvidia:gpu2"},
	{"*0", "pocl:cpu0 nvidia:gpu0 rusticl:cpu0 pocl-2:cpu0"},
	{"nvidia:*2", "nvidia:gpu2"},
	{"rusticl", "rusticl:cpu0"},
	{"POCL", "pocl:cpu0"},
	{"pocl-2, gpu0", "pocl-2:cpu0 nvidia:gpu0"},
	{"pocl/2", PARTS_OF("pocl:cpu0")},
	{"nvidia", "nvidia:gpu0 nvidia:gpu2"},
	{"computing:*", "pocl:cpu0 pocl-2:cpu0"},
	{"pocl-2:cpu0", "pocl-2:cpu0"},
	{"Pocl-2:*", "pocl-2:cpu0"},
	{"h200", "nvidia:gpu0 nvidia:gpu2"},
	{"nvidia h2000", "nvidia:gpu0"}, /* no device is called H2000: number 0 of the H200 */
	{"NVIDIA2", "nvidia:gpu2"},
	{"llvmpipe0", "rusticl:cpu0"},
	{"EPYC", "pocl:cpu0 pocl-2:cpu0"},
	{"EPYC,*,EPYC", "pocl:cpu0 pocl-2:cpu0 nvidia:gpu0 nvidia:gpu2 rusticl:cpu0"},
	{"pocl:cpu/2", PARTS_OF("pocl:cpu0")},
	{" pocl : cpu / 2 ", PARTS_OF("pocl:cpu0")},
	{"EPYC/2", PARTS_OF("pocl:cpu0") " " PARTS_OF("pocl-2:cpu0")},
	{"pocl:cpu0/8", "pocl:cpu0.0/8"},
	{"cpu/8", "pocl:cpu0.0/8 rusticl:cpu0 pocl-2:cpu0.0/8"}, /* what cannot be cut is taken whole */
	{"gpu/1,gpu", "nvidia:gpu0 nvidia:gpu2"},
	{"*/8", "pocl:cpu0.0/8 nvidia:gpu0 nvidia:gpu2 rusticl:cpu0 pocl-2:cpu0.0/8"},
	{"pocl:cpu0.5", "pocl:cpu0.5"},
	{"pocl:cpu0.5,pocl:cpu0.5/1,pocl:cpu0.1/4", "pocl:cpu0.5 pocl:cpu0.1/4"},
	{"pocl:cpu0.7,pocl:cpu0", "pocl:cpu0.7 pocl:cpu0"},
	{"0", "pocl:cpu0"}, /* a number alone: as het_open without a selection counts them */
	{"2,1", "nvidia:gpu2 nvidia:gpu0"},
	{"nvidia:0, rusticl:0", "nvidia:gpu0 rusticl:cpu0"},
	{"nvidia:2", "nvidia:gpu2"},
	{"4/1", "pocl-2:cpu0.0 pocl-2:cpu0.1 pocl-2:cpu0.2 pocl-2:cpu0.3 pocl-2:cpu0.4 pocl-2:cpu0.5 "
		"pocl-2:cpu0.6 pocl-2:cpu0.7"},
	{"7", "pocl:cpu0 pocl-2:cpu0"}, /* there are not so many: part of a name */
	{"200", "nvidia:gpu0 nvidia:gpu2"},
	{"pocl-2:7", "pocl-2:cpu0"},
};

START_TEST(test_select__good)
{
	const char *const found = chosen(good[_i].selection);

	ck_assert_msg(strcmp(found, good[_i].expected) == 0, "'%s': %s", good[_i].selection, found);
}
END_TEST

static const struct {
	const char *selection, *part_of_text;
} bad[] = {
	{"", "names no device"},
	{",", "a term of ',' is empty, which names no device"},
	{"cpu,", "a term of 'cpu,' is empty"},
	{"pocl:", "'pocl:' names no device"},
	{" :cpu", "':cpu' has no platform"},
	{"cpu/", "'cpu/' needs a number"},
	{"cpu/0", "needs a number"},
	{"cpu/two", "needs a number"},
	{"cpu/1x", "needs a number"},
	{"cpu/9999999999", "needs a number"},
	{"/2", "names no device"},
	{"accelerator", "nothing matches 'accelerator'; there is: pocl:cpu0 (pthread-EPYC 7), nvidia:gpu0"},
	{"gpu1", "nvidia:gpu1 (NVIDIA T4; not usable)"},
	{"T4", "nothing matches 'T4'"},
	{"cpu7", "nothing matches 'cpu7'"},
	{"mesa", "; platform 'Mesa' offers no device (RUSTICL_ENABLE names the Mesa drivers"},
	{"mesa:gpu0", "; platform 'Mesa' offers no device (RUSTICL_ENABLE"},
	{"amd:gpu", "nothing matches 'amd:gpu'"},
	{"rusticl/1", "rusticl:cpu0 cannot be cut"},
	{"rusticl0", "nothing matches 'rusticl0'"},
	{"rusticl:cpu/1", "rusticl:cpu0 cannot be cut"},
	{"gpu0/1", "nvidia:gpu0 cannot be cut"},
	{"nvidia:*/1", "nvidia:gpu0 cannot be cut"},
	{"H200/1", "nvidia:gpu0 cannot be cut"},
	{"pocl:cpu0/9", "8 compute units"},
	{"pocl:cpu0.8", "8 compute units, which make 8 parts of 1"},
	{"pocl:cpu0.4/2", "make 4 parts of 2"},
	{"pocl:cpu0.", "nothing matches"},
	{"pocl:cpu0.1.2", "nothing matches"},
	{"9", "nothing matches '9'"},
	{"15", "nothing matches '15'; there is: pocl:cpu0"}, /* there are not so many: not LLVM 15.0.6, */
	{"6", "nothing matches '6'"},
	{"20", "nothing matches '20'"}, /* nor H200, */
	{"nvidia:4", "nothing matches 'nvidia:4'"}, /* nor T4 */
	{"nvidia:7", "nothing matches 'nvidia:7'"},
	{"20/1", "nothing matches"},
	{"nvidia:1", "nvidia:gpu1 (NVIDIA T4; not usable)"},
	{"2/1", "nvidia:gpu2 cannot be cut"},
};

START_TEST(test_select__bad)
{
	const char *const found = chosen(bad[_i].selection);

	ck_assert_msg(strncmp(found, "error: ", 7) == 0 && strstr(found, bad[_i].part_of_text), "'%s': %s",
	              bad[_i].selection, found);
}
END_TEST

/* Whatever a selection's text, its stable names select the same devices again, one by one. */
START_TEST(test_select__names_are_stable)
{
	struct het__choices all, one;
	char name[64];

	ck_assert_int_eq(het__select(&machine, "*,EPYC/2,EPYC/1", &all), HET_OK);
	ck_assert_int_eq(all.count, 5 + 8 + 16);
	for (int i = 0; i < all.count; i++) {
		het__choice_name(&machine, &all.at[i], name, sizeof name);
		ck_assert_int_eq(het__select(&machine, name, &one), HET_OK);
		ck_assert_int_eq(one.count, 1);
		ck_assert_int_eq(one.at[0].device, all.at[i].device);
		ck_assert_int_eq(one.at[0].part, all.at[i].part);
		ck_assert_uint_eq(one.at[0].units, all.at[i].units);
		het__free(one.at);
	}
	het__free(all.at);
}
END_TEST

START_TEST(test_select__memory_runs_out)
{
	struct het__choices choices;
	long allowed = 0, asked;

	do {
		het__alloc_fail_after(allowed, 0);
		const het_status status = het__select(&machine, "*,EPYC/1", &choices);
		asked = het__alloc_fail_after(-1, 0);
		het__free(choices.at);
		ck_assert_int_eq(status, asked > allowed ? HET_ERR_MEMORY : HET_OK);
	} while (asked > allowed++);
	ck_assert_int_gt(allowed, 3);
}
END_TEST

/* ---- drivers ----------------------------------------------------------------------------------- */

START_TEST(test_driver__table)
{
	const struct het__driver *driver = het__driver_of("Portable Computing Language");

	ck_assert_str_eq(driver->short_name, "pocl");
	ck_assert(driver->flush == HET__FLUSH_LAZY && driver->one_context && driver->can_cut);
	driver = het__driver_of("rusticl");
	ck_assert(driver->flush == HET__FLUSH_EAGER && !driver->can_cut && driver->clock_wrong);
	driver = het__driver_of("Oclgrind");
	ck_assert(driver->flush == HET__FLUSH_EAGER && driver->runs_in_caller);
	driver = het__driver_of("NVIDIA CUDA");
	ck_assert(!driver->one_context && driver->waits_spin);
	ck_assert_str_eq(het__driver_of("Intel(R) OpenCL")->short_name, "intel");
	ck_assert_str_eq(het__driver_of("Intel(R) OpenCL Graphics")->short_name, "intelgpu");
	driver = het__driver_of("Something New");
	ck_assert(!driver->match && driver->flush == HET__FLUSH_EAGER && !driver->one_context);
}
END_TEST

/* ---- the cache folder -------------------------------------------------------------------------- */

START_TEST(test_folder)
{
	char path[512], expected[512], tiny[8];

	snprintf(expected, sizeof expected, "%s/a/b/c", het_test_folder());
	setenv("HETERO_CACHE", expected, 1);
	ck_assert_str_eq(het__cache_folder(path, sizeof path), expected);
	ck_assert_str_eq(het__cache_folder(path, sizeof path), expected);
	ck_assert_ptr_null(het__cache_folder(tiny, sizeof tiny));
	ck_assert_int_eq(errno, ENAMETOOLONG);
	ck_assert(tiny[0] && strncmp(tiny, expected, strlen(tiny)) == 0);
	setenv("HETERO_CACHE", "off", 1);
	ck_assert_ptr_null(het__cache_folder(path, sizeof path));
	unsetenv("HETERO_CACHE");
	setenv("HOME", het_test_folder(), 1);
	setenv("XDG_CACHE_HOME", "relative", 1);
	snprintf(expected, sizeof expected, "%s/.cache/hetero", het_test_folder());
	ck_assert_str_eq(het__cache_folder(path, sizeof path), expected);
	setenv("XDG_CACHE_HOME", het_test_folder(), 1);
	snprintf(expected, sizeof expected, "%s/hetero", het_test_folder());
	ck_assert_str_eq(het__cache_folder(path, sizeof path), expected);
	unsetenv("HOME");
	unsetenv("XDG_CACHE_HOME");
	ck_assert_ptr_null(het__cache_folder(path, sizeof path));
	setenv("HETERO_CACHE", het_test_file("plain", "not a folder"), 1);
	ck_assert_ptr_null(het__cache_folder(path, sizeof path));
}
END_TEST

/* ---- verdicts ---------------------------------------------------------------------------------- */

/* The one file in the cache folder; fails the test when there are more. */
static FILE *open_only_file(const char *mode)
{
	char command[600], path[512] = "";
	FILE *list;

	snprintf(command, sizeof command, "find '%s' -type f", getenv("HETERO_CACHE"));
	list = popen(command, "r");
	ck_assert_ptr_nonnull(fgets(path, sizeof path, list));
	ck_assert_ptr_null(fgets(command, sizeof command, list));
	pclose(list);
	path[strcspn(path, "\n")] = '\0';
	return fopen(path, mode);
}

/* What a system that remembers nothing finds. */
static enum het__verdict found_on_disk(const char *about)
{
	het_system fresh = {.magic = HET__MAGIC_SYSTEM};
	const enum het__verdict verdict = het__verdict_find(&fresh, about);

	het__verdicts_free(&fresh);
	return verdict;
}

START_TEST(test_verdict__kept)
{
	het_system system = {.magic = HET__MAGIC_SYSTEM};

	setenv("HETERO_CACHE", het_test_subfolder("kept"), 1);
	ck_assert_int_eq(het__verdict_find(&system, "one\n"), HET__VERDICT_NONE);
	het__verdict_keep(&system, "one\n", HET__VERDICT_YES, true);
	het__verdict_keep(&system, "two\n", HET__VERDICT_NO, true);
	het__verdict_keep(&system, "three\n", HET__VERDICT_NO, false);
	ck_assert_int_eq(het__verdict_find(&system, "one\n"), HET__VERDICT_YES);
	ck_assert_int_eq(het__verdict_find(&system, "two\n"), HET__VERDICT_NO);
	ck_assert_int_eq(het__verdict_find(&system, "three\n"), HET__VERDICT_NO);
	het__verdicts_free(&system);
	ck_assert_int_eq(found_on_disk("one\n"), HET__VERDICT_YES);
	ck_assert_int_eq(found_on_disk("two\n"), HET__VERDICT_NO);
	ck_assert_int_eq(found_on_disk("three\n"), HET__VERDICT_NONE);
	setenv("HETERO_CACHE", "off", 1);
	ck_assert_int_eq(found_on_disk("one\n"), HET__VERDICT_NONE);
}
END_TEST

/* Every byte of the file counts, and so does its length. */
START_TEST(test_verdict__corrupt)
{
	het_system system = {.magic = HET__MAGIC_SYSTEM};
	FILE *file;
	long length;

	setenv("HETERO_CACHE", het_test_subfolder("corrupt"), 1);
	het__verdict_keep(&system, "device x\n", HET__VERDICT_YES, true);
	het__verdicts_free(&system);
	file = open_only_file("r+");
	fseek(file, 0, SEEK_END);
	length = ftell(file);
	for (long i = 0; i < length; i++) {
		fseek(file, i, SEEK_SET);
		const int byte = fgetc(file);
		fseek(file, i, SEEK_SET);
		fputc(byte ^ 1, file);
		fflush(file);
		ck_assert_int_eq(found_on_disk("device x\n"), HET__VERDICT_NONE);
		fseek(file, i, SEEK_SET);
		fputc(byte, file);
		fflush(file);
	}
	ck_assert_int_eq(found_on_disk("device x\n"), HET__VERDICT_YES);
	fseek(file, 0, SEEK_END);
	fputc('\n', file);
	fclose(file);
	ck_assert_int_eq(found_on_disk("device x\n"), HET__VERDICT_NONE);
	fclose(open_only_file("w"));
	ck_assert_int_eq(found_on_disk("device x\n"), HET__VERDICT_NONE);
}
END_TEST

/* ------------------------------------------------------------------------------------------------ */

int main(void)
{
	TCase *const all = tcase_create("all");

	het_test_folder();
	tcase_add_loop_test(all, test_select__good, 0, (int)(sizeof good / sizeof good[0]));
	tcase_add_loop_test(all, test_select__bad, 0, (int)(sizeof bad / sizeof bad[0]));
	tcase_add_test(all, test_select__names_are_stable);
	tcase_add_test(all, test_select__memory_runs_out);
	tcase_add_test(all, test_driver__table);
	tcase_add_test(all, test_folder);
	tcase_add_test(all, test_verdict__kept);
	tcase_add_test(all, test_verdict__corrupt);
	return run_case("select", all);
}
