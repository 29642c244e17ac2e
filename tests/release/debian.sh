#!/bin/sh
# debian.sh: builds the Debian packages from a distribution tarball, checks them
# with lintian, installs them, and trains and predicts with the installed command
# and with a program that is compiled through the installed dorm.pc.
#   debian.sh TARBALL
# If DORM_CHROOT is a folder that contains a Debian system, the packages are
# installed there with apt, which needs the rights of root and changes the folder,
# so use a copy. Otherwise they are unpacked into a clean folder.
set -eu
tarball=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for program in dpkg-buildpackage lintian dh; do
  command -v $program > /dev/null || { echo "$program is missing; on Debian: apt install dpkg-dev lintian debhelper" >&2; exit 2; }
done
tar -xzf "$tarball" -C "$work"
source=$(echo "$work"/dorm-*)

echo "== dpkg-buildpackage"
(cd "$source" && DEB_BUILD_OPTIONS="nocheck parallel=$(nproc)" dpkg-buildpackage -us -uc -b > "$work/log" 2>&1) || {
  tail -n 40 "$work/log"
  exit 1
}
(cd "$work" && ls ./*.deb)

echo "== lintian"
lintian --fail-on error --allow-root "$work"/*.changes

cat > "$work/try.sh" <<'END'
set -eu
cd "$1"
dorm generate artificial --queries 50 --docs 20 --part 1 -o train.txt
dorm generate artificial --queries 50 --docs 20 --part 2 -o test.txt
dorm train -q -s data.train=train.txt -s data.validation=test.txt > table
dorm predict model.dorm test.txt -o scores.txt
[ "$(wc -l < scores.txt)" = 1000 ]
dorm eval model.dorm test.txt -m ndcg@10
END
cat > "$work/try.py" <<'END'
import os, sys

import dorm, numpy

os.chdir(sys.argv[1])  # where the command has left its model, its data and its scores
ranker = dorm.Ranker.load("model.dorm")
test = dorm.read_letor("test.txt")
assert (ranker.predict(test) == numpy.loadtxt("scores.txt")).all()
print("the command's model in Python:", ranker.score(test))
X = numpy.random.RandomState(1).uniform(size=(60, 3))
ranker = dorm.Ranker("ndcg@5", C=1).fit(X, X[:, 0] > 0.6, qid=numpy.arange(60) // 10)
print(dorm.__version__, dorm.__file__, ranker.certificate_.gap)
END
if [ -n "${DORM_CHROOT:-}" ]; then
  echo "== installed into $DORM_CHROOT"
  mkdir -p "$DORM_CHROOT/tmp/dorm-packages"
  cp "$work"/*.deb "$work/try.sh" "$work/try.py" "$source/tests/install/embed.c" "$DORM_CHROOT/tmp/dorm-packages"
  chroot "$DORM_CHROOT" sh -euc '
    export DEBIAN_FRONTEND=noninteractive
    apt-get update > /dev/null
    rm -f /tmp/dorm-packages/*dbgsym*
    apt-get install -y --no-install-recommends /tmp/dorm-packages/*.deb gcc libc6-dev pkgconf > /tmp/dorm-packages/log 2>&1 ||
      { tail -n 20 /tmp/dorm-packages/log; exit 1; }
    cd /tmp/dorm-packages
    mkdir -p demo
    sh try.sh demo
    cc -Wall -Wextra -Werror embed.c -o embed $(pkg-config --cflags --libs dorm)
    ./embed
    python3 try.py demo'
else
  echo "== unpacked into a clean folder"
  root=$work/root
  mkdir "$root"
  for package in "$work"/*.deb; do
    dpkg-deb -x "$package" "$root"
  done
  libraries=$(dirname "$(find "$root" -name 'libdorm.so.0')")
  export LD_LIBRARY_PATH="$libraries" PATH="$root/usr/bin:$PATH"
  mkdir "$work/demo"
  sh "$work/try.sh" "$work/demo"
  export PKG_CONFIG_SYSROOT_DIR="$root" PKG_CONFIG_PATH="$libraries/pkgconfig"
  cc -Wall -Wextra -Werror "$source/tests/install/embed.c" -o "$work/embed" $(pkg-config --cflags --libs dorm)
  "$work/embed"
  if /usr/bin/python3 -c 'import numpy' 2> /dev/null; then
    PYTHONPATH="$root/usr/lib/python3/dist-packages" /usr/bin/python3 "$work/try.py" "$work/demo"
  else
    echo "the Python package is not tried: there is no python3-numpy"
  fi
fi
echo "== done"
