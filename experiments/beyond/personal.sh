#!/bin/sh
# Ranks films for users, by features of the films alone and by their products with features of the users
# (features.cross), and prints NDCG@10 on users that were not trained on, with paired differences. See README.md.
# needs: movielens
# minutes: 2
set -eu
. "$(dirname "$0")/../common.sh"
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
start_results "films for users: products of features, MovieLens 100K"
"$python" "$here/make_personal.py" "$data_folder/movielens-100k" "$work"

printf 'features\tproducts\tndcg@10\tndcg@10 ±\tmore than films alone\tmore than films alone ±\tp\n' > "$work/table"
# method NAME PRODUCTS SETTING...
method() {
  name=$1
  products=$2
  shift 2
  "$dorm_program" train --quiet -s training.trainer=svm "$work/train.txt" "$work/validation.txt" -s data.normalisation=none -s data.rank_block=0 \
    -s solver.threads=1 -s ranking.rounds=2 -s solver.C=1,10,100 "$@" -s "output.model=$work/model.$products" > /dev/null
  [ -e "$work/base" ] || cp "$work/model.$products" "$work/base"
  "$dorm_program" eval "$work/model.$products" "$work/base" "$work/test.txt" -m ndcg@10 > "$work/out"
  awk -v name="$name" -v products="$products" -v OFS='\t' '
    /^ndcg@10/ { n++; value[n] = $2; error[n] = $4; for (i = 1; i <= NF; i++) if ($i == "p" && !p) { p = $(i + 2); sub(/,/, "", p) } }
    END { if (products == 0) print name, products, value[1], error[1], "", "", ""
          else print name, products, value[1], error[1], value[n], error[n], p }' "$work/out" >> "$work/table"
}
method 'films alone' 0 -s data.features=61-82
method 'films x sex, age, occupation' 660 -s data.features=61-82 -s 'features.cross=1-30 x 61-82'
if [ "${1:-}" != --quick ]; then
  method 'films x tastes' 418 -s data.features=61-82 -s 'features.cross=41-59 x 61-82'
  method 'films x both' 1078 -s data.features=61-82 -s 'features.cross=1-30, 41-59 x 61-82'
  method 'films x both, hashed' 300 -s data.features=61-82 -s 'features.cross=1-30, 41-59 x 61-82 into 300'
fi
keep table personal "NDCG@10 on test users" < "$work/table"
