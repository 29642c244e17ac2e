#!/bin/sh
# training.sh PROGRAM FOLDER: measures what training costs; `make bench` runs it.
#
# PROGRAM is training_bench, whose source says what it prints. The script writes
# FOLDER/training.tsv: MQ2008 Fold1 where the data folder (DORM_DATA, or
# ../shared/data beside the sources) has it, and 6,000 and 19,000 queries of 120
# documents with 136 features, which are the sizes of a fold of MSLR-WEB10K and of
# WEB30K (3 GB of memory).
program=$1
folder=$2
project=$(cd "$(dirname "$0")/.." && pwd)
mq2008=${DORM_DATA:-$project/../shared/data}/mq2008/Fold1/train.txt
mkdir -p "$folder" || exit 1
[ -f "$mq2008" ] || {
  echo "training.sh: there is no $mq2008 (part of LETOR 4.0; DORM_DATA names its folder): left out" >&2
  mq2008=
}
# shellcheck disable=SC2086
"$program" $mq2008 6000x120x136 19000x120x136 | sed "s#^$project/##; s#^.*/mq2008/#mq2008/#" > "$folder/training.tsv" || exit 1
column -t -s "$(printf '\t')" "$folder/training.tsv"
