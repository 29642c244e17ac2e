#!/bin/sh
# The price of a model that scores each document by itself (dorm train --for-serving): NDCG@10 of such models less NDCG@10 of
# other models, paired over the test queries of the five folds of MQ2008 and of five sets of artificial data, for linear
# models and for the trainer that dorm chooses. See README.md.
# needs: mq2008
# minutes: 2
set -eu
. "$(dirname "$0")/../common.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
start_results "models that score each document by itself"
numbers='1 2 3 4 5'
[ "${1:-}" != --quick ] || numbers=1

# both NAME TRAIN VALIDATION TEST: trains the models and appends their scores of TEST to the scores of NAME.
both() {
  for trainer in svm auto; do
    for kind in serving default; do
      option=
      [ $kind = default ] || option=--for-serving
      "$dorm_program" train --quiet -s training.trainer=$trainer $option -s "data.train=$2" -s "data.validation=$3" \
        -s solver.threads=1 -s "output.model=$work/model" > /dev/null
      "$dorm_program" predict "$work/model" "$4" >> "$work/$1.$trainer.$kind"
    done
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

printf 'data\ttrainer\tdefault\tserving\tdifference\tdifference ±\tp\tqueries\n' > "$work/table"
for name in mq2008 artificial; do
  for trainer in svm auto; do
    scores=$work/$name.$trainer
    "$dorm_program" eval --scores "$scores.serving" --scores "$scores.default" "$work/$name.txt" -m ndcg@10 |
      awk -v OFS='\t' -v name=$name -v trainer=$trainer '
        / \+- .* queries$/ { mean[++n] = sprintf("%.4f", $2) }
        compared { printf "%s\t%s\t%s\t%s\t%+.4f\t%.4f\t%s\t%s\n", name, trainer, mean[2], mean[1], $2, $4, $5, $7 }
        /t-test p/ { compared = 1 }' >> "$work/table"
  done
done
keep table for-serving "NDCG@10 of models for serving and of the defaults" < "$work/table"
