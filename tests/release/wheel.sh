#!/bin/sh
# wheel.sh FOLDER: installs the wheel in FOLDER, and then the source distribution, in an empty virtual environment with
# numpy alone (by a link: no network is needed), and runs the tutorial there under `env -i`. Needs python3-venv, pip.
set -eu
folder=$(cd "$1" && pwd)
top=$(cd "${srcdir:-.}" && pwd)
python=${PYTHON:-/usr/bin/python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$DORM" generate artificial --seed 2 --part 1 --queries 60 -o train.txt
"$DORM" generate artificial --seed 2 --part 2 --queries 60 -o validation.txt
"$DORM" generate artificial --seed 2 --part 3 --queries 60 -o test.txt
cp "$top/python/tutorial.py" . # away from the package of the sources
# try FILE: it installs, finds a library of its own, and runs the tutorial.
try() {
  rm -rf venv
  "$python" -m venv venv
  site=$(venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  "$python" -c 'import numpy, os; print(os.path.dirname(os.path.dirname(numpy.__file__)))' > numpy.path
  ln -s "$(cat numpy.path)"/numpy* "$site/"
  env -i PATH=/usr/bin:/bin HOME="$work" venv/bin/pip install -q --no-index --no-deps --no-build-isolation "$1"
  env -i venv/bin/python -c 'import dorm; print(dorm._library.lib._name)' > found
  grep -q "^$work/venv/.*/dorm/_lib/libdorm" found
  env -i venv/bin/python tutorial.py > tutorial.out
  grep -q "cross-validated by query" tutorial.out
  env -i venv/bin/python -c 'import dorm, sys
sys.exit(any("glpk" in line for line in open("/proc/self/maps")))'
  venv/bin/dorm predict model.dorm test.txt -o scores.txt
  [ "$(wc -l < scores.txt)" = "$(wc -l < test.txt)" ]
  echo "PASS: $(basename "$1")"
}
for wheel in "$folder"/dorm_rank-*.whl; do
  size=$(stat -c %s "$wheel")
  echo "$(basename "$wheel"): $((size / 1000)) kB"
  try "$wheel"
done
for sdist in "$folder"/dorm_rank-*.tar.gz; do
  try "$sdist"
done
