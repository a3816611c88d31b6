#!/bin/sh
# tests/exported_symbols.sh - the shared library exports what the public headers declare, nothing else.
set -eu
: "${top_srcdir:?is set by make check}"
: "${shared_library:?is set by make check}"
[ "$shared_library" = yes ] || exit 77
sh "$top_srcdir/tests/public_functions.sh" >symbols.declared
nm -D --defined-only .libs/libhetero.so | awk '{ print $3 }' | LC_ALL=C sort -u >symbols.exported

status=0
missing=$(LC_ALL=C comm -23 symbols.declared symbols.exported)
surplus=$(LC_ALL=C comm -13 symbols.declared symbols.exported)
odd=$(grep -v '^het_[a-z]' symbols.declared || true)
[ -z "$missing" ] || { printf 'declared but not exported:\n%s\n' "$missing"; status=1; }
[ -z "$surplus" ] || { printf 'exported but not declared:\n%s\n' "$surplus"; status=1; }
[ -z "$odd" ] || { printf 'public without the prefix het_:\n%s\n' "$odd"; status=1; }
[ -s symbols.declared ] || { echo 'no public function found in the headers'; status=1; }
rm -f symbols.declared symbols.exported
exit $status
