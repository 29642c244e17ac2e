#!/bin/sh
# newcomer_data.sh: files as people have them are read, dealt into parts, ranked and exported, and what cannot be
# done is said in a sentence.
. "${srcdir:-.}/tests/cli/lib.sh"
include=$srcdir/include
cc=${DORM_TEST_CC:-cc}

for part in 1 2 3; do
  "$dorm" generate artificial -o part$part.txt --queries 40 --docs 12 --part $part > /dev/null
done

# ---- Lone documents and export

expect 0 "train by default" "$dorm" train -q -s training.trainer=svm -s data.train=part1.txt -s data.validation=part2.txt -s output.model=within.dorm
holds out "linear; compares documents (--for-serving would not)"
expect 0 "train for serving" "$dorm" train -q -s training.trainer=svm --for-serving -s data.train=part1.txt -s data.validation=part2.txt -s output.model=serving.dorm
[ "$(grep -c 'compares documents' out)" = 0 ] && grep -q '^            dorm export --to elasticsearch serving.dorm$' out
result $? "a model for serving can be exported"
expect 0 "it is exported" "$dorm" export --to json serving.dorm -o serving.json
expect 4 "the other is not" "$dorm" export --to json within.dorm -o within.json
one_line_with "train with --for-serving"
# Every document a query of its own: a model for serving gives the scores that it gives among the others.
awk '{ $2 = "qid:" NR } 1' part3.txt > lone.txt
expect 0 "lone documents by default" "$dorm" predict within.dorm lone.txt
one_line_with "480 of 480 queries have one document, and this model compares the documents of a query"
[ "$(sort -u out | wc -l)" = 1 ]
result $? "all the same score"
expect 0 "lone documents for serving" "$dorm" predict serving.dorm lone.txt -o lone.scores
[ ! -s err ]
result $? "no warning for a model for serving"
"$dorm" predict serving.dorm part3.txt -o part3.scores
cmp -s lone.scores part3.scores
result $? "a lone document scores as among others"

# ---- Missing values

# gaps FILE: every eleventh value is missing, in three spellings.
gaps() {
  awk '{ for (i = 3; i <= NF; i++) if (++n % 11 == 0) { split($i, v, ":"); $i = v[1] ":" (n % 3 ? (n % 2 ? "nan" : "NA") : "?") } } 1' "$1"
}
gaps part1.txt > gaps1.txt
gaps part2.txt > gaps2.txt
for normalisation in minmax zscore global-minmax global-zscore none; do
  for storage in dense sparse; do
    expect 0 "missing values, $normalisation, $storage" "$dorm" train -q -s training.trainer=svm -s data.train=gaps1.txt -s data.validation=gaps2.txt \
      -s data.normalisation=$normalisation -s data.storage=$storage -s solver.C=10 -s output.model=gaps.dorm
    expect 0 "they are scored" "$dorm" predict gaps.dorm gaps2.txt -o gaps.scores
    [ "$(grep -cE 'nan|inf' gaps.scores)" = 0 ]
    result $? "finite scores of missing values"
  done
done
# What stands for a missing value outside of queries is the mean that the model names.
expect 0 "train for serving with missing values" "$dorm" train -q -s training.trainer=svm --for-serving -s data.train=gaps1.txt -s solver.C=10 -s output.model=gaps.dorm
sed -n 's/^missing \([0-9]*\) \(.*\)/\1 \2/p' gaps.dorm > means.txt
[ "$(wc -l < means.txt)" = 10 ]
result $? "the model names ten means"
awk 'NR == FNR { mean[$1] = $2; next }
  { for (i = 3; i <= NF; i++) { split($i, v, ":"); if (v[2] !~ /[0-9]/) $i = v[1] ":" mean[v[1]] } } 1' means.txt gaps2.txt > filled.txt
"$dorm" predict gaps.dorm gaps2.txt -o gaps.scores
"$dorm" predict gaps.dorm filled.txt -o filled.scores
paste gaps.scores filled.scores | awk '{ d = $1 - $2; if (d > 1e-5 || d < -1e-5) bad = 1 } END { exit bad }'
result $? "a missing value counts as the mean"
awk '{ for (i = 3; i <= NF; i++) { split($i, v, ":"); if (v[2] ~ /[0-9]/) { sum[v[1]] += v[2]; count[v[1]]++ } } }
  END { for (f in sum) print f, sum[f] / count[f] }' gaps1.txt | sort -n | paste - means.txt |
  awk '{ d = $2 - $4; if (d > 1e-5 || d < -1e-5) bad = 1 } END { exit bad }'
result $? "the mean is that of the values that are known"
# The exported C takes NaN.
expect 0 "export c" "$dorm" export --to c gaps.dorm --name ranker -o ranker.c
cat > use.c <<'END'
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ranker.c"
/* use.c: prints the scores of LETOR lines on standard input; all features stand in every line. */
int main(void)
{
  char line[4000];
  while (fgets(line, sizeof line, stdin)) {
    double features[10] = {0};
    for (char *word = strtok(line, " \n"); word; word = strtok(NULL, " \n")) {
      char *value = strchr(word, ':');
      if (value && strncmp(word, "qid", 3) != 0)
        features[atoi(word) - 1] = strpbrk(value, "0123456789") ? (float)atof(value + 1) : NAN;
    }
    printf("%.9g\n", ranker_score(features));
  }
  return 0;
}
END
$cc -std=gnu11 -Wall -Wextra -Werror -o use use.c -lm
result $? "the exported C compiles"
./use < gaps2.txt > c.scores
paste gaps.scores c.scores | awk '{ d = $1 - $2; if (d > 1e-5 || d < -1e-5) bad = 1 } END { exit bad }'
result $? "the exported C scores missing values as dorm does"
expect 0 "cache with missing values" "$dorm" cache gaps2.txt -o gaps2.cache
expect 0 "the cache is scored" "$dorm" predict gaps.dorm gaps2.cache -o cache.scores
cmp -s cache.scores gaps.scores
result $? "a cache keeps missing values"

# ---- Other input that people have

printf '\357\273\277' | cat - part1.txt > bom.txt
expect 0 "a byte order mark" "$dorm" predict serving.dorm bom.txt -o bom.scores
"$dorm" predict serving.dorm part1.txt -o part1.scores
cmp -s bom.scores part1.scores
result $? "a byte order mark changes nothing"
# scikit-learn's dump_svmlight_file counts features from 0.
awk '{ for (i = 3; i <= NF; i++) { split($i, v, ":"); $i = (v[1] - 1) ":" v[2] } } 1' part1.txt > zero.txt
expect 0 "feature id 0" "$dorm" train -q -s training.trainer=svm --for-serving -s data.train=zero.txt -s solver.C=10 -s output.model=zero.dorm
holds zero.dorm "feature 0 "
expect 0 "export of feature id 0" "$dorm" export --to json zero.dorm
holds out '"id": 0, "name": "feature_0"'
printf '1 qid:1 1:1 4294967295:1\n0 qid:1 1:2\n' > large.txt
expect 0 "a feature id of 32 bits" "$dorm" train -q -s training.trainer=svm -s data.train=large.txt -s output.model=large.dorm
holds large.dorm "feature 4294967295 "
# Lines in an order of their own: refused with what to do, then ranked as when they stand together.
awk '{ print NR * 7919 % 480, $0 }' part1.txt | sort -n | cut -d ' ' -f 2- > mixed.txt
expect 4 "queries that are apart" "$dorm" train -q -s training.trainer=svm -s data.train=mixed.txt
one_line_with "data.sort_queries = yes"
expect 0 "queries that are brought together" "$dorm" train -q -s training.trainer=svm -s data.train=mixed.txt -s data.sort_queries=yes -s data.validation=part2.txt
expect 4 "prediction for queries that are apart" "$dorm" predict within.dorm mixed.txt
one_line_with "--sort-queries"
expect 0 "scores in the order of the lines" "$dorm" predict --sort-queries within.dorm mixed.txt -o mixed.scores
"$dorm" predict within.dorm part1.txt | paste - part1.txt | sort -k 2 > in-order
paste mixed.scores mixed.txt | sort -k 2 > apart
cmp -s in-order apart
result $? "a line has its score in any order"
expect 4 "a cache of queries that are apart" "$dorm" cache mixed.txt -o mixed.cache
one_line_with "--sort-queries"
absent mixed.cache
expect 0 "a cache that brings them together" "$dorm" cache --sort-queries mixed.txt -o mixed.cache
expect 0 "scores of the cache" "$dorm" predict within.dorm mixed.cache -o cache.scores
cmp -s cache.scores mixed.scores
result $? "the cache has the order of the lines"
"$dorm" eval within.dorm part1.txt -m ndcg@10 > wanted
expect 0 "evaluation of queries that are apart" "$dorm" eval --sort-queries within.dorm mixed.txt -m ndcg@10
cmp -s out wanted
result $? "the same measure in any order"
expect 0 "evaluation of scores in the order of the lines" "$dorm" eval --sort-queries --scores mixed.scores mixed.txt -m ndcg@10
cmp -s out wanted
result $? "scores belong to their lines"
expect 0 "the same with the cache" "$dorm" eval --scores mixed.scores mixed.cache -m ndcg@10
cmp -s out wanted
result $? "and to those of the cache"
sed 's/^[^ ]* //' part3.txt > unlabelled.txt
expect 0 "lines without labels" "$dorm" predict serving.dorm unlabelled.txt
cmp -s out part3.scores
result $? "labels do not change scores"
awk '{ $1 = $2 = ""; print substr($0, 3) }' part3.txt > bare.txt
awk 'BEGIN { for (q = 0; q < 40; q++) print 12 }' > bare.txt.query
expect 0 "lines with features alone" "$dorm" predict serving.dorm bare.txt
cmp -s out part3.scores
result $? "features alone give the same scores"
expect 4 "no evaluation without labels" "$dorm" eval serving.dorm unlabelled.txt
one_line_with "unlabelled.txt:1: no label before 'qid:1'"
for cut in '1:0.' '1:' '1:2e' '1:0.5e-' '1:-' 1; do
  printf '1 qid:1 1:0.5\n0 qid:1 %s' "$cut" > cut.txt
  expect 4 "cut short at $cut" "$dorm" predict serving.dorm cut.txt
  one_line_with "cut.txt:2: "
done
printf '1 qid:1 1:0.5\n0 qid:1 1:0.2' > cut.txt
expect 0 "no end of the last line" "$dorm" predict serving.dorm cut.txt
holds err "warning: cut.txt: the last line has no line end; if the file was cut short, so was its last number"

# ---- Files of other formats are named for what they are, with the line that makes text of them

while read -r start answer; do
  # shellcheck disable=SC2059
  { printf "$start"; echo " and more"; } > foreign.dat
  cp foreign.dat foreign.csv
  for command in "train -q" "predict serving.dorm" "eval serving.dorm" data; do
    # shellcheck disable=SC2086
    expect 4 "$command of $answer" "$dorm" $command foreign.dat
    one_line_with "foreign.dat:1: this is $answer"
  done
  expect 4 "data of a .csv with $answer" "$dorm" data foreign.csv
  one_line_with "foreign.csv:1: this is $answer"
  "$dorm" predict serving.dorm - < foreign.dat > out 2> err
  [ $? = 4 ]
  result $? "$answer on standard input"
  one_line_with ":1: this is $answer"
done << 'END'
PAR1 Parquet, not text; python3 -c 'import pandas; pandas.read_parquet("FILE")
ARROW1 Arrow, not text; python3 -c
\211HDF HDF5, not text; python3 -c
\050\265\057\375 zstd, packed text; zstd -dc FILE > UNPACKED
BZh9 bzip2, packed text; bzip2 -dc FILE
\3757zXZ xz, packed text; xz -dc FILE
PK\003\004 zip (or Excel, or .npz of numpy), packed text; unzip -p FILE
\377\376q\000 UTF-16; iconv -f UTF-16 -t UTF-8 FILE
\376\377\000q UTF-16; iconv -f UTF-16 -t UTF-8 FILE
\223NUMPY an array of numpy; dorm.Dataset takes it in Python
\200\004 a pickle of Python, which may run programs when it is read; save the data as CSV
SQLite\040format\0403 a database of SQLite; sqlite3 -header -csv FILE
{"query":1, JSON; jq -rs
[{"query":1, JSON; jq -r '(.[0] | keys_unsorted)
END
printf '1,1,0.5\n0,1,0.25\n' > headless.txt
expect 4 "CSV of another name" "$dorm" data headless.txt
one_line_with "label '1,1,0.5' is not a finite number; CSV needs a header and a name that ends in .csv or .tsv, and, as standard"
if command -v jq > /dev/null; then
  printf '{"query":1,"label":1,"x":0.5}\n{"query":1,"label":0,"x":0.25}\n' > lines.json
  jq -rs '(.[0] | keys_unsorted), (.[] | [.[]]) | @csv' lines.json > lines.csv
  expect 0 "the CSV that jq makes" "$dorm" data lines.csv
fi

# CSV on standard input, where the options name columns.
printf 'who,grade,price,new\n1,1,3,1\n1,0,2,0\n2,0,1,5\n2,1,4,2\n' > shop.csv
expect 0 "train on CSV" "$dorm" train -q shop.csv --query who --label grade --trainer ridge -s selection.folds=0 -o file.dorm
"$dorm" train -q - --query who --label grade --trainer ridge -s selection.folds=0 -o input.dorm < shop.csv > out 2> err
result $? "train on CSV from standard input"
grep '^feature' file.dorm > wanted
grep '^feature' input.dorm | cmp -s - wanted
result $? "the same weights"
"$dorm" predict file.dorm shop.csv --query who --label grade > wanted 2> err
"$dorm" predict file.dorm - --query who --label grade < shop.csv > got 2> err
cmp -s got wanted && [ "$(wc -l < got)" = 4 ]
result $? "predict for CSV from standard input"
tr ',' '\t' < shop.csv | gzip -c | "$dorm" predict file.dorm - --query who --label grade > got 2> err
cmp -s got wanted
result $? "and for packed TSV"
"$dorm" data - --query who --label grade < shop.csv > out 2> err
holds out "2 features"

# ---- Rankings

expect 0 "ranked" "$dorm" predict --ranked serving.dorm part3.txt -o ranked.tsv
awk '{ print substr($2, 5) }' part3.txt | paste part3.scores - | awk '{ printf "%s\t%.9g\tD%d\n", $2, $1, NR }' |
  sort -k 1,1n -k 2,2gr | awk '{ rank = $1 == last ? rank + 1 : 1; last = $1; printf "%s\t%d\t%s\t%s\n", $1, rank, $3, $2 }' > wanted.tsv
cmp -s ranked.tsv wanted.tsv
result $? "documents by falling score"
expect 0 "the first three" "$dorm" predict --ranked --top 3 serving.dorm part3.txt
awk '$2 <= 3' wanted.tsv | cmp -s - out
result $? "only the first three of each query"
expect 0 "a TREC run" "$dorm" predict --trec --top 3 serving.dorm part3.txt -o top.run
awk '{ print $1, $3, $4 }' top.run > got
awk '$2 <= 3 { print $1, $3, $2 }' wanted.tsv | cmp -s - got
result $? "the TREC run holds the same"
"$dorm" eval serving.dorm part3.txt --write-qrels part3.qrels > /dev/null
expect 0 "it is evaluated" "$dorm" eval --qrels part3.qrels --run top.run -m p@3
expect 2 "--top without rankings" "$dorm" predict --top 3 serving.dorm part3.txt
one_line_with "--top is for --ranked and --trec only"
expect 2 "the first 0" "$dorm" predict --ranked --top 0 serving.dorm part3.txt
one_line_with "--top '0' is not a whole number of 1 or more"

# ---- Parts

expect 0 "split" "$dorm" split part1.txt train.txt=60 validation.txt=20 test.txt=20
cat train.txt validation.txt test.txt | sort > parts
sort part1.txt | cmp -s - parts
result $? "every line is in one part, as it was"
for file in train:24 validation:8 test:8; do
  [ "$(awk '{ print $2 }' "${file%:*}.txt" | sort -u | wc -l)" = "${file#*:}" ]
  result $? "the share of ${file%:*}"
done
expect 2 "a part of nothing" "$dorm" split part1.txt none.txt=0 all.txt=1
one_line_with "'none.txt=0' is not FILE=SHARE with a share above 0"
expect 0 "split again" "$dorm" split part1.txt train2.txt=60 validation2.txt=20 test2.txt=20
cmp -s test.txt test2.txt
result $? "the same seed, the same parts"
expect 0 "split by another seed" "$dorm" split part1.txt train2.txt=60 validation2.txt=20 test2.txt=20 --seed 2
! cmp -s test.txt test2.txt
result $? "another seed, other parts"
# Half of the queries have a relevant document; so has half of each part.
awk 'BEGIN { for (q = 1; q <= 40; q++) for (d = 0; d < 2; d++) print (d == 0 && q % 2), "qid:" q, "1:" d }' > half.txt
expect 0 "split evenly" "$dorm" split half.txt a.txt=1 b.txt=1
[ "$(grep -c '^1' a.txt)" = 10 ]
result $? "queries with relevant documents are dealt evenly"
expect 0 "folds" "$dorm" split part1.txt --folds 4 -o folds
cat folds/Fold*/test.txt | sort | cmp -s - parts
result $? "every line is tested once"
for fold in 1 2 3 4; do
  cat folds/Fold$fold/*.txt | sort | cmp -s - parts
  result $? "fold $fold has all lines"
done
awk '{ $2 = "" } 1' part1.txt > sized.txt
awk 'BEGIN { for (q = 0; q < 40; q++) print 12 }' > sized.txt.query
expect 0 "split by a file of sizes" "$dorm" split sized.txt sized-a.txt=1 sized-b.txt=1
holds sized-a.txt " qid:"
printf '\357\273\277' | cat - part1.txt > bom.txt
expect 0 "split a text with a byte order mark" "$dorm" split bom.txt bom-a.txt=1 bom-b.txt=1
cat bom-a.txt bom-b.txt | sort | cmp -s - parts
result $? "the mark is left out"
"$dorm" cache part1.txt -o part1.cache
expect 4 "a cache is not split" "$dorm" split part1.cache a.txt=1 b.txt=1
one_line_with "this is a data cache"
expect 2 "no shares" "$dorm" split part1.txt train.txt test.txt
one_line_with "'train.txt' is not FILE=SHARE"
expect 4 "too few queries" "$dorm" split large.txt one.txt=1 two.txt=1
one_line_with "1 queries are too few for 2 parts"
expect 0 "train, validate and test" "$dorm" train -q -s training.trainer=svm -s data.train=train.txt -s data.validation=validation.txt -s data.test=test.txt
grep '^test ' out > last
expect 0 "the same by hand" "$dorm" eval model.dorm test.txt -m ndcg@10
[ "$(awk '{ printf "%.4f +- %.4f", $2, $4 }' out)" = "$(sed 's/.* = \(.* +- [^ ]*\) .*/\1/' last)" ]
result $? "the closing line is the measure on the test data: $(cat last)"

# ---- Chance

expect 0 "chance" "$dorm" eval --chance part3.txt -m p@3
awk '{ if (!($2 in n)) q++; n[$2]++; r[$2] += $1 >= 1 } END { for (i in n) sum += r[i] / n[i]; printf "%.6f\n", sum / q }' part3.txt > wanted
[ "$(awk '{ print $2 }' out)" = "$(cat wanted)" ]
result $? "the precision of random order is the share of relevant documents"
expect 0 "a model against chance" "$dorm" eval --chance serving.dorm part3.txt -m ndcg@10
holds out "serving.dorm minus chance:"

# ---- Modules that crash

crash() {
  sed "s/static int fill_product(.*/&\n#define CRASH $2/; s/const struct reciprocal \*loss = state;/&\n  CRASH;/" \
    "$srcdir/tests/plugins/reciprocal.c" > $1.c
  $cc -shared -fPIC -I"$include" -o $1.so $1.c -lm
  result $? "compile $1"
}
crash aborts 'abort()'
crash leaves 'exit(0)'
expect 6 "a module that aborts" "$dorm" losses --check ./aborts.so
one_line_with "./aborts.so: the module crashed while it was checked (signal 6: Aborted)"
expect 6 "a module that ends the process" "$dorm" losses --check ./leaves.so
one_line_with "./leaves.so: the module ended the process while it was checked (exit code 0)"
absent core
if [ -z "${DORM_TEST_SANITIZERS:-}" ]; then
  crash faults '*(volatile int *)16 = 1'
  expect 6 "a module with a fault" "$dorm" losses --check ./faults.so
  one_line_with "signal 11"
fi
awk '/^{/ && !done { print; print "  __builtin_trap();"; done = 1; next } 1' "$srcdir/tests/plugins/chi_square.c" > chi_crash.c
$cc -shared -fPIC -I"$include" -o chi_crash.so chi_crash.c -lm
result $? "compile a kernel that crashes"
expect 6 "a kernel that crashes" "$dorm" kernels --check ./chi_crash.so
one_line_with "./chi_crash.so: the module crashed while it was checked"

# ---- pkg-config from the build tree

if pkg-config --version > /dev/null 2>&1 && [ -f "$(dirname "$dorm")/dorm-uninstalled.pc" ]; then
  printf '#include <dorm/dorm.h>\n#include <stdio.h>\nint main(void) { return puts(dorm_version()) < 0; }\n' > version.c
  flags=$(PKG_CONFIG_PATH=$(dirname "$dorm") pkg-config --cflags --libs dorm)
  $cc ${DORM_TEST_SANITIZERS:-} -o version version.c $flags
  result $? "compile with the library of the build tree"
  expect 0 "run with it" ./version
else
  echo "skipped in part: no program is compiled by the flags of the build tree (apt-get install pkg-config)"
fi
finish
