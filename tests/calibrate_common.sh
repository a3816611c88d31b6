# shellcheck shell=sh
# tests/calibrate_common.sh - what the tests of hetero-calibrate share: a fake machine of two cards with one context,
# a folder $work, ways to run the tool and to look at what it said; sourced.
# shellcheck disable=SC2034  # what is used where it is sourced
set -eu
: "${top_srcdir:?is set by make check}"
: "${top_builddir:?is set by make check}"
if [ ! -r "${HETERO_FAKE_DRIVER-}" ] || ! clang --version >/dev/null 2>&1; then
	echo 'the fake driver or clang is missing'
	exit 77
fi
tool=$top_builddir/calibrate/hetero-calibrate
work=$top_builddir/$(basename "$0" .sh).work
rm -rf "$work"
mkdir -p "$work/vendors"
echo "$HETERO_FAKE_DRIVER" >"$work/vendors/fakecl.icd"
OCL_ICD_VENDORS=$work/vendors
FAKECL_MACHINE=$top_srcdir/tests/fakecl/machines/one-context.machine
FAKECL_ORDER=fifo
HETERO_CALIBRATION=$work/calibration.ini
export OCL_ICD_VENDORS FAKECL_MACHINE FAKECL_ORDER HETERO_CALIBRATION
unset HETERO_DEVICES HETERO_ROUTE
status=0

# run STATUS [VARIABLE=VALUE...] OPTION...: the tool ends with this status; what it said is in said and told.
run()
{
	wanted=$1
	shift
	settings=
	while case ${1-} in *=*) true ;; *) false ;; esac; do
		settings="$settings $1"
		shift
	done
	got=0
	# shellcheck disable=SC2086  # a list of words
	env $settings "$tool" "$@" >"$work/said" 2>"$work/told" || got=$?
	[ "$got" = "$wanted" ] || complain "status $got instead of $wanted: $settings $*"
}

complain()
{
	echo "== $*"
	cat "$work/said" "$work/told"
	status=1
}

has()
{
	grep -q -e "$2" "$work/$1" || complain "no \"$2\" in $1"
}

# section FROM TO: the contiguous pair, until the next empty line.
section()
{
	awk -v from="from = \"$1\"" -v to="to = \"$2\"" \
		'BEGIN { RS = "" } index($0, from) && index($0, to) && /shape = contiguous/' "$work/calibration.ini"
}

# figures DEVICE: what was measured of it.
figures()
{
	awk -v name="name = \"$1\"" 'BEGIN { RS = "" } /^\[device/ && index($0, name)' "$work/calibration.ini" |
		grep '^figure'
}
