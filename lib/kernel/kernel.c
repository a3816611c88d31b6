/* kernel.c - kernels as the user has them: made, given options, built, asked, freed. */
#include "kernel/kernel.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/answer.h"
#include "kernel/signature.h"

/* No source is longer; a device file would be. */
#define SOURCE_MOST ((size_t)64 << 20)

het_status het__kernel_complain(const het_kernel *kernel, const char *what)
{
	return het__complain_of(kernel, "kernel", "freed, or none", what);
}

het_status het__kernel_enter(het_kernel *kernel, const char *what)
{
	het_system *const system = kernel->system;
	het_status status = het__enter(system, what);

	if (status)
		return status;
	status = het__kernel_check(kernel, what);
	return status ? het__leave_with(system, status) : HET_OK;
}

/* Both handles, of one system that may be used from here. */
static het_status check_pair(const het_kernel *kernel, const het_device *device, const char *what)
{
	het_status status = het__kernel_check(kernel, what);

	if (!status)
		status = het__device_check(device, what);
	if (!status && kernel->system != device->system)
		status = het__fail(HET_ERR_HANDLE, "%s: %s and device %s are of different systems", what,
				   kernel->title, device->name);
	return status;
}

/* ---- making ---- */

/* Of all systems: an address may come back, a number does not. */
static atomic_uint_least64_t kernels_made;

/* Frees all that a kernel holds, but not the handle. */
static void empty(het_kernel *kernel)
{
	const int devices = kernel->system->device_count;

	for (int i = 0; kernel->on && i < devices; i++)
		het__kernel_on_free(atomic_load(&kernel->on[i]));
	for (int i = 0; kernel->device_options && i < devices; i++)
		het__free(kernel->device_options[i]);
	het__free((void *)kernel->on);
	het__free(kernel->device_options);
	het__free(kernel->binary);
	het__free(kernel->name);
	het__free(kernel->title);
	het__free(kernel->source);
	het__free(kernel->path);
	het__free(kernel->folder);
	het__free(kernel->options);
	het__free(kernel->cut);
	pthread_mutex_destroy(&kernel->build_lock);
}

static char *title_of(const char *name, const char *path)
{
	const size_t bytes = strlen(name) + (path ? strlen(path) : 0) + sizeof("kernel  ()");
	char *const title = het__alloc(bytes);

	if (title)
		snprintf(title, bytes, path ? "kernel %s (%s)" : "kernel %s", name, path);
	return title;
}

/* A kernel that nobody knows yet; it has no text and no binary. */
static het_status kernel_new(het_system *system, const char *name, const char *path, const char *options,
			     het_kernel **kernel_p)
{
	const size_t devices = (size_t)system->device_count;
	het_kernel *const kernel = het__alloc_zeroed(1, sizeof(*kernel));

	if (!kernel)
		return het__fail(HET_ERR_MEMORY, "no memory for kernel %s", name);
	kernel->magic = HET__MAGIC_KERNEL;
	kernel->number = atomic_fetch_add_explicit(&kernels_made, 1, memory_order_relaxed);
	kernel->system = system;
	pthread_mutex_init(&kernel->build_lock, NULL);
	kernel->name = het__strdup(name);
	kernel->what = kernel->title = title_of(name, path);
	kernel->path = path ? het__strdup(path) : NULL;
	kernel->options = het__strdup(options ? options : "");
	kernel->device_options = het__alloc_zeroed(devices, sizeof(*kernel->device_options));
	kernel->on = het__alloc_zeroed(devices, sizeof(*kernel->on));
	if (!kernel->name || !kernel->title || (path && !kernel->path) || !kernel->options ||
	    !kernel->device_options || !kernel->on) {
		empty(kernel);
		het__free(kernel);
		return het__fail(HET_ERR_MEMORY, "no memory for kernel %s", name);
	}
	*kernel_p = kernel;
	return HET_OK;
}

/* The end of one that never became known. */
static void kernel_drop(het_kernel *kernel)
{
	empty(kernel);
	het__free(kernel);
}

/* With the lock. */
static void unlink_and_bury(het_kernel *kernel)
{
	struct het__kernels *const room = kernel->system->room[HET__ROOM_KERNEL].state;

	if (kernel->prev)
		kernel->prev->next = kernel->next;
	else
		room->first = kernel->next;
	if (kernel->next)
		kernel->next->prev = kernel->prev;
	empty(kernel);
	kernel->magic = HET__MAGIC_DEAD;
	het__bury(kernel->system, kernel);
}

static void room_free(het_system *system)
{
	struct het__kernels *const room = system->room[HET__ROOM_KERNEL].state;

	while (room->first)
		unlink_and_bury(room->first);
	het__free(room);
	system->room[HET__ROOM_KERNEL].state = NULL;
}

/* The room's state, made if need be. With the lock; NULL without memory. */
static struct het__kernels *room_of(het_system *system)
{
	struct het__room_state *const room = &system->room[HET__ROOM_KERNEL];

	if (!room->state) {
		room->state = het__alloc_zeroed(1, sizeof(struct het__kernels));
		room->free = room->state ? room_free : NULL;
	}
	return room->state;
}

/* Makes the room, and holds the system if it may be used at all; `what` is the call. */
static het_status open_room(het_system *system, const char *name, const char *what)
{
	het_status status = het__enter(system, what);

	if (status)
		return status;
	if (room_of(system))
		system->holding++;
	else
		status = het__fail(HET_ERR_MEMORY, "no memory for kernel %s", name);
	return het__leave_with(system, status);
}

/* Makes a finished kernel known to its system. */
static het_status enlist(het_kernel *kernel)
{
	het_status status = het__enter(kernel->system, kernel->title);
	struct het__kernels *room;

	if (status)
		return status;
	room = kernel->system->room[HET__ROOM_KERNEL].state;
	kernel->next = room->first;
	if (kernel->next)
		kernel->next->prev = kernel;
	room->first = kernel;
	het__leave(kernel->system);
	return HET_OK;
}

static het_status check_texts(const void *content, const char *content_name, const char *name,
			      het_kernel **kernel_p, const char *what)
{
	const char *const null = !content ? content_name : !name ? "name" : !kernel_p ? "kernel_p" : NULL;

	if (null)
		return het__fail(HET_ERR_ARGUMENT, "%s: %s is NULL", what, null);
	if (*name == '\0')
		return het__fail(HET_ERR_ARGUMENT, "%s: name is empty", what);
	if (strpbrk(name, " \t\n(){};")) /* it is perhaps the text, the argument before it */
		return het__fail(HET_ERR_ARGUMENT, "%s: name is no name of a function: '%.40s'", what, name);
	return HET_OK;
}

/* Where the compiler finds what a file includes: beside its name, which may be a link's. Absolute, because the
 * program may change its directory. */
static het_status find_folder(het_kernel *kernel)
{
	const char *const name = strrchr(kernel->path, '/');
	char given[PATH_MAX], real[PATH_MAX + 1];

	snprintf(given, sizeof given, "%.*s", name ? (int)(name - kernel->path) + 1 : 1,
		 name ? kernel->path : ".");
	if (!realpath(given, real))
		return HET_OK; /* it was read, from where nobody will find it again */
	if (real[1])
		strcat(real, "/");
	kernel->folder = het__strdup(real);
	return kernel->folder ? HET_OK : het__fail(HET_ERR_MEMORY, "no memory for %s", kernel->title);
}

/* Compilers skip a mark only where their input begins, and not behind a #line. */
static void drop_byte_order_mark(char *source)
{
	static const char mark[] = "\xef\xbb\xbf";
	const size_t length = sizeof mark - 1;

	if (strncmp(source, mark, length) == 0)
		memmove(source, source + length, strlen(source + length) + 1);
}

/* Takes `source`, also on failure. */
static het_status from_text(het_system *system, char *source, const char *path, const char *name,
			    const char *options, het_kernel **kernel_p)
{
	het_kernel *kernel;
	het_status status = kernel_new(system, name, path, options, &kernel);

	if (status) {
		het__free(source);
		return status;
	}
	drop_byte_order_mark(source);
	kernel->source = source;
	kernel->facts = het__source_facts(source);
	if (path)
		status = find_folder(kernel);
	if (!status)
		status = enlist(kernel);
	if (status)
		kernel_drop(kernel);
	else
		*kernel_p = kernel;
	return status;
}

het_status het_kernel_from_source(het_system *system, const char *source, const char *name, const char *options,
				  het_kernel **kernel_p)
{
	het_status status = check_texts(source, "source", name, kernel_p, "het_kernel_from_source");
	char *copy;

	if (!status)
		status = open_room(system, name, "het_kernel_from_source");
	if (status)
		return het__refuse(system, status);
	copy = het__strdup(source);
	if (copy)
		status = from_text(system, copy, NULL, name, options, kernel_p);
	else
		status = het__fail(HET_ERR_MEMORY, "no memory for the source of kernel %s", name);
	return het__let_go(system, status);
}

/* ---- files ---- */

/* All of an open file, het__alloc'd and ended by a 0; NULL with errno. */
static char *read_stream(FILE *file, size_t *length)
{
	char *text = NULL;
	int room = 0;

	*length = 0;
	while (!feof(file)) {
		if (*length > SOURCE_MOST || het__grow(&text, &room, (int)*length + 4096, 1) != 0) {
			errno = *length > SOURCE_MOST ? EFBIG : ENOMEM;
			break;
		}
		errno = 0;
		*length += fread(text + *length, 1, (size_t)room - *length - 1, file);
		if (ferror(file))
			break;
	}
	if (feof(file) && !ferror(file)) {
		text[*length] = '\0';
		return text;
	}
	het__free(text);
	return NULL;
}

static het_status read_file(const char *path, const char *name, char **text_p)
{
	FILE *const file = fopen(path, "re");
	size_t length = 0;
	char *const text = file ? read_stream(file, &length) : NULL;
	const int reason = errno;

	if (file)
		fclose(file);
	if (!text && reason == ENOMEM)
		return het__fail(HET_ERR_MEMORY, "no memory for the source of kernel %s (%s)", name, path);
	if (!text)
		return het__fail(HET_ERR_FILE, "kernel %s: cannot read '%s': %s", name, path, strerror(reason));
	if (strlen(text) != length) {
		het__free(text);
		return het__fail(HET_ERR_FILE, "kernel %s: %s is no text: it has a zero byte", name, path);
	}
	*text_p = text;
	return HET_OK;
}

het_status het_kernel_from_file(het_system *system, const char *path, const char *name, const char *options,
				het_kernel **kernel_p)
{
	het_status status = check_texts(path, "path", name, kernel_p, "het_kernel_from_file");
	char *source = NULL;

	if (!status)
		status = open_room(system, name, "het_kernel_from_file");
	if (status)
		return het__refuse(system, status);
	status = read_file(path, name, &source);
	if (!status)
		status = from_text(system, source, path, name, options, kernel_p);
	return het__let_go(system, status);
}

/* ---- binaries ---- */

/* Builds at once: a binary that the driver refuses is no kernel. */
static het_status try_binary(het_kernel *kernel, het_device *device, const void *binary, size_t bytes)
{
	struct het__kernel_on *on;
	het_status status;

	kernel->binary = het__alloc(bytes);
	if (!kernel->binary)
		return het__fail(HET_ERR_MEMORY, "no memory for the binary of kernel %s", kernel->name);
	memcpy(kernel->binary, binary, bytes);
	kernel->binary_bytes = bytes;
	kernel->binary_device = device;
	status = het__device_open(device);
	if (!status)
		status = het__kernel_on(kernel, device, &on);
	if (!status)
		status = enlist(kernel);
	return status;
}

het_status het_kernel_from_binary(het_device *device, const void *binary, size_t bytes, const char *name,
				  het_kernel **kernel_p)
{
	het_system *system;
	het_status status = check_texts(binary, "binary", name, kernel_p, "het_kernel_from_binary");
	het_kernel *kernel;

	if (!status && bytes == 0)
		status = het__fail(HET_ERR_ARGUMENT, "het_kernel_from_binary: bytes is 0");
	if (!status)
		status = het__device_check(device, "het_kernel_from_binary");
	if (!status)
		status = open_room(device->system, name, "het_kernel_from_binary");
	if (status)
		return het__device_refuse(device, status);
	system = device->system;
	status = kernel_new(system, name, NULL, NULL, &kernel);
	if (status)
		return het__let_go(system, status);
	status = try_binary(kernel, device, binary, bytes);
	if (status) {
		het__driver_lock(device);
		kernel_drop(kernel);
		het__driver_unlock(device);
	} else {
		*kernel_p = kernel;
	}
	return het__let_go(system, status);
}

/* ---- use ---- */

het_status het_kernel_options(het_kernel *kernel, het_device *device, const char *options)
{
	het_status status = check_pair(kernel, device, "het_kernel_options");
	char *copy;

	if (status)
		return het__kernel_refuse(kernel, status);
	copy = options ? het__strdup(options) : NULL;
	if (options && !copy)
		return het__kernel_refuse(kernel, het__fail(HET_ERR_MEMORY, "no memory for the options of %s",
							    kernel->title));
	status = het__kernel_hold(kernel, "het_kernel_options"); /* who builds has build_lock for long */
	if (status) {
		het__free(copy);
		return status;
	}
	pthread_mutex_lock(&kernel->build_lock);
	if (atomic_load(&kernel->on[device->index])) {
		status = het__fail(HET_ERR_ARGUMENT, "het_kernel_options: %s is already built for %s",
				   kernel->title, device->name);
	} else {
		char *const old = kernel->device_options[device->index];

		kernel->device_options[device->index] = copy;
		copy = old;
	}
	pthread_mutex_unlock(&kernel->build_lock);
	het__free(copy);
	return het__kernel_release(kernel, status);
}

/* Of a kernel that is held. */
static het_status ready(het_kernel *kernel, het_device *device, struct het__kernel_on **on_p)
{
	const het_status status = het__device_open(device);

	return status ? status : het__kernel_on(kernel, device, on_p);
}

het_status het_kernel_build(het_kernel *kernel, het_device *device)
{
	struct het__kernel_on *on;
	het_status status = check_pair(kernel, device, "het_kernel_build");

	if (status)
		return het__kernel_refuse(kernel, status);
	status = het__kernel_hold(kernel, "het_kernel_build"); /* logs it itself: the kernel may be gone */
	if (status)
		return status;
	return het__kernel_release(kernel, ready(kernel, device, &on));
}

/* *all_p is het__alloc'd. The user's own binary is given back as it came. */
static het_status whole_binary(het_kernel *kernel, het_device *device, void **all_p, size_t *bytes)
{
	struct het__kernel_on *on;
	het_status status = ready(kernel, device, &on);

	if (status)
		return status;
	if (!kernel->binary) {
		het__driver_lock(device);
		status = het__cl_program_get_binary(on->program, device->id, device->name, all_p, bytes);
		het__driver_unlock(device);
		return status;
	}
	*bytes = kernel->binary_bytes;
	*all_p = het__alloc(*bytes);
	if (!*all_p)
		return het__fail(HET_ERR_MEMORY, "no memory for the binary of %s", kernel->title);
	memcpy(*all_p, kernel->binary, *bytes);
	return HET_OK;
}

static het_status copy_binary(het_kernel *kernel, het_device *device, void *binary, size_t capacity,
			      size_t *bytes)
{
	size_t length;
	void *all;
	het_status status = whole_binary(kernel, device, &all, &length);

	if (status)
		return status;
	*bytes = length;
	if (binary && capacity < length)
		status = het__fail(HET_ERR_ARGUMENT,
				   "het_kernel_binary: the binary of %s for %s has %zu bytes, not %zu",
				   kernel->title, device->name, length, capacity);
	else if (binary)
		memcpy(binary, all, length);
	het__free(all);
	return status;
}

het_status het_kernel_binary(het_kernel *kernel, het_device *device, void *binary, size_t capacity,
			     size_t *bytes)
{
	het_status status = check_pair(kernel, device, "het_kernel_binary");

	if (!bytes)
		status = het__fail(HET_ERR_ARGUMENT, "het_kernel_binary: bytes is NULL");
	if (status)
		return het__kernel_refuse(kernel, status);
	status = het__kernel_hold(kernel, "het_kernel_binary");
	if (status)
		return status;
	return het__kernel_release(kernel, copy_binary(kernel, device, binary, capacity, bytes));
}

het_status het_kernel_times(het_kernel *kernel, het_device *device, struct het_kernel_times *times)
{
	het_status status = check_pair(kernel, device, "het_kernel_times");
	struct het_kernel_times found = {.size = 0};
	struct het__kernel_on *on;

	if (status)
		return het__kernel_refuse(kernel, status);
	status = het__kernel_enter(kernel, "het_kernel_times");
	if (status)
		return status;
	on = atomic_load(&kernel->on[device->index]);
	if (on)
		found = on->times;
	return het__leave_with(device->system,
			       het__answer("het_kernel_times", "times", &found, sizeof found, times));
}

void het__kernel_record(struct het__kernel_on *on, uint64_t ns, bool by_host, uint64_t items, unsigned size)
{
	struct het_kernel_times *const t = &on->times;

	t->min_ns = t->launches == 0 || ns < t->min_ns ? ns : t->min_ns;
	t->max_ns = ns > t->max_ns ? ns : t->max_ns;
	t->total_ns += ns;
	t->last_ns = ns;
	t->by_host = by_host;
	if (t->launches++ == 0 || ns == 0 || items == 0)
		return;
	het__pace_add(&on->paces, size, (double)items / (double)ns);
}

double het__kernel_rate(const het_kernel *kernel, const het_device *device, unsigned size)
{
	const struct het__kernel_on *const on = atomic_load_explicit(&kernel->on[device->index],
								     memory_order_acquire);

	return on ? het__pace_median(&on->paces, size) : 0;
}

/* ---- arguments ---- */

/* The next launch gives them anew. A parameter of unknown kind is a buffer if it was given one. */
static void let_go(const struct het__kernel_on *on, const struct het__block *block, const char *kernel,
		   const char *device)
{
	for (int i = 0; i < on->signature->count; i++) {
		const struct het__param *const param = &on->signature->param[i];
		const bool is_buffer = param->kind == HET__PARAM_BUFFER || param->kind == HET__PARAM_WINDOW;
		const struct het__block *const given = on->given[i].block;

		if (block ? given != block : !is_buffer && !given)
			continue;
		het__given_forget(&on->given[i]);
		(void)het__cl_set_arg(on->cl, (cl_uint)param->at, sizeof(cl_mem), NULL, kernel, device);
	}
}

void het__kernels_let_go(het_system *system, struct het__memory *memory, const struct het__block *block)
{
	const struct het__kernels *const room = system->room[HET__ROOM_KERNEL].state;

	if (memory)
		memory->gone_bytes = 0;
	for (const het_kernel *k = room ? room->first : NULL; k; k = k->next)
		for (int d = 0; d < system->device_count; d++) {
			const struct het__kernel_on *const on = atomic_load(&k->on[d]);

			if (on && (!memory || system->devices[d]->memory == memory))
				let_go(on, block, k->name, system->devices[d]->name);
		}
}

/* ---- the end ---- */

void het__kernel_end(het_kernel *kernel)
{
	unlink_and_bury(kernel);
}

het_status het_kernel_free(het_kernel *kernel)
{
	het_system *system;
	het_status status;

	if (!kernel)
		return HET_OK;
	status = het__kernel_check(kernel, "het_kernel_free");
	if (status)
		return status;
	system = kernel->system;
	status = het__kernel_enter(kernel, "het_kernel_free");
	if (status)
		return status;
	kernel->freed = true;
	kernel->magic = HET__MAGIC_DEAD;
	if (kernel->users == 0)
		unlink_and_bury(kernel);
	het__leave(system);
	return HET_OK;
}
