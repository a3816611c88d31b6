#!/bin/sh
# tests/replay.sh PROGRAM: runs a test program; how `make check` starts them all. In a build with debug checks,
# what the programs named below do is replayed meanwhile under the guards of the protocol.
set -eu
: "${top_builddir:?is set by make check}"
: "${debug_checks?is set by make check}"
case ${1##*/} in
random_programs | test_random_* | test_example_faults | test_fake_threads | test_call | test_combined | \
	test_failure | test_io | test_launch | test_map | test_memory | test_reduce | test_small_cards | \
	test_spread | test_team | test_threads | test_unmodified | test_windows) ;;
test_soak) [ -z "${HETERO_TEST_SOAK_S:-}" ] || debug_checks= ;; # the checker keeps in mind every task there was
*) debug_checks= ;;
esac
[ -n "$debug_checks" ] || exec "$@"

pipe=$top_builddir/${1##*/}.$$.transitions
rm -f "$pipe"
mkfifo "$pipe"
"$top_builddir/tests/protocol_replay" "$pipe" &
checker=$!
exec 3>"$pipe" # open until the last of the program's processes has ended
status=0
HETERO_PROTOCOL=$pipe "$@" 3>&- || status=$?
exec 3>&-
checked=0
wait "$checker" || checked=$?
rm -f "$pipe"
[ "$status" != 0 ] || status=$checked
exit "$status"
