#!/bin/sh
# tests/headers.sh - every public header compiles alone, twice in one file, in C11 and in C++11.
set -u
: "${top_srcdir:?is set by make check}"
: "${CC:?is set by make check}"
: "${CXX:?is set by make check}"
status=0
warnings='-Wall -Wextra -Wshadow -Wconversion -Werror -fsyntax-only'
for path in "$top_srcdir"/include/hetero.h "$top_srcdir"/include/hetero/*.h; do
	header=${path#"$top_srcdir"/include/}
	text="#include <$header>
#include <$header>
int main(void) { return 0; }"
	# shellcheck disable=SC2086  # lists of words
	echo "$text" | $CC -std=c11 -pedantic $warnings -I "$top_srcdir/include" $OPENCL_CFLAGS -x c - ||
		{ echo "$header does not compile alone in C11"; status=1; }
	# shellcheck disable=SC2086
	echo "$text" | $CXX -std=c++11 $warnings -I "$top_srcdir/include" $OPENCL_CFLAGS -x c++ - ||
		{ echo "$header does not compile alone in C++11"; status=1; }
	if grep -n '"config.h"\|HETERO_DEBUG' "$path"; then
		echo "$header depends on how the library was configured"
		status=1
	fi
done
exit $status
