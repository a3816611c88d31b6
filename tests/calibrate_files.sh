#!/bin/sh
# tests/calibrate_files.sh - hetero-calibrate and the place where it writes: what is there is not lost.
# shellcheck disable=SC1091,SC2154  # what calibrate_common.sh has
set -eu
: "${top_srcdir:?is set by make check}"
: "${has_json:?is set by make check}"
[ -z "${HETERO_TEST_SHORT:-}" ] || { echo 'files are alike in every build: not tried in short runs'; exit 77; }
. "$top_srcdir/tests/calibrate_common.sh"

# What is there and is no file stays what it is; nothing is measured for it.
mkdir "$work/folder"
mkfifo "$work/pipe"
for place in "$work/folder" "$work/pipe" /dev/null /dev/stdout /dev/fd/1; do
	run 1 FAKECL_REPORT=1 --quick --output "$place"
	has told 'is no regular file'
	! grep -q ndrange "$work/told" || complain "it was measured for $place"
done
[ -d "$work/folder" ] || complain 'the folder is gone'
[ -p "$work/pipe" ] || complain 'the pipe is gone'
[ -c /dev/null ] || complain '/dev/null is gone'
run 1 FAKECL_REPORT=1 --quick --output "$work/nowhere/calibration.ini"
has told 'cannot be written: No such file'
! grep -q ndrange "$work/told" || complain 'it was measured for nothing'

# What cannot be read is put aside, and nothing that was put aside before is lost.
for what in first second third; do
	echo "rubbish $what" >"$work/calibration.ini"
	run 0 --quick --only host,pocl:gpu0
	has told 'it is kept as .*calibration.ini.old'
done
grep -q first "$work/calibration.ini.old" || complain 'the first is lost'
grep -q second "$work/calibration.ini.old.2" || complain 'the second is lost'
grep -q third "$work/calibration.ini.old.3" || complain 'the third is lost'

# For want of memory nothing is wrong with a file: it stays where it is.
cat >"$work/memory.c" <<'END'
#include <errno.h>
void *iniparser_load(const char *name) { (void)name; errno = ENOMEM; return 0; }
END
clang -shared -fPIC -o "$work/memory.so" "$work/memory.c"
cp "$work/calibration.ini" "$work/before"
run 1 "LD_PRELOAD=$work/memory.so" ASAN_OPTIONS=verify_asan_link_order=0 --quick --only host,pocl:gpu0
has told 'calibration.ini stays as it is, .*: no memory'
cmp "$work/before" "$work/calibration.ini" || complain 'the file was changed for want of memory'
[ ! -e "$work/calibration.ini.old.4" ] || complain 'the file was put aside for want of memory'

# A program's timeline is left alone.
echo theirs >"$work/theirs.json"
run 1 HETERO_TRACE="$work/theirs.json" HETERO_STATS=1 --check
[ "$(cat "$work/theirs.json")" = theirs ] || complain 'it wrote a timeline'
! grep -q 'has done' "$work/told" || complain 'it printed a table'
run 1 --check
has told 'nothing was measured from host to pocl:gpu1$'

# A machine with more devices than a file may have: that is said before anything is measured, and nothing changes.
{ echo 'platform Many'; seq -f 'device cpu
name CPU %g' 70; } >"$work/many.machine"
cp "$work/calibration.ini" "$work/before"
run 1 "FAKECL_MACHINE=$work/many.machine" --quick
has told '70 devices and .* at most 64 '
cmp "$work/before" "$work/calibration.ini" || complain 'the file was changed'
[ ! -e "$work/calibration.ini.old.4" ] || complain 'a good file was put aside'
run 0 "FAKECL_MACHINE=$work/many.machine" HETERO_DEVICES=cpu0 --quick --output "$work/one.ini"

# What is not measured now stays: the pairs of a device that was not selected, and what a user wrote about them.
rm "$work/calibration.ini"
run 0 --quick
awk '{ print } /^from = "host"/ { from = 1 } /^to = "pocl:gpu1"/ && from { to = 1 } /^shape/ { if (to)
	print "barred.mapped = \"user it hangs\""; from = to = 0 }' "$work/calibration.ini" >"$work/edited"
[ "$(grep -c 'user it hangs' "$work/edited")" = 2 ] || complain 'the test wrote no bars'
for only in '' '--only host,pocl:gpu0'; do
	cp "$work/edited" "$work/calibration.ini"
	# shellcheck disable=SC2086  # words, or none
	run 0 HETERO_DEVICES=pocl:gpu0 --quick $only
	[ "$(grep -c '^.pair' "$work/calibration.ini")" = 12 ] || complain "pairs are lost: $only"
	[ "$(grep -c 'user it hangs' "$work/calibration.ini")" = 2 ] || complain "what the user wrote is lost: $only"
	section pocl:gpu1 pocl:gpu0 | grep -q '^choice.1' || complain "the other device's choices are lost: $only"
	run 0 --check
done

# So do the figures of a device that is not there just now, and the report says that they are old.
sed '/Fake card 1/,$d' "$FAKECL_MACHINE" | sed '$d' >"$work/one.machine"
run 0 "FAKECL_MACHINE=$work/one.machine" --quick
has said '^pocl:gpu1 (kept)$'
[ "$(grep -c '^.pair' "$work/calibration.ini")" = 12 ] || complain 'pairs of a device that is not there are lost'
run 0 --check

# A file may be called off.
(cd "$work" && "$tool" --quick --only host,pocl:gpu0 --output off >off.said 2>&1) || complain 'off is no name for a file'
grep -q '^.pair' "$work/off" || complain 'nothing was written to off'

# Unless that device has changed meanwhile: then only what the user wrote stays, and the file fits the machine.
sed 's/Fake card 1/Another card/' "$FAKECL_MACHINE" >"$work/changed.machine"
run 1 "FAKECL_MACHINE=$work/changed.machine" --check
run 0 "FAKECL_MACHINE=$work/changed.machine" HETERO_DEVICES=pocl:gpu0 --quick
run 0 "FAKECL_MACHINE=$work/changed.machine" HETERO_DEVICES=pocl:gpu0 --check
run 1 "FAKECL_MACHINE=$work/changed.machine" --check
has told 'nothing was measured from host to pocl:gpu1$'
section host pocl:gpu1 | grep -q '^barred.mapped = "user it hangs"' || complain 'what the user wrote is lost'
! section host pocl:gpu1 | grep -q '^points' || complain 'what was measured with another card is kept'
[ -z "$(section pocl:gpu1 pocl:gpu0)" ] || complain 'a pair of another card is kept'

# What is no UTF-8, a path or what the user wrote, has question marks in JSON, and nothing is lost for it.
if [ "$has_json" = yes ]; then
	odd=$work/$(printf '\351.ini')
	LC_ALL=C sed "s/it hangs/it h$(printf '\351')ngs/" "$work/edited" >"$odd"
	run 0 --quick --only host,pocl:gpu0 --format json --output "$odd"
	has said '"file": ".*/?.ini",$'
	[ "$(grep -c '"mapped": ".*it h?ngs"' "$work/said")" = 2 ] || complain 'a reason is not in the report'
	run 0 --check --format json --output "$odd"
	has said '"file": ".*/?.ini",$'
fi

# A device that is not there just now keeps what was measured with it.
cp "$work/edited" "$work/calibration.ini"
head -n 8 "$FAKECL_MACHINE" >"$work/one.machine"
run 0 "FAKECL_MACHINE=$work/one.machine" --quick
run 0 --check
section pocl:gpu1 pocl:gpu0 | grep -q '^choice.1' || complain 'a device that is not there was forgotten'

# A signal that comes while the file is written leaves no half of it, nor anything beside it.
cat >"$work/signal.c" <<'END'
#include <signal.h>
int fsync(int file) { (void)file; return raise(SIGTERM); }
END
clang -shared -fPIC -o "$work/signal.so" "$work/signal.c"
run 143 "LD_PRELOAD=$work/signal.so" ASAN_OPTIONS=verify_asan_link_order=0 --quick --output "$work/interrupted.ini"
for left in "$work"/interrupted.ini.*; do
	[ ! -e "$left" ] || complain "$left is left"
done
run 0 --check --output "$work/interrupted.ini"

# Where standard streams are closed what is said does not go into the files that get their numbers.
cat >"$work/astray.c" <<'END'
#include <stdio.h>
int fsync(int file) { return 0 * (file + dprintf(1, "astray\n") + dprintf(2, "astray\n")); }
END
clang -shared -fPIC -o "$work/astray.so" "$work/astray.c"
for closed in '<&- >&- 2>&-' '>&-' '<&- 2>&-' '2>&-'; do
	rm -f "$work/streams.ini" "$work/streams.svg"
	case $closed in *\ '>&-'*|'>&-') wanted=1 ;; *) wanted=0 ;; esac
	got=0
	(LD_PRELOAD=$work/astray.so ASAN_OPTIONS=verify_asan_link_order=0 && export LD_PRELOAD ASAN_OPTIONS &&
		eval "\$tool --quick --only host,pocl:gpu0 --output \$work/streams.ini --plot \$work/streams.svg" \
			">\$work/said 2>\$work/told $closed") || got=$?
	[ "$got" = $wanted ] || complain "status $got instead of $wanted: $closed"
	[ "$(tail -n 1 "$work/streams.svg")" = '</svg>' ] || complain "no drawing: $closed"
	! grep astray "$work/streams.ini" "$work/streams.svg" || complain "what is said went into a file: $closed"
done
run 1 --output "$work/streams.ini" --check

# A link stays one: the file behind it is put aside, beside itself, and replaced.
mkdir "$work/behind"
echo 'rubbish' >"$work/behind/file.ini"
ln -s "$work/behind/file.ini" "$work/link.ini"
run 0 --quick --output "$work/link.ini"
[ -L "$work/link.ini" ] || complain 'the link is gone'
grep -q rubbish "$work/behind/file.ini.old" || complain 'the file behind the link is lost'
run 0 --check --output "$work/behind/file.ini"

# Two that measure at a time: the second keeps what the first has written.
cp "$work/edited" "$work/calibration.ini"
flock "$work" sh -c "touch '$work/held'; sleep 1; cp '$work/edited' '$work/calibration.ini'" &
while [ ! -e "$work/held" ]; do sleep 0.05; done
sed '/it hangs/d' "$work/edited" >"$work/calibration.ini"
run 0 --quick --only host,pocl:gpu0
wait
[ "$(grep -c 'user it hangs' "$work/calibration.ini")" = 2 ] || complain 'what another process wrote meanwhile is lost'
! cmp -s "$work/edited" "$work/calibration.ini" || complain 'what was measured is lost'

# What is looked at without --output is what programs use: the user's own file, else that of the installation, else
# none. Looking needs no place to write.
run 0 HETERO_CALIBRATION= "HOME=$work/home" XDG_CONFIG_HOME= --quick
own=$work/home/.config/hetero/calibration.ini
[ -s "$own" ] || complain "nothing was written to $own"
run 0 HETERO_CALIBRATION= "HOME=$work/home" XDG_CONFIG_HOME= --check
has said "^$own fits"
run 0 HETERO_CALIBRATION= "HOME=$work/home" XDG_CONFIG_HOME= --explain host pocl:gpu0 4096
has said 'contiguous: .* measured'
run 1 HETERO_CALIBRATION=off "HOME=$work/home" XDG_CONFIG_HOME= --check
has told 'is off'
run 0 HETERO_CALIBRATION=off "HOME=$work/home" XDG_CONFIG_HOME= --explain host pocl:gpu0 4096
! grep -q measured "$work/said" || complain 'the file was used though it was off'
cp "$own" "$work/own.ini"
run 2 HETERO_CALIBRATION=off "HOME=$work/home" XDG_CONFIG_HOME= --quick
has told 'HETERO_CALIBRATION is off: --output says where to write'
cmp "$own" "$work/own.ini" || complain 'the file was written though it was off'
run 0 HETERO_CALIBRATION=off HOME= XDG_CONFIG_HOME= --dry-run
has said '^pocl:gpu0 to pocl:gpu1, strided: '
touch "$work/no-folder"
run 1 HETERO_CALIBRATION= "HOME=$work/no-folder" XDG_CONFIG_HOME= --quick
has told "no-folder/.config/hetero/calibration.ini cannot be written: its folder cannot be made: Not a directory"
run 2 HETERO_CALIBRATION= HOME= XDG_CONFIG_HOME= --quick
has told 'neither HOME nor XDG_CONFIG_HOME'
rm "$own"
got=0
env HETERO_CALIBRATION= HOME="$work/home" XDG_CONFIG_HOME= "$tool" --check >"$work/said" 2>"$work/told" || got=$?
if [ "$got" = 0 ]; then
	has said '/hetero/calibration.ini fits'
else
	has told "missing: no calibration in $own, nor in /.*/hetero/calibration.ini$"
fi
[ ! -e "$own" ] || complain 'looking has written something'

# A refusal makes no folder of the user's.
run 1 HETERO_CALIBRATION= "HOME=$work/new" XDG_CONFIG_HOME= --quick --only host,nobody
[ ! -e "$work/new/.config" ] || complain 'a refusal has made a folder'

# The user's first file begins with what the installed one has of other devices: by a tool that looks for it here.
: "${compile_flags?is set by make check}" "${link_flags?is set by make check}"
mkdir -p "$work/etc/hetero"
# shellcheck disable=SC2086  # lists of words
$CC $compile_flags ${HET_INSTRUMENT_FLAGS-} ${debug_checks-} -UHETERO_SYSCONFDIR -DHETERO_SYSCONFDIR="\"$work/etc\"" \
	-I"$top_srcdir/lib" -I"$top_srcdir/include" -c -o "$work/calibration.o" "$top_srcdir/lib/system/calibration.c" &&
	$CC ${HET_INSTRUMENT_FLAGS-} -o "$work/installed" "$top_builddir"/calibrate/hetero_calibrate-*.o "$work/calibration.o" \
		"$top_builddir/.libs/libhetero_all.a" $link_flags -lm
tool=$work/installed
run 0 --quick --output "$work/etc/hetero/calibration.ini"
run 0 HETERO_CALIBRATION= "HOME=$work/home" XDG_CONFIG_HOME= --check
has said "^$work/etc/hetero/calibration.ini fits"
run 0 HETERO_CALIBRATION= HETERO_DEVICES=pocl:gpu0 "HOME=$work/home" XDG_CONFIG_HOME= --quick
run 0 HETERO_CALIBRATION= "HOME=$work/home" XDG_CONFIG_HOME= --check
has said "^$own fits"
grep -q pocl:gpu1 "$own" || complain 'the user'\''s own file has nothing of the other card'
rm "$own"
echo rubbish >"$work/etc/hetero/calibration.ini"
run 0 HETERO_CALIBRATION= HETERO_DEVICES=pocl:gpu0 "HOME=$work/home" XDG_CONFIG_HOME= --quick
! grep -q pocl:gpu1 "$own" || complain 'what cannot be read was taken over'

rm -rf "$work"
exit $status
