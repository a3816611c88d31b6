#!/bin/sh
# tests/protocol.sh - SPIN explores the model of the protocol to the end: no error, no command that is never
# reached. Then faults are seeded, and each must lead to wrong data. What takes minutes is not explored again while
# model, SPIN and how it is run are what tests/protocol/explored says they were; HETERO_TEST_KEEP=1 explores it and
# stores that. HETERO_TEST_LONG=1 explores it, and larger models too.
set -eu
: "${top_srcdir:?is set by make check}"
: "${top_builddir:?is set by make check}"
: "${CC:?is set by make check}"
[ -z "${HETERO_TEST_SHORT:-}" ] || { echo 'the model is the same in every build: not explored in short runs'; exit 77; }
command -v spin >/dev/null || { echo 'spin is not installed'; exit 77; }
model=$top_srcdir/tests/protocol/protocol.pml
explored=$top_srcdir/tests/protocol/explored
folder=$top_builddir/protocol.work
status=0
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"

complain()
{
	echo "$1"
	sed 's/^/	/' log
	status=1
}

# The model's verifier, and how it is run. Statements are not merged: each is to be seen as reached.
translation=-o3
defines='-DSAFETY -DCOLLAPSE -DMEMLIM=2000'
limits=-m100000

# build OPTIMISATION SWITCH...
build()
{
	level=$1
	shift
	spin "$translation" -a "$@" "$model" >log
	# shellcheck disable=SC2086  # words
	$CC "$level" -w $defines -o verifier pan.c
}

# The statements that the last run did not reach, however the model was cut.
unreached()
{
	sed -n 's/, state [0-9]*, "/ "/p' log | LC_ALL=C sort -u
}

# explore covered|partly|first|second SWITCH...: what is not covered by the first of two is by the second.
explore()
{
	coverage=$1
	shift
	build -O2 "$@"
	./verifier "$limits" -w22 >log || true
	if ! grep -q 'errors: 0$' log || grep -q 'not completed\|too small\|MEMLIM' log; then
		complain "not without error to the end: $*"
	elif [ "$coverage" = covered ] && grep -q ', state [0-9]*, "' log; then
		complain "not everything is reached: $*"
	elif [ "$coverage" = second ] && unreached | LC_ALL=C comm -12 unreached.first - | grep . >never; then
		mv never log
		complain "not everything is reached, nor was it before: $*"
	else
		echo "$(sed -n 's/ *\([0-9]*\) states, stored.*/\1/p' log) states: $*"
		[ "$coverage" != first ] || unreached >unreached.first
	fi
}

# find FAULT SWITCH...: an assertion about data fails. Tasks that never end are not counted as found.
find_fault()
{
	fault=$1
	shift
	build -O0 "-DCARELESS_$fault" "$@"
	./verifier -E "$limits" -w20 >log || true
	if grep -q '^pan:1: assertion violated' log; then
		echo "found: $fault"
	else
		complain "not found: $fault"
	fi
}

# A command that the model does not use could not be missed.
sed -n 's/^COMMAND(\([a-z_]*\),.*/\1/p' "$top_srcdir/tests/protocol/commands.h" >names
while read -r name; do
	grep -qi "[^a-z_]$name(" "$model" "${model%/*}/drivers.pml" || { echo "the model does not use $name"; status=1; }
done <names
runs='first -DTASKS=4 -DSAYINGS=0
second -DTASKS=3
first -DTASKS=4 -DONE_CONTEXT -DLOOKS -DMAPS=0 -DFORGETS=0 -DFAILURES=0 -DSAYINGS=0
second -DTASKS=3 -DONE_CONTEXT
partly -DTASKS=4 -DONE_CONTEXT -DMAPS=0 -DSAYINGS=0
partly -DTASKS=3 -DONE_CONTEXT -DFAILURES=2 -DSAYINGS=0
partly -DTASKS=4 -DHOST_LANE -DLOOKS -DMAPS=0 -DFORGETS=0 -DFAILURES=0 -DSAYINGS=0
first -DTASKS=3 -DHOST_LANE -DLOOKS -DMAPS=0
second -DTASKS=3 -DHOST_LANE -DLOOKS -DFORGETS=0'
sum=$({ spin -V; echo "$translation $defines $limits $runs"; cat "${model%/*}"/*.pml "${model%/*}/states.h" "${model%/*}/commands.h"; } | sha256sum)
sum=${sum%% *}
if [ "${HETERO_TEST_LONG:-}${HETERO_TEST_KEEP:-}" = '' ] && grep -qxF "$sum" "$explored"; then
	sed "1d; s/^/explored before, not changed since: /" "$explored"
else
	echo "$runs" >runs
	while read -r run; do
		# shellcheck disable=SC2086  # words
		explore $run
	done <runs >said
	cat said
	if [ "$status" = 0 ] && [ -n "${HETERO_TEST_KEEP:-}" ]; then
		{ echo "$sum"; cat said; } >"$explored"
	elif ! grep -qxF "$sum" "$explored"; then
		echo 'The model has changed: HETERO_TEST_KEEP=1 make check TESTS=tests/protocol.sh stores that this is explored.'
	fi
fi
explore partly -DTASKS=3 -DONE_CONTEXT -DSAYINGS=0
if [ -n "${HETERO_TEST_LONG:-}" ]; then
	explore partly -DTASKS=4 -DHOST_LANE -DLOOKS -DMAPS=0 -DFORGETS=0 -DSAYINGS=0
	explore partly -DTASKS=4 -DONE_CONTEXT -DSAYINGS=0
	explore partly -DTASKS=4 -DHOST_LANE -DSAYINGS=0
	explore partly -DTASKS=4 -DLOOKS -DMAPS=0 -DSAYINGS=0
	explore partly -DTASKS=4 -DFAILURES=2 -DMAPS=0 -DFORGETS=0 -DSAYINGS=0
	explore partly -DTASKS=3 -DONE_CONTEXT -DFAILURES=2
	explore covered -DTASKS=3 -DHOST_LANE -DLOOKS
	explore partly -DTASKS=4 -DMAPS=0 -DFORGETS=0
fi
for fault in begin_read succeed; do
	find_fault "$fault" -DTASKS=3 -DONE_CONTEXT -DSAYINGS=0
done
for fault in source_reader depend taint settle forget free_block host_read host_write former outdate; do
	find_fault "$fault" -DTASKS=3 -DONE_CONTEXT
done
for fault in imply_by_queue imply_by_event; do
	find_fault "$fault" -DTASKS=4 -DONE_CONTEXT -DLOOKS -DMAPS=0 -DFORGETS=0 -DFAILURES=0 -DSAYINGS=0
done
for fault in begin_write follow submit; do
	find_fault "$fault" -DTASKS=3 -DHOST_LANE -DLOOKS -DMAPS=0 -DFORGETS=0 -DFAILURES=0
done
find_fault collapse -DTASKS=4 -DHOST_LANE -DLOOKS -DMAPS=0 -DFORGETS=0 -DFAILURES=0 -DSAYINGS=0
rm -rf "$folder"
exit $status
