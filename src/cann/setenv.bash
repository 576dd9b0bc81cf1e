# setenv.bash - the other name under which scripts look for set_env.sh, in bin/ of the tree
#
# SPDX-License-Identifier: Apache-2.0

. "$(dirname -- "${BASH_SOURCE[0]}")/../set_env.sh"
