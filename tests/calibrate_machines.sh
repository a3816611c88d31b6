#!/bin/sh
# tests/calibrate_machines.sh - hetero-calibrate on every fake machine: what it writes is all there and can be; and
# where costs are scripted, the route that is cheapest is taken, from the very size on at which it is.
# shellcheck disable=SC1091,SC2154  # what calibrate_common.sh has
set -eu
: "${top_srcdir:?is set by make check}"
[ -z "${HETERO_TEST_SHORT:-}" ] || { echo 'what is measured is alike in every build: not in short runs'; exit 77; }
. "$top_srcdir/tests/calibrate_common.sh"

# implausible FILE: what cannot be. Every pair of two memories is there in both shapes and has a route for the least
# box; what is read, written or copied takes at least the half of what was scripted for it, since two queues may work
# at once, and nothing takes no time; devices launch, move and compute.
implausible()
{
	awk -v mib_ns=1000000 -v told="$work/told" '
	function wrong(what) { print name ": " what; bad = 1 }
	function finish() {
		if (section == "pair" && !choice)
			wrong("no route for the least box")
		if (section == "device" && (launch < 100 || single < 1e5))
			wrong("launch " launch " ns, single " single " flop/s")
		if (section == "device" && triad < 1e6 && !(name in excused))
			wrong("memory " triad " B/s")
	}
	BEGIN {
		while ((getline line <told) > 0)
			if (line ~ /the memory bandwidth is not known: .* has 65536 at most/) {
				sub(/^hetero-calibrate: /, "", line)
				sub(/: the memory.*/, "", line)
				excused["\"" line "\""] = 1
			}
	}
	/^\[/ { finish(); section = $0; gsub(/[][0-9.]/, "", section); name = $0; choice = launch = triad = single = 0 }
	section == "device" && /^name = / { name = $3 }
	/^figure.launch_ns/ { launch = $4 }
	/^figure.triad/ { triad = $4 }
	/^figure.single/ { single = $4 }
	/^from = / { from = $3 }
	/^to = / { to = $3; memory[from] = memory[to] = 1 }
	/^shape = / { pairs[from, to, $3] = 1; name = from " to " to ", " $3 }
	/^choice.1 = 0 / { choice = 1 }
	/^points/ {
		least = $1 ~ /mapped/ ? 0 : mib_ns / 2 / 1048576
		sub(/^[^=]*= measured /, "")
		n = split($0, point, /, /)
		for (i = 1; i <= n; i++) {
			split(point[i], p, " ")
			if (p[2] < 1 || p[2] < p[1] * least)
				wrong(p[1] " bytes in " p[2] " ns")
		}
	}
	END {
		finish()
		for (a in memory)
			for (b in memory)
				if (a != b && !((a, b, "contiguous") in pairs && (a, b, "strided") in pairs))
					wrong("nothing of " a " to " b)
		exit bad
	}' "$1"
}

for machine in "$top_srcdir"/tests/fakecl/machines/*.machine; do
	case $machine in */small-neighbours.machine | */small-mixed.machine) continue ;; esac # too small for what is measured
	rm -f "$HETERO_CALIBRATION"
	FAKECL_MACHINE=$machine
	run 0 FAKECL_COST=read:1000,write:1000,copy:1000 --quick
	implausible "$HETERO_CALIBRATION" >"$work/said" || complain "what was measured of $machine cannot be"
	[ "$(grep -c '^name = ' "$HETERO_CALIBRATION")" = "$(grep -c '^device' "$machine")" ] ||
		complain "not every device of $machine is there"
	run 0 --check
done

# What a driver does not tell is not nothing; and what is left out for want of room is said, once for a memory.
card='platform Fake Works
device gpu
memory own
size'
echo "$card 0" >"$work/untold.machine"
echo "$card 16M" >"$work/little.machine"
rm -f "$HETERO_CALIBRATION"
run 0 "FAKECL_MACHINE=$work/untold.machine" FAKECL_COST=read:1000,write:1000,copy:1000 --quick
has told 'gpu0: how large its memory is its driver does not tell: it is taken for 1 GiB$'
implausible "$HETERO_CALIBRATION" >"$work/said" || complain 'what was measured in a memory of unknown size cannot be'
grep -q '^points.* 8388608 ' "$HETERO_CALIBRATION" || complain 'nothing large was measured in a memory of unknown size'
run 0 "FAKECL_MACHINE=$work/untold.machine" --check
run 0 "FAKECL_MACHINE=$work/little.machine" --quick --output "$work/little.ini"
has told 'gpu0: boxes of more than 2 MiB are not measured: its memory has 16 MiB, a buffer 4 MiB$'
[ "$(grep -c 'not measured' "$work/told")" = 1 ] || complain 'what has no room is not said once'

# choices FROM TO: of boxes that are one run, "0 staged, 2097152 copy".
choices()
{
	section "$1" "$2" | sed -n 's/^choice.* = \([0-9]* [a-z]*\) .*/\1/p' | paste -sd, | sed 's/,/, /g'
}

# Through the host 6 ms a MiB each way. A copy takes 8 ms and 0.1 for each MiB: longer for 256 KiB (3 ms through the
# host, by whichever route), less for 2 MiB. Through the host 2 ms a MiB: where copies take 100 ms none is taken, where
# they take no time all are.
FAKECL_MACHINE=$top_srcdir/tests/fakecl/machines/one-context.machine
through_host=FAKECL_COST=read:2000,write:2000
by_host='\(staged\|chunked\|pinned\)'
rm -f "$HETERO_CALIBRATION"
run 0 FAKECL_COST=read:6000,write:6000,copy:100 FAKECL_LATENCY=copy:8000,map:30000 --quick --only pocl:gpu0,pocl:gpu1
choices pocl:gpu0 pocl:gpu1 | grep -q "^0 $by_host\\(, [0-9]* $by_host\\)*, 2097152 copy\$" ||
	complain 'not by copies from 2 MiB on'
run 0 $through_host FAKECL_LATENCY=copy:100000,map:100000 --quick --only pocl:gpu0,pocl:gpu1
choices pocl:gpu0 pocl:gpu1 | grep -q '^0 ' || complain 'nothing is chosen'
! choices pocl:gpu0 pocl:gpu1 | grep -q copy || complain 'a copy of 100 ms is taken'
run 0 $through_host FAKECL_LATENCY=read:1000,map:30000 --quick --only pocl:gpu0,pocl:gpu1
[ "$(choices pocl:gpu0 pocl:gpu1)" = '0 copy' ] || complain 'not by copies, which take no time'
exit $status
