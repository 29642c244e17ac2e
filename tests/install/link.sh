#!/bin/sh
# link.sh LIBDIR: a C and a C++ program against the installed library: by pkg-config, shared and, where libdorm.a is,
# static; by CMake where that is. A program that includes one header needs no other package.
set -eu
libdir=$1
source=$(cd "${srcdir:-.}/tests/install" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cp "$source"/* .
# Packages of other libraries are not asked for: an empty folder is all that pkg-config knows besides.
flags=$(PKG_CONFIG_LIBDIR="$libdir/pkgconfig" PKG_CONFIG_PATH='' pkg-config --cflags --libs dorm)
LD_LIBRARY_PATH=$libdir
export LD_LIBRARY_PATH
try() { # try NAME: the program ./NAME runs and prints a measure
  "./$1" > out
  grep -q "^ndcg@5.* = 0\.[0-9]* over 50 queries" out
  echo "PASS: $1: $(cat out)"
}
# shellcheck disable=SC2086
${CC:-cc} -Wall -Wextra -Werror embed.c -o c_shared $flags
try c_shared
nm -D c_shared | grep -q ' dorm_train@DORM_0$' # the version of its symbols
# shellcheck disable=SC2086
${CXX:-c++} -Wall -Wextra -Werror headers.cc -o cc_shared $flags
./cc_shared
if [ -f "$libdir/libdorm.a" ]; then
  flags=$(PKG_CONFIG_LIBDIR="$libdir/pkgconfig" PKG_CONFIG_PATH='' pkg-config --cflags --libs --static dorm)
  flags=$(echo "$flags" | sed 's/-ldorm/-l:libdorm.a/')
  # shellcheck disable=SC2086
  ${CC:-cc} embed.c -o c_static $flags
  try c_static
  # shellcheck disable=SC2086
  ${CXX:-c++} headers.cc -o cc_static $flags
  ./cc_static
  if ldd c_static | grep libdorm; then exit 1; fi
fi
if command -v cmake > /dev/null; then
  cmake -S . -B made -Ddorm_DIR="$libdir/cmake/dorm" > cmake.out 2>&1 && cmake --build made >> cmake.out 2>&1 || {
    tail -n 20 cmake.out
    exit 1
  }
  for program in made/c_* made/cc_*; do
    "$program" > out
    echo "PASS: cmake: $(basename "$program")"
  done
fi
