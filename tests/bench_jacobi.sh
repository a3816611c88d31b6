#!/bin/sh
# tests/bench_jacobi.sh - Jacobi: every version has the plain loop's bits and the known numbers, however the rows are cut;
# what is moved is two rows between neighbours for each sweep but the last.
# shellcheck disable=SC1091,SC2154  # the file is there at run time
set -eu
: "${top_srcdir:?is set by make check}"
: "${top_builddir:?is set by make check}"
. "$top_srcdir/tests/benchmarks_common.sh"
benchmark jacobi hot hetero,shared,copying,plain
exchanges jacobi S
jacobi=$benchmarks/jacobi/jacobi
good "$jacobi" --class hot --devices "$two" --verify
[ "$(grep -c 'sum 4140.1990965205., numbers compared, 0 cells differ' "$work/said")" = 3 ] || status=1
for type in f64 f32; do
	good "$jacobi" --class mode --devices "$two" --share off --type $type --version hetero,shared,copying,plain --verify
	[ "$(grep -c 'factor 0.991207988903 with error .*, 0 cells differ' "$work/said")" = 4 ] || status=1
done
# Rows of 320 places, 4 bytes each, 99 times each way.
says '^  hetero: moved, copy, memory 1 to 2  *126720 bytes$'
says '^  hetero: moved, copy, memory 2 to 1  *126720 bytes$'
# Shares: of a device nothing; of a team that learns; devices without rows.
for shares in 1,3 0,1 5,0 2.5,1e-9; do
	good "$jacobi" --size 41x100 --steps 30 --devices "$two" --share off --shares $shares --verify
	[ "$(grep -c ', 0 cells differ' "$work/said")" = 3 ] || status=1
done
good "$jacobi" --size 3x3 --steps 7 --devices "$two" --verify
good "$jacobi" --size 400x200 --steps 60 --devices "$two" --share off --shares 9,1 --rebalance 7 --rounds 2
says '^  hetero: check  *factor .*, 0 cells differ'
together jacobi --class mode --shares 1,3
good "$jacobi" --size 96 --steps 30 --devices "$two" --version hetero --verify --sweep 40
for percent in 10 50 90; do
	says "share  $percent.0 %  *[1-9][0-9.]* Mop/s"
done
says "^  the library's  *[1-9][0-9.]* % of the best share's rate"
says "^  rebalanced  *[1-9][0-9.]* % of the best share's rate"
says '^  check  *0 of [1-9][0-9]* shares with a wrong result$'
refuses '^jacobi: --sweep needs more than 2 steps, not 2$' "$jacobi" --devices "$two" --sweep 10 --steps 2
refuses '^jacobi: --sweep is about two devices, not 1$' "$jacobi" --devices pocl:cpu0.0 --sweep 10
good "$jacobi" --class mode --devices "$two" --shares 1,3 --rounds 2 --version hetero,copying,alone
[ "$(grep -c '^  .*: check  *factor 0.991207988903 with error .*, 0 cells differ' "$work/said")" = 4 ] || status=1
says '^  alone, pocl:cpu0.1: time '
says '^  hetero: speed-up  *[0-9.]*  *\['
says '^  hetero: of all speeds  *[0-9.]* %  *\['
! grep 'alone.* / \|/ alone\|alone.*: moved' "$work/said" || status=1
# Who has nothing to exchange recovers nothing of what that costs.
good "$jacobi" --class mode --devices "$two" --share off --rounds 9 --version hetero,copying,plain,local,unsent,alone
says 'exchange recovered  *\([-0-9.]* %\|not known: no cost is shown$\)'
! grep '\(alone.*\|plain\): .*recovered' "$work/said" || status=1
good "$jacobi" --class mode --devices pocl:cpu0.0 --verify --version hetero,alone
says '^jacobi, alone: left out: there is one device$'
if four_devices; then
	good env POCL_DEVICES='pthread pthread' "$jacobi" --class mode --devices "$four" --share off --shares 3,0,1,2 --verify
	[ "$(grep -c 'factor 0.991207988903 with error .*, 0 cells differ' "$work/said")" = 3 ] || status=1
	says '^  hetero: moved, copy, memory 3 to 4  *253440 bytes$'
fi
for wrong in '--size 2' '--size 4x' '--steps 0' '--type f16' '--shares 0,0' '--shares 1,-1' '--shares 1,' '--rebalance -1' \
	'--shares 1e308,1e308'; do
	# shellcheck disable=SC2086  # an option and its value
	refuses "^jacobi: $wrong is not possible" "$jacobi" $wrong
done
refuses '^jacobi: --size 2 is not possible:$' "$jacobi" --size 2
says '^  --size N|ROWSxCOLS   cells, with those of the edge: 3 to 65536 a side$'
[ "$(wc -l <"$work/said")" = 3 ] || { cat "$work/said"; status=1; } # not all of the help
refuses '^jacobi: of these 2 devices 1 can be a team' "$jacobi" --devices pocl:cpu0,pocl:cpu0.1
refuses '^jacobi: --shares: 3 shares for 2 devices' "$benchmarks/jacobi/jacobi" --devices "$two" --shares 1,2,3
# As many rounds as a second has room for, but six.
good "$jacobi" --size 400 --steps 60 --devices "$two" --version hetero --rounds 999 --seconds 1
says '^jacobi class S --size 400 --steps 60, 2 devices, \([6-9]\|[1-9][0-9]\|[1-8][0-9][0-9]\) rounds:$'
good "$benchmarks/jacobi/jacobi" --devices "$two" --version hetero --verify --rounds 5 --size 64 --steps 3
says '^jacobi class S --size 64 --steps 3, 2 devices, 0 rounds:$'
finish
