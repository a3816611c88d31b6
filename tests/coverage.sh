#!/bin/sh
# tests/coverage.sh BUILD - what the tests that ran in BUILD, a folder configured with --enable-coverage, reached of
# lib/: lines and branches of each file, and the functions that were never entered. `.ci/run coverage` does all of
# it. Less than the floors below is a failure; who raises what is reached raises them.
set -eu
floor_lines=96.3    # percent
floor_branches=88.3
build=${1:?the folder of a build with --enable-coverage}
top=$(cd "$(dirname "$0")/.." && pwd)
command -v gcovr >/dev/null || { echo 'gcovr is not installed'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gcovr --root "$top" --filter "$top/lib/" --exclude-unreachable-branches --csv "$work/files" \
	--json "$work/functions" --json-pretty "$build"

status=0
awk -F, -v floor_lines=$floor_lines -v floor_branches=$floor_branches '
	function show(name, lines, lines_hit, branches, branches_hit) {
		printf "%-28s %6d %6.1f %% %8d %6.1f %%\n", name, lines, 100 * lines_hit / (lines ? lines : 1), \
			branches, branches ? 100 * branches_hit / branches : 100
	}
	BEGIN { printf "%-28s %6s %8s %8s %8s\n", "file", "lines", "reached", "branches", "reached" }
	NR > 1 {
		show($1, $2, $3, $5, $6)
		lines += $2; lines_hit += $3; branches += $5; branches_hit += $6
	}
	END {
		show("all of lib/", lines, lines_hit, branches, branches_hit)
		low = 100 * lines_hit < floor_lines * lines || 100 * branches_hit < floor_branches * branches
		if (low)
			printf "less than %g %% of the lines or %g %% of the branches\n", floor_lines, floor_branches
		exit low || lines == 0
	}' "$work/files" || status=1

echo
echo 'functions never entered:'
awk -F'"' '
	$2 == "file" { file = $4 }
	$2 == "execution_count" { entered = $3 !~ /^: 0,/ }
	$2 == "name" && !entered { print file ": " $4; any = 1 }
	END { if (!any) print "none" }' "$work/functions"
exit $status
