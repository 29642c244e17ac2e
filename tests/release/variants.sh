#!/bin/sh
# variants.sh VARIANT...: builds and tests in a folder build-VARIANT of its own, warnings as errors. Variants:
#   sanitized      the unit tests and the scripts that read files, under the address and undefined behaviour sanitizers
#   sanitized-all  every test under them
#   clang          the unit tests and the benchmarks, compiled by clang (clang, libomp-dev)
#   without-glpk   every test without GLPK
#   dist           make distcheck
set -eu
cd "$(dirname "$0")/../.."
jobs=$(nproc)
readers="unit tests/fuzz/replay.sh tests/security/hostile.sh tests/cli/malformed.sh tests/cli/letor.sh tests/cli/trec.sh
  tests/cli/releases.sh tests/cli/ratings.sh tests/cli/clicks.sh tests/cli/newcomer_data.sh"

# variant NAME WANTED CONFIGURE-ARGUMENT...: configures, builds everything, and makes WANTED, a target with its variables.
variant() {
  name=$1
  wanted=$2
  shift 2
  echo "== $name: configure $*; make $wanted"
  rm -rf "build-$name"
  mkdir "build-$name"
  output=$PWD/build-$name/output
  if (
    cd "build-$name" && ../configure --enable-werror "$@" && make -j "$jobs" &&
      if [ "$wanted" = readers ]; then make -j "$jobs" check TESTS="$(echo $readers)"; else make -j "$jobs" $wanted; fi
  ) > "$output" 2>&1; then
    grep -E '^(PASS|FAIL|ERROR):' "$output" || true
  else
    tail -n 60 "$output"
    [ ! -f "build-$name/unit.log" ] || grep -B2 -A12 -E 'FAILED|ERROR: |runtime error' "build-$name/unit.log" | head -n 80
    for log in "build-$name"/tests/*/*.log; do
      grep -lq '^FAIL ' "$log" 2> /dev/null && tail -n 40 "$log"
    done
    echo "== $name failed"
    exit 1
  fi
}

[ -x configure ] || autoreconf -fi > /dev/null
for wanted in "$@"; do
  case $wanted in
  sanitized) variant sanitized readers --enable-sanitizers CFLAGS='-O1 -g' ;;
  sanitized-all) variant sanitized-all check --enable-sanitizers CFLAGS='-O1 -g' ;;
  clang) variant clang 'benchmarks check TESTS=unit' CC=clang ;;
  without-glpk) variant without-glpk check --without-glpk ;;
  dist) variant dist distcheck ;;
  *)
    echo "variants.sh: no variant '$wanted'" >&2
    exit 2
    ;;
  esac
done
