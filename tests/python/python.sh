#!/bin/sh
# python.sh: python/ against the library of this build: its declarations against the table that the compiler made of the
# header, its tests, what it says when the library is missing or another one, and the listings of manual/python.md.
# PYTHON names another interpreter than Debian's.
top=$(cd "${srcdir:-.}" && pwd)
tests=$top/tests/python
. "$top/tests/cli/lib.sh"
for python in ${PYTHON:-} /usr/bin/python3 python3; do
  "$python" -c 'import numpy' 2> /dev/null && break
  python=
done
if [ -z "$python" ]; then
  echo "skipped: there is no python3 with numpy (apt-get install python3-numpy)"
  exit 77
fi
case ${DORM_TEST_SANITIZERS:-} in
*fsanitize=thread*)
  echo "skipped: Python cannot load a library with the thread sanitizer"
  exit 77
  ;;
*fsanitize*) # the sanitizers have to be there before Python is, and exceptions of C++ before them
  sanitizer=$("${DORM_TEST_CC:-cc}" -print-file-name=libasan.so):$("${DORM_TEST_CC:-cc}" -print-file-name=libstdc++.so.6)
  python_leaks=detect_leaks=0:allocator_may_return_null=1 # leaks are of Python itself
  ;;
esac

# run_python LIBRARY ARGUMENT...
run_python() {
  library=$1
  shift
  env ${sanitizer:+LD_PRELOAD="$sanitizer"} ${python_leaks:+ASAN_OPTIONS="$python_leaks"} DORM_LIBRARY="$library" \
    PYTHONPATH="$top/python:$tests" PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=ignore::DeprecationWarning "$python" "$@"
}

for file in "$top"/python/dorm/*.py; do
  grep -q "/dorm/$(basename "$file")" "$top/python/sources.am"
  result $? "$(basename "$file") is in python/sources.am, so it is installed and packed"
done
expect 0 "declarations" run_python "$LIBDORM" "$tests/abi.py" "$DORM_ABI"
cat out
DORM_DATA=${DORM_DATA:-$top/../shared/data}
export DORM_DATA
# One process, since importing scikit-learn, pandas, matplotlib and XGBoost takes seconds.
modules=$(cd "$tests" && ls ./*_test.py | sed 's,^\./,,; s,\.py$,,')
# shellcheck disable=SC2086
expect 0 "tests/python/*_test.py" run_python "$LIBDORM" -m unittest -v $modules
[ "$got" = 0 ] || tail -n 60 err
grep -E "^Ran|skipped" err
grep -E "MQ2008" out || true

# Wrong arguments of every kind (DORM_PYTHON_FUZZ names other seconds, and a seed behind them).
# shellcheck disable=SC2086
expect 0 "tests/python/fuzz.py" run_python "$LIBDORM" "$tests/fuzz.py" ${DORM_PYTHON_FUZZ:-8}
cat out

# A library that is missing, is none, or is another one, is an ImportError with a sentence.
refuses_library() {
  expect 1 "$1" run_python "$2" -c 'import dorm'
  tail -n 1 err > last
  holds last "ImportError: "
  holds last "$3"
}
refuses_library "no library" "$work/libnothing.so" "install libdorm0"
echo "not a library" > libtext.so
refuses_library "a text" "$work/libtext.so" "cannot be loaded"
fake() {
  printf '%s\n' "$2" > fake.c
  "${DORM_TEST_CC:-cc}" -shared -fPIC -o "$1" fake.c
}
fake libstranger.so 'int stranger;'
refuses_library "another library" "$work/libstranger.so" "is not the library of dorm"
fake libnewer.so 'const char *dorm_version(void); const char *dorm_version(void) { return "17.2.0"; }'
refuses_library "another version" "$work/libnewer.so" "is dorm 17.2.0, but this Python package is for dorm 0.1"
fake libpart.so 'const char *dorm_version(void); const char *dorm_version(void) { return "0.1.7"; }'
refuses_library "an older library of the same version" "$work/libpart.so" "has no function dorm_"

# The listings of README and of the tutorial, in order, as one program each.
listings() { awk '/^```python$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$1"; }
listings "$top/README.md" > readme.py
listings "$top/manual/python.md" > chapter.py
listings "$top/manual/clicks.md" | sed 's/"train.txt"/"short.txt"/' > clicks.py
"$dorm" generate artificial --queries 100 --docs 20 -o short.txt # as the chapter does
"$dorm" generate artificial --seed 2 --part 1 --queries 60 -o train.txt
"$dorm" generate artificial --seed 2 --part 2 --queries 60 -o validation.txt
"$dorm" generate artificial --seed 2 --part 3 --queries 60 -o test.txt
[ "$(wc -l < chapter.py)" -gt 40 ]
result $? "manual/python.md has listings"
[ "$(wc -l < readme.py)" = 5 ]
result $? "README.md has a listing of five lines"
"$dorm" generate artificial --seed 2 --part 1 --queries 15 -o train.txt
expect 0 "README.md" run_python "$LIBDORM" readme.py
"$dorm" generate artificial --seed 2 --part 1 --queries 60 -o train.txt
expect 0 "manual/python.md" run_python "$LIBDORM" chapter.py
[ "$got" = 0 ] || tail -n 20 err
expect 0 "manual/clicks.md" run_python "$LIBDORM" clicks.py
holds out "1 / position^"
expect 0 "python/tutorial.py" run_python "$LIBDORM" "$top/python/tutorial.py"
[ "$got" = 0 ] || tail -n 20 err
holds out "cross-validated by query"
expect 0 "the model of the tutorial" "$dorm" predict model.dorm test.txt -o tutorial.scores
[ "$(wc -l < tutorial.scores)" = "$(wc -l < test.txt)" ]
result $? "the command reads the model of the tutorial"
# A wheel of the library of this build holds every file of the package and works without anything else; `make
# check-wheel` builds that without GLPK, and the source distribution.
if [ -z "${sanitizer:-}" ]; then
  "$python" - "$top/python" "$LIBDORM" > wheel.out 2> err << 'END'
import os, pathlib, sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import backend
backend.build = lambda folder: backend.built(pathlib.Path(sys.argv[2]).parent.parent)
print(backend.make_wheel("dist", None))
END
  result $? "the wheel is built: $(cat err)"
  "$python" -m zipfile -l "dist/$(cat wheel.out)" > in_wheel
  for file in "$top"/python/dorm/*.py "$top"/python/dorm/py.typed; do
    grep -q "^dorm/$(basename "$file") " in_wheel
    result $? "$(basename "$file") is in the wheel"
  done
  "$python" -m zipfile -e "dist/$(cat wheel.out)" unpacked
  env -i PYTHONPATH=unpacked "$python" -c 'import dorm; print(dorm._library.lib._name, dorm.Ranker(C=1))' > out 2> err
  result $? "the wheel works: $(cat err)"
  holds out unpacked/dorm/_lib/libdorm
  if [ -f unpacked/dorm/_lib/dorm ]; then # with patchelf
    chmod +x unpacked/dorm/_lib/dorm # as pip does
    [ "$(env -i PYTHONPATH=unpacked "$python" -m dorm --version)" = "$("$dorm" --version)" ]
    result $? "the wheel has the command"
  fi
fi

# Types, as mypy sees them.
if command -v mypy > /dev/null; then
  expect 0 "mypy --strict python/tutorial.py, mypy python/dorm" env MYPYPATH="$top/python" mypy --cache-dir=mypy_cache \
    --config-file="$top/pyproject.toml" "$top/python/tutorial.py" "$top/python/dorm"
  [ "$got" = 0 ] || cat out
else
  echo "mypy is not installed: types are not checked"
fi

# The line with which quickstart demo ends, in a folder that looks like the demo's.
mkdir -p demo/build/demo
ln -s "$top/python" demo/python
ln -s "$(dirname "$LIBDORM")" demo/build/.libs
cp model.dorm test.txt demo/build/demo
eval "$(grep -E '^(load|python_line)=' "$top/quickstart")"
with="env ${sanitizer:+LD_PRELOAD=$sanitizer} ${python_leaks:+ASAN_OPTIONS=$python_leaks} PYTHONDONTWRITEBYTECODE=1 $python"
(cd demo && eval "$(echo "$python_line" | sed "s,python3 -c,$with -c,")") > line.out
result $? "the line of quickstart demo runs"
"$dorm" eval model.dorm test.txt -m ndcg@10 > eval.out
[ "$(awk '{ printf "%.4f", $1 }' line.out)" = "$(awk '{ printf "%.4f", $2 }' eval.out)" ]
result $? "it prints what dorm eval does: $(cat line.out eval.out | tr '\n' ' ')"
if run_python "$LIBDORM" -c 'import matplotlib' 2> /dev/null; then
  [ -s tutorial.png ] && [ -s learning_curve.png ]
  result $? "the tutorial writes its pictures"
fi
finish
