#!/bin/sh
# instructions.sh - how many instructions of the library one launch costs, counted by callgrind.
#
#   benchmarks/overhead/instructions.sh [BUILD-FOLDER [LAUNCHES]]        (default: build 4000)
#
# The driver is the fake one in its null mode, which does nothing, on a machine of one CPU cut into parts. Counted is
# what happens inside het_launch_args less what happens inside OpenCL's functions, the C library's part included: the
# difference between two runs of different length, so that what is done once drops out. Counts do not depend on how
# busy the machine is. BUILD-FOLDER is a plain build; needs valgrind and clang; exits 77 without them.
set -eu
source_folder=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:-$source_folder/build}" && pwd)
launches=${2:-4000}
[ "$launches" -ge 2000 ] || { echo 'at least 2000 launches: finished ones are ended in batches'; exit 2; }
for tool in valgrind clang; do
	command -v $tool >/dev/null || { echo "$tool is not installed"; exit 77; }
done
if grep -q '^HET_\(DEBUG\|INSTRUMENT\)_FLAGS = .' "$build/Makefile"; then
	echo 'the build has debug checks or is instrumented'
	exit 77
fi
make -C "$build" -s benchmarks/overhead/overhead tests/fakecl/libfakecl.la
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/vendors"
echo "$build/tests/fakecl/.libs/libfakecl.so" >"$work/vendors/fakecl.icd"
export OCL_ICD_VENDORS="$work/vendors" HETERO_CACHE="$work/cache" FAKECL_CACHE="$work/fakecl"
export FAKECL_MACHINE="$source_folder/tests/fakecl/machines/cut-cpu.machine"
unset HETERO_DEVICES HETERO_SHARE

# In earnest once: kernels are built and memory is proved to be shared. Afterwards the cache knows.
"$build/benchmarks/overhead/overhead" --rounds 1 --launches 4 --only boxes >/dev/null

# counted LAUNCHES SECTION [OPTION...]
counted()
{
	counted_launches=$1
	shift
	FAKECL_NULL=1 "$build/libtool" --mode=execute valgrind --tool=callgrind --callgrind-out-file=/dev/null \
		--collect-atstart=no --toggle-collect=het_launch_args --toggle-collect='cl*' \
		"$build/benchmarks/overhead/overhead" --sides hetero --rounds 1 --launches "$counted_launches" \
		--only "$@" 2>&1 |
		sed -n 's/.*Collected : \([0-9]*\)$/\1/p'
}

# per_launch LAUNCHES SECTION [OPTION...]
# A round that does not count comes first: each run launches twice as often as it is told.
per_launch()
{
	per=$1
	shift
	few=$(counted "$per" "$@")
	many=$(counted $((2 * per)) "$@")
	[ "${many:-0}" -gt "${few:-0}" ] || return 1
	echo $(((many - few) / (2 * per)))
}

# valgrind may be unable to read the debug information of a compiler newer than itself.
# Ten thousand arrays are launched on ten thousand times, so that what an array's first launch costs drops out.
if ! chain=$(per_launch "$launches" chain) || ! boxes=$(per_launch "$launches" boxes) ||
	! one=$(per_launch 10000 arrays --arrays 1) || ! many=$(per_launch 10000 arrays --arrays 10000); then
	echo 'callgrind counts nothing in this build'
	exit 77
fi

echo "one device, three whole arrays:      $chain instructions per launch"
echo "two devices, halves with a halo:     $boxes instructions per launch"
echo "one device, one array:               $one instructions per launch"
echo "one device, 10000 arrays by turns:   $many instructions per launch"
