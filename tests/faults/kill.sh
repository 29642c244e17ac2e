#!/bin/sh
# kill.sh [COUNT]: kills trainings at random moments (6; make check-kill: 100) and
# looks at what they leave: model, cache and checkpoint are the old or the new
# one, whole, by their checksums; every line of the log is a JSON object; and the
# next training goes on from there.
. "${srcdir:-.}/tests/cli/lib.sh"
count=${1:-6}
seed=${DORM_TEST_SEED:-20070401}
echo "seed $seed"

"$dorm" generate artificial -o data.txt -q 40 -d 20 > /dev/null
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
checkpoint_minutes = 0
END
# How long it takes, in milliseconds, left alone.
begin=$(date +%s%N)
expect 0 "left alone" "$dorm" train config.ini -q
span=$((($(date +%s%N) - begin) / 1000000))

awk -v seed="$seed" -v count="$count" -v span="$span" \
  'BEGIN { srand(seed); for (i = 0; i < count; i++) printf "%.4f\n", rand() * 1.1 * span / 1000 }' > moments
kills=0
round=0
while read -r moment; do
  rm -f data.txt.dorm-cache
  round=$((round + 1))
  [ $((round % 2)) = 0 ] || rm -f run # every other one begins at the beginning
  "$dorm" train config.ini -q --resume --log log.json > out 2> err &
  pid=$!
  sleep "$moment"
  kill -9 $pid 2> /dev/null && kills=$((kills + 1))
  wait $pid 2> /dev/null
  code=$?
  [ $code = 137 ] || [ $code = 0 ]
  result $? "killed or done, not failed: exit code $code"
  "$dorm" show new.dorm > /dev/null 2> err
  result $? "the model is whole after $moment s"
  [ ! -e data.txt.dorm-cache ] || "$dorm" eval new.dorm data.txt.dorm-cache > /dev/null 2> err
  result $? "the cache is whole after $moment s"
  grep -v '^{.*}$' log.json > broken
  [ ! -s broken ]
  result $? "the log has whole lines after $moment s"
  if [ -e run ]; then
    "$dorm" train config.ini -q --resume -s solver.time_limit=1e-9 -s output.model=stopped.dorm > out 2> err
    code=$?
    [ $code = 1 ] || [ $code = 0 ]
    result $? "the checkpoint is whole after $moment s: exit code $code"
  fi
done < moments
echo "$kills of $count killed in flight"
[ $((3 * kills)) -ge "$count" ]
result $? "a third of the moments at least hit a running training"
expect 0 "the last one to its end" "$dorm" train config.ini -q --resume
finish
