#!/bin/sh
# tests/bench_matmulrow.sh - MatmulRow: every version's product is exact.
# shellcheck disable=SC1091,SC2154  # the file is there at run time
set -eu
: "${top_srcdir:?is set by make check}"
: "${top_builddir:?is set by make check}"
. "$top_srcdir/tests/benchmarks_common.sh"
benchmark matmulrow S hetero,shared,copying,plain
good "$benchmarks/matmulrow/matmulrow" --class W --devices "$two" --version hetero --verify
says '0 of 1200 rows wrong, sums as known'
# Bands of four devices, more than there are cores.
if four_devices; then
	for share in on off; do
		good env POCL_DEVICES='pthread pthread' "$benchmarks/matmulrow/matmulrow" --class W --devices "$four" \
			--share $share --version hetero,copying --verify
		says '^matmulrow class W, 4 devices'
		[ "$(grep -c '0 of 1200 rows wrong, sums as known' "$work/said")" = 2 ] || status=1
	done
fi
finish
