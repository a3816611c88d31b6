#!/bin/sh
# tests/sources.sh - every source file of the tree is named in a makefile, and so is built and distributed, and what is
# named there exists; no line of code is longer than 112 columns, and no file has 600 lines or more.
set -eu
: "${top_srcdir:?is set by make check}"
: "${top_builddir:?is set by make check}"
cd "$top_srcdir"
cat Makefile.am ./*/local.mk ./*/*/local.mk >"$top_builddir/sources.text"
status=0
folders=
for folder in lib include tests examples benchmarks calibrate info stepocl doc m4; do
	[ ! -d "$folder" ] || folders="$folders $folder"
done
# shellcheck disable=SC2086  # a list of words
for file in $(find $folders -type f \( -name '*.[ch]' -o -name '*.cc' -o -name '*.cl' -o -name '*.clh' \
	-o -name '*.sh' -o -name '*.awk' -o -name '*.supp' -o -name '*.md' -o -name '*.asc' \
	-o -name '*.xml' -o -name '*.machine' -o -name '*.mutant' -o -name '*.ini' -o -name '*.py' \) | LC_ALL=C sort); do
	# A test program may be named without its suffix: tests/test_box.c is automake's default for it.
	case $file in
	tests/test_*.c) name="${file%.c}" ;;
	*) name=$file ;;
	esac
	grep -q "\(^\|[^A-Za-z0-9_/]\)$name\([^A-Za-z0-9_]\|$\)" "$top_builddir/sources.text" ||
		{ echo "$file: named in no makefile"; status=1; }
done
# shellcheck disable=SC2013  # names without blanks
for file in $(grep -o '[a-z][a-z0-9_]*/[a-z0-9_/]*\.\(h\|cc\?\)\>' "$top_builddir/sources.text" | sort -u); do
	[ -e "$file" ] || { echo "$file: named in a makefile, and not there"; status=1; }
done
rm -f "$top_builddir/sources.text"
# shellcheck disable=SC2086  # a list of words
for file in $(find $folders -type f \( -name '*.[ch]' -o -name '*.cc' \) | LC_ALL=C sort); do
	long=$(expand "$file" | awk 'length($0) > 112 { printf "%s%d", separator, NR; separator = ", " }')
	[ -z "$long" ] || { echo "$file: longer than 112 columns: line $long"; status=1; }
	[ "$(wc -l <"$file")" -lt 600 ] || { echo "$file: $(wc -l <"$file") lines; below 600 are wanted"; status=1; }
done
exit $status
