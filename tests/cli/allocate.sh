#!/bin/sh
# allocate.sh: dorm allocate meets requirements on exposure, its prices serve new documents, and conflicts are named.
. "${srcdir:-.}/tests/cli/lib.sh"

awk 'BEGIN { srand(3); for (q = 1; q <= 60; q++) for (j = 0; j < 12; j++) {
  seller = j % 3 + 1; value = rand() + (seller == 1 ? 0.5 : 0)
  printf "%d qid:%d 1:%.4f 2:%d # docid = s%d-%d.%d\n", (value > 1), q, value, seller, seller, q, j } }' > data.txt
expect 0 "a model" "$dorm" train data.txt -q -s training.trainer=ridge -s data.features=1 -s output.model=m.dorm
expect 0 "allocate" "$dorm" allocate m.dorm data.txt --groups feature:2 --require 'share(*) >= 0.3' --prices prices \
  --policy policy
holds out "with the requirements"
holds out "largest violation 0"
[ "$(grep -c '^0\.[3-9].* [123]$' out)" = 3 ]
result $? "each seller has its share"

# The shares of the policy, and of the served prices, counted from the rankings.
shares='function seen(p) { return p <= 10 ? log(2) / log(p + 1) : 0 }
  END { for (s = 1; s <= 3; s++) if (share[s] / all < least) exit 1 }'
awk -v least=0.299999 "$shares"' { for (i = 3; i <= NF; i++) { w = $2 * seen(i - 2); share[($i - 1) % 3 + 1] += w; all += w } }' policy
result $? "the rankings of the policy have these shares"
expect 0 "prices" "$dorm" predict m.dorm data.txt --prices prices --groups feature:2 --ranked -o ranked
awk -v least=0.29 "$shares"' { s = substr($3, 2, 1); w = seen($2); share[s] += w; all += w }' ranked
result $? "the served rankings nearly so"

# A query of three documents, drawn 3,000 times: each ranking as often as the policy says, within four standard errors.
awk 'BEGIN { for (q = 1; q <= 3000; q++) { printf "q%d\t0.2\t3 1 2\nq%d\t0.7\t1 2 3\nq%d\t0.1\t2 3 1\n", q, q, q
  for (j = 1; j <= 3; j++) printf "0 qid:q%d 1:%d 2:1\n", q, j > "drawn.txt" } }' > drawn.policy
expect 0 "draws" "$dorm" predict m.dorm drawn.txt --policy drawn.policy --seed 3 -o drawn
paste -d ' ' - - - < drawn | sort | uniq -c > counts
awk '{ p = $2 $3 $4 == 213 ? .2 : $2 $3 $4 == 321 ? .7 : $2 $3 $4 == 132 ? .1 : 0; d = $1 - 3000 * p
  if (d * d > 16 * 3000 * p * (1 - p)) exit 1; rows++ } END { exit rows != 3 }' counts
result $? "rankings are drawn by their probabilities"
expect 0 "the same seed" "$dorm" predict m.dorm drawn.txt --policy drawn.policy --seed 3 -o again
cmp -s drawn again
result $? "a seed draws the same rankings"
expect 0 "another seed" "$dorm" predict m.dorm drawn.txt --policy drawn.policy --seed 4 -o again
! cmp -s drawn again
result $? "another seed draws others"
expect 0 "the policy of allocate" "$dorm" predict m.dorm data.txt --policy policy --ranked -o ranked
awk -v least=0.27 "$shares"' { s = substr($3, 2, 1); w = seen($2); share[s] += w; all += w }' ranked
result $? "drawn rankings have nearly the shares"
head -n 3 drawn.policy > short
expect 0 "queries that the policy lacks" "$dorm" predict m.dorm drawn.txt --policy short -o part
holds err "2999 of 3000 queries are not in short: their scores stay"
expect 0 "the model's scores" "$dorm" predict m.dorm drawn.txt -o plain
[ "$(tail -n +4 part)" = "$(tail -n +4 plain)" ]
result $? "they keep the model's scores"
printf 'q1\t0.5\t3 1 2\n' > bad
expect 4 "probabilities" "$dorm" predict m.dorm drawn.txt --policy bad
holds err "bad: the probabilities of query 'q1' add up to 0.5, not to 1"
for ranking in '3 1 1' '3 1' '3 1 2 4' '0 1 2' 'a b c'; do
  printf 'q1\t1\t%s\n' "$ranking" > bad
  expect 4 "ranking $ranking" "$dorm" predict m.dorm drawn.txt --policy bad
  holds err "bad:1: this is not a query, a probability and a ranking of its documents"
done

expect 0 "plain predictions" "$dorm" predict m.dorm data.txt --ranked -o plain
! awk -v least=0.29 "$shares"' { s = substr($3, 2, 1); w = seen($2); share[s] += w; all += w }' plain
result $? "the rankings of the model do not"

expect 0 "gains of labels, groups by id, JSON" "$dorm" allocate --labels data.txt --groups 'docid:^(s[0-9])' \
  --require 'parity >= 0.95' --require 'share(s1) <= 0.5' -j
python3 -c 'import json; found = json.load(open("out")); exit(not (found["worth"] <= found["bound"] <= found["free_worth"] + 1e-9 and found["gap"] < 1e-5))'
result $? "worth, bound and free worth are in order"
expect 0 "merit" "$dorm" allocate --labels data.txt --groups feature:2 --require 'merit >= 0.3'
expect 4 "a conflict" "$dorm" allocate m.dorm data.txt --groups feature:2 --require 'share(1) >= 0.5' \
  --require 'share(2) >= 0.6'
one_line_with "no policy meets these requirements together: share(1) >= 0.5, share(2) >= 0.6"

# Prices tried on other data.
awk 'BEGIN { srand(4); for (q = 1; q <= 60; q++) for (j = 0; j < 12; j++) {
  seller = j % 3 + 1; value = rand() + (seller == 1 ? 0.5 : 0)
  printf "%d qid:%d 1:%.4f 2:%d\n", (value > 1), q, value, seller } }' > other.txt
for need in 'share(*) >= 0.3' 'parity >= 0.9' 'merit >= 0.5'; do
  expect 0 "$need on other data" "$dorm" allocate m.dorm data.txt --groups feature:2 --require "$need" --test other.txt
  holds out "3 of 3 requirements are kept within two standard errors"
done
expect 0 "largest shares" "$dorm" allocate m.dorm data.txt --groups feature:2 --require 'share(1) <= 0.4' --test other.txt
grep -q '^0\.[34][0-9]*   <= 0\.4000  0\.0[0-9]*   1$' out
result $? "a line for the requirement"
sed 's/2:1$/2:4/' other.txt > moved.txt
expect 2 "a group that the other data lack" "$dorm" allocate m.dorm data.txt --groups feature:2 \
  --require 'share(1) <= 0.4' --test moved.txt

# Each query by itself: every query has its shares, and none can have .5 and .6.
expect 0 "per query" "$dorm" allocate m.dorm data.txt --groups feature:2 --require 'parity >= 1' --per-query --policy each
awk 'function seen(p) { return p <= 10 ? log(2) / log(p + 1) : 0 }
  { for (i = 3; i <= NF; i++) { w = $2 * seen(i - 2); share[$1, ($i - 1) % 3]; share[$1, ($i - 1) % 3] += w; all[$1] += w } }
  END { for (q in all) for (s = 0; s < 3; s++) { d = share[q, s] / all[q] - 1 / 3; if (d * d > 1e-12) exit 1; n++ }
    exit n != 180 }' each
result $? "each query has equal shares"
holds out "largest violation 0"
sed 's/2:1$/2:2/' other.txt | sed '/qid:1 /s/2:2$/2:3/' > lacking.txt
expect 0 "groups that a query lacks" "$dorm" allocate m.dorm lacking.txt --groups feature:2 --require 'share(*) >= 0.4' \
  --per-query
expect 4 "a conflict in a query" "$dorm" allocate m.dorm data.txt --groups feature:2 --require 'share(1) >= 0.5' \
  --require 'share(2) >= 0.6' --per-query
one_line_with "query '1': no policy meets these requirements together: share(1) >= 0.5, share(2) >= 0.6"
expect 2 "no prices per query" "$dorm" allocate m.dorm data.txt --groups feature:2 --require 'parity >= 1' --per-query \
  --prices prices

expect 2 "an unknown group" "$dorm" allocate m.dorm data.txt --groups feature:2 --require 'share(7) >= 0.5'
one_line_with "no group has this name"
for bad in 'share(1) > 0.5' 'share(1) >= 2' 'parity <= 1' 'fair'; do
  expect 2 "$bad" "$dorm" allocate m.dorm data.txt --groups feature:2 --require "$bad"
done
expect 2 "no groups" "$dorm" allocate m.dorm data.txt --require 'parity >= 1'
expect 2 "prices without groups" "$dorm" predict m.dorm data.txt --prices prices
echo "x 1" > bad
expect 4 "bad prices" "$dorm" predict m.dorm data.txt --prices bad --groups feature:2
holds err "bad:1: 'x 1' is not a price"
finish
