#!/bin/sh
# trec.sh: TREC runs and qrels that dorm writes are evaluated by a separate program
# (evaluator.py, numpy) with the definitions of trec_eval, and read back by dorm.
. "${srcdir:-.}/tests/cli/lib.sh"

for python in ${PYTHON:-} python3 /usr/bin/python3; do
  "$python" -c 'import numpy' 2> /dev/null && break
  python=
done
if [ -z "$python" ]; then
  echo "skipped: there is no python3 with numpy (apt-get install python3-numpy)"
  exit 77
fi

# mean_of JSON MEASURE: the mean of a measure in a file of dorm eval --json, with all its digits.
mean_of() {
  grep -F "\"measure\":\"$2" "$1" | sed 's/.*"mean":\([-0-9.e]*\).*/\1/'
}

# judged_alike WHAT DATA SCORES: dorm and the evaluator give the same measures, and so does dorm on the files read back.
judged_alike() {
  expect 0 "$1: write a run and qrels" "$dorm" eval --scores "$3" "$2" --write-run run --write-qrels qrels --json direct \
    -m map:ties=docid -m mrr:ties=docid -m p@10:ties=docid -m ndcg@10:gain=linear,ties=docid
  expect 0 "$1: read them back" "$dorm" eval --qrels qrels --run run --json again \
    -m map:ties=docid -m mrr:ties=docid -m p@10:ties=docid -m ndcg@10:gain=linear,ties=docid
  expect 0 "$1: the other evaluator" "$python" "$srcdir/tests/cli/evaluator.py" qrels run
  while read -r name mean; do
    case $name in
    map) measure=map ;;
    recip_rank) measure=mrr ;;
    P_10) measure=p@10 ;;
    ndcg_cut_10) measure=ndcg@10 ;;
    esac
    for json in direct again; do
      echo "$mean $(mean_of $json $measure)" |
        awk '{ d = $1 - $2; exit !(NF == 2 && d < 1e-9 && d > -1e-9 && $1 > 0 && $1 < 1) }'
      result $? "$1: $name $mean against dorm's $(mean_of $json $measure) ($json)"
    done
  done < out
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

finish
