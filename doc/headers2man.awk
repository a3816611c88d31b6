# headers2man.awk - a public header's comments as a manual page (section 3), or lists of its names.
#
#   awk -v what=page -v version=0.1.0 -f headers2man.awk array.h > hetero_array.3
#   awk -v what=names -f headers2man.awk array.h       what can be looked up there
#
# The first comment of the file is the page's introduction ("name.h - summary." on its first line). Each
# /** comment documents the declaration after it, or, before an #if or an empty line, several macros at
# once; enums and structs may go without. Two kinds of line are special inside a comment: one indented by
# two or more spaces is shown as it is, and one that begins with "Errors:" begins a paragraph. The table
# of status codes, X(code, value, text), is a section. A HET_API function without a comment is an error:
# exit 1.
#
# Names to look up are functions, and of types, macros and constants those that the page speaks of.

BEGIN {
	all_topics = "system shape array kernel launch spread opencl status"
	if (what == "")
		what = "page"
}

FNR == 1 {
	topic = FILENAME
	sub(/^.*\//, "", topic)
	sub(/\.h$/, "", topic)
}

# ---- names

/^#define HET_[A-Z]/ {
	define(word_at($0, 2))
}

/^typedef (struct|enum) het_[a-z_]+/ {
	define(word_at($0, 3))
	shown = shown " " word_at($0, 3) # the page is about it
}

# "each also with 2, 3, 4, 8 or 16 lanes", says the page.
/^\tHET__TYPES\([A-Z]+,/ {
	define_type("HET_" substr($0, 13, index($0, ",") - 13))
}

# ---- comments

in_comment {
	add_comment_line($0)
	next
}

/^\/\*\*/ {
	comment = ""
	is_doc = 1
	begin_comment(substr($0, 4))
	next
}

/^\/\*/ && !intro_done {
	comment = ""
	is_doc = 0
	begin_comment(substr($0, 3))
	next
}

# ---- declarations

body_depth > 0 {
	body_depth += depth_change($0)
	next
}

taking {
	take($0)
	next
}

has_doc && (/^#if/ || /^$/) {
	add_note()
	next
}

/^[ \t]+X\(HET_[A-Z_]+, *-?[0-9]+,/ {
	add_status_code($0)
	next
}

has_doc || /^(enum|struct) [a-z_]+ \{/ || /^HET_API/ {
	if ($0 ~ /^HET_API/ && !has_doc) {
		printf "%s:%d: a public function without a /** comment\n", FILENAME, FNR > "/dev/stderr"
		failed = 1
	}
	start_taking()
	take($0)
	next
}

END {
	if (what == "page")
		print_page()
	else
		print_names()
	exit failed
}

function define(name)
{
	defined[name] = 1
	if (name ~ /_INIT$/)
		init_macro["struct " tolower(substr(name, 1, length(name) - 5))] = name
}

function define_type(name,    lanes, i, n)
{
	define(name)
	n = split("2 3 4 8 16", lanes, " ")
	for (i = 1; i <= n; i++) {
		define(name lanes[i])
		shown = shown " " name lanes[i]
	}
}

# The name in the n-th word, without what follows it.
function word_at(line, n,    word)
{
	split(line, word, /[ \t]+/)
	sub(/[^A-Za-z0-9_].*$/, "", word[n])
	return word[n]
}

function begin_comment(text)
{
	in_comment = 1
	add_comment_line(text)
}

function add_comment_line(text,    last)
{
	last = text ~ /\*\/[ \t]*$/
	sub(/[ \t]*\*\/[ \t]*$/, "", text)
	sub(/^ \*/, "", text)
	if (is_doc)
		sub(/^  ?/, "", text)
	else
		sub(/^ /, "", text)
	comment = comment text "\n"
	if (!last)
		return
	in_comment = 0
	if (is_doc)
		has_doc = 1
	else
		introduce()
}

# Splits "name.h - summary." from the rest of the first comment.
function introduce(    at)
{
	intro_done = 1
	at = index(comment, "\n")
	summary = substr(comment, 1, at - 1)
	sub(/^[^-]*- */, "", summary)
	intro = substr(comment, at + 1)
	while (summary !~ /\.$/ && intro != "" && intro !~ /^\n/) {
		at = index(intro, "\n")
		summary = summary " " substr(intro, 1, at - 1)
		intro = substr(intro, at + 1)
	}
	at = index(summary, ". ")
	if (at) {
		intro = substr(summary, at + 2) "\n" intro
		summary = substr(summary, 1, at)
	}
	sub(/\.$/, "", summary)
	has_doc = 0
}

# A comment about several macros: what they are is listed in it, one a line, indented.
function add_note(    n, lines, i)
{
	notes = notes comment "\n"
	has_doc = 0
	n = split(comment, lines, "\n")
	for (i = 1; i <= n; i++)
		if (match(lines[i], /^  +het_[a-z0-9_]+\(/))
			add_note_name(substr(lines[i], 1, RLENGTH - 1))
}

function add_note_name(name)
{
	sub(/^ +/, "", name)
	note_names = note_names ", " name
	define(name)
}

function add_status_code(line,    part, quoted)
{
	split(line, part, /[(,]/)
	split(line, quoted, /"/)
	define(part[2])
	status_codes = status_codes sprintf("%-26s %4d  %s\n", part[2], part[3], quoted[2])
}

function depth_change(text,    opened, closed)
{
	opened = gsub(/\{/, "{", text)
	closed = gsub(/\}/, "}", text)
	return opened - closed
}

function start_taking()
{
	taking = 1
	code = ""
	code_depth = 0
}

# Adds a line to the declaration; ends it at its semicolon, at the body of an inline function, or at the
# last line of a macro.
function take(text)
{
	if (code == "" && text ~ /^#define/)
		is_macro = 1
	else if (code == "")
		is_macro = 0
	if (!is_macro && text ~ /^\{/) {
		body_depth = depth_change(text)
		finish()
		return
	}
	code = code text "\n"
	code_depth += depth_change(text)
	if (is_macro ? text !~ /\\$/ : code_depth == 0 && text ~ /;[ \t]*(\/\*.*\*\/)?[ \t]*$/)
		finish()
}

function finish(    name)
{
	taking = 0
	name = name_of(code)
	entry_name[++entries] = name
	entry_code[entries] = is_macro ? macro_head(code) : code
	entry_text[entries] = has_doc ? comment : ""
	if (code ~ /^HET_API/)
		entry_code[entries] = substr(code, 9)
	if (is_macro ? code ~ /^#define het_/ : code ~ /^(HET_API|static inline)/)
		callable[entries] = 1
	define_entry(name, code)
	has_doc = 0
}

# What it declares: the name, or that of the struct or enum, and an enum's constants.
function define_entry(name, text)
{
	sub(/^(struct|enum) /, "", name)
	define(name)
	if (text !~ /^enum/)
		return
	gsub(/\/\*[^*]*\*\//, "", text)
	while (match(text, /HET_[A-Z0-9_]+/)) {
		define(substr(text, RSTART, RLENGTH))
		text = substr(text, RSTART + RLENGTH)
	}
}

function name_of(text)
{
	if (text ~ /^#define/) {
		sub(/^#define +/, "", text)
		sub(/[^A-Za-z0-9_].*$/, "", text)
		return text
	}
	if (text ~ /^typedef.*\(\*/) {
		sub(/^typedef[^(]*\(\*/, "", text)
		sub(/\).*$/, "", text)
		return text
	}
	if (text ~ /^typedef/) {
		sub(/;.*$/, "", text)
		sub(/^.*[ *]/, "", text)
		return text
	}
	if (text ~ /^(struct|enum) [a-z_]+ \{/) {
		sub(/ \{.*$/, "", text)
		return text
	}
	sub(/\(.*$/, "", text)
	sub(/^.*[ *]/, "", text)
	return text
}

# "#define het_launch(kernel, ...)": a macro with parameters is shown without what it expands to.
function macro_head(text)
{
	if (match(text, /^#define +[A-Za-z0-9_]+\([^)]*\)/))
		return substr(text, RSTART, RLENGTH) "\n"
	return text
}

# ---- the names

function print_names(    i, name)
{
	shown = shown " " intro " " notes " " status_codes
	for (i = 1; i <= entries; i++)
		shown = shown " " entry_name[i] " " entry_code[i] " " entry_text[i] " " init_macro[entry_name[i]]
	shown = shown " "
	for (name in defined)
		if (shown ~ "[^A-Za-z0-9_]" name "[^A-Za-z0-9_]")
			print name
}

# ---- the page

function print_page(    i)
{
	printf ".\\\" Made from include/hetero/%s.h by headers2man.awk. Edit the header instead.\n", topic
	printf ".TH HETERO_%s 3 \"\" \"Hetero %s\" \"Hetero reference\"\n", toupper(topic), version
	print ".SH NAME"
	printf "hetero_%s", topic
	for (i = 1; i <= entries; i++)
		if (callable[i] && index(note_names ", ", ", " entry_name[i] ",") == 0)
			printf ", %s", entry_name[i]
	printf "%s \\- %s\n", note_names, escape(summary)
	print ".SH SYNOPSIS\n.nf"
	printf "#include <hetero/%s.h>\n.fi\n", topic
	if (intro != "" && intro != "\n") {
		print ".SH DESCRIPTION"
		print_text(intro)
	}
	if (notes != "")
		print_text(notes)
	if (status_codes != "")
		printf ".SH \"STATUS CODES\"\n.nf\n%s.fi\n", literal(status_codes)
	for (i = 1; i <= entries; i++)
		print_entry(i)
	print_see_also()
}

function print_see_also(    n, topics, i)
{
	print ".SH SEE ALSO"
	n = split(all_topics, topics, " ")
	for (i = 1; i <= n; i++)
		if (topics[i] != topic)
			printf ".BR hetero_%s (3),\n", topics[i]
	print ".BR hetero (7)"
}

function print_entry(i)
{
	printf ".SH \"%s\"\n", escape(entry_name[i])
	print ".nf"
	printf "%s", literal(entry_code[i])
	print ".fi"
	if (entry_text[i] != "") {
		print ".PP"
		print_text(entry_text[i])
	}
	if (entry_name[i] in init_macro)
		printf ".PP\nIt begins as\n.IR %s .\n", init_macro[entry_name[i]]
}

function print_text(text,    n, lines, i, is_literal)
{
	n = split(text, lines, "\n")
	is_literal = 0
	for (i = 1; i <= n; i++) {
		if (lines[i] ~ /^  / && !is_literal) {
			print ".PP\n.nf\n.RS 2"
			is_literal = 1
		} else if (lines[i] !~ /^  / && is_literal) {
			print ".RE\n.fi\n.PP"
			is_literal = 0
		}
		print_line(lines[i], is_literal, i == n)
	}
	if (is_literal)
		print ".RE\n.fi"
}

function print_line(line, is_literal, is_last)
{
	if (is_literal) {
		sub(/^  /, "", line)
		printf "%s", literal(line "\n")
	} else if (line ~ /^[ \t]*$/) {
		if (!is_last)
			print ".PP"
	} else {
		if (line ~ /^Errors:/)
			printf ".PP\n"
		sub(/^ +/, "", line)
		print emphasise(escape(with_pages(line)))
	}
}

# "(spread.h)" is a page, too.
function with_pages(line,    n, topics, i)
{
	n = split(all_topics, topics, " ")
	for (i = 1; i <= n; i++)
		gsub("\\(" topics[i] "\\.h\\)", "(hetero_" topics[i] "(3))", line)
	return line
}

# `name` in the comments is shown in italics.
function emphasise(line)
{
	while (match(line, /`[^`]*`/))
		line = substr(line, 1, RSTART - 1) "\\fI" substr(line, RSTART + 1, RLENGTH - 2) "\\fP" \
		       substr(line, RSTART + RLENGTH)
	return line
}

function escape(line)
{
	gsub(/\\/, "\\e", line)
	gsub(/-/, "\\-", line)
	if (line ~ /^[.']/)
		line = "\\&" line
	return line
}

function literal(text,    n, lines, i, out)
{
	n = split(text, lines, "\n")
	out = ""
	for (i = 1; i < n; i++) {
		gsub(/\t/, "        ", lines[i])
		out = out escape(lines[i]) "\n"
	}
	return out
}
