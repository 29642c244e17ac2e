#!/bin/sh
# m32.sh: compiles every source of the library and the command for 32-bit sizes, with
# warnings as errors. It links nothing, since the 32-bit libraries are not there.
#   m32.sh BUILD-FOLDER      the folder has config.h; $CC and $BLAS_CFLAGS are used
set -eu
config=$(cd "$1" && pwd)/config.h
cd "$(dirname "$0")/../.."
cc=${CC:-gcc}
echo '#include <stdio.h>' | $cc -m32 -fsyntax-only -x c - ||
  { echo "$cc cannot compile for 32 bits; on Debian: apt install gcc-multilib" >&2; exit 2; }
warnings=$(sed -n 's/^DORM_WARNINGS="\(-std.*\)"$/\1/p' configure.ac)
[ -n "$warnings" ] || { echo "configure.ac: no line DORM_WARNINGS=\"-std...\"" >&2; exit 2; }
flags="$warnings -Werror -fopenmp -D_FILE_OFFSET_BITS=64 -I. -Iinclude $(pkg-config --cflags lapacke inih zlib jansson)"
set -- $(find base settings data features losses measures assignment kernels lambdas solver trees nets models training collaborative cli -name "*.c" | sort)
$cc -m32 -fsyntax-only $flags ${BLAS_CFLAGS:-} -include "$config" "$@"
echo "$# files compile for 32 bits without a warning"
