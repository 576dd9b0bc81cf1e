#!/bin/sh
# page.sh PAGE PROGRAM - what the page shows between ```text and ``` is what the program prints
#
# SPDX-License-Identifier: Apache-2.0
set -eu
shown=$(mktemp)
trap 'rm -f "$shown"' EXIT

awk '
	$0 == "```text" { inside = 1; next }
	$0 == "```" { inside = 0 }
	inside' "$1" >"$shown"
[ -s "$shown" ]
"$2" | diff -u "$shown" -
