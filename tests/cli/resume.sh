#!/bin/sh
# resume.sh: a training killed at twenty random moments and resumed each time ends
# at the same candidates and the same model as one left alone, and what it wrote
# is always whole.
. "${srcdir:-.}/tests/cli/lib.sh"

"$dorm" generate artificial -o train.txt -q 100 -d 40 -f 12 -p 1
"$dorm" generate artificial -o vali.txt -q 40 -d 40 -f 12 -p 2
cat > config.ini << 'EOF'
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
checkpoint_minutes = 0
EOF
expect 0 "left alone" "$dorm" train config.ini -q -s output.model=alone.dorm -s output.checkpoint=alone.checkpoint
absent alone.checkpoint
grep '^ *[0-9]' out > alone.table

awk 'BEGIN { srand(20070401); for (i = 0; i < 20; i++) printf "%.3f\n", 0.02 + 0.3 * rand() }' > moments
kills=0
while read -r moment; do
  "$dorm" train config.ini -q --resume -s output.model=killed.dorm -s output.checkpoint=killed.checkpoint > out 2> err &
  pid=$!
  sleep "$moment"
  kill -KILL $pid 2> /dev/null && kills=$((kills + 1))
  wait $pid 2> /dev/null
  code=$?
  [ $code = 137 ] || [ $code = 0 ]
  result $? "killed or done, not failed: exit code $code"
  if [ -e killed.dorm ]; then
    "$dorm" show killed.dorm > /dev/null 2> err
    result $? "a model that is there is whole"
    rm killed.dorm
  fi
done < moments
[ $kills -ge 5 ]
result $? "most moments hit a running training ($kills of 20)"
expect 0 "the last resumption" "$dorm" train config.ini -q --resume -s output.model=killed.dorm -s output.checkpoint=killed.checkpoint
grep '^ *[0-9]' out > killed.table
cmp -s alone.table killed.table
result $? "the same candidates, objectives and gaps"
grep -v '^checksum\|^setting output' alone.dorm > one
grep -v '^checksum\|^setting output' killed.dorm > two
cmp -s one two
result $? "the same model"

# A checkpoint of other settings, a damaged one, and --resume without one.
expect 1 "stopped" "$dorm" train config.ini -q -s solver.time_limit=0.0005 -s output.checkpoint=c -s output.model=m
expect 4 "other settings" "$dorm" train config.ini -q --resume -s solver.gap=1e-3 -s output.checkpoint=c -s output.model=n
one_line_with "c: the checkpoint belongs to other settings"
absent n
printf x >> c
expect 4 "a damaged checkpoint" "$dorm" train config.ini -q --resume -s output.checkpoint=c -s output.model=n
one_line_with "c: the checkpoint is damaged"
expect 2 "no checkpoint named" "$dorm" train config.ini -q --resume -s output.model=n
absent n
finish
