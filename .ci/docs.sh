#!/usr/bin/env bash
# docs.sh - the man page has no fault that groff can see, what pages and sources refer to exists, no line is too long
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

# Pages, and sections of them, that sources name: docs/PAGE.md, "Section".
while IFS=: read -r file page; do
	[ -e "$page" ] || complain "$file: there is no $page"
done < <(git grep -oIE 'docs/[a-z]+\.(md|1)\b' -- ':!*.md' | sort -u)
while IFS=: read -r file page section; do
	[ ! -e "$page" ] || grep -qE "^#+ $section\$" "$page" || complain "$file: $page has no section \"$section\""
done < <(git grep -oIE 'docs/[a-z]+\.md, "[^"]+"' -- ':!*.md' | sed -E 's/, "(.*)"$/:\1/' | sort -u)

# Every ./run command that a page names is one that ./run lists.
while read -r command; do
	./run | grep "^  $command\b" >/dev/null || complain "a page names ./run $command, which there is not"
done < <(git ls-files '*.md' | xargs grep -ohE '\./run [a-z]+' | cut -d ' ' -f 2 | sort -u)

# The program after <!-- FILE --> in a page of docs/aclnn is that of examples/cann.
for page in docs/aclnn/*.md; do
	source=examples/cann/$(sed -n 's/^<!-- \(.*\) -->$/\1/p' "$page")
	sed '1,/^<!-- .* -->$/d' "$page" | sed -n '/^```./,/^```$/p' | sed '1d;$d' |
		cmp -s - <(sed '1,/^ \*\/$/d' "$source") || complain "$page: the program is not $source"
done

# What a page shows after <!-- DIRECTORY/FILE --> stands in that file.
shown() {
	local page=$1 line source= inside= block= newline=$'\n'
	while IFS= read -r line; do
		case $line in
		'<!-- '*/*' -->')
			source=${line#'<!-- '} source=${source%' -->'}
			;;
		'```'?*) inside=1 block= ;;
		'```')
			[[ -z $source || $newline$(<"$source")$newline == *"$newline$block"* ]] ||
				complain "$page: $source does not have what begins with ${block%%$newline*}"
			source= inside=
			;;
		*) [ -z "$inside" ] || block+=$line$newline ;;
		esac
	done <"$page"
}
while read -r page; do
	shown "$page"
done < <(git ls-files README.md 'docs/*.md')

# 120 columns in the pages of the root and of docs/, but for tables and what is shown as it is: fenced, or indented by
# four. (Some awks count bytes.)
prose() {
	awk '/^```/ { fenced = !fenced } fenced || /^(\||    )/ { $0 = "" } { print }' "$1"
}
while read -r page; do
	while IFS=: read -r line _; do
		complain "$page:$line: more than 120 columns"
	done < <(prose "$page" | LC_ALL=C.UTF-8 grep -nE '^.{121}')
done < <(git ls-files ':(glob)*.md' 'docs/*.md')

exit $faults
