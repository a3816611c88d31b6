#!/bin/sh
# tests/with_intel.sh - the tests of a build with Intel's OpenCL runtime for CPUs beside the installed drivers:
# an independent implementation on the same machine. It is taken from the Python package intel-opencl-rt and
# those that this one needs, and nothing of it is installed.
# Not part of `make check`, since it needs pip and a network: exits 77 without them.
#
#   tests/with_intel.sh BUILD-FOLDER [TEST...]
#
# BUILD-FOLDER is configured and built already. Without names, the tests that run on every platform are run.
# Whoever wants to do more with it sets, after a first run,
#   OCL_ICD_VENDORS=BUILD-FOLDER/intel/vendors LD_LIBRARY_PATH=BUILD-FOLDER/intel/lib
set -eu
[ $# -ge 1 ] || { echo "usage: $0 BUILD-FOLDER [TEST...]" >&2; exit 2; }
[ -f "$1/Makefile" ] || { echo "$1 is no folder of a build" >&2; exit 2; }
cd "$1"
shift
[ $# -gt 0 ] || set -- tests/test_cl tests/test_cl_program tests/test_kernel tests/test_kernel_cache \
	tests/test_proof tests/test_system tests/with_intel_device

# pip's own folder of temporary files may be too small for 250 MB.
fetch()
{
	command -v pip3 >/dev/null || { echo 'pip3 is not installed'; exit 77; }
	mkdir -p intel
	timeout 300 pip3 download --quiet --disable-pip-version-check --no-deps --retries 1 --timeout 20 \
		-d intel/package intel-opencl-rt intel-cmplr-lib-rt tbb tcmlib >intel/pip.log 2>&1 ||
		{ echo 'the package intel-opencl-rt cannot be had:'; tail -n 3 intel/pip.log; exit 77; }
}
