#!/bin/sh
# m32.sh: every source of the library and the command passes the warnings, as
# errors, where size_t has 32 bits. Nothing is linked: the libraries are there
# for the machine's own width only.
#   m32.sh BUILD-FOLDER      where config.h is; $CC and $BLAS_CFLAGS are taken
set -eu
config=$(cd "$1" && pwd)/config.h
cd "$(dirname "$0")/../.."
cc=${CC:-gcc}
echo '#include <stdio.h>' | $cc -m32 -fsyntax-only -x c - ||
  { echo "$cc cannot compile for 32 bits; on Debian: apt install gcc-multilib" >&2; exit 2; }
warnings=$(sed -n 's/^DORM_WARNINGS="\(-std.*\)"$/\1/p' configure.ac)
[ -n "$warnings" ] || { echo "configure.ac: no line DORM_WARNINGS=\"-std...\"" >&2; exit 2; }
flags="$warnings -Werror -fopenmp -D_FILE_OFFSET_BITS=64 -I. -Iinclude $(pkg-config --cflags lapacke inih zlib jansson)"
set -- base/*.c data/*.c losses/*.c assignment/*.c kernels/*.c ratings/*.c factorization/*.c solver/*.c cli/*.c
$cc -m32 -fsyntax-only $flags ${BLAS_CFLAGS:-} -include "$config" "$@"
echo "$# files compile for 32 bits without a warning"
