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
