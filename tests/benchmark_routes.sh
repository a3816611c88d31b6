#!/bin/sh
# tests/benchmark_routes.sh - benchmarks/routes on a fake machine of two cards: it measures every pair and size, says
# so in text and JSON, and shows that a choice is slow where it is made so.
# shellcheck disable=SC1091,SC2154  # what calibrate_common.sh has
set -eu
: "${top_srcdir:?is set by make check}"
: "${has_json:?is set by make check}"
[ -z "${HETERO_TEST_SHORT:-}" ] || { echo 'routes are alike in every build: not measured in short runs'; exit 77; }
. "$top_srcdir/tests/calibrate_common.sh"

run 0 --quick
calibrator=$tool
tool=$top_builddir/benchmarks/routes/routes
run 0 --help
has said '^usage: '
for wrong in '--rounds 0' --rounds '--nonsense 1' '--only host' '--shape round' '--format xml' '--share maybe'; do
	# shellcheck disable=SC2086
	run 2 $wrong
	has told '^usage: '
done
has told '^routes: --share maybe is not possible$'
run 2 --nonsense 1
has told '^routes: there is no option --nonsense$'
run 2 --rounds 6 --only host,gpu
has told 'routes: --only host,gpu: these are no two of the memories that there are: host pocl:gpu0 pocl:gpu1$'
run 2 --rounds 6x
run 2 --smallest 64 --largest 1
has told 'no size lies between'
run 1 HETERO_CALIBRATION=off --rounds 6
has told 'no calibration is in use'

# Six pairs of two sizes.
run 0 --rounds 6 --smallest 4 --largest 16
has said '^  pocl:gpu1: .*driver '
has said '^pocl:gpu0 to pocl:gpu1, 4 KiB, contiguous, 6 rounds:$'
has said '^host to pocl:gpu0, 16 KiB, contiguous, 6 rounds:$'
has said '^  one move as chosen ([a-z]*) .* us '
[ "$(grep -c '^  as chosen / the best (' "$work/said")" = 12 ] || complain 'not every cell'
[ "$(grep -c '^  as chosen / copy ' "$work/said")" = 4 ] || complain 'not every way of copying'
has said '^[0-9]* of 12 cells shown slower by more than 5 %$'

# A calibration that chooses what is slow.
sed 's/^\(choice.1 = 0 \).*/\1copy 0 0 user/; /^choice.[2-9]/d' "$work/calibration.ini" >"$work/edited"
run 0 FAKECL_LATENCY=copy:20000 HETERO_CALIBRATION="$work/edited" --rounds 6 --smallest 4 --largest 4 \
	--only pocl:gpu0,pocl:gpu1 --shape strided
has said '^pocl:gpu0 to pocl:gpu1, 4 KiB, strided, 6 rounds:$'
has said '^1 of 1 cells shown slower by more than 5 %$'
# Five rounds have a range, which shows nothing.
run 0 FAKECL_LATENCY=copy:20000 HETERO_CALIBRATION="$work/edited" --rounds 5 --smallest 4 --largest 4 \
	--only pocl:gpu0,pocl:gpu1 --shape strided
has said '^1 cells; which are shown slower is not known: fewer than 6 rounds$'

# What is wrong is not measured, and ends the program where it is what the library chose.
run 1 FAKECL_CORRUPT=copy:1 HETERO_CALIBRATION="$work/edited" --rounds 6 --smallest 4 --largest 4
has told 'what the route copy brought to pocl:gpu[01] is wrong'
run 0 FAKECL_CORRUPT=copy:1 --rounds 6 --smallest 4 --largest 4 --only host,pocl:gpu0
tool=$calibrator
run 0 --quick --only host,pocl:gpu0 --output "$work/few.ini"
tool=$top_builddir/benchmarks/routes/routes
run 0 HETERO_CALIBRATION="$work/few.ini" --rounds 6 --smallest 4 --largest 4
has told 'the calibration chooses nothing from pocl:gpu0 to pocl:gpu1'
has said ' of 1 cells '
run 77 HETERO_CALIBRATION="$work/few.ini" --rounds 6 --smallest 4 --largest 4 --only pocl:gpu0,pocl:gpu1
has told '^routes: nothing was measured$'

if [ "$has_json" = yes ] && command -v python3 >/dev/null; then
	run 0 --rounds 6 --smallest 4 --largest 16 --format json
	python3 -c 'import json, sys; whole = json.load(open(sys.argv[1])); s = whole["sections"]
assert len(whole["about"]["devices"]) == 2
assert [x["name"] for x in s] == 12 * ["cell"] + ["tally"]
assert all(r["low"] <= r["median"] <= r["high"] for x in s[:12] for r in x["rows"])
assert [r["count"] for r in s[12]["rows"]][0] == 12' "$work/said" || complain 'the JSON is not as it should be'
fi

# Do calibrations choose the same routes: a cell in which routes are near each other does not count, nor does one where
# only one route was measured.
calibration_of()
{
	cat <<END
[pair.1]
from = "host"
to = "gpu"
shape = contiguous
choice.1 = 0 $1 0 0 measured
choice.2 = 65536 $2 0 0 measured
points.staged = measured 4096 100 1, 65536 1000 5, 1048576 9000 7
points.mapped = measured 4096 105 1, 65536 $3 5

[end]
END
}
calibration_of staged staged 1500 >"$work/first.ini"
calibration_of mapped staged 1500 >"$work/near.ini"
calibration_of staged mapped 1300 >"$work/other.ini"
repeat=$top_srcdir/benchmarks/routes/repeat.sh
"$repeat" --compare "$work/first.ini" "$work/near.ini" >"$work/said" 2>"$work/told" || complain 'near routes count'
has said '^1 of 1 cells (100.0 %) are the same in all 2 runs'
"$repeat" --compare "$work/first.ini" "$work/near.ini" "$work/other.ini" >"$work/said" 2>"$work/told" &&
	complain 'another route is no difference'
has said '^host to gpu, contiguous, 65536 bytes: staged staged mapped$'
has said '^0 of 1 cells (0.0 %) are the same in all 3 runs'
"$repeat" --compare "$work/first.ini" >"$work/said" 2>"$work/told" && complain 'one calibration is compared'
unset HETERO_CALIBRATION
"$repeat" "$top_builddir" 2 --quick --only host,pocl:gpu0 >"$work/said" 2>"$work/told" || true
has said '^run 2: [0-9.]* s$'
has said 'are the same in all 2 runs\|in no cell do routes differ'

# What a calibration adds to opening, and a timeline to a program.
tool=$top_builddir/benchmarks/routes/opening
run 0 --help
has said '^usage: '
run 2 "$work/calibration.ini" 5
run 1 "$work/nowhere.ini"
echo '[machine]' >"$work/wrong.ini"
run 1 "$work/wrong.ini"
has told '^opening: .*the calibration is not used, defaults apply: .*wrong.ini:'
run 0 "$work/calibration.ini" 7
has said '^which is more  *-\{0,1\}[0-9.]* ms (-\{0,1\}[0-9.]* to [0-9.]*)$'
"$top_srcdir/benchmarks/overhead/tracing.sh" "$top_builddir" 6 64x64 >"$work/said" 2>"$work/told" ||
	complain 'tracing.sh failed'
has said '^with a timeline / without: [0-9.]* ([0-9.]* to [0-9.]*), 6 rounds$'
"$top_srcdir/benchmarks/overhead/tracing.sh" "$top_builddir" 0 64x64 >"$work/said" 2>"$work/told" &&
	complain 'tracing.sh measures in no round'
has told '^at least one round$'
rm -rf "$work"
exit $status
