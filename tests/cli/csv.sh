#!/bin/sh
# csv.sh: CSV and TSV give the models and scores of the same data as LETOR text, columns are found by name, and each
# mistake is named with file, line and value.
. "${srcdir:-.}/tests/cli/lib.sh"

"$dorm" generate artificial -o data.txt --queries 30 -d 12 -f 4
# The same data with a header, by awk: qid, url, label and four features.
convert() { # SEPARATOR: prints data.txt
  awk -v OFS="$1" 'NR == 1 { print "qid", "url", "label", "bm25", "age", "clicks", "length" }
    { split("", value); for (i = 3; i <= NF; i++) { split($i, part, ":"); value[part[1]] = part[2] }
      sub("qid:", "", $2)
      print $2, "u" NR, $1, value[1] == "" ? 0 : value[1], value[2] == "" ? 0 : value[2], value[3] == "" ? 0 : value[3],
        value[4] == "" ? 0 : value[4] }' data.txt
}
convert , > data.csv
convert "$(printf '\t')" > data.tsv
gzip -c data.csv > packed.csv.gz
"$dorm" train -q data.txt -s training.trainer=svm -o text.dorm > /dev/null
"$dorm" predict text.dorm data.txt > wanted
for file in data.csv data.tsv packed.csv.gz; do
  expect 0 "train on $file" "$dorm" train $file -s training.trainer=svm -o csv.dorm
  holds err "$file: query \"qid\", label \"label\", 4 features"
  "$dorm" predict csv.dorm $file > scores 2> /dev/null
  cmp -s scores wanted
  result $? "$file: the scores of the same data as text, to the bit"
done
expect 0 "the names are kept" "$dorm" show csv.dorm
holds out "data.columns = bm25,age,clicks,length"
expect 0 "training and validation data" "$dorm" train -q data.csv data.tsv -s training.trainer=svm -o two.dorm
expect 0 "eval" "$dorm" eval csv.dorm two.dorm data.tsv -m ndcg@10
expect 0 "the default" "$dorm" train -q data.csv --budget quick -o default.dorm
"$dorm" train -q data.csv --for-serving --trainer svm -o serving.dorm > /dev/null 2>&1
expect 0 "export" "$dorm" export --to elasticsearch serving.dorm
holds out 'clicks'

# Columns in another order, others between them, quotes, a byte order mark, CRLF, other names, missing values.
awk -F , -v OFS=, 'NR == 1 { printf "\357\273\277" } { printf "%s,%s,%s,%s,%s,%s,%s,%s\r\n", $7, $6, "\"a \"\"b\"\", c\"",
  $5, $4, $3, $1, $2 }' data.csv | sed '1s/"a ""b"", c"/title/; 1s/label,qid/Grade,Session/' > other.csv
expect 0 "found by name" "$dorm" predict csv.dorm other.csv --query session --label grade
cmp -s out wanted
result $? "columns in another order give the same scores"
holds err "other columns are not used"
sed '3s/\([^,]*,[^,]*,[^,]*\),[^,]*/\1,NA/; 4s/\([^,]*,[^,]*,[^,]*\),[^,]*/\1,/' data.csv > missing.csv
expect 0 "missing values" "$dorm" data missing.csv
grep -q '^ *1 .* 0.6 %  *bm25$' out
result $? "NA and an empty value are missing, and features have names"
expect 0 "chosen features" "$dorm" train -q data.csv -s "data.columns=age, bm25" -s training.trainer=svm -o chosen.dorm
[ "$(grep -c '^feature' chosen.dorm)" = 2 ]
result $? "two features"
cut -d , -f 1,2,4- data.csv > unlabelled.csv
expect 0 "no labels are needed to predict" "$dorm" predict csv.dorm unlabelled.csv
cmp -s out wanted
result $? "the same scores without labels"

# Mistakes.
bad() { # WHAT SCRIPT TEXT: data.csv changed by sed is refused with TEXT
  sed "$2" data.csv > bad.csv
  expect 4 "$1" "$dorm" train -q bad.csv -o bad.dorm
  one_line_with "$3"
  absent bad.dorm
}
bad "a word" '5s/,[^,]*$/,long/' "bad.csv:5: column \"length\": 'long' is not a number"
bad "a decimal comma" '5s/,[^,]*$/,"1,5"/' "bad.csv:5: column \"length\": '1,5' is not a number (decimals need a point)"
bad "too few values" '7s/,[^,]*$//' "bad.csv:7: 6 values, and the header has 7 columns"
bad "too many values" '7s/$/,1/' "bad.csv:7: 8 values, and the header has 7 columns"
bad "an open quote" '6s/,u/,"u/' "bad.csv:6: a quoted value does not end in its line"
bad "a negative label" '4s/^\([^,]*,[^,]*\),[^,]*/\1,-1/' "bad.csv:4: column \"label\": '-1' is no label"
bad "no query" '4s/^[^,]*//' 'bad.csv:4: column "qid": the query is missing'
bad "a query that comes back" '2s/^[^,]*/30/' "query '30' comes back; the rows of a query have to be together"
bad "no column of queries" '1s/qid/number/' 'bad.csv: no column is known for the query; name one by --query. The columns are number, url'
bad "no label" '1s/label/worth/' 'bad.csv: no column is known for the label; name one by --label'
bad "a column twice" '1s/age/bm25/' 'bad.csv:1: two columns have the name "bm25"'
bad "no name" '1s/age//' 'bad.csv:1: column 5 has no name'
bad "no rows" '2,$d' 'bad.csv: there is no row behind the header'
: > bad.csv
expect 4 "an empty file" "$dorm" train -q bad.csv -o bad.dorm
one_line_with "bad.csv: the file is empty"
expect 4 "a column that is not there" "$dorm" train -q data.csv --query nobody -o bad.dorm
one_line_with 'no column "nobody" for the query'
cut -d , -f 1-6 data.csv > narrow.csv
expect 4 "a feature that is not there" "$dorm" predict csv.dorm narrow.csv
one_line_with 'narrow.csv: there is no column "length", a feature by data.columns'
expect 2 "models with other features" "$dorm" eval csv.dorm chosen.dorm data.csv
one_line_with "csv.dorm and chosen.dorm have other features (data.columns)"

expect 2 "a split" "$dorm" split data.csv one.csv=1 two.csv=1
one_line_with "data.csv: dorm split takes LETOR text, not CSV or TSV"
expect 2 "a stream" "$dorm" train --stream -q data.csv -o stream.dorm
one_line_with "data.csv: a stream is LETOR text, not CSV or TSV"

# Mutated files end with a message or a data set, never otherwise.
cat > mutate.awk << 'EOF'
BEGIN { srand(seed); split("\", ; \t,, 1e999 -,\"\" nan \\ 0x1 '", pieces, " ") }
{ line = $0
  if (rand() < 0.05) { at = int(rand() * length(line)) + 1
    line = substr(line, 1, at - 1) pieces[int(rand() * 9) + 1] substr(line, at + int(rand() * 3)) }
  if (rand() < 0.01) next
  print line }
EOF
wrong=0
for seed in $(seq 1 30); do
  awk -v seed="$seed" -f mutate.awk data.csv > mutated.csv
  "$dorm" data mutated.csv > out 2> err
  code=$?
  { [ $code = 0 ] || { [ $code = 4 ] && [ "$(grep -c '^dorm: mutated.csv' err)" -ge 1 ]; }; } || wrong=$((wrong + 1))
done
[ $wrong = 0 ]
result $? "30 mutated files: $wrong end otherwise"
finish
