#!/bin/sh
# command.sh STORAGE_BENCH DORM FOLDER: what whole calls of the command take, from the start of the process to its end, on
# MQ2008 Fold1 (in the data folder: DORM_DATA, or ../shared/data beside the sources): training with the defaults, training
# at one C, the prediction of one query by the model of the first, and `dorm --version`, which does nothing. RUNS (15) runs
# of each take turns. It writes FOLDER/command.tsv: call, seconds, processor seconds, peak of memory in MB; and prints medians.
# `make bench-command` runs it.
set -eu
bench=$1
dorm=$2
folder=$3
project=$(cd "$(dirname "$0")/.." && pwd)
mq2008=${DORM_DATA:-$project/../shared/data}/mq2008/Fold1
[ -f "$mq2008/train.txt" ] || {
  echo "command.sh: there is no $mq2008 (part of LETOR 4.0; DORM_DATA names the data folder): left out" >&2
  exit 0
}
mkdir -p "$folder"
model=$folder/command.dorm
query=$folder/command.query
awk 'NR == 1 { first = $2 } $2 == first' "$mq2008/test.txt" > "$query"

# call NAME ARGUMENT...
call() {
  name=$1
  shift
  figures=$("$bench" run "$dorm" "$@" 2> /dev/null | tail -n 1)
  printf '%s\t%s\n' "$name" "$(echo "$figures" | tr ' ' '\t')" >> "$folder/command.tsv"
}

printf 'call\tseconds\tprocessor\tpeak\n' > "$folder/command.tsv"
run=0
while [ $run -lt "${RUNS:-15}" ]; do
  run=$((run + 1))
  call 'train, defaults' train -q "$mq2008/train.txt" "$mq2008/vali.txt" -s output.model="$model"
  call 'train, one C' train -q "$mq2008/train.txt" "$mq2008/vali.txt" -s output.model="$folder/command-one.dorm" -s solver.C=1
  call 'predict one query' predict "$model" "$query"
  call '--version' --version
done
rm -f "$model" "$folder/command-one.dorm" "$query"
# median CALL COLUMN
median() {
  awk -F '\t' -v name="$1" -v column="$2" '$1 == name { print $column }' "$folder/command.tsv" | sort -g |
    awk '{ values[NR] = $1 } END { printf "%.1f", 1000 * values[int((NR + 1) / 2)] }'
}

printf '%-20s %10s %10s\n' 'milliseconds' 'wall' 'processor'
for name in 'train, defaults' 'train, one C' 'predict one query' '--version'; do
  printf '%-20s %10s %10s\n' "$name" "$(median "$name" 2)" "$(median "$name" 3)"
done
