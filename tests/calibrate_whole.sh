#!/bin/sh
# tests/calibrate_whole.sh - whole outputs of hetero-calibrate that need no measuring, on a stored calibration of a
# fake machine with two cards; and what hetero-info shows of the same file. With HETERO_TEST_KEEP=1 what is printed
# now is stored as what is expected: look at the difference.
# shellcheck disable=SC1091,SC2154  # what calibrate_common.sh has
set -eu
: "${top_srcdir:?is set by make check}"
: "${has_json:?is set by make check}"
. "$top_srcdir/tests/calibrate_common.sh"
stored=$top_srcdir/tests/calibrate
HETERO_CALIBRATION=two.ini
HETERO_CACHE=off
HETERO_LOG=error
export HETERO_CACHE HETERO_LOG
unset HETERO_SHARE
cp "$stored/two.ini" "$work/two.ini"
cd "$work"

# is NAME: what was printed, and what was said on stderr behind it, is what is stored.
is()
{
	cat said told >"$1"
	[ -z "${HETERO_TEST_KEEP-}" ] || cp "$1" "$stored/$1"
	diff "$stored/$1" "$1" || complain "another output than tests/calibrate/$1"
	case $1 in
	*.json) ! command -v python3 >/dev/null || python3 -m json.tool "$1" >/dev/null || complain "$1: no JSON" ;;
	esac
}

# Each way to choose, and each thing that may be known of a route: FROM TO BYTES [VARIABLE=VALUE].
: >explained
while read -r from to bytes setting; do
	echo "== $from $to $bytes $setting" >>explained
	run 0 "${setting:-HETERO_LOG=error}" --explain "$from" "$to" "$bytes"
	cat said told >>explained
done <<-END
	host pocl:gpu0 100
	host pocl:gpu0 65536
	host pocl:gpu0 4194304
	host pocl:gpu0 9999999999
	pocl:gpu0 pocl:gpu1 65536
	pocl:gpu0 pocl:gpu1 8388608
	pocl:gpu1 pocl:gpu0 4194304
	host pocl:gpu0 65536 HETERO_ROUTE=mapped
	pocl:gpu0 pocl:gpu1 65536 HETERO_ROUTE=copy
	host pocl:gpu0 65536 HETERO_CALIBRATION=off
END
mv explained said
: >told
is explain.txt

# What fits, and what does not.
run 0 --check
is check.txt
sed 's/^driver = "1"/driver = "2"/' two.ini >changed.ini
run 1 --output changed.ini --check
is check.changed.txt
awk 'BEGIN { RS = ""; ORS = "\n\n" } !/^\[pair.(3|5|6)\]/' two.ini >gaps.ini
run 1 --output gaps.ini --check
is check.gaps.txt
run 0 --dry-run
is dry-run.txt
run 0 --dry-run --only host,pocl:gpu1
is dry-run.only.txt
if [ "$has_json" = yes ]; then
	run 0 --explain host pocl:gpu0 4194304 --format json
	is explain.json
	run 0 --explain host host 4096 --format json
	is explain.same.json
	run 0 --dry-run --format json
	is dry-run.json
	run 0 --check --format json
	is check.json
	for name in changed gaps; do
		run 1 --output $name.ini --check --format json
		: >told
		is check.$name.json
	done
fi

# The same file as hetero-info shows it.
info=$top_builddir/info/hetero-info
"$info" --calibration two.ini --plot plot.svg >said 2>told || complain 'hetero-info does not show it'
is info.txt
cp plot.svg said
is plot.svg
! command -v python3 >/dev/null || python3 "$top_srcdir/tests/drawing.py" plot.svg || status=1

# Where memory for JSON ends, whichever piece of it that is, nothing is printed, and that is a failure.
scarce()
{
	"$@" >whole 2>told || true
	: >said
	for left in $(seq 0 9) $(seq 10 7 99) $(seq 100 53 999) 100000; do
		got=0
		env "LD_PRELOAD=$work/scarce.so" "SCARCE=$left" ASAN_OPTIONS=verify_asan_link_order=0 "$@" >said 2>told || got=$?
		! cmp -s said whole || return 0
		{ [ "$got" = 1 ] && [ ! -s said ]; } || complain "status $got, and a part of the document, without piece $left: $*"
		has told 'the report could not be made: no memory'
	done
	complain "no document even with all of its pieces: $*"
}
if [ "$has_json" = yes ]; then
	cat >scarce.c <<-END
		#include <stdlib.h>
		void json_set_alloc_funcs(void *(*get)(size_t bytes), void (*release)(void *)) __attribute__((weak));
		static long left;
		static void *get(size_t bytes) { return left-- == 0 ? NULL : malloc(bytes); }
		static void __attribute__((constructor)) begin(void)
		{
			left = atol(getenv("SCARCE"));
			if (json_set_alloc_funcs) /* not in a compiler of kernels */
				json_set_alloc_funcs(get, free);
		}
	END
	clang -shared -fPIC -o scarce.so scarce.c
	scarce "$tool" --check --format json
	scarce "$tool" --check --format json --output gaps.ini
	scarce "$tool" --dry-run --format json
	scarce "$tool" --explain host pocl:gpu0 4194304 --format json
	scarce "$info" --calibration two.ini --format json
	for left in 5 50 200; do
		run 1 "LD_PRELOAD=$work/scarce.so" "SCARCE=$left" ASAN_OPTIONS=verify_asan_link_order=0 --quick --output now.ini \
			--only host,pocl:gpu0 --format json
		[ ! -s said ] || complain "a part of what was measured, without piece $left"
		has told 'the report could not be made: no memory'
	done
fi

[ "$(cksum <two.ini)" = "$(cksum <"$stored/two.ini")" ] || complain 'looking has changed the file'
cd "$top_builddir"
[ "$status" != 0 ] || rm -rf "$work"
exit $status
