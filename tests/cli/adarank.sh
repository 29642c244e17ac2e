#!/bin/sh
# adarank.sh: the trainer `adarank` makes the models that adarank.py makes, which is AdaRank in plain Python; its settings and
# what it refuses.
. "${srcdir:-.}/tests/cli/lib.sh"

# Labels of 0 to 2 from the sum of five of eight features, which are worth about as much, and a query without a relevant
# document.
awk 'BEGIN { srand(3); for (q = 1; q <= 40; q++) for (d = 1; d <= 15; d++) {
  s = 0; line = ""
  for (f = 1; f <= 8; f++) { x = int(rand() * 1000) / 1000; line = line " " f ":" x; if (f <= 5) s += x }
  print (q == 3 ? 0 : s > 3.3 ? 2 : s > 2.8 ? 1 : 0), "qid:" q line } }' > data.txt
"$dorm" generate artificial -o validation.txt --queries 20 -d 15 -f 8 --seed 5 > /dev/null

if python3 -c pass 2> /dev/null; then
  for measure in ndcg@10 map; do # the data themselves choose the number of rounds
    expect 0 "AdaRank for $measure" "$dorm" train -q data.txt -s data.validation=data.txt -s data.normalisation=none \
      -s data.rank_block=0 -s training.trainer=adarank -s selection.average=1 -s selection.measure=$measure \
      -s output.candidates=table -s output.model=model.dorm
    rounds=$(awk -F '\t' '$NF == 1 { print $13 }' table)
    "$dorm" predict model.dorm data.txt > scores
    expect 0 "the same in Python" python3 "$srcdir/tests/cli/adarank.py" data.txt "$rounds" $measure
    paste out scores | awk '{ xx += $1 * $1; yy += $2 * $2; xy += $1 * $2 }
      END { d = 1 - xy / sqrt(xx * yy); exit !(NR == 600 && d < 1e-10) }'
    result $? "$rounds rounds for $measure: the same scores but for a factor; features $(awk '{ print $2 }' err | sort | uniq -c | tr '\n' ';')"
    [ "$(awk '{ print $2 }' err | sort -u | wc -l)" -gt 2 ]
    result $? "more than two features are chosen for $measure, so that the distribution matters"
  done
else
  echo "skipped: there is no python3"
fi

expect 0 "all rounds" "$dorm" train data.txt validation.txt -s training.trainer=adarank -s output.candidates=table -s data.rank_block=0
[ "$(awk -F '\t' 'NR > 1 { printf "%s ", $13 }' table)" = "1 2 5 10 20 50 100 200 " ]
result $? "a candidate for each number of rounds"
expect 0 "folds" "$dorm" train -q data.txt -s training.trainer=adarank -s selection.folds=3
expect 0 "retraining" "$dorm" train -q data.txt validation.txt -s training.trainer=adarank -s selection.retrain=yes
expect 0 "beside other trainers" "$dorm" train -q data.txt validation.txt -s training.trainer=ridge,adarank
expect 0 "queries that do not count" "$dorm" train -q data.txt -s training.trainer=adarank -s selection.measure=ndcg@10:empty=skip
expect 2 "a setting that is gone" "$dorm" train -q data.txt -s training.trainer=adarank -s adarank.rounds=5
one_line_with "adarank.rounds is gone: candidates have 1, 2, 5"
expect 2 "a measure beyond 1" "$dorm" train -q data.txt -s training.trainer=adarank -s selection.measure=dcg
one_line_with "needs a measure in [-1, 1]"
expect 2 "an order" "$dorm" train -q data.txt -s training.trainer=adarank -s training.increasing=1
one_line_with "does not keep to training.increasing"
awk '$2 != query { query = $2; print ++n }' data.txt > data.txt.weight
expect 2 "weights" "$dorm" train -q data.txt -s training.trainer=adarank
one_line_with "has weights of queries, which trainer 'adarank' does not take"
expect 0 "weights left out" "$dorm" train -q data.txt -s training.trainer=adarank -s data.weights=no
rm data.txt.weight
awk '{ $1 = 0; print }' data.txt > empty.txt
expect 4 "no query that counts" "$dorm" train -q empty.txt -s training.trainer=adarank -s selection.measure=map:empty=skip
one_line_with "no query counts"

finish
