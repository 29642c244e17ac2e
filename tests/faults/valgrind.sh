#!/bin/sh
# valgrind.sh UNIT [SUITE...]: runs the suites of the unit tests (by default all),
# each by itself, and every command under memcheck. There must be no invalid access,
# no use of memory that was never written, and no lost block. Blocks that memcheck
# calls "possibly lost" are allowed: they are the stacks of libgomp's threads. It
# takes half an hour and prints one line per suite and command.
unit=$(realpath "$1")
shift
. "${srcdir:-.}/tests/cli/lib.sh"
program=$(dirname "$dorm")/.libs/dorm # the program that libtool's script starts
[ -x "$program" ] || program=$dorm
LD_LIBRARY_PATH=$(dirname "$program")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
OMP_NUM_THREADS=2
export LD_LIBRARY_PATH OMP_NUM_THREADS

# clean NAME COMMAND...: memcheck finds nothing wrong in COMMAND.
clean() {
  name=$1
  shift
  valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite,indirect \
    --show-leak-kinds=definite,indirect --log-file=valgrind.out "$@" > out 2> err < /dev/null
  code=$?
  [ $code = 0 ] && echo "$name: clean"
  [ $code = 0 ] || cat valgrind.out
  result $code "$name under valgrind: exit code $code"
}

for suite in ${*:-$("$unit" --list)}; do
  clean "$suite" "$unit" "$suite"
done
[ $# = 0 ] || finish
clean generate "$program" generate artificial -o data.txt --queries 12 -d 8
"$dorm" generate artificial -o validation.txt --queries 12 -d 8 --part 2 > /dev/null
clean cache "$program" cache data.txt -o data.cache
clean train "$program" train -q -s training.trainer=svm -s data.train=data.cache -s data.validation=validation.txt -s solver.C=1,10 \
  -s output.model=model --log log -s output.checkpoint=run -s output.checkpoint_seconds=0
clean "train, folds" "$program" train -q -s training.trainer=svm -s data.train=data.txt -s selection.folds=2 -s solver.C=1 \
  -s data.normalisation=global-minmax -s data.rank_block=0 -s output.model=global
clean "train, kernel" "$program" train -q -s training.trainer=svm -s data.train=data.txt -s solver.C=1 -s 'kernel.kernel=linear + rbf' \
  -s output.model=kernel
clean "train, diverse" "$program" train -q -s training.trainer=svm -s data.train=data.txt -s solver.C=1 -s diversity.groups=feature:1 \
  -s output.model=diverse
clean "train, structured" "$program" train -q -s training.trainer=svm -s data.train=data.txt -s solver.C=1 -s loss.name=map -s output.model=map
clean predict "$program" predict kernel data.txt -o scores
clean eval "$program" eval model global data.txt -m ndcg@5 -m map:threshold=2 --per-query queries --write-run run.txt \
  --write-qrels qrels
clean "eval, TREC" "$program" eval --qrels qrels --run run.txt -m ndcg@5
clean show "$program" show model
clean export "$program" export --to elasticsearch global -o exported
clean losses "$program" losses
clean kernels "$program" kernels
clean "generate ratings" "$program" generate ratings -o rated --users users --items items --num-users 20 --num-items 26 --ratings 13
clean ratings "$program" ratings -q -s ratings.file=rated -s ratings.users=users -s ratings.items=items \
  -s ratings.write=features,ratings,kernels -s ratings.split=given:3
clean factorize "$program" factorize -q -s ratings.file=rated -s factorization.rank=2 -s output.model=factors
clean recommend "$program" recommend factors --user u1
clean "a bad file" sh -c '"$0" train -q -s data.train=rated; [ $? = 4 ]' "$program"
finish
