#!/usr/bin/env bash
# headers.sh SDK COMPILER STANDARD.. - every header of graphs in the tree SDK compiles without a warning, included as
# programs do: alone in the first standard, and all together in each, in both orders
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
sdk=$1 compiler=$2
shift 2
flags=(-Wall -Wextra -Wpedantic -Wshadow -Werror -fsyntax-only)
for directory in external graph ge .; do
	flags+=(-I "$sdk/include/$directory")
done

mapfile -t headers < <(cd "$sdk/include" && find graph/ ge/ external/ -follow -name '*.h' | sed 's|^external/||' |
	LC_ALL=C sort)
[ ${#headers[@]} -gt 40 ] || { echo "headers: too few in $sdk"; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# try STANDARD HEADER..: a file that includes them, and is not empty without them.
try() {
	local standard=$1
	shift
	printf '#include "%s"\n' "$@" >"$work/try.cpp"
	echo 'extern int something;' >>"$work/try.cpp"
	"$compiler" -std="$standard" "${flags[@]}" "$work/try.cpp" || { echo "headers: $standard: $*"; return 1; }
}

for header in "${headers[@]}"; do
	try "$1" "$header"
done
mapfile -t reversed < <(printf '%s\n' "${headers[@]}" | tac)
for standard; do
	try "$standard" "${headers[@]}"
	try "$standard" "${reversed[@]}"
done
echo "headers: ${#headers[@]} headers, alone in $1, together in $*"
