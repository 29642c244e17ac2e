#!/bin/sh
# replay.sh: gives every reader the seeds of its fuzz target, a hundred random
# changes of each seed, and all inputs that fuzzing ever found (tests/regression).
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
