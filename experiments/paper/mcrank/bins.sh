#!/bin/sh
# Figure 3 (a) of McRank on MQ2008: how many bins of equal length the features of the five training parts need. With --quick:
# the first fold alone.
# needs: mq2008
# minutes: 1
set -eu
. "$(dirname "$0")/../../common.sh"
prepare_python
folds='1 2 3 4 5'
[ "${1:-}" != --quick ] || folds=1
start_results "McRank: numbers of bins of equal length"
for fold in $folds; do
  set -- "$@" "$data_folder/mq2008/Fold$fold/train.txt"
done
[ "$1" != --quick ] || shift
"$python" "$(dirname "$0")/equal_bins.py" "$@" |
  keep table bins "Figure 3 (a) of McRank: bins of equal length by their largest number B, MQ2008" \
    --note "the sum over five folds; the paper has about 6 percent with B = 2^8, on data that were never public"
