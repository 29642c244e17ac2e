#!/bin/sh
# pages.sh: the manual pages name every command, option and setting, groff finds
# nothing wrong in them, and bash completes the same words.
. "${srcdir:-.}/tests/cli/lib.sh"
expect 0 "make pages" sh "$srcdir/pages/make_pages" "$dorm" "$srcdir"

# plain PAGE: the page as text, without the escapes of roff.
plain() { sed 's/\\-/-/g; s/\\&//g; s/\\e/\\/g' "$1"; }
plain dorm.1 > page
! grep -q '^ *every setting' page
result $? "dorm(1) has no half sentence"
for command in $("$dorm" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
  [ "$command" = dorm ] && continue
  grep -qx ".SS dorm $command" page
  result $? "dorm(1) has $command"
  for option in $("$dorm" "$command" --help | sed '/^Settings/,$d' | grep -oE -- '--[a-z][a-z-]*'); do
    grep -qF -- "$option" page
    result $? "dorm(1) has $command $option"
  done
done
plain dorm-config.5 > page
"$dorm" train --help | sed -n 's/^  \([a-z_]*\.[A-Za-z_]*\) = .*/\1/p' > settings
[ "$(wc -l < settings)" -gt 40 ]
result $? "there are settings"
while read -r key; do
  [ "$(grep -c "^\.B $key = " page)" = 1 ]
  result $? "dorm-config(5) has $key once"
done < settings
plain dorm-mpi.1 > page
grep -qF "solver.shards" page && grep -qF "dorm cache" page && grep -qF "DORM_MPI_COUNTS" page
result $? "dorm-mpi(1) has shards, caches and counts"
plain dorm-model.5 > page
grep -qF "feature ID VALUE-WEIGHT [RANK-WEIGHT]" page
result $? "dorm-model(5) has the lines of a model"
plain dorm-plugin.3 > page
grep -qF "const dorm_kernel_module *dorm_kernel_module_entry(void);" page && ! grep -q "__cplusplus" page
result $? "dorm-plugin(3) has the interface"
plain libdorm.3 > page
for name in $(grep -hE '^DORM_API' "$srcdir"/include/dorm/*.h | grep -oE 'dorm_[a-z_]+\('); do
  grep -qF -- "$name" page
  result $? "libdorm(3) has $name)"
done
for header in "$srcdir"/include/dorm/*.h; do
  name=${header##*/}
  case $name in
  dorm.h | plugin.h) ;;
  *)
    grep -qF ".SS \"$name: " page
    result $? "libdorm(3) has $name"
    ;;
  esac
done
! grep -qE "DORM_API|__GNUC__|^#ifdef" page
result $? "libdorm(3) has nothing for the preprocessor alone"
if command -v groff > /dev/null; then
  for name in dorm.1 dorm-mpi.1 dorm-config.5 dorm-model.5 dorm-plugin.3 libdorm.3; do
    groff -man -Tutf8 -P-c -wall -rLL=80n "$name" 2> err | sed 's/.\x08//g' > shown
    [ ! -s err ]
    result $? "groff finds nothing wrong in $name"
    [ "$(wc -l < shown)" -gt 20 ] && [ "$(LC_ALL=C.UTF-8 wc -L < shown)" -le 80 ]
    result $? "$name fits 80 columns"
  done
else
  echo "skipped in part: groff does not look at the pages (apt-get install groff-base)"
fi

# completes WANTED WORD...: WANTED is among the words that bash proposes for the last WORD.
completes() {
  wanted=$1
  shift
  bash -c '. ./completions/dorm; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _dorm; printf "%s\n" "${COMPREPLY[@]}"' \
    bash "$@" 2> err | grep -qx -- "$wanted"
  result $? "completion of '$*' has $wanted"
}
if command -v bash > /dev/null; then
  completes predict dorm pre
  completes --module dorm predict --m
  completes solver.C= dorm train -s solv
  completes settings dorm eval sett
  completes trees dorm train -s training.trainer = tr
  completes global-minmax dorm train -s data.normalisation =
  completes dorm,ordinal dorm train -s trees.objective = dorm,or
  completes trees dorm train --trainer tre
  completes ndcg dorm eval model.dorm test.txt -m nd
  completes onnx dorm export --to on
  completes config dorm help conf
  completes solver.C dorm help solver.C
fi
finish
