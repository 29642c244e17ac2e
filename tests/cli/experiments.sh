#!/bin/sh
# experiments.sh: the parts of the experiments that need no data from outside: the
# list, a quick run on artificial data, the same run repeated and resumed, the message
# where data are missing, the page, the kept results against the numbers in the READMEs,
# and the Python measures and comparisons against dorm's.
. "${srcdir:-.}/tests/cli/lib.sh"

python=${PYTHON:-/usr/bin/python3}
[ -x "$python" ] || python=python3
if ! "$python" -c 'import numpy' 2> /dev/null; then
  echo "skipped: $python has no numpy (apt-get install python3-numpy)"
  exit 77
fi
experiments=$srcdir/experiments
export DORM_WORK="$work/work" DORM_RESULTS="$work/results" DORM_DATA="$work/nowhere"

expect 0 "the list" "$experiments/run"
for name in "$experiments"/defaults/*.tsv "$experiments"/beyond/*.tsv "$experiments"/paper/*/*.tsv; do
  holds out "$(basename "$name" .tsv) "
done
[ "$(grep -c 'not in `all`' out)" = "$(grep -lE '^(# )?runs: alone$' "$experiments"/*/*.[ps]* "$experiments"/paper/*/*.[ps]* | wc -l)" ]
result $? "the list says which experiments all leaves out"
[ "$(grep '^  ' out | grep -v 'not in `all`' | grep -vc '\[[0-9]* min\]')" = 0 ]
result $? "each part of all says how many minutes it takes"
awk '/^`all` takes about [0-9]+ minutes/ { minutes = $4 } END { exit !(minutes > 0 && minutes <= 120) }' out
result $? "all takes at most two hours: $(tail -n 1 out)"
expect 0 "the kept tables" "$experiments/run" --show figure1 beyond
holds out "Documents per query"
holds out "NDCG@10 by kernel"
expect 2 "an unknown experiment" "$experiments/run" figure99
one_line_with "no experiment 'figure99'"

# A quick run has the structure of a whole one, and draws everything from the seed.
expect 0 "a quick run" "$experiments/run" --quick --data artificial figure1 figure2 figure3 table2
holds err "1 of "
cp -r results first
expect 0 "the jobs are kept" "$experiments/run" --quick --data artificial figure2
[ "$(grep -c 'jobs' err)" = 0 ]
result $? "nothing is run twice"
find work/jobs -name '*.json' | sort | head -n 2 | xargs rm -f
rm -rf work/data
expect 0 "what is missing is run again" "$experiments/run" --quick --data artificial figure2 figure3 table2
holds err " kept from before)"
for name in figure2 figure3 table2; do # seconds are elsewhere
  cmp -s "first/$name/results.tsv" "results/$name/results.tsv"
  result $? "$name: the same figures again, to the byte"
  [ "$(grep -Ec "^DORM|^artificial" "results/$name/results.tsv")" -ge 4 ]
  result $? "$name has its rows"
done
for name in figure1 figure2; do
  kept=$experiments/paper/dorm/$name.tsv
  grep -q "^# experiment: $name" "$kept" && ! cmp -s "$kept" "results/$name/results.tsv"
  result $? "$name: a quick run leaves the kept results alone"
done

# Other kernels of OpenBLAS find kept results again, and a number farther off than its error is named.
OPENBLAS_CORETYPE=Nehalem DORM_RESULTS=$work/nehalem expect 0 "other kernels" "$experiments/run" --quick --data artificial \
  figure2 --again
cat > kernels.py << 'END'
import os, sys
import agreement, blocks, runner
one, other = (os.path.join(folder, "figure2", "results.tsv") for folder in sys.argv[1:3])
assert agreement.differences(one, other) == [], agreement.differences(one, other)
assert "Nehalem" in open(os.path.join(sys.argv[2], "figure2", "run.json")).read()
about, found = blocks.read(one)
cells = [(row, k) for block in found if block["kind"] == "table" for row in block["rows"] for k in range(len(row))]
row, k = next((row, k) for row, k in cells if " ± " in row[k] and "(p" not in row[k])
value, error = map(float, row[k].split(" ± "))
for name, times, count in (("near.tsv", 0.9, 0), ("moved.tsv", 1.1, 1)):
    row[k] = "%.6f ± %.4f" % (value + times * error, error)
    blocks.write(name, about, found)
    sentences = agreement.differences(one, name)
    assert len(sentences) == count, (times, sentences)
found[0]["rows"].pop()
blocks.write("moved.tsv", about, found)
assert any("has other rows or columns" in sentence for sentence in agreement.differences(one, "moved.tsv"))
part = next(part for part in runner.parts() if part.name == "figure2")
part.kept = "kept.tsv"
def kept_by(kernels, new):
    blocks.write(part.kept, *blocks.read(one))
    runner.kernels, runner.RESULTS = lambda: kernels, os.path.join(os.environ["DORM_WORK"], "results")
    os.makedirs(os.path.join(runner.RESULTS, part.name), exist_ok=True)
    blocks.write(os.path.join(runner.RESULTS, part.name, "results.tsv"), *blocks.read(new))
    runner.keep(part)
    return open(part.kept).read() == open(one).read()
assert kept_by("Haswell", "near.tsv") and kept_by("Haswell", "moved.tsv") and not kept_by(agreement.KERNELS, "moved.tsv")
END
DORM_PROJECT=$experiments/.. PYTHONPATH=$experiments/lib PYTHONDONTWRITEBYTECODE=1 expect 0 "results by other kernels" \
  "$python" kernels.py "$work/results" "$work/nehalem"
holds err "found the kept results again, within their standard errors"

# Reading the kept results loses nothing, each of them has its part, and every number of three and more decimals in a
# README is one of them, rounded.
cat > kept.py << 'END'
import glob, os, re, sys
import blocks, runner
files = glob.glob(os.path.join(sys.argv[1], "**", "*.tsv"), recursive=True)
files = [path for path in files if not path.endswith("paper/claims.tsv")]  # the ledger has a check of its own
kept = set()
for path in files:
    about, found = blocks.read(path)
    blocks.write("copy.tsv", about, found)
    text = open(path).read()
    assert open("copy.tsv").read() == text, path
    for number in re.findall(r"(?<![\w.])\d*\.\d+(?![\w.])", text):
        kept |= {(d, round(float(number), d)) for d in range(3, len(number.split(".")[1]) + 1)}
assert sorted(map(os.path.realpath, files)) == sorted(os.path.realpath(part.kept) for part in runner.parts())
for path in glob.glob(os.path.join(sys.argv[1], "**", "README.md"), recursive=True):
    for number in re.findall(r"(?<![\w./-])\d*\.\d{3,}(?![\w.]| s\b)", open(path).read()):
        assert (len(number.split(".")[1]), float(number)) in kept, "%s: %s is in no table" % (path, number)
print("%d parts" % len(files))
END
DORM_PROJECT=$experiments/.. PYTHONPATH=$experiments/lib PYTHONDONTWRITEBYTECODE=1 expect 0 "the kept results" "$python" kept.py "$experiments"

expect 1 "data that are not there" "$experiments/run" --quick --data mq2008 figure2
holds err "MQ2008 is part of LETOR 4.0"
holds err "$work/nowhere/mq2008/Fold1/test.txt"
holds err "mq2008/Fold5/vali.txt  sha256 a03fe2b6e76479de60fecdb37d560a40a4e899b0cd685553d2da31ea205af1ab"
[ "$(grep -c '  sha256 ' err)" = 15 ]
result $? "each file that is missing is named"

# The measures and paired tests in Python agree with dorm's.
"$dorm" generate artificial -o data.txt --queries 40 -d 12 -f 3
cat > compare.py << 'END'
import subprocess, sys
import numpy as np
import letor, summary
ranking, _ = letor.read("data.txt")
random = np.random.RandomState(int(sys.argv[2]))
files = []
for name in ("one", "two"):
    scores = np.round(random.normal(size=len(ranking.r)) + ranking.r, 1)  # with ties
    np.savetxt(name + ".scores", scores, fmt="%.17g")
    files.append(scores)
worst = 0
for name, (here, spec) in letor.SELECTION.items():
    out = subprocess.run([sys.argv[1], "eval", "--scores", "one.scores", "data.txt", "-m", spec, "-p", "-"],
                         capture_output=True, text=True, check=True).stdout
    values = [float(line.split("\t")[1]) for line in out.splitlines() if line.count("\t") == 1 and line[0].isdigit()]
    assert len(values) == 40, out
    worst = max(worst, abs(np.mean(values) - here(ranking, files[0])))
print("measures differ by at most %g" % worst)
assert worst < 1e-9
out = subprocess.run([sys.argv[1], "eval", "--scores", "one.scores", "--scores", "two.scores", "data.txt",
                      "-m", "ndcg@10", "-p", "queries"], capture_output=True, text=True, check=True).stdout
p = float(out.split(" queries\n")[-1].split()[4])
per_query = []
for scores in files:
    per_query.append([letor.ndcg_at(ranking.subset([q]), scores[docs], 10) for q, docs in enumerate(ranking.queries())])
own = summary.paired(*per_query)[2]
print("p = %g, here %g" % (p, own))
assert abs(p - own) < 0.01 * p + 1e-6
END
PYTHONPATH=$experiments/lib PYTHONDONTWRITEBYTECODE=1 expect 0 "measures and tests" "$python" compare.py "$dorm" \
  "${DORM_TEST_SEED:-1}"

# The rivals of Tables 3 and 4 read the users and items of each row that `dorm ratings` writes.
awk 'BEGIN { for (u = 1; u <= 20; u++) for (i = 1; i <= 15; i++) print u "\t" i "\t" 1 + (u * i) % 5 }' > ratings.tsv
"$dorm" ratings -q -s ratings.file=ratings.tsv -s ratings.split=given:5 -s ratings.output=rated -s ratings.write=features,kernels 2> /dev/null
cat > rivals.py << 'END'
import rating_rivals
grams = [rating_rivals.read_gram("rated.%s.gram" % side) for side in ("users", "items")]
users, items, values = rating_rivals.read_rows("rated.train.txt")
assert len(values) == 100 and set(users) == set(range(20)) and set(items) <= set(range(len(grams[1])))
END
if "$python" -c 'import scipy' 2> /dev/null; then
  PYTHONPATH=$experiments/lib PYTHONDONTWRITEBYTECODE=1 expect 0 "rows of the rivals" "$python" rivals.py
fi

# Holm's correction, and queries that several splits test.
cat > corrected.py << 'END'
import blocks, summary
assert summary.holm([0.01, 0.04, 0.03, 0.005]) == [0.03, 0.06, 0.06, 0.02]
assert summary.holm([0.6, 0.5]) == [1.0, 1.0]
columns, rows = ["method", "p", "less"], [["a", "0.01", "1"], ["b", "", "2"], ["c", "0.04", "3"]]
assert summary.holm_column(columns, rows, "p") == 2
assert columns == ["method", "p", "p, by Holm", "less"] and [row[2] for row in rows] == ["0.02", "", "0.04"]
cells = [["a", "0.1", ""], ["b", "0.2", "+0.5 ± 0.1 (p = 0.01)"], ["c", "0.3", "-0.5 ± 0.1 (p < 1e-12)"]]
listed = summary.all_comparisons("x", [blocks.table("t", "Table 1: t", ["method", "value", "less it"], cells)])
assert listed["rows"] == [["Table 1, b: less it", "+0.5 ± 0.1", "0.01", "0.01"],
                          ["Table 1, c: less it", "-0.5 ± 0.1", "< 1e-12", "< 1e-12"]], listed
two = [{"queries": [3, 1], "measures": {"m": [1.0, 0.0]}}, {"queries": [1, 2], "measures": {"m": [1.0, 0.25]}}]
assert summary.pooled(two, "m") == [0.5, 0.25, 1.0]
assert summary.pooled([{"measures": one["measures"]} for one in two], "m") == [0.5, 0.625]
END
PYTHONPATH=$experiments/lib PYTHONDONTWRITEBYTECODE=1 expect 0 "corrections" "$python" corrected.py

# The ledger of the documents: nothing is wrong in it, its page is up to date, and a wrong row is named.
page=$experiments/paper/claims.md
expect 0 "the ledger" "$experiments/run" claims
cmp -s out "$page"
result $? "claims.md has the tables of claims.tsv"
ledger() { # CLAIMS [ARGUMENT...]
  claims=$1
  shift
  PYTHONDONTWRITEBYTECODE=1 "$python" "$experiments/lib/ledger.py" "$srcdir" --claims "$claims" "$@"
}
# wrong WHAT PROGRAM FAULT: the sed PROGRAM makes a row of the ledger wrong, and the FAULT is named.
wrong() {
  sed "$2" "$experiments/paper/claims.tsv" > wrong.tsv
  ! cmp -s wrong.tsv "$experiments/paper/claims.tsv"
  result $? "$1: a row is changed"
  expect 1 "$1" ledger wrong.tsv --papers nowhere
  holds err "$3"
}
wrong "a function that does not exist" 's/product_losses.c:fill_wta/product_losses.c:fill_nothing/' \
  "there is no losses/product_losses.c:fill_nothing"
wrong "a file that does not exist" 's/losses\/cost.c:/losses\/coast.c:/' "there is no losses/coast.c:fill_costs"
wrong "a number in no table" 's/0.1108 ± 0.0075/0.1107 ± 0.0075/' "dorm's number 0.1107 is in no table that it names"
wrong "a number of the paper" 's/DORM 61.5, 82.6/DORM 63.7, 82.6/' "dorm's number 63.7 is in no table that it names"
wrong "an error of another number" 's/0.1108 ± 0.0075/0.1108 ± 0.0060/' "dorm's 0.1108 ± 0.0060 is in no line"
wrong "an experiment that does not exist" 's/run figure2$/run figure99/' "there is no command experiments/run figure99"
wrong "a verdict of no kind" 's/\tnot built: as printed/\tmaybe/' "the verdict 'maybe"
wrong "a verdict without a number" 's/\tnot built: trees by absolute deviation/\tholds/' "has no number, test or proof"
wrong "an equation without a row" 's/\teq. 29\t/\t5.1\t/' "dorm: eq. 29 has no row"
wrong "a row with too few columns" 's/\teq. 29\t/\teq. 29/' "7 columns instead of 8"
if command -v mypy > /dev/null; then
  expect 0 "types of the ledger" mypy --strict --cache-dir=mypy_cache "$experiments/lib/ledger.py"
fi
mkdir -p papers
for name in $(cut -f 1 "$experiments/paper/claims.tsv" | sed 1d | sort -u); do
  echo "nothing of 1,000 words" > "papers/$name.md"
done
expect 1 "quotations that are not literal" ledger "$experiments/paper/claims.tsv" --papers papers
holds err "not literal: At test time, a sort operation is sufficient"
holds err "the document has no number 63.7"
! grep -q "the document has no number 1000$" err
result $? "numbers with and without a comma are the same"

if ! command -v gnuplot > /dev/null; then
  echo "skipped in part: without gnuplot there is no page (apt-get install gnuplot-nox)"
  finish
fi
expect 0 "the pages" "$experiments/report" --quick page
sed -En 's/^# (table|figure) ([^ ]*): .*/\1 \2/p' results/*/results.tsv > wanted
figures=$(grep -c '^figure' wanted)
while read -r kind id; do
  [ "$(cat page/*.html | grep -o "<$kind id=\"$id\"" | wc -l)" = 1 ]
  result $? "one page has the $kind $id"
  [ "$kind" = table ] || { [ -s "page/$id.svg" ] && [ -s "page/$id.png" ]; }
  result $? "$id is there as SVG and PNG"
done < wanted
for name in $(cut -f 1 "$experiments/paper/claims.tsv" | sed 1d | sort -u); do
  [ "$(sed -n '/<section id="claims">/,$p' "page/$name.html" | grep -o '<tr><td>' | wc -l)" = \
    "$(grep -c "^$name	" "$experiments/paper/claims.tsv")" ]
  result $? "the page of $name has every row of its ledger"
done
sed -En 's/.*<h2>((Table|Figure) [0-9]+).*/\1/p' page/dorm.html > items
printf '%s\n' "Figure 1" "Table 1" "Figure 2" "Figure 3" "Figure 4" "Figure 5" "Figure 6" "Figure 7" "Table 2" "Table 3" "Table 4" | cmp -s - items
result $? "the tables and figures of the paper are in its own order"
[ "$(for svg in page/*.svg; do grep -c 'id="gnuplot_plot_' "$svg"; done | sort -n | tail -1)" -le 8 ]
result $? "no picture has more than eight curves"
! grep -qE '(src|href)="(https?:|/)' page/*.html
result $? "the pages need nothing else"

chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -z "$chromium" ]; then
  echo "skipped in part: no browser looks at the page (apt-get install chromium)"
  finish
fi
# A copy of the page reports in its title what the browser made of it, at the width of a phone.
sed 's#</body>#<script>addEventListener("load", () => { const shown = [...document.querySelectorAll("figure img")]\
.filter(i => i.complete \&\& i.naturalWidth > 300 \&\& i.getBoundingClientRect().height > 100)\
.filter(i => i.getBoundingClientRect().right <= innerWidth + 1);\
document.title = "shown " + shown.map(i => i.parentNode.id).join(" ") + "; overflow " + \
Math.max(0, document.documentElement.scrollWidth - innerWidth); });</script></body>#' page/dorm.html > page/seen.html
timeout 60 "$chromium" --headless --no-sandbox --disable-gpu --user-data-dir="$work/browser" --window-size=390,844 \
  --dump-dom "file://$work/page/seen.html" 2> err | grep -o '<title>[^<]*' > seen
holds seen "overflow 0"
count=0
for id in $(sed -n 's/^figure //p' wanted); do
  grep -qE "[ ]$id[ ;]" seen
  result $? "the browser shows $id"
  count=$((count + 1))
done
[ "$count" = "$figures" ] && [ "$count" -ge 3 ]
result $? "all figures were looked for"
finish
