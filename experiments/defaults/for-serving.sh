#!/bin/sh
# What a model costs that scores each document by itself (dorm train --for-serving): NDCG@10 of such models less that of
# default models, paired over the test queries of the five folds of MQ2008 and of five sets of artificial data. See README.md.
# needs: mq2008
set -eu
. "$(dirname "$0")/../common.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
start_results "models that score each document by itself"
numbers='1 2 3 4 5'
[ "${1:-}" != --quick ] || numbers=1

# both NAME TRAIN VALIDATION TEST: trains both models and adds their scores of TEST to those of NAME.
both() {
  for kind in serving default; do
    option=
    [ $kind = default ] || option=--for-serving
    "$dorm_program" train --quiet -s training.trainer=svm $option -s "data.train=$2" -s "data.validation=$3" -s solver.threads=1 \
      -s "output.model=$work/model" | sed -n "s/^validation .* = /$1 $kind /p" >> "$work/validation"
    "$dorm_program" predict "$work/model" "$4" >> "$work/$1.$kind"
  done
  cat "$4" >> "$work/$1.txt"
}

for number in $numbers; do
  fold=$data_folder/mq2008/Fold$number
  both mq2008 "$fold/train.txt" "$fold/vali.txt" "$fold/test.txt"
  for part in 1 2 3; do
    "$dorm_program" generate artificial --seed $number --part $part -o "$work/part$part"
    sed -i "s/ qid:/ qid:$number-/" "$work/part$part"
  done
  both artificial "$work/part1" "$work/part2" "$work/part3"
done

printf 'data\tvalidation, default\tvalidation, serving\ttest, default\ttest, serving\tdifference\tdifference ±\tp\tqueries\n' > "$work/table"
for name in mq2008 artificial; do
  for kind in default serving; do
    awk -v name=$name -v kind=$kind '$1 == name && $2 == kind { sum += $3; n++ } END { printf "%.4f\n", sum / n }' \
      "$work/validation" > "$work/mean.$kind"
  done
  "$dorm_program" eval --scores "$work/$name.serving" --scores "$work/$name.default" "$work/$name.txt" -m ndcg@10 |
    awk -v OFS='\t' -v name=$name -v one="$(cat "$work/mean.default")" -v two="$(cat "$work/mean.serving")" '
      / \+- .* queries$/ { mean[++n] = sprintf("%.4f", $2) }
      compared { printf "%s\t%s\t%s\t%s\t%s\t%+.4f\t%.4f\t%s\t%s\n", name, one, two, mean[2], mean[1], $2, $4, $5, $7 }
      /t-test p/ { compared = 1 }' >> "$work/table"
done
keep table for-serving "NDCG@10 of models for serving and of the defaults" < "$work/table"
