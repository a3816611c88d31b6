/* test_base.c - status texts, the error record, failures that are kept. */
#include <check.h>
#include <limits.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>

#include "base/alloc.h"
#include "base/answer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/utf8.h"
#include "suite.h"
#include "threads.h"

#define BRIEF_MOST 4095 /* the longest message of het__fail */

/* A text of `length` letters that differ from place to place. The caller frees it. */
static char *text_of_length(size_t length)
{
	char *text = malloc(length + 1);
	ck_assert_ptr_nonnull(text);
	for (size_t i = 0; i < length; i++)
		text[i] = (char)('a' + i % 23);
	text[length] = '\0';
	return text;
}

/* ---- status and version ------------------------------------------------------------------------ */

START_TEST(test_status__every_code_has_its_text)
{
#define CODE_OF(code, value, text) code,
#define TEXT_OF(code, value, text) text,
	static const het_status codes[] = {HET_STATUS_TABLE(CODE_OF)};
	static const char *const texts[] = {HET_STATUS_TABLE(TEXT_OF)};
	const size_t count = sizeof codes / sizeof codes[0];
	for (size_t i = 0; i < count; i++) {
		ck_assert_str_eq(het_status_string(codes[i]), texts[i]);
		for (size_t j = 0; j < i; j++)
			ck_assert_int_ne(codes[i], codes[j]);
	}
	ck_assert_int_eq(HET_OK, 0);
	ck_assert_str_eq(het_status_string((het_status)-12345), "unknown status");
	ck_assert_str_eq(het_status_string((het_status)1), "unknown status");
}
END_TEST

START_TEST(test_status__version)
{
	int major, minor, patch;
	ck_assert_int_eq(sscanf(het_version(), "%d.%d.%d", &major, &minor, &patch), 3);
	ck_assert_int_eq(major, HET_VERSION_MAJOR);
	ck_assert_int_eq(minor, HET_VERSION_MINOR);
	ck_assert_int_eq(patch, HET_VERSION_PATCH);
}
END_TEST

START_TEST(test_status__cl_codes_have_their_headers_names)
{
#define NAMED(code) ck_assert_str_eq(het__cl_code_name(code), #code)
	NAMED(CL_SUCCESS);
	NAMED(CL_DEVICE_NOT_FOUND);
	NAMED(CL_MEM_OBJECT_ALLOCATION_FAILURE);
	NAMED(CL_OUT_OF_RESOURCES);
	NAMED(CL_OUT_OF_HOST_MEMORY);
	NAMED(CL_BUILD_PROGRAM_FAILURE);
	NAMED(CL_MISALIGNED_SUB_BUFFER_OFFSET);
	NAMED(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	NAMED(CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
	NAMED(CL_INVALID_VALUE);
	NAMED(CL_INVALID_KERNEL_ARGS);
	NAMED(CL_INVALID_GLOBAL_OFFSET);
	NAMED(CL_INVALID_OPERATION);
	NAMED(CL_INVALID_BUFFER_SIZE);
	NAMED(CL_INVALID_DEVICE_PARTITION_COUNT);
	NAMED(CL_INVALID_SPEC_ID);
	NAMED(CL_MAX_SIZE_RESTRICTION_EXCEEDED);
	ck_assert_str_eq(het__cl_code_name(-1001), "CL_PLATFORM_NOT_FOUND_KHR");
	ck_assert_str_eq(het__cl_code_name(-29), "unknown OpenCL error");
	ck_assert_str_eq(het__cl_code_name(1), "unknown OpenCL error");
}
END_TEST

/* The standard leaves no hole but the one from -20 to -29, and gives no code two names. */
START_TEST(test_status__cl_codes_are_all_there)
{
	for (int code = 0; code >= -72; code--) {
		const char *name = het__cl_code_name(code);
		ck_assert_msg((strncmp(name, "CL_", 3) == 0) == (code > -20 || code < -29), "%d: %s", code,
			      name);
		for (int other = 0; other > code && code > -20; other--)
			ck_assert_str_ne(name, het__cl_code_name(other));
	}
}
END_TEST

/* ---- the record -------------------------------------------------------------------------------- */

static void *check_untouched_record(void *unused)
{
	(void)unused;
	const struct het_error e = het_error_last();
	ck_assert_int_eq(e.status, HET_OK);
	ck_assert_int_eq(e.cl_code, 0);
	ck_assert_ptr_null(e.cl_call);
	ck_assert_ptr_null(e.device);
	ck_assert_str_eq(e.text, "");
	ck_assert_str_eq(het_message(), "");
	return NULL;
}

START_TEST(test_error__starts_empty)
{
	in_threads(check_untouched_record);
}
END_TEST

START_TEST(test_error__fail_makes_record)
{
	het__fail_cl(HET_ERR_DEVICE, CL_OUT_OF_RESOURCES, "clFinish", "pocl:cpu0", "earlier");
	ck_assert_int_eq(het__fail(HET_ERR_SHAPE, "extent %d of %s is negative", 2, "array 7"), HET_ERR_SHAPE);
	const struct het_error e = het_error_last();
	ck_assert_int_eq(e.status, HET_ERR_SHAPE);
	ck_assert_int_eq(e.cl_code, 0);
	ck_assert_ptr_null(e.cl_call);
	ck_assert_ptr_null(e.device);
	ck_assert_str_eq(e.text, "extent 2 of array 7 is negative");
	ck_assert_str_eq(het_message(), "extent 2 of array 7 is negative");
}
END_TEST

START_TEST(test_error__fail_cl_says_what_opencl_did)
{
	char call[] = "clEnqueueReadBuffer", device[] = "pocl:cpu0";
	ck_assert_int_eq(het__fail_cl(HET_ERR_DEVICE, -5, call, device, "reading %s", "y"), HET_ERR_DEVICE);
	call[0] = device[0] = '?';
	const struct het_error e = het_error_last();
	ck_assert_int_eq(e.status, HET_ERR_DEVICE);
	ck_assert_int_eq(e.cl_code, -5);
	ck_assert_str_eq(e.cl_call, "clEnqueueReadBuffer");
	ck_assert_str_eq(e.device, "pocl:cpu0");
	ck_assert_str_eq(e.text,
			 "reading y: clEnqueueReadBuffer on pocl:cpu0 returned CL_OUT_OF_RESOURCES (-5)");

	het__fail_cl(HET_ERR_NO_DEVICE, -1001, "clGetPlatformIDs", NULL, "no platform");
	ck_assert_ptr_null(het_error_last().device);
	ck_assert_str_eq(het_message(),
			 "no platform: clGetPlatformIDs returned CL_PLATFORM_NOT_FOUND_KHR (-1001)");
}
END_TEST

START_TEST(test_error__long_messages_are_cut)
{
	static const char cl_part[] = ": clFinish on d returned CL_OUT_OF_RESOURCES (-5)";
	char *text = text_of_length(BRIEF_MOST + 100);
	het__fail(HET_ERR_FILE, "%s", text);
	ck_assert_uint_eq(strlen(het_message()), BRIEF_MOST);
	ck_assert_int_eq(strncmp(het_message(), text, BRIEF_MOST), 0);

	het__fail_cl(HET_ERR_DEVICE, -5, "clFinish", "d", "%s", text);
	ck_assert_uint_eq(strlen(het_message()), BRIEF_MOST);
	ck_assert_str_eq(het_message() + BRIEF_MOST - strlen(cl_part), cl_part);
	ck_assert_int_eq(strncmp(het_message(), text, BRIEF_MOST - strlen(cl_part)), 0);

	text[BRIEF_MOST] = '\0';
	het__fail(HET_ERR_FILE, "%s", text);
	ck_assert_str_eq(het_message(), text);
	free(text);
}
END_TEST

/* Names longer than the record has room for are cut, and nothing else suffers. */
START_TEST(test_error__long_names_are_cut)
{
	char *text = text_of_length(3000);
	het__fail_cl(HET_ERR_DEVICE, -9999, text, text, "m");
	const struct het_error e = het_error_last();
	ck_assert_int_eq(strncmp(e.cl_call, text, strlen(e.cl_call)), 0);
	ck_assert_int_eq(strncmp(e.device, text, strlen(e.device)), 0);
	ck_assert_uint_gt(strlen(e.cl_call), strlen("clGetKernelSubGroupInfoKHR"));
	ck_assert_ptr_nonnull(strstr(e.text, " returned unknown OpenCL error (-9999)"));
	free(text);
}
END_TEST

START_TEST(test_error__fail_text_keeps_all)
{
	char *log = text_of_length(100000);
	ck_assert_int_eq(het__fail_text(HET_ERR_BUILD, "product.cl", log), HET_ERR_BUILD);
	ck_assert_uint_eq(strlen(het_message()), strlen("product.cl\n") + 100000);
	ck_assert_int_eq(strncmp(het_message(), "product.cl\n", 11), 0);
	ck_assert_str_eq(het_message() + 11, log);
	ck_assert_int_eq(het_error_last().status, HET_ERR_BUILD);

	het__fail_text(HET_ERR_BUILD, "a.cl", "line 1\nline 2\r\n\n");
	ck_assert_str_eq(het_message(), "a.cl\nline 1\nline 2");
	het__fail_text(HET_ERR_BUILD, "a.cl", "");
	ck_assert_str_eq(het_message(), "a.cl");
	free(log);
}
END_TEST

/* What the text names by itself is in the record, too. */
START_TEST(test_error__of_a_device)
{
	struct het_error e;

	ck_assert_int_eq(het__fail_on(HET_ERR_UNSUPPORTED, "gpu0", "gpu0 has no %s", "double"),
			 HET_ERR_UNSUPPORTED);
	e = het_error_last();
	ck_assert_str_eq(e.text, "gpu0 has no double");
	ck_assert_str_eq(e.device, "gpu0");
	ck_assert_int_eq(e.cl_code, 0);
	ck_assert_ptr_null(e.cl_call);
	ck_assert_int_eq(het__fail_cl_text(HET_ERR_BUILD, -11, "clBuildProgram", "gpu1", "a.cl", "line 1\n"),
			 HET_ERR_BUILD);
	e = het_error_last();
	ck_assert_str_eq(e.text, "a.cl\nline 1");
	ck_assert_str_eq(e.device, "gpu1");
	ck_assert_int_eq(e.cl_code, -11);
	ck_assert_str_eq(e.cl_call, "clBuildProgram");
	/* also where the device's name is the record's own */
	het__fail_cl_text(HET_ERR_BUILD, e.cl_code, e.cl_call, e.device, e.text, "line 2");
	e = het_error_last();
	ck_assert_str_eq(e.text, "a.cl\nline 1\nline 2");
	ck_assert_str_eq(e.device, "gpu1");
	ck_assert_str_eq(e.cl_call, "clBuildProgram");
}
END_TEST

START_TEST(test_error__fail_text_without_memory_is_cut)
{
	char *log = text_of_length(100000);
	het__alloc_fail_after(0, 1);
	het__fail_text(HET_ERR_BUILD, "a.cl", log);
	het__alloc_fail_after(-1, 0);
	ck_assert_uint_eq(strlen(het_message()), BRIEF_MOST);
	ck_assert_int_eq(strncmp(het_message() + 5, log, BRIEF_MOST - 5), 0);
	ck_assert_int_eq(het_error_last().status, HET_ERR_BUILD);
	free(log);
}
END_TEST

START_TEST(test_error__within_puts_context_before)
{
	char *log = text_of_length(10000);
	het__fail_cl(HET_ERR_DEVICE, -5, "clFinish", "gpu0", "waiting");
	ck_assert_int_eq(het__fail_within("kernel %s", "k"), HET_ERR_DEVICE);
	const struct het_error e = het_error_last();
	ck_assert_str_eq(e.text, "kernel k: waiting: clFinish on gpu0 returned CL_OUT_OF_RESOURCES (-5)");
	ck_assert_int_eq(e.cl_code, -5);
	ck_assert_str_eq(e.device, "gpu0");

	het__fail_text(HET_ERR_BUILD, "a.cl", log);
	het__fail_within("one");
	ck_assert_int_eq(het__fail_within("two"), HET_ERR_BUILD);
	ck_assert_int_eq(strncmp(het_message(), "two: one: a.cl\n", 15), 0);
	ck_assert_str_eq(het_message() + 15, log);

	log[4090] = '\0';
	het__fail(HET_ERR_FILE, "%s", log);
	het__fail_within("grows beyond what is brief");
	ck_assert_str_eq(het_message() + strlen("grows beyond what is brief: "), log);
	free(log);
}
END_TEST

/* What is passed may be a part of the very record that is being replaced. */
START_TEST(test_error__arguments_may_lie_in_the_record)
{
	char *log = text_of_length(10000);
	het__fail(HET_ERR_FILE, "first");
	het__fail(HET_ERR_FILE, "<%s>", het_message());
	ck_assert_str_eq(het_message(), "<first>");
	het__fail_text(HET_ERR_FILE, het_message(), het_message());
	ck_assert_str_eq(het_message(), "<first>\n<first>");
	het__fail_within("%s", het_message());
	ck_assert_str_eq(het_message(), "<first>\n<first>: <first>\n<first>");

	het__fail_cl(HET_ERR_DEVICE, -5, "clFlush", "gpu1", "m");
	het__fail_cl(HET_ERR_DEVICE, -5, het_error_last().cl_call, het_error_last().device, "%s", "n");
	ck_assert_str_eq(het_message(), "n: clFlush on gpu1 returned CL_OUT_OF_RESOURCES (-5)");

	het__fail_text(HET_ERR_BUILD, "a.cl", log);
	het__fail_text(HET_ERR_BUILD, "again", het_message());
	ck_assert_int_eq(strncmp(het_message(), "again\na.cl\nabc", 14), 0);
	ck_assert_uint_eq(strlen(het_message()), 10000 + strlen("again\na.cl\n"));
	het__fail(HET_ERR_BUILD, "%s", het_message());
	ck_assert_uint_eq(strlen(het_message()), BRIEF_MOST);
	ck_assert_int_eq(strncmp(het_message(), "again\na.cl\nabc", 14), 0);
	free(log);
}
END_TEST

START_TEST(test_error__short_texts_do_not_allocate)
{
	het__alloc_fail_after(LONG_MAX, 0);
	het__fail(HET_ERR_FILE, "short");
	het__fail_cl(HET_ERR_DEVICE, -5, "clFlush", "gpu1", "short");
	het__fail_text(HET_ERR_BUILD, "a.cl", "short");
	het__fail_within("context");
	ck_assert_int_eq(het__alloc_fail_after(-1, 0), 0);
}
END_TEST

static pthread_barrier_t all_have_failed;

/* Every other thread has a long text, which must go when the thread ends (a leak checker sees to it). */
static void *fail_my_way(void *number)
{
	const int me = (int)(intptr_t)number;
	char head[32], *log = text_of_length(me % 2 ? 20000 : 10);
	(void)snprintf(head, sizeof head, "thread %d", me);
	het__fail_text((het_status)(-1 - me), head, log);
	(void)pthread_barrier_wait(&all_have_failed);
	ck_assert_int_eq(het_error_last().status, -1 - me);
	ck_assert_int_eq(strncmp(het_message(), head, strlen(head)), 0);
	ck_assert_str_eq(het_message() + strlen(head) + 1, log);
	free(log);
	return NULL;
}

START_TEST(test_error__record_is_the_threads_own)
{
	ck_assert_int_eq(pthread_barrier_init(&all_have_failed, NULL, THREADS), 0);
	het__fail(HET_ERR_SYSTEM, "mine");
	in_threads(fail_my_way);
	ck_assert_str_eq(het_message(), "mine");
	ck_assert_int_eq(het_error_last().status, HET_ERR_SYSTEM);
	(void)pthread_barrier_destroy(&all_have_failed);
}
END_TEST

/* ---- failures that are kept -------------------------------------------------------------------- */

static struct het__failure *shared_failure;
static char *shared_log;

static void *use_shared_failure(void *unused)
{
	(void)unused;
	for (int i = 0; i < 2000; i++) {
		struct het__failure *mine = het__failure_retain(shared_failure);
		ck_assert_ptr_eq(mine, shared_failure);
		het__failure_release(mine);
	}
	ck_assert_int_eq(het__failure_status(shared_failure), HET_ERR_BUILD);
	het__fail_because(HET_ERR_LOST, shared_failure, "array %s", "y");
	ck_assert_int_eq(het_error_last().status, HET_ERR_LOST);
	het__failure_release(shared_failure);
	ck_assert_int_eq(strncmp(het_message(), "array y: a.cl\n", 14), 0);
	ck_assert_str_eq(het_message() + 14, shared_log);
	return NULL;
}

/* One thread makes a failure, others hold it; the last one frees it. */
START_TEST(test_failure__shared_by_threads)
{
	shared_log = text_of_length(5000);
	het__fail_text(HET_ERR_BUILD, "a.cl", shared_log);
	shared_failure = het__failure_capture();
	for (int i = 1; i < THREADS; i++)
		(void)het__failure_retain(shared_failure);
	het__fail(HET_ERR_FILE, "something else");
	in_threads(use_shared_failure);
	free(shared_log);
}
END_TEST

START_TEST(test_failure__keeps_what_opencl_did)
{
	het__fail_cl(HET_ERR_DEVICE, -5, "clFinish", "gpu0", "kernel k");
	struct het__failure *failure = het__failure_capture();
	het__fail(HET_ERR_FILE, "something else");
	ck_assert_str_eq(het__failure_text(failure),
			 "kernel k: clFinish on gpu0 returned CL_OUT_OF_RESOURCES (-5)");
	ck_assert_int_eq(het__failure_status(failure), HET_ERR_DEVICE);

	ck_assert_int_eq(het__fail_because(HET_ERR_LOST, failure, "array %d", 3), HET_ERR_LOST);
	het__failure_release(failure);
	const struct het_error e = het_error_last();
	ck_assert_int_eq(e.status, HET_ERR_LOST);
	ck_assert_int_eq(e.cl_code, -5);
	ck_assert_str_eq(e.cl_call, "clFinish");
	ck_assert_str_eq(e.device, "gpu0");
	ck_assert_str_eq(e.text, "array 3: kernel k: clFinish on gpu0 returned CL_OUT_OF_RESOURCES (-5)");
}
END_TEST

START_TEST(test_failure__without_memory)
{
	het__fail(HET_ERR_FILE, "something");
	het__alloc_fail_after(0, 1);
	struct het__failure *failure = het__failure_capture();
	het__alloc_fail_after(-1, 0);
	ck_assert_ptr_nonnull(failure);
	ck_assert_int_eq(het__failure_status(failure), HET_ERR_MEMORY);
	ck_assert_ptr_nonnull(strstr(het__failure_text(failure), "host memory exhausted"));
	for (int i = 0; i < 3; i++)
		het__failure_release(failure);
	ck_assert_ptr_eq(het__failure_retain(failure), failure);
	ck_assert_int_eq(het__fail_because(HET_ERR_LOST, failure, "array 1"), HET_ERR_LOST);
	ck_assert_ptr_nonnull(strstr(het_message(), "array 1: host memory exhausted"));

	ck_assert_ptr_null(het__failure_retain(NULL));
	het__failure_release(NULL);
}
END_TEST

struct answer {
	size_t size;
	int first, second;
	long third;
};

/* An older caller gets what it knows. */
START_TEST(test_answer__of_every_size)
{
	const struct answer known = {sizeof known, 1, 2, 3};
	struct answer out = {sizeof out, 0, 0, 0};

	ck_assert_int_eq(het__answer("het_ask", "out", &known, sizeof known, &out), HET_OK);
	ck_assert(out.size == sizeof out && out.first == 1 && out.second == 2 && out.third == 3);

	out = (struct answer){offsetof(struct answer, second), 0, 7, 8};
	ck_assert_int_eq(het__answer("het_ask", "out", &known, sizeof known, &out), HET_OK);
	ck_assert(out.size == offsetof(struct answer, second) && out.first == 1);
	ck_assert(out.second == 7 && out.third == 8);
}
END_TEST

START_TEST(test_answer__without_a_place)
{
	const struct answer known = {sizeof known, 1, 2, 3};
	const size_t wrong[] = {0, 1, sizeof(size_t), sizeof known + 1, SIZE_MAX};

	ck_assert_int_eq(het__answer("het_ask", "out", &known, sizeof known, NULL), HET_ERR_ARGUMENT);
	ck_assert_str_eq(het_message(), "het_ask: out is NULL");
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		struct answer out = {wrong[i], 7, 8, 9};

		ck_assert_int_eq(het__answer("het_ask", "out", &known, sizeof known, &out), HET_ERR_ARGUMENT);
		ck_assert_ptr_nonnull(strstr(het_message(), "het_ask: out->size is "));
		ck_assert(out.first == 7 && out.second == 8 && out.third == 9);
	}
}
END_TEST

/* ---- times in words ------------------------------------------------------------------------------ */

START_TEST(test_time__has_the_unit_that_reads_best)
{
	static const struct {
		double ns;
		const char *words;
	} c[] = {{0, "0.0 us"},		  {8249, "8.2 us"},	   {999949, "999.9 us"},
		 {999960, "1.00 ms"},	  {1e6, "1.00 ms"},	   {1.25e6, "1.25 ms"},
		 {999994e3, "999.99 ms"}, {999996e3, "1.00 s"},	   {1e9, "1.00 s"},
		 {1111141600, "1.11 s"},  {7.2e12, "7200.00 s"}};
	char text[HET__TIME_BYTES];

	for (size_t i = 0; i < sizeof c / sizeof *c; i++)
		ck_assert_str_eq(het__time_words(text, c[i].ns), c[i].words);
}
END_TEST

/* ---- naps --------------------------------------------------------------------------------------- */

START_TEST(test_nap__as_long_as_told)
{
	const int slack_ns = prctl(PR_GET_TIMERSLACK);
	const uint64_t begun = het__host_ns();

	for (int i = 0; i < 20; i++)
		het__nap(50000);
	ck_assert_double_ge(het__ns_since(begun), 20 * 50000.0);
	ck_assert_int_eq(prctl(PR_GET_TIMERSLACK), slack_ns);
	ck_assert_int_eq(prctl(PR_SET_TIMERSLACK, 77000UL), 0); /* a program's own */
	het__nap(1);
	ck_assert_int_eq(prctl(PR_GET_TIMERSLACK), 77000);
}
END_TEST

/* Kept are characters (RFC 3629: the shortest form, no surrogates, up to U+10FFFF) and newlines. */
START_TEST(test_utf8__what_is_none_is_a_question_mark)
{
	static const struct {
		const char *given, *clean;
	} texts[] = {
		{"", ""},
		{"a\nb", "a\nb"},
		{"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8c\x8a", "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8c\x8a"},
		{"a\tb\x7f\x1b", "a?b??"},
		{"a\xc2\x85\xc2\xa0", "a?\xc2\xa0"},
		{"\xe9t\xe9", "?t?"},
		{"\xc0\x80 \xe0\x80\x80 \xf0\x80\x80\x80", "?? ??? ????"},
		{"\xed\xa0\x80 \xf4\x90\x80\x80 \xff", "??? ???? ?"},
		{"\xe2\x82", "??"},
	};
	char room[32];

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		ck_assert_str_eq(het__utf8_clean(room, sizeof room, texts[i].given), texts[i].clean);
		strcpy(room, texts[i].given);
		ck_assert_str_eq(het__utf8_clean(room, strlen(room) + 1, room), texts[i].clean);
	}
	ck_assert_str_eq(het__utf8_clean(room, 4, "ab\xc3\xa9"), "ab");
	ck_assert_str_eq(het__utf8_clean(room, 5, "ab\xc3\xa9"), "ab\xc3\xa9");
	ck_assert_uint_eq(het__utf8_bytes("\xe2\x82\xac"), 3);
	ck_assert_uint_eq(het__utf8_bytes("\xac"), 0);
	ck_assert_uint_eq(het__utf8_bytes(""), 0);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("base");
	tcase_add_test(tc, test_status__every_code_has_its_text);
	tcase_add_test(tc, test_status__version);
	tcase_add_test(tc, test_status__cl_codes_have_their_headers_names);
	tcase_add_test(tc, test_status__cl_codes_are_all_there);
	tcase_add_test(tc, test_error__starts_empty);
	tcase_add_test(tc, test_error__fail_makes_record);
	tcase_add_test(tc, test_error__fail_cl_says_what_opencl_did);
	tcase_add_test(tc, test_error__long_messages_are_cut);
	tcase_add_test(tc, test_error__long_names_are_cut);
	tcase_add_test(tc, test_error__fail_text_keeps_all);
	tcase_add_test(tc, test_error__of_a_device);
	tcase_add_test(tc, test_error__fail_text_without_memory_is_cut);
	tcase_add_test(tc, test_error__within_puts_context_before);
	tcase_add_test(tc, test_error__arguments_may_lie_in_the_record);
	tcase_add_test(tc, test_error__short_texts_do_not_allocate);
	tcase_add_test(tc, test_error__record_is_the_threads_own);
	tcase_add_test(tc, test_failure__shared_by_threads);
	tcase_add_test(tc, test_failure__keeps_what_opencl_did);
	tcase_add_test(tc, test_failure__without_memory);
	tcase_add_test(tc, test_answer__of_every_size);
	tcase_add_test(tc, test_answer__without_a_place);
	tcase_add_test(tc, test_time__has_the_unit_that_reads_best);
	tcase_add_test(tc, test_nap__as_long_as_told);
	tcase_add_test(tc, test_utf8__what_is_none_is_a_question_mark);
	return run_case("base", tc);
}
