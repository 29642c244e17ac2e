#!/bin/sh
# Trains with and without weights of queries where weights should help: types of queries that are rarer in training than
# in use, and queries whose labels are known to be noisy. Prints NDCG@10 with paired differences. With --quick: the
# generated data alone. See README.md.
# needs: mq2008
# minutes: 1
set -eu
. "$(dirname "$0")/../common.sh"
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
start_results "weights of queries: rare types, noisy labels"

# train TRAIN VALIDATION MODEL SETTING...
train() {
  part=$1
  chosen_by=$2
  model=$3
  shift 3
  "$dorm_program" train --quiet -s training.trainer=svm "$part" "$chosen_by" -s solver.threads=1 -s solver.C=1,10,100 -s ranking.rounds=2 -s data.rank_block=0 "$@" \
    -s "output.model=$model" > /dev/null
}
# row NAME DATA SCORES BASE: a line of the table, by the scores of a method and of the one it is compared with.
row() {
  "$dorm_program" eval --scores "$3" --scores "$4" "$2" -m ndcg@10 --ignore-weights > "$work/out"
  awk -v name="$1" -v same="$([ "$3" = "$4" ] && echo 1 || echo 0)" -v OFS='\t' '
    /^ndcg@10/ { n++; value[n] = $2; error[n] = $4; for (i = 1; i <= NF; i++) if ($i == "p" && !p) { p = $(i + 2); sub(/,/, "", p) } }
    END { if (same == 1) print name, value[1], error[1], "", "", ""; else print name, value[1], error[1], value[n], error[n], p }' \
    "$work/out"
}
header='training\tndcg@10\tndcg@10 ±\tmore than unweighted\tmore than unweighted ±\tp\n'

# ---- Types of queries ----

"$python" "$here/make_weights.py" types "$work"
train "$work/train.txt" "$work/validation.txt" "$work/plain" -s data.weights=no
train "$work/train.txt" "$work/validation.txt" "$work/weighted"
for model in plain weighted; do
  "$dorm_program" predict "$work/$model" "$work/test.txt" > "$work/$model.scores"
done
types() { # PART PATTERN
  grep " qid:$2" "$work/test.txt" > "$work/part.txt"
  for model in plain weighted; do
    awk -v pattern="^qid:$2" 'NR == FNR { keep[NR] = $2 ~ pattern; next } keep[FNR]' "$work/test.txt" "$work/$model.scores" > "$work/$model.part"
  done
  row "unweighted, $1" "$work/part.txt" "$work/plain.part" "$work/plain.part"
  row "weighted, $1" "$work/part.txt" "$work/weighted.part" "$work/plain.part"
}
{
  # shellcheck disable=SC2059
  printf "$header"
  types 'all test queries' '[AB]'
  types 'type A (a tenth of training)' A
  types 'type B' B
} > "$work/table"
keep table weights-types "Types of queries, generated data" < "$work/table"
[ "${1:-}" != --quick ] || exit 0

# ---- Noisy labels ----

methods='plain 0.5 0.2 0 clean'
for fold in 1 2 3 4 5; do
  data=$data_folder/mq2008/Fold$fold
  cat "$data/test.txt" >> "$work/all.txt"
  for method in $methods; do
    case $method in
      plain | clean) weight=1 ;;
      *) weight=$method ;;
    esac
    rm -f "$work"/noisy*
    "$python" "$here/make_weights.py" noise "$data/train.txt" "$work/noisy.txt" 0.5 $weight $fold
    file=$work/noisy.txt
    [ $method != clean ] || file=$data/train.txt
    train "$file" "$data/vali.txt" "$work/model"
    "$dorm_program" predict "$work/model" "$data/test.txt" >> "$work/scores.$method"
  done
done
{
  # shellcheck disable=SC2059
  printf "$header"
  row 'half of the queries noisy, unweighted' "$work/all.txt" "$work/scores.plain" "$work/scores.plain"
  for weight in 0.5 0.2 0; do
    row "noisy queries of weight $weight" "$work/all.txt" "$work/scores.$weight" "$work/scores.plain"
  done
  row 'labels without noise' "$work/all.txt" "$work/scores.clean" "$work/scores.plain"
} > "$work/table"
keep table weights-noise "Noisy labels, MQ2008" < "$work/table"
