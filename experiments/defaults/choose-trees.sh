#!/bin/sh
# What was looked at before the defaults of trees were chosen: NDCG@10 on the validation parts of the five published folds
# of MQ2008, of models that were trained on three quarters of the queries of the training part and chosen on the other
# quarter; the test parts are not read. Then of trees, and of their blend with the linear model, by that one split
# and by five folds of the same queries. See README.md.
# needs: mq2008
# runs: full
# runs: alone
set -eu
. "$(dirname "$0")/../common.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
start_results "what was looked at before the defaults of trees were chosen"

for fold in 1 2 3 4 5; do
  mkdir "$work/$fold"
  "$dorm_program" split "$data_folder/mq2008/Fold$fold/train.txt" "$work/$fold/train=75" "$work/$fold/validation=25" --seed $fold \
    > "$work/split.out"
  cat "$data_folder/mq2008/Fold$fold/vali.txt" >> "$work/all.txt"
done

scores() { # NAME SETTING...
  name=$1
  shift
  for setting in "$@"; do
    shift
    set -- "$@" -s "$setting"
  done
  for fold in 1 2 3 4 5; do
    "$dorm_program" train --quiet -s training.trainer=svm -s "data.train=$work/$fold/train" -s "data.validation=$work/$fold/validation" \
      -s solver.threads=1 "$@" -s "output.model=$work/model" > "$work/train.out"
    "$dorm_program" predict "$work/model" "$data_folder/mq2008/Fold$fold/vali.txt" >> "$work/$name"
  done
}

# less NAME OTHER: the mean of NAME, the paired difference, and its standard error
less() {
  "$dorm_program" eval --scores "$work/$1" --scores "$work/$2" "$work/all.txt" -m ndcg@10:empty=0 |
    awk -v OFS='\t' '
      / \+- .* queries$/ && !n++ { mean = $2 }
      compared { printf "%.4f\t%+.4f\t%.4f\n", mean, $2, $4 }
      /t-test p/ { compared = 1 }'
}

scores linear
printf 'trees\tndcg@10\tless linear\tless linear ±\n' > "$work/table"
for objective in ordinal regression classification lambda dorm; do
  for share in 0 0.1 0.3 1; do
    case $objective in
    lambda | dorm) ;;
    *) [ $share = 0.1 ] || continue ;;
    esac
    scores $objective-$share training.trainer=trees trees.objective=$objective trees.regression_share=$share trees.trees=400
    printf '%s\t%s\n' "$objective, regression share $share" "$(less $objective-$share linear)" >> "$work/table"
  done
done
keep table choose-trees "Objectives of trees, validation NDCG@10" < "$work/table"

printf 'in folds\tndcg@10\tless one split\tless one split ±\n' > "$work/table"
for trainer in trees svm,trees; do
  scores "$trainer-split" "training.trainer=$trainer"
  scores "$trainer-folds" "training.trainer=$trainer" selection.folds=5
  printf '%s\t%s\n' "$trainer" "$(less "$trainer-folds" "$trainer-split")" >> "$work/table"
done
keep table choose-trees-folds "In folds and by one split, validation NDCG@10" < "$work/table"
