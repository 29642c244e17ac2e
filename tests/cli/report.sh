#!/bin/sh
# report.sh: dorm report and dorm train --report: their numbers are those of other commands, the page refers to nothing
# outside of it, texts of data stay texts, and a browser shows it on a narrow screen, light and dark.
. "${srcdir:-.}/tests/cli/lib.sh"

"$dorm" generate artificial -o train.txt --queries 30 -d 12 -f 6 --part 1
"$dorm" generate artificial -o test.txt --queries 25 -d 12 -f 6 --part 3
# Whatever the model makes of these, it ranks one of them wrongly.
echo '0 qid:<script>1</script>&"a" 1:0.5 2:0.25 # docid = x
2 qid:<script>1</script>&"a" 1:-0.5 2:0.125 # docid = y
2 qid:<script>1</script>&"b" 1:0.5 2:0.25 # docid = x
0 qid:<script>1</script>&"b" 1:-0.5 2:0.125 # docid = y' >> test.txt
expect 0 "a linear model" "$dorm" train -q train.txt --trainer ridge --for-serving -o linear.dorm
expect 0 "train with a report" "$dorm" train train.txt -o model.dorm --budget 2s --report made.html -s data.test=test.txt \
  --log log.json
cp out train.out
expect 0 "report" "$dorm" report model.dorm test.txt --against linear.dorm -o report.html
[ "$(cat out)" = report.html ]
result $? "the name of the page"

for page in made.html report.html; do
  ! grep -qiE '(src|href)=|url\(|@import|<script' $page
  result $? "$page refers to nothing and runs nothing"
  holds $page "&#60;script&#62;1&#60;/script&#62;&#38;&#34;"
  for title in Value Features Queries Data "Model and settings"; do
    holds $page "<h2>$title</h2>"
  done
done
holds made.html "<h2>Candidates</h2>"
holds report.html "<h2>Wins and losses</h2>"

# Values beside those of dorm train and dorm eval.
estimate=$(sed -n 's/.*this model \(0\.[0-9]*\)$/\1/p' train.out)
[ -n "$estimate" ] && grep -qF "<b>$estimate</b>" made.html
result $? "the estimate is that of training"
"$dorm" eval model.dorm linear.dorm test.txt -m ndcg@10 --per-query table > eval.out 2> err
value=$(awk '$1 == "ndcg@10" { printf "%.4g", $2; exit }' eval.out)
grep -qF "<td class=number>$value &plusmn;" report.html
result $? "the value is that of dorm eval"
# The interval has two digits, so that it may be half of the second one away.
interval=$(sed -n "s/.*<td class=number>$value &plusmn; \([-0-9.e]*\)<.*/\1/p" report.html | head -n 1)
awk -v interval="$interval" '$1 == "ndcg@10" { wide = 1.96 * $4; unit = 10 ^ (int(log(wide) / log(10)) - 2)
  exit !(interval > wide - unit / 2 - 2e-6 && interval < wide + unit / 2 + 2e-6) }' eval.out
result $? "95 %: $interval is 1.96 standard errors"
"$dorm" eval --chance test.txt -m ndcg@10 > chance.out 2> err
grep -qF ">$(awk '{ printf "%.4g", $2 }' chance.out)</td>" report.html
result $? "chance is that of dorm eval"
awk -F '\t' 'NR > 1 { d = $2 - $3; wins += d > 0; losses += d < 0; ties += d == 0 }
  END { printf "better for %d queries, worse for %d, and equal for %d", wins, losses, ties }' table > wanted
tr '\n' ' ' < report.html | grep -qF "$(cat wanted)"
result $? "wins and losses: $(cat wanted)"
# rows PAGE TITLE: query and value of the rows of the table whose second column has this title.
rows() { sed -n "/number>$2<th/,/<\/table>/s/^<tr><td>\(.*\)<td class=number>\([-0-9.]*\)<td class=number>[0-9]*<td class.*/\1 \2/p" "$1"; }
awk -F '\t' 'NR > 1 { printf "%.9f %s %.4f\n", $2, $1, $2 }' table | grep -v script | sort -n | awk '{ print $2, $3 }' |
  head -n 10 > wanted
rows report.html value | grep -v script > got
head -n 8 wanted > eight
head -n 8 got | cmp -s - eight
result $? "the queries with the lowest values"
"$dorm" predict --ranked --top 10 model.dorm test.txt > ranked.tsv 2> err
query=$(head -n 1 got | cut -d ' ' -f 1)
grep -n '' test.txt | sed 's/^\([0-9]*\):\([0-9]\) .*/D\1 \2/' > labels
awk -v query="$query" 'NR == FNR { label[$1] = $2; next } $1 == query { printf "%s%s", n++ ? " " : "", label[$3] }' labels \
  ranked.tsv > wanted
grep -q "^<tr><td>$query<.*<td>$(cat wanted)</tr>" report.html
result $? "labels as ranked: $(cat wanted)"

# A curve for each candidate that has values by round.
awk -F '[:,]' '/"event":"iteration"/ && /"iterations":0,/ && !/"validation":null/ { for (i = 1; i < NF; i++)
  if ($i == "\"candidate\"") print $(i + 1) }' log.json | sort -u | wc -l > curves
[ "$(cat curves)" -ge 1 ] && [ "$(sed -n '/<h2>Candidates/,/<h2>Features/p' made.html | grep -o "class='line" | wc -l)" = "$(cat curves)" ]
result $? "a curve for each of $(cat curves) candidates with rounds"

# The effect of a feature in a linear model is a line whose slope is the weight by the range of the training data.
expect 0 "report of a linear model" "$dorm" report linear.dorm test.txt -o linear.html
"$dorm" export --to json linear.dorm -o linear.json
tr '\n' ' ' < linear.html | grep -o '<title>[-0-9.e]*: [-+0-9.e]*</title>' | sed 's/<[^>]*>//g; s/://' > points
tr -d '\n' < linear.json | grep -o '"weight": [-0-9.e+]*' | sed 's/.*: //' > weights
awk 'NR == FNR { weight[NR] = $1; count = NR; next }
  FNR > 1 && $1 > x { slope = ($2 - y) / ($1 - x); dx = $1 - x; found = 0
    for (i = 1; i <= count; i++) { d = (slope - weight[i]) * dx; found = found || (d < 2e-3 && d > -2e-3) }
    bad += !found; checked++ }
  { x = $1; y = $2 }
  END { exit bad || checked < 30 }' weights points
result $? "effects of a linear model are lines with its weights as slopes"

# Other models, other data.
expect 0 "names of columns" sh -c 'printf "query,label,price,<b>new</b>\n1,1,3,1\n1,0,2,0\n2,0,1,5\n2,1,4,2\n" > shop.csv'
expect 0 "train on CSV" "$dorm" train -q shop.csv --trainer ridge -s selection.folds=0 -o shop.dorm --report shop.html
holds shop.html "price"
holds shop.html "&#60;b&#62;new&#60;/b&#62;"
holds shop.html "the model was trained on this file"
for trainer in net svm; do
  expect 0 "train $trainer" "$dorm" train -q train.txt test.txt --trainer $trainer -s net.epochs=5 -o $trainer.dorm --report $trainer.html
  holds $trainer.html "those on the validation data"
done
sed 's/ 2:[-0-9.e]*/ 2:nan/; s/ 3:[-0-9.e]*/ 3:1/' test.txt > gaps.txt
expect 0 "missing and constant values" "$dorm" report model.dorm gaps.txt -o gaps.html
! grep -qE 'nan|inf' gaps.html
result $? "no number that is none"
expect 0 "a model alone" "$dorm" report model.dorm -o alone.html
holds alone.html "no data file was given"
expect 0 "standard output" "$dorm" report model.dorm test.txt -o -
grep -q '^<!doctype html>' out && grep -q '</html>$' out
result $? "the page on standard output, and nothing else"
cp train.txt kept.txt
expect 2 "data are not overwritten" "$dorm" report model.dorm kept.txt -o kept.txt
cmp -s train.txt kept.txt
result $? "the data are as before"
expect 2 "data are not overwritten by training" "$dorm" train -q kept.txt -o none.dorm --report kept.txt
expect 3 "a folder that is not there, before training" "$dorm" train -q train.txt -o none.dorm --report nowhere/page.html
absent none.dorm
expect 2 "no report of a stream" "$dorm" train -q --stream train.txt -o none.dorm --report page.html
expect 2 "no model" "$dorm" report
one_line_with "report: needs MODEL"

# ---- In a browser

chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -z "$chromium" ]; then
  echo "skipped in part: no browser looks at the page (apt-get install chromium)"
  finish
fi
sed 's/<meta http-equiv=Content-Security-Policy[^>]*>//' made.html > seen.html
cat >> seen.html <<'END'
<script>
const svgs = [...document.querySelectorAll('svg')].filter(s => s.getBoundingClientRect().height > 5);
const texts = [...document.querySelectorAll('.charts svg text')].filter(t => {
  const s = t.ownerSVGElement.getBoundingClientRect(), b = t.getBoundingClientRect();
  return b.left < s.left - 1 || b.right > s.right + 1 || b.top < s.top - 1 || b.bottom > s.bottom + 1;
});
document.title = ['overflow', document.documentElement.scrollWidth - window.innerWidth, 'svg', svgs.length, 'cut',
  texts.length, 'back', getComputedStyle(document.body).backgroundColor, ''].join(' ');
</script>
END
for scheme in 0:21 1:255; do
  timeout 60 "$chromium" --headless --no-sandbox --disable-gpu --user-data-dir="$work/browser" --window-size=390,844 \
    --blink-settings=preferredColorScheme=${scheme%:*} --dump-dom "file://$work/seen.html" 2> /dev/null | grep -o '<title>[^<]*' | head -n 1 > seen
  grep -qE 'overflow (0|-[0-9]+) ' seen && grep -q " cut 0 back rgb(${scheme#*:}, " seen
  result $? "the page fits a narrow screen, in scheme $scheme: $(cat seen)"
  [ "$(sed 's/.* svg \([0-9]*\) .*/\1/' seen)" = "$(grep -o '<svg' seen.html | wc -l)" ]
  result $? "every picture is shown: $(cat seen)"
done
finish
