#!/bin/sh
# cross.sh: products of features (features.cross): a model with them is that of data in which awk wrote the products as
# features of their own, dense and sparse; hashed products; model files; what is refused.
. "${srcdir:-.}/tests/cli/lib.sh"

# Users are one of three kinds (features 1 to 3) and want other documents (features 11 to 14).
generate() {
  awk -v queries="$1" -v seed="$2" 'BEGIN {
    srand(seed)
    split("1 -1 0.5 0  -1 1 0 0.5  0 0.3 -1 1", want, /  */)
    for (q = 1; q <= queries; q++) {
      user = int(3 * rand())
      for (d = 0; d < 10; d++) {
        line = ""; score = 0
        for (f = 1; f <= 4; f++) {
          x = rand() < 0.3 ? 0 : int(1000 * rand()) / 1000
          score += want[4 * user + f] * x
          line = line " " (10 + f) ":" x
        }
        print (score > 0.7 ? 2 : score > 0.3) " qid:" q " " (user + 1) ":1" line
      }
    }
  }'
}
# products: of the features 1-3 and 11, 13, 14 (in that order), as features from 100 on.
products() {
  awk '{ split("", v); for (i = 3; i <= NF; i++) { split($i, p, ":"); v[p[1]] = p[2] }
    n = split("11 13 14", right, " "); id = 100
    for (u = 1; u <= 3; u++) for (k = 1; k <= n; k++) $0 = $0 " " id++ ":" (v[u] + 0) * (v[right[k]] + 0)
    print }' "$1"
}
generate 60 1 > train.txt
generate 40 2 > validation.txt
for name in train validation; do
  products $name.txt > $name-written.txt
done
cross="features.cross=1-3 x 11, 13-14"

for storage in dense sparse; do
  for normalisation in minmax zscore global-zscore none; do
    expect 0 "products, $storage, $normalisation" "$dorm" train -q -s training.trainer=svm train.txt validation.txt -s "$cross" \
      -s data.storage=$storage -s data.normalisation=$normalisation -s output.model=cross.dorm
    expect 0 "written products" "$dorm" train -q -s training.trainer=svm train-written.txt validation-written.txt -s data.storage=$storage \
      -s data.normalisation=$normalisation -s output.model=written.dorm
    "$dorm" predict cross.dorm validation.txt > scores
    "$dorm" predict written.dorm validation-written.txt | paste scores - |
      awk '{ d = $1 - $2; if (d * d > 1e-6) bad++ } END { exit !(NR == 400 && !bad) }'
    result $? "$storage, $normalisation: the scores are those of written products"
  done
done
grep '^cross' cross.dorm > out
holds out "cross 0 1-3 x 11, 13-14"
"$dorm" eval cross.dorm validation.txt -m ndcg@10 | awk '$1 == "ndcg@10" { exit !($2 > 0.9) }'
result $? "the model ranks for its users"
expect 0 "without products" "$dorm" train -q -s training.trainer=svm train.txt validation.txt -s output.model=plain.dorm
"$dorm" eval plain.dorm validation.txt -m ndcg@10 | awk '$1 == "ndcg@10" { exit !($2 < 0.8) }'
result $? "without products it cannot"

# Lists that hold every feature: sparse rows with all products rank as dense ones do.
for storage in dense sparse; do
  expect 0 "all products, $storage" "$dorm" train -q train.txt -s "features.cross=1-14 x 1-14" -s data.storage=$storage \
    -s data.normalisation=none -s training.trainer=ridge -s output.model=all.dorm
  "$dorm" predict all.dorm validation.txt > scores.$storage
done
paste scores.dense scores.sparse | awk '{ d = $1 - $2; if (d * d > 1e-6) bad++ } END { exit !(NR == 400 && !bad) }'
result $? "all products of sparse rows are those of dense ones"

# Hashed to more columns than there are pairs: the same but for collisions.
expect 0 "hashed" "$dorm" train -q -s training.trainer=svm train.txt validation.txt -s "$cross into 500" -s output.model=hashed.dorm
"$dorm" eval hashed.dorm validation.txt -m ndcg@10 | awk '$1 == "ndcg@10" { exit !($2 > 0.9) }'
result $? "hashed products rank for users"
[ "$(grep -c '^feature 2147483[67]' hashed.dorm)" = 500 ] || [ "$(grep -c '^feature 21474' hashed.dorm)" = 500 ]
result $? "a feature for each of 500 products"

for trainer in trees net; do
  "$dorm" train -q train.txt validation.txt -s "$cross" -s training.trainer=$trainer -s trees.trees=30 -s net.epochs=20 \
    -s trees.min_docs_in_leaf=5 -s selection.measure=ndcg@10 -s output.model=$trainer.dorm > out 2> err || continue
  awk '$1 == "ndcg@10" { value = $2 } END { exit !(value > 0.85) }' out
  result $? "$trainer: $(grep '^ndcg@10' out)"
  value=$(awk '$1 == "ndcg@10" { print $2 }' out)
  "$dorm" eval $trainer.dorm validation.txt -m ndcg@10 | awk -v value="$value" '$1 == "ndcg@10" { d = $2 - value; exit !(d * d < 1e-7) }'
  result $? "$trainer: the model file ranks as in training"
done

# A training that goes on keeps the products.
expect 0 "goes on" "$dorm" train -q -s training.trainer=svm train.txt -s data.from=hashed.dorm -s output.model=on.dorm
[ "$(grep '^cross' on.dorm)" = "$(grep '^cross' hashed.dorm)" ]
result $? "data.from keeps the products"

expect 0 "for export" "$dorm" train -q -s training.trainer=svm train.txt --for-serving -s "$cross" -s output.model=serving.dorm
expect 4 "an export" "$dorm" export --to json serving.dorm
one_line_with "the model has products of features (features.cross = 1-3 x 11, 13-14), which no format holds"
expect 2 "one list" "$dorm" train -q -s training.trainer=svm train.txt -s "features.cross=1-3"
one_line_with "features.cross: '1-3' is not two lists of ids with an x between, as in 1-5 x 20-40"
expect 2 "an empty list" "$dorm" train -q -s training.trainer=svm train.txt -s "features.cross=1-3 x"
one_line_with "has no ids on one side of the x"
expect 2 "too many" "$dorm" train -q -s training.trainer=svm train.txt -s "features.cross=1-100000 x 1-100000"
one_line_with "'1-100000 x 1-100000 into N' hashes them to N"
expect 4 "no feature" "$dorm" train -q -s training.trainer=svm train.txt -s "features.cross=1-2 x 77"
one_line_with "features.cross = 1-2 x 77: the right list names none of the 7 features of train.txt"
expect 4 "no feature in front" "$dorm" train -q -s training.trainer=svm train.txt -s "features.cross=50-60, 77 x 1"
one_line_with "features.cross = 50-60, 77 x 1: the left list names none of the 7 features of train.txt"
expect 2 "into nothing" "$dorm" train -q -s training.trainer=svm train.txt -s "$cross into 0"
one_line_with "needs a number of 1 to 10000000 behind 'into'"
expect 2 "a kernel" "$dorm" train -q -s training.trainer=svm train.txt -s "$cross" -s kernel.kernel=rbf
one_line_with "features.cross makes products for linear models, trees and nets"
expect 2 "other products" "$dorm" train -q -s training.trainer=svm train.txt -s "$cross" -s data.from=hashed.dorm
one_line_with "the model has other products than features.cross"
sed 's/14:/3000000000:/' train.txt > large.txt
expect 4 "an id of a product" "$dorm" train -q -s training.trainer=svm large.txt -s "$cross"
one_line_with "features from 2147483648 on are the products of features.cross"
grep -v '^checksum' hashed.dorm | sed 's/^cross 500 /cross -1 /' > damaged.dorm
expect 4 "a damaged size" "$dorm" predict damaged.dorm train.txt
one_line_with "'cross' needs a size of 0 to 10000000 and two lists of ids, once"
grep -v '^checksum' hashed.dorm | sed 's/^cross 500 1-3 x/cross 500 1-3 y/' > damaged.dorm
expect 4 "damaged lists" "$dorm" predict damaged.dorm train.txt
one_line_with "'cross' needs two lists of ids"
grep -v '^checksum' hashed.dorm | sed 's/^cross 500 /cross 501 /' > damaged.dorm
expect 4 "a damaged number" "$dorm" predict damaged.dorm train.txt
one_line_with "500 features are products, but the line 'cross' has 501"
finish
