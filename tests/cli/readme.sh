#!/bin/sh
# readme.sh: the commands of "five minutes with your own file" in the README run in
# their order, and the settings that the README names exist.
. "${srcdir:-.}/tests/cli/lib.sh"

mkdir -p "documents/README/five minutes"
cp "$srcdir/tests/plugins/reciprocal.c" "documents/README/five minutes"
run_document "$srcdir/README.md"
[ "$(wc -l < "documents/README/five minutes/scores.txt")" = 10000 ]
result $? "one score a document"
names_settings "$srcdir/README.md" "$srcdir/ARCHITECTURE.md"
finish
