#!/bin/sh
# tests/bare_array.sh - an argument says what the kernel does with it: a launch with a bare array or a bare view
# does not compile, in C and in C++, nor one with a bare number before other arguments. The same launch with
# modes does. A bare number at the end compiles in C, and is refused (tests/test_bad_input).
set -u
: "${top_srcdir:?is set by make check}"
: "${CC:?is set by make check}"
: "${CXX:?is set by make check}"
status=0

compiles() # language, arguments of the launch
{
	text="#include <hetero.h>
het_status f(het_kernel *k, het_device *d, het_array *a);
het_status f(het_kernel *k, het_device *d, het_array *a)
{
	return het_launch(k, d, het_grid(1, 8), $2);
}"
	case $1 in
	c) echo "$text" | $CC -std=c11 -fsyntax-only -I "$top_srcdir/include" -x c - 2>/dev/null ;;
	*) echo "$text" | $CXX -std=c++11 -fsyntax-only -I "$top_srcdir/include" -x c++ - 2>/dev/null ;;
	esac
}

for language in c c++; do
	compiles $language 'HET_OUT(a), HET_IN(het_view(a, het_rows(0, 4))), HET_VAL(1)' ||
		{ echo "$language: a launch as it should be does not compile"; status=1; }
	for bare in a '&a' 'HET_OUT(a), a' 'het_view(a, het_whole())' 'HET_IN(3)' 'HET_VAL(a)' \
		'HET_OUT(a), 2.0f, HET_VAL(3)' '3, HET_OUT(a)'; do
		if compiles $language "$bare"; then
			echo "$language: a launch with '$bare' compiles"
			status=1
		fi
	done
done
compiles c 'HET_OUT(a), 3' ||
	{ echo "c: a bare number at the end does not compile, but launch.h says so"; status=1; }
exit $status
