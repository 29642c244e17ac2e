#!/bin/sh
# manual.sh: the commands and listings of the manual run, the settings that it
# names exist, and its index has every chapter.
. "${srcdir:-.}/tests/cli/lib.sh"

for chapter in "$srcdir"/manual/*.md; do
  run_document "$chapter"
  name=$(basename "$chapter")
  [ "$name" = README.md ] || grep -qF "]($name)" "$srcdir/manual/README.md"
  result $? "manual/README.md has a link to $name"
done
names_settings "$srcdir"/manual/*.md
finish
