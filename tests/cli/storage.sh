#!/bin/sh
# storage.sh: training with the values in a file (data.storage = file) makes the bits that training in memory makes,
# from text, from a cache and from standard input, and leaves no file behind; folders that cannot hold the file, and
# caches that are cut short, are refused.
. "${srcdir:-.}/tests/cli/lib.sh"

mkdir rows
export TMPDIR=rows
"$dorm" generate artificial -o train.txt --queries 150 -d 30 -f 12 --part 1
"$dorm" generate artificial -o vali.txt --queries 40 -d 30 -f 12 --part 2
"$dorm" cache train.txt -o train.cache > out

# bits MODEL: all of a model but what it says of the settings.
bits() {
  grep -v '^setting \|^checksum\|^set ' "$1"
}

# same WHAT [SETTING]...: trainings in memory and with the values in a file make the same model and candidates.
same() {
  what=$1
  shift
  for setting in "$@"; do
    set -- "$@" -s "$setting"
    shift
  done
  expect 0 "$what, in memory" "$dorm" train -q -s training.trainer=svm "$@" -s data.train=train.txt -s data.storage=dense -s output.model=memory.dorm
  grep '^ *[0-9]' out | sed 's/ *[0-9.]* *$//' > memory.table
  bits memory.dorm > memory.bits
  for from in train.txt train.cache; do
    rm -f file.dorm
    expect 0 "$what, from $from" "$dorm" train -q -s training.trainer=svm "$@" -s data.train=$from -s data.storage=file \
      -s output.model=file.dorm
    bits file.dorm | sed 's/train\.cache/train.txt/' | cmp -s - memory.bits
    result $? "$what: the same model from $from in a file"
    grep '^ *[0-9]' out | sed 's/ *[0-9.]* *$//' | cmp -s - memory.table
    result $? "$what: the same candidates from $from in a file"
  done
}

for threads in 1 2; do
  same "one C, $threads threads" solver.threads=$threads solver.C=1
  same "a choice of C, $threads threads" solver.threads=$threads solver.C=0.1,1,10 data.validation=vali.txt \
    loss.name=ndcg@10
done
same "a rank block" solver.C=1 data.rank_block=0.5
same "rank blocks and validation" solver.C=1,10 data.rank_block=0,0.5 data.validation=vali.txt
for normalisation in none zscore global-minmax global-zscore; do
  same "$normalisation" solver.C=1 data.normalisation=$normalisation
done
same "some features" solver.C=1 data.features=2-7,11
same "products" solver.C=1 'features.cross=1-3 x 4-6'
same "folds" solver.C=1,10 selection.folds=3
same "retraining" solver.C=1,10 data.validation=vali.txt selection.retrain=yes
same "shards" solver.C=1 solver.shards=4 solver.threads=2
same "ridge regression" training.trainer=ridge solver.ridge=0.1
same "smooth costs" training.trainer=smooth
same "a net" training.trainer=net net.epochs=3 net.hidden=4
same "a kernel" kernel.kernel=rbf kernel.rank=20 solver.C=1

# Values that are missing, and queries whose lines are apart.
awk '{ if (NR % 7 == 0) sub(/ 3:[^ ]*/, " 3:nan"); print }' train.txt > holes.txt
awk '{ print > ("half" (NR % 2)) }' train.txt
cat half0 half1 > apart.txt
for data in holes.txt apart.txt; do
  for storage in dense file; do
    expect 0 "$data, $storage" "$dorm" train -q -s training.trainer=svm -s data.train=$data -s data.sort_queries=yes -s solver.C=1 \
      -s data.storage=$storage -s output.model=$storage.dorm
    bits $storage.dorm > $storage.bits
  done
  cmp -s dense.bits file.bits
  result $? "$data: the same model in a file"
done

# A cache beside the text, which both kinds share, and standard input.
expect 0 "writes a cache" "$dorm" train -q -s training.trainer=svm -s data.train=train.txt -s data.cache=yes -s solver.C=1 -s data.storage=file \
  -s output.model=file.dorm
bits file.dorm > file.bits
mv train.txt.dorm-cache kept.cache
expect 0 "writes it in memory" "$dorm" train -q -s training.trainer=svm -s data.train=train.txt -s data.cache=yes -s solver.C=1 \
  -s data.storage=dense -s output.model=dense.dorm
cmp -s kept.cache train.txt.dorm-cache
result $? "the same cache"
"$dorm" train -q -s training.trainer=svm -s data.train=- -s solver.C=1 -s data.storage=file -s output.model=piped.dorm \
  < train.txt > out 2> err
bits piped.dorm | cmp -s - file.bits
result $? "the same model from standard input"

# A training that is killed goes on from its checkpoint.
cat > config.ini << 'EOF'
[training]
trainer = svm
[data]
train = train.txt
validation = vali.txt
storage = file
[ranking]
position_weights = power:0.5
[solver]
gap = 1e-5
C = 1, 10, 100
threads = 1
[output]
checkpoint = killed.checkpoint
checkpoint_seconds = 0
EOF
expect 0 "left alone" "$dorm" train config.ini -q -s data.storage=dense -s output.model=alone.dorm \
  -s output.checkpoint=alone.checkpoint
"$dorm" train config.ini -q -s output.model=killed.dorm > out 2> err &
pid=$!
tries=0
while [ ! -e killed.checkpoint ] && [ $tries -lt 1000 ] && kill -0 $pid 2> /dev/null; do
  tries=$((tries + 1))
  sleep 0.01
done
strike $pid
[ $code = 137 ] && [ -e killed.checkpoint ]
result $? "killed with a checkpoint: exit code $code"
mkdir other # the folder plays no part
expect 0 "resumed" env TMPDIR=other "$dorm" train config.ini -q --resume -s output.model=killed.dorm
bits alone.dorm > alone.bits
bits killed.dorm | cmp -s - alone.bits
result $? "the model of the training that was left alone"

# What cannot be: a folder that is none or that cannot be written to, too little room, a cache that was cut.
for folder in nowhere train.txt; do
  expect 3 "no folder" env TMPDIR=$folder "$dorm" train -s training.trainer=svm train.txt -q -s data.storage=file -s output.model=no.dorm
  one_line_with "$folder: cannot make a file of rows"
done
if [ "$(id -u)" != 0 ]; then
  mkdir -m 555 locked
  expect 3 "a locked folder" env TMPDIR=locked "$dorm" train -s training.trainer=svm train.txt -q -s data.storage=file -s output.model=no.dorm
  one_line_with "locked: cannot make a file of rows"
fi
for data in train.txt train.cache; do
  expect 3 "no room for $data" sh -c "trap '' XFSZ; ulimit -f 64; exec \"$dorm\" train $data -q -s solver.C=1 \
    -s data.storage=file -s output.model=no.dorm"
  one_line_with "MB of rows in a file in this folder (data.storage = file): "
done
head -c 100000 train.cache > cut.cache
expect 4 "a cache that was cut" "$dorm" train -s training.trainer=svm cut.cache -q -s data.storage=file -s output.model=no.dorm
one_line_with "cut.cache: this data cache cannot be used: it is cut short"
awk 'BEGIN { for (q = 1; q <= 3000; q++) for (d = 0; d < 3; d++) print d " qid:" q " " 1 + (q * 3 + d) % 997 ":1" }' > sparse.txt
"$dorm" cache sparse.txt -o sparse.cache > out
expect 2 "sparse rows" "$dorm" train -s training.trainer=svm sparse.cache -q -s data.storage=file -s output.model=no.dorm
one_line_with "sparse.cache: its rows are sparse"
absent no.dorm
[ -z "$(ls -A rows; ls -A other)" ]
result $? "nothing is left in the folders"

finish
