#!/bin/sh
# trees.sh: boosted trees as a user meets them: training alone and beside the SVM, the model, and what is refused.
. "${srcdir:-.}/tests/cli/lib.sh"

train() { "$dorm" train -q -s training.trainer=svm -s data.train=train.txt -s data.validation=vali.txt -s solver.threads=1 "$@"; }
table() { "$dorm" train -v -s training.trainer=svm -s data.train=train.txt -s data.validation=vali.txt -s solver.threads=1 "$@"; }
# ndcg MODEL: its NDCG@10 on the test data, in thousandths.
ndcg() { "$dorm" eval "$1" test.txt -m ndcg@10 | awk '{ printf "%d\n", 1000 * $2 }'; }

"$dorm" generate artificial -o train.txt --queries 200 --part 1
"$dorm" generate artificial -o vali.txt --queries 50 --part 2
"$dorm" generate artificial -o test.txt --queries 100 --part 3

# A model with trees is read and scored by every build.
cat > small.dorm << 'END'
dorm model 1
normalisation none
rank_block 0
feature 1 0
feature 2 0
part trees 1 regression relevance 0 1 1
levels
tree 3
split value 2 0.5 1 absent:0 gain:1
leaf -1
leaf 2
end 2
END
printf '1 qid:1 1:0 2:1\n0 qid:1 1:0 2:0\n' > two.txt
expect 0 "scores of trees" "$dorm" predict small.dorm two.txt
[ "$(tr '\n' ' ' < out)" = "2 -1 " ]
result $? "a tree scores by its leaves"
sed 's/absent:0/absent:1/' small.dorm > right.dorm
printf '1 qid:1 1:0 2:?\n0 qid:1 1:?\n' > gap.txt
expect 0 "scores of missing values" "$dorm" predict right.dorm gap.txt
[ "$(tr '\n' ' ' < out)" = "2 -1 " ]
result $? "a missing value goes where the split says, and an absent one is 0"
sed 's/value 2 0.5 1/value 2 in:-7,1,3 1/' small.dorm > sets.dorm
expect 0 "scores of categories" "$dorm" predict sets.dorm two.txt
[ "$(tr '\n' ' ' < out)" = "-1 2 " ]
result $? "categories of a set go to one side, all others to the other side"
expect 0 "show" "$dorm" show small.dorm
holds out "trees part: regression, 1 trees with 2 leaves, 1 output, rank block 0"
holds out "                   2   100.0 %         1"
[ "$(grep -c importance out)" = 0 ]
result $? "a linear part of zeros is not shown"
printf '1 one\n2 two\n' > names.txt
sed 's/^split value 2 .*/split rank 1 0.25 1 absent:0 gain:3/; s/relevance 0 /relevance 0.5 /; s/^feature 1 0/feature 1 0.5/' \
  small.dorm > ranks.dorm
expect 0 "ranks and names" "$dorm" show ranks.dorm --features names.txt
holds out "           rank of 1   100.0 %         1  one"
holds out "importance: |weight|"
expect 0 "as JSON" "$dorm" show ranks.dorm --features names.txt --json
holds out '"objective":"regression","trees":1,"leaves":2,"outputs":1,"rank_block":0.5,"importance":[{"feature":1,"name":"one","rank":true,"gain":3.0,"splits":1}]'

sed 's/^[0-9.]*/0/' train.txt > nothing.txt
expect 4 "nothing to learn" "$dorm" train -q nothing.txt -s training.trainer=trees -s trees.trees=3 -s output.model=none.dorm
one_line_with "nothing.txt: nothing was learned: every candidate gives all documents of a query the same score"
absent none.dorm

expect 0 "linear" train -s solver.C=10 -s data.rank_block=0 -s output.model=linear.dorm
expect 0 "trees" train -s training.trainer=trees -s trees.learning_rate=0.2 -s trees.trees=500 -s data.rank_block=0.5 \
  -s output.model=trees.dorm
[ "$(grep -c "duality gap\|primal" out)" = 0 ]
result $? "trees have no columns of cutting planes"
linear=$(ndcg linear.dorm)
trees=$(ndcg trees.dorm)
[ "$trees" -ge 900 ] && [ "$trees" -ge $((linear + 200)) ]
result $? "NDCG of trees $trees, of the linear model $linear"
"$dorm" predict trees.dorm test.txt > scores
[ "$(wc -l < scores)" = 5000 ]
result $? "one score for each document"

# The grower reaches the training error of another one.
expect 0 "regression" "$dorm" train -q train.txt -s training.trainer=trees -s trees.objective=regression -s trees.trees=50 \
  -s trees.leaves=10 -s trees.learning_rate=0.1 -s trees.row_share=1 -s trees.feature_share=1 -s trees.min_docs_in_leaf=1 \
  -s selection.folds=0 -s data.normalisation=none -s data.rank_block=0 -s output.model=regression.dorm
"$dorm" predict regression.dorm train.txt > scores
for python in python3 /usr/bin/python3; do
  code=77
  "$python" "$srcdir/tests/cli/grower.py" train.txt scores 50 > out 2>&1 && code=0 || code=$?
  [ $code = 77 ] || break
done
[ $code = 77 ] && echo "skipped: the training error of XGBoost (python3-xgboost)" || result $code "$(cat out)"

# The same seed gives the same model, on any number of threads; another seed another.
few="-s training.trainer=trees -s trees.trees=12 -s trees.objective=ordinal,classification,regression"
for threads in 1 2; do
  expect 0 "threads" train $few -s solver.threads=$threads -s output.model=t$threads.dorm
  grep -v '^checksum\|^set \|^setting' t$threads.dorm > t$threads
done
cmp -s t1 t2
result $? "threads change nothing"
expect 0 "another seed" train $few -s training.seed=2 -s output.model=seed.dorm
grep -v '^checksum\|^set \|^setting' seed.dorm | cmp -s - t1
[ $? = 1 ]
result $? "another seed gives other trees"

# Candidates of both trainers compete; the lists are combined; folds and retraining.
ordinal="-s trees.objective=ordinal -s trees.leaves=10 -s trees.learning_rate=0.1"
expect 0 "svm and trees" table $ordinal -s training.trainer=svm,trees -s solver.C=1 -s trees.trees=20 \
  -s trees.leaves=4,10 -s selection.blend=0.5 -s selection.average=1000 -s data.rank_block=0 -s output.model=both.dorm
[ "$(grep -c '^part trees' both.dorm)" = 2 ] && grep '^feature' both.dorm | grep -qv ' 0$'
result $? "the mean has both trees and a linear part"
holds out "ordinal:leaves=4"
expect 0 "show" "$dorm" show both.dorm
grep 'candidate [0-9]*: ordinal:leaves=4, round [0-9]*, rank block 0; value ' out > line
result $? "a candidate of trees has no C, gap or ridge"
holds out "importance"
expect 0 "trees alone" "$dorm" train -v $ordinal -s data.train=train.txt -s training.trainer=trees -s trees.trees=3 \
  -s selection.folds=0 -s output.model=alone.dorm
grep -q '^\[1/1\] .*: ordinal:leaves=10 round 3$' err
result $? "the progress of trees has no passes"
expect 0 "show" "$dorm" show alone.dorm
holds out "all weights of the linear part are 0"
expect 0 "it scores" "$dorm" eval both.dorm test.txt -m ndcg@10
expect 0 "patience" train $ordinal -s training.trainer=trees -s trees.trees=400 -s trees.learning_rate=1 \
  -s training.patience=3 -s data.rank_block=0 -s output.model=patience.dorm
[ "$(grep '^part trees' patience.dorm | awk '{ print $NF < 1600 }')" = 1 ]
result $? "boosting stops when nothing gets better"
expect 0 "folds" "$dorm" train -q $ordinal -s data.train=vali.txt -s selection.folds=3 -s training.trainer=trees \
  -s trees.trees=10 -s data.rank_block=0 -s output.model=folds.dorm
[ "$(grep -c '^part trees' folds.dorm)" = 3 ]
result $? "the model has the trees of each fold"
expect 0 "no validation data" "$dorm" train -v $ordinal -s data.train=vali.txt -s training.trainer=trees \
  -s trees.trees=10 -s output.model=folds.dorm
[ "$(grep -c '^part trees' folds.dorm)" = 10 ]
result $? "by default there are five folds, and with them two rank blocks"
grep -q '^\[12/12\]' err
result $? "the progress counts the folds"
expect 0 "retraining" train -s training.trainer=trees -s trees.trees=10 -s data.rank_block=0 -s selection.retrain=yes \
  -s output.model=retrained.dorm
"$dorm" generate sparse -o sparse.txt --queries 30 -d 20 -f 200 -e 5
expect 0 "sparse data" "$dorm" train -q -s data.train=sparse.txt -s training.trainer=trees -s trees.trees=5 \
  -s output.model=sparse.dorm
sed 's/sparse/dense/' sparse.txt > dense.txt
expect 0 "as dense" "$dorm" train -q -s data.train=dense.txt -s data.storage=dense -s training.trainer=trees \
  -s trees.trees=5 -s output.model=dense.dorm
grep -v '^checksum\|^set \|^setting' sparse.dorm > one
grep -v '^checksum\|^set \|^setting' dense.dorm > two
cmp -s one two
result $? "sparse and dense storage give the same trees"

expect 0 "two functions" table -s training.trainer=trees -s trees.objective=dorm,lambda -s trees.leaves=4 -s trees.trees=3 \
  -s trees.learning_rate=0.2 -s 'training.lambda=softmax | ranknet-weight-pairs of map' -s data.rank_block=0 \
  -s selection.average=10 -s output.model=functions.dorm
grep -q '^3 candidates' out
result $? "each function has a candidate"
joined() { # MODEL: one part has the trees of all chosen candidates, as many as their rounds in the table
  [ "$(grep -c '^part trees' "$1")" = 1 ] &&
    [ "$(grep -c '^tree ' "$1")" = "$(awk '/\*$/ { n += $(NF - 2) } END { print n }' out)" ]
}
joined functions.dorm
result $? "trees whose score is a sum are one part"
holds out "dorm:leaves=4 "
holds out "lambda:leaves=4,lambda=2"

# A linear start: the model has the linear part and the trees, for the formats that hold both.
from="-s training.trainer=trees -s trees.trees=5 -s trees.learning_rate=0.2 -s trees.leaves=4 -s data.rank_block=0"
expect 0 "starts" table $from -s trees.start=none,ridge -s output.model=starts.dorm
holds out "dorm:leaves=4,start=none"
holds out "dorm:leaves=4,start=ridge"
joined starts.dorm && grep '^feature' starts.dorm | grep -qv ' 0$'
result $? "the mean has the linear part of one, and the trees of both"
expect 0 "a file without validation data" "$dorm" train -v -s training.trainer=svm $from -s data.train=vali.txt -s trees.start=file:linear.dorm \
  -s output.model=from.dorm
grep -q '^\[1/1\]' err
result $? "a start from a file has no folds by default, since that model may have seen the queries"
expect 0 "from a model" train $from -s trees.start=file:linear.dorm -s trees.learning_rate=1e-6 -s output.model=from.dorm
[ "$(ndcg from.dorm)" = "$(ndcg linear.dorm)" ]
result $? "trees without effect leave the model at which they start"
expect 0 "for serving" "$dorm" train -q -s training.trainer=svm --for-serving -s data.train=train.txt -s data.validation=vali.txt $from \
  -s trees.start=ridge -s output.model=serving.dorm
expect 0 "as C" "$dorm" export --to c serving.dorm -o serving.c
expect 4 "for Solr" "$dorm" export --to solr serving.dorm -o serving.json
one_line_with "or train with training.trainer = trees alone and trees.start = none"

# What is refused.
expect 4 "a start that is not linear" train $from -s trees.start=file:trees.dorm -s output.model=no.dorm
one_line_with "trees.start = file:trees.dorm: the model is not linear"
expect 2 "a start of ordinal" train $from -s trees.objective=ordinal -s trees.start=ridge -s output.model=no.dorm
one_line_with "trees.start = ridge: the score of trees.objective = ordinal is no sum over trees"
expect 2 "no such function" train -s training.trainer=trees -s trees.objective=lambda -s 'training.lambda=softmax|ranknets' \
  -s output.model=no.dorm
one_line_with "training.lambda = ranknets: unknown lambda-function 'ranknets'; did you mean 'ranknet'?"
expect 2 "a kernel" train -s training.trainer=svm,trees -s kernel.kernel=rbf -s output.model=no.dorm
one_line_with "kernel.kernel = rbf: trainer 'trees' takes no kernels but linear"
absent no.dorm
printf '0.5 qid:a 1:1\n0 qid:a 1:0\n' > half.txt
expect 4 "fractions" "$dorm" train -q $ordinal -s data.train=half.txt -s training.trainer=trees -s output.model=no.dorm
one_line_with "half.txt: query a: the label 0.5 is no class"
expect 0 "regression takes them" "$dorm" train -q -s data.train=half.txt -s training.trainer=trees -s trees.trees=2 \
  -s trees.objective=regression -s trees.min_docs_in_leaf=1 -s trees.row_share=1 -s output.model=half.dorm
printf '1 qid:a 1:1\n1 qid:a 1:0\n' > equal.txt
expect 4 "equal labels" "$dorm" train -q $ordinal -s data.train=equal.txt -s training.trainer=trees \
  -s output.model=no.dorm
one_line_with "all documents have the same label"
absent no.dorm
finish
