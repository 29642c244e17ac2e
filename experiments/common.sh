# common.sh: what the experiment scripts share. Sourced with `set -eu` in force.
#   dorm_program   the command: $DORM, or build/dorm beside the sources
#   need_data DIR  the data folder ($DORM_DATA, or ../shared/data beside the
#                  sources) holds DIR, or the script ends with a word on how
#                  to get it

project=$(cd "$(dirname "$0")/../.." && pwd)
dorm_program=${DORM:-$project/build/dorm}
data_folder=${DORM_DATA:-$project/../shared/data}

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
