#!/usr/bin/env bash
# headers.sh DIRECTORY COMPILER STANDARD.. - every header under DIRECTORY compiles without a warning: alone in each
# standard, and after every other in the first
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$1"
compiler=$2
shift 2
flags=(-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Wcast-qual -Werror -fsyntax-only -I . -I aclnn)
mapfile -t headers < <(find acl aclnn aclnnop -follow -name '*.h' | LC_ALL=C sort)
[ ${#headers[@]} -gt 20 ] || { echo "headers: too few under $1"; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
language=c++
case $1 in c[0-9]*) language=c ;; esac

# try NAME STANDARD HEADER..: a file that includes them, then declares something, for an empty file is an error.
try() {
	local file=$work/$1.$language standard=$2
	shift 2
	printf '#include "%s"\n' "$@" >"$file"
	echo 'extern int something;' >>"$file"
	"$compiler" -std="$standard" "${flags[@]}" -x "$language" "$file" || { echo "headers: $standard: $*"; return 1; }
}

for standard; do
	for header in "${headers[@]}"; do
		try alone "$standard" "$header"
	done
done

# A pair in the first standard alone: what can go wrong there is a name declared twice.
for first in "${headers[@]}"; do
	for second in "${headers[@]}"; do
		try pair "$1" "$first" "$second"
	done
done
echo "headers: ${#headers[@]} headers, alone in $*, in pairs in $1"
