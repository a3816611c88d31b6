/* blas.c - the same product by CLBlast, as a task of Hetero's. */
#include "blas.h"

#ifndef HAVE_CLBLAST

int blas_is_there(void)
{
	return 0;
}

het_status blas_product(het_device *device, het_array *c, het_array *a, het_array *b, int lo, int hi)
{
	(void)device, (void)c, (void)a, (void)b, (void)lo, (void)hi;
	return HET_ERR_UNSUPPORTED;
}

#else

#include <hetero/opencl.h>
#include <clblast_c.h>
#include <stdio.h>
#include <stdlib.h>

int blas_is_there(void)
{
	return 1;
}

struct sizes {
	size_t rows, p, n;
};

/* Hetero calls this once the data are on the device: `queue` is in order behind everything they depend on, so
 * that the wait list need not be passed on. at->buffers are the arrays of het_native below, in its order. */
static het_status multiply(void *user, const struct het_native_info *at)
{
	const struct sizes s = *(struct sizes *)user;
	cl_command_queue queue = at->queue;
	const CLBlastStatusCode code = CLBlastSgemm(
		CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo, s.rows, s.n, s.p, 1.0f,
		at->buffers[1], at->offset_elements[1], s.p, at->buffers[2], at->offset_elements[2], s.n, 0.0f,
		at->buffers[0], at->offset_elements[0], s.n, &queue, at->event_p);

	free(user);
	if (code == CLBlastSuccess)
		return HET_OK;
	fprintf(stderr, "CLBlast: error %d\n", (int)code);
	return HET_ERR_DEVICE;
}

het_status blas_product(het_device *device, het_array *c, het_array *a, het_array *b, int lo, int hi)
{
	struct het_array_info info = HET_ARRAY_INFO_INIT;
	struct sizes *const s = malloc(sizeof *s);
	het_status st = s ? het_array_info(b, &info) : HET_ERR_MEMORY;

	if (!st) {
		*s = (struct sizes){(size_t)(hi - lo), (size_t)info.shape.extent[0],
				    (size_t)info.shape.extent[1]};
		st = het_native(device, multiply, s, HET_OUT_PART(c, het_rows(lo, hi)),
				HET_IN_PART(a, het_rows(lo, hi)), HET_IN(b));
	}
	if (st)
		free(s);
	return st;
}

#endif
