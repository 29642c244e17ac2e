#!/bin/sh
# Boosted trees under dorm's objectives beside the linear model, their blend, and XGBoost's own rank:ndcg: NDCG@10 on the
# test parts of the five published folds of MQ2008 and on artificial data without noise, with differences that are
# paired over the test queries. With --quick: the first fold alone. See README.md.
# needs: mq2008
# runs: full
# minutes: 6
set -eu
. "$(dirname "$0")/../common.sh"
prepare_python
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
folds='1 2 3 4 5'
[ "${1:-}" != --quick ] || folds=1
methods='linear blend dorm dorm-without-regression lambda lambda-without-regression ordinal classification regression'
in_folds='linear-in-folds blend-in-folds dorm-in-folds'
if "$python" -c 'import xgboost' 2> /dev/null; then
  methods="$methods xgboost $in_folds xgboost-in-folds"
else
  methods="$methods $in_folds"
  echo "trees: XGBoost's rank:ndcg is left out: $python has no module xgboost (apt-get install python3-xgboost)" >&2
fi
start_results "boosted trees, linear models, their blend, and XGBoost's rank:ndcg"

# score METHOD TRAIN VALIDATION TEST: trains and prints the scores of the test documents. Methods "in folds" train on
# training and validation data together, and cross-validate.
score() {
  method=${1%-in-folds} train=$2 validation=$3 test=$4
  folds_of_method=0
  if [ "$method" != "$1" ]; then
    "$python" -c 'import sys, letor; letor.join(sys.argv[2:], sys.argv[1])' "$work/joined" "$train" "$validation"
    train=$work/joined validation=- folds_of_method=5
  fi
  case $method in
  xgboost)
    "$python" "$project/experiments/lib/xgboost_ranker.py" "$train" "$validation" "$test" "$work/scores"
    cat "$work/scores"
    return
    ;;
  linear) set -- training.trainer=svm ;;
  blend) set -- training.trainer=svm,trees ;;
  *-without-regression) set -- training.trainer=trees "trees.objective=${method%-without-regression}" trees.regression_share=0 ;;
  *) set -- training.trainer=trees "trees.objective=$method" ;;
  esac
  for setting in "$@"; do
    shift
    set -- "$@" -s "$setting"
  done
  "$dorm_program" train --quiet -s training.trainer=svm -s "data.train=$train" -s "data.validation=${validation#-}" -s solver.threads=1 "$@" \
    -s selection.folds=$folds_of_method -s "output.model=$work/model" > /dev/null
  "$dorm_program" predict "$work/model" "$test"
}

# Everything that depends on one collection: its scores by every method, pooled over the folds.
for fold in $folds; do
  data=$data_folder/mq2008/Fold$fold
  cat "$data/test.txt" >> "$work/mq2008.txt"
  for method in $methods; do
    score "$method" "$data/train.txt" "$data/vali.txt" "$data/test.txt" >> "$work/mq2008.$method"
  done
done
for part in 1 2 3; do
  queries=200
  [ $part != 2 ] || queries=100
  "$dorm_program" generate artificial --seed 2 --queries $queries --part $part -o "$work/part$part"
done
cp "$work/part3" "$work/artificial.txt"
for method in $methods; do
  score "$method" "$work/part1" "$work/part2" "$work/part3" > "$work/artificial.$method"
done

# difference DATA METHOD OTHER: "mean of METHOD, difference, its standard error, p".
difference() {
  "$dorm_program" eval --scores "$work/$1.$2" --scores "$work/$1.$3" "$work/$1.txt" -m ndcg@10:empty=0 |
    awk -v OFS='\t' '
      / \+- .* queries$/ { mean[++n] = sprintf("%.4f", $2) }
      compared { printf "%s\t%+.4f\t%.4f\t%s\n", mean[1], $2, $4, $5 }
      /t-test p/ { compared = 1 }'
}

printf 'data\tmethod\tndcg@10\tless linear\tless linear ±\tless xgboost\tless xgboost ±\n' > "$work/result"
for data in mq2008 artificial; do
  for method in $methods; do
    way=
    [ "${method%-in-folds}" = "$method" ] || way=-in-folds
    row=$(difference $data "$method" linear$way | cut -f 1-3)
    case $methods in
    *xgboost*) other=$(difference $data "$method" xgboost$way | cut -f 2-3) ;;
    *) other=$(printf '\t') ;;
    esac
    printf '%s\t%s\t%s\t%s\n' $data "$method" "$row" "$other" >> "$work/result"
  done
done
keep table trees "Test NDCG@10 of trees, linear models and their blend" < "$work/result"
