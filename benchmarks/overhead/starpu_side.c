/* starpu_side.c - StarPU's side of what the comparisons share. */
#include "overhead/starpu_side.h"

#include <stdio.h>
#include <stdlib.h>

static struct starpu_opencl_program program;

void give_up(int code, const char *call)
{
	if (code == 0)
		return;
	fprintf(stderr, "starpu: %s returned %d\n", call, code);
	exit(1);
}

void starpu_side_open(const char *source)
{
	struct starpu_conf conf;
	int code;

	give_up(starpu_conf_init(&conf), "starpu_conf_init");
	conf.ncpus = 0;
	conf.ncuda = 0;
	conf.nopencl = 2;
	code = starpu_init(&conf);
	if (code == 0 && starpu_opencl_worker_get_count() == 2) {
		if (source) {
			give_up(starpu_opencl_load_opencl_from_string(source, &program, ""),
				"loading the kernels");
			starpu_pause();
		}
		return;
	}
	fprintf(stderr, "starpu: StarPU finds %u of two OpenCL devices\n",
		code == 0 ? starpu_opencl_worker_get_count() : 0);
	exit(77);
}

void starpu_side_close(void)
{
	starpu_resume();
	starpu_opencl_unload_opencl(&program);
	starpu_shutdown();
}

int starpu_side_worker(int device)
{
	int worker[2] = {0, 0};

	starpu_worker_get_ids_by_type(STARPU_OPENCL_WORKER, worker, 2);
	return worker[device];
}

struct starpu_launch starpu_side_kernel(const char *name)
{
	struct starpu_launch launch;

	give_up(starpu_opencl_load_kernel(&launch.kernel, &launch.queue, &program, name,
					  starpu_worker_get_devid(starpu_worker_get_id())),
		"starpu_opencl_load_kernel");
	return launch;
}

void starpu_side_arg(const struct starpu_launch *launch, cl_uint index, size_t bytes, const void *value)
{
	give_up(clSetKernelArg(launch->kernel, index, bytes, value), "clSetKernelArg");
}

void starpu_side_launch(const struct starpu_launch *launch, cl_uint rank, const size_t *global,
			const size_t *local)
{
	give_up(clEnqueueNDRangeKernel(launch->queue, launch->kernel, rank, NULL, global, local, 0, NULL, NULL),
		"clEnqueueNDRangeKernel");
	give_up(starpu_opencl_release_kernel(launch->kernel), "starpu_opencl_release_kernel");
}

static void nothing(void *user)
{
	(void)user;
}

struct side hetero_side(void (*start)(void *user), void *user)
{
	return side_of(start, nothing, user);
}

struct side starpu_side(void (*start)(void *user), void *user)
{
	return (struct side){start, nothing, user, starpu_resume, starpu_pause};
}
