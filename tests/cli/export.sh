#!/bin/sh
# export.sh: exported models are read back by other programs (Python's json, a C
# compiler) and score as dorm does; models that cannot be exported are refused.
. "${srcdir:-.}/tests/cli/lib.sh"
python=$(command -v python3)

"$dorm" generate artificial -o plain.txt --queries 20 -d 15 --part 1 > /dev/null
# features of other scales, one of them the same everywhere
awk '{ for (i = 3; i <= NF; i++) { split($i, v, ":"); $i = v[1] ":" v[2] * 3 ^ (v[1] % 3 - 1) + v[1] / 2 } print $0, "11:7" }' \
  plain.txt > train.txt
awk 'BEGIN { print "# id and name"; for (i = 1; i <= 12; i++) printf "%d %s %d\n", i, i == 3 ? "a \"quoted\" \\ name" : "feature no.", i }' > names.txt

for normalisation in none global-minmax global-zscore; do
  expect 0 "train $normalisation" "$dorm" train -q -s data.train=train.txt -s data.rank_block=0 \
    -s data.normalisation=$normalisation -s solver.C=1,10 -s output.model=$normalisation.dorm
  "$dorm" predict $normalisation.dorm train.txt > scores
  for format in elasticsearch opensearch solr ranklib json; do
    expect 0 "export $format" "$dorm" export --to $format $normalisation.dorm --features names.txt \
      --name 'my "model" \ 1' -o exported
    if [ -n "$python" ]; then
      expect 0 "$format of $normalisation" "$python" "$srcdir/tests/cli/exported.py" $format exported names.txt train.txt scores
    fi
  done
  expect 0 "export c" "$dorm" export --to c $normalisation.dorm --features names.txt --name ranker -o ranker.c
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
    if (fabs(ranker_score(features) - wanted) > 1e-6 * fmax(1, fabs(wanted)))
      return 2;
  }
  return strcmp(ranker_names[2], "a \"quoted\" \\ name 3") != 0;
}
END
  ${DORM_TEST_CC:-cc} -std=gnu11 -Wall -Wextra -Werror -o use use.c -lm
  result $? "the exported C compiles"
  expect 0 "the exported C scores alike" sh -c './use scores < train.txt'
done

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
expect 0 "train within queries" "$dorm" train -q -s data.train=train.txt -s output.model=within.dorm -s data.rank_block=0
expect 0 "train with ranks" "$dorm" train -q -s data.train=train.txt -s output.model=ranks.dorm -s data.rank_block=0.5 -s data.normalisation=none -s solver.C=1
expect 0 "train a kernel" "$dorm" train -q -s data.train=train.txt -s output.model=kernel.dorm -s kernel.kernel=rbf -s kernel.rank=5 -s solver.C=1
refused 4 "data.normalisation = minmax), which an exported model cannot do" --to solr within.dorm
refused 4 "train with --for-serving, or with data.rank_block = 0" --to c ranks.dorm
refused 4 "has a kernel part, 'rbf:gamma=" --to json kernel.dorm
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
finish
