/* matmulrow.c - MatmulRow: a matrix product, cut into bands of rows of the result. The matrices begin and end
 * in the host's memory: every device gets its rows of a and all of b. */

#include "matmulrow/matmulrow.h"

int main(int argc, char **argv)
{
	static struct bench_version versions[5];
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

	versions[0] = matmulrow_hetero;
	versions[1] = matmulrow_shared;
	versions[2] = matmulrow_copying;
	versions[3] = matmulrow_plain;
	return bench_main(&matmulrow, argc, argv);
}
