#!/bin/sh
# tests/tested_functions.sh - every public function is called by a test: by its name, or by the public
# macro that stands for it (het_launch for het_launch_args). The functions in the headers themselves are called
# by their own names.
set -eu
: "${top_srcdir:?is set by make check}"
cat "$top_srcdir"/tests/*.c "$top_srcdir"/tests/*.cc 2>/dev/null >tested.text || true
status=0
for name in $(sh "$top_srcdir/tests/public_functions.sh"); do
	macros=$(sed -n "s/^#define \(het_[a-z0-9_]*\)(.*[^a-z0-9_]${name}[^a-z0-9_].*/\1/p" \
		"$top_srcdir"/include/hetero/*.h)
	for alias in $name $macros; do
		grep -q "\(^\|[^A-Za-z0-9_]\)$alias *(" tested.text && continue 2
	done
	echo "$name: no test calls it"
	status=1
done
in_headers=$(sed -n \
	's/^\(static \)\{0,1\}inline [^(]*[ *]\(het_[a-z0-9_]*\)(.*/\2/p' \
	"$top_srcdir"/include/hetero/*.h)
for name in $in_headers; do
	grep -q "\(^\|[^A-Za-z0-9_]\)$name *(" tested.text || { echo "$name: no test calls it"; status=1; }
done
rm -f tested.text
exit $status
