#!/bin/sh
# tests/calibrate_faults.sh - hetero-calibrate on a machine where things fail: a route that fails is barred and named,
# and nothing else is laid to a route.
# shellcheck disable=SC1091,SC2154  # what calibrate_common.sh has
set -eu
: "${top_srcdir:?is set by make check}"
. "$top_srcdir/tests/calibrate_common.sh"

# A transfer whose execution fails, long after the call, does not count as a fast one.
run 0 FAKECL_FAIL=copy:5:-5 --quick --only pocl:gpu0,pocl:gpu1
has told 'from pocl:gpu0 to pocl:gpu1 the route copy is barred: failed at .* bytes: .*CL_OUT_OF_RESOURCES'
section pocl:gpu0 pocl:gpu1 | grep -q '^barred.copy = "measured failed at ' || complain 'copy is not barred'
section pocl:gpu0 pocl:gpu1 | grep -q '^choice.1 = 0 ' || complain 'nothing was chosen'
run 0 --check

rm -rf "$work"
exit $status
