#!/bin/sh
# tests/installed.sh - what `make install` leaves is enough: a program is built with pkg-config against the
# shared library, then against the static one, and runs; so do the tools; manual pages are found by topic and by name.
set -eu
: "${top_srcdir:?is set by make check}" "${top_builddir:?is set by make check}" "${CC:?is set by make check}"
: "${bindir:?is set by make check}" "${libdir:?is set by make check}" "${man3dir:?is set by make check}" "${prefix:?is set by make check}"
work=$top_builddir/installed.work
rm -rf "$work"
mkdir -p "$work"
(umask 077 && ${MAKE-make} -s -C "$top_builddir" install DESTDIR="$work/root") >"$work/install.log" 2>&1 ||
	{ cat "$work/install.log"; exit 1; }
hidden=$(find "$work/root" -type f ! -perm -o+r)
[ -z "$hidden" ] || { printf '%s\n' 'only for who installed:' "$hidden"; exit 1; }

cat >"$work/program.c" <<'END'
#include <hetero.h>
#include <string.h>

int main(void)
{
	het_system *system = NULL;
	const het_status st = het_open(NULL, &system);

	if (st != HET_OK && st != HET_ERR_NO_DEVICE)
		return 2;
	return strcmp(het_version(), "0.0.0") == 0 || (system && het_close(system) != HET_OK);
}
END

PKG_CONFIG_PATH=$work/root$libdir/pkgconfig${PKG_CONFIG_PATH+:$PKG_CONFIG_PATH}
LD_LIBRARY_PATH=$work/root$libdir${LD_LIBRARY_PATH+:$LD_LIBRARY_PATH}
export PKG_CONFIG_PATH LD_LIBRARY_PATH

# flags OPTION...: where the library really is, instead of where it would be.
flags()
{
	pkg-config --define-variable=prefix="$work/root$prefix" "$@" hetero
}

if [ -f "$work/root$libdir/libhetero.so" ]; then
	# shellcheck disable=SC2046,SC2086  # lists of words
	$CC -std=c11 $HET_INSTRUMENT_FLAGS "$work/program.c" -o "$work/program" $(flags --cflags --libs)
	"$work/program"
	echo 'shared: good'
	# What hetero-stepocl writes is built by the command that it prints.
	"$work/root$bindir/hetero-stepocl" --fill A=1 --emit-c "$work/stencil.c" "$top_srcdir/stepocl/stencil.xml" \
		>"$work/command"
	grep -qF "cc -std=c11 '$work/stencil.c' -o '$work/stencil' \$(pkg-config --cflags --libs hetero)" "$work/command"
	# shellcheck disable=SC2046,SC2086
	$CC -std=c11 $HET_INSTRUMENT_FLAGS "$work/stencil.c" -o "$work/stencil" $(flags --cflags --libs)
fi
if [ -f "$work/root$libdir/libhetero.a" ]; then
	# shellcheck disable=SC2046,SC2086
	$CC -std=c11 $HET_INSTRUMENT_FLAGS "$work/program.c" -o "$work/program-static" \
		$(flags --cflags) -Wl,-Bstatic $(flags --libs) -Wl,-Bdynamic $(flags --static --libs)
	"$work/program-static"
	if ldd "$work/program-static" | grep libhetero; then
		echo 'the static program needs the shared library'
		exit 1
	fi
	echo 'static: good'
fi

for page in hetero_array het_map het_launch het_device_at het_shape het_options HET_IN HET_VAL; do
	[ -s "$work/root$man3dir/$page.3" ] || { echo "no manual page $page(3)"; exit 1; }
done
for program in hetero-calibrate hetero-info hetero-stepocl; do
	found=$("$work/root$bindir/$program" --version)
	[ "${found% *}" = "$program" ] || { echo "$program is not installed, or does not run"; exit 1; }
	[ -s "$work/root${man3dir%3}1/$program.1" ] || { echo "no manual page $program(1)"; exit 1; }
done
[ "$(cat "$work/root$man3dir/het_map.3")" = '.so man3/hetero_array.3' ] ||
	{ echo 'het_map(3) does not refer to hetero_array(3)'; exit 1; }
if [ "$(cat "$work/root${man3dir%3}7/HET_AT2.7")" != '.so man7/het.clh.7' ] ||
	[ ! -e "$work/root${man3dir%3}7/HET_INDEX8.7" ] ||
	[ "$(cat "$work/root$man3dir/HET_FLOAT16.3")" != '.so man3/hetero_shape.3' ] ||
	[ ! -s "$work/root${man3dir%3}7/het.clh.7" ]; then
	echo 'HET_AT2(7) does not refer to het.clh(7)'
	exit 1
fi
sed -n 's/^HET__ATOMIC(\(het_[a-z_]*\),.*/\1/p' "$top_srcdir/include/hetero/het.clh" >"$work/atomics"
[ "$(wc -l <"$work/atomics")" -ge 6 ] || { echo 'the atomic operations of het.clh are not found'; exit 1; }
while read -r name; do
	[ "$(cat "$work/root${man3dir%3}7/$name.7")" = '.so man7/het.clh.7' ] ||
		{ echo "$name(7) does not refer to het.clh(7)"; exit 1; }
done <"$work/atomics"
for name in $(sed -n 's/^using \([a-z]*\) = owner.*/\1/p; s/^class \([a-z]*\).*/\1/p' "$top_srcdir/include/hetero.hpp") check owner; do
	[ "$(cat "$work/root$man3dir/het::$name.3")" = '.so man3/hetero.hpp.3' ] ||
		{ echo "het::$name(3) does not refer to hetero.hpp(3)"; exit 1; }
done
${MAKE-make} -s -C "$top_builddir" uninstall DESTDIR="$work/root" >"$work/install.log" 2>&1 ||
	{ cat "$work/install.log"; exit 1; }
left=$(find "$work/root" ! -type d; find "$work/root" -name hetero)
[ -z "$left" ] || { printf '%s\n' 'still there when uninstalled:' "$left"; exit 1; }
rm -rf "$work"
