#!/bin/sh
# What the default says that new queries will show, beside what they show: 100 draws of artificial data and 100 random
# halves of MQ2008. With --quick: two draws. See README.md.
# needs: mq2008
# runs: alone
set -eu
. "$(dirname "$0")/../common.sh"
here=$(cd "$(dirname "$0")" && pwd)
prepare_python
start_results "the estimate that the default prints, beside fresh queries"
draws=100
[ "${1:-}" != --quick ] || draws=2
DORM_LIBRARY=${DORM_LIBRARY:-$(ls "$(dirname "$dorm_program")"/.libs/libdorm.so.? | head -n 1)}
export DORM_LIBRARY
PYTHONPATH="$PYTHONPATH:$project/python" "$python" "$here/estimate.py" "$data_folder/mq2008" $draws |
  keep table estimate "NDCG@10 that was estimated, less NDCG@10 of fresh queries" \
    --note "seen: draws whose 95 % interval, widened by the error of the fresh queries, holds their mean" \
    --note "the best candidate: its cross-validated value, without a correction for choosing it"
