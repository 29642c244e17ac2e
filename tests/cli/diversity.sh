#!/bin/sh
# diversity.sh: groups in training, prediction and evaluation, as a user meets them.
. "${srcdir:-.}/tests/cli/lib.sh"

for part in 1 2 3; do
  "$dorm" generate ambiguous --part $part --queries 12 -o part$part --subtopics subtopics$part
done
train="$dorm train -q -s data.train=part1 -s data.validation=part2 -s solver.C=1,10 -s solver.threads=1"

expect 0 "plain training" $train -s output.model=plain.dorm
expect 0 "training with groups" $train -s output.model=diverse.dorm -s diversity.groups=host
holds diverse.dorm "setting diversity.top = 10"

# In no query do two of the first ten documents have the same host, which awk counts here.
expect 0 "diverse prediction" "$dorm" predict diverse.dorm part3 --diverse -o diverse.scores
expect 0 "diverse prediction of a plain model" "$dorm" predict plain.dorm part3 --diverse --groups host -o apart.scores
for scores in diverse.scores apart.scores; do
  paste $scores part3 | sort -k3,3 -k1,1gr | awk '
    { host = $NF; sub(/.*:\/\//, "", host); sub(/\/.*/, "", host)
      if ($3 != query) { query = $3; count = 0; delete seen }
      if (count++ < 10 && seen[host]++) exit 1 }' query=
  result $? "$scores: a host twice in the first ten"
done
expect 0 "capacity" "$dorm" eval plain.dorm part3 --diverse --groups host --set diversity.capacity=3 -m redundancy@10
awk '{ exit !($2 <= 2) }' out
result $? "more than three of a group in the first ten"

expect 0 "measures" "$dorm" eval --scores diverse.scores --scores apart.scores part3 --groups host --subtopics subtopics3 \
  -m ndcg@10:repeats=irrelevant -m redundancy@10 -m alpha_ndcg@10 -m err_ia@10 -m subtopic_recall@10
awk '/^ndcg/ { value[++n] = $2 } END { exit !(value[1] >= value[2] + 0.1) }' out
result $? "training with groups gains at least 0.1 on ambiguous queries"

# A net by rankings that respect the groups, and one by rankings that do not.
for top in 10 0; do
  expect 0 "a net, top $top" "$dorm" train -q -s data.train=part1 -s data.validation=part2 -s training.trainer=net -s training.seed=1 \
    -s training.lambda=dorm:top=$top -s diversity.groups=host -s data.rank_block=0 -s output.model=net$top.dorm
done
expect 0 "a net by default" "$dorm" train -q -s data.train=part1 -s data.validation=part2 -s training.trainer=net -s training.seed=1 \
  -s training.lambda=dorm -s diversity.groups=host -s data.rank_block=0 -s output.model=net.dorm
grep '^layer\|^unit\|^feature\|^part' net.dorm > net.weights
grep '^layer\|^unit\|^feature\|^part' net10.dorm | cmp -s - net.weights
result $? "by default rankings respect the groups"
for model in net10 net0; do
  "$dorm" eval $model.dorm part3 --diverse -m ndcg@10:repeats=irrelevant | awk '{ print $2 }'
done > values
[ "$(wc -l < values)" = 2 ] && awk 'NR == 1 { first = $1 } END { exit !(first >= $1 + 0.1) }' values
result $? "rankings that respect the groups gain at least 0.1 on ambiguous queries: $(tr '\n' ' ' < values)"

# Measures of subtopics choose candidates, also in folds, and measure test data.
cat subtopics1 subtopics2 subtopics3 > subtopics
expect 0 "chosen by subtopics" $train -s data.subtopics=subtopics -s selection.measure=alpha_ndcg@10 -s data.test=part3 \
  -s output.model=chosen.dorm
holds out "test alpha_ndcg@10 = "
expect 0 "in folds" "$dorm" train -q -s data.train=part1 -s selection.folds=3 -s solver.C=1 -s data.subtopics=subtopics1 \
  -s selection.measure=alpha_ndcg@10 -s output.model=chosen.dorm
expect 2 "no subtopics" $train -s selection.measure=alpha_ndcg@10 -s output.model=no.dorm
one_line_with "alpha_ndcg@10:alpha=0.5,empty=0,ties=order needs the subtopics of the documents of"
expect 3 "no such file" $train -s data.subtopics=absent -s output.model=no.dorm
one_line_with "absent"
absent no.dorm

expect 0 "hosts for few positions" "$dorm" train -s data.train=part1 -s solver.C=1,10 -s loss.truncation=3,5 \
  -s diversity.groups=host -s diversity.top=40 -s output.model=short.dorm
[ "$(grep -c 'fewer documents that may be together than positions' err)" = 1 ]
result $? "what the data lack is said once"

# Cross-validation, and a training that is stopped and resumed.
expect 0 "folds" "$dorm" train -q -s data.train=part1 -s selection.folds=3 -s solver.C=1 -s diversity.groups=host \
  -s output.model=folds.dorm
settings="-s diversity.groups=host -s solver.gap=1e-5 -s output.checkpoint=run.checkpoint"
expect 0 "left alone" $train $settings -s output.model=alone.dorm
expect 1 "stopped" $train $settings -s output.model=resumed.dorm -s solver.max_seconds=6e-6
expect 4 "other groups do not go on from it" $train $settings -s diversity.groups=feature:3 --resume
one_line_with "belongs to other settings or data"
expect 0 "goes on" $train $settings -s output.model=resumed.dorm --resume
grep '^feature' alone.dorm > alone
grep '^feature' resumed.dorm > resumed
cmp -s alone resumed
result $? "a training that went on ends at the same weights"

# What is wrong with groups is said in one clear message, with exit code 4.
printf 'http://fans.example/jordan/1 a\nhttp://nowhere.example b\n' > unknown
printf 'http://fans.example/jordan/1 a nan\n' > weights
for file in unknown weights; do
  expect 4 "$file" "$dorm" predict plain.dorm part3 --diverse --groups file:$file
  one_line_with "$file:"
done
printf '{"ids": ["http://fans.example/jordan/1", "http://nowhere.example"]}\n' > json
expect 0 "what is unknown in JSON lines is ignored" "$dorm" predict plain.dorm part3 --diverse --groups file:json
expect 2 "no setting ignores it" "$dorm" predict plain.dorm part3 --diverse --groups file:unknown \
  --set diversity.unknown=ignore
one_line_with "diversity.unknown is gone: groups in JSON lines may name documents that the data lack"
awk '{ print $NF, "all", 2 }' part1 > heavy
expect 4 "no document may stand in front" "$dorm" train -q -s data.train=part1 -s diversity.groups=file:heavy
one_line_with "no document may be in the first position"

# Wrong use of the options.
expect 2 "no groups" "$dorm" predict plain.dorm part3 --diverse
one_line_with "--diverse: the model knows no groups"
# Files that a model names are not opened: they are named again.
awk -F'docid = ' '{ print $2, NR % 4 }' part3 > named
seq 1 -0.05 0.05 > falling
sed '/^checksum/d; /^setting diversity.groups/d; /^setting ranking.position_weights/d; 2i setting diversity.groups = file:named' \
  plain.dorm | sed '2i setting ranking.position_weights = file:falling' > naming.dorm
expect 2 "groups in a file of the model" "$dorm" predict naming.dorm part3 --diverse
holds err "the model has diversity.groups = file:named, but a model opens no file: to use it, give it by --groups"
expect 0 "they are named" "$dorm" predict naming.dorm part3 --diverse --groups file:named
one_line_with "the model has ranking.position_weights = file:falling"
expect 0 "and so are the weights" "$dorm" predict naming.dorm part3 --diverse --groups file:named \
  --set ranking.position_weights=file:falling
[ ! -s err ]
result $? "then there is no note"
expect 2 "groups without --diverse" "$dorm" predict plain.dorm part3 --groups host
expect 2 "another setting" "$dorm" predict plain.dorm part3 --diverse --groups host --set solver.C=1
expect 2 "a measure without groups" "$dorm" eval plain.dorm part3 -m redundancy@10
one_line_with "needs the groups"
expect 2 "shortcut" "$dorm" train -q -s data.train=part1 -s diversity.groups=host -s solver.oracle=shortcut \
  -s ranking.position_weights=power:0.5
one_line_with "solver.oracle = shortcut needs"
"$dorm" train -q -s data.train=part1 -s diversity.groups=host -s solver.oracle=lp -s solver.C=1 \
  -s output.model=lp.dorm > out 2> err
got=$?
[ $got = 0 ] || { [ $got = 2 ] && grep -q "built without GLPK" err; }
result $? "lp, or a word that GLPK is missing"
finish
