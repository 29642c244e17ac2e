#!/bin/sh
# workflow.sh: generate, train, predict, eval and show, as a user calls them.
. "${srcdir:-.}/tests/cli/lib.sh"

for part in 1 2 3; do
  expect 0 "generate part $part" "$dorm" generate artificial -o part$part.txt --queries 30 -d 20 --part $part
done
expect 0 "generate again" "$dorm" generate artificial -o again.txt --queries 30 -d 20 --part 1
cmp -s part1.txt again.txt
result $? "the same seed makes the same data"
gzip -k part1.txt

cat > config.ini << 'EOF'
[training]
trainer = svm
[data]
train = part1.txt
validation = part2.txt
[loss]
name = ndcg:truncation=5
[solver]
C = 1, 10
[output]
model = first.dorm
EOF
expect 0 "train" "$dorm" train -v config.ini --log log.json
holds out "first.dorm  linear"
holds out "on the validation data"
# 2 rank blocks times (1 start + 2 references times 2 C times 4 rounds)
[ "$(grep -c ' value ' err)" = 34 ]
result $? "a plain line a candidate"
[ "$(grep -c '"event":"candidate"' log.json)" = 34 ]
result $? "a log line a candidate"
grep '"event":"iteration"' log.json | grep -q '"gap":'
result $? "log lines with the gap"
[ "$(grep -c '^ *[0-9].* \*$' out)" = 5 ]
result $? "five candidates are marked"

expect 0 "train quietly, from gzip, settings on the command line" "$dorm" train config.ini -q -s data.train=part1.txt.gz -s output.model=second.dorm
[ ! -s err ]
result $? "quiet is quiet"
# The models differ only in the paths among their settings.
grep -v '^checksum\|^set \|^setting data.train\|^setting output.model' first.dorm > one
grep -v '^checksum\|^set \|^setting data.train\|^setting output.model' second.dorm > two
cmp -s one two
result $? "the same data, settings and threads give the same model"

expect 0 "train without validation" "$dorm" train -q -s training.trainer=svm -s data.train=part1.txt -s output.model=third.dorm
! grep -q '^validation' out
result $? "no validation value without validation data"

expect 0 "predict" "$dorm" predict first.dorm part3.txt
[ "$(wc -l < out)" = 600 ]
result $? "one score a document"
cp out scores.txt
expect 0 "predict to a file" "$dorm" predict first.dorm part3.txt -o scores2.txt
cmp -s scores.txt scores2.txt
result $? "the file holds the same scores"
for threads in 1 3; do
  expect 0 "predict with $threads threads" "$dorm" predict first.dorm part3.txt --threads $threads
  cmp -s out scores.txt
  result $? "the scores do not depend on the number of threads"
done
for command in predict eval; do
  expect 2 "$command with too many threads" "$dorm" $command first.dorm part3.txt --threads 1025
  one_line_with "$command: --threads '1025' is not a whole number from 0 to 1024"
done
expect 0 "eval of the model" "$dorm" eval first.dorm part3.txt -m ndcg@10 -m map
cp out by_model
expect 0 "eval of the scores" "$dorm" eval --scores scores.txt part3.txt -m ndcg@10 -m map
cmp -s out by_model
result $? "a model and its scores have the same measures"
expect 0 "eval without a measure" "$dorm" eval first.dorm part3.txt
holds out "ndcg@5"
holds out "map"

# The same data from a cache, with a cache beside the text, and with sparse storage give the same model.
expect 0 "cache" "$dorm" cache part1.txt -o part1.cache
expect 0 "train from a cache" "$dorm" train config.ini -q -s data.train=part1.cache -s output.model=cached.dorm
grep -v '^checksum\|^set \|^setting data.train\|^setting output.model' cached.dorm > two
cmp -s one two
result $? "a cache trains the same model"
for again in 1 2; do
  expect 0 "train with data.cache" "$dorm" train config.ini -q -s data.cache=yes -s output.model=cached.dorm
  grep -v '^checksum\|^set \|^setting data.train\|^setting output.model\|^setting data.cache' cached.dorm > two
  grep -v '^checksum\|^set \|^setting data.cache' one | cmp -s - two
  result $? "data.cache trains the same model"
  [ -f part1.txt.dorm-cache ]
  result $? "the cache is there"
done
for normalisation in zscore global-minmax global-zscore none; do
  expect 0 "train with $normalisation" "$dorm" train config.ini -q -s data.normalisation=$normalisation \
    -s data.features=1-4,7 -s data.storage=sparse -s output.model=other.dorm
  [ "$(grep -c '^feature ' other.dorm)" = 5 ]
  result $? "features chosen by id"
  expect 0 "predict with $normalisation" "$dorm" predict other.dorm part3.txt
done
expect 0 "generate sparse" "$dorm" generate sparse -o sparse.txt --queries 20 -d 20 -f 5000 -e 15
expect 0 "train on sparse data" "$dorm" train -q -s training.trainer=svm -s data.train=sparse.txt -s output.model=sparse.dorm
expect 0 "eval on sparse data" "$dorm" eval sparse.dorm sparse.txt

expect 0 "show" "$dorm" show first.dorm --settings
holds out "solver.C = 1, 10"
holds out "data.rank_block = 0, 0.5"
expect 0 "help" "$dorm" --help
holds out "train"
expect 0 "help of train" "$dorm" train --help
holds out "solver.max_iterations"
expect 0 "version" "$dorm" --version
holds out "dorm 0."

# A training that is stopped exits with 1 and leaves the model so far.
expect 1 "iterations limited" "$dorm" train config.ini -q -s solver.max_iterations=1 -s output.model=stopped.dorm
one_line_with "solver.max_iterations = 1"
expect 0 "the model so far can be used" "$dorm" eval stopped.dorm part3.txt

"$dorm" generate artificial -o big.txt --queries 1000 -d 50 -f 30 > /dev/null
"$dorm" train -v -s training.trainer=svm -s data.train=big.txt -s ranking.position_weights=power:0.5 -s solver.gap=1e-9 -s solver.C=10000 \
  -s output.model=interrupted.dorm -s output.checkpoint=run > out 2> first.err &
pid=$!
while ! grep -q '^\[1/' first.err && kill -0 $pid 2> /dev/null; do sleep 0.1; done
expect 3 "a second training to the same model" "$dorm" train -s training.trainer=svm part1.txt -q -s output.model=interrupted.dorm
one_line_with "interrupted.dorm: another training that has not ended writes this file"
expect 3 "and to the same checkpoint" "$dorm" train -s training.trainer=svm part1.txt -q --overwrite -s output.model=x.dorm -s output.checkpoint=run
one_line_with "run: another training that has not ended writes this file"
kill -TERM $pid
wait $pid
[ $? = 1 ]
result $? "SIGTERM ends with exit code 1"
holds first.err "stopped on request"
expect 0 "the model so far can be used" "$dorm" show interrupted.dorm
# A lock and a temporary file that a killed process left.
touch interrupted.dorm.dorm-lock interrupted.dorm.dorm-tmp
expect 0 "another training after it" "$dorm" train -s training.trainer=svm part1.txt -q -s output.model=interrupted.dorm
for left in *.dorm-tmp *.dorm-lock; do
  absent "$left"
done

# No thread can be made, and no buffer of OpenBLAS. The stack of libgomp's threads is made larger than any address space.
if ldd "${LIBDORM:-}" 2> /dev/null | grep -q libgomp; then
  expect 7 "no threads" env OMP_STACKSIZE=100000G "$dorm" train -s training.trainer=svm big.txt -q -s solver.threads=4 -s output.model=x.dorm
  holds err "lower solver.threads or --threads"
fi
if [ -z "${DORM_TEST_SANITIZERS:-}" ] && ldd "${LIBDORM:-}" 2> /dev/null | grep -q libopenblas; then
  (ulimit -v 100000 && exec timeout -s KILL 60 "$dorm" show first.dorm) > out 2> err
  [ $? = 7 ]
  result $? "no address space for OpenBLAS"
  holds err "out of memory: OpenBLAS gets no buffer"
fi

# kept FILE ARGUMENT...: the command would write over FILE, which it reads; it names the file and leaves it alone.
kept() {
  input=$1
  shift
  cp "$input" before
  expect 2 "over $input: $*" "$dorm" "$@"
  one_line_with "$input"
  cmp -s "$input" before
  result $? "$input is as it was"
}
ln part1.txt other-name
ln -s first.dorm link
kept part1.txt predict first.dorm part1.txt -o part1.txt
kept other-name predict first.dorm part1.txt -o other-name
kept first.dorm predict first.dorm part1.txt -o first.dorm
kept link predict first.dorm part1.txt -o link
kept part1.txt split part1.txt part1.txt=80 y=20
kept part1.txt cache part1.txt -o part1.txt
kept part1.txt eval first.dorm part1.txt -q --json part1.txt
kept part1.txt generate clicks part1.txt -o part1.txt
kept part1.txt train part1.txt -q -s output.model=part1.txt
kept other-name train part1.txt part2.txt -q -s output.checkpoint=other-name --overwrite
kept part2.txt train part1.txt part2.txt -q -s output.candidates=part2.txt -s output.model=x.dorm
kept part1.txt train part1.txt -q -l part1.txt -s output.model=x.dorm
kept config.ini train config.ini -q -l config.ini -s output.model=x.dorm
kept part1.txt train --stream part1.txt -q -s output.model=part1.txt
absent y
expect 2 "two outputs to one file" "$dorm" train -s training.trainer=svm part1.txt -q -s output.model=x -s output.candidates=x
one_line_with "output.candidates and output.model are both x"
expect 0 "first.dorm" "$dorm" train -s training.trainer=svm part1.txt -q -s solver.C=1 -s output.model=first.dorm
expect 0 "data.from may be replaced" "$dorm" train -s training.trainer=svm part1.txt -q -s solver.C=1 -s data.from=first.dorm -s output.model=first.dorm

finish
