/* program.c - a kernel made ready for a device: from a like device's binary, the cache or its source. */
#include "kernel/kernel.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/folder.h"
#include "kernel/cache.h"
#include "kernel/own_types.h"
#include "kernel/wording.h"
#include "system/seat.h"

/* One attempt to make a kernel ready for a device. */
struct build {
	het_kernel *kernel;
	het_device *device;
	char *options; /* all that the compiler gets */
	char *added;   /* by the driver, to these */
	char *make;    /* the device as the cache's key has it */
	char *head;    /* of build messages */
	char folder[PATH_MAX];
	bool is_whole; /* text and options are all of the program */
	bool keeps;    /* the cache is in use; `folder` is where */
	struct het__kernel_on *on;
	bool types_asked; /* the compiler has told all that it can of the text's own types */
};

static het_status no_memory(const het_kernel *kernel)
{
	return het__fail(HET_ERR_MEMORY, "no memory to build %s", kernel->title);
}

/* Back to before an attempt that failed. */
static void unmake(struct het__kernel_on *on)
{
	het__cl_kernel_release(on->cl);
	het__cl_program_release(on->program);
	het__claim_leave(&on->claim);
	het__free(on->signature);
	het__free(on->own_types);
	het__free(on->given);
	het__free(on->compiled_with);
	het__free(on->added);
	*on = (struct het__kernel_on){.program = NULL};
}

void het__kernel_on_free(struct het__kernel_on *on)
{
	if (on)
		unmake(on);
	het__free(on);
}

static void build_end(struct build *b)
{
	het__free(b->options);
	het__free(b->added);
	het__free(b->make);
	het__free(b->head);
}

/* Options that read files are as bad as #include; those that say __FILE__ or __TIME__, as a text that does. */
static bool is_whole(const het_kernel *kernel, const char *options)
{
	static const char *const bad[] = {"-include",     "-imacros", "__FILE_",
					  "__BASE_FILE_", "__DATE__", "__TIME"};
	bool whole = kernel->source && !kernel->facts.includes && !kernel->facts.varies;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		whole = whole && !strstr(options, bad[i]);
	return whole;
}

/* The first trouble with the cache is a warning; after that it is known. */
static bool find_folder(struct build *b)
{
	het_system *const system = b->device->system;
	struct het__kernels *const room = system->room[HET__ROOM_KERNEL].state;

	if (het__cache_folder(b->folder, sizeof(b->folder)))
		return true;
	if (b->folder[0] && !atomic_exchange(&room->cache_complained, true))
		het__log(system->logger, HET_LOG_WARN, "kernel", "kernels cannot be kept in the cache %s: %s",
			 b->folder, het__cache_trouble(errno));
	return false;
}

static het_status build_begin(struct build *b)
{
	char *const user = het__options_given(b->kernel, b->device);

	if (user) {
		b->options = het__options_whole(b->kernel, b->device, user);
		b->added = het__options_of_driver(b->device);
		b->make = het__make_of(b->device);
		b->head = het__head_of_log(b->kernel, b->device, user);
	}
	het__free(user);
	if (!b->options || !b->added || !b->make || !b->head) {
		build_end(b);
		return no_memory(b->kernel);
	}
	b->is_whole = is_whole(b->kernel, b->options) && is_whole(b->kernel, b->added);
	b->keeps = b->is_whole && find_folder(b);
	return HET_OK;
}

/* Where a compiler does not heed #line its messages are put right here. */
static het_status name_lines(const struct build *b)
{
	const char *const text = het__message();
	const char *const source_name = b->device->driver->source_name;
	const size_t head = strlen(b->head);
	const int code = het__error_cl_code();
	char *log;

	if (!source_name || strncmp(text, b->head, head) != 0)
		return HET_ERR_BUILD;
	log = het__log_named(b->kernel, source_name, text + head + strspn(text + head, "\n"));
	if (log)
		het__fail_cl_text(HET_ERR_BUILD, code, "clBuildProgram", b->device->name, b->head, log);
	het__free(log);
	return HET_ERR_BUILD;
}

/* ---- double precision ---- */

static het_status refuse_double(const struct build *b)
{
	return het__fail_on(HET_ERR_UNSUPPORTED, b->device->name,
			    "%s: its text uses double precision, which %s (%s) does not have", b->kernel->title,
			    b->device->name, b->device->hardware);
}

/* Some compilers crash on double where there is none: they do not get to see it. */
static het_status check_double_before(const struct build *b)
{
	if (b->kernel->facts.uses_double == HET__SURELY && !b->device->facts.has_double)
		return refuse_double(b);
	return HET_OK;
}

static bool says_double(const char *text)
{
	return het__source_says_double(text, text + strlen(text));
}

/* -DREAL=double */
static bool may_use_double(const struct build *b)
{
	return b->kernel->facts.uses_double != HET__NEVER || says_double(b->options) || says_double(b->added);
}

/* Adds why the build failed, where that is known: macros that nobody has defined, or double precision, which
 * the text perhaps uses and the device does not have. */
static het_status find_reason(const struct build *b, het_status status)
{
	struct het__failure *failure;

	if (status == HET_ERR_BUILD)
		het__log_hint(b->kernel);
	if (status != HET_ERR_BUILD || !may_use_double(b) || b->device->facts.has_double ||
	    !het__log_has_double(het__message()))
		return status;
	failure = het__failure_capture();
	status = het__fail_because(HET_ERR_UNSUPPORTED, failure, "%s has no double precision", b->device->name);
	het__failure_release(failure);
	return status;
}

static het_status check_double_after(const struct build *b)
{
	b->on->uses_double =
		b->kernel->facts.uses_double == HET__SURELY || het__signature_uses_double(b->on->signature);
	return b->on->uses_double && !b->device->facts.has_double ? refuse_double(b) : HET_OK;
}

/* ---- building ---- */

/* From a built program: its kernel, and the signature unless it is known (a stored one). */
static het_status take_kernel(struct build *b, struct het__signature *known)
{
	struct het__kernel_on *const on = b->on;
	het_status status = het__cl_kernel_create(on->program, b->kernel->name, b->device->name, &on->cl);

	if (status == HET_ERR_KERNEL)
		return het__fail_within("%s", b->kernel->title), status;
	if (!status)
		status = het__cl_kernel_limits(on->cl, b->device->id, b->device->name, &on->limits);
	if (!status && known)
		on->signature = known;
	else if (!status)
		status = het__signature_read(on->cl, b->kernel, b->device->name, &on->signature);
	return status;
}

static het_status build_program(struct build *b)
{
	return het__cl_program_build(b->on->program, 1, &b->device->id, b->options, b->device->name, b->head);
}

/* `known`, when not NULL, becomes the kernel's, on success only. */
static het_status from_binary(struct build *b, const void *binary, size_t bytes, struct het__signature *known)
{
	struct het__kernel_on *const on = b->on;
	cl_uint count = 0;
	het_status status = het__cl_program_binary(b->device->context->cl, b->device->id, binary, bytes,
						   b->device->name, &on->program);

	if (status == HET_ERR_BUILD)
		return het__fail_within("%s", b->head), status;
	if (!status)
		status = build_program(b);
	if (!status)
		status = take_kernel(b, known);
	if (!status)
		status = het__cl_kernel_arg_count(on->cl, b->device->name, &count);
	if (!status && count != (cl_uint)het__signature_slots(on->signature))
		status = het__fail_on(HET_ERR_BUILD, b->device->name,
				      "%s: the binary's kernel has %u parameters, not %d", b->head,
				      (unsigned)count, het__signature_slots(on->signature));
	if (status && on->signature == known)
		on->signature = NULL;
	return status;
}

/* Each device compiles programs of its own; but a binary may be of a program that another device has. */
static het_status claim(struct build *b, const void *binary, size_t bytes)
{
	if (het__claim_take(&b->on->claim, b->device, binary, bytes))
		return HET_OK;
	return het__fail_on(HET_ERR_UNSUPPORTED, b->device->name,
			    "%s cannot be built for %s: another device has its program, by a binary, and the "
			    "driver (%s) would end the process where two run one",
			    b->kernel->title, b->device->name, b->device->platform);
}

static het_status from_own_binary(struct build *b)
{
	const het_kernel *const kernel = b->kernel;
	const het_status status = claim(b, kernel->binary, kernel->binary_bytes);

	return status ? status : from_binary(b, kernel->binary, kernel->binary_bytes, NULL);
}

static struct het__signature *signature_copy(const struct het__signature *signature)
{
	struct het__signature *const copy = het__signature_new(signature->count);

	for (int i = 0; copy && i < signature->count; i++)
		copy->param[i] = signature->param[i];
	return copy;
}

/* True when one compiler makes the same of the text for both devices, and has done so for the other. */
static bool share_compiler(const struct build *b, int other, const struct het__kernel_on *on)
{
	const het_device *const d = b->device, *const o = d->system->devices[other];
	const char *const mine = b->kernel->device_options[d->index];
	const char *const its = b->kernel->device_options[other];

	return strcmp(d->hardware, o->hardware) == 0 && strcmp(d->driver_version, o->driver_version) == 0 &&
	       strcmp(d->platform, o->platform) == 0 && strcmp(mine ? mine : "", its ? its : "") == 0 &&
	       strcmp(on->added, b->added) == 0;
}

/* True when a binary for one device does for the other. */
static bool are_alike(const struct build *b, int other, const struct het__kernel_on *on)
{
	const het_device *const d = b->device, *const o = d->system->devices[other];

	return share_compiler(b, other, on) && d->facts.compute_units == o->facts.compute_units &&
	       d->seat == o->seat;
}

static bool from_one_alike(struct build *b, int other)
{
	const struct het__kernel_on *const on = atomic_load(&b->kernel->on[other]);
	const het_device *const device = b->device->system->devices[other];
	struct het__signature *known;
	void *binary;
	size_t bytes;

	if (!on || !are_alike(b, other, on))
		return false;
	if (het__cl_program_get_binary(on->program, device->id, device->name, &binary, &bytes) != HET_OK)
		return false;
	known = signature_copy(on->signature);
	if (known && from_binary(b, binary, bytes, known) != HET_OK) {
		unmake(b->on);
		het__free(known);
		known = NULL;
	}
	het__free(binary);
	return known != NULL;
}

static bool from_alike(struct build *b)
{
	for (int i = 0; i < b->device->system->device_count; i++)
		if (from_one_alike(b, i))
			return true;
	return false;
}

static struct het__cache_key key_of(const struct build *b)
{
	return (struct het__cache_key){.kernel = b->kernel->name,
				       .source = b->kernel->source,
				       .prelude = b->kernel->facts.prelude ? het__prelude : NULL,
				       .options = b->options,
				       .added = b->added,
				       .platform = b->device->platform,
				       .device = b->make,
				       .driver = b->device->driver_version};
}

static bool from_cache(struct build *b)
{
	struct het__logger *const logger = b->device->system->logger;
	const struct het__cache_key key = key_of(b);
	struct het__cache_entry entry;
	bool built;

	if (!b->keeps || !het__cache_load(logger, b->folder, &key, &entry))
		return false;
	built = claim(b, entry.binary, entry.binary_bytes) == HET_OK &&
		from_binary(b, entry.binary, entry.binary_bytes, entry.signature) == HET_OK;
	if (!built) {
		het__log(logger, HET_LOG_DEBUG, "kernel", "cache: entry is refused: %s", het__message());
		unmake(b->on);
		het__free(entry.signature);
	}
	het__free(entry.binary);
	return built;
}

static bool is_same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* True when what was compiled of the other kernel's text is what would be compiled now. */
static bool is_of_same_program(const struct build *b, const het_kernel *other)
{
	const struct het__kernel_on *const on = atomic_load(&other->on[b->device->index]);

	return on && on->compiled_with && strcmp(on->compiled_with, b->options) == 0 &&
	       strcmp(on->added, b->added) == 0 && is_same_text(other->path, b->kernel->path) &&
	       strcmp(other->source, b->kernel->source) == 0;
}

/* Other kernels of the same text, compiled for this device. Not those that came from a binary: the driver may
 * have forgotten its signatures. */
static void visit_siblings(struct build *b, void (*visit)(struct build *, const struct het__kernel_on *))
{
	het_system *const system = b->device->system;
	const struct het__kernels *const room = system->room[HET__ROOM_KERNEL].state;
	const bool has_lock = b->device->driver->runs_in_caller; /* het__driver_lock */

	if (!b->is_whole)
		return;
	if (!has_lock)
		pthread_mutex_lock(&system->lock);
	for (const het_kernel *other = room->first; other; other = other->next)
		if (is_of_same_program(b, other))
			visit(b, atomic_load(&other->on[b->device->index]));
	if (!has_lock)
		pthread_mutex_unlock(&system->lock);
}

static void take_program(struct build *b, const struct het__kernel_on *sibling)
{
	if (!b->on->program)
		b->on->program = het__cl_program_retain(sibling->program);
}

static void take_types(struct build *b, const struct het__kernel_on *sibling)
{
	het__own_types_take(b->on->signature, sibling->signature);
	if (sibling->own_types)
		het__own_types_take(b->on->signature, sibling->own_types);
	b->types_asked |= sibling->own_types != NULL;
}

static het_status compile(struct build *b)
{
	char *const text = het__source_named(b->kernel);
	het_status status;

	if (!text)
		return no_memory(b->kernel);
	status = het__cl_program_source(b->device->context->cl, text, strlen(text), b->device->name,
					&b->on->program);
	het__free(text);
	if (!status)
		status = build_program(b);
	if (!status)
		het__log_warnings(b->kernel, b->device, b->on->program);
	if (status == HET_ERR_BUILD)
		status = find_reason(b, name_lines(b));
	return status;
}

/* Puts the compiled program into the cache. A driver with `programs_apart` is asked for the binary in any case:
 * asked for the first time while a kernel with a required work-group size runs, it ends the process. */
static het_status keep(struct build *b)
{
	het_system *const system = b->device->system;
	struct het__kernels *const room = system->room[HET__ROOM_KERNEL].state;
	const struct het__cache_key key = key_of(b);
	struct het__cache_entry entry = {.signature = b->on->signature};
	enum het_log_level trouble = HET_LOG_WARN;
	het_status status;

	if ((!b->keeps && !b->device->driver->programs_apart) ||
	    het__cl_program_get_binary(b->on->program, b->device->id, b->device->name, &entry.binary,
				       &entry.binary_bytes) != HET_OK)
		return HET_OK;
	status = claim(b, entry.binary, entry.binary_bytes);
	if (atomic_load(&room->cache_complained))
		trouble = HET_LOG_DEBUG;
	if (!status && b->keeps && !het__cache_store(system->logger, trouble, b->folder, &key, &entry))
		atomic_store(&room->cache_complained, true);
	het__free(entry.binary);
	return status;
}

/* What another kernel of the program, or the compiler for another device, has told need not be asked. */
static void learn_own_types(struct build *b)
{
	struct het__signature *const signature = b->on->signature;

	visit_siblings(b, take_types);
	for (int i = 0; i < b->device->system->device_count; i++) {
		const struct het__kernel_on *const on = atomic_load(&b->kernel->on[i]);

		if (!on || !share_compiler(b, i, on))
			continue;
		het__own_types_take(signature, on->signature);
		b->types_asked = true;
	}
	if (b->types_asked || !het__own_types_wanted(signature, b->kernel))
		return;
	b->on->own_types =
		het__own_types_ask(signature, b->kernel, b->device, b->on->program, b->options);
	if (b->on->own_types)
		het__own_types_take(signature, b->on->own_types);
}

static het_status from_source(struct build *b, const char **origin_p)
{
	het_status status = HET_OK;

	visit_siblings(b, take_program);
	if (b->on->program)
		*origin_p = "the program of another kernel";
	else
		status = compile(b);
	if (!status)
		status = take_kernel(b, NULL);
	if (!status) {
		learn_own_types(b);
		status = keep(b);
	}
	if (!status) {
		b->on->compiled_with = b->options;
		b->options = NULL;
	}
	return status;
}

/* Fills b->on from the first place that has the program. */
static het_status build_anyhow(struct build *b)
{
	const het_kernel *const kernel = b->kernel;
	const uint64_t start = het__host_ns();
	const char *origin = "source";
	het_status status = HET_OK;

	if (kernel->binary) {
		origin = "its binary";
		status = from_own_binary(b);
	} else if (from_alike(b)) {
		origin = "a like device's binary";
	} else if (from_cache(b)) {
		origin = "the cache";
	} else {
		status = from_source(b, &origin);
	}
	if (!status)
		het__log(kernel->system->logger, HET_LOG_DEBUG, "kernel", "%s for %s made from %s in %.1f ms",
			 kernel->title, b->device->name, origin, het__ns_since(start) * 1e-6);
	if (!status)
		status = check_double_after(b);
	if (!status) {
		b->on->added = b->added;
		b->added = NULL;
	}
	return status;
}

static het_status make_given(const het_kernel *kernel, struct het__kernel_on *on)
{
	on->given = het__alloc_zeroed((size_t)on->signature->count, sizeof *on->given);
	return on->given ? HET_OK : no_memory(kernel);
}

static het_status make_ready(het_kernel *kernel, het_device *device, struct het__kernel_on **on_p)
{
	struct build b = {.kernel = kernel, .device = device};
	het_status status;

	if (kernel->binary && device != kernel->binary_device)
		return het__fail_on(HET_ERR_UNSUPPORTED, device->name,
				    "%s is a binary for %s: it cannot run on %s", kernel->title,
				    kernel->binary_device->name, device->name);
	status = check_double_before(&b);
	if (status)
		return status;
	b.on = het__alloc_zeroed(1, sizeof(*b.on));
	if (!b.on)
		return no_memory(kernel);
	status = build_begin(&b);
	het__driver_lock(device);
	if (!status) {
		status = build_anyhow(&b);
		build_end(&b);
	}
	if (!status)
		status = make_given(kernel, b.on);
	if (status)
		het__kernel_on_free(b.on);
	else
		*on_p = b.on;
	het__driver_unlock(device);
	return status;
}

het_status het__kernel_hold(het_kernel *kernel, const char *what)
{
	het_system *const system = kernel->system;
	het_status status = het__kernel_enter(kernel, what);

	if (status)
		return status;
	het__kernel_use(kernel);
	system->holding++;
	het__leave(system);
	return HET_OK;
}

void het__kernel_let_go(het_kernel *kernel)
{
	het_system *const system = kernel->system;

	pthread_mutex_lock(&system->lock);
	het__kernel_unuse(kernel);
	het__back(system, &system->holding);
	het__leave(system);
}

het_status het__kernel_release(het_kernel *kernel, het_status status)
{
	het_system *const system = kernel->system;

	pthread_mutex_lock(&system->lock);
	if (kernel->freed && !status)
		status = het__fail(HET_ERR_HANDLE, "%s was freed while this call worked on its program",
				   kernel->title);
	het__kernel_unuse(kernel);
	het__back(system, &system->holding);
	return het__leave_with(system, status);
}

het_status het__kernel_on_first(het_kernel *kernel, het_device *device, struct het__kernel_on **on_p)
{
	_Atomic(struct het__kernel_on *) *const place = &kernel->on[device->index];
	struct het__kernel_on *on;
	het_status status = het__kernel_hold(kernel, kernel->title);

	if (status)
		return status;
	pthread_mutex_lock(&kernel->build_lock);
	on = atomic_load_explicit(place, memory_order_relaxed);
	if (!on)
		status = make_ready(kernel, device, &on);
	if (!status)
		atomic_store_explicit(place, on, memory_order_release);
	pthread_mutex_unlock(&kernel->build_lock);
	if (!status)
		*on_p = on;
	return het__kernel_release(kernel, status);
}
