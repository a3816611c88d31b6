#!/bin/sh
# tests/sloc.sh - lines, tokens and effort of small programs are those counted by a person.
# shellcheck disable=SC1091,SC2154  # the file is there at run time
set -eu
: "${top_srcdir:?is set by make check}"
: "${top_builddir:?is set by make check}"
. "$top_srcdir/tests/benchmarks_common.sh"
sloc=$benchmarks/sloc/sloc

# counts LINES STATEMENTS OPERATORS DIFFERENT OPERANDS DIFFERENT EFFORT: of the program on stdin.
counts()
{
	cat >"$work/program.c"
	good "$sloc" "$work/program.c"
	says "^ *$1  *$2  *$3  *$4  *$5  *$6  *$7  $work/program.c\$"
}

counts 0 0 0 0 0 0 0 <<'END'

/* nothing
   but this */ // and that
END
# A pair of brackets is one operator, ?: too, a literal is no comment. 14/2 * 15/9 * 36 * log2(23) = 1900.
counts 8 6 21 14 15 9 1900 <<'END'
/* comment only */
#include <stdio.h>

int main(void) /* behind code */
{
	int i; // behind code
	for (i = 0; i < 10; i++)
		printf("%d /* no comment */\n", i);
	return i > 5 ? 1 : 0;
}
END
# The same on fewer lines: only they are fewer.
counts 3 6 21 14 15 9 1900 <<'END'
#include <stdio.h>
int main(void) { int i; for (i = 0; i < 10; i++)
	printf("%d /* no comment */\n", i); return i > 5 ? 1 : 0; }
END
# Labels: switch () {} case : break ; default : : () ; over x 1 a b.
counts 1 7 12 8 4 4 229 <<'END'
switch (x) { case 1: break; default: a: b(); }
END
# Directives go on after a backslash. #define () + over A x x 1, then #if #endif over A.
counts 4 3 5 5 5 3 125 <<'END'
#define A(x) \
	x + 1 /* over
	lines */
#if A
#endif
END
# The longest operator wins; literals with quotes in them: <<= ; -> = ; [] = , ' ' over a 1 p q '"' s 0 '\'' "a\"b".
counts 3 3 10 6 10 10 240 <<'END'
a <<= 1;
p->q = '"';
s[0] = '\'', L"a\"b", 1.5e-3f;
END
# What follows a brace closely stays on its line: else, ; and , do.
counts 1 6 13 9 6 5 391 <<'END'
if (a) { b = 1; } else { int c[] = {2, a}; }
END
# A member's colon is no label's.
counts 1 3 6 5 3 3 68 <<'END'
struct s { int a : 3; };
END
good "$sloc" --together "$work/program.c" "$work/program.c"
says '^ *2  *6  *12  *5  *6  *3  *270  together$'
# The file of an #include that lacks its > or " ends with its line: #include ; over <foo "bar.h a b.
counts 4 4 4 2 4 4 21 <<'END'
#include <foo
a;
#include "bar.h
b;
END
# And with the text: what lies in memory behind that is not looked at.
printf '#include <foo' >"$work/cut.c"
good env MALLOC_PERTURB_=165 "$sloc" "$work/cut.c"
says '^ *1  *1  *1  *1  *1  *1  *1  '
refuses 'sloc: no file is named' "$sloc"
refuses 'sloc: there is no such option' "$sloc" --nonsense
runs=$((runs + 1))
if "$sloc" "$work/missing.c" >"$work/said" 2>&1; then
	status=1
fi
says 'missing.c: No such file'
# A backslash at the end of a line joins it with the next, before there are comments: = ; over a 1 b 2.
counts 2 2 4 2 4 4 21 <<'END'
a = 1; // a comment that \
goes on
b = 2;
END
# Inside of tokens too, and where blanks stand behind it; all lines with something of a token count, a backslash
# alone does not: #define = ; over A "a b" bc 1.
printf '#def\\\nine A "a\\  \n b" \\\n\nb\\\nc = 1;\n/\\\n* no code */\n\\\n' >"$work/text"
counts 5 2 3 3 4 4 29 <"$work/text"
# And where lines end in CR and LF: #define () + over A x x 1, then ; over b.
printf '#define A(x) \\\r\n x + \\\r\n 1\r\nb; // c \\\r\nd\r\n' >"$work/text"
counts 4 2 4 4 5 4 68 <"$work/text"
# Whatever stands between a case and its : it is a label: case - : | () ?: ; over 1 A B A A 2 3 x 5.
counts 6 7 16 7 9 7 428 <<'END'
case -1:
case A | B:
case (A):
case A ? 2 : 3:
	x;
case 5:;
END
# The default of a _Generic is none: = ?: _Generic () , default : ; over a d b 1 2.
counts 1 1 8 8 5 5 192 <<'END'
a = d ? _Generic(b, default: 1) : 2;
END
# Only a name that begins a statement right before a : is a label, and none is among members: struct {} : ; union
# over s uint32_t a 3 uint32_t 2 uint32_t 1.
counts 5 7 12 5 8 6 231 <<'END'
struct s {
	uint32_t a : 3;
	union { uint32_t : 2; };
	uint32_t : 1;
};
END
# Attributes come before members, parameters do not: struct () {} : ; return over __attribute__ aligned 4 s u 4 s f s
# p a p.
counts 2 7 15 6 12 8 463 <<'END'
struct __attribute__((aligned(4))) s { u : 4; };
struct s f(struct s p) { a: return p; }
END
# What is cut short ends there.
printf 'struct __attribute__((a' >"$work/text"
counts 1 1 3 2 2 2 10 <"$work/text"
# Digraphs are what they stand for: #define () # ## struct {} [] ; : over A x x x s b 4 d 1, however spelled.
cat >"$work/text" <<'END'
#define A(x) #x ## x
struct s { b[4]; d : 1; };
END
counts 2 5 11 9 9 7 463 <"$work/text"
sed 's/##/%:%:/g; s/#/%:/g; s/{/<%/g; s/}/%>/g; s/\[/<:/g; s/]/:>/g' "$work/text" >"$work/digraphs"
counts 2 5 11 9 9 7 463 <"$work/digraphs"
# What a directive opens ends with it: #define () ?: ; : over OPEN ASK x a b c d.
counts 5 6 8 5 7 7 134 <<'END'
#define OPEN (
#define ASK x ?
a;
b;
c: d;
END
# What it stands in does not: () , #define ; case #if #endif : over f a B b c d e A 1 g.
counts 8 10 12 8 10 10 367 <<'END'
f(a,
#define B b; c;
	d; e);
case
#if A
	1
#endif
	: g;
END
# A mark of the byte order before the text is nothing.
printf '\357\273\277#include <a.h>\n' >"$work/text"
counts 1 1 1 1 1 1 1 <"$work/text"
if [ -w /dev/full ]; then
	for what in --help "$work/program.c"; do
		runs=$((runs + 1))
		if "$sloc" "$what" >/dev/full 2>"$work/said"; then
			echo "== $what: a full disk is no failure"
			status=1
		fi
		says '^sloc: the results could not be printed: No space'
	done
fi
finish
