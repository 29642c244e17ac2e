#!/bin/sh
# clicks.sh: training on clicks, estimates from clicks and simulated users, against gains and estimates that
# tests/cli/clicks.py computes from the log; and what is refused.
. "${srcdir:-.}/tests/cli/lib.sh"

"$dorm" generate artificial -o data.txt --queries 80 -d 15 -f 6
"$dorm" generate artificial -o validation.txt --queries 40 -d 15 -f 6 --part 2
awk '{ print (NR * 7919) % 1013 }' data.txt > one.scores
awk '{ print (NR * 104729) % 997 }' data.txt > two.scores
awk '{ print (NR * 7919) % 1013 }' validation.txt > validation.scores

expect 0 "a log" "$dorm" generate clicks data.txt -o log --scores one.scores --scores two.scores --impressions 3000 --seed 7
[ "$(wc -l < log)" = 30000 ]
result $? "ten lines for each impression"
expect 0 "the same log, merged" "$dorm" generate clicks data.txt -o merged --scores one.scores --scores two.scores --impressions 3000 \
  --seed 7 --merged
awk '{ shown[$1 " " $2 " " $3]++; clicks[$1 " " $2 " " $3] += $4 }
  END { for (cell in shown) print cell, shown[cell], clicks[cell] }' log | sort > sums
sort merged | cmp -s - sums
result $? "lines are summed"
expect 0 "a log of the validation data" "$dorm" generate clicks validation.txt -o validation.log --scores validation.scores --impressions 1000
expect 0 "cascades" "$dorm" generate clicks data.txt -o cascade --model cascade --impressions 500 --positions 0
[ "$(awk '{ clicks += $4; impressions += $3 == 1 } END { print (clicks <= impressions), (clicks > 0) }' cascade)" = "1 1" ]
result $? "at most one click in each cascade"

python=${PYTHON:-/usr/bin/python3}
[ -x "$python" ] || python=python3
if "$python" -c 'import numpy' 2> /dev/null; then
  # The same gains as labels (propensities below 0.01 are raised to it), and the same impressions as weights, give the same model.
  settings="-s clicks.propensity=power:2.5"
  expect 0 "gains of the log" "$python" "$srcdir/tests/cli/clicks.py" gains data.txt log 2.5 gains.txt
  expect 0 "gains of the validation log" "$python" "$srcdir/tests/cli/clicks.py" gains validation.txt validation.log \
    2.5 validation-gains.txt
  # Ridge regression follows the gains exactly. The structured SVM breaks ties of gains, which rounding breaks otherwise.
  for trainer in ridge svm; do
    expect 0 "training on clicks" "$dorm" train -q data.txt validation.txt -s data.clicks=log \
      -s data.validation_clicks=validation.log $settings -s training.trainer=$trainer -s output.model=clicks.dorm
    expect 0 "training on gains" "$dorm" train -q gains.txt validation-gains.txt -s loss.name=ndcg:gain=linear \
      -s training.trainer=$trainer -s output.model=gains.dorm
    "$dorm" predict clicks.dorm data.txt > clicks.scores
    "$dorm" predict gains.dorm data.txt > gains.scores
    paste clicks.scores gains.scores | awk -v most=$([ $trainer = ridge ] && echo 1e-10 || echo 0.02) '
      { d = $1 - $2; s += d * d; t += $1 * $1 } END { exit !(t > 0 && s < most * t) }'
    result $? "clicks train as their gains do: $trainer"
  done
  expect 0 "estimates" "$dorm" eval --scores one.scores --scores clicks.scores data.txt --clicks log --clicks-top 5 $settings
  "$python" "$srcdir/tests/cli/clicks.py" estimates data.txt log 2.5 one.scores clicks.scores 5 > wanted
  sed -n 's/^ *\(S\{0,1\}N\{0,1\}IPS\).* = //p' out | sed 's/ over queries//; s/ over impressions//; s/,//; s/+-//g' > got
  paste got wanted | awk '{ for (i = 1; i <= 3; i++) if (($i - $(i + 3)) ^ 2 > 1e-9) exit 1; n++ } END { exit n != 6 }'
  result $? "estimates and errors are those of the script"
  expect 0 "estimates as JSON" "$dorm" eval --scores one.scores --scores clicks.scores data.txt --clicks log --clicks-top 5 \
    $settings --json estimates.json
  "$python" -c 'import json
for line in open("estimates.json"):
    one = json.loads(line)
    assert (one.get("system"), one.get("first")) in (("one.scores", None), ("clicks.scores", None), (None, "one.scores"))
    assert one["truncation"] == 5 and one["impressions"] == 3000
    value = one["difference" if "first" in one else "value"]
    print(value, one["standard_error"], one["standard_error_impressions"])' > got
  paste got wanted | awk '{ for (i = 1; i <= 3; i++) if (($i - $(i + 3)) ^ 2 > 1e-9) exit 1; n++ } END { exit n != 6 }'
  result $? "the JSON lines have the estimates and errors of the script"
  expect 0 "training on a merged log" "$dorm" train -q -s training.trainer=svm data.txt validation.txt -s data.clicks=merged \
    -s data.validation_clicks=validation.log $settings -s output.model=merged.dorm
  "$dorm" predict merged.dorm data.txt | cmp -s - clicks.scores
  result $? "a merged log trains the same model"
else
  echo "skipped in part: $python has no numpy (apt-get install python3-numpy)"
fi

# A line per document, in their order.
awk 'NR <= 15 { print NR, NR == 3 } NR > 15 { print 0, 0 }' data.txt > beside
expect 0 "a side file" "$dorm" eval --scores one.scores data.txt --clicks beside -s clicks.propensity=power:1
holds out "1 impressions, 1 clicks; propensities 1 / position^1.0000"

# A column of positions becomes a .position file, which has the clicks of the same impressions as a log.
awk 'BEGIN { print "qid,docid,position,label,a,b" } { split($2, q, ":"); split($3, a, ":"); split($4, b, ":")
  print q[2] ",D" NR "," (NR - 1) * 4 % 15 + 1 "," $1 "," a[2] "," b[2] }' data.txt > shown.csv
cut -d, -f3 shown.csv | tail -n +2 > shown.csv.position
tail -n +2 shown.csv | sort -t, -k1,1n -k3,3n | awk -F, '{ print $1, $2, $3, ($4 > 0) }' > shown.log
for log in shown.csv.position shown.log; do
  expect 0 "estimates by $log" "$dorm" eval --scores one.scores shown.csv --clicks $log -s clicks.propensity=power:1 --json $log.json
  expect 0 "training by $log" "$dorm" train -q shown.csv -s data.columns=a,b -s data.clicks=$log -s clicks.propensity=power:1 \
    -s training.trainer=ridge -s output.model=shown.dorm
  "$dorm" predict shown.dorm shown.csv > $log.scores
done
cmp -s shown.csv.position.scores shown.log.scores
result $? "a file of positions trains as the log of its impressions"
[ "$(sed 's/"standard_error_impressions[^,]*,//g' shown.csv.position.json)" = "$(sed 's/"standard_error_impressions[^,]*,//g' shown.log.json)" ]
result $? "and estimates as it does"

expect 0 "folds" "$dorm" train -q data.txt -s data.clicks=log -s clicks.curve=free -s selection.folds=3 -s solver.C=1 -s output.model=folds.dorm
expect 0 "what was done stands in the model" "$dorm" show folds.dorm
holds out "clicks.curve = free"
holds out "gain=linear"
expect 2 "folds of labelled data" "$dorm" train -q data.txt validation.txt -s data.clicks=log -s selection.folds=3
one_line_with "the validation data would train, but data.clicks gives no clicks on them"
expect 0 "notes" "$dorm" train data.txt -s data.clicks=log -s solver.C=1 -s output.model=other.dorm
holds err "3000 impressions"
holds err "propensities by harvesting"
expect 0 "the settings of the model" "$dorm" eval folds.dorm data.txt --clicks log -s clicks.propensity=em
holds err "propensities by regression"
expect 0 "labels and clicks" "$dorm" eval folds.dorm data.txt --clicks log -m map
holds out "map"
holds out "IPS DCG@10"
expect 0 "dcg" "$dorm" train -q data.txt -s data.clicks=log -s loss.name=dcg -s solver.C=1 -s output.model=dcg.dorm

expect 0 "no clicks" "$dorm" train data.txt -s clicks.propensity=power:2 -s solver.C=1 -s output.model=plain.dorm
holds err "clicks.propensity = power:2 is not used: there is no data.clicks"

refuses() { # STATUS MESSAGE SETTING...
  status=$1 message=$2
  shift 2
  for setting in "$@"; do
    shift
    set -- "$@" -s "$setting"
  done
  expect "$status" "refused: $message" "$dorm" train -q data.txt "$@" -s output.model=no.dorm
  one_line_with "$message"
  absent no.dorm
}
refuses 2 "loss.name = rsvm" data.clicks=log loss.name=rsvm
refuses 2 "with linear gains" data.clicks=log loss.name=ndcg:gain=exp2
refuses 2 "selection.measure = map" data.clicks=log selection.measure=map
refuses 2 "there are no validation data" data.validation_clicks=log
refuses 3 "absent.log" data.clicks=absent.log
sed '7s/ [^ ]* / absent /' log > bad.log
refuses 4 "bad.log:7: there is no document 'absent' in query" data.clicks=bad.log
sed '9s/^[^ ]*/absent/' log > bad.log
refuses 4 "bad.log:9: there is no query 'absent' in data.txt (it has 80)" data.clicks=bad.log
awk 'NR == 3 { $2 = doc } NR == 1 { doc = $2 } { print }' log > bad.log
refuses 4 "at position 3, but this impression has it at position 1 already" data.clicks=bad.log
head -n 100 beside > bad.log
refuses 4 "bad.log: 100 lines of \`position click\`, but data.txt has 1200 documents" data.clicks=bad.log
refuses 4 "cannot be estimated by harvesting" data.clicks=beside clicks.propensity=harvest
refuses 2 "clicks.propensity: 'file:' needs a value after a colon" data.clicks=log clicks.propensity=file:
refuses 2 "clicks.propensity = file is gone: use file:PATH" data.clicks=log clicks.propensity=file clicks.file=curve
printf '1\n0.5\n' > curve
refuses 4 "curve: 2 propensities, but log shows documents at 10 positions" data.clicks=log clicks.propensity=file:curve
# A file of the numbers of a power law is as good as its exponent, and a model opens no file by itself.
awk 'BEGIN { for (k = 1; k <= 10; k++) printf "%.17g\n", 1 / k ^ 2 }' > "a curve"
for form in power:2 "file:a curve" 'file:"a curve"'; do
  expect 0 "propensities $form" "$dorm" train -q data.txt -s data.clicks=log -s "clicks.propensity=$form" \
    -s training.trainer=ridge -s output.model=curve.dorm
  "$dorm" predict curve.dorm data.txt | awk '{ printf "%.9f\n", $1 }' > "scores of ${form%%:*}"
done
cmp -s "scores of power" "scores of file"
result $? "a file of propensities trains as the power law that it holds"
expect 0 "the model opens no file" "$dorm" eval curve.dorm data.txt --clicks log
holds err 'the model has clicks.propensity = file:"a curve", but a model opens no file: to use it, give it by --set'
holds err "propensities by harvesting"
expect 0 "the file again" "$dorm" eval curve.dorm data.txt --clicks log -s "clicks.propensity=file:a curve"
mv out again
expect 0 "its exponent" "$dorm" eval curve.dorm data.txt --clicks log -s clicks.propensity=power:2
[ "$(sed 's/;.*//' out)" = "$(sed 's/;.*//' again)" ]
result $? "a file of propensities estimates as the power law that it holds"
expect 2 "no model of users" "$dorm" generate clicks data.txt -o no.log --model other
one_line_with "neither position nor cascade"
expect 2 "no data" "$dorm" generate clicks -o no.log
expect 2 "epsilon" "$dorm" generate clicks data.txt -o no.log --epsilon 2
one_line_with "--epsilon '2' is not a number from 0 to 1"
expect 2 "eta" "$dorm" generate clicks data.txt -o no.log --eta -1
one_line_with "--eta '-1' is not a number from 0 to 100"
expect 2 "impressions" "$dorm" generate clicks data.txt -o no.log --impressions 0
one_line_with "--impressions '0' is not a whole number from 1 to 1000000000"
expect 2 "eta of cascades" "$dorm" generate clicks data.txt -o no.log --eta 2 --model cascade
one_line_with "--eta is for --model position"
expect 2 "a table" "$dorm" eval --scores one.scores data.txt --clicks log -p -
one_line_with "--per-query has no estimates from --clicks"
expect 2 "positions of no clicks" "$dorm" eval --scores one.scores data.txt --clicks-top 5
one_line_with "--clicks-top is for --clicks"
expect 2 "settings of no clicks" "$dorm" eval --scores one.scores data.txt -s clicks.propensity=power:2
one_line_with "clicks.propensity=power:2 is for --clicks"
absent no.log

# Logs of clicked lines alone, trust, the curve as a file, documents that were never shown, and a safe training.
awk '$5 { $4 = $5; print }' merged > clicked
expect 4 "a log without a line that was not clicked" "$dorm" train -q data.txt -s data.clicks=clicked -s output.model=no.dorm
one_line_with "lines has a click; a log also needs the documents"
expect 2 "adarank and clicks" "$dorm" train -q data.txt --trainer adarank -s data.clicks=log -s output.model=no.dorm
one_line_with "data.clicks weighs each query by its impressions, which trainer 'adarank' cannot do"
expect 0 "a curve" "$dorm" eval --scores one.scores data.txt --clicks log --propensities curve.out
head -n 1 out > wanted
expect 0 "the curve as a file" "$dorm" eval --scores one.scores data.txt --clicks log -s clicks.propensity=file:curve.out
[ "$(sed -n 's/.*IPS DCG@10 = \([0-9.]*\).*/\1/p' out)" != "" ] && grep -q "position^.* +- " wanted
result $? "the exponent has an error, and the file of the curve is read"
expect 0 "a log of three positions" "$dorm" generate clicks data.txt -o short --scores one.scores --impressions 2000 --positions 3
expect 0 "documents that were never shown" "$dorm" eval -s clicks.propensity=power:1 --scores two.scores --scores one.scores data.txt --clicks short
holds out "the log does not show which of both is better"
holds err "two.scores: "
holds err "of its weight is at documents that the log never showed"
holds out "documents that the log never showed; with their"
expect 0 "documents that were all shown" "$dorm" eval -s clicks.propensity=power:1 --scores one.scores data.txt --clicks log --clicks-top 1
holds out "  0.0 % of the weight is at documents that the log never showed"
expect 0 "trust" "$dorm" generate clicks data.txt -o trust.log --scores one.scores --scores two.scores --impressions 20000 --trust 0.6 --merged
expect 0 "trust is estimated" "$dorm" eval --scores one.scores data.txt --clicks trust.log -s clicks.propensity=affine
holds err "propensities with trust: looks 1 / position^"
# Looks that fall in steps, and looks that rise: of all documents seen, some clicks are dropped.
expect 0 "users who see all" "$dorm" generate clicks data.txt -o all.log --scores one.scores --scores two.scores --impressions 20000 --eta 0
awk 'BEGIN { srand(1) } $4 && $3 > 3 && rand() > 0.4 { $4 = 0 } { print }' all.log > steps.log
awk 'BEGIN { srand(1) } $4 && $3 <= 3 && rand() > 0.5 { $4 = 0 } { print }' all.log > rising.log
expect 0 "looks in steps" "$dorm" eval --scores one.scores data.txt --clicks steps.log --json steps.json
holds err "looks do not fall as a power of the position (chi-square test, p = "
holds err "the propensities are the estimates of each position"
sed 's/.*"propensities":\[//; s/\].*//' steps.json | tr ',' ' ' | awk '{ for (k = 1; k <= 10; k++) if (($k - (k > 3 ? 0.4 : 1)) ^ 2 > 0.0064) exit 1 }'
result $? "the estimates of each position, in the JSON file"
expect 0 "a power law where there is none" "$dorm" eval --scores one.scores data.txt --clicks steps.log -s clicks.curve=power
holds err "clicks.curve = free takes the estimates of each position"
expect 0 "looks that rise" "$dorm" eval --scores one.scores data.txt --clicks rising.log
holds err "users seem to look no less at low positions, so the log may lack documents that were shown and not clicked"
awk 'NR == 1 { query = $1 } $1 == query' log > single.log
expect 0 "a log of one query" "$dorm" eval --scores one.scores data.txt --clicks single.log -s clicks.propensity=power:1
! grep -q nan out
result $? "one query has no error over queries"
expect 2 "smooth and clicks" "$dorm" train -q data.txt --trainer smooth -s data.clicks=log -s output.model=no.dorm
one_line_with "data.clicks weighs each query by its impressions, which trainer 'smooth' cannot do"
awk '$2 != query { query = $2; print NR }' data.txt > data.txt.weight
expect 0 "weights beside the data" "$dorm" train -q data.txt --trainer ridge -s output.model=weighted.dorm
grep -q "^setting data.weights = queries" weighted.dorm
result $? "the model says that it was trained with weights of queries"
rm data.txt.weight
expect 2 "nothing to compare with" "$dorm" train -q data.txt --not-worse-than logged -s output.model=no.dorm
one_line_with "needs data.validation_clicks"
expect 0 "few impressions" "$dorm" generate clicks validation.txt -o validation-few.log --scores validation.scores --impressions 100
expect 1 "a model that is no better" "$dorm" train -q data.txt validation.txt --trainer ridge -s data.clicks=log \
  -s data.validation_clicks=validation-few.log --not-worse-than logged -s clicks.propensity=power:1 -s output.model=safe.dorm
holds err "clicks do not show that the model ranks as well as the rankings that users saw: it is safe.dorm.refused"
absent safe.dorm
[ -s safe.dorm.refused ]
result $? "the refused model has another name"

# Safe training from a good logged ranking and few clicks: a model that ranks worse by the labels is handed out in at most
# 5 % of logs (DORM_CLICK_LOGS=200 tries 200), and one that is better than poor rankings is handed out if clicks are many.
logs=${DORM_CLICK_LOGS:-12}
awk '{ print 4 * $1 + (NR * 7919) % 1013 / 300 }' data.txt > good.scores
awk '{ print 4 * $1 + (NR * 7919) % 1013 / 300 }' validation.txt > validation-good.scores
# safe SEED IMPRESSIONS SCORES VALIDATION-SCORES: trains on simulated clicks; its exit code.
safe() {
  rm -f safe.dorm safe.dorm.refused
  "$dorm" generate clicks data.txt -o safe.log --scores "$3" --impressions "$2" --seed "$1" --positions 0 --merged &&
    "$dorm" generate clicks validation.txt -o safe-validation.log --scores "$4" --impressions "$2" --seed "$1" --positions 0 &&
    "$dorm" train -q data.txt validation.txt --trainer ridge -s data.clicks=safe.log --not-worse-than logged \
      -s data.validation_clicks=safe-validation.log -s clicks.propensity=power:1 -s output.model=safe.dorm
}
worse=0
out=0
seed=0
while [ $seed -lt "$logs" ]; do
  seed=$((seed + 1))
  safe $seed 200 good.scores validation-good.scores > /dev/null 2> err
  mv safe.dorm handed.dorm 2> /dev/null && out=$((out + 1))
  [ -e handed.dorm ] || mv safe.dorm.refused refused.dorm
  "$dorm" eval --scores validation-good.scores "$(ls handed.dorm refused.dorm 2> /dev/null)" validation.txt -m dcg@10 > out 2> err
  [ -e handed.dorm ] && grep -q 'minus' out && awk '/minus/ { getline; exit !($2 > 0) }' out && worse=$((worse + 1))
  rm -f handed.dorm refused.dorm
done
[ -z "${DORM_CLICK_LOGS:-}" ] || echo "safe training: $out of $logs models handed out, $worse of them worse"
[ $((20 * worse)) -le "$logs" ]
result $? "$worse of $logs logs hand out a model that is worse"
expect 0 "a better model is handed out" safe 1 30000 one.scores validation.scores
[ -s safe.dorm ]
result $? "safe.dorm is written"

finish
