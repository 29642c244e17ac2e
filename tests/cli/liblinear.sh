#!/bin/sh
# liblinear.sh: compares the ranking SVM with liblinear's L1-loss SVM on the
# differences of all pairs, which are written out. liblinear minimises 1/2 |w|^2 +
# C times a sum of hinges, which is pairs = sum and solver.C of C times the 25 queries. Since liblinear
# needs two classes, each pair is written in both directions, the second with label
# -1, and C is halved.
. "${srcdir:-.}/tests/cli/lib.sh"
command -v liblinear-train > /dev/null || {
  echo "skipped: there is no liblinear-train (apt-get install liblinear-tools)"
  exit 77
}
"$dorm" generate artificial -o train.txt --queries 25 -d 12 --part 1 > /dev/null

awk '{
  if ($2 != query) { query = $2; n = 0 }
  n++; label[n] = $1
  delete value
  for (i = 3; i <= NF && $i != "#"; i++) { split($i, v, ":"); x[n, v[1]] = v[2]; if (v[1] > width) width = v[1] }
  for (m = 1; m < n; m++)
    if (label[m] != label[n]) {
      sign = label[n] > label[m] ? 1 : -1
      for (way = -1; way <= 1; way += 2) {
        printf "%d", way
        for (f = 1; f <= width; f++) printf " %d:%.9g", f, way * sign * (x[n, f] - x[m, f])
        print ""
      }
    }
}' train.txt > pairs.txt

for C in 0.001 0.1 2; do
  expect 0 "train at C = $C" "$dorm" train -q -s training.trainer=svm -s data.train=train.txt -s data.normalisation=none -s loss.name=rsvm:pairs=sum \
    -s solver.start=zero -s solver.C="$(awk "BEGIN { print 25 * $C }")" -s solver.gap=1e-7 --log log.json
  dorm_value=$(sed -n 's/.*"primal": *\([0-9.e+-]*\).*/\1/p' log.json | tail -n 1)
  liblinear-train -q -s 3 -B -1 -e 1e-8 -c "$(awk "BEGIN { print $C / 2 }")" pairs.txt model.txt > /dev/null
  # Computes the objective at liblinear's w; label +1 may be the second class of its model.
  awk -v C="$C" -v value="$dorm_value" '
    FNR == NR && /^label/ { sign = $2 == 1 ? 1 : -1 }
    FNR == NR { if (is_weight) w[++width] = sign * $1; if ($1 == "w") is_weight = 1; next }
    $1 == 1 { s = 0; for (f = 1; f <= width; f++) { split($(f + 1), v, ":"); s += w[f] * v[2] }; if (s < 1) hinge += 1 - s }
    END {
      for (f = 1; f <= width; f++) square += w[f] ^ 2
      least = square / 2 + C * hinge
      printf "C = %s: dorm %.9g, liblinear %.9g\n", C, value, least
      difference = (value - least) / least
      exit !(hinge > 0 && difference < 1e-5 && difference > -1e-5)
    }' model.txt pairs.txt
  result $? "dorm and liblinear agree to 1e-5 at C = $C"
done

finish
