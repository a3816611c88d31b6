#!/bin/sh
# tests/reference.sh - every public function has a section of its own in the reference, with a text.
set -eu
: "${top_srcdir:?is set by make check}"
status=0
for name in $(sh "$top_srcdir/tests/public_functions.sh"); do
	topic=$(awk -v name="$name" '$1 == name { print $2 }' doc/reference/names)
	page=doc/reference/hetero_$topic.3
	if [ -z "$topic" ] || ! awk -v head=".SH \"$name\"" '
		$0 == head { inside = 1; next }
		/^\.SH/ { inside = 0 }
		inside && text && !/^\./ { found = 1 }
		inside && /^\.PP/ { text = 1 }
		END { exit !found }' "$page"; then
		echo "$name: not described in the reference"
		status=1
	fi
done
exit $status
