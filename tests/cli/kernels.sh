#!/bin/sh
# kernels.sh: kernels as a user meets them: training, the model, prediction, a Gram
# matrix from a file, resuming a killed training, and what is refused.
. "${srcdir:-.}/tests/cli/lib.sh"

"$dorm" generate artificial -o train.txt --queries 40 -d 20 --part 1
"$dorm" generate artificial -o vali.txt --queries 20 -d 20 --part 2
cat > config.ini << 'END'
[data]
train = train.txt
validation = vali.txt
rank_block = 0
[kernel]
kernel = linear + rbf:scale=0.5|2
rank = 10, 40
[solver]
C = 10, 100
threads = 1
[ranking]
reference = mu:0.3
END
expect 0 "train" "$dorm" train config.ini -v -s output.model=first.dorm
holds out "residual"
# Two scales times two ranks give four kernels; each has a start and 2 C times 4 rounds.
[ "$(grep -c '^ *linear + rbf:gamma=' out)" = 4 ]
result $? "a line a kernel"
expect 0 "again" "$dorm" train config.ini -q -s output.model=second.dorm
grep -v '^checksum\|^set \|^setting output.model' first.dorm > one
grep -v '^checksum\|^set \|^setting output.model' second.dorm > two
cmp -s one two
result $? "the same data, settings and threads give the same model"
expect 0 "show" "$dorm" show first.dorm
holds out "kernel part: rbf:gamma="
expect 0 "predict" "$dorm" predict first.dorm vali.txt
[ "$(wc -l < out)" = 400 ]
result $? "one score a document"
expect 0 "cross-validation" "$dorm" train config.ini -q -s data.validation= -s selection.folds=3 -s output.model=folds.dorm
expect 0 "its model" "$dorm" eval folds.dorm vali.txt -m ndcg@10

# A training that is killed and resumed.
sed 's/^\[solver\]/[solver]\ngap = 1e-5/' config.ini > slow.ini
expect 0 "left alone" "$dorm" train slow.ini -q -s output.model=alone.dorm
for moment in 0.05 0.1 0.2 0.3 0.5; do
  "$dorm" train slow.ini -q --resume -s output.model=killed.dorm -s output.checkpoint=run.checkpoint \
    -s output.checkpoint_seconds=0 > out 2> err &
  pid=$!
  sleep $moment
  strike $pid
done
expect 0 "resumed to the end" "$dorm" train slow.ini -q --resume -s output.model=killed.dorm -s output.checkpoint=run.checkpoint
grep -v '^checksum\|^set \|^setting output' alone.dorm > one
grep -v '^checksum\|^set \|^setting output' killed.dorm > two
cmp -s one two
result $? "a resumed training ends at the same model"

# A Gram matrix of less than full rank is positive semi-definite but for rounding, whatever the size of its entries.
sed 's/:0\./:5000./g' train.txt > large.txt
expect 0 "features of four digits" "$dorm" train -q -s data.train=large.txt -s data.normalisation=none -s solver.C=1e-6 \
  -s kernel.kernel=polynomial:degree=1 -s kernel.rank=5 -s output.model=large.dorm

# Two Gram matrices whose product is the kernel: one over users, one over items; features are row numbers in them.
printf '1 .5 0\n.5 1 0\n0 0 1\n' > users.txt
printf '2 1\n1 2\n' > items.txt
printf '2 qid:1 1:1 2:1\n0 qid:1 1:1 2:2\n1 qid:2 1:2 2:2\n0 qid:2 1:3 2:1\n' > pairs.txt
expect 0 "a product of two Gram matrices" "$dorm" train -q -s data.train=pairs.txt -s kernel.rank=0 \
  -s 'kernel.kernel=gram:users.txt(1) * gram:items.txt(2)' -s output.model=gram.dorm
expect 0 "show without the matrices" "$dorm" show gram.dorm
mkdir moved
cp items.txt moved
matrices="--module users.txt --module moved/items.txt"
expect 0 "predict by it" "$dorm" predict gram.dorm pairs.txt $matrices
awk 'NR == 1 { first = $1 } NR == 2 { exit !(first > $1) }' out
result $? "the relevant pair is above the other"
printf '1 qid:1 1:4 2:1\n0 qid:1 1:1 2:2\n' > outside.txt
expect 4 "a row number outside" "$dorm" predict gram.dorm outside.txt $matrices
one_line_with "no row of users.txt, which has the rows 1 to 3"
expect 2 "a matrix is missing" "$dorm" predict gram.dorm pairs.txt --module users.txt
one_line_with "needs the Gram matrix 'items.txt', and a model opens no file by itself"
rm users.txt
expect 3 "the matrix is gone" "$dorm" predict gram.dorm pairs.txt $matrices
one_line_with "users.txt"
# Of two matrices with the same last part each is found by its whole path.
mkdir 1 2
printf '3 0 0\n0 1 0\n0 0 2\n' > 1/m
printf '1 0\n0 2\n' > 2/m
expect 0 "two of a name" "$dorm" train -q -s data.train=pairs.txt -s kernel.rank=0 -s output.model=two.dorm \
  -s 'kernel.kernel=gram:1/m(1) * gram:2/m(2)'
expect 0 "both are given" "$dorm" predict two.dorm pairs.txt --module 2/m --module 1/m
expect 4 "one is given for both" "$dorm" predict two.dorm pairs.txt --module ./2/m

# A kernel of a module is checked and trained with the linear part. It is named
# again for prediction, since a model never loads a module.
${DORM_TEST_CC:-cc} -shared -fPIC -I"$srcdir/include" -o chi_square.so \
  "$srcdir/tests/plugins/chi_square.c" -lm
result $? "compile a kernel module"
expect 0 "list" "$dorm" kernels
holds out "rbf:gamma=auto,scale=1"
expect 0 "check it" "$dorm" kernels --check ./chi_square.so
holds out "./chi_square.so: passes its check"
expect 6 "a loss is no kernel" "$dorm" losses --check ./chi_square.so
one_line_with "has no function dorm_loss_module_entry"
expect 0 "train with it" "$dorm" train config.ini -q -s output.model=module.dorm \
  -s 'kernel.kernel=linear + chi_square:gamma=0.5|2 (1-8) from ./chi_square.so'
holds module.dorm "chi_square:gamma="
holds module.dorm "(1-8) from module"
expect 0 "show without the module" "$dorm" show module.dorm
expect 6 "predict without the module" "$dorm" predict module.dorm vali.txt
one_line_with "a model opens no file by itself"
expect 0 "predict with the module" "$dorm" predict module.dorm vali.txt --module ./chi_square.so
expect 0 "evaluate with the module" "$dorm" eval module.dorm vali.txt -m ndcg@10 --module chi_square.so
printf 'no module' > no_module.so
expect 6 "a file that is no module" "$dorm" predict module.dorm vali.txt --module ./no_module.so
one_line_with "no_module.so: cannot be loaded"
sed '/^checksum/d; s/ from module/ from .\/chi_square.so/' module.dorm > loading.dorm
expect 4 "a model that would load a module" "$dorm" predict loading.dorm vali.txt
one_line_with "a model names no file of a module"
sed '/^checksum/d; s/^feature \([0-9]*\) .*/feature \1 0/; s/gamma=/delta=/' module.dorm > other.dorm
expect 2 "a module of other parameters" "$dorm" predict other.dorm vali.txt --module ./chi_square.so
one_line_with "no parameter 'delta'"

# refused STATUS MESSAGE SETTING...: training with these settings fails with this status and message.
refused() {
  status=$1
  message=$2
  shift 2
  expect "$status" "refused: $*" "$dorm" train config.ini -q -s output.model=none.dorm "$@"
  one_line_with "$message"
  absent none.dorm
}
printf '1 2\n2 1\n' > indefinite.txt
printf '1 0 0\n0 1 0\n' > oblong.txt
printf '1 0\n0 nan\n' > hole.txt
refused 4 "indefinite.txt: the Gram matrix is not positive semi-definite" -s 'kernel.kernel=gram:indefinite.txt(1)'
refused 4 "oblong.txt: the Gram matrix has 2 rows and 3 columns" -s 'kernel.kernel=gram:oblong.txt(1)'
refused 4 "hole.txt:2: entry 2 of the Gram matrix: 'nan' is not a finite number" -s 'kernel.kernel=gram:hole.txt(1)'
refused 2 "at character 5 of 'rbf:sigma=1'" -s kernel.kernel=rbf:sigma=1
refused 2 "kernel.rank" -s kernel.rank=-1
refused 3 "cannot read the kernel module" -s 'kernel.kernel=chi_square from ./none.so'
refused 2 "gamma=x is not a number" -s 'kernel.kernel=chi_square:gamma=x from ./chi_square.so'
refused 6 "of what it sees is negative" -s 'kernel.kernel=chi_square from ./chi_square.so' \
  -s data.normalisation=none
refused 2 "kernel.landmarks is gone" -s kernel.landmarks=kmeans
refused 2 "keep no order" -s kernel.kernel=rbf -s training.increasing=1

finish
