#!/bin/sh
# exports.sh NM HEADERS LIBRARY - the library exports exactly what the headers under HEADERS declare
#
# SPDX-License-Identifier: Apache-2.0
set -eu
nm=$1 headers=$2 library=$3

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A declaration starts with its visibility, and the name of the function is the word before the first bracket.
find "$headers/acl" "$headers/aclnn" "$headers/aclnnop" -name '*.h' -exec cat {} + | sed '/^#/d' | tr '\n\t' '  ' |
	grep -oE '(ACL_FUNC_VISIBILITY|ACLNN_API) [^(;]*\(' | sed 's/.*[ *]\([A-Za-z0-9_]*\)($/\1/' |
	LC_ALL=C sort >"$work/declared"
"$nm" -D --defined-only "$library" | awk '{ print $NF }' | sed 's/@.*//' | LC_ALL=C sort >"$work/exported"

uniq -d "$work/declared" >"$work/twice"
if [ -s "$work/twice" ]; then
	echo "exports: declared twice:"
	cat "$work/twice"
	exit 1
fi
if ! diff -u "$work/declared" "$work/exported"; then
	echo "exports: $library does not export what the headers declare"
	exit 1
fi
echo "exports: $(wc -l <"$work/exported") symbols, all declared"
