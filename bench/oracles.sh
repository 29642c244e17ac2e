#!/bin/sh
# oracles.sh PROGRAM FOLDER: measures what the oracles cost; `make bench` runs it.
#
# PROGRAM is oracle_bench. The script writes to FOLDER: times.tsv (every median with
# its spread, see oracle_bench.c), summary.txt and, where gnuplot is installed,
# times.svg. Where Debian's python3-scipy is installed, scipy's solver gets the same
# problems in the same run. BENCH=full takes the whole grid, in some minutes, instead
# of one scale of scores and three sizes. SCORES=FILE adds scores from a file with one
# number per line.
program=$1
folder=$2
here=$(dirname "$0")
mkdir -p "$folder" || exit 1
options="--dump $folder/problems.bin"
most_docs=1000
if [ "$BENCH" = full ]; then
  options="$options --full"
  most_docs=2000
fi
if [ -n "$SCORES" ]; then
  options="$options --scores $SCORES"
fi

"$program" $options > "$folder/times.tsv" || exit 1
if /usr/bin/python3 -c 'import scipy.optimize' 2> /dev/null; then
  /usr/bin/python3 "$here/scipy_assignment.py" "$folder/problems.bin" $most_docs >> "$folder/times.tsv" || exit 1
fi
rm -f "$folder/problems.bin"

awk -F '\t' -f "$here/summary.awk" "$folder/times.tsv" > "$folder/summary.txt" || exit 1
cat "$folder/summary.txt"
if command -v gnuplot > /dev/null; then
  gnuplot -c "$here/oracles.gnuplot" "$folder" && echo "plot: $folder/times.svg"
fi
