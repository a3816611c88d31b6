#!/bin/sh
# tests/bench_shawa_checks.sh - ShaWa: both solvers keep a lake at rest, water and contaminant; meet numbers that are known
# and the exact flow after a dam breaks; all kinds of sides do what they are for.
# shellcheck disable=SC1091,SC2154  # the file is there at run time
set -eu
: "${top_srcdir:?is set by make check}"
: "${top_builddir:?is set by make check}"
[ -z "${HETERO_TEST_SHORT:-}" ] || { echo 'the flow is alike in every build: not in short runs'; exit 77; }
. "$top_srcdir/tests/benchmarks_common.sh"
shawa=$benchmarks/shawa/shawa
HETERO_DEVICES=pocl:cpu0.1 "$examples/hello/hello" >"$work/said" 2>&1 ||
	{ echo 'no CPU of two one-core parts under PoCL'; exit 77; }

# sea CLASS TEXT OPTIONS...: it is right, and was looked at as TEXT says.
sea()
{
	class=$1
	wanted=$2
	shift 2
	good "$shawa" --class "$class" --devices pocl:cpu/1 --version hetero --verify "$@"
	says "hetero: check  *$wanted"
}

for solver in roe hll; do
	sea lake 'fastest [0-9.]*e-1[3-9] m/s' --solver $solver
	sea islands 'fastest [0-9.]*e-1[3-9] m/s' --solver $solver
	sea even 'mass .*, concentration 1 within [0-9]e[+-]\(00\|1[2-9]\)' --solver $solver
	sea basin 'mass .* off by [0-9]e-[01][0-9] from what is known' --solver $solver
	sea dam '[1-9][0-9]* steps, .* (compared), .* rows apart by [0-9]e[-+][01][0-9]$' --solver $solver --size 100
	sea dam '[1-9][0-9]* steps, .* (compared), .* rows apart by [0-9]e[-+][01][0-9]$' --solver $solver
	sea sonic '[1-9][0-9]* steps, .* (compared), .* rows apart by [0-9]e[-+][01][0-9]$' --solver $solver
	sea dry '[1-9][0-9]* steps, .* (compared), .* rows apart by [0-9]e[-+][01][0-9]$' --solver $solver
	sea round 'mass .* astray 0' --solver $solver
	sea open 'after [1-9][0-9]* s level within 0' --solver $solver
done
sea dam '70 steps' --size 100
sea tide 'after 2500 s risen by 0.9' --steps 2500
runs=$((runs + 1))
"$shawa" --class dam --steps 10 --devices pocl:cpu0.0 --version hetero --verify >"$work/said" 2>&1 && status=1
says 'WRONG: .*too few steps for 1 s'
finish
