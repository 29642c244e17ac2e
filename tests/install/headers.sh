#!/bin/sh
# headers.sh: every installed header compiles alone, twice in one file, in C and in C++, with warnings as errors.
. "${srcdir:-.}/tests/cli/lib.sh"
include=$srcdir/include
warnings="-Wall -Wextra -Wshadow -Wconversion -pedantic -Werror"
for header in "$include"/dorm/*.h; do
  name=${header##*/}
  printf '#include <dorm/%s>\n#include <dorm/%s>\nint main(void);\n' "$name" "$name" > alone.c
  cp alone.c alone.cc
  expect 0 "$name in C" ${DORM_TEST_CC:-cc} -std=c99 $warnings -Wstrict-prototypes -I"$include" -fsyntax-only alone.c
  command -v "${DORM_TEST_CXX%% *}" > /dev/null || continue
  expect 0 "$name in C++" ${DORM_TEST_CXX:-c++} $warnings -I"$include" -fsyntax-only alone.cc
done
# Each function has a comment of its own above it.
awk '/^DORM_API/ && before !~ /\*\/$/ { print FILENAME ":" FNR ": " $0; bad = 1 }
  { before = /;.*\/\*/ ? "" : $0 } END { exit bad }' "$include"/dorm/*.h > lacking
result $? "functions without a comment: $(cat lacking)"
[ "$passed" -gt 14 ]
result $? "there are headers"
finish
