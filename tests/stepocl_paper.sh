#!/bin/sh
# tests/stepocl_paper.sh - hetero-stepocl with the numbers of Li et al., "STEPOCL": the array, kernel and shadow of their
# listings 2 and 3, which are no whole description and do not fit each other, are refused with the line that is wrong;
# what they are meant for is cut, and runs.
# shellcheck disable=SC1091,SC2154  # the file is there at run time
set -eu
: "${top_srcdir:?is set by make check}" "${top_builddir:?is set by make check}"
tool=$top_builddir/stepocl/hetero-stepocl
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

. "$top_srcdir/tests/tool_common.sh"

# refused LINE REASON: what is in $work/paper.xml.
refused()
{
	run 1 --plan 2 "$work/paper.xml"
	has told "^hetero-stepocl: .*paper\.xml:$1: $2\$"
	[ ! -s "$work/said" ] || complain 'it was planned'
}

# array NAME PROPERTY WIDTH HEIGHT: 10 lines, and those of $shadow.
shadow=
array()
{
	cat <<XML
<argument>
<name>$1</name>
<property>$2</property>
<dataType>float</dataType>
<cl_mem>1</cl_mem>
<arg_size>
<dim_size>$3</dim_size>
<dim_size>$4</dim_size>
</arg_size>${shadow:+
$shadow}
</argument>
XML
}

# kernel WIDTH HEIGHT [LOCAL LOCAL]: with $offset.
kernel()
{
	cat <<XML
<kernel>
<name>stencil.cl</name>
<global>
<g_size>$1</g_size>
<g_size>$2</g_size>
</global>${offset:+
$offset}
<local>
<l_size>${3-64}</l_size>
<l_size>${4-16}</l_size>
</local>
</kernel>
XML
}
offset=
points='<point>{-10,0}</point>
<point>{10,0}</point>
<point>{0,1}</point>
<point>{0,-1}</point>'

whole()
{
	echo '<stepocl>'
	cat
	echo '</stepocl>'
}

# Listing 2 has an array and a kernel, and nothing around them.
{ array A output 4098 1026; kernel 4096 256; } >"$work/paper.xml"
refused 1 'a description begins with <stepocl>, not <argument>'
whole <"$work/paper.xml" >"$work/whole.xml"
run 0 --plan 2 "$work/whole.xml"
has said '^4096 x 256 work-items in groups of 64 x 16: 64 x 16 groups$'
has said '^cut first along y, then x; 2 devices: 2 parts, 1 x 2$'
has said '^  writes A: x \[0, 4096)  y \[128, 256)$'

# Listing 3 is of the same array, which listing 2 has as the output: what is read is another's.
shadow="<shadow>
$points
</shadow>"
{ array A output 4098 1026; kernel 4096 256; } | whole >"$work/paper.xml"
refused 2 "'A' is the output: shadow points belong to what is read"

# As the input of another one of its size. 4098 columns are room for one beside the work-items, not for ten.
both()
{
	(shadow= && array B output "$1" "$2")
	array A input "$1" "$2"
}
{ both 4098 1026; kernel 4096 256; } | whole >"$work/paper.xml"
refused 22 "with this point work-items reach outside of 'A' along x (4098)"
offset='<offset>
<g_offset>10</g_offset>
<g_offset>1</g_offset>
</offset>'
{ both 4098 1026; kernel 4096 256; } | whole >"$work/paper.xml"
refused 2 "work-items lie outside of 'B' along x (4098)"
offset='<offset>
<g_offset>1</g_offset>
<g_offset>1</g_offset>
</offset>'
{ both 4098 1026; kernel 4096 256; } | whole >"$work/paper.xml"
refused 22 "with this point work-items reach outside of 'A' along x (4098)"
# Nor are there 4096, as the text has it, with any.
{ both 4096 1026; kernel 4096 256; } | whole >"$work/paper.xml"
refused 2 "work-items lie outside of 'B' along x (4096)"

# With ten columns at both sides it fits, or where the kernel looks for the border itself. Of 1024 rows it is cut as the
# paper cuts it, by the reach alone: {1, 2}. Of the listing's 256 that would move 32768 bytes an iteration.
offset='<offset>
<g_offset>10</g_offset>
<g_offset>1</g_offset>
</offset>'
{ both 4116 1026; kernel 4096 1024; } | whole >"$work/fits.xml"
run 0 --plan 2 "$work/fits.xml"
has said '^cut first along y, then x; 2 devices: 2 parts, 1 x 2$'
has said '^  reads A: x \[0, 4116)  y \[512, 1026)$'
has said '^32768 bytes per iteration between all parts$'
{ both 4116 1026; kernel 4096 256; } | whole >"$work/fits.xml"
run 0 --plan 2 "$work/fits.xml"
has said '^cut first along x, then y; 2 devices: 2 parts, 2 x 1$'
has said '^  reads A: x \[2048, 4116)  y \[0, 258)$'
has said '^20480 bytes per iteration between all parts$'
offset=
shadow="<shadow border=\"kernel\">
$points
</shadow>"
{ both 4098 1026; kernel 4096 256; } | whole >"$work/stencil.xml"
run 0 --plan 2 "$work/stencil.xml"
has said '^cut first along x, then y; 2 devices: 2 parts, 2 x 1$'
has said '^  reads A: x \[2038, 4098)  y \[0, 257)$'

# Figure 1: 20 x 15 work-items in groups of 5 x 5 are for at most 12 devices, of which 4 are beside each other and 3
# one above the other.
{ both 20 15; kernel 20 15 5 5; } | whole >"$work/figure.xml"
for devices in 12 24; do
	run 0 --plan $devices "$work/figure.xml"
	has said '^20 x 15 work-items in groups of 5 x 5: 4 x 3 groups$'
	has said "^cut first along y, then x; $devices devices: 12 parts, 4 x 3\$"
done
run 0 --plan 3 "$work/figure.xml"
has said '; 3 devices: 3 parts, 1 x 3$'

# It runs, over two parts of a processor as over one.
cat >"$work/stencil.cl" <<'CL'
kernel void stencil(global float *b, global const float *a)
{
	const int x = get_global_id(0), y = get_global_id(1), i = y * 4098 + x;

	b[i] = 0.25f * ((x >= 10 ? a[i - 10] : 0) + (x < 4088 ? a[i + 10] : 0) + (y > 0 ? a[i - 4098] : 0) +
			a[i + 4098]);
}
CL
for devices in pocl:cpu0.0 pocl:cpu0.0,pocl:cpu0.1; do
	if ! "$tool" --devices $devices --iterations 3 --fill A=1:0.5 --out B="$work/$devices.raw" "$work/stencil.xml" \
		>"$work/said" 2>"$work/told"; then
		grep -q 'no usable OpenCL\|nothing matches\|there is no' "$work/told" || complain "it does not run on $devices"
		[ "$status" = 0 ] || exit 1
		echo 'no PoCL with two cores: nothing was run'
		exit 77
	fi
done
has said '^  part 1 on pocl:cpu0.1: x \[2048, 4096)  y \[0, 256)$'
cmp "$work/pocl:cpu0.0.raw" "$work/pocl:cpu0.0,pocl:cpu0.1.raw" || complain 'two parts have made something else'
[ "$(wc -c <"$work/pocl:cpu0.0.raw")" = $((4098 * 1026 * 4)) ] || complain 'the result has another size'
exit $status
