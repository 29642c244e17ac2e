#!/bin/sh
# Measures training on a stream against batch training: CPU seconds and peak memory for queries that come from a pipe and
# for a file of the same queries, on one thread. What batch training takes for reading and for a pass is told apart by two
# runs that end at gaps 0.01 and 1e-10, after different numbers of passes. Queries have five documents with ten features.
# stream.sh [QUERIES] [FILE_QUERIES]: queries of the stream (10,000,000) and of the file (500,000), which the
# stream repeats.
set -eu
project=$(cd "$(dirname "$0")/../.." && pwd)
dorm=${DORM:-$project/build/dorm}
queries=${1:-10000000}
file_queries=${2:-500000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

awk -v n="$file_queries" 'BEGIN {
  srand(1)
  for (q = 1; q <= n; q++)
    for (d = 0; d < 5; d++) {
      line = ""
      sum = 0
      for (f = 1; f <= 10; f++) {
        x = rand()
        sum += (f % 3 - 1) * x
        line = line sprintf(" %d:%.3f", f, x)
      }
      print (sum > 0.5 ? 2 : sum > -0.2 ? 1 : 0) " qid:" q line
    }
}' > "$work/queries.txt"

# measure NAME QUERIES COMMAND...: CPU seconds of the command, which has to succeed, queries per CPU second, and the peak of
# its memory. The seconds are appended to the file seconds.
measure() {
  ${PYTHON:-/usr/bin/python3} - "$work/seconds" "$@" << 'EOF'
import resource, subprocess, sys
path, name, queries, command = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
subprocess.run(command, check=True, stdin=open("/dev/fd/3"), stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
seconds = used.ru_utime + used.ru_stime
with open(path, "a") as file:
    print(seconds, file=file)
print(f"{name:30s} {queries:9d} queries  {seconds:8.2f} CPU s  {queries / seconds:9.0f} queries/s  {used.ru_maxrss / 1024:7.1f} MB")
EOF
}

export OMP_NUM_THREADS=1
repeat() { # QUERIES
  left=$(($1 / file_queries))
  while [ "$left" -gt 0 ]; do
    cat "$work/queries.txt"
    left=$((left - 1))
  done
}
model="-s output.model=$work/model.dorm"
repeat "$file_queries" | measure "stream, as many as the file" "$file_queries" "$dorm" train --stream -q - -s stream.every=100000 $model 3<&0
repeat "$queries" | measure "stream" "$queries" "$dorm" train --stream -q - -s stream.every=1000000 $model 3<&0
batch() { # GAP
  measure "batch, to a gap of $1" "$file_queries" "$dorm" train -q "$work/queries.txt" -s solver.C=10 -s solver.start=zero \
    -s ranking.rounds=1 -s data.rank_block=0 -s solver.threads=1 -s solver.gap="$1" -l "$work/$1.log" $model 3< /dev/null
}
batch 0.01
batch 1e-10
few=$(grep -c '"event":"iteration"' "$work/0.01.log")
many=$(grep -c '"event":"iteration"' "$work/1e-10.log")
awk -v queries="$file_queries" -v few="$few" -v many="$many" '{ seconds[NR] = $1 }
END {
  pass = (seconds[4] - seconds[3]) / (many - few)
  reading = seconds[3] - few * pass
  printf "batch: %d and %d passes; %.2f CPU s a pass, %.0f queries/s; %.2f CPU s for the rest, most of it reading\n", few, many, pass, queries / pass, reading
  printf "stream: %.2f times the throughput of reading and one batch pass, %.2f times that of a pass alone\n", (reading + pass) / seconds[1], pass / seconds[1]
}' "$work/seconds"
