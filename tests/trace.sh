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
if draw --to -1 "$HETERO_TRACE" >"$work/picture.svg" 2>&1; then
	has 0 '<title>'
fi
printf '[\n\n]\n' >"$work/empty.json"
if draw "$work/empty.json" 2>"$work/said"; then
	echo 'an empty timeline is drawn'
	status=1
fi
grep -q 'nothing happens in it' "$work/said" || status=1
exit $status
