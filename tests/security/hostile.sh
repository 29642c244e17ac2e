#!/bin/sh
# hostile.sh: reading a model opens the model and nothing else, and loads nothing. hostile.py makes models that name a
# module, a named pipe and a file without permission wherever a model can name a file, and runs every command that takes a
# model, and Python, on each. DORM_HOSTILE names another number of models than 8 (make check-hostile: 1000), and a seed behind
# it.
security=$(cd "${srcdir:-.}/tests/security" && pwd)
models=$(cd "${srcdir:-.}/tests/models/0.1.0" && pwd)
. "$security/../cli/lib.sh"
if [ -n "${DORM_TEST_SANITIZERS:-}" ]; then
  echo "skipped: a sanitizer and the library that watches cannot both come first"
  exit 77
fi
for interpreter in /usr/bin/python3 python3; do
  "$interpreter" -c '' 2> /dev/null && break
  interpreter=
done
if [ -z "$interpreter" ]; then
  echo "skipped: there is no python3"
  exit 77
fi
cc="${DORM_TEST_CC:-cc} -shared -fPIC"
$cc -o watch.so "$security/watch.c" -ldl
result $? "compile the library that watches"
printf '#include <stdio.h>\n__attribute__((constructor)) static void load(void) { fclose(fopen("%s/loaded", "w")); }\n' \
  "$work" > evil.c
$cc -o evil.so evil.c
result $? "compile a module"
mkfifo fifo
echo "HIDDEN words" > secret
chmod 000 secret
cp "$models/data.txt" "$models/pairs.txt" .
expect 0 "clicks" "$dorm" generate clicks data.txt --impressions 20 -o clicks.txt

# libtool's script would be watched in place of the command.
built=$(dirname "$dorm")/.libs
[ -x "$built/dorm" ] && dorm=$built/dorm
srcdir=$(cd "$security/../.." && pwd)
DORM=$dorm WATCH=$work/watch.so LD_LIBRARY_PATH=$built PYTHONPATH=$srcdir/python PYTHONDONTWRITEBYTECODE=1
DORM_LIBRARY=$LIBDORM
export DORM WATCH LD_LIBRARY_PATH PYTHONPATH PYTHONDONTWRITEBYTECODE DORM_LIBRARY srcdir
if "$interpreter" -c 'import numpy' 2> /dev/null; then
  PYTHON=$interpreter
  export PYTHON
fi

# The watch sees what the user does name.
env LD_PRELOAD="$WATCH" DORM_WATCH="$work/watched" "$dorm" losses --check ./evil.so > out 2> err
holds watched "dlopen ./evil.so"
[ -e loaded ]
result $? "a module that the user names is loaded"
rm -f loaded

# shellcheck disable=SC2086
expect 0 "hostile models" "$interpreter" "$security/hostile.py" ${DORM_HOSTILE:-8 6}
grep FAILED out | head -n 40
tail -n 1 out
finish
