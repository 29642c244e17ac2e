#!/bin/sh
# releases.sh: models that other versions wrote (tests/models) are read, and score alike.
models=$(cd "${srcdir:-.}/tests/models" && pwd)
. "$(dirname "$0")/lib.sh"

# alike OLD NEW: two files of scores agree to rounding.
alike() {
  paste "$1" "$2" | awk '
    { size = $1 < 0 ? -$1 : $1; difference = $1 < $2 ? $2 - $1 : $1 - $2; bad += NF != 2 || difference > 1e-9 * (1 + size) }
    END { exit bad || !NR }'
}

for folder in "$models"/*/; do
  version=$(basename "$folder")
  for old in "$folder"*.scores; do
    name=$(basename "$old" .scores)
    case $name in
    factors) expect 0 "$version, factors" "$dorm" recommend "$folder$name.dorm" --score "$folder/pairs.txt" ;;
    *) expect 0 "$version, $name" "$dorm" predict "$folder$name.dorm" "$folder/data.txt" ;;
    esac
    cp out new
    alike "$old" new
    result $? "scores of $name are those of dorm $version"
  done
done
! alike "$models/0.1.0/linear.scores" "$models/0.1.0/ridge.scores"
result $? "scores of other models are not alike"
finish
