/* object.c - what all objects have: two counts of references, and a time after death.
 *
 * An object is the program's until it has released it as often as it was retained. After that the driver may
 * still hold it (a command that has not run, a sub-buffer). When nobody does it is emptied and kept among the
 * dead for a while, so that a use after release is seen.
 */
#include <stdlib.h>
#include <string.h>

#include "fake.h"

#define DEAD_MOST 4096

static struct object *dead_first, *dead_last;
static int dead_count;
static unsigned long last_number;

void *fake_object_new(enum fake_kind kind, size_t bytes)
{
	struct object *const object = fake_alloc(bytes);

	object->dispatch = fake.null ? &fake_null_dispatch : &fake_dispatch;
	object->kind = kind;
	object->number = ++last_number;
	object->refs = 1;
	fake.alive[kind]++;
	fake.made[kind]++;
	return object;
}

bool fake_is(const void *handle, enum fake_kind kind)
{
	const struct object *const object = handle;

	if (!object || object->kind != kind)
		return false;
	if (object->refs > 0)
		return true;
	fake_violation("%s #%lu was released before", fake_kind_names[kind], object->number);
	return false;
}

static void empty(struct object *object)
{
	switch (object->kind) {
	case DEVICE:
		fake_device_drop((cl_device_id)object);
		break;
	case CONTEXT:
		fake_context_drop((cl_context)object);
		break;
	case QUEUE:
		fake_queue_drop((cl_command_queue)object);
		break;
	case MEM:
		fake_mem_drop((cl_mem)object);
		break;
	case PROGRAM:
		fake_program_drop((cl_program)object);
		break;
	case KERNEL:
		fake_kernel_drop((cl_kernel)object);
		break;
	case EVENT:
		fake_event_drop((cl_event)object);
		break;
	default:
		break;
	}
}

static void bury(struct object *object)
{
	empty(object);
	object->next = NULL;
	if (dead_last)
		dead_last->next = object;
	else
		dead_first = object;
	dead_last = object;
	if (++dead_count <= DEAD_MOST)
		return;
	dead_count--;
	object = dead_first;
	dead_first = object->next;
	free(object);
}

cl_int fake_retain(void *handle, enum fake_kind kind, cl_int otherwise)
{
	struct object *const object = handle;

	if (!fake_is(handle, kind))
		return otherwise;
	object->refs++;
	return CL_SUCCESS;
}

cl_int fake_release(void *handle, enum fake_kind kind, cl_int otherwise)
{
	struct object *const object = handle;

	if (!fake_is(handle, kind))
		return otherwise;
	if (--object->refs > 0)
		return CL_SUCCESS;
	fake.alive[kind]--;
	if (object->holds == 0)
		bury(object);
	return CL_SUCCESS;
}

void fake_hold(void *object)
{
	((struct object *)object)->holds++;
}

void fake_unhold(void *handle)
{
	struct object *const object = handle;

	if (object && --object->holds == 0 && object->refs == 0)
		bury(object);
}

cl_int fake_answer(const void *value, size_t bytes, size_t room, void *to, size_t *bytes_p)
{
	if (to && room < bytes)
		return CL_INVALID_VALUE;
	if (to && bytes)
		memcpy(to, value, bytes);
	if (bytes_p)
		*bytes_p = bytes;
	return CL_SUCCESS;
}

cl_int fake_answer_text(const char *text, size_t room, void *to, size_t *bytes_p)
{
	return fake_answer(text, strlen(text) + 1, room, to, bytes_p);
}
