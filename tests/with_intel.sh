#!/bin/sh
# tests/with_intel.sh - a build's tests with Intel's OpenCL runtime for CPUs beside the installed drivers: another
# implementation on the same machine. It is taken from the Python package intel-opencl-rt and those that this
# one needs; nothing is installed.
# Not part of `make check`, since it needs pip, a network and 700 MB: exits 77 without them.
#
#   tests/with_intel.sh BUILD-FOLDER [TEST...]
#
# BUILD-FOLDER is configured and built already. Without names: the tests that look for every platform, and
# some of the public face and the random programs, which have Intel's runtime in PoCL's place
# ($HETERO_TEST_DRIVER).
set -eu
[ $# -ge 1 ] || { echo "usage: $0 BUILD-FOLDER [TEST...]" >&2; exit 2; }
[ -f "$1/Makefile" ] || { echo "$1 is not the folder of a build" >&2; exit 2; }
cd "$1"
shift
[ $# -gt 0 ] || set -- array bad_calls bad_input call cl cl_program failure faults io kernel kernel_cache \
	launch map memory proof random_programs stats system threads
packages='intel-opencl-rt intel-cmplr-lib-rt tbb tcmlib'

fetch()
{
	command -v pip3 >/dev/null || { echo 'pip3 is not installed'; exit 77; }
	command -v python3 >/dev/null || { echo 'python3, which unpacks the packages, is not installed'; exit 77; }
	# shellcheck disable=SC2086  # a list of words
	timeout 300 pip3 download --quiet --disable-pip-version-check --no-deps --retries 1 --timeout 20 \
		-d intel/package $packages >intel/pip.log 2>&1 ||
		{ echo 'the package intel-opencl-rt cannot be had:'; tail -n 3 intel/pip.log; exit 77; }
}

# All libraries in one folder, as the runtime wants them; its own loader stays out, the system's is tested.
unpack()
{
	rm -rf intel/unpacked intel/lib
	mkdir -p intel/lib
	for wheel in intel/package/*.whl; do
		python3 -m zipfile -e "$wheel" intel/unpacked
	done
	mv intel/unpacked/*.data/data/lib/* intel/lib/
	rm -rf intel/unpacked intel/lib/libOpenCL.*
}

mkdir -p intel
if [ ! -f intel/complete ]; then
	fetch
	unpack
	touch intel/complete
fi
rm -rf intel/vendors
mkdir intel/vendors
for vendor in "${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}"/*.icd; do
	[ ! -f "$vendor" ] || cp "$vendor" intel/vendors/
done
echo "$PWD/intel/lib/libintelocl.so" >intel/vendors/intel.icd
export OCL_ICD_VENDORS="$PWD/intel/vendors" HETERO_TEST_DRIVER=intel HETERO_TEST_SHORT=1
export LD_LIBRARY_PATH="$PWD/intel/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

: "${HETERO_TEST_PROGRAMS=10%}"
export HETERO_TEST_PROGRAMS
tests=
for name; do
	case $name in
	random_programs) tests="$tests tests/$name" ;;
	*) tests="$tests tests/test_$name" ;;
	esac
done
exec make -s -j2 check TESTS="$tests"
