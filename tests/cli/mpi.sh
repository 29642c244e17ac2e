#!/bin/sh
# mpi.sh: dorm-mpi makes the model file of dorm to the last bit, whatever the number of processes and threads, and says
# what it cannot do. mpi_faults.sh has bad lines, kills and full disks.
. "${srcdir:-.}/tests/cli/lib.sh"

dorm_mpi=$(dirname "$dorm")/dorm-mpi
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

"$dorm" generate artificial -o train.txt --queries 40 -d 15 -f 8 --noise 0.5 > /dev/null
"$dorm" generate artificial -o validation.txt --queries 21 -d 15 -f 8 --noise 0.5 --part 2 > /dev/null
"$dorm" generate sparse -o sparse.txt --queries 40 -d 15 -f 3000 -e 12 > /dev/null
"$dorm" generate ambiguous -o hosts.txt --queries 24 > /dev/null
cp train.txt weighted.txt
awk 'BEGIN { for (q = 0; q < 40; q++) print q % 3 + (q % 7 ? 0.5 : -q % 3) }' > weighted.txt.weight
for name in train validation sparse hosts weighted; do
  "$dorm" cache $name.txt -o $name.cache
done
echo '* 1 0.5 0 0' > costs
printf '%s 0 0.2 0.3 0.4\n' 2 3 4 >> costs

# same SHARDS "PROCESSES..." WHAT ARGUMENT...: the model of dorm with these shards, of svm by default, is that of
# dorm-mpi.
same() {
  shards=$1
  processes=$2
  label=$3
  shift 3
  expect 0 "$label by dorm" "$dorm" train -s training.trainer=svm "$@" -q -s solver.shards="$shards" \
    -s output.model=model.dorm
  mv model.dorm alone.dorm
  for number in $processes; do
    expect 0 "$label by $number processes" mpirun --oversubscribe --bind-to none -n "$number" "$dorm_mpi" train \
      -s training.trainer=svm "$@" -q -s solver.threads=1 -s solver.shards="$shards" -s output.model=model.dorm
    cmp -s alone.dorm model.dorm
    result $? "$label: the model of $number processes is that of one"
    rm -f model.dorm
  done
}

same 8 "1 2 3 5" "validation data" train.cache validation.cache -s solver.C=1,10 -s ranking.rounds=2
same 8 "2 3" "sparse data" sparse.cache -s solver.C=1 -s ranking.rounds=2
same 8 3 "folds" train.cache -s solver.C=1,10 -s ranking.rounds=1 -s selection.folds=4
same 8 3 "retraining" train.cache validation.cache -s solver.C=1 -s ranking.rounds=1 -s selection.retrain=yes
same 8 3 "a structured loss" train.cache -s loss.name=rsvm -s solver.C=1
same 8 3 "costs of any form" train.cache -s loss.name=cost:file=costs -s ranking.position_weights=power:0.5 -s solver.C=1 -s ranking.rounds=1
same 8 3 "bounds" train.cache -s solver.C=1 -s ranking.rounds=1 -s training.increasing=1-100
same 8 3 "global normalisation" train.cache validation.cache -s solver.C=1 -s ranking.rounds=1 -s data.normalisation=global-zscore
same 8 3 "several normalisations" train.cache validation.cache -s solver.C=1 -s ranking.rounds=1 -s data.normalisation=none,minmax
same 8 3 "weights" weighted.cache validation.cache -s solver.C=1 -s ranking.rounds=1
same 8 3 "groups" hosts.cache -s diversity.groups=host -s solver.C=1 -s ranking.rounds=1
same 8 3 "ridge" train.cache validation.cache -s training.trainer=ridge
same 2 3 "a process without queries" train.cache -s solver.C=1 -s ranking.rounds=1
same 1 2 "one shard" train.cache -s solver.C=1 -s ranking.rounds=1

# grown ...: the same with trees.
grown() {
  same "$@" -s training.trainer=trees -s trees.trees=20 -s trees.min_docs_in_leaf=10 -s training.budget=0
}
grown 8 "1 2 3 5" "trees and validation data" train.cache validation.cache -s trees.raw_values=no,yes
grown 8 "2 3" "trees in folds" train.cache
grown 8 3 "trees on sparse data" sparse.cache -s trees.objective=lambda -s selection.folds=0
grown 8 3 "weighted trees" weighted.cache validation.cache -s trees.start=ridge
grown 8 "2 5" "trees for classes" train.cache validation.cache -s trees.objective=ordinal,classification,regression
grown 2 3 "trees and a process without queries" train.cache
same 8 3 "the default" train.cache validation.cache -s training.trainer=auto -s trees.trees=20 -s solver.C=1 -s training.budget=0

# Enough data for two threads, which grow the trees of one, as three processes do.
"$dorm" generate artificial -o large.txt --queries 250 -d 90 -f 90 --noise 0.5 > /dev/null
for threads in 1 2; do
  expect 0 "$threads threads" "$dorm" train large.txt -q -s training.trainer=svm -s solver.C=1 -s ranking.rounds=1 \
    -s solver.shards=8 -s solver.threads=$threads -s output.model=model.dorm
  mv model.dorm threads-$threads.dorm
done
cmp -s threads-1.dorm threads-2.dorm
result $? "with shards, two threads make the model of one"
"$dorm" cache large.txt -o large.cache
grow="train large.cache -q -s training.trainer=trees -s trees.trees=20 -s selection.folds=0 -s solver.shards=8"
for threads in 1 2; do
  # shellcheck disable=SC2086
  expect 0 "trees by $threads threads" "$dorm" $grow -s solver.threads=$threads -s output.model=model.dorm
  mv model.dorm threads-$threads.dorm
done
# shellcheck disable=SC2086
expect 0 "trees by three processes" mpirun --oversubscribe --bind-to none -n 3 "$dorm_mpi" $grow -s solver.threads=1 \
  -s output.model=model.dorm
cmp -s threads-1.dorm threads-2.dorm && cmp -s threads-1.dorm model.dorm
result $? "two threads and three processes grow the trees of one thread"

# refused "SENTENCE" ARGUMENT...: wrong usage, and the sentence once.
refused() {
  says=$1
  shift
  mpirun --oversubscribe -n 2 "$dorm_mpi" "$@" -q -s output.model=model.dorm > out 2> err
  result $((! ($? == 2))) "exit code of: $says"
  test "$(grep -c "$says" err)" = 1
  result $? "once: $says"
}
refused "trainer 'net' does not train on several processes" train train.cache -s solver.shards=8 -s training.trainer=net
refused "kernel.kernel = rbf: a kernel compares documents of all" train train.cache -s solver.shards=8 -s kernel.kernel=rbf
refused "loss 'rsvm_ir' looks at all queries" train train.cache -s solver.shards=8 -s loss.name=rsvm_ir
refused "solver.shards = auto: 2 processes need a number" train train.cache
refused "several processes cannot train on one stream" train --stream train.txt
"$dorm" generate clicks train.txt -o clicks --impressions 500 > /dev/null
refused "clicks: clicks are counted on one machine" train train.cache -s solver.shards=8 -s data.clicks=clicks
refused "train.txt: several processes read a cache, not text; dorm cache train.txt -o FILE makes one" train train.txt \
  -s solver.shards=8
refused "dorm-mpi trains; for 'eval' take dorm" eval train.txt

# The lowest process with another setting than the first names both values.
mpirun --oversubscribe -n 1 "$dorm_mpi" train train.cache -q -s solver.shards=8 -s data.normalisation=zscore \
  : -n 2 "$dorm_mpi" train train.cache -q -s solver.shards=8 > out 2> err
result $((! ($? == 2))) "exit code of processes that differ"
test "$(grep -c "process 2 has data.normalisation = .*, but process 1 has data.normalisation = zscore" err)" = 1
result $? "the settings that differ"

finish
