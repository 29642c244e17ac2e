#!/bin/sh
# The structured SVM beside its start, ridge regression, on generated ratings without validation data: NDCG@10 on held-out
# ratings, paired over the users: the default and single values of C. With --quick: one draw of 10 given ratings. See
# README.md.
# minutes: 2
set -eu
. "$(dirname "$0")/../common.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
start_results "the structured SVM beside its start, on generated ratings"
draws='1 2 3 4'
numbers='10 20'
[ "${1:-}" != --quick ] || { draws=1 numbers=10; }

# scores NAME GIVEN SETTING...: trains, and appends the scores of the test data to GIVEN.NAME.
scores() {
  name=$1 number=$2
  shift 2
  "$dorm_program" train --quiet -s training.trainer=svm -s "data.train=$work/rows.train.txt" -s data.normalisation=none \
    -s data.features=1-6 -s solver.ridge=0.02 -s solver.threads=1 -s "output.model=$work/model" "$@" > /dev/null
  "$dorm_program" predict "$work/model" "$work/rows.test.txt" 2> /dev/null >> "$work/$number.$name"
}

for draw in $draws; do
  "$dorm_program" generate ratings --seed "$draw" --num-users 2000 --num-items 300 --ratings 40 -o "$work/ratings" \
    --users "$work/users" --items "$work/items"
  for number in $numbers; do
    "$dorm_program" ratings --quiet -s "ratings.file=$work/ratings" -s "ratings.users=$work/users" \
      -s "ratings.items=$work/items" -s "ratings.split=given:$number" -s "training.seed=$draw" \
      -s "ratings.output=$work/rows" -s solver.threads=1
    sed "s/ qid:/ qid:$draw-/" "$work/rows.test.txt" >> "$work/$number.txt"
    scores ridge "$number" -s ranking.rounds=0
    scores default "$number"
    for C in 1 10 100; do
      scores "C=$C" "$number" -s "solver.C=$C"
    done
  done
done

printf 'given\tmethod\tndcg@10\tless ridge\tless ridge ±\tp\tusers\n' > "$work/table"
for number in $numbers; do
  for name in default C=1 C=10 C=100; do
    "$dorm_program" eval --scores "$work/$number.$name" --scores "$work/$number.ridge" "$work/$number.txt" -m ndcg@10 |
      awk -v OFS='\t' -v number="$number" -v name="$name" '
        / \+- .* queries$/ { mean[++n] = sprintf("%.4f", $2) }
        compared { printf "%s\t%s\t%s\t%+.4f\t%.4f\t%s\t%s\n", number, name, mean[1], $2, $4, $5, $7 }
        /t-test p/ { compared = 1 }' >> "$work/table"
  done
done
keep table rating-start "NDCG@10 on held-out ratings, and less ridge" < "$work/table"
