#!/bin/sh
# budget.sh: a short budget on queries that are drawn (training.budget), beside one on all queries, which
# solver.shards = 1 asks for. QUERIES (2000) of 120 documents with 100 features, BUDGET (5s), SEEDS (1 2 3). For each seed
# it prints the seconds of both calls, which read a cache, and what `dorm eval` says of the difference on 500 new queries.
set -eu
. "$(dirname "$0")/../experiments/common.sh"
prepare_python
queries=${QUERIES:-2000} budget=${BUDGET:-5s}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make_data() { "$dorm_program" generate artificial --queries "$1" -d 120 --features 100 --part "$2" -o "$work/$3" > /dev/null; }
make_data "$queries" 1 train.txt
make_data 500 2 test.txt
"$dorm_program" cache "$work/train.txt" -o "$work/train.cache" > /dev/null

# within MODEL ARGUMENT...: trains within the budget and prints the seconds.
within() {
  model=$1
  shift
  "$python" -c 'import subprocess, sys, time
began = time.time()
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print("%.1f s" % (time.time() - began))' \
    "$dorm_program" train "$work/train.cache" -q --budget "$budget" -o "$work/$model" "$@"
}

for seed in ${SEEDS:-1 2 3}; do
  echo "seed $seed: drawn $(within drawn --seed "$seed"), all $(within all --seed "$seed" -s solver.shards=1)"
  "$dorm_program" eval "$work/drawn" "$work/all" "$work/test.txt" -m ndcg@10 2> "$work/conventions" | tail -n 1
done
