#!/bin/sh
# tests/examples_cluster.sh - the example of several processes: bits as by one, memories shared and kept apart, bands of
# one row, and what it says where a process cannot go on.
# shellcheck disable=SC1091  # what examples_common.sh has
set -eu
: "${top_srcdir:?is set by make check}"
. "$top_srcdir/tests/examples_common.sh"

cluster=$examples/cluster/cluster
[ -x "$cluster" ] || { echo 'built without MPI'; exit 77; }
command -v mpirun >/dev/null || { echo 'mpirun is not installed'; exit 77; }
HETERO_DEVICES=pocl:cpu0.1 "$examples/hello/hello" >/dev/null 2>&1 || { echo 'PoCL with two cores is not installed'; exit 77; }
mpirun -n 2 true </dev/null || { echo 'mpirun starts no processes here'; exit 77; }

# on PROCESSES OPTION...: the example, with time enough for a busy machine.
on()
{
	processes=$1
	shift
	timeout 120 mpirun -n "$processes" "$cluster" "$@" </dev/null
}

# ends_with STATUS TEXT PROCESSES OPTION...: is refused, in one line that has the text.
ends_with()
{
	wanted=$1
	text=$2
	shift 2
	runs=$((runs + 1))
	got=0
	on "$@" >"$work/said" 2>&1 || got=$?
	[ "$got" = "$wanted" ] || { echo "== status $got, not $wanted: $*"; status=1; }
	says "$text"
}

for HETERO_SHARE in on off; do
	for HETERO_DEVICES in pocl:cpu0 pocl:cpu0.0,pocl:cpu0.1; do
		export HETERO_DEVICES HETERO_SHARE
		for processes in 1 2 3; do
			good on "$processes" --size 70 --steps 40
			says '^70 x 70 cells, 40 steps, [1-3] process\(es\)\{0,1\}, mean 5.[0-9]* degrees: verified$'
		done
	done
done
unset HETERO_SHARE

# Three rows inside the plate, one for each; the outermost ones are all there is.
good on 3 --size 5 --steps 9
says '^process 0 has rows 1 to 1 on pocl:cpu0.0$'
says '^process 1 has rows 2 to 2 on pocl:cpu0.1$'
says '^process 2 has rows 3 to 3 on pocl:cpu0.0$'
good on 1 --size 5 --steps 0
says '^process 0 has rows 1 to 3 on pocl:cpu0.0 pocl:cpu0.1$'

# What each launch declares is looked at; a process has a timeline of its own.
export HETERO_CHECK=1
good on 2 --size 20 --steps 4
unset HETERO_CHECK
HETERO_TRACE="$work/timeline-%p.json" good on 2 --size 20 --steps 4
[ "$(find "$work" -name 'timeline-*.json' | wc -l)" = 2 ] || { echo '== not two timelines'; status=1; }

ends_with 0 '^usage: mpirun -n P cluster' 2 --help
ends_with 2 '^cluster: 2 processes need at least 4 cells a side, not 3$' 2 --size 3
ends_with 2 '^cluster: "2" is not a whole number of 3 to 16384; see cluster --help$' 2 --size 2
ends_with 2 '^cluster --help lists the options$' 2 --nonsense
ends_with 2 '^cluster: "more" is not an option' 2 more
[ "$(grep -c 'is not an option' "$work/said")" = 1 ] || { echo '== said more than once'; status=1; }
ends_with 1 'nowhere' 2 --devices nowhere
finish
