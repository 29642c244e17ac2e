#!/bin/sh
# ratings.sh: rankers, lists and refusals, from generated ratings.
. "${srcdir:-.}/tests/cli/lib.sh"

expect 0 "generate" "$dorm" generate ratings -o r.tsv --users users.txt --items items.txt --num-users 80 --num-items 60 --ratings 24
expect 0 "features" "$dorm" ratings -q -s ratings.file=r.tsv -s ratings.users=users.txt -s ratings.items=items.txt -s ratings.split=given:12 -s ratings.output=a -s ratings.write=features,ratings
holds out "a.train.txt: 80 users, 960 ratings"
holds out "a.test.tsv: 960 ratings"
# The held-out data and the ratings that were written have the same order; labels and items are compared.
awk '{ sub(/.*docid = /, ""); item = $0; getline line < "a.test.tsv"; split(line, f, "\t"); if (f[2] != item) exit 1 }' a.test.txt
result $? "a.test.txt and a.test.tsv are in the same order"
expect 0 "features of held-out ratings from a file" "$dorm" ratings -q -s ratings.file=a.train.tsv -s ratings.held_out=a.test.tsv -s ratings.output=b -s ratings.features=bias,popularity
holds out "b.test.txt: 80 users, 960 ratings"
expect 0 "train" "$dorm" train -q -s data.train=a.train.txt -s data.normalisation=none -s data.features=1-6 -s output.model=a.dorm
expect 0 "ratings hold something to learn" "$dorm" eval a.dorm a.test.txt -m ndcg@10
awk '/ndcg/ { exit !($2 > 0.6) }' out
result $? "NDCG@10 above 0.6"

awk -v OFS='\t' '{ $1 = "a,b::" $1; print }' r.tsv > commas.tsv
expect 0 "commas in ids" "$dorm" ratings -q -s ratings.file=commas.tsv -s ratings.split=given:12 -s ratings.output=c -s ratings.write=ratings
expect 0 "what was written reads back" "$dorm" ratings -q -s ratings.file=c.train.tsv -s ratings.held_out=c.test.tsv -s ratings.output=d -s ratings.features=bias
holds out "d.test.txt: 80 users, 960 ratings"

expect 0 "factorize" "$dorm" factorize -q -s ratings.file=a.train.tsv -s ratings.held_out=a.test.tsv -s factorization.rounds=2 -s output.model=f
holds out "*"
expect 0 "a random start" "$dorm" factorize -q -s ratings.file=a.train.tsv -s factorization.start=random -s factorization.rounds=6 -s output.model=random
expect 0 "score pairs by it" "$dorm" recommend random --score a.test.tsv -o s.txt
expect 0 "evaluate them" "$dorm" eval --scores s.txt a.test.txt -m ndcg@10
awk '/ndcg/ { exit !($2 > 0.5) }' out
result $? "a random start learns"
expect 0 "score pairs" "$dorm" recommend f --score a.test.tsv -o s.txt
expect 0 "evaluate them" "$dorm" eval --scores s.txt a.test.txt -m ndcg@10
expect 0 "known user" "$dorm" recommend f --user u3 -n 48
[ "$(wc -l < out)" = 48 ]
result $? "the items that u3 has not rated"
cut -f2 out > list; awk '$1 == "u3" { print $2 }' a.train.tsv > rated
! grep -qxFf rated list
result $? "no rated item in the list"
printf 'new,i1,5\nnew,i2,1\nnew,i3,4\nnew,i4,2\nnew,i5,5\nold,i9,1\n' > new.csv
expect 0 "new users" "$dorm" recommend f --ratings new.csv -n 3
[ "$(wc -l < out)" = 6 ]
result $? "three items each"
# Factors open no file and load no module; what they need for new users is named again.
seq 1 -0.05 0.05 > weights
${DORM_TEST_CC:-cc} -shared -fPIC -I"${DORM_TEST_INCLUDE:-$srcdir/include}" -o reciprocal.so "$srcdir/tests/plugins/reciprocal.c" -lm
loss="loss.name=reciprocal:power=2 from ./reciprocal.so"
expect 0 "a loss of a module" "$dorm" factorize -q -s ratings.file=a.train.tsv -s "$loss" -s ranking.position_weights=file:weights -s output.model=m
expect 0 "a known user" "$dorm" recommend m --user u3
expect 2 "new users" "$dorm" recommend m --ratings new.csv
one_line_with "the factors have loss.name = reciprocal:power=2 from ./reciprocal.so, but a model opens no file by itself"
expect 2 "new users with the module alone" "$dorm" recommend m --ratings new.csv --set "$loss"
one_line_with "the factors have ranking.position_weights = file:weights"
expect 0 "new users with module and weights" "$dorm" recommend m --ratings new.csv -s "$loss" -s ranking.position_weights=file:weights -n 3
[ "$(wc -l < out)" = 6 ]
result $? "three items each again"
expect 4 "nobody" "$dorm" recommend f --user nobody
one_line_with "user 'nobody' is not in the model"
printf 'new i1 5\nnew i1 4\n' > twice.txt
expect 4 "rated twice" "$dorm" recommend f --ratings twice.txt
one_line_with "twice.txt:2: user new has rated item i1 before"
printf 'new zzz 5\n' > unknown.txt
expect 4 "unknown items alone" "$dorm" recommend f --ratings unknown.txt
holds err "the model knows none of the items that user new has rated"
expect 2 "recommend without a user" "$dorm" recommend f
one_line_with "needs --user, --ratings or --score"
expect 2 "a list of nothing" "$dorm" recommend f --user u3 -n 0
one_line_with "--count '0' is not a whole number of 1 or more"
expect 4 "a model of the other kind" "$dorm" recommend a.dorm --user u3
one_line_with "not a factorisation of this version"
head -c 3000 f > cut
expect 4 "a cut file" "$dorm" recommend cut --user u3

expect 0 "help" "$dorm" ratings --help
[ "$(sed -n 's/^  \([a-z_]*\)\.[A-Za-z_]* = .*/\1/p' out | sort -u | tr '\n' ' ')" = "ratings " ]
result $? "its settings are those of the section ratings"
expect 0 "help of factorize" "$dorm" factorize --help
[ "$(sed -n 's/^  \([a-z_]*\)\.[A-Za-z_]* = .*/\1/p' out | sort -u | tr '\n' ' ')" = "factorization loss ratings " ]
result $? "its settings are those of three sections"

expect 2 "no ratings named" "$dorm" ratings
one_line_with "ratings.file is not set"
expect 3 "ratings that are not there" "$dorm" ratings -s ratings.file=absent.tsv
one_line_with "absent.tsv"
expect 2 "two ways to hold out" "$dorm" ratings -s ratings.file=r.tsv -s ratings.held_out=r.tsv -s ratings.split=given:3
one_line_with "set one"
expect 4 "training ratings held out" "$dorm" ratings -q -s ratings.file=a.train.tsv -s ratings.held_out=a.train.tsv
one_line_with "in the training ratings"
expect 4 "too few for the split" "$dorm" ratings -q -s ratings.file=r.tsv -s ratings.split=given:20
one_line_with "ratings.split leaves no training ratings"
expect 4 "candidates of nobody" "$dorm" ratings -q -s ratings.file=r.tsv -s ratings.features=bias --candidates nobody
one_line_with "user 'nobody' has no training ratings"
expect 2 "a loss without tables" "$dorm" factorize -q -s ratings.file=r.tsv -s loss.name=map -s output.model=g
one_line_with "needs a loss of product form"
expect 2 "an averaged reference" "$dorm" factorize -q -s ratings.file=r.tsv -s ranking.reference=averaged -s output.model=g
one_line_with "factorisation takes mu:X, current or listed"
absent g
finish
