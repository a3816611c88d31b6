#!/bin/sh
# tests/info.sh - hetero-info: whole outputs on stored calibrations and on fake machines, its drawings, its errors.
# With HETERO_TEST_KEEP=1 what is printed now is stored as what is expected: look at the difference.
# shellcheck disable=SC1091,SC2154  # the file is there at run time
set -eu
: "${top_srcdir:?is set by make check}" "${top_builddir:?is set by make check}"
: "${has_json:?is set by make check}"
tool=$top_builddir/info/hetero-info
stored=$top_srcdir/tests/info
at=$stored
work=$top_builddir/info.work
rm -rf "$work"
mkdir -p "$work"
HETERO_CALIBRATION=off
export HETERO_CALIBRATION
unset HETERO_DEVICES HETERO_ROUTE
vendors=${OCL_ICD_VENDORS-}

. "$top_srcdir/tests/tool_common.sh"

# The same of the text as it was before its lines were broken.
tells()
{
	tr -s '\n ' ' ' <"$work/said" | grep -q -e "$1" || complain "no \"$1\" in said"
}

# is NAME: what was printed is what is stored, but for the library's version and the variables that are not set.
is()
{
	sed -e 's/"library": "[^"]*"/"library": "VERSION"/; s/^Hetero [0-9].*/Hetero VERSION/' \
		-e '/^  HETERO_[A-Z_]* *- (/d' "$work/said" >"$work/$1"
	[ -z "${HETERO_TEST_KEEP-}" ] || cp "$work/$1" "$stored/$1"
	diff "$stored/$1" "$work/$1" || complain "another output than tests/info/$1"
	! sed 's/ä/a/g; s/€/e/g' "$work/$1" | awk 'length($0) > 100' | grep . || complain "$1: wider than 100 columns"
}

# Usage.
run 0 --help
has said '^usage: '
sed -n 's/^ *\(--[a-z-]*\).*/\1/p' "$work/said" | while read -r option; do
	escaped=$(echo "$option" | sed 's/-/\\-/g')
	grep -qF -e "$escaped" "$top_srcdir/info/hetero-info.1" || { echo "$option: not in the manual"; exit 1; }
done || status=1
run 0 --version
has said '^hetero-info [0-9]'
for wrong in --nonsense --picture '--picture=' '--picture -' '--plot -' '--calibration -' '--format xml' file '--devices cpu --calibration one.ini' \
	'--short --format json' '--patience -1' '--patience soon' '--picture same --plot same' \
	'--picture same --plot ./same' "--picture $work/x --plot $work/../${work##*/}/x"; do
	# shellcheck disable=SC2086
	run 2 $wrong
	has told ' --help lists the options$'
	! grep -v '^hetero-info[: ]' "$work/told" || complain "$wrong: a line of somebody else's"
	[ ! -s "$work/said" ] || complain "$wrong: usage on stdout"
done

# Saved calibrations, without the machine: there is no driver at all.
for name in one three nine odd; do
	run 0 OCL_ICD_VENDORS=/nonexistent/ --calibration $name.ini
	is $name.txt
done
if [ "$has_json" = yes ]; then
	run 0 --calibration one.ini --format json
	is one.json
	if command -v python3 >/dev/null; then
		python3 -m json.tool "$work/one.json" >/dev/null || complain 'that is no JSON'
	fi
	run 0 --calibration odd.ini --format json
	has said '"Kart??'
	run 1 OCL_ICD_VENDORS=/nonexistent/ --format json
	for key in date library; do
		tells "\"calibration\": {[^}]*\"$key\": null"
	done
fi

# What is wrong is said, with the file's name and the reason.
run 1 --calibration nowhere.ini
has told '^hetero-info: nowhere.ini: missing'
run 1 --calibration "$top_srcdir/NEWS"
has told 'NEWS:[0-9]*: bad line'
sed '/^\[end\]/d' "$stored/one.ini" >"$work/short.ini"
run 1 --calibration "$work/short.ini"
has told 'short.ini:[0-9]*: truncated'
sed 's/9356 188/-5 188/' "$stored/one.ini" >"$work/number.ini"
run 1 --calibration "$work/number.ini"
has told 'number.ini:[0-9]*: bad number'
run 1 --calibration one.ini --picture /nonexistent/machine.svg
has told '/nonexistent/machine.svg cannot be written: No such file'
run 1 --calibration one.ini --plot "$work"
has told 'info.work cannot be written: Is a directory'
if [ -w /dev/full ]; then
	(cd "$stored" && "$tool" --calibration three.ini) >/dev/full 2>"$work/told" && complain 'a full disk is no failure'
	has told 'could not be printed: No space'
	if [ "$has_json" = yes ]; then
		(cd "$stored" && "$tool" --calibration nine.ini --format json) >/dev/full 2>"$work/told" &&
			complain 'a full disk is no failure'
		has told 'could not be printed: No space'
		! grep -q memory "$work/told" || complain 'a full disk is no want of memory'
	fi
fi

# Drawings. What goes to a pipe goes through it.
run 0 --calibration one.ini --picture /dev/stdout
has said '^<?xml '
has said '^</svg>'
has said '^Calibration$'
cp "$stored/one.ini" "$work/kept.ini"
for wrong in --plot --picture; do
	run 2 --calibration "$work/kept.ini" $wrong "$work/kept.ini"
	has told "^hetero-info: $wrong would write over the calibration: .*kept.ini\$"
	cmp "$stored/one.ini" "$work/kept.ini" || complain "$wrong has written over the calibration"
	run 1 HETERO_CALIBRATION="$work/kept.ini" $wrong "$work/kept.ini"
	has told "^hetero-info: a drawing would write over the calibration: .*kept.ini\$"
	cmp "$stored/one.ini" "$work/kept.ini" || complain "$wrong has written over the calibration that was found"
done
{ sleep 0.5; "$tool" --calibration "$stored/one.ini" --picture "$work/first.svg"; } | :
[ -s "$work/first.svg" ] || complain 'a reader of the text who leaves takes the picture along'
for name in one three nine odd; do
	run 0 --calibration $name.ini --picture "$work/$name.svg" --plot "$work/$name.plot.svg"
done
find "$work" -name '*.svg.*' | grep . && complain 'temporary files are left'
grep '…' "$work/one.svg" "$work/three.svg" "$work/nine.svg" && complain 'texts are cut'
sed 's/^hardware = .*/hardware = "A card whose name goes on and on and does not fit in any line of the box"/' \
	"$stored/one.ini" >"$work/wordy.ini"
run 0 --calibration "$work/wordy.ini" --picture "$work/wordy.svg"
sed -n 's/^<text class="small" .*>\([^<]*\)<.*/\1/p' "$work/wordy.svg" | tr '\n' ' ' |
	grep -q 'A card whose name goes on and on and does not fit in any line of the box' || complain 'a name is cut'

# All contiguous ways of a picture: the last point of the last choice's route, as it is shown.
awk 'BEGIN { RS = "" }
	/^\[pair/ && /shape = contiguous/ {
		n = split($0, line, "\n")
		for (i = 1; i <= n; i++) {
			split(line[i], word, /[ =]+/)
			if (line[i] ~ /^choice/)
				route = word[3]
			if (line[i] ~ "^points." route " ") {
				parts = split(line[i], point, /[ ,=]+/)
				printf "%.2f GB/s %s\n", point[parts - 2] / point[parts - 1], route
			}
		}
	}' "$stored/one.ini" | sort >"$work/wanted"
sed -n 's/^<text[^>]*>\([0-9.]* [GM]B\/s [a-z]*\)<.*/\1/p' "$work/one.svg" | sort >"$work/shown"
diff "$work/wanted" "$work/shown" || complain 'the picture shows other bandwidths than the file'
[ "$(grep -c '<rect class="cell"' "$work/nine.svg")" = 55 ] || complain 'the table has not a cell for each pair'

# Every point of a plot is there, where it belongs, and every change of route; barred routes are named.
for name in one three nine odd; do
	awk '/^points/ {
			route = substr($1, 8)
			sub(/^[^=]*= [a-z]* /, "")
			n = split($0, point, /, */)
			for (i = 1; i <= n; i++) {
				split(point[i], number, " ")
				size = number[1] >= 1048576 ? number[1] / 1048576 " MiB" : number[1] / 1024 " KiB"
				ns = number[2]
				took = sprintf("%.2f s", ns / 1e9)
				if (ns < 1e9)
					took = sprintf("%.2f ms", ns / 1e6)
				if (ns < 1e6)
					took = sprintf("%.1f us", ns / 1e3)
				print route ": " size " in " took
			}
		}' "$stored/$name.ini" | sort >"$work/wanted"
	sed -n 's/^<g><title>\([a-z]*: [0-9]* [KM]iB in [0-9.]* [mu]*s\) (spread.*/\1/p' "$work/$name.plot.svg" |
		sort >"$work/shown"
	diff "$work/wanted" "$work/shown" || complain "$name: the plot shows other points than the file"
	changes=$(($(grep -c '^choice' "$stored/$name.ini") - $(grep -c '^choice.1 ' "$stored/$name.ini")))
	[ "$(grep -c 'class="break"' "$work/$name.plot.svg")" = $changes ] || complain "$name: not $changes changes"
	[ "$(grep -c '^<text[^>]*>barred: ' "$work/$name.plot.svg")" = "$(grep -c '^barred' "$stored/$name.ini")" ] ||
		complain "$name: not all barred routes"
done
awk -F '[">(), ]+' '
	/class="frame"/ { left = $5; top = $7; width = $9; height = $11 }
	/^<g><title>[a-z]*: .*GB\/s/ {
		split($0, word, /[:,<>() ]+/)
		bytes = word[5] * (word[6] == "MiB" ? 1048576 : 1024)
		rate = 0
		for (i in word)
			if (word[i] == "GB/s")
				rate = word[i - 1]
	}
	/^<path d=.*translate/ && rate {
		split($0, part, /translate\(|\)/)
		split(part[2], at, " ")
		x = left + width * log(bytes / 4096) / log(65536)
		y = top + height * (1 - log(rate / 0.1) / log(50 / 0.1))
		if (at[1] - x > 0.2 || x - at[1] > 0.2 || at[2] - y > 1 || y - at[2] > 1) {
			print "a point of " bytes " bytes and " rate " GB/s is at " part[2] " instead of " x " " y
			bad = 1
		}
		rate = 0
		seen++
	}
	END { exit bad || seen < 60 }' "$work/one.plot.svg" || complain 'points are not where they belong'

# Fake machines. Nothing was measured; then what was measured fits; then a driver has changed.
if [ -r "${HETERO_FAKE_DRIVER-}" ] && clang --version >/dev/null 2>&1; then
	mkdir -p "$work/vendors" "$work/cache"
	echo "$HETERO_FAKE_DRIVER" >"$work/vendors/fakecl.icd"
	HETERO_CACHE=off
	export HETERO_CACHE FAKECL_MACHINE FAKECL_ORDER=fifo OCL_ICD_VENDORS="$work/vendors"
	FAKECL_MACHINE=$top_srcdir/tests/fakecl/machines/five-devices.machine
	run 0
	is five-devices.txt
	run 0 --short
	is five-devices.short.txt
	run 0 --devices pocl
	tells 'mock:gpu0 (Mock card, left half) is there and not among the devices chosen'
	run 0 HETERO_ROUTE=mapped HETERO_SHARE=off HETERO_QUEUES=2 HETERO_DEVCES=gpu HETERO_CACHE_MIB=much \
		HETERO_CACHE="$work/cache"
	has said 'mapped  forced .*(assumed)'
	has said 'warning  HETERO_ROUTE=mapped: '
	has said 'note     HETERO_SHARE=off: '
	has said 'half no, copies beside kernels; kernels run'
	tells 'HETERO_DEVCES is set in the environment and has no meaning: did you mean HETERO_DEVICES?'
	has said 'warning  HETERO_CACHE_MIB is .much.'
	has said '^  HETERO_ROUTE *mapped$'
	sed -n 's/^\.B \(HETERO_[A-Z_]*\)$/\1/p' "$top_srcdir/doc/hetero.7" | while read -r name; do
		grep -q "^  $name " "$work/said" || { echo "$name is not listed"; exit 1; }
	done || status=1
	# It only looks: a program's timeline stays, and no table is printed.
	echo theirs >"$work/theirs.json"
	run 0 HETERO_TRACE="$work/theirs.json" HETERO_STATS=1
	has said "^  HETERO_TRACE *$work/theirs.json\$"
	[ "$(cat "$work/theirs.json")" = theirs ] || complain 'it wrote a timeline'
	[ ! -s "$work/told" ] || complain 'it printed a table'
	run 0 HETERO_LOG=warn,foo,task,bar
	tells 'warning HETERO_LOG: unknown word "foo" (levels: '
	tells 'warning HETERO_LOG: unknown word "bar" (levels: '
	run 0 HETERO_STATS=yes
	has said "warning  HETERO_STATS is 'yes'"
	run 1 HETERO_DEVICES=nothing
	has said "error    HETERO_DEVICES: device selection: nothing matches 'nothing'"
	has told 'no device can be used'
	has said '^  none: there is no device$'
	run 1 HETERO_ROUTE=nonsense
	has said "error    HETERO_ROUTE is 'nonsense'"
	run 1 OCL_ICD_VENDORS=/nonexistent/ --picture "$work/none.svg"
	has said 'error    no usable OpenCL device'
	has said 'vendor folder /nonexistent/ cannot be read'
	run 1 OCL_ICD_VENDORS=/nonexistent/ HETERO_CALIBRATION=fake.ini
	has said '^  fake.ini; there is no device to hold it against'
	has said 'Install a driver'
	echo 'platform Fake Works' >"$work/bare.machine"
	run 1 FAKECL_MACHINE="$work/bare.machine"
	has said 'error    no usable OpenCL device'
	! grep -q 'Install a driver' "$work/said" || complain 'a driver is there'
	{ cat "$top_srcdir/tests/fakecl/machines/one-gpu.machine" && printf 'platform W\351rke\ndevice gpu\nname C\033rd\n'; } \
		>"$work/odd.machine"
	run 0 FAKECL_MACHINE="$work/odd.machine"
	has said 'gpu, C?rd$'
	has said 'W?rke, driver 1'
	run 1 --plot "$work/nothing.svg"
	has told 'no calibration to be plotted'
	[ ! -e "$work/nothing.svg" ] || complain 'a drawing of nothing'
	run 0 FAKECL_CORRUPT=read:4
	tells 'computes wrong results'
	has said 'kernels COMPUTE WRONG RESULTS'
	run 0 FAKECL_CORRUPT=read:4 --picture "$work/wrong.svg"
	has wrong.svg '>kernels compute wrong results<'
	run 0 FAKECL_FAIL=ndrange:1:-5
	tells 'does not run a small kernel: .*CL_OUT_OF_RESOURCES'
	if [ "$(id -u)" != 0 ]; then
		chmod a-w "$work/cache"
		run 0 HETERO_CACHE="$work/cache"
		tells 'warning kernels cannot be kept in the cache .*: Permission denied'
		chmod u+w "$work/cache"
	fi
	run 0 FAKECL_FAIL=clCreateContext:1:-6 --picture "$work/unopened.svg"
	tells 'error pocl:gpu0 cannot be used: .*CL_OUT_OF_HOST_MEMORY'
	run 1 FAKECL_STOP=1:1 --patience 1
	has told 'no answer within 1 s (--patience): pocl:gpu0'
	touch "$work/file"
	run 0 HETERO_CACHE="$work/file/cache"
	tells 'warning kernels cannot be kept in the cache .*: Not a directory'
	run 0 HETERO_CACHE="$work/file"
	tells 'warning kernels cannot be kept in the cache .*: Not a directory'
	echo /nonexistent/library.so >"$work/vendors/broken.icd"
	run 0 --short
	tells "warning .*broken.icd: library '/nonexistent/library.so' cannot be loaded"
	rm "$work/vendors/broken.icd"

	# A driver of the table that starts by itself, measured not to.
	FAKECL_MACHINE=$top_srcdir/tests/fakecl/machines/one-context.machine
	sed "/^\[pair/,\$d; s/fake:gpu0/pocl:gpu0/; s/Fake Works/Portable Computing Language (fake)/; s/Fake card/Fake card 0/
		/^memory_bytes/a figure.starts_unflushed = measured 0 0" "$stored/fake.ini" >"$work/lazy.ini"
	echo '[end]' >>"$work/lazy.ini"
	run 0 HETERO_CALIBRATION="$work/lazy.ini"
	tells 'warning pocl:gpu0: kernels were measured not to start until they are flushed'
	FAKECL_MACHINE=$stored/nine.machine
	run 0 --picture "$work/nine-devices.svg"
	has said 'mock:accelerator0  accelerator, Mock accelerator'
	FAKECL_MACHINE=$top_srcdir/tests/fakecl/machines/cut-cpu.machine
	run 0 HETERO_DEVICES=pocl:cpu/1 --picture "$work/cut-cpu.svg"
	has said 'there is one memory, and nothing has to be moved'
	has cut-cpu.svg ">the host's memory, [0-9.]* [GM]iB, which these devices use in place<"

	FAKECL_MACHINE=$top_srcdir/tests/fakecl/machines/one-gpu.machine
	run 0 HETERO_CALIBRATION=fake.ini
	is fake.txt
	if [ "$has_json" = yes ]; then
		run 0 HETERO_CALIBRATION=fake.ini --format json
		for key in '"state": "fits"' '"route": "mapped"' '"times": "measured"' '"max_work_group": 256' \
			'"most_bytes": 268435456' '"kernels": "run"' '"HETERO_CALIBRATION": "fake.ini"'; do
			has said "$key"
		done
		sed -n 's/^ *"\([a-z_]*\)":.*/\1/p' "$work/said" | grep -v mapped | sort -u | while read -r key; do
			grep -qw "$key" "$top_srcdir/info/hetero-info.1" ||
				{ echo "$key: of the JSON, and not in the manual"; exit 1; }
		done || status=1
	fi
	run 0 HETERO_CALIBRATION=fake.ini HETERO_QUEUES=1
	has said 'note     HETERO_QUEUES=1: '
	sed 's/^driver = .*/driver = "2"/' "$stored/fake.ini" >"$work/changed.ini"
	run 0 HETERO_CALIBRATION="$work/changed.ini"
	has said '^  refused (changed driver): '
	tells "warning the calibration is not used: .*changed.ini: changed driver: of"
	has said 'Run hetero-calibrate'
	run 0 HETERO_CALIBRATION="$work/changed.ini" --devices 'gpu,*'
	has said "Run HETERO_DEVICES='gpu,\*' hetero-calibrate"
	[ "$(grep -c 'the calibration is not used' "$work/said")" = 1 ] || complain 'it is said twice'
	[ ! -s "$work/told" ] || complain 'the log went to stderr'
fi
if command -v python3 >/dev/null; then
	python3 "$top_srcdir/tests/drawing.py" "$work"/*.svg || status=1
fi

# A driver that ends loops early, where there is one.
if [ -n "$vendors" ]; then
	OCL_ICD_VENDORS=$vendors
else
	unset OCL_ICD_VENDORS
fi
run 0 RUSTICL_ENABLE=llvmpipe --short
if grep -q 'rusticl:cpu0: llvmpipe (LLVM 15' "$work/said"; then
	tells 'this llvmpipe .* stopped one of 100000 rounds after 65535'
	tells '; kernels end loops early'
	run 0 RUSTICL_ENABLE=llvmpipe --devices rusticl --picture "$work/early.svg"
	has said '; kernels END LOOPS EARLY$'
	has early.svg '>kernels end loops early<'
fi
[ "$status" != 0 ] || rm -rf "$work"
exit $status
