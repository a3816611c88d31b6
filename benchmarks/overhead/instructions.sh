#!/bin/sh
# instructions.sh - how many instructions of the library one launch costs, counted by callgrind.
#
#   benchmarks/overhead/instructions.sh [--json] [BUILD-FOLDER [LAUNCHES]]        (default: build 4000)
#   benchmarks/overhead/instructions.sh --time [BUILD-FOLDER]
#
# With --time it is the host's CPU time instead, medians of rounds of 20 000 launches: it depends on caches and on what
# else runs, and needs no valgrind.
# The driver is the fake one in its null mode, which does nothing, on a machine of one CPU cut into parts. Counted is
# what happens inside het_launch_args (het_spread_args) less what happens inside OpenCL's functions, the C library's
# part included: the difference between two runs of different length, so that what is done once drops out. Counts do
# not depend on how busy the machine is. A hop is a launch on a device whose data another one wrote: they are shared, or
# copied first. BUILD-FOLDER is a plain build; needs valgrind and clang; exits 77 without them.
set -eu
format=text
case ${1:-} in
--json) format=json; shift ;;
--time) format='time'; shift ;;
esac
source_folder=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:-$source_folder/build}" && pwd)
launches=${2:-4000}
[ "$launches" -ge 2000 ] || { echo 'at least 2000 launches: finished ones are ended in batches'; exit 2; }
for tool in valgrind clang; do
	[ "$format$tool" != timevalgrind ] || continue
	command -v "$tool" >/dev/null || { echo "$tool is not installed"; exit 77; }
done
if grep -q '^HET_\(DEBUG\|INSTRUMENT\)_FLAGS = .' "$build/Makefile"; then
	echo 'the build has debug checks or is instrumented'
	exit 77
fi
make -C "$build" -s benchmarks/overhead/overhead tests/held_launches tests/fakecl/libfakecl.la >&2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/vendors"
echo "$build/tests/fakecl/.libs/libfakecl.so" >"$work/vendors/fakecl.icd"
export OCL_ICD_VENDORS="$work/vendors" HETERO_CACHE="$work/cache" FAKECL_CACHE="$work/fakecl"
export FAKECL_MACHINE="$source_folder/tests/fakecl/machines/cut-cpu.machine"
unset HETERO_DEVICES HETERO_SHARE

# In earnest once: kernels are built and memory is proved to be shared. Afterwards the cache knows.
"$build/benchmarks/overhead/overhead" --rounds 1 --launches 4 --only boxes >/dev/null

# Of the library and of this driver, which does next to nothing.
if [ "$format" = time ]; then
	for section in chain boxes arrays array-boxes array-chains array-box-chains; do
		FAKECL_NULL=1 "$build/benchmarks/overhead/overhead" --sides hetero --launches 20000 --only "$section" |
			sed -n '/launches/p; /host CPU time/p'
	done
	exit 0
fi

# collected FUNCTION PROGRAM [OPTION...]: the instructions of a function of the library's, without the driver's.
collected()
{
	collected_function=$1
	shift
	FAKECL_NULL=1 "$build/libtool" --mode=execute valgrind --tool=callgrind --callgrind-out-file=/dev/null \
		--collect-atstart=no --toggle-collect="$collected_function" --toggle-collect='cl*' "$@" 2>&1 |
		sed -n 's/.*Collected : \([0-9]*\)$/\1/p'
}

# counted FUNCTION LAUNCHES SECTION [OPTION...]
counted()
{
	counted_function=$1
	counted_launches=$2
	shift 2
	collected "$counted_function" "$build/benchmarks/overhead/overhead" --sides hetero --rounds 1 \
		--launches "$counted_launches" --only "$@"
}

# per_launch FUNCTION LAUNCHES SECTION [OPTION...]: sets `number`.
# A round that does not count comes first: each run launches twice as often as it is told.
per_launch()
{
	function=$1
	per=$2
	shift 2
	few=$(counted "$function" "$per" "$@")
	many=$(counted "$function" $((2 * per)) "$@")
	if [ "${many:-0}" -le "${few:-0}" ]; then # valgrind may not read what a compiler newer than itself writes
		echo 'callgrind counts nothing in this build'
		exit 77
	fi
	number=$(((many - few) / (2 * per)))
}

# per_hop SECTION: of two sizes, between two devices there and back.
per_hop()
{
	few=$(counted het_launch_args 2000 "$1" --hops 500 --mib 1)
	many=$(counted het_launch_args 2000 "$1" --hops 1000 --mib 1)
	number=$(((many - few) / 4000))
}

# held LAUNCHES: of as many more, of which each waits for those before it, behind a function of the host.
held()
{
	few=$(collected het_launch_args "$build/tests/held_launches" "$1")
	many=$(collected het_launch_args "$build/tests/held_launches" $((2 * $1)))
	number=$(((many - few) / $1))
}

before=
tell()
{
	if [ "$format" = json ]; then
		printf '%s  {"what": "%s", "instructions": %s, "of": "%s"}' "$before" "$1" "$number" "$2"
		before=',
'
	else
		printf '%-44s %5s instructions per %s\n' "$1:" "$number" "$2"
	fi
}

[ "$format" = text ] || echo '['
per_launch het_launch_args "$launches" chain
tell 'one device, three whole arrays' launch
per_launch het_launch_args "$launches" boxes
tell 'two devices, halves with a halo' launch
per_launch het_spread_args "$launches" spreads
tell 'the same as spreads' part
# Many arrays are launched on often, so that what an array's first launch costs drops out.
per_launch het_launch_args 10000 arrays --arrays 1
tell 'one device, one array' launch
per_launch het_launch_args 10000 arrays --arrays 1000
tell 'one device, 1000 arrays by turns' launch
per_launch het_launch_args 10000 arrays --arrays 10000
tell 'one device, 10000 arrays by turns' launch
per_launch het_launch_args 20000 array-boxes --arrays 10000
tell 'one device, halves of 10000 arrays by turns' launch
per_launch het_launch_args 10000 array-chains --arrays 10000
tell 'one device, a chain through 10000 arrays' launch
per_launch het_launch_args 20000 array-box-chains --arrays 10000
tell 'one device, a chain through halves of 10000' launch
held 200
tell 'held behind 200 to 400 others' launch
held 400
tell 'held behind 400 to 800 others' launch
per_hop hops-shared
tell 'two devices by turns, shared' hop
per_hop hops-copy
tell 'two devices by turns, copied' hop
[ "$format" = text ] || printf '\n]\n'
