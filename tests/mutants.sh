#!/bin/sh
# tests/mutants.sh [NAME...] - the library with a fault seeded in one place, for each of tests/mutants/*.mutant (or
# those named): the test program that is said to notice must notice, and in the way it is said to. Without the fault
# it must pass.
#
# A mutant is a file: a comment that says in words what is broken; then lines
#   file FILE       of the library
#   run SETTING... PROGRAM   a test program and its environment: what notices
#   checks          it takes the debug checks to notice; else the library is compiled without them
#   replay          it takes the replay of the protocol, and so the debug checks
#   says PATTERN    what the program says then, and not without the fault (an extended regular expression): when a
#                   test has failed and that was said, the program is ended; `nothing: it hangs` is meant so
#   within SECONDS  when a program that hangs is given up
#   old, new        the lines that follow replace these, which stand in FILE exactly once
#
# HETERO_TEST_MUTANTS=K/N tries only every Nth, from number K on (0/3, 1/3 and 2/3 are all of them); that each can be
# made is looked at always.
set -eu
: "${top_srcdir:?is set by make check}" "${top_builddir:?is set by make check}" "${CC:?is set by make check}"
: "${compile_flags?is set by make check}" "${link_flags?is set by make check}"
[ -z "${HETERO_TEST_SHORT:-}" ] || { echo 'mutants are the same in every build: not tried in short runs'; exit 77; }
[ -n "${debug_checks:-}" ] || { echo 'the build has no debug checks'; exit 77; }
[ -z "${HET_INSTRUMENT_FLAGS:-}" ] || { echo 'the build is instrumented'; exit 77; }
if [ ! -r "${HETERO_FAKE_DRIVER-}" ] || ! clang --version >/dev/null 2>&1; then
	echo 'the fake driver or clang is missing'
	exit 77
fi
work=$top_builddir/mutants.work
most_seconds=180
status=0
turn=${HETERO_TEST_MUTANTS:-0/1}
first=${turn%/*}
every=${turn#*/}
number=0
tried=0
unaided=0
rm -rf "$work"
mkdir -p "$work/plain" "$work/mutated" "$work/passed" "$work/tmp"
cd "$work" # where cores may fall
HETERO_TEST_SEED=1
HETERO_TEST_PROGRAMS=200
TMPDIR=$work/tmp # what programs leave that are ended goes with the rest
export HETERO_TEST_SEED HETERO_TEST_PROGRAMS TMPDIR

complain()
{
	echo "$mutant: $1"
	[ ! -s "$work/said" ] || sed 's/^/	/' "$work/said" | tail -n 40
	status=1
}

# field NAME: of the mutant.
field()
{
	sed -n '/^old$/q; s/^'"$1"' *//p' "$file"
}

# mutate SOURCE: with the mutant's lines replaced. Fails unless they stand there once.
mutate()
{
	awk '
		FNR == 1 { files++ }
		files == 2 { source = source $0 "\n"; next }
		$0 == "old" || $0 == "new" { part = $0; next }
		part { text[part] = text[part] (text[part] ? "\n" : "") $0 }
		END {
			at = index(source, text["old"])
			rest = substr(source, at + length(text["old"]))
			if (!text["old"] || !at || index(rest, text["old"]))
				exit 1
			printf "%s%s%s", substr(source, 1, at - 1), text["new"], rest
		}' "$file" "$1"
}

# compile FLAG... SOURCE OBJECT
compile()
{
	# shellcheck disable=SC2086  # lists of words
	$CC $compile_flags -O1 -w -I "$top_srcdir/include" -I "$top_srcdir/lib" -I "$top_builddir/lib" -c "$@"
}

# link_test PROGRAM LIBRARY [OBJECT]: an object before the library takes the place of the library's own.
link_test()
{
	# shellcheck disable=SC2086  # lists of words
	$CC -o "$work/$1" "$top_builddir/tests/$1.o" "$work/helpers.a" ${3-} "$2" $link_flags
}

# Whether a test has failed and $enough was said; the replay says so before the test ends.
is_enough()
{
	[ -n "$replay" ] || grep -qs '^not ok' "$work/tap" || return 1
	grep -qsE "$enough" "$work/said" || grep -s '^not ok' "$work/tap" | grep -qE "$enough"
}

# try PROGRAM SECONDS SETTING...: what it says goes to $work/said, and the lines of its tests that failed. With $enough,
# a pattern, it goes on only until that has been said.
try()
{
	program=$1
	seconds=$2
	shift 2
	: >"$work/said"
	# shellcheck disable=SC2086  # a list of words
	timeout -k 5 "$seconds" env CK_TAP_LOG_FILE_NAME="$work/tap" "$@" $replay "$work/$program" >>"$work/said" 2>&1 &
	running=$!
	while [ -n "${enough:-}" ] && kill -0 $running 2>/dev/null; do
		sleep 0.2
		! is_enough || kill $running 2>/dev/null || true
	done
	tried_status=0
	wait $running || tried_status=$?
	grep -s '^not ok' "$work/tap" >>"$work/said" || true
	rm -f "$work/tap"
	return $tried_status
}

# The library without debug checks, and what test programs share (not what is compiled for one of them).
for source in "$top_srcdir"/lib/*/*.c; do
	room=$(basename "$(dirname "$source")")
	echo "$source $work/plain/$room-$(basename "$source" .c).o"
done >"$work/sources"
while read -r source object; do
	compile "$source" -o "$object"
done <"$work/sources"
ar cr "$work/plain.a" "$work"/plain/*.o
for source in "$top_srcdir"/tests/*.c; do
	name=$(basename "$source" .c)
	case $name in test_* | random_programs) continue ;; esac
	[ ! -e "$top_builddir/tests/$name.o" ] || echo "$top_builddir/tests/$name.o"
done | xargs ar cr "$work/helpers.a"

# try_mutant: $file, $mutant.
try_mutant()
{
	source=$(field file)
	mutate "$top_srcdir/$source" >"$work/mutated/$(basename "$source")" ||
		{ complain "does not apply: $source has not exactly one such place"; return; }
	number=$((number + 1))
	[ "$(((number - 1) % every))" = "$first" ] || return 0
	tried=$((tried + 1))
	run=$(field run)
	says=$(field says)
	within=$(field within)
	program=${run##* }
	settings=${run%"$program"}
	replay=
	flags=
	library=$work/plain.a
	if grep -q '^checks$\|^replay$' "$file"; then
		library=$top_builddir/.libs/libhetero_all.a
		flags=$debug_checks
	else
		unaided=$((unaided + 1))
	fi
	! grep -q '^replay$' "$file" || replay="sh $top_srcdir/tests/replay.sh"
	[ "$program" != random_programs ] || settings="CK_RUN_CASE=fake $settings"
	: >"$work/said"

	control=$work/passed/$(echo "$library $replay $run" | cksum | tr ' ' .)
	if [ ! -e "$control" ]; then
		link_test "$program" "$library"
		# shellcheck disable=SC2086  # a list of words
		try "$program" 300 $settings || { complain "without it, too: $run"; return; }
		mv "$work/said" "$control"
	fi
	! grep -qE "$says" "$control" || { complain "is said without it, too: $(grep -m 1 -E "$says" "$control")"; return; }

	# shellcheck disable=SC2086  # a list of words
	compile $flags "$work/mutated/$(basename "$source")" -o "$work/mutated/$mutant.o" 2>"$work/said" ||
		{ complain 'does not compile'; return; }
	link_test "$program" "$library" "$work/mutated/$mutant.o" 2>"$work/said" || { complain 'does not link'; return; }
	ended=0
	enough=$says
	# shellcheck disable=SC2086  # a list of words
	try "$program" "${within:-$most_seconds}" $settings || ended=$?
	enough=
	if [ "$ended" = 0 ]; then
		complain "SURVIVED: $run"
	elif [ "$ended$says" = '124nothing: it hangs' ]; then
		echo "$mutant: caught by $program: it hangs"
	elif grep -qE "$says" "$work/said"; then
		echo "$mutant: caught by $program${replay:+, replayed}: $(grep -m 1 -oE "$says" "$work/said" | head -n 1)"
	else
		complain "noticed, but not as it was to be (status $ended): $run"
	fi
}

[ $# -gt 0 ] || set -- "$top_srcdir"/tests/mutants/*.mutant
for file in "$@"; do
	[ -f "$file" ] || file=$top_srcdir/tests/mutants/$file.mutant
	mutant=$(basename "$file" .mutant)
	try_mutant
done
[ $status != 0 ] || rm -rf "$work"
[ "$tried" -gt 0 ] || { echo 'no mutant was tried'; status=1; }
echo "$tried of $# mutants, $unaided of them in a library without debug checks"
exit $status
