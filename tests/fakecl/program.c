/* program.c - programs: their texts, binaries and builds. */
#include <stdlib.h>
#include <string.h>

#include "fake.h"

static cl_program program_new(cl_context context, cl_uint count, const cl_device_id *devices)
{
	cl_program const program = fake_object_new(PROGRAM, sizeof *program);

	program->context = context;
	program->device_count = count;
	program->devices = fake_alloc(count * sizeof(cl_device_id));
	program->on = fake_alloc(count * sizeof *program->on);
	memcpy(program->devices, devices, count * sizeof(cl_device_id));
	for (cl_uint d = 0; d < count; d++)
		fake_hold(devices[d]);
	fake_hold(context);
	return program;
}

void fake_program_drop(cl_program program)
{
	for (cl_uint d = 0; d < program->device_count; d++) {
		free(program->on[d].options);
		free(program->on[d].binary);
		fake_unhold(program->devices[d]);
	}
	free(program->on);
	free(program->devices);
	free(program->source);
	fake_unhold(program->context);
}

int fake_program_place(cl_program program, cl_device_id device)
{
	for (cl_uint d = 0; d < program->device_count; d++)
		if (program->devices[d] == device)
			return (int)d;
	return -1;
}

/* ---- from source -------------------------------------------------------------------------------- */

static char *joined(cl_uint count, const char **texts, const size_t *lengths)
{
	size_t total = 0;
	char *source;

	for (cl_uint i = 0; i < count; i++)
		total += lengths && lengths[i] ? lengths[i] : strlen(texts[i]);
	source = fake_alloc(total + 1);
	total = 0;
	for (cl_uint i = 0; i < count; i++) {
		const size_t length = lengths && lengths[i] ? lengths[i] : strlen(texts[i]);

		memcpy(source + total, texts[i], length);
		total += length;
	}
	return source;
}

CL_API_ENTRY cl_program CL_API_CALL fake_clCreateProgramWithSource(cl_context context, cl_uint count,
								   const char **texts, const size_t *lengths,
								   cl_int *code_p)
{
	cl_program program = NULL;
	cl_int code = fake_enter(CALL_clCreateProgramWithSource);

	if (!code && !fake_is(context, CONTEXT))
		code = CL_INVALID_CONTEXT;
	for (cl_uint i = 0; i < count && !code; i++)
		code = texts && texts[i] ? CL_SUCCESS : CL_INVALID_VALUE;
	if (!code && count == 0)
		code = CL_INVALID_VALUE;
	if (!code) {
		program = program_new(context, context->device_count, context->devices);
		program->source = joined(count, texts, lengths);
	}
	return fake_leave_with(program, code, code_p);
}

/* ---- from binaries ------------------------------------------------------------------------------ */

static cl_int take_binary(struct program_on *on, const unsigned char *binary, size_t bytes)
{
	if (!binary || bytes == 0)
		return CL_INVALID_VALUE;
	if (!fake_build_of_binary(binary, bytes))
		return CL_INVALID_BINARY;
	on->binary = fake_alloc(bytes);
	on->binary_bytes = bytes;
	memcpy(on->binary, binary, bytes);
	return CL_SUCCESS;
}

static cl_int from_binaries(cl_context context, cl_uint count, const cl_device_id *devices, const size_t *bytes,
			    const unsigned char **binaries, cl_int *verdicts, cl_program *program_p)
{
	cl_int code = CL_SUCCESS;

	if (!fake_is(context, CONTEXT))
		return CL_INVALID_CONTEXT;
	if (count == 0 || !devices || !bytes || !binaries)
		return CL_INVALID_VALUE;
	for (cl_uint d = 0; d < count; d++)
		if (!fake_context_has(context, devices[d]))
			return CL_INVALID_DEVICE;
	*program_p = program_new(context, count, devices);
	for (cl_uint d = 0; d < count; d++) {
		const cl_int verdict = take_binary(&(*program_p)->on[d], binaries[d], bytes[d]);

		if (verdicts)
			verdicts[d] = verdict;
		if (verdict && !code)
			code = verdict;
	}
	if (code)
		(void)fake_release(*program_p, PROGRAM, CL_INVALID_PROGRAM);
	return code;
}

CL_API_ENTRY cl_program CL_API_CALL fake_clCreateProgramWithBinary(cl_context context, cl_uint count,
								   const cl_device_id *devices,
								   const size_t *bytes,
								   const unsigned char **binaries,
								   cl_int *verdicts, cl_int *code_p)
{
	cl_program program = NULL;
	cl_int code = fake_enter(CALL_clCreateProgramWithBinary);

	if (!code)
		code = from_binaries(context, count, devices, bytes, binaries, verdicts, &program);
	return fake_leave_with(program, code, code_p);
}

/* ---- building ----------------------------------------------------------------------------------- */

static cl_int build_on(cl_program program, int place, const char *options)
{
	struct program_on *const on = &program->on[place];
	struct build *build;

	free(on->options);
	on->options = fake_strdup(options);
	on->arg_info = strstr(options, "-cl-kernel-arg-info") != NULL;
	if (program->source && !fake_have_compiler())
		return CL_COMPILER_NOT_AVAILABLE;
	if (program->source)
		build = fake_compile(program->source, options, program->devices[place]->fp64);
	else
		build = fake_build_of_binary(on->binary, on->binary_bytes);
	if (!build)
		return CL_INVALID_BINARY;
	on->build = build;
	return build->path ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE;
}

static cl_int build(cl_program program, cl_uint count, const cl_device_id *devices, const char *options)
{
	cl_int code = CL_SUCCESS;

	if (!fake_is(program, PROGRAM))
		return CL_INVALID_PROGRAM;
	if ((count == 0) != (devices == NULL))
		return CL_INVALID_VALUE;
	if (program->kernels > 0)
		return CL_INVALID_OPERATION;
	if (!fake_options_known(options ? options : ""))
		return CL_INVALID_BUILD_OPTIONS;
	if (!devices) {
		count = program->device_count;
		devices = program->devices;
	}
	for (cl_uint d = 0; d < count && !code; d++) {
		const int place = fake_program_place(program, devices[d]);

		code = place < 0 ? CL_INVALID_DEVICE : build_on(program, place, options ? options : "");
	}
	return code;
}

CL_API_ENTRY cl_int CL_API_CALL fake_clBuildProgram(cl_program program, cl_uint count,
						    const cl_device_id *devices, const char *options,
						    void(CL_CALLBACK *notify)(cl_program, void *), void *user)
{
	cl_int code = fake_enter(CALL_clBuildProgram);

	if (!code)
		code = build(program, count, devices, options);
	fake_leave(code);
	if (notify)
		notify(program, user);
	return code;
}

/* ---- queries ------------------------------------------------------------------------------------ */

/* The first build that worked, of which kernel names are asked. */
static struct build *any_build(cl_program program)
{
	for (cl_uint d = 0; d < program->device_count; d++)
		if (program->on[d].build && program->on[d].build->path)
			return program->on[d].build;
	return NULL;
}

static cl_int kernel_names(cl_program program, size_t room, void *to, size_t *bytes_p)
{
	const struct build *const b = any_build(program);
	char names[4096] = "";

	if (!b)
		return CL_INVALID_PROGRAM_EXECUTABLE;
	for (int k = 0; k < b->kernel_count; k++) {
		if (k)
			strncat(names, ";", sizeof names - strlen(names) - 1);
		strncat(names, b->kernels[k].name, sizeof names - strlen(names) - 1);
	}
	return fake_answer_text(names, room, to, bytes_p);
}

static size_t binary_bytes(cl_program program, cl_uint d)
{
	size_t bytes = program->on[d].binary_bytes;

	if (program->on[d].build && program->on[d].build->path)
		free(fake_binary_of(program->on[d].build, &bytes));
	return bytes;
}

static cl_int binary_sizes(cl_program program, size_t room, void *to, size_t *bytes_p)
{
	size_t *const sizes = fake_alloc(program->device_count * sizeof *sizes);
	cl_int code;

	for (cl_uint d = 0; d < program->device_count; d++)
		sizes[d] = binary_bytes(program, d);
	code = fake_answer(sizes, program->device_count * sizeof *sizes, room, to, bytes_p);
	free(sizes);
	return code;
}

static cl_int binaries(cl_program program, size_t room, unsigned char **to, size_t *bytes_p)
{
	if (bytes_p)
		*bytes_p = program->device_count * sizeof(unsigned char *);
	if (to && room < program->device_count * sizeof(unsigned char *))
		return CL_INVALID_VALUE;
	for (cl_uint d = 0; to && d < program->device_count; d++) {
		const struct program_on *const on = &program->on[d];
		unsigned char *binary = on->binary;
		size_t bytes = on->binary_bytes;

		if (on->build && on->build->path)
			binary = fake_binary_of(on->build, &bytes);
		if (to[d] && bytes)
			memcpy(to[d], binary, bytes);
		if (binary != on->binary)
			free(binary);
	}
	return CL_SUCCESS;
}

static cl_int program_info(cl_program program, cl_program_info what, size_t room, void *to, size_t *bytes_p)
{
	const struct build *b;
	size_t count;

	if (!fake_is(program, PROGRAM))
		return CL_INVALID_PROGRAM;
	switch (what) {
	case CL_PROGRAM_REFERENCE_COUNT:
		return FAKE_ANSWER(program->object.refs, room, to, bytes_p);
	case CL_PROGRAM_CONTEXT:
		return FAKE_ANSWER(program->context, room, to, bytes_p);
	case CL_PROGRAM_NUM_DEVICES:
		return FAKE_ANSWER(program->device_count, room, to, bytes_p);
	case CL_PROGRAM_DEVICES:
		return fake_answer(program->devices, program->device_count * sizeof(cl_device_id), room, to,
				   bytes_p);
	case CL_PROGRAM_SOURCE:
		return fake_answer_text(program->source ? program->source : "", room, to, bytes_p);
	case CL_PROGRAM_BINARY_SIZES:
		return binary_sizes(program, room, to, bytes_p);
	case CL_PROGRAM_BINARIES:
		return binaries(program, room, to, bytes_p);
	case CL_PROGRAM_NUM_KERNELS:
		b = any_build(program);
		count = b ? (size_t)b->kernel_count : 0;
		return b ? FAKE_ANSWER(count, room, to, bytes_p) : CL_INVALID_PROGRAM_EXECUTABLE;
	case CL_PROGRAM_KERNEL_NAMES:
		return kernel_names(program, room, to, bytes_p);
	default:
		return CL_INVALID_VALUE;
	}
}

CL_API_ENTRY cl_int CL_API_CALL fake_clGetProgramInfo(cl_program program, cl_program_info what, size_t room,
						      void *to, size_t *bytes_p)
{
	cl_int code = fake_enter(CALL_clGetProgramInfo);

	return fake_leave(code ? code : program_info(program, what, room, to, bytes_p));
}

static cl_int build_info(cl_program program, cl_device_id device, cl_program_build_info what, size_t room,
			 void *to, size_t *bytes_p)
{
	const struct program_on *on;
	cl_build_status status = CL_BUILD_NONE;
	int place;

	if (!fake_is(program, PROGRAM))
		return CL_INVALID_PROGRAM;
	place = fake_program_place(program, device);
	if (place < 0)
		return CL_INVALID_DEVICE;
	on = &program->on[place];
	if (on->build)
		status = on->build->path ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
	switch (what) {
	case CL_PROGRAM_BUILD_STATUS:
		return FAKE_ANSWER(status, room, to, bytes_p);
	case CL_PROGRAM_BUILD_OPTIONS:
		return fake_answer_text(on->options ? on->options : "", room, to, bytes_p);
	case CL_PROGRAM_BUILD_LOG:
		return fake_answer_text(on->build && on->build->log ? on->build->log : "", room, to, bytes_p);
	default:
		return CL_INVALID_VALUE;
	}
}

CL_API_ENTRY cl_int CL_API_CALL fake_clGetProgramBuildInfo(cl_program program, cl_device_id device,
							   cl_program_build_info what, size_t room, void *to,
							   size_t *bytes_p)
{
	cl_int code = fake_enter(CALL_clGetProgramBuildInfo);

	return fake_leave(code ? code : build_info(program, device, what, room, to, bytes_p));
}

CL_API_ENTRY cl_int CL_API_CALL fake_clRetainProgram(cl_program program)
{
	cl_int code = fake_enter(CALL_clRetainProgram);

	return fake_leave(code ? code : fake_retain(program, PROGRAM, CL_INVALID_PROGRAM));
}

CL_API_ENTRY cl_int CL_API_CALL fake_clReleaseProgram(cl_program program)
{
	cl_int code = fake_enter(CALL_clReleaseProgram);

	return fake_leave(code ? code : fake_release(program, PROGRAM, CL_INVALID_PROGRAM));
}
