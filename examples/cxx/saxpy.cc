// saxpy.cc - Hetero from C++: y = a x + y, by all devices. The names are those of C; arguments of any number
// go through templates.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <hetero.h>

#include "../printed.h"

namespace
{

const char text[] = "kernel void saxpy(global float *y, global const float *x, float a)"
		    "{ size_t i = get_global_id(0); y[i] += a * x[i]; }";

const char help[] = "usage: saxpy\n\n"
		    "Adds half of 100000 numbers to others on every OpenCL device, or those of\n"
		    "$HETERO_DEVICES, and checks the sums.\n\n"
		    "Exit status: 0 verified; 1 something failed or is wrong; 2 wrong usage.\n";

// It has no option but one.
int answer(const char *word)
{
	if (std::strcmp(word, "--help") == 0 || std::strcmp(word, "-h") == 0) {
		std::fputs(help, stdout);
		return printed("saxpy", EXIT_SUCCESS);
	}
	std::fprintf(stderr, "saxpy: \"%s\" is not an option; see saxpy --help\n", word);
	return 2;
}

void must(het_status status)
{
	if (status == HET_OK)
		return;
	std::fprintf(stderr, "%s\n", het_message());
	std::exit(EXIT_FAILURE);
}

void run(het_system *system, het_kernel *saxpy, het_array *y, het_array *x, float a, int size)
{
	const int count = het_device_count(system);
	for (int d = 0; d < count; d++) {
		const int lo = static_cast<int>(1LL * size * d / count);
		const int hi = static_cast<int>(1LL * size * (d + 1) / count);
		const struct het_box part = het_rows(lo, hi);
		must(het_launch(saxpy, het_device(system, d), het_range(1, lo, hi), HET_INOUT_PART(y, part),
		                HET_IN_PART(x, part), HET_VAL(a)));
	}
}

} // namespace

int main(int argc, char **argv)
{
	if (argc > 1)
		return answer(argv[1]);

	const int size = 100000;
	std::vector<float> xs(size), ys(size, 1.0f);
	for (int i = 0; i < size; i++)
		xs[static_cast<std::size_t>(i)] = static_cast<float>(i % 1000);

	het_system *system;
	het_array *x, *y;
	het_kernel *saxpy;
	must(het_open(nullptr, &system));
	must(het_array_wrap(system, HET_FLOAT, het_shape(1, size), xs.data(), &x));
	must(het_array_wrap(system, HET_FLOAT, het_shape(1, size), ys.data(), &y));
	must(het_kernel_from_source(system, text, "saxpy", nullptr, &saxpy));
	run(system, saxpy, y, x, 0.5f, size);
	must(het_array_free(y)); // waits, and brings the values home
	must(het_close(system));

	int wrong = 0;
	for (int i = 0; i < size; i++)
		wrong += ys[static_cast<std::size_t>(i)] != 1.0f + 0.5f * static_cast<float>(i % 1000);
	std::printf("saxpy of %d elements: %s\n", size, wrong ? "WRONG" : "verified");
	return printed("saxpy", wrong ? EXIT_FAILURE : EXIT_SUCCESS);
}
