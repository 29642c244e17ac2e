#!/bin/sh
# manual.sh: the manual's commands and listings run, the settings it names
# exist, and every chapter is in its index.
. "${srcdir:-.}/tests/cli/lib.sh"

for chapter in "$srcdir"/manual/*.md; do
  run_document "$chapter"
  name=$(basename "$chapter")
  [ "$name" = README.md ] || grep -qF "]($name)" "$srcdir/manual/README.md"
  result $? "manual/README.md has a link to $name"
done
names_settings "$srcdir"/manual/*.md
finish
