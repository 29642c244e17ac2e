#!/bin/sh
# mpi_faults.sh: dorm-mpi on bad lines, odd borders, files in parts, a process that is killed and a disk that is full.
. "${srcdir:-.}/tests/cli/lib.sh"
dorm_mpi=${DORM_MPI:-$(dirname "$dorm")/dorm-mpi}
if [ ! -x "$dorm_mpi" ] || ! command -v mpirun > /dev/null; then
  echo "skipped: dorm-mpi was not built, or there is no mpirun (apt-get install mpi-default-dev openmpi-bin)"
  exit 77
fi
# For root and for machines with few cores; and Open MPI does not give back all memory before it ends.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
unset MALLOC_PERTURB_ # mpirun has ended by a signal with it, and its own memory is not what is tested
export OMPI_MCA_orte_tmpdir_base="$work" # the folders of two tests at the same time would be in each other's way
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
  PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe OMPI_MCA_mpi_yield_when_idle=1
common="-q -s training.trainer=svm -s solver.shards=8 -s solver.C=1 -s solver.threads=1 -s ranking.rounds=1 -s data.rank_block=0"

# many NUMBER ARGUMENT...: dorm-mpi train by so many processes.
many() {
  number=$1
  shift
  # shellcheck disable=SC2086
  mpirun --oversubscribe --bind-to none -n "$number" "$dorm_mpi" train "$@" $common
}
# full_disk ARGUMENT...: two processes of dorm-mpi train, the second of which cannot write more than two kilobytes into a file.
full_disk() {
  # shellcheck disable=SC2086
  mpirun --oversubscribe --bind-to none --mca btl self,tcp -n 1 "$dorm_mpi" train "$@" $common : \
    -n 1 sh -c 'ulimit -f 4; exec "$@"' full_disk "$dorm_mpi" train "$@" $common > out 2> err < /dev/null
}
# same_model A B: but for the names of files.
same_model() {
  for model in "$1" "$2"; do
    grep -v '^checksum\|^set \|^setting output\|^setting data.train\|^setting data.weights' "$model" > "$model.lines"
  done
  cmp -s "$1.lines" "$2.lines"
  result $? "$1 and $2 are the same model"
}
# alone FILE MODEL: dorm itself with the same shards.
alone() {
  # shellcheck disable=SC2086
  expect 0 "dorm on $1" "$dorm" train "$1" $common -s output.model="$2"
}

"$dorm" generate artificial -o train.txt --queries 40 -d 12 -f 6 > /dev/null
"$dorm" generate artificial -o large.txt --queries 200 -d 40 -f 20 > /dev/null
for name in train large; do
  "$dorm" cache $name.txt -o $name.cache > /dev/null
done
alone train.txt alone.dorm
expect 0 "three processes" many 3 train.cache -s output.model=three.dorm
same_model alone.dorm three.dorm

# ---- A damaged cache is named once.
{
  head -c 5000 train.cache
  printf 'damaged'
  tail -c +5008 train.cache
} > bad.cache
expect 4 "a damaged cache" many 4 bad.cache -s output.model=bad.dorm
[ "$(cat out err | grep -c "bad.cache: ")" = 1 ]
result $? "the damaged cache is named once"
absent bad.dorm

# ---- Borders within a query; processes without a query; weights.
awk '{ $2 = "qid:" (NR <= 24 ? 1 : NR <= 440 ? 2 : 3); print }' train.txt > long.txt
"$dorm" cache long.txt -o long.cache > /dev/null
alone long.txt long1.dorm
expect 0 "borders within a query" many 5 long.cache -s output.model=long5.dorm
same_model long1.dorm long5.dorm
head -n 24 train.txt > two.txt
"$dorm" cache two.txt -o two.cache > /dev/null
alone two.txt two1.dorm
expect 0 "two queries, six processes" many 6 two.cache -s output.model=two6.dorm
same_model two1.dorm two6.dorm
awk 'NR % 12 == 1 { print 1 + NR % 5 }' train.txt > train.txt.weight
alone train.txt weighted1.dorm
"$dorm" cache train.txt -o weighted.cache > /dev/null
rm train.txt.weight
expect 0 "weights" many 3 weighted.cache -s output.model=weighted3.dorm
same_model weighted1.dorm weighted3.dorm
expect 2 "sorting" many 2 train.cache -s data.sort_queries=yes -s output.model=bad.dorm
grep -q "data.sort_queries = yes" err
result $? "what is refused is named"

# ---- What fails on one process before all meet: its sentence is printed once, and all end.
mkdir here there
cp train.cache here/
cp train.cache there/
printf '[data]\ntrain = train.cache\n[output]\nmodel = model.dorm\n' > here/config.ini
# apart CONFIG OPTION...: one process in here, and one in there with more options.
apart() {
  config=$1
  shift
  # shellcheck disable=SC2086
  timeout 20 mpirun --oversubscribe --bind-to none -n 1 --wdir "$work/here" "$dorm_mpi" train "$config" $common : \
    -n 1 --wdir "$work/there" "$dorm_mpi" train "$config" $common "$@"
}
expect 3 "a configuration that one machine does not have" apart config.ini
[ "$(grep -c '^dorm: .*config.ini' err)" = 1 ]
result $? "the missing configuration is named once"
cp here/config.ini there/
expect 0 "a configuration that both have" apart config.ini
expect 2 "an option that is none" apart config.ini --no-such-option
[ "$(grep -c 'no-such-option' err)" = 1 ]
result $? "the option is named once"
expect 2 "a setting that is none" apart config.ini -s solver.no_such=1
[ "$(grep -c 'no_such' err)" = 1 ]
result $? "the setting is named once"
expect 2 "training data that one process does not know" apart config.ini -s data.train=
[ "$(grep -c 'the processes differ: process 2 has data.train = , but process 1 has data.train = train.cache' err)" = 1 ]
result $? "what is not set is named once"

# One that fails where the others cannot learn of it ends them after ten seconds, and says why.
# shellcheck disable=SC2086
expect 2 "another command" timeout 30 mpirun --oversubscribe --bind-to none \
  -n 1 "$dorm_mpi" train train.cache $common -s output.model=bad.dorm : -n 1 "$dorm_mpi" predict train.txt
grep -q "dorm-mpi trains; for 'predict' take dorm" err && grep -q "process 2 of 2 failed alone (exit code 2)" err
result $? "the process that failed alone says why"

# Kills the last process of the job in this folder; `victim` is its number, `begin` the time.
kill_one() {
  victim=
  for folder in /proc/[0-9]*; do
    case $(cat "$folder/comm" 2> /dev/null) in
    *dorm-mpi) [ "$(readlink "$folder/cwd")" != "$work" ] || victim=${folder#/proc/} ;;
    esac
  done
  begin=$(date +%s)
  [ -z "$victim" ] || kill -KILL "$victim"
}

# ---- A process dies in mid-training: the job ends, and fewer processes go on from the checkpoint.
path="-s solver.C=0.1,1,10,100 -s solver.gap=1e-5 -s output.checkpoint=run -s output.checkpoint_seconds=0"
common="-q -s training.trainer=svm -s solver.shards=8 -s solver.threads=1 -s ranking.rounds=1 -s data.rank_block=0"
# shellcheck disable=SC2086
expect 0 "left alone" many 2 large.cache -s output.model=left.dorm $path
# shellcheck disable=SC2086
many 3 large.cache -s output.model=killed.dorm $path > out 2> err < /dev/null &
job=$!
tries=0
while [ ! -e run ] && [ $tries -lt 600 ] && kill -0 $job 2> /dev/null; do
  sleep 0.1
  tries=$((tries + 1))
done
kill_one
wait $job
code=$?
[ -n "$victim" ] && [ $code != 0 ] && [ $(($(date +%s) - begin)) -le 20 ]
result $? "the job ends after one process was killed (process $victim, exit code $code)"
[ -e run ]
result $? "the checkpoint stands"
absent killed.dorm
# ---- A disk that is full under the parts of one process: that is a warning, and the checkpoint before still stands. The
# time limit lets the job end after one pass, with a save that fails.
# shellcheck disable=SC2086
full_disk large.cache -s output.model=killed.dorm -s solver.max_seconds=0.006 $path --resume
result $((! ($? == 1))) "a full disk ends no training, its time limit does"
grep -q "warning: run\.shard-[4-8]-of-8\..: cannot write" err
result $? "the part that the full disk has no room for is named"
[ -e run ]
result $? "the checkpoint of before stands"
rm -f killed.dorm
# shellcheck disable=SC2086
expect 0 "fewer processes go on" many 2 large.cache -s output.model=killed.dorm $path --resume
same_model left.dorm killed.dorm

# ---- A job that is to replace the checkpoint of another, and whose every save fails on one process, leaves that of the
# other whole: it ends as if there had been nothing in between.
# shellcheck disable=SC2086
expect 1 "stopped after a pass" many 2 large.cache -s output.model=first.dorm $path -s solver.max_seconds=0.006
[ -e run ] && [ -e run.shard-8-of-8.b ]
result $? "there is a first checkpoint"
# shellcheck disable=SC2086
full_disk large.cache -s output.model=first.dorm $path -s solver.max_seconds=0.03 --overwrite
result $((! ($? == 1))) "the job that replaces it is stopped"
grep -q "warning: run\.shard-[4-8]-of-8\..: cannot write" err
result $? "its save fails"
# shellcheck disable=SC2086
expect 0 "the first job goes on" many 3 large.cache -s output.model=first.dorm $path --resume
same_model left.dorm first.dorm
finish
