#!/usr/bin/env bash
# docs.sh - the man page has no fault that groff can see, and links in the pages lead to files that exist
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
faults=0

complain() {
	printf '%s\n' "$*"
	faults=1
}

complaints=$(groff -man -Tutf8 -Kutf8 -ww -z docs/rstd.1 2>&1 || true)
[ -z "$complaints" ] || complain "$complaints"

while IFS=: read -r page link; do
	[ -e "$(dirname "$page")/$link" ] || complain "$page: there is no $link"
done < <(git ls-files '*.md' | xargs grep -oE '\]\([^)#:]+' /dev/null | sed 's/\](//')

# Every ./run command that a page names is one that ./run lists.
while read -r command; do
	./run | grep -q "^  $command\b" || complain "a page names ./run $command, which there is not"
done < <(git ls-files '*.md' | xargs grep -ohE '\./run [a-z]+' | cut -d ' ' -f 2 | sort -u)

exit $faults
