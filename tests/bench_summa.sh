#!/bin/sh
# tests/bench_summa.sh - SUMMA: every version's product is exact, on grids of one, two and four devices.
# shellcheck disable=SC1091,SC2154  # the file is there at run time
set -eu
: "${top_srcdir:?is set by make check}"
: "${top_builddir:?is set by make check}"
. "$top_srcdir/tests/benchmarks_common.sh"
benchmark summa S hetero,shared,copying
exchanges summa S
# Blocks by turns: of one device, of two, and of two that have more than one each.
good "$benchmarks/summa/summa" --devices pocl:cpu0.0 --verify
says '^summa class S, 1 device, grid 1x1, '
good "$benchmarks/summa/summa" --devices "$two" --verify
says '^summa class S, 2 devices, grid 1x2, '
for grid in 1x1 2x1 2x2 3x2; do
	for share in on off; do
		good "$benchmarks/summa/summa" --grid "$grid" --devices "$two" --share $share --verify
		says "^summa class S, 2 devices, grid $grid, "
		[ "$(grep -c 'check  *0 of 240 rows wrong' "$work/said")" = 3 ] || status=1
	done
done
good "$benchmarks/summa/summa" --class W --grid 2x2 --devices "$two" --version hetero --verify
says '0 of 1200 rows wrong, sums as known'
# Two processors twice: four devices, more than there are cores.
if four_devices; then
	for share in on off; do
		good env POCL_DEVICES='pthread pthread' "$benchmarks/summa/summa" --devices "$four" --share $share --verify
		says '^summa class S, 4 devices, grid 2x2, '
	done
	good env POCL_DEVICES='pthread pthread' "$benchmarks/summa/summa" --class W --devices "$four" --version \
		hetero,copying --verify
	[ "$(grep -c '0 of 1200 rows wrong, sums as known' "$work/said")" = 2 ] || status=1
fi
for grid in 2 2x 0x1 9x1 2x2x2 99999999999999999999x1; do
	refuses "^summa: --grid $grid is not possible" "$benchmarks/summa/summa" --grid "$grid"
done
refuses '^summa: there is no option --gandalf$' "$benchmarks/summa/summa" --gandalf 2x2
together summa --class S
finish
