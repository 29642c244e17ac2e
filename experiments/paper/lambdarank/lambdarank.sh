#!/bin/sh
# LambdaRank (Donmez, Svore and Burges 2009): Tables 1 to 4 and Figures 1 to 6 on MQ2008 and artificial data, and whether
# DORM's weights are a local optimum. With --whole: artificial data of the paper's 10,000, 5,000 and 10,000 queries, which
# take some hours. With --quick: little of everything. See README.md.
# needs: mq2008
# runs: alone
# processors: 2
# minutes: 30
set -eu
. "$(dirname "$0")/../../common.sh"
prepare_python
exec "$python" "$(dirname "$0")/lambdarank.py" "$@"
