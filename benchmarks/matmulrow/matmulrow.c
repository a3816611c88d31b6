/* matmulrow.c - MatmulRow: a matrix product, cut into bands of rows of the result. The matrices begin and end
 * in the host's memory: every device gets its rows of a and all of b. */

#include "matmulrow/matmulrow.h"

int main(int argc, char **argv)
{
	static const struct bench_version *const versions[] = {
		&matmulrow_hetero, &matmulrow_shared, &matmulrow_copying, &matmulrow_plain, NULL};
	const struct benchmark matmulrow = {
		.name = "matmulrow",
		.purpose =
			"A matrix product in double precision, each device a band of rows. 2 n^3 operations.",
		.classes = MATRIX_CLASSES,
		.versions = versions,
		.problem = matrix_problem,
		.verify = matrix_verify,
		.operations = matrix_operations,
	};

	return bench_main(&matmulrow, argc, argv);
}
