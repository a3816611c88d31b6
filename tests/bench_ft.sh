#!/bin/sh
# tests/bench_ft.sh - FT: every version finds the published checksums of class S.
# shellcheck disable=SC1091,SC2154  # the file is there at run time
set -eu
: "${top_srcdir:?is set by make check}"
: "${top_builddir:?is set by make check}"
. "$top_srcdir/tests/benchmarks_common.sh"
benchmark ft S hetero,shared,copying
exchanges ft S
# Extents that differ from each other, and more devices than cores.
good "$benchmarks/ft/ft" --class W --devices "$two" --verify
if four_devices; then
	good env POCL_DEVICES='pthread pthread' "$benchmarks/ft/ft" --devices \
		pocl:cpu0.0,pocl:cpu0.1,pocl:cpu1.0 --share off --verify
	says '^ft class S, 3 devices'
fi
finish
