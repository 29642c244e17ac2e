#!/bin/sh
# trees_command.sh: a whole `dorm train` with trees beside XGBoost from Python, which reads the same text by XGBoost's own
# reader, trains as many trees of its rank:ndcg on the same settings, and writes a model. Both on $THREADS threads (2),
# $RUNS times in turns (3). Prints the seconds of each run and the median of the ratios. QUERIES (6000) of 120 documents
# with 136 features, ROUNDS (100); 6,000 queries are 0.9 GB of text and need 4 GB of memory.
set -eu
. "$(dirname "$0")/../experiments/common.sh"
python_with xgboost
queries=${QUERIES:-6000} rounds=${ROUNDS:-100} threads=${THREADS:-2} runs=${RUNS:-3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$dorm_program" generate artificial --queries "$queries" -d 120 -f 136 -o "$work/train.txt"

# seconds COMMAND...: wall seconds of a command that prints nothing.
seconds() {
  "$python" -c 'import subprocess, sys, time
began = time.time()
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print("%.2f" % (time.time() - began))' "$@"
}

by_xgboost() {
  seconds "$python" -c 'import sys, xgboost
path, rounds, threads, model = sys.argv[1:]
data = xgboost.DMatrix(path + "?format=libsvm", nthread=int(threads))
settings = {"objective": "rank:ndcg", "tree_method": "hist", "grow_policy": "lossguide", "max_depth": 0, "max_leaves": 10,
            "eta": 0.1, "max_bin": 256, "subsample": 0.7, "colsample_bytree": 0.5, "nthread": int(threads)}
xgboost.train(settings, data, int(rounds)).save_model(model)' "$work/train.txt" "$rounds" "$threads" "$work/model.json"
}

# by_dorm OBJECTIVE
by_dorm() {
  seconds "$dorm_program" train "$work/train.txt" -q -s training.trainer=trees -s "trees.objective=$1" \
    -s "trees.trees=$rounds" -s trees.leaves=10 -s trees.learning_rate=0.1 -s trees.row_share=0.7 \
    -s trees.feature_share=0.5 -s data.rank_block=0 -s selection.folds=0 -s "solver.threads=$threads" -s "output.model=$work/model.dorm"
}

printf 'run\txgboost s\tlambda s\tdorm s\tlambda / xgboost\tdorm / xgboost\n'
for run in $(seq "$runs"); do
  printf '%s\t%s\t%s\t%s\n' "$run" "$(by_xgboost)" "$(by_dorm lambda)" "$(by_dorm dorm)"
done | awk -v OFS='\t' '
  { print $0, sprintf("%.2f\t%.2f", $3 / $2, $4 / $2); lambda[NR] = $3 / $2; dorm[NR] = $4 / $2 }
  function median(values, n,   i, j, t) {
    for (i = 2; i <= n; i++) for (j = i; j > 1 && values[j] < values[j - 1]; j--) { t = values[j]; values[j] = values[j - 1]; values[j - 1] = t }
    return n % 2 ? values[(n + 1) / 2] : (values[n / 2] + values[n / 2 + 1]) / 2
  }
  END { printf "median\t\t\t\t%.2f\t%.2f\n", median(lambda, NR), median(dorm, NR) }'
