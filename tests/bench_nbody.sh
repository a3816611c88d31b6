#!/bin/sh
# tests/bench_nbody.sh - N-body: every version ends with the energies of an independent computation.
# shellcheck disable=SC1091,SC2154  # the file is there at run time
set -eu
: "${top_srcdir:?is set by make check}"
: "${top_builddir:?is set by make check}"
. "$top_srcdir/tests/benchmarks_common.sh"
benchmark nbody S hetero,shared,copying,plain
exchanges nbody T
# Devices without a body, and the energies of 256.
good "$benchmarks/nbody/nbody" --class T --devices "$two" --verify
says 'energies compared'
good "$benchmarks/nbody/nbody" --class W --devices "$two" --version hetero --verify
says 'hetero: check .*energies compared'
finish
