#!/bin/sh
# tests/calibrate.sh - hetero-calibrate on a fake machine of two cards with one context: what it writes, what it
# bars, what it keeps, how it is used.
# shellcheck disable=SC1091,SC2154  # what calibrate_common.sh has
set -eu
: "${top_srcdir:?is set by make check}"
: "${has_json:?is set by make check}"
. "$top_srcdir/tests/calibrate_common.sh"

# Usage.
run 0 --help
has said '^usage: '
sed -n 's/^ *\(--[a-z-]*\).*/\1/p' "$work/said" | while read -r option; do
	escaped=$(echo "$option" | sed 's/-/\\-/g')
	grep -qF -e "$escaped" "$top_srcdir/calibrate/hetero-calibrate.1" || { echo "$option: not in the manual"; exit 1; }
done || status=1
run 0 --version
has said '^hetero-calibrate [0-9]'
for wrong in --nonsense --only '--only host' '--format xml' '--explain host' '--explain host host x' 'file' \
	'--explain host host 18446744073709551616' '--explain host host 9223372036854775808' \
	'--explain host host 8388608T' '--explain host host 5X' '--explain host host 5KB' '--explain host host K' \
	'--check --dry-run' '--check --plot x.svg' '--only host,pocl:gpu0 --explain host pocl:gpu1 4096' --plot '--plot -' \
	'--output x --plot x' '--check --quick' '--quick --explain host host 4096'; do
	# shellcheck disable=SC2086
	run 2 $wrong
	has told ' --help lists the options$'
	! grep -v '^hetero-calibrate[: ]' "$work/told" || complain "$wrong: a line of somebody else's"
done
run 1 --only host,nowhere --quick
has told 'no memory is called nowhere; there are host pocl:gpu0 pocl:gpu1'
run 0 --dry-run
has said '^pocl:gpu0 to pocl:gpu1, contiguous: copy .*staged'
! grep -q 'contiguous:.* pack' "$work/said" || complain 'pack is of rows only'
has said '^pocl:gpu0 to pocl:gpu1, strided: copy .* pack$'
has said '^pocl:gpu1: launches, memory, computing (single), queues$'
run 1 HETERO_LOG=error --check
has told 'calibration.ini: missing: there is no such file'
[ "$(wc -l <"$work/told")" = 1 ] || complain 'the reason is not said once'
run 1 --output "$work/none.ini" --check
has told 'none.ini: missing'
run 1 HETERO_CALIBRATION=off --check
has told 'HETERO_CALIBRATION is off'
[ ! -e "$work/calibration.ini" ] || complain 'something was written'

# Where there is nothing to measure the file stays as it was.
echo 'what was there' >"$work/calibration.ini"
run 1 --quick --only host,host
has told 'from host to itself nothing has to be moved: no pair is selected'
run 1 --dry-run --only pocl:gpu0,pocl:gpu0
[ "$(cat "$work/calibration.ini")" = 'what was there' ] || complain 'it was written for nothing'
rm "$work/calibration.ini"
for pair in 'pocl:cpu0 host' 'host pocl:cpu0' 'host host'; do
	# shellcheck disable=SC2086  # words
	run 0 "FAKECL_MACHINE=$top_srcdir/tests/fakecl/machines/cut-cpu.machine" --explain $pair 1048576
	has said '1048576 bytes: nothing has to be moved'
	[ "$pair" = 'host host' ] || has said 'they share the host.s memory; --separate (or HETERO_SHARE=off) tells'
done
run 1 "FAKECL_MACHINE=$top_srcdir/tests/fakecl/machines/cut-cpu.machine" --explain nowhere host 5
has told 'no memory is called nowhere; there are host pocl:cpu0$'
run 0 "FAKECL_MACHINE=$top_srcdir/tests/fakecl/machines/cut-cpu.machine" --separate --explain pocl:cpu0 host 1048576
has said '^pocl:cpu0 to host, 1048576 bytes, strided: [a-z]* [0-9.]* us assumed'
run 1 "FAKECL_MACHINE=$top_srcdir/tests/fakecl/machines/cut-cpu.machine" --only pocl:cpu0,host
has told 'as pocl:cpu0 (--separate: as if it had one of its own); there are host$'

# What is written fits, and is what the library does: the tool compares before it ends.
run 0 --quick
has said '^pocl:gpu0 to pocl:gpu1, contiguous'
has said '^  launch [0-9.]* us, memory [0-9.]* [GM]B/s, single [0-9.]* [GM]flop/s, queues .*, starts when flushed, behind another [0-9.]* us$'
run 0 --check
has said 'fits this machine'

# But not where something in use was never measured.
awk 'BEGIN { RS = ""; ORS = "\n\n" } !/from = "pocl:gpu1"\nto = "host"/ &&
	!/from = "host"\nto = "pocl:gpu0"\nshape = strided/' "$work/calibration.ini" >"$work/gaps.ini"
run 1 HETERO_LOG=error --output "$work/gaps.ini" --check
has told 'gaps.ini: nothing was measured from pocl:gpu1 to host$'
has told 'gaps.ini: nothing was measured from host to pocl:gpu0, strided$'
[ "$(wc -l <"$work/told")" = 2 ] || complain 'other gaps than there are'
[ ! -s "$work/said" ] || complain 'it is said to fit'
for pair in pocl:gpu1,host host,pocl:gpu0; do
	run 1 HETERO_LOG=error --only $pair --output "$work/gaps.ini" --check
	has told "gaps.ini: nothing was measured from ${pair%,*} to ${pair#*,}"
	[ "$(wc -l <"$work/told")" = 1 ] || complain 'other pairs are told of'
done
run 0 --only host,pocl:gpu1 --output "$work/gaps.ini" --check
has said 'fits this machine'
run 1 --only host,nowhere --output "$work/gaps.ini" --check
has told 'no memory is called nowhere'
run 0 HETERO_DEVICES=gpu0 --quick --output "$work/first.ini"
run 0 HETERO_DEVICES=gpu0 --output "$work/first.ini" --check
run 1 HETERO_LOG=error --output "$work/first.ini" --check
has told 'first.ini: nothing was measured with pocl:gpu1$'
[ "$(wc -l <"$work/told")" = 1 ] || complain 'more gaps than one'
run 0 --output "$work/first.ini" --check --only host,pocl:gpu0
run 0 --explain pocl:gpu0 host 5K
has said 'pocl:gpu0 to host, 5120 bytes, contiguous: staged .* measured'
run 0 --explain pocl:gpu0 host 5000
has said 'pocl:gpu0 to host, 5000 bytes, contiguous: staged .* measured'

# What devices do by themselves is measured, and only of what is chosen; the rest stays.
for device in 0 1; do
	for figure in launch_ns triad_bytes_per_s single_flop_per_s queues_overlap starts_unflushed behind_ns; do
		figures pocl:gpu$device | grep -q "^figure.$figure = measured [0-9]* [0-9]*$" ||
			complain "no $figure of pocl:gpu$device"
	done
	! figures pocl:gpu$device | grep double || complain 'double precision of a device that has none'
	! figures pocl:gpu$device | grep edges || complain 'edges between the memories of two devices'
done
run 0 "FAKECL_MACHINE=$top_srcdir/tests/fakecl/machines/cut-cpu.machine" HETERO_DEVICES=pocl:cpu/2 --dry-run
has said '^pocl:cpu0.0/2: launches, memory, computing (single, double), queues, edges apart with pocl:cpu0.1/2$'
run 0 "FAKECL_MACHINE=$top_srcdir/tests/fakecl/machines/cut-cpu.machine" HETERO_DEVICES=pocl:cpu/2 --quick \
	--output "$work/parts.ini"
[ "$(grep -c '^figure.edges_ns = measured [0-9]* [0-9]*$' "$work/parts.ini")" = 2 ] ||
	complain 'devices of one memory without what edges apart save'

# What was measured with a device says nothing of its parts, nor with two of its parts of the four there may be.
for selection in pocl:cpu0 pocl:cpu/1; do
	run 1 HETERO_LOG=error "FAKECL_MACHINE=$top_srcdir/tests/fakecl/machines/cut-cpu.machine" \
		"HETERO_DEVICES=$selection" --check --output "$work/parts.ini"
	has told 'parts.ini: .*pocl:cpu0'
done
run 0 "FAKECL_MACHINE=$top_srcdir/tests/fakecl/machines/cut-cpu.machine" HETERO_DEVICES=pocl:cpu/2 --check \
	--output "$work/parts.ini"
run 0 "FAKECL_MACHINE=$top_srcdir/tests/fakecl/machines/cut-cpu.machine" HETERO_DEVICES=pocl:cpu0 --quick \
	--output "$work/whole.ini"
run 1 HETERO_LOG=error "FAKECL_MACHINE=$top_srcdir/tests/fakecl/machines/cut-cpu.machine" HETERO_DEVICES=pocl:cpu/2 \
	--check --output "$work/whole.ini"
has told 'whole.ini: nothing was measured with pocl:cpu0.0/2$'
has told 'whole.ini: nothing was measured with pocl:cpu0.1/2$'
if [ -w /dev/full ]; then
	for what in --check --dry-run --quick --help '--check --format json' '--dry-run --format json'; do
		# shellcheck disable=SC2086  # options
		! "$tool" $what >/dev/full 2>"$work/told" || complain "$what: a full disk is no failure"
		has told 'could not be printed: No space'
		[ "$(grep -c 'could not be' "$work/told")" = 1 ] || complain "$what: it is not said once"
	done
fi
other=$(figures pocl:gpu1)
run 0 FAKECL_LATENCY=ndrange:3000 --quick --only host,pocl:gpu0 --output "$work/calibration.ini"
figures pocl:gpu0 | grep -q '^figure.launch_ns = measured [3-9][0-9]\{6\} ' || complain 'a launch of 3 ms is not seen'
figures pocl:gpu0 | grep -q '^figure.behind_ns = measured [3-9][0-9]\{6\} ' || complain 'in a row it is not 3 ms'
[ "$other" = "$(figures pocl:gpu1)" ] || complain 'the other device was measured too'
sed 's/^\(figure.launch_ns = \).*/\1user 7 0/' "$work/calibration.ini" >"$work/edited"
cp "$work/edited" "$work/calibration.ini"
run 0 FAKECL_CORRUPT=read:16384 --quick --output "$work/calibration.ini"
has told 'pocl:gpu0: the memory bandwidth is not known: results are wrong'
has told 'pocl:gpu1: the speed in single precision is not known: results are wrong'
[ "$(grep -c '^figure.launch_ns = user 7 0$' "$work/calibration.ini")" = 2 ] || complain "the user's figures are lost"
run 0 FAKECL_FAIL=clCreateCommandQueue:2:-6 --quick --only host,pocl:gpu0 --output "$work/queues.ini"
has told 'pocl:gpu0: what its queues do is not known: .*CL_OUT_OF_HOST_MEMORY'
grep -q '^figure.single' "$work/queues.ini" || complain 'a queue that fails takes other figures with it'
run 0 --quick

# What a pair's choices say of some sizes: FROM TO SHAPE BYTES ROUTE.
decisions()
{
	awk 'BEGIN { RS = ""; split("1 4095 4096 32767 32768 262144 2097152 16777216 99999999", sizes) }
		/^\[pair/ {
			n = split($0, words, /[ "\n=]+/)
			choices = 0
			for (i = 1; i < n; i++) {
				if (words[i] == "from" || words[i] == "to" || words[i] == "shape")
					is[words[i]] = words[i + 1]
				if (words[i] ~ /^choice/) {
					least[++choices] = words[i + 1]
					route[choices] = words[i + 2]
				}
			}
			for (s in sizes) {
				chosen = "none"
				for (c = 1; c <= choices; c++)
					if (least[c] + 0 <= sizes[s] + 0)
						chosen = route[c]
				print is["from"], is["to"], is["shape"], sizes[s], chosen
			}
		}' "$1"
}

# The library, asked apart from that, decides everywhere as the file says; also where a person wrote the file.
awk '{ print } /^shape = / { pair++; if (pair == 7 || pair == 8)
	print "choice.1 = 0 staged 0 0 user\nchoice.2 = 32768 copy 0 0 user\nchoice.3 = 2097152 staged 0 0 user" }
	' "$work/calibration.ini" | awk '/^shape/ { seen = 0 } /^choice/ && / user/ { seen = 1 }
	!(/^choice/ && / measured/ && seen)' >"$work/edited"
every=1 # of them is asked
[ -z "${HETERO_TEST_SHORT:-}" ] || every=8
for file in calibration.ini edited; do
	decisions "$work/$file" >"$work/decisions"
	[ "$(wc -l <"$work/decisions")" = 108 ] || complain "not all decisions of $file"
	sed -n "1~${every}p" "$work/decisions" >"$work/asked"
	while read -r from to shape bytes route; do
		run 0 --output "$work/$file" --explain "$from" "$to" "$bytes"
		has said "$from to $to, $bytes bytes, $shape: $route "
	done <"$work/asked"
done
# And the library moves bytes so, in a program. (A box with gaps is two rows of an array that is larger;
# an array has 16 MiB at most.)
for file in calibration.ini edited; do
	decisions "$work/$file" | awk '$4 <= 16777216 && !($3 == "strided" && ($4 % 2 || $4 == 16777216))' | sort >"$work/asked"
	HETERO_CALIBRATION=$work/$file "$top_builddir/tests/moved" <"$work/asked" >"$work/moved" || complain 'nothing is moved'
	cmp "$work/asked" "$work/moved" || complain "not moved as decided: $(diff "$work/asked" "$work/moved")"
done
awk '$5 == "copy"' "$work/decisions" | grep -q 'gpu0 pocl:gpu1' || complain 'the edited file has no copy'

# A route that takes long loses, also where 8 MiB by another take some milliseconds of a busy machine.
run 0 FAKECL_LATENCY=copy:20000 --quick --only pocl:gpu0,pocl:gpu1
! section pocl:gpu0 pocl:gpu1 | grep -q '^choice.* copy ' || complain 'the slow copy was chosen'
section pocl:gpu0 pocl:gpu1 | grep -q '^choice.1 = 0 ' || complain 'nothing was chosen'
section pocl:gpu1 pocl:gpu0 | grep -q '^choice.1' || complain 'the other pairs were lost'
run 0 FAKECL_LATENCY=read:20000 --quick --only pocl:gpu0,pocl:gpu1
! section pocl:gpu0 pocl:gpu1 | grep -q '^choice.* \(staged\|chunked\) ' || complain 'the slow read was chosen'
section pocl:gpu0 pocl:gpu1 | grep -q '^choice.1 = 0 ' || complain 'nothing was chosen'

# How long a route takes for little boxes does not keep it from large ones.
run 0 FAKECL_LATENCY=map:3000 --only pocl:gpu0,pocl:gpu1 --output "$work/late.ini"
grep -q '^points.mapped = measured 4096 .*, 1048576 ' "$work/late.ini" || complain 'mapped was dropped too early'

# One that is wrong is barred, and named.
run 0 FAKECL_CORRUPT=copy:4096 --quick
has told 'from pocl:gpu0 to pocl:gpu1 the route copy is barred: .* words wrong'
section pocl:gpu0 pocl:gpu1 | grep -q '^barred.copy = "measured .* words wrong' || complain 'copy is not barred'
! section pocl:gpu0 pocl:gpu1 | grep -q '^choice.* copy ' || complain 'copy is chosen'
section pocl:gpu0 pocl:gpu1 | grep -q '^choice.1 = 0 ' || complain 'nothing is chosen'
run 0 --explain pocl:gpu0 pocl:gpu1 5000
has said 'contiguous: [a-z]* [0-9.]* [mu]s measured[^;]*; .*copy barred'
has said 'strided: [a-z]* [0-9.]* [mu]s measured[^;]*; .*copy barred'

# What was barred before, or by the user, is not told as if it were found now.
run 0 --quick --only host,pocl:gpu0
has said '^  barred  *copy '
! grep 'is barred' "$work/told" || complain 'what was kept is told as news'
awk '{ print } /^shape = / { print "barred.mapped = \"user it hangs\"" }' "$work/calibration.ini" >"$work/edited"
cp "$work/edited" "$work/calibration.ini"
run 0 --quick --only host,pocl:gpu0
has said '^  barred  *mapped *it hangs'
! grep 'is barred' "$work/told" || complain "the user's own bar is told as news"
run 0 --quick

# Where nobody sees progress a pair that takes long is named.
run 0 FAKECL_LATENCY=read:25000 --quick --only pocl:gpu0,host --output "$work/slow.ini"
has told 'pocl:gpu0 to host took [0-9]* s$'

# That a memory is full is no fault of a route: larger boxes are not measured, and that is all.
run 0 FAKECL_MACHINE="$top_srcdir/tests/fakecl/machines/one-gpu.machine" --quick --output "$work/small.ini"
! grep '^barred' "$work/small.ini" || complain 'a route was barred for want of memory'
[ "$(grep -c '^choice.1 = 0 ' "$work/small.ini")" = 4 ] || complain 'not every pair has a choice'

# What a user wrote stays; a file that cannot be read is put aside, and a run that is broken off changes nothing.
run 0 --quick
sed 's/^\(choice.1 = 0 \).*/\1copy 0 0 user/' "$work/calibration.ini" >"$work/edited"
cp "$work/edited" "$work/calibration.ini"
run 0 FAKECL_LATENCY=copy:3000 --quick --only pocl:gpu0,pocl:gpu1
section pocl:gpu0 pocl:gpu1 | grep -q '^choice.1 = 0 copy 0 0 user' || complain 'what the user wrote was lost'

# The report tells of each choice what was measured at the sizes at which it holds.
awk '{ print } /^\[pair/ { n = 0 } /^from = "pocl:gpu0"/ { n++ } /^to = "pocl:gpu1"/ { n++ }
	/^shape = contiguous/ && n == 2 {
		print "choice.1 = 0 staged 0 0 user\nchoice.2 = 32768 copy 0 0 user"
		print "choice.3 = 2097152 staged 0 0 user"
	}' "$work/edited" | awk '/^\[/ { seen = 0 } /^choice/ { seen += / 2097152 staged 0 0 user/ }
	!(/^choice/ && seen && !/ 2097152 staged 0 0 user/)' >"$work/calibration.ini"
run 0 --quick --only host,pocl:gpu0
has said '^pocl:gpu1 (kept)$'
has said '^pocl:gpu0$'
has said '^host to pocl:gpu0, strided$'
has said '^pocl:gpu0 to pocl:gpu1, contiguous (kept)$'
[ "$(grep -c '^[a-z:0-9]* to .*(kept)$' "$work/said")" = 10 ] || complain 'not all pairs that were kept are marked'
awk '/^pocl:gpu0 to pocl:gpu1, contiguous/ { on = 1; next } /^[^ ]/ { on = 0 } on' "$work/said" >"$work/rates"
grep -q 'staged .* us at 4 KiB, .* GB/s at 4 KiB$' "$work/rates" || complain 'no rate of the first choice'
grep -q 'copy .* us at 32 KiB, .* GB/s at [0-9]* KiB$' "$work/rates" || complain 'no rate of the second choice'
grep -q 'from *2 MiB *staged' "$work/rates" || complain 'no third choice'
! grep -q 'from *2 MiB.*KiB' "$work/rates" || complain 'the third choice has a rate of smaller sizes'
echo 'rubbish' >"$work/calibration.ini"
run 1 --check
has told 'bad line'
run 0 --quick --format text
has told 'kept as'
grep -q rubbish "$work/calibration.ini.old" || complain 'what was there was thrown away'
cp "$work/calibration.ini" "$work/before"
FAKECL_LATENCY=read:100000 timeout -s INT 0.5 "$tool" --quick >"$work/said" 2>&1 && complain 'it was not broken off'
cmp "$work/before" "$work/calibration.ini" || complain 'a run that was broken off changed the file'

# A drawing of what was measured: each point of the file is in it. That it cannot be made is said before.
before=$(cksum "$work/calibration.ini")
run 1 --plot "$work/nowhere/plot.svg"
has told 'nowhere/plot.svg cannot be written: No such file'
[ "$before" = "$(cksum "$work/calibration.ini")" ] || complain 'it measured all the same'
run 0 --quick --plot "$work/plot.svg"
points=$(grep '^points' "$work/calibration.ini" | sed 's/.*= [a-z]* //' | tr ',' '\n' | wc -l)
[ "$(grep -c '^<g><title>[a-z]*: [0-9]* [KM]iB in ' "$work/plot.svg")" = "$points" ] ||
	complain "the drawing has not $points points"
for pair in 'host → pocl:gpu0' 'pocl:gpu0 → pocl:gpu1' 'pocl:gpu1 → host'; do
	grep -q "$pair" "$work/plot.svg" || complain "no panel of $pair"
done
# Whoever has enough of the text does not take the drawing along; one that nobody reads can be broken off.
"$tool" --quick --plot "$work/left.svg" 2>"$work/told" | :
grep -q '</svg>' "$work/left.svg" || complain 'the drawing went with the reader of the text'
mkfifo "$work/unread.svg"
"$tool" --quick --output "$work/unread.ini" --plot "$work/unread.svg" >"$work/said" 2>"$work/told" &
drawing=$!
while kill -0 $drawing 2>/dev/null && ! [ -e "$work/unread.ini" ]; do
	sleep 0.1
done
used=none
while [ "$used" != "$(cut -d ' ' -f 14,15 /proc/$drawing/stat 2>/dev/null)" ]; do # until it does nothing any more
	used=$(cut -d ' ' -f 14,15 /proc/$drawing/stat 2>/dev/null || true)
	sleep 0.5
done
kill -TERM $drawing || complain 'it does not wait for who reads the drawing'
for _ in 1 2 3 4 5 6 7 8 9 10; do
	! kill -0 $drawing 2>/dev/null || sleep 1
done
kill -KILL $drawing 2>/dev/null || true
got=0
wait $drawing || got=$?
[ "$got" = 143 ] || complain "status $got: a drawing that nobody reads is not ended by a signal"
run 0 FAKECL_CORRUPT=copy:4096 --quick --only pocl:gpu0,pocl:gpu1 --plot "$work/barred.svg"
grep -q '>barred: copy, .* words wrong' "$work/barred.svg" || complain 'the barred route is not in the drawing'
if command -v python3 >/dev/null; then
	python3 "$top_srcdir/tests/drawing.py" "$work/plot.svg" "$work/barred.svg" || status=1
fi

# For programs.
if [ "$has_json" = yes ]; then
	run 0 --quick --format json
	has said '"route": "staged"'
	! grep '"kept": true' "$work/said" || complain 'all was measured'
	run 0 --quick --only host,pocl:gpu0 --format json
	[ "$(grep -c '"kept": true' "$work/said")" = 11 ] || complain 'not all that was kept is marked'
	run 0 --explain host pocl:gpu0 5000 --format json
	has said '"taken": "[a-z]*"'
	has said '"bytes": 5000'
	has said '"known": "measured"'
	has said '"shape": "strided"'
	! grep -q '^host to' "$work/said" || complain 'text in JSON'
	sed 's/^points.mapped = .*/barred.mapped = "user of old"/' "$work/calibration.ini" >"$work/barred.ini"
	run 0 --output "$work/barred.ini" --format json --explain pocl:gpu0 pocl:gpu1 5000
	has said '"known": "barred"'
	run 0 --format json --check
	has said '"fits": true'
	run 1 --format json --check --output "$work/gaps.ini"
	has said '"fits": false'
	has said '"from": "pocl:gpu1"'
	run 1 --format json --check --output "$work/nowhere.ini"
	has said '"reason": "missing"'
	run 0 --dry-run --format json
	has said '"shape": "strided"'
fi
rm -rf "$work"
exit $status
