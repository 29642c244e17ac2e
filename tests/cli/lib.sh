# lib.sh: what the command-line tests share. Sourced; each test script then
# calls check_* and ends with `finish`.

dorm=${DORM:?DORM names the command under test}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0
failed=0

# result OK WHAT: counts, and says what failed.
result() {
  if [ "$1" = 0 ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $2"
    [ ! -s err ] || tail -n 3 err | sed 's/^/    stderr: /'
  fi
}

# expect STATUS WHAT COMMAND...: runs it, output in ./out and ./err.
expect() {
  wanted=$1
  what=$2
  shift 2
  "$@" > out 2> err < /dev/null
  got=$?
  [ "$got" = "$wanted" ]
  result $? "$what: exit code $got instead of $wanted"
}

# The last command's standard error is one line that holds TEXT.
one_line_with() {
  [ "$(wc -l < err)" = 1 ] && grep -qF -- "$1" err
  result $? "one line with '$1' expected"
}

# FILE holds TEXT / there is no FILE.
holds() {
  grep -qF -- "$2" "$1"
  result $? "$1 holds '$2'"
}
absent() {
  [ ! -e "$1" ]
  result $? "$1 must not be there"
}

finish() {
  echo "$passed passed, $failed failed"
  [ "$failed" = 0 ]
  exit $?
}
