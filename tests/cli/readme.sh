#!/bin/sh
# readme.sh: the commands of "five minutes with your own file" in the README run in
# their order, and the settings that the README names exist.
. "${srcdir:-.}/tests/cli/lib.sh"

mkdir -p "documents/README/five minutes"
cp "$srcdir/tests/plugins/reciprocal.c" "documents/README/five minutes"
run_document "$srcdir/README.md"
[ "$(wc -l < "documents/README/five minutes/scores.txt")" = 10000 ]
result $? "one score a document"
"$dorm" predict "documents/README/five minutes/serving.dorm" "documents/README/five minutes/test.txt" |
  paste - "documents/README/five minutes/served.txt" |
  awk '{ d = $1 - $2; if (d > 1e-4 || d < -1e-4) bad = 1; n++ } END { exit bad || n != 10000 }'
result $? "the exported model scores as dorm predict does"
names_settings "$srcdir/README.md" "$srcdir/ARCHITECTURE.md"
finish
