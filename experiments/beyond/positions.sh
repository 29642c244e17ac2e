#!/bin/sh
# Scoring functions of the first positions (ranking.position_functions; the paper, section 3.4): documents of which the
# first should be a government site, and NDCG@10 on MQ2008. With --quick: less of both. See README.md.
# needs: mq2008
# minutes: 2
set -eu
. "$(dirname "$0")/../common.sh"
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
start_results "a function for the first position, government sites and MQ2008"
functions='1 2 3'
all_folds='1 2 3 4 5'
if [ "${1:-}" = --quick ]; then
  functions='1 2'
  all_folds=1
fi
export OMP_NUM_THREADS=1

# train NAME SETTING...: trains in the work folder and leaves the model NAME.
train() {
  name=$1
  shift
  "$dorm_program" train --quiet -s training.trainer=svm -s solver.threads=1 -s ranking.position_weights=power:0.5 -s "output.model=$name" "$@" > train.out
}
cd "$work"

# ---- The first position should hold a government site.
"$python" "$here/make_positions.py" data .
measure=minus_loss\(cost:file=costs.txt\)
for k in $functions; do
  train sites.$k train.txt validation.txt -s loss.name=cost:file=costs.txt -s ranking.position_functions="$k"
  "$dorm_program" predict sites.$k test.txt > scores.$k
done
train relevance relevance-train.txt relevance-validation.txt -s loss.name=ndcg@0
"$dorm_program" predict relevance relevance-test.txt > scores.relevance
"$python" "$here/make_positions.py" rule scores.relevance test.txt > scores.rule
"$python" "$here/make_positions.py" ideal test.txt > scores.ideal
printf 'method\tminus the cost\tminus the cost ±\tmore than one function\tmore than one function ±\tfirst is a site %%\n' > table
row() { # NAME SCORES
  "$dorm_program" eval --scores "scores.1" test.txt -m "$measure" -p one > /dev/null
  "$dorm_program" eval --scores "scores.$2" test.txt -m "$measure" -p two > /dev/null
  awk 'NR > 1 { print $NF }' one > one.values
  awk 'NR > 1 { print $NF }' two > two.values
  share=$("$python" "$here/make_positions.py" first "scores.$2" test.txt)
  "$python" "$here/make_positions.py" folds one.values two.values |
    awk -v name="$1" -v share="$share" -v is_base="$([ "$2" = 1 ] && echo 1 || echo 0)" -F '\t' -v OFS='\t' '
      NR == 1 + !is_base { print name, $1, $2, is_base ? "" : $3, is_base ? "" : $4, share }' >> table
}
row 'one function' 1
for k in $functions; do
  [ "$k" = 1 ] || row "$k functions" "$k"
done
row 'relevance, then the best-scored site first' rule
row 'the best possible' ideal
# after the last rows one.values and two.values are those of other rankings; the rule is compared with the most functions
for one in "$k" rule; do
  "$dorm_program" eval --scores "scores.$one" test.txt -m "$measure" -p values > /dev/null
  awk 'NR > 1 { print $NF }' values > "$one.values"
done
note=$("$python" "$here/make_positions.py" folds "$k.values" rule.values | awk -v k="$k" -F '\t' '
  NR == 2 { printf "the rule (relevance, then a site first) less %d functions: %s ± %s", k, $3, $4 }')
keep table positions-sites "The first position should hold a government site: 1,000 test queries" --note "$note" < table

# ---- MQ2008, the official folds.
for fold in $all_folds; do
  data=$data_folder/mq2008/Fold$fold
  for k in $functions; do
    train mq.$fold.$k "$data/train.txt" "$data/vali.txt" -s loss.name=ndcg@10 -s ranking.position_functions="$k"
    "$dorm_program" eval mq.$fold.$k "$data/test.txt" -m ndcg@10 -p values > /dev/null
    awk 'NR > 1 { print $NF }' values >> mq.$k.values
  done
done
set --
for k in $functions; do
  set -- "$@" mq.$k.values
done
{
  printf 'functions\tNDCG@10\tNDCG@10 ±\tmore than one\tmore than one ±\n'
  "$python" "$here/make_positions.py" folds "$@" | awk -v OFS='\t' -v names="$functions" '
    BEGIN { split(names, name, " ") } { print name[NR], $0 }'
} > table
keep table positions-mq2008 "NDCG@10 on the test parts of the five folds of MQ2008" < table

# ---- What it costs.
printf 'documents\tfunctions\tseconds of training\tseconds of ranking\n' > table
spent() {
  "$python" "$here/make_positions.py" spent "$@"
}
for docs in 50 200 800; do
  "$dorm_program" generate artificial -o data --queries 100 -d $docs -f 46
  for k in 1 2 4 50; do
    training=$(spent "$dorm_program" train --quiet -s training.trainer=svm data -s loss.name=ndcg@10 -s ranking.position_weights=power:0.5 -s solver.threads=1 \
      -s data.rank_block=0 -s solver.C=10 -s ranking.rounds=1 -s ranking.position_functions=$k -s output.model=model)
    printf '%s\t%s\t%s\t%s\n' $docs $k "$training" "$(spent "$dorm_program" predict model data)" >> table
  done
  [ "$functions" = '1 2 3' ] || break
done
keep table positions-cost "Seconds of the processor: 100 queries, one convex problem" --varying "seconds of training" \
  --varying "seconds of ranking" < table
