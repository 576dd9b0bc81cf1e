#!/bin/sh
# readme.sh SOURCE EXAMPLE COMMAND - what the README shows is what there is: its C example is examples/std.c, whose output
# is as printed, and each of its console lines gives the lines that follow it
#
# SPDX-License-Identifier: Apache-2.0
set -eu
cd "$1"
example=$2 command=$3

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$command" "$work/bin/rstd"
PATH=$work/bin:$PATH

# block FENCE N: the N-th block that opens with this fence
block() {
	awk -v fence="$1" -v n="$2" '
		inside && $0 == "```" { inside = 0; next }
		inside { if (wanted) print; next }
		/^```/ { inside = 1; wanted = $0 == fence && ++seen == n }' README.md
}

block '```c' 1 >"$work/shown"
sed '1,/^ \*\/$/d' examples/std.c | diff -u - "$work/shown"

block '```' 1 >"$work/shown"
"$example" | diff -u - "$work/shown"

block '```console' 1 >"$work/shown"
[ -s "$work/shown" ]
sed -n 's/^\$ //p' "$work/shown" | while read -r line; do
	printf '$ %s\n' "$line"
	sh -c "$line"
done | diff -u - "$work/shown"
