#!/bin/sh
# positions.sh: scoring functions of the first positions: training, models and rankings, against the linear function
# alone, and what is refused.
. "${srcdir:-.}/tests/cli/lib.sh"

# Some documents are government sites: feature 7 is 1, and 10 is added to their labels. The first position should hold
# the most relevant one of them, the others the most relevant documents.
for part in 1 2 3; do
  "$dorm" generate artificial -o plain.txt --queries 60 -d 12 -f 6 --part $part > /dev/null
  awk '{ site = (NR * 7919) % 101 < 25; $1 += 10 * site; print $0, "7:" site }' plain.txt > part$part.txt
done
awk 'BEGIN { for (site = 0; site < 2; site++) for (y = 0; y < 5; y++) {
  gain = (2 ^ y - 1) / 15; printf "%d %.9g", y + 10 * site, 1 - site * gain
  for (p = 1; p < 12; p++) printf " %.9g", -gain / (log(p + 2) / log(2)); print "" } }' > costs.txt
cat > train.ini << 'END'
[training]
trainer = svm
[data]
train = part1.txt
validation = part2.txt
[loss]
name = cost:file=costs.txt
[ranking]
position_weights = power:0.5
[solver]
C = 3, 30
END

for functions in 1 2 3; do
  expect 0 "train with $functions functions" "$dorm" train train.ini -q -s ranking.position_functions=$functions \
    -s output.model=model$functions.dorm
  holds out "largest gap"
  expect 0 "predict with $functions functions" "$dorm" predict model$functions.dorm part3.txt
  cp out scores$functions
  expect 0 "evaluate $functions functions" "$dorm" eval model$functions.dorm part3.txt -m "minus_loss(cost:file=costs.txt)"
  awk '{ print $2; exit }' out > value$functions
  # the share of queries whose first document is a government site
  paste scores$functions part3.txt | awk '{ if (!($3 in best) || $1 > best[$3]) { best[$3] = $1; site[$3] = $2 >= 10 } }
    END { for (q in best) { sum += site[q]; count++ } printf "%.4f\n", sum / count }' > sites$functions
done
awk 'NR == FNR { one = $1; next } END { exit !($1 > one / 2) }' value1 value2
result $? "two functions lose at most half of what one loses: $(cat value1 value2 | tr '\n' ' ')"
awk '{ exit !($1 >= 0.9) }' sites2
result $? "a government site comes first: $(cat sites2)"
expect 0 "without the setting" "$dorm" train train.ini -q -s output.model=model0.dorm
grep -v -e '^setting output' -e '^checksum' -e '^set ' model0.dorm > zero
grep -v -e '^setting output' -e '^checksum' -e '^set ' model1.dorm | cmp -s - zero
result $? "one function is the default"
! grep -q "^positions" model1.dorm
result $? "a model of one function has no functions of positions"
[ "$(grep -c '^position ' model3.dorm)" = 2 ]
result $? "a line for each function"

# Rows that leave zeros out, and more threads for rankings, give the same.
expect 0 "train on sparse rows" "$dorm" train train.ini -q -s ranking.position_functions=2 -s data.storage=sparse \
  -s data.normalisation=none -s data.rank_block=0 -s output.model=sparse.dorm
expect 0 "train on dense rows" "$dorm" train train.ini -q -s ranking.position_functions=2 -s data.storage=dense \
  -s data.normalisation=none -s data.rank_block=0 -s output.model=dense.dorm
"$dorm" eval sparse.dorm part3.txt -m "minus_loss(cost:file=costs.txt)" | awk '{ print $2; exit }' > sparse
"$dorm" eval dense.dorm part3.txt -m "minus_loss(cost:file=costs.txt)" | awk '{ print $2; exit }' > dense
awk 'NR == FNR { one = $1; next } END { exit !($1 - one < 0.01 && one - $1 < 0.01) }' sparse dense
result $? "sparse and dense rows: $(cat sparse dense | tr '\n' ' ')"
expect 0 "show" "$dorm" show model3.dorm
holds out "positions part: 2 first positions of 7 features"
printf '1\n0.8\n0.5\n0.5\n' > weights.txt
expect 0 "weights from a file, the reference as listed" "$dorm" train train.ini -q -s ranking.position_functions=3 \
  -s ranking.reference=listed -s ranking.position_weights=file:weights.txt -s output.model=listed.dorm
holds listed.dorm "positions 2 0.5 listed 1 0.8 0.5 0.5"
rm weights.txt # the model has them
expect 0 "a model of listed weights" "$dorm" predict listed.dorm part3.txt
sort -u out | awk 'END { exit !(NR > 100) }'
result $? "a model of listed weights scores"
expect 0 "folds" "$dorm" train -s training.trainer=svm part1.txt -q -s 'loss.name=ndcg:gain=linear' -s ranking.position_functions=2 \
  -s ranking.position_weights=log -s ranking.reference=ideal,current -s selection.folds=2 -s selection.retrain=yes \
  -s solver.C=3 -s output.model=folds.dorm
expect 4 "no format has functions of positions" "$dorm" export --to json model2.dorm -o exported.json
one_line_with "the model has a positions part"
absent exported.json
expect 0 "for serving" "$dorm" train train.ini -q --for-serving -s ranking.position_functions=2 -s output.model=serving.dorm
holds out "dorm export does not take it: the model has a positions part"
expect 2 "going on from the model" "$dorm" train train.ini -q -s data.from=model2.dorm -s output.model=no.dorm
one_line_with "the model has functions of positions"

refused() { # SETTINGS TEXT
  # shellcheck disable=SC2086
  expect 2 "$1" "$dorm" train train.ini -q -s ranking.position_functions=2 -s output.model=no.dorm $1
  one_line_with "$2"
  absent no.dorm
}
known="ranking.position_functions = 2 does not go with"
refused "-s training.trainer=ridge" "$known training.trainer other than svm"
refused "-s training.trainer=svm,smooth" "$known training.trainer other than svm"
refused "-s loss.name=rsvm" "$known a structured loss"
refused "-s loss.name=ndcg -s ranking.position_weights=loss" "$known ranking.position_weights = loss"
refused "-s ranking.position_weights=log,loglog" "$known several values of ranking.position_weights"
refused "-s ranking.reference=averaged" "$known ranking.reference = averaged"
refused "-s kernel.kernel=rbf" "$known kernel.kernel other than linear"
refused "-s data.from=model1.dorm" "$known data.from"
refused "-s training.increasing=1" "$known training.increasing"
refused "-s diversity.groups=feature:1" "$known diversity.groups"
refused "-s data.storage=file" "$known data.storage = file"
refused "-s solver.oracle=runs -s loss.name=ndcg" "oracle = runs is not exact where positions have functions of their own"
refused "-s ranking.position_functions=0" "ranking.position_functions"
expect 2 "a stream" "$dorm" train -s training.trainer=svm --stream part1.txt -q -s loss.name=ndcg -s ranking.position_functions=2 -s output.model=no.dorm
one_line_with "ranking.position_functions = 2 does not go with a stream"

# Where a position weight is 0 no function is worth anything, and the shared one ranks. The gap is small, so that both
# trainings end near the one optimum, however their sums are rounded.
echo 1 > weight.txt
for count in 2 9; do
  expect 0 "$count functions, one weight" "$dorm" train -s training.trainer=svm part1.txt -q -s ranking.position_weights=file:weight.txt \
    -s ranking.position_functions=$count -s solver.gap=1e-6 -s output.model=weight$count.dorm
  expect 0 "$count functions rank" "$dorm" eval weight$count.dorm part3.txt -m ndcg@10 -m mrr
  sed "s/weight$count//" out > values$count
done
cmp values2 values9
result $? "a function of a position without a weight changes nothing"

bad_model() { # TEXT SED-COMMAND
  sed -e '/^checksum/d' -e "$2" model3.dorm > bad.dorm
  expect 4 "$1" "$dorm" predict bad.dorm part3.txt
  one_line_with "$1"
}
bad_model "'positions' needs a number of functions" 's/^positions 2/positions 0/'
bad_model "'positions' needs a number of functions" 's/^positions 2/positions 1e9/'
bad_model "'positions' needs a rank block" 's/^positions 2 [^ ]*/positions 2 -1/'
bad_model "are no position weights" 's/power 0.5$/loss/'
bad_model "position weights are finite numbers of 0 or more that do not increase" 's/power 0.5$/power/'
bad_model "position weights are finite numbers of 0 or more that do not increase" 's/power 0.5$/listed 1 2/'
bad_model "position weights are finite numbers of 0 or more that do not increase" 's/power 0.5$/listed/'
bad_model "position weights are finite numbers of 0 or more that do not increase" 's/power 0.5$/log 2/'
bad_model "finite numbers" 's/^position .*/position 1 2/'
bad_model "'position' has more than" 's/^position .*/& 1/'
sed -e '/^checksum/d' -e '/^end/d' model3.dorm > bad.dorm
{ sed -n '/^position/p' model3.dorm && sed -n '/^end/p' model3.dorm; } >> bad.dorm
expect 4 "functions of positions twice" "$dorm" predict bad.dorm part3.txt
one_line_with "functions of positions are the last part of a model"
finish
