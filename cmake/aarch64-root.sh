#!/usr/bin/env bash
# aarch64-root.sh - fetches AArch64 builds of what the tests link with into build/aarch64-root
#
# SPDX-License-Identifier: Apache-2.0
#
# apt-get does it with lists of its own under build/, so that the machine does not become one of two architectures
# (which would tie the versions of its C library to those of the other). For Debian: Ubuntu keeps AArch64 packages on
# servers that its sources do not name.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages=(libcmocka0 libcmocka-dev libgmp10 libgmp-dev libmpfr6 libmpfr-dev
	libprotobuf-c1 libprotobuf-c-dev)
root=build/aarch64-root
[ "$(cat "$root/complete" 2>/dev/null)" != "${packages[*]}" ] || exit 0 # all of them are there

mkdir -p "$root" build/aarch64-apt/lists/partial build/aarch64-apt/debs
options=(-o APT::Architectures::=arm64 -o Dir::State::Lists="$PWD/build/aarch64-apt/lists" -o APT::Sandbox::User=root
	-o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=)
apt-get -q "${options[@]}" update
(cd build/aarch64-apt/debs && apt-get -q "${options[@]}" download "${packages[@]/%/:arm64}")
for deb in build/aarch64-apt/debs/*_arm64.deb; do
	dpkg-deb -x "$deb" "$root"
done
echo "${packages[*]}" >"$root/complete"
