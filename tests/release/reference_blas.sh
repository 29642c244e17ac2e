#!/bin/sh
# reference_blas.sh: configures and builds dorm with the reference BLAS and LAPACK in
# place of OpenBLAS, in a folder of its own, and runs the unit tests. It works also if
# OpenBLAS is installed (Debian keeps each library in a folder of its own).
#   reference_blas.sh FOLDER [CONFIGURE-ARGUMENT...]
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1"
cd "$1"
shift
triplet=$(${CC:-cc} -print-multiarch)
blas=/usr/lib/$triplet/blas
lapack=/usr/lib/$triplet/lapack
for file in "$blas/libblas.so" "$lapack/liblapack.so.3" "/usr/include/$triplet/cblas-netlib.h"; do
  [ -e "$file" ] || { echo "$file is missing; on Debian: apt install libblas-dev liblapack-dev" >&2; exit 2; }
done
# <cblas.h> is the header of the BLAS that the system prefers.
mkdir -p include
ln -sf "/usr/include/$triplet/cblas-netlib.h" include/cblas.h
export LD_LIBRARY_PATH="$blas:$lapack"
"$source/configure" --with-blas=reference --enable-werror "CPPFLAGS=-I$PWD/include" "LDFLAGS=-L$blas" "$@"
make -j "$(nproc)" unit dorm
libraries=$(LD_TRACE_LOADED_OBJECTS=1 ./unit)
echo "$libraries" | grep -E 'blas|lapack'
if echo "$libraries" | grep openblas || ! echo "$libraries" | grep -q "$blas/"; then
  echo "FAILED: this is not the reference BLAS" >&2
  exit 1
fi
make check "TESTS=unit" || { cat unit.log; exit 1; }
sed -n '/^Run Summary/,/^Elapsed/p' unit.log
