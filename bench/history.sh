#!/usr/bin/env bash
# history.sh - the present benchmark on former commits of the library: what each change has bought
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

[ $# -ge 2 ] || {
	echo "usage: bench/history.sh 'COMMIT..' JOB-PATTERN..    e.g. bench/history.sh 'HEAD~9 HEAD' 'all f32' 'rows 8 f32'" >&2
	exit 2
}
read -ra commits <<<"$1"
shift

# build COMMIT: prints the path of its rstd-bench
build() {
	local tree=build/history/$1
	if [ ! -x "$tree/build/bench/rstd-bench" ]; then
		rm -rf "$tree" && mkdir -p "$tree"
		git archive "$1" | tar -x -C "$tree"
		rm -rf "$tree/bench" && cp -r bench "$tree/bench"
		cmake -S "$tree" -B "$tree/build" -G Ninja -DRSTD_BUILD_BENCH=ON -DBUILD_TESTING=OFF >"$tree/log"
		cmake --build "$tree/build" --target rstd-bench >>"$tree/log"
	fi
	echo "$tree/build/bench/rstd-bench"
}

for commit in "${commits[@]}"; do
	id=$(git rev-parse --short "$commit")
	program=$(build "$id")
	git log -1 --format='%n%h %s' "$id"
	for pattern; do
		"$program" --quick --seconds 2.5 --job "$pattern" | sed '/^oneDNN/,/^$/d' |
			grep -E '^.{29}(f32|f16|bf16) |^(one-shot|run of)' | cut -c1-85
	done
done
