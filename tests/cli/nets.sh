#!/bin/sh
# nets.sh: nets as a user meets them: training, alone and beside the SVM, the model, stops, and what is refused.
. "${srcdir:-.}/tests/cli/lib.sh"

train() { "$dorm" train -q -s training.trainer=svm -s data.train=train.txt -s data.validation=vali.txt -s data.rank_block=0 "$@"; }
net() { train -s training.trainer=net "$@"; }
# ndcg MODEL: its NDCG@10 on the test data, in thousandths.
ndcg() { "$dorm" eval "$1" test.txt -m ndcg@10 | awk '{ printf "%d\n", 1000 * $2 }'; }
# same ONE TWO: whether two models are the same, settings, remarks and checksum apart.
same() {
  grep -v '^checksum\|^set \|^setting\|^remark' "$1" > one
  grep -v '^checksum\|^set \|^setting\|^remark' "$2" | cmp -s - one
}

"$dorm" generate artificial -o train.txt --queries 100 --part 1
"$dorm" generate artificial -o vali.txt --queries 50 --part 2
"$dorm" generate artificial -o test.txt --queries 100 --part 3

expect 0 "linear" train -s solver.C=10 -s output.model=linear.dorm
expect 0 "single layer" net -s net.hidden=0 -s training.seed=1 -s output.model=layer.dorm
expect 0 "a net" net -s training.seed=1 -s net.epochs=120 -s output.model=net.dorm
[ "$(ndcg layer.dorm)" -ge $(($(ndcg linear.dorm) - 20)) ]
result $? "NDCG of a single layer $(ndcg layer.dorm), of the SVM $(ndcg linear.dorm)"
[ "$(ndcg net.dorm)" -ge 800 ]
result $? "NDCG of a net $(ndcg net.dorm)"
expect 0 "show" "$dorm" show net.dorm
holds out "10 hidden units, 10 inputs, rank block 0"
[ "$(grep -c '^part' layer.dorm)" = 0 ] && [ "$(grep -c '^unit' net.dorm)" = 10 ]
result $? "a single layer is the linear part, a net is a part"

# The same seed gives the same model, on any number of threads; another seed another. Lists are combined.
few="-s net.epochs=3 -s net.hidden=0,4 -s training.lambda=ranknet|ranknet-weight-pairs -s selection.average=100"
for threads in 1 2 3; do
  expect 0 "threads" net $few -s training.seed=1 -s solver.threads=$threads -s output.model=t$threads.dorm
done
[ "$(grep -c '^part net' t1.dorm)" = 2 ]
result $? "two of four candidates have hidden units"
same t1.dorm t2.dorm && same t1.dorm t3.dorm
result $? "threads change nothing"
expect 0 "another seed" net $few -s training.seed=2 -s output.model=seed.dorm
same t1.dorm seed.dorm
[ $? = 1 ]
result $? "another seed gives another net"
expect 0 "svm and net" train -s training.trainer=svm,net -s solver.C=1 -s net.epochs=2 -s training.seed=1 \
  -s selection.average=1000 -s selection.blend=0.5 -s output.model=both.dorm
[ "$(grep -c '^part net' both.dorm)" = 1 ] && grep '^feature' both.dorm | grep -qv ' 0$'
result $? "the mean has both a net and a linear part"
expect 0 "a blend of 0" train -s training.trainer=svm,net -s solver.C=1 -s net.epochs=2 -s training.seed=1 \
  -s selection.average=1000 -s selection.blend=0 -s output.model=still.dorm
[ "$(grep -c '^part net' still.dorm)" = 0 ] && grep '^feature' still.dorm | grep -qv ' 0$'
result $? "a net whose share is 0 is not in the mean"

# The epoch that ranks the validation data best is kept: noise makes it none of the last ones.
"$dorm" generate artificial -o noise.txt --queries 40 -d 12 -f 5 --noise 1
"$dorm" generate artificial -o noise_vali.txt --queries 40 -d 12 -f 5 --noise 1 --part 2
noisy() {
  "$dorm" train -v -s data.train=noise.txt -s data.validation=noise_vali.txt -s data.rank_block=0 -s training.trainer=net \
    -s net.hidden=8 -s training.seed=1 -s training.patience=0 -s net.learning_rate=0.1 -s selection.average=1 "$@" > out 2>&1
}
noisy -s net.epochs=30 -s output.model=kept.dorm
epoch=$(sed -n 's/.*: epoch \([0-9]*\) of 30 kept.*/\1/p' out)
best=$(sed -n 's/^ndcg@10 *\([0-9.]*\) on the validation data/\1/p' out)
[ "${epoch:-30}" -lt 30 ] && noisy -s net.epochs="$epoch" -s output.model=to_there.dorm && same kept.dorm to_there.dorm
result $? "of 30 epochs, number $epoch is kept, as after as many"
noisy -s net.epochs=$((epoch - 1)) -s output.model=before.dorm
before=$(sed -n 's/^ndcg@10 *\([0-9.]*\) on the validation data/\1/p' out)
awk -v best="$best" -v before="$before" 'BEGIN { exit !(best > before && before > 0) }'
result $? "validation $best after it, $before the best before"

# A function that needs a measure, and is given none, takes that of the selection.
two="-s net.hidden=0 -s training.seed=1 -s net.epochs=2 -s training.patience=0"
expect 0 "for MAP" net $two -s selection.measure=map -s output.model=map.dorm
expect 0 "of MAP" net $two -s selection.measure=map -s "training.lambda=RankNet-weight-pairs of map" -s output.model=of.dorm
expect 0 "of another measure" net $two -s selection.measure=map -s "training.lambda=ranknet-weight-pairs of ndcg@10" \
  -s output.model=other.dorm
same map.dorm of.dorm && ! same map.dorm other.dorm
result $? "the measure of the selection is that of the function"

# Without validation data, in folds and in a retraining; the schedule of Donmez; sparse data.
expect 0 "folds" "$dorm" train -v -s data.train=vali.txt -s selection.folds=3 -s training.trainer=net -s training.seed=1 \
  -s net.epochs=4 -s data.rank_block=0 -s output.model=folds.dorm
[ "$(grep -c 'epoch 4 of 4 kept' err)" = 4 ]
result $? "folds make all epochs"
expect 0 "retraining" train -s training.trainer=net -s training.seed=1 -s net.epochs=4 -s selection.retrain=yes \
  -s output.model=retrained.dorm
expect 0 "donmez" "$dorm" train -v -s data.train=vali.txt -s training.trainer=net -s net.hidden=0 -s net.schedule=donmez \
  -s net.epochs=5 -s training.seed=1 -s output.model=donmez.dorm
[ "$(grep -c ' of 5 kept' err)" = 3 ]
result $? "three rates of 5 epochs"
"$dorm" generate sparse -o sparse.txt --queries 30 -d 20 -f 200 -e 5
sed 's/sparse/dense/' sparse.txt > dense.txt
for storage in sparse dense; do
  expect 0 "$storage data" "$dorm" train -q -s data.train=$storage.txt -s data.storage=$storage -s data.rank_block=0 \
    -s training.trainer=net -s net.epochs=2 -s training.seed=1 -s net.hidden=3 -s net.start=random -s output.model=$storage.dorm
done
same sparse.dorm dense.dorm
result $? "sparse and dense storage give the same net"
expect 0 "a single layer on sparse data" "$dorm" train -q -s data.train=sparse.txt -s training.trainer=net \
  -s net.epochs=2 -s net.hidden=0 -s output.model=sparse.dorm

# A linear model as the start: no epoch is needed to be as good.
expect 0 "from a model" net -s net.start=file:linear.dorm -s net.hidden=0 -s net.epochs=1 -s net.learning_rate=1e-9 -s training.seed=1 \
  -s output.model=from.dorm
[ "$(ndcg from.dorm)" = "$(ndcg linear.dorm)" ]
result $? "the start is the model"
expect 4 "from a net" net -s net.start=file:net.dorm -s output.model=no.dorm
one_line_with "net.start = file:net.dorm: the model is not linear"
expect 4 "another normalisation" net -s net.start=file:linear.dorm -s data.normalisation=zscore -s output.model=no.dorm
one_line_with "normalised by minmax, the training by zscore"
expect 3 "no model" net -s net.start=file:none.dorm -s output.model=no.dorm
absent no.dorm

# Stops: out of time, and rates that are too large.
expect 1 "a time limit" net -s net.epochs=1000000 -s training.patience=0 -s solver.max_seconds=0.3 -s output.model=short.dorm
holds err "stopped at solver.max_seconds"
expect 0 "it scores" "$dorm" eval short.dorm test.txt -m ndcg@10
expect 1 "a rate too large" net -s net.learning_rate=1e250 -s training.seed=1 -s output.model=large.dorm
holds err "left the range of numbers in epoch 1; the net of epoch 0 was kept"
expect 0 "it scores" "$dorm" eval large.dorm test.txt -m ndcg@10
expect 1 "one of two rates too large" net -v -s net.learning_rate=1e250,0.01 -s net.epochs=2 -s training.seed=1 -s output.model=large.dorm
holds large.dorm "rate=0.01"

# What has no effect, and what is refused.
expect 0 "settings of nets for another trainer" "$dorm" train -s data.train=vali.txt -s training.trainer=ridge -s net.hidden=3 \
  -s training.lambda=ranknet -s training.patience=7 \
  -s output.model=ridge.dorm
holds err "net.hidden = 3 is not used: it is for training.trainer = net"
holds err "training.patience = 7 is not used: it is for training.trainer = trees or net"
holds err "training.lambda = ranknet is not used: it is for training.trainer = trees or net"
expect 2 "no such function" net -s training.lambda=ranknets -s output.model=no.dorm
one_line_with "training.lambda = ranknets: unknown lambda-function 'ranknets'; did you mean 'ranknet'?"
expect 2 "no such schedule" net -s net.schedule=fast -s output.model=no.dorm
one_line_with "net.schedule: 'fast' is none of: adam, donmez"
finish
