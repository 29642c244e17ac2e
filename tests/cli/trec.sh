#!/bin/sh
# trec.sh: dorm eval on TREC runs and qrels, by trec_eval's names, equals evaluator.py, which computes trec_eval's
# measures from their definitions, in every query and in the mean: with ties, documents without judgements or judged but
# not found, negative labels, queries that the run lacks or that have no relevant document. Runs and qrels that dorm
# writes are read back too.
. "${srcdir:-.}/tests/cli/lib.sh"

python=${PYTHON:-python3}
if ! "$python" -c pass 2> /dev/null; then
  echo "skipped: there is no python3"
  exit 77
fi

# alike WHAT QRELS RUN NUMBER-OF-MEASURES [OPTION]: all measures of all queries, to 1e-9.
alike() {
  expect 0 "$1: the other evaluator" "$python" "$srcdir/tests/cli/evaluator.py" "$2" "$3" ${5:+--all}
  cp out expected
  measures=$(awk '$2 == "all" { printf " -m %s", $1 }' expected)
  # shellcheck disable=SC2086
  expect 0 "$1: dorm" "$dorm" eval --qrels "$2" --run "$3" $measures ${5:+"$5"} --per-query queries.tsv --json means
  awk -F '\t' 'NR == 1 { for (i = 2; i <= NF; i++) name[i] = $i; next }
               { for (i = 2; i <= NF; i++) print name[i], $1, $i }' queries.tsv > got
  sed 's/.*"measure":"\([^"]*\)".*"mean":\([-0-9.e+]*\).*/\1 all \2/' means >> got
  awk 'NR == FNR { value[$1 " " $2] = $3; next }
       { d = value[$1 " " $2] - $3
         if (!(($1 " " $2) in value) || d > 1e-9 || d < -1e-9) { print $1, $2, $3, value[$1 " " $2]; bad = 1 }
         n += $2 == "all" }
       END { exit bad || n != '"$4"' || NR != 2 * FNR }' got expected > differences
  result $? "$1: $4 measures agree in $(awk '$1 == "map"' expected | wc -l) lines each ($(head -3 differences | tr '\n' ';'))"
}

# ---- Qrels and runs as others write them

# Query q has up to 60 judged documents with labels -1 to 3, of which the run lacks some, and other documents that nobody
# judged. Scores have many ties; ids sort otherwise than the lines stand. Query 7 has no relevant document, query 8 no
# irrelevant one, query 9 one document, query 10 finds no relevant one; the run lacks 11, and nobody judged 12.
awk 'BEGIN {
  for (q = 1; q <= 11; q++) for (d = 1; d <= (q == 9 ? 1 : 5 + 5 * q); d++) {
    x = (d * 7919 + q * 104729) % 1009
    label = q == 7 ? -(x % 2) : q == 8 ? 1 + x % 2 : q == 9 ? 1 : x % 9 == 0 ? -1 : x % 5 == 0 ? 3 : x % 3 == 0
    print q, 0, "doc-" (x * 37) % 1009 "-" d, label
  }
}' > qrels.txt
awk '{ x = (NR * 6101) % 1013
       if ($1 != 11 && x % 6 && !($1 == 10 && $4 > 0)) print $1, "Q0", $3, 0, (x % 17) / 4, "tag" }
     END { for (q = 1; q <= 12; q++) if (q != 11) for (d = 1; d <= 25; d++)
             print q, "Q0", "new-" (d * 37) % 101, 0, ((d * 61 + q) % 17) / 4, "tag" }' qrels.txt > run.txt
awk '$4 < 0 { n++ } END { exit !n }' qrels.txt
result $? "some labels are negative"
alike "hand-made" qrels.txt run.txt 55
alike "hand-made, all queries" qrels.txt run.txt 55 --all-queries
# The conventions matter here: each of them changes a value.
for one in "ndcg@10 ndcg@10:gain=exp2" "ndcg_cut_10 ndcg@10:gain=linear,ties=order" "map map:ties=order"; do
  # shellcheck disable=SC2086
  set -- $one
  expect 0 "conventions" "$dorm" eval --qrels qrels.txt --run run.txt -m "$1" -m "$2"
  [ "$(awk '{ print $2 }' out | sort -u | wc -l)" = 2 ]
  result $? "$1 is not $2 here"
done
expect 0 "trec_eval's other spelling" "$dorm" eval --qrels qrels.txt --run run.txt -m ndcg_cut.10 -m ndcg_cut_10 -m ndcg@10 \
  -m ndcg@10:ties=docid,gain=linear
[ "$(sed 's/^[^ ]* *//' out | sort -u | wc -l)" = 1 ]
result $? "ndcg_cut.10, ndcg_cut_10 and ndcg@10 are one measure of a run"
# Unjudged documents count for bpref otherwise than irrelevant ones.
awk '{ print } END { for (q = 1; q <= 10; q++) for (d = 1; d <= 25; d++) print q, 0, "new-" (d * 37) % 101, 0 }' \
  qrels.txt | sort -u > judged.txt
expect 0 "judged now" "$dorm" eval --qrels judged.txt --run run.txt -m bpref -m map
cp out judged
expect 0 "not judged" "$dorm" eval --qrels qrels.txt --run run.txt -m bpref -m map
[ "$(sed -n 2p out)" = "$(sed -n 2p judged)" ] && [ "$(sed -n 1p out)" != "$(sed -n 1p judged)" ]
result $? "judgements of no relevance change bpref and not map"

# ---- Data of dorm

# judged_alike WHAT DATA SCORES: written as a run and qrels.
judged_alike() {
  expect 0 "$1: write a run and qrels" "$dorm" eval --scores "$3" "$2" --write-run run --write-qrels qrels --json direct \
    -m map:ties=docid -m recip_rank -m P_10 -m ndcg_cut_10 -m bpref:ties=docid -m success_5 -m iprec_at_recall_0.10
  expect 0 "$1: read them back" "$dorm" eval --qrels qrels --run run --json again \
    -m map:ties=docid -m recip_rank -m P_10 -m ndcg_cut_10 -m bpref:ties=docid -m success_5 -m iprec_at_recall_0.10
  for json in direct again; do sed 's/.*\("measure":"[^"]*"\).*\("mean":[^,]*\).*/\1 \2/' $json > $json.means; done
  cmp -s direct.means again.means
  result $? "$1: the same values from the files as from the data"
  alike "$1" qrels run 55
}

# Queries of different lengths whose documents have no ids; some queries have no
# relevant document, and most scores are equal to others.
"$dorm" generate artificial -o data.txt --queries 60 -d 25 > /dev/null
awk '{ label = ($2 ~ /[37]$/) ? 0 : ($1 > 2 ? $1 - 2 : 0); if (NR % 5) { $1 = label; print } }' data.txt > uneven.txt
awk '{ print int((NR * 7919) % 13) / 7 }' uneven.txt > tied.txt
judged_alike "tied scores" uneven.txt tied.txt
# The same data with ids whose order is not that of the lines, and with scores
# that differ by less than one unit in single precision.
awk '{ print $0 " #docid = doc-" (NR * 37) % 1000 "-" NR }' uneven.txt > named.txt
awk '{ printf "%.15f\n", 0.3 + ((NR * 7919) % 41) * 1e-10 }' uneven.txt > crowded.txt
judged_alike "crowded scores" named.txt crowded.txt

# MQ2008, if the data are there.
data=${DORM_DATA:-$srcdir/../shared/data}/mq2008/Fold1
if [ -f "$data/test.txt" ]; then
  "$dorm" train -q -s "data.train=$data/train.txt" -s solver.C=10 -s output.model=model.dorm > /dev/null
  "$dorm" predict model.dorm "$data/test.txt" > scores.txt
  judged_alike "MQ2008" "$data/test.txt" scores.txt
fi

# A run with qrels and the output of trec_eval itself, `trec_eval -q -m all_trec qrels run > trec_eval.out`, if the data
# hold them.
data=${DORM_DATA:-$srcdir/../shared/data}/trec_eval
if [ -f "$data/trec_eval.out" ]; then
  names=' map Rprec bpref recip_rank ndcg set_P set_recall set_F num_ret num_rel num_rel_ret '
  measures=$(awk -v "names=$names" '$2 == "all" && (index(names, " " $1 " ") || $1 ~ /^(P|recall|success|ndcg_cut|map_cut|iprec_at_recall)_[0-9]/) { printf " -m %s", $1 }' "$data/trec_eval.out")
  # shellcheck disable=SC2086
  expect 0 "trec_eval's own files" "$dorm" eval --qrels "$data/qrels" --run "$data/run" $measures --per-query queries.tsv
  awk -F '\t' 'NR == 1 { for (i = 2; i <= NF; i++) name[i] = $i; next }
               { for (i = 2; i <= NF; i++) print name[i], $1, $i }' queries.tsv > got
  awk 'NR == FNR { value[$1 " " $2] = $3; next }
       ($1 " " $2) in value { d = $3 - value[$1 " " $2]; if (d > 6e-5 || d < -6e-5) { print $1, $2; bad = 1 } n++ }
       END { exit bad || !n }' "$data/trec_eval.out" got > differences
  result $? "trec_eval's own values, to four decimals ($(head -3 differences | tr '\n' ';'))"
fi

finish
