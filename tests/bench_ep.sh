#!/bin/sh
# tests/bench_ep.sh - EP: every version finds the published sums and counts of class S.
# shellcheck disable=SC1091  # the file is there at run time
set -eu
: "${top_srcdir:?is set by make check}"
: "${has_json:?is set by make check}"
: "${top_builddir:?is set by make check}"
. "$top_srcdir/tests/benchmarks_common.sh"
benchmark ep S hetero,copying,plain
if [ "$has_json" = yes ] && command -v python3 >/dev/null; then
	good "$benchmarks/ep/ep" --format json --devices pocl:cpu0.0 --rounds 1
	python3 -c 'import json, sys; s = json.load(open(sys.argv[1]))["sections"][0]
assert s["name"] == "ep" and s["class"] == "S" and s["verified"] == "yes"
assert [r["unit"] for r in s["rows"] if r["what"] == "hetero / copying"] == [""]' "$work/said" || status=1
fi
if [ -w /dev/full ]; then
	runs=$((runs + 1))
	if "$benchmarks/ep/ep" --devices pocl:cpu0.0 --verify >/dev/full 2>"$work/said"; then
		echo '== a full disk is no failure'
		status=1
	fi
	says '^ep: the results could not be printed: No space'
fi
refuses '^ep: of these 2 devices 1 can be a team' "$benchmarks/ep/ep" --devices pocl:cpu0,pocl:cpu0.1
finish
