#!/bin/sh
# Gives films that few people rated their share of exposure: what that costs, and how well prices that were learned on half of
# the users keep it for the other half. MovieLens 100K; a user's query has the films that he rated, worth their ratings.
# With --quick: one requirement. See README.md.
# needs: movielens
# minutes: 2
set -eu
. "$(dirname "$0")/../common.sh"
here=$(cd "$(dirname "$0")" && pwd)
prepare_python
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
start_results "exposure of rarely rated films, MovieLens 100K"
"$python" "$here/allocate_films.py" "$dorm_program" "$data_folder/movielens-100k" "$work" "$@" |
  keep table allocate "Parity of films by their number of ratings: half of the users, prices of the other half"
