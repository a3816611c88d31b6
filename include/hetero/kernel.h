/* kernel.h - kernels from source text, file or binary.
 *
 * A kernel is built at its first launch on a device, and its signature is read: launches check their arguments
 * against it. Kernels of one text and equal options are compiled together, and a device that is like one
 * already built for takes that one's binary, but not under PoCL. Built programs are kept on disk in
 * $HETERO_CACHE, else $XDG_CACHE_HOME/hetero, else ~/.cache/hetero; HETERO_CACHE=off switches that off. When
 * they outgrow $HETERO_CACHE_MIB (256), the least recently used are removed. Programs that include files are
 * not kept, as these may change, nor are those that say __FILE__, __DATE__ or __TIME__ (or the like). Make a
 * kernel once and keep it: one that is made again is read from there, or compiled, again.
 *
 * One include is the library's own. Where a kernel's text, or file, itself has the line
 *   #include "het.clh"
 * (or <het.clh>), the library puts its prelude in front of the text, also where an #if leaves that line out:
 * such a text must not define names that begin with het_ or HET_.
 * The prelude is also installed beside this header, for other uses. With it a kernel asks for windows, argument
 * by argument:
 *   kernel void heat(HET_WINDOW(global float, out), HET_WINDOW(global const float, in))
 *   { ... HET_AT2(out, y, x) = HET_AT2(in, y - 1, x) + HET_AT2(in, y + 1, x); }
 * Indices are those of the whole array, as everywhere. But a device with a memory of its own then holds only
 * the box that the launch names (launch.h), so arrays may be larger than a device; and one that shares the
 * host's memory needs a buffer over that box only, so they may be larger than a buffer may be. (Columns that
 * lie too far apart for a buffer are copied.) For het_launch and het_spread HET_WINDOW is one parameter, a
 * buffer of elements as large as the array's. HET_AT1 to HET_AT8 are for arrays of that rank. in[y * n + x]
 * does not build: it would be another element wherever a window begins. A kernel from a binary has its windows
 * only where the driver tells of its parameters. HET_WINDOW takes 72 bytes of a kernel's parameters, a pointer
 * and 8 longs, for which OpenCL promises 1024 bytes in all (CL_DEVICE_MAX_PARAMETER_SIZE): 14 windows fit on
 * every device.
 */
#ifndef HETERO_KERNEL_H
#define HETERO_KERNEL_H

#include <hetero/system.h>

HET_BEGIN_DECLS

typedef struct het_kernel het_kernel;

/** Makes the kernel `name` from OpenCL C text. `options` are compiler options or NULL. All text is
 *  copied. Nothing is built yet. Names of OpenCL C's functions (step, mix) are no names for kernels: some
 *  compilers refuse them. Ownership: het_kernel_free.
 *  Errors: HET_ERR_ARGUMENT, HET_ERR_HANDLE, HET_ERR_MEMORY. */
HET_API het_status het_kernel_from_source(het_system *system, const char *source, const char *name,
                                          const char *options, het_kernel **kernel_p);

/** As het_kernel_from_source, with the text of a file, which build messages name: 64 MiB at most. An
 *  #include "..." looks in the file's folder, too (in a link's, where `path` is one). Errors: also HET_ERR_FILE
 *  (it cannot be read, is larger, or has a zero byte). */
HET_API het_status het_kernel_from_file(het_system *system, const char *path, const char *name,
                                        const char *options, het_kernel **kernel_p);

/** Makes a kernel from a binary for one device (het_kernel_binary), which is copied. On other devices it cannot
 *  run: HET_ERR_UNSUPPORTED at the launch. PoCL may end the process where two devices run one program. So under
 *  PoCL only one device of the process, of whatever systems, may have kernels of one binary, until they are
 *  freed. While a kernel built from the binary's text exists, it must be the device that the binary was asked
 *  for. For more devices, ask for a binary of each, or compile from the text.
 *  The binary must be whole, and of this driver: some end the process where it is not (PoCL, Mesa's rusticl).
 *  Errors: HET_ERR_BUILD (the driver refuses it), HET_ERR_KERNEL (it has no kernel of this name),
 *  HET_ERR_UNSUPPORTED (a second device of PoCL; double precision), HET_ERR_ARGUMENT, HET_ERR_HANDLE,
 *  HET_ERR_DEVICE, HET_ERR_MEMORY. */
HET_API het_status het_kernel_from_binary(het_device *device, const void *binary, size_t bytes,
					  const char *name, het_kernel **kernel_p);

/** Sets compiler options for one device, before the kernel is first built for it. They follow the kernel's own,
 *  and take the place of those of an earlier call. NULL: none.
 *  Errors: HET_ERR_ARGUMENT (already built for this device), HET_ERR_HANDLE, HET_ERR_MEMORY. */
HET_API het_status het_kernel_options(het_kernel *kernel, het_device *device, const char *options);

/** Builds now what a launch on `device` would build. Waits for the compiler.
 *  Errors: HET_ERR_BUILD (the text is the driver's log, with file and line), HET_ERR_KERNEL,
 *  HET_ERR_UNSUPPORTED (double precision, of any kernel of the text, on a device without it; under PoCL,
 *  another device has a kernel of this text's binary), HET_ERR_HANDLE, HET_ERR_DEVICE, HET_ERR_MEMORY. */
HET_API het_status het_kernel_build(het_kernel *kernel, het_device *device);

/** The binary of the kernel's program for `device`, built if need be. `*bytes` is set to its size; when
 *  `binary` is not NULL it receives it, `capacity` bytes at most.
 *  Errors: as het_kernel_build; HET_ERR_ARGUMENT (capacity too small, *bytes is set). */
HET_API het_status het_kernel_binary(het_kernel *kernel, het_device *device, void *binary, size_t capacity,
                                     size_t *bytes);

/** Frees a kernel; launches already made finish. NULL is allowed. A call that is building it in another thread
 *  finishes, too, and returns HET_ERR_HANDLE. Errors: HET_ERR_HANDLE (freed before). */
HET_API het_status het_kernel_free(het_kernel *kernel);

/** Times of a kernel's finished launches on one device while kernels were timed: always with the option
 *  `profile` or $HETERO_TRACE, else from het_team_rebalance on. All zero without. The device measures them.
 *  Where its driver's clock is known to be wrong the host's does (`by_host`), from the submission, or the end
 *  of what was before it, until the launch is seen to have ended: the total of launches one after another is
 *  right, a single time may not be. C++ wants the word struct, too, for het_kernel_times is also a function. */
struct het_kernel_times {
	size_t size; /* in: sizeof(struct het_kernel_times) */
	uint64_t launches, total_ns, min_ns, max_ns, last_ns;
	int by_host;
};
#ifdef __cplusplus
#define HET_KERNEL_TIMES_INIT het__init<struct het_kernel_times>()
#else
#define HET_KERNEL_TIMES_INIT {.size = sizeof(struct het_kernel_times)}
#endif

/** Reads them; does not wait (het_wait_all first). Errors: HET_ERR_HANDLE, HET_ERR_ARGUMENT. */
HET_API het_status het_kernel_times(het_kernel *kernel, het_device *device, struct het_kernel_times *times);

HET_END_DECLS

#endif
