#!/bin/sh
# malformed.sh: for bad data, configurations, models and arguments the command
# prints one clear line, exits with 2, 3 or 4, and leaves no output file.
. "${srcdir:-.}/tests/cli/lib.sh"

printf '1 qid:1 1:0.5 2:1\n0 qid:1 1:0.1 2:0\n2 qid:2 1:0.9\n0 qid:2 2:1\n' > good.txt

# bad_data MESSAGE TEXT: TEXT is refused as training data and as data to predict for.
expect 0 "a good model" "$dorm" train -q -s data.train=good.txt -s output.model=good.dorm
bad_data() {
  printf -- "$2" > bad.txt
  expect 4 "training on: $2" "$dorm" train -q -s data.train=bad.txt
  one_line_with "dorm: bad.txt$1"
  absent model.dorm
  expect 4 "validating on: $2" "$dorm" train -q -s data.train=good.txt -s data.validation=bad.txt
  one_line_with "dorm: bad.txt$1"
  absent model.dorm
  expect 4 "predicting for: $2" "$dorm" predict good.dorm bad.txt -o scores.txt
  one_line_with "dorm: bad.txt$1"
  absent scores.txt
}
printf 'qid:1 1:1\n' > bad.txt
expect 4 "training without labels" "$dorm" train -q -s data.train=bad.txt
one_line_with "dorm: bad.txt:1: no label"
bad_data ":1: label 'one' is not a finite number" 'one qid:1 1:1\n'
bad_data ":2: label 'nan' is not a finite number" '1 qid:1 1:1\nnan qid:1 1:1\n'
bad_data ":1: label '-2' is negative" '-2 qid:1 1:1\n'
bad_data ":1: 'qid:' expected" '1 1:1\n'
bad_data ":1: the query id is empty" '1 qid: 1:1\n'
bad_data ":1: feature 2: 'inf'" '1 qid:1 1:1 2:inf\n'
bad_data ":1: feature 2: '1e50'" '1 qid:1 1:1 2:1e50\n'
bad_data ":1: feature 1: '1,5'" '1 qid:1 1:1,5\n'
bad_data ":1: 'a:1' is not feature:value" '1 qid:1 a:1\n'
bad_data ":2: the file ends within '1:0.'" '1 qid:1 1:1\n1 qid:1 1:0.'
bad_data ":1: feature id in '4294967296:1' is above 4294967295" '1 qid:1 4294967296:1\n'
bad_data ":1: feature id in '9999999999999999999:1' is above" '1 qid:1 9999999999999999999:1\n'
bad_data ":1: feature id 1 does not increase after 2" '1 qid:1 2:1 1:1\n'
bad_data ":3: query '1' comes back" '1 qid:1 1:1\n1 qid:2 1:1\n1 qid:1 1:1\n'
bad_data ": no document" '# nothing\n'
printf '1 qid:1 1:1\n' | gzip | head -c 20 > bad.txt
expect 4 "a broken gzip file" "$dorm" train -q -s data.train=bad.txt
one_line_with "bad.txt: cannot read"
absent model.dorm
# A gzip file that inflates a thousandfold: 65 pieces of a megabyte each.
yes "$(printf '#%0998d' 0)" | head -c 1048575 | { cat && echo; } | gzip > piece
{ for i in $(seq 65); do cat piece; done && printf '0 qid:1\n' | gzip; } > bad.txt
expect 4 "a gzip bomb" "$dorm" cache bad.txt -o bomb.cache
one_line_with "bad.txt: inflates to more than 64 MB and 200 times its size; if that is meant, decompress it first"
gzip -dc bad.txt > plain.txt
expect 0 "the same, decompressed" "$dorm" cache plain.txt -o bomb.cache
rm -f plain.txt bomb.cache
if truncate -s 8T bad.ck 2> /dev/null; then
  expect 4 "a checkpoint larger than memory" "$dorm" train -q good.txt -s output.checkpoint=bad.ck --resume
  one_line_with "bad.ck: more than "
  rm bad.ck
fi
printf '0 qid:1 1:1\n0 qid:1 1:2\n' > bad.txt
expect 4 "nothing relevant" "$dorm" train -q -s data.train=bad.txt
one_line_with "no query to train on"
absent model.dorm
printf '1e4 qid:1 1:1\n0 qid:1 1:2\n' > bad.txt
expect 4 "a label whose gain overflows" "$dorm" train -q -s data.train=bad.txt
absent model.dorm
printf '1 qid:1 1:3e38 2:-3e38\n0 qid:1 1:-3e38 2:3e38\n' > bad.txt
"$dorm" train -q -s data.train=bad.txt -s data.normalisation=none > out 2> err
[ $? -le 5 ]
result $? "huge features end in a result or a message"
rm -f model.dorm

"$dorm" cache good.txt -o good.cache
head -c 150 good.cache > bad.txt
expect 4 "a cache cut short" "$dorm" train -q -s data.train=bad.txt
one_line_with "bad.txt: this data cache cannot be used"
sed 's/dormdata...../dormdata\x09\x00\x00\x00\x04/' good.cache > bad.txt
expect 4 "a cache of another version" "$dorm" train -q -s data.train=bad.txt
one_line_with "another version of dorm"
absent model.dorm
# A file of forty bytes must not make the command allocate gigabytes.
printf '1 qid:1 999999999:1\n1 qid:2 4294967295:1\n' > huge-ids.txt
limit="ulimit -v 1000000" # (not under sanitizers, which need more than that to start)
sh -c "$limit && \"$dorm\" --version" > /dev/null 2>&1 || limit=true
expect 0 "huge ids" sh -c "$limit && \"$dorm\" cache huge-ids.txt -o huge.cache"

# bad_config STATUS MESSAGE TEXT: training with the configuration TEXT fails with this status and message.
bad_config() {
  printf "[data]\ntrain = good.txt\n$3" > bad.ini
  expect "$1" "configuration: $3" "$dorm" train -q bad.ini
  one_line_with "$2"
  absent model.dorm
}
bad_config 2 "bad.ini:4: unknown setting 'loss.nam'; did you mean 'loss.name'?" '[loss]\nnam = ndcg\n'
bad_config 2 "bad.ini:4: unknown setting 'los.name'" '[los]\nname = ndcg\n'
bad_config 2 "bad.ini:4: solver.C: 'many' is not a number" '[solver]\nC = many\n'
bad_config 2 "bad.ini:4: solver.C: 0 is not between" '[solver]\nC = 0\n'
bad_config 2 "bad.ini:4: solver.C: a value is missing" '[solver]\nC = 1,,2\n'
bad_config 2 "bad.ini:5: solver.C was already given on line 4" '[solver]\nC = 1\nC = 2\n'
bad_config 2 "bad.ini:4: solver.gap: 'nan' is not a number" '[solver]\ngap = nan\n'
bad_config 2 "bad.ini:3: neither [section]" 'name\n'
bad_config 2 "bad.ini:3: neither [section]" '[solver\nC = 1\n'
bad_config 2 "ranking.reference: 'mu' needs a value" '[ranking]\nreference = mu\n'
bad_config 2 "ranking.reference: 'nearest' is none of" '[ranking]\nreference = nearest\n'
bad_config 2 "solver.threads: 1.5 is not a whole number" '[solver]\nthreads = 1.5\n'
bad_config 2 "names none of the 2 features" '[data]\nfeatures = 7-9\n'
bad_config 2 "is no list of feature ids" '[data]\nfeatures = 1-x\n'
bad_config 2 "solver.oracle: 'fast' is none of" '[solver]\noracle = fast\n'
bad_config 2 "'ndgc'" '[loss]\nname = ndgc\n'
bad_config 2 "'gian'" '[loss]\nname = ndcg:gian=exp2\n'
bad_config 2 "gain=cubic is none of" '[loss]\nname = ndcg:gain=cubic\n'
bad_config 2 "truncation=ten is not a number" '[selection]\nmeasure = ndcg@ten\n'
bad_config 3 "no/such/c.txt" '[ranking]\nposition_weights = file:no/such/c.txt\n'
bad_config 3 "no/such/costs: cannot read" '[loss]\nname = cost:file=no/such/costs\n[ranking]\nposition_weights = log\n'
bad_config 3 "no/such/loss.so: cannot read" '[loss]\nname = from no/such/loss.so\n'
bad_config 3 "no/such/kernel.so: cannot read" '[kernel]\nkernel = linear + mine from no/such/kernel.so\n'
bad_config 3 "no/such/gram: cannot read" '[kernel]\nkernel = gram:no/such/gram(1)\n'
bad_config 3 "no/such/vali: cannot read" 'validation = no/such/vali\n'
bad_config 3 "no/such/run: cannot write here" '[output]\ncheckpoint = no/such/run\n'
printf '1 qid:1 1:1 # docid = A\n0 qid:1 1:2 # docid = B\n' > ids.txt
expect 3 "groups that are not there" "$dorm" train -q -s data.train=ids.txt -s diversity.groups=file:no/such/groups
one_line_with "no/such/groups: cannot read"
for key in file held_out users items; do
  printf 'u a 3\nu b 1\nv a 2\nv b 4\n' > rated.txt
  file=rated.txt
  [ $key = file ] && file=no/such/ratings
  expect 3 "ratings.$key that is not there" "$dorm" ratings -q -s ratings.file=$file -s "ratings.$key=no/such/ratings"
  one_line_with "no/such/ratings: cannot read"
done
printf '1 0\nx 0\n' > costs.txt
bad_config 4 "costs.txt:2: a line begins with" '[loss]\nname = cost:file=costs.txt\n[ranking]\nposition_weights = log\n'
printf '1\n2\n' > c.txt
bad_config 4 "c.txt:2: position weights must not increase" '[ranking]\nposition_weights = file:c.txt\n'
bad_config 3 "no/such/model.dorm" '[output]\nmodel = no/such/model.dorm\n'
expect 3 "no configuration" "$dorm" train absent.ini
one_line_with "absent.ini: cannot read"
expect 2 "no training data" "$dorm" train
one_line_with "data.train is not set"
expect 3 "training data absent" "$dorm" train -s data.train=absent.txt
one_line_with "absent.txt: cannot read"
expect 2 "two configurations" "$dorm" train bad.ini bad.ini
expect 2 "a setting without a value" "$dorm" train -s solver.C
expect 2 "an unknown option" "$dorm" train --fast
expect 2 "an unknown command" "$dorm" rank
one_line_with "no command 'rank'"
expect 2 "no command" "$dorm"
absent model.dorm

# A damaged model is refused; an edited one is read if its checksum line was removed.
sed '/^feature 1 /s/[0-9]$/5&/' good.dorm > bad.dorm
expect 4 "a damaged model" "$dorm" predict bad.dorm good.txt -o scores.txt
one_line_with "the checksum does not match the lines above"
sed -i '/^checksum/d' bad.dorm
expect 0 "an edited model" "$dorm" predict bad.dorm good.txt -o scores.txt
rm -f scores.txt
sed 's/$/\r/' good.dorm > bad.dorm
expect 0 "a model with line ends of another system" "$dorm" predict bad.dorm good.txt
expect 0 "what is not damaged" "$dorm" predict good.dorm good.txt
sed -i '/^checksum/d' good.dorm

# bad_model MESSAGE SED: the good model, changed by the sed script SED, is refused with MESSAGE.
bad_model() {
  sed "$2" good.dorm > bad.dorm
  expect 4 "model edited by $2" "$dorm" predict bad.dorm good.txt -o scores.txt
  one_line_with "$1"
  absent scores.txt
}
bad_model ":1: not a model" '1s/.*/hello/'
bad_model ":1: not a model of this version" '1s/1/9/'
bad_model ": the model is not whole: 'end' is missing" '$d'
bad_model ": the model is not whole: 'normalisation' is missing" '/^normalisation/d'
bad_model "'feature' before 'rank_block'" '/^rank_block/d'
bad_model "features were read" '/^feature 1 /d'
bad_model "needs one finite weight" '/^feature 1 /s/ [^ ]*$/ nan/'
bad_model "does not increase" '/^feature 2 /s/2/1/'
bad_model "unknown setting 'solver.D'" 's/^setting solver.C /setting solver.D /'
bad_model "is not known here" '/^end/s/end/finish/'
bad_model "nothing may follow 'end'" '$s/$/\nmore/'
expect 3 "no model" "$dorm" predict absent.dorm good.txt
expect 4 "data as a model" "$dorm" predict good.txt good.txt
printf '1\n2\n3\n' > scores.txt
expect 4 "too few scores" "$dorm" eval --scores scores.txt good.txt
one_line_with "scores.txt: 3 lines, but the data set has 4 documents"
expect 2 "an unknown measure" "$dorm" eval good.dorm good.txt -m ngcd
expect 3 "standard output full" sh -c "\"$dorm\" predict good.dorm good.txt > /dev/full"

# Control characters of strangers do not reach the terminal: U+001B, a line end and, in UTF-8, U+009B. Words do.
escape=$(printf '\033]0;t\007\302\2332J')
clean() {
  ! grep -q "$(printf '[\033\007]\|\302\233')" "$2" && grep -qF "$3" "$2"
  result $? "$1 shows $3, and nothing raw: $(cat -v "$2" | head -n 1)"
}
sed "2s/^/remark Grüße $escape\n/" good.dorm > "$escape.dorm"
"$dorm" show "$escape.dorm" > out 2> err
clean "a remark" out 'Grüße \x1b]0;t\x07\xc2\x9b2J'
sed "s/^setting solver.C /setting $escape /" good.dorm > bad.dorm
expect 4 "a damaged model" "$dorm" show bad.dorm
clean "the message of a model" err "unknown setting '\x1b]0;t\x07\xc2\x9b2J'"
printf '1 qid:1 %s\n' "$escape" > bad.txt
expect 4 "damaged data" "$dorm" train -q bad.txt
clean "the message of data" err "'\x1b]0;t\x07\xc2\x9b2J' is not feature:value"
expect 2 "a usage error" "$dorm" train -q bad.txt bad.txt "$(printf 'a\nb')$escape"
one_line_with 'a\x0ab\x1b]0;t\x07\xc2\x9b2J'
expect 0 "eval" "$dorm" eval "$escape.dorm" good.dorm good.txt
clean "a path" out '\x1b]0;t\x07\xc2\x9b2J.dorm:'

finish
