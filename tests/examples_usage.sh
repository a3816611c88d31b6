#!/bin/sh
# tests/examples_usage.sh - options, exit statuses, and grids that are not right: the message names file, line
# and reason.
# shellcheck disable=SC1091,SC2034,SC2154  # what examples_common.sh has
set -eu
: "${has_png:?is set by make check}"
: "${top_srcdir:?is set by make check}"
. "$top_srcdir/tests/examples_common.sh"
hillshade=$examples/hillshade/hillshade

# ends_with STATUS PATTERN COMMAND...
ends_with()
{
	wanted=$1 pattern=$2
	shift 2
	runs=$((runs + 1))
	got=0
	"$@" >"$work/said" 2>&1 || got=$?
	[ "$got" = "$wanted" ] || { echo "== status $got instead of $wanted: $*"; cat "$work/said"; status=1; }
	says "$pattern"
}

# bad_grid LINE REASON TEXT: a grid (as printf makes it of the text) that is refused there.
bad_grid()
{
	# shellcheck disable=SC2059  # the text is a format
	printf "$3" >"$work/bad.asc"
	ends_with 1 "^hillshade: $work/bad\\.asc:$1: $2" "$hillshade" "$work/bad.asc"
}

for program in "$hillshade" "$examples/product/product" "$examples/pipeline/pipeline" "$examples/heat/heat" \
	"$examples/cg/cg" "$examples/cholesky/cholesky"; do
	ends_with 0 '^usage: ' "$program" --help
	ends_with 2 'unrecognized option' "$program" --nonsense
	says ' --help lists the options$'
	ends_with 1 'nowhere' "$program" --devices nowhere
done
ends_with 0 '^usage: ' "$examples/cxx/saxpy" --help
ends_with 2 '"--nonsense" is not an option; see saxpy --help$' "$examples/cxx/saxpy" --nonsense
# What could not be printed is a failure, and said.
if [ -w /dev/full ]; then
	for command in hello/hello cxx/saxpy 'hillshade/hillshade -s 20x20' 'product/product --plain 3 4 5' \
		'pipeline/pipeline -n 2 -s 512' 'heat/heat -s 9 -l 1' 'cg/cg -n 9' 'cg/cg --help' 'cholesky/cholesky -s 8 -t 4' 'cholesky/cholesky --help' 'hillshade/hillshade --help' 'product/product --help' \
		'pipeline/pipeline --help' 'heat/heat --help' 'cxx/saxpy --help'; do
		runs=$((runs + 1))
		got=0
		# shellcheck disable=SC2086  # a command and its options
		"$examples"/$command >/dev/full 2>"$work/said" || got=$?
		[ "$got" = 1 ] || { echo "== status $got on a full disk: $command"; status=1; }
		says 'could not be printed: No space left'
	done
fi
ends_with 2 'should be ROWSxCOLS' "$hillshade" --size 12
ends_with 2 '2 to 65536' "$hillshade" --size 1x9
ends_with 2 '2 to 65536' "$hillshade" --size 99999999999999999999x9
ends_with 2 '2 to 65536' "$hillshade" --size 9x9x9
ends_with 2 'whole number' "$hillshade" --sweeps=-1
ends_with 2 'degrees' "$hillshade" --sun 315
ends_with 2 'degrees' "$hillshade" --sun 315,0
ends_with 2 'above 0' "$hillshade" --exaggerate 0
ends_with 2 'one grid' "$hillshade" a b
ends_with 2 'not a whole number of 3 to 16384' "$examples/heat/heat" -s 2
ends_with 2 'not a whole number' "$examples/heat/heat" -s 3.7
ends_with 2 'not a number' "$examples/heat/heat" --little much
ends_with 2 'not an option' "$examples/heat/heat" more
ends_with 2 '^cholesky: 10 is not a multiple of the tile.s 4$' "$examples/cholesky/cholesky" -s 10 -t 4
ends_with 2 'not a whole number of 1 to 16384' "$examples/cholesky/cholesky" -t 0
ends_with 2 'not an option' "$examples/cholesky/cholesky" more
ends_with 2 'not a whole number of 2 to 1000000' "$examples/cg/cg" -n 1
ends_with 2 'not an option' "$examples/cg/cg" more
ends_with 2 'all of M, P and N' "$examples/product/product" 3 4
ends_with 2 'whole number' "$examples/product/product" 3 4 0
ends_with 2 'whole number' "$examples/pipeline/pipeline" --steps x
ends_with 1 'No such file' "$hillshade" "$work/missing.asc"
# The grid that is read is not written over, whatever its name.
cp "$top_srcdir/examples/data/jacksboro_dem.asc" "$work/read.asc"
ln -s read.asc "$work/read.png"
for picture in read.asc read.png ../"${work##*/}"/read.asc; do
	ends_with 2 "^hillshade: --output \"$work/$picture\": the picture would be written over the grid" \
		"$hillshade" --size 20x20 --output "$work/$picture" "$work/read.asc"
	cmp "$top_srcdir/examples/data/jacksboro_dem.asc" "$work/read.asc" || status=1
done
# A picture takes the place of what is there, and only when it is whole.
if [ "$has_png" = yes ]; then
	ln -s behind.png "$work/link.png"
	ends_with 0 '' "$hillshade" --size 20x20 --output "$work/link.png"
	if ! [ -L "$work/link.png" ] || ! [ -s "$work/behind.png" ]; then
		echo 'a link was not followed'
		exit 1
	fi
	if [ -w /dev/full ]; then
		ln -s /dev/full "$work/full.png"
		ends_with 1 'could not be written' "$hillshade" --size 20x20 --output "$work/full.png"
		[ -L "$work/full.png" ] || { echo 'the device that was written to is gone'; exit 1; }
	fi
	keeps 16 "$work/whole" "$hillshade" --size 99x99 --output "$work/whole.png"
	says 'could not be written'
	chmod 600 "$work/whole.png"
	ends_with 0 '' "$hillshade" --size 20x20 --output "$work/whole.png"
	if [ "$(stat -c %a "$work/whole.png")" != 600 ] || cmp -s "$work/whole.png" "$work/before/whole.png"; then
		echo '== not another picture with the same permissions'
		status=1
	fi
	# A pipe is opened once, and read to its end.
	mkfifo "$work/pipe.png"
	timeout 60 cat "$work/pipe.png" >"$work/piped.png" &
	ends_with 0 '' timeout 60 "$hillshade" --size 20x20 --output "$work/pipe.png"
	wait
	cmp "$work/piped.png" "$work/whole.png" || status=1
fi

bad_grid 1 'the file ends before the first height' ''
bad_grid 4 'the file ends before the first height' 'ncols 2\nnrows 2\ncellsize 1\n'
bad_grid 6 'the file ends after 3 of 4 heights (row 2, column 2)' 'ncols 2\nnrows 2\ncellsize 1\n1 2\n3\n'
bad_grid 6 'more than 4 heights' 'ncols 2\nnrows 2\ncellsize 1\n1 2\n3 4\n5\n'
bad_grid 5 '"4m" is not a number' 'ncols 2\nnrows 2\ncellsize 1\n1 2\n3 4m\n'
bad_grid 5 'the height 1e99 is too large' 'ncols 2\nnrows 2\ncellsize 1\n1 2\n3 1e99\n'
bad_grid 5 '"nan" is not a number' 'ncols 2\nnrows 2\ncellsize 1\n1 2\n3 nan\n'
bad_grid 2 'nrows is "x", which is not a number' 'ncols 2\nnrows x\n'
bad_grid 2 'the file ends where the value of nrows should be' 'ncols 2\nnrows'
bad_grid 2 'ncols is given twice' 'ncols 2\nncols 2\n'
bad_grid 2 'unknown word "colour"' 'ncols 2\ncolour 2\n'
bad_grid 3 'the header has no nrows' 'ncols 2\ncellsize 1\n1 2\n'
bad_grid 4 'the header has neither cellsize nor both of dx and dy' 'ncols 2\nnrows 2\ndx 1\n1 2\n3 4\n'
bad_grid 3 'cellsize is 0; it is to be positive' 'ncols 2\nnrows 2\ncellsize 0\n1 2\n3 4\n'
bad_grid 1 'ncols is 2.5' 'ncols 2.5\nnrows 2\ncellsize 1\n1 2\n3 4\n'
bad_grid 1 'ncols is 1; it is to be a whole number from 2 to' 'ncols 1\nnrows 2\ncellsize 1\n1 2\n'
bad_grid 4 '99999 rows of 99999 columns are more than' 'ncols 99999\nnrows 99999\ncellsize 1\n1 2\n'
bad_grid 4 'a word of more than' 'ncols 2\nnrows 2\ncellsize 1\n'"$(printf '%0100d' 1)"

bad_grid 2 'nrows is 0; it is to be a whole number from 2 to' 'ncols 2\nnrows 0\ncellsize 1\n'
bad_grid 5 'both xllcorner and xllcenter are given' 'ncols 2\nnrows 2\nxllcorner 0\ncellsize 1\nxllcenter 0\n1 2\n3 4\n'
bad_grid 1 'no text' '\357\273ncols 2\n'

# Where the picture cannot be written, that is said before anything is computed; without libpng that is said
# instead.
ends_with 1 '^hillshade: .*/nowhere/x.png: \(No such file or directory\|built without libpng\)' \
	"$hillshade" --size 9x9 --output "$work/nowhere/x.png"
if [ "$(wc -l <"$work/said")" != 1 ]; then
	echo '== computed before the output was looked at:'
	cat "$work/said"
	status=1
fi

# What fails before the picture is written leaves no file and none changed.
echo precious >"$work/old.png"
for picture in new old; do
	ends_with 1 'nowhere\|libpng' "$hillshade" --output "$work/$picture.png" --devices nowhere
done
if [ -e "$work/new.png" ] || [ "$(cat "$work/old.png")" != precious ]; then
	echo '== a picture that was never made has left its mark'
	status=1
fi

# A small grid that is right, with a hole, odd case and values over lines as they come.
printf 'NCOLS 3\nNRows 3\ncellsize 10\nnodata_value -9999\n1 2 3 4\n-9999\n6 7 8 9\n' >"$work/hole.asc"
ends_with 0 '1 cells without height' "$hillshade" --check "$work/hole.asc"
says 'shade is the host.s bit for bit'
printf 'ncols 2\nnrows 2\ncellsize 10\nNODATA_value nan\nnan 2\n3 nan\n' >"$work/hole.asc"
ends_with 0 '2 cells without height' "$hillshade" --check "$work/hole.asc"
# The lowest double, as it is with 15 digits, is beyond what doubles can be.
for missing in -1.79769313486232e+308 -1.7976931348623157e+308 inf -inf Infinity -infinity; do
	printf 'ncols 2\nnrows 2\ncellsize 10\nNODATA_value %s\n%s 2\n3 4\n' $missing $missing >"$work/hole.asc"
	ends_with 0 '1 cells without height' "$hillshade" --check "$work/hole.asc"
done
bad_grid 3 'cellsize is "inf", which is not a number' 'ncols 2\nnrows 2\ncellsize inf\n'
bad_grid 4 'yllcorner is "1e999", which is not a number' 'ncols 2\nnrows 2\ncellsize 1\nyllcorner 1e999\n'
bad_grid 4 'NODATA_value is "1m", which is not a number' 'ncols 2\nnrows 2\ncellsize 1\nNODATA_value 1m\n'
bad_grid 5 'the height -1e99 is too large' 'ncols 2\nnrows 2\ncellsize 1\nNODATA_value inf\n-1e99 2\n3 4\n'
printf '\357\273\277ncols 2\nnrows 2\ncellsize 10\n-9999 2\n3 4\n' >"$work/hole.asc"
ends_with 0 '1 cells without height' "$hillshade" --check "$work/hole.asc"
bad_grid 4 '"nan" is not a number' 'ncols 2\nnrows 2\ncellsize 10\nnan 2\n3 4\n'
finish
