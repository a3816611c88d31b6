/* machine.c - a machine read from a file.
 *
 * One setting a line; '#' begins a comment. `platform NAME` begins a platform, `device cpu|gpu|accelerator` a
 * device of it, and the lines after that are about the device: see settings[] below, and machines/.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

#define SIZE_BYTES ((cl_ulong)256 << 20) /* of a memory, unless it is said */

struct reader {
	const char *path;
	int line;
	cl_platform_id platform;
	cl_device_id device;
	bool failed;
};

static void wrong(struct reader *r, const char *what, const char *text)
{
	fprintf(stderr, "fakecl: %s:%d: %s '%s'\n", r->path, r->line, what, text);
	r->failed = true;
}

/* ---- values ------------------------------------------------------------------------------------- */

/* A number, perhaps with K, M or G. */
static cl_ulong number(struct reader *r, const char *text)
{
	char *end;
	const cl_ulong value = strtoull(text, &end, 10);
	int shift = 0;

	if (*end == 'K')
		shift = 10;
	else if (*end == 'M')
		shift = 20;
	else if (*end == 'G')
		shift = 30;
	if (end == text || *text == '-' || (shift ? end[1] : end[0]) != '\0')
		wrong(r, "not a number:", text);
	return value << shift;
}

/* Memories are named; "own" is a name that nothing else has. */
static int memory(struct reader *r, const char *name)
{
	char own[64];

	if (strcmp(name, "own") == 0) {
		snprintf(own, sizeof own, "own %d", r->device->index);
		name = own;
	}
	for (int m = 0; m < fake.memory_count; m++)
		if (strcmp(fake.memories[m].name, name) == 0)
			return m;
	if (fake.memory_count == MEMORIES_MOST) {
		wrong(r, "more memories than this driver has room for, at", name);
		return 0;
	}
	snprintf(fake.memories[fake.memory_count].name, sizeof own, "%s", name);
	return fake.memory_count++;
}

/* ---- settings of a device ----------------------------------------------------------------------- */

static void set_memory(struct reader *r, const char *value)
{
	r->device->memory = memory(r, value);
}

static void set_name(struct reader *r, const char *value)
{
	snprintf(r->device->name, sizeof r->device->name, "%s", value);
}

static void set_size(struct reader *r, const char *value)
{
	r->device->size_bytes = number(r, value);
}

static void set_alloc(struct reader *r, const char *value)
{
	r->device->alloc_bytes = number(r, value);
}

static void set_local(struct reader *r, const char *value)
{
	r->device->local_bytes = number(r, value);
}

static void set_align(struct reader *r, const char *value)
{
	const size_t align = number(r, value);

	r->device->align_bytes = align;
	if (align < 1 || (align & (align - 1)))
		wrong(r, "not a power of two:", value);
}

static void set_early(struct reader *r, const char *value)
{
	r->device->early_bytes = number(r, value);
}

static void set_group(struct reader *r, const char *value)
{
	r->device->max_group = number(r, value);
}

static void set_units(struct reader *r, const char *value)
{
	r->device->units = (cl_uint)number(r, value);
	if (r->device->units == 0)
		wrong(r, "a device without compute units:", value);
}

static void set_parts(struct reader *r, const char *value)
{
	r->device->parts = (cl_uint)number(r, value);
}

static void set_fp64(struct reader *r, const char *value)
{
	r->device->fp64 = strcmp(value, "yes") == 0;
	if (!r->device->fp64 && strcmp(value, "no") != 0)
		wrong(r, "neither yes nor no:", value);
}

static const struct {
	const char *word;
	void (*set)(struct reader *r, const char *value);
} settings[] = {
	{"name", set_name},     /* CL_DEVICE_NAME */
	{"memory", set_memory}, /* host; own; or a name: devices that give one name share that memory */
	{"size", set_size},     /* CL_DEVICE_GLOBAL_MEM_SIZE, bytes; also the most that fits; 0: it is not
	                           told, and there are 256M */
	{"alloc", set_alloc},   /* CL_DEVICE_MAX_MEM_ALLOC_SIZE; a quarter of size unless given */
	{"local", set_local},   /* CL_DEVICE_LOCAL_MEM_SIZE */
	{"align", set_align},   /* CL_DEVICE_MEM_BASE_ADDR_ALIGN, but in bytes */
	{"early", set_early},   /* clEnqueueWriteBuffer of up to so many bytes takes them from the host when it
	                           is called, whatever it is to wait for, as NVIDIA's driver does */
	{"group", set_group},   /* CL_DEVICE_MAX_WORK_GROUP_SIZE */
	{"units", set_units},   /* compute units */
	{"parts", set_parts},   /* into how many sub-devices it can be cut; 0: not */
	{"fp64", set_fp64},     /* double precision: yes or no */
};

/* ---- platforms and devices ---------------------------------------------------------------------- */

static void begin_platform(struct reader *r, const char *name)
{
	cl_platform_id platform = fake_object_new(PLATFORM, sizeof *platform);
	cl_platform_id *all = fake_alloc((size_t)(fake.platform_count + 1) * sizeof(cl_platform_id));

	if (fake.platform_count)
		memcpy(all, fake.platforms, (size_t)fake.platform_count * sizeof(cl_platform_id));
	free(fake.platforms);
	fake.platforms = all;
	all[fake.platform_count++] = platform;
	snprintf(platform->name, sizeof platform->name, "%s", name);
	r->platform = platform;
	r->device = NULL;
}

static cl_device_type type_of(struct reader *r, const char *text)
{
	if (strcmp(text, "cpu") == 0)
		return CL_DEVICE_TYPE_CPU;
	if (strcmp(text, "gpu") == 0)
		return CL_DEVICE_TYPE_GPU;
	if (strcmp(text, "accelerator") == 0)
		return CL_DEVICE_TYPE_ACCELERATOR;
	wrong(r, "a device is cpu, gpu or accelerator, not", text);
	return 0;
}

static void begin_device(struct reader *r, const char *type)
{
	cl_platform_id const platform = r->platform;
	cl_device_id device, *all;

	if (!platform) {
		wrong(r, "a device before the first platform:", type);
		return;
	}
	device = fake_object_new(DEVICE, sizeof *device);
	all = fake_alloc((size_t)(platform->device_count + 1) * sizeof(cl_device_id));
	if (platform->device_count)
		memcpy(all, platform->devices, (size_t)platform->device_count * sizeof(cl_device_id));
	free(platform->devices);
	platform->devices = all;
	all[platform->device_count++] = device;
	device->platform = platform;
	device->type = type_of(r, type);
	device->index = fake.device_count++;
	device->size_bytes = SIZE_BYTES;
	device->local_bytes = 32 << 10;
	device->align_bytes = 128;
	device->max_group = 256;
	device->units = 4;
	device->stop_after = -1;
	snprintf(device->name, sizeof device->name, "Fake device %d", device->index);
	r->device = device;
}

static void finish_devices(void)
{
	for (int p = 0; p < fake.platform_count; p++)
		for (int d = 0; d < fake.platforms[p]->device_count; d++) {
			cl_device_id const device = fake.platforms[p]->devices[d];
			struct memory *const m = &fake.memories[device->memory];
			const cl_ulong size = device->size_bytes ? device->size_bytes : SIZE_BYTES;

			if (!device->alloc_bytes)
				device->alloc_bytes = size / 4;
			if (m->limit_bytes < size)
				m->limit_bytes = size;
		}
}

/* ---- lines -------------------------------------------------------------------------------------- */

static char *trimmed(char *text)
{
	char *end;

	text[strcspn(text, "#\r\n")] = '\0';
	text += strspn(text, " \t");
	for (end = text + strlen(text); end > text && isspace((unsigned char)end[-1]); end--)
		end[-1] = '\0';
	return text;
}

static void set(struct reader *r, const char *word, const char *value)
{
	for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
		if (strcmp(word, settings[i].word) == 0) {
			if (r->device)
				settings[i].set(r, value);
			else
				wrong(r, "a setting outside of a device:", word);
			return;
		}
	wrong(r, "no such setting:", word);
}

static void read_line(struct reader *r, char *line)
{
	char *const word = trimmed(line), *value = word + strcspn(word, " \t");

	if (!*word)
		return;
	if (*value)
		*value++ = '\0';
	value += strspn(value, " \t");
	if (!*value)
		wrong(r, "nothing is said about", word);
	else if (strcmp(word, "platform") == 0)
		begin_platform(r, value);
	else if (strcmp(word, "device") == 0)
		begin_device(r, value);
	else
		set(r, word, value);
}

bool fake_machine_read(const char *path)
{
	struct reader r = {.path = path};
	char line[512];
	FILE *const file = fopen(path, "r");

	if (!file) {
		fprintf(stderr, "fakecl: machine file %s: %s\n", path, strerror(errno));
		return false;
	}
	strcpy(fake.memories[0].name, "host");
	fake.memory_count = 1;
	while (!r.failed && fgets(line, sizeof line, file)) {
		r.line++;
		read_line(&r, line);
	}
	fclose(file);
	finish_devices();
	return !r.failed;
}
