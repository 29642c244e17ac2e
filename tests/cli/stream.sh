#!/bin/sh
# stream.sh: dorm train --stream: a stream that is killed and resumed writes the same bytes as one that is not; memory
# does not grow; bad lines, signals, pipes, and what a stream refuses.
. "${srcdir:-.}/tests/cli/lib.sh"

"$dorm" generate artificial -o train.txt --queries 400 -d 20 -f 8 --noise 0.2
"$dorm" generate artificial -o test.txt --queries 300 -d 20 -f 8 --noise 0.2 --part 2
stream() {
  "$dorm" train -s training.trainer=svm --stream -q -s stream.every=50 "$@"
}

# ---- Killed and resumed ----

mkdir alone killed
cd alone || exit 1
stream ../train.txt -s output.model=m.dorm -s output.checkpoint=m.state -s output.resume=no > ../alone.out
cd ../killed || exit 1
after_run() {
  [ $code = 137 ] || rm -f m.state m.dorm
}
kill_often 8 200 20261122 "$dorm" train -s training.trainer=svm --stream -q --resume -s stream.every=50 ../train.txt \
  -s output.model=m.dorm -s output.checkpoint=m.state
stream --resume ../train.txt -s output.model=m.dorm -s output.checkpoint=m.state > out
cd ..
cmp -s alone/m.state killed/m.state
result $? "the same checkpoint"
cmp -s alone/m.dorm killed/m.dorm
result $? "the same model"

# A stream that ends goes on when the file has grown, as if it had been longer from the beginning.
awk '$2 ~ /qid:/ { split($2, q, ":"); if (q[2] <= 200) print }' train.txt > part.txt
mkdir grown && cd grown || exit 1
stream ../part.txt -s output.model=m.dorm -s output.checkpoint=m.state > /dev/null
cp ../train.txt ../part.txt
stream --resume ../part.txt -s output.model=m.dorm -s output.checkpoint=m.state > /dev/null
cd ..
# A pipe begins with what comes next.
awk '$2 ~ /qid:/ { split($2, q, ":"); if (q[2] > 200) print > "second.txt"; else print > "first.txt" }' train.txt
mkdir piped && cd piped || exit 1
cat ../first.txt | stream - -s output.model=m.dorm -s output.checkpoint=m.state > /dev/null
cat ../second.txt | stream - --resume -s output.model=m.dorm -s output.checkpoint=m.state > out
holds out '       400 '
[ "$(sed -n 1p out)" = "continues after 200 queries (4000 lines)" ]
result $? "a resumed stream says at once where it is"
cat /dev/null | stream - --resume -s output.model=m.dorm -s output.checkpoint=m.state -l log > out
[ "$(sed -n 1p out)" = "continues after 400 queries (4000 lines)" ] && sed -n 1p log | grep -q '"queries":400,.*"resumed":400'
result $? "also when nothing follows, and in the log"
cd ..
"$dorm" predict alone/m.dorm test.txt -o alone.scores
"$dorm" predict grown/m.dorm test.txt -o grown.scores
cmp -s alone.scores grown.scores
result $? "the same scores from a file that grew"
"$dorm" predict piped/m.dorm test.txt -o piped.scores
cmp -s alone.scores piped.scores
result $? "the same scores from two pipes as from one file"

expect 2 "a checkpoint that is there" stream train.txt -s output.model=x.dorm -s output.checkpoint=alone/m.state
one_line_with "a checkpoint is there already"
expect 4 "other settings" stream --resume train.txt -s solver.C=3 -s output.model=x.dorm -s output.checkpoint=alone/m.state
one_line_with "belongs to other settings"
sed "s/ 1:0/ 1:1/" train.txt > other.txt
expect 4 "another file" stream --resume other.txt -s output.model=x.dorm -s output.checkpoint=alone/m.state
one_line_with "this is not the line that was learned from before"
head -c 200 alone/m.state > cut.state
expect 4 "a checkpoint that was cut" stream --resume train.txt -s output.model=x.dorm -s output.checkpoint=cut.state
one_line_with "the checkpoint is damaged"

# ---- A model to go on from ----

# Feature 10 appears before feature 5: the model of the stream lists 5 first.
awk '{ gsub(/ 5:/, " 10:") } { print }' first.txt | awk '{ out = $1 " " $2; ten = ""
  for (i = 3; i <= NF; i++) if ($i ~ /^10:/) ten = " " $i; else out = out " " $i
  print out ten }' > ten.txt
cat ten.txt second.txt > late.txt # first 1..4, 6..8, 10, then 5
"$dorm" train -q -s training.trainer=svm first.txt -s solver.C=1 -s data.features=1-4 -s data.rank_block=0 -s output.model=old.dorm > /dev/null
mkdir whole && cd whole || exit 1
stream ../late.txt -s data.from=../old.dorm -s output.model=m.dorm -s output.checkpoint=m.state > /dev/null
mkdir ../parts && cd ../parts || exit 1
stream ../ten.txt -s data.from=../old.dorm -s output.model=m.dorm -s output.checkpoint=m.state > /dev/null
cat ../second.txt | stream --resume - -s data.from=../old.dorm -s output.model=m.dorm -s output.checkpoint=m.state > /dev/null
cd ..
"$dorm" predict whole/m.dorm test.txt -o whole.scores
"$dorm" predict parts/m.dorm test.txt -o parts.scores
cmp -s whole.scores parts.scores && grep -q '^feature 5 ' whole/m.dorm
result $? "from a model, features in another order, resumed: the same scores"
stream late.txt -s data.from=old.dorm -s solver.rho=0.5 -s solver.C=1e-9 -s output.model=still.dorm > /dev/null
"$dorm" predict still.dorm test.txt -o still.scores
"$dorm" predict old.dorm test.txt -o old.scores
paste old.scores still.scores | awk '{ d = $1 / 2 - $2; if (d * d > 1e-12) bad = 1 } END { exit bad || NR != 6000 }'
result $? "where C is next to 0, the scores are rho times those of the model gone on from"
cp parts/m.dorm new.dorm
"$dorm" train -q -s training.trainer=svm second.txt -s solver.C=1 -s data.features=1-4 -s data.rank_block=0 -s output.model=old.dorm > /dev/null
cd parts || exit 1
expect 4 "another model under the name of data.from" stream --resume ../late.txt -s data.from=../old.dorm -s output.model=x.dorm -s output.checkpoint=m.state
one_line_with "another model of data.from"
mv out err ..
cd ..
expect 2 "data.from is output.model" stream ten.txt -s data.from=new.dorm -s output.model=./new.dorm -s output.checkpoint=new.state
one_line_with "data.from and output.model are both new.dorm"
expect 0 "without a checkpoint they may be one" stream ten.txt -s data.from=new.dorm -s output.model=new.dorm
expect 2 "a checkpoint over the model" stream ten.txt -s output.model=x.dorm -s output.checkpoint=x.dorm
one_line_with "output.checkpoint and output.model are both x.dorm"

# ---- Quality: the same as batch training's ----

"$dorm" train -s training.trainer=svm train.txt -q -s data.test=test.txt -s data.rank_block=0 -s output.model=batch.dorm > batch.out 2> err
stream train.txt -s data.test=test.txt -s output.model=s.dorm > stream.out 2> err
batch=$(sed -n 's/^test ndcg@10 = \([0-9.]*\).*/\1/p' batch.out)
streamed=$(sed -n 's/^test ndcg@10 = \([0-9.]*\).*/\1/p' stream.out)
awk -v a="$batch" -v b="$streamed" 'BEGIN { exit !(a > 0.5 && b > a - 0.01) }'
result $? "test measure $streamed of a stream, $batch of batch training"
printf '1 qid:none\n0 qid:none\n' | cat - first.txt > none.txt
for storage in sparse dense; do
  expect 0 "a first query without a feature, $storage" stream none.txt -s data.storage=$storage -s output.model=none.dorm
  expect 0 "$storage rows" stream train.txt -s data.storage=$storage -s data.rank_block=0.5 -s data.test=test.txt -s output.model=rows.dorm
  grep '^test' out > $storage.value
done
cmp -s sparse.value dense.value && grep -q 'ndcg@10 = 0\.[5-9]' dense.value
result $? "models of sparse and dense rows"
# After each query, `progressive` is the mean of all values so far, beside its standard error.
"$dorm" train -s training.trainer=svm --stream -q first.txt -s stream.every=1 -s output.model=each.dorm > each.out
awk '$1 ~ /^[0-9]+$/ && NF == 6 {
  n++; sum += $4; squares += $4 * $4; mean = sum / n
  error = n > 1 ? sqrt((squares / n - mean * mean) / (n - 1)) : 0
  if ($1 != n || $3 !~ /^[0-9.]+$/ && n > 1 || ($2 - mean) ^ 2 > 1e-7 || (n > 2 && ($3 - error) ^ 2 > 1e-7)) bad = 1
} END { exit bad || n < 100 }' each.out
result $? "the progressive value and its error are those of the values of all queries"
for loss in map rsvm mrr precision:truncation=5; do
  expect 0 "loss $loss" stream train.txt -s loss.name=$loss -s output.model=loss.dorm
done
expect 0 "from a model" stream train.txt -s data.from=s.dorm -s output.model=f.dorm
expect 0 "from a model with global numbers: the model" "$dorm" train -s training.trainer=svm train.txt -q --for-serving -s solver.C=1 -s output.model=global.dorm
expect 0 "from a model with global numbers" stream train.txt -s data.from=global.dorm -s output.model=f.dorm -l f.log
holds f.log '"event":"stream"'
holds f.dorm 'setting data.normalisation = global-minmax'

# ---- Bad lines, signals ----

stream first.txt -s output.model=plain.dorm > /dev/null
printf '\357\273\277' | cat - first.txt > mark.txt
cat mark.txt | stream - -s output.model=mark.dorm > /dev/null # a file's first bytes are read on their own
"$dorm" predict plain.dorm test.txt -o plain.scores
"$dorm" predict mark.dorm test.txt -o mark.scores
cmp -s plain.scores mark.scores
result $? "a byte order mark changes nothing"
(cat first.txt; echo '1 qid:999 1:x'; cat second.txt) > bad.txt
bad=$(($(wc -l < first.txt) + 1))
expect 4 "a bad line" stream bad.txt -s output.model=bad.dorm -s output.checkpoint=bad.state
one_line_with "bad.txt:$bad: feature 1: 'x' is not a finite number"
"$dorm" predict bad.dorm test.txt -o bad.scores
result $? "the model of the queries before the bad line is there"
"$dorm" train -s training.trainer=svm --stream -q first.txt -s stream.every=50 -s output.model=good.dorm > /dev/null
"$dorm" predict good.dorm test.txt -o good.scores
cmp -s bad.scores good.scores
result $? "and it is that of these queries"
: > empty.txt
expect 4 "an empty input" stream -s data.train=empty.txt -s output.model=x.dorm
one_line_with "no query in it"

# A first query that is refused leaves the old model where it is.
printf '\n4000 qid:1 1:1 99:1\n0 qid:1 1:2\n' > refused.txt
echo old > kept.dorm
expect 4 "a first query that is refused" stream refused.txt -s output.model=kept.dorm -s output.checkpoint=kept.state
one_line_with "refused.txt:2: query '1': loss 'ndcg'"
[ "$(cat kept.dorm)" = old ] && [ ! -e kept.state ] && [ ! -s out ]
result $? "nothing is written or printed when no query was learned from"
(cat first.txt refused.txt) > bad.txt
expect 4 "a later query that is refused" stream bad.txt -s output.model=bad.dorm
one_line_with "bad.txt:$((bad + 1)): query '1': loss 'ndcg'"
"$dorm" predict bad.dorm test.txt -o bad.scores
cmp -s bad.scores good.scores && ! grep -q '^feature 99 ' bad.dorm
result $? "the model is that of the queries before the refused one"

mkfifo pipe
"$dorm" train -s training.trainer=svm --stream -q pipe -s output.model=signalled.dorm -s output.checkpoint=signalled.state > signalled.out 2> err &
pid=$!
exec 3> pipe
cat first.txt >&3
sleep 1
kill -TERM $pid
wait $pid
[ $? = 0 ]
result $? "SIGTERM ends a stream with exit code 0"
exec 3>&-
holds signalled.out 'model written to signalled.dorm'
holds signalled.out '       199 ' # the 200th may go on
"$dorm" show signalled.dorm > /dev/null
result $? "the model is whole"

# ---- Refusals ----

refuses() {
  expect 2 "$1" stream train.txt -s output.model=x.dorm -s "$1"
  one_line_with "$2"
}
refuses data.normalisation=global-minmax "needs the numbers of all training data"
refuses kernel.kernel=rbf "kernel.kernel = rbf does not go with a stream"
refuses training.trainer=trees "training.trainer = trees does not go with a stream"
refuses data.clicks=clicks "data.clicks = clicks does not go with a stream"
refuses solver.shards=8 "solver.shards = 8 does not go with a stream"
refuses selection.folds=3 "selection.folds = 3 does not go with a stream"
refuses solver.C=1,3 "solver.C = 1,3: a stream trains with one value"
refuses data.normalisation=minmax,none "data.normalisation = minmax,none: a stream trains with one value"
refuses diversity.groups=host "diversity.groups = host does not go with a stream"
refuses ranking.reference=none "ranking.reference = none is for structured losses"
for key in method window visits horizon skip; do
  refuses stream.$key=2 "stream.$key is gone: "
done
# Settings that would do nothing are named, and those that do something are not.
expect 0 "unused settings" "$dorm" train -s training.trainer=svm --stream first.txt -s output.model=x.dorm \
  -s ranking.rounds=2 -s selection.average=3 -s selection.start=no -s trees.trees=5 -s solver.rho=0.5 \
  -s clicks.curve=free -s solver.gap=0.001 -s ranking.reference=mu:0.5
for key in ranking.rounds selection.average selection.start trees.trees solver.rho clicks.curve solver.gap; do
  grep -q "$key = .* is not used" err
  result $? "$key is not used, and that is said"
done
[ "$(grep -c 'is not used' err)" = 7 ]
result $? "settings that are used are not named as unused"
expect 3 "test data that are not there" stream train.txt -s data.test=nowhere.txt -s output.model=untouched.dorm
one_line_with "nowhere.txt"
echo "1 qid:1 1:x" > badtest.txt
expect 4 "bad test data" stream train.txt -s data.test=badtest.txt -s output.model=untouched.dorm
[ ! -e untouched.dorm ] && [ ! -s out ]
result $? "bad test data are told before training"
gzip -c first.txt > first.gz
expect 4 "gzip on a pipe" sh -c 'cat first.gz | "$0" train --stream - -q -s output.model=untouched.dorm' "$dorm"
one_line_with "gzip data; a pipe has to be plain text: gunzip -c FILE | dorm train --stream -"
expect 0 "a gzip file" stream first.gz -s output.model=x.dorm
head -n 2000 first.txt > log.txt
stream log.txt -s output.model=x.dorm -s output.checkpoint=log.state -l log > /dev/null
cat first.txt > log.txt
stream log.txt --resume -s output.model=x.dorm -s output.checkpoint=log.state -l log > /dev/null
[ "$(grep -c '"event":"stream"' log)" = 5 ]
result $? "the log is added to: $(grep -c . log) lines"
grep -q '"queries":50,.*"C":0\.1' log && grep -q '"queries":200,.*"C":0\.05' log
result $? "C is divided by the queries so far, by 100 at least"
echo 1 > train.txt.weight
refuses solver.C=1 "a stream does not read the weights in train.txt.weight"
rm train.txt.weight

# ---- Memory ----

queries() {
  awk -v n="$1" 'BEGIN {
    for (q = 1; q <= n; q++) {
      a = (q * 7919) % 101
      printf "0 qid:%d 1:%d 2:3\n1 qid:%d 1:%d 2:%d\n2 qid:%d 1:%d 2:7\n", q, a, q, (a * 31) % 97, a % 7, q, (a * 17) % 103
    }
  }'
}
# The peak of the resident memory in kilobytes, as the process itself has it at its end.
peak() {
  queries "$1" | python3 -c '
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$dorm" train -s training.trainer=svm --stream -q - -s output.model=memory.dorm -s stream.every=50000
}
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=1"
few=$(peak 10000)
many=$(peak ${DORM_STREAM_QUERIES:-200000})
room=3000
[ -z "${DORM_TEST_SANITIZERS:-}" ] || room=100000 # a sanitizer keeps what was freed for a while
[ -n "$few" ] && [ "$many" -lt $((few + room)) ]
result $? "memory: $few KB for ten thousand queries, $many KB for many"

finish
