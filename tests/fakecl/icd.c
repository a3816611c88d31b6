/* icd.c - how the loader finds the driver, and the beginning and end of every call. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

struct fake fake = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.changed = PTHREAD_COND_INITIALIZER,
	.order = ORDER_LATE,
	.random = 1,
	.polls = 4,
	.patience_ms = 5000,
};

#define NAME(call) [CALL_##call] = #call,
const char *const fake_call_names[FAKE_CALL_COUNT] = {FAKE_CALLS(NAME) FAKE_REFUSED(NAME)
							      FAKE_REFUSED_OBJECTS(NAME)};
#undef NAME

/* ---- every call --------------------------------------------------------------------------------- */

/* The caller's own time passes, not the driver's. */
static void pause_call(void)
{
	const long us = fake_random_delay();

	pthread_mutex_unlock(&fake.lock);
	fake_let_pass(us);
	pthread_mutex_lock(&fake.lock);
}

cl_int fake_enter(enum fake_call call)
{
	pthread_mutex_lock(&fake.lock);
	if (fake.delay_us)
		pause_call();
	fake_set_call(call);
	fake.calls[call]++;
	return fake.call_faults[call] ? fake_fault_due(&fake.call_faults[call]) : CL_SUCCESS;
}

cl_int fake_leave(cl_int code)
{
	pthread_mutex_unlock(&fake.lock);
	return code;
}

void *fake_leave_with(void *object, cl_int code, cl_int *code_p)
{
	pthread_mutex_unlock(&fake.lock);
	if (code_p)
		*code_p = code;
	return code == CL_SUCCESS ? object : NULL;
}

/* ---- calls that are refused --------------------------------------------------------------------- */

static void refuse(enum fake_call call)
{
	(void)fake_enter(call);
	fprintf(stderr, "fakecl: %s is not a call that this driver carries out\n", fake_call_names[call]);
	fake_leave(CL_SUCCESS);
}

#define REFUSE(call)                                                                                           \
	static cl_int refused_##call(void)                                                                     \
	{                                                                                                      \
		refuse(CALL_##call);                                                                           \
		return CL_INVALID_OPERATION;                                                                   \
	}
#define REFUSE_OBJECT(call)                                                                                    \
	static void *refused_##call(void)                                                                      \
	{                                                                                                      \
		refuse(CALL_##call);                                                                           \
		return NULL;                                                                                   \
	}
FAKE_REFUSED(REFUSE)
FAKE_REFUSED_OBJECTS(REFUSE_OBJECT)

#define CARRIED_OUT(call) .call = fake_##call,
#define NOT_CARRIED_OUT(call) .call = (__typeof__(((cl_icd_dispatch *)0)->call))(void (*)(void))refused_##call,
const cl_icd_dispatch fake_dispatch = {FAKE_CALLS(CARRIED_OUT) FAKE_REFUSED(NOT_CARRIED_OUT)
					       FAKE_REFUSED_OBJECTS(NOT_CARRIED_OUT)};

/* ---- what the loader looks up ------------------------------------------------------------------- */

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void begin(void)
{
	const char *const path = getenv("FAKECL_MACHINE"), *const null = getenv("FAKECL_NULL");

	if (null && strcmp(null, "1") == 0)
		fake_null_begin();
	if (!path || !*path)
		fprintf(stderr, "fakecl: FAKECL_MACHINE names no machine file: no platforms\n");
	else if (!fake_machine_read(path))
		fake.platform_count = 0;
	fake_read_environment();
	if (getenv("FAKECL_REPORT"))
		atexit(fake_report);
}

static cl_int list_platforms(cl_uint room, cl_platform_id *platforms, cl_uint *count_p)
{
	pthread_once(&once, begin);
	if ((!platforms && !count_p) || (platforms && room == 0))
		return CL_INVALID_VALUE;
	if (count_p)
		*count_p = (cl_uint)fake.platform_count;
	for (cl_uint i = 0; platforms && i < room && i < (cl_uint)fake.platform_count; i++)
		platforms[i] = fake.platforms[i];
	return fake.platform_count > 0 ? CL_SUCCESS : CL_PLATFORM_NOT_FOUND_KHR;
}

CL_API_ENTRY cl_int CL_API_CALL fake_clGetPlatformIDs(cl_uint room, cl_platform_id *platforms, cl_uint *count_p)
{
	return list_platforms(room, platforms, count_p);
}

/* Functions pass as void * through OpenCL; ISO C has no cast for that. */
static void *as_pointer(void (*function)(void))
{
	void *pointer;

	memcpy(&pointer, &function, sizeof pointer);
	return pointer;
}

CL_API_ENTRY void *CL_API_CALL fake_clGetExtensionFunctionAddress(const char *name)
{
	if (strcmp(name, "clIcdGetPlatformIDsKHR") == 0)
		return as_pointer((void (*)(void))fake_clGetPlatformIDs);
	if (strcmp(name, "clGetPlatformInfo") == 0)
		return as_pointer((void (*)(void))fake_clGetPlatformInfo);
	if (strcmp(name, "fakecl_control") == 0)
		return as_pointer((void (*)(void))fakecl_control);
	return NULL;
}

CL_API_ENTRY void *CL_API_CALL fake_clGetExtensionFunctionAddressForPlatform(cl_platform_id platform,
									     const char *name)
{
	return fake_is(platform, PLATFORM) ? fake_clGetExtensionFunctionAddress(name) : NULL;
}

/* The exported names. */
CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint room, cl_platform_id *platforms,
						       cl_uint *count_p);
CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddress(const char *name);

CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint room, cl_platform_id *platforms,
						       cl_uint *count_p)
{
	return list_platforms(room, platforms, count_p);
}

CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
	return fake_clGetExtensionFunctionAddress(name);
}
