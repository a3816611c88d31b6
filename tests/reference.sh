#!/bin/sh
# tests/reference.sh - every public function has a section of its own in the reference, with a text; types,
# macros and status codes are found by name, on a page that speaks of them.
set -eu
: "${top_srcdir:?is set by make check}"
status=0
for name in $(sh "$top_srcdir/tests/public_functions.sh"); do
	topic=$(awk -v name="$name" '$1 == name { print $2 }' doc/reference/names)
	page=doc/reference/hetero_$topic.3
	if [ -z "$topic" ] || ! awk -v head=".SH \"$name\"" '
		$0 == head { inside = 1; next }
		/^\.SH/ { inside = 0 }
		inside && text && !/^\./ { found = 1 }
		inside && /^\.PP/ { text = 1 }
		END { exit !found }' "$page"; then
		echo "$name: not described in the reference"
		status=1
	fi
done

# What the headers define, but for what is there for their own use.
defined_names()
{
	sed -n 's/^#define \(HET_[A-Z][A-Z0-9_]*\).*/\1/p; s/^#define \(het_[a-z_]*\).*/\1/p
		s/^\(struct\|enum\) \(het_[a-z_]*\) {.*/\2/p; s/^typedef [a-z_0-9]* *\(het_[a-z_]*\)[ ;].*/\1/p
		s/^typedef .*(\*\(het_[a-z_]*\)).*/\1/p; s/^\tX(\(HET_[A-Z_]*\), .*/\1/p' \
		"$top_srcdir"/include/hetero/*.h |
		grep -v '^HET_API$\|^HET_BEGIN_\|^HET_END_\|^HET_STATUS_[TE]' | sort -u
}

[ "$(defined_names | wc -l)" -ge 60 ] || { echo 'the names of the headers are not found'; status=1; }
for name in $(defined_names) HET_READ HET_WRITE HET_FLOAT HET_INOUT HET_LOG_WARN HET_SHARE_OFF; do
	topic=$(awk -v name="$name" '$1 == name { print $2 }' doc/reference/names)
	if [ "$(echo "$topic" | wc -w)" -ne 1 ] || ! grep -qw "$name" "doc/reference/hetero_$topic.3"; then
		echo "$name: not in the reference, or not on its page (hetero_$topic)"
		status=1
	fi
done

# A page names each thing once.
for page in doc/reference/hetero_*.3; do
	twice=$(sed -n '/^\.SH NAME/{n;s/ \\-.*//;p;q}' "$page" | tr -d ' ' | tr , '\n' | sort | uniq -d)
	[ -z "$twice" ] || { echo "$page: twice under NAME: $twice"; status=1; }
done

# hetero(7) has the environment variables that users may set, each under its name, and no other one.
awk '/define HET__ENV_USERS/ { inside = 1; next } inside && match($0, /HETERO_[A-Z_]+/) {
	print substr($0, RSTART, RLENGTH) } !/\\$/ { inside = 0 }' "$top_srcdir/lib/base/env.h" | sort >env.told
sed -n 's/^\.B \(HETERO_[A-Z_]*\)$/\1/p' "$top_srcdir/doc/hetero.7" | sort >env.described
if [ "$(wc -l <env.told)" -lt 10 ] || ! cmp env.told env.described; then
	echo "the environment in doc/hetero.7 is not that of lib/base/env.h:"
	diff env.told env.described || true
	status=1
fi
rm -f env.told env.described
exit $status
