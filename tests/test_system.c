/* test_system.c - opening and closing machines, devices and their memories, and what is said when there are
 * none. */
#include <check.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hetero/spread.h>

#include "base/alloc.h"
#include "platforms.h"
#include "suite.h"
#include "system/system.h"
#include "systems.h"

/* ---- devices ----------------------------------------------------------------------------------- */

START_TEST(test_open__every_device)
{
	het_system *system = NULL;

	unsetenv("HETERO_DEVICES");
	ok(het_open(NULL, &system));
	ck_assert_int_ge(het_device_count(system), 1);
	for (int i = 0; i < het_device_count(system); i++) {
		het_device *const device = het_device(system, i);
		const struct het_device_info info = info_of(device);

		ck_assert_uint_eq(info.size, sizeof info);
		ck_assert_int_eq(info.index, i);
		ck_assert_ptr_eq(het_device_named(system, info.name), device);
		ck_assert_ptr_nonnull(strchr(info.name, ':'));
		ck_assert(info.hardware[0] && info.platform[0] && info.driver[0]);
		ck_assert_int_eq(strncmp(info.opencl, "OpenCL ", 7), 0);
		ck_assert(info.type >= HET_DEVICE_CPU && info.type <= HET_DEVICE_OTHER);
		ck_assert(info.compute_units >= 1 && info.base_align_bytes >= 1 && info.memory_bytes > 0);
		ck_assert(!info.is_part);
		for (int k = 0; k < i; k++)
			ck_assert_str_ne(info.name, info_of(het_device(system, k)).name);
	}
	ok(het_close(system));
}
END_TEST

START_TEST(test_open__bad_arguments)
{
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system = NULL;

	ck_assert_int_eq(het_open(NULL, NULL), HET_ERR_ARGUMENT);
	options.size = 3;
	ck_assert_int_eq(het_open(&options, &system), HET_ERR_ARGUMENT);
	options.size = sizeof options + 8;
	ck_assert_int_eq(het_open(&options, &system), HET_ERR_ARGUMENT);
	options.size = sizeof options;
	options.share = (enum het_share)77;
	ck_assert_int_eq(het_open(&options, &system), HET_ERR_ARGUMENT);
	options.share = HET_SHARE_DEFAULT;
	setenv("HETERO_SHARE", "maybe", 1);
	ck_assert_int_eq(het_open(&options, &system), HET_ERR_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(het_message(), "HETERO_SHARE"));
	unsetenv("HETERO_SHARE");
	setenv("HETERO_DEVICES", "no such device", 1);
	ck_assert_int_eq(het_open(&options, &system), HET_ERR_SELECTION);
	ck_assert_ptr_nonnull(strstr(het_message(), "HETERO_DEVICES: device selection: nothing matches 'no s"));
	options.devices = "nothing such";
	ck_assert_int_eq(het_open(&options, &system), HET_ERR_SELECTION);
	ck_assert_ptr_null(strstr(het_message(), "HETERO_DEVICES"));
	options.devices = "*"; /* counts more than the variable */
	ok(het_open(&options, &system));
	ok(het_close(system));
}
END_TEST

/* Options of an older header end earlier. */
static void count_strays(void *user, enum het_log_level level, const char *line)
{
	*(int *)user += level == HET_LOG_WARN && strstr(line, "did you mean HETERO_DEVICES?") != NULL;
}

/* Every system says it once, whether it can be opened or not. */
START_TEST(test_open__stray_variable)
{
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system = NULL;
	int said = 0;

	options.log = count_strays;
	options.log_user = &said;
	ok(het_open(&options, &system));
	ok(het_close(system));
	ck_assert_int_eq(said, 0);
	setenv("HETERO_DEVICE", "gpu", 1);
	ok(het_open(&options, &system));
	ck_assert_int_eq(said, 1);
	ok(het_close(system));
	options.devices = "no device is called so";
	ck_assert_int_eq(het_open(&options, &system), HET_ERR_SELECTION);
	ck_assert_int_eq(said, 2);
}
END_TEST

START_TEST(test_open__older_options)
{
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system = NULL;

	options.size = offsetof(struct het_options, share);
	options.devices = "*";
	options.share = (enum het_share)77;
	ok(het_open(&options, &system));
	ok(het_close(system));
}
END_TEST

START_TEST(test_null_handles)
{
	struct het_device_info info = HET_DEVICE_INFO_INIT;
	struct het_device_stats stats = HET_DEVICE_STATS_INIT;
	het_system *const system = open_devices("*");

	ok(het_close(NULL));
	ck_assert_int_eq(het_device_count(NULL), 0);
	ck_assert_ptr_null(het_device_at(NULL, 0));
	ck_assert_ptr_null(het_device_named(NULL, "pocl:cpu0"));
	ck_assert_ptr_null(het_device_named(system, NULL));
	ck_assert_ptr_null(het_device_named(system, "pocl:cpu"));
	ck_assert_ptr_null(het_device(system, -1));
	ck_assert_ptr_null(het_device(system, het_device_count(system)));
	ck_assert_int_eq(het_device_info(NULL, &info), HET_ERR_HANDLE);
	ck_assert_int_eq(het_device_info(het_device(system, 0), NULL), HET_ERR_ARGUMENT);
	info.size = 0;
	ck_assert_int_eq(het_device_info(het_device(system, 0), &info), HET_ERR_ARGUMENT);
	ck_assert_int_eq(het_device_stats(NULL, &stats), HET_ERR_HANDLE);
	ck_assert_int_eq(het_device_stats(het_device(system, 0), NULL), HET_ERR_ARGUMENT);
	ok(het_device_stats(het_device(system, 0), &stats));
	ck_assert_uint_eq(stats.launches, 0);
	ok(het_close(system));
}
END_TEST

/* A caller's struct may be shorter than the library's, or longer. */
START_TEST(test_info__sizes)
{
	struct {
		struct het_device_info info;
		unsigned char more[16];
	} longer;
	het_system *const system = open_devices("*");

	memset(&longer, 0xee, sizeof longer);
	longer.info.size = sizeof longer;
	ck_assert_int_eq(het_device_info(het_device(system, 0), &longer.info), HET_ERR_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(het_message(), "het_device_info: info->size is"));
	ck_assert_mem_eq(&longer.info.name, longer.more, sizeof longer.info.name);
	longer.info.size = offsetof(struct het_device_info, hardware);
	ok(het_device_info(het_device(system, 0), &longer.info));
	ck_assert_ptr_nonnull(strchr(longer.info.name, ':'));
	ck_assert_mem_eq(&longer.info.hardware, longer.more, sizeof longer.info.hardware);
	ok(het_close(system));
}
END_TEST

/* Each device can be had alone by the name that it had among others. */
START_TEST(test_names_are_stable)
{
	char selection[64] = "*";

	if (has_pocl_parts())
		strcat(selection, ",pocl:*/1");
	het_system *const system = open_devices(selection);
	for (int i = 0; i < het_device_count(system); i++) {
		const struct het_device_info was = info_of(het_device(system, i));
		het_system *const alone = open_devices(was.name);
		const struct het_device_info is = info_of(het_device(alone, 0));

		ck_assert_int_eq(het_device_count(alone), 1);
		ck_assert_str_eq(is.name, was.name);
		ck_assert_str_eq(is.hardware, was.hardware);
		ck_assert_uint_eq(is.compute_units, was.compute_units);
		ck_assert_int_eq(is.is_part, was.is_part);
		ok(het_close(alone));
	}
	ok(het_close(system));
}
END_TEST

START_TEST(test_parts)
{
	if (!has_pocl_parts())
		return;
	het_system *const system = open_devices("pocl:cpu0.1,pocl:cpu0.0,pocl:cpu0");
	het_device *const second = het_device(system, 0), *const first = het_device(system, 1);

	ck_assert_int_eq(het_device_count(system), 3);
	ck_assert_str_eq(info_of(second).name, "pocl:cpu0.1");
	ck_assert_str_eq(info_of(first).name, "pocl:cpu0.0");
	ck_assert(info_of(first).is_part && !info_of(het_device(system, 2)).is_part);
	ck_assert_uint_eq(info_of(first).compute_units, 1);
	ck_assert(first->id != second->id && first->root == second->root);
	ck_assert_ptr_eq(first->context, second->context);
	ok(het_close(system));
}
END_TEST

/* ---- no device --------------------------------------------------------------------------------- */

/* Opens with these vendors and returns the message, which is of HET_ERR_NO_DEVICE. */
static const char *message_with(const char *vendors)
{
	het_system *system = NULL;

	setenv("OCL_ICD_VENDORS", vendors, 1);
	ck_assert_int_eq(het_open(NULL, &system), HET_ERR_NO_DEVICE);
	ck_assert_ptr_null(system);
	return het_message();
}

static void mentions(const char *text, const char *part)
{
	ck_assert_msg(strstr(text, part) != NULL, "'%s' does not mention '%s'", text, part);
}

START_TEST(test_missing__no_vendor_file)
{
	const char *const folder = het_test_subfolder("no-vendors");
	const char *const text = message_with(folder);

	mentions(text, "OCL_ICD_VENDORS is ");
	mentions(text, folder);
	mentions(text, "no .icd file");
}
END_TEST

START_TEST(test_missing__no_folder)
{
	const char *const text = message_with("/nowhere/vendors/");

	mentions(text, "/nowhere/vendors/ cannot be read: No such file");
}
END_TEST

START_TEST(test_missing__broken_libraries)
{
	het_test_file("broken/a.icd", "libnotinstalled.so.1\n");
	het_test_file("broken/b.icd", "");
	het_test_file("broken/c.icd", "libm.so.6\n");
	het_test_file("broken/ignored.txt", "libignored.so\n");
	const char *const text = message_with(het_test_subfolder("broken"));

	mentions(text,
	         "a.icd: library 'libnotinstalled.so.1' cannot be loaded: libnotinstalled.so.1: cannot open");
	mentions(text, "b.icd: names no library");
	mentions(text, "c.icd: library 'libm.so.6' is no OpenCL driver");
	ck_assert_ptr_null(strstr(text, "ignored"));
}
END_TEST

START_TEST(test_missing__one_vendor_file)
{
	mentions(message_with(het_test_file("single.icd", "libnotinstalled.so.1\n")),
	         "single.icd: library 'libnotinstalled.so.1' cannot be loaded");
}
END_TEST

START_TEST(test_missing__one_library)
{
	mentions(message_with("libnotinstalled.so.7"), "library 'libnotinstalled.so.7' cannot be loaded");
}
END_TEST

/* A platform without devices is named, with what may help. In an instrumented build this driver is not
 * loaded (tests/local.mk): then some other has been chosen. */
START_TEST(test_missing__platform_without_devices)
{
	const char *const chosen = getenv("OCL_ICD_VENDORS");

	if (access("/etc/OpenCL/vendors/rusticl.icd", R_OK) != 0 || (chosen && strstr(chosen, ".icd")))
		return;
	setenv("RUSTICL_ENABLE", "", 1);
	const char *const text = message_with("/etc/OpenCL/vendors/rusticl.icd");

	mentions(text, "platform 'rusticl' offers no device");
	mentions(text, "RUSTICL_ENABLE");
}
END_TEST

/* PoCL has none where it cannot write. */
START_TEST(test_missing__nowhere_to_write)
{
	if (access("/etc/OpenCL/vendors/pocl.icd", R_OK) != 0)
		return;
	unsetenv("POCL_CACHE_DIR");
	unsetenv("XDG_CACHE_HOME");
	setenv("HOME", "/dev/null", 1);
	mentions(message_with("/etc/OpenCL/vendors/pocl.icd"), "POCL_CACHE_DIR");
	mentions(het_message(), "POCL_DEVICES");
}
END_TEST

/* ---- who may call ------------------------------------------------------------------------------ */

START_TEST(test_callback)
{
	het_system *const system = open_devices("*");

	ck_assert(!het__in_callback());
	ok(het__may_wait("this"));
	het__callback_begin();
	het__callback_begin();
	het__callback_end();
	ck_assert(het__in_callback());
	ck_assert_int_eq(het__may_wait("this"), HET_ERR_CONTEXT);
	ck_assert_ptr_nonnull(strstr(het_message(), "this may wait"));
	ck_assert_int_eq(het_close(system), HET_ERR_CONTEXT);
	ok(het__enter(system, "test")); /* what does not wait is allowed */
	het__leave(system);
	het__callback_end();
	ok(het_close(system));
}
END_TEST

#ifdef HETERO_DEBUG_CHECKS
START_TEST(test_closed_twice)
{
	het_system *const system = open_devices("*");

	ok(het_close(system));
	ck_assert_int_eq(het_close(system), HET_ERR_HANDLE);
	ck_assert_int_eq(het__enter(system, "test"), HET_ERR_HANDLE);
	ck_assert_int_eq(het_device_count(system), 0);
	ck_assert_ptr_null(het_device(system, 0));
}
END_TEST

START_TEST(test_buried_handles)
{
	het_system *const system = open_devices("*");
	struct het__grave *handles[10];

	for (int i = 0; i < 10; i++) {
		handles[i] = het__alloc_zeroed(1, sizeof *handles[i]);
		handles[i]->magic = HET__MAGIC_ARRAY;
		handles[i]->system = system;
		het__bury(system, handles[i]);
	}
	for (int i = 0; i < 10; i++) {
		ck_assert_uint_eq(handles[i]->magic, HET__MAGIC_DEAD);
		ck_assert_ptr_eq(handles[i]->system, system);
	}
	ok(het_close(system));
}
END_TEST
#endif

/* ---- closing ----------------------------------------------------------------------------------- */

static char steps[64];

static void step(const char *what)
{
	strcat(steps, what);
}

static het_status settle_store(het_system *system)
{
	/* Without the lock: it can be had. */
	ok(het__enter(system, "test"));
	het__leave(system);
	step("s");
	return het__fail(HET_ERR_LOST, "first failure");
}

static het_status settle_task(het_system *system)
{
	(void)system;
	step("t");
	return het__fail(HET_ERR_DEVICE, "second failure");
}

static void free_store(het_system *system)
{
	(void)system;
	step("S");
}

static void free_task(het_system *system)
{
	(void)system;
	step("T");
}

/* Rooms settle from the highest down, then they are freed in the same order; the first failure of all is
 * told. */
START_TEST(test_close__rooms)
{
	het_system *const system = open_devices("*");

	system->room[HET__ROOM_TASK] = (struct het__room_state){.settle = settle_task, .free = free_task};
	system->room[HET__ROOM_STORE] = (struct het__room_state){.settle = settle_store, .free = free_store};
	ck_assert_int_eq(het_close(system), HET_ERR_LOST);
	ck_assert_ptr_nonnull(strstr(het_message(), "first failure"));
	ck_assert_str_eq(steps, "stST");
}
END_TEST

START_TEST(test_two_systems)
{
	het_system *const one = open_devices("*");
	het_system *const two = open_devices("*");

	ck_assert_int_eq(het_device_count(one), het_device_count(two));
	ck_assert_ptr_ne(het_device(one, 0), het_device(two, 0));
	for (int i = 0; i < het_device_count(one); i++)
		ck_assert_str_eq(info_of(het_device(one, i)).name, info_of(het_device(two, i)).name);
	ok(het_close(one));
	(void)info_of(het_device(two, 0));
	ok(het_close(two));
	ok(het_close(open_devices("*")));
}
END_TEST

/* ---- memories ---------------------------------------------------------------------------------- */

/* Every CPU device whose driver is known to work in place has the host's memory; no other has. */
START_TEST(test_share__cpus)
{
	het_system *const system = open_devices("*");

	unsetenv("HETERO_SHARE");
	for (int i = 0; i < het_device_count(system); i++) {
		const struct het_device_info info = info_of(het_device(system, i));
		if (info.type == HET_DEVICE_CPU && het_device(system, i)->driver->match)
			ck_assert_msg(info.memory == 0, "%s", info.name);
		if (info.type != HET_DEVICE_CPU)
			ck_assert_msg(info.memory != 0, "%s", info.name);
	}
	ok(het_close(system));
}
END_TEST

static void check_separate(het_system *system)
{
	for (int i = 0; i < het_device_count(system); i++) {
		/* Memories are numbered in the order in which devices are opened: here from the last. */
		const int d = het_device_count(system) - 1 - i;
		ck_assert_int_eq(info_of(het_device(system, d)).memory, i + 1);
		ck_assert_ptr_eq(het_device(system, d)->memory->owner, het_device(system, d));
	}
	ck_assert_ptr_null(system->memories[0]->owner);
	ck_assert_int_eq(system->memory_count, 1 + het_device_count(system));
}

START_TEST(test_share__off)
{
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system;

	options.devices = has_pocl_parts() ? "*,pocl:*/1" : "*";
	setenv("HETERO_SHARE", "off", 1);
	ok(het_open(&options, &system));
	check_separate(system);
	ok(het_close(system));
	unsetenv("HETERO_SHARE");
	options.share = HET_SHARE_OFF;
	ok(het_open(&options, &system));
	check_separate(system);
	ok(het_close(system));
}
END_TEST

/* ---- many threads, little memory --------------------------------------------------------------- */

static void *open_all(void *argument)
{
	het_system *const system = argument;

	for (int i = 0; i < het_device_count(system); i++)
		if (het__device_open(het_device(system, i)) != HET_OK)
			return argument;
	return NULL;
}

START_TEST(test_open__threads)
{
	het_system *const system = open_devices(has_pocl_parts() ? "*,pocl:*/1" : "*");
	pthread_t threads[8];
	void *failed;

	for (int i = 0; i < 8; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, open_all, system), 0);
	for (int i = 0; i < 8; i++) {
		pthread_join(threads[i], &failed);
		ck_assert_ptr_null(failed);
	}
	for (int i = 0; i < het_device_count(system); i++)
		ck_assert(het_device(system, i)->opened && het_device(system, i)->memory);
	ok(het_close(system));
}
END_TEST

static void *ask_for_queues(void *device)
{
	struct het_device_info info = HET_DEVICE_INFO_INIT;

	return het_device_info(device, &info) ? device : NULL;
}

/* Kernels are to be timed from now on, for which some devices' queues are made anew: while these are opened. */
START_TEST(test_times_wanted_beside_first_uses)
{
	het_system *const system = open_devices(has_pocl_parts() ? "pocl:cpu0/1" : "*");
	het_team *const team = het_everyone(system);
	pthread_t threads[2];
	void *failed;

	for (int d = 0; d < 2; d++)
		ck_assert_int_eq(pthread_create(&threads[d], NULL, ask_for_queues, het_device(system, d)), 0);
	for (int k = 0; k < 20000; k++)
		ok(het_team_rebalance(team, 1));
	for (int d = 0; d < 2; d++) {
		pthread_join(threads[d], &failed);
		ck_assert_ptr_null(failed);
	}
	ok(het_close(system));
}
END_TEST

/* Opening a system and its devices while the k-th allocation fails, for every k. What the library only
 * remembers to save work it may do without. */
START_TEST(test_memory_runs_out)
{
	long allowed = 0, asked;

	setenv("HETERO_LOG", "error", 1);
	setenv("HETERO_SHARE", _i ? "off" : "on", 1);
	het_system *const first = open_devices("*"); /* drivers start, verdicts are on disk */
	ck_assert_ptr_null(open_all(first));
	ok(het_close(first));
	do {
		struct het_device_info info = HET_DEVICE_INFO_INIT;
		het_system *system = NULL;
		het__alloc_fail_after(allowed, 0);
		het_status status = het_open(NULL, &system);
		for (int i = 0; i < het_device_count(system) && !status; i++)
			status = het_device_info(het_device(system, i), &info);
		asked = het__alloc_fail_after(-1, 0);
		ck_assert_msg(status == HET_OK || status == HET_ERR_MEMORY, "%ld: %s", allowed, het_message());
		ck_assert(asked > allowed || status == HET_OK);
		ck_assert(status != HET_ERR_MEMORY || het_message()[0]);
		ok(het_close(system));
	} while (asked > allowed++);
	ck_assert_int_gt(allowed, 20);
	assert_seats_from_first(open_devices("*"));
}
END_TEST

/* ------------------------------------------------------------------------------------------------ */

int main(void)
{
	TCase *const all = tcase_create("all");

	het_test_platforms();
	tcase_set_timeout(all, 300);
	tcase_add_test(all, test_open__every_device);
	tcase_add_test(all, test_open__bad_arguments);
	tcase_add_test(all, test_open__stray_variable);
	tcase_add_test(all, test_open__older_options);
	tcase_add_test(all, test_null_handles);
	tcase_add_test(all, test_info__sizes);
	tcase_add_test(all, test_names_are_stable);
	tcase_add_test(all, test_parts);
	tcase_add_test(all, test_missing__no_vendor_file);
	tcase_add_test(all, test_missing__no_folder);
	tcase_add_test(all, test_missing__broken_libraries);
	tcase_add_test(all, test_missing__one_vendor_file);
	tcase_add_test(all, test_missing__one_library);
	tcase_add_test(all, test_missing__platform_without_devices);
	tcase_add_test(all, test_missing__nowhere_to_write);
	tcase_add_test(all, test_callback);
#ifdef HETERO_DEBUG_CHECKS
	tcase_add_test(all, test_closed_twice);
	tcase_add_test(all, test_buried_handles);
#endif
	tcase_add_test(all, test_close__rooms);
	tcase_add_test(all, test_two_systems);
	tcase_add_test(all, test_share__cpus);
	tcase_add_test(all, test_share__off);
	tcase_add_test(all, test_open__threads);
	tcase_add_test(all, test_times_wanted_beside_first_uses);
	tcase_add_loop_test(all, test_memory_runs_out, 0, 2);
	return run_case("system", all);
}
