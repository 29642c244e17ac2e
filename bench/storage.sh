#!/bin/sh
# storage.sh: what training with the values in a file (data.storage = file) takes beside training in memory.
#   storage.sh STORAGE_BENCH DORM FOLDER
# For each number of queries in QUERIES (833 8333), of 120 documents with 136 features, RUNS (3) pairs of trainings at one
# C from a cache, in turns. FOLDER gets the caches while they are needed, the files of rows, and storage.tsv: seconds,
# processor seconds, peak of resident memory in MB. With MODES=file nothing is trained in memory.
# RANK_BLOCK is data.rank_block (0). Models of dense and file have to be the same.
set -eu
bench=$1
dorm=$2
folder=$3
modes=${MODES:-dense file}
export OPENBLAS_NUM_THREADS=1
mkdir -p "$folder"

printf 'documents\tstorage\tseconds\tprocessor\tpeak\n' > "$folder/storage.tsv"
for queries in ${QUERIES:-833 8333}; do
  cache=$folder/storage-$queries.cache
  trap 'rm -f "$cache"' EXIT
  "$bench" make "$queries" "$folder" "$cache"
  run=0
  while [ $run -lt "${RUNS:-3}" ]; do
    run=$((run + 1))
    for storage in $modes; do
      figures=$(TMPDIR=$folder "$bench" run "$dorm" train "$cache" -q -s training.trainer=svm -s data.storage="$storage" \
        -s solver.C=1 -s loss.name=ndcg@10 \
        -s solver.threads="${THREADS:-2}" -s ranking.rounds=1 -s ranking.reference=mu:1 -s data.rank_block="${RANK_BLOCK:-0}" \
        -s output.model="$folder/$storage.dorm" | tail -n 1)
      printf '%s\t%s\t%s\n' $((queries * 120)) "$storage" "$(echo "$figures" | tr ' ' '\t')" >> "$folder/storage.tsv"
    done
    [ "$modes" != "dense file" ] || [ "$(grep -v '^setting \|^checksum' "$folder/dense.dorm" | cksum)" = \
      "$(grep -v '^setting \|^checksum' "$folder/file.dorm" | cksum)" ] || {
      echo "storage.sh: the models of $queries queries differ" >&2
      exit 1
    }
  done
  rm -f "$cache"
done
column -t -s "$(printf '\t')" "$folder/storage.tsv"
awk -F '\t' '
  function median(list, values, count, i, j, swap) {
    count = split(list, values, " ")
    for (i = 2; i <= count; i++)
      for (j = i; j > 1 && values[j - 1] + 0 > values[j] + 0; j--) {
        swap = values[j]; values[j] = values[j - 1]; values[j - 1] = swap
      }
    return values[int((count + 1) / 2)]
  }
  NR > 1 && !($1 in known) { known[$1] = 1; order[++sizes] = $1 }
  NR > 1 && $2 == "dense" { seconds = $3; processor = $4; memory[$1] = memory[$1] " " $5 }
  NR > 1 && $2 == "file" {
    file[$1] = file[$1] " " $5
    if (seconds) { wall[$1] = wall[$1] " " $3 / seconds; cpu[$1] = cpu[$1] " " $4 / processor }
  }
  END {
    for (i = 1; i <= sizes; i++)
      printf "%d documents: %s times the seconds of memory, %s times its processor seconds; peak %s MB, in memory %s MB\n",
        order[i], median(wall[order[i]]), median(cpu[order[i]]), median(file[order[i]]), median(memory[order[i]])
  }' "$folder/storage.tsv"
