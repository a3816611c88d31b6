/* args.h - the arguments of one call, checked and placed.
 *
 * Three calls take arguments: het_launch, het_call, het_native. What they share is here: views resolved,
 * conflicts named, stores found, values fetched.
 */
#ifndef HETERO_LIB_LAUNCH_ARGS_H
#define HETERO_LIB_LAUNCH_ARGS_H

#include <hetero/launch.h>

#include "array/array.h"
#include "kernel/kernel.h"

#define HET__ARGS_MOST 64

/** The array arguments of a call. access[i] belongs to argument arg[i]. */
struct het__args {
	const char *what;          /* "kernel product (product.cl)": for messages */
	const struct het_arg *given;
	int given_count;
	size_t blob_bytes;         /* that the values among the arguments take */
	uint64_t written;          /* bit i: argument i is an array that is written */
	int count;                 /* of array arguments */
	int arg[HET__ARGS_MOST];
	struct het__access access[HET__ARGS_MOST];
	struct het__box box[HET__ARGS_MOST]; /* of those accesses that are not of a whole array */
};

/** Kinds, modes and count, as far as they can be judged without the lock. */
het_status het__args_check(const char *what, const struct het_arg *args, int count);
het_status het__args_check_count(const char *what, const struct het_arg *args, int count);
het_status het__arg_check(const char *what, const struct het_arg *arg, int index);

/** Is it an array for a pointer of the kernel's that may be used so? No need to look closer then. */
static inline bool het__array_fits(const struct het_arg *a, const struct het__param *p)
{
	if (p->kind != HET__PARAM_BUFFER || (a->kind != HET_ARG_ARRAY && a->kind != HET_ARG_PACKED))
		return false;
	return a->mode == HET_MODE_IN ||
	       (!p->is_const && (a->mode == HET_MODE_OUT || a->mode == HET_MODE_INOUT));
}
/** Number, kinds and sizes against the kernel's signature, local memory against what the device has. The
 *  count was checked. HET_ERR_SIGNATURE, HET_ERR_UNSUPPORTED, HET_ERR_ARGUMENT. */
het_status het__args_fit(const het_kernel *kernel, const het_device *device, const struct het__kernel_on *on,
			 const struct het_arg *args, int count);
/** One argument of any kind; `title` is the kernel's. */
het_status het__arg_fits(const struct het_arg *a, const struct het__param *p, const char *title, int i);

/** Resolves the views and checks them against each other and against maps. With the lock. */
het_status het__args_resolve(struct het__args *all, het_system *system, const char *what,
                             const struct het_arg *args, int count);

/** het__args_fit, _resolve and _place at once where nothing stands in the way: every array is used whole, no
 *  two arguments are of one array, none is mapped, and what is read is in the device's memory already. False:
 *  it has to be looked at more closely; nothing has been done. */
bool het__args_take(struct het__args *all, const het_kernel *kernel, const het_device *device,
		    const struct het__kernel_on *on, const struct het_arg *args, int count);

/** Finds (or makes) every store before the first transfer starts, then fetches what is read. `device` NULL: the
 *  host. `signature` NULL: no wishes about alignment. May wait (HET__AGAIN inside). */
het_status het__args_place(struct het__args *all, het_device *device, const struct het__signature *signature,
                           struct het__lane *lane);

/** Bytes that a value takes behind others, aligned to 16. */
static inline size_t het__arg_room(const struct het_arg *arg)
{
	return (arg->bytes + 15) / 16 * 16;
}

/** Orders, starts and enters a task whose accesses these are. On an error the task is gone. */
het_status het__args_start(struct het__args *all, struct het__task *task);

#endif
