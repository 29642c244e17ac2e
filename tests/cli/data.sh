#!/bin/sh
# data.sh: dorm data prints what Python counts in generated files, in 80 columns; likely mistakes are found, and only
# those that were made.
. "${srcdir:-.}/tests/cli/lib.sh"
python=$(command -v python3)

"$dorm" generate artificial -o plain.txt --queries 30 -d 12 --part 1
# Feature 11 equals 3, 12 is the label of the query on another scale, 13 is constant, 14 is missing here and there.
awk '{ for (i = 3; i <= NF; i++) if ($i ~ /^3:/) copy = substr($i, 3)
       split($2, q, ":"); if (q[2] == 4) $1 = 0; if (q[2] == 5) $1 = 2; if (q[2] == 6 && seen++) next
       print $0, "11:" copy, "12:" (q[2] * 10 - 3 * $1), "13:7", "14:" (NR % 5 ? NR % 3 : "nan") }' plain.txt > one.txt
awk '{ split($2, q, ":"); $2 = "qid:" (q[2] + 20); for (i = 3; i <= NF; i++) { split($i, v, ":")
       if (v[1] == 2) $i = "2:" v[2] + (NR % 4 ? 0 : 9); if (v[1] == 5) $i = ""; if (v[1] == 10) $i = $i " 20:1" } print }' \
  plain.txt > two.txt

expect 0 "one file" "$dorm" data one.txt
for text in '            30 queries' '           349 documents' '            12 documents per query (median; from 1 to 12)' \
  '             1 query with one document' '            14 features' '             1 is constant: 13' \
  '             1 has missing values: 14' '             1 equals an earlier one: 11' \
  '1 feature follows the label (correlation within queries above .98)'; do
  holds out "$text"
done
[ "$(grep -c 'queries whose labels are all equal' out)" = 1 ]
result $? "the plural"
expect 0 "two files" "$dorm" data one.txt two.txt
holds out '            10 query ids are in both files'
grep -q '^  *5  only in file 1$' out && grep -q '^  *20  only in file 2$' out && grep -Eq '^  *2  [0-9.]+ % of file 1, 2[0-9.]+ %' out
result $? "features of one file, and another range"

printf '2 a_name_of_a_feature_that_is_much_longer_than_its_column\n14 short\n' > names.txt
expect 0 "names" "$dorm" data one.txt --features names.txt
holds out 'a_name_of'
"$dorm" data one.txt two.txt > wide
! awk 'length($0) > 80' out wide | grep -q .
result $? "lines of at most 80 columns"
! grep -q ' $' out wide
result $? "no blank at the end of a line"

# check FILE...: the JSON of dorm data against counts by Python.
check() {
  expect 0 "JSON of $*" "$dorm" data --json "$@"
  cp out found.json
  [ -z "$python" ] || expect 0 "the figures of $*" "$python" "$srcdir/tests/cli/data.py" found.json "$@"
}
check one.txt
check two.txt
check one.txt two.txt
"$dorm" generate sparse -o sparse.txt --queries 20 -d 15 -f 5000 --entries 20
check sparse.txt
check sparse.txt one.txt
"$dorm" data sparse.txt > out
holds out 'sparse: values that a line does not name are 0'
"$dorm" cache one.txt -o one.cache
"$dorm" data one.cache > cached
"$dorm" data one.txt | sed 's/^one.txt$/one.cache/' | cmp -s - cached
result $? "a cache and its text have the same figures"
"$dorm" data - < one.txt | sed 's/^-$/one.cache/' | cmp -s - cached
result $? "standard input"

# ---- Likely mistakes

! "$dorm" data plain.txt | grep -q mistakes
result $? "nothing is wrong with generated data"
printf '%s\n' '0 qid:1 1:1 2:1e12' '0.5 qid:1 1:2 2:-1' '40 qid:2 1:0 2:3' '1 qid:1 1:1 2:0' > odd.txt
expect 0 "mistakes" "$dorm" data odd.txt
for text in '1 label is not whole, such as 0.5' 'labels go up to 40' 'the lines of 1 query are apart' \
  'the range of 1 feature is above 1e9: 2'; do
  holds out "$text"
done
printf '%s\n' '1 qid:1 1:1' '1 qid:1 1:2' > level.txt
expect 0 "a level file" "$dorm" data level.txt
holds out 'all labels are 1, so there is nothing to learn'
holds out 'the file has one query only'

# ---- What is refused

expect 2 "no file" "$dorm" data
one_line_with "needs one FILE or two"
expect 2 "three files" "$dorm" data one.txt two.txt plain.txt
expect 2 "names of two files" "$dorm" data one.txt two.txt --features names.txt
one_line_with "--all and --features are for the table of one FILE"
printf '2 \303\244\303\244\303\244\303\244\303\244x\303\244\n' > umlauts.txt
"$dorm" data one.txt --features umlauts.txt > out
holds out "$(printf '\303\244\303\244\303\244\303\244\303\244x')"
! grep -qF '\x' out
result $? "a name is not cut within a character"
expect 3 "a file that is not there" "$dorm" data gone.txt
one_line_with "gone.txt"
printf '1 qid:1 1:inf\n' > infinite.txt
expect 4 "an infinite value" "$dorm" data infinite.txt
one_line_with "infinite.txt:1: feature 1: 'inf' is not a finite number"
printf 'a b\n' > bad_names.txt
expect 4 "names that are none" "$dorm" data one.txt --features bad_names.txt
one_line_with "bad_names.txt:1: 'a b' is not a feature id followed by a name"
finish
