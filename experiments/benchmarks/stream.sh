#!/bin/sh
# Measures training on a stream against batch training: CPU seconds and peak memory for queries that come from a pipe and
# for a file of the same queries that is read and passed over once, on one thread. Queries have five documents with ten
# features. stream.sh [QUERIES] [FILE_QUERIES]: queries of the stream (10,000,000) and of the file (500,000), which the
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

# measure NAME QUERIES COMMAND...: CPU seconds of the command, queries per CPU second, and the peak of its memory.
measure() {
  ${PYTHON:-/usr/bin/python3} - "$@" << 'EOF'
import resource, subprocess, sys
name, queries, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
subprocess.run(command, check=False, stdin=open("/dev/fd/3"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
seconds = used.ru_utime + used.ru_stime
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
# one pass at a fixed point and one sequential pass
measure "batch: reading and two passes" "$file_queries" "$dorm" train -q "$work/queries.txt" -s solver.C=10 -s solver.start=zero \
  -s ranking.rounds=1 -s data.rank_block=0 -s solver.threads=1 -s solver.max_iterations=2 $model 3< /dev/null
