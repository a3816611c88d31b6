/* test_calibration_file.c - the file of a calibration: what is written is read, what is wrong is refused by
 * name. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "any_calibration.h"
#include "base/alloc.h"
#include "calibration/scan.h"
#include "platforms.h"
#include "random.h"

static const char *path_of(const char *name)
{
	static char path[4096];

	snprintf(path, sizeof path, "%s/%s", het_test_folder(), name);
	return path;
}

START_TEST(what_is_written_is_read)
{
	const char *const path = path_of("calibration.ini");
	struct het__cal_refusal refusal;

	random_start("test_calibration_file");
	for (int round = random_rounds(100); round > 0; round--) {
		struct het__calibration written, read = {.format = 0};

		any_calibration(&written);
		ck_assert(het__calibration_write(path, &written, &refusal));
		ck_assert_msg(het__calibration_read(path, &read, &refusal), "%s", refusal.text);
		assert_equal_calibrations(&written, &read);
		het__calibration_free(&written);
		het__calibration_free(&read);
	}
}
END_TEST

/* Of a file cut anywhere, short of its very end, nothing is believed. */
START_TEST(a_file_cut_short_is_refused)
{
	struct het__calibration c;
	char *text;
	size_t length;

	random_start("test_calibration_file");
	do {
		any_calibration(&c);
		if (c.pair_count == 0)
			het__calibration_free(&c);
	} while (c.pair_count == 0);
	text = het__calibration_text(&c);
	ck_assert_ptr_nonnull(text);
	length = strlen(text);
	for (int round = random_rounds(300); round > 0; round--) {
		const size_t bytes = (size_t)(random_next() % length);
		const char *const path = path_of("cut");
		struct het__calibration read = {.format = 0};
		struct het__cal_refusal refusal = {.reason = HET__CAL_NONE};
		FILE *const file = fopen(path, "w");

		ck_assert_ptr_nonnull(file);
		ck_assert_uint_eq(fwrite(text, 1, bytes, file), bytes);
		fclose(file);
		ck_assert(!het__calibration_read(path, &read, &refusal));
		ck_assert_msg(refusal.reason == HET__CAL_TRUNCATED, "%s", refusal.text);
		ck_assert_ptr_null(read.device);
		ck_assert_ptr_null(read.pair);
	}
	het__free(text);
	het__calibration_free(&c);
}
END_TEST

/* ---- refusals ---------------------------------------------------------------------------------- */

#define TOP "[calibration]\nformat = 1\nlibrary = \"0.1\"\ndate = \"now\"\n"
#define DEVICE "[device.1]\nname = \"gpu\"\nplatform = \"p\"\nhardware = \"h\"\ndriver = \"d\"\nid = \"-\"\n" \
	"memory_bytes = 1\n"
#define PAIR "[pair.1]\nfrom = \"host\"\nto = \"gpu\"\nshape = contiguous\n"
#define END "[end]\n"
#define TO_PAIR TOP DEVICE PAIR /* 15 lines */

static const struct bad {
	const char *text;
	enum het__cal_reason reason;
	int line;
	const char *words; /* in what is said */
} bad[] = {
	{"", HET__CAL_TRUNCATED, 0, "[end]"},
	{"rubbish\n", HET__CAL_BAD_LINE, 1, "neither"},
	{"key = 1\n" END, HET__CAL_BAD_LINE, 1, "before the first section"},
	{TOP DEVICE, HET__CAL_TRUNCATED, 11, "[end]"},
	{TOP "[end]", HET__CAL_TRUNCATED, 5, "no end"},
	{TOP END "x = 1\n", HET__CAL_BAD_LINE, 6, "after [end]"},
	{END, HET__CAL_VERSION, 1, "format"},
	{DEVICE END, HET__CAL_VERSION, 1, "format"},
	{"[calibration]\nformat = 2\nnew = 1\n" END, HET__CAL_VERSION, 1, "format is 2"},
	{"[calibration]\nformat = one\n" END, HET__CAL_BAD_NUMBER, 1, "one"},
	{"[calibration]\nformat = 1\nlibrary = \"1\"\n" END, HET__CAL_MISSING_KEY, 1, "date"},
	{TOP "[calibration]\nformat = 1\n" END, HET__CAL_DUPLICATE_SECTION, 5, "line 1"},
	{TOP DEVICE DEVICE END, HET__CAL_DUPLICATE_SECTION, 12, "line 5"},
	{TOP DEVICE "[device.2]\nname = \"gpu\"\nplatform = \"p\"\n"
	 "hardware = \"h\"\ndriver = \"d\"\nid = \"-\"\n"
	 "memory_bytes = 1\n" END, HET__CAL_DUPLICATE_SECTION, 12, "gpu"},
	{TOP "[device.1]\nname = \"host\"\nplatform = \"p\"\n"
	 "hardware = \"h\"\ndriver = \"d\"\nid = \"-\"\n"
	 "memory_bytes = 1\n" END, HET__CAL_BAD_WORD, 5, "called host"},
	{TO_PAIR "[pair.2]\nfrom = \"host\"\nto = \"gpu\"\nshape = contiguous\n" END,
	 HET__CAL_DUPLICATE_SECTION, 16, "contiguous pair"},
	{TOP "date = \"then\"\n" END, HET__CAL_DUPLICATE_KEY, 5, "line 4"},
	{TOP "author = \"me\"\n" END, HET__CAL_UNKNOWN_KEY, 5, "author"},
	{TOP DEVICE "colour = red\n" END, HET__CAL_UNKNOWN_KEY, 12, "colour"},
	{TOP DEVICE "figure.speed = user 1 0\n" END, HET__CAL_UNKNOWN_KEY, 12, "speed"},
	{TOP DEVICE "figure.launch_ns = 5000 0\n" END, HET__CAL_BAD_WORD, 12, "5000"},
	{TOP DEVICE "figure.launch_ns = user\n" END, HET__CAL_BAD_NUMBER, 12, "launch_ns is missing"},
	{TOP DEVICE "figure.launch_ns = user 5000\n" END, HET__CAL_BAD_NUMBER, 12, "spread is missing"},
	{TOP DEVICE "figure.launch_ns = user 5e3 0\n" END, HET__CAL_BAD_NUMBER, 12, "5e3"},
	{TOP DEVICE "figure.launch_ns = user 5000 0 0\n" END, HET__CAL_BAD_WORD, 12, "too many"},
	{TOP DEVICE "figure.queues_overlap = user 2 0\n" END, HET__CAL_OUT_OF_RANGE, 12, "0 to 1"},
	{TOP DEVICE "figure.launch_ns = user 1 0\nfigure.launch_ns = user 1 0\n" END,
	 HET__CAL_DUPLICATE_KEY, 13, "line 12"},
	{TO_PAIR "choices = 1\n" END, HET__CAL_UNKNOWN_KEY, 16, "choices"},
	{TOP "[device]\n" END, HET__CAL_UNKNOWN_SECTION, 5, "[device]"},
	{TOP "[device.x]\n" END, HET__CAL_UNKNOWN_SECTION, 5, "[device.x]"},
	{TOP "[Device.1]\n" END, HET__CAL_BAD_LINE, 5, "lower case"},
	{TOP "[device.1] x\n" END, HET__CAL_BAD_LINE, 5, "nothing after"},
	{TOP "[device.1]\nname = \"a\"\n" END, HET__CAL_MISSING_KEY, 5, "platform"},
	{TOP "[pair.1]\nfrom = \"host\"\nto = \"gpu\"\nshape = contiguous\n" END,
	 HET__CAL_UNKNOWN_DEVICE, 5, "gpu"},
	{TOP DEVICE "[pair.1]\nfrom = \"host\"\nto = \"host\"\nshape = contiguous\n" END,
	 HET__CAL_OUT_OF_RANGE, 12, "itself"},
	{TOP DEVICE "[pair.1]\nfrom = \"host\"\nto = \"gpu\"\nshape = round\n" END,
	 HET__CAL_BAD_WORD, 15, "round"},
	{TO_PAIR "choice.1 = 0 pigeon 0 0 user\n" END, HET__CAL_UNKNOWN_ROUTE, 16, "pigeon"},
	{TO_PAIR "choice.1 = 0\n" END, HET__CAL_UNKNOWN_ROUTE, 16, "''"},
	{TO_PAIR "choice.1 = 1 copy 0 0 user\n" END, HET__CAL_OUT_OF_RANGE, 16, "0 to 0"},
	{TO_PAIR "choice.2 = 0 copy 0 0 user\n" END, HET__CAL_OUT_OF_RANGE, 16, "numbered"},
	{TO_PAIR "choice.one = 0 copy 0 0 user\n" END, HET__CAL_BAD_NUMBER, 16, "one"},
	{TO_PAIR "choice.1 = 0 copy 0 0 user\nchoice.2 = 0 copy 0 0 user\n" END,
	 HET__CAL_OUT_OF_RANGE, 17, "1 to"},
	{TO_PAIR "choice.1 = 0 copy 0 0 somebody\n" END, HET__CAL_BAD_WORD, 16, "somebody"},
	{TO_PAIR "choice.1 = 0 copy 0 0 user 7\n" END, HET__CAL_BAD_WORD, 16, "one too many"},
	{TO_PAIR "choice.1 = 0 copy 0 65 user\n" END, HET__CAL_OUT_OF_RANGE, 16, "depth"},
	{TO_PAIR "choice.1 = 0 copy -1 0 user\n" END, HET__CAL_BAD_NUMBER, 16, "-1"},
	{TO_PAIR "choice.1 = 0 copy 1e3 0 user\n" END, HET__CAL_BAD_NUMBER, 16, "1e3"},
	{TO_PAIR "choice.1 = 0 copy 99999999999999999999999 0 user\n" END, HET__CAL_OUT_OF_RANGE, 16, "chunk"},
	{TO_PAIR "points.pigeon = user 1 1 1\n" END, HET__CAL_UNKNOWN_ROUTE, 16, "pigeon"},
	{TO_PAIR "points.copy = user\n" END, HET__CAL_BAD_NUMBER, 16, "missing"},
	{TO_PAIR "points.copy = user 1 0 1\n" END, HET__CAL_OUT_OF_RANGE, 16, "ns"},
	{TO_PAIR "points.copy = user 2 1 1, 2 1 1\n" END, HET__CAL_OUT_OF_RANGE, 16, "3 to"},
	{TO_PAIR "points.copy = user 2 1 1,\n" END, HET__CAL_BAD_NUMBER, 16, "missing"},
	{TO_PAIR "points.copy = user 2 1 1 3 1 1\n" END, HET__CAL_BAD_WORD, 16, "one too many"},
	{TO_PAIR "points.copy = user 2 1 1\npoints.copy = user 2 1 1\n" END,
	 HET__CAL_DUPLICATE_KEY, 17, "line 16"},
	{TO_PAIR "barred.copy = \"user\"\n" END, HET__CAL_BAD_WORD, 16, "why it is barred is missing"},
	{TO_PAIR "barred.copy = nobody knows\n" END, HET__CAL_BAD_WORD, 16, "nobody"},
	{TOP "date2 = \"a\\b\"\n" END, HET__CAL_BAD_LINE, 5, "backslash"},
	{TOP "# comments must not go on \\\n" END, HET__CAL_BAD_LINE, 5, "backslash"},
	{TOP "x = \n" END, HET__CAL_BAD_LINE, 5, "a value is"},
	{TOP "x = \"a\n" END, HET__CAL_BAD_LINE, 5, "a value is"},
	{TOP "x = \"a\" b\n" END, HET__CAL_BAD_LINE, 5, "a value is"},
	{TOP "x = ; nothing\n" END, HET__CAL_BAD_LINE, 5, "a value is"},
	{TOP "X = 1\n" END, HET__CAL_BAD_LINE, 5, "lower case"},
};

static void assert_refused(const char *path, const struct bad *as)
{
	struct het__calibration read = {.format = 0};
	struct het__cal_refusal refusal = {.reason = HET__CAL_NONE};
	char start[4200];

	ck_assert_msg(!het__calibration_read(path, &read, &refusal), "taken: %s", as->text);
	ck_assert_msg(refusal.reason == as->reason && refusal.line == as->line, "%s: for %s", refusal.text,
		      as->text);
	if (as->line)
		snprintf(start, sizeof start, "%s:%d: %s: ", path, as->line, het__cal_reason_name(as->reason));
	else
		snprintf(start, sizeof start, "%s: %s: ", path, het__cal_reason_name(as->reason));
	ck_assert_msg(strncmp(refusal.text, start, strlen(start)) == 0, "%s: should begin %s", refusal.text,
		      start);
	ck_assert_msg(strstr(refusal.text, as->words) != NULL, "%s: lacks %s", refusal.text, as->words);
}

START_TEST(what_is_wrong_is_refused_by_name)
{
	assert_refused(het_test_file("bad.ini", bad[_i].text), &bad[_i]);
}
END_TEST

START_TEST(long_lines_and_nul_bytes_are_refused)
{
	static const struct bad too_long = {"long", HET__CAL_BAD_LINE, 5, "longer than"};
	static const struct bad nul = {"nul", HET__CAL_BAD_LINE, 5, "NUL"};
	char text[3000], comment[1100];
	FILE *file;

	memset(comment, '#', sizeof comment);
	comment[1001] = '\0';
	snprintf(text, sizeof text, TOP "%s\n" END, comment);
	assert_refused(het_test_file("long.ini", text), &too_long);
	file = fopen(path_of("nul.ini"), "w");
	ck_assert_ptr_nonnull(file);
	fwrite(TOP "# a\0b\n" END, 1, sizeof TOP "# a\0b\n" END - 1, file);
	fclose(file);
	assert_refused(path_of("nul.ini"), &nul);
}
END_TEST

/* Sections with so many keys each, after `text`, and no end: what is refused after the last of them is refused
 * for that. Freed by the caller. */
static char *crowd(const char *text, int sections, int keys)
{
	const size_t room = strlen(text) + (size_t)sections * (16 + (size_t)keys * 12) + 1;
	char *const all = malloc(room);
	size_t length;

	ck_assert_ptr_nonnull(all);
	length = (size_t)snprintf(all, room, "%s", text);
	for (int s = 0; s < sections; s++) {
		length += (size_t)snprintf(all + length, room - length, "[pair.%d]\n", s);
		for (int k = 0; k < keys; k++)
			length += (size_t)snprintf(all + length, room - length, "k%d = 1\n", k);
	}
	return all;
}

/* iniparser takes time by the square of how much there is: the scan, which comes before it, ends at the line
 * that is one too many, however many follow. */
START_TEST(crowds_are_refused_before_iniparser_sees_them)
{
	static const struct {
		int sections, keys, line;
		const char *words;
	} crowds[] = {
		{1, 200000, 5 + HET__CAL_MOST_KEYS + 1, "keys in one section"},
		{200000, 0, 4 + HET__CAL_MOST_SECTIONS, "sections"},
		/* 19 keys and a section: 20 lines */
		{8000, 19, 4 + (HET__CAL_MOST_ENTRIES - 3) / 19 * 20 + 1 + (HET__CAL_MOST_ENTRIES - 3) % 19 + 1,
		 "keys in all"},
	};
	char *const text = crowd(TOP, crowds[_i].sections, crowds[_i].keys);
	const char *const path = het_test_file("crowd.ini", text);
	const int file = open(path, O_RDONLY);
	struct het__cal_scan scan;
	struct het__cal_refusal refusal = {.reason = HET__CAL_NONE};

	ck_assert_int_ge(file, 0);
	ck_assert(!het__cal_scan(file, path, &scan, &refusal));
	ck_assert_msg(refusal.reason == HET__CAL_OUT_OF_RANGE, "%s", refusal.text);
	ck_assert_msg(refusal.line == crowds[_i].line, "%s: not in line %d", refusal.text, crowds[_i].line);
	ck_assert_msg(strstr(refusal.text, crowds[_i].words) != NULL, "%s", refusal.text);
	ck_assert_int_eq(close(file), 0);
	free(text);
}
END_TEST

START_TEST(what_is_no_file_is_refused)
{
	static const struct bad missing = {"missing", HET__CAL_MISSING, 0, "no such file"};
	static const struct bad folder = {"folder", HET__CAL_UNREADABLE, 0, "regular"};

	assert_refused(path_of("nowhere"), &missing);
	assert_refused(path_of("."), &folder);
}
END_TEST

START_TEST(what_a_person_may_write_is_read)
{
	const char *const path = het_test_file(
		"good.ini",
		"\n; a remark = \"it's\n  [calibration]  \nformat=1\n"
		"library = \"0.1\" # old\n\tdate = \"now\"\n" DEVICE PAIR
		"choice.1 = 0 copy 0 0 user ; it's \"better\" = so\n"
		"choice.2 =   77   staged 4096 2 assumed\n"
		"points.copy = measured 1 2 3 ,4 5 6\n"
		"barred.mapped = \"user it lies, they say; really\"\n[end]\n# nothing more\n\n");
	struct het__calibration c = {.format = 0};
	struct het__cal_refusal refusal;
	const struct het__cal_pair *pair;

	ck_assert_msg(het__calibration_read(path, &c, &refusal), "%s", refusal.text);
	pair = het__calibration_pair(&c, "host", "gpu", HET__CAL_CONTIGUOUS);
	ck_assert_ptr_nonnull(pair);
	ck_assert_int_eq(pair->choice_count, 2);
	ck_assert_uint_eq(pair->choice[1].from_bytes, 77);
	ck_assert_uint_eq(pair->choice[1].chunk_bytes, 4096);
	ck_assert_int_eq(pair->choice[1].depth, 2);
	ck_assert_int_eq(pair->choice[0].origin, HET__CAL_USER);
	ck_assert_int_eq(pair->curve[0].count, 2);
	ck_assert_uint_eq(pair->curve[0].at[1].spread_ns, 6);
	ck_assert_str_eq(pair->bar[0].why, "it lies, they say; really");
	het__calibration_free(&c);
}
END_TEST

/* ---- writing ----------------------------------------------------------------------------------- */

START_TEST(what_cannot_be_written_changes_nothing)
{
	struct het__calibration c = {.format = HET__CAL_FORMAT};
	struct het__cal_refusal refusal;
	char path[4096];

	snprintf(path, sizeof path, "%s/none/calibration.ini", het_test_folder());
	ck_assert(!het__calibration_write(path, &c, &refusal));
	ck_assert_int_eq(errno, ENOENT);
	memset(path, 'x', sizeof path);
	path[sizeof path - 1] = '\0';
	ck_assert(!het__calibration_write(path, &c, &refusal));
	ck_assert_int_eq(errno, ENAMETOOLONG);
	ck_assert_int_eq(refusal.reason, HET__CAL_NONE);
	ck_assert(mkdir(path_of("place"), 0700) == 0);
	ck_assert(!het__calibration_write(path_of("place"), &c, &refusal)); /* a folder stands there */
	ck_assert_int_eq(rmdir(path_of("place")), 0);
	ck_assert_int_eq(system("test -z \"$(ls \"$HETERO_TEST_PLACE\"/place.* 2>/dev/null)\""), 0);
}
END_TEST

static void add_devices(struct het__calibration *c, int count)
{
	for (int i = 0; i < count; i++) {
		struct het__cal_device *const device = het__calibration_add_device(c);

		ck_assert_ptr_nonnull(device);
		snprintf(device->name, sizeof device->name, "gpu%d", c->device_count);
		het__cal_text(device->platform, sizeof device->platform, "p");
		het__cal_text(device->hardware, sizeof device->hardware, "h");
		het__cal_text(device->driver, sizeof device->driver, "d");
		het__cal_text(device->id, sizeof device->id, "-");
	}
}

/* Every pair of the host and these devices. */
static void add_pairs(struct het__calibration *c)
{
	for (int from = -1; from < c->device_count; from++)
		for (int to = -1; to < c->device_count; to++)
			for (int shape = 0; from != to && shape < HET__CAL_SHAPES; shape++) {
				struct het__cal_pair *const pair = het__calibration_add_pair(c);

				ck_assert_ptr_nonnull(pair);
				strcpy(pair->from, calibrated_memory(c, from));
				strcpy(pair->to, calibrated_memory(c, to));
				pair->shape = (enum het__cal_shape)shape;
			}
}

static void no_time(struct het__calibration *c)
{
	c->pair_count = 1;
	c->pair[0].curve_count = 1;
	c->pair[0].curve[0].count = 1;
	c->pair[0].curve[0].at[0].bytes = 4096; /* in 0 ns */
}

static void too_many_pairs(struct het__calibration *c)
{
	add_devices(c, HET__CAL_MOST_DEVICES - c->device_count);
	c->pair_count = 0;
	add_pairs(c);
}

static void too_many_devices(struct het__calibration *c)
{
	add_devices(c, HET__CAL_MOST_DEVICES);
}

/* 22 devices with memories of their own, each pair measured at all sizes by four routes. */
START_TEST(the_largest_is_read)
{
	const char *const path = path_of("large.ini");
	struct het__calibration written = {.format = HET__CAL_FORMAT}, read = {.format = 0};
	struct het__cal_refusal refusal;

	het__cal_text(written.library, sizeof written.library, "0.1");
	het__cal_text(written.date, sizeof written.date, "now");
	add_devices(&written, 22);
	add_pairs(&written);
	for (int i = 0; i < written.pair_count; i++) {
		struct het__cal_pair *const pair = &written.pair[i];

		for (int route = 0; route < 4; route++) {
			struct het__cal_curve *const curve = &pair->curve[pair->curve_count++];

			curve->route = route;
			for (curve->count = 0; curve->count < 17; curve->count++)
				curve->at[curve->count] = (struct het__cal_point){
					UINT64_C(4096) << curve->count, UINT64_C(123456789), 12345678};
		}
		het__cal_decide(pair);
	}
	ck_assert_int_le(written.pair_count, HET__CAL_MOST_PAIRS);
	ck_assert_msg(het__calibration_write(path, &written, &refusal), "%s", refusal.text);
	ck_assert_msg(het__calibration_read(path, &read, &refusal), "%s", refusal.text);
	assert_equal_calibrations(&written, &read);
	het__calibration_free(&written);
	het__calibration_free(&read);
}
END_TEST

/* A file that its own reader would refuse does not take the place of a good one. */
START_TEST(what_could_not_be_read_is_not_written)
{
	static void (*const spoil[])(struct het__calibration *) = {no_time, too_many_devices, too_many_pairs};
	const char *const path = path_of("kept.ini");

	for (size_t i = 0; i < sizeof spoil / sizeof spoil[0]; i++) {
		struct het__calibration c = {.format = HET__CAL_FORMAT}, read = {.format = 0};
		struct het__cal_refusal refusal;

		het__cal_text(c.library, sizeof c.library, "0.1");
		het__cal_text(c.date, sizeof c.date, "now");
		add_devices(&c, 2);
		add_pairs(&c);
		ck_assert_msg(het__calibration_write(path, &c, &refusal), "%s", refusal.text);
		spoil[i](&c);
		ck_assert(!het__calibration_write(path, &c, &refusal));
		ck_assert_int_eq(errno, EINVAL);
		ck_assert_msg(refusal.reason == HET__CAL_OUT_OF_RANGE, "%s", refusal.text);
		ck_assert_msg(het__calibration_read(path, &read, &refusal), "%s", refusal.text);
		ck_assert_int_eq(read.pair_count, 12);
		het__calibration_free(&c);
		het__calibration_free(&read);
	}
	ck_assert_int_eq(system("test -z \"$(ls \"$HETERO_TEST_PLACE\"/kept.ini.* 2>/dev/null)\""), 0);
}
END_TEST

/* Every allocation fails once: nothing is held, and the reason is named. */
START_TEST(without_memory_nothing_is_held)
{
	const char *const path = het_test_file("memory.ini", TO_PAIR "choice.1 = 0 copy 0 0 user\n" END);
	const long live = het__alloc_live();
	bool good = false;
	long after = 0;

	for (; !good; after++) {
		struct het__calibration c = {.format = 0};
		struct het__cal_refusal refusal = {.reason = HET__CAL_NONE};

		het__alloc_fail_after(after, 0);
		good = het__calibration_read(path, &c, &refusal);
		het__alloc_fail_after(-1, 0);
		ck_assert_msg(good || refusal.reason == HET__CAL_NO_MEMORY, "%s", refusal.text);
		het__calibration_free(&c);
		ck_assert_int_eq(het__alloc_live(), live);
	}
	ck_assert_int_gt(after, 3);
}
END_TEST

/* However deep it lies: which file it is has to be seen. */
START_TEST(a_long_path_is_named)
{
	struct het__cal_refusal refusal;
	char path[PATH_MAX];

	memset(path, 'd', sizeof path);
	memcpy(path + sizeof path - sizeof "/cal.ini", "/cal.ini", sizeof "/cal.ini");
	ck_assert(!het__cal_refuse(&refusal, path, 7, HET__CAL_BAD_LINE, "it is none"));
	ck_assert_ptr_nonnull(strstr(refusal.text, "dd/cal.ini:7: bad line: it is none"));
}
END_TEST

int main(void)
{
	Suite *const suite = suite_create("calibration_file");
	TCase *const tcase = tcase_create("calibration_file");
	SRunner *runner;
	int failed;

	setenv("HETERO_TEST_PLACE", het_test_folder(), 1);
	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, what_is_written_is_read);
	tcase_add_test(tcase, a_file_cut_short_is_refused);
	tcase_add_loop_test(tcase, what_is_wrong_is_refused_by_name, 0, (int)(sizeof bad / sizeof bad[0]));
	tcase_add_test(tcase, long_lines_and_nul_bytes_are_refused);
	tcase_add_loop_test(tcase, crowds_are_refused_before_iniparser_sees_them, 0, 3);
	tcase_add_test(tcase, what_is_no_file_is_refused);
	tcase_add_test(tcase, what_a_person_may_write_is_read);
	tcase_add_test(tcase, what_cannot_be_written_changes_nothing);
	tcase_add_test(tcase, the_largest_is_read);
	tcase_add_test(tcase, what_could_not_be_read_is_not_written);
	tcase_add_test(tcase, a_long_path_is_named);
	tcase_add_test(tcase, without_memory_nothing_is_held);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
