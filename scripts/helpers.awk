# Turns the texts of helpers, src/emit/helpers/*.txt, into the rows of a table: [NUMBER] = {name, text, needs}. Each section of
# such a file is one helper, in the C++ of its target with @words that put_helper in src/emit/c_helpers.c replaces. Headings:
#
#   == ID name needs IDS     a helper, and the helpers that must precede it in a file
#   == $name                 text that a line "$name: a; b" stands for, with $1 and $2 for a and b
#   ==# comment; blank lines are left out, too
#
# The number is the ID minus `first`, a variable: C_HELPERS for the helpers of one target.
/^==#/ || /^$/ { next }

/^== \$/ {
	end_row()
	macro = $2
	next
}

/^== / {
	end_row()
	printf "[%s%s] = {\"%s\",\n", $2, first ? " - " first : "", $3
	row = 1
	needs = ""
	for (k = 5; k <= NF; k++)
		needs = needs (k > 5 ? " | " : "") "C_BIT(" $k ")"
	next
}

macro { body[macro] = body[macro] $0 "\n"; next }
row { put($0); next }
{ print "#error text before the first heading" }

END { end_row() }

function end_row() {
	if (row)
		printf ", %s},\n", needs ? needs : 0
	row = 0
	macro = ""
}

# The text with every $1, $2 … replaced. Not by gsub, for which & and \ in an argument have a meaning.
function with_arguments(text, arguments, count,    k, at) {
	for (k = 1; k <= count; k++)
		while ((at = index(text, "$" k)))
			text = substr(text, 1, at - 1) arguments[k] substr(text, at + 2)
	return text
}

function put(line,    name, arguments, lines, count, k) {
	if (line !~ /^\$/) {
		gsub(/\\/, "&&", line)
		gsub(/"/, "\\\"", line)
		print "\"" line "\\n\""
		return
	}
	name = line
	sub(/:.*/, "", name)
	if (!(name in body))
		print "#error " name " is not defined"
	count = split(substr(line, length(name) + 3), arguments, "; ")
	count = split(with_arguments(body[name], arguments, count), lines, "\n")
	for (k = 1; k < count; k++)
		put(lines[k])
}
