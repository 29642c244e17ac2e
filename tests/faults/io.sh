#!/bin/sh
# io.sh: lets every 29th call of the library on a file fail (make check-io: every
# call). Then it runs the command on a disk that is full after some blocks: the
# command must say so and exit with 3, and the file that it would have replaced must
# still be there, whole.
. "${srcdir:-.}/tests/cli/lib.sh"
expect 0 "calls on files" "${FAULT_IO:?FAULT_IO names the program}" "${1:-29}"
cat out

"$dorm" generate artificial -o data.txt --queries 30 -d 15 > /dev/null
"$dorm" train -q -s training.trainer=svm -s data.train=data.txt -s solver.C=1 -s output.model=first.dorm > /dev/null
"$dorm" predict first.dorm data.txt -o first.scores
"$dorm" cache data.txt -o first.cache
"$dorm" generate ratings -o rated --num-users 40 --num-items 30 --ratings 10 > /dev/null
factorize="factorize -q -s ratings.file=rated -s factorization.rank=3"
"$dorm" $factorize -s output.model=first.factors > /dev/null
"$dorm" ratings -q -s ratings.features=bias -s ratings.file=rated -s ratings.output=first > /dev/null
cp first.train.txt first.txt
"$dorm" train -q -s training.trainer=svm -s data.train=data.txt -s solver.C=1 -s data.normalisation=global-minmax -s output.model=global.dorm > /dev/null
"$dorm" export --to json global.dorm -o first.json
# full BLOCKS OUTPUT COMMAND...: runs the command with files of at most that many blocks.
full() {
  limit=$1
  output=$2
  shift 2
  cp "first.${output#new.}" "$output"
  (
    ulimit -f "$limit"
    exec "$@"
  ) > out 2> err < /dev/null
  code=$?
  if [ $code = 3 ]; then
    cmp -s "first.${output#new.}" "$output" ||
      { [ "$output" = new.dorm ] && "$dorm" show new.dorm > /dev/null; } # the new model is whole if only the log did not fit
    result $? "$output is the old one at $limit blocks"
    grep -qF "cannot write" err || grep -qF "could not be written" err
    result $? "it says that it cannot write at $limit blocks"
  else
    [ $code = 0 ]
    result $? "$1 $2 at $limit blocks: exit code $code"
  fi
  for left in *.dorm-tmp *.dorm-lock; do
    [ ! -e "$left" ]
    result $? "$left is left at $limit blocks"
  done
}
codes=
for limit in ${2:-2 8 128}; do # with less there is no room for the message, nor for clang's threading runtime
  full $limit new.scores "$dorm" predict first.dorm data.txt -o new.scores
  codes="$codes $code"
  full $limit new.dorm "$dorm" train -q -s training.trainer=svm -s data.train=data.txt -s solver.C=3 -s output.model=new.dorm
  full $limit new.dorm "$dorm" train -q -s training.trainer=svm -s data.train=data.txt -s solver.C=3 -s output.model=new.dorm --log new.log \
    -s output.checkpoint=run -s output.checkpoint_seconds=0
  rm -f run
  full $limit new.cache "$dorm" cache data.txt -o new.cache
  codes="$codes $code"
  full $limit new.factors "$dorm" $factorize -s output.model=new.factors
  cp first.txt first.train.txt
  full $limit new.train.txt "$dorm" ratings -q -s ratings.features=bias -s ratings.file=rated -s ratings.output=new
  full $limit new.json "$dorm" export --to json global.dorm -o new.json
done
case $codes in
*3*0*) result 0 "" ;;
*) result 1 "some disks are too small, some are not:$codes" ;;
esac
"$dorm" show new.dorm > /dev/null
result $? "the last model is whole"

if [ -w /dev/full ]; then
  for command in "predict first.dorm data.txt" "eval first.dorm data.txt" "show first.dorm" "losses" "export --to c global.dorm" \
    "recommend first.factors --user u1" "--help" \
    "train -q -s training.trainer=svm -s data.train=data.txt -s solver.C=1"; do
    # shellcheck disable=SC2086
    "$dorm" $command > /dev/full 2> err
    [ $? = 3 ]
    result $? "$command to a full standard output"
  done
  expect 3 "a full log" "$dorm" train -q -s training.trainer=svm -s data.train=data.txt -s solver.C=1 --log /dev/full
fi
finish
