#!/bin/sh
# tests/examples_drivers.sh - every example over devices of several drivers at once: contexts that share no
# events. Oclgrind and Mesa's llvmpipe are slow, so the work is small.
# shellcheck disable=SC1091,SC2034,SC2154  # what examples_common.sh has
set -eu
: "${top_srcdir:?is set by make check}"
. "$top_srcdir/tests/examples_common.sh"

oclgrind=/usr/lib/oclgrind/liboclgrind-rt-icd.so
vendors=${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}
[ -d "$vendors" ] || { echo "OCL_ICD_VENDORS asks for one driver"; exit 77; }
mkdir "$work/vendors"
cp "$vendors"/*.icd "$work/vendors/"
[ ! -f $oclgrind ] || echo $oclgrind >"$work/vendors/oclgrind.icd"
OCL_ICD_VENDORS=$work/vendors
RUSTICL_ENABLE=${RUSTICL_ENABLE-llvmpipe}
export OCL_ICD_VENDORS RUSTICL_ENABLE

there=
others=0
for selection in pocl:cpu0.0 'rusticl:*' 'oclgrind:*' pocl:cpu0.1; do
	HETERO_DEVICES=$selection "$examples/hello/hello" >/dev/null 2>&1 || continue
	there=${there:+$there,}$selection
	case $selection in pocl*) ;; *) others=$((others + 1)) ;; esac
done
[ "$others" -gt 0 ] || { echo 'neither rusticl nor Oclgrind is installed'; exit 77; }
echo "devices: $there"

HETERO_DEVICES=$there
export HETERO_DEVICES
for HETERO_SHARE in on off; do
	export HETERO_SHARE
	every_example 17x40 13 11 9
done
finish
