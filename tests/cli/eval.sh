#!/bin/sh
# eval.sh: dorm eval with its conventions, values per query, comparisons, files of
# LightGBM and XGBoost, and what it refuses.
. "${srcdir:-.}/tests/cli/lib.sh"

# Query 1 has its best document first, query 2 no relevant document, query 3 its relevant document second of two.
printf '1 qid:1 1:1\n0 qid:1 1:0\n0 qid:2 1:1\n0 qid:2 1:2\n0 qid:3 1:1\n1 qid:3 1:2\n' > data.txt
printf '2\n1\n2\n1\n2\n1\n' > one.txt
printf '1\n2\n2\n1\n2\n1\n' > two.txt

# prints MEASURE MEAN: the mean that dorm eval must print; 1/log2(3) = 0.630930
prints() {
  expect 0 "eval $1" "$dorm" eval --scores one.txt data.txt -m "$1"
  [ "$(awk '{ print $2 }' out)" = "$2" ]
  result $? "$1 is $2"
}
prints ndcg@10 0.543643            # (1 + 0 + 0.630930) / 3
prints ndcg@10:empty=1 0.876977    # (1 + 1 + 0.630930) / 3
prints ndcg@10:empty=skip 0.815465 # (1 + 0.630930) / 2
prints ndcg@10:discount=letor 0.666667
prints pair_error:empty=skip 0.500000
holds err "pair_error:empty=skip,ties=order"
expect 0 "conventions are spelled out" "$dorm" eval --scores one.txt data.txt -m ndcg@10
holds out "   3 queries"
tr -s '\n ' ' ' < err > one
holds one " ndcg@10:gain=exp2,discount=log2,empty=0,ties=order; 1 query without a relevant document"

expect 0 "query for query" "$dorm" eval --scores one.txt data.txt -m mrr -m map:empty=skip --per-query values.tsv --json values.json
printf 'query\tmrr\tmap:empty=skip\n1\t1\t1\n2\t0\tskipped\n3\t0.5\t0.5\n' > wanted
cmp -s values.tsv wanted
result $? "a table of tabs"
[ "$(wc -l < values.json)" = 2 ]
result $? "a line a measure"
holds values.json '"conventions":"map:threshold=1,divide=relevant,empty=skip,ties=order"'
holds values.json '"per_query":{"1":1.0,"2":null,"3":0.5}'

# The mrr of two.txt is 0.5, 0, 0.5, so the differences are 0.5, 0, 0. Hence t = 1 with 2 degrees of freedom and
# p = 1 - 1/sqrt(3) = 0.4226; every sign change gives as large a mean difference, so that p = 1.
expect 0 "two score files" "$dorm" eval --scores one.txt --scores two.txt data.txt -m mrr --json both.json
holds out "one.txt minus two.txt:"
grep -q '+0\.166667 +- 0\.166667  *0\.4226  *1  *3$' out
result $? "difference, its error, both p-values and the number of queries"
holds both.json '"randomisation":1.0,"rounds":8'
"$dorm" train -q -s data.train=data.txt -s output.model=model.dorm > /dev/null
expect 0 "a model against a score file" "$dorm" eval --scores one.txt model.dorm data.txt -m mrr
holds out "one.txt minus model.dorm:"
expect 0 "a loss as a measure" "$dorm" eval --scores one.txt data.txt -m 'minus_loss(mrr)'
holds err "minus_loss(mrr:top=any,threshold=0)"

# Query sizes from a file, and feature ids from 0.
sed 's/ qid:[0-9]* 1:/ 0:/' data.txt > plain.txt
for ending in query group; do
  printf '2\n2\n2\n' > plain.txt.$ending
  expect 0 "sizes in plain.txt.$ending" "$dorm" eval --scores one.txt plain.txt -m ndcg@10
  holds out "0.543643"
  rm plain.txt.$ending
done
expect 4 "no sizes" "$dorm" eval --scores one.txt plain.txt -m ndcg@10
one_line_with "'qid:' expected"
printf '2\n2\n' > plain.txt.group
expect 4 "too few sizes" "$dorm" eval --scores one.txt plain.txt -m ndcg@10
one_line_with "plain.txt:5: more documents than the 4 that plain.txt.group counts"

expect 2 "a run alone" "$dorm" eval --run run
one_line_with "--run and --qrels must be given together"
expect 2 "a run and data" "$dorm" eval --run run --qrels qrels data.txt
printf '1 0 a 1\n' > qrels
expect 3 "a run that is not there" "$dorm" eval --run absent --qrels qrels
expect 2 "an unknown convention" "$dorm" eval --scores one.txt data.txt -m ndcg:ties=best
one_line_with "ties=best is none of: order, docid, worst, expected"
expect 2 "no rounds" "$dorm" eval --scores one.txt data.txt --rounds 0
expect 3 "a table that cannot be written" "$dorm" eval --scores one.txt data.txt --per-query no/such/folder.tsv
expect 0 "help" "$dorm" eval --help
holds out "--per-query"

finish
