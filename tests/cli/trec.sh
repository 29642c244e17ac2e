#!/bin/sh
# trec.sh: dorm eval on TREC runs and qrels, by trec_eval's names, equals what trec_eval itself printed, in every query and
# in the mean, to its four decimals: with ties, documents without judgements or judged but not found, negative labels,
# queries that the run lacks, that nobody judged or that have no relevant document. tests/cli/trec/README.md says how the
# outputs were made. Runs and qrels that dorm writes are read back too.
. "${srcdir:-.}/tests/cli/lib.sh"

stored=$srcdir/tests/cli/trec
qrels=$stored/qrels.txt
run=$stored/run.txt

# alike OUTPUT RUN LINES [--threshold LABEL] [OPTION]: the measures of a stored output, one value per query and measure that
# trec_eval printed, LINES in all; its num_q is the number of queries. With --threshold, measures that ask which documents
# are relevant get this label.
alike() {
  output=$stored/$1
  suffix=
  lines=$3
  what=$1
  own_run=$2
  shift 3
  if [ "${1:-}" = --threshold ]; then
    suffix=:threshold=$2
    shift 2
  fi
  measures=$(awk -v "suffix=$suffix" '$2 == "all" && $1 != "num_q" {
      printf " -m %s%s", $1, $1 ~ /^(num_ret$|ndcg)/ ? "" : suffix }' "$output")
  # shellcheck disable=SC2086
  expect 0 "$what" "$dorm" eval --qrels "$qrels" --run "$own_run" $measures "$@" --per-query queries.tsv --json means
  awk -F '\t' 'NR == 1 { for (i = 2; i <= NF; i++) { sub(/:.*/, "", $i); name[i] = $i } next }
               { for (i = 2; i <= NF; i++) print name[i], $1, $i }' queries.tsv > got
  sed 's/.*"measure":"\([^":]*\)[":].*"mean":\([-0-9.e+]*\).*"queries":\([0-9]*\),.*/\1 all \2 \3/' means >> got
  awk 'NR == FNR { value[$1 " " $2] = $3; if ($2 == "all") queries = $4; next }
       $1 == "num_q" { value[$1 " " $2] = queries }
       { d = value[$1 " " $2] - $3
         if (!(($1 " " $2) in value) || !(d <= 5.0001e-5 && d >= -5.0001e-5)) { print $1, $2, $3, value[$1 " " $2]; bad = 1 }
         n++ }
       END { exit bad || n != '"$lines"' }' got "$output" > differences
  result $? "$what: trec_eval's $lines values, to four decimals ($(head -3 differences | tr '\n' ';'))"
}

# ---- trec_eval's own values

alike all.out "$run" 978
alike parameters.out "$run" 288
alike complete.out "$run" 1100 --all-queries
alike level2.out "$run" 978 --threshold 2
# Queries that the run lacks count 0, and trec_eval does not print them.
expect 0 "all queries" "$dorm" eval --qrels "$qrels" --run "$run" --all-queries -m map -m num_rel --per-query -
[ "$(awk '$1 == 7 || $1 == 17 { n += $2 == 0 && $3 > 0 } END { print n }' out)" = 2 ]
result $? "queries that the run lacks count 0 with --all-queries"
# Two runs are compared over all queries, though one of them lacks three of the 17.
awk '$1 != 10' "$run" > lacking.txt
expect 0 "two runs" "$dorm" eval --qrels "$qrels" --run "$run" --run lacking.txt -m map
[ "$(grep -cE '^map .* 17( queries)?$' out)" = 3 ]
result $? "both runs and their difference have all 17 queries"
# trec_eval -J throws out what nobody judged, and -M 20 all but the first 20 documents: so do these runs.
awk 'NR == FNR { if ($4 >= 0) judged[$1 " " $3] = 1; next } $1 != 10 && ($1 " " $3) in judged' "$qrels" "$run" > judged.txt
alike judged.out judged.txt 917
LC_ALL=C sort -k 1,1 -k 5,5gr -k 3,3r "$run" | awk '{ n[$1]++ } n[$1] <= 20' > first20.txt
alike first20.out first20.txt 978

# The conventions matter here: each of them changes a value.
for one in "ndcg@10 ndcg@10:gain=exp2" "ndcg_cut_10 ndcg@10:gain=linear,ties=order" "map map:ties=order"; do
  # shellcheck disable=SC2086
  set -- $one
  expect 0 "conventions" "$dorm" eval --qrels "$qrels" --run "$run" -m "$1" -m "$2"
  [ "$(awk '{ print $2 }' out | sort -u | wc -l)" = 2 ]
  result $? "$1 is not $2 here"
done
expect 0 "trec_eval's other spelling" "$dorm" eval --qrels "$qrels" --run "$run" -m ndcg_cut.10 -m ndcg_cut_10 -m ndcg@10 \
  -m ndcg@10:ties=docid,gain=linear
[ "$(sed 's/^[^ ]* *//' out | sort -u | wc -l)" = 1 ]
result $? "ndcg_cut.10, ndcg_cut_10 and ndcg@10 are one measure of a run"
# Unjudged documents count for bpref otherwise than irrelevant ones.
awk 'NR == FNR { judged[$1 " " $3] = 1; queries[$1] = 1; print; next }
     $1 in queries && !(($1 " " $3) in judged) { print $1, 0, $3, 0 }' "$qrels" "$run" > judged.txt
expect 0 "judged now" "$dorm" eval --qrels judged.txt --run "$run" -m bpref -m map
cp out judged
expect 0 "not judged" "$dorm" eval --qrels "$qrels" --run "$run" -m bpref -m map
[ "$(awk '{ print $2 }' out | sed -n 2p)" = "$(awk '{ print $2 }' judged | sed -n 2p)" ] &&
  [ "$(awk '{ print $2 }' out | sed -n 1p)" != "$(awk '{ print $2 }' judged | sed -n 1p)" ]
result $? "judgements of no relevance change bpref and not map"

# ---- Data of dorm

# read_back WHAT DATA SCORES: written as a run and qrels, and read again.
read_back() {
  set -- "$1" "$2" "$3" -m map:ties=docid -m recip_rank -m P_10 -m ndcg_cut_10 -m bpref:ties=docid -m success_5 \
    -m iprec_at_recall_0.10 -m Rprec:ties=docid -m rbp:p=0.9,ties=docid -m set_F -m num_rel_ret
  what=$1 data=$2 scores=$3
  shift 3
  expect 0 "$what: write a run and qrels" "$dorm" eval --scores "$scores" "$data" --write-run run --write-qrels qrels \
    --json direct "$@"
  expect 0 "$what: read them back" "$dorm" eval --qrels qrels --run run --json again "$@"
  for json in direct again; do sed 's/.*\("measure":"[^"]*"\).*\("mean":[^,]*\).*/\1 \2/' $json > $json.means; done
  [ -s direct.means ] && cmp -s direct.means again.means
  result $? "$what: the same values from the files as from the data"
}

# Queries of different lengths whose documents have no ids; some queries have no
# relevant document, and most scores are equal to others.
"$dorm" generate artificial -o data.txt --queries 60 -d 25 > /dev/null
awk '{ label = ($2 ~ /[37]$/) ? 0 : ($1 > 2 ? $1 - 2 : 0); if (NR % 5) { $1 = label; print } }' data.txt > uneven.txt
awk '{ print int((NR * 7919) % 13) / 7 }' uneven.txt > tied.txt
read_back "tied scores" uneven.txt tied.txt
# The same data with ids whose order is not that of the lines, and with scores
# that differ by less than one unit in single precision.
awk '{ print $0 " #docid = doc-" (NR * 37) % 1000 "-" NR }' uneven.txt > named.txt
awk '{ printf "%.15f\n", 0.3 + ((NR * 7919) % 41) * 1e-10 }' uneven.txt > crowded.txt
read_back "crowded scores" named.txt crowded.txt

# MQ2008, if the data are there.
data=${DORM_DATA:-$srcdir/../shared/data}/mq2008/Fold1
if [ -f "$data/test.txt" ]; then
  "$dorm" train -q -s "data.train=$data/train.txt" -s solver.C=10 -s output.model=model.dorm > /dev/null
  "$dorm" predict model.dorm "$data/test.txt" > scores.txt
  read_back "MQ2008" "$data/test.txt" scores.txt
fi

finish
