# common.sh: what the experiment scripts share. Sourced with `set -eu` in force.
#   dorm_program   the command: $DORM, or build/dorm beside the sources
#   python         Debian's python3, which has numpy where python3-numpy is
#                  installed; $PYTHON for another one
#   need_data DIR  the data folder ($DORM_DATA, or ../shared/data beside the
#                  sources) holds DIR, or the script ends with a word on how
#                  to get it
#   run_study ...  runs experiment.py of the script's folder
#   prepare_python what the Python programs in lib/ expect of their surroundings

project=$(cd "$(dirname "$0")" && while [ ! -e configure.ac ] && [ "$PWD" != / ]; do cd ..; done && pwd)
dorm_program=${DORM:-$project/build/dorm}
data_folder=${DORM_DATA:-$project/../shared/data}
python=${PYTHON:-/usr/bin/python3}
[ -x "$python" ] || python=python3

if [ ! -x "$dorm_program" ]; then
  echo "$0: no dorm at $dorm_program; build it (./quickstart demo), or set DORM" >&2
  exit 2
fi

need_data() {
  [ -e "$data_folder/$1" ] && return
  echo "$0: no data at $data_folder/$1" >&2
  echo "$2" >&2
  echo "Set DORM_DATA to the folder that holds $1." >&2
  exit 3
}

# python_with MODULE...: fails with the name of the Debian package where one is missing.
python_with() {
  for module in "$@"; do
    "$python" -c "import $module" 2> /dev/null && continue
    echo "$0: $python has no $module: apt-get install python3-$module, or name another Python by PYTHON" >&2
    exit 2
  done
}

# Two jobs run at a time, each on one thread, so that results do not depend on
# how many processors there are.
prepare_python() {
  python_with numpy
  export DORM="$dorm_program" DORM_DATA="$data_folder" DORM_PROJECT="$project"
  export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
  export PYTHONPATH="$project/experiments/lib" PYTHONDONTWRITEBYTECODE=1
}

run_study() {
  prepare_python
  exec "$python" "$(dirname "$0")/experiment.py" "$@"
}
