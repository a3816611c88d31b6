/* bad.h - what the tests of wrong calls share: a small world, and the proof that a refused call changed nothing
 * of it. Included once by a test program.
 */
#ifndef HETERO_TESTS_BAD_H
#define HETERO_TESTS_BAD_H

#include <hetero/opencl.h>

#include "face.h"

enum { N = 100 };

/* An array called "field" with 0, 1, 2..., and kernels. */
static het_system *system_;
static het_device *device;
static het_array *field, *other;
static het_kernel *add, *set, *bump;

static void set_up(int face)
{
	system_ = open_face(face);
	device = last_device(system_);
	field = counting_array(system_, N);
	other = zero_array(system_, N);
	ok(het_array_name(field, "field"));
	ok(het_array_name(other, "other"));
	add = common_kernel(system_, "add");
	set = common_kernel(system_, "set");
	bump = common_kernel(system_, "bump");
}

/* Nothing has changed. */
static void tear_down(void)
{
	assert_counts(field, 0, 1);
	assert_counts(other, 0, 0);
	ck_assert_uint_eq(stats_of(system_).failures, 0);
	close_face(system_);
}

#define all(array) het_view((array), het_whole())

static het_status host_nothing(void *user, int count, const struct het_host_arg *args)
{
	(void)user;
	(void)count;
	(void)args;
	return HET_OK;
}

static het_status native_nothing(void *user, const struct het_native_info *info)
{
	(void)user;
	(void)info;
	return HET_OK;
}

#endif
