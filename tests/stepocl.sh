#!/bin/sh
# tests/stepocl.sh - hetero-stepocl: its plans, its runs against plain C and against a steady field, the programs that
# it writes, its errors.
# shellcheck disable=SC1091,SC2154  # the file is there at run time
set -eu
: "${top_srcdir:?is set by make check}" "${top_builddir:?is set by make check}" "${CC:?is set by make check}"
tool=$top_builddir/stepocl/hetero-stepocl
field=$top_builddir/tests/stepocl_field
given=$top_srcdir/stepocl
work=$top_builddir/stepocl.work
rm -rf "$work"
mkdir -p "$work"

. "$top_srcdir/tests/tool_common.sh"

same()
{
	cmp "$1" "$2" || complain "$1 and $2 differ: $3"
}

# Usage.
run 0 --help
has said '^usage: '
sed -n 's/^ *\(--[a-z-]*\).*/\1/p' "$work/said" | sort -u | while read -r option; do
	escaped=$(echo "$option" | sed 's/-/\\-/g')
	grep -qF -e "$escaped" "$given/hetero-stepocl.1" || { echo "$option: not in the manual"; exit 1; }
done || status=1
sed -n 's/^	{"\([a-zA-Z_]*\)", [A-Z_]*, [A-Z_]*, .*/\1/p' "$given/read.c" | sort -u >"$work/elements"
[ "$(wc -l <"$work/elements")" -ge 20 ] || { echo 'the elements of descriptions are not found'; status=1; }
while read -r element; do
	grep -q "^\.B <$element>" "$given/hetero-stepocl.1" ||
		{ echo "<$element>: not in the manual"; status=1; }
done <"$work/elements"
run 0 --version
has said '^hetero-stepocl [0-9]'
run 2
has told 'no description'
for wrong in --nonsense '--plan 0' '--plan 1025' '--plan two' '--plan 2 --emit-c x.c' '--emit-c=' '--iterations 0' \
	'--fill A' '--fill =3' '--in A=' 'a.cl b.cl'; do
	# shellcheck disable=SC2086
	run 2 $wrong "$given/stencil.xml"
	has told ' --help lists the options$'
	! grep -v '^hetero-stepocl[: ]' "$work/told" || complain "$wrong: a line of somebody else's"
	[ ! -s "$work/said" ] || complain "$wrong: usage on stdout"
done

# What is asked of a description that it does not have.
for wrong in '' '--fill C=3' '--fill A=three' '--fill A=1 --fill A=2' '--fill A=1 --in A=a.raw' '--fill A=1:2:3:4' \
	'--fill A=1 --out width=w.raw' '--fill A=1 --fill width=2.5' '--fill A=1 --out B=b --out B=c'; do
	# shellcheck disable=SC2086
	run 2 $wrong "$given/stencil.xml"
	has told ' --help lists the options$'
done

# asked REASON OPTION...: the message names the option, and what there is.
asked()
{
	reason=$1
	shift
	run 2 "$@" "$given/stencil.xml"
	has told "^hetero-stepocl: $reason\$"
}
long=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
asked "--fill Z=1: there is no argument 'Z', but B, A, width" --fill Z=1
asked "--in A\.=a\.raw: there is no argument 'A\.', but B, A, width" --in A.=a.raw
asked "--out width=w: 'width' is a number and has no file; the arrays are B, A" --fill A=1 --out width=w
asked "--fill width=2:1: '2:1' is no number of the type of 'width', int" --fill width=2:1
asked "--fill A=three: 'three' is no number of the type of 'A', float" --fill A=three
asked "--in A=a: the data of 'A' are given twice" --fill A=1 --in A=a
asked "--out B=c: 'B' is written twice" --fill A=1 --out B=b --out B=c
asked "--fill A: it is NAME=, then a file or a value" --fill A
sed '/<value>/d' "$given/stencil.xml" >"$work/valueless.xml"
run 2 "$work/valueless.xml" "$given/stencil.cl"
has told '^hetero-stepocl: no data for an input: --in NAME=FILE or --fill NAME=VALUE: A$'
has told '^hetero-stepocl: no value for a number: --fill NAME=VALUE: width$'
[ "$(grep -c -e '--help' "$work/told")" = 1 ] || complain 'the hint is not told once'
sed "s/width/$long/" "$given/stencil.xml" >"$work/long.xml"
run 2 --fill A=1 --fill "${long}a=3" "$work/long.xml" "$given/stencil.cl"
has told "there is no argument '${long}a', but B, A, $long"

# Elements that would be no numbers of their type; a step down may begin anywhere.
for wrong in 1e300:1 0:1e300 3e38:0:1e36 3e38:1e34:-1 -3e38:-1e35 1e38:-1e33:-1e36; do
	run 2 --fill A=$wrong --emit-c "$work/steep.c" "$given/stencil.xml"
	has told "^hetero-stepocl: --fill A=$wrong: the elements of 'A' would not all be numbers of type float\$"
done
for good in 3e38:-1e34 -3e38:1e34:1e35 1e38:2e34:1e35; do
	run 0 --fill A=$good --emit-c "$work/steep.c" "$given/stencil.xml"
done
sed 's/float/double/' "$given/stencil.xml" >"$work/double.xml"
run 0 --fill A=1e300:1e300 --emit-c "$work/steep.c" "$work/double.xml" "$given/stencil.cl"
run 2 --fill A=1e300:1e305 --emit-c "$work/steep.c" "$work/double.xml" "$given/stencil.cl"
has told "'A' would not all be numbers of type double$"
run 2 --fill A=-1e308:-1e305 --emit-c "$work/steep.c" "$work/double.xml" "$given/stencil.cl"

# What could not be written is said before anything is run; and no result is written over another.
run 2 --fill A=1 --out "A=$work/same.raw" --out "B=$work/same.raw" "$given/stencil.xml"
has told 'two arrays would be written to the same file'
run 2 --fill A=1 --out "A=$work/same.raw" --out "B=$work/../${work##*/}/same.raw" "$given/stencil.xml"
has told 'two arrays would be written to the same file'
ln -s to-be.raw "$work/link.raw"
run 2 --fill A=1 --out "A=$work/link.raw" --out "B=$work/to-be.raw" "$given/stencil.xml"
has told 'two arrays would be written to the same file'
run 1 OCL_ICD_VENDORS=/nonexistent/ --fill A=1 --out B=/nonexistent/b.raw "$given/stencil.xml"
has told '^hetero-stepocl: /nonexistent/b.raw: No such file'

# Nor over what a program or a result is made of.
mkdir -p "$work/apart"
cp "$given/stencil.xml" "$work/apart/stencil.xml.c"
cp "$given/stencil.cl" "$work/apart/stencil.c"
cp "$given/stencil.cl" "$work/apart/data.c"
# spared FILE REASON ARGUMENT...: stencil.xml.c and stencil.c are the description and the kernel.
spared()
{
	before=$(cksum <"$work/apart/$1")
	reason=$2
	file=$1
	shift 2
	run 2 OCL_ICD_VENDORS=/nonexistent/ "$@" "$work/apart/stencil.xml.c" "$work/apart/stencil.c"
	has told "^hetero-stepocl: $reason: .*/$file\$"
	[ "$before" = "$(cksum <"$work/apart/$file")" ] || complain "$file has been written over"
}
over='--emit-c: the program would be written over'
spared stencil.xml.c "$over" --fill A=1 --emit-c "$work/apart/../apart/stencil.xml.c"
spared stencil.c "$over" --fill A=1 --emit-c "$work/apart/stencil.c"
spared data.c "$over" --in A="$work/apart/data.c" --emit-c "$work/apart/data.c"
spared data.c '--emit-c: the program would write a result over itself' --fill A=1 --out B="$work/apart/data.c" \
	--emit-c "$work/apart/data.c"
spared stencil.c '--out: a result would be written over' --fill A=1 --out B="$work/apart/stencil.c"
spared stencil.xml.c '--out: a result would be written over' --fill A=1 --out B="$work/apart/stencil.xml.c"
# The command that is printed compiles FILE.c to FILE, which is written over as well.
cp "$given/stencil.cl" "$work/apart/data"
spared stencil.xml.c "$over" --fill A=1 --emit-c "$work/apart/../apart/stencil.xml.c.c"
spared stencil.c "$over" --fill A=1 --emit-c "$work/apart/stencil.c.c"
spared data "$over" --in A="$work/apart/data" --emit-c "$work/apart/data.c"
spared data '--emit-c: the program would write a result over itself' --fill A=1 --out B="$work/apart/data" \
	--emit-c "$work/apart/data.c"
cmp "$given/stencil.cl" "$work/apart/data.c" || complain 'a program has been written over'
# Nor where the program makes a result before that takes its place.
# roomless RESULT ARGUMENT...
roomless()
{
	result=$work/apart/$1
	shift
	run 2 OCL_ICD_VENDORS=/nonexistent/ "$@" "$work/apart/stencil.xml.c" "$work/apart/stencil.c"
	has told "^hetero-stepocl: --emit-c: the program would first make $result as $result.new, which is used already\$"
}
roomless x --in A="$work/apart/x.new" --out B="$work/apart/x" --emit-c "$work/apart/new.c"
roomless x --in A="$work/apart/../apart/x.new" --out A="$work/apart/x" --emit-c "$work/apart/new.c"
roomless y --fill A=1 --out B="$work/apart/y" --out A="$work/apart/y.new" --emit-c "$work/apart/new.c"
roomless y --fill A=1 --out A="$work/apart/y" --out B="$work/apart/y.new" --emit-c "$work/apart/new.c"
roomless y --fill A=1 --out B="$work/apart/y" --emit-c "$work/apart/y.new.c"
[ ! -e "$work/apart/new.c" ] || complain 'a program is there that was refused'
another="--out: a result would be written over another array's data"
spared data.c "$another" --in A="$work/apart/data.c" --out B="$work/apart/../apart/data.c"
spared data.c "$another" --in A="$work/apart/data.c" --out B="$work/apart/data.c" --emit-c "$work/apart/new.c"

# Descriptions that are wrong: file, line and reason. All kinds are in tests/test_stepocl.c.
run 1 --plan 2 "$work/nowhere.xml"
has told '^hetero-stepocl: .*nowhere.xml: No such file'
run 1 --plan 2 "$work"
has told '^hetero-stepocl: .*stepocl.work: Is a directory'
run 1 --plan 2 "$given/stencil.cl"
has told 'stencil.cl:1: this is not XML: '
# wrong SCRIPT LINE REASON: the example, changed by sed.
wrong()
{
	sed "$1" "$given/stencil.xml" >"$work/wrong.xml"
	run 1 --fill A=1 "$work/wrong.xml"
	has told "^hetero-stepocl: .*wrong.xml:$2: $3"
}
wrong '/<name>A</d' 15 'an argument without a <name>'
wrong '0,/float/s//real/' 7 "<dataType> is char, .*, not 'real'"
wrong 's/>4096</>4k</' 41 "<g_size> is a whole number below 2^63, not '4k'"
wrong 's/>4116</>9223372036854775807</' 4 "argument 'B' has more bytes than can be counted"
wrong 's/<becomes>A/<becomes>C/' 13 "there is no argument 'C'"
wrong 's/{10,0}/{11,0}/' 26 "with this point work-items reach outside of 'A' along x (4116)"
wrong '15,20s/input/output/' 15 "'B' and 'A' are two outputs"
wrong 's/>16</>15</' 38 '1024 work-items are no multiple'
wrong '/<\/argument>/d' '[0-9]*' '<argument> does not belong in <argument>'

# Numbers whose sum is larger than can be, although each is not.
cat >"$work/far.xml" <<'XML'
<stepocl>
 <argument><name>o</name><property>output</property><dataType>TYPE</dataType>
  <arg_size><dim_size>SIZE</dim_size></arg_size><origin><o_size>ORIGIN</o_size></origin></argument>
 <kernel><name>k.cl</name><global><g_size>WORK</g_size></global><offset><g_offset>ORIGIN</g_offset></offset></kernel>
</stepocl>
XML
# far TYPE SIZE ORIGIN WORK REASON
far()
{
	sed "s/TYPE/$1/; s/SIZE/$2/; s/ORIGIN/$3/; s/WORK/$4/" "$work/far.xml" >"$work/wrong.xml"
	run 1 --plan 2 "$work/wrong.xml"
	has told "wrong.xml:2: $5"
}
far short 4611686018427387903 4611686018427387902 2000000000000000002 "argument 'o' has more bytes than can be counted"
far char 9223372036854775807 9223372036854775000 1 "argument 'o' has more bytes than can be counted"
far char 4611686018427387903 4611686018427387902 2 "work-items lie outside of 'o' along x (4611686018427387903)"
far char 4611686018427387903 2305843009213693952 2305843009213693952 "work-items lie outside of 'o' along x"

# The number of iterations is the option's: one is possible where nothing becomes an input.
sed '/<becomes>/d; /<shadow>/,/<\/shadow>/d' "$given/stencil.xml" >"$work/often.xml"
run 1 --plan 2 "$work/often.xml"
has told "often.xml:4: 50 iterations, and no input with shadow points is like the output 'B'"
run 0 --plan 2 --iterations 1 "$work/often.xml"
run 1 --plan 2 --iterations 2 "$work/often.xml"
has told 'often.xml:4: 2 iterations, and no input'
# What a plan does not use is not passed over either.
run 2 --plan 2 --fill Z=1 "$given/stencil.xml"
has told "there is no argument 'Z', but B, A, width"
run 0 --plan 2 --fill A=1 "$given/stencil.xml"

# What the kernel's parameters are is seen when it is built; it may take elements of the type several at a time.
for type in double int; do
	sed "s/float/$type/" "$given/stencil.xml" >"$work/wrong.xml"
	run 1 --fill A=1 "$work/wrong.xml" "$given/stencil.cl"
	has told "^hetero-stepocl: .*wrong.xml:4: 'B' is of type $type, but argument 0 of kernel stencil is float\* b\$"
	[ ! -s "$work/said" ] || complain 'it was planned'
done
sed 's/global const float \*a/global const float4 *a/; s/a\[\([^]]*\)\]/a[(\1) \/ 4].x/g' "$given/stencil.cl" >"$work/lanes.cl"
run 0 --fill A=1 "$given/stencil.xml" "$work/lanes.cl"
{
	echo 'typedef float row[4];'
	sed 's/global const float \*a/global const row *a/; s/a\[\([^]]*\)\]/a[(\1) \/ 4][0]/g' "$given/stencil.cl"
} >"$work/rows.cl"
run 0 --fill A=1 "$given/stencil.xml" "$work/rows.cl"

# Plans need no device.
run 0 OCL_ICD_VENDORS=/nonexistent/ --plan 2 "$given/stencil.xml"
has said '^cut first along y, then x; 2 devices: 2 parts, 1 x 2$'
has said 'reads A: x \[0, 4116)  y \[0, 514)$'
has said 'sends to part 0: 16384 bytes per iteration$'
has said '^32768 bytes per iteration between all parts$'
run 0 --plan 128 "$given/stencil.xml"
has said '128 parts, 2 x 64$'
run 0 --plan 3 "$given/stencil.xml"
has said '3 devices: 2 parts'
# What is read whole is sent to everybody.
sed -e '/<shadow>/,/<\/shadow>/d' -e 's/>4096</>16</' -e 's/>1024</>4</' -e '/<local>/,/<\/local>/d' "$given/stencil.xml" \
	>"$work/whole.xml"
run 0 OCL_ICD_VENDORS=/nonexistent/ --plan 4 "$work/whole.xml"
has said '^cut first along y, then x; 4 devices: 4 parts, 1 x 4$'
[ "$(grep -c 'reads A: x \[0, 4116)  y \[0, 1026), all of it$' "$work/said")" = 4 ] || complain 'it is not read whole'
[ "$(grep -c 'sends to part [0-3]: 64 bytes per iteration$' "$work/said")" = 12 ] || complain 'not sent to everybody'
has said '^768 bytes per iteration between all parts$'
# A point that leads a part out of the array makes it read nothing.
cat >"$work/box.xml" <<'XML'
<stepocl>
 <argument><name>o</name><property>output</property><dataType>int</dataType>
  <arg_size><dim_size>8</dim_size></arg_size><becomes>i</becomes></argument>
 <argument><name>i</name><property>input</property><dataType>int</dataType>
  <arg_size><dim_size>8</dim_size></arg_size><shadow border="kernel"><point>{-2}</point></shadow></argument>
 <kernel><name>k.cl</name><global><g_size>2</g_size></global><offset><g_offset>1</g_offset></offset></kernel>
</stepocl>
XML
run 0 OCL_ICD_VENDORS=/nonexistent/ --plan 2 "$work/box.xml"
has said 'reads i: x \[1, 2)$'
has said 'reads i: x \[0, 3)$'
if [ -w /dev/full ]; then
	"$tool" --plan 3 "$given/stencil.xml" >/dev/full 2>"$work/told" && complain 'a full disk is no failure'
	has told 'could not be printed: No space'
fi

# Two cards of different contexts, whose commands run in odd orders; one of them fails.
if [ -r "${HETERO_FAKE_DRIVER-}" ] && clang --version >/dev/null 2>&1; then
	mkdir -p "$work/vendors"
	echo "$HETERO_FAKE_DRIVER" >"$work/vendors/fakecl.icd"
	machine=$top_srcdir/tests/fakecl/machines/two-gpus.machine
	"$field" steady 1026 1026 "$work/begin.raw"
	"$field" sweep 1026 1026 1 1 3 "$work/begin.raw" "$work/plain3.raw"
	for order in late random:7; do
		run 0 OCL_ICD_VENDORS="$work/vendors" FAKECL_MACHINE="$machine" FAKECL_ORDER=$order FAKECL_REPORT=1 \
			--iterations 3 --in now="$work/begin.raw" --out next="$work/cards.raw" "$given/jacobi.xml"
		has told 'fakecl: 0 violations'
		has said 'part 1 on fake:gpu1: x \[0, 1024)  y \[512, 1024)'
		same "$work/plain3.raw" "$work/cards.raw" "two cards, $order"
	done
	run 1 OCL_ICD_VENDORS="$work/vendors" FAKECL_MACHINE="$machine" FAKECL_ORDER=fifo FAKECL_FAIL=ndrange:4:-5 \
		--iterations 3 --fill now=1 --out next="$work/lost.raw" "$given/jacobi.xml"
	has told '^hetero-stepocl: .*CL_OUT_OF_RESOURCES'
	[ ! -e "$work/lost.raw" ] || complain 'a result of nothing'
fi

# Runs. Without a driver there is a message.
run 1 OCL_ICD_VENDORS=/nonexistent/ --fill A=1 "$given/stencil.xml"
has told '^hetero-stepocl: '
HETERO_DEVICES=pocl:cpu/1
export HETERO_DEVICES
if ! "$tool" --iterations 1 --fill A=1 "$given/stencil.xml" >"$work/said" 2>"$work/told" &&
	grep -q 'no usable OpenCL\|nothing matches' "$work/told"; then
	echo 'no PoCL: nothing was run'
	[ "$status" = 0 ] || exit 1
	exit 77
fi

# The stencil: the same bits as plain C, however it is cut; a field that stays as it is.
"$field" steady 4116 1026 "$work/steady.raw"
"$field" sweep 4116 1026 10 1 50 "$work/steady.raw" "$work/plain.raw"
for settings in HETERO_SHARE=on HETERO_SHARE=off 'HETERO_DEVICES=pocl:cpu0 HETERO_SHARE=off'; do
	# shellcheck disable=SC2086
	run 0 $settings --in A="$work/steady.raw" --out B="$work/spread.raw" "$given/stencil.xml"
	has said 'cut along y by het_spread'
	has said '^50 iterations in .* GFLOP/s$'
	same "$work/plain.raw" "$work/spread.raw" "$settings"
done
"$field" near "$work/steady.raw" "$work/spread.raw" 4e-6 >"$work/said" || complain 'the steady field is not steady'

# Each iteration moves what the plan says, one row each way, and nothing else.
moved()
{
	run 0 HETERO_SHARE=off --iterations "$1" --fill A=1:0.01 "$given/stencil.xml"
	sed -n 's/^\([0-9]*\) bytes were moved.*/\1/p' "$work/said"
}
run 0 HETERO_SHARE=off --iterations 1 --fill A=1 "$given/stencil.xml"
parts=$(grep -c '  part [0-9]* on' "$work/said")
less=$(moved 20)
more=$(moved 21)
[ $((more - less)) = $((32768 * (parts - 1))) ] ||
	complain "one more iteration moves $((more - less)) bytes between $parts parts"

# Jacobi, whose work-items count from 0; the border is kept. The iteration before is in the input.
run 0 --fill now=1:0.5:-0.25 --iterations 1 --out now="$work/begin.raw" "$given/jacobi.xml"

# Through a pipe: bytes alone on standard output, the report on standard error.
run 0 --iterations 3 --in now="$work/begin.raw" --out next="$work/by-file.raw" "$given/jacobi.xml"
for output in - /dev/stdout; do
	# shellcheck disable=SC2002  # a pipe, not a file
	cat "$work/begin.raw" | "$tool" --iterations 3 --in now=- --out next=$output "$given/jacobi.xml" 2>"$work/told" |
		cat >"$work/by-pipe.raw"
	cmp "$work/by-file.raw" "$work/by-pipe.raw" || complain "other bytes through a pipe, --out next=$output"
	has told 'iterations in'
done
if "$tool" --iterations 3 --in now=- --out next=- "$given/jacobi.xml" <"$work/begin.raw" >/dev/full 2>"$work/told"; then
	complain 'what could not be written was no error'
fi
has told '/dev/stdout: '
if (ulimit -f 1 && "$tool" --iterations 3 --fill now=1 --out next=- "$given/jacobi.xml" >"$work/large.raw" 2>"$work/told")
then
	complain 'half a result was no error'
fi
has told '/dev/stdout: File too large'
"$tool" --iterations 3 --in now="$work/begin.raw" --out next=- "$given/jacobi.xml" >>"$work/begin.raw" 2>"$work/told" &&
	complain 'a result was written behind the data that it is made of'
has told "a result would be written over another array's data"
run 2 --fill now=1 --out next=- --emit-c "$work/piped.c" "$given/jacobi.xml"
has told 'the program prints its report'
"$field" sweep 1026 1026 1 1 7 "$work/begin.raw" "$work/plain7.raw"
"$field" sweep 1026 1026 1 1 8 "$work/begin.raw" "$work/plain8.raw"
run 0 HETERO_SHARE=off --in now="$work/begin.raw" --iterations 8 --out next="$work/eight.raw" --out now="$work/seven.raw" \
	"$given/jacobi.xml" "$given/jacobi.cl"
same "$work/plain7.raw" "$work/seven.raw" 'the iteration before the last'
same "$work/plain8.raw" "$work/eight.raw" 'the last iteration'
run 0 --fill now=1 --fill weight=0.5 --iterations 1 --out next="$work/twice.raw" "$given/jacobi.xml"
run 0 --fill now=2 --iterations 1 --out next="$work/two.raw" "$given/jacobi.xml"
tail -c 1000000 "$work/twice.raw" | head -c 4 | cmp - "$work/two.raw" -n 4 || complain 'the number was not passed'

# A kernel that looks for the border itself; integers, in three dimensions, of which one is cut.
cat >"$work/count.cl" <<'CL'
kernel void neighbours(global int *out, global const int *in, global const uchar *table, const uint pitch)
{
	const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2), i = (z * 6 + y) * (int)pitch + x;
	if (z == 0)
		return;
	out[i] = in[i - 6 * (int)pitch] + in[i] * STEP + table[255];
}
CL
cat >"$work/count.xml" <<'XML'
<stepocl>
 <kernel><name>count.cl</name><function>neighbours</function><options>-DSTEP=2</options>
  <global><g_size>5</g_size><g_size>6</g_size><g_size>7</g_size></global></kernel>
 <argument><name>out</name><property>output</property><dataType>int</dataType>
  <arg_size><dim_size>5</dim_size><dim_size>6</dim_size><dim_size>7</dim_size></arg_size></argument>
 <argument><name>in</name><property>input</property><dataType>int</dataType>
  <arg_size><dim_size>5</dim_size><dim_size>6</dim_size><dim_size>7</dim_size></arg_size>
  <shadow border="kernel"><point>{0,0,-1}</point></shadow></argument>
 <argument><name>table</name><property>input</property><dataType>uchar</dataType>
  <arg_size><dim_size>256</dim_size></arg_size></argument>
 <argument><name>pitch</name><property>input</property><dataType>uint</dataType><cl_mem>0</cl_mem>
  <value>5</value></argument>
 <iterations>3</iterations>
</stepocl>
XML
for share in on off; do
	run 0 HETERO_SHARE=$share --fill in=1 --fill table=7 --out out="$work/count.raw" "$work/count.xml"
	# Plane 0 stays 1, the others have 3 v + ...: 1, 10, 28 + ... as counted here.
	od -An -v -td4 -w120 "$work/count.raw" | awk '{ print $1 }' | tr '\n' ' ' >"$work/planes"
	echo '1 1 1 1 1 1 1' | awk '{
		for (n = 1; n <= 3; n++)
			for (z = 7; z >= 2; z--)
				$z = $(z - 1) + 2 * $z + 7
		print
	}' | tr '\n' ' ' >"$work/counted"
	cmp "$work/planes" "$work/counted" || { cat "$work/planes" "$work/counted"; complain 'the integers are wrong'; }
done

# What fails while it runs is said, and nothing is written.
run 1 --fill A=1 --out B="$work/never.raw" "$given/stencil.xml" "$work/nowhere.cl"
has told 'nowhere.cl'
[ ! -e "$work/never.raw" ] || complain 'a result of nothing'
echo 'kernel void stencil(global float *b, global const float *a) { b[0] = a[0]; }' >"$work/two.cl"
run 1 --fill A=1 "$given/stencil.xml" "$work/two.cl"
run 1 --fill A=1 --out B=/nonexistent/b.raw "$given/stencil.xml"
has told '/nonexistent/b.raw: No such file'
head -c 1000 "$work/steady.raw" >"$work/short.raw"
run 1 --in A="$work/short.raw" "$given/stencil.xml"
has told "short.raw: it has fewer bytes than the 16892064 of 'A'"
run 1 --in A="$work/nowhere.raw" "$given/stencil.xml"
has told 'nowhere.raw: No such file'

# The compiler, as the command calls it, for a library that is not yet installed. libtool knows no odd names.
mkdir -p "$work/bin"
cat >"$work/bin/cc" <<SH
#!/bin/sh
set -eu
PATH='$PATH'
[ "\$#,\$1,\$3,\$5" = '5,-std=c11,-o,hetero' ]
$CC -std=c11 -Wall -Wextra -Wshadow -Wconversion -pedantic -Werror ${HET_INSTRUMENT_FLAGS-} -I "$top_srcdir/include" \\
	${OPENCL_CFLAGS-} -c "\$2" -o "\$4.o"
mv "\$4.o" "$work/emitted.o"
"$top_builddir/libtool" --silent --mode=link --tag=CC $CC -no-install ${HET_INSTRUMENT_FLAGS-} "$work/emitted.o" \\
	-o "$work/emitted" "$top_builddir/libhetero.la"
mv "$work/emitted" "\$4"
SH
cat >"$work/bin/pkg-config" <<SH
#!/bin/sh
[ "\$*" = '--cflags --libs hetero' ] && echo hetero
SH
chmod +x "$work/bin/cc" "$work/bin/pkg-config"

# compile NAME: the command that was printed compiles the program, without a warning.
compile()
{
	cp "$work/said" "$work/command"
	(PATH=$work/bin:$PATH && export PATH && sh "$work/command") >"$work/said" 2>"$work/told" ||
		complain "$1.c does not compile"
}

# program NAME OPTION...: the program that is written, compiled as it says, writes the same files as the tool.
program()
{
	name=$1
	shift
	run 0 --emit-c "$work/$name.c" --out "$output=$work/$name.emitted.raw" "$@"
	has said "^cc -std=c11 '.*$name.c' -o '.*$name' \$(pkg-config --cflags --libs hetero)\$"
	compile "$name"
	run 0 --out "$output=$work/$name.run.raw" "$@"
	HETERO_SHARE=off "$work/$name" >"$work/said" 2>"$work/told" || complain "$name fails"
	has said 'iteration.* in .* s'
	same "$work/$name.run.raw" "$work/$name.emitted.raw" "the program $name"
}
output=B
program stencil --in A="$work/steady.raw" --iterations 5 "$given/stencil.xml"
program once --fill A=0.1:1e-3:-0.7 --fill B=-3 --iterations 1 "$given/stencil.xml"
program zero --fill A=-0 --iterations 1 "$given/stencil.xml"
output=next
program jacobi --fill now=0.1:3e-7:0.3 --iterations 9 "$given/jacobi.xml"
# Where the new result has no room the old one stays; output that nobody gets is told of.
if (trap '' XFSZ; ulimit -f 4; "$work/jacobi") >"$work/said" 2>"$work/told"; then
	complain 'a file that may not grow is no failure'
fi
has told 'jacobi.emitted.raw: File too large'
same "$work/jacobi.run.raw" "$work/jacobi.emitted.raw" 'the program jacobi, after a failure'
[ ! -e "$work/jacobi.emitted.raw.new" ] || complain 'a part of a result stays'
# Nor is a file written over that lies where the new result is made.
echo mine >"$work/jacobi.emitted.raw.new"
"$work/jacobi" >"$work/said" 2>"$work/told" && complain 'the program jacobi: a file is in the way'
has told 'jacobi.emitted.raw.new: File exists'
echo mine | cmp - "$work/jacobi.emitted.raw.new" || complain 'what was in the way is lost'
rm "$work/jacobi.emitted.raw.new"
# What takes a file's place is for those that the file was for, as of the tool; a new one is for all.
for mode in 600 444; do
	chmod $mode "$work/jacobi.emitted.raw"
	"$work/jacobi" >"$work/said" 2>"$work/told" || complain 'the program jacobi fails, over a result'
	[ "$(stat -c %a "$work/jacobi.emitted.raw")" = $mode ] || complain "the program jacobi: no mode $mode any more"
	same "$work/jacobi.run.raw" "$work/jacobi.emitted.raw" "the program jacobi, over a file of mode $mode"
done
rm -f "$work/jacobi.emitted.raw"
(umask 027 && "$work/jacobi" >"$work/said" 2>"$work/told") || complain 'the program jacobi fails, with another umask'
[ "$(stat -c %a "$work/jacobi.emitted.raw")" = 640 ] || complain 'the program jacobi: a new result is not as the umask says'
if [ -w /dev/full ]; then
	"$work/jacobi" >/dev/full 2>"$work/told" && complain 'the program jacobi: a full disk is no failure'
	has told 'the output: No space'
fi
output=out
program count --fill in=-2147483648 --fill table=255 "$work/count.xml"

# On the devices that were asked for, whatever the environment says where the program runs.
HETERO_DEVICES=pocl:cpu77
program chosen --devices pocl:cpu0 --fill in=3 --fill table=1 "$work/count.xml"
HETERO_DEVICES=pocl:cpu/1
run 0 --devices 'no "such" \device??/' --emit-c "$work/odd.c" --fill in=3 --fill table=1 "$work/count.xml"
compile odd
"$work/odd" >"$work/said" 2>"$work/told" && complain 'a program that finds no such device'
has told 'no "such" .device??/'

# Names that a shell, a compiler or a comment would take for something else.
mkdir -p "$work/*"
cp "$work/count.xml" "$work/count.cl" "$work/*"
here=$PWD
cd "$work"
for name in "it's" -dash @at "a b\$c\\" .hidden ./-c; do
	run 0 "--emit-c=$name.c" --fill in=3 --fill table=1 './*/count.xml'
	compile "$name"
	"./$name" >said 2>told || complain "$name fails"
done
cd "$here"
for name in - '' program program.C .c ..c "$work/.c" /dev/stdout; do
	run 2 "--emit-c=$name" --fill A=1 "$given/stencil.xml"
	has told '^hetero-stepocl: --emit-c: '
	has told ' --help lists the options$'
done
run 1 --fill A=1 --emit-c /nonexistent/program.c "$given/stencil.xml"
has told '/nonexistent/program.c: No such file'

# README's commands.
sed -n 's/^hetero-stepocl \([^#]*[^# ]\).*/\1/p' "$top_srcdir/README.md" | sed "s|run\.c|$work/run.c|" >"$work/commands"
[ "$(wc -l <"$work/commands")" = 3 ] || { echo "README's commands are not found"; status=1; }
cd "$top_srcdir"
while read -r options; do
	# shellcheck disable=SC2086  # a list of words
	run 0 $options
done <"$work/commands"
[ -s "$work/run.c" ] || complain 'README writes no program'
cd "$here"
[ "$status" != 0 ] || rm -rf "$work"
exit $status
