#!/bin/sh
# losses.sh: losses by name and from modules are listed, checked, used in training
# and refused. Modules are compiled as the manual says, with plugin.h alone.
. "${srcdir:-.}/tests/cli/lib.sh"
include=$srcdir/include
cc=${DORM_TEST_CC:-cc}
cxx=${DORM_TEST_CXX:-c++}

expect 0 "list" "$dorm" losses
for loss in wta mwta mrr dcg ndcg precision eru cost rsvm rsvm_ir roc_area map precision_set; do
  holds out "$loss ("
done
holds out "gain=exp2  one of exp2, linear"
expect 0 "list of measures" "$dorm" losses --measures
holds out "tau"
expect 2 "a module without --check" "$dorm" losses ./x.so
one_line_with "say --check ./x.so"

for part in 1 2; do
  "$dorm" generate artificial -o part$part.txt --queries 30 -d 15 --part $part > /dev/null
done
cp "$srcdir"/tests/plugins/*.c "$srcdir"/tests/plugins/*.cc "$srcdir"/tests/plugins/*.h .
$cc -shared -fPIC -I"$include" -o reciprocal.so reciprocal.c
result $? "compile a module in C"
$cxx -shared -fPIC -I"$include" -o halving.so halving.cc
result $? "compile a module in C++"
$cc -shared -fPIC -I"$include" -o front_page.so front_page.c
result $? "compile a module of general costs"

$cc -shared -fPIC -I"$include" -o worst_pair.so worst_pair.c
result $? "compile a structured module"

for loss in reciprocal halving front_page worst_pair; do
  expect 0 "check $loss" "$dorm" losses --check ./$loss.so
  holds out "./$loss.so: passes its check"
  printf '[data]\ntrain = part1.txt\nvalidation = part2.txt\n[loss]\nname = from ./%s.so\n[ranking]\nposition_weights = power:0.5\n[solver]\nC = 10\ngap = 1e-3\n[output]\nmodel = %s.dorm\n' $loss $loss > $loss.ini
  expect 0 "train with $loss" "$dorm" train $loss.ini -q
  holds out "minus_loss($loss:"
  expect 0 "evaluate with $loss" "$dorm" eval $loss.dorm part2.txt -m "minus_loss($loss from ./$loss.so)"
done
expect 0 "settings of rankings with a structured loss" "$dorm" train worst_pair.ini
holds err "ranking.position_weights = power:0.5 is not used: loss 'worst_pair' is structured"
$cc -shared -fPIC -DFAULT='"FAILING_LATER"' -I"$include" -o later.so bad_structured.c
expect 6 "a structured loss that fails in training" "$dorm" train worst_pair.ini -q -s "loss.name=from ./later.so" -s output.model=later.dorm -s selection.measure=ndcg@10
one_line_with "that many documents are too many"
one_line_with "query 1: loss 'bad_structured': "
absent later.dorm
# Weights of pairs of labels can be given in a configuration file; the model has them as they were given.
printf '[data]\ntrain = part1.txt\n[loss]\nname = rsvm_ir:tau=1 0 0.2 / 2 0 0.6 / 2 1 0.3 / 3 0 1 / 3 1 1 / 3 2 1 / 4 0 1 / 4 1 1 / 4 2 1 / 4 3 0\n[output]\nmodel = weighted.dorm\n' > weighted.ini
expect 0 "train with weights of labels" "$dorm" train weighted.ini -q
holds weighted.dorm "rsvm_ir:tau=1 0 0.2 / 2 0 0.6 / 2 1 0.3 / 3 0 1"
expect 4 "labels without a weight" "$dorm" train weighted.ini -q -s 'loss.name=rsvm_ir:tau=1 0 0.2'
one_line_with "tau has no weight for labels"
# A model never loads a module; prediction does not need that of its loss.
rm -f reciprocal.so
expect 0 "predict without the module" "$dorm" predict reciprocal.dorm part2.txt
expect 0 "show without the module" "$dorm" show reciprocal.dorm
expect 0 "evaluate without the module" "$dorm" eval reciprocal.dorm part2.txt -m ndcg@10
for model in reciprocal halving; do # one module was removed, the other could be loaded
  expect 0 "evaluate $model without naming a measure" "$dorm" eval $model.dorm part2.txt
  holds err "the model has selection.measure = minus_loss($model:"
  holds out "ndcg@10"
done
expect 3 "the measure of a module that is gone" "$dorm" eval reciprocal.dorm part2.txt -m "minus_loss(reciprocal from ./reciprocal.so)"
one_line_with "./reciprocal.so: cannot read"

# refused WHY FAULT: a module with this fault is refused, and the message contains WHY.
refused() {
  $cc -shared -fPIC -I"$include" -D$2 -DFAULT="\"$2\"" -o bad.so bad.c
  expect 6 "check of $2" "$dorm" losses --check bad.so
  one_line_with "$1"
  expect 6 "training with $2" "$dorm" train -q -s data.train=part1.txt -s "loss.name=from bad.so" -s output.model=bad.dorm
  one_line_with "$1"
  absent bad.dorm
}
refused "built for plug-in interface 2" WRONG_ABI
refused "has no function dorm_loss_module_entry" MISSING_SYMBOL
refused "not a number" NOT_A_NUMBER
refused "the weights a of the positions increase" INCREASING
refused "not to its taste" FAILING
refused "it is not in the mood" FAILING_CREATE
expect 3 "a module that is not there" "$dorm" losses --check ./absent.so
one_line_with "./absent.so: cannot read the loss module"
expect 3 "training with a module that is not there" "$dorm" train -q -s data.train=part1.txt -s "loss.name=from ./absent.so"
one_line_with "./absent.so: cannot read the loss module"
expect 2 "a module of another name" "$dorm" train -q -s data.train=part1.txt -s "loss.name=mrr:top=first from ./halving.so"
one_line_with "./halving.so holds the loss 'halving', not 'mrr'"

# Costs by position from a table, by which documents with feature 3 above 0 should come first.
awk '{ for (i = 3; i <= NF; i++) if ($i ~ /^3:/) { split($i, v, ":"); $i = "3:" (v[2] > 0) } print }' part1.txt > sites.txt
printf '# attribute, cost at the first position, cost at the others\n1 0 0\n* 1 0\n' > costs.txt
expect 0 "train on a cost table" "$dorm" train -q -s data.train=sites.txt -s data.validation=sites.txt -s loss.name=cost:file=costs.txt,attribute=3 -s ranking.position_weights=power:0.5 -s output.model=sites.dorm
expect 0 "evaluate on it" "$dorm" eval sites.dorm sites.txt -m 'minus_loss(cost:file=costs.txt,attribute=3)'
awk '{ exit !($2 > -0.05) }' out
result $? "the first position holds such a document"

finish
