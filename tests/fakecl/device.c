/* device.c - the device side: runs a kernel over its range, and has the functions that kernels call.
 *
 * Kernels are shared objects linked against this library. Functions stand under the names that clang gives
 * them, which are C++'s. Only what the tests' kernels need is here: a kernel that calls anything else does not
 * link, and the build's log says what is missing.
 */
#include <math.h>
#include <stdlib.h>
#include <ucontext.h>

#include "fake.h"

/* ---- work-items --------------------------------------------------------------------------------- */

#define STACK_BYTES (64 << 10)

/* Work-items of a group that has barriers are fibers: each runs up to its next barrier, in turn. */
struct fiber {
	ucontext_t context;
	void *stack;
	size_t local[3];
	bool over;
};

/* Small, and found without a call: kernels ask for it all the time. */
static __thread __attribute__((tls_model("initial-exec"))) struct {
	const struct range *range;
	size_t group[3], local[3];
	struct fiber *fiber; /* the one that runs, NULL without barriers */
	void (*call)(void **);
	void **args;
} item;
static __thread ucontext_t group_loop;

/* The first place in a grid of so many, or the last one. */
static void go_to_end(size_t place[3], const size_t count[3], bool last)
{
	for (int d = 0; d < 3; d++)
		place[d] = last ? count[d] - 1 : 0;
}

/* The next one, dimension 0 first. */
static void go_on(size_t place[3], const size_t count[3], bool backwards)
{
	for (int d = 0; d < 3; d++) {
		const size_t end = backwards ? 0 : count[d] - 1;

		if (place[d] != end) {
			place[d] += backwards ? (size_t)-1 : 1;
			return;
		}
		place[d] = backwards ? count[d] - 1 : 0;
	}
}

static void set_item(size_t number)
{
	for (int d = 0; d < 3; d++) {
		item.local[d] = number % item.range->local[d];
		number /= item.range->local[d];
	}
}

static void fiber_main(void)
{
	item.call(item.args);
	item.fiber->over = true;
	swapcontext(&item.fiber->context, &group_loop);
}

static void fiber_start(struct fiber *fiber, size_t number)
{
	set_item(number);
	for (int d = 0; d < 3; d++)
		fiber->local[d] = item.local[d];
	fiber->stack = fake_alloc(STACK_BYTES);
	getcontext(&fiber->context);
	fiber->context.uc_stack.ss_sp = fiber->stack;
	fiber->context.uc_stack.ss_size = STACK_BYTES;
	fiber->context.uc_link = NULL;
	makecontext(&fiber->context, fiber_main, 0);
}

static bool fiber_step(struct fiber *fiber)
{
	if (fiber->over)
		return false;
	item.fiber = fiber;
	for (int d = 0; d < 3; d++)
		item.local[d] = fiber->local[d];
	swapcontext(&group_loop, &fiber->context);
	return true;
}

static void run_group_with_barriers(size_t items)
{
	struct fiber *const fibers = fake_alloc(items * sizeof *fibers);
	bool any = true;

	for (size_t i = 0; i < items; i++)
		fiber_start(&fibers[i], i);
	while (any) {
		any = false;
		for (size_t i = 0; i < items; i++)
			any |= fiber_step(&fibers[i]);
	}
	for (size_t i = 0; i < items; i++)
		free(fibers[i].stack);
	free(fibers);
	item.fiber = NULL;
}

static void run_group(size_t items, bool backwards)
{
	go_to_end(item.local, item.range->local, backwards);
	for (size_t i = 0; i < items; i++) {
		item.call(item.args);
		go_on(item.local, item.range->local, backwards);
	}
}

void fake_device_run(const struct range *range, bool barriers, void (*call)(void **), void **args)
{
	const size_t items = range->local[0] * range->local[1] * range->local[2];
	size_t count[3], groups = 1;

	item.range = range;
	item.call = call;
	item.args = args;
	for (int d = 0; d < 3; d++) {
		count[d] = range->global[d] / range->local[d];
		groups *= count[d];
	}
	go_to_end(item.group, count, range->backwards);
	for (size_t g = 0; g < groups; g++) {
		if (barriers)
			run_group_with_barriers(items);
		else
			run_group(items, range->backwards);
		go_on(item.group, count, range->backwards);
	}
}

/* ---- functions of OpenCL C ---------------------------------------------------------------------- */

/* A function of ours under the name that clang gives it. */
#define BUILTIN(type, name, mangled, parameters)                                                               \
	type name parameters __asm__(mangled);                                                                 \
	type name parameters

BUILTIN(size_t, cl_get_global_id, "_Z13get_global_idj", (unsigned d))
{
	return d < 3 ? item.range->offset[d] + item.group[d] * item.range->local[d] + item.local[d] : 0;
}

BUILTIN(size_t, cl_get_local_id, "_Z12get_local_idj", (unsigned d))
{
	return d < 3 ? item.local[d] : 0;
}

BUILTIN(size_t, cl_get_group_id, "_Z12get_group_idj", (unsigned d))
{
	return d < 3 ? item.group[d] : 0;
}

BUILTIN(size_t, cl_get_global_size, "_Z15get_global_sizej", (unsigned d))
{
	return d < 3 ? item.range->global[d] : 1;
}

BUILTIN(size_t, cl_get_local_size, "_Z14get_local_sizej", (unsigned d))
{
	return d < 3 ? item.range->local[d] : 1;
}

BUILTIN(size_t, cl_get_num_groups, "_Z14get_num_groupsj", (unsigned d))
{
	return d < 3 ? item.range->global[d] / item.range->local[d] : 1;
}

BUILTIN(size_t, cl_get_global_offset, "_Z17get_global_offsetj", (unsigned d))
{
	return d < 3 ? item.range->offset[d] : 0;
}

BUILTIN(unsigned, cl_get_work_dim, "_Z12get_work_dimv", (void))
{
	return item.range->rank;
}

BUILTIN(void, cl_barrier, "_Z7barrierj", (unsigned fence))
{
	(void)fence;
	if (item.fiber)
		swapcontext(&item.fiber->context, &group_loop);
}

/* Of one argument, of two; for float ("f") and double ("d"). */
#define MATH1(name, length)                                                                                    \
	BUILTIN(float, cl_##name##f, "_Z" #length #name "f", (float x))                                        \
	{                                                                                                      \
		return name##f(x);                                                                             \
	}                                                                                                      \
	BUILTIN(double, cl_##name, "_Z" #length #name "d", (double x))                                         \
	{                                                                                                      \
		return name(x);                                                                                \
	}
#define MATH2(name, length)                                                                                    \
	BUILTIN(float, cl_##name##f, "_Z" #length #name "ff", (float x, float y))                              \
	{                                                                                                      \
		return name##f(x, y);                                                                          \
	}                                                                                                      \
	BUILTIN(double, cl_##name, "_Z" #length #name "dd", (double x, double y))                              \
	{                                                                                                      \
		return name(x, y);                                                                             \
	}
MATH1(sqrt, 4)
MATH1(fabs, 4)
MATH1(exp, 3)
MATH1(log, 3)
MATH1(sin, 3)
MATH1(cos, 3)
MATH1(floor, 5)
MATH1(ceil, 4)
MATH2(pow, 3)
MATH2(fmin, 4)
MATH2(fmax, 4)

#define ORDERED(name, sign, type, letter, tag)                                                                 \
	BUILTIN(type, cl_##name##_##tag, "_Z3" #name letter letter, (type x, type y))                          \
	{                                                                                                      \
		return x sign y ? x : y;                                                                       \
	}
#define BOTH(type, letter, tag) ORDERED(min, <, type, letter, tag) ORDERED(max, >, type, letter, tag)
BOTH(int, "i", int)
BOTH(unsigned, "j", uint)
BOTH(long, "l", long)
BOTH(unsigned long, "m", ulong)
BOTH(short, "s", short)
BOTH(unsigned short, "t", ushort)
BOTH(signed char, "c", char)
BOTH(unsigned char, "h", uchar)
BOTH(float, "f", float)
BOTH(double, "d", double)

/* Atomic functions, on the memories of any address space: parts of one CPU run side by side. */
#define ATOMIC_AT(name, length, space, type, letter, tag, change)                                              \
	BUILTIN(type, cl_atomic_##name##_##tag, "_Z" #length "atomic_" #name space "V" letter letter,          \
		(volatile type * at, type x))                                                                  \
	{                                                                                                      \
		type old = __atomic_load_n(at, __ATOMIC_RELAXED);                                              \
                                                                                                               \
		while (!__atomic_compare_exchange_n(at, &old, (change), 0, __ATOMIC_RELAXED,                   \
						    __ATOMIC_RELAXED))                                         \
			;                                                                                      \
		return old;                                                                                    \
	}
#define ATOMIC(name, length, change)                                                                           \
	ATOMIC_AT(name, length, "PU8CLglobal", int, "i", global_int, change)                                   \
	ATOMIC_AT(name, length, "PU8CLglobal", unsigned, "j", global_uint, change)                             \
	ATOMIC_AT(name, length, "PU7CLlocal", int, "i", local_int, change)                                     \
	ATOMIC_AT(name, length, "PU7CLlocal", unsigned, "j", local_uint, change)
ATOMIC(add, 10, old + x)
ATOMIC(or, 9, old | x)
ATOMIC(and, 10, old & x)
ATOMIC(min, 10, old < x ? old : x)
ATOMIC(max, 10, old > x ? old : x)
ATOMIC(xchg, 11, x)

BUILTIN(int, cl_atomic_inc_int, "_Z10atomic_incPU8CLglobalVi", (volatile int *at))
{
	return __atomic_fetch_add(at, 1, __ATOMIC_RELAXED);
}

BUILTIN(unsigned, cl_atomic_cmpxchg_uint, "_Z14atomic_cmpxchgPU8CLglobalVjjj",
	(volatile unsigned *at, unsigned was, unsigned next))
{
	__atomic_compare_exchange_n(at, &was, next, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	return was;
}

BUILTIN(unsigned long, cl_atom_cmpxchg_ulong, "_Z12atom_cmpxchgPU8CLglobalVmmm",
	(volatile unsigned long *at, unsigned long was, unsigned long next))
{
	__atomic_compare_exchange_n(at, &was, next, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	return was;
}

BUILTIN(unsigned, cl_atomic_inc_uint, "_Z10atomic_incPU8CLglobalVj", (volatile unsigned *at))
{
	return __atomic_fetch_add(at, 1, __ATOMIC_RELAXED);
}
