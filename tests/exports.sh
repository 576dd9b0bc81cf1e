#!/bin/sh
# exports.sh NM HEADER SHARED [STATIC] - the shared library exports exactly what the header declares, and no global
# symbol of the static one could clash with a program's own
#
# SPDX-License-Identifier: Apache-2.0
set -eu
nm=$1 header=$2 shared=$3 static=${4-}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sed -n 's/^RSTD_\(GRAPH_\)\{0,1\}API [^(]*[ *]\(rstd_[a-z0-9_]*\)(.*/\2/p' "$header" | LC_ALL=C sort >"$work/declared"
"$nm" -D --defined-only "$shared" | awk '{ print $NF }' | LC_ALL=C sort >"$work/exported"
if ! diff -u "$work/declared" "$work/exported"; then
	echo "exports: $shared does not export what $header declares"
	exit 1
fi

if [ -n "$static" ]; then
	"$nm" -g --defined-only "$static" | awk 'NF == 3 && $3 !~ /^rstd_/ { print $3 }' >"$work/strange"
	if [ -s "$work/strange" ]; then
		echo "exports: global symbols of $static without the prefix rstd_:"
		cat "$work/strange"
		exit 1
	fi
fi
echo "exports: $(wc -l <"$work/exported") symbols, all declared in $(basename "$header")"
