#!/bin/sh
# The paper's equation 29, documents that interact, beside its section 5.1, groups with one document among the first ten:
# is the latter "equally good in practice"? MQ2008 with near-duplicates, and films of MovieLens 100K with equal genres.
# Costs and values are as in manual/interactions.md. With --quick: one strength. See README.md.
# needs: mq2008 near-duplicates movielens
# minutes: 3
set -eu
. "$(dirname "$0")/../common.sh"
here=$(cd "$(dirname "$0")" && pwd)
prepare_python
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
start_results "documents that interact, beside groups with one document"
"$python" "$here/interactions.py" "$dorm_program" "$data_folder" "$work" "$@" |
  keep table interactions "Values of rankings by equation 29, means over queries"
"$python" "$here/interactions.py" "$dorm_program" "$data_folder" "$work" --proved "$@" |
  keep table interactions-proved "Random queries of 50 documents, 10 positions, one second each on one thread"
