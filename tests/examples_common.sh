# shellcheck shell=sh
# tests/examples_common.sh - what the tests of the examples share; sourced.
set -eu
: "${top_srcdir:?is set by make check}"
: "${top_builddir:?is set by make check}"
examples=$top_builddir/examples
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
runs=0

# good COMMAND...: has to succeed; what it says is shown when it does not.
good()
{
	runs=$((runs + 1))
	"$@" >"$work/said" 2>&1 && ! grep 'is not tried beforehand' "$work/said" && return
	echo "== status $?: HETERO_DEVICES=${HETERO_DEVICES-} HETERO_SHARE=${HETERO_SHARE-} $*"
	cat "$work/said"
	status=1
}

# says TEXT: what the last command said has this line, a pattern of grep.
says()
{
	grep -q -e "$1" "$work/said" && return
	echo "== \"$1\" is missing in:"
	cat "$work/said"
	status=1
}

# every_example SIZE M P N: each with its own check, and with a device selection of the caller's.
every_example()
{
	good "$examples/hello/hello"
	says '^2 4 6 8 10 12 14 16 18 20 22 24$'
	good "$examples/cxx/saxpy"
	says 'verified'
	good "$examples/pipeline/pipeline" -n 4 -s 512
	says '^4 frames through two kernels: verified$'
	good "$examples/product/product" --plain "$2" "$3" "$4"
	says "^kernel: $2 x $3 x $4 verified$"
	good "$examples/cg/cg" -n 200
	says '^200 unknowns, [0-9]* entries, [0-9]* steps, residual [0-9.e-]*: verified$'
	good "$examples/cholesky/cholesky" -s 60 -t 12
	says '^60 x 60 in tiles of 12 x 12: 35 launches in .*: verified$'
	good "$examples/heat/heat" -s 33 -l 0.2
	says '^33 x 33 cells, [0-9]* steps, mean [0-9.]* degrees: verified$'
	good "$examples/hillshade/hillshade" --check -n 3 -s "$1"
	says '^check: height is'
	says '^check: shade is'
}

# keeps BLOCKS PREFIX COMMAND...: what the command writes, files whose names begin so, is there in full, and as it was
# when the same is tried where a file may have no more than so many of the shell's blocks, of 512 or 1024 bytes.
keeps()
{
	blocks=$1
	prefix=$2
	shift 2
	good "$@"
	rm -rf "$work/before" "$work/after"
	mkdir "$work/before" "$work/after"
	cp "$prefix"* "$work/before"
	runs=$((runs + 1))
	got=0
	(trap '' XFSZ && ulimit -f "$blocks" && exec "$@") >"$work/said" 2>&1 || got=$?
	cp "$prefix"* "$work/after" || status=1
	[ "$got" = 1 ] && diff -r "$work/before" "$work/after" && return
	echo "== status $got, with files of $blocks blocks: $*"
	cat "$work/said"
	status=1
}

# no_transfers: on devices that share the host's memory nothing moves.
no_transfers()
{
	says '^moved: 0 transfers, 0.00 MiB'
}

finish()
{
	echo "$runs runs"
	exit $status
}
