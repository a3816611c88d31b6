#!/bin/sh
# tests/calibrate_faults.sh - hetero-calibrate on a machine where things fail: a route that fails is barred and named,
# and nothing else is laid to a route.
# shellcheck disable=SC1091,SC2154  # what calibrate_common.sh has
set -eu
: "${top_srcdir:?is set by make check}"
: "${OPENCL_CFLAGS?is set by make check}"
[ -z "${HETERO_TEST_SHORT:-}" ] || { echo 'the driver fails alike in every build: not tried in short runs'; exit 77; }
. "$top_srcdir/tests/calibrate_common.sh"

# What was written is read, and nothing is wrong with it but that some things were not measured.
is_used()
{
	"$tool" --check >"$work/said" 2>"$work/told" || [ -s "$work/told" ] || complain 'nothing is said'
	! grep -v ': nothing was measured ' "$work/told" || complain 'the file is not used'
}

# A transfer whose execution fails, long after the call, does not count as a fast one.
run 0 FAKECL_FAIL=copy:5:-36 --quick --only pocl:gpu0,pocl:gpu1
has told 'the route copy is barred: failed at .* bytes: .*CL_INVALID_COMMAND_QUEUE'
section pocl:gpu0 pocl:gpu1 | grep -q '^barred.copy = "measured failed at ' || complain 'copy is not barred'

# A lack of resources may be one of the moment: the route is tried once more, which is said. What fails again, or has
# taken the whole context along, is barred.
run 0 FAKECL_FAIL=copy:5:-5 --quick --only pocl:gpu0,pocl:gpu1
has told 'the route copy failed at [0-9]* bytes, and not when tried again: .*CL_OUT_OF_RESOURCES'
! grep '^barred' "$work/calibration.ini" || complain 'a route is barred for what was over at once'
section pocl:gpu0 pocl:gpu1 | grep -q '^points.copy = ' || complain 'copy was not measured further'
is_used
run 0 FAKECL_FAIL=copy:5:-5 FAKECL_SUCCESSORS=die --quick --only pocl:gpu0,pocl:gpu1
section pocl:gpu0 pocl:gpu1 | grep -q '^barred.copy = "measured failed at ' || complain 'who ends a context is not barred'
run 0 FAKECL_FAIL=copy:5:-5,copy:6:-5 --quick --only pocl:gpu0,pocl:gpu1
has told 'from pocl:gpu0 to pocl:gpu1 the route copy is barred: failed at .* bytes: .*CL_OUT_OF_RESOURCES'
section pocl:gpu0 pocl:gpu1 | grep -q '^barred.copy = "measured failed at ' || complain 'copy is not barred'
section pocl:gpu0 pocl:gpu1 | grep -q '^choice.1 = 0 ' || complain 'nothing was chosen'
is_used

# Want of memory, and data that cannot be made or looked at, are no route's fault: the sizes of that pair end there.
# (Staging buffers may fail and nobody is the worse for it: there are none here. Nor is anybody where one allocation
# fails: another one is tried when there is more room.)
export HETERO_STAGING_MIB=0
no_memory()
{
	seq -f 'clCreateBuffer:%g:-4' -s, "$1" $(($1 + 9))
}
for fault in "$(no_memory 20)" "$(no_memory 30)" "$(no_memory 60)" ndrange:50:-5 ndrange:400:-5; do
	run 0 "FAKECL_FAIL=$fault" --quick
	has told 'from .* to .* nothing is known of [0-9]* bytes and more, .*: .* returned CL_'
	! grep -q '^barred' "$work/calibration.ini" || complain "a route is barred after $fault"
	grep -q '^choice' "$work/calibration.ini" || complain "nothing was measured after $fault"
	is_used
done

# Of the route that large boxes take parts of other sizes are tried, and not if it is to be quick. Here they go in
# parts of 4 MiB, for larger reads are wrong, which by then has barred staged; so a part of 8 MiB is.
cards="FAKECL_MACHINE=$top_srcdir/tests/fakecl/machines/three-cards.machine HETERO_STAGING_MIB=1"
cards="$cards FAKECL_CORRUPT=copy:1,read:6000000 FAKECL_LATENCY=map:30000"
# The bytes of no two of all these repetitions are the same, that what was not moved shows.
cat >"$work/seeds.c" <<'END'
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, size_t bytes, const void *value)
{
	cl_int (*const set)(cl_kernel, cl_uint, size_t, const void *) =
		(cl_int (*)(cl_kernel, cl_uint, size_t, const void *))dlsym(RTLD_NEXT, "clSetKernelArg");
	char name[100] = "";
	if (bytes == sizeof(cl_uint) && !clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL) &&
	    strcmp(name, "make") == 0 && *(const cl_uint *)value > 512) /* that is the pitch */
		fprintf(stderr, "seed %u\n", *(const cl_uint *)value);
	return set(kernel, index, bytes, value);
}
END
# shellcheck disable=SC2086  # a list of words
clang $OPENCL_CFLAGS -shared -fPIC -o "$work/seeds.so" "$work/seeds.c"
# shellcheck disable=SC2086
run 0 $cards "LD_PRELOAD=$work/seeds.so" ASAN_OPTIONS=verify_asan_link_order=0 --only pocl:gpu0,pocl:gpu1 \
	--output "$work/parts.ini"
grep '^seed' "$work/told" | sort >"$work/seeds"
[ "$(wc -l <"$work/seeds")" -gt 500 ] || complain 'it is not seen which bytes are sent'
[ -z "$(uniq -d "$work/seeds")" ] || complain 'the same bytes are sent twice'
has told 'the route staged is barred: [0-9]* words wrong of 8388608 bytes$'
has told 'the route chunked is barred: [0-9]* words wrong of 8388608 bytes in parts$'
grep -q '^choice.* mapped ' "$work/parts.ini" || complain 'nothing took the place of the barred routes'
# shellcheck disable=SC2086
run 0 $cards --only pocl:gpu0,pocl:gpu1 --quick --output "$work/quick.ini"
! grep -q '^barred.chunked' "$work/quick.ini" || complain 'parts were tried all the same'

# With no memory at all there is nothing to write down.
cp "$work/calibration.ini" "$work/before"
run 1 "FAKECL_FAIL=$(seq -f 'clCreateBuffer:%g:-4' -s, 1 400)" --quick
has told 'nothing could be measured'
cmp "$work/before" "$work/calibration.ini" || complain 'a run that measured nothing changed the file'

rm -rf "$work"
exit $status
