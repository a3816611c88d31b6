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
says 'energies compared$'
if four_devices; then
	good env POCL_DEVICES='pthread pthread' "$benchmarks/nbody/nbody" --class T --devices "$four" --share off --verify
	[ "$(grep -c ': check .*energies compared$' "$work/said")" = 3 ] || { cat "$work/said"; status=1; }
fi
# From the end of T back to its beginning; a known body's place.
good "$benchmarks/nbody/nbody" --class R --devices "$two" --version hetero,shared,copying,plain --verify
[ "$(grep -c 'energies compared, back within [0-9.]*e[-+][0-9]*$' "$work/said")" = 4 ] || { cat "$work/said"; status=1; }
good "$benchmarks/nbody/nbody" --class S --devices "$two" --version hetero --verify
says 'energies compared, body 0 off by [0-9.]*e[-+][0-9]*$'
good "$benchmarks/nbody/nbody" --class W --devices "$two" --version hetero --verify
says 'hetero: check .*energies compared'

# A version's memory is without the compiler's, whether or not a cache had its kernels.
for caches in cold warm; do
	good env POCL_CACHE_DIR="$work/pocl-cache" HETERO_CACHE="$work/cache" "$benchmarks/nbody/nbody" --class T \
		--devices "$two" --version hetero --rounds 1 --memory
	eval "$caches=\$(sed -n 's/^  hetero: peak memory  *\([0-9]*\) bytes\$/\1/p' \"\$work/said\")"
done
[ "$((4 * cold))" -lt "$((5 * warm))" ] || { echo "$cold bytes with cold caches, $warm with warm ones"; status=1; }
finish
