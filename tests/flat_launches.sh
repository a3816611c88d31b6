#!/bin/sh
# tests/flat_launches.sh - a launch costs the same among ten thousand arrays as alone (in HPL, every launch searches a
# list of all arrays that the device has ever seen), and no more than it may. Judged by instructions, which are the
# same on a busy machine. The limits are of what Debian 12's gcc makes of the library; others get a tenth more.
set -eu
: "${top_srcdir:?is set by make check}"
: "${top_builddir:?is set by make check}"
said=$top_builddir/flat_launches.said
trap 'rm -f "$said"' EXIT
got=0
"$top_srcdir/benchmarks/overhead/instructions.sh" "$top_builddir" 2000 >"$said" 2>&1 || got=$?
cat "$said"
[ "$got" = 0 ] || exit "$got"

# count WHAT: the instructions of the line that begins so, which must be there.
count()
{
	counted=$(sed -n "s/^$1: *\([1-9][0-9]*\) instructions per launch\$/\1/p" "$said")
	[ -n "$counted" ] || { echo "nothing was counted: $1" >&2; exit 1; }
	echo "$counted"
}

# at_most MOST WHAT
at_most()
{
	used=$(count "$2")
	[ "$used" -le "$1" ] || { echo "more than $1 instructions: $2"; exit 1; }
}

if grep -q '^CFLAGS = .*-O[23]' "$top_builddir/Makefile"; then
	more=10
	! ${CC:-cc} --version 2>/dev/null | grep -q '^gcc .*Debian 12' || more=0
	at_most $((1515 + 150 * more / 10)) 'one device, three whole arrays'
	at_most $((4000 + 400 * more / 10)) 'two devices, halves with a halo'
fi
alone=$(count 'one device, one array')
among=$(count 'one device, 10000 arrays by turns')
[ "$((10 * among))" -le "$((11 * alone))" ] || { echo 'a launch costs more among ten thousand arrays'; exit 1; }
# A launch that waits for all others that wait has each of them to look at, but each only once.
few=$(count 'held behind 200 to 400 others')
many=$(count 'held behind 400 to 800 others')
[ "$many" -le "$((3 * few))" ] || { echo 'a launch that waits costs too much behind many that wait'; exit 1; }

"$top_srcdir/benchmarks/overhead/instructions.sh" --time "$top_builddir" >"$said"
cat "$said"
[ "$(grep -c 'host CPU time per launch' "$said")" = 12 ] || { echo 'not every section was timed'; exit 1; }
