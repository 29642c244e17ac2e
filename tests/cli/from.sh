#!/bin/sh
# from.sh: training that goes on from a model (data.from): its primal value is that of all rankings tried (from.py), with
# rho = 0 it is a fresh training, with a small C the earlier model; trees and nets go on from theirs; what is refused.
. "${srcdir:-.}/tests/cli/lib.sh"

"$dorm" generate artificial -o old.txt --queries 60 -d 5 -f 6 > /dev/null
"$dorm" generate artificial -o new.txt --queries 12 -d 5 -f 6 --part 2 > /dev/null
"$dorm" generate artificial -o validation.txt --queries 30 -d 5 -f 6 --part 3 > /dev/null

# column NAME: of the last candidate.
column() {
  awk -F '\t' -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } END { print $at }' table
}

# of_model MODEL: without the settings, the remarks and the checksum.
of_model() {
  grep -vE '^(#|setting|set|remark|checksum)' "$1"
}

# ---- The convex problem ----

plain="-s data.rank_block=0 -s ranking.reference=listed -s ranking.position_weights=power:0.5 -s solver.gap=1e-7"
# shellcheck disable=SC2086
expect 0 "an earlier model" "$dorm" train -q -s training.trainer=svm $plain -s data.normalisation=none -s data.train=old.txt -s solver.C=3 \
  -s output.model=old.dorm
for rho in 0 0.5 2; do
  # shellcheck disable=SC2086
  expect 0 "rho = $rho" "$dorm" train -q -s training.trainer=svm $plain -s data.train=new.txt -s data.from=old.dorm -s solver.rho=$rho \
    -s solver.C=3 -s output.candidates=table -s output.model=new.dorm
  python3 "$srcdir/tests/cli/from.py" new.txt new.dorm old.dorm $rho 3 > values
  echo "$(cat values) $(column primal) $(column dual) $(column rho)" |
    awk -v rho=$rho '{ e = 1e-8 * $1; d = $1 - $3; exit !(NF == 5 && d * d < e * e && $4 <= $2 + e && $3 - $4 <= 2e-7 * $3 && $5 == rho) }'
  result $? "rho = $rho: by all rankings $(cat values), certified $(column primal) and $(column dual)"
done
# shellcheck disable=SC2086
expect 0 "bounds" "$dorm" train -q -s training.trainer=svm $plain -s data.train=new.txt -s data.from=old.dorm -s solver.C=3 -s training.increasing=1-100 \
  -s output.candidates=table -s output.model=bounded.dorm
python3 "$srcdir/tests/cli/from.py" new.txt bounded.dorm old.dorm 1 3 > values
echo "$(cat values) $(column primal) $(column dual)" | awk '{ d = ($1 - $3) / $1; exit !(d * d < 1e-16 && $3 - $4 <= 2e-7 * $3) }'
result $? "bounds: by all rankings $(cat values), certified $(column primal) and $(column dual)"
of_model bounded.dorm | awk '$1 == "feature" { n++; low += $3 < 0 } END { exit !(n == 6 && low == 0) }'
result $? "bounds: no weight is below 0"

# ---- The same as a fresh training, and as the earlier model ----

expect 0 "fresh" "$dorm" train -q -s training.trainer=svm -s data.train=new.txt -s solver.C=1,10 -s output.model=fresh.dorm
expect 0 "rho = 0" "$dorm" train -q -s training.trainer=svm -s data.train=new.txt -s solver.C=1,10 -s output.model=zero.dorm -s data.from=fresh.dorm \
  -s solver.rho=0
of_model fresh.dorm > fresh
of_model zero.dorm > zero
cmp fresh zero
result $? "rho = 0 gives the bits of a fresh training"
# The shifts of a global normalisation are those of the earlier model, and a feature that the new data lack stays.
sed 's/ 3:[^ ]*//' new.txt > lacking.txt
for normalisation in minmax global-zscore; do
  expect 0 "$normalisation" "$dorm" train -q -s training.trainer=svm -s data.train=old.txt -s data.validation=validation.txt -s solver.C=3 \
    -s data.normalisation=$normalisation -s data.rank_block=0.5 -s output.model=old.dorm
  for data in new lacking; do
    expect 0 "$normalisation, C near 0" "$dorm" train -q -s training.trainer=svm -s data.train=$data.txt -s data.from=old.dorm -s solver.C=1e-10 \
      -s selection.average=1 -s data.validation=validation.txt -s data.rank_block=0.5,2 -s output.model=near.dorm
    "$dorm" predict old.dorm validation.txt > scores
    "$dorm" predict near.dorm validation.txt | paste scores - |
      awk '{ xx += $1 * $1; yy += $2 * $2; xy += $1 * $2 } END { d = 1 - xy / sqrt(xx * yy); exit !(NR == 150 && d < 1e-12) }'
    result $? "$normalisation: with C near 0 the model of $data.txt is the earlier one"
  done
done
expect 0 "a start at the model" "$dorm" train -q -s training.trainer=svm -s data.train=new.txt -s data.from=old.dorm -s solver.rho=0,1 \
  -s solver.start=from -s solver.C=1 -s output.candidates=table
[ "$(awk -F '\t' '$2 == "start"' table | wc -l)" = 2 ]
result $? "solver.start = from: a start at the model for each rho"

# ---- A checkpoint ----

expect 0 "whole" "$dorm" train -q -s training.trainer=svm -s data.train=new.txt -s data.from=old.dorm -s solver.rho=0.5,1 -s solver.gap=1e-6 -s output.model=whole.dorm
for limit in 1 2 3; do
  "$dorm" train -q -s training.trainer=svm -r -s data.train=new.txt -s data.from=old.dorm -s solver.rho=0.5,1 -s solver.gap=1e-6 \
    -s solver.max_seconds=6e-8 -s output.checkpoint=checkpoint -s output.model=stopped.dorm > out 2> err
done
cp old.dorm kept.dorm
cp new.dorm old.dorm
expect 4 "another earlier model" "$dorm" train -q -s training.trainer=svm -r -s data.train=new.txt -s data.from=old.dorm -s solver.rho=0.5,1 \
  -s solver.gap=1e-6 -s output.checkpoint=checkpoint -s output.model=resumed.dorm
cp kept.dorm old.dorm
expect 0 "resumed" "$dorm" train -q -s training.trainer=svm -r -s data.train=new.txt -s data.from=old.dorm -s solver.rho=0.5,1 -s solver.gap=1e-6 \
  -s output.checkpoint=checkpoint -s output.model=resumed.dorm
of_model whole.dorm > whole
of_model resumed.dorm > resumed
cmp whole resumed
result $? "a resumed training makes the same model"

# ---- Nets and trees ----

expect 0 "a net" "$dorm" train -q -s training.trainer=net -s net.hidden=3 -s net.epochs=3 -s training.seed=1 -s data.train=old.txt \
  -s output.model=net.dorm
expect 0 "a net that goes on" "$dorm" train -q -s training.trainer=net -s net.hidden=3 -s net.epochs=1 -s net.learning_rate=1e-12 \
  -s training.seed=1 -s data.train=new.txt -s data.from=net.dorm -s output.model=on.dorm
"$dorm" predict net.dorm validation.txt > scores
"$dorm" predict on.dorm validation.txt | paste scores - | awk '{ d = $1 - $2; if (d * d > 1e-12) exit 1 }'
result $? "a net begins at the earlier one"
expect 2 "other units" "$dorm" train -q -s training.trainer=net -s net.hidden=4 -s data.train=new.txt -s data.from=net.dorm
one_line_with "the model has 3 hidden units, but net.hidden has the value 4"
expect 2 "a net for svm" "$dorm" train -q -s training.trainer=svm -s data.train=new.txt -s data.from=net.dorm
one_line_with "the model is not linear"
"$dorm" train -q -s training.trainer=trees -s trees.trees=20 -s trees.leaves=4 -s trees.learning_rate=0.1 -s trees.row_share=1 \
  -s trees.feature_share=1 -s trees.min_docs_in_leaf=5 -s selection.folds=0 -s data.train=old.txt -s output.model=trees.dorm > out 2> err
if [ $? = 0 ]; then
  one="-s training.trainer=trees -s trees.leaves=4 -s trees.learning_rate=0.1 -s trees.row_share=1 -s trees.feature_share=1"
  one="$one -s trees.min_docs_in_leaf=5"
  # On the same data, 12 trees and 8 more on top of them are 20 trees.
  # shellcheck disable=SC2086
  expect 0 "12 trees" "$dorm" train -q -s training.trainer=svm $one -s trees.trees=12 -s selection.folds=0 -s data.train=old.txt -s output.model=first.dorm
  # shellcheck disable=SC2086
  expect 0 "8 more" "$dorm" train -q -s training.trainer=svm $one -s trees.trees=8 -s data.train=old.txt -s data.from=first.dorm -s output.model=more.dorm
  [ "$(grep '^part trees' more.dorm)" = "$(grep '^part trees' trees.dorm)" ]
  result $? "12 trees and 8 more: $(grep '^part trees' more.dorm)"
  "$dorm" predict trees.dorm validation.txt > scores
  "$dorm" predict more.dorm validation.txt | paste scores - | awk '{ d = $1 - $2; if (d * d > 1e-12) exit 1 }'
  result $? "12 trees and 8 more score as 20 trees"
  # shellcheck disable=SC2086
  expect 2 "a net for trees" "$dorm" train -q -s training.trainer=svm $one -s data.train=new.txt -s data.from=net.dorm
  one_line_with "this model has other parts"
  # shellcheck disable=SC2086
  expect 2 "two starts" "$dorm" train -q -s training.trainer=svm $one -s trees.start=ridge -s data.train=new.txt -s data.from=first.dorm
  one_line_with "trees.start has to be none"
  # shellcheck disable=SC2086
  expect 2 "folds" "$dorm" train -q -s training.trainer=svm $one -s data.train=new.txt -s data.from=first.dorm -s selection.folds=3
  one_line_with "trees that continue from a model are not cross-validated"
  expect 2 "an objective without sums" "$dorm" train -q -s training.trainer=svm $one -s trees.objective=ordinal -s data.train=new.txt -s data.from=first.dorm
  one_line_with "no sum over trees"
fi

# ---- What is refused ----

expect 2 "another trainer" "$dorm" train -q -s training.trainer=ridge -s data.train=new.txt -s data.from=old.dorm
one_line_with "trainer 'ridge' does not continue from a model; svm, trees and net do"
expect 2 "a kernel" "$dorm" train -q -s training.trainer=svm -s kernel.kernel=rbf -s data.train=new.txt -s data.from=old.dorm
one_line_with "kernel.kernel has to be linear"
expect 2 "another normalisation" "$dorm" train -q -s training.trainer=svm -s data.normalisation=zscore -s data.train=new.txt -s data.from=old.dorm
one_line_with "the model has features normalised by global-zscore, but data.normalisation = zscore"
expect 2 "no rank block" "$dorm" train -q -s training.trainer=svm -s data.rank_block=0 -s data.train=new.txt -s data.from=old.dorm
one_line_with "the model has a rank block of 0.5, but data.rank_block has the value 0"
expect 2 "no model" "$dorm" train -q -s training.trainer=svm -s solver.start=from -s data.train=new.txt
one_line_with "solver.start = from needs a model, data.from"
expect 3 "no file" "$dorm" train -q -s training.trainer=svm -s data.from=absent.dorm -s data.train=new.txt
one_line_with "absent.dorm: cannot read"
sed 's/ 6:/ 7:/' new.txt > other.txt
expect 4 "another feature" "$dorm" train -q -s training.trainer=svm -s data.train=other.txt -s data.from=old.dorm
holds err "other.txt has feature 7, but the model of data.from = old.dorm, with 6 features, lacks it"
printf 'dorm model 1\nnormalisation none\nrank_block 0\nend 0\n' > empty.dorm
expect 4 "a model without features" "$dorm" train -q -s training.trainer=svm -s data.train=other.txt -s data.from=empty.dorm
one_line_with "other.txt has feature 1, but the model of data.from = empty.dorm, with 0 features, lacks it"
expect 0 "a choice of features" "$dorm" train -q -s training.trainer=svm -s data.train=other.txt -s data.from=old.dorm -s data.features=1-6
finish
