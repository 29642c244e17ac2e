#!/bin/sh
# Measures training on a stream against batch training, on one thread: CPU seconds and peak memory. The queries, of five
# documents with ten features, are written by stream_queries while they are read, from a tenth of them to all. Batch
# training reads the same text of FILE_QUERIES of them from a file; what it takes for reading and for a pass over queries
# in memory is told apart by runs that end at gaps 0.01 and 1e-10, after different numbers of passes. Streams of as many
# queries and batch training take turns, and medians are printed.
# stream.sh [QUERIES] [FILE_QUERIES] [TURNS]     (10,000,000, 500,000 and 3; make bench-stream)
set -eu
project=$(cd "$(dirname "$0")/.." && pwd)
dorm=${DORM:-$project/build/dorm}
generator=${STREAM_QUERIES:-$project/build/stream_queries}
queries=${1:-10000000}
file_queries=${2:-500000}
turns=${3:-3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMP_NUM_THREADS=1
cat > "$work/measure.py" << 'EOF'
# measure.py NAME QUERIES COMMAND...: what the command, which has to succeed, took in CPU seconds and megabytes; standard
# input is left to it, and what writes into that pipe is not counted.
import resource, subprocess, sys
name, queries, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(name, queries, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, sep="\t")
EOF
measure() { # NAME QUERIES COMMAND...
  ${PYTHON:-/usr/bin/python3} "$work/measure.py" "$@" >> "$work/measured"
  tail -n 1 "$work/measured" | awk -F '\t' '{ printf "%-28s %9d queries  %7.2f CPU s  %8.0f queries/s  %7.1f MB\n", $1, $2, $3, $2 / $3, $4 }'
}
stream() { # NAME QUERIES
  "$generator" "$2" | measure "$1" "$2" "$dorm" train --stream -q - -s stream.every=100000 -s solver.threads=1 \
    -s output.model="$work/stream.dorm"
}
batch() { # NAME GAP
  measure "$1" "$file_queries" "$dorm" train -q -s training.trainer=svm "$work/queries.txt" -s solver.C=10 -s solver.start=zero -s ranking.rounds=1 \
    -s data.rank_block=0 -s solver.threads=1 -s solver.gap="$2" -l "$work/$1.log" -s output.model="$work/batch.dorm" < /dev/null
}

for tenths in 1 5 10; do
  stream "stream" $((queries * tenths / 10))
done
"$generator" "$file_queries" > "$work/queries.txt"
turn=0
while [ $turn -lt "$turns" ]; do
  turn=$((turn + 1))
  stream "stream as the file" "$file_queries"
  batch "batch to gap 0.01" 0.01
  batch "batch to gap 1e-10" 1e-10
done
few=$(grep -c '"event":"iteration"' "$work/batch to gap 0.01.log")
many=$(grep -c '"event":"iteration"' "$work/batch to gap 1e-10.log")
${PYTHON:-/usr/bin/python3} - "$work/measured" "$few" "$many" << 'EOF'
import statistics, sys
few, many = int(sys.argv[2]), int(sys.argv[3])
taken = {}
with open(sys.argv[1]) as file:
    for line in file:
        name, queries, seconds, memory = line.rstrip("\n").split("\t")
        taken.setdefault(name, []).append((int(queries), float(seconds), float(memory)))
seconds = {name: [row[1] for row in rows] for name, rows in taken.items()}
count = taken["stream as the file"][0][0]
turns = list(zip(seconds["stream as the file"], seconds["batch to gap 0.01"], seconds["batch to gap 1e-10"]))
one = statistics.median(long - short for _, short, long in turns) / (many - few)
stream = statistics.median(turn[0] for turn in turns)
reading = statistics.median(turn[1] for turn in turns) - few * one
print(f"memory of streams of {', '.join(str(row[0]) for row in taken['stream'])} queries: "
      f"{', '.join(f'{row[2]:.1f}' for row in taken['stream'])} MB; of batch training: {max(row[2] for row in taken['batch to gap 0.01']):.1f} MB")
print(f"stream: {stream:.2f} CPU s, {count / stream:.0f} queries/s; batch: {few} and {many} passes, "
      f"{reading:.2f} CPU s for all but passes, most of it reading, and {one:.3f} a pass")
print(f"throughput of a stream: {(reading + one) / stream:.2f} times that of batch training that reads the text and makes one pass, "
      f"{one / stream:.2f} times that of a pass over queries that are in memory already")
EOF
