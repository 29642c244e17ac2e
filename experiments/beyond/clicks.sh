#!/bin/sh
# Learning from clicks: simulated users of MQ2008 and of artificial data; naive, propensity-weighted with true and with
# estimated propensities, against training on labels. With --quick: one fold, few impressions. See README.md.
# needs: mq2008
# minutes: 3
set -eu
. "$(dirname "$0")/../common.sh"
prepare_python
exec "$python" "$(dirname "$0")/clicks.py" "$@"
