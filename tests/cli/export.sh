#!/bin/sh
# export.sh: exported models are read back by other programs (Python's json, a C
# compiler) and score as dorm does; models that cannot be exported are refused.
. "${srcdir:-.}/tests/cli/lib.sh"
python=$(command -v python3)

"$dorm" generate artificial -o plain.txt --queries 20 -d 15 --part 1 > /dev/null
# features of other scales, one of them the same everywhere
awk '{ for (i = 3; i <= NF; i++) { split($i, v, ":"); $i = v[1] ":" v[2] * 3 ^ (v[1] % 3 - 1) + v[1] / 2 } print $0, "11:7" }' \
  plain.txt > train.txt
awk 'BEGIN { print "# id and name"; for (i = 1; i <= 12; i++) printf "%d %s %d\n", i, i == 3 ? "a??/\"}; \"quoted\" \\ n\303\251" : "feature no.", i }' > names.txt

cat > use.c <<'END'
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ranker.c"
/* use.c: scores LETOR lines on standard input against the scores in argv[1]. */
int main(int argc, char **argv)
{
  char line[4000];
  FILE *scores = fopen(argv[argc - 1], "r");
  while (fgets(line, sizeof line, stdin)) {
    double features[sizeof ranker_ids / sizeof *ranker_ids] = {0}, wanted;
    if (fscanf(scores, "%lf", &wanted) != 1)
      return 1;
    for (char *word = strtok(line, " \n"); word; word = strtok(NULL, " \n"))
      for (size_t i = 0; i < sizeof ranker_ids / sizeof *ranker_ids; i++)
        if (strchr(word, ':') && strtoul(word, NULL, 10) == ranker_ids[i])
          features[i] = (float)atof(strchr(word, ':') + 1);
    if (!(fabs(ranker_score(features) - wanted) <= 1e-6 * fmax(1, fabs(wanted))))
      return 2;
  }
  return strcmp(ranker_names[2], "a\077\077/\"}; \"quoted\" \\ n\303\251 3") != 0;
}
END

# compile MODEL: ./use and ./use_cxx from ranker.c, which is the model in C of 1989 and in C++.
compile() {
  ! cmp -s ranker.c compiled.c || return 0
  warnings="-pedantic -Wall -Wextra -Wconversion -Werror"
  ${DORM_TEST_CC:-cc} -std=c89 $warnings -c -o ranker.o ranker.c 2> err
  result $? "the exported C of $1 is C of 1989"
  ${DORM_TEST_CC:-cc} -std=gnu11 $warnings -o use use.c -lm 2> err
  result $? "the exported C of $1 compiles"
  ${DORM_TEST_CXX:-c++} -x c++ -std=c++98 $warnings -o use_cxx use.c -lm 2> err
  result $? "the exported C of $1 compiles as C++"
  cp ranker.c compiled.c
}

# agree MODEL DATA FORMAT...: the exported files score the data as dorm does.
agree() {
  model=$1
  data=$2
  shift 2
  "$dorm" predict $model.dorm $data > scores
  rm -f booster.json # XGBoost's own dump of this model
  for format in "$@"; do
    if [ $format = c ]; then
      expect 0 "export c of $model" "$dorm" export --to c $model.dorm --features names.txt --name ranker -o ranker.c
      compile $model
      expect 0 "the exported C of $model scores $data alike" sh -c "./use scores < $data"
      expect 0 "the same as C++" sh -c "./use_cxx scores < $data"
      continue
    fi
    expect 0 "export $format of $model" "$dorm" export --to $format $model.dorm --features names.txt \
      --name 'my "model" \ 1' -o exported
    if [ -n "$python" ]; then
      expect 0 "$format of $model scores $data alike" "$python" "$srcdir/tests/cli/exported.py" $format exported names.txt \
        $data scores
    fi
  done
}

for normalisation in none global-minmax global-zscore; do
  expect 0 "train $normalisation" "$dorm" train -q -s training.trainer=svm -s data.train=train.txt -s data.rank_block=0 \
    -s data.normalisation=$normalisation -s solver.C=1,10 -s output.model=$normalisation.dorm
  agree $normalisation train.txt elasticsearch opensearch solr ranklib onnx json c
done

# ---- Trees

dumps="xgboost-dump xgboost-json-dump"
sums="elasticsearch opensearch solr ranklib xgboost $dumps onnx json c"
# Every third line lacks some features; in the other file some are missing.
awk '{ for (i = 3; i <= NF; i++) if (NR % 3 == 0 && (i + NR) % 4 == 0) $i = ""; print }' train.txt > absent.txt
awk '{ for (i = 3; i <= NF; i++) if ((i * NR) % 7 == 3) sub(/:.*/, ":nan", $i); print }' train.txt > missing.txt

# agree_on_all MODEL FORMAT...: on data with values at and beside thresholds, and with holes.
agree_on_all() {
  model=$1
  shift
  agree $model absent.txt "$@"
  agree $model missing.txt $(printf '%s\n' "$@" | grep -xE 'xgboost.*|onnx|json|c')
  [ -n "$python" ] || return
  "$dorm" export --to json $model.dorm -o for_neighbours.json
  "$python" "$srcdir/tests/cli/exported.py" neighbours for_neighbours.json train.txt > neighbours.txt
  result $? "neighbours of the thresholds of $model"
  agree $model neighbours.txt "$@"
}

# by_hand NAME OBJECTIVE LEVELS: trees of two outputs or one, with splits at a constant feature and at thresholds that all
# values are above or below, some of which send missing values the other way, and a tree that is a leaf.
by_hand() {
  outputs=1
  [ $2 = regression ] || outputs=2
  cat > $1.dorm << END
dorm model 1
normalisation global-zscore
rank_block 0
$(for id in 1 2 3 11; do echo "global $id $id.25 $([ $id = 11 ] && echo 0 || echo $id.3)"; done)
$(for id in 1 2 3 11; do echo "missing $id 1.$id"; done)
$(for id in 1 2 3 11; do echo "feature $id ${4:-0}"; done)
part trees -0.3 $2 gain 0 $outputs 4
levels $3
tree 7
split value 1 -0.6 1 absent:0 gain:3
split value 2 0.1 3 absent:1 gain:2
split value 11 0.5 5 absent:1 gain:1
leaf 0.25
leaf -1.5
leaf 0.125
leaf 10
tree 5
split value 3 -3e38 1 absent:0 gain:1
leaf 2
split value 11 -0.5 3 absent:1 gain:1
leaf 30
leaf 0.1
tree 1
leaf -0.7
tree 3
split value 3 0 1 absent:1 gain:0.5
leaf 0.3
leaf -0.3
part trees 1.7 regression gain 0 1 1
levels
tree 5
split value 2 3e38 1 absent:0 gain:1
split value 3 -2 3 absent:0 gain:1
leaf 4
leaf 1e-3
leaf -1
end 4
END
}
by_hand hand regression ""
agree_on_all hand $sums
by_hand hand_ordinal ordinal "0 1 3"
agree_on_all hand_ordinal onnx json c
by_hand hand_classes classification "0 2"
agree_on_all hand_classes onnx json c
by_hand hand_both ordinal "0 1 3" 0.4
agree_on_all hand_both onnx json c

trees="-s training.trainer=trees -s trees.trees=15 -s selection.folds=0 -s selection.average=9 -s data.rank_block=0"
for normalisation in none global-minmax global-zscore; do
  expect 0 "trees, $normalisation" "$dorm" train -q -s data.train=train.txt $trees -s trees.objective=regression,dorm \
    -s trees.leaves=4,9 -s data.normalisation=$normalisation -s output.model=trees_$normalisation.dorm
  agree_on_all trees_$normalisation $sums
done
expect 0 "all at once" "$dorm" train -q -s data.train=train.txt $trees -s training.trainer=svm,trees -s solver.C=1 \
  -s trees.objective=ordinal,classification,regression -s data.normalisation=global-minmax -s output.model=all.dorm
agree_on_all all onnx json c
expect 0 "trees on gaps" "$dorm" train -q -s data.train=missing.txt $trees -s trees.objective=lambda \
  -s data.normalisation=global-zscore -s output.model=gaps.dorm
agree_on_all gaps $sums

# ---- Nets

# agree_on_nets MODEL: on data as they are, and with holes.
agree_on_nets() {
  for data in train.txt absent.txt missing.txt; do
    agree $1 $data onnx json c
  done
}

# nets_by_hand NAME NORMALISATION: nets with a feature of spread 0, of which the model sees nothing, with a rank block
# whose weights are 0 or go to an output of 0, and with a unit that looks at no feature, beside a linear part and a tree.
nets_by_hand() {
  cat > $1.dorm << END
dorm model 1
normalisation $2
rank_block 0
$([ $2 = none ] || for id in 1 2 3 11; do echo "global $id -$id.25 $([ $id = 11 ] && echo 0 || echo $id.3)"; done)
$(for id in 1 2 3 11; do echo "missing $id 1.$id"; done)
$(for id in 1 2 3 11; do echo "feature $id ${3:-0}"; done)
part net -0.3 0 3
unit 0.75 -1.5
values 0.5 -1 0.25 0.7
unit -1.25 0
values 0 0.125 -0.3 -0.2
unit 3 0.5
values 0 0 0 0
part net 2 0.5 2
unit 1 -2
values 1 0.1 0.1 0.01
ranks 0 0 0 0
unit 0 -2
values 1 0.1 0.1 0.01
ranks 0 5 0 0
$([ -z "$3" ] || printf '%s\n' 'part trees 0.5 regression gain 0 1 1' levels 'tree 3' \
  'split value 2 0.4 1 absent:1 gain:1' 'leaf 1' 'leaf -1')
end 4
END
}
for normalisation in none global-minmax global-zscore; do
  nets_by_hand nets_$normalisation $normalisation
  agree_on_nets nets_$normalisation
done
nets_by_hand nets_mixed global-zscore 0.4
agree_on_nets nets_mixed

# trained NAME PARTS SETTING...: a model of so many net parts, trained on data with missing values.
trained() {
  name=$1
  parts=$2
  shift 2
  expect 0 "train $name" "$dorm" train -q -s training.trainer=svm -s data.train=missing.txt -s data.rank_block=0 -s selection.average=9 \
    -s solver.C=1 -s net.epochs=20 -s net.hidden=4 "$@" -s output.model=$name.dorm
  [ "$(grep -c '^part net' $name.dorm)" = $parts ]
  result $? "$name has $parts net parts"
  [ "$(grep -c 'dorm export does not take it' out)" = 0 ]
  result $? "dorm train has nothing to say against $name"
  agree_on_nets $name
}
for normalisation in none global-minmax global-zscore; do
  trained net_$normalisation 1 -s training.trainer=net -s training.seed=1 -s data.normalisation=$normalisation
  trained five_$normalisation 5 -s training.trainer=net -s training.seed=1,2,3,4,5 -s data.normalisation=$normalisation
  trained blend_$normalisation 1 -s training.trainer=svm,net -s training.seed=1 -s data.normalisation=$normalisation
  grep '^feature' blend_$normalisation.dorm | grep -qv ' 0$'
  result $? "the blend has a linear part, too"
done

# includes MODEL COUNT: how many files its C includes.
includes() {
  "$dorm" export --to c $1.dorm > out 2> err
  [ "$(grep -c '#include' out)" = $2 ]
  result $? "the C of $1 includes $2 files"
}
includes none 0
includes hand 0
includes hand_classes 1
includes nets_none 1

# ---- Names and what is refused

expect 0 "names by default" "$dorm" export --to json none.dorm
holds out '"name": "feature_10"'

refused() {
  status=$1
  message=$2
  shift 2
  expect "$status" "refused: $*" "$dorm" export "$@" -o none.out
  one_line_with "$message"
  absent none.out
}
expect 0 "train within queries" "$dorm" train -q -s training.trainer=svm -s data.train=train.txt -s output.model=within.dorm -s data.rank_block=0
expect 0 "train with ranks" "$dorm" train -q -s training.trainer=svm -s data.train=train.txt -s output.model=ranks.dorm -s data.rank_block=0.5 -s data.normalisation=none -s solver.C=1
expect 0 "train a kernel" "$dorm" train -q -s training.trainer=svm -s data.train=train.txt -s output.model=kernel.dorm -s kernel.kernel=rbf -s kernel.rank=5 -s solver.C=1
refused 4 "data.normalisation = minmax), which an exported model cannot do" --to solr within.dorm
refused 4 "train with --for-serving, or with data.rank_block = 0" --to c ranks.dorm
refused 4 "has a kernel part, 'rbf:gamma=" --to json kernel.dorm
refused 4 "only linear models and trees, and nets as json, c or onnx, can be exported" --to c kernel.dorm
for format in elasticsearch opensearch solr ranklib xgboost $dumps; do
  refused 4 "the model has a net part, '3 hidden units, 4 inputs, rank block 0', which the format $format does not hold: \
export it as json, c or onnx" --to $format nets_mixed.dorm
done
refused 4 "the score of the trees part 'ordinal, 4 trees" --to solr hand_ordinal.dorm
refused 4 "is not a sum of leaves, and the format xgboost holds nothing else" --to xgboost hand_classes.dorm
refused 4 "the model has a linear part beside its trees, and the format ranklib holds either" --to ranklib hand_both.dorm
refused 4 "the model has no trees part, and the format xgboost holds trees alone" --to xgboost none.dorm
sed 's/^normalisation .*/normalisation minmax/; /^global/d; /^missing/d' hand.dorm > hand_within.dorm
refused 4 "data.normalisation = minmax), which an exported model cannot do" --to solr hand_within.dorm
sed 's/ regression gain 0 1 4/ regression gain 0.5 1 4/; s/^split value 1 /split rank 1 /' hand.dorm > hand_ranks.dorm
refused 4 "looks at ranks of features within the query" --to c hand_ranks.dorm
sed 's/^normalisation .*/normalisation zscore/; /^global/d; /^missing/d' nets_none.dorm > nets_within.dorm
refused 4 "data.normalisation = zscore), which an exported model cannot do" --to json nets_within.dorm
sed 's/^ranks 0 0 0 0/ranks 0 0 1e-9 0/' nets_none.dorm > nets_ranks.dorm
refused 4 "looks at ranks of features within the query" --to json nets_ranks.dorm
sed 's/^\(global 2 .*\) .*/\1 1e-300/; s/^values 1 0.1 /values 1 1e20 /' nets_global-zscore.dorm > nets_large.dorm
refused 4 "the weight 1e+20 of feature 2 leaves the range of numbers when it is divided by the spread 1e-300" --to c nets_large.dorm
sed 's/^\(global 2 .*\) .*/\1 1e-300/; s/^feature 2 .*/feature 2 -1e20/' global-zscore.dorm | grep -v checksum > large.dorm
refused 4 "the weight -1e+20 of feature 2 leaves the range of numbers" --to c large.dorm
refused 4 "the model has no trees part, and the format xgboost-dump holds trees alone" --to xgboost-dump none.dorm
sed 's/feature no/feature [no/' names.txt > brackets.txt
refused 4 "contains [, ] or <, which XGBoost allows in no name" --to xgboost-dump --features brackets.txt hand.dorm
refused 4 "data.normalisation = minmax), which an exported model cannot do" --to onnx within.dorm
refused 2 "did you mean 'solr'" --to sorl none.dorm
refused 2 "not a valid name for a function in C" --to c --name 2x none.dorm
refused 2 "needs --to FORMAT" none.dorm
printf '1 a\n2 b\n' > few.txt
refused 4 "few.txt: feature 3 of the model has no name" --to json --features few.txt none.dorm
printf '1 a\n1 b\n' > twice.txt
refused 4 "twice.txt:2: feature 1 already has the name 'a'" --to json --features twice.txt none.dorm
printf '1 a\n2 a\n' > same.txt
refused 4 "same.txt:2: 'a' is already the name of feature 1" --to json --features same.txt none.dorm
printf 'a 1\n' > odd.txt
refused 4 "odd.txt:1: 'a 1' is not a feature id followed by a name" --to json --features odd.txt none.dorm
refused 4 "is not UTF-8" --to json --name "$(printf '\377')" none.dorm
refused 3 "gone.txt" --to json --features gone.txt none.dorm
[ -e booster.ran ] || echo "skipped in part: XGBoost does not dump the models itself (python3-xgboost)"
if [ -n "${DORM_NODE_MODULES:-}" ]; then
  [ -e onnxruntime.ran ]
  result $? "onnxruntime-web was asked"
else
  echo "skipped in part: onnxruntime does not score (npm install onnxruntime-web; DORM_NODE_MODULES=.../node_modules)"
fi
finish
