/* stepocl_field.c - fields of floats for tests/stepocl.sh: makes them, does what the kernels do in plain C,
 * compares.
 *     stepocl_field steady NX NY FILE            cosh(b x) cos(a y), which a mean over x -+ 10, y -+ 1 keeps
 *     stepocl_field sweep NX NY RX RY N IN OUT   N times the mean of the elements RX to the left and right, RY
 *                                                above and below; a border of that width stays
 *     stepocl_field near FILE FILE TOLERANCE     do the elements differ by less?
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *what)
{
	fprintf(stderr, "stepocl_field: %s\n", what);
	exit(EXIT_FAILURE);
}

static float *allocated(size_t count)
{
	float *const field = malloc(count * sizeof *field);

	if (!field)
		fail("no memory");
	return field;
}

static float *read_field(const char *path, size_t *count_p)
{
	FILE *const file = fopen(path, "rb");
	float *field;

	if (!file || fseek(file, 0, SEEK_END) != 0)
		fail(path);
	*count_p = (size_t)ftell(file) / sizeof *field;
	rewind(file);
	field = allocated(*count_p);
	if (fread(field, sizeof *field, *count_p, file) != *count_p)
		fail(path);
	fclose(file);
	return field;
}

static void write_field(const char *path, const float *field, size_t count)
{
	FILE *const file = fopen(path, "wb");

	if (!file || fwrite(field, sizeof *field, count, file) != count || fclose(file) != 0)
		fail(path);
}

static void steady(long nx, long ny, const char *path)
{
	const double a = acos(-1) / 512, b = 6.13590390040835e-4; /* cosh(10 b) + cos(a) = 2 */
	float *const field = allocated((size_t)(nx * ny));

	for (long y = 0; y < ny; y++)
		for (long x = 0; x < nx; x++)
			field[y * nx + x] = (float)(cosh(b * (double)x) * cos(a * (double)y));
	write_field(path, field, (size_t)(nx * ny));
	free(field);
}

static void sweep(const long *n, const char *from, const char *to)
{
	const long nx = n[0], ny = n[1], rx = n[2], ry = n[3] * nx;
	size_t count;
	float *now = read_field(from, &count), *next = allocated(count);

	memcpy(next, now, count * sizeof *now);
	for (long i = 0; i < n[4]; i++) {
		float *const other = now;
		for (long y = n[3]; y < ny - n[3]; y++)
			for (long x = rx; x < nx - rx; x++) {
				const float *const at = &now[y * nx + x];
				next[y * nx + x] = 0.25f * (at[-rx] + at[rx] + at[-ry] + at[ry]);
			}
		now = next;
		next = other;
	}
	write_field(to, now, count);
	free(now);
	free(next);
}

static int near(const char *one, const char *other, double tolerance)
{
	size_t count, others;
	float *const a = read_field(one, &count), *const b = read_field(other, &others);
	double worst = count == others ? 0 : INFINITY;

	for (size_t i = 0; i < count && i < others; i++)
		worst = fmax(worst, fabs((double)a[i] - (double)b[i]));
	printf("%g\n", worst);
	free(a);
	free(b);
	return worst < tolerance ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
	long n[5] = {0};

	for (int i = 0; i < 5 && i + 2 < argc; i++)
		n[i] = strtol(argv[i + 2], NULL, 10);
	if (argc == 5 && strcmp(argv[1], "steady") == 0)
		return steady(n[0], n[1], argv[4]), EXIT_SUCCESS;
	if (argc == 9 && strcmp(argv[1], "sweep") == 0)
		return sweep(n, argv[7], argv[8]), EXIT_SUCCESS;
	if (argc == 5 && strcmp(argv[1], "near") == 0)
		return near(argv[2], argv[3], strtod(argv[4], NULL));
	fail("wrong usage");
	return EXIT_FAILURE;
}
