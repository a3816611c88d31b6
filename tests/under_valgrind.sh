#!/bin/sh
# tests/under_valgrind.sh TEST - what `make check-valgrind` runs each test with. $top_srcdir is set by it, and
# $device_tests, the names of tests that open devices: such a test stays one process, because the driver's
# compiler, which takes seconds to load here, would else be loaded by each of its cases. Only PoCL is loaded.
set -eu
: "${top_srcdir:?is set by make check-valgrind}" "${device_tests:?}"
command -v valgrind >/dev/null || { echo 'valgrind is not installed'; exit 77; }
pocl=/etc/OpenCL/vendors/pocl.icd
for test in $device_tests; do
	case $1 in
	"$test" | */"$test")
		[ -f "$pocl" ] || { echo 'PoCL is not installed'; exit 77; }
		export OCL_ICD_VENDORS="$pocl" CK_FORK=no
		;;
	esac
done
export HETERO_TEST_SHORT=1 CK_TIMEOUT_MULTIPLIER=30
exec timeout 900 valgrind -q --error-exitcode=99 --leak-check=full --show-leak-kinds=definite \
	--errors-for-leak-kinds=definite --suppressions="$top_srcdir/tests/valgrind.supp" "$@"
