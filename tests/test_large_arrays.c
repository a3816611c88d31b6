/* test_large_arrays.c - an array that no device of a real driver can have in one piece, but two by windows:
 * PoCL is told that there is one GiB of memory, of which it gives a buffer a quarter. */
#include "face.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "platforms.h"

/* 288 MiB: more than the 256 of a buffer. */
enum { ROWS = 4608, COLS = 1 << 14 };
#define BYTES ((uint64_t)ROWS * COLS * sizeof(int))
#define MIB ((uint64_t)1 << 20)

static const char text[] =
	"#include \"het.clh\"\n"
	"kernel void plain(global int *a) { a[get_global_id(1) * 16384 + get_global_id(0)] = 1; }\n"
	"kernel void number(HET_WINDOW(global int, a))\n"
	"{ int x = get_global_id(0), y = get_global_id(1); HET_AT2(a, y, x) = 3 * y + x; }\n"
	"kernel void beside(global int *sum, HET_WINDOW(global const int, a), int rows, int last)\n"
	"{ int y = get_global_id(0);\n"
	"  sum[y] = (y > 0 ? HET_AT2(a, y - 1, 0) : 0) + HET_AT2(a, y, last)\n"
	"         + (y + 1 < rows ? HET_AT2(a, y + 1, 1) : 0); }\n";

static struct het_device_info info_of(het_device *device)
{
	struct het_device_info info = HET_DEVICE_INFO_INIT;

	ok(het_device_info(device, &info));
	return info;
}

static uint64_t bytes_on(het_device *device)
{
	struct het_device_stats stats = HET_DEVICE_STATS_INIT;

	ok(het_device_stats(device, &stats));
	return stats.array_bytes;
}

static int value(int y, int x)
{
	return 3 * y + x;
}

/* Each row's last number, and one of each row beside it. */
static void assert_beside(het_array *sum)
{
	const int *at;

	ok(het_map(sum, HET_READ, &at));
	for (int y = 0; y < ROWS; y++)
		ck_assert_int_eq(at[y], (y > 0 ? value(y - 1, 0) : 0) + value(y, COLS - 1) +
						(y + 1 < ROWS ? value(y + 1, 1) : 0));
	ok(het_unmap(sum));
}

START_TEST(two_devices_have_room_by_windows)
{
	het_system *system = open_face(_i);
	const int count = het_device_count(system) < 2 ? 0 : 2;
	het_device *device[2];
	het_kernel *plain, *number, *beside;
	het_array *a, *sum;
	het_team *team;

	for (int i = 0; i < count; i++) {
		device[i] = het_device(system, i);
		ck_assert_uint_lt(info_of(device[i]).max_alloc_bytes, BYTES);
		ck_assert_uint_gt(info_of(device[i]).max_alloc_bytes, BYTES / 2 + MIB);
	}
	if (count == 0) {
		close_face(system);
		return;
	}
	plain = text_kernel(system, text, "plain");
	number = text_kernel(system, text, "number");
	beside = text_kernel(system, text, "beside");
	ok(het_team_new(system, 2, device, (double[]){1, 1}, &team));
	ok(het_array_new(system, HET_INT, het_shape(2, ROWS, COLS), &a));
	ok(het_array_name(a, "large"));
	sum = zero_array(system, ROWS);
	fails(het_spread(plain, team, het_grid(2, ROWS, COLS), HET_OUT(HET_EACH(a))), HET_ERR_DEVICE_MEMORY,
	      "kernel plain, argument 0: ", "large: 301989888 bytes; a buffer of pocl:cpu0.",
	      "268435456 at most", "HET_WINDOW");
	fails(het_launch(number, device[0], het_grid(2, ROWS, COLS), HET_OUT(a)), HET_ERR_DEVICE_MEMORY,
	      "kernel number, argument 0: ", "large: 301989888 bytes; a buffer of pocl:cpu0.",
	      "268435456 at most; less of it at a time may fit");
	ok(het_spread(number, team, het_grid(2, ROWS, COLS), HET_OUT(HET_EACH(a))));
	ok(het_spread(beside, team, het_grid(1, ROWS), HET_OUT(HET_EACH(sum)), HET_IN(HET_HALO(a, 1)),
		      HET_VAL((int)ROWS), HET_VAL(COLS - 1)));
	assert_beside(sum);
	for (int i = 0; i < 2 && is_separate(device[i]); i++) {
		ck_assert_uint_gt(bytes_on(device[i]), BYTES / 2 - MIB);
		ck_assert_uint_lt(bytes_on(device[i]), BYTES / 2 + MIB);
	}
	ok(het_team_free(team));
	close_face(system);
}
END_TEST

static const struct face_test tests[] = {{&two_devices_have_room_by_windows, 1}};

/* Of one driver's devices: others are not told. */
int main(void)
{
	if (getenv("HETERO_TEST_DRIVER") || getenv("HETERO_TEST_FAKE")) {
		puts("only PoCL is told how much memory there is: not tested");
		return 77;
	}
	if ((uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) < 1024 * MIB) {
		puts("less than 1 GiB of memory is free: not tested");
		return 77;
	}
	setenv("POCL_MEMORY_LIMIT", "1", 1);
	setenv("HETERO_TEST_SHORT", "1", 1); /* two faces: not Mesa's */
	return run_face_tests("large arrays", sizeof tests / sizeof tests[0], tests);
}
