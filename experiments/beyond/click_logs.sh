#!/bin/sh
# Estimates and training from many simulated clicks: whether the sign of a difference is claimed wrongly, safe
# training, the least error without bias, and trust in the top positions. With --quick: 4 logs, one fold. See README.md.
# needs: mq2008
# minutes: 8
set -eu
. "$(dirname "$0")/../common.sh"
here=$(cd "$(dirname "$0")" && pwd)
prepare_python
start_results "what dorm concludes from many logs"
logs=200
[ "${1:-}" != --quick ] || logs=4
run() { "$python" "$here/click_logs.py" "$1" $logs; }
run sign | keep table sign "Sign of a difference if users see 5 of 30 documents, $logs logs of 3,000 impressions"
run safe | keep table safe "Safe training: models handed out, judged by their DCG@10 on 1,000 new queries"
run bound | keep table bound "Squared errors times 10,000, 10,000 impressions, users see all of 20 documents"
run trust | keep table trust "Test NDCG@10 of trees, MQ2008, 1,000,000 impressions with trust .65 / position"
