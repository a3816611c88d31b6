/* shape.h - element types, shapes, boxes, ranges: small values, passed by value.
 *
 * Row-major everywhere: dimension 0 is the outermost, the last one is contiguous. A box or range is
 * half-open, [lo, hi) in every dimension. Constructors take int64_t and never fail: a value made from
 * wrong numbers (negative, overflowing, too many) is refused by the call it is given to, which names
 * the number. The structs share their constructor's name, as POSIX does with stat.
 */
#ifndef HETERO_SHAPE_H
#define HETERO_SHAPE_H

#include <stddef.h>
#include <stdint.h>

#include <hetero/api.h>

/** The largest rank of an array. */
#define HET_MAX_RANK 8
/** The largest rank of a launch range (OpenCL's own limit on every device known). */
#define HET_MAX_RANGE 3
/** As an upper bound of a box: "to the end of this dimension". */
#define HET_END INT64_MAX

/** An element type: HET_CHAR, HET_UCHAR, HET_SHORT, HET_USHORT, HET_INT, HET_UINT, HET_LONG, HET_ULONG,
 *  HET_HALF, HET_FLOAT or HET_DOUBLE, each also with 2, 3, 4, 8 or 16 lanes (HET_FLOAT4), or HET_STRUCT(bytes).
 *  3 lanes take the bytes of 4, as in OpenCL C: so float x[n][3] is an array of rank 2 and type HET_FLOAT,
 *  which kernels take as float * and read by vload3. HET_TYPE(base, lanes, bytes) makes one;
 *  HET_TYPE_BASE(type), HET_TYPE_LANES(type) and HET_TYPE_BYTES(type) are its parts: bits 28..31, 20..27 and
 *  0..19. */
typedef uint32_t het_type;

enum het_base { HET_BASE_STRUCT = 1, HET_BASE_INT = 2, HET_BASE_UINT = 3, HET_BASE_REAL = 4 };

#ifdef __cplusplus
#define HET__CAST(type, x) static_cast<type>(x)
#else
#define HET__CAST(type, x) ((type)(x))
#endif
#define HET_TYPE(base, lanes, bytes) \
	((HET__CAST(uint32_t, base) << 28) | (HET__CAST(uint32_t, lanes) << 20) | HET__CAST(uint32_t, bytes))
#define HET_TYPE_BYTES(type) HET__CAST(size_t, (type) & 0xfffffu)
#define HET_TYPE_LANES(type) HET__CAST(unsigned, ((type) >> 20) & 0xffu)
#define HET_TYPE_BASE(type) HET__CAST(unsigned, (type) >> 28)

/* Every OpenCL scalar and vector type. */
#define HET__TYPES(name, base, bytes)                                                                \
	HET_##name = HET_TYPE(base, 1, bytes), HET_##name##2 = HET_TYPE(base, 2, 2 * (bytes)),       \
	HET_##name##3 = HET_TYPE(base, 3, 4 * (bytes)), HET_##name##4 = HET_TYPE(base, 4, 4 * (bytes)), \
	HET_##name##8 = HET_TYPE(base, 8, 8 * (bytes)), HET_##name##16 = HET_TYPE(base, 16, 16 * (bytes))

#ifdef __cplusplus
enum : het_type {
#else
enum {
#endif
	HET__TYPES(CHAR, HET_BASE_INT, 1),
	HET__TYPES(UCHAR, HET_BASE_UINT, 1),
	HET__TYPES(SHORT, HET_BASE_INT, 2),
	HET__TYPES(USHORT, HET_BASE_UINT, 2),
	HET__TYPES(INT, HET_BASE_INT, 4),
	HET__TYPES(UINT, HET_BASE_UINT, 4),
	HET__TYPES(LONG, HET_BASE_INT, 8),
	HET__TYPES(ULONG, HET_BASE_UINT, 8),
	HET__TYPES(HALF, HET_BASE_REAL, 2),
	HET__TYPES(FLOAT, HET_BASE_REAL, 4),
	HET__TYPES(DOUBLE, HET_BASE_REAL, 8),
};

/** A struct (or anything else) of `bytes` bytes, 1 to 1 048 575; any other number makes a type that every call
 *  refuses. A constant where `bytes` is one; otherwise `bytes` may be evaluated twice. */
#define HET_STRUCT(bytes)                                                   \
	(HET__CAST(uint64_t, bytes) >> 20 == 0 ? HET_TYPE(HET_BASE_STRUCT, 1, bytes) \
				      : HET_TYPE(HET_BASE_STRUCT, 0, 0xfffffu))

/** The extents of an array. `given` is how many numbers the constructor received. */
struct het_shape {
	int rank, given;
	int64_t extent[HET_MAX_RANK];
};

/** A box of an array. With fewer dimensions than the array it has all of the remaining ones; rank 0 is the
 *  whole array. `given` counts the numbers the constructor received (two per dimension). */
struct het_box {
	int rank, given;
	int64_t lo[HET_MAX_RANK], hi[HET_MAX_RANK];
};

/** What a launch runs over: 1 to 3 dimensions in the order of the arrays', dimension 0 outermost.
 *  The kernel sees dimension d as get_global_id(rank - 1 - d), so that neighbouring work-items touch
 *  neighbouring elements; lo is the global offset.
 *  local is the work-group's size. It must divide the extents (else HET_ERR_SHAPE; but see het_padded), and a
 *  spread cuts only between groups. A 0 beside other sizes is 1; all 0 leaves the size open. Then the driver
 *  chooses it or, under PoCL, the library, as PoCL might choose groups along columns, which take several times
 *  as long, and compiles a kernel anew for each size. The library's groups are long in the last dimension of
 *  what each device gets of the range. They have up to 1024 work-items, but leave four groups of eight or more
 *  for every compute unit. A last extent without such divisors, as a large prime, is one group where the other
 *  extents make groups enough and the device allows it; else each work-item is a group: make it rounder, or
 *  give a size and pad, het_padded(het_local(...)).
 *  HET_END is for boxes: a range that has it is refused (the constructors leave `given` 0). */
struct het_range {
	int rank, given, local_given;
	int padded; /* het_padded */
	int64_t lo[HET_MAX_RANGE], hi[HET_MAX_RANGE];
	int64_t local[HET_MAX_RANGE];
};

/* ---- what the constructors do, for programs that count their numbers at run time ---- */

/** het_shape of `given` extents. */
static inline struct het_shape het_shape_of(int rank, int given, const int64_t *extent)
{
	struct het_shape s = {0, 0, {0}};
	s.rank = rank;
	s.given = given;
	for (int d = 0; d < given && d < HET_MAX_RANK; d++)
		s.extent[d] = extent[d];
	return s;
}

/** het_box of `given` numbers, two for each dimension: lo, hi, lo, hi... */
static inline struct het_box het_box_of(int rank, int given, const int64_t *lo_hi)
{
	struct het_box b = {0, 0, {0}, {0}};
	b.rank = rank == 0 && given > 0 ? -1 : rank; /* 0 is all of an array */
	b.given = given;
	for (int d = 0; 2 * d + 1 < given && d < HET_MAX_RANK; d++) {
		b.lo[d] = lo_hi[2 * d];
		b.hi[d] = lo_hi[2 * d + 1];
	}
	return b;
}

/** het_range of `given` numbers, two for each dimension: lo, hi, lo, hi... */
static inline struct het_range het_range_of(int rank, int given, const int64_t *lo_hi)
{
	struct het_range r = {0, 0, 0, 0, {0}, {0}, {0}};
	r.rank = rank;
	r.given = given;
	for (int d = 0; 2 * d + 1 < given && d < HET_MAX_RANGE; d++) {
		r.lo[d] = lo_hi[2 * d];
		r.hi[d] = lo_hi[2 * d + 1];
		if (r.hi[d] == HET_END)
			r.given = 0;
	}
	return r;
}

/** het_grid of `given` extents. */
static inline struct het_range het_grid_of(int rank, int given, const int64_t *extent)
{
	struct het_range r = {0, 0, 0, 0, {0}, {0}, {0}};
	r.rank = rank;
	r.given = 2 * given;
	for (int d = 0; d < given && d < HET_MAX_RANGE; d++) {
		r.hi[d] = extent[d];
		if (r.hi[d] == HET_END)
			r.given = 0;
	}
	return r;
}

/** het_local of `given` extents of a work-group. */
static inline struct het_range het_local_of(struct het_range r, int given, const int64_t *local)
{
	r.local_given = given;
	for (int d = 0; d < given && d < HET_MAX_RANGE; d++)
		r.local[d] = local[d];
	return r;
}

/** The same range, whose last work-groups may reach beyond its end: each extent is rounded up to a multiple of
 *  the work-group's size (het_local's, or the kernel's own; nothing is, where that is open). The kernel tests
 *  whether there is something to do, `if (i < n) ...` where n is the end of this range, not of an array, and
 *  touches nothing where there is not: what it touches follows from the range as it was given (spread.h). */
static inline struct het_range het_padded(struct het_range r)
{
	r.padded = 1;
	return r;
}

/** All of an array. */
static inline struct het_box het_whole(void)
{
	return het_box_of(0, 0, NULL);
}

/** Rows [lo, hi): that range of dimension 0, everything in the others. */
static inline struct het_box het_rows(int64_t lo, int64_t hi)
{
	const int64_t b[2] = {lo, hi};
	return het_box_of(1, 2, b);
}

/** Columns [lo, hi): that range of dimension 1, everything in the others. */
static inline struct het_box het_cols(int64_t lo, int64_t hi)
{
	const int64_t b[4] = {0, HET_END, lo, hi};
	return het_box_of(2, 4, b);
}

/** The constructors:
 *    het_shape(rank, extent0, extent1, ...)        shape of an array, rank 1..8, extents >= 0
 *    het_box(rank, lo0, hi0, lo1, hi1, ...)        box; hi may be HET_END
 *    het_grid(rank, extent0, ...)                  range from 0, rank 1..3
 *    het_range(rank, lo0, hi0, ...)                range with offset, rank 1..3
 *    het_local(range, local0, ...)                 the same range with a work-group size
 *    het_padded(range)                             the same range, of whole work-groups */
#ifndef __cplusplus
#define HET__COUNT(...) ((int)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)))
#define HET__LIST(...) HET__COUNT(__VA_ARGS__), (const int64_t[]){__VA_ARGS__}
#define het_shape(rank, ...) het_shape_of((rank), HET__LIST(__VA_ARGS__))
#define het_box(rank, ...) het_box_of((rank), HET__LIST(__VA_ARGS__))
#define het_grid(rank, ...) het_grid_of((rank), HET__LIST(__VA_ARGS__))
#define het_range(rank, ...) het_range_of((rank), HET__LIST(__VA_ARGS__))
#define het_local(range, ...) het_local_of((range), HET__LIST(__VA_ARGS__))
#else
HET_BEGIN_CXX
template <typename... T> inline struct het_shape het_shape(int rank, T... extent)
{
	const int64_t e[] = {static_cast<int64_t>(extent)...};
	return het_shape_of(rank, static_cast<int>(sizeof...(T)), e);
}
template <typename... T> inline struct het_box het_box(int rank, T... lo_hi)
{
	const int64_t e[] = {static_cast<int64_t>(lo_hi)...};
	return het_box_of(rank, static_cast<int>(sizeof...(T)), e);
}
template <typename... T> inline struct het_range het_grid(int rank, T... extent)
{
	const int64_t e[] = {static_cast<int64_t>(extent)...};
	return het_grid_of(rank, static_cast<int>(sizeof...(T)), e);
}
template <typename... T> inline struct het_range het_range(int rank, T... lo_hi)
{
	const int64_t e[] = {static_cast<int64_t>(lo_hi)...};
	return het_range_of(rank, static_cast<int>(sizeof...(T)), e);
}
template <typename... T> inline struct het_range het_local(struct het_range range, T... local)
{
	const int64_t e[] = {static_cast<int64_t>(local)...};
	return het_local_of(range, static_cast<int>(sizeof...(T)), e);
}
HET_END_CXX
#endif

#endif
