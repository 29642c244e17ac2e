#!/bin/sh
# trees_memory.sh: memory and time of a whole `dorm train` with trees beside XGBoost from Python, on dense text and on sparse
# text with many features, from the same files. Prints seconds, peak MB, and bytes for each value of the data: in all, and
# above the floats, 4 bytes a value. QUERIES (2000) of 120 documents with 136 features, ROUNDS (20) on $THREADS threads (1);
# the sparse data have 2,000 documents with 20 of 46,000 features each.
set -eu
. "$(dirname "$0")/../experiments/common.sh"
queries=${QUERIES:-2000} rounds=${ROUNDS:-20} threads=${THREADS:-1}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$dorm_program" generate artificial --queries "$queries" -d 120 -f 136 -o "$work/dense.txt"
awk 'BEGIN {
  srand(1)
  for (j = 0; j < 2000; j++) {
    line = sprintf("%d qid:%d", rand() < 0.3, int(j / 20) + 1)
    feature = 0
    for (i = 0; i < 20; i++) {
      feature += 1 + int(rand() * 2299)
      line = line sprintf(" %d:%.4f", feature, rand())
    }
    print line
  }
}' > "$work/sparse.txt"

# measured NAME VALUES COMMAND...: a row of the table.
measured() {
  "$python" -c 'import resource, subprocess, sys, time
name, values = sys.argv[1], int(sys.argv[2])
began = time.time()
subprocess.run(sys.argv[3:], check=True, stdout=subprocess.DEVNULL)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
print("%-28s %8.2f %8.0f %10.2f %10.2f" % (name, time.time() - began, peak / 1e6, peak / values, peak / values - 4))' "$@"
}

by_dorm() { # NAME VALUES FILE SETTINGS...
  name=$1 values=$2 file=$3
  shift 3
  measured "$name" "$values" "$dorm_program" train "$file" -q -s training.trainer=trees -s trees.objective=lambda \
    -s "trees.trees=$rounds" -s trees.leaves=10 -s trees.learning_rate=0.1 -s data.rank_block=0 -s selection.folds=0 \
    -s "solver.threads=$threads" -s "output.model=$work/model.dorm" "$@"
}

by_xgboost() { # NAME VALUES FILE
  "$python" -c "import xgboost" 2> /dev/null || return 0
  measured "$1" "$2" "$python" -c 'import sys, xgboost
path, rounds, threads = sys.argv[1:]
data = xgboost.DMatrix(path + "?format=libsvm", nthread=int(threads))
settings = {"objective": "rank:ndcg", "tree_method": "hist", "grow_policy": "lossguide", "max_depth": 0, "max_leaves": 10,
            "eta": 0.1, "max_bin": 256, "subsample": 0.7, "colsample_bytree": 0.5, "nthread": int(threads)}
xgboost.train(settings, data, int(rounds))' "$3" "$rounds" "$threads"
}

values=$((queries * 120 * 136))
printf '%-28s %8s %8s %10s %10s\n' "" seconds MB "bytes each" "above floats"
by_dorm "dense, dorm" $values "$work/dense.txt"
by_dorm "dense, data.storage = file" $values "$work/dense.txt" -s data.storage=file
by_xgboost "dense, XGBoost" $values "$work/dense.txt"
by_dorm "2,000 x 46,000, dorm" 40000 "$work/sparse.txt"
by_xgboost "2,000 x 46,000, XGBoost" 40000 "$work/sparse.txt"
