#!/bin/sh
# readme.sh: the README's commands run in their order and print what it shows, its Python lines run, its results and its
# picture are the kept ones, its links lead somewhere, and the settings that it names exist.
. "${srcdir:-.}/tests/cli/lib.sh"
readme=$srcdir/README.md
[ "$(wc -l < "$readme")" -le 100 ] && [ "$(wc -c < "$readme")" -le 7168 ]
result $? "at most 100 lines and 7 kB"

run_document "$readme"
place="documents/README/five minutes"
[ "$(wc -l < "$place/scores.txt")" = 5000 ]
result $? "one score a document"
holds "$place/model.json" '"type": "model/xgboost+json"'

# shape FILE: its words without the digits of numbers. Training, which is repeated here, prints the same to about 1 %.
(cd "$place" && "$dorm" train train.txt --for-serving -o model.dorm && "$dorm" eval model.dorm test.txt -m ndcg@10) \
  2>&1 | grep -v '^  ndcg@10:\|^\[' > got
awk '/^They take/ { on = 1 } on && /^```/ { if (inside) exit; inside = 1; next } inside' "$readme" > shown
sed 's/[0-9][0-9.]*/0/g' shown > shown.shape
sed 's/[0-9][0-9.]*/0/g' got | cmp -s - shown.shape
result $? "the README shows what the commands print"
numbers() { tr -c '0-9.\n' ' ' < "$1" | tr -s ' ' '\n' | grep '[0-9]'; }
numbers got > got.numbers
numbers shown | paste - got.numbers | awk '{ d = $1 - $2; if (d > .02 * ($1 + .02) || d < -.02 * ($1 + .02)) bad = 1 } END { exit bad }'
result $? "the numbers that the README shows: $(numbers shown | paste -sd ' ') against $(paste -sd ' ' got.numbers)"

# Results and picture.
[ -z "$(awk -v top="$srcdir" -f "$srcdir/tests/cli/figures.awk" "$readme" 2> err)" ] && [ "$(cat err)" -gt 4 ]
result $? "figures of kept results"
kept=$srcdir/experiments/defaults/automatic.tsv
signed() { echo "$1" | sed 's/^+\{0,1\}0//'; }
for row in "MQ2008 2" "MQ2008 8" "Page Blocks 8" "Pen Digits 8"; do
  column=${row##* }
  found=$(awk -F '\t' -v name="${row% *}" -v column="$column" '$1 == name && NF == 9 { print $column " " $(column + 1); exit }' "$kept")
  holds "$readme" "$(signed "${found% *}") ± $(signed "${found#* }")"
done
if python3 "$srcdir/experiments/lib/picture.py" picture.svg 2> err; then
  cmp -s picture.svg "$srcdir/experiments/picture.svg"
  result $? "the picture is that of the kept results"
fi

grep -o '](\([^):#]*\)[)#]' "$readme" | sed 's/^](//; s/[)#]$//' | sort -u > links
[ "$(wc -l < links)" -gt 15 ]
result $? "the README has links"
while read -r link; do
  [ -e "$srcdir/$link" ]
  result $? "the README's link to $link"
done < links

for python in ${PYTHON:-} /usr/bin/python3 python3; do
  "$python" -c 'import numpy' 2> /dev/null && break
  python=
done
if [ -n "$python" ] && [ -z "${DORM_TEST_SANITIZERS:-}" ]; then
  awk '/^```python/ { on = 1; next } /^```/ { on = 0 } on' "$readme" > "$place/lines.py"
  [ "$(wc -l < "$place/lines.py")" -le 6 ]
  result $? "six lines of Python"
  (cd "$place" && PYTHONPATH=$srcdir/python DORM_LIBRARY=$LIBDORM "$python" lines.py) > out 2> err
  [ "$(wc -l < out)" = 2 ]
  result $? "the lines of Python run"
else
  echo "skipped in part: the lines of Python are not run (apt-get install python3-numpy)"
fi
mkdir -p numpy && echo 'raise ImportError("none")' > numpy/__init__.py
if command -v python3 > /dev/null; then
  PYTHONPATH=$work:$srcdir/python python3 -c 'import dorm' 2> err
  holds err "dorm needs numpy in this python3: apt-get install python3-numpy"
fi
names_settings "$readme" "$srcdir/ARCHITECTURE.md"
finish
