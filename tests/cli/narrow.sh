#!/bin/sh
# narrow.sh: training on values of 16 or 8 bits (data.bits): the model is that of data that were rounded beforehand, and what
# it does not go with is refused by name. (storage.sh: the same model from memory and from a file.)
. "${srcdir:-.}/tests/cli/lib.sh"

"$dorm" generate artificial -o train.txt --queries 150 -d 30 -f 12 --part 1
"$dorm" generate artificial -o vali.txt --queries 40 -d 30 -f 12 --part 2

# round BITS FROM TO: writes min-max values within queries as the nearest multiples of 1 / (2^BITS - 1).
round() {
  awk -v bits="$1" '
    function flush(j, f, text) {
      for (j = 1; j <= count; j++) {
        text = label[j] " " query
        for (f = 1; f <= most; f++)
          text = text sprintf(" %d:%.17g", f, high[f] > low[f] ? int((x[j, f] - low[f]) / (high[f] - low[f]) * steps + 0.5) / steps : 0)
        print text
      }
      count = 0
    }
    BEGIN { steps = 2 ^ bits - 1 }
    { sub(/ *#.*/, "") }
    $2 != query { flush(); query = $2; most = NF - 2 }
    {
      label[++count] = $1
      for (f = 1; f <= most; f++) {
        x[count, f] = $(f + 2)
        sub(/.*:/, "", x[count, f])
        x[count, f] += 0
        if (count == 1 || x[count, f] < low[f]) low[f] = x[count, f]
        if (count == 1 || x[count, f] > high[f]) high[f] = x[count, f]
      }
    }
    END { flush() }' "$2" > "$3"
}

# primal LOG: the primal value of the last candidate.
primal() {
  sed -n 's/.*"event": *"candidate".*"primal": *\([-+.0-9eE]*\).*/\1/p' "$1" | tail -n 1
}

# near FIRST SECOND TOLERANCE: whether two numbers are the same, relative to the first.
near() {
  awk -v x="$1" -v y="$2" -v tolerance="$3" 'BEGIN { d = x - y; exit !(x > 0 && (d < 0 ? -d : d) <= tolerance * x) }'
}

# The optimum is that of data that were rounded beforehand, and not that of the data as they are: gaps are 1e-6.
set -- -s solver.C=1 -s solver.gap=1e-6 -s ranking.rounds=1 -s ranking.reference=mu:1 -s solver.start=zero -s solver.threads=1 \
  -s ranking.position_weights=power:0.5
expect 0 "floats" "$dorm" train -q train.txt "$@" --log floats.log -s output.model=floats.dorm
for bits in 16 8; do
  round $bits train.txt rounded.txt
  expect 0 "$bits bits" "$dorm" train -q train.txt "$@" -s data.bits=$bits --log narrow.log -s output.model=narrow.dorm
  expect 0 "rounded to $bits bits" "$dorm" train -q rounded.txt "$@" -s data.normalisation=none --log rounded.log \
    -s output.model=rounded.dorm
  near "$(primal narrow.log)" "$(primal rounded.log)" 2e-6
  result $? "$bits bits: the primal values of narrow rows and of rounded data: $(primal narrow.log) $(primal rounded.log)"
done
near "$(primal narrow.log)" "$(primal floats.log)" 2e-6
[ $? = 1 ]
result $? "8 bits: another optimum than that of floats: $(primal narrow.log) $(primal floats.log)"

expect 0 "functions of positions" "$dorm" train -q train.txt -s data.bits=16 -s solver.C=1 -s ranking.position_functions=2 \
  -s ranking.position_weights=power:0.5 -s output.model=positions.dorm
# Models do not know of bits but as a setting, and training goes on from them.
expect 0 "goes on" "$dorm" train -q train.txt -s data.bits=8 -s data.from=floats.dorm -s solver.C=1 -s output.model=on.dorm

# A checkpoint is of one number of bits.
set -- train -q train.txt vali.txt -s solver.C=1,10 -s output.checkpoint=run.checkpoint -s output.model=stopped.dorm
expect 1 "stopped" "$dorm" "$@" -s data.bits=16 -s solver.time_limit=1e-9
expect 4 "resumed with 8" "$dorm" "$@" -s data.bits=8 --resume
one_line_with "run.checkpoint: the checkpoint belongs to other settings"
expect 0 "resumed with 16" "$dorm" "$@" -s data.bits=16 --resume

# What it does not go with.
refused() {
  reason=$1
  shift
  expect 2 "refuses$reason" "$dorm" train -q train.txt -s data.bits=16 -s solver.C=1 -s output.model=no.dorm "$@"
  one_line_with "data.bits = 16$reason"
}
for normalisation in none zscore global-minmax global-zscore; do
  refused " does not go with data.normalisation = $normalisation; minmax alone" -s data.normalisation=$normalisation
done
refused " does not go with kernel.kernel other than linear" -s kernel.kernel=rbf
refused " does not go with training.trainer = net" -s training.trainer=net
refused " does not go with training.trainer = net" -s training.trainer=svm,net
refused ": the rows of train.txt are sparse" -s data.storage=sparse
expect 0 "of unbounded values" "$dorm" train -q train.txt -s data.normalisation=zscore -s solver.C=1 -s output.model=zscore.dorm
refused " does not go with data.normalisation = zscore" -s data.from=zscore.dorm
expect 2 "another number" "$dorm" train -q train.txt -s data.bits=12 -s output.model=no.dorm
one_line_with "data.bits"
expect 2 "a stream" "$dorm" train --stream -q train.txt -s data.bits=16 -s output.model=no.dorm
one_line_with "data.bits = 16 does not go with a stream"
absent no.dorm

finish
