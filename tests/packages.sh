#!/bin/sh
# tests/packages.sh - packages.txt against the Debian it is for: every package exists, provides the commands
# it is said to provide, and every command that the scripts call comes from one of them or from the base
# system.
set -eu
: "${top_srcdir:?is set by make check}"
: "${top_builddir:?is set by make check}"
command -v dpkg-query >/dev/null || { echo 'not a Debian system'; exit 77; }
grep -q '^12' /etc/debian_version || { echo 'packages.txt is for Debian 12'; exit 77; }
PATH=/usr/sbin:/usr/bin:/sbin:/bin
cd "$top_srcdir"
status=0

complain()
{
	echo "$1"
	status=1
}

is_installed()
{
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# In regular expressions and in programs for awk and Python these stand where a command could.
not_commands='file free open'

# The package of a command, through the links of update-alternatives and of a merged /usr.
package_of()
{
	path=$(readlink -f "$(command -v "$1")")
	dpkg-query -S "$path" "${path#/usr}" 2>/dev/null | sed 's/:.*//;s/,.*//' | head -n 1
}

# Words in the place of a command: at the start of a line or after | ; && || ( ! then do else if while.
# Labels of a case are taken off first; a word before = is an assignment in some other language.
commands_of()
{
	# shellcheck disable=SC2016  # the dollar is meant
	sed 's/#.*//; s/\\"//g; s/^[ \t]*[^()]*)\( \|$\)//' "$@" |
		sed 's/||*\|;\|&&\|\$(\|(\|!/\n/g; s/\<\(then\|do\|else\|if\|while\|exec\|time\|command -v\|sudo\)\>/\n/g' |
		sed -n 's/^[ \t]*\([a-z][a-z0-9_-]*\)\([ \t)]\([^=].*\)\{0,1\}\)\{0,1\}$/\1/p' | sort -u
}

# Without lists, as in a fresh container, apt knows nothing but what is installed.
lists=$(find /var/lib/apt/lists -name '*_Packages*' 2>/dev/null | head -n 1)

sed '/^#/d; /^$/d' packages.txt >"$top_builddir/packages.list"
while read -r package kind commands; do
	case $kind in
	required | optional-test) ;;
	*) complain "$package: neither required nor optional-test but '$kind'" ;;
	esac
	if is_installed "$package"; then
		for name in $commands; do
			command -v "$name" >/dev/null || complain "$package: no command $name"
		done
	elif [ -n "$lists" ]; then
		apt-cache show "$package" >/dev/null 2>&1 || complain "$package: unknown to dpkg and to apt"
	fi
done <"$top_builddir/packages.list"

provided=" $(awk '{ for (i = 3; i <= NF; i++) print $i }' "$top_builddir/packages.list" | tr '\n' ' ')"
for name in $(commands_of quickstart .ci/run tests/*.sh); do
	command -v "$name" >/dev/null || continue
	path=$(command -v "$name")
	[ -x "$path" ] || continue # a shell's own
	case "$provided $not_commands " in *" $name "*) continue ;; esac
	owner=$(package_of "$name")
	[ -n "$owner" ] || continue
	case $(dpkg-query -W -f '${Essential} ${Priority}' "$owner") in
	yes* | *required) ;;
	*) complain "the scripts call $name, of $owner, which packages.txt does not provide" ;;
	esac
done
rm -f "$top_builddir/packages.list"
exit $status
