#!/bin/sh
# McRank (Li, Burges and Wu 2007): Table 1, Figure 1 and Figure 3 on artificial data as the paper's and on MQ2008, with
# trees under dorm's other objectives, a linear model and XGBoost's rank:ndcg beside them. With --whole: the paper's
# 10,000, 5,000 and 10,000 queries of artificial data, which take some hours. With --quick: 100 queries and 50 rounds.
# See README.md.
# needs: mq2008
# runs: alone
# minutes: 15
set -eu
. "$(dirname "$0")/../../common.sh"
prepare_python
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
queries=2000 rounds=1000 folds='1 2 3 4 5' bin_rounds=100 exponents='3 4 5 6 7' most=8
case ${1:-} in
--whole) queries=10000 ;;
--quick) queries=100 rounds=50 folds=1 bin_rounds=20 exponents='3' ;;
esac
start_results "McRank: trees by ordinal classification, classification and regression, and what is beside them"
mcrank='ordinal classification regression'
others='lambda lambdarank dorm linear blend'
xgboost=
if "$python" -c 'import xgboost' 2> /dev/null; then
  xgboost=xgboost
else
  echo "mcrank: XGBoost's rank:ndcg is left out: $python has no module xgboost (apt-get install python3-xgboost)" >&2
fi

# train METHOD TRAIN VALIDATION MODEL [SETTING...]: trees as in the paper's section 6.2: M rounds, none left out, J = 10
# leaves, shrinkage 0.05, all documents and all features, and features as they are given. There are 2^8 bins where the
# paper's main results have 2^16, which it found no better, and which take 256 times the memory and time for histograms.
# The linear model is dorm's default, `lambdarank` is the mean of nets of 10 hidden units, and `blend` is of linear models
# and trees under dorm's gradient, whose rounds the validation data choose.
train() {
  method=$1 train=$2 validation=$3 model=$4
  shift 4
  case $method in
  linear) set -- "data.validation=$validation" "$@" ;;
  lambdarank)
    set -- training.trainer=net net.hidden=10 net.start=random "data.validation=$validation" data.rank_block=0 "$@"
    ;;
  *)
    case $method in
    blend) set -- training.trainer=svm,trees trees.objective=dorm "data.validation=$validation" "$@" ;;
    *) set -- training.trainer=trees "trees.objective=$method" "$@" ;;
    esac
    set -- selection.folds=0 trees.trees=$rounds training.patience=0 trees.leaves=10 \
      trees.learning_rate=0.05 trees.row_share=1 trees.feature_share=1 trees.min_docs_in_leaf=10 \
      data.rank_block=0 "$@"
    ;;
  esac
  for setting in "$@"; do
    shift
    set -- "$@" -s "$setting"
  done
  "$dorm_program" train --quiet -s training.trainer=svm -s "data.train=$train" -s solver.threads=1 "$@" -s "output.model=$model" > /dev/null
}

# ---- The scores of every method on the test documents

for part in 1 2 3; do
  count=$queries
  [ $part != 2 ] || count=$((queries / 2))
  "$dorm_program" generate artificial --queries $count -d 50 -f 50 --part $part -o "$work/part$part"
done
ln -s part3 "$work/artificial.txt"
for method in $mcrank $others; do
  train "$method" "$work/part1" "$work/part2" "$work/model.$method"
  "$dorm_program" predict "$work/model.$method" "$work/part3" > "$work/artificial.$method"
done
[ ! "$xgboost" ] || "$python" "$project/experiments/lib/xgboost_ranker.py" "$work/part1" "$work/part2" "$work/part3" "$work/artificial.xgboost" $rounds
for fold in $folds; do
  data=$data_folder/mq2008/Fold$fold
  cat "$data/test.txt" >> "$work/mq2008.txt"
  for method in $mcrank $others; do
    train "$method" "$data/train.txt" "$data/vali.txt" "$work/model"
    "$dorm_program" predict "$work/model" "$data/test.txt" >> "$work/mq2008.$method"
  done
  if [ "$xgboost" ]; then
    "$python" "$project/experiments/lib/xgboost_ranker.py" "$data/train.txt" "$data/vali.txt" "$data/test.txt" "$work/scores" $rounds
    cat "$work/scores" >> "$work/mq2008.xgboost"
  fi
done

# ---- Table 1: mean and deviation in percent, and the one-sided p-value of `ordinal` being no better, paired over queries

printf 'data\tmethod\tNDCG@10 %%\tdeviation\tp, ordinal no better\tless ordinal %%\tless ordinal %% ±\tthe paper\n' > "$work/table"
printed_by_the_paper() { # DATA METHOD
  case $1-$2 in
  artificial-ordinal) echo 85.0 ;;
  artificial-classification) echo 83.7 ;;
  artificial-regression) echo 82.9 ;;
  artificial-lambdarank) echo 74.9 ;;
  esac
}
for data in artificial mq2008; do
  for method in $mcrank $others $xgboost; do
    "$dorm_program" eval --scores "$work/$data.$method" --scores "$work/$data.ordinal" "$work/$data.txt" -m ndcg@10:empty=0 |
      awk -v OFS='\t' -v data=$data -v method="$method" -v paper="$(printed_by_the_paper $data "$method")" '
        / \+- .* queries$/ && !n++ { mean = $2; deviation = $4 * sqrt($5) }
        compared { difference = $2; error = $4; p = difference <= 0 ? $5 / 2 : 1 - $5 / 2 }
        /t-test p/ { compared = 1 }
        END { if (method == "ordinal") printf "%s\t%s\t%.1f\t%.1f\t\t\t\t%s\n", data, method, 100 * mean, 100 * deviation, paper
              else printf "%s\t%s\t%.1f\t%.1f\t%.2g\t%+.2f\t%.2f\t%s\n", data, method, 100 * mean, 100 * deviation, p, 100 * difference, 100 * error, paper }' >> "$work/table"
  done
done
keep table mcrank-table1 "Table 1 of McRank" --holm "p, ordinal no better" < "$work/table"

# ---- Figure 1: NDCG at 1 to 10

for data in artificial mq2008; do
  { printf 'method\t1\t2\t3\t4\t5\t6\t7\t8\t9\t10\n'
    for method in $mcrank $others $xgboost; do
      printf '%s' "$method"
      for top in 1 2 3 4 5 6 7 8 9 10; do
        printf '\t%.4f' "$("$dorm_program" eval --scores "$work/$data.$method" "$work/$data.txt" -m "ndcg@$top:empty=0" | awk '{ print $2; exit }')"
      done
      echo
    done
  } > "$work/figure"
  keep figure "mcrank-figure1-$data" "Figure 1 of McRank: test NDCG@k, $data" --x "truncation k" --y NDCG < "$work/figure"
done

# ---- Figure 3 (a), (b): the largest number of bins

binned() { # EXPONENT SCORES
  train ordinal "$work/part1" "$work/part2" "$work/model" trees.trees=$bin_rounds trees.bins=$((1 << $1))
  "$dorm_program" predict "$work/model" "$work/part3" > "$2"
}
binned $most "$work/most-bins"
{ printf 'bins\tless 2^%s\tless 2^%s ±\n' $most $most
  for exponent in $exponents; do
    binned "$exponent" "$work/binned"
    "$dorm_program" eval --scores "$work/binned" --scores "$work/most-bins" "$work/artificial.txt" -m ndcg@10:empty=0 |
      awk -v exponent="$exponent" 'compared { printf "2^%d\t%+.4f\t%.4f\n", exponent, $2, $4 } /t-test p/ { compared = 1 }'
  done
} > "$work/bins"
keep table mcrank-bins "Figure 3 (b) of McRank: test NDCG@10 of $bin_rounds rounds of ordinal with fewer bins, artificial data" < "$work/bins"

# ---- Lemma 1

"$python" "$(dirname "$0")/lemma.py" > "$work/lemma"
keep table mcrank-lemma1 "Lemma 1 of McRank: DCG lost by wrong classes as a share of its bound" < "$work/lemma"
