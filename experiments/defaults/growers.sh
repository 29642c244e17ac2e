#!/bin/sh
# Trees of dorm beside trees that XGBoost grows on the same gradients, with the same settings: test NDCG@10 on five partitions
# of MQ2008 into five folds, on ten splits of UCI sets and of artificial data, under each objective, McRank's among them.
# Then trees and blend as users train them, by ten seeds. With --quick: 5 rounds, 2 splits and 2 seeds. See README.md.
# needs: mq2008 page-blocks pendigits
# runs: alone
set -eu
. "$(dirname "$0")/../common.sh"
here=$(cd "$(dirname "$0")" && pwd)
prepare_python
python_with xgboost
start_results "trees of dorm beside trees that XGBoost grows on the same gradients"
rounds=50 splits=10 seeds=10
[ "${1:-}" != --quick ] || rounds=5 splits=3 seeds=2
DORM_LIBRARY=${DORM_LIBRARY:-$(ls "$(dirname "$dorm_program")"/.libs/libdorm.so.? | head -n 1)}
export DORM_LIBRARY PYTHONPATH="$PYTHONPATH:$project/python"
"$python" "$here/growers.py" growers $rounds $splits |
  keep table growers "Test NDCG@10 after $rounds rounds; means over random splits, over which differences are paired"
"$python" "$here/growers.py" seeds $seeds |
  keep table growers-seeds "Test NDCG@10 of the trainers; means of $seeds seeds, over which errors are"
