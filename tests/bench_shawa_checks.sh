#!/bin/sh
# tests/bench_shawa_checks.sh - ShaWa: both solvers keep a lake at rest, water and contaminant; meet numbers that are known
# and the exact flow after a dam breaks; all kinds of sides do what they are for. Where memories are apart they do as well,
# and what goes to a neighbour is a row.
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

# Rows that nobody sends would be old ones here.
for solver in roe hll; do
	sea lake 'fastest [0-9.]*e-1[3-9] m/s' --solver $solver --share off
	sea islands 'fastest [0-9.]*e-1[3-9] m/s' --solver $solver --share off
done
if four_devices; then
	for class in lake islands; do
		good env POCL_DEVICES='pthread pthread' "$shawa" --class $class --devices "$four" --share off \
			--version hetero,shared,copying --verify
		[ "$(grep -c 'fastest [0-9.]*e-1[3-9] m/s' "$work/said")" = 3 ] || { cat "$work/said"; status=1; }
	done
fi

# A row of four numbers for each cell goes each way over each interface, once a step but the first, and the largest
# paces, four of each device, every step. Where the sea goes round there are two interfaces.
good "$shawa" --class even --size 100 --steps 11 --share off --devices "$two" --version hetero --verify
for way in '1 to 2' '2 to 1'; do
	says "moved, copy, memory $way  *$((4 * 8 * 100 * 10 + 4 * 8 * 11)) bytes"
done
runs=$((runs + 1))
"$shawa" --class round --size 100 --steps 11 --share off --devices "$two" --version hetero --verify \
	>"$work/said" 2>&1 && status=1
for way in '1 to 2' '2 to 1'; do
	says "moved, copy, memory $way  *$((2 * 4 * 8 * 100 * 10 + 4 * 8 * 11)) bytes"
done

runs=$((runs + 1))
"$shawa" --class dam --steps 10 --devices pocl:cpu0.0 --version hetero --verify >"$work/said" 2>&1 && status=1
says 'WRONG: .*too few steps for 1 s'
finish
