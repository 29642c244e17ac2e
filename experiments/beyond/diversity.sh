#!/bin/sh
# Diversity on MQ2008 with groups of near-duplicates, and on ambiguous queries: what
# diverse prediction gains, what diverse training adds, the time of each oracle, and
# NDCG@10 against the capacity. Prints four tables. See README.md.
# needs: mq2008 near-duplicates
# minutes: 4
set -eu
. "$(dirname "$0")/../common.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
start_results "what diverse prediction and diverse training gain"
groups=$data_folder/near-duplicates/fingerprint-groups.jsonl
rule=ndcg@10:repeats=irrelevant

# train MODEL TRAIN VALIDATION [ARGUMENT]...
train() {
  model=$1 train=$2 validation=$3
  shift 3
  "$dorm_program" train --quiet -s training.trainer=svm -s "data.train=$train" -s "data.validation=$validation" -s "output.model=$model" \
    -s solver.threads=1 "$@" > /dev/null
}

# Prints of each group the first document in the query, by docid, and all documents
# of no group.
deduplicate() { # DATA
  awk -v groups="$groups" '
    BEGIN { while ((getline line < groups) > 0) {
              n = split(line, part, "\""); line_number++
              for (i = 1; i <= n; i++) if (part[i] ~ /^GX/) group[part[i]] = line_number } }
    { id = ""; for (i = 1; i < NF; i++) if ($i ~ /docid$/) id = $(i + 2)
      if (!(id in group) || !seen[$2, group[id]]++) print }' "$1"
}

# compare COLUMN_A COLUMN_B KEEP: prints mean and standard error of A - B, and the
# number of queries, over the queries in $work/values whose column KEEP is not 0.
compare() {
  awk -F'\t' -v a="$1" -v b="$2" -v keep="$3" '
    NR > 1 && (!keep || $keep + 0 != 0) { d = (a ? $a : 0) - (b ? $b : 0); n++; sum += d; squares += d * d }
    END { mean = sum / n; printf "%.4f\t%.4f\t%d", mean, sqrt((squares / n - mean * mean) / (n - 1)), n }' "$work/values"
}

# table DATA BASE METHOD...: prints one line per method. Of its columns in
# $work/values the first two are query and repeats, followed by NDCG and
# redundancy@10 of each method; differences are from column BASE.
table() {
  data=$1 base=$2
  shift 2
  i=0
  for method in "$@"; do
    i=$((i + 1))
    ndcg=$((2 * i + 1)) redundancy=$((2 * i + 2))
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$data" "$method" \
      "$(compare $ndcg 0 0 | cut -f1)" "$(compare $ndcg $base 0 | awk '{ printf "%+.4f\t%.4f", $1, $2 }')" \
      "$(compare $ndcg 0 2 | cut -f1)" "$(compare $ndcg $base 2 | awk '{ printf "%+.4f\t%.4f", $1, $2 }')" \
      "$(compare $redundancy 0 0 | awk '{ printf "%.3f", $1 }')" "$(compare $ndcg 0 2 | cut -f3)"
  done
}

# values DATA GROUPS SCORES...: writes $work/values: for every query the repeats among
# all of its documents, then NDCG and redundancy@10 by each file of scores.
values() {
  data=$1 spec=$2
  shift 2
  "$dorm_program" eval --scores "$1" "$data" --groups "$spec" -m redundancy@0 --per-query "$work/repeats" > "$work/log"
  for scores in "$@"; do
    "$dorm_program" eval --scores "$scores" "$data" --groups "$spec" -m $rule -m redundancy@10 \
      --per-query "$work/one" > "$work/log"
    cut -f2,3 "$work/one" > "$work/columns"
    paste "$work/repeats" "$work/columns" > "$work/joined"
    mv "$work/joined" "$work/repeats"
  done
  mv "$work/repeats" "$work/values"
}

alone='less prediction alone'
repeats='with repeats'
{
  printf 'data\tmethod\tndcg@10\t%s\t%s ±\t%s\t' "$alone" "$alone" "$repeats"
  printf '%s, %s\t%s, %s ±\tredundancy@10\tqueries with repeats\n' "$repeats" "$alone" "$repeats" "$alone"
} > "$work/table"

# ---- MQ2008 -----------------------------------------------------------------------

for fold in 1 2 3 4 5; do
  data=$data_folder/mq2008/Fold$fold
  cat "$data/test.txt" >> "$work/test"
  deduplicate "$data/train.txt" > "$work/train"
  deduplicate "$data/vali.txt" > "$work/vali"
  train "$work/plain" "$data/train.txt" "$data/vali.txt"
  train "$work/diverse" "$data/train.txt" "$data/vali.txt" -s "diversity.groups=file:$groups"
  train "$work/deduplicated" "$work/train" "$work/vali"
  "$dorm_program" predict "$work/plain" "$data/test.txt" >> "$work/plain.scores"
  for method in plain diverse deduplicated; do
    "$dorm_program" predict "$work/$method" "$data/test.txt" --diverse --groups "file:$groups" \
      >> "$work/$method.diverse"
  done
  for capacity in 1 2 3 4 6 10; do
    "$dorm_program" predict "$work/plain" "$data/test.txt" --diverse --groups "file:$groups" \
      --set "diversity.capacity=$capacity" >> "$work/capacity.$capacity"
  done
done
values "$work/test" "file:$groups" "$work/plain.scores" "$work/plain.diverse" "$work/diverse.diverse" \
  "$work/deduplicated.diverse"
table mq2008 5 plain 'plain, diverse prediction' 'diverse, diverse prediction' \
  'deduplicated, diverse prediction' >> "$work/table"

values "$work/test" "file:$groups" "$work/capacity.1" "$work/capacity.2" "$work/capacity.3" "$work/capacity.4" \
  "$work/capacity.6" "$work/capacity.10"
{
  printf queries
  printf '\t%s\t%s ±' 1 1 2 2 3 3 4 4 6 6 10 10
  for keep in 0 2; do
    [ $keep = 0 ] && printf '\nall queries' || printf '\nqueries with repeats'
    for column in 3 5 7 9 11 13; do
      printf '\t%s' "$(compare $column 0 $keep | cut -f1,2)"
    done
  done
  echo
} > "$work/capacities"

# ---- Ambiguous queries ---------------------------------------------------------------

for part in 1 2 3; do
  queries=60
  [ $part = 3 ] && queries=200
  "$dorm_program" generate ambiguous --part $part --queries $queries -o "$work/part$part" \
    --subtopics "$work/subtopics$part"
done
train "$work/plain" "$work/part1" "$work/part2"
train "$work/diverse" "$work/part1" "$work/part2" -s diversity.groups=host
for part in 1 2; do
  awk '{ host = $NF; sub(/.*:\/\//, "", host); sub(/\/.*/, "", host); if (!seen[$2, host]++) print }' \
    "$work/part$part" > "$work/deduplicated$part"
done
train "$work/deduplicated" "$work/deduplicated1" "$work/deduplicated2"
"$dorm_program" predict "$work/plain" "$work/part3" > "$work/plain.scores"
for method in plain diverse deduplicated; do
  "$dorm_program" predict "$work/$method" "$work/part3" --diverse --groups host > "$work/$method.diverse"
done
values "$work/part3" host "$work/plain.scores" "$work/plain.diverse" "$work/diverse.diverse" \
  "$work/deduplicated.diverse"
table ambiguous 5 plain 'plain, diverse prediction' 'diverse, diverse prediction' \
  'deduplicated, diverse prediction' >> "$work/table"

printf 'data\tmethod\talpha-ndcg@10\terr-ia@10\tsubtopic recall@10\n' > "$work/subtopic-table"
for method in plain.scores plain.diverse diverse.diverse deduplicated.diverse; do
  printf 'ambiguous\t%s' "$(echo $method | sed 's/\.scores$//; s/\.diverse$/, diverse prediction/')"
  for measure in alpha_ndcg@10 err_ia@10 subtopic_recall@10; do
    printf '\t%.4f' "$("$dorm_program" eval --scores "$work/$method" "$work/part3" -m $measure \
      --subtopics "$work/subtopics3" | awk '{ print $2 }')"
  done
  echo
done >> "$work/subtopic-table"

# ---- Oracles ---------------------------------------------------------------------------

printf 'position weights\toracle\tpasses\tprimal\tseconds\tin oracles\n' > "$work/oracles"
printf '%s\n' 1 0.7 0.5 0.4 0.35 0.3 0.28 0.26 0.25 0.24 > "$work/weights"
data=$data_folder/mq2008/Fold1
for weights in loss "file:$work/weights"; do
  for oracle in shortcut lp mip; do
    "$dorm_program" train --quiet -s training.trainer=svm -s "data.train=$data/train.txt" -s "output.model=$work/model" -s solver.threads=1 \
      -s "diversity.groups=file:$groups" -s "solver.oracle=$oracle" -s "ranking.position_weights=$weights" \
      -s solver.C=10 -s ranking.reference=mu:0.3 -s ranking.rounds=1 --log "$work/log" > /dev/null
    grep '"candidate"' "$work/log" | tail -n 1 | tr ',{}' '\n\n\n' | tr -d '"' | awk -F: -v OFS='\t' \
      -v weights="$(basename "$weights" | sed 's/weights/a list/')" -v oracle="$oracle" '
      { value[$1] = $2 }
      END { printf "%s\t%s\t%d\t%.6f\t%.3f\t%.3f\n", weights, oracle, value["iterations"], value["primal"],
                   value["solve_seconds"], value["oracle_seconds"] }'
  done
done >> "$work/oracles"

# ---- What is printed ---------------------------------------------------------------------

keep table diversity "NDCG@10 with relevance counted once per group" < "$work/table"
keep table diversity-subtopics "Measures of subtopics" < "$work/subtopic-table"
keep table diversity-oracles "One convex problem by oracle" --varying seconds --varying 'in oracles' < "$work/oracles"
keep figure diversity-capacity "NDCG@10 by capacity" --x "documents of a group in front" \
  --y "NDCG@10, repeats irrelevant" < "$work/capacities"
