#!/bin/sh
# tests/configure.sh - what configure refuses, and that it says why.
set -eu
: "${top_srcdir:?is set by make check}"
: "${top_builddir:?is set by make check}"
[ -z "${HETERO_TEST_SHORT:-}" ] || { echo 'configure is the same in every build: not tried in short runs'; exit 77; }
work=$top_builddir/configure.work
rm -rf "$work"
mkdir -p "$work/build" "$work/a folder/include/CL" "$work/a folder/lib"
touch "$work/a folder/include/CL/cl.h" "$work/a folder/lib/libOpenCL.so"
cd "$work/build"
status=0

# refuses REASON OPTION: configure ends with that message.
refuses()
{
	if env -u CXX -u CC -u CONFIG_SITE "$top_srcdir/configure" --quiet "$2" >../said 2>&1; then
		echo "configure $2: goes on"
		status=1
	elif ! grep -qF -e "configure: error: $1" ../said; then
		echo "configure $2: does not say \"$1\""
		cat ../said
		status=1
	fi
}

refuses '--enable-debug-checks=maybe: only yes and no are possible' --enable-debug-checks=maybe
refuses '--enable-werror=1: only yes and no are possible' --enable-werror=1
refuses '--enable-asan=address: only yes and no are possible' --enable-asan=address
refuses '--with-png=on: only auto, yes and no are possible' --with-png=on
refuses 'a C++ compiler is needed' CXX=/bin/false
refuses 'pkg-config is needed: install pkgconf' PKG_CONFIG=/bin/false
refuses "no CL/cl.h and libOpenCL.so below $work/nowhere" "--with-opencl=$work/nowhere"
refuses "OpenCL is in \"$work/a folder\"" "--with-opencl=$work/a folder"
cd "$top_builddir"
rm -rf "$work"
exit $status
