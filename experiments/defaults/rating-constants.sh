#!/bin/sh
# What halving and doubling each constant of the features of ratings changes. See README.md.
# needs: movielens
# runs: alone
# minutes: 20
set -eu
. "$(dirname "$0")/../common.sh"
prepare_python
start_results "the constants of the features of ratings, halved and doubled"
"$python" "$(dirname "$0")/rating_constants.py" "$@" > "$out/measured.tsv"
set --
while read -r note; do
  set -- "$@" --note "$note"
done << END
$(sed -n 's/^# //p' "$out/measured.tsv")
END
grep -v '^#' "$out/measured.tsv" | keep table rating-constants "Change of NDCG@10 by each constant" "$@"
