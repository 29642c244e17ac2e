#!/bin/sh
# Trees of dorm beside trees that XGBoost grows on the same gradients, with the same settings: test NDCG@10 on MQ2008's five
# published folds, UCI sets and artificial data, under each objective, McRank's among them. With --quick: 5 rounds. See
# README.md.
# needs: mq2008 page-blocks pendigits
# runs: alone
set -eu
. "$(dirname "$0")/../common.sh"
here=$(cd "$(dirname "$0")" && pwd)
prepare_python
python_with xgboost
start_results "trees of dorm beside trees that XGBoost grows on the same gradients"
rounds=50
[ "${1:-}" != --quick ] || rounds=5
DORM_LIBRARY=${DORM_LIBRARY:-$(ls "$(dirname "$dorm_program")"/.libs/libdorm.so.? | head -n 1)}
export DORM_LIBRARY
PYTHONPATH="$PYTHONPATH:$project/python" "$python" "$here/growers.py" $rounds |
  keep table growers "Test NDCG@10 after $rounds rounds; differences are paired over the test queries"
