#!/bin/sh
# smooth.sh: the trainer `smooth`: its least values are those that scipy finds for the same costs, written down from their
# formulas (smooth.py), and lie between the primal and the dual value; its settings and what it refuses.
. "${srcdir:-.}/tests/cli/lib.sh"

"$dorm" generate artificial -o data.txt --queries 30 -d 12 -f 6 > /dev/null
"$dorm" generate artificial -o validation.txt --queries 20 -d 12 -f 6 --seed 5 > /dev/null
plain="-s data.train=data.txt -s data.normalisation=none -s data.rank_block=0 -s training.trainer=smooth"

# column NAME: of the only candidate.
column() {
  awk -F '\t' -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } NR == 2 { print $at }' table
}

# same_scores: the model's scores are those of scipy, but for a factor.
same_scores() {
  "$dorm" predict model.dorm data.txt > scores
  sed 1d least | paste - scores | awk '{ xx += $1 * $1; yy += $2 * $2; xy += $1 * $2 }
    END { d = 1 - xy / sqrt(xx * yy); exit !(NR == 360 && d < '"$1"') }'
}

for python in ${PYTHON:-} python3 /usr/bin/python3; do
  "$python" -c 'import scipy.optimize' 2> /dev/null && break
  python=
done
if [ -n "$python" ]; then
  for cost in ranknet softmax; do
    for C in 0.3 30; do
      # shellcheck disable=SC2086
      expect 0 "$cost, C = $C" "$dorm" train -q $plain -s smooth.cost=$cost -s smooth.C=$C -s output.candidates=table
      expect 0 "scipy's least value" "$python" "$srcdir/tests/cli/smooth.py" $cost data.txt $C
      cp out least
      echo "$(column primal) $(column dual) $(column gap) $(head -1 least)" |
        awk '{ e = 1e-12 * $4; exit !(NF == 5 && $1 >= $4 - e && $2 <= $4 + e && $1 - $4 < 1e-6 * $4 && $3 <= 1e-6 && $3 >= 0 && $5 < 1e-9) }'
      result $? "$cost, C = $C: scipy's $(head -1 least) between $(column dual) and $(column primal)"
      echo "$(column C) $C" | awk '{ exit !(NF == 2 && $1 == $2) }'
      result $? "$cost, C = $C: the table says which C it was"
      same_scores 1e-6
      result $? "$cost, C = $C: the scores are those of scipy's minimum"
    done
  done
  # The cost `perturbed` is linear between kinks, where BFGS ends near the least value.
  "$dorm" generate artificial -o more.txt --queries 5 -d 12 -f 6 --seed 9 > /dev/null
  { cat data.txt && sed 's/^[0-9]* qid:/1 qid:9000/' more.txt; } > levels.txt
  for C in 0.3 3; do
    # shellcheck disable=SC2086
    expect 0 "perturbed, C = $C" "$dorm" train -q $plain -s data.train=levels.txt -s smooth.cost=perturbed -s smooth.C=$C \
      -s output.candidates=table
    expect 0 "scipy's least value" "$python" "$srcdir/tests/cli/smooth.py" perturbed levels.txt $C
    echo "$(column primal) $(column dual) $(column gap) $(head -1 out)" |
      awk '{ e = 1e-12 * $4; exit !(NF == 5 && $2 <= $4 + e && $1 - $4 < 1e-4 * $4 && $4 - $1 < 1e-4 * $4 && $3 <= 1e-4 && $3 >= 0) }'
    result $? "perturbed, C = $C: scipy's $(head -1 out) between $(column dual) and $(column primal)"
  done
  # shellcheck disable=SC2086
  expect 0 "smoothrank" "$dorm" train -q $plain -s smooth.cost=smoothrank:sigma=2 -s smooth.C=2 \
    -s loss.name=ndcg@10 -s output.candidates=table
  expect 0 "scipy's least value" "$python" "$srcdir/tests/cli/smooth.py" smoothrank data.txt 2 2
  cp out least
  echo "$(column primal) $(head -1 least) $(column dual)" |
    awk '{ d = $1 - $2; exit !(NF == 3 && d < 1e-6 && d > -1e-6) }'
  result $? "smoothrank: $(column primal), scipy $(head -1 least); no dual value"
  same_scores 1e-5
  result $? "smoothrank: the scores are those of scipy's minimum"
else
  echo "skipped: there is no python3 with scipy (apt-get install python3-scipy)"
fi

# ---- Settings

expect 0 "all costs" "$dorm" train data.txt validation.txt -s training.trainer=smooth -s output.candidates=table \
  -s 'smooth.cost=ranknet | softmax|listmle|p-norm-push|perturbed:draws=4 of ndcg@5 | smoothrank of dcg@5' -s smooth.C=1,10 -s data.rank_block=0
[ "$(awk 'NR > 1' table | wc -l)" = 22 ]
result $? "2 candidates of each cost, for smoothrank of each width"
awk -F '\t' '$2 ~ /^smoothrank:sigma=/ { split($2, s, /[=, ]/); if (before) printf "%.3f\n", s[2] / before; before = s[2] }' table > ratios
[ "$(grep -c '^0.500$' ratios)" = 10 ] && [ "$(wc -l < ratios)" = 11 ]
result $? "the width is halved"
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
             NR > 1 && $2 ~ /^(ranknet|softmax|listmle|p-norm-push)/ && !($at["gap"] <= 1e-6 && $at["gap"] >= 0) { bad = 1 }
             NR > 1 && $2 ~ /^smoothrank/ && !($at["gap"] == "" && $2 ~ /gradient=/) { bad = 1 }
             END { exit bad }' table
result $? "costs that are convex have a gap, smoothrank the length of its gradient"
for threads in 1 2; do
  expect 0 "$threads threads" "$dorm" train -q data.txt -s training.trainer=smooth -s solver.threads=$threads -s output.model=$threads.dorm
done
grep -vE '^(setting|set|checksum) ' 1.dorm > 1.txt
grep -vE '^(setting|set|checksum) ' 2.dorm | cmp -s - 1.txt
result $? "the same model with any number of threads"
expect 0 "beside other trainers" "$dorm" train -q data.txt validation.txt -s training.trainer=svm,smooth
expect 0 "folds" "$dorm" train -q data.txt -s training.trainer=smooth -s 'smooth.cost=ranknet|smoothrank' -s selection.folds=3
expect 0 "retraining" "$dorm" train -q data.txt validation.txt -s training.trainer=smooth -s selection.retrain=yes
expect 0 "sparse data" "$dorm" train -q data.txt -s training.trainer=smooth -s data.storage=sparse
expect 0 "too few passes" "$dorm" train -v data.txt -s training.trainer=smooth -s smooth.cost=perturbed -s smooth.C=1000
holds err "the gap is"
expect 2 "no cost" "$dorm" train -q data.txt -s training.trainer=smooth -s smooth.cost=local-gradient
one_line_with "there is no cost whose gradient that is"
expect 2 "an unknown cost" "$dorm" train -q data.txt -s training.trainer=smooth -s smooth.cost=rangnet
one_line_with "did you mean 'ranknet'?"
expect 2 "an order" "$dorm" train -q data.txt -s training.trainer=smooth -s training.increasing=1
one_line_with "does not keep to training.increasing"
awk '$2 != query { query = $2; print ++n }' data.txt > data.txt.weight
expect 2 "weights" "$dorm" train -q data.txt -s training.trainer=smooth
one_line_with "has weights of queries, which trainer 'smooth' does not take"
expect 0 "weights left out" "$dorm" train -q data.txt -s training.trainer=smooth -s data.weights=no
rm data.txt.weight
expect 2 "a kernel" "$dorm" train -q data.txt -s training.trainer=smooth -s kernel.kernel=rbf
one_line_with "takes no kernels but linear"
expect 0 "a setting of another trainer" "$dorm" train data.txt -s smooth.C=1
holds err "smooth.C = 1 is not used: it is for training.trainer = smooth"

finish
