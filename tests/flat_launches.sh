#!/bin/sh
# tests/flat_launches.sh - a launch costs the same among ten thousand arrays as alone (in HPL, every launch searches a
# list of all arrays that the device has ever seen). Judged by instructions, which are the same on a busy machine.
set -eu
: "${top_srcdir:?is set by make check}"
: "${top_builddir:?is set by make check}"
said=$top_builddir/flat_launches.said
trap 'rm -f "$said"' EXIT
got=0
"$top_srcdir/benchmarks/overhead/instructions.sh" "$top_builddir" 2000 >"$said" 2>&1 || got=$?
cat "$said"
[ "$got" = 0 ] || exit "$got"

# count WHAT: the instructions of the line that begins so.
count()
{
	sed -n "s/^$1: *\([1-9][0-9]*\) instructions per launch\$/\1/p" "$said"
}

for what in 'one device, three whole arrays' 'two devices, halves with a halo'; do
	[ -n "$(count "$what")" ] || { echo "nothing was counted: $what"; exit 1; }
done
alone=$(count 'one device, one array')
among=$(count 'one device, 10000 arrays by turns')
[ "$((10 * among))" -le "$((11 * alone))" ] || { echo 'a launch costs more among ten thousand arrays'; exit 1; }
