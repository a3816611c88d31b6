#!/bin/sh
# tests/on_fakes.sh - tests of the library and the examples on the fake driver: separate memories, commands that
# run late and in any order. `tests/on_fakes.sh MACHINE ORDER PROGRAM...` runs only these.
set -eu
: "${top_builddir:?is set by make check}"
: "${top_srcdir:?is set by make check}"
[ -z "${HETERO_TEST_SHORT:-}" ] || { echo 'the fake driver is alike in every build: not tried in short runs'; exit 77; }

if [ ! -r "${HETERO_FAKE_DRIVER-}" ] || ! clang --version >/dev/null 2>&1; then
	echo 'the fake driver or clang is missing'
	exit 77
fi
unset HETERO_DEVICES
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
face='test_array test_audit test_bad_calls test_bad_input test_call test_combined test_counted test_failure test_faults test_io
	test_launch test_map test_memory test_own_mappers test_packed test_padded test_random_spreads test_reduce test_rehearsals test_rehearsed_ends test_rehearsed_memory test_spread test_stats
	test_team test_unmodified test_window_texts test_windows test_wraps'
floors='test_cache_size test_cl test_cl_program test_proof test_seats test_system'
pocl='test_caching_driver test_context test_kernel test_kernel_cache test_kernel_programs test_own_types' # on its CPU

# on MACHINE ORDER PROGRAM...
on()
{
	HETERO_TEST_FAKE=$1
	FAKECL_ORDER=$2
	export HETERO_TEST_FAKE FAKECL_ORDER
	shift 2
	for program in "$@"; do
		sh "$top_srcdir/tests/replay.sh" "$top_builddir/tests/$program" >"$work/said" 2>&1 && continue
		echo "== status $?: HETERO_TEST_FAKE=$HETERO_TEST_FAKE FAKECL_ORDER=$FAKECL_ORDER tests/$program"
		cat "$work/said"
		status=1
	done
}

if [ $# -gt 2 ]; then
	on "$@"
	exit $status
fi
seed=${HETERO_TEST_SEED:-$(date +%s)}
echo "HETERO_TEST_SEED=$seed"
# shellcheck disable=SC2086  # lists of words
{
	on cut-cpu late $face $floors $pocl
	on two-platforms late $face
	export HETERO_QUEUES=2
	on three-platforms late $face $floors test_threads
	unset HETERO_QUEUES
	on five-devices "random:$seed" $face
}

# The examples check themselves; hillshade bit for bit.
unset HETERO_TEST_FAKE
mkdir "$work/vendors"
echo "$HETERO_FAKE_DRIVER" >"$work/vendors/fakecl.icd"
OCL_ICD_VENDORS=$work/vendors
FAKECL_ORDER=random:$seed
export OCL_ICD_VENDORS FAKECL_ORDER FAKECL_MACHINE
examples=$top_builddir/examples
for machine in "$top_srcdir"/tests/fakecl/machines/*.machine; do
	case $machine in */small-*.machine) continue ;; esac # too small for them
	FAKECL_MACHINE=$machine
	for command in hello/hello cxx/saxpy 'pipeline/pipeline -n 4 -s 512' \
		'product/product --plain 37 29 43' 'heat/heat -s 19 -l 0.5' 'cg/cg -n 97' 'cholesky/cholesky -s 40 -t 8' 'hillshade/hillshade --check -n 3 -s 61x300'; do
		# shellcheck disable=SC2086  # a program and its options
		"$examples"/$command >"$work/said" 2>&1 && continue
		echo "== status $?: FAKECL_MACHINE=$machine FAKECL_ORDER=$FAKECL_ORDER examples/$command"
		cat "$work/said"
		status=1
	done
done
exit $status
