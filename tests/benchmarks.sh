#!/bin/sh
# tests/benchmarks.sh - the benchmarks come to an end and print what they promise; no figure is judged here.
# shellcheck disable=SC1091,SC2154  # what examples_common.sh has
set -eu
: "${top_srcdir:?is set by make check}"
: "${top_builddir:?is set by make check}"
. "$top_srcdir/tests/examples_common.sh"
overhead=$top_builddir/benchmarks/overhead/overhead
scaling=$top_builddir/benchmarks/scaling/scaling
starpu=$top_builddir/benchmarks/overhead/starpu
unset HETERO_DEVICES HETERO_SHARE
HETERO_DEVICES=pocl:cpu0.1 "$examples/hello/hello" >"$work/said" 2>&1 ||
	{ echo 'no CPU of two one-core parts under PoCL'; exit 77; }

refuses()
{
	runs=$((runs + 1))
	got=0
	"$@" >"$work/said" 2>&1 || got=$?
	[ "$got" = 2 ] || { echo "== status $got instead of 2: $*"; status=1; }
	says '^usage: '
}

for program in "$overhead" "$scaling"; do
	good "$program" --help
	says '^usage: '
	refuses "$program" --rounds 0
	refuses "$program" --rounds
	refuses "$program" --nonsense 1
done
refuses "$overhead" --items 17
refuses "$overhead" --rounds 2x
for size in 2 3 65; do
	refuses "$scaling" --size $size
done
good "$scaling" --rounds 1 --size 4 --sweeps 1
good "$overhead" --rounds 2 --launches 20 --items 32 --arrays 1000 --hops 1 --mib 1
says '^Hetero .*Z, [1-9][0-9]* processors:$'
says '^  pocl:cpu0.0: .*driver '
says '^chain of 20 launches of 32 items, three whole arrays, one device, 2 rounds:$'
says '^20 launches over 1000 arrays, one device, 2 rounds:$'
says '^20 launches over 1000 arrays, half of one, one device, 2 rounds:$'
says '^20 launches over 1000 arrays, each from the two before it, one device, 2 rounds:$'
says '^  CPU time of all threads, Hetero / by hand  *[0-9]'
says '^20 launches on two devices by turns, halves with a halo, 2 rounds:$'
says '^10 bands that one device makes and another uses, 2 rounds:$'
says '^10 spreads over two devices, against launches of the parts, 2 rounds:$'
says '^  spread above launched  .* us '
says '^  Hetero above by hand  .* us '
says 'against a buffer shared by hand, 2 rounds:$'
says 'against clEnqueueCopyBuffer by hand, 2 rounds:$'
says '^  bytes moved per step  *0 *$'
says '^  bytes moved per step  *1048576 *$'
says 'hops between contexts are not measured$\|to another context, 2 rounds:$'
refuses "$overhead" --only nothing
says '^overhead: --only nothing is not possible$'
refuses "$overhead" --launches
says '^overhead: --launches: its value is missing$'
refuses "$overhead" --launch 5
says '^overhead: there is no option --launch$'
says '^  --mib N .*: 1 to 4096 (64)$'
for section in array-chains array-box-chains; do
	refuses "$overhead" --only $section --arrays 2
	says "^overhead: --only $section --arrays 2: a chain goes through at least 3\$"
	refuses "$overhead" --arrays 1 --only $section
done
says '^  --arrays N .*, of chains from 3 on (1, then 1000, then the most)$'
good "$overhead" --rounds 2 --launches 20 --only array-chains --arrays 3
says '^20 launches over 3 arrays, each from the two before it, one device, 2 rounds:$'
refuses "$overhead" --format xml
"$overhead" --rounds 2 --launches 20 --only chain --format json >"$work/said" 2>&1 || true
if ! grep -q '^built without jansson' "$work/said" && command -v python3 >/dev/null; then
	runs=$((runs + 1))
	python3 -c 'import json, sys; whole = json.load(open(sys.argv[1])); a = whole["about"]; s = whole["sections"]
assert a["hetero"] and a["date"].endswith("Z") and a["processors"] > 0 and a["devices"][0]["driver"]
assert [x["name"] for x in s] == ["chain", "chain"] and len(s[0]["rows"]) == 5' "$work/said" || status=1
fi
good "$overhead" --rounds 2 --only elements
says '^  one element, Hetero .* ns '
[ -z "${HETERO_TEST_SHORT:-}" ] || finish # StarPU is not ours, and scaling runs an example's kernel
if [ -x "$starpu" ]; then
	refuses "$starpu" --rounds 0
	says '^starpu: --rounds 0 is not possible$'
	refuses "$starpu" --format xml
	export STARPU_HOME="$work" # where it keeps what it has measured of the machine
	got=0
	"$starpu" --rounds 2 >"$work/said" 2>&1 || got=$?
	if [ "$got" = 77 ]; then
		cat "$work/said"
	else
		runs=$((runs + 1))
		[ "$got" = 0 ] || { echo "== status $got: $starpu"; status=1; }
		says '^1000 launches over 1000 arrays, one device, 2 rounds:$'
		says '^64 MiB from device to device, .*, 2 rounds:$'
		says '^opened and closed, with two devices, 2 rounds:$'
		says '^128 columns of a matrix of 1024 rows: .*; memories apart, 2 rounds:$'
		says '^product of two matrices of 512 x 512 on two devices, .*, 2 rounds:$'
		says '^  StarPU / Hetero '
	fi
fi
good "$scaling" --rounds 2 --size 64 --sweeps 1
says '^hillshade of 64 x 64 cells, 1 sweep, 2 rounds:$'
says '^  two parts / half of one '
finish
