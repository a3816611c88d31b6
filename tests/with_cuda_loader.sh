#!/bin/sh
# tests/with_cuda_loader.sh - the library built with the headers and the loader of NVIDIA's CUDA Toolkit:
# takes them from the Python package nvidia-cuda-opencl, configures a build of its own with them and runs
# there, over the same drivers (that loader reads /etc/OpenCL/vendors too), the tests that show how OpenCL's
# functions are called.
# Not part of `make check`, since it needs pip and a network: exits 77 without them.
#
#   tests/with_cuda_loader.sh BUILD-FOLDER [CONFIGURE-OPTION...]
#
# The package may also lie in BUILD-FOLDER/package as a .whl file.
set -eu
[ $# -ge 1 ] || { echo "usage: $0 BUILD-FOLDER [CONFIGURE-OPTION...]" >&2; exit 2; }
source_folder=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
cd "$1"
shift

tests='tests/test_array tests/test_bad_calls tests/test_call tests/test_cl tests/test_cl_program
	tests/test_failure tests/test_kernel tests/test_kernel_programs tests/test_launch
	tests/test_map tests/test_stats'

fetch()
{
	command -v pip3 >/dev/null || { echo 'pip3 is not installed'; exit 77; }
	timeout 120 pip3 download --quiet --disable-pip-version-check --no-deps --retries 1 --timeout 20 \
		-d package nvidia-cuda-opencl >pip.log 2>&1 ||
		{ echo 'the package nvidia-cuda-opencl cannot be had:'; tail -n 3 pip.log; exit 77; }
}

if [ ! -d toolkit ]; then
	command -v python3 >/dev/null || { echo 'python3, which unpacks the package, is not installed'; exit 77; }
	ls package/*.whl >/dev/null 2>&1 || fetch
	python3 -m zipfile -e package/*.whl toolkit
fi
"$source_folder/configure" --quiet --with-opencl="$PWD/toolkit" "$@"
make -s -j2 libhetero.la
loader=$(ldd .libs/libhetero.so | sed -n 's/.*libOpenCL[^ ]* => \([^ ]*\).*/\1/p')
case $loader in
"$PWD/toolkit/"*) echo "the loader is $loader" ;;
*) echo "the library was linked to $loader, not to the loader in $PWD/toolkit"; exit 1 ;;
esac
# This loader takes no folder in OCL_ICD_VENDORS but with a '/' at its end; the tests' own has none. So it is
# given the drivers' libraries themselves.
OCL_ICD_FILENAMES=$(awk 'FNR == 1' "${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}"/*.icd | paste -s -d :)
export OCL_ICD_FILENAMES OCL_ICD_VENDORS=none
# shellcheck disable=SC2086  # the list in one line
set -- $tests
make -s -j2 check-TESTS TESTS="$*" check_PROGRAMS="$*"
