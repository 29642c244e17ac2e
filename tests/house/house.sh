#!/bin/sh
# house.sh: the rules of the house that a script can check. Prints each breach
# as file:line and a closing count of rules.
cd "${srcdir:-.}" || exit 1
verdicts=$(mktemp)
trap 'rm -f "$verdicts"' EXIT

# rule WHAT: reads breaches from standard input; none is a pass. (It ends a
# pipe and so runs in a process of its own: verdicts go through a file.)
rule() {
  breaches=$(cat)
  if [ -z "$breaches" ]; then
    echo passed >> "$verdicts"
  else
    echo failed >> "$verdicts"
    echo "FAILED: $1"
    echo "$breaches" | sed 's/^/    /'
  fi
}

sources() { find "$@" -name '*.[ch]' | sort; }
library="base data losses assignment kernels ratings solver factorization"
for folder in $library cli; do [ -d "$folder" ] && present="$present $folder"; done
library_present=$(for f in $library; do [ -d "$f" ] && echo "$f"; done)

# includes_only FOLDER ALLOWED...: its quoted includes name only these rooms.
includes_only() {
  folder=$1
  shift
  [ -d "$folder" ] || return
  allowed=$(echo "$@" | tr ' ' '|')
  grep -nE '^#include "' $(sources "$folder") /dev/null | grep -vE "#include \"($allowed)/" |
    rule "$folder/ includes only $*"
}
includes_only base dorm base
includes_only data dorm base data
includes_only losses dorm base data losses
includes_only assignment dorm base data assignment
includes_only kernels dorm base data kernels
includes_only ratings dorm base data ratings
includes_only factorization dorm base data losses assignment ratings solver factorization
includes_only solver dorm base data losses assignment kernels solver
includes_only cli dorm cli
grep -nE '^#include "' include/dorm/*.h | grep -v '#include "dorm/' | rule "installed headers include no other"

# one_door HEADER FILE: a foreign library enters through one file.
one_door() {
  grep -nE "^#include <$1>" $(sources $present) /dev/null | grep -v "^$2:" | rule "<$1> only in $2"
}
one_door 'cblas\.h' base/linalg.c
one_door 'lapacke\.h' base/linalg.c
one_door 'ini\.h' settings/ini_file.c
one_door 'zlib\.h' data/byte_reader.c
one_door 'glpk\.h' assignment/glpk.c
one_door 'dlfcn\.h' base/module.c
# The library reads JSON, the command writes it; the command sees nothing of the library but its header.
one_door 'jansson\.h' '\(cli/log_json\.c\|base/json\.c\)'

# banned WHERE WORDS WHY: calls that do not occur.
banned() {
  grep -nE "(^|[^a-zA-Z0-9_.>])($2)\(" $1 /dev/null | grep -vE ':[[:space:]]*(\*|/[*/])' | rule "$3"
}
library_sources=$(sources $library_present)
banned "$library_sources" 'exit|abort|_exit|printf|puts|putchar|perror|getenv|setlocale|system' \
  "the library does not exit, print, read the environment or set the locale"
banned "$(echo "$library_sources" | grep -v '^base/memory\.c$')" 'malloc|calloc|realloc|free|strdup' \
  "memory comes from base/memory.c"
banned "$(sources $present)" 'gets|strcpy|strcat|sprintf|vsprintf|atoi|atof|atol|strtok|rand|srand|alloca' \
  "no unbounded or locale-bound classics"
banned "$(echo "$library_sources" | grep -v '^base/text\.c$')" 'strtod|strtof|scanf|sscanf|fscanf' \
  "numbers are read by base/text.c"

awk 'length($0) > 120 { print FILENAME ":" FNR ": " length($0) " columns" }' $(sources $present include tests) |
  rule "lines of at most 120 columns"
grep -nE '[[:space:]]+$' $(sources $present include tests) /dev/null | rule "no blanks at line ends"
for header in $(find $library_present -name '*.h'); do
  folder=$(dirname "$header")
  [ "$(basename "$header" .h)" = "$folder" ] || echo "$header"
done | rule "one internal header a folder, named after it"

# Every exported function is declared in an installed header, and the other way round.
if [ -n "$LIBDORM" ] && [ -f "$LIBDORM" ]; then
  exported=$(nm -D --defined-only "$LIBDORM" | awk '$2 == "T" { print $3 }' | sort)
  declared=$(grep -ohE '\bdorm_[a-z_]+\(' include/dorm/dorm.h | tr -d '(' | sort -u)
  for name in $exported; do
    echo "$declared" | grep -qx "$name" || echo "$name is exported, but not declared in dorm.h"
  done | rule "exported symbols are declared"
  grep -E '^DORM_API' include/dorm/dorm.h | grep -oE 'dorm_[a-z_]+\(' | tr -d '(' | sort -u | while read -r name; do
    echo "$exported" | grep -qx "$name" || echo "$name is declared, but not exported"
  done | rule "declared functions are exported"
fi

failed=$(grep -c failed "$verdicts")
echo "$(grep -c passed "$verdicts") passed, $failed failed"
[ "$failed" = 0 ]
