#!/bin/sh
# tests/floors.sh - a room of the library includes only from itself and from rooms below it, only lib/cl/
# calls OpenCL, only base/alloc.c allocates, and only base/env.c reads the library's environment variables.
set -eu
: "${top_srcdir:?is set by make check}"
cd "$top_srcdir/lib"
rooms='base box cl calibration system task kernel store route array launch trace' # lowest first
status=0

complain()
{
	echo "$1"
	status=1
}

# only ROOM-OR-FILE PATTERN WHAT: no other file matches the pattern.
only()
{
	if grep -nE "(^|[^A-Za-z0-9_\"])$2 *\(" ./*/*.c | grep -v "^\./$1"; then
		complain "only lib/$1 may $3"
	fi
}

below=' '
for room in $rooms; do
	below="$below$room "
	[ -d "$room" ] || continue
	for file in "$room"/*.[ch]; do
		[ -f "$file" ] || continue
		used=$(sed -n 's|^#include "\([^"/]*\)/.*|\1|p' "$file" | sort -u)
		for name in $used; do
			case $below in
			*" $name "*) ;;
			*) complain "lib/$file includes from lib/$name, which is not below it" ;;
			esac
		done
	done
done
for room in */; do
	case $below in
	*" ${room%/} "*) ;;
	*) complain "lib/$room is not among the rooms: $rooms" ;;
	esac
done
only cl/ 'cl[A-Z][A-Za-z]*' 'call OpenCL'
only base/alloc.c '(malloc|calloc|realloc|strdup|strndup|aligned_alloc|posix_memalign)' 'allocate'
if grep -n 'getenv("HETERO_' ./*/*.c | grep -v '^\./base/env.c:'; then
	complain "only lib/base/env.c may read the library's own environment variables"
fi
exit $status
