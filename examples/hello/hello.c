/* hello.c - every device doubles its part of an array. */
#include "../must.h"
#include "../printed.h"

int main(void)
{
	static const char text[] = "kernel void twice(global int *x) { x[get_global_id(0)] *= 2; }";
	int numbers[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
	het_system *system;
	het_array *x;
	het_kernel *twice;

	must(het_open(NULL, &system));
	must(het_array_wrap(system, HET_INT, het_shape(1, 12), numbers, &x));
	must(het_kernel_from_source(system, text, "twice", NULL, &twice));
	for (int d = 0, count = het_device_count(system); d < count; d++) {
		const int lo = 12 * d / count, hi = 12 * (d + 1) / count;
		must(het_launch(twice, het_device(system, d), het_range(1, lo, hi),
				HET_INOUT_PART(x, het_rows(lo, hi))));
	}
	must(het_array_free(x)); /* waits, and brings the numbers home */
	for (int i = 0; i < 12; i++)
		printf("%d%c", numbers[i], i < 11 ? ' ' : '\n');
	must(het_close(system));
	return printed("hello", EXIT_SUCCESS);
}
