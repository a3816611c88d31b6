#!/bin/sh
# tests/trace.sh - doc/timeline2svg.py draws what a program traced: every kernel and row, as well-formed XML.
set -eu
: "${top_srcdir:?is set by make check}" "${top_builddir:?is set by make check}"
if [ ! -r "${HETERO_FAKE_DRIVER-}" ] || ! clang --version >/dev/null 2>&1 || ! python3 --version >/dev/null 2>&1; then
	echo 'the fake driver, clang or python3 is missing'
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/vendors"
echo "$HETERO_FAKE_DRIVER" >"$work/vendors/fakecl.icd"
OCL_ICD_VENDORS=$work/vendors
FAKECL_MACHINE=$top_srcdir/tests/fakecl/machines/one-context.machine
FAKECL_ORDER=fifo
HETERO_TRACE=$work/trace.json
export OCL_ICD_VENDORS FAKECL_MACHINE FAKECL_ORDER HETERO_TRACE
status=0

draw()
{
	python3 "$top_srcdir/doc/timeline2svg.py" "$@"
}

# has COUNT TEXT: it is drawn so often, as a word or as a hint.
has()
{
	got=$(grep -o -e "$2" "$work/picture.svg" | wc -l)
	if [ "$got" -ne "$1" ]; then
		echo "\"$2\" is drawn $got times instead of $1"
		status=1
	fi
}

"$top_builddir/examples/pipeline/pipeline" --steps 3 >"$work/said"
draw --title 'a <title> & more' "$HETERO_TRACE" >"$work/picture.svg"
python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$work/picture.svg" || status=1
has 1 'a &lt;title&gt; &amp; more<'
has 1 '>pocl:gpu0<'
has 1 '>pocl:gpu1<'
has 1 '>main thread (waits)<'
has 3 '<title>out middle, in input<'
has 3 '<title>out output, in middle<'
has 3 'because spread arg 1 uses it; last written by mean;'
# Nothing of all that happened before the program began.
draw --from -2 --to -1 "$HETERO_TRACE" >"$work/picture.svg"
has 0 '<title>'
# No picture of no time.
for wrong in '--to 0' '--to -1' '--from 5 --to 5' '--from 5 --to 4' '--from 1e9' '--from nan' \
	'--to nan' '--to inf' '--from=-inf'; do
	got=0
	# shellcheck disable=SC2086  # a list of words
	draw $wrong "$HETERO_TRACE" >"$work/said" 2>&1 || got=$?
	if [ "$got" != 2 ] || ! grep -q 'error: there is no time between --from and --to' "$work/said"; then
		echo "$wrong: status $got instead of 2"
		cat "$work/said"
		status=1
	fi
done
# Times may be short or long: there are up to 13 marks below, the last with its unit.
# marks NUMBER LAST FROM TO
marks()
{
	draw --from "$3" --to "$4" "$HETERO_TRACE" >"$work/picture.svg" || status=1
	has "$1" 'text-anchor="middle">[0-9.]*\( ms\)\{0,1\}</text>'
	has 1 ">$2 ms<"
}
marks 7 0.6 0 0.65
marks 7 120 0 120.5
marks 12 110000 0 119999
marks 7 120000 0 120001
marks 11 5000000 0 5000001
marks 11 100000000 0 100000001
# A kernel may have any name, also that of what tells the rows' names; an arrow has one number, and a row may have many.
cat >"$work/odd.json" <<'JSON'
[
{"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"upper"}},
{"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"lower"}},
{"ph":"M","pid":1,"tid":1,"name":"thread_sort_index","args":{"sort_index":1}},
{"ph":"M","pid":1,"tid":2,"name":"thread_sort_index","args":{"sort_index":2}},
{"ph":"X","pid":1,"tid":1,"ts":0,"dur":4000,"name":"thread_name","cat":"kernel","args":{}},
{"ph":"X","pid":1,"tid":2,"ts":5000,"dur":4000,"name":"thread_sort_index","cat":"kernel","args":{}},
{"ph":"s","pid":1,"tid":1,"ts":4000,"id":1,"name":"wait","cat":"wait"},
{"ph":"s","pid":1,"tid":2,"ts":4000,"id":2,"name":"wait","cat":"wait"},
{"ph":"f","pid":1,"tid":2,"ts":5000,"id":2,"name":"wait","cat":"wait"},
{"ph":"f","pid":1,"tid":2,"ts":5000,"id":1,"name":"wait","cat":"wait"}
]
JSON
draw "$work/odd.json" >"$work/picture.svg" || status=1
has 1 '>upper<'
has 1 '>lower<'
has 1 '<title>thread_name<'
has 1 '<title>thread_sort_index<'
has 1 'url(#tip)'
# Each arrow is found by its number: a timeline of many is drawn at once.
awk 'BEGIN {
	print "[{\"ph\":\"M\",\"pid\":1,\"tid\":1,\"name\":\"thread_name\",\"args\":{\"name\":\"row\"}},"
	print "{\"ph\":\"M\",\"pid\":1,\"tid\":1,\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":1}},"
	for (i = 0; i < 100000; i++) {
		printf "{\"ph\":\"s\",\"pid\":1,\"tid\":1,\"ts\":%d,\"id\":%d,\"name\":\"a\"},\n", i, i
		printf "{\"ph\":\"f\",\"pid\":1,\"tid\":1,\"ts\":%d,\"id\":%d,\"name\":\"a\"},\n", i, i
	}
	print "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":9,\"name\":\"a\",\"cat\":\"kernel\",\"args\":{}}]"
}' >"$work/many.json"
timeout 60 python3 "$top_srcdir/doc/timeline2svg.py" "$work/many.json" >"$work/picture.svg" || { echo 'many arrows'; status=1; }
printf '[\n\n]\n' >"$work/empty.json"
if draw "$work/empty.json" 2>"$work/said"; then
	echo 'an empty timeline is drawn'
	status=1
fi
grep -q 'nothing happens in it' "$work/said" || status=1
exit $status
