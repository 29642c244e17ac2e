#!/bin/sh
# kill.sh [COUNT]: kills COUNT trainings at random moments (6 by default, 100 in make
# check-kill) and looks at the files that they leave. Model, cache and checkpoint
# must each be the old or the new one, whole by its checksum; every line of the log
# must be a JSON object; and the next training must go on from there. Then it kills
# commands for ratings and export, each a quarter as often: the file that they write
# must be the old one or the new one.
. "${srcdir:-.}/tests/cli/lib.sh"
count=${1:-6}
seed=${DORM_TEST_SEED:-20070401}
echo "seed $seed"

"$dorm" generate artificial -o data.txt --queries 40 -d 20 > /dev/null
cat > config.ini << 'END'
[data]
train = data.txt
cache = yes
[solver]
C = 1, 3
gap = 1e-4
[ranking]
position_weights = power:0.5
[output]
model = new.dorm
checkpoint = run
checkpoint_seconds = 0
END
# The time that training takes if it is not killed, in milliseconds.
begin=$(date +%s%N)
expect 0 "left alone" "$dorm" train config.ini -q
span=$((($(date +%s%N) - begin) / 1000000))

kills=0
round=0
while [ $kills -lt "$count" ] && [ $round -lt $((10 * count)) ]; do
  rm -f data.txt.dorm-cache
  round=$((round + 1))
  moment=$(awk -v seed=$((seed + round)) -v span="$span" 'BEGIN { srand(seed); printf "%.4f", rand() * span / 1000 }')
  [ $((round % 2)) = 0 ] || rm -f run # every second training starts from the beginning
  "$dorm" train config.ini -q --resume --log log.json > out 2> err &
  pid=$!
  sleep "$moment"
  strike $pid
  [ $code = 137 ] || [ $code = 0 ]
  result $? "killed or done, not failed: exit code $code"
  if [ $code = 137 ]; then
    kills=$((kills + 1))
  else
    span=$((1 + span * 3 / 4)) # the training took less time than was measured
  fi
  "$dorm" show new.dorm > /dev/null 2> err
  result $? "the model is whole after $moment s"
  [ ! -e data.txt.dorm-cache ] || "$dorm" eval new.dorm data.txt.dorm-cache > /dev/null 2> err
  result $? "the cache is whole after $moment s"
  grep -v '^{.*}$' log.json > broken
  [ ! -s broken ]
  result $? "the log has whole lines after $moment s"
  if [ -e run ]; then
    "$dorm" train config.ini -q --resume -s solver.max_seconds=6e-8 -s output.model=stopped.dorm > out 2> err
    code=$?
    [ $code = 1 ] || [ $code = 0 ]
    result $? "the checkpoint is whole after $moment s: exit code $code"
  fi
done
echo "$kills of $round killed in flight"
[ $kills = "$count" ]
result $? "$count trainings were killed in flight"
expect 0 "the last one to its end" "$dorm" train config.ini -q --resume

# kill_writer FILE COMMAND...: after COMMAND is killed, FILE must be as before or as COMMAND writes it.
kill_writer() {
  file=$1
  shift
  cp "$file" old
  begin=$(date +%s%N)
  expect 0 "$2 left alone" "$@"
  took=$((($(date +%s%N) - begin) / 1000))
  cp "$file" new
  cmp -s old new
  [ $? = 1 ]
  result $? "$2 writes another file"
  tries=0
  hit=0
  while [ $tries -lt $(((count + 3) / 4)) ]; do
    tries=$((tries + 1))
    cp old "$file"
    "$@" > out 2> err &
    pid=$!
    sleep "$(awk -v seed="$seed$tries" -v took="$took" 'BEGIN { srand(seed); printf "%.5f", rand() * 1.1 * took / 1e6 }')"
    strike $pid
    [ $code != 137 ] || hit=$((hit + 1))
    cmp -s "$file" old || cmp -s "$file" new
    result $? "$file is the old one or the new one after $2 was killed"
  done
  cp new "$file"
  echo "$2: $hit of $tries killed in flight"
}
"$dorm" generate ratings -o rated --num-users 100 --num-items 60 --ratings 15 > /dev/null
"$dorm" train -q -s training.trainer=svm -s data.train=data.txt -s solver.C=1 -s data.normalisation=global-minmax -s output.model=global.dorm > /dev/null
for file in factors rows.train.txt scores exported; do
  echo old > $file
done
kill_writer factors "$dorm" factorize -q -s ratings.file=rated -s factorization.rank=4 -s output.model=factors
kill_writer rows.train.txt "$dorm" ratings -q -s ratings.features=bias -s ratings.file=rated -s ratings.output=rows
kill_writer scores "$dorm" recommend factors --score rated -o scores
kill_writer exported "$dorm" export --to c global.dorm -o exported
finish
