/* fit.c - do the kernel's parameters have the types that the description says? Numbers are the library's to
 * check. */
#include "run.h"

#include "base/type.h"
#include "calibrate/tool.h"
#include "kernel/kernel.h"

/* A kernel may take elements several at a time (float4 *, float (*)[4]; three have the room of four), and with
 * or without their sign. */
static bool is_alike(het_type described, het_type parameter)
{
	const het_type taken = het__type_in_rows(parameter);
	const size_t bytes = HET_TYPE_BYTES(taken) / (HET_TYPE_LANES(taken) == 3 ? 4 : HET_TYPE_LANES(taken));
	const bool is_real = HET_TYPE_BASE(taken) == HET_BASE_REAL;

	return HET_TYPE_BYTES(described) == bytes && (HET_TYPE_BASE(described) == HET_BASE_REAL) == is_real;
}

bool job_fits(const struct job *job, const het_kernel *kernel, const het_device *device)
{
	const struct het__kernel_on *const on = het__kernel_built(kernel, device);
	const struct description *const d = job->description;

	for (int i = 0; on && i < d->arguments && i < on->signature->count; i++) {
		const struct argument *const argument = &d->argument[i];
		const struct het__param *const param = &on->signature->param[i];

		/* a struct's or a typedef's name says nothing */
		if (!argument->is_memory || !param->type || is_alike(argument->type->het, param->type))
			continue;
		fprintf(stderr, "%s: %s:%d: '%s' is of type %s, but argument %d of kernel %s is %s %s\n",
			program, job->path, argument->line, argument->name, argument->type->name, i,
			d->function, param->type_name, param->name);
		return false;
	}
	return true;
}
