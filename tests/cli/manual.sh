#!/bin/sh
# manual.sh: the commands and listings of the manual run, the settings that it
# names exist, and its index has every chapter.
. "${srcdir:-.}/tests/cli/lib.sh"

# Those about several processes need dorm-mpi and mpirun, which by itself does not run for root or on few cores.
has_mpi=no
[ ! -x "$(dirname "$dorm")/dorm-mpi" ] || ! command -v mpirun > /dev/null || has_mpi=yes
export OMPI_MCA_orte_tmpdir_base="$work" # as in mpi.sh
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1

# Four chapters compile modules of the tests.
for module in losses/module/worst_pair kernels/module/chi_square lambdas/module/square_hinge measures/measures/reciprocal; do
  mkdir -p "documents/${module%/*}"
  cp "$srcdir/tests/plugins/${module##*/}.c" "documents/${module%/*}"
done

for chapter in "$srcdir"/manual/*.md; do
  if [ "$(basename "$chapter")" = clusters.md ] && [ $has_mpi = no ]; then
    echo "manual/clusters.md is not run: dorm-mpi was not built, or there is no mpirun (openmpi-bin)"
  elif [ "$(basename "$chapter")" = clusters.md ]; then
    kept=${ASAN_OPTIONS:-}
    export ASAN_OPTIONS="${kept:+$kept:}detect_leaks=0" # Open MPI does not give back all memory before it ends
    run_document "$chapter"
    ASAN_OPTIONS=$kept
  else
    run_document "$chapter"
  fi
  name=$(basename "$chapter")
  # Rows of tables that begin with a model and end with a figure: `dorm eval` at the end of the chapter prints it.
  sed -n 's/^| `\([a-z]*\.dorm\)` |.*| \(\.[0-9]*\) |$/\1 \2/p' "$chapter" > figures
  while read -r model figure; do
    awk -v model="$model:" -v figure="$figure" '$0 == model { getline; found = sprintf("%.4f", $2) == "0" figure }
      END { exit !found }' out
    result $? "$name: $model has $figure, as the text says"
  done < figures
  if [ "$name" = served.md ] && command -v python3 > /dev/null; then
    expect 0 "what served.md sends to engines" python3 "$srcdir/tests/cli/engines.py" --mutants \
      documents/served/served "$chapter"
  fi
  case $name in warm.md) wanted=4 ;; clicks.md) wanted=3 ;; *) wanted=0 ;; esac
  [ "$(grep -c . figures)" -ge $wanted ]
  result $? "$name has $wanted figures of its commands"
  awk -v top="$srcdir" -f "$srcdir/tests/cli/figures.awk" "$chapter" > lacking 2> num_kept
  [ ! -s lacking ]
  result $? "figures of kept results: $(cat lacking)"
  case $name in weights.md) wanted=2 ;; clicks.md) wanted=2 ;; *) wanted=0 ;; esac
  [ "$(cat num_kept)" -ge $wanted ]
  result $? "$name has $wanted figures of kept results"
  [ "$name" = README.md ] || grep -qF "]($name)" "$srcdir/manual/README.md"
  result $? "manual/README.md has a link to $name"
  grep -oE '\]\([^):]+\)' "$chapter" | tr -d '])(' | sort -u > links
  while read -r link; do
    section=$(echo "${link#*#}" | tr '-' ' ')
    [ -e "$srcdir/manual/${link%#*}" ] && { [ "${link#*#}" = "$link" ] ||
      tr -d "'" < "$srcdir/manual/${link%#*}" | grep -qi "^#.* $section$"; }
    result $? "$name: the link $link leads to a section"
  done < links
done
names_settings "$srcdir"/manual/*.md
finish
