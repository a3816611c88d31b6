/* launch.h - kernel arguments, launches, host functions as tasks.
 *
 * Every argument says what the kernel does with it; there are no default modes, a bare array does not
 * compile, nor does a bare number before another argument; one at the end, which C lets pass with a warning,
 * is refused:
 *   HET_IN(a) HET_OUT(a) HET_INOUT(a)              the kernel sees all of the array
 *   HET_IN(het_view(a, box)) ...                   packed view: the kernel sees only the box
 *   HET_IN_PART(a, box) HET_OUT_PART HET_INOUT_PART  part: the kernel sees the whole array's geometry but
 *                                                  touches only the box (bands, halos)
 *   HET_IN(HET_EACH(a)) HET_IN(HET_HALO(a, 1)) ... part that follows from the range (spread.h)
 *   HET_VAL(x)                                     a scalar, passed with its own C type ('a' is an int in C;
 *                                                  no bool, which no kernel may take: cast it)
 *   HET_BYTES(p, n)                                n bytes at p (vector types, structs), 1 or more; copied
 *   HET_LOCAL(n)                                   n bytes of local memory, 1 or more
 *   HET_NULL                                       a NULL pointer, which the kernel must not read through
 * `out` promises that the kernel writes every element of the box, `in` that it writes none: what it writes
 * there is lost. (A warning tells, once, where all arrays of a kernel are `in` and it may write to one.) Nobody
 * looks whether a kernel keeps to that, and stays inside what it was given, unless HETERO_CHECK=1 (hetero(7)):
 * then every launch is tried on copies first, and refused if it does not. A range of 65 items over an array of
 * 64 elements writes behind it, as in plain OpenCL. (Oclgrind looks, too: HETERO_SHARE=off oclgrind PROGRAM
 * names kernel and work-item.) With a mapper (HET_EACH...) it is checked that what the range touches lies in
 * the array, so one may be worth giving to a launch, too. Not so with HET_HALO, which is cut off where the
 * array ends: there the kernel must look itself, as a stencil over the faces between cells does.
 * For a parameter with HET_WINDOW (kernel.h) a packed view is a part: indices are the whole array's. A device
 * with a memory of its own allocates a window, for what the box needs. Where the box of a later launch overlaps
 * it, the window grows to hold both, by a copy inside the device for which that launch waits once. Where memory
 * is short, windows that are not in use go home. het_device_stats tells what is there.
 *
 * Arguments are checked against the kernel's signature: their number; buffer or value; the size of a value
 * and whether it is an integer, a real number or a vector; const; and that a pointer steps over numbers that
 * an array can have. So an array of float is refused for double *, and one of double for float * or for rows of
 * float (`float (*x)[4]`, a typedef `float row[4]`), which step over numbers as float * does. But a kernel may
 * want the bits of numbers: a pointer to integers takes numbers that are no narrower, float * takes an array of
 * int, any pointer takes an array of bytes, and a pointer to structs any numbers. Of a struct by value the size
 * is checked; of an array of structs (HET_STRUCT of more than a byte) that an element is one or several of the
 * kernel's, and that vectors lie in it as they must: a float3 takes 16 bytes on a device, a float[3] 12 on the
 * host. What a name of the text's own stands for (`typedef float real;`, `struct body`) the compiler is asked:
 * the text is compiled once more for that, for all its kernels at once, unless the cache has the answer. Where
 * it does not tell (a struct that is only declared, or defined in a kernel's list of parameters, a kernel from
 * a binary, a text that the question spoils), such types are not checked; some drivers then read as many bytes
 * of a value as the type has, whatever was given. Nor is it checked what numbers a typedef of an array of
 * arrays has (`float plane[9][9]`), unless it has two dimensions and two, three or four columns.
 *
 * If a launch fails on its device, calls that want what it was to write return HET_ERR_LOST (array.h), with the
 * kernel's name. With NVIDIA's driver up to sixteen launches share an event: all of them have failed then, and
 * the text names the first and says how many others it may have been. With the option `profile` each has its
 * own.
 */
#ifndef HETERO_LAUNCH_H
#define HETERO_LAUNCH_H

#include <hetero/array.h>
#include <hetero/kernel.h>

HET_BEGIN_DECLS

enum het_mode { HET_MODE_IN = 1, HET_MODE_OUT = 2, HET_MODE_INOUT = 3 };

enum het_arg_kind {
	HET_ARG_ARRAY = 1, /* whole array or part */
	HET_ARG_PACKED = 2,
	HET_ARG_MAPPED = 3, /* as ARRAY; the box follows from the range */
	HET_ARG_VALUE = 4,
	HET_ARG_BYTES = 5,
	HET_ARG_LOCAL = 6,
	HET_ARG_NULL = 7
};

/** How a part of the range maps to what it touches of an array (spread.h). */
enum het_mapper {
	HET_MAPPER_EACH = 1,
	HET_MAPPER_HALO = 2,
	HET_MAPPER_DIM = 3,
	HET_MAPPER_BLOCKS = 4,
	HET_MAPPER_ALL = 5,
	HET_MAPPER_FN = 6,
	HET_MAPPER_SUM = 7,
	HET_MAPPER_MIN = 8,
	HET_MAPPER_MAX = 9,
	HET_MAPPER_OR = 10,
	HET_MAPPER_TILES = 11,
	HET_MAPPER_WRAP = 12
};

/** Says what a part of a range (its rank, [lo, hi) in every dimension) touches of the array. `*touched` is the
 *  whole array at first, its hi being the array's extents; the function gives it another box, by a constructor
 *  or by rank, lo and hi.
 *      static void mirrored(void *n, const struct het_box *part, struct het_box *touched)
 *      {
 *              *touched = het_rows(*(int *)n - part->hi[0], *(int *)n - part->lo[0]);
 *      }
 *  examples/cg has one for a sparse matrix whose rows are of uneven length.
 *  Called any number of times, also for parts that are never run; the same part has always the same answer. The
 *  system's lock is held, so it only calculates: calls of that system return HET_ERR_CONTEXT, except
 *  het_device_count, _at and _named, and calls of another system may never return. `user` is what HET_MAP_BY
 *  was given; it is not used after the call that got it has returned. C++ wants the word struct, too, for
 *  het_box is also a function. */
typedef void (*het_part_fn)(void *user, const struct het_box *part, struct het_box *touched);

/** An array and a mapper; made by HET_EACH, HET_HALO... (spread.h), never by hand. */
struct het_mapped {
	het_array *array;
	enum het_mapper mapper;
	int given;                    /* how many numbers the constructor received */
	int64_t number[HET_MAX_RANK]; /* HALO, WRAP: radii; DIM: the dimension; BLOCKS, TILES: sizes */
	het_part_fn fn;               /* FN */
	void *user;
};

/** One argument of a launch; made by the macros below, never by hand. */
struct het_arg {
	float no_pointer; /* always 0: a bare array in an argument's place would come here, and does not
		                     compile, as no pointer converts to a float. Nor does a bare number before
		                     other arguments; at the end it is refused */
	enum het_arg_kind kind;
	enum het_mode mode;  /* of all but ARRAY, PACKED and MAPPED: IN */
	het_type value_type; /* VALUE */
	size_t bytes;        /* VALUE, BYTES, LOCAL */
	union {
		struct het_view view; /* ARRAY, PACKED */
		struct het_mapped mapped; /* MAPPED */
		const void *pointer;  /* BYTES */
		unsigned char value[8];
	} u;
};

/** Starts a kernel on a device over a range, when its data are ready. Waits only for room: where thousands of
 *  tasks are unfinished, or the device's memory is full. If room depends on functions of the program's
 *  (het_call_args, het_native_args), it waits as long as these end. One that takes HETERO_PATIENCE seconds (30)
 *  may be waiting for this call, which then goes on without the wait, or returns HET_ERR_DEVICE_MEMORY
 *  (HET_ERR_MEMORY where all 63 windows that an array can have are taken).
 *  `count` arguments at `args`, at most 64 (an array of HET_WRAP that is touched at both ends counts twice),
 *  copied. Prefer the macro het_launch(kernel, device, range, args...).
 *  Sequential meaning: as if the kernel had run here, to its end. An empty range is legal, wherever it
 *  begins, also beyond an array: nothing runs, no function of HET_MAP_BY is asked, outputs stay as they were.
 *  Errors: HET_ERR_HANDLE, HET_ERR_CONTEXT (after a fork; a callback that would have to wait),
 *  HET_ERR_ARGUMENT (not what the macros make), HET_ERR_SHAPE (range, box), HET_ERR_ALIAS (two
 *  arguments overlap in an array, and one of them is written), HET_ERR_SIGNATURE, HET_ERR_UNSUPPORTED
 *  (work-group or local memory too large, double precision, another device's binary), HET_ERR_BUILD,
 *  HET_ERR_KERNEL, HET_ERR_MAPPED, HET_ERR_DEVICE_MEMORY, HET_ERR_DEVICE, HET_ERR_MEMORY, HET_ERR_SYSTEM (no
 *  thread could be started). On any of them nothing has changed. */
HET_API het_status het_launch_args(het_kernel *kernel, het_device *device, struct het_range range,
                                   const struct het_arg *args, int count);

/** What a host function gets for each of its arguments. */
struct het_host_arg {
	void *data;           /* of the box's first element (ARRAY: of the array's element 0; VALUE, BYTES: of
	                         the copied value, aligned to 16 bytes); NULL for HET_NULL */
	struct het_box box;   /* complete: rank of the array */
	size_t pitch_bytes[HET_MAX_RANK]; /* from one index to the next */
	size_t bytes;         /* VALUE, BYTES */
};

/** A host function, run as a task on a thread of the library, without its lock. It may call functions that do
 *  not wait for tasks (others return HET_ERR_CONTEXT); those that only take their time, as to build a kernel
 *  or open a system, are allowed. The thread gets no signals (the program's own threads do), except those of
 *  faults and SIGPROF, where these were not blocked. A return other than HET_OK fails the task: what it was to
 *  write is lost, with that status as the cause. */
typedef het_status (*het_host_fn)(void *user, int count, const struct het_host_arg *args);

/** Runs `fn` when its data are in host memory. Waits only for room (het_launch_args). Host functions run one at
 *  a time, each when its data are there: of two that have no array in common the later one may be first. Where
 *  their other effects have an order (lines of a file), give them a small array in common: HET_INOUT(turn).
 *  `user` is passed on and is the caller's to keep. Errors: as het_launch_args where they apply;
 *  HET_ERR_ARGUMENT also for HET_LOCAL and for mappers (HET_EACH...). */
HET_API het_status het_call_args(het_system *system, het_host_fn fn, void *user, const struct het_arg *args,
                                 int count);

static inline struct het_arg het_arg_whole(het_array *array, enum het_mode mode)
{
	struct het_arg a;
	a.no_pointer = 0;
	a.kind = HET_ARG_ARRAY;
	a.mode = mode;
	a.value_type = 0;
	a.bytes = 0;
	a.u.view.array = array;
	a.u.view.box.rank = 0;
	a.u.view.box.given = 0;
	return a;
}

static inline struct het_arg het_arg_part(het_array *array, struct het_box box, enum het_mode mode)
{
	struct het_arg a;
	a.no_pointer = 0;
	a.kind = HET_ARG_ARRAY;
	a.mode = mode;
	a.value_type = 0;
	a.bytes = 0;
	a.u.view = het_view(array, box);
	return a;
}

static inline struct het_arg het_arg_packed(struct het_view view, enum het_mode mode)
{
	struct het_arg a = het_arg_part(view.array, view.box, mode);
	a.kind = HET_ARG_PACKED;
	return a;
}

static inline struct het_arg het_arg_mapped(struct het_mapped mapped, enum het_mode mode)
{
	struct het_arg a = het_arg_whole(mapped.array, mode);
	a.kind = HET_ARG_MAPPED;
	a.u.mapped = mapped;
	return a;
}

static inline struct het_arg het_arg_plain(enum het_arg_kind kind, const void *pointer, size_t bytes)
{
	struct het_arg a;
	a.no_pointer = 0;
	a.kind = kind;
	a.mode = HET_MODE_IN;
	a.value_type = 0;
	a.bytes = bytes;
	a.u.pointer = pointer;
	return a;
}

/** A scalar of `type` at `value`, HET_TYPE_BYTES(type) <= 8 bytes: calls refuse a larger one. */
static inline struct het_arg het_arg_value(het_type type, const void *value)
{
	const unsigned char *bytes = HET__CAST(const unsigned char *, value);
	struct het_arg a = het_arg_plain(HET_ARG_VALUE, NULL, HET_TYPE_BYTES(type));
	a.value_type = type;
	for (size_t i = 0; i < a.bytes && i < sizeof a.u.value; i++)
		a.u.value[i] = bytes[i];
	return a;
}

#define HET_IN_PART(array, box) het_arg_part((array), (box), HET_MODE_IN)
#define HET_OUT_PART(array, box) het_arg_part((array), (box), HET_MODE_OUT)
#define HET_INOUT_PART(array, box) het_arg_part((array), (box), HET_MODE_INOUT)
#define HET_BYTES(...) het_arg_plain(HET_ARG_BYTES, __VA_ARGS__) /* p, n: p may be &(struct s){1, 2} */
#define HET_LOCAL(bytes) het_arg_plain(HET_ARG_LOCAL, NULL, (bytes))
#define HET_NULL het_arg_plain(HET_ARG_NULL, NULL, 0)

/* HET_VAL: one function per scalar type of C; long is 8 bytes wherever OpenCL's is. */
#define HET__SCALARS(X)                                                                                        \
	X(char, char, (HET__CAST(char, -1) < 0 ? HET_CHAR : HET_UCHAR))                                        \
	X(schar, signed char, HET_CHAR) X(uchar, unsigned char, HET_UCHAR) X(short, short, HET_SHORT)         \
	X(ushort, unsigned short, HET_USHORT) X(int, int, HET_INT) X(uint, unsigned, HET_UINT)                \
	X(long, long, (sizeof(long) == 8 ? HET_LONG : HET_INT))                                                \
	X(ulong, unsigned long, (sizeof(long) == 8 ? HET_ULONG : HET_UINT)) X(llong, long long, HET_LONG)     \
	X(ullong, unsigned long long, HET_ULONG) X(float, float, HET_FLOAT) X(double, double, HET_DOUBLE)
#define HET__VALUE_FUNCTION(name, ctype, hettype)                           \
	static inline struct het_arg het_arg_of_##name(ctype value)         \
	{                                                                   \
		return het_arg_value(HET__CAST(het_type, hettype), &value); \
	}
HET__SCALARS(HET__VALUE_FUNCTION)
#undef HET__VALUE_FUNCTION

HET_END_DECLS

#ifndef __cplusplus
#define HET__ARG(x, mode)                                                                  \
	_Generic((x), het_array *: het_arg_whole, struct het_view: het_arg_packed,         \
	         struct het_mapped: het_arg_mapped)((x), mode)
#define HET_IN(x) HET__ARG(x, HET_MODE_IN)
#define HET_OUT(x) HET__ARG(x, HET_MODE_OUT)
#define HET_INOUT(x) HET__ARG(x, HET_MODE_INOUT)
#define HET_VAL(x)                                                                                        \
	_Generic((x), char: het_arg_of_char, signed char: het_arg_of_schar, unsigned char: het_arg_of_uchar, \
	         short: het_arg_of_short, unsigned short: het_arg_of_ushort, int: het_arg_of_int,            \
	         unsigned: het_arg_of_uint, long: het_arg_of_long, unsigned long: het_arg_of_ulong,          \
	         long long: het_arg_of_llong, unsigned long long: het_arg_of_ullong, float: het_arg_of_float, \
	         double: het_arg_of_double)(x)
#define HET__ARGS(...)                         \
	(const struct het_arg[]){__VA_ARGS__}, \
		(int)(sizeof((const struct het_arg[]){__VA_ARGS__}) / sizeof(struct het_arg))
/** het_launch(kernel, device, range, args...): at least one argument. A kernel that has none is launched by
 *  het_launch_args(kernel, device, range, NULL, 0). */
#define het_launch(kernel, device, range, ...)                                                                 \
	het_launch_args((kernel), (device), (range), HET__ARGS(__VA_ARGS__))
/** het_call(system, fn, user, args...): at least one argument. */
#define het_call(system, fn, user, ...) het_call_args((system), (fn), (user), HET__ARGS(__VA_ARGS__))
#else
inline struct het_arg het__arg(het_array *a, enum het_mode mode) { return het_arg_whole(a, mode); }
inline struct het_arg het__arg(struct het_view v, enum het_mode mode) { return het_arg_packed(v, mode); }
inline struct het_arg het__arg(struct het_mapped m, enum het_mode mode) { return het_arg_mapped(m, mode); }
/* Overloads, not templates: what converts to a het_array * is not copied. */
#define HET__OVERLOADS(type)                                                                 \
	inline struct het_arg HET_IN(type x) { return het__arg(x, HET_MODE_IN); }            \
	inline struct het_arg HET_OUT(type x) { return het__arg(x, HET_MODE_OUT); }          \
	inline struct het_arg HET_INOUT(type x) { return het__arg(x, HET_MODE_INOUT); }
HET__OVERLOADS(het_array *)
HET__OVERLOADS(struct het_view)
HET__OVERLOADS(struct het_mapped)
#undef HET__OVERLOADS
#define HET__VALUE_OVERLOAD(name, ctype, hettype) \
	inline struct het_arg HET_VAL(ctype value) { return het_arg_of_##name(value); }
HET__SCALARS(HET__VALUE_OVERLOAD)
#undef HET__VALUE_OVERLOAD
struct het_arg HET_VAL(bool value) = delete; /* would be an int */
template <typename T> struct het_arg HET_VAL(T *pointer) = delete; /* would be a bool */
template <typename... A>
inline het_status het_launch(het_kernel *kernel, het_device *device, struct het_range range, const A &...args)
{
	const struct het_arg list[] = {args...};
	return het_launch_args(kernel, device, range, list, static_cast<int>(sizeof...(A)));
}
template <typename... A>
inline het_status het_call(het_system *system, het_host_fn fn, void *user, const A &...args)
{
	const struct het_arg list[] = {args...};
	return het_call_args(system, fn, user, list, static_cast<int>(sizeof...(A)));
}
#endif

#endif
