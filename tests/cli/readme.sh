#!/bin/sh
# readme.sh: the commands of "five minutes with your own file" in the README run in
# their order, and the settings that the README names exist.
. "${srcdir:-.}/tests/cli/lib.sh"

run_document "$srcdir/README.md"
[ "$(wc -l < "documents/README/five minutes/scores.txt")" = 5000 ]
result $? "one score a document"
[ -s "documents/README/five minutes/model.json" ] && cc -fsyntax-only "documents/README/five minutes/ranker.c"
result $? "the exported models are there"
names_settings "$srcdir/README.md" "$srcdir/ARCHITECTURE.md"
finish
