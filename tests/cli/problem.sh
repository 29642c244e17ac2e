#!/bin/sh
# problem.sh: dorm problem writes what the oracle solves for a query, and solves it by every method; it tells methods
# that do not agree, and what is wrong in a damaged file; no name leaves the house.
. "${srcdir:-.}/tests/cli/lib.sh"

expect 0 "data" "$dorm" generate artificial --queries 6 -d 7 -o secretfile.txt
sed 's/ # .*//; s/$/ # docid = secretdoc/; s/qid:/qid:secretquery/' secretfile.txt > secret.txt
expect 0 "a model" "$dorm" train secret.txt -q -s ranking.position_weights=power:0.5 -s output.model=secret.dorm
expect 0 "a problem" "$dorm" problem secret.dorm secret.txt --query secretquery3 -o p.json
one_line_with "query secretquery3, 7 documents"
expect 0 "on standard output" "$dorm" problem secret.dorm secret.txt --query secretquery3
grep -v '"microseconds"' p.json > one.json
grep -v '"microseconds"' out | cmp -s - one.json
result $? "the file and standard output hold the same"
grep -i -e secret -e "$work" p.json
[ $? = 1 ]
result $? "the file has no id and no path"

# The numbers are those of the data and of the model, and the value is that of the definition.
expect 0 "scores" "$dorm" predict secret.dorm secret.txt -o scores
python3 - << 'END'
import json, math
problem = json.load(open("p.json"))
lines = open("secret.txt").read().splitlines()
rows = [i for i, line in enumerate(lines) if "qid:secretquery3 " in line]
scores = [float(line) for line in open("scores")]
assert problem["scores"] == [scores[i] for i in rows]
assert problem["labels"] == [float(lines[i].split()[0]) for i in rows]
assert all(abs(x - (p + 2) ** -0.5) < 1e-15 for p, x in enumerate(problem["c"]))
assert all(abs(x - 1 / math.log2(p + 2)) < 1e-15 for p, x in enumerate(problem["a"]))
assert [call["t"] for call in problem["calls"]] == [1, 0, -0.3]
for call in problem["calls"]:
    value = sum(problem["c"][p] * problem["scores"][j] - call["t"] * problem["a"][p] * problem["b"][j]
                for p, j in enumerate(call["order"]))
    assert abs(value - call["value"]) < 1e-12
END
result $? "the file holds the numbers of data and model"

expect 0 "solving it" "$dorm" problem p.json
for method in "recorded (" "auto (" runs moves shortest-path hungarian enumeration; do
  [ "$(grep -c "^  $method" out)" = 3 ]
  result $? "three calls of $method"
done
holds out "all methods agree"
[ "$(grep -c "t = " out)" = 3 ]
result $? "three calls have heads"
expect 0 "other settings" "$dorm" problem secret.dorm secret.txt --query secretquery3 -o q.json --scale 0.5 \
  -s ranking.reference=listed -s loss.name=mrr -s ranking.position_weights=loss -s solver.oracle=shortest-path
python3 - << 'END'
import json
p, q = json.load(open("p.json")), json.load(open("q.json"))
assert q["scores"] == [0.5 * x for x in p["scores"]] and q["a"] == q["c"] and q["loss"].startswith("mrr")
assert len(q["calls"]) == 2 and all(call["found_by"] == "shortest-path" for call in q["calls"])
END
result $? "settings and scale count"
expect 0 "solving that" "$dorm" problem q.json
holds out "oracle shortest-path"

# Without a query, the slowest one.
expect 0 "a long query" "$dorm" generate artificial --queries 1 -d 300 -o long.txt
{ cat secret.txt && sed 's/qid:1 /qid:long /' long.txt; } > both.txt
expect 0 "the slowest query" "$dorm" problem secret.dorm both.txt -o long.json
one_line_with "query long, 300 documents"
expect 0 "solving it" "$dorm" problem long.json

# Groups.
sed 's/ # .*//' secret.txt | awk '{ print $0 " # docid = " substr("abcdefg", 1 + NR % 3, 1) NR }' > grouped.txt
expect 0 "groups" "$dorm" problem secret.dorm grouped.txt --query secretquery2 -o g.json -s 'diversity.groups=docid:(.)' \
  -s diversity.top=3 -s ranking.position_weights=loss
expect 0 "solving a problem with groups" "$dorm" problem g.json
holds out "3 groups"
holds out "(group-sort)"
holds out "enumeration"

# change NEW PYTHON: the file NEW is p.json, changed by statements on `p`; change_groups: g.json.
change() {
  python3 -c "import json; p = json.load(open('p.json')); $2; json.dump(p, open('$1', 'w'))"
}
change_groups() {
  python3 -c "import json; p = json.load(open('g.json')); g = p['groups']; $2; json.dump(p, open('$1', 'w'))"
}

# Wrong answers.
change wrong.json "o = p['calls'][1]['order']; o[0], o[6] = o[6], o[0]"
expect 5 "a wrong ranking" "$dorm" problem wrong.json
holds err "wrong.json: prediction: the ranking of recorded does not agree"
[ "$(grep -c 'does not agree$' out)" = 1 ] && grep -q '^  recorded .*does not agree' out
result $? "that ranking alone does not agree"
change wrong.json "p['calls'][0]['value'] += 1e-6"
expect 5 "a wrong value" "$dorm" problem wrong.json
holds err "wrong.json: most violated: the ranking of recorded"
change open.json "p['calls'] = [{'t': call['t']} for call in p['calls']] + [{'t': -7.5}]"
expect 0 "without answers" "$dorm" problem open.json
[ "$(grep -c '^  recorded' out)" = 0 ] && grep -q '^reference, t = -7.5' out
result $? "calls are solved that have no answer"

# Damaged files.
refuses() {
  expect 4 "damaged: $1" "$dorm" problem bad.json
  one_line_with "$1"
}
damaged() {
  change bad.json "$1"
  refuses "$2"
}
head -c 700 p.json > bad.json
refuses "bad.json:"
printf '[1]\n' > bad.json
refuses "bad.json: not a JSON object"
sed 's/"t": 1,/"t": 1e999,/' p.json > bad.json
refuses "not JSON: real number overflow"
sed 's/"labels": .*/"scores": [1],/' p.json > bad.json
refuses "duplicate object key"
damaged "p['format'] = 'dorm problem 7'" 'bad.json: format is "dorm problem 7", not "dorm problem 1"'
damaged "del p['format']" 'format is nothing, not'
damaged "del p['scores']" 'scores is nothing, not a list of numbers'
damaged "p['scores'] = []" 'scores is [], not a list of numbers'
damaged "p['scores'][2] = 'x'" 'entry 3 of scores is "x", not a number'
damaged "p['scores'].pop()" 'labels has 7 entries, not 6'
damaged "p['c'].append(0)" 'c has 8 entries, not 7'
damaged "p['c'][3] = 5" 'oracle: c[3] = 5 is more than c[2] = 0.5'
damaged "p['a'][1] = 2" 'oracle: a[1] = 2 is more than a[0] = 1'
damaged "p['b'] = {}" 'b is {}, not a list of numbers'
damaged "p['oracle'] = 'shortest-paths'" "unknown oracle 'shortest-paths'; did you mean 'shortest-path'?"
damaged "p['oracle'] = None" 'oracle is null, not a text of one line'
damaged "p['loss'] = 'x\n'" 'loss is "x\n", not a text of one line'
damaged "p['version'] = 1" 'version is 1, not a text of one line'
damaged "p['cost'] = [[0] * 7] * 6" 'cost has 6 rows, not 7'
damaged "p['cost'] = [[0] * 7] * 6 + [[0]]" 'row 7 of cost has 1 numbers, not 7'
damaged "p['cost'] = [[0] * 7] * 6 + [[0] * 6 + [True]]" 'entry 7 of row 7 of cost is true, not a number'
damaged "p['calls'] = []" 'calls is [], not a list of calls'
damaged "p['calls'] *= 3" 'calls has 9 entries, and 8 are allowed'
damaged "p['calls'][1]['t'] = 'x'" 't is "x", not a number'
damaged "p['calls'][1]['order'][3] = 7" 'entry 4 of order is 7, not the number of another document'
damaged "p['calls'][1]['order'][3] = 1.5" 'entry 4 of order is 1.5, not'
damaged "p['calls'][1]['order'][3] = p['calls'][1]['order'][2]" 'entry 4 of order is'
damaged "p['calls'][1]['order'].pop()" 'order has 6 entries, not 7'
damaged "p['calls'][1]['microseconds'] = -1" 'microseconds is -1'
damaged "del p['calls'][1]['value']" 'value is nothing, not a number'
damaged "del p['calls'][1]['found_by']" 'found_by is nothing, not a text of one line'
damaged "p['groups'] = 7" 'oracle of groups is nothing, not a text'
for damage in "g['top'] = 0|top is 0" "g['top'] = 1.5|top is 1.5, not a whole number" "g['top'] = 1e300|top is 1e" \
  "g['capacity'] = 0|capacity is 0" "g['time_limit'] = -1|time_limit is -1" "g['oracle'] = 'lps'|unknown oracle of groups 'lps'" \
  "g['members'] = []|members is [], not a list of groups" "g['members'][1] = []|group 2 is [], not a list of documents" \
  "g['members'][1][0] = 7|entry 1 of group 2 is 7" "g['members'][0].reverse()|entry 2 of group 1 is" \
  "g['members'][0][1] = g['members'][0][0]|entry 2 of group 1 is" "g['weights'].pop()|weights of group 3 is nothing" \
  "g['weights'][0][0] = 0|weights of group 1 is [0" "g['weights'][0].pop()|weights of group 1 has"; do
  change_groups bad.json "${damage%%|*}"
  refuses "${damage#*|}"
done

expect 2 "no such query" "$dorm" problem secret.dorm secret.txt --query 77
one_line_with "the data have no query '77'"
expect 2 "a structured loss" "$dorm" problem secret.dorm secret.txt -s loss.name=rsvm
one_line_with "loss 'rsvm' is structured"
expect 2 "functions of positions" "$dorm" problem secret.dorm secret.txt -s ranking.position_functions=2
one_line_with "ranking.position_functions = 2"
expect 2 "an unknown setting" "$dorm" problem secret.dorm secret.txt -s loss.nam=ndcg
expect 2 "a bad scale" "$dorm" problem secret.dorm secret.txt --scale 0
one_line_with "--scale 0 is not a number above 0"
expect 2 "nothing" "$dorm" problem
expect 2 "options of the other form" "$dorm" problem p.json --query 1
one_line_with "options are for MODEL and DATA"
expect 3 "no such file" "$dorm" problem absent.json
expect 3 "no such folder" "$dorm" problem secret.dorm secret.txt --query secretquery1 -o absent/p.json
finish
