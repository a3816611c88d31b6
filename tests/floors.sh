#!/bin/sh
# tests/floors.sh - a room of the library includes only from itself and from rooms on floors below it, as the table of
# doc/design.md has them; only lib/cl/ calls OpenCL, only base/alloc.c allocates, and only base/env.c reads the library's
# environment variables.
set -eu
: "${top_srcdir:?is set by make check}"
cd "$top_srcdir/lib"
# "base=0 box=0 cl=1 ...", lowest first
# shellcheck disable=SC2016  # the table's own quotes
rooms=$(sed -n 's/^| \([0-9]\) | `\([a-z]*\)\/` | .*/\2=\1/p' "$top_srcdir/doc/design.md" | tr '\n' ' ')
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

# floor_of ROOM: its floor; nothing where it is none of the rooms.
floor_of()
{
	echo " $rooms" | sed -n "s/.* $1=\([0-9]\).*/\1/p"
}

for room in $rooms; do
	[ -d "${room%=*}" ] || complain "doc/design.md has a room ${room%=*}, lib/ has not"
done
for room in */; do
	room=${room%/}
	floor=$(floor_of "$room")
	[ -n "$floor" ] || { complain "lib/$room is not among the rooms: $rooms"; continue; }
	for file in "$room"/*.[ch]; do
		used_rooms=$(sed -n 's|^#include "\([^"/]*\)/.*|\1|p' "$file" | sort -u)
		for name in $used_rooms; do
			used=$(floor_of "$name")
			[ "$name" = "$room" ] || [ "${used:-$floor}" -lt "$floor" ] ||
				complain "lib/$file includes from lib/$name, which is not below it"
		done
	done
done
only cl/ 'cl[A-Z][A-Za-z]*' 'call OpenCL'
only base/alloc.c '(malloc|calloc|realloc|strdup|strndup|aligned_alloc|posix_memalign)' 'allocate'
if grep -n 'getenv("HETERO_' ./*/*.c | grep -v '^\./base/env.c:'; then
	complain "only lib/base/env.c may read the library's own environment variables"
fi
exit $status
