#!/bin/sh
# tests/report.sh - the report of the benchmarks as text, as JSON and as a page; no figure is judged here.
# shellcheck disable=SC1091,SC2154  # the file is there at run time
set -eu
: "${top_srcdir:?is set by make check}"
: "${top_builddir:?is set by make check}"
[ -z "${HETERO_TEST_SHORT:-}" ] || { echo 'the report is alike in every build: not in short runs'; exit 77; }
. "$top_srcdir/tests/benchmarks_common.sh"
report=$benchmarks/report/report
[ -x "$report" ] || { echo 'built without jansson'; exit 77; }
HETERO_DEVICES=pocl:cpu0.1 "$examples/hello/hello" >"$work/said" 2>&1 ||
	{ echo 'no CPU of two one-core parts under PoCL'; exit 77; }
refuses 'report: --only ep,nothing is not possible' "$report" --only ep,nothing
refuses 'report: --rounds 0 is not possible' "$report" --rounds 0
refuses 'report: --format xml is not possible' "$report" --format xml
refuses 'report: --page  *is not possible' "$report" --page
runs=$((runs + 1))
if "$report" --quick --page "$work/nowhere/page.html" >"$work/said" 2>&1 || [ "$(wc -l <"$work/said")" != 1 ]; then
	echo '== a page that cannot be written is no failure, or is seen late'
	status=1
fi
says "^report: $work/nowhere/page.html: No such file"
good "$report" --help
says '^  --page FILE.html '
good "$report" --quick --rounds 1 --only ep,summa --devices "$two" --page "$work/page.html"
says '^Hetero [0-9.]*, .*Z$'
says '^  machine .*processors'
says '^  device  *pocl:cpu0.1: .*driver '
says '^  calibration  *none'
says '^  ep class S, 1 device: all versions verified; '
says '^  summa class S, 2 devices, memories apart: all versions verified; hetero moved [1-9][0-9.]* MiB; 1 round$'
says 'hetero / copying [0-9.]* \['
says '^    exchange costs copying [-0-9.]* % \[[-0-9.]*, [-0-9.]*\] of its time: too few rounds to say what is recovered$'
says '^    its bytes alone cost [-0-9.]* % \[[-0-9.]*, [-0-9.]*\] of its time: too few rounds to say what is recovered$'
says '^Hetero on 2 devices: how often as fast as on the fastest by itself, and of all their speeds by themselves$'
says '^  summa  *[0-9]*\.[0-9][0-9] \[[0-9.]*, [0-9.]*\]  *[0-9]* % \[[0-9]*, [0-9]*\]$'
says '^  summa  *shared  *[1-9][0-9]*  *[1-9][0-9]*  *[1-9][0-9]*% '
says '^  helpers '
says '^  mean of 2 below copying: lines [1-9][0-9]* %, effort [1-9][0-9]* %$'
if command -v python3 >/dev/null; then
	runs=$((runs + 2))
	# One page that needs no other file, every drawing of which is well formed.
	python3 -c 'import re, sys, xml.dom.minidom; page = open(sys.argv[1]).read()
costs = re.findall("<td class=.left.>(?:with waiting|its bytes)(.*)", page)
assert costs and all(c.endswith("<td><td><td><td>") for c in costs), costs
drawings = re.findall("<svg.*?</svg>", page, re.S); assert len(drawings) == 5, len(drawings)
assert "<title>summa S, without exchanges: " in drawings[3] and "<title>summa W, hetero: " in drawings[3]
assert "<title>summa W, bytes unsent: " in drawings[3]
assert re.search("<tr><td>summa S<td class=.left.>2 devices<td>[0-9.]+<td>[0-9.]+ to [0-9.]+<td>[0-9.]+<td>", page)
for d in drawings: xml.dom.minidom.parseString(d)
assert page.rstrip().endswith("</html>") and "src=" not in page and "href=" not in page and "nan" not in page' \
		"$work/page.html" || status=1
	"$report" --quick --rounds 1 --only ep --devices pocl:cpu0.0 --format json >"$work/said" || status=1
	python3 -c 'import json, sys; whole = json.load(open(sys.argv[1]))
assert whole["good"] and whole["processors"] > 0 and whole["machine"]["devices"][0]["driver"]
assert [c["set"] for c in whole["cells"]] == ["1 device", "1 device, memory apart"]
assert whole["cells"][0]["report"]["sections"][0]["verified"] == "yes"
assert whole["exchange"] == [] and whole["together"] == []
assert {(c["benchmark"], c["version"]) for c in whole["host_code"]} == {
	("ep", "hetero"), ("ep", "copying"), ("helpers", "hetero"), ("helpers", "by hand")}, whole["host_code"]' \
		"$work/said" || status=1
fi
good "$report" --quick --rounds 6 --only summa --devices "$two"
says '^    exchange costs copying [-0-9.]* % \[[-0-9.]*, [-0-9.]*\] of its time\(: none is shown$\|; hetero recovers \)'
says '^    its bytes alone cost [-0-9.]* % \[[-0-9.]*, [-0-9.]*\] of its time\(: none is shown$\|; hetero recovers \)'
keeps 4 "$work/kept" "$report" --quick --rounds 1 --only ep --devices pocl:cpu0.0 --page "$work/kept.html"
says '^report: .*kept.html: could not be written'
good "$report" --quick --rounds 1 --only ep --devices "$two" --calibrate "$work/calibration.ini"
says "^  calibration  *fits, $work/calibration.ini"
runs=$((runs + 1))
if ! grep -q '^figure.edges_ns = measured ' "$work/calibration.ini" ||
	! grep -q '^from = "pocl:cpu0.0"' "$work/calibration.ini"; then
	echo '== calibrated, but not devices that share, or not such that do not'
	status=1
fi
runs=$((runs + 1))
if "$report" --quick --only ep --devices "$two" --calibrate "$work/nowhere/calibration.ini" >"$work/said" 2>&1; then
	echo '== a report without the calibration that it was to make'
	status=1
fi
says '^report: pocl:.* was not calibrated'
runs=$((runs + 1))
if "$report" --quick --only ep --devices nonsense >"$work/said" 2>&1; then
	echo '== reports of devices that there are not'
	status=1
fi
says 'report: hetero-info finds no device for nonsense'
finish
