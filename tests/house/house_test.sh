#!/bin/sh
# house_test.sh: the rules of house.sh find what they should. Each case plants one breach in a copy of the sources and
# expects house.sh to fail with a line that names the file and the line under the rule that is meant.
set -u
cd "${srcdir:-.}" || exit 1
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
failures=0
cases=0

# A copy of all that house.sh reads; uproot removes what a case has planted there.
mkdir -p "$copy/tree/tests/unit"
cp -r include base settings data features losses measures assignment policies kernels lambdas clicks solver trees nets \
  models jobs trainers training collaborative cli ARCHITECTURE.md "$copy/tree" && cp -r tests/house "$copy/tree/tests" &&
  cp tests/unit/arguments_test.c "$copy/tree/tests/unit" &&
  chmod -R u+w "$copy/tree" || exit 1
uproot() {
  find "$copy/tree" -name 'planted*' -exec rm {} +
  cat tests/house/house.sh > "$copy/tree/tests/house/house.sh"
}

# plant PATH: a source file of the copy, from standard input.
plant() { cat > "$copy/tree/$1"; }

# refused RULE LINE: house.sh fails, and LINE stands under that rule.
refused() {
  cases=$((cases + 1))
  if srcdir=$copy/tree LIBDORM='' sh "$copy/tree/tests/house/house.sh" > "$copy/output" 2>&1; then
    echo "FAIL $1: house.sh accepts the tree"
    failures=$((failures + 1))
  elif ! awk -v rule="FAILED: $1" '/^FAILED: / { inside = $0 == rule } inside' "$copy/output" | grep -qF "    $2"; then
    echo "FAIL $1: no line with '$2' in"
    sed 's/^/    /' "$copy/output"
    failures=$((failures + 1))
  fi
  uproot
}

if ! srcdir=$copy/tree LIBDORM='' sh "$copy/tree/tests/house/house.sh" > "$copy/output" 2>&1; then
  echo "FAIL: there are breaches before any is planted"
  sed 's/^/    /' "$copy/output"
  exit 1
fi

private="other folders include a folder's face alone (base/: any header)"
plant solver/planted.h < /dev/null
printf '#include "base/base.h"\n#include "solver/planted.h"\n' | plant training/planted.c
refused "$private" "training/planted.c:2: solver/planted.h is private to solver/"
plant assignment/runs/planted.h < /dev/null
printf '\n\n#  include "assignment/runs/planted.h"\n' | plant solver/planted.c
refused "$private" "solver/planted.c:3: assignment/runs/planted.h is private to assignment/"
plant features/planted.h < /dev/null
printf '#include <features/planted.h>\n' | plant models/planted.c
refused "$private" "models/planted.c:1: features/planted.h is private to features/"
plant training/planted.h < /dev/null
printf '#include "../training/planted.h"\n' | plant cli/planted.c
refused "$private" "cli/planted.c:1: training/planted.h is private to training/"

order="includes go one way, also over several headers"
printf '#include "data/planted.h"\n' | plant features/planted.c
printf '\n#include "base/planted.h"\n' | plant data/planted.h
printf '#include "solver/solver.h"\n' | plant base/planted.h
refused "$order" "features/planted.c:1: features/ reaches solver/ (data/planted.h > base/planted.h > solver/solver.h)"
printf '\n#include "base/planted.h"\n' | plant data/planted.h
printf '#include "solver/solver.h"\n' | plant base/planted.h
refused "$order" "data/planted.h:2: data/ reaches solver/ (base/planted.h > solver/solver.h)"
printf '#include "assignment/planted.h"\n' | plant assignment/planted.c
printf '#include "kernels/kernels.h"\n' | plant assignment/planted.h
refused "$order" "assignment/planted.c:1: assignment/ reaches kernels/ (assignment/planted.h > kernels/kernels.h)"
printf '#include "losses/losses.h"\n' | plant measures/planted.c
refused "$order" "measures/planted.c:1: measures/ reaches losses/ (losses/losses.h)"
printf '#include "base/base.h"\n' | plant cli/planted.c
refused "$order" "cli/planted.c:1: cli/ reaches base/ (base/base.h)"

# A function of dorm.h can be called without an include that betrays it.
printf '#include "base/base.h"\n\nvoid dorm__planted(void)\n{\n  dorm_model_free(NULL);\n}\n' | plant base/planted.c
refused "functions use what is defined below them" "base/planted.c:5: dorm_model_free is defined in models/"

circle="source files do not call one another in a circle"
printf 'void dorm__one(void)\n{\n  dorm__two(); /* dorm__three(); */\n}\n' | plant data/planted_1.c
printf 'void dorm__two(void)\n{\n  dorm__three();\n}\n' | plant data/planted_2.c
printf 'static void other(void) {}\nvoid dorm__three(void)\n{\n  other();\n  dorm__one();\n}\n' | plant data/planted_3.c
refused "$circle" "data/planted_3.c:5: dorm__one is defined in data/planted_1.c: a circle of 3 files"
printf 'static void call(void (*function)(void));\nvoid dorm__one(void)\n{\n  call(dorm__two);\n}\n' | plant data/planted_1.c
printf 'void dorm__two(void)\n{\n  dorm__one();\n}\n' | plant features/planted_2.c
refused "$circle" "data/planted_1.c:4: dorm__two is defined in features/planted_2.c: a circle of 2 files across folders"
# A circle that is listed must exist, and be explained.
sed -i 's|^circles=.*|circles="data/planted_1.c,data/planted_2.c"|' "$copy/tree/tests/house/house.sh"
refused "circles that have a reason exist" "tests/house/house.sh: there is no circle of data/planted_1.c data/planted_2.c"
sed -i 's|^circles=.*|circles="data/planted_1.c,data/planted_2.c"|' "$copy/tree/tests/house/house.sh"
refused "circles that have a reason are at most two, and ARCHITECTURE.md names them" "ARCHITECTURE.md:1: does not say why"

settings="settings are read in jobs/, trainers/, training/, collaborative/*/options.c and cli/ alone"
printf 'f = dorm__settings_number(settings, DORM__SOLVER_GAP);\n' | plant solver/planted.c
refused "$settings" "solver/planted.c:1:"
printf 'f = dorm__settings_copy(context, settings, &copy);\n' | plant kernels/planted.c
refused "$settings" "kernels/planted.c:1:"
printf 'f = dorm_settings_get(settings, "solver.gap");\n' | plant collaborative/ratings/planted.c
refused "$settings" "collaborative/ratings/planted.c:1:"
printf '  if (dorm__spec_is(word, "averaged", NULL))\n' | plant solver/planted.c
refused "a setting's text is taken apart in jobs/, trainers/, training/ and collaborative/*/options.c alone" "solver/planted.c:1:"
choice="no text is compared with a choice of a setting below jobs/"
printf '\n  if (strcmp(word, "averaged") == 0)\n' | plant losses/planted.c
refused "$choice" "losses/planted.c:2:"
printf '\n  if (strncmp(word, "squared-error", 13) == 0)\n' | plant collaborative/factorization/planted.c
refused "$choice" "collaborative/factorization/planted.c:2:"
printf '  if (strcmp(word, names[i]) == 0)\n' | plant solver/planted.c
refused "assignment/ and solver/ compare no texts" "solver/planted.c:1:"

printf '#include <glpk.h>\n' | plant training/planted.c
refused "<glpk\\.h> is included only in assignment/groups/glpk.c" "training/planted.c:1:"
printf '  free(block);\n' | plant losses/planted.c
refused "memory comes from base/memory.c" "losses/planted.c:1:"

printf '\n  printf("a; b"\n         " %%-8s\\n", name);\n  fprintf(file, "%%s", name);\n' | plant cli/planted.c
refused "the command prints texts for people by cli_print" "cli/planted.c:2:"

echo 'DORM_API dorm_status dorm_planted(dorm_context *context, const char *path);' | plant include/dorm/planted.h
refused "functions of dorm.h are tried with NULL in tests/unit/arguments_test.c" "dorm_planted is not called with NULL"
structs="structs of callers begin with struct_size, and results have no arrays of characters"
plant include/dorm/planted.h << 'END'
typedef struct dorm_planted {
  double x;
} dorm_planted;
DORM_API void dorm_plant(int number, dorm_planted *planted);
END
refused "$structs" "dorm_plant takes a struct dorm_planted without struct_size"
plant include/dorm/planted.h << 'END'
typedef struct dorm_planted {
  char text[400];
} dorm_planted;
END
refused "$structs" "include/dorm/planted.h: struct dorm_planted has an array of characters"
plant include/dorm/planted.h < /dev/null
refused "dorm.h includes every installed header" "include/dorm/planted.h:1: dorm.h does not include it"

echo "$cases cases, $failures failures"
[ "$failures" = 0 ]
