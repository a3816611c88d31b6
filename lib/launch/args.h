/* args.h - the arguments of one call, checked and placed.
 *
 * Three calls take arguments: het_launch, het_call, het_native. What they share is here: views resolved,
 * conflicts named, stores found, values fetched.
 */
#ifndef HETERO_LIB_LAUNCH_ARGS_H
#define HETERO_LIB_LAUNCH_ARGS_H

#include <hetero/launch.h>

#include "array/array.h"
#include "base/type.h"
#include "kernel/kernel.h"

#define HET__ARGS_MOST 64

/** The arguments of a call, and what is found out about them. */
struct het__args {
	/* set by the call */
	const char *what;          /* "kernel product (product.cl)": for messages; or "" (kernel.h) */
	het_system *system;
	het_device *device;        /* NULL: the host */
	const struct het__memory *memory; /* the device's, or NULL */
	const struct het__signature *signature; /* of as many parameters; NULL: there is no kernel */
	const struct het_range *range; /* by which mappers go; NULL: there is none */
	const struct het_arg *given;
	int given_count;
	bool checked;              /* each has passed het__arg_check */
	bool brought;              /* all of what follows is known already: het__work_launch */
	/* set by het__args_resolve */
	int count;                 /* of accesses: one for each array argument, in their order, */
	bool wraps;                /* and behind them a second one for some (HET_WRAP) */
	bool has_others;           /* some argument is no array */
	bool lacking;              /* an access has no store, or what it reads may not be there */
	bool changed;              /* set by het__args_bring: stores were made or transfers started; */
	bool waited;               /* the lock was dropped, others may have come in */
	int arrays;                /* if `wraps`: how many arguments are arrays */
	size_t blob_bytes;         /* that the values and the windows among the arguments take */
	uint64_t local_bytes;      /* of local memory that is asked for */
	uint64_t written;          /* bit i: argument i is an array that is written */
	struct het__access access[HET__ARGS_MOST];
	struct het__box box[HET__ARGS_MOST]; /* of each access that is not of a whole array */
};

/** How many arguments are arrays: the access of each is one of the first. */
static inline int het__args_arrays(const struct het__args *all)
{
	return all->wraps ? all->arrays : all->count;
}

/** Kinds, modes and count, as far as they can be judged without the lock. */
het_status het__args_check(const char *what, const struct het_arg *args, int count);
het_status het__args_wrong_count(const char *what, int count);
static inline het_status het__args_check_count(const char *what, const struct het_arg *args, int count)
{
	const bool right = count >= 0 && count <= HET__ARGS_MOST && (args || count == 0);

	return right ? HET_OK : het__args_wrong_count(what, count);
}
het_status het__arg_check(const char *what, const struct het_arg *arg, int index);

/** Are all these arguments sound, and does each array that is written have a mapper? HET_ERR_ARGUMENT. */
het_status het__args_check_mapped(const char *what, const struct het_arg *args, int count);
/** Is this array written, by any of them? */
bool het__args_write(const struct het_arg *args, int count, const het_array *array);

/** Puts "WHAT, argument I" before the thread's error message of status `st`; where `what` is "", nothing. */
het_status het__in_argument(const char *what, int i, het_status st) __attribute__((cold));
/** The same, if `st` is an error. */
static inline het_status het__about_argument(const char *what, int i, het_status st)
{
	return st ? het__in_argument(what, i, st) : HET_OK;
}

/** What a function of the program takes in place of a kernel's parameters: anything. */
extern const struct het__param het__param_of_function;

static inline bool het__arg_is_array(const struct het_arg *arg)
{
	return arg->kind >= HET_ARG_ARRAY && arg->kind <= HET_ARG_MAPPED;
}

/** The array of an argument, which may be no usable one; NULL where it is none. */
static inline const het_array *het__arg_array(const struct het_arg *arg)
{
	if (!het__arg_is_array(arg))
		return NULL;
	return arg->kind == HET_ARG_MAPPED ? arg->u.mapped.array : arg->u.view.array;
}

/** Kind and size of one argument, which was checked, against the kernel's parameter; `title` is the kernel's,
 *  `system` whose arrays have a name for messages. HET_ERR_SIGNATURE, HET_ERR_ARGUMENT. */
het_status het__arg_fits(const struct het_arg *a, const struct het__param *p, const char *title, int i,
                         const het_system *system);
/** HET_ERR_SIGNATURE where the elements of the accessed array do not fit the parameter. Asked where none of its
 *  stores meets the parameter's needs, and where a plain pointer gets a copy of the box. */
het_status het__arg_elements_fit(const struct het_arg *given, const struct het__param *p,
				 const struct het__access *a);
/** Is it a view of an array, as most arguments are, that fits? Then nothing more need be checked here. */
static inline bool het__arg_fits_at_once(const struct het_arg *a, const struct het__param *p)
{
	return a->kind >= HET_ARG_ARRAY && a->kind <= HET_ARG_PACKED && p->kind == HET__PARAM_BUFFER &&
	       (a->mode == HET_MODE_IN ||
		(!p->is_const && (a->mode == HET_MODE_OUT || a->mode == HET_MODE_INOUT)));
}

/** Checks the arguments against the signature, resolves the views, checks them against each other and against
 *  maps, and finds the stores that are there. With the lock. */
het_status het__args_resolve(struct het__args *all);

/** Where something is lacking: makes all missing stores before the first transfer starts, then fetches what is
 *  read. `lane`: whose queue carries copies inside the host's memory; NULL: the host's. May wait
 *  (HET__AGAIN inside). */
het_status het__args_bring(struct het__args *all, struct het__lane *lane);

/** The sum of two numbers of bytes; UINT64_MAX where it overflows. */
static inline uint64_t het__sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/** Does a kernel on the device see more of the host's memory, in place, than a buffer may have? */
static inline bool het__arg_is_too_large(const struct het__access *access, const het_device *device)
{
	const uint64_t most = device->facts.max_alloc_bytes;

	return !device->memory->owner && most > 0 && access->bytes > most;
}
/** HET_ERR_DEVICE_MEMORY, with the array, what it needs and what would help. */
het_status het__arg_too_large(const struct het_arg *given, const struct het__param *param,
			      const struct het__access *access, const het_device *device);
/** No buffer could be made for an argument: names the array (the thread's record has the rest, with this
 *  status). A launch by itself has not asked before whether the host's memory, in place, is too large. */
het_status het__arg_no_buffer(const struct het_arg *given, const struct het__param *param,
			      const struct het__access *access, const het_device *device, het_status st)
	__attribute__((cold));
/** HET_ERR_DEVICE_MEMORY for the first argument that is too large. All have their stores. */
het_status het__args_check_buffers(const struct het__args *all);

/** A device has no buffer for what this argument needs: adds what would help to the thread's error message. */
void het__arg_advise(const struct het_arg *given, const struct het__param *param,
		     const struct het__access *access, const het_device *device) __attribute__((cold));

/** Is all that the arguments read still there? It was, and the lock has been held since; but tasks that began
 *  meanwhile with the same arrays may have made directories merge entries and forget it. */
bool het__args_are_ready(const struct het__args *all);

/** Bytes that a held launch keeps for a window. */
#define HET__WINDOW_ROOM (sizeof(struct het__window) + 32)

/** Bytes that a value takes in a row of values, each aligned to 16. */
static inline size_t het__arg_room(const struct het_arg *arg)
{
	return (arg->bytes + 15) / 16 * 16;
}

/** Marks what the arguments were to write as lost, for the reason in the thread's error record. HET_OK unless
 *  there is no memory even for that. */
het_status het__args_lose(struct het__args *all);

/** Orders, starts and enters a task whose accesses these are. On an error the task is gone. */
het_status het__args_start(struct het__args *all, struct het__task *task);

#endif
