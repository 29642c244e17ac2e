#!/bin/sh
# follow.sh: dorm predict --follow answers a query before the next one is sent, with the scores of dorm predict to the
# bit; how queries end; what a bad line does; memory.
. "${srcdir:-.}/tests/cli/lib.sh"

"$dorm" generate artificial -o train.txt --queries 40 -d 15
"$dorm" generate artificial -o test.txt --queries 60 -d 12 --part 2
"$dorm" train -q train.txt -s selection.folds=0 -s trees.trees=20 > /dev/null
"$dorm" predict model.dorm test.txt -o wanted
"$dorm" train -q train.txt --for-serving -s training.trainer=trees -s selection.folds=0 -s trees.trees=20 \
  -s output.model=trees.dorm > /dev/null
"$dorm" predict trees.dorm test.txt -o trees.wanted

# same WHAT MODEL WANTED: ./input is answered by ./wanted.
same() {
  expect 0 "$1" sh -c "'$dorm' predict $2 --follow < input"
  cmp -s out "$3"
  result $? "$1: the scores of dorm predict"
}
cp test.txt input
same "a line of another query ends a query" model.dorm wanted
same "trees" trees.dorm trees.wanted
awk '$2 != last && NR > 1 { print NR % 2 ? "" : " \t\r" } { last = $2; print }' test.txt > input
same "an empty line ends a query" model.dorm wanted
awk '{ $1 = ""; sub(/^ /, ""); print "# a comment"; print }' test.txt > input
same "no labels, and comments" model.dorm wanted
awk 'NR == 700 { printf "%s", $0; exit } { print }' test.txt > input
"$dorm" predict model.dorm input -o cut.wanted 2> err
same "no line end at the end" model.dorm cut.wanted
(head -c 5000 test.txt; sleep 0.1; tail -c +5001 test.txt | dd bs=777 2> err) | "$dorm" predict model.dorm --follow > out
cmp -s out wanted
result $? "text in pieces"
# Two queries of one name, between which there is an empty line, are two, however the text arrives.
{ grep ' qid:1 ' test.txt; echo; sed 's/ qid:2 / qid:1 /; /qid:1 /!d' test.txt | tail -n 12; } > input
"$dorm" predict model.dorm test.txt | head -n 24 > two.wanted
same "one name, two queries" model.dorm two.wanted
: > input
same "no query" model.dorm input

# ---- The answer comes before the next query is sent

mkfifo questions answers
"$dorm" predict model.dorm --follow < questions > answers 2> follow.err &
pid=$!
exec 3> questions 4< answers
: > answered
ask() {
  grep " qid:$1 " test.txt >&3
  [ "$2" = empty ] && echo >&3
  for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
    read -r score <&4 || break
    echo "$score" >> answered
  done
}
for q in 1 2 3 4 5; do
  ask $q empty
  [ "$(wc -l < answered)" = $((12 * q)) ]
  result $? "query $q is answered before query $((q + 1)) is sent"
done
grep " qid:6 " test.txt >&3
ask 7
head -n 72 wanted | cmp -s - answered
result $? "a query without an empty line is answered when the next one begins"
exec 3>&-
cat <&4 >> answered
wait $pid
result $? "the end of the input is no failure"
head -n 84 wanted | cmp -s - answered
result $? "the last query is answered at the end of the input"
exec 4<&-

# ---- Bad lines

# bad LINE QUERIES MESSAGE: after three queries LINE comes; so many are answered.
bad() {
  { grep -E ' qid:[123] ' test.txt; printf '%s\n' "$1"; grep ' qid:4 ' test.txt; } > input
  expect 4 "bad line '$1'" sh -c "'$dorm' predict model.dorm --follow < input"
  one_line_with "$3"
  head -n $((12 * $2)) wanted | cmp -s - out
  result $? "$2 queries are answered before '$1'"
}
bad '1 qid:4 1:x' 3 '-:37: feature 1'
bad 'x qid:4 1:1' 3 "-:37: label 'x'"
bad '1 qid:3 1:x' 2 '-:37: feature 1'
bad 'x qid:3 1:1' 2 "-:37: label 'x'"
bad '1 1:1' 3 "-:37: 'qid:' expected"
expect 2 "no ranked" "$dorm" predict model.dorm --follow --ranked
one_line_with "--follow needs MODEL, and allows --module only"
expect 2 "no data" "$dorm" predict model.dorm test.txt --follow
gzip -c test.txt > input
expect 4 "gzip" sh -c "cat input | '$dorm' predict model.dorm --follow"
one_line_with "gunzip -c FILE | dorm predict --follow MODEL"

# ---- Memory: 15 times as many queries, no more memory; DORM_FOLLOW_QUERIES=1000000 asks so many

awk '{ n = $2 == last ? n + 1 : 1; last = $2 } n <= 2' test.txt > short.txt
# peak TIMES: the largest resident memory in kilobytes after so many copies of the data are answered. The writer keeps the
# pipe open until then.
peak() {
  "$dorm" predict trees.dorm --follow < questions > answered &
  follower=$!
  {
    awk -v times="$1" '{ line[NR] = $0 }
      END { for (t = 0; t < times; t++) for (i = 1; i <= NR; i++) print line[i]; print "" }' short.txt
    while [ "$(wc -l < answered)" -lt $((120 * $1)) ] && kill -0 $follower 2> err; do sleep 0.05; done
    awk '/VmHWM/ { print $2 }' /proc/$follower/status > most 2> err
  } > questions
  wait $follower
  most=$(cat most)
  [ "$(wc -l < answered)" = $((120 * $1)) ]
  result $? "all of $((60 * $1)) queries are answered"
}
if [ -r /proc/self/status ]; then
  peak 20
  few=$most
  many=${DORM_FOLLOW_QUERIES:-18000}
  peak $((many / 60))
  [ "$few" -gt 1000 ] && [ "$most" -lt $((few + 4096)) ]
  result $? "memory: $few kB for 1,200 queries, $most kB for $many"
  [ "$many" = 18000 ] || echo "memory: $few kB for 1,200 queries, $most kB for $many"
fi

# ---- Time: at most .3 ms of processor time for 50 documents

if command -v bash > /dev/null && [ -z "${DORM_TEST_SANITIZERS:-}" ]; then
  "$dorm" generate artificial -o long.txt --queries 1000 -d 50 --part 2
  "$dorm" train -q train.txt --trainer ridge --for-serving -s selection.folds=0 -o linear.dorm
  "$dorm" train -q train.txt --trainer trees --for-serving -s selection.folds=0 -s trees.trees=100 -s trees.leaves=8 \
    -o trees.dorm > /dev/null
  for model in linear trees; do
    used=$(bash -c "TIMEFORMAT='%U %S'; time '$dorm' predict $model.dorm --follow < long.txt > answered" 2>&1)
    [ "$(wc -l < answered)" = 50000 ] && echo "$used" | awk '{ exit !(($1 + $2) / 1000 < .0003) }'
    result $? "$model: $used seconds for 1,000 queries"
  done
fi
finish
