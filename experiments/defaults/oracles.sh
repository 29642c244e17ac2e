#!/bin/sh
# Trains on MQ2008 Fold1 with c = (p+2)^-1/2, for which the oracle is not a sort, by
# every exact method, to gaps of 1e-7 and 1e-2. Prints the objective, the passes, and
# the seconds in the oracles, in the solve and in the training. See README.md.
# needs: mq2008
# minutes: 1
set -eu
. "$(dirname "$0")/../common.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
start_results "every exact oracle, MQ2008 Fold1"
gaps='1e-7 1e-2'
[ "${1:-}" != --quick ] || gaps=1e-2
field() { sed "s/.*\"$1\":\([^,}]*\).*/\1/" "$work/candidate"; }
printf 'oracle\tprimal\tdual\tpasses\toracle s\tsolve s\ttraining s\tshare of training\n' > "$work/table"
for gap in $gaps; do
  for method in auto runs shortest-path hungarian; do
    "$dorm_program" train --quiet -s training.trainer=svm --log "$work/log" -s "data.train=$data_folder/mq2008/Fold1/train.txt" \
      -s ranking.position_weights=power:0.5 -s ranking.reference=mu:1 -s ranking.rounds=1 -s solver.C=10 \
      -s solver.threads=1 -s solver.gap=$gap -s solver.oracle=$method -s "output.model=$work/model" > /dev/null
    grep '"event":"candidate".*"round":1' "$work/log" > "$work/candidate"
    printf '%s, gap %s\t%s\t%s\t%s\t%s\t%s\t%s\n' $method $gap "$(field primal)" "$(field dual)" "$(field iterations)" \
      "$(field oracle_seconds)" "$(field solve_seconds)" "$(field seconds)" |
      awk -F'\t' '{ printf "%s\t%.9f\t%.9f\t%d\t%.4f\t%.4f\t%.4f\t%.2f\n", $1, $2, $3, $4, $5, $6, $7, $5 / $7 }' >> "$work/table"
  done
done
keep table oracles "One convex problem by oracle, c = (p+2)^-1/2" --varying "oracle s" --varying "solve s" --varying "training s" \
  --varying "share of training" < "$work/table"
