/* array.h - arrays, views, and the host's access to them.
 *
 * An array has one logical value, wherever its copies are. Functions here come in two kinds: those that
 * return at once and are ordered with everything else by what they touch, and those that wait (each
 * comment says which). An asynchronous failure is reported by the next call that waits for a value made from
 * what failed: HET_ERR_LOST, with the first cause in the text. Where the value is there and only its way to the
 * host failed, that call returns HET_ERR_DEVICE, and another try may succeed. (het_wait_all and het_close,
 * which are about no one value, return HET_ERR_LOST for that; where there is no memory to write wrapped arrays
 * back, het_close says so.) Whatever starts or waits for something may also return HET_ERR_SYSTEM: the library
 * could not start a thread that copies in the host's memory or waits for events. Nothing has happened then.
 */
#ifndef HETERO_ARRAY_H
#define HETERO_ARRAY_H

#include <hetero/system.h>

HET_BEGIN_DECLS

typedef struct het_array het_array;

/** A view: an array and a box of it. Borrows the array. */
struct het_view {
	het_array *array;
	struct het_box box;
};

/** The part of `array` inside `box`. Never fails; a wrong box is refused by the call that gets it. */
static inline struct het_view het_view(het_array *array, struct het_box box)
{
	struct het_view v;
	v.array = array;
	v.box = box;
	return v;
}

/** Makes an array whose host memory the library owns. Its elements are zero.
 *  Zero extents are legal: such an array is empty. Ownership: het_array_free. Does not wait.
 *  Errors: HET_ERR_SHAPE (rank not 1..8, negative or overflowing extent), HET_ERR_ARGUMENT (type),
 *  HET_ERR_MEMORY, HET_ERR_HANDLE. */
HET_API het_status het_array_new(het_system *system, het_type type, struct het_shape shape,
				 het_array **array_p);

/** Makes an array of the caller's memory, used in place: `memory` holds the value now, dense and
 *  row-major, and belongs to the caller, who leaves it alone (outside of maps) until het_array_free has
 *  returned. Devices that share the host's memory use it directly where its address is aligned for a kernel's
 *  types, else a copy of it.
 *  Errors: as het_array_new; HET_ERR_OVERLAP (shares bytes with another wrapped array of the system). */
HET_API het_status het_array_wrap(het_system *system, het_type type, struct het_shape shape, void *memory,
                                  het_array **array_p);

/** As het_array_wrap for memory with padding: pitch_bytes[d], d < rank - 1, is the distance from one
 *  index to the next in dimension d. Each is a multiple of the element's size, and at least what one index
 *  encloses (else HET_ERR_SHAPE; not checked for an array without elements). NULL: no padding.
 *  Kernels see the elements dense, as in any array, so every device works in a copy, also one that shares the
 *  host's memory; only HET_WINDOW can index the padded memory itself. Maps see the padding (het_array_pitch),
 *  and functions of het_call are told of it (pitch_bytes). It is never written. From its first byte to its last
 *  the memory must not overlap that of another wrapped array of the system (HET_ERR_OVERLAP).
 *  Where a plane's pitch is no multiple of a row's, or there are more than three dimensions, OpenCL moves
 *  rows or planes one by one: a call that needs a transfer of more than 2^30 of these returns
 *  HET_ERR_UNSUPPORTED. */
HET_API het_status het_array_wrap_pitched(het_system *system, het_type type, struct het_shape shape,
					  void *memory, const size_t *pitch_bytes, het_array **array_p);

/** Frees an array. A wrapped array's last value is first written back to the caller's memory; this call waits
 *  for that. A library-owned array is freed, without waiting, when the tasks that use it have finished. While
 *  the array is mapped the handle dies now, and the rest happens at the last unmap (which still names the
 *  array). NULL is allowed.
 *  Errors: HET_ERR_LOST (parts of the value were lost; everything else is written back; the array is
 *  freed), HET_ERR_MEMORY, HET_ERR_DEVICE_MEMORY (wrapped: the host, or a device, has no memory for what
 *  writing back needs; the array is as it was, and another try may succeed), HET_ERR_UNSUPPORTED
 *  (het_array_wrap_pitched; the array is as it was), HET_ERR_CONTEXT (wrapped, from inside a callback: nothing
 *  happens), HET_ERR_HANDLE (freed before). */
HET_API het_status het_array_free(het_array *array);

/** As het_array_free, but the value is dropped: what the caller's memory holds afterwards is undefined.
 *  Waits only until nothing uses the caller's memory any more. Errors: HET_ERR_CONTEXT, HET_ERR_HANDLE, as
 *  het_array_free. */
HET_API het_status het_array_discard(het_array *array);

/** What an array is. `shape.given` equals the rank. */
struct het_array_info {
	size_t size; /* in: sizeof(struct het_array_info) */
	het_system *system;
	het_type type;
	struct het_shape shape;
	uint64_t elements, bytes;
	int is_wrapped;
};
#ifdef __cplusplus
#define HET_ARRAY_INFO_INIT het__init<struct het_array_info>()
#else
#define HET_ARRAY_INFO_INIT {.size = sizeof(struct het_array_info)}
#endif

/** Fills `info`, whose size is set, with what the array is. Does not wait.
 *  Errors: HET_ERR_HANDLE, HET_ERR_ARGUMENT. */
HET_API het_status het_array_info(het_array *array, struct het_array_info *info);

/** Names an array for messages and traces: "residual" instead of "array 7". The number counts, from 0, the
 *  arrays that the program has made or wrapped in the system, also those that are named or freed. The text
 *  (UTF-8) is copied, its first 47 bytes at most, in whole characters.
 *  Errors: HET_ERR_HANDLE, HET_ERR_ARGUMENT (NULL, empty, no UTF-8, or with a control character). */
HET_API het_status het_array_name(het_array *array, const char *name);

/** Exchanges the values of two library-owned arrays of equal type and shape: no data move, O(1). Tasks and
 *  asynchronous copies under way go with the values; names stay. Does not wait.
 *  Errors: HET_ERR_HANDLE, HET_ERR_SHAPE, HET_ERR_ARGUMENT (types differ, wrapped), HET_ERR_MAPPED. */
HET_API het_status het_swap(het_array *a, het_array *b);

enum het_map_mode {
	HET_READ = 1,      /* the value is there; other readers go on */
	HET_WRITE = 2,     /* the value is not fetched; the host must write every element of the box */
	HET_READ_WRITE = 3 /* both */
};

/** Lets the host touch a whole array: waits until its value is in host memory and stores the address of
 *  element 0 in the pointer that `pointer_p` points to (`float *p; het_map(a, HET_READ, &p);`; `p` itself does
 *  not compile). Until het_unmap, a call that conflicts with the map fails at once with HET_ERR_MAPPED.
 *  Errors: HET_ERR_LOST, HET_ERR_DEVICE, HET_ERR_DEVICE_MEMORY, HET_ERR_MAPPED (conflicts with another map),
 *  HET_ERR_HANDLE, HET_ERR_ARGUMENT (the mode, no pointer), HET_ERR_CONTEXT, HET_ERR_MEMORY,
 *  HET_ERR_UNSUPPORTED (het_array_wrap_pitched). */
HET_API het_status het_map(het_array *array, enum het_map_mode mode, void *pointer_p);

/** As het_map for a box. The address is that of the box's first element; steps from one index to the
 *  next are those of the whole array (het_array_pitch). Boxes of one array may be mapped side by side.
 *  Errors: as het_map, and HET_ERR_SHAPE. */
HET_API het_status het_map_view(struct het_view view, enum het_map_mode mode, void *pointer_p);

/* Macros, so that what points to no pointer is refused; a void * is taken as it is. In C++: below. */
#ifndef __cplusplus
#define HET__POINTER_P(p) ((void)sizeof(&**_Generic((p), void *: (void **)0, default: (p))), (p))
#define het_map(array, mode, pointer_p) het_map((array), (mode), HET__POINTER_P(pointer_p))
#define het_map_view(view, mode, pointer_p) het_map_view((view), (mode), HET__POINTER_P(pointer_p))
#endif

/** The distance in bytes from one index to the next of dimension `dim` in a map; 0 for wrong arguments. */
HET_API size_t het_array_pitch(het_array *array, int dim);

/** Ends the map made by het_map: the host's writes become the value. Does not wait, except where this is the
 *  last unmap of a wrapped array that was freed while mapped: then it frees it, with the errors of
 *  het_array_free.
 *  Errors: HET_ERR_MAPPED (there is no such map), HET_ERR_HANDLE. */
HET_API het_status het_unmap(het_array *array);

/** As het_unmap, of exactly this box. Errors also: HET_ERR_SHAPE. */
HET_API het_status het_unmap_view(struct het_view view);

/** Copies a box into the caller's memory, dense and row-major; waits until it is there. `dst` holds the box's
 *  elements. Errors: HET_ERR_LOST, HET_ERR_DEVICE, HET_ERR_DEVICE_MEMORY (of all three `dst` is undefined),
 *  HET_ERR_HANDLE, HET_ERR_SHAPE, HET_ERR_MAPPED, HET_ERR_ARGUMENT (dst is NULL, and the box not empty),
 *  HET_ERR_CONTEXT, HET_ERR_MEMORY, HET_ERR_UNSUPPORTED (het_array_wrap_pitched). */
HET_API het_status het_read(struct het_view view, void *dst);

/** As het_read, but waits only for room (het_launch_args). `dst` belongs to the library until het_wait of the
 *  array (or het_wait_all) has returned, which reports what failed of the copy. A call that fails waits for
 *  what it has begun; inside a callback it does not, and `dst` is the library's until then all the same. The
 *  copy goes with the value: after a het_swap, wait for the other array. Errors: as het_read. */
HET_API het_status het_read_async(struct het_view view, void *dst);

/** Sets a box from the caller's memory, dense and row-major; waits until `src` has been read.
 *  Errors: as het_read. */
HET_API het_status het_write(struct het_view view, const void *src);

/** As het_write, but waits only for room (het_launch_args). `src` must stay as it is until het_wait of the
 *  array has returned; inside a callback also where this call fails. Errors: as het_read. */
HET_API het_status het_write_async(struct het_view view, const void *src);

/** Sets every element of a box to the element at `value`, which is copied. Waits only for room
 *  (het_launch_args). The fill happens where the newest copy of the box is. It happens in the host's memory if
 *  the size of an element is no power of two or more than 128 bytes, if the box is more than 64 runs of bytes
 *  in a device's copy, or if that copy is a window that lacks some of the box.
 *  Errors: HET_ERR_HANDLE, HET_ERR_SHAPE, HET_ERR_MAPPED, HET_ERR_ARGUMENT (value is NULL), HET_ERR_MEMORY,
 *  HET_ERR_DEVICE, HET_ERR_DEVICE_MEMORY. */
HET_API het_status het_fill(struct het_view view, const void *value);

/** Copies one view to another: equal rank and extents, equal element size; nothing is converted, an int's
 *  bytes become a float's. They may overlap in one array: the result is as if the source had been read first.
 *  Waits only for room (het_launch_args). Where one memory holds both, the copy happens there; else it goes to
 *  the newest copy of `dst`. Errors: HET_ERR_HANDLE, HET_ERR_SHAPE, HET_ERR_ARGUMENT (element sizes differ),
 *  HET_ERR_MAPPED. After HET_ERR_MEMORY, HET_ERR_DEVICE, HET_ERR_DEVICE_MEMORY or HET_ERR_UNSUPPORTED
 *  (het_array_wrap_pitched) a part of `dst` may hold its new value and the rest the old one. */
HET_API het_status het_copy(struct het_view dst, struct het_view src);

/** Brings a box to where `device` (NULL: the host) would read it: into its copy of the whole array, or, where
 *  the device has windows of the array (het.clh), into one that has the box. Does not wait for the bytes, only
 *  for room (het_launch_args); where the device's memory is full, or a window has to grow, it may wait until
 *  others can give way. Errors: HET_ERR_HANDLE, HET_ERR_SHAPE, HET_ERR_MAPPED (the host holds some of it for
 *  writing), HET_ERR_DEVICE_MEMORY, HET_ERR_DEVICE, HET_ERR_MEMORY, HET_ERR_CONTEXT, HET_ERR_UNSUPPORTED
 *  (het_array_wrap_pitched). */
HET_API het_status het_prefetch(struct het_view view, het_device *device);

/** Says that the last write of every element of the box left its value as it was: the copies that were valid
 *  before that write are valid again, beside the writer's, and need not be brought again. For programs that
 *  know it from what they computed: a kernel writes a border anew, a flag tells whether that changed it, and
 *  if not, the device that reads the border still has it. The last write of an element is that of the last call
 *  before this one that writes it, in any way: by an argument with mode out or inout, a copy, a fill, a map.
 *  What was valid only before earlier writes does not come back, unless this function was called between.
 *
 *  This is a promise: nothing is compared. If it is broken, each device, and the host, sees the value from
 *  before the write or the one from after it, until the elements are written again. If the write fails, the
 *  elements have the value from before it, as far as there are copies of that; what was made of the failed
 *  write's result is lost all the same.
 *  A copy does not come back if it was overwritten since, if another window has taken its memory, or if the
 *  library has no room to remember it. Such elements are brought again when they are read, as without this
 *  call. Does not wait: the write may still be under way.
 *  With HETERO_CHECK=1 (hetero(7)) it does wait, outside of callbacks, and compares the copies (het_audit).
 *  Errors: HET_ERR_HANDLE, HET_ERR_SHAPE, HET_ERR_MAPPED (the host holds some of the box for writing),
 *  HET_ERR_MEMORY; with HETERO_CHECK=1 also HET_ERR_DIFFER (the write has changed something) and
 *  HET_ERR_DEVICE, HET_ERR_DEVICE_MEMORY (copies could not be compared). Nothing has happened then. */
HET_API het_status het_unmodified(struct het_view view);

/** Compares all copies of the array that count as valid, byte by byte (but of vectors of three numbers not the
 *  room of a fourth), and says where two differ: a declaration was not kept. A kernel wrote what it was given
 *  as HET_IN, or more than its part; the host wrote wrapped memory without a map, or what is mapped for
 *  reading; a promise of het_unmodified was wrong; or it was the driver. For tests, and to find out between
 *  which steps results begin to be wrong. Not looked at are former copies and elements that are lost (het_wait
 *  tells of them). Where all devices use the host's memory in place there is one copy, and nothing to compare
 *  (HETERO_SHARE=off makes several). Padding between the members of a struct counts.
 *  Waits for every task that uses the array, then reads each copy into memory of the library's, 4 MiB of each
 *  at a time; statistics and timelines show that. The array stays as it is.
 *  Errors: HET_ERR_DIFFER (the text has an element, and what it is in which memory), HET_ERR_DEVICE,
 *  HET_ERR_DEVICE_MEMORY (a copy could not be read), HET_ERR_MEMORY, HET_ERR_HANDLE, HET_ERR_CONTEXT. */
HET_API het_status het_audit(het_array *array);

/** Waits for every task that reads or writes this array. Moves nothing.
 *  Errors: HET_ERR_LOST (part of the array has no value; the text has the cause), HET_ERR_DEVICE (an
 *  asynchronous copy failed, of a value that is there), HET_ERR_HANDLE, HET_ERR_CONTEXT. */
HET_API het_status het_wait(het_array *array);

HET_END_DECLS

#ifdef __cplusplus
template <typename T>
inline het_status het_map(het_array *array, enum het_map_mode mode, T **pointer_p)
{
	return het_map(array, mode, static_cast<void *>(pointer_p));
}
template <typename T>
inline het_status het_map_view(struct het_view view, enum het_map_mode mode, T **pointer_p)
{
	return het_map_view(view, mode, static_cast<void *>(pointer_p));
}
template <typename T>
het_status het_map(het_array *array, enum het_map_mode mode, T *no_pointer) = delete;
template <typename T>
het_status het_map_view(struct het_view view, enum het_map_mode mode, T *no_pointer) = delete;
#endif

#endif
