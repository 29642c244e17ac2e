#!/bin/sh
# lambdas.sh: gradient functions are listed, checked, printed for a data set, and refused.
. "${srcdir:-.}/tests/cli/lib.sh"
include=$srcdir/include
cc=${DORM_TEST_CC:-cc}

expect 0 "list" "$dorm" lambdas
for function in ranknet ranknet-weight-pairs misranked-pairs spring-smooth margin local-cost local-gradient \
  discrete-bounded lambdaloss softmax listmle p-norm-push approx-ndcg softrank dorm perturbed smoothrank; do
  grep -qE "^$function( of MEASURE)?\$" out
  result $? "the list has $function"
done
expect 2 "a function without --check" "$dorm" lambdas ranknet
one_line_with "say --check 'ranknet'"

# What theory says of the functions.
# verdict SPEC LINE...: the check prints these lines.
verdict() {
  spec=$1
  shift
  expect 0 "check $spec" "$dorm" lambdas --check "$spec"
  for line in "$@"; do holds out "$line"; done
}
verdict ranknet "symmetric   yes" "continuous  yes" "cost        exists, and is convex"
verdict softmax "symmetric   yes" "continuous  yes" "cost        exists, and is convex"
verdict listmle "symmetric   yes" "continuous  yes" "cost        exists, and is convex"
verdict p-norm-push "symmetric   yes" "continuous  yes" "cost        exists, and is convex"
verdict approx-ndcg "symmetric   yes" "continuous  yes" "cost        exists, and is not convex"
verdict softrank "symmetric   yes" "continuous  yes" "cost        exists, and is not convex"
verdict lambdaloss "symmetric   yes, at fixed order" "cost        none"
verdict margin "symmetric   yes" "continuous  yes" "cost        exists, and is convex"
verdict margin:0.5 "symmetric   yes" "continuous  no" "cost        exists, and is convex"
verdict margin:2 "symmetric   yes" "continuous  no" "cost        exists, and is not convex" "the product is"
verdict ranknet-weight-pairs "symmetric   yes, at fixed order" "continuous  no: a lambda jumps" "then" "cost        none"
verdict "misranked-pairs of mrr" "symmetric   yes, at fixed order" "cost        none"
verdict "ranknet-weight-pairs of rsvm" "cost        exists, and is convex"
verdict "local-gradient of map" "symmetric   no" "J_ij = " "labels " "scores " "cost        none"
verdict perturbed "lambda is constant where the order is" "cost        exists, and is convex"
verdict smoothrank "symmetric   yes" "cost        exists, and is not convex"
verdict dorm "cost        exists, and is not convex"

# Gradients of a data set.
"$dorm" generate artificial -o data.txt --queries 20 -d 15 > /dev/null
seq 300 | awk '{ print ($1 * 7919) % 101 / 50 }' > scores.txt
expect 0 "gradients" "$dorm" gradients data.txt --scores scores.txt
holds err "effective pairs; "
awk 'NF != 2 || $2 < 0 { bad = 1 } { sum += $1 } END { exit bad || NR != 300 || sum > 1e-9 || sum < -1e-9 }' out
result $? "two numbers for each document, and the lambdas add up to 0"
mv out one.txt
expect 0 "gradients on two threads" "$dorm" gradients data.txt --scores scores.txt --threads 2 --lambda "ranknet-weight-pairs:sigma=1 of ndcg@10"
cmp -s out one.txt
result $? "two threads give the same numbers"
expect 0 "gradients with a cost" "$dorm" gradients data.txt --scores scores.txt --lambda softmax
holds err "cost "

# Groups and subtopics.
verdict "ranknet-weight-pairs of alpha_ndcg@5" "symmetric   yes, at fixed order" "continuous  no: a lambda jumps" "cost        none"
verdict "ranknet-weight-pairs of ndcg@3:repeats=irrelevant" "symmetric   yes, at fixed order" "cost        none"
"$dorm" generate ambiguous --queries 5 -o pages.txt --subtopics senses.txt > /dev/null
awk '{ print NR * 7919 % 101 / 50 }' pages.txt > pages.scores
for spec in "ranknet-weight-pairs of alpha_ndcg@10" "local-cost of err_ia@3" "local-gradient of redundancy@10" \
  "spring-smooth of map:repeats=irrelevant"; do
  expect 0 "gradients $spec" "$dorm" gradients pages.txt --scores pages.scores --lambda "$spec" --groups host --subtopics senses.txt
  holds err "effective pairs; "
  [ "$(awk 'NF == 2 && $1 != 0' out | wc -l)" -ge 4 ]
  result $? "$spec moves some documents"
done
expect 2 "no subtopics" "$dorm" gradients pages.txt --scores pages.scores --lambda "local-cost of alpha_ndcg"
one_line_with "needs the subtopics of the documents of pages.txt"
expect 2 "no groups" "$dorm" gradients pages.txt --scores pages.scores --lambda "local-cost of redundancy"
one_line_with "needs the groups of the documents of pages.txt (diversity.groups)"
expect 2 "no sum over positions" "$dorm" gradients pages.txt --scores pages.scores --groups host \
  --lambda "dorm of ndcg@10:repeats=irrelevant"
one_line_with "needs a measure that is a sum over positions"
expect 3 "no file of subtopics" "$dorm" gradients pages.txt --scores pages.scores --subtopics absent.txt
one_line_with "absent.txt"

expect 2 "SmoothRank of no sum over positions" "$dorm" gradients data.txt --scores scores.txt --lambda "smoothrank of map"
one_line_with "needs a measure that is a sum over positions"

# A function of one's own.
cp "$srcdir"/tests/plugins/square_hinge.c "$srcdir"/tests/plugins/bad_lambda.c "$srcdir"/tests/plugins/fault.h .
$cc -shared -fPIC -I"$include" -o square_hinge.so square_hinge.c
result $? "compile a module"
verdict "from ./square_hinge.so" "square_hinge:margin=1 from ./square_hinge.so" "cost        exists, and is convex"
expect 0 "gradients of a module" "$dorm" gradients data.txt --scores scores.txt --lambda "square_hinge:margin=2 from ./square_hinge.so"
$cc -shared -fPIC -I"$include" -DFAULT='"NEGATIVE"' -o bad.so bad_lambda.c
expect 6 "check of a bad module" "$dorm" lambdas --check "from ./bad.so"
one_line_with "a curvature is negative"
expect 6 "gradients of a bad module" "$dorm" gradients data.txt --scores scores.txt --lambda "from ./bad.so"
one_line_with "a curvature is negative"
$cc -shared -fPIC -I"$include" -DFAULT='"NEGATIVE_LATER"' -o later.so bad_lambda.c
expect 6 "gradients of a module that is bad where the check does not look" "$dorm" gradients data.txt --scores scores.txt --lambda "from ./later.so"
one_line_with "query '1': lambda-function 'bad_lambda': the curvature of document 10 is -1"

# Burges's note. Of 1,000 documents the first and the last are relevant: to move them to ranks 2 and 3 mends 996 of 1,996
# pairs, and loses the first position. Figure 1: the force on the relevant one of two documents, by the difference x.
awk 'BEGIN { for (j = 1; j <= 1000; j++) print (j == 1 || j == 1000) " qid:1 1:" j }' > thousand.txt
awk 'BEGIN { for (j = 1; j <= 1000; j++) print 1001 - j }' > before
awk 'BEGIN { for (j = 1; j <= 1000; j++) print j == 1 ? 998.5 : j == 1000 ? 998.25 : 1001 - j }' > after
for case in before:998:1 after:2:0; do
  scores=${case%%:*} won=${case##*:} wrong=${case#*:}
  wrong=${wrong%:*}
  expect 0 "1,000 documents, $scores" "$dorm" eval --scores "$scores" thousand.txt -m pair_error -m wta
  awk -v wrong="$wrong" -v won="$won" '$1 == "pair_error" { e = $2 * 1996 - wrong } $1 == "wta" { w = $2 - won; n++ }
    END { exit !(n && e < 0.01 && e > -0.01 && w == 0) }' out
  result $? "1,000 documents, $scores: $wrong wrong pairs and WTA $won"
done
printf '1 qid:1 1:0\n0 qid:1 1:1\n' > two.txt
for case in -1:1 0.25:0.25 0.5:0 1:0; do
  printf '%s\n0\n' "${case%:*}" > x
  expect 0 "a margin at x = ${case%:*}" "$dorm" gradients two.txt --scores x --lambda margin:0.5
  awk -v force="${case#*:}" '$1 == (n ? -force : force) { n++ } END { exit n != 2 }' out
  result $? "a margin at x = ${case%:*}: ${case#*:}, and its opposite"
done

# Bad input.
expect 2 "an unknown function" "$dorm" lambdas --check rank-net
one_line_with "did you mean 'ranknet'?"
expect 2 "an unknown measure" "$dorm" gradients data.txt --scores scores.txt --lambda "ranknet-weight-pairs of ndgc"
one_line_with "did you mean 'ndcg'?"
expect 2 "a target that is not wanted" "$dorm" lambdas --check "softmax of ndcg"
one_line_with "leave out 'of ndcg'"
expect 2 "no scores" "$dorm" gradients data.txt
one_line_with "needs --scores FILE"
expect 2 "no data" "$dorm" gradients --scores scores.txt
one_line_with "needs one DATA"
expect 3 "scores that are not there" "$dorm" gradients data.txt --scores absent.txt
one_line_with "absent.txt"
expect 3 "a module that is not there" "$dorm" lambdas --check "from ./absent.so"
one_line_with "./absent.so: cannot read the lambda-function module"
head -299 scores.txt > short.txt
expect 4 "too few scores" "$dorm" gradients data.txt --scores short.txt
one_line_with "short.txt"
sed 's/^0.5$/1e999/' scores.txt > infinite.txt
expect 4 "a score that is not finite" "$dorm" gradients data.txt --scores infinite.txt
[ "$(wc -l < err)" = 1 ]
result $? "one line about the score"

finish
