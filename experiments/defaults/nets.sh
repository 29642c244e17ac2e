#!/bin/sh
# Nets (training.trainer = net) on the five folds of MQ2008: NDCG@10 on the test parts with defaults, as a single layer and
# with 10 hidden units. Then by what the defaults were chosen, without the test parts: each training part is cut in two, nets
# are trained on 70 % of its queries with the other 30 % as validation data, and measured on the validation part of the fold;
# and the same for three sets of artificial data, with 10 hidden units. See README.md.
# needs: mq2008
# runs: full
# runs: alone
set -eu
. "$(dirname "$0")/../common.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
start_results "nets: defaults, and what was looked at before they were chosen"

# mean_of TRAIN VALIDATION TEST SETTING...: paths with @ for the number of the fold, one of $numbers; the mean NDCG@10 of
# the nets.
numbers='1 2 3 4 5'
mean_of() {
  train=$1 validation=$2 test=$3
  shift 3
  for fold in $numbers; do
    "$dorm_program" train --quiet -s training.trainer=net -s "data.train=$(echo "$train" | sed "s|@|$fold|")" \
      -s "data.validation=$(echo "$validation" | sed "s|@|$fold|")" -s solver.threads=1 -s "output.model=$work/model" \
      "$@" > /dev/null
    "$dorm_program" eval "$work/model" "$(echo "$test" | sed "s|@|$fold|")" -m ndcg@10:empty=0
  done | awk '{ sum += $2 } END { printf "%.4f", sum / NR }'
}

folds=$data_folder/mq2008/Fold@
printf 'hidden units\tndcg@10\n' > "$work/table"
for hidden in 0 10; do
  printf '%s\t%s\n' $hidden "$(mean_of "$folds/train.txt" "$folds/vali.txt" "$folds/test.txt" -s net.hidden=$hidden)" >> "$work/table"
done
keep table nets "Nets with defaults, NDCG@10 on the test parts of the five folds" < "$work/table"

for fold in 1 2 3 4 5; do
  "$dorm_program" split "$data_folder/mq2008/Fold$fold/train.txt" "$work/train$fold=70" "$work/rest$fold=30" --seed $fold > /dev/null
done
printf 'settings\tsingle layer\t10 hidden units\n' > "$work/table"
while read -r settings; do
  options=
  for setting in $settings; do
    options="$options -s $setting"
  done
  printf '%s\t%s\t%s\n' "$settings" "$(mean_of "$work/train@" "$work/rest@" "$folds/vali.txt" -s net.hidden=0 $options)" \
    "$(mean_of "$work/train@" "$work/rest@" "$folds/vali.txt" -s net.hidden=10 $options)" >> "$work/table"
done << 'END'
training.seed=1,2,3
training.seed=1
net.start=random
net.start=random training.seed=1
net.learning_rate=0.003
net.learning_rate=0.03
net.batch=1
net.batch=30
net.batch=100
training.lambda=ranknet
training.lambda=softmax
net.schedule=donmez net.learning_rate=0.01 training.seed=1
END
keep table nets-choice "Settings of nets, NDCG@10 on the validation parts, means of the five folds" < "$work/table"

numbers='11 12 13'
for seed in $numbers; do
  "$dorm_program" generate artificial --seed "$seed" --part 1 --queries 200 -o "$work/one$seed"
  "$dorm_program" generate artificial --seed "$seed" --part 2 --queries 100 -o "$work/two$seed"
  "$dorm_program" generate artificial --seed "$seed" --part 4 --queries 100 -o "$work/four$seed"
done
printf 'settings\tndcg@10\n' > "$work/table"
for settings in '' 'batch=30' 'epochs=100' 'epochs=100 start=random'; do
  options=
  for setting in $settings; do
    options="$options -s net.$setting"
  done
  printf '%s\t%s\n' "${settings:-defaults}" \
    "$(mean_of "$work/one@" "$work/two@" "$work/four@" -s data.rank_block=0 $options)" >> "$work/table"
done
keep table nets-artificial "Settings of nets, three sets of artificial data" < "$work/table"
