# set_env.sh - tells programs for CANN, and their builds, where rstd's CANN lies: . /path/of/cann/set_env.sh
#
# SPDX-License-Identifier: Apache-2.0
#
# To be sourced, from any directory. bash and zsh tell a file where it lies; in another shell, set ASCEND_HOME_PATH to
# that directory before. Sourcing it again changes nothing.

if [ -n "${BASH_SOURCE:-}" ]; then
	_rstd_cann=$(CDPATH='' cd -- "$(dirname -- "$BASH_SOURCE")" >/dev/null && pwd)
elif [ -n "${ZSH_VERSION:-}" ]; then
	_rstd_cann=$(eval 'CDPATH= cd -- "${${(%):-%x}:h}" >/dev/null && pwd')
else
	_rstd_cann=${ASCEND_HOME_PATH:-}
fi

if [ -e "$_rstd_cann/lib64/librstd_cann.so" ]; then
	export ASCEND_HOME_PATH="$_rstd_cann"
	export ASCEND_TOOLKIT_HOME="$_rstd_cann"
	export ASCEND_CUSTOM_PATH="$_rstd_cann"
	case ":${LD_LIBRARY_PATH:-}:" in
	*":$_rstd_cann/lib64:"*) ;;
	*) export LD_LIBRARY_PATH="$_rstd_cann/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" ;;
	esac
	unset _rstd_cann
else
	echo "set_env.sh: there is no lib64/librstd_cann.so in '$_rstd_cann'; set ASCEND_HOME_PATH to where this file lies" >&2
	unset _rstd_cann
	false
fi
