#!/bin/sh
# Measures how fast the cutting-plane loop converges, on one thread: the passes over
# the data (one oracle call per query in each), the rankings in the working set, the
# seconds, and those of the dual QP, to a relative gap of 1e-2, 1e-3 and 1e-4, for C
# over five decades. Sets the bound of Tsochantaridis et al. on the steps beside them
# (bound.py), and plots primal
# and dual value against seconds. With --quick: at C = 10 alone. See README.md.
# needs: mq2008
# minutes: 1
set -eu
. "$(dirname "$0")/../common.sh"
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
Cs='0.1 1 10 100 1000'
[ "${1:-}" != --quick ] || Cs=10
prepare_python
start_results "passes, rankings and seconds to a gap"
"$dorm_program" generate artificial --queries 500 -d 100 -f 50 --noise 0.3 -o "$work/artificial.txt"

# solve DATA C: solves to 1e-4 from the ridge start and prints the log of the passes.
solve() {
  "$dorm_program" train --quiet -s training.trainer=svm --log "$work/log" -s "data.train=$1" -s "solver.C=$2" \
    -s solver.gap=1e-4 -s solver.threads=1 -s solver.max_iterations=5000 -s ranking.reference=mu:1 -s ranking.rounds=1 \
    -s data.rank_block=0 -s "output.model=$work/model" > /dev/null
  grep '"event":"iteration"' "$work/log"
}

# field KEY: prints the value of KEY in each line of JSON.
field() { sed "s/.*\"$1\":\([^,}]*\).*/\1/"; }

: > "$work/measured"
printf 'data\tC\tgap\tpasses\tcolumns\tseconds\tqp\n' > "$work/table"
for data in "$data_folder/mq2008/Fold1/train.txt" "$work/artificial.txt"; do
  name=mq2008
  [ "$data" != "$work/artificial.txt" ] || name=artificial
  for C in $Cs; do
    solve "$data" $C > "$work/passes"
    for key in gap iterations columns solve_seconds qp_seconds primal dual; do
      field $key < "$work/passes" > "$work/$key"
    done
    paste "$work/solve_seconds" "$work/primal" "$work/dual" "$work/gap" > "$out/passes-$name-$C.tsv"
    paste "$work/gap" "$work/iterations" "$work/columns" "$work/solve_seconds" "$work/qp_seconds" |
      awk -v OFS='\t' -v name=$name -v C=$C '
        BEGIN { split("1e-2 1e-3 1e-4", goal, " ") ; next_goal = 1 }
        { while (next_goal <= 3 && $1 <= goal[next_goal] + 0) {
            printf "%s\t%s\t%s\t%d\t%d\t%.3f\t%.3f\n", name, C, goal[next_goal], $2, $3, $4, $5
            next_goal++ } }' >> "$work/table"
    paste "$work/gap" "$work/iterations" "$work/primal" |
      awk -v OFS='\t' -v name=$name -v C=$C '
        BEGIN { split("1e-2 1e-3 1e-4", goal, " ") ; next_goal = 1 }
        { while (next_goal <= 3 && $1 <= goal[next_goal] + 0) print name, C, goal[next_goal++], $2, $3 }' >> "$work/measured"
  done
done
keep table convergence "Passes and seconds to a relative gap" --varying seconds --varying qp < "$work/table"
"$python" "$here/bound.py" mq2008 "$data_folder/mq2008/Fold1/train.txt" artificial "$work/artificial.txt" \
  < "$work/measured" > "$work/bounds"
keep table convergence-bound "The bound max[2n/epsilon, 8 C R^2/epsilon^2] beside the passes" \
  --note "rankings at most: passes times queries; each pass adds one ranking of a query at most" < "$work/bounds"

if command -v gnuplot > /dev/null; then
  gnuplot -c "$here/convergence.gnuplot" "$out" "$out/convergence.svg"
  echo "plot: $out/convergence.svg" >&2
fi
