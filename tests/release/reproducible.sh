#!/bin/sh
# reproducible.sh: unpacks a distribution tarball into two folders, builds it in each under another date, time zone and
# locale, and compares all that `make install` installs, byte for byte. It also looks for the hardening in the result.
#   reproducible.sh TARBALL [CONFIGURE-ARGUMENT...]
set -eu
tarball=$(realpath "$1")
shift
work=$(mktemp -d)
export CCACHE_DISABLE=1 # each build compiles for itself
trap 'rm -rf "$work"' EXIT

# build FOLDER TIME-ZONE LOCALE CONFIGURE-ARGUMENT...
build() {
  folder=$work/$1
  export TZ="$2" LC_ALL="$3"
  shift 3
  mkdir -p "$folder"
  tar -xzf "$tarball" -C "$folder" --strip-components=1
  mkdir "$folder/build"
  (cd "$folder/build" && ../configure "$@" && make -j "$(nproc)" && make install DESTDIR="$folder/installed") \
    > "$folder/log" 2>&1 || { tail -n 40 "$folder/log"; exit 1; }
}
build one UTC-14 C "$@"
build another/folder UTC+12 C.UTF-8 "$@"
diff -r "$work/one/installed" "$work/another/folder/installed"
echo "both builds are equal: $(find "$work/one/installed" -type f | wc -l) files"

command=$(find "$work/one/installed" -name dorm -type f -perm -u+x)
library=$(find "$work/one/installed" -name 'libdorm.so.*' -type f)
# has FILE TEXT READELF-OPTION
has() {
  readelf -W "$3" "$1" | grep -qE "$2" || { echo "FAILED: $1 has no $2 (readelf $3)"; exit 1; }
}
has "$command" 'Type: *DYN' -h
for file in "$command" "$library"; do
  has "$file" GNU_RELRO -l
  has "$file" 'Flags: .*NOW|BIND_NOW' -d
done
has "$library" __stack_chk_fail --dyn-syms
has "$library" '__[a-z]*printf_chk' --dyn-syms
echo "hardening is there"
