#!/bin/sh
# tests/replay.sh PROGRAM: runs a test program; how `make check` starts them all. In a build with debug checks,
# what the programs named below do is replayed meanwhile under the guards of the protocol. And some run all their
# tests in one process: real drivers, which bring a compiler along, then come up once and not for every test.
set -eu
: "${top_builddir:?is set by make check}"
: "${debug_checks?is set by make check}"
program=${1##*/}
case $program in
random_programs | test_random_* | test_example_faults | test_fake_threads | test_call | test_combined | \
	test_failure | test_giving_way | test_io | test_launch | test_map | test_memory | test_packed | \
	test_reduce | test_small_buffers | test_small_cards | test_spread | test_team | test_threads | \
	test_unmodified | test_windows) ;;
test_soak) [ -z "${HETERO_TEST_SOAK_S:-}" ] || debug_checks= ;; # the checker keeps in mind every task there was
*) debug_checks= ;;
esac
together=
case $program in
test_array | test_bad_calls | test_call | test_combined | test_failure | test_io | test_kernel | \
	test_kernel_programs | test_launch | test_map | test_memory | test_packed | test_random_spreads | \
	test_reduce | test_spread | test_stats | test_team | test_unmodified)
	[ -n "${HETERO_TEST_FAKE:-}${CK_FORK:-}${CK_RUN_CASE:-}" ] || together=yes
	;;
esac

# run PROGRAM: where its tests share a process and one fails, ends it or hangs (no test has a limit of its own
# then), each is run in a process of its own, so that it is named; that they all pass then does not help.
run()
{
	[ -n "$together" ] || { "$@"; return; }
	results=$top_builddir/$program.$$.results
	whole=0
	CK_FORK=no CK_LOG_FILE_NAME=$results timeout -k 5 600 "$@" || whole=$?
	[ "$whole" != 0 ] || grep -qs '^Results for all suites run' "$results" || whole=1
	rm -f "$results"
	[ "$whole" != 77 ] || return 77
	if [ "$whole" != 0 ]; then
		echo "$program: failed, ended early or hung in one process; once more, every test in its own:"
		"$@" || true
	fi
	return "$((whole != 0))"
}

[ -n "$debug_checks" ] || { run "$@"; exit; }

pipe=$top_builddir/$program.$$.transitions
rm -f "$pipe"
trap 'rm -f "$pipe"' EXIT
trap 'exit 143' TERM INT
[ -x "$top_builddir/tests/protocol_replay" ] || { echo 'replay.sh: tests/protocol_replay is not there'; exit 1; }
mkfifo "$pipe"
"$top_builddir/tests/protocol_replay" "$pipe" &
checker=$!
exec 3>"$pipe" # open until the last of the program's processes has ended
status=0
export HETERO_PROTOCOL="$pipe"
run "$@" 3>&- || status=$?
exec 3>&-
checked=0
wait "$checker" || checked=$?
rm -f "$pipe"
[ "$status" != 0 ] || status=$checked
exit "$status"
