#!/bin/sh
# tests/bench_stepocl.sh - STEPOCL's stencil: every version has the plain loop's bits, the field that the stencil keeps and
# the known numbers, however the rows are cut; what is moved is what changes of two rows between neighbours for each step
# but the last, as hetero-stepocl plans it.
# shellcheck disable=SC1091,SC2154  # the file is there at run time
set -eu
: "${top_srcdir:?is set by make check}"
: "${top_builddir:?is set by make check}"
. "$top_srcdir/tests/benchmarks_common.sh"
benchmark stepocl hot hetero,shared,copying,plain
exchanges stepocl S
stepocl=$benchmarks/stepocl/stepocl
description=$top_srcdir/stepocl/stencil.xml

# all_right COUNT TEXT: so many versions were checked, and found so.
all_right()
{
	[ "$(grep -c "$2, 0 elements differ from the plain loop's\$" "$work/said")" = "$1" ] ||
		{ cat "$work/said"; echo "== not $1 versions with: $2"; status=1; }
}

# moved FROM TO BYTES
moved()
{
	says "^  hetero: moved, copy, memory $1 to $2  *$3 bytes\$"
}

good "$stepocl" --class hot --devices "$two" --share off --version hetero,shared,copying,plain --verify
all_right 4 'sum 1617\.837, numbers compared'
moved 1 2 $((4 * 256 * 399))
moved 2 1 $((4 * 256 * 399))
good "$stepocl" --class hot --devices "$two" --verify
all_right 3 'sum 1617\.837, numbers compared'
says '^  hetero: moved  *0 bytes$'

# The tool's example as it is: its size, its steps, its groups, and the bytes that it plans for a step.
good "$stepocl" --class W --devices "$two" --share off --version hetero,copying --verify
all_right 2 'steady with error [0-9.]*e-0[67] of 6\.29'
moved 1 2 $((4 * 4096 * 49))
moved 2 1 $((4 * 4096 * 49))
good "$top_builddir/stepocl/hetero-stepocl" --plan 2 "$description"
says '^4096 x 1024 work-items in groups of 64 x 16: '
says "^$((2 * 4 * 4096)) bytes per iteration between all parts\$"
good "$top_builddir/stepocl/hetero-stepocl" --devices "$two" --fill A=1 "$description"
says '^50 iterations in '

# Shares: of a device nothing; of a team that learns; devices without rows.
for shares in 1,3 0,1 5,0 2.5,1e-9; do
	good "$stepocl" --size 96x128 --steps 30 --devices "$two" --share off --shares $shares --verify
	all_right 3 'steady with error [0-9.e-]* of 1'
done
good "$stepocl" --size 16x64 --steps 7 --devices "$two" --verify
all_right 3 'steady with error [0-9.e-]* of 1'
good "$stepocl" --class hot --steps 61 --devices "$two" --share off --shares 9,1 --rebalance 7 --rounds 2
all_right 3 'sum [0-9.]*'
together stepocl --class hot --shares 1,3
good "$stepocl" --class hot --devices "$two" --shares 1,3 --rounds 2 --version hetero,copying,alone
all_right 4 'sum 1617\.837, numbers compared'
if four_devices; then
	good env POCL_DEVICES='pthread pthread' "$stepocl" --class hot --devices "$four" --share off --shares 2,0,1,1 --verify
	all_right 3 'sum 1617\.837, numbers compared'
	moved 3 4 $((4 * 256 * 399))
fi
for wrong in '--size 15' '--size 64x' '--size 48x65' '--size 24x64' '--steps 0' '--type f64' '--shares 0,0' '--rebalance -1'; do
	# shellcheck disable=SC2086  # an option and its value
	refuses "^stepocl: \($wrong is not possible\|there is no option --type\)" "$stepocl" $wrong
done
refuses '^stepocl: --shares: 3 shares for 2 devices' "$stepocl" --devices "$two" --shares 1,2,3
finish
