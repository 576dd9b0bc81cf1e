#!/usr/bin/env bash
# check.sh PREFIX - builds and runs outside programs against the package installed in PREFIX
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
prefix=$(cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")"
# What a pipe ends in reads all of it: to stop at the first line found would fail the program before.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The package may be moved after it was installed.
cp -a "$prefix" "$work/moved"
prefix=$work/moved
library=$(dirname "$(find "$prefix" -name librstd.a)")
export PKG_CONFIG_PATH=$library/pkgconfig

echo "pkg-config, shared: soname $(readelf -d "$library/librstd.so" | sed -n 's/.*soname: \[\(.*\)\]/\1/p')"
# shellcheck disable=SC2046 # flags are words
cc -std=c11 use.c $(pkg-config --cflags --libs rstd) -o "$work/shared"
LD_LIBRARY_PATH=$library "$work/shared"
LD_LIBRARY_PATH=$library ldd "$work/shared" | grep "$library/librstd.so" >/dev/null

echo "pkg-config, graphs: soname $(readelf -d "$library/librstd_graph.so" | sed -n 's/.*soname: \[\(.*\)\]/\1/p')"
# shellcheck disable=SC2046
cc -std=c11 ../../examples/graph_fusion.c $(pkg-config --cflags --libs rstd_graph) -o "$work/graph"
LD_LIBRARY_PATH=$library "$work/graph"

echo "pkg-config, static:"
# shellcheck disable=SC2046
cc -std=c11 -static use.c $(pkg-config --static --cflags --libs rstd) -o "$work/static"
"$work/static"

echo "find_package, C and C++, shared and static:"
cmake -S . -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$work/build"
ctest --test-dir "$work/build" --output-on-failure

echo "as a part of another project:"
cmake -S part -B "$work/part" >/dev/null
cmake --build "$work/part" --target use
ctest --test-dir "$work/part" --output-on-failure

echo "programs for CANN, which know its tree alone:"
bash ../cann/examples.sh "$PWD/../../examples/cann" "$prefix/cann"
bash ../cann/examples.sh "$PWD/../../examples/graph" "$prefix/cann"
bash -euc '. "$0/bin/setenv.bash"; test "$ASCEND_HOME_PATH" = "$0"' "$prefix/cann"
cc -std=c11 ../../examples/cann/test_aclnn_reduce_std_with_mean.c -I"$prefix/cann/include" -L"$prefix/cann/lib64" \
	-lascendcl -lnnopbase -lopapi_math -o "$work/cann"
LD_LIBRARY_PATH=$prefix/cann/lib64 "$work/cann"
LD_LIBRARY_PATH=$prefix/cann/lib64 ldd "$work/cann" | grep "$prefix/cann/lib64/librstd.so"

echo "the command and its page:"
"$prefix/bin/rstd" info
"$prefix/bin/rstd" graph run --help | grep -- --feed >/dev/null
test -s "$prefix/share/man/man1/rstd.1"
