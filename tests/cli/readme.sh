#!/bin/sh
# readme.sh: the commands of the README's five-minute path run, in order, and the
# settings it names exist.
. "${srcdir:-.}/tests/cli/lib.sh"

mkdir bin
ln -s "$dorm" bin/dorm
PATH=$PWD/bin:$PATH
awk '/^<!-- test: five minutes -->$/ { wanted = 1; next }
     /^```/ { if (wanted) inside = !inside; if (!inside) wanted = 0; next }
     inside { print }' "$srcdir/README.md" > commands
[ "$(wc -l < commands)" -ge 7 ]
result $? "the README has its commands"
while read -r line; do
  expect 0 "README: $line" sh -c "$line"
done < commands
[ "$(wc -l < scores.txt)" = 10000 ]
result $? "one score a document"

# settings named as `section.key` in README and ARCHITECTURE exist
"$dorm" train --help > help
grep -ohE '\b(data|kernel|loss|ranking|solver|selection|output)\.[A-Za-z_]+\b' "$srcdir/README.md" "$srcdir/ARCHITECTURE.md" |
  grep -vE '\.(c|h|txt|dorm|ini)$' | sort -u > named
while read -r key; do
  grep -q "^  $key = " help
  result $? "the documents name $key, which is no setting"
done < named
finish
