#!/bin/sh
# kill.sh [COUNT]: kills trainings at so many random moments (6; make check-kill: 100)
# and looks at what they leave: model, cache and checkpoint are the old or the new
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

kills=0
round=0
while [ $kills -lt "$count" ] && [ $round -lt $((10 * count)) ]; do
  rm -f data.txt.dorm-cache
  round=$((round + 1))
  moment=$(awk -v seed=$((seed + round)) -v span="$span" 'BEGIN { srand(seed); printf "%.4f", rand() * span / 1000 }')
  [ $((round % 2)) = 0 ] || rm -f run # every other one begins at the beginning
  "$dorm" train config.ini -q --resume --log log.json > out 2> err &
  pid=$!
  sleep "$moment"
  kill -9 $pid 2> /dev/null
  wait $pid 2> /dev/null
  code=$?
  [ $code = 137 ] || [ $code = 0 ]
  result $? "killed or done, not failed: exit code $code"
  if [ $code = 137 ]; then
    kills=$((kills + 1))
  else
    span=$((1 + span * 3 / 4)) # it takes less than when it was timed
  fi
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
done
echo "$kills of $round killed in flight"
[ $kills = "$count" ]
result $? "$count trainings were killed in flight"
expect 0 "the last one to its end" "$dorm" train config.ini -q --resume
finish
