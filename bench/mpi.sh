#!/bin/sh
# mpi.sh: what training by several processes sends and costs.
#   mpi.sh MPI_BENCH DORM FOLDER [DORM_MPI]
# makes QUERIES (2000) queries of 120 documents with 136 features and writes into FOLDER
#   mpi_counts.tsv   two processes with 1 to 64 shards: passes and sweeps
#   mpi_times.tsv    1, 2 and 4 processes with 8 shards: bytes, calls, seconds, memory
#   mpi_pairs.tsv    RUNS (5) pairs: one process with two threads, two processes with one thread, in turns; with DORM_MPI
#                    and mpirun, those of dorm-mpi too, from its start to its end
#   mpi_model.md     what the model of mpi_model.py makes of them
set -eu
bench=$1
dorm=$2
folder=$3
dorm_mpi=${4:-}
here=$(dirname "$0")
queries=${QUERIES:-2000}
runs=${RUNS:-5}
export OPENBLAS_NUM_THREADS=1
mkdir -p "$folder"
data=$folder/mpi-$queries.cache
if [ ! -e "$data" ]; then
  "$dorm" generate artificial --queries "$queries" -d 120 -f 136 --noise 0.3 -o "$folder/mpi.txt"
  "$dorm" cache "$folder/mpi.txt" -o "$data"
  rm "$folder/mpi.txt"
fi

for shards in 1 2 4 8 16 32 64; do
  "$bench" -g $shards "$data" 2x1
done | awk 'NR == 1 || !/^processes/' > "$folder/mpi_counts.tsv"
"$bench" -g 8 "$data" 1x1 2x1 4x1 > "$folder/mpi_times.tsv"

# seconds_of PROCESSES THREADS: of a dorm-mpi, reading included.
seconds_of() {
  begin=$(date +%s%N)
  mpirun --allow-run-as-root --oversubscribe --bind-to none -n "$1" "$dorm_mpi" train "$data" -q -s "solver.threads=$2" \
    -s training.trainer=svm -s solver.shards=8 -s solver.C=1 -s loss.name=ndcg@10 -s ranking.rounds=1 -s ranking.reference=mu:1 -s data.rank_block=0 \
    -s output.model="$folder/mpi.dorm" > /dev/null
  end=$(date +%s%N)
  echo "$begin $end" | awk '{ printf "%.3f", ($2 - $1) / 1e9 }'
}
run=0
printf 'what\tone process\ttwo processes\n' > "$folder/mpi_pairs.tsv"
while [ $run -lt "$runs" ]; do
  run=$((run + 1))
  "$bench" -g 8 "$data" 1x2 2x1 | awk 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next } { t[NR] = $column["train"] }
    END { printf "training\t%s\t%s\n", t[2], t[3] }' >> "$folder/mpi_pairs.tsv"
  if [ -n "$dorm_mpi" ] && [ -x "$dorm_mpi" ] && command -v mpirun > /dev/null; then
    printf 'dorm-mpi\t%s\t%s\n' "$(seconds_of 1 2)" "$(seconds_of 2 1)" >> "$folder/mpi_pairs.tsv"
  fi
done

for what in training dorm-mpi; do
  awk -F '\t' -v what=$what '$1 == what { print $3 / $2, $2, $3 }' "$folder/mpi_pairs.tsv" | sort -n |
    awk -v what=$what '{ ratio[NR] = $1; one[NR] = $2; two[NR] = $3 }
      END { if (NR) printf "%s: two processes take %.2f times as long as two threads (median of %d pairs, %.2f to %.2f; %.2f s and %.2f s in the pair of the median)\n",
        what, ratio[int((NR + 1) / 2)], NR, ratio[1], ratio[NR], two[int((NR + 1) / 2)], one[int((NR + 1) / 2)] }'
done
column -t -s "$(printf '\t')" "$folder/mpi_counts.tsv"
column -t -s "$(printf '\t')" "$folder/mpi_times.tsv"
if command -v python3 > /dev/null; then
  python3 "$here/mpi_model.py" "$folder/mpi_counts.tsv" "$folder/mpi_times.tsv" "$queries" 120 136 > "$folder/mpi_model.md"
  cat "$folder/mpi_model.md"
fi
