#!/bin/sh
# resume.sh: a training that is killed at twenty random moments and resumed each
# time ends with the same candidates and the same model as one that is not killed,
# and the files that it writes are always whole.
. "${srcdir:-.}/tests/cli/lib.sh"

"$dorm" generate artificial -o train.txt --queries 100 -d 40 -f 12 --part 1
"$dorm" generate artificial -o vali.txt --queries 40 -d 40 -f 12 --part 2
cat > config.ini << 'EOF'
[training]
trainer = svm
[data]
train = train.txt
validation = vali.txt
[ranking]
position_weights = power:0.5
[solver]
gap = 1e-4
C = 1, 10, 100
threads = 1
[output]
checkpoint_seconds = 0
EOF
expect 0 "left alone" "$dorm" train config.ini -q -s output.model=alone.dorm -s output.checkpoint=alone.checkpoint
absent alone.checkpoint
grep '^ *[0-9]' out > alone.table

after_run() {
  if [ -e killed.dorm ]; then
    "$dorm" show killed.dorm > /dev/null 2> err
    result $? "a model that is there is whole"
    rm killed.dorm
  fi
}
kill_often 20 300 20070401 "$dorm" train config.ini -q --resume -s output.model=killed.dorm -s output.checkpoint=killed.checkpoint
expect 0 "the last resumption" "$dorm" train config.ini -q --resume -s output.model=killed.dorm -s output.checkpoint=killed.checkpoint
grep '^ *[0-9]' out > killed.table
cmp -s alone.table killed.table
result $? "the same candidates, objectives and gaps"
grep -v '^checksum\|^set \|^setting output' alone.dorm > one
grep -v '^checksum\|^set \|^setting output' killed.dorm > two
cmp -s one two
result $? "the same model"

# A checkpoint of other settings, a damaged checkpoint, and --resume without one.
expect 1 "stopped" "$dorm" train config.ini -q -s solver.max_seconds=0.03 -s output.checkpoint=c -s output.model=m
expect 4 "other settings" "$dorm" train config.ini -q --resume -s solver.gap=1e-3 -s output.checkpoint=c -s output.model=n
one_line_with "c: the checkpoint belongs to other settings"
absent n
printf x >> c
expect 4 "a damaged checkpoint" "$dorm" train config.ini -q --resume -s output.checkpoint=c -s output.model=n
one_line_with "c: the checkpoint is damaged"

# A training that is stopped during cross-validation leaves the starts as a model, and the checkpoint as the folds wrote
# it; with a kernel it leaves the candidates of a fold.
cross="train config.ini -q -s data.validation= -s selection.folds=3 -s solver.C=1,10 -s output.model=folds.dorm"
expect 0 "left alone" "$dorm" $cross
mv folds.dorm folds.alone
expect 1 "stopped among folds" "$dorm" $cross -s solver.max_seconds=6e-8 -s output.checkpoint=folds
one_line_with "during cross-validation: the model is the ridge start on all training data"
expect 0 "the start can be used" "$dorm" predict folds.dorm train.txt
[ -s folds ]
result $? "the checkpoint"
expect 0 "resumed" "$dorm" $cross -s output.checkpoint=folds --resume
grep -v '^checksum\|^set \|^setting output' folds.alone > one
grep -v '^checksum\|^set \|^setting output' folds.dorm > two
cmp -s one two
result $? "the same model as without a stop"
cross="$cross -s kernel.kernel=rbf -s kernel.rank=5"
rm folds.dorm
expect 1 "stopped among folds, with a kernel" "$dorm" $cross -s solver.max_seconds=6e-8 -s output.checkpoint=folds
one_line_with "during cross-validation: the model is made of the candidates of fold 1"
grep -q '^ndcg@10     held-out' out && ! grep -q cross-validat out
result $? "values of one fold are not cross-validated"
grep -q '^kernel ' folds.dorm
result $? "the model has the kernel"
expect 0 "it can be used" "$dorm" predict folds.dorm train.txt
expect 0 "resumed" "$dorm" $cross -s output.checkpoint=folds --resume
grep -v '^checksum\|^set \|^setting output' folds.dorm > two
expect 0 "left alone" "$dorm" $cross
grep -v '^checksum\|^set \|^setting output' folds.dorm | cmp -s - two
result $? "the same model as without a stop"

# A checkpoint belongs to the contents of the files that settings name.
printf '1\n0.6\n0.5\n0\n' > c.txt
expect 1 "stopped" "$dorm" train config.ini -q -s ranking.position_weights=file:c.txt -s solver.max_seconds=0.03 \
  -s output.checkpoint=f -s output.model=m
printf '1\n0.7\n0.5\n0\n' > c.txt
expect 4 "another file of position weights" "$dorm" train config.ini -q --resume -s ranking.position_weights=file:c.txt \
  -s output.checkpoint=f -s output.model=n
one_line_with "f: the checkpoint belongs to other settings"
printf '1\n0.6\n0.5\n0\n' > c.txt
expect 0 "the file as it was" "$dorm" train config.ini -q --resume -s ranking.position_weights=file:c.txt \
  -s output.checkpoint=f -s output.model=m

# The same with names of files that hold a blank, a colon or a comma: a table of costs, position weights.
table_of_costs() { printf '* 0 0 0 0 0\n4 %s 1 2 3 4\n' "$1"; }
for name in 'my costs.txt' 'a:b.txt' '"a,b.txt"'; do
  file=$(echo "$name" | tr -d '"')
  costs="train config.ini -q -s data.validation= -s solver.C=100"
  table_of_costs 0 > "$file"
  expect 1 "stopped with costs from $name" "$dorm" $costs --overwrite -s "loss.name=cost:file=$name" -s solver.max_seconds=6e-8 \
    -s output.checkpoint=f -s output.model=m
  table_of_costs 0.5 > "$file"
  expect 4 "another table of costs in $name" "$dorm" $costs --resume -s "loss.name=cost:file=$name" \
    -s output.checkpoint=f -s output.model=n
  one_line_with "f: the checkpoint belongs to other settings"
  table_of_costs 0 > "$file"
  expect 0 "the table as it was in $name" "$dorm" $costs --resume -s "loss.name=cost:file=$name" \
    -s output.checkpoint=f -s output.model=m
  printf '1\n0.6\n0.5\n0\n' > "$file"
  expect 1 "stopped with weights from $name" "$dorm" train config.ini -q --overwrite -s "ranking.position_weights=file:$name" \
    -s solver.max_seconds=0.03 -s output.checkpoint=f -s output.model=m
  printf '1\n0.7\n0.5\n0\n' > "$file"
  expect 4 "other weights in $name" "$dorm" train config.ini -q --resume -s "ranking.position_weights=file:$name" \
    -s output.checkpoint=f -s output.model=n
done

# The same with the module of a loss, whose path stands in loss.name, with or without the name of the loss.
${DORM_TEST_CC:-cc} -shared -fPIC -I"$srcdir/include" -o first.so \
  "$srcdir/tests/plugins/reciprocal.c" -lm
for name in 'from ./loss.so' 'reciprocal from  ./loss.so'; do
  module="train config.ini -q -s data.validation= -s output.checkpoint=f -s output.model=m"
  cp first.so loss.so
  expect 1 "stopped with a loss $name" "$dorm" $module --overwrite -s "loss.name=$name" -s solver.max_seconds=6e-8
  echo >> loss.so # another file, which the loader reads as before
  expect 4 "another module in $name" "$dorm" $module --resume -s "loss.name=$name"
  one_line_with "f: the checkpoint belongs to other settings"
  cp first.so loss.so
  expect 0 "the module as it was in $name" "$dorm" $module --resume -s "loss.name=$name"
done

expect 2 "no checkpoint named" "$dorm" train config.ini -q --resume -s output.model=n
absent n

# If the command is killed while it writes a cache or a model, that file is as before, or absent, or whole.
"$dorm" generate sparse -o wide.txt --queries 100 -d 40 -f 60000 -e 40
"$dorm" generate artificial -o other.txt --queries 5 -d 5 -f 3
"$dorm" cache wide.txt -o whole.cache
"$dorm" cache other.txt -o old.cache
"$dorm" train -q -s training.trainer=svm -s data.train=other.txt -s output.model=old.model > /dev/null 2>&1
train_wide() { exec "$dorm" train -q -s training.trainer=svm -s data.train=wide.txt -s solver.C=1 -s solver.gap=0.5 -s output.model="$1" > /dev/null 2>&1; }
(train_wide whole.model)
make_cache() { exec "$dorm" cache wide.txt -o "$1" > /dev/null 2>&1; }
same_cache() { cmp -s "$1" "$2"; }
same_model() { # the models are equal, except for the name of the model file among their settings
  for file in "$1" "$2"; do
    "$dorm" show "$file" > /dev/null 2>&1 && grep -v '^checksum\|^set \|^setting output' "$file" > "compared.$file" || return 1
  done
  cmp -s "compared.$1" "compared.$2"
}

# kill_while WHAT COMMAND: kills COMMAND twelve times, at moments spread over the time that it takes.
kill_while() {
  started=$(date +%s.%N)
  ($2 "$1.timed")
  seconds=$(date +%s.%N | awk -v started="$started" '{ print $1 - started }')
  spoilt=0
  for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
    rm -f "$1.$i"
    [ $((i % 2)) = 0 ] || cp "old.$1" "$1.$i"
    ($2 "$1.$i") &
    pid=$!
    sleep "$(echo "$seconds $i" | awk '{ srand($2 + 2007); printf "%.3f", $1 * (0.4 + 0.7 * rand()) }')"
    strike $pid
    if [ -e "$1.$i" ]; then
      "same_$1" "$1.$i" "whole.$1" || cmp -s "$1.$i" "old.$1" || spoilt=$((spoilt + 1))
    elif [ $((i % 2)) = 1 ]; then
      spoilt=$((spoilt + 1))
    fi
  done
  [ $spoilt = 0 ]
  result $? "a killed command leaves the $1 as before, absent or whole ($spoilt of 12 not)"
}
kill_while cache make_cache
kill_while model train_wide
same_model model.timed whole.model
result $? "a model that was left alone is whole"
finish
