/* kernel.c - kernels, their arguments and their launches. */
#include <stdlib.h>
#include <string.h>

#include "fake.h"

static const struct kernel_info *find_kernel(const struct build *build, const char *name)
{
	for (int k = 0; build && build->path && k < build->kernel_count; k++)
		if (strcmp(build->kernels[k].name, name) == 0)
			return &build->kernels[k];
	return NULL;
}

const struct kernel_info *fake_kernel_on(cl_kernel kernel, cl_device_id device, struct build **build_p)
{
	const int place = fake_program_place(kernel->program, device);

	if (place < 0)
		return NULL;
	*build_p = kernel->program->on[place].build;
	return find_kernel(*build_p, kernel->name);
}

/* ---- making ------------------------------------------------------------------------------------- */

static cl_int create(cl_program program, const char *name, cl_kernel *kernel_p)
{
	const struct kernel_info *info = NULL;
	bool built = false;
	cl_kernel kernel;

	if (!fake_is(program, PROGRAM))
		return CL_INVALID_PROGRAM;
	if (!name)
		return CL_INVALID_VALUE;
	for (cl_uint d = 0; d < program->device_count && !info; d++) {
		info = find_kernel(program->on[d].build, name);
		built |= program->on[d].build && program->on[d].build->path;
	}
	if (!info)
		return built ? CL_INVALID_KERNEL_NAME : CL_INVALID_PROGRAM_EXECUTABLE;
	kernel = fake_object_new(KERNEL, sizeof *kernel);
	kernel->program = program;
	kernel->name = fake_strdup(name);
	kernel->param_count = info->param_count;
	kernel->args = fake_alloc((size_t)info->param_count * sizeof *kernel->args);
	program->kernels++;
	fake_hold(program);
	*kernel_p = kernel;
	return CL_SUCCESS;
}

CL_API_ENTRY cl_kernel CL_API_CALL fake_clCreateKernel(cl_program program, const char *name, cl_int *code_p)
{
	cl_kernel kernel = NULL;
	cl_int code = fake_enter(CALL_clCreateKernel);

	if (!code)
		code = create(program, name, &kernel);
	return fake_leave_with(kernel, code, code_p);
}

static void clear_arg(struct arg *arg)
{
	if (arg->mem)
		fake_unhold(arg->mem);
	free(arg->value);
	*arg = (struct arg){.what = ARG_UNSET};
}

void fake_kernel_drop(cl_kernel kernel)
{
	for (int i = 0; i < kernel->param_count; i++)
		clear_arg(&kernel->args[i]);
	free(kernel->args);
	free(kernel->name);
	kernel->program->kernels--;
	fake_unhold(kernel->program);
}

CL_API_ENTRY cl_int CL_API_CALL fake_clRetainKernel(cl_kernel kernel)
{
	cl_int code = fake_enter(CALL_clRetainKernel);

	return fake_leave(code ? code : fake_retain(kernel, KERNEL, CL_INVALID_KERNEL));
}

CL_API_ENTRY cl_int CL_API_CALL fake_clReleaseKernel(cl_kernel kernel)
{
	cl_int code = fake_enter(CALL_clReleaseKernel);

	return fake_leave(code ? code : fake_release(kernel, KERNEL, CL_INVALID_KERNEL));
}

/* ---- arguments ---------------------------------------------------------------------------------- */

/* Parameters are those of any device: the same source has the same. */
static const struct param *param_of(cl_kernel kernel, cl_uint index)
{
	const struct kernel_info *info = NULL;

	for (cl_uint d = 0; d < kernel->program->device_count && !info; d++)
		info = find_kernel(kernel->program->on[d].build, kernel->name);
	return info ? &info->params[index] : NULL;
}

static unsigned char *copy_value(const void *value, size_t bytes)
{
	unsigned char *const copy = aligned_alloc(128, (bytes + 127) / 128 * 128);

	if (!copy)
		abort();
	return memcpy(copy, value, bytes);
}

static cl_int check_mem_arg(cl_kernel kernel, const void *value, cl_mem *mem_p)
{
	if (!value)
		return CL_SUCCESS;
	memcpy(mem_p, value, sizeof *mem_p);
	if (*mem_p && (!fake_is(*mem_p, MEM) || (*mem_p)->context != kernel->program->context))
		return CL_INVALID_MEM_OBJECT;
	return CL_SUCCESS;
}

static cl_int set_arg(cl_kernel kernel, cl_uint index, size_t bytes, const void *value)
{
	const struct param *param;
	struct arg arg = {.bytes = bytes};
	cl_int code = CL_SUCCESS;

	if (!fake_is(kernel, KERNEL))
		return CL_INVALID_KERNEL;
	if (index >= (cl_uint)kernel->param_count)
		return CL_INVALID_ARG_INDEX;
	param = param_of(kernel, index);
	if (param->address == CL_KERNEL_ARG_ADDRESS_LOCAL) {
		arg.what = ARG_LOCAL;
		code = value ? CL_INVALID_ARG_VALUE : bytes == 0 ? CL_INVALID_ARG_SIZE : CL_SUCCESS;
	} else if (param->address == CL_KERNEL_ARG_ADDRESS_PRIVATE) {
		arg.what = ARG_VALUE;
		code = !value ? CL_INVALID_ARG_VALUE : bytes != param->bytes ? CL_INVALID_ARG_SIZE : CL_SUCCESS;
	} else {
		arg.what = ARG_MEM;
		code = bytes != sizeof(cl_mem) ? CL_INVALID_ARG_SIZE : check_mem_arg(kernel, value, &arg.mem);
	}
	if (code)
		return code;
	if (arg.what == ARG_VALUE)
		arg.value = copy_value(value, bytes);
	if (arg.mem)
		fake_hold(arg.mem);
	clear_arg(&kernel->args[index]);
	kernel->args[index] = arg;
	return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL fake_clSetKernelArg(cl_kernel kernel, cl_uint index, size_t bytes,
						    const void *value)
{
	cl_int code = fake_enter(CALL_clSetKernelArg);

	return fake_leave(code ? code : set_arg(kernel, index, bytes, value));
}

/* ---- launches ----------------------------------------------------------------------------------- */

static cl_int check_args(cl_kernel kernel, cl_device_id device)
{
	cl_ulong local_bytes = 0;

	for (int i = 0; i < kernel->param_count; i++) {
		const struct arg *const arg = &kernel->args[i];
		cl_int code = CL_SUCCESS;

		if (arg->what == ARG_UNSET)
			return CL_INVALID_KERNEL_ARGS;
		if (arg->mem)
			code = fake_is(arg->mem, MEM) ? fake_mem_use(arg->mem, device, false)
						      : CL_INVALID_KERNEL_ARGS;
		if (code)
			return code;
		if (arg->what == ARG_LOCAL)
			local_bytes += arg->bytes;
	}
	return local_bytes > device->local_bytes ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

/* A work-group size of the driver's choice: as many of the first dimension as divide it, up to 16. */
static void choose_local(const struct kernel_info *info, struct range *r)
{
	for (size_t n = 16; n > 1 && r->local[0] == 1; n--)
		if (r->global[0] % n == 0)
			r->local[0] = n;
	if (info->required[0])
		memcpy(r->local, info->required, sizeof r->local);
}

static cl_int check_groups(const struct kernel_info *info, cl_device_id device, const struct range *r)
{
	if (r->local[0] * r->local[1] * r->local[2] > device->max_group)
		return CL_INVALID_WORK_GROUP_SIZE;
	for (unsigned d = 0; d < 3; d++) {
		if (r->local[d] == 0 || r->global[d] % r->local[d])
			return CL_INVALID_WORK_GROUP_SIZE;
		if (r->local[d] > device->max_group)
			return CL_INVALID_WORK_ITEM_SIZE;
		if (info->required[0] && r->local[d] != info->required[d])
			return CL_INVALID_WORK_GROUP_SIZE;
	}
	return CL_SUCCESS;
}

static cl_int set_range(const struct kernel_info *info, cl_device_id device, cl_uint rank, const size_t *offset,
			const size_t *global, const size_t *local, struct range *r)
{
	if (rank < 1 || rank > 3)
		return CL_INVALID_WORK_DIMENSION;
	if (!global)
		return CL_INVALID_GLOBAL_WORK_SIZE;
	*r = (struct range){.rank = rank, .backwards = fake.order == ORDER_LATE};
	for (unsigned d = 0; d < 3; d++) {
		r->global[d] = d < rank ? global[d] : 1;
		r->offset[d] = offset && d < rank ? offset[d] : 0;
		r->local[d] = local && d < rank ? local[d] : 1;
		if (r->global[d] == 0)
			return CL_INVALID_GLOBAL_WORK_SIZE;
		if (r->offset[d] > SIZE_MAX - r->global[d])
			return CL_INVALID_GLOBAL_OFFSET;
	}
	if (!local)
		choose_local(info, r);
	return check_groups(info, device, r);
}

static struct arg *copy_args(cl_kernel kernel)
{
	struct arg *const args = fake_alloc((size_t)kernel->param_count * sizeof *args);

	for (int i = 0; i < kernel->param_count; i++) {
		args[i] = kernel->args[i];
		if (args[i].mem)
			fake_hold(args[i].mem);
		if (args[i].value)
			args[i].value = copy_value(args[i].value, args[i].bytes);
	}
	return args;
}

/* What clEnqueueNDRangeKernel is given about the launch itself. */
struct shape {
	cl_uint rank;
	const size_t *offset, *global, *local;
};

static cl_int launch(cl_command_queue queue, cl_kernel kernel, const struct shape *shape, cl_uint count,
		     const cl_event *waits, cl_event *event_p)
{
	const struct kernel_info *info;
	struct build *build = NULL;
	struct range range;
	cl_event command;
	cl_int code = fake_check_queue(queue, count, waits);

	if (code)
		return code;
	if (!fake_is(kernel, KERNEL))
		return CL_INVALID_KERNEL;
	if (kernel->program->context != queue->context)
		return CL_INVALID_CONTEXT;
	info = fake_kernel_on(kernel, queue->device, &build);
	if (!info)
		return CL_INVALID_PROGRAM_EXECUTABLE;
	code = check_args(kernel, queue->device);
	if (!code)
		code = set_range(info, queue->device, shape->rank, shape->offset, shape->global, shape->local,
				 &range);
	if (code)
		return code;
	command = fake_event_new(queue->context, queue, CL_COMMAND_NDRANGE_KERNEL, RUN_NDRANGE);
	command->work.launch = (struct launch){.kernel = kernel, .args = copy_args(kernel), .range = range};
	fake_hold(kernel);
	return fake_enqueue(command, count, waits, false, event_p);
}

CL_API_ENTRY cl_int CL_API_CALL fake_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel,
							    cl_uint rank, const size_t *offset,
							    const size_t *global, const size_t *local,
							    cl_uint count, const cl_event *waits,
							    cl_event *event_p)
{
	const struct shape shape = {rank, offset, global, local};
	cl_int code = fake_enter(CALL_clEnqueueNDRangeKernel);

	return fake_leave(code ? code : launch(queue, kernel, &shape, count, waits, event_p));
}

/* ---- queries ------------------------------------------------------------------------------------ */

static cl_int kernel_info(cl_kernel kernel, cl_kernel_info what, size_t room, void *to, size_t *bytes_p)
{
	const cl_uint count = kernel ? (cl_uint)kernel->param_count : 0;

	if (!fake_is(kernel, KERNEL))
		return CL_INVALID_KERNEL;
	switch (what) {
	case CL_KERNEL_FUNCTION_NAME:
		return fake_answer_text(kernel->name, room, to, bytes_p);
	case CL_KERNEL_NUM_ARGS:
		return FAKE_ANSWER(count, room, to, bytes_p);
	case CL_KERNEL_REFERENCE_COUNT:
		return FAKE_ANSWER(kernel->object.refs, room, to, bytes_p);
	case CL_KERNEL_CONTEXT:
		return FAKE_ANSWER(kernel->program->context, room, to, bytes_p);
	case CL_KERNEL_PROGRAM:
		return FAKE_ANSWER(kernel->program, room, to, bytes_p);
	default:
		return CL_INVALID_VALUE;
	}
}

CL_API_ENTRY cl_int CL_API_CALL fake_clGetKernelInfo(cl_kernel kernel, cl_kernel_info what, size_t room,
						     void *to, size_t *bytes_p)
{
	cl_int code = fake_enter(CALL_clGetKernelInfo);

	return fake_leave(code ? code : kernel_info(kernel, what, room, to, bytes_p));
}

/* Only for programs that were built with -cl-kernel-arg-info this time, also those from binaries. */
static bool has_arg_info(cl_kernel kernel)
{
	for (cl_uint d = 0; d < kernel->program->device_count; d++)
		if (kernel->program->on[d].build && kernel->program->on[d].arg_info)
			return true;
	return false;
}

static cl_int arg_info(cl_kernel kernel, cl_uint index, cl_kernel_arg_info what, size_t room, void *to,
		       size_t *bytes_p)
{
	const cl_kernel_arg_access_qualifier access = CL_KERNEL_ARG_ACCESS_NONE;
	const struct param *param;

	if (!fake_is(kernel, KERNEL))
		return CL_INVALID_KERNEL;
	if (index >= (cl_uint)kernel->param_count)
		return CL_INVALID_ARG_INDEX;
	if (!has_arg_info(kernel))
		return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
	param = param_of(kernel, index);
	switch (what) {
	case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
		return FAKE_ANSWER(param->address, room, to, bytes_p);
	case CL_KERNEL_ARG_ACCESS_QUALIFIER:
		return FAKE_ANSWER(access, room, to, bytes_p);
	case CL_KERNEL_ARG_TYPE_QUALIFIER:
		return FAKE_ANSWER(param->qualifier, room, to, bytes_p);
	case CL_KERNEL_ARG_TYPE_NAME:
		return fake_answer_text(param->type, room, to, bytes_p);
	case CL_KERNEL_ARG_NAME:
		return fake_answer_text(param->name, room, to, bytes_p);
	default:
		return CL_INVALID_VALUE;
	}
}

CL_API_ENTRY cl_int CL_API_CALL fake_clGetKernelArgInfo(cl_kernel kernel, cl_uint index,
							cl_kernel_arg_info what, size_t room, void *to,
							size_t *bytes_p)
{
	cl_int code = fake_enter(CALL_clGetKernelArgInfo);

	return fake_leave(code ? code : arg_info(kernel, index, what, room, to, bytes_p));
}

static cl_int group_info(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what, size_t room,
			 void *to, size_t *bytes_p)
{
	const struct kernel_info *info;
	struct build *build = NULL;
	const size_t multiple = 1;
	const cl_ulong none = 0;

	if (!fake_is(kernel, KERNEL))
		return CL_INVALID_KERNEL;
	if (!device && kernel->program->device_count == 1)
		device = kernel->program->devices[0];
	info = device ? fake_kernel_on(kernel, device, &build) : NULL;
	if (!info)
		return CL_INVALID_DEVICE;
	switch (what) {
	case CL_KERNEL_WORK_GROUP_SIZE:
		return FAKE_ANSWER(device->max_group, room, to, bytes_p);
	case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
		return FAKE_ANSWER(info->required, room, to, bytes_p);
	case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
		return FAKE_ANSWER(multiple, room, to, bytes_p);
	case CL_KERNEL_LOCAL_MEM_SIZE:
	case CL_KERNEL_PRIVATE_MEM_SIZE:
		return FAKE_ANSWER(none, room, to, bytes_p);
	default:
		return CL_INVALID_VALUE;
	}
}

CL_API_ENTRY cl_int CL_API_CALL fake_clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
							      cl_kernel_work_group_info what, size_t room,
							      void *to, size_t *bytes_p)
{
	cl_int code = fake_enter(CALL_clGetKernelWorkGroupInfo);

	return fake_leave(code ? code : group_info(kernel, device, what, room, to, bytes_p));
}
