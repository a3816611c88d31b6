#!/bin/sh
# tests/log_topics.sh - the topics of $HETERO_LOG are the same in the code, in its messages, in the public header
# and in README; and what the library logs has one of them.
set -eu
: "${top_srcdir:?is set by make check}"
status=0
topics=$(sed -n 's/.*topic_names\[\] = {\(.*\)};/\1/p' "$top_srcdir/lib/base/log.c" | tr -d '"')
[ -n "$topics" ] || { echo 'lib/base/log.c: no list of topics'; exit 1; }

# lists FILE WHAT PATTERN: the list stands there, as the pattern has it; over lines of a comment, too.
lists()
{
	tr -s '\n\t* ' ' ' <"$top_srcdir/$1" | grep -qF "$2" || { echo "$1 does not list: $2"; status=1; }
}

lists lib/base/log.h "topics: $topics\""
lists lib/base/log.h "topics ($(echo "$topics" | sed 's/[a-z][a-z]*/"&"/g')) that"
lists include/hetero/system.h "shown: $topics /"
# shellcheck disable=SC2016  # the backticks of Markdown
lists README.md "topics: $(echo "$topics" | sed 's/[a-z][a-z]*/`&`/g') |"

used=$(cat "$top_srcdir"/lib/*/*.c | tr -s '\n\t ' ' ' |
	grep -oE 'het__log\([^;"]*"[^"]*"' | sed 's/.*"\(.*\)"/\1/' | sort -u)
[ -n "$used" ] || { echo 'the library logs nothing?'; status=1; }
for topic in $used; do
	case " $topics," in *" $topic,"*) ;; *) echo "lib: \"$topic\" is no topic"; status=1 ;; esac
done
exit $status
