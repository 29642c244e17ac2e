#!/bin/sh
# Learns from artificial queries one after the other. Compares the quality on test queries, and the progressive measure,
# with batch training and with SGD on pairs. With --quick: fewer queries. See README.md.
# needs: mq2008
# minutes: 2
set -eu
. "$(dirname "$0")/../common.sh"
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
most=16000
streams=20
[ "${1:-}" != --quick ] || { most=1000; streams=2; }
prepare_python
start_results "a stream of queries beside batch training"
"$python" "$here/measure_stream.py" "$work" "$most" "$streams"
keep table quality "NDCG@10 on 4,000 test queries after so many training queries" < "$work/quality.tsv"
keep table progress "Progressive NDCG@10 and its regret, against queries seen" < "$work/progress.tsv"
keep table pass "One pass, $streams streams: progressive NDCG@10 and batch training's on test queries" < "$work/pass.tsv"
cp "$work/quality.tsv" "$work/progress.tsv" "$out"
if command -v gnuplot > /dev/null; then
  gnuplot -c "$here/stream.gnuplot" "$work/quality.tsv" "$work/progress.tsv" "$out/stream.svg"
fi
