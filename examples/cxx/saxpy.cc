// saxpy.cc - Hetero from C++: y = a x + y, by all devices. The names are those of C; arguments of any number
// go through templates, handles have owners, and failures are exceptions.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <hetero.hpp>

#include "../printed.h"

namespace
{

const char text[] = "kernel void saxpy(global float *y, global const float *x, float a)"
		    "{ size_t i = get_global_id(0); y[i] += a * x[i]; }";

const char help[] = "usage: saxpy\n\n"
		    "Adds half of 100000 numbers to others on every OpenCL device, or those of\n"
		    "$HETERO_DEVICES, and checks the sums.\n\n"
		    "Exit status: 0 verified; 1 something failed or is wrong; 2 wrong usage.\n";

// --help is its only option.
int answer(const char *word)
{
	if (std::strcmp(word, "--help") == 0 || std::strcmp(word, "-h") == 0) {
		std::fputs(help, stdout);
		return printed("saxpy", EXIT_SUCCESS);
	}
	std::fprintf(stderr, "saxpy: \"%s\" is not an option; see saxpy --help\n", word);
	return 2;
}

// ys += a xs
void saxpy(std::vector<float> &ys, std::vector<float> &xs, float a)
{
	const auto size = static_cast<std::int64_t>(ys.size());
	het::system system;
	het::array x, y;
	het::kernel kernel;

	het::check(het_open(nullptr, system.out()));
	het::check(het_array_wrap(system, HET_FLOAT, het_shape(1, size), xs.data(), x.out()));
	het::check(het_array_wrap(system, HET_FLOAT, het_shape(1, size), ys.data(), y.out()));
	het::check(het_kernel_from_source(system, text, "saxpy", nullptr, kernel.out()));
	het::check(het_spread(kernel, het_everyone(system), het_grid(1, size), HET_INOUT(HET_EACH(y)),
			      HET_IN(HET_EACH(x)), HET_VAL(a)));
	het::check(y.free()); // waits, and brings the values home
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

	try {
		saxpy(ys, xs, 0.5f);
	} catch (const het::error &error) {
		std::fprintf(stderr, "%s\n", error.what());
		return EXIT_FAILURE;
	}

	int wrong = 0;
	for (int i = 0; i < size; i++)
		wrong += ys[static_cast<std::size_t>(i)] != 1.0f + 0.5f * static_cast<float>(i % 1000);
	std::printf("saxpy of %d elements: %s\n", size, wrong ? "WRONG" : "verified");
	return printed("saxpy", wrong ? EXIT_FAILURE : EXIT_SUCCESS);
}
