# packages.sh - have and need: what is on this machine, and installing what is not; sourced by ./run and .ci/run
#
# SPDX-License-Identifier: Apache-2.0

# say COMMAND..: shows a command, then runs it.
say() {
	printf '+ %s\n' "$*" >&2
	"$@"
}

# have PROGRAM, or have HEADER.h, or have /FILE: is it there?
have() {
	case $1 in
	/*) [ -e "$1" ] ;;
	*.h) # cmocka.h wants the others before it
		printf '#include <%s>\n' stdarg.h stddef.h stdint.h setjmp.h "$1" | cc -E -x c - >/dev/null 2>&1
		;;
	*) command -v "$1" >/dev/null ;;
	esac
}

# need WHAT:PACKAGE..: installs the packages whose program, header or file is missing; quick when none is.
need() {
	local pair missing=() root=() install
	for pair in "$@"; do
		have "${pair%%:*}" || missing+=("${pair#*:}")
	done
	[ ${#missing[@]} -gt 0 ] || return 0

	install=(env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=120
		install --no-install-recommends "${missing[@]}")
	if ! have apt-get; then
		printf 'missing, by the names of Debian packages: %s\n' "${missing[*]}" >&2
		exit 1
	fi
	if [ "$(id -u)" -ne 0 ]; then
		if ! have sudo || { ! sudo -n true 2>/dev/null && [ ! -t 0 ]; }; then
			printf 'packages are missing, and only root may install them; as root, run\n\n' >&2
			printf '  apt-get update && %s\n\n' "${install[*]}" >&2
			exit 1
		fi
		root=(sudo)
	fi
	# The lists may be absent (a fresh container), or older than the archive.
	if compgen -G '/var/lib/apt/lists/*Packages*' >/dev/null && say "${root[@]}" "${install[@]}"; then
		return 0
	fi
	say "${root[@]}" apt-get -q update
	say "${root[@]}" "${install[@]}"
}
