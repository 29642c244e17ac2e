#!/bin/sh
# replay.sh: every reader on the seeds of the fuzz targets, on a hundred changes
# of each, and on all that fuzzing ever found (tests/regression).
. "${srcdir:-.}/tests/cli/lib.sh"
replay=${FUZZ_REPLAY:?FUZZ_REPLAY names the program}
TMPDIR=$work
export TMPDIR

expect 0 "seeds" "$srcdir/tests/fuzz/seeds" "$dorm" seeds
expect 0 "the seeds, as they are and changed" "$replay" seeds 100
cat out
if [ -d "$srcdir/tests/regression" ]; then
  expect 0 "what was found" "$replay" "$srcdir/tests/regression"
  cat out
fi
finish
