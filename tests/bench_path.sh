#!/bin/sh
# tests/bench_path.sh - shortest paths: every version has Dijkstra's costs to the bit, in as many sweeps as are known;
# terrain is read, costs and a picture are written; cut lines are timed.
# shellcheck disable=SC1091,SC2154  # the file is there at run time
set -eu
: "${top_srcdir:?is set by make check}"
: "${has_json:?is set by make check}" "${has_png:?is set by make check}"
: "${top_builddir:?is set by make check}"
. "$top_srcdir/tests/benchmarks_common.sh"
benchmark path S hetero,shared,copying,flags,frontiers,plain
path=$benchmarks/path/path
# The count of sweeps is exact, however seldom somebody looks.
for batch in 1 7 91 92 200; do
	good "$path" --devices "$two" --share off --batch $batch \
		--version hetero,flags,frontiers,shared,copying --verify
	[ "$(grep -c 'check  *91 sweeps, 0 costs differ from Dijkstra.s, numbers compared' "$work/said")" = 5 ] || status=1
done
good "$path" --class W --devices "$two" --verify
[ "$(grep -c 'check  *181 sweeps, 0 costs differ from Dijkstra.s, numbers compared' "$work/said")" = 3 ] || status=1
# What devices exchange: a row of 128 places, 8 bytes each, after each of 96 sweeps but the last.
# Frontiers are sent after the 55 sweeps that changed the row, or before which it was changed; from a corner, after few.
good "$path" --class S --devices "$two" --share off --version hetero,frontiers --verify
says '^  hetero: moved, copy, memory 1 to 2  *97280 bytes$'
says '^  frontiers: moved, copy, memory 1 to 2  *56320 bytes$'
says '^  frontiers: moved, copy, memory 2 to 1  *56320 bytes$'
good "$path" --class S --target nw --devices "$two" --share off --version hetero,frontiers --verify
says '^  hetero: moved, copy, memory 1 to 2  *195584 bytes$'
says '^  frontiers: moved, copy, memory 1 to 2  *21504 bytes$'
for shares in 1,4 1,0; do
	good "$path" --class terrain --size 60x50 --target 50,3 --climb 5 --devices "$two" --share off --shares $shares \
		--version hetero,flags,frontiers,shared,copying,plain --verify
	[ "$(grep -c ', 0 costs differ from Dijkstra.s' "$work/said")" = 6 ] || status=1
done
good "$path" --class terrain --devices "$two" --version hetero,shared,copying --verify # of its own size
[ "$(grep -c ', 0 costs differ from Dijkstra.s' "$work/said")" = 3 ] || status=1
good "$path" --size 2x2 --target se --devices "$two" --verify
good "$path" --size 1x40 --devices "$two" --verify
good "$path" --class W --devices "$two" --share off --shares 9,1 --rebalance 20 --version hetero,frontiers --verify
for share in on off; do
	good "$path" --type f32 --devices "$two" --share $share --version hetero,flags,frontiers,shared,copying \
		--verify
	[ "$(grep -c 'check  *91 sweeps, 0 costs differ from Dijkstra.s$' "$work/said")" = 5 ] || status=1
done
refuses '^path: plain is in double precision' "$path" --type f32 --devices "$two" --version plain --verify
# A device without double precision beside one that has it.
if RUSTICL_ENABLE=llvmpipe HETERO_DEVICES=rusticl "$examples/hello/hello" >"$work/said" 2>&1; then
	good env RUSTICL_ENABLE=llvmpipe LP_NUM_THREADS=1 "$path" --type f32 --size 36x36 --devices pocl:cpu/1,rusticl \
		--version hetero --verify --cuts 1
	[ "$(grep -c '^  rusticl:cpu0  *alone .*, share  *[0-9.]* %' "$work/said")" = 3 ] || status=1
	says '[-+][0-9.]*\*'
	says '^  check  *0 of [1-9][0-9]* divisions with wrong costs$'
fi
if four_devices; then
	good env POCL_DEVICES='pthread pthread' "$path" --devices "$four" --share off --shares 1,0,3,1 \
		--version hetero,frontiers,shared,copying --verify
	[ "$(grep -c 'check  *91 sweeps, 0 costs differ from Dijkstra.s, numbers compared' "$work/said")" = 4 ] || status=1
	good env POCL_DEVICES='pthread pthread' "$path" --size 20x20 --devices pocl:cpu0.0,pocl:cpu0.1,pocl:cpu1.0 \
		--version hetero --verify --cuts 1
	[ "$(grep -c '^  pocl:cpu[01].[01]  *alone .*, share  *[0-9.]* %' "$work/said")" = 9 ] || status=1
	[ "$(grep -c '^  *10\*  *[-+][0-9.]* %' "$work/said")" = 3 ] || status=1
	says '^  *13 .* [-+][0-9.]*\*'
	says '^  check  *0 of [1-9][0-9]* divisions with wrong costs$'
fi
json_says 'names == ["path", "cuts"] and any("as the library does" in r["what"] for r in s[1]["rows"])' "$path" --size 20x20 \
	--devices "$two" --version hetero --verify --cuts 1
# What the library moved is told by routes, to the byte, beside a version that moves something, too.
json_says 'all(sum(r["count"] for r in rows if v + ": moved," in r["what"]) == [r["count"] for r in rows if r["what"] == v +
	": moved"][0] > 0 for v in ("hetero", "flags")) and not any("copying: moved" in r["what"] for r in rows)' \
	"$path" --devices "$two" --share off --version hetero,flags,copying --rounds 2
# In degrees, where the costs of neighbours can be the same number: the path is drawn, and ends.
awk 'BEGIN {
	print "ncols 60\nnrows 20\ncellsize 0.000833333"
	for (y = 0; y < 20; y++)
		for (x = 0; x < 60; x++)
			printf("%d%s", x > 30 && x % 2 ? 1000 : 0, x < 59 ? " " : "\n")
}' >"$work/degrees.asc"
good timeout 60 "$path" --class terrain --terrain "$work/degrees.asc" --type f32 --target 10,59 --devices "$two" \
	--version hetero --verify --write "$work/degrees"
# What is no UTF-8 of a file's name has question marks in JSON, or is not in it.
odd=$work/$(printf 'degr\351s.asc')
cp "$work/degrees.asc" "$odd"
if [ "$has_json" = yes ]; then
	good "$path" --class terrain --terrain "$odd" --devices pocl:cpu0.0 --version hetero --rounds 1 --format json
fi

# A terrain with a wall of unknown heights, and a gap in it: paths go through that. Behind walls nothing is reached.
printf 'ncols 5\nnrows 4\ncellsize 10\nNODATA_value -9\n1 1 -9 1 1\n1 1 -9 1 -9\n1 1 -9 -9 -9\n1 1 2 1 1\n' >"$work/wall.asc"
good "$path" --class terrain --terrain "$work/wall.asc" --target 0,0 --from 3,4 --devices "$two" \
	--version hetero,shared,copying,plain --verify --write "$work/wall"
[ "$(grep -c 'check  *6 sweeps, 0 costs differ from Dijkstra' "$work/said")" = 4 ] || status=1
runs=$((runs + 2))
[ "$(sed -n '7p' "$work/wall-cost.asc")" = '0 10 -9999 -9999 -9999' ] || { echo '== other costs'; status=1; }
[ "$(sed -n '10p' "$work/wall-cost.asc" | cut -d ' ' -f 1)" = 30 ] || { echo '== other costs below'; status=1; }
! grep -q 'built without libpng' "$work/said" && ! [ -s "$work/wall.png" ] && { echo '== no picture'; status=1; }
# The picture, of a way down, along and up again with nothing known between, 25 pixels a point: the path in red from a
# blue disc to a red one, and beside it lines of equal cost, one for each 20, every fifth heavy.
awk 'BEGIN {
	print "ncols 60\nnrows 4\ncellsize 10\nNODATA_value -9"
	for (y = 0; y < 4; y++)
		for (x = 0; x < 60; x++)
			printf("%d%s", y == 3 || x % 59 == 0 ? 1 : -9, x < 59 ? " " : "\n")
}' >"$work/way.asc"
good "$path" --class terrain --terrain "$work/way.asc" --target 0,0 --from 0,59 --devices "$two" --version hetero --verify \
	--write "$work/way"
# shows EXPRESSION: tests/pixels.py
shows()
{
	runs=$((runs + 1))
	python3 "$top_srcdir/tests/pixels.py" "$work/way.png" "$1" || { echo '== another picture'; status=1; }
}
if [ "$has_png" = yes ] && command -v python3 >/dev/null; then
	shows '(width, height) == (1500, 100) and at(700, 40)[3] == 0 and at(700, 98)[3] == 255'
	shows 'at(1487, 12) == (20, 66, 150, 255) and all(at(*point) == (196, 22, 48, 255) for point in
		[(12, 12), (12, 38), (1487, 38)] + [(x, 87) for x in range(60, 1440)])'
	shows 'runs(lambda red, green, blue, opacity: blue > red, [at(x, 97) for x in range(60, 1440)]) == 27'
	shows 'runs(lambda red, green, blue, opacity: blue > red < 75, [at(x, 97) for x in range(60, 1440)]) == 5'
fi
# Costs lie where the terrain does, also where there are more points between its corners, or cells are not square.
place()
{
	good "$path" --class terrain --terrain "$work/place.asc" --devices "$two" --version hetero --verify --write "$work/place" \
		"$@"
	runs=$((runs + 1))
	sed -n '/corner/,/NODATA/p' "$work/place-cost.asc" | tr '\n' ' ' >"$work/said"
}
printf 'ncols 3\nnrows 2\nxllcenter 500123.123456789\nyllcenter -4000118.5\ncellsize 10\n1 2 3\n-9999 5 6\n' >"$work/place.asc"
place
says '^xllcorner 500118.123456789 yllcorner -4000123.5 cellsize 10 NODATA_value -9999 $'
[ "$(tail -n 1 "$work/place-cost.asc" | cut -d ' ' -f 1)" = -9999 ] || { echo '== -9999 is no height'; status=1; }
place --size 3x5
says '^xllcorner 500120.623456789 yllcorner -4000121 cellsize 5 NODATA_value -9999 $'
place --size 2x5
says '^xllcorner 500120.623456789 yllcorner -4000123.5 dx 5 dy 10 NODATA_value -9999 $'
# What cannot be written to its end leaves what was there: the costs, or only the picture.
keeps 3 "$work/full" "$path" --class terrain --size 20x20 --devices "$two" --version hetero --verify --write "$work/full"
says '^path: --write: .*full-cost.asc: could not be written'
if [ -s "$work/full.png" ]; then
	keeps 16 "$work/full" "$path" --class terrain --size 20x20 --devices "$two" --version hetero --verify --write "$work/full"
	says '^path: --write: .*full.png: could not be written'
fi
# The terrain that is read is not written over.
cp "$work/wall.asc" "$work/read-cost.asc"
ln -s read-cost.asc "$work/read.asc"
refuses '^path: --write .*/read-cost.asc: the terrain would be written over$' "$path" --class terrain --devices "$two" \
	--terrain "$work/read.asc" --target 0,0 --version hetero --verify --write "$work/read"
cmp "$work/wall.asc" "$work/read-cost.asc" || status=1
if [ "$has_png" = yes ]; then
	cp "$work/wall.asc" "$work/seen.png"
	refuses '^path: --write .*/seen.png: the terrain would be written over$' "$path" --class terrain --devices "$two" \
		--terrain "$work/seen.png" --target 0,0 --version hetero --verify --write "$work/seen"
	cmp "$work/wall.asc" "$work/seen.png" || status=1
fi
runs=$((runs + 3))
"$path" --terrain "$work/nothing.asc" --verify >"$work/said" 2>&1 && status=1
says '^path: --terrain: .*nothing.asc'
"$path" --class terrain --terrain "$work/wall.asc" --target 0,2 --verify >"$work/said" 2>&1 && status=1
says '^path: --target 0,2: its height is not known'
"$path" --write "$work/no/folder" --version plain --verify >"$work/said" 2>&1 && status=1
says '^path: --write: .*no/folder\(.png\|-cost.asc\): '
for point in 181,0 4294967296,0; do
	refuses "^path: --target $point: not on the terrain" "$path" --target $point --verify
done
refuses '^path: --target 0,5: not on the terrain' "$path" --class terrain --terrain "$work/wall.asc" --target 0,5 --verify
refuses '^path: --from home: there is no such point' "$path" --from home --verify
refuses '^path: --from 5,5: it goes with --write' "$path" --from 5,5 --verify
# What cannot be written is said before anything is computed.
mkdir "$work/taken-cost.asc"
runs=$((runs + 1))
"$path" --devices nonsense --write "$work/taken" --verify >"$work/said" 2>&1 && status=1
says '^path: --write: .*/taken-cost.asc: Is a directory$'
refuses '^path: --write: its value is missing' "$path" --write ''
refuses '^path: --cuts 2: one device is not cut$' "$path" --devices pocl:cpu0.0 --cuts 2
refuses '^path: --cuts 2: it sets the shares itself: without --shares$' "$path" --devices "$two" --shares 1,2 --cuts 2
for wrong in '--size 0' '--size 4x' '--type f16' '--batch 0' '--climb 0' '--cuts 0' '--shares 0,0' '--shares x' '--rebalance x'; do
	# shellcheck disable=SC2086  # an option and its value
	refuses "^path: $wrong is not possible" "$path" $wrong
done
finish
