# common.sh: what the scripts of the experiments share. They source it with `set -eu`
# in force and with their own arguments.
#   dorm_program    the command: $DORM, or build/dorm beside the sources
#   python          Debian's python3, for which python3-numpy installs numpy; $PYTHON
#                   names another one
#   results         the folder in which each experiment has a folder for its results:
#                   $DORM_RESULTS, or `results` in the work folder ($DORM_WORK, or
#                   build/experiments); `results-quick` for quick runs, and
#                   `results-partial` for runs on a part of the data
#   data_folder     the data: $DORM_DATA, or ../shared/data beside the sources
#   prepare_python  exports what the Python programs in lib/ read of the environment
#   start_results   makes the folder $out for the results of the script's experiment
#   keep            prints a table and keeps it in $out/results.tsv (lib/keep.py)

project=$(cd "$(dirname "$0")" && while [ ! -e configure.ac ] && [ "$PWD" != / ]; do cd ..; done && pwd)
dorm_program=${DORM:-$project/build/dorm}
data_folder=${DORM_DATA:-$project/../shared/data}
python=${PYTHON:-/usr/bin/python3}
[ -x "$python" ] || python=python3

results=${DORM_WORK:-$project/build/experiments}/results
case " $* " in
  *' --quick '*) results=$results-quick ;;
  *' --data'* | *' --partial '*) results=$results-partial ;;
  *) [ -z "${DORM_SPLITS:-}" ] || results=$results-partial ;;
esac
results=${DORM_RESULTS:-$results}

if [ ! -x "$dorm_program" ]; then
  echo "$0: there is no program $dorm_program; build it (./quickstart demo), or name another one by DORM" >&2
  exit 2
fi

# python_with MODULE...: ends the script where a module is missing, and names its Debian package.
python_with() {
  for module in "$@"; do
    "$python" -c "import $module" 2> /dev/null && continue
    echo "$0: $python has no module $module: apt-get install python3-$module, or name another Python by PYTHON" >&2
    exit 2
  done
}

# Two jobs run at a time, each on one thread, so that results do not depend on
# the number of processors. OpenBLAS's kernels are SkylakeX's, which made the kept
# results, on every processor that has their instructions.
prepare_python() {
  python_with numpy
  if grep -qs avx512vl /proc/cpuinfo; then
    export OPENBLAS_CORETYPE="${OPENBLAS_CORETYPE:-SkylakeX}"
  fi
  export DORM="$dorm_program" DORM_DATA="$data_folder" DORM_PROJECT="$project" DORM_RESULTS="$results"
  export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
  export PYTHONPATH="$project/experiments/lib" PYTHONDONTWRITEBYTECODE=1
}

start_results() { # TITLE
  name=$(basename "$0" .sh)
  out=$results/$name
  mkdir -p "$out"
  rm -f "$out/results.tsv"
  keep about experiment "$name, $1"
}

keep() {
  PYTHONDONTWRITEBYTECODE=1 "$python" "$project/experiments/lib/keep.py" "$out/results.tsv" "$@"
}
