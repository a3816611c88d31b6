/* kernel.c - kernel objects and what the driver knows of them. */
#include "cl/check.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

/* PoCL's compiler has macros for functions of OpenCL C, and so gives a kernel `step` another name. */
static bool is_renamed(const char *names, const char *name)
{
	char other[128];

	snprintf(other, sizeof other, "_cl_%s", name);
	return strstr(names, other) != NULL;
}

/* Of a program without kernels rusticl says that it is not built. */
static bool is_empty(cl_program program)
{
	size_t count = 1;

	return clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL) == CL_SUCCESS &&
	       count == 0;
}

/* `names`: those of the kernels, or NULL. */
static const char *told_of_renamed(const char *names, const char *name)
{
	return names && is_renamed(names, name)
		       ? " (a function of OpenCL C has that name: the kernel needs another)"
		       : "";
}

static het_status no_such_kernel(cl_program program, const char *name, const char *device)
{
	char *names = NULL;
	het_status status;

	if (het__cl_program_kernels(program, device, &names) == HET_ERR_MEMORY)
		return HET_ERR_MEMORY;
	if (names && !*names)
		status = het__fail_cl(HET_ERR_KERNEL, CL_INVALID_KERNEL_NAME, "clCreateKernel", device,
				      "the program has no kernel, so no '%s' either; a function is a kernel if "
				      "it begins with the word `kernel`",
				      name);
	else
		status = het__fail_cl(HET_ERR_KERNEL, CL_INVALID_KERNEL_NAME, "clCreateKernel", device,
				      "no kernel '%s' in the program%s%s%s", name, names ? ", which has: " : "",
				      names ? names : "", told_of_renamed(names, name));
	het__free(names);
	return status;
}

het_status het__cl_kernel_create(cl_program program, const char *name, const char *device, cl_kernel *kernel_p)
{
	cl_int code;
	const cl_kernel kernel = clCreateKernel(program, name, &code);

	if (code == CL_INVALID_KERNEL_NAME || (code == CL_INVALID_PROGRAM_EXECUTABLE && is_empty(program)))
		return no_such_kernel(program, name, device);
	if (code != CL_SUCCESS)
		return het__cl_failed(code, "clCreateKernel", device, "kernel '%s'", name);
	*kernel_p = kernel;
	return HET_OK;
}

void het__cl_kernel_release(cl_kernel kernel)
{
	if (kernel)
		clReleaseKernel(kernel);
}

het_status het__cl_kernel_arg_count(cl_kernel kernel, const char *device, cl_uint *count_p)
{
	cl_uint count;
	const cl_int code = clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof(count), &count, NULL);

	if (code != CL_SUCCESS)
		return het__cl_failed(code, "clGetKernelInfo", device, "number of a kernel's arguments");
	*count_p = count;
	return HET_OK;
}

/* No code of OpenCL's, which are 0 or less: the library, not the driver, had no memory. */
#define NO_MEMORY 1

/* A text about one parameter, cut to `capacity`: a longer one is a struct's and nobody compares it. */
static cl_int param_text(cl_kernel kernel, cl_uint index, cl_kernel_arg_info what, char *text, size_t capacity)
{
	size_t bytes = 0;
	cl_int code = clGetKernelArgInfo(kernel, index, what, 0, NULL, &bytes);
	char *whole;

	if (code != CL_SUCCESS)
		return code;
	whole = het__alloc_zeroed(bytes + 1, 1);
	if (!whole)
		return NO_MEMORY;
	code = clGetKernelArgInfo(kernel, index, what, bytes, whole, NULL);
	if (code == CL_SUCCESS)
		snprintf(text, capacity, "%s", whole);
	het__free(whole);
	return code;
}

/* CL_KERNEL_ARG_TYPE_PIPE, of OpenCL 2.0. */
enum { TYPE_PIPE = 1 << 3 };

/* Only images, and maybe pipes, have an access; typedefs hide the names that would tell. */
static bool has_access(cl_kernel kernel, cl_uint index)
{
	cl_kernel_arg_access_qualifier access;
	const cl_int code = clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof(access),
					       &access, NULL);

	return code == CL_SUCCESS && access != CL_KERNEL_ARG_ACCESS_NONE;
}

static cl_int param_fill(cl_kernel kernel, cl_uint index, struct het__cl_param *param)
{
	cl_kernel_arg_address_qualifier address;
	cl_kernel_arg_type_qualifier qualifier;
	cl_int code = clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof(address),
	                                 &address, NULL);

	if (code == CL_SUCCESS)
		code = clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof(qualifier),
		                          &qualifier, NULL);
	if (code == CL_SUCCESS)
		code = param_text(kernel, index, CL_KERNEL_ARG_TYPE_NAME, param->type, sizeof(param->type));
	if (code == CL_SUCCESS)
		code = param_text(kernel, index, CL_KERNEL_ARG_NAME, param->name, sizeof(param->name));
	if (code != CL_SUCCESS)
		return code;
	param->known = param->type[0] != '\0';
	param->address = address;
	param->is_const = (qualifier & CL_KERNEL_ARG_TYPE_CONST) != 0;
	param->is_object = (qualifier & TYPE_PIPE) != 0 ||
			   (!strchr(param->type, '*') && has_access(kernel, index));
	return CL_SUCCESS;
}

het_status het__cl_kernel_param(cl_kernel kernel, cl_uint index, const char *device,
                                struct het__cl_param *param)
{
	struct het__cl_param found = {.known = false};
	const cl_int code = param_fill(kernel, index, &found);

	switch (code) {
	case CL_SUCCESS:
		*param = found;
		return HET_OK;
	case CL_KERNEL_ARG_INFO_NOT_AVAILABLE:
		*param = (struct het__cl_param){.known = false};
		return HET_OK;
	case NO_MEMORY:
		return het__fail(HET_ERR_MEMORY, "no memory for the description of argument %u of a kernel",
		                 (unsigned)index + 1);
	default:
		return het__cl_failed(code, "clGetKernelArgInfo", device, "argument %u of a kernel",
		                      (unsigned)index + 1);
	}
}

static cl_int limits_fill(cl_kernel kernel, cl_device_id id, struct het__cl_kernel_limits *limits)
{
	cl_ulong local_bytes = 0;
	cl_int code = clGetKernelWorkGroupInfo(kernel, id, CL_KERNEL_WORK_GROUP_SIZE,
	                                       sizeof(limits->work_group), &limits->work_group, NULL);

	if (code == CL_SUCCESS)
		code = clGetKernelWorkGroupInfo(kernel, id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
		                                sizeof(limits->required_local), limits->required_local, NULL);
	if (code == CL_SUCCESS)
		code = clGetKernelWorkGroupInfo(kernel, id, CL_KERNEL_LOCAL_MEM_SIZE, sizeof(local_bytes),
		                                &local_bytes, NULL);
	limits->local_bytes = local_bytes;
	return code;
}

het_status het__cl_kernel_limits(cl_kernel kernel, cl_device_id id, const char *device,
                                 struct het__cl_kernel_limits *limits)
{
	struct het__cl_kernel_limits found = {.work_group = 0};
	const cl_int code = limits_fill(kernel, id, &found);

	if (code != CL_SUCCESS)
		return het__cl_failed(code, "clGetKernelWorkGroupInfo", device, "limits of a kernel");
	*limits = found;
	return HET_OK;
}
