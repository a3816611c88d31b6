#!/bin/sh
# tests/scripts.sh - the shell scripts of the project are clean under shellcheck.
set -eu
: "${top_srcdir:?is set by make check}"
command -v shellcheck >/dev/null || { echo 'shellcheck is not installed'; exit 77; }
cd "$top_srcdir"
scripts=
for script in quickstart .ci/run tests/*.sh m4/*.sh benchmarks/*/*.sh; do
	[ ! -f "$script" ] || scripts="$scripts $script"
done
# shellcheck disable=SC2086  # a list of words
shellcheck $scripts
