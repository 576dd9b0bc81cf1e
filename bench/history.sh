#!/usr/bin/env bash
# history.sh - the present benchmark on former commits of the library: what each change has bought
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

[ $# -ge 2 ] || {
	cat >&2 <<-'END'
	usage: bench/history.sh 'COMMIT..' JOB..
	JOB is a pattern as of rstd-bench --job, or a shape, outer x reduced x inner, and a dtype, e.g.
	       bench/history.sh 'HEAD~9 HEAD' 'all f32' 'rows 8 f32' '65536x257x1 f16'
	END
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

# select_job JOB: sets the options that name it
select_job() {
	if [[ $1 =~ ^[0-9]+x[0-9]+x[0-9]+\  ]]; then
		job=(--shape "${1% *}" --job "* ${1##* }")
	else
		job=(--job "$1")
	fi
}

for commit in "${commits[@]}"; do
	id=$(git rev-parse --short "$commit")
	program=$(build "$id")
	git log -1 --format='%n%h %s' "$id"
	for name; do
		select_job "$name"
		"$program" --quick --seconds 2.5 "${job[@]}" | sed '/^oneDNN/,/^$/d' |
			grep -E '^.{29}(f32|f16|bf16) |^(one-shot|run of)' | cut -c1-85
	done
done
