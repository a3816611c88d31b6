#!/bin/sh
# tests/readme.sh - the code in README.md is true. Each block marked ```c is a whole program, compiled
# without warnings and run against the built library; each ```sh block is run at the top of the source
# tree, unless it says why not: ```sh not-run: reason. So are the examples in the manual, hetero(7) and hetero.hpp(3).
# The second program with a halo that is too small is told of what README says, also with all that README sets to try a program as
# on several cards.
set -eu
: "${top_srcdir:?is set by make check}"
: "${top_builddir:?is set by make check}"
: "${CC:?is set by make check}" "${CXX:?is set by make check}"
work=$top_builddir/readme.work
rm -rf "$work"
mkdir -p "$work"

# One file a block: 1.c, 2.sh, 3.skip (whose text is the reason).
awk -v work="$work" '
	/^```/ && inside { inside = 0; close(file); next }
	inside { print > file; next }
	/^```c$/ { file = work "/" ++n ".c"; inside = 1; next }
	/^```sh not-run: ./ { sub(/^```sh not-run: /, ""); print > (work "/" ++n ".skip"); file = "/dev/null"; inside = 1; next }
	/^```sh$/ { file = work "/" ++n ".sh"; inside = 1; next }
	/^```(c|sh)/ { print "a block marked \"" $0 "\""; exit 1 }
	/^```/ { file = "/dev/null"; inside = 1 }
' "$top_srcdir/README.md"
# example_of PAGE
example_of()
{
	sed -n '/^\.SH EXAMPLE/,/^\.fi/p' "$top_srcdir/doc/$1" | sed '/^\./d; s/\\e/\\/g'
}
example_of hetero.7 >"$work/manual.c"
example_of hetero.hpp.3 >"$work/manual.cc"

# run_program FILE.c or FILE.cc
run_program()
{
	case $1 in
	*.cc) program_compiler="$CXX -std=c++11" program_tag=CXX ;;
	*) program_compiler="$CC -std=c11" program_tag=CC ;;
	esac
	# shellcheck disable=SC2086  # lists of words
	"$top_builddir/libtool" --silent --mode=link --tag=$program_tag $program_compiler -Wall -Wextra -Werror \
		$HET_INSTRUMENT_FLAGS -I "$top_srcdir/include" $OPENCL_CFLAGS "$1" -o "${1%.c*}.run" \
		"$top_builddir/libhetero.la" &&
		(cd "$top_srcdir" && "${1%.c*}.run")
}

status=0
count=0
for block in "$work"/*; do
	[ -f "$block" ] || continue
	count=$((count + 1))
	echo "== block ${block##*/}"
	case $block in
	*/manual.c | */manual.cc)
		if ! run_program "$block" >"$work/manual.said" || ! grep -qx '2 4 6' "$work/manual.said"; then
			echo 'the example does not say 2 4 6'
			status=1
		fi
		;;
	*.c) run_program "$block" || { echo 'does not compile or run'; cat "$block"; status=1; } ;;
	*.sh) (cd "$top_srcdir" && sh -eu "$block") || { echo 'does not run'; cat "$block"; status=1; } ;;
	*.skip) echo "not run: $(cat "$block")" ;;
	esac
done
[ "$count" -gt 1 ] || { echo 'README.md has no code'; status=1; }

# Of a line: device and box of the part are this machine's.
without_parts()
{
	sed 's/ on [^,]*,/ on DEVICE,/; s/ \[[^]]*\]:/ BOX:/'
}

second=$(printf '%s\n' "$work"/*.c | sed -n 2p)
sed 's/HET_HALO(a, 1)/HET_EACH(a)/' "$second" >"$work/checked.c"
several=$(sed -n 's|^    \$ \(HETERO_DEVICES=.* HETERO_CHECK=1\) ./program$|\1|p' "$top_srcdir/README.md")
[ -n "$several" ] || { echo 'README.md does not say how to try a program as on several cards'; status=1; }
for setting in HETERO_CHECK=1 "$several"; do
	# shellcheck disable=SC2086,SC2163  # a list of words, such as HETERO_SHARE=off
	(export $setting; run_program "$work/checked.c" 2>"$work/told") &&
		{ echo "$setting: a halo that is too small is not told"; status=1; }
	without_parts <"$work/told" >"$work/told.text"
	sed -n '/^    \$ HETERO_CHECK=1/{n; s/^    //p;}' "$top_srcdir/README.md" | without_parts |
		diff - "$work/told.text" || { echo "$setting: HETERO_CHECK=1 says something else"; status=1; }
done
[ "$status" != 0 ] || rm -rf "$work"
exit $status
