#!/bin/sh
# tests/headers.sh - every public header compiles alone, twice in one file, in C11 and in C++11; every macro
# HET_..._INIT makes a value in both, of its struct's size; a map without the & compiles in neither, nor does a bool for
# a kernel. hetero.hpp compiles alone in C++11.
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

# Of C++ alone.
text='#include <hetero.hpp>
#include <hetero.hpp>
int main() { het::array x; return static_cast<int>(x.free()); }'
for compiler in "$CXX" g++ clang++; do
	command -v "${compiler%% *}" >/dev/null || continue
	# shellcheck disable=SC2086
	echo "$text" | $compiler -std=c++11 -pedantic $warnings -I "$top_srcdir/include" $OPENCL_CFLAGS -x c++ - ||
		{ echo "hetero.hpp does not compile alone"; status=1; }
done
for call in het_array_free het_array_discard; do
	for given in 'x' 'x.release()'; do
		compiled=no
		text="#include <hetero.hpp>
		int main() { het::array x; return static_cast<int>($call($given)); }"
		# shellcheck disable=SC2086
		! echo "$text" | $CXX -std=c++11 -fsyntax-only -I "$top_srcdir/include" $OPENCL_CFLAGS -x c++ - 2>/dev/null ||
			compiled=yes
		case $given$compiled in
		xno | *release*yes) ;;
		*) echo "$call($given): compiled: $compiled"; status=1 ;;
		esac
	done
done

# "struct het_stats a = HET_STATS_INIT;" and so on: the macros are named after the structs.
initialised=$(grep -ho 'define HET_[A-Z_]*_INIT\>' "$top_srcdir"/include/hetero/*.h | sort -u |
	sed 's/define //' | while read -r macro; do
		name=$(echo "${macro%_INIT}" | tr '[:upper:]' '[:lower:]')
		echo "{ struct $name a = $macro; failed |= a.size != sizeof(a); }"
	done)
[ "$(echo "$initialised" | wc -l)" -ge 7 ] || { echo "too few HET_..._INIT: $initialised"; status=1; }
text="#include <hetero.h>
int main(void) { int failed = 0;
$initialised
return failed; }"
# shellcheck disable=SC2086
echo "$text" | $CC -std=c11 -pedantic $warnings -Wmissing-field-initializers -I "$top_srcdir/include" -x c - ||
	{ echo "HET_..._INIT: warnings in C11"; status=1; }
sizes=headers.$$
if ! echo "$text" | $CC -std=c11 -I "$top_srcdir/include" -o "$sizes" -x c - || ! ./"$sizes"; then
	echo "HET_..._INIT: not the size of its struct"
	status=1
fi
rm -f "$sizes"
for compiler in "$CXX" g++ clang++; do
	command -v "${compiler%% *}" >/dev/null || continue
	# shellcheck disable=SC2086
	echo "$text" | $compiler -std=c++11 $warnings -Wmissing-field-initializers -I "$top_srcdir/include" -x c++ - ||
		{ echo "HET_..._INIT: warnings of $compiler in C++11"; status=1; }
done

# compiles COMPILER LANGUAGE EXPRESSION: does it, as something to return?
compiles()
{
	text="#include <hetero.h>
#include <stdbool.h>
	het_status map(het_array *a, float **p, float *q, void *slot, bool is);
	het_status map(het_array *a, float **p, float *q, void *slot, bool is)
	{ (void)a; (void)p; (void)q; (void)slot; (void)is; return $3; }"
	# shellcheck disable=SC2086
	case $2 in
	c) echo "$text" | $1 -std=c11 -pedantic $warnings -I "$top_srcdir/include" -x c - 2>headers.said ;;
	c++) echo "$text" | $1 -std=c++11 $warnings -I "$top_srcdir/include" -x c++ - 2>headers.said ;;
	esac
}

# refuses_mistakes COMPILER LANGUAGE WORDS: maps right and wrong; an error of the wrong ones has the WORDS.
refuses_mistakes()
{
	command -v "${1%% *}" >/dev/null || return 0
	for call in 'het_map(a, HET_READ, p)' 'het_map(a, HET_READ, &q)' 'het_map(a, HET_READ, slot)' \
		'het_map_view(het_view(a, het_rows(0, 1)), HET_READ, &q)' '(het_map)(a, HET_READ, &q)' \
		'het_map(a, HET_READ, &slot)'; do
		compiles "$1" "$2" "$call" ||
			{ echo "$1, $2: $call does not compile"; cat headers.said; status=1; }
	done
	for call in 'het_map(a, HET_READ, q)' 'het_map_view(het_view(a, het_whole()), HET_READ, q)' \
		'(het_status)HET_VAL(is).mode'; do
		! compiles "$1" "$2" "$call" || { echo "$1, $2: $call compiles"; status=1; }
		grep -q "error: .*\($3\)" headers.said || { cat headers.said; status=1; }
	done
}
for compiler in "$CC" gcc clang; do
	refuses_mistakes "$compiler" c 'float\|[bB]ool'
done
for compiler in "$CXX" g++ clang++; do
	refuses_mistakes "$compiler" c++ 'deleted function'
	command -v "${compiler%% *}" >/dev/null || continue
	! compiles "$compiler" c++ '(het_status)HET_VAL(q).mode' || { echo "$compiler: HET_VAL takes a pointer"; status=1; }
	grep -q 'pointer' headers.said || { cat headers.said; status=1; }
done

# The macros are written out in the program, with its warnings.
text="#include <hetero.h>
size_t of_types();
size_t of_types() { return HET_TYPE_BYTES(HET_FLOAT4) + HET_TYPE_LANES(HET_STRUCT(8)) + HET_TYPE_BASE(HET_INT); }"
for compiler in "$CXX" g++ clang++; do
	command -v "${compiler%% *}" >/dev/null || continue
	# shellcheck disable=SC2086
	echo "$text" | $compiler -std=c++11 $warnings -Wold-style-cast -I "$top_srcdir/include" -x c++ - ||
		{ echo "$compiler: casts as in C"; status=1; }
done
rm -f headers.said
exit $status
