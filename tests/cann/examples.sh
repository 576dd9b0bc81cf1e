#!/usr/bin/env bash
# examples.sh EXAMPLES SDK [CMAKE-ARG..] - builds the programs in the directory EXAMPLES against the tree SDK alone, as one
# who has only that, and runs them
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
examples=$1 sdk=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset ASCEND_CUSTOM_PATH ASCEND_HOME_PATH LD_LIBRARY_PATH RSTD_SOC

cp -r "$examples" "$work/source"

echo "told by ASCEND_CUSTOM_PATH:"
ASCEND_CUSTOM_PATH=$sdk cmake -S "$work/source" -B "$work/custom" "$@" >/dev/null
cmake --build "$work/custom"
ctest --test-dir "$work/custom" --output-on-failure

echo "told by set_env.sh, for its library path too:"
# shellcheck disable=SC1091 # it is not there when this is looked at
. "$sdk/set_env.sh"
unset ASCEND_CUSTOM_PATH
cmake -S "$work/source" -B "$work/home" -DCMAKE_SKIP_RPATH=ON "$@" >/dev/null
cmake --build "$work/home" >/dev/null
ctest --test-dir "$work/home" --output-on-failure
