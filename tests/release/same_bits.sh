#!/bin/sh
# same_bits.sh OLD NEW: trains with two builds of the command, each on one thread, and compares models, scores and
# tables to the last bit. It is for changes that should not change what is computed.
#
# It needs MQ2008 and MovieLens 100K in the data folder (DORM_DATA, or ../shared/data beside the sources). Models are
# compared without their settings, checksum and version; tables without seconds. Lines of text may be worded anew, so
# files that differ are named, and the differences of tables are shown.
set -u
data=${DORM_DATA:-$(cd "$(dirname "$0")/../../.." && pwd)/shared/data}
[ -d "$data/mq2008" ] && [ -f "$data/movielens-100k/u.data" ] || {
  echo "same_bits.sh: $data lacks mq2008 or movielens-100k (DORM_DATA names the folder)" >&2
  exit 2
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OPENBLAS_NUM_THREADS=1

train() { # NAME SETTING...: trains on MQ2008, writes the model, the table and scores of the test part
  name=$1
  shift
  for setting in "$@"; do
    shift
    set -- "$@" -s "$setting"
  done
  "$dorm" train -q -s training.trainer=svm -s solver.threads=1 -s data.train="$fold/train.txt" -s output.model="$name.dorm" \
    -s output.candidates=- "$@" | cut -f 1-20,22- > "$name.table"
  "$dorm" predict "$name.dorm" "$fold/test.txt" -o "$name.scores"
}

all_trainings() {
  for number in 1 2 3 4 5; do
    fold=$data/mq2008/Fold$number
    train "defaults-$number" data.validation="$fold/vali.txt"
  done
  fold=$data/mq2008/Fold1
  validation=data.validation=$fold/vali.txt
  train kernel "$validation" "kernel.kernel=linear + rbf" kernel.rank=50 "solver.C=1, 10"
  train kernels "$validation" "kernel.kernel=rbf:scale=0.3|1" kernel.rank=50 solver.C=10
  train folds selection.folds=3
  train no-validation
  train retrain "$validation" selection.retrain=yes "solver.C=3, 30"
  train references "$validation" "ranking.position_weights=power:0.5, log" ranking.rounds=2 "solver.C=1, 10" \
    "ranking.reference=listed, averaged, ideal, current, mu:0.5"
  train truncations "$validation" "loss.truncation=3, 10, 0" solver.C=3
  train gains "$validation" solver.start=gains solver.C=3 "solver.ridge=0.1, 1"
  train zero "$validation" solver.start=zero solver.C=3
  train bounds "$validation" training.increasing=1-20 solver.C=3
  train global "$validation" data.normalisation=global-zscore solver.C=3
  train sparse "$validation" data.normalisation=none data.storage=sparse solver.C=3
  for loss in wta mwta mrr dcg precision eru rsvm rsvm_ir roc_area map precision_set; do
    train "loss-$loss" "$validation" loss.name=$loss "solver.C=1, 10"
  done
  train diversity "$validation" "diversity.groups=file:$data/near-duplicates/fingerprint-groups.jsonl" "solver.C=3, 10"
  "$dorm" predict --diverse diversity.dorm "$fold/test.txt" -o diverse.scores
  awk -F '\t' '$1 <= 200' "$data/movielens-100k/u.data" > ratings.data
  "$dorm" factorize -q -s ratings.file=ratings.data -s ratings.split=given:20 -s solver.threads=1 \
    -s output.model=factors.dorm > factors.table
}

for side in old new; do
  dorm=$1
  shift
  mkdir "$work/$side"
  (cd "$work/$side" && all_trainings) 2> "$work/$side.errors" || cat "$work/$side.errors" >&2
  for file in "$work/$side"/*.dorm; do
    grep -v -e '^setting ' -e '^remark ' -e '^missing ' -e '^checksum ' -e '^set ' -e '^# ' "$file" > "$file.model"
    rm "$file"
  done
  sed -E -i 's/[0-9.]+ s(econds)?//g' "$work/$side"/*.table
  awk 'NF != 10 { print; next } { $5 = $6 = ""; print }' "$work/$side/factors.table" > "$work/$side/factors.table.no-seconds"
  rm "$work/$side/factors.table" "$work/$side/ratings.data"
done
different=0
for file in "$work/old"/*; do
  name=$(basename "$file")
  cmp -s "$file" "$work/new/$name" && continue
  different=$((different + 1))
  echo "$name differs"
  case $name in *.table*) diff "$file" "$work/new/$name" | head -n 10 ;; esac
done
echo "$(find "$work/old" -type f | wc -l) files, $different differ"
