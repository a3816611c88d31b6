/* held_launches.c - for tests/flat_launches.sh: so many launches that wait, one for the other, behind a
 * function of the host. */
#include <hetero.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "examples/must.h"

static const char text[] = "kernel void bump(global int *x) { x[get_global_id(0)]++; }";

static het_status wait_until_told(void *told, int count, const struct het_host_arg *arg)
{
	(void)count;
	(void)arg;
	while (!atomic_load((atomic_int *)told))
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	return HET_OK;
}

int main(int argc, char **argv)
{
	const int launches = argc > 1 ? atoi(argv[1]) : 1;
	atomic_int told = 0;
	het_system *system;
	het_array *array;
	het_kernel *bump;

	must(het_open(NULL, &system));
	must(het_array_new(system, HET_INT, het_shape(1, 16), &array));
	must(het_kernel_from_source(system, text, "bump", NULL, &bump));
	must(het_launch(bump, het_device(system, 0), het_grid(1, 16), HET_INOUT(array)));
	must(het_call(system, wait_until_told, &told, HET_INOUT(array)));
	for (int i = 0; i < launches; i++)
		must(het_launch(bump, het_device(system, 0), het_grid(1, 16), HET_INOUT(array)));
	atomic_store(&told, 1);
	must(het_wait(array));
	return het_close(system);
}
