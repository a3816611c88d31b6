#!/bin/sh
# tests/public_functions.sh - prints the functions that the public headers mark HET_API, one a line, sorted.
# The compiler reads the headers, so that comments, macros and line breaks cannot mislead. Fewer than 40 mean
# that headers were not read: an error.
set -eu
: "${top_srcdir:?is set by make check}"
: "${CC:?is set by make check}"
found=$(for header in hetero.h hetero/opencl.h; do
	# shellcheck disable=SC2086  # OPENCL_CFLAGS is a list of words
	echo "#include <$header>" |
		$CC -std=c11 -E -P -I "$top_srcdir/include" $OPENCL_CFLAGS -x c -
done |
	tr '\n' ' ' |
	grep -o 'visibility("default"))) [^;(]*(' |
	sed 's/.*[ *]\([A-Za-z_0-9]*\) *($/\1/' |
	LC_ALL=C sort -u)
[ "$(echo "$found" | wc -l)" -ge 40 ] || { echo "public_functions.sh: too few: $found" >&2; exit 1; }
echo "$found"
