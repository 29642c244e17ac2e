#!/bin/sh
# newcomer.sh: what someone new types, point by point: each command with what it must say or do.
. "${srcdir:-.}/tests/cli/lib.sh"

for part in 1 2 3; do
  "$dorm" generate artificial -o part$part.txt --queries 20 -d 15 -f 5 --part $part
done
printf '[data]\ntrain = part1.txt\nvalidation = part2.txt\n[solver]\nC = 1, 10   # two values\n' > config.ini

# widths FILE: no line of the file is wider than 80 columns.
widths() {
  [ "$(awk 'length($0) > 80' "$1" | wc -l)" = 0 ]
  result $? "$1 fits 80 columns: $(awk 'length($0) > 80 { print length($0) ": " $0; exit }' "$1")"
}
# without FILE TEXT: the file does not contain TEXT.
without() {
  ! grep -qF -- "$2" "$1"
  result $? "$1 must not hold '$2'"
}

# ---- Arguments that people type

expect 0 "train on a data file" "$dorm" train -s training.trainer=svm part1.txt
expect 0 "the default, by everyday options" "$dorm" train part1.txt -o default.dorm -m ndcg@5 -t 2 --budget 1m --seed 3
grep -q '^ndcg@5      chance 0\.[0-9]*   best feature 0\.[0-9]*   linear 0\.[0-9]*   this model 0\.[0-9]*$' out
result $? "what the model is worth, beside chance, the best feature and a linear model"
grep -q '^            new queries 0\.[0-9]* to 0\.[0-9]* (95 %, 5 folds, corrected for choosing)$' out
result $? "what new queries will show"
holds out "trees; compares documents (--for-serving: trees alone, about 0."
holds out "next        dorm eval default.dorm TEST"
holds out "default.dorm"
expect 0 "show the default" "$dorm" show default.dorm
sed -n '/^[a-z_]*\.[A-Za-z_]* = /s/ =.*//p' out | tr '\n' ' ' > given
[ "$(cat given)" = "data.train training.seed training.budget selection.measure output.model " ]
result $? "what was set, and nothing else: $(cat given)"
expect 0 "the default for serving" "$dorm" train -q part1.txt --for-serving --folds 3 -o serving.dorm
expect 0 "which engines take" "$dorm" export --to elasticsearch serving.dorm
expect 0 "the default for serving goes on" "$dorm" train -q part1.txt -o on.dorm -s data.from=serving.dorm
expect 0 "the default goes on" "$dorm" train -q part2.txt -o on.dorm -s data.from=default.dorm
expect 0 "a budget that is reached" "$dorm" train part1.txt -o short.dorm --budget 0.001s
holds err "training.budget = 0.001: "
expect 2 "a budget of another unit" "$dorm" train -q part1.txt --budget 5x
one_line_with "training.budget: '5x' is not a number"
expect 2 "a budget with two points" "$dorm" train -q part1.txt --budget 1.2.3m
one_line_with "training.budget: '1.2.3m' is not a number"
expect 0 "train on training and validation data" "$dorm" train -s training.trainer=svm part1.txt part2.txt -s output.model=two.dorm
grep -q "^ndcg@10     0\.[0-9]* on the validation data$" out
result $? "the value on the validation data"
holds out "; largest gap "
expect 0 "a configuration and other training data" "$dorm" train config.ini part3.txt -q -s output.model=three.dorm
expect 0 "show" "$dorm" show three.dorm
holds out "data.train = part3.txt"
holds out "data.validation = part2.txt"
holds out "solver.C = 1, 10"
expect 2 "too many files" "$dorm" train config.ini part1.txt part2.txt part3.txt
one_line_with "'part3.txt' is one argument too many"
: > empty.txt
expect 4 "an empty training file" "$dorm" train -q -s training.trainer=svm empty.txt part2.txt -s output.model=none.dorm
one_line_with "empty.txt: no document in it"
absent none.dorm
expect 2 "ratings from data" "$dorm" ratings part1.txt
one_line_with "'part1.txt' is one argument too many: it takes a configuration (FILE.ini, FILE.conf or --config FILE)"
# What is in a file never makes it a configuration.
printf '[output]\nmodel = victim\n[loss]\nname = from ./reciprocal.so\n' > stranger.txt
echo precious > victim
for arguments in stranger.txt "stranger.txt part1.txt" "part1.txt stranger.txt" "config.ini stranger.txt" \
  "--stream stranger.txt"; do
  # shellcheck disable=SC2086
  expect 4 "train $arguments" "$dorm" train -q -s training.trainer=svm -s output.model=no.dorm $arguments
  grep -qF "stranger.txt:1: '[output]' looks like a configuration, not data" err && [ "$(cat victim)" = precious ]
  result $? "train $arguments: data that look like a configuration are named, and not obeyed"
done
expect 2 "factorize stranger.txt" "$dorm" factorize stranger.txt
cp config.ini config.text
cp config.ini config.conf
printf '[ratings]\nfile = absent.tsv\n' > ratings.text
for command in ratings factorize; do
  expect 3 "$command by --config" "$dorm" $command -c ratings.text
  one_line_with "absent.tsv: cannot read"
done
expect 0 "a configuration of any name" "$dorm" train --config config.text part3.txt -q -s output.model=three.dorm
"$dorm" show three.dorm | grep -qx 'solver.C = 1, 10'
result $? "--config is obeyed"
expect 0 "FILE.conf" "$dorm" train config.conf -q
expect 2 "two configurations" "$dorm" train -c config.text config.ini
one_line_with "'config.ini' is no data by its name: there is at most one configuration, and it comes first"
gzip -k part1.txt
expect 0 "train on a packed file" "$dorm" train -s training.trainer=svm part1.txt.gz -q
"$dorm" train -s training.trainer=svm - -q -s output.model=input.dorm < part1.txt > out 2> err
result $? "train on standard input"
grep -v '^setting data.train\|^setting output\|^checksum\|^set ' input.dorm > one
"$dorm" train -s training.trainer=svm part1.txt -q -s output.model=file.dorm > out 2> err
grep -v '^setting data.train\|^setting output\|^checksum\|^set ' file.dorm | cmp -s - one
result $? "standard input trains the same model as the file"
gzip -c part2.txt | "$dorm" predict file.dorm - > piped 2> err
"$dorm" predict file.dorm part2.txt > scores 2> err
cmp -s piped scores
result $? "predict from standard input, packed"
"$dorm" eval file.dorm - -m ndcg@10 < part2.txt > piped 2> err
"$dorm" eval file.dorm part2.txt -m ndcg@10 > out 2> err
cmp -s piped out
result $? "eval from standard input"
"$dorm" train -s training.trainer=svm - - < part1.txt > out 2> err
[ $? = 2 ]
result $? "standard input cannot be both"
one_line_with "both standard input"

expect 2 "a setting without its section" "$dorm" train -s C=1
one_line_with "unknown setting 'C'; did you mean 'smooth.C' or 'solver.C'?"
expect 2 "a name in several sections" "$dorm" train -s rank=1
one_line_with "did you mean 'kernel.rank' or 'factorization.rank'?"
expect 2 "a mistyped command" "$dorm" tarin
one_line_with "no command 'tarin'; did you mean 'train'?"
expect 0 "measures as trec_eval writes them" "$dorm" eval file.dorm part2.txt -m P_10 -m ndcg_cut_10
holds err "p@10:threshold=1,empty=0,ties=docid"
holds err "ndcg@10:gain=linear,discount=log2,empty=0,ties=docid"
expect 0 "a measure in capitals" "$dorm" eval file.dorm part2.txt -m NDCG@10
sed 's/^NDCG/ndcg/' out | cmp -s - piped
result $? "capitals do not matter"
expect 0 "help of a command" "$dorm" help train
cp out help.out
expect 0 "the same help" "$dorm" train --help
cmp -s out help.out
result $? "dorm help train is dorm train --help"
expect 2 "help of no command" "$dorm" help tarin
one_line_with "did you mean 'train'?"
printf '[solver]\nC = 3 ; a value\ngap = 0.05\t# another\n' > comments.ini
expect 0 "comments after values" "$dorm" train comments.ini part1.txt -q
expect 0 "show" "$dorm" show model.dorm
grep -qx 'solver.C = 3' out && grep -qx 'solver.gap = 0.05' out
result $? "comments are no part of the values"

# Words of other programs are answered by dorm's.
while read -r arguments; do
  answer=${arguments#* = }
  # shellcheck disable=SC2086
  expect 2 "train ${arguments% = *}" "$dorm" train -q part1.txt -o none.dorm ${arguments% = *}
  one_line_with "$answer"
done << 'END'
--trainer lambdamart = ; dorm has trees
--trainer gbdt = ; dorm has trees
--trainer lambdarank = ; dorm has net, or trees for LambdaMART
-s training.trainer=xgboost = ; dorm has trees
-s num_leaves=31 = unknown setting 'num_leaves'; dorm has trees.leaves
-s trees.num_leaves=31 = dorm has trees.leaves
-s max_depth=6 = dorm has trees.leaves
-s n_estimators=100 = dorm has trees.trees
-s num_boost_round=100 = dorm has trees.trees
-s learning_rate=0.1 = did you mean 'trees.learning_rate' or 'net.learning_rate'?
-s eta=0.1 = dorm has trees.learning_rate
-s subsample=0.5 = dorm has trees.row_share
-s early_stopping_rounds=5 = dorm has training.patience
-s metric=ndcg = dorm has selection.measure
-s random_state=1 = dorm has training.seed
-s n_jobs=2 = dorm has solver.threads
-s objective=rank = did you mean 'trees.objective'?
-s verbose=1 = dorm has the option --verbose
-s data.query=qid = dorm has the option --query, or qid: in the data
-m auc = unknown measure 'auc'; did you mean 'roc_area'?
-m precision@5 = unknown measure 'precision'; did you mean 'p'?
-m ndgc@10 = unknown measure 'ndgc'; did you mean 'ndcg'?
-m map@ = measure 'map': truncation needs a value
--folds five = selection.folds
--budget -1 = training.budget
--seed x = training.seed
-t many = solver.threads
END

# Messages name the command as it is typed.
expect 2 "an unknown option" "$dorm" train --verbos part1.txt -x
grep -q "^dorm train: " err
result $? "dorm train: is what a message begins with"
expect 2 "no model" "$dorm" predict part1.txt
one_line_with "dorm predict: needs MODEL and DATA"
expect 2 "too many files" "$dorm" train part1.txt part2.txt part3.txt
one_line_with "dorm train: 'part3.txt' is one argument too many"

# help TOPIC: what dorm help says of settings, sections and files.
while read -r topic answer; do
  expect 0 "help $topic" "$dorm" help "$topic"
  widths out
  holds out "$answer"
done << 'END'
solver.C solver.C = 1, 3, 10, 30, 100
C smooth.C = 1, 10
trees trees.leaves = 4, 10
config [solver]
formats 2 qid:10 1:0.03 2:0.67 5:1.2 # docid = GX001
eval usage: dorm eval
END
expect 0 "help" "$dorm" help
widths out

# A short option has the same long name in every command.
"$dorm" --help > commands
for command in $(sed -n 's/^  \([a-z]*\)  .*/\1/p' commands | grep -v '^dorm$') "generate ratings" "generate clicks"; do
  # shellcheck disable=SC2086
  "$dorm" $command --help | sed -n 's/^ *\(-[a-zA-Z]\), \(--[a-z-]*\).*/\1 \2/p'
done | sort -u > letters
[ -s letters ] && [ -z "$(cut -d ' ' -f 1 letters | uniq -d)" ]
result $? "letters with two meanings: $(cut -d ' ' -f 1 letters | uniq -d | tr '\n' ' ')"

# ---- Output that can be piped

expect 0 "JSON on standard output" "$dorm" eval two.dorm part3.txt -m ndcg@10 -m map --json -
[ "$(grep -c '^{.*}$' out)" = 2 ] && [ "$(wc -l < out)" = 2 ]
result $? "nothing but two objects"
expect 0 "a table per query on standard output" "$dorm" eval two.dorm part3.txt --per-query -
[ "$(wc -l < out)" = 21 ]
result $? "nothing but a line per query and the names"
expect 0 "a TREC run on standard output" "$dorm" eval two.dorm part3.txt --write-run -
[ "$(grep -c ' Q0 ' out)" = "$(wc -l < out)" ]
result $? "nothing but the TREC run"
expect 2 "two things on standard output" "$dorm" eval two.dorm part3.txt --json - --per-query -
one_line_with "only one of"
expect 0 "eval quietly" "$dorm" eval two.dorm part3.txt -q --json results.json
[ ! -s out ] && [ ! -s err ] && [ -s results.json ]
result $? "eval --quiet prints nothing"
expect 0 "show as JSON" "$dorm" show two.dorm part3.txt --json
[ "$(wc -l < out)" = 1 ] && grep -q '^{"settings":{.*"remarks":.*"weights":\[.*"importance":.*}$' out
result $? "one object with settings, remarks and weights"
printf '1 title\n2 body\n3 url\n4 anchor\n5 age\n' > names
expect 0 "show" "$dorm" show two.dorm part3.txt --features names
holds out "  title"
holds out "candidates"
holds out "gap "
without out "solver.gap = 0.01"
holds out "settings were not set"
awk '$1 == "feature" { on = 1; next } on { if (NR > 1 && last != "" && $2 > last) exit 1; last = $2 }' out
result $? "the most important feature comes first"
expect 0 "show all settings" "$dorm" show two.dorm --settings
holds out "solver.gap = 0.01"

# With one feature that is not normalised, the importance is |weight| times the deviation within queries, and half the
# documents at 0 and half at 2 deviate by 1.
printf '1 qid:1 1:2\n0 qid:1 1:0\n1 qid:2 1:2\n0 qid:2 1:0\n' > steps.txt
expect 0 "train on one feature" "$dorm" train -s training.trainer=svm steps.txt -q -s data.normalisation=none -s output.model=steps.dorm
[ ! -s err ]
result $? "with -q nothing is said of data in the place of a configuration"
expect 0 "its importance" "$dorm" show steps.dorm steps.txt
awk '$1 == 1 && $2 == $3 { good = 1 } END { exit !good }' out
result $? "weight 1 deviation: importance = weight"

# ---- The table of candidates

expect 0 "train" "$dorm" train -v config.ini --log log.json -s output.candidates=candidates.tsv \
  -s "ranking.position_weights=loss, log" -s loss.truncation=5,10 -s solver.ridge=0.1,1
widths out
[ "$(sed '1,/^ *nr /d' out | grep -c '^ *[0-9]')" = 10 ]
result $? "the ten best"
awk -F '\t' 'NR == 1 { for (f = 1; f <= NF; f++) if ($f == "gap") gap = f }
    NR > 1 && $gap > worst { worst = $gap } END { printf "largest gap %.2e\n", worst }' candidates.tsv > gap
grep -qFf gap out
result $? "the largest gap of all candidates"
for title in reference weights trunc block ridge; do
  grep '^ *nr ' out | grep -qw $title
  result $? "the column $title, which varies"
done
[ "$(wc -l < candidates.tsv)" = "$(($(grep -c '"event":"candidate"' log.json) + 1))" ]
result $? "all candidates in the file"
awk -F '\t' 'NR == 1 { n = NF } NF != n { exit 1 } $n == 1 { chosen++ } END { exit chosen != 5 }' candidates.tsv
result $? "five candidates are chosen, and every line has all fields"
tail -n 1 log.json | grep -q '"event":"selection","candidates":\[[0-9, ]*\]'
result $? "the log ends with the selection"
expect 0 "candidates on standard output" "$dorm" train config.ini -q -s output.candidates=-
[ "$(grep -c "$(printf '\t')" out)" = "$(wc -l < out)" ]
result $? "nothing but the candidates"
one="-s training.trainer=svm -s loss.truncation=10 -s data.rank_block=0 -s solver.ridge=1 -s solver.rho=1 -s solver.C=1,10"
expect 0 "train with one value of each setting but C" "$dorm" train -v config.ini $one -s ranking.position_weights=power:0.5
[ "$(grep '^ *nr ' out | tr -s ' ')" = " nr reference C round primal gap passes value" ]
result $? "no column of what does not vary"
awk '$1 == "nr" { inside = 1; end = index($0, "passes") + 5; next }
  inside && $1 ~ /^[0-9]+$/ { rows++; bad += substr($0, end, 1) !~ /[0-9]/ || substr($0, end + 1, 1) != " " }
  END { exit !(rows && !bad) }' out
result $? "numbers end below the end of their column's name"
without err "the same weight"
expect 0 "train with equal weights of positions" "$dorm" train config.ini $one -s ranking.position_weights=power:0
holds err "power:0 gives every position the same weight"
expect 0 "train with kernels" "$dorm" train -v config.ini -s "kernel.kernel=linear + rbf:scale=0.3|1" -s kernel.rank=10,20
widths out
grep '^ *nr ' out | grep -w kernel | grep -qw rank
result $? "the columns kernel and rank"
expect 0 "train with folds" "$dorm" train -s training.trainer=svm part1.txt -s selection.folds=3 -s solver.C=1,10
widths out
widths err
holds out "ndcg@10     cross-validated, of the candidates: mean 0."
[ "$(grep -c '' err)" = 2 ] && grep -q '^part1.txt   20 queries, 300 documents, 5 features$' err
result $? "without a terminal, no line of progress in ten seconds"
expect 0 "train with folds, in detail" "$dorm" train -v -s training.trainer=svm part1.txt -s selection.folds=3 -s solver.C=1,10
widths out
widths err
holds out "value: ndcg@10 by cross-validation, 3 folds"
grep -q '^\[2/[0-9]*\] 0:[0-9]*, [0-9:]* left: ' err
result $? "progress with the time elapsed and left"
expect 0 "no convex problem" "$dorm" train -q part1.txt -s training.trainer=adarank --log log.json -s output.candidates=table
grep -c '"primal":null,"dual":null,"gap":null,"reference_constant":null' log.json > nulls
grep -c '"event":"candidate"' log.json | cmp -s - nulls
result $? "numbers that do not exist are null"
holds log.json '"validation":null,"training_queries":20,"largest_gap":null'
awk -F '\t' 'NR == 1 { for (f = 1; f <= NF; f++) if ($f ~ /^(primal|dual|gap|validation)$/) own[f] }
    NR > 1 { for (f in own) bad += $f != "" } END { exit bad || length(own) != 4 }' table
result $? "and empty in the table"
if command -v script > /dev/null; then
  TERM=xterm script -qec "stty cols 60; '$dorm' train -v config.ini -s training.trainer=svm -s solver.gap=1e-5 -s trees.leaves=8 > table" \
    typescript > /dev/null 2>&1
  tr '\r' '\n' < typescript | sed "s/$(printf '\033')\[K//g" | grep -v '^Script\|^part1.txt \|^ *labels ' > lines
  grep -q '^\[1/34\] ' lines && grep -q '^\[34/34\] ' lines && [ "$(awk 'length($0) > 59' lines | wc -l)" = 0 ]
  result $? "progress and remarks fit a terminal of 60 columns"
  grep -q '^dorm: trees.leaves = 8 is not used: it is for$' lines && grep -q '^  training.trainer = trees$' lines
  result $? "remarks are broken between words, as late as possible"
  TERM=xterm script -qec "stty cols 80; '$dorm' train config.ini -s training.trainer=svm > table" bar > /dev/null 2>&1
  tr '\r' '\n' < bar | grep -aq '^.*\[################\] 34 of 34 candidates  0:0'
  result $? "a bar says how far training is"
  ! grep ' gap' lines | grep -qv ' gap [0-9]e[-+][0-9][0-9]\( best 0\.[0-9]\{4\}\)\{0,1\}$'
  result $? "pieces that do not fit are left out whole"
fi

# ---- Stops

"$dorm" generate artificial -o big.txt --queries 1000 -d 50 -f 30 > /dev/null
# stopped SIGNAL WAIT COMMAND...: runs the command and sends it the signal as soon as its standard error or the file
# log.json holds WAIT. $code becomes its exit code. The signal gets its default meaning first, since under nohup the
# command would rightly ignore SIGHUP.
stopped() {
  signal=$1
  awaited=$2
  shift 2
  : > err
  rm -f log.json
  env --default-signal="$signal" "$@" > out 2> err &
  pid=$!
  while ! grep -qs "$awaited" err log.json && kill -0 $pid 2> /dev/null; do sleep 0.1; done
  kill "-$signal" $pid
  wait $pid
  code=$?
}
slow="-s ranking.position_weights=power:0.5 -s solver.gap=1e-9 -s solver.C=10000"
# shellcheck disable=SC2086
stopped HUP '^\[1/' "$dorm" train -v -s training.trainer=svm big.txt $slow -s output.model=hup.dorm
[ "$code" = 1 ] && [ -s hup.dorm ]
result $? "SIGHUP ends with exit code 1 and a model"
# shellcheck disable=SC2086
stopped TERM '^\[1/' "$dorm" train -v -s training.trainer=svm big.txt $slow -s selection.folds=3 -s output.model=folds.dorm
[ "$code" = 1 ] && [ -s folds.dorm ]
result $? "a stop in cross-validation leaves a model"
holds err "during cross-validation: the model is the ridge start on all training data"
expect 0 "it can be used" "$dorm" eval folds.dorm part3.txt
for case in "kernel.kernel=rbf -s kernel.rank=50" solver.start=zero; do
  rm -f folds.dorm
  # shellcheck disable=SC2086
  stopped TERM '^\[1/' "$dorm" train -v -s training.trainer=svm big.txt $slow -s selection.folds=3 -s $case -s output.model=folds.dorm
  [ "$code" = 1 ] && [ -s folds.dorm ]
  result $? "a stop in cross-validation with $case leaves a model"
  holds err "during cross-validation: the model is made of the candidates of fold 1"
  expect 0 "it can be used" "$dorm" eval folds.dorm part3.txt
done
"$dorm" generate artificial -o wide.txt --queries 2000 -d 60 -f 100 > /dev/null
stopped TERM '"event":"step".*Gram matrix' "$dorm" train -s training.trainer=svm wide.txt --log log.json -s solver.threads=0 \
  -s kernel.kernel=laplacian -s kernel.rank=3000 -s output.model=kernel.dorm
[ "$code" = 1 ]
result $? "a stop while a Gram matrix is built ends with exit code 1 (got $code)"
holds err "stopped on request"
without err "residual trace" # which is said of a matrix that is done
expect 1 "stopped with a checkpoint" "$dorm" train config.ini -q -s solver.max_seconds=6e-8 -s output.checkpoint=here
[ -s here ]
result $? "the checkpoint"
expect 2 "a checkpoint in the way" "$dorm" train config.ini -q -s output.checkpoint=here
one_line_with "here: a checkpoint is there already: output.resume = yes (--resume)"
expect 0 "resume" "$dorm" train config.ini -q -s output.checkpoint=here --resume
expect 1 "stopped again" "$dorm" train config.ini -q -s solver.max_seconds=6e-8 -s output.checkpoint=here
expect 0 "overwrite" "$dorm" train config.ini -q -s output.checkpoint=here --overwrite
absent here

# ---- Said, not silent

sed 's/^[0-9.]*/0/' part2.txt > irrelevant.txt
expect 0 "validation without relevant documents" "$dorm" train -s training.trainer=svm part1.txt irrelevant.txt
holds err "warning: irrelevant.txt: no query has a relevant document"
awk '{ for (i = 3; i <= NF; i++) $i = "9" $i; print }' part2.txt > strangers.txt
expect 0 "data without a feature of the model" "$dorm" predict file.dorm strangers.txt
holds err "warning: strangers.txt has 0 of the 5 features of the model; the model has 0 of the 5 features of strangers.txt"
expect 0 "validation data without a feature of the training data" "$dorm" train -s training.trainer=svm part1.txt strangers.txt
holds err "warning: strangers.txt has 0 of the 5 features of part1.txt; part1.txt has 0 of the 5 features of strangers.txt"
awk '{ for (i = 3; i <= NF; i++) $i = i - 3 substr($i, index($i, ":")); print }' part2.txt > shifted.txt
expect 0 "ids that begin at 0" "$dorm" eval file.dorm shifted.txt -m map
holds err "warning: shifted.txt has 4 of the 5 features of the model; the model has 4 of the 5 features of shifted.txt"
expect 0 "a feature that the model does not use" "$dorm" train -q -s training.trainer=svm part1.txt -s data.features=1-3 -s output.model=three.dorm
expect 0 "predict with it" "$dorm" predict three.dorm part2.txt
one_line_with "dorm: part2.txt has 3 of the 3 features of the model; the model has 3 of the 5 features of part2.txt"
"$dorm" generate sparse --queries 20 --features 200 -o sparse.txt
head -n 1 sparse.txt > lone.txt
expect 0 "a model of sparse data" "$dorm" train -q -s training.trainer=svm sparse.txt -s solver.C=1 -s output.model=sparse.dorm
expect 0 "a small file of sparse data" "$dorm" eval sparse.dorm lone.txt -m p@1
holds err "of the model; the model has"
expect 0 "a feature that the data lack" "$dorm" train -q -s training.trainer=svm part1.txt -s data.features=1-3,99
one_line_with "warning: part1.txt has 3 of the 4 features of data.features = 1-3,99"
cp part1.txt same.txt
expect 0 "validation on the training data" "$dorm" train -q -s training.trainer=svm part1.txt same.txt
one_line_with "warning: same.txt: the validation data are the training data"
sed 's/ 5:/ 6:/' part1.txt > other.txt
expect 0 "validation on other features" "$dorm" train -q -s training.trainer=svm part1.txt other.txt
! grep -q "the validation data are the training data" err
result $? "no warning about data with the same values of other features"
head -n 20 part1.txt | grep "$(sed -n '1s/.* \(qid:[^ ]*\) .*/\1 /p' part1.txt)" > lone.txt
expect 0 "a single query" "$dorm" eval three.dorm lone.txt -m p@1
grep -q '^p@1 *[01]\.0* *1 query$' out
result $? "a single query has no standard error"
sed 's/^[0-9.]*/0/' part1.txt > nothing.txt
for trainer in ridge smooth adarank net; do
  expect 4 "nothing to learn for $trainer" "$dorm" train -q nothing.txt -s training.trainer=$trainer -s output.model=none.dorm
  one_line_with "nothing.txt: nothing was learned: every candidate gives all documents of a query the same score"
  absent none.dorm
done
for part in 1 2; do
  awk '{ $1++; print }' part$part.txt > risen$part.txt
done
expect 0 "labels from 1 up" "$dorm" eval file.dorm file.dorm risen2.txt -m map -m ndcg@10
grep -c warning err | grep -qx 1 && holds err "warning: risen2.txt: map takes all documents of 20 of 20 queries for relevant; its parameter threshold, here 1, is"
expect 0 "with the threshold" "$dorm" eval file.dorm risen2.txt -m map:threshold=2 -m num_rel -m roc_area
! grep -v '^  ' err
result $? "nothing to say but the conventions"
expect 0 "train on labels from 1 up" "$dorm" train -q -s training.trainer=svm risen1.txt risen2.txt -s selection.measure=mrr@5
one_line_with "warning: risen2.txt: mrr takes all documents of 20 of 20 queries for relevant"
expect 0 "a measure but nothing to measure on" "$dorm" train -s training.trainer=svm part1.txt -s selection.measure=map
holds err "selection.measure = map is not used: there are neither validation data nor selection.folds"
expect 0 "settings of another trainer" "$dorm" train part1.txt -s training.trainer=ridge -s solver.C=3
holds err "solver.C = 3 is not used: it is for training.trainer = svm"
expect 0 "settings of a trainer with its own section" "$dorm" train part1.txt -s training.trainer=svm -s trees.leaves=4
holds err "trees.leaves = 4 is not used: it is for training.trainer = trees"
expect 0 "settings of another command" "$dorm" train -s training.trainer=svm part1.txt -s ratings.folds=3
holds err "ratings.folds = 3 is not used: it is for dorm ratings and dorm factorize"
expect 0 "settings of kernels" "$dorm" train -s training.trainer=svm part1.txt -s kernel.rank=3
holds err "kernel.rank = 3 is not used: the kernel is linear"
if "${DORM_TEST_CC:-cc}" -shared -fPIC "-I$srcdir/include" "$srcdir/tests/plugins/reciprocal.c" \
  -o reciprocal.so -lm 2> err; then
  expect 2 "a loss that its module does not hold" "$dorm" train -s training.trainer=svm part1.txt -s "loss.name=ndcg from ./reciprocal.so"
  holds err "holds the loss '"
fi
printf '1 0 a 1\n2 0 b 1\n3 0 c 1\n' > qrels
printf '1 Q0 a 1 1 x\n' > run
expect 0 "a run that lacks queries" "$dorm" eval --qrels qrels --run run -m map
holds err "run lacks 2 of the 3 queries that are judged in qrels"
printf '1\n' > part3.txt.weight
expect 4 "too few weights beside the data" "$dorm" train -s training.trainer=svm part3.txt
holds err "part3.txt.weight: 1 weights, but part3.txt has "
expect 0 "weights beside the data that are not wanted" "$dorm" train -s training.trainer=svm part3.txt -s data.weights=no
rm part3.txt.weight

# The same model on any number of threads: by svm on data that several threads share, and by the defaults.
"$dorm" generate artificial -o larger.txt --queries 1000 -d 50 -f 60
"$dorm" generate artificial -o smaller.txt --queries 40 -d 20 -f 12
for threads in 1 2 3 8; do
  expect 0 "larger data on $threads threads" "$dorm" train -q -s training.trainer=svm larger.txt -s solver.C=1,10 \
    -s solver.threads=$threads -s output.model=threads.dorm
  mv threads.dorm larger.$threads
  expect 0 "defaults on $threads threads" "$dorm" train -q smaller.txt -s solver.threads=$threads -s output.model=threads.dorm
  mv threads.dorm smaller.$threads
  cmp larger.1 larger.$threads && cmp smaller.1 smaller.$threads
  result $? "$threads threads train the same models"
done

finish
