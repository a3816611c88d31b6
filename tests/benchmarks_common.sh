# shellcheck shell=sh
# tests/benchmarks_common.sh - what the tests of the benchmarks share; sourced.
# shellcheck disable=SC1091,SC2154  # what examples_common.sh has
. "$top_srcdir/tests/examples_common.sh"
benchmarks=$top_builddir/benchmarks
two=pocl:cpu0.0,pocl:cpu0.1 # two cores
unset HETERO_DEVICES HETERO_SHARE

# refuses TEXT COMMAND...: has to end with status 2, saying so.
refuses()
{
	wanted=$1
	shift
	runs=$((runs + 1))
	got=0
	"$@" >"$work/said" 2>&1 || got=$?
	[ "$got" = 2 ] || { echo "== status $got instead of 2: $*"; status=1; }
	says "$wanted"
}

# benchmark NAME CLASS VERSIONS: every version computes the right thing, on one device, on two, and with memories kept
# apart; wrong words are named. In short runs that is all: that everything needed is there, and this compiler's code
# right; the rest is alike in every build.
benchmark()
{
	program=$benchmarks/$1/$1
	HETERO_DEVICES=pocl:cpu0.1 "$top_builddir/examples/hello/hello" >"$work/said" 2>&1 ||
		{ echo 'no CPU of two one-core parts under PoCL'; exit 77; }
	if [ -n "${HETERO_TEST_SHORT:-}" ]; then
		good "$program" --class "$2" --devices "$two" --version "$3" --verify
		says "^$1 class $2, "
		finish
	fi
	for devices in pocl:cpu0.0 "$two"; do
		good "$program" --class "$2" --devices "$devices" --version "$3" --verify
		says "^$1 class $2, "
	done
	good "$program" --class "$2" --devices "$two" --share off --version "$3" --rounds 1 --memory
	for version in $(echo "$3" | tr , ' '); do
		says "^  $version: check "
		says "^  $version: time "
		says "^  $version: peak memory  *[1-9]"
	done
	says '^  hetero / copying '
	says '^  hetero: moved  *[1-9][0-9]* bytes'
	good "$program" --help
	says '^  --class NAME '
	refuses "^$1: there is no class Q; there are: " "$program" --class Q
	refuses "^$1: --version Q is not possible" "$program" --version Q
	says '^  --version LIST  *which versions, of: hetero '
	refuses "^$1: --rounds 0 is not possible" "$program" --rounds 0
	says '^  --rounds N  .*1 to 999)$'
	refuses "^$1: --seconds 0 is not possible" "$program" --seconds 0
	refuses "^$1: --class: its value is missing" "$program" --class
	refuses "^$1: there is no option x" "$program" x 1
	refuses "^$1: there is no option \$" "$program" '' 1
	runs=$((runs + 1))
	if "$program" --devices nonsense >"$work/said" 2>&1; then
		echo '== runs on devices that there are not'
		status=1
	fi
	says nonsense
}

# json_says EXPRESSION COMMAND...: what it prints is one JSON document, of which the Python expression is true, with the
# sections' names in `names` and the rows of the first in `rows`.
json_says()
{
	expression=$1
	shift
	runs=$((runs + 1))
	if ! "$@" --format json >"$work/json" 2>"$work/said"; then
		grep -q '^built without jansson' "$work/said" || { cat "$work/said"; echo "== failed: $*"; status=1; }
		return 0
	fi
	command -v python3 >/dev/null || return 0
	python3 -c 'import json, sys; whole = json.load(open(sys.argv[1])); s = whole["sections"]; rows = s[0]["rows"]
names = [x["name"] for x in s]
assert '"$expression" "$work/json" || { echo "== not so: $expression: $*"; status=1; }
}

# four_devices: whether PoCL can be told that there are two processors; `four` are two parts of each, more than there are
# cores.
# shellcheck disable=SC2034  # used by those who source this
four_devices()
{
	four=pocl:cpu0.0,pocl:cpu0.1,pocl:cpu1.0,pocl:cpu1.1
	POCL_DEVICES='pthread pthread' HETERO_DEVICES=pocl:cpu1.1 "$examples/hello/hello" >"$work/said" 2>&1
}

# together NAME OPTION...: what two devices bring is what the times of the same round say, each device's by itself and
# that of both, whatever was asked for two (--shares).
together()
{
	program=$benchmarks/$1/$1
	shift
	json_says '[one["median"] for one in rows if one["what"] == "hetero: speed-up"] and all(
	abs(seen / wanted - 1) < 1e-6 for time in [{one["what"].split(": ")[0]: one["median"] for one in rows
			if one["what"].endswith(": time")}]
		for both, first, second in [(time["hetero"], time["alone, pocl:cpu0.0"], time["alone, pocl:cpu0.1"])]
		for seen, wanted in [([one["median"] for one in rows if one["what"] == what][0], value) for what, value in
			[("hetero: speed-up", min(first, second) / both),
			 ("hetero: of all speeds", 100 / both / (1 / first + 1 / second))]])' \
		"$program" "$@" --devices "$two" --rounds 1 --version hetero,alone
}

# exchanges NAME CLASS: what exchange costs is measured, by a version of the copying one's source that sends nothing.
exchanges()
{
	program=$benchmarks/$1/$1
	good "$program" --class "$2" --devices "$two" --rounds 6 --version hetero,copying,local,unsent
	says '^  local: check  *none: nothing is exchanged$'
	says '^  unsent: check  *none: nothing is exchanged$'
	says '^  local / copying '
	says '^  unsent / copying '
	says '^  copying: exchange  *[-0-9.]* % '
	says '^  copying: bytes of exchange  *[-0-9.]* % '
	says 'exchange recovered  *\([-0-9.]* %\|not known: no cost is shown$\)'
	says 'bytes of exchange recovered  *\([-0-9.]* %\|not known: no cost is shown$\)'
	good "$program" --class "$2" --devices "$two" --rounds 1
	says '^  local: time '
	says '^  unsent: time '
	says ', 1 round:$'
	says '^  exchange recovered  *not known: fewer than 6 rounds$'
	says '^  bytes of exchange recovered  *not known: fewer than 6 rounds$'
	! grep 'recovered .* %' "$work/said" || { echo "== $1: what one round has recovered"; status=1; }
	good "$program" --class "$2" --devices pocl:cpu0.0 --rounds 1 --version copying,local
	says "^$1, local: left out: one device exchanges nothing"
	sends='clEnqueueCopyBuffer\|clEnqueueWriteBufferRect'
	if nm "$benchmarks/$1/$1-$1_copying.o" 2>/dev/null | grep -q "$sends"; then
		runs=$((runs + 1))
		! nm "$benchmarks/$1/$1-$1_local.o" | grep "$sends" || { echo "== $1, local: sends something"; status=1; }
		nm "$benchmarks/$1/$1-$1_local.o" | grep -q clEnqueueMarkerWithWaitList ||
			{ echo "== $1, unsent: keeps no waits"; status=1; }
	fi
}
