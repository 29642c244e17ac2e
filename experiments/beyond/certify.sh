#!/bin/sh
# Draws values of known means and counts how often dorm's lower bound is above the mean, beside a normal interval's, and
# compares their widths. The last distribution is NDCG@10 per query of MQ2008, by one feature. With --quick: 200 draws.
# See README.md.
# needs: mq2008
# minutes: 2
set -eu
. "$(dirname "$0")/../common.sh"
here=$(cd "$(dirname "$0")" && pwd)
prepare_python
start_results "how often a lower bound of 95 % is wrong, and how wide it is"
draws=10000
[ "${1:-}" != --quick ] || draws=200
DORM_LIBRARY=${DORM_LIBRARY:-$(ls "$(dirname "$dorm_program")"/.libs/libdorm.so.? | head -n 1)}
export DORM_LIBRARY
PYTHONPATH="$PYTHONPATH:$project/python" "$python" "$here/certify_coverage.py" "$data_folder/mq2008" $draws |
  keep table certify "Lower bounds of 95 %, 10,000 draws"
