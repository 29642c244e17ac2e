#!/bin/sh
# Gives films that few people rated their share of exposure: what that costs, and how well prices that were learned on half of
# the users keep it for the other half. MovieLens 100K; a user's query has the films that he rated, worth their ratings.
# With --quick: one requirement. See README.md.
# needs: movielens
set -eu
. "$(dirname "$0")/../common.sh"
here=$(cd "$(dirname "$0")" && pwd)
prepare_python
start_results "exposure of rarely rated films, MovieLens 100K"
DORM_LIBRARY=${DORM_LIBRARY:-$(ls "$(dirname "$dorm_program")"/.libs/libdorm.so.? | head -n 1)}
export DORM_LIBRARY
PYTHONPATH="$PYTHONPATH:$project/python" "$python" "$here/allocate_films.py" "$data_folder/movielens-100k" "$@" |
  keep table allocate "Parity of films by their number of ratings: half of the users, prices of the other half"
