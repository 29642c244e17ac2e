# lib.sh: functions that the command-line tests share. A test sources this file,
# calls expect, holds and others, and ends with `finish`.

dorm=${DORM:?DORM names the command under test}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0
failed=0

# result OK WHAT: counts a check that passed if OK is 0; otherwise one that failed, and prints WHAT.
result() {
  if [ "$1" = 0 ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $2"
    [ ! -s err ] || tail -n 15 err | sed 's/^/    stderr: /'
  fi
}

# expect STATUS WHAT COMMAND...: runs the command, which must end with STATUS; its output is in ./out and ./err.
expect() {
  wanted=$1
  what=$2
  shift 2
  "$@" > out 2> err < /dev/null
  got=$?
  [ "$got" = "$wanted" ]
  result $? "$what: exit code $got instead of $wanted"
}

# strike PID: kills a child of this script; $code is its exit code. clang's OpenMP
# runtime keeps a file in shared memory whose name has the number of the process. A
# killed process leaves that file, and if it was not yet written completely, the
# next process of the same number would fail. So the file is removed.
strike() {
  kill -KILL "$1" 2> /dev/null
  wait "$1" 2> /dev/null
  code=$?
  rm -f "/dev/shm/__KMP_REGISTERED_LIB_$1"_*
}

# kill_often TIMES SPAN SEED COMMAND...: runs a command that goes on where it was killed, until it was killed in flight so
# many times, each at a random moment within SPAN milliseconds, which shrink where it was done by then. After each run
# the script's function after_run is called; $code is 137 if the command was killed, else 0.
kill_often() {
  wanted=$1
  span=$2
  seed=$3
  shift 3
  kills=0
  round=0
  while [ $kills -lt "$wanted" ] && [ $round -lt $((10 * wanted)) ]; do
    round=$((round + 1))
    moment=$(awk -v seed=$((seed + round)) -v span=$span 'BEGIN { srand(seed); printf "%.4f", (0.05 + rand()) * span / 1000 }')
    "$@" > out 2> err &
    pid=$!
    sleep "$moment"
    strike $pid
    [ $code = 137 ] || [ $code = 0 ]
    result $? "killed or done, not failed: exit code $code"
    if [ $code = 137 ]; then
      kills=$((kills + 1))
    else
      span=$((1 + span * 3 / 4)) # it took less time than was thought
    fi
    after_run
  done
  [ $kills = "$wanted" ]
  result $? "$wanted runs were killed in flight ($kills of $round)"
}

# one_line_with TEXT: the standard error of the last command is one line that contains TEXT.
one_line_with() {
  [ "$(wc -l < err)" = 1 ] && grep -qF -- "$1" err
  result $? "one line with '$1' expected"
}

# holds FILE TEXT: the file contains TEXT. absent FILE: there is no such file.
holds() {
  grep -qF -- "$2" "$1"
  result $? "$1 holds '$2'"
}
absent() {
  [ ! -e "$1" ]
  result $? "$1 must not be there"
}

# run_document FILE: runs the fenced blocks of FILE that are marked by a comment:
#   <!-- test: NAME -->     Commands, run as one `sh -e` script; the blocks of one
#                           NAME run in their order in the folder documents/FILE/NAME.
#   <!-- test: c NAME -->   C, in the same folder for NAME: a program is compiled to
#                           ./NAME and run, a module is compiled to ./NAME.so.
# The blocks find the `dorm` of this build, its library by `pkg-config dorm`, and
# the compiler of this build as `cc`. Every mark must have a block.
run_document() {
  file=$1
  folder=$work/documents/$(basename "$file" .md)
  mkdir -p "$folder" "$work/bin"
  ln -sf "$dorm" "$work/bin/dorm"
  [ ! -x "$(dirname "$dorm")/dorm-mpi" ] || ln -sf "$(dirname "$dorm")/dorm-mpi" "$work/bin/dorm-mpi"
  printf '#!/bin/sh\nPATH=%s exec %s "$@"\n' "'$PATH'" "${DORM_TEST_CC:-cc}" > "$work/bin/cc" # not itself again
  chmod +x "$work/bin/cc"
  sanitizers=${DORM_TEST_SANITIZERS:-}
  libraries=$(dirname "${LIBDORM:-.}")
  printf 'Name: dorm\nDescription: this build\nVersion: 0\nCflags: -I%s %s\nLibs: -L%s -Wl,-rpath,%s -ldorm %s\n' \
    "$srcdir/include" "$sanitizers" "$libraries" "$libraries" "$sanitizers" > "$work/bin/dorm.pc"
  awk -v folder="$folder" '
    /^<!-- test: .* -->$/ { name = $0; sub(/^<!-- test: /, "", name); sub(/ -->$/, "", name); next }
    /^```/ {
      if (inside) { close(block); inside = 0; name = "" }
      else if (name != "") { block = sprintf("%s/%03d", folder, ++blocks); inside = 1; print NR, name; printf "" > block }
      next
    }
    inside { print > block }' "$file" > "$folder/blocks"
  [ "$(grep -c '^<!-- test: ' "$file")" = "$(wc -l < "$folder/blocks")" ]
  result $? "$(basename "$file"): every mark has its block"
  number=0
  while read -r line name; do
    number=$((number + 1))
    run_block "$folder" "$(printf '%03d' $number)" "$(basename "$file"):$line" "$name" < /dev/null
  done < "$folder/blocks"
}

# run_block FOLDER BLOCK WHERE NAME: runs one block; WHERE is file:line for messages.
run_block() {
  case $4 in
    "c "*) word=${4#c } ;;
    *) word= ;;
  esac
  place="$1/${word:-$4}"
  mkdir -p "$place"
  if [ -z "$word" ]; then
    expect 0 "$3 ($4)" in_document "$place" sh -e "$1/$2"
    return
  fi
  cp "$1/$2" "$place/$word.c"
  if grep -q '^int main(' "$place/$word.c"; then
    compile="cc -Wall -Wextra -Werror $word.c -o $word \$(pkg-config --cflags --libs dorm) -lm && ./$word"
  else
    compile="cc -Wall -Wextra -Werror -shared -fPIC $word.c -o $word.so \$(pkg-config --cflags dorm) -lm"
  fi
  expect 0 "$3 ($4)" in_document "$place" sh -ec "$compile"
}
in_document() (
  cd "$1" && shift &&
    PATH=$work/bin:$PATH PKG_CONFIG_PATH=$work/bin "$@"
)

# names_settings DOCUMENT...: every word section.key in the documents is the name of a setting.
names_settings() {
  "$dorm" train --help > help
  sections=$(sed -n 's/^  \([a-z_]*\)\.[A-Za-z_]* = .*/\1/p' help | sort -u | tr '\n' '|')
  grep -ohE "\b(${sections%|})\.[A-Za-z_]+\b" "$@" |
    grep -vE '\.(c|h|cc|so|txt|csv|tsv|gz|dorm|ini|json|sh|md)$' | sort -u > named
  while read -r key; do
    grep -q "^  $key = " help
    result $? "the documents name $key, which is no setting"
  done < named
}

finish() {
  echo "$passed passed, $failed failed"
  [ "$failed" = 0 ]
  exit $?
}
