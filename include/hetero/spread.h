/* spread.h - one kernel over several devices: teams, and what a part of the range touches.
 *
 * het_spread runs a kernel that was written for one device on all devices of a team:
 *   het_spread(smooth, team, het_grid(2, rows, columns), HET_OUT(HET_EACH(out)), HET_IN(HET_HALO(in, 1)));
 * The range is cut along one dimension into parts, one for each device, as large as the devices' shares. The
 * kernel sees the global numbers of its work-items (get_global_id). But get_group_id and get_global_size count
 * from the part on, which begins at get_global_offset. A spread warns of a kernel that calls these two, but not
 * of calls by a macro, nor of a kernel that calls get_global_offset. What a part touches of an array is said by
 * a mapper:
 *   HET_EACH(x)             the same indices
 *   HET_HALO(x, r0, r1...)  the same indices and r_d more on both sides of dimension d, as far as x goes; only
 *                           read. All of a dimension whose radius is left out. HETERO_CHECK=1 finds a radius
 *                           that is too small; else it shows only where memories are apart
 *   HET_WRAP(x, r0, r1...)  the same, but what would be beyond an end of x is touched at the other one, for
 *                           periodic boundaries: of row 0 also the last r0 rows. The kernel finds neighbours by
 *                           remainders, (y + rows - 1) % rows. Not with HET_WINDOW (HET_ERR_ARGUMENT), nor of a
 *                           range that goes beyond x (HET_ERR_SHAPE). Where a part goes over ends in several
 *                           dimensions, all of those but the first is touched
 *   HET_ROWS_OF(x)          the same indices of dimension 0, everything in the others
 *   HET_COLS_OF(x)          the same indices of dimension 1, everything in the others
 *   HET_DIM_OF(x, d)        the same indices of dimension d, everything in the others
 *   HET_BLOCKS(x, b0...)    for an x that is coarser than the range, as partial results are, one for every b_d
 *                           work-items: its index k of dimension d stands for the block [k b_d, (k + 1) b_d) of
 *                           the range, which is cut only between blocks. het_spread refuses a range that begins
 *                           within a block, be it in a dimension that is not cut (HET_ERR_SHAPE); het_launch,
 *                           which cuts nothing, takes it. For blocks that are work-groups the range needs
 *                           het_local(range, b0...). The kernel's k is get_global_id / b_d, as get_group_id
 *                           counts from 0 in every part. Dimensions that are left out are touched whole
 *   HET_TILES(x, t0...)     for an x that is finer than the range, whose work-items have several elements each:
 *                           index i of the range stands for the tile [i t_d, (i + 1) t_d) of x's dimension d,
 *                           the last one for as many as are left. Dimensions that are left out are touched
 *                           whole. HET_ERR_SHAPE where a tile begins behind the end of x, HET_ERR_ARGUMENT
 *                           where a size is less than 1 or x has fewer dimensions
 *   HET_ALL(x), or just x   all of it; only read
 *   HET_MAP_BY(x, fn, user) what the program's own function says
 *   HET_SUM(x), HET_MIN(x), HET_MAX(x), HET_OR(x)
 *                           a private x for every device, combined afterwards in the order of the parts. The
 *                           kernel adds to it (atomic_add; for floats het_atomic_add_float of het.clh), or does
 *                           whatever the operation is. It finds 0 there at first, for HET_MIN the largest
 *                           number of the type (infinity), for HET_MAX the least; to read what x held it needs
 *                           a copy. With HET_OUT x becomes what was combined, with HET_INOUT that and what it
 *                           held. NaNs are neither the least nor the largest. Scalar numbers (not HET_HALF;
 *                           HET_OR: integers), of any shape. The order of a sum of floats depends on the team:
 *                           HET_BLOCKS and het_reduce give the same bits for any
 * Where a work-item has several elements, use HET_TILES, or make one index of them by a vector type
 * (HET_FLOAT4) or a further dimension of the array. HET_MAP_BY says anything else, such as a multigrid method's
 * finer grid with what lies around a tile.
 *
 * Dimension d of an array goes with dimension d of the range. Dimensions that the range does not have are
 * touched whole; dimensions that the array does not have say nothing of it. So nine numbers for each cell of a
 * range of rows and columns are an array of [rows][9][columns], by HET_ROWS_OF(x) and HET_HALO(x, 1). In
 * [9][rows][columns] the nine would be taken for rows, so the range gets a dimension of one index for them:
 * over het_grid(3, 1, rows, columns) HET_DIM_OF(x, 1) is their rows, all nine of each, and HET_HALO(x, HET_END,
 * 1) one row more on both sides (a radius of HET_END is everything). The kernel sees get_global_id(1) and (0)
 * as before.
 *
 * Parts run at the same time, so none may read what another one writes: HET_ERR_ALIAS. A kernel that updates
 * an array in place from its neighbours' elements (Gauss-Seidel) needs two arrays to go from one to the other.
 * One that leaves every other element as it is (red-black) needs an array for each colour: a half step writes
 * one by HET_INOUT(HET_EACH(x)) and reads the other by HET_HALO. Where each step needs the one before, as the
 * diagonals of a table that is filled from a corner do, spread each by itself.
 * A halo ends where the array does, and HET_WRAP goes on at the other end. For periodic boundaries without
 * remainders in the kernel, or with windows, give the array one more row at both ends, and het_copy the
 * opposite rows there before each step.
 * The kernel sees the whole array's geometry (as with HET_IN_PART), so a device with a memory of its own
 * allocates all of the array, unless the kernel asks for windows (kernel.h). HET_SUM, HET_MIN, HET_MAX and
 * HET_OR go with a plain pointer only. The other mappers may stand in het_launch, too, for the launch's own
 * range.
 */
#ifndef HETERO_SPREAD_H
#define HETERO_SPREAD_H

#include <hetero/launch.h>

HET_BEGIN_DECLS

/** An ordered set of devices of one system, with shares. Calls on one team from several threads are taken one
 *  after another. It costs nothing but a little memory. */
typedef struct het_team het_team;

/** What the shares of a team follow where none are given and nothing was measured for the kernel.
 *  A spread with HET_HALO may leave devices out (het_spread_plan tells). With shares by bandwidth these are
 *  devices that are less than a twelfth as fast as the fastest, where they have less than a tenth of all; and,
 *  the smallest shares first, those with which it takes twice as long as without, by the calibration, since
 *  they take longer to begin, or their halo takes longer to bring, than they save. The team's next spreads over
 *  about as many rows and bytes, and het_reduce, leave out the same devices, so that data stay where they are.
 *  With shares that were measured (het_team_rebalance) these are devices that begin so much later than others,
 *  or whose halo takes so long, by the calibration, that they save less; and devices that are less than a
 *  twelfth as fast as the fastest, where they would add less than a twentieth. Shares that a program gives are
 *  kept. */
enum het_share_by {
	HET_BY_BANDWIDTH = 1,    /* of the devices' memories: for kernels that mostly read and write */
	HET_BY_COMPUTE = 2,      /* additions and multiplications per second, of single precision */
	HET_BY_COMPUTE_DOUBLE = 3 /* of double precision; by compute units where a device has none */
};

/** A team of `count` devices, 1 to 62, in this order: none twice, none together with a part of itself.
 *  `shares`: `count` numbers >= 0, whose sum is finite and not 0; copied. NULL: by the measured bandwidths of
 *  the devices' memories (HET_BY_BANDWIDTH). Where the calibration lacks one of them: by the devices' compute
 *  units; if the devices are unlike, a warning tells then, at their first spread.
 *  Ownership: het_team_free or het_close. Does not wait. Any thread.
 *  Errors: HET_ERR_HANDLE, HET_ERR_ARGUMENT, HET_ERR_MEMORY. */
HET_API het_status het_team_new(het_system *system, int count, het_device *const *devices, const double *shares,
                                het_team **team_p);

/** The team of all devices of the system, made at the first call: in the system's order, without those that
 *  are there as parts too; the first 62. Owned by the system; het_team_free of it does nothing. NULL for
 *  NULL, or without memory (het_error_last says so). */
HET_API het_team *het_everyone(het_system *system);

/** A team of one device, made at the first call and never het_everyone's, for het_reduce or a spread there.
 *  Owned by the system; het_team_free of it does nothing. NULL for NULL, or without memory (het_error_last). */
HET_API het_team *het_alone(het_device *device);

/** Ends the team at once; what was spread over it goes on. NULL is allowed. Errors: HET_ERR_HANDLE. */
HET_API het_status het_team_free(het_team *team);

/** How many devices it has; 0 for NULL. */
HET_API int het_team_count(const het_team *team);
/** Its device number `index`; NULL where there is none. */
HET_API het_device *het_team_device(const het_team *team, int index);

/** Gives the team shares, as in het_team_new, for all kernels; forgets those that rebalancing had found.
 *  Errors: HET_ERR_HANDLE, HET_ERR_ARGUMENT; nothing has changed then. */
HET_API het_status het_team_set_shares(het_team *team, const double *shares);

/** Shares by a figure of the devices' calibration instead. Devices of one kind (driver, hardware, compute
 *  units) have the mean of what was measured of them. Where a device has no such figure: all by their compute
 *  units. Errors as above. */
HET_API het_status het_team_share_by(het_team *team, enum het_share_by figure);

/** Stores the shares that the next spread of `kernel` begins with at `shares`: het_team_count numbers whose sum
 *  is 1, for a spread that is about as large as the last one (het_team_rebalance), before devices are left out
 *  for their halos (het_share_by). `kernel` NULL: for one that was not measured.
 *  Errors: HET_ERR_HANDLE, HET_ERR_ARGUMENT. */
HET_API het_status het_team_shares(het_team *team, const het_kernel *kernel, double *shares);

/** From now on shares follow what each device was measured to take for its parts, of one kernel's spreads over
 *  about as many work-items (within a factor of four; a size that is new begins with the shares of the kernel's
 *  last spread). They are looked at before every `every`-th such spread (0: never, as in the beginning), at
 *  first also after 2, 4, 8..., and changed when that promises more than 4 %; only the strip that changes hands
 *  is moved (windows, HET_WINDOW, grow for it, and what is in them is copied on the device). Launches by
 *  het_launch do not count. A look waits until the spread before the last such one has ended (not inside a
 *  callback). A device that was given no part of the range is not measured, and keeps its
 *  share. Without a work-group size (het_range) a driver may compile the kernel anew for every cut, and that is
 *  measured, too. PoCL does, where the last dimension (or the only one) is cut and its extent is no multiple of
 *  64, or less than 8192 work-items for the smallest share. het_local, or reqd_work_group_size, keep it from
 *  that. Kernels are timed from then on, for good (as with het_options.profile): this call waits until each
 *  device that was not timed has nothing to do for a moment, which other threads may delay as long as they keep
 *  it busy.
 *  Errors: HET_ERR_HANDLE, HET_ERR_ARGUMENT, HET_ERR_CONTEXT (inside a callback), HET_ERR_DEVICE,
 *  HET_ERR_MEMORY. */
HET_API het_status het_team_rebalance(het_team *team, int every);

/** Whether a part is launched as its interior and, after it, its edges, so that what the edges read of other
 *  parts is written and moved while the interior is calculated (after Vialle et al., Sourouri et al., who begin
 *  with the edges). Results are the same. Parts stay whole where a kernel may find out where they begin or end:
 *  its text has get_global_offset, get_global_size, get_group_id or get_num_groups of the dimension that is
 *  cut, or get_global_linear_id, or names another file; or there is no text. They also stay whole where
 *  HET_MAP_BY says what is written, and where a device has no room for the windows of edges and interior beside
 *  each other. */
enum het_overlap {
	HET_OVERLAP_NEVER = 1,
	HET_OVERLAP_ALWAYS = 2,    /* wherever an argument has a halo across the cut, of up to a quarter of
	                              a part, over up to 20 devices */
	HET_OVERLAP_PREDICTED = 3  /* as in the beginning: where the calibration says that it pays for some two
	                              parts beside each other. In one memory that is measured of a stencil
	                              (edges_ns); between memories the transfer must take longer than two more
	                              launches, on devices that copy beside kernels (het_device_info: queues is
	                              2). Without behind_ns in the calibration: nowhere */
};

/** Says so for all spreads of the team. Errors: HET_ERR_HANDLE, HET_ERR_ARGUMENT. */
HET_API het_status het_team_overlap(het_team *team, enum het_overlap overlap);

/** Starts a kernel over a range on all devices of a team, as het_launch does on one: at least one argument.
 *      het_spread(kernel, team, range, args...)
 *  The range is cut along the dimension for which the parts share the least of what they read (of equal ones
 *  the outermost; of rows that are cut through 64 bytes count at least), at multiples of the work-group's size
 *  on every device. Without a size, under PoCL, the last dimension of a range is cut at multiples of 64 to
 *  1024, of which the smallest share has 128 at least, so that groups have few sizes. (Where the smallest share
 *  has less than 8192 work-items it is cut anywhere, if other dimensions would share more than four times as
 *  much.) A device whose part is empty does nothing.
 *  Waits only for room (het_launch_args) and for a look at shares (het_team_rebalance). Sequential
 *  meaning: as if one device had run the whole range here. Of an empty range, wherever it begins,
 *  nothing is run, nor combined: outputs stay as they were.
 *  Errors: as het_launch_args, for the range as a whole or for a part; HET_ERR_ARGUMENT also where an array
 *  that is written has no mapper, or no dimension can be cut because parts would write the same elements. On
 *  any of them nothing has changed, but for two cases: the host's memory ends between one part and the next
 *  (HET_ERR_MEMORY), or another thread maps or frees what is to be combined while this waits for room on the
 *  combining device (HET_ERR_MAPPED, HET_ERR_HANDLE). Then parts have run, and what is to be combined is as it
 *  was. When OpenCL refuses one part after others have been started, the call succeeds, and what that part was
 *  to write is lost, with the reason, as when a kernel fails. So is the array of a HET_SUM, HET_MIN, HET_MAX or
 *  HET_OR for which the combining device has no room when the parts have started. */
HET_API het_status het_spread_args(het_kernel *kernel, het_team *team, struct het_range range,
                                   const struct het_arg *args, int count);

/** What a spread would do: one part. */
struct het_part {
	het_device *device;
	struct het_range range; /* empty in the dimension that is cut: nothing for this device */
};

/** Says how het_spread_args would cut, and does nothing: the parts into het_team_count elements at `parts`, the
 *  dimension that is cut into *dimension_p. The shares are those of now: rebalancing may change them before the
 *  spread. Prefer the macro het_spread_plan(kernel, team, range, parts, dimension_p, args...). Errors as
 *  het_spread_args. */
HET_API het_status het_spread_plan_args(het_kernel *kernel, het_team *team, struct het_range range,
                                        struct het_part *parts, int *dimension_p, const struct het_arg *args,
                                        int count);

/** How elements are combined. */
enum het_reduction { HET_REDUCE_SUM = 1, HET_REDUCE_MIN = 2, HET_REDUCE_MAX = 3, HET_REDUCE_OR = 4 };

/** Combines all elements of the view `in` into the one element of the view `out`, of the same scalar type
 *  (not HET_HALF; OR: integers), on the devices of the team. The order depends on the shape of `in` alone: the
 *  same bits for any team, also of a sum of floats. A sum of integers wraps around: 1000 ones of HET_UCHAR make
 *  232. MIN and MAX leave out NaNs. Of no elements, or of NaNs alone: 0 (SUM, OR), the type's
 *  largest number or infinity (MIN), its smallest or minus infinity (MAX). Each device's part of `in`, whole
 *  rows, must fit into a buffer there. A whole array is read where it is; of a box that is not dense, or begins
 *  where no buffer may, each device makes a dense copy first. For some hundred elements that the host wants to
 *  combine, het_map and a loop are faster. Waits only for room (het_launch_args).
 *  Errors: as het_spread_args where they apply; HET_ERR_ARGUMENT (types, no single element in `out`),
 *  HET_ERR_UNSUPPORTED (doubles, on a device without them). */
HET_API het_status het_reduce(enum het_reduction op, struct het_view in, struct het_view out, het_team *team);

static inline struct het_mapped het_mapped_by(het_array *array, enum het_mapper mapper, int given,
                                              const int64_t *number)
{
	struct het_mapped m;
	m.array = array;
	m.mapper = mapper;
	m.given = given;
	m.fn = NULL;
	m.user = NULL;
	for (int d = 0; d < HET_MAX_RANK; d++)
		m.number[d] = d < given ? number[d] : 0;
	return m;
}

static inline struct het_mapped het_mapped_dim(het_array *array, int64_t dimension)
{
	return het_mapped_by(array, HET_MAPPER_DIM, 1, &dimension);
}

static inline struct het_mapped het_mapped_plain(het_array *array, enum het_mapper mapper)
{
	return het_mapped_by(array, mapper, 0, NULL);
}

static inline struct het_mapped het_mapped_fn(het_array *array, het_part_fn fn, void *user)
{
	struct het_mapped m = het_mapped_plain(array, HET_MAPPER_FN);
	m.fn = fn;
	m.user = user;
	return m;
}

#define HET_EACH(x) het_mapped_plain((x), HET_MAPPER_EACH)
#define HET_ALL(x) het_mapped_plain((x), HET_MAPPER_ALL)
#define HET_ROWS_OF(x) het_mapped_dim((x), 0)
#define HET_COLS_OF(x) het_mapped_dim((x), 1)
#define HET_DIM_OF(x, d) het_mapped_dim((x), (d))
#define HET_MAP_BY(x, fn, user) het_mapped_fn((x), (fn), (user))
#define HET_SUM(x) het_mapped_plain((x), HET_MAPPER_SUM)
#define HET_MIN(x) het_mapped_plain((x), HET_MAPPER_MIN)
#define HET_MAX(x) het_mapped_plain((x), HET_MAPPER_MAX)
#define HET_OR(x) het_mapped_plain((x), HET_MAPPER_OR)

HET_END_DECLS

#ifndef __cplusplus
#define HET_HALO(x, ...) het_mapped_by((x), HET_MAPPER_HALO, HET__LIST(__VA_ARGS__))
#define HET_WRAP(x, ...) het_mapped_by((x), HET_MAPPER_WRAP, HET__LIST(__VA_ARGS__))
#define HET_BLOCKS(x, ...) het_mapped_by((x), HET_MAPPER_BLOCKS, HET__LIST(__VA_ARGS__))
#define HET_TILES(x, ...) het_mapped_by((x), HET_MAPPER_TILES, HET__LIST(__VA_ARGS__))
/** het_spread(kernel, team, range, args...): at least one argument. */
#define het_spread(kernel, team, range, ...) het_spread_args((kernel), (team), (range), HET__ARGS(__VA_ARGS__))
/** het_spread_plan(kernel, team, range, parts, dimension_p, args...): at least one argument. */
#define het_spread_plan(kernel, team, range, parts, dimension_p, ...)                                          \
	het_spread_plan_args((kernel), (team), (range), (parts), (dimension_p), HET__ARGS(__VA_ARGS__))
#else
template <typename... T> inline struct het_mapped HET_HALO(het_array *x, T... radius)
{
	const int64_t r[] = {static_cast<int64_t>(radius)...};
	return het_mapped_by(x, HET_MAPPER_HALO, static_cast<int>(sizeof...(T)), r);
}
template <typename... T> inline struct het_mapped HET_WRAP(het_array *x, T... radius)
{
	const int64_t r[] = {static_cast<int64_t>(radius)...};
	return het_mapped_by(x, HET_MAPPER_WRAP, static_cast<int>(sizeof...(T)), r);
}
template <typename... T> inline struct het_mapped HET_BLOCKS(het_array *x, T... block)
{
	const int64_t b[] = {static_cast<int64_t>(block)...};
	return het_mapped_by(x, HET_MAPPER_BLOCKS, static_cast<int>(sizeof...(T)), b);
}
template <typename... T> inline struct het_mapped HET_TILES(het_array *x, T... tile)
{
	const int64_t t[] = {static_cast<int64_t>(tile)...};
	return het_mapped_by(x, HET_MAPPER_TILES, static_cast<int>(sizeof...(T)), t);
}
template <typename... A>
inline het_status het_spread(het_kernel *kernel, het_team *team, struct het_range range, const A &...args)
{
	const struct het_arg list[] = {args...};
	return het_spread_args(kernel, team, range, list, static_cast<int>(sizeof...(A)));
}
template <typename... A>
inline het_status het_spread_plan(het_kernel *kernel, het_team *team, struct het_range range, het_part *parts,
                                  int *dimension_p, const A &...args)
{
	const struct het_arg list[] = {args...};
	return het_spread_plan_args(kernel, team, range, parts, dimension_p, list,
	                            static_cast<int>(sizeof...(A)));
}
#endif

#endif
