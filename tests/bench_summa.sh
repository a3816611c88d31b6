#!/bin/sh
# tests/bench_summa.sh - SUMMA: every version's product is exact, on grids of one, two and four devices.
# shellcheck disable=SC1091,SC2154  # the file is there at run time
set -eu
: "${top_srcdir:?is set by make check}"
: "${top_builddir:?is set by make check}"
. "$top_srcdir/tests/benchmarks_common.sh"
benchmark summa S hetero,shared,copying
exchanges summa S
for grid in 2x1 2x2 3x2; do
	good "$benchmarks/summa/summa" --grid "$grid" --devices "$two" --verify
	says '0 of 240 rows wrong'
done
# Two processors twice: four devices, more than there are cores.
if POCL_DEVICES='pthread pthread' HETERO_DEVICES=pocl:cpu1.1 "$examples/hello/hello" >"$work/said" 2>&1; then
	good env POCL_DEVICES='pthread pthread' "$benchmarks/summa/summa" --devices \
		pocl:cpu0.0,pocl:cpu0.1,pocl:cpu1.0,pocl:cpu1.1 --share off --verify
	says '^summa class S, 4 devices'
fi
for grid in 2 2x 0x1 9x1 2x2x2; do
	refuses "^summa: --grid $grid is not possible" "$benchmarks/summa/summa" --grid "$grid"
done
finish
