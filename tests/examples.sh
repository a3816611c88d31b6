#!/bin/sh
# tests/examples.sh - every example with its check over sets of PoCL's devices: the CPU whole and in parts, more
# devices than cores, memories shared and kept apart.
# shellcheck disable=SC1091,SC2034,SC2154  # what examples_common.sh has
set -eu
: "${top_srcdir:?is set by make check}"
. "$top_srcdir/tests/examples_common.sh"

hello=$examples/hello/hello
HETERO_DEVICES=pocl:cpu "$hello" >/dev/null 2>&1 || { echo 'PoCL with a CPU device is not installed'; exit 77; }

# One part of the CPU, then two, and so on up to five: PoCL takes as many threads for cores as it is told.
POCL_MAX_PTHREAD_COUNT=5
export POCL_MAX_PTHREAD_COUNT
parts=
selections=pocl:cpu0
for part in 0 1 2 3 4; do
	HETERO_DEVICES=pocl:cpu0.$part "$hello" >/dev/null 2>&1 || break
	parts=${parts:+$parts,}pocl:cpu0.$part
	selections="$selections $parts"
done
# In short runs only two, whole and in parts.
[ -z "${HETERO_TEST_SHORT:-}" ] || selections="pocl:cpu0 ${selections##* }"

for HETERO_SHARE in on off; do
	for HETERO_DEVICES in $selections; do
		export HETERO_DEVICES HETERO_SHARE
		every_example 61x300 37 29 43
	done
done

# With a look at what each launch declares; one device is tried as two.
HETERO_CHECK=1
export HETERO_CHECK
for HETERO_SHARE in on off; do
	for HETERO_DEVICES in pocl:cpu0 pocl:cpu0.0,pocl:cpu0.1; do
		export HETERO_DEVICES HETERO_SHARE
		every_example 61x300 37 29 43
	done
done
unset HETERO_CHECK

# The grid as it is and a picture of it; devices that share move nothing.
unset HETERO_SHARE
HETERO_DEVICES=pocl:cpu/1
export HETERO_DEVICES
hillshade=$examples/hillshade/hillshade
good "$hillshade" --check
says 'shade is the host.s bit for bit'
no_transfers
if "$hillshade" -o "$work/relief.png" 2>&1 | grep -q 'built without libpng'; then
	echo 'built without libpng: no picture'
else
	# A PNG file begins and ends as one.
	good "$hillshade" -o "$work/relief.png"
	says "^picture: $work/relief.png"
	[ "$(head -c 4 "$work/relief.png" | tail -c 3)" = PNG ] || { echo 'the picture is no PNG file'; status=1; }
	tail -c 8 "$work/relief.png" | grep -q IEND || { echo 'the picture has no end'; status=1; }
fi
good "$examples/product/product"
says 'verified'
finish
