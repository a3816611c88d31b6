# tests/tool_common.sh - for tests of a tool: $tool runs, in the folder $at if there is one; what it says is in said and
# told of the folder $work.
# shellcheck shell=sh disable=SC2034,SC2154  # the test that includes it has the variables
status=0

complain()
{
	echo "== $*"
	cat "$work/said" "$work/told"
	status=1
}

# run STATUS [VARIABLE=VALUE...] OPTION...: the tool ends with this status; what it said is in said and told.
run()
{
	wanted=$1
	shift
	settings=
	while case ${1-} in [A-Z]*=*) true ;; *) false ;; esac; do
		settings="$settings $1"
		shift
	done
	got=0
	# shellcheck disable=SC2086  # a list of words
	(cd "${at:-.}" && env $settings "$tool" "$@") >"$work/said" 2>"$work/told" || got=$?
	[ "$got" = "$wanted" ] || complain "status $got instead of $wanted: $settings $*"
	[ "$wanted" = 0 ] || [ -s "$work/told" ] || complain "it said nothing on stderr: $*"
}

has()
{
	grep -q -e "$2" "$work/$1" || complain "no \"$2\" in $1"
}
