#!/bin/sh
# probe.sh: dorm probe counts what moves of the weights do, the same on any number of threads, and refuses trees.
. "${srcdir:-.}/tests/cli/lib.sh"

expect 0 "data" "$dorm" generate artificial --queries 20 -o train.txt
expect 0 "a linear model" "$dorm" train train.txt -q -s training.trainer=ridge -s output.model=m.dorm
expect 0 "probe" "$dorm" probe m.dorm train.txt -m ndcg@5 --plot plot.gp -t 1
holds out "ndcg@5 = "
holds out "459 random directions"
holds out "weights, one at a time"
cp out one.txt
expect 0 "probe on two threads" "$dorm" probe m.dorm train.txt -m ndcg@5 -t 2
cmp -s out one.txt
result $? "the numbers do not depend on threads"
grep -q '^plot \$absolute1 with' plot.gp && grep -q '^\$relative4 << END' plot.gp
result $? "the plot has four directions"
# A measure may name a file; gnuplot would run backquotes within double quotes.
odd="it's\`touch pwned\`"
printf '1 0 0\n* 1 0\n' > "$odd"
expect 0 "a measure with odd letters" "$dorm" probe m.dorm train.txt -m "minus_loss(cost:file=$odd)" --plot odd.gp \
  --directions 4 --no-single
holds odd.gp "set ylabel 'minus_loss(cost:file=it''s\`touch pwned\`"
! command -v gnuplot > /dev/null || gnuplot -e 'set terminal svg; set output "odd.svg"' odd.gp 2> err
result $? "gnuplot draws it"
absent pwned

# What is printed at the weights is what dorm eval says.
value=$(sed -n 's/^ndcg@5 = \([0-9.]*\) .*/\1/p' one.txt)
expect 0 "eval" "$dorm" eval m.dorm train.txt -m ndcg@5 -j eval.json
python3 - "$value" << 'END'
import json, sys
mean = json.loads(open("eval.json").readline())["mean"]
sys.exit(abs(mean - float(sys.argv[1])) > 1e-6)
END
result $? "the value at the weights is that of dorm eval"

expect 0 "JSON" "$dorm" probe m.dorm train.txt -j --steps 0.5,0.1 --directions 7 --no-single --seed 3
python3 - << 'END'
import json, sys
probe = json.load(open("out"))
rows = probe["directions"]["rows"]
good = (probe["directions"]["moves"] == 7 and probe["singles"]["moves"] == 0 and len(rows) == 4
        and [row["step"] for row in rows] == [0.5, 0.1, 0.5, 0.1]
        and all(row["better"] + row["equal"] + row["worse"] == 7 for row in rows)
        and abs(rows[2]["length"] - 0.5 * probe["norm"]) < 1e-12
        and len(probe["curves"]) == 4 and all(len(curve) == 4 for curve in probe["curves"]))
sys.exit(not good)
END
result $? "the JSON holds rows and curves"

# As the paper counts: of four directions, those without a lower value. They are the curves of the JSON.
expect 0 "four directions" "$dorm" probe m.dorm train.txt -m mrr --steps 0.00001 --directions 4 --no-single
level=$(sed -n 's/.*counts as a rise.* \([0-9]*\) of 4 directions.*/\1/p' out)
expect 0 "their JSON" "$dorm" probe m.dorm train.txt -m mrr -j --steps 0.00001 --directions 4 --no-single
python3 - "$level" << 'END'
import json, sys
probe = json.load(open("out"))
count = sum(max(curve) >= probe["value"] - 1e-12 for curve in probe["curves"])
strict = sum(max(curve) > probe["value"] + 1e-12 for curve in probe["curves"])
sys.exit(not (str(count) == sys.argv[1] and strict == probe["directions"]["rising"] < count))
END
result $? "$level of 4 directions are not lower"

expect 0 "a net" "$dorm" train train.txt -q -s training.trainer=net -s net.epochs=3 -s training.seed=1,2 -s output.model=n.dorm
expect 0 "probe of a net" "$dorm" probe n.dorm train.txt --directions 20
holds out "20 random directions"
expect 0 "a kernel" "$dorm" train train.txt -q -s kernel.kernel=rbf -s kernel.rank=10 -s output.model=k.dorm
expect 0 "probe of a kernel" "$dorm" probe k.dorm train.txt --directions 20

expect 2 "no data" "$dorm" probe m.dorm
expect 2 "a bad step" "$dorm" probe m.dorm train.txt --steps 0.1,-2
one_line_with "'-2' is not a number above 0"
expect 2 "a bad share" "$dorm" probe m.dorm train.txt --epsilon 1.5
one_line_with "--epsilon '1.5'"
expect 2 "no directions" "$dorm" probe m.dorm train.txt --directions 0
one_line_with "--directions '0'"
expect 3 "no model" "$dorm" probe absent.dorm train.txt
if "$dorm" train train.txt -q -s training.trainer=trees -s trees.trees=2 -s output.model=t.dorm > out 2> err; then
  expect 2 "trees" "$dorm" probe t.dorm train.txt
  one_line_with "no weights that could be moved"
fi
finish
