#!/bin/sh
# scale.sh: what training takes as the data grow: seconds, passes, products and peak of memory by size, their exponents,
# and the same for other programs until they do not fit.
#   scale.sh STORAGE_BENCH TRAINING_BENCH DORM FOLDER
# `make bench-scale` runs it. FOLDER gets scale.tsv, and the data while they are needed. The environment may say:
#   QUERIES      the sizes, in queries of 120 documents with 136 features (833 8333 83333 250000 833333: 10^5, 10^6,
#                10^7, 3 10^7 and 10^8 documents); a size takes 1.7 kB per document on the disk, and is left out, with a
#                line that says so, where there is no room
#   RUNS         runs of each training (1); the table shows that of the median of seconds
#   THREADS      threads of dorm (2)
#   GRID_MOST    the largest number of queries for the default grid (83333); above it one C alone
#   MEMORY_MOST  the largest number of queries with values in memory; above it data.storage = file. Where it is empty,
#                values stand in memory where 900 bytes per document are less than 4/5 of the memory that is available
#   PEERS        other programs (dlib liblinear ranksvm), each left out where it is not there; empty: none
#   PEER_MOST    the largest number of queries for them (83333), whose texts take 3.6 kB per document on the disk
#   PEER_SECONDS their time limit (600); a program that does not finish a size is not tried on larger ones
#   RANKSVM      the program `train` of liblinear-ranksvm, LIBLINEAR's extension by rankings, which Debian does not have
#   DLIB_FLAGS   flags of the compiler that makes dlib_rank.cc (-lopenblas)
# The table is shown by scale.awk, which may be called again for scale.tsv.
set -eu
bench=$1
training_bench=$2
dorm=$3
folder=$4
here=$(dirname "$0")
threads=${THREADS:-2}
peers=${PEERS-dlib liblinear ranksvm}
value_bytes=$((4 * 136)) # of a document
cache_bytes=$((value_bytes + 24))
tab=$(printf '\t')
export OPENBLAS_NUM_THREADS=1
mkdir -p "$folder"
table=$folder/scale.tsv
cache=$folder/scale.cache
text=$folder/scale.txt
log=$folder/scale.log
model=$folder/scale.model
figures=$folder/scale.figures
output=$folder/scale.output
trap 'rm -f "$cache" "$text" "$text.plain" "$log" "$model" "$figures" "$output"' EXIT
trap 'exit 1' INT TERM

free_bytes() {
  df -Pk "$folder" | awk 'NR == 2 { printf "%.0f", 1024 * $4 }'
}
# Bytes of memory that are available; without /proc/meminfo as good as all.
available_bytes() {
  most=1000000000000000
  awk -v most=$most '/^MemAvailable:/ { bytes = 1024 * $2 } END { printf "%.0f", bytes ? bytes : most }' /proc/meminfo \
    2> /dev/null || echo $most
}
say() {
  echo "scale.sh: $*" >&2
}
# fits DOCUMENTS BYTES WHAT: whether the disk has room for BYTES per document; says so where it has not.
fits() {
  free=$(free_bytes)
  [ $(($1 * $2)) -lt "$free" ] && return
  say "$1 documents: no room in $folder for $3 ($(($1 * $2 / 1000000)) MB, $((free / 1000000)) MB are free): left out"
  return 1
}
# storage_of QUERIES: dense or file.
storage_of() {
  if [ -n "${MEMORY_MOST:-}" ]; then
    [ "$1" -le "$MEMORY_MOST" ] && echo dense || echo file
  else
    [ $(($1 * 120 * 900)) -lt $(($(available_bytes) * 4 / 5)) ] && echo dense || echo file
  fi
}
# measure KILOBYTES COMMAND...: puts seconds, processor seconds and peak into $measured, and the exit status into
# $status. The command gets KILOBYTES of memory, or as many as it wants (unlimited).
measure() {
  status=0
  # shellcheck disable=SC2016
  "$bench" run sh -c 'output=$1; ulimit -v "$2" 2> /dev/null; shift 2; exec "$@" > "$output" 2>&1' sh "$output" "$@" \
    > "$figures" || status=$?
  measured=$(tail -n 1 "$figures" | tr ' ' '\t')
}
# add DOCUMENTS WHAT STORAGE FIGURES REMARK
add() {
  printf '%s\t%s\t%s\t%s\t%s\n' "$@" >> "$table"
}
# Candidates with a certificate, passes, products, seconds of the solver and of its scores, by the log. Each time that
# the oracle is asked about a query, the rows of the query have been multiplied with the weights.
counts() {
  awk '
    function field(name) {
      if (!match($0, "\"" name "\":[-+.0-9e]+"))
        return 0
      return substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3)
    }
    /"event":"candidate"/ && field("iterations") > 0 {
      candidates++; passes += field("iterations"); solve += field("solve_seconds"); scores += field("score_seconds")
    }
    /"text":"oracles: / {
      count = split($0, word, " ")
      for (i = 2; i <= count; i++)
        if (word[i] ~ /^calls,/)
          calls += word[i - 1]
    }
    /"event":"selection"/ { queries = field("training_queries") }
    END { printf "%d\t%d\t%.1f\t%.4f\t%.4f", candidates, passes, queries ? calls / queries : 0, solve, scores }' "$log"
}
# train QUERIES WHAT STORAGE DATA SETTING...: a row of the table.
train() {
  documents=$(($1 * 120)) what=$2 storage=$3 data=$4
  shift 4
  run=0
  while [ $run -lt "${RUNS:-1}" ]; do
    run=$((run + 1))
    rm -f "$log"
    measure unlimited env TMPDIR="$folder" "$dorm" train "$data" -q -s training.trainer=svm --log "$log" -s data.storage="$storage" \
      -s solver.threads="$threads" -s output.model="$model" "$@"
    case $status in
      0) remark= ;;
      1) remark='a solve stopped above its gap' ;;
      *)
        remark="exit status $status"
        say "$what, $documents documents: $(tail -n 1 "$output")"
        ;;
    esac
    [ -s "$log" ] || : > "$log"
    add "$documents" "$what" "$storage" "$measured$tab$(counts)$tab$unit" "$remark"
  done
}
train_one_C() { # QUERIES WHAT STORAGE DATA
  train "$@" -s solver.C=1 -s loss.name=ndcg@10 -s ranking.rounds=1 -s ranking.reference=mu:1 -s data.rank_block=0
}
# find_unit QUERIES: seconds of one product of the matrix with a vector, in memory, into $unit. Beyond 100,000 documents
# they are those of 100,000, times as many, which take 2 ms, so that other programs do not interrupt all of the tries.
find_unit() {
  some=$(($1 < 833 ? $1 : 833))
  unit=$("$training_bench" -n 1 -t "$threads" "${some}x120x136" |
    awk -F '\t' -v scale="$(echo "$1 $some" | awk '{ print $1 / $2 }')" '
      NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
      NR == 2 { printf "%.6f", scale * $column["product"] }')
}
# peer QUERIES NAME WHAT COMMAND...: a row of another program, within the time limit and the memory that is available.
peer() {
  documents=$(($1 * 120)) name=$2 what=$3
  shift 3
  case " $beaten " in *" $name "*)
    add "$documents" "$what" text "-$tab-$tab-$tab-$tab-$tab-$tab-$tab-$tab-" 'not tried'
    return ;;
  esac
  limit=$(($(available_bytes) * 9 / 10 / 1024))
  measure $limit timeout "${PEER_SECONDS:-600}" "$@"
  case $status in
    0) remark= ;;
    124) remark="not done in ${PEER_SECONDS:-600} s" ;;
    255) remark="ended by a signal, with $((limit / 1000)) MB to be had" ;;
    *) remark="failed: exit status $status, with $((limit / 1000)) MB to be had" ;;
  esac
  [ "$status" = 0 ] || beaten="$beaten $name"
  add "$documents" "$what" text "$measured$tab-$tab-$tab-$tab-$tab-$tab-" "$remark"
}
# Leaves in $peers those that are there.
find_peers() {
  found=
  for name in $peers; do
    case $name in
      dlib)
        # shellcheck disable=SC2086
        "${CXX:-c++}" -O3 -o "$folder/dlib_rank" "$here/dlib_rank.cc" ${DLIB_FLAGS:--lopenblas} 2> "$output" || {
          say "dlib_rank.cc does not compile (Debian: apt-get install libdlib-dev): dlib is left out"
          continue
        } ;;
      liblinear)
        command -v liblinear-train > /dev/null || {
          say "there is no liblinear-train (Debian: apt-get install liblinear-tools): left out"
          continue
        } ;;
      ranksvm)
        command -v "${RANKSVM:-}" > /dev/null || {
          say "RANKSVM names no program: liblinear-ranksvm is left out"
          continue
        } ;;
      *) say "PEERS: there is no peer $name"; exit 2 ;;
    esac
    found="$found $name"
  done
  peers=$found
}
train_peers() { # QUERIES
  "$bench" text "$1" "$text"
  train_one_C "$1" 'one C, text' "$(storage_of "$1")" "$text"
  for name in $peers; do
    case $name in
      dlib) peer "$1" dlib 'dlib, pairs of two levels' "$folder/dlib_rank" "$text" ;;
      ranksvm) peer "$1" ranksvm 'liblinear-ranksvm, pairs' "$RANKSVM" -s 8 -q "$text" "$model" ;;
      liblinear)
        sed 's/ qid:[0-9]*//' "$text" > "$text.plain"
        peer "$1" liblinear 'liblinear, regression' liblinear-train -s 11 -q "$text.plain" "$model"
        rm -f "$text.plain" ;;
    esac
  done
  rm -f "$text"
}

beaten=
find_peers
echo 'documents what storage seconds processor peak candidates passes products solve scores unit remark' |
  tr ' ' '\t' > "$table"
for queries in ${QUERIES:-833 8333 83333 250000 833333}; do
  documents=$((queries * 120))
  fits $documents $((cache_bytes + 2 * value_bytes)) 'the data' || continue
  find_unit "$queries"
  if ! "$bench" make "$queries" "$folder" "$cache"; then
    say "$documents documents: the data could not be made: left out"
    continue
  fi
  train_one_C "$queries" 'one C' "$(storage_of "$queries")" "$cache"
  if [ "$queries" -gt "${GRID_MOST:-83333}" ]; then
    say "$documents documents: more than GRID_MOST: no default grid"
  else
    train "$queries" 'default grid' "$(storage_of "$queries")" "$cache"
  fi
  rm -f "$cache"
  if [ -z "$peers" ]; then
    :
  elif [ "$queries" -gt "${PEER_MOST:-83333}" ]; then
    say "$documents documents: more than PEER_MOST: no other programs"
  elif fits $documents 3600 'text'; then
    train_peers "$queries"
  fi
done
rm -f "$folder/dlib_rank"
echo "$(nproc) processors, $(($(available_bytes) / 1000000000)) GB of memory available," \
  "$(($(free_bytes) / 1000000000)) GB free on the disk"
awk -v threads="$threads" -f "$here/scale.awk" "$table"
