#!/bin/sh
# demo.sh COMMAND - the spread of Fisher's iris measurements, by the command rstd, as a table
#
# SPDX-License-Identifier: Apache-2.0
set -eu
rstd=$(realpath "$1")
cd "$(dirname "$0")"

work=$(mktemp)
trap 'rm -f "$work"' EXIT

# ask ARGUMENT..: shows a call of the command and its answer, and keeps the answer
ask() {
	printf '\n$ rstd %s\n' "$*"
	answer=$("$rstd" "$@")
	printf '%s\n' "$answer" | tee -a "$work"
}

echo "iris.npy: 3 species of iris, 50 flowers of each, 4 measurements of each flower in cm (Fisher, 1936)"
ask std-mean iris.npy --dim 0,1 # over species and flowers: one row
ask std-mean iris.npy --dim 1   # over flowers: a row for each species

# Each answer is "std:", its rows, "mean:", its rows; the first answer has one row, of all species.
tr -d '[]' <"$work" | awk '
	BEGIN {
		split("all species,setosa,versicolor,virginica", name, ",")
		printf "\n%-12s", "mean (std)"
		n = split("sepal length,sepal width,petal length,petal width", column, ",")
		for (i = 1; i <= n; i++)
			printf "%16s", column[i]
		print ""
	}
	/^std:/ || /^mean:/ { what = $1; next }
	NF == n {
		row = ++rows[what]
		for (i = 1; i <= n; i++)
			value[what, row, i] = $i
	}
	END {
		for (row = 1; row <= 4; row++) {
			printf "%-12s", name[row]
			for (i = 1; i <= n; i++)
				printf "%16s", sprintf("%.3f (%.3f)", value["mean:", row, i], value["std:", row, i])
			print ""
		}
	}'
