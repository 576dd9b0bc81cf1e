# abi.awk - makes assertions, which C and C++ can check while compiling, of the facts in abi.tsv
#
# SPDX-License-Identifier: Apache-2.0
#
# abi.awk -v cxx=0|1. A line is: kind, name, value. Kinds are sizeof, offsetof, signed, typedef; names of enums, whose
# value is that of an enumerator; and "#define", "static const" or "constant" with a type, whose value is that of a
# constant. The file that includes the result defines ABI(condition), and ABI_SAME(type, type) for types.

BEGIN { FS = "\t" }

NR == 1 { next }

$1 == "sizeof" {
	print "ABI(sizeof(" $2 ") == " $3 ")"
	next
}
$1 == "offsetof" {
	split($2, part, ".")
	print "ABI(offsetof(" part[1] ", " part[2] ") == " $3 ")"
	next
}
$1 == "signed" {
	is_signed[$2] = 1
	next
}
$1 == "typedef" {
	sub(/^incomplete /, "", $3)
	print "ABI_SAME(" $2 ", " $3 ")"
	next
}
$1 ~ /^#define/ {
	# a macro: the preprocessor can compare it too
	print "#if !defined(" $2 ") || " $2 " != " $3 "\n#error \"" $2 " is not " $3 "\"\n#endif"
	print "ABI(" $2 " == " $3 ")"
	next
}
$1 ~ /^static const/ {
	# in C no constant, but a name that has an address
	if (cxx)
		print "ABI(" $2 " == " $3 ")"
	print "ABI_VALUE(" $2 ", " $3 ")"
	next
}
{
	print "ABI(" $2 " == " $3 ")"
	if ($1 !~ /^constant/)
		enums[$1] = 1
}

# An enum of CANN is unsigned unless it has a negative member.
END {
	for (name in enums)
		print "ABI_SIGN(" name ", " (name in is_signed ? "true" : "false") ")"
}
