#!/usr/bin/env bash
# programs.sh SDK COMPILER [FLAG..] - the programs in programs/examples, which use headers, prototypes and functions as CANN's
# own samples do, compile against the tree SDK as these do, and run to their end
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

# One program, in a directory of its own.
build_and_run() {
	local program=$1 work=$2 sdk=$3 compiler=$4
	shift 4
	local name
	name=$(basename "$program" .cpp)
	mkdir "$work/$name"
	"$compiler" "$@" "$program" -o "$work/$name/program" \
		-I "$sdk/include/external" -I "$sdk/include/graph" -I "$sdk/include/ge" -I "$sdk/include" \
		-I "$sdk/opp/built-in/op_proto/inc" \
		-L "$sdk/lib64" -lgraph -lge_runner -lgraph_base -lge_compiler || { echo "$name: does not compile"; return 1; }
	cd "$work/$name"
	LD_LIBRARY_PATH=$sdk/lib64 ./program >out 2>&1 || { echo "$name: status $?"; cat out; return 1; }
}

if [ "$1" = one ]; then
	build_and_run "${@:2}"
	exit
fi
programs=("$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"/programs/examples/*.cpp)
[ ${#programs[@]} -ge 15 ] || { echo "programs: too few"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '%s\0' "${programs[@]}" | xargs -0 -P 2 -I{} bash "${BASH_SOURCE[0]}" one {} "$work" "$@"
echo "programs: ${#programs[@]} compile and run"
