#!/bin/sh
# Trains and evaluates on the five published folds of LETOR 4.0 MQ2008 and prints
# one row per fold, the means, and paired differences over the queries. With --quick: on the first fold alone. See README.md
# beside this file.
# needs: mq2008
# minutes: 1
set -eu
. "$(dirname "$0")/../common.sh"
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
folds='1 2 3 4 5'
[ "${1:-}" != --quick ] || folds=1
start_results "the five folds of MQ2008, defaults, beside other losses in the same pool"

mean_of() { # MEASURE MODEL DATA
  "$dorm_program" eval "$2" "$3" -m "$1" | awk '{ print $2 }'
}

printf 'method\tfold\tndcg@10\tndcg@5 (LETOR)\tMAP\tseconds\n' > "$work/table"
# COUNT numbers, each the same multiple of the one before it, with commas.
series() { # FIRST LAST COUNT
  awk -v first="$1" -v last="$2" -v count="$3" 'BEGIN {
    for (k = 0; k < count; k++) printf "%s%.3g", k ? "," : "", first * (last / first) ^ (k / (count - 1)) }'
}

# What the methods of the default's pool vary, as often as the default varies C, reference and round.
varied() { # METHOD
  case $1 in
    ridge-pool) echo "solver.ridge=$(series 0.0015 15 41)" ;;
    rsvm*-pool) echo "solver.C=$(series 0.3 3000 40)" ;;
  esac
}

methods='default auto ridge-pool rsvm-pool rsvm-ir-pool ridge listed'
for method in $methods; do
  for fold in $folds; do
    data=$data_folder/mq2008/Fold$fold
    more=$(varied $method)
    started=$(date +%s.%N)
    "$dorm_program" train "$here/mq2008/$method.ini" --quiet -s "data.train=$data/train.txt" \
      -s "data.validation=$data/vali.txt" ${more:+-s "$more"} -s "output.model=$work/model" > /dev/null
    ended=$(date +%s.%N)
    "$dorm_program" eval "$work/model" "$data/test.txt" -m ndcg@10:empty=0 -p "$work/$method-$fold" > /dev/null
    printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$method" "$fold" \
      "$(mean_of ndcg@10:empty=0 "$work/model" "$data/test.txt")" \
      "$(mean_of ndcg@5:discount=letor,empty=0 "$work/model" "$data/test.txt")" \
      "$(mean_of map:empty=0 "$work/model" "$data/test.txt")" \
      "$(echo "$started $ended" | awk '{ printf "%.2f", $2 - $1 }')" >> "$work/table"
  done
done

awk -F'\t' -v OFS='\t' '
  { print }
  NR > 1 { order[$1] = order[$1] ? order[$1] : ++methods; name[order[$1]] = $1
           for (i = 3; i <= 6; i++) sum[$1, i] += $i; folds[$1]++ }
  END { for (m = 1; m <= methods; m++) {
          n = name[m]
          printf "%s\tmean\t%.4f\t%.4f\t%.4f\t%.2f\n", n, sum[n, 3] / folds[n], sum[n, 4] / folds[n],
                 sum[n, 5] / folds[n], sum[n, 6] / folds[n] } }' "$work/table" > "$work/result"
prepare_python
# shellcheck disable=SC2086
"$python" "$here/compare.py" "$work" $methods > "$work/compared"
keep table mq2008 "The five folds of MQ2008" --varying seconds < "$work/result"
keep table mq2008-paired "The default less each, over the test queries of all folds" \
  --note "paired t-tests over the queries of all folds, two-sided; Holm's correction for 6 comparisons" < "$work/compared"
