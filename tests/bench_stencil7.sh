#!/bin/sh
# tests/bench_stencil7.sh - the 7-point stencil: every version has the mode's factor and the same bits as one thread of
# C, for any shares, in double and in single precision; what goes to a neighbour is a plane.
# shellcheck disable=SC1091,SC2154  # the file is there at run time
set -eu
: "${top_srcdir:?is set by make check}"
: "${top_builddir:?is set by make check}"
. "$top_srcdir/tests/benchmarks_common.sh"
benchmark stencil7 S hetero,shared,copying,plain
exchanges stencil7 S
stencil7=$benchmarks/stencil7/stencil7

# A constant field stays one.
for type in f64 f32; do
	good "$stencil7" --class K --type $type --devices "$two" --verify
	[ "$(grep -c 'factor 1.000000000000000 a step, .*the same bits' "$work/said")" = 3 ] || status=1
done

# Single precision: errors are of its size, and bits still those of C, for a cut into three quarters and one, too.
for share in on off; do
	for shares in 1,1 3,1; do
		good "$stencil7" --type f32 --devices "$two" --share $share --shares $shares --version \
			hetero,shared,copying,plain --verify
		wanted='factor 0.998768684153281 a step, error [0-9.]*e-0[67], the same bits as one thread of C'
		[ "$(grep -c "$wanted" "$work/said")" = 4 ] || { cat "$work/said"; status=1; }
	done
done
good "$stencil7" --type f32 --devices "$two" --rounds 1 --version copying,local
says '^  local: time '

# Any cut: little, nothing at all for one device, shares that move; the planes of each interface once each way in each
# step but the first, 42 x 50 x 8 bytes.
for shares in 1,9 3,1 0,1 1,0 1,1000; do
	for share in on off; do
		good "$stencil7" --devices "$two" --share $share --shares $shares --version hetero,shared,copying --verify
		[ "$(grep -c 'the same bits as one thread of C' "$work/said")" = 3 ] || { cat "$work/said"; status=1; }
	done
done
for options in '--rebalance 1' '--rebalance 3' '--rebalance 2 --type f32'; do
	# shellcheck disable=SC2086  # options and their values
	good "$stencil7" --devices "$two" --share off --shares 1,4 $options --version hetero --rounds 2
	says 'the same bits as one thread of C'
done
for bytes in 8 4; do
	good "$stencil7" --type f$((8 * bytes)) --devices "$two" --share off --version hetero --verify
	says "moved, copy, memory 1 to 2  *$((42 * 50 * bytes * 99)) bytes"
	says "moved, copy, memory 2 to 1  *$((42 * 50 * bytes * 99)) bytes"
done
if four_devices; then
	good env POCL_DEVICES='pthread pthread' "$stencil7" --devices "$four" --share off --shares 1,2,0,4 --version \
		hetero --verify
	says 'the same bits as one thread of C'
fi

# The sweep: rows for all shares, and for what the library gives and finds; --verify is about the versions alone.
for type in f64 f32; do
	good "$stencil7" --type $type --devices "$two" --share off --version hetero --verify --sweep 40
	says 'share  50.0 %: the library.s  *[1-9]'
	for percent in 10 50 90; do
		says "share  $percent.0 %  *[1-9][0-9.]* Mop/s"
	done
	says 'share of the first device, 7 rounds:$'
	says '^  may be as good  *[0-9.]* to [0-9.]* %$'
	best=$(sed -n 's/^  best share  *\([0-9.]*\) %$/\1/p' "$work/said")
	says "^  share  *${best:-none} %"
	says 'share  [0-9 .]* %: rebalanced  *[1-9]'
	says "^  the library's  *[1-9][0-9.]* % of the best share's rate"
	says "^  rebalanced  *[1-9][0-9.]* % of the best share's rate"
	says '^  check  *0 of [1-9][0-9]* shares with a wrong result$'
done

for rounds in '1 round' '2 rounds'; do
	good "$stencil7" --devices "$two" --version hetero --rounds "${rounds%% *}" --sweep 40
	says '^  may be as good  *not known: fewer than 6 rounds$'
	[ "$(grep -c ", $rounds:\$" "$work/said")" = 2 ] || { cat "$work/said"; status=1; }
done

# A device without double precision, alone and beside one that has it and is so much faster that the sweep goes on.
if RUSTICL_ENABLE=llvmpipe HETERO_DEVICES=rusticl "$examples/hello/hello" >"$work/said" 2>&1; then
	good env RUSTICL_ENABLE=llvmpipe "$stencil7" --devices rusticl --type f32 --verify
	[ "$(grep -c 'the same bits as one thread of C' "$work/said")" = 3 ] || { cat "$work/said"; status=1; }
	good env RUSTICL_ENABLE=llvmpipe LP_NUM_THREADS=1 "$stencil7" --devices pocl:cpu0.0,rusticl --type f32 \
		--version hetero --verify --sweep 40
	says 'hetero: check .*the same bits as one thread of C'
	says 'share  50.0 %  *[1-9]'
	says 'share 100.0 %  *[1-9]'
	says '^  check  *0 of 9 shares with a wrong result$'
	good env RUSTICL_ENABLE=llvmpipe LP_NUM_THREADS=1 "$stencil7" --devices rusticl,pocl:cpu0.0 --type f32 \
		--version hetero --shares 1,1 --rebalance 4 --verify
	says 'hetero: check .*the same bits as one thread of C'
	# shellcheck disable=SC2016  # the inner shell's
	good env RUSTICL_ENABLE=llvmpipe sh -c '"$0" --devices rusticl --verify || [ $? = 77 ]' "$stencil7"
	says '^stencil7: rusticl.* has no double precision'
else
	echo 'no rusticl: nothing was run beside a device without double precision'
fi
json_says 'names == ["stencil7", "sweep"]' "$stencil7" --devices "$two" --version hetero --verify --sweep 40
json_says 's[0]["verified"] == "nothing"' "$stencil7" --devices "$two" --version local --verify
good "$stencil7" --help
says '^  --shares A,B'
says '^  --type f32|f64 .*(f64)$'
refuses '^stencil7: --shares 1,x is not possible' "$stencil7" --shares 1,x
refuses '^stencil7: --shares 0,0 is not possible' "$stencil7" --shares 0,0
refuses '^stencil7: --shares 1,-1 is not possible' "$stencil7" --shares 1,-1
refuses '^stencil7: --shares: 3 shares for 2 devices' "$stencil7" --devices "$two" --shares 1,2,3
refuses '^stencil7: --type f16 is not possible' "$stencil7" --type f16
refuses '^stencil7: --rebalance -1 is not possible' "$stencil7" --rebalance -1
refuses '^stencil7: --sweep 41 is not possible' "$stencil7" --sweep 41
# Before anything is measured.
refuses '^stencil7: --sweep sets the shares itself: without --shares' "$stencil7" --devices "$two" --sweep 10 --shares 1,1
for option in --verify --memory; do
	refuses '^stencil7: --sweep is about two devices, not 1' "$stencil7" --devices pocl:cpu0.0 $option --sweep 10
	[ "$(wc -l <"$work/said")" = 1 ] || { cat "$work/said"; status=1; }
done
finish
