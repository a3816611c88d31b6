#!/bin/sh
# tracing.sh - what a timeline costs: examples/hillshade with HETERO_TRACE and without, by turns.
#
#   benchmarks/overhead/tracing.sh [BUILD-FOLDER [ROUNDS [SIZE]]]        (default: build 21 4096x4096)
#
# A round is one run of each, and who begins changes. What is compared is the time that hillshade says its
# computation took, from its first task to its result. Prints the median of the rounds' ratios and the 95 % interval of
# its order statistics, which six rounds or more have.
set -eu
source_folder=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:-$source_folder/build}" && pwd)
rounds=${2:-21}
size=${3:-4096x4096}
[ "$rounds" -ge 1 ] || { echo 'at least one round' >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset HETERO_TRACE HETERO_LOG HETERO_STATS

# time_of [VARIABLE=VALUE]: ms
time_of()
{
	env ${1+"$1"} "$build/examples/hillshade/hillshade" --size "$size" >"$work/said"
	sed -n 's/.*done after \([0-9.]*\) ms.*/\1/p' "$work/said"
}

time_of HETERO_TRACE="$work/trace.json" >/dev/null # kernels are built
round=0
while [ "$round" -lt "$rounds" ]; do
	if [ $((round % 2)) = 0 ]; then
		without=$(time_of)
		with=$(time_of HETERO_TRACE="$work/trace.json")
	else
		with=$(time_of HETERO_TRACE="$work/trace.json")
		without=$(time_of)
	fi
	echo "$without $with"
	round=$((round + 1))
done >"$work/times"
awk '{ print $2 / $1 }' "$work/times" | sort -n | awk '
	{ ratio[NR] = $1 }
	END {
		skip = int((NR - 1.96 * sqrt(NR)) / 2)
		if (skip < 1)
			skip = 1
		printf "with a timeline / without: %.3f (%.3f to %.3f), %d rounds\n",
			(ratio[int((NR + 1) / 2)] + ratio[int(NR / 2) + 1]) / 2, ratio[skip], ratio[NR + 1 - skip], NR
	}'
