#!/bin/sh
# letor.sh: dorm eval agrees with LETOR 4.0's evaluation script (letor_script.py) under that script's conventions, on generated
# data with short queries and ties, and on the five folds of MQ2008 where they are.
. "${srcdir:-.}/tests/cli/lib.sh"
measures=
for k in 1 2 3 4 5 6 7 8 9 10; do measures="$measures -m ndcg@$k:discount=letor,short=0"; done
measures="$measures -m mean_ndcg:discount=letor -m map"

# agree WHAT DATA SCORES
agree() {
  # shellcheck disable=SC2086
  expect 0 "$1: dorm eval" "$dorm" eval --scores "$3" "$2" $measures --json eval.json
  expect 0 "$1: the script" python3 "$srcdir/tests/cli/letor_script.py" "$3" "$2"
  sed 's/.*"mean":\([-0-9.e]*\).*/\1/' eval.json | paste - out |
    awk '{ d = $1 - $2; if (d > 1e-9 || d < -1e-9) bad = 1; n++; if ($2 > 0) good = 1 } END { exit !(n == 12 && !bad && good) }'
  result $? "$1: NDCG@1 to NDCG@10, MeanNDCG and MAP agree to 1e-9"
}

"$dorm" generate artificial -o data.txt --queries 60 -d 25 > /dev/null
# query q keeps q mod 13 + 1 documents; every seventh has no relevant one
awk '{ split($2, q, ":"); if (++count[$2] <= q[2] % 13 + 1) { if (q[2] % 7 == 0) $1 = 0; else if ($1 > 2) $1 = 2; print } }' \
  data.txt > short.txt
awk '{ print int((NR * 7919) % 13) / 7 }' short.txt > tied.txt
agree "short queries" short.txt tied.txt
# A query with fewer documents than positions counts otherwise by default.
expect 0 "the default" "$dorm" eval --scores tied.txt short.txt -m ndcg@10:discount=letor
cp out counted
expect 0 "as LETOR" "$dorm" eval --scores tied.txt short.txt -m ndcg@10:discount=letor,short=0
holds out "short=0"
! cmp -s out counted
result $? "short=0 matters"

data=${DORM_DATA:-$srcdir/../shared/data}/mq2008
for fold in 1 2 3 4 5; do
  [ -f "$data/Fold$fold/test.txt" ] || continue
  [ -f model.dorm ] || "$dorm" train -q "$data/Fold1/train.txt" -s training.trainer=ridge -s output.model=model.dorm > /dev/null 2>&1
  "$dorm" predict model.dorm "$data/Fold$fold/test.txt" > scores.txt
  agree "MQ2008, fold $fold" "$data/Fold$fold/test.txt" scores.txt
done
finish
