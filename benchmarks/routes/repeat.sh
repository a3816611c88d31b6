#!/bin/sh
# repeat.sh - does hetero-calibrate choose the same routes again?
#
#   benchmarks/routes/repeat.sh [BUILD-FOLDER [RUNS [OPTION...]]]        (default: build 2)
#   benchmarks/routes/repeat.sh --compare FILE FILE...
#
# Calibrates so many times, with these options of hetero-calibrate (--quick, --separate, --only), of the devices that
# HETERO_DEVICES chooses, each into a file of its own, or compares calibrations that are there. A cell is a pair of
# memories, a shape and a size at which every run measured two routes or more. It counts where the second route takes
# more than 10 % longer than the first, by the medians of the runs; it is the same where all runs take one route there.
# Prints the cells that are not, and how long each run took. Exit status 1: fewer than 95 % are the same.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ "${1-}" = --compare ]; then
	shift
else
	source_folder=$(cd "$(dirname "$0")/../.." && pwd)
	build=$(cd "${1:-$source_folder/build}" && pwd)
	runs=${2:-2}
	[ $# -lt 2 ] || shift
	[ $# -lt 1 ] || shift
	unset HETERO_ROUTE
	files=
	run=1
	while [ "$run" -le "$runs" ]; do
		began=$(date +%s.%N)
		"$build/calibrate/hetero-calibrate" --output "$work/$run.ini" "$@" >/dev/null
		date +%s.%N | awk -v run="$run" -v began="$began" '{ printf "run %d: %.1f s\n", run, $1 - began }'
		files="$files $work/$run.ini"
		run=$((run + 1))
	done
	# shellcheck disable=SC2086  # a list of names without blanks
	set -- $files
fi
[ $# -ge 2 ] || { echo 'repeat.sh: nothing to compare: two runs at least' >&2; exit 2; }

awk '
function take_section(   r, s, c, key, took) {
	for (s in sizes) {
		key = from " to " to ", " shape ", " s " bytes"
		keys[key]
		for (c = 1; c <= choices; c++)
			if (least[c] + 0 <= s + 0)
				chosen[key, run] = route[c]
		for (r in routes)
			if ((r, s) in ns)
				times[key, r, run] = ns[r, s]
	}
	delete sizes
	delete ns
	choices = 0
}
function median(key, r,   n, i, j, x, list) {
	for (i = 1; i <= runs; i++) {
		if (!((key, r, i) in times))
			return 0
		x = times[key, r, i] + 0
		for (j = n++; j > 0 && list[j] > x; j--)
			list[j + 1] = list[j]
		list[j + 1] = x
	}
	return (list[int((n + 1) / 2)] + list[int(n / 2) + 1]) / 2
}
FNR == 1 { run++ }
/^\[/ { take_section() }
/^(from|to|shape) = / {
	gsub(/"/, "", $3)
	if ($1 == "from") from = $3
	if ($1 == "to") to = $3
	if ($1 == "shape") shape = $3
}
/^choice\./ { least[++choices] = $3; route[choices] = $4 }
/^points\./ {
	name = substr($1, 8)
	routes[name]
	sub(/^[^=]*= *[a-z]* */, "")
	n = split($0, points, / *, */)
	for (i = 1; i <= n; i++) {
		split(points[i], word, " ")
		ns[name, word[1]] = word[2]
		sizes[word[1]]
	}
}
END {
	runs = run
	for (key in keys) {
		best = second = 0
		for (r in routes) {
			took = median(key, r)
			if (took == 0)
				continue
			if (best == 0 || took < best) {
				second = best
				best = took
			} else if (second == 0 || took < second)
				second = took
		}
		if (second <= 1.1 * best)
			continue
		cells++
		equal = 1
		for (i = 2; i <= runs; i++)
			equal = equal && chosen[key, i] == chosen[key, 1]
		same += equal
		if (!equal) {
			line = key ":"
			for (i = 1; i <= runs; i++)
				line = line " " chosen[key, i]
			print line | "sort"
		}
	}
	close("sort")
	if (!cells) {
		print "in no cell do routes differ by more than 10 %"
		exit 1
	}
	printf "%d of %d cells (%.1f %%) are the same in all %d runs, where routes differ by more than 10 %%\n",
		same, cells, 100 * same / cells, runs
	exit same < 0.95 * cells
}' "$@"
