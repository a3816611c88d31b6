#!/bin/sh
# tests/bench_shawa.sh - ShaWa: every version has the numbers of an independent program; the terrain's sea is kept, goes
# through all sides, and is written.
# shellcheck disable=SC1091,SC2154  # the file is there at run time
set -eu
: "${top_srcdir:?is set by make check}"
: "${top_builddir:?is set by make check}"
. "$top_srcdir/tests/benchmarks_common.sh"
benchmark shawa S hetero,shared,copying,plain
exchanges shawa S
shawa=$benchmarks/shawa/shawa
good "$shawa" --class A --devices "$two" --version hetero --verify
says 'hetero: check .*, off by [0-9]e-[01][0-9] from what is known'
# Closed, round, and open; rows for one device each; and the serial program's numbers.
good "$shawa" --class A --size 60x70 --steps 30 --sides wwww --devices pocl:cpu/1 --share off --verify
says 'hetero: check  *[1-9][0-9]* s, mass [+-][0-9.]*e\(+00\|-1[3-6]\), tracer [+-][0-9.]*e\(+00\|-1[3-6]\), '
good "$shawa" --class A --size 31x33 --steps 40 --sides ppww --devices pocl:cpu/1 --version hetero,copying,plain --verify
good "$shawa" --class A --size 31x33 --steps 40 --sides otpp --solver roe --devices pocl:cpu/1 \
	--version hetero,shared,copying,plain --verify
good "$shawa" --class A --size 2x120 --steps 20 --devices pocl:cpu0.0,pocl:cpu0.1 --release tofino \
	--version hetero,shared,copying,plain --verify --write "$work/island"
pictures=1
! grep -q 'built without libpng' "$work/said" || pictures=0
# More devices than rows, two of which are side by side with both ends of a round sea.
if four_devices; then
	good env POCL_DEVICES='pthread pthread' "$shawa" --class A --size 3x50 --steps 20 --sides wwpp --devices \
		"$four" --share off --version hetero,copying,plain --verify
	says '^shawa class A --size 3x50 --steps 20 --sides wwpp, 4 devices'
fi
# The terrain that is read is not written over, by no grid and no picture.
spared()
{
	cp "$top_srcdir/examples/data/topobathy.asc" "$work/$1"
	refuses "^shawa: --write .*/$1: the terrain would be written over\$" "$shawa" --class A --size 20x30 --steps 2 \
		--devices "$two" --version hetero --verify --terrain "$work/$1" --write "$work/sea" --frames 4
	cmp "$top_srcdir/examples/data/topobathy.asc" "$work/$1" || status=1
	rm "$work/$1"
}
if [ $pictures = 1 ]; then
	for name in sea-depth.asc sea-contaminant.asc sea-depth.png sea-contaminant.png sea-depth-0000.png \
		sea-contaminant-0004.png sea.html; do
		spared $name
	done
fi
runs=$((runs + 1))
for name in depth contaminant; do
	[ "$(head -n 2 "$work/island-$name.asc")" = "$(printf 'ncols 120\nnrows 2')" ] ||
		{ echo "== no grid of $name"; status=1; }
	[ "$(wc -l <"$work/island-$name.asc")" = 9 ] || { echo "== not all of $name"; status=1; }
	[ -s "$work/island-$name.png" ] || [ $pictures = 0 ] || { echo "== no picture of $name"; status=1; }
	[ $pictures = 0 ] || [ "$(od -A n -t u1 -j 16 -N 8 "$work/island-$name.png" | xargs)" = '0 0 1 104 0 0 0 6' ] ||
		{ echo "== the picture of $name has not three pixels, across and down, for a cell"; status=1; }
done
# A film ends where the sea does that was computed at once; its page has a time for each picture.
if [ $pictures = 1 ]; then
	good "$shawa" --class A --size 20x30 --steps 20 --devices "$two" --version hetero --verify --write "$work/film" --frames 4
	runs=$((runs + 1))
	for name in depth contaminant; do
		[ "$(find "$work" -name "film-$name-0*.png" | wc -l)" = 5 ] || { echo "== not 5 pictures of $name"; status=1; }
		cmp "$work/film-$name-0004.png" "$work/film-$name.png" || status=1
		! cmp -s "$work/film-$name-0000.png" "$work/film-$name.png" || { echo "== $name stays"; status=1; }
	done
	grep -q "^const prefix = 'film', times = \['0 min 00 s'\(, '[1-9][0-9]* min [0-5][0-9] s'\)\{4\}\];\$" "$work/film.html" ||
		status=1
	# There are no more pictures than steps, and a page finds them whatever the prefix is.
	good "$shawa" --class S --size 20 --steps 5 --devices "$two" --version hetero --verify --write "$work/a#b" --frames 20
	runs=$((runs + 1))
	[ "$(find "$work" -name 'a#b-depth-0*.png' | wc -l)" = 6 ] || { echo '== not 6 pictures'; status=1; }
	cmp "$work/a#b-depth-0005.png" "$work/a#b-depth.png" || status=1
	grep -q 'encodeURIComponent(prefix)' "$work/a#b.html" || status=1
	# It ends when time is over; there are as many pictures as asked for all the same, at equal times.
	good "$shawa" --class A --size 20x30 --steps 90 --until 100 --devices "$two" --version hetero --verify \
		--write "$work/short" --frames 90
	good "$shawa" --class A --size 20x30 --steps 600 --until 7500 --devices "$two" --version hetero,plain --verify \
		--write "$work/long" --frames 30
	good "$shawa" --class dam --devices pocl:cpu0.0 --version hetero --verify --write "$work/dam" --frames 5
	runs=$((runs + 3))
	grep -q ", '1 min 40 s'\];\$" "$work/short.html" && [ ! -e "$work/short-depth-0090.png" ] || status=1
	grep -q " times = \['0 h 00 min', .*, '1 h 0[2-3] min', .*, '2 h 05 min'\];\$" "$work/long.html" || status=1
	grep -q " times = \['0.00 s', '0.20 s', '0.40 s', '0.60 s', '0.80 s', '1.00 s'\];\$" "$work/dam.html" || status=1
	[ "$(find "$work" -name 'long-depth-0*.png' | wc -l)" = 31 ] || { echo '== not 31 pictures'; status=1; }
	[ "$(find "$work" -name 'dam-depth-0*.png' | wc -l)" = 6 ] || { echo '== not 6 pictures of the dam'; status=1; }
	cmp "$work/long-depth-0030.png" "$work/long-depth.png" || status=1
	cmp "$work/dam-depth-0005.png" "$work/dam-depth.png" || status=1
	# A page that cannot be written to its end leaves the one that was there.
	keeps 6 "$work/small" "$shawa" --class S --size 2x100 --steps 400 --devices "$two" --version hetero --verify \
		--write "$work/small" --frames 400
	says '^shawa: --frames: .*small.html: could not be written'
fi
# What was written is read again: depths as heights, all of it land.
runs=$((runs + 1))
if "$shawa" --class A --terrain "$work/island-depth.asc" --verify >"$work/said" 2>&1; then
	echo '== a sea without water'
	status=1
fi
says 'no cell has 5 m of water'
runs=$((runs + 4))
"$shawa" --class A --write "$work/no/folder" --verify >"$work/said" 2>&1 && status=1
says '^shawa: --write: .*no/folder-depth.\(png\|asc\): '
for name in depth contaminant; do # before anything is computed
	mkdir "$work/taken-$name.asc"
	"$shawa" --devices nonsense --write "$work/taken" --verify >"$work/said" 2>&1 && status=1
	says "^shawa: --write: .*/taken-$name.asc: Is a directory\$"
	rmdir "$work/taken-$name.asc"
done
"$shawa" --class A --terrain "$work/nothing.asc" --verify >"$work/said" 2>&1 && status=1
says '^shawa: --terrain: .*nothing.asc'
for option in '--terrain x.asc' '--release tofino' '--sides wwww'; do
	# shellcheck disable=SC2086  # two words
	refuses "^shawa: $option: it goes with classes A, B and C" "$shawa" --class S $option --verify
done
for place in atlantis 2,2 0.5 0.1,0.1,0.1; do
	refuses "^shawa: --release $place is not possible" "$shawa" --class A --size 8 --release $place --verify
done
refuses '^shawa: --write PREFIX: it is needed with --frames' "$shawa" --class A --size 8 --frames 3 --verify
refuses '^shawa: --write: its value is missing' "$shawa" --write ''
refuses '^shawa: --frames 0 is not possible' "$shawa" --frames 0
refuses '^shawa: --sides www is not possible' "$shawa" --sides www
refuses '^shawa: --sides pwww is not possible' "$shawa" --sides pwww
refuses '^shawa: --sides wwwx is not possible' "$shawa" --sides wwwx
refuses '^shawa: --size 1 is not possible' "$shawa" --size 1
refuses '^shawa: --size 4x is not possible' "$shawa" --size 4x
refuses '^shawa: --steps 0 is not possible' "$shawa" --steps 0
refuses '^shawa: --until -1 is not possible' "$shawa" --until -1
for class in dam sonic dry; do
	refuses '^shawa: --until 0.5: dam, sonic and dry stop after a second$' "$shawa" --class $class --until 0.5 --verify
done
refuses '^shawa: --solver exact is not possible' "$shawa" --solver exact
finish
