#!/bin/sh
# certify.sh: dorm certify states bounds on new queries, in sentences and as JSON, and refuses what has no range.
. "${srcdir:-.}/tests/cli/lib.sh"

expect 0 "data" "$dorm" generate artificial --queries 60 -o train.txt
expect 0 "test data" "$dorm" generate artificial --queries 60 --part 2 -o test.txt
expect 0 "a model" "$dorm" train train.txt -q -s training.trainer=ridge -s data.test=test.txt -s output.model=m.dorm
tr -s ' \n' ' ' < out > sentence
holds sentence "; with 95 % confidence at least "
bound=$(sed -n 's/.* at least \([0-9.]*\) on new queries.*/\1/p' sentence)
awk '{ sub(/^[^ ]*/, 60 - NR % 60) } 1' train.txt | sed 's/^[0-9]*/0/' | sed '1~3s/^0/1/' > noise.txt
expect 0 "a model of noise" "$dorm" train noise.txt -q -s training.trainer=ridge -s output.model=bad.dorm
expect 0 "certify" "$dorm" certify m.dorm test.txt -m ndcg@10 --against bad.dorm
holds out "it is at least $bound on new queries"
holds out "m.dorm minus bad.dorm is at least +"
holds out ": it is better."
holds out "documents hold 90 % of the gain"
holds err "drawn independently"
expect 0 "the other way round" "$dorm" certify bad.dorm test.txt -m ndcg@10 --against m.dorm
holds out ": it may be worse."
expect 0 "a measure of which less is better" "$dorm" certify m.dorm test.txt -m pair_error
holds out "it is at most 0."
seq 60 > test.txt.weight
expect 0 "weights" "$dorm" certify m.dorm test.txt -m ndcg@10
holds err "whatever its weight"
rm test.txt.weight
expect 0 "eval" "$dorm" eval m.dorm test.txt -m ndcg@5 -j eval.json
expect 0 "JSON" "$dorm" certify m.dorm test.txt -m ndcg@5 --against bad.dorm --confidence 0.99 --keep 0.5 -j
python3 - << 'END'
import json, sys
found, mean = json.load(open("out")), json.loads(open("eval.json").readline())["mean"]
sys.exit(not (abs(found["mean"] - mean) < 1e-9 and found["hoeffding_bentkus"] < found["at_least"] < mean
              and found["difference_at_least"] < found["difference"] and found["queries"] == 60
              and found["depth_share"] > found["share_of_gain"] == 0.5 and found["depth"] >= 1))
END
result $? "the JSON agrees with eval, and bounds lie below means"
head -n 30 test.txt > few.txt
expect 0 "few queries" "$dorm" certify m.dorm few.txt -m ndcg@10 --keep 0.99
holds out "too few for a depth"
expect 2 "a measure without a range" "$dorm" certify m.dorm test.txt -m dcg@10
one_line_with "no known range"
expect 2 "no data" "$dorm" certify m.dorm
expect 2 "a bad confidence" "$dorm" certify m.dorm test.txt --confidence 1
finish
