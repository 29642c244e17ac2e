#!/bin/sh
# Kernels on the artificial data of the demo and on the five folds of MQ2008. Prints
# a table of NDCG@10, and one of the paired differences from the linear model over
# the queries. See README.md.
# needs: mq2008
# runs: full
# minutes: 8
set -eu
. "$(dirname "$0")/../common.sh"
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
start_results "kernels on artificial data and MQ2008"

# The clock, and the seconds since a reading of it.
now() { date +%s.%N; }
since() { echo "$1 $(now)" | awk '{ printf "%.1f", $2 - $1 }'; }
ndcg() { "$dorm_program" eval "$1" "$2" -m ndcg@10:empty=0 | awk '{ print $2 }'; }

configuration() {
  case $1 in
    linear) echo "$here/../methods/dorm.ini" ;;
    linear-rbf) echo "$here/../methods/linear-rbf.ini" ;;
    *) echo "$here/kernels/$1.ini" ;;
  esac
}

for part in 1 2 3; do
  queries=200
  [ $part = 2 ] && queries=100
  "$dorm_program" generate artificial --seed 2 --part $part --queries $queries -o "$work/part$part.txt"
done
{
  printf 'data\tkernel\tfold\tvalidation\ttest ndcg@10\tseconds\n'
  for kernel in linear polynomial rbf; do
    started=$(now)
    "$dorm_program" train "$here/kernels/artificial.ini" --quiet -s "kernel.kernel=$kernel" -s "data.train=$work/part1.txt" \
      -s "data.validation=$work/part2.txt" -s "output.model=$work/model" > /dev/null
    printf 'artificial\t%s\t-\t%s\t%s\t%s\n' "$kernel" "$(ndcg "$work/model" "$work/part2.txt")" \
      "$(ndcg "$work/model" "$work/part3.txt")" "$(since "$started")"
  done
  for method in linear linear-rbf linear-or-rbf linear-retrained linear-rbf-retrained linear-or-rbf-retrained; do
    retrain=no
    [ "${method%-retrained}" = "$method" ] || retrain=yes
    for fold in 1 2 3 4 5; do
      data=$data_folder/mq2008/Fold$fold
      started=$(now)
      "$dorm_program" train "$(configuration "${method%-retrained}")" --quiet -s "data.train=$data/train.txt" \
        -s "data.validation=$data/vali.txt" -s solver.threads=1 -s selection.retrain=$retrain \
        -s "output.model=$work/$method.$fold" > /dev/null
      seconds=$(since "$started")
      printf 'mq2008\t%s\t%s\t%s\t%s\t%s\n' "$method" "$fold" "$(ndcg "$work/$method.$fold" "$data/vali.txt")" \
        "$(ndcg "$work/$method.$fold" "$data/test.txt")" "$seconds"
      "$dorm_program" predict "$work/$method.$fold" "$data/test.txt" >> "$work/$method.scores"
    done
  done
  # Take the kernel where it is better on the validation part by more than one
  # standard error of the paired difference, and else the linear model.
  kernel_folds=
  for fold in 1 2 3 4 5; do
    data=$data_folder/mq2008/Fold$fold
    taken=$("$dorm_program" eval "$work/linear-rbf.$fold" "$work/linear.$fold" "$data/vali.txt" -m ndcg@10:empty=0 |
      awk '$3 == "+-" { difference = $2; error = $4 } END { print (difference > error ? "linear-rbf" : "linear") }')
    printf 'mq2008\tone-error\t%s\t%s\t%s\t0\n' "$fold" "$(ndcg "$work/$taken.$fold" "$data/vali.txt")" \
      "$(ndcg "$work/$taken.$fold" "$data/test.txt")"
    "$dorm_program" predict "$work/$taken.$fold" "$data/test.txt" >> "$work/one-error.scores"
    [ "$taken" = linear ] || kernel_folds="$kernel_folds $fold"
  done
} > "$work/table"

awk -F'\t' -v OFS='\t' '
  { print }
  $1 == "mq2008" { order[$2] = order[$2] ? order[$2] : ++methods; name[order[$2]] = $2; folds[$2]++
                   for (i = 4; i <= 6; i++) sum[$2, i] += $i }
  END { for (m = 1; m <= methods; m++) {
          n = name[m]
          printf "mq2008\t%s\tmean\t%.4f\t%.4f\t%.1f\n", n, sum[n, 4] / folds[n], sum[n, 5] / folds[n],
                 sum[n, 6] / folds[n] } }' \
  "$work/table" > "$work/result"
keep table kernels "NDCG@10 by kernel" --varying seconds < "$work/result"

# Every query is in the test part of one fold.
cat "$data_folder"/mq2008/Fold[1-5]/test.txt > "$work/all.txt"
printf 'kernel\tless\tndcg@10\tndcg@10 ±\tt-test p\trandomisation p\n' > "$work/differences"
for method in linear-rbf linear-or-rbf one-error linear-rbf-retrained linear-or-rbf-retrained; do
  linear=linear
  [ "${method%-retrained}" = "$method" ] || linear=linear-retrained
  "$dorm_program" eval --scores "$work/$method.scores" --scores "$work/$linear.scores" "$work/all.txt" \
    -m ndcg@10:empty=0 |
    awk -v OFS='\t' -v method=$method -v linear=$linear '
      compared { print method, linear, $2, $4, $5, $6 }
      /t-test p/ { compared = 1 }' >> "$work/differences"
done
keep table kernels-differences "NDCG@10 less that of the linear model, paired over the 784 queries of MQ2008" \
  --note "one-error takes linear-rbf in these folds:${kernel_folds:- none}" < "$work/differences"
