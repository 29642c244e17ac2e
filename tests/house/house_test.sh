#!/bin/sh
# house_test.sh: the rules of house.sh find what they should. All breaches are planted at once in a copy of the
# sources, each in files of its own. house.sh must name the file and the line of each under the rule that is meant.
set -u
cd "${srcdir:-.}" || exit 1
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
expected=$copy/expected

# A copy of all that house.sh reads.
mkdir -p "$copy/tree/tests/unit"
cp -r include base settings data features losses measures assignment policies kernels lambdas clicks solver trees nets \
  models jobs trainers training collaborative cli ARCHITECTURE.md "$copy/tree" && cp -r tests/house "$copy/tree/tests" &&
  cp tests/unit/arguments_test.c "$copy/tree/tests/unit" &&
  chmod -R u+w "$copy/tree" || exit 1
# plant PATH: a source file of the copy, from standard input.

plant() { cat > "$copy/tree/$1"; }

# refused RULE LINE: house.sh will name LINE under that rule.
refused() { printf '%s\t%s\n' "$1" "$2" >> "$expected"; }

look() { srcdir=$copy/tree LIBDORM='' sh "$copy/tree/tests/house/house.sh" > "$copy/output" 2>&1; }

if ! look; then
  echo "FAIL: there are breaches before any is planted"
  sed 's/^/    /' "$copy/output"
  exit 1
fi

private="other folders include a folder's face alone (base/: any header)"
plant solver/planted_1.h < /dev/null
printf '#include "base/base.h"\n#include "solver/planted_1.h"\n' | plant training/planted_1.c
refused "$private" "training/planted_1.c:2: solver/planted_1.h is private to solver/"
plant assignment/runs/planted_2.h < /dev/null
printf '\n\n#  include "assignment/runs/planted_2.h"\n' | plant solver/planted_2.c
refused "$private" "solver/planted_2.c:3: assignment/runs/planted_2.h is private to assignment/"
plant features/planted_3.h < /dev/null
printf '#include <features/planted_3.h>\n' | plant models/planted_3.c
refused "$private" "models/planted_3.c:1: features/planted_3.h is private to features/"
plant training/planted_4.h < /dev/null
printf '#include "../training/planted_4.h"\n' | plant cli/planted_4.c
refused "$private" "cli/planted_4.c:1: training/planted_4.h is private to training/"

twice="a header of another folder that the own folder's headers bring is not included again"
printf '#include "base/base.h"\n#include "solver/solver.h"\n#include "losses/losses.h"\n' | plant solver/planted_26.c
refused "$twice" "solver/planted_26.c:3: solver/solver.h brings losses/losses.h"

order="includes go one way, also over several headers"
printf '#include "data/planted_5.h"\n' | plant features/planted_5.c
printf '\n#include "base/planted_5.h"\n' | plant data/planted_5.h
printf '#include "solver/solver.h"\n' | plant base/planted_5.h
refused "$order" "features/planted_5.c:1: features/ reaches solver/ (data/planted_5.h > base/planted_5.h > solver/solver.h)"
refused "$order" "data/planted_5.h:2: data/ reaches solver/ (base/planted_5.h > solver/solver.h)"
printf '#include "assignment/planted_6.h"\n' | plant assignment/planted_6.c
printf '#include "kernels/kernels.h"\n' | plant assignment/planted_6.h
refused "$order" "assignment/planted_6.c:1: assignment/ reaches kernels/ (assignment/planted_6.h > kernels/kernels.h)"
printf '#include "losses/losses.h"\n' | plant measures/planted_7.c
refused "$order" "measures/planted_7.c:1: measures/ reaches losses/ (losses/losses.h)"
printf '#include "base/base.h"\n' | plant cli/planted_8.c
refused "$order" "cli/planted_8.c:1: cli/ reaches base/ (base/base.h)"

# A function of dorm.h can be called without an include that betrays it.
printf '#include "base/base.h"\n\nvoid dorm__planted(void)\n{\n  dorm_model_free(NULL);\n}\n' | plant base/planted_9.c
refused "functions use what is defined below them" "base/planted_9.c:5: dorm_model_free is defined in models/"

circle="source files do not call one another in a circle"
printf 'void dorm__one(void)\n{\n  dorm__two(); /* dorm__three(); */\n}\n' | plant data/planted_10.c
printf 'void dorm__two(void)\n{\n  dorm__three();\n}\n' | plant data/planted_11.c
printf 'static void other(void) {}\nvoid dorm__three(void)\n{\n  other();\n  dorm__one();\n}\n' | plant data/planted_12.c
refused "$circle" "data/planted_12.c:5: dorm__one is defined in data/planted_10.c: a circle of 3 files"
printf 'static void call(void (*function)(void));\nvoid dorm__four(void)\n{\n  call(dorm__five);\n}\n' | plant data/planted_13.c
printf 'void dorm__five(void)\n{\n  dorm__four();\n}\n' | plant features/planted_14.c
refused "$circle" "data/planted_13.c:4: dorm__five is defined in features/planted_14.c: a circle of 2 files across folders"

settings="settings are read in jobs/, trainers/, training/, collaborative/*/options.c and cli/ alone"
printf 'f = dorm__settings_number(settings, DORM__SOLVER_GAP);\n' | plant solver/planted_15.c
refused "$settings" "solver/planted_15.c:1:"
printf 'f = dorm__settings_copy(context, settings, &copy);\n' | plant kernels/planted_15.c
refused "$settings" "kernels/planted_15.c:1:"
printf 'f = dorm_settings_get(settings, "solver.gap");\n' | plant collaborative/ratings/planted_15.c
refused "$settings" "collaborative/ratings/planted_15.c:1:"
printf '  if (dorm__spec_is(word, "averaged", NULL))\n' | plant solver/planted_16.c
refused "a setting's text is taken apart in jobs/, trainers/, training/ and collaborative/*/options.c alone" \
  "solver/planted_16.c:1:"
choice="no text is compared with a choice of a setting below jobs/"
printf '\n  if (strcmp(word, "averaged") == 0)\n' | plant losses/planted_17.c
refused "$choice" "losses/planted_17.c:2:"
printf '\n  if (strncmp(word, "squared-error", 13) == 0)\n' | plant collaborative/factorization/planted_17.c
refused "$choice" "collaborative/factorization/planted_17.c:2:"
printf '  if (strcmp(word, names[i]) == 0)\n' | plant solver/planted_18.c
refused "assignment/ and solver/ compare no texts" "solver/planted_18.c:1:"

printf '#include <glpk.h>\n' | plant training/planted_19.c
refused "<glpk\\.h> is included only in assignment/groups/glpk.c" "training/planted_19.c:1:"
printf '  free(block);\n' | plant losses/planted_20.c
refused "memory comes from base/memory.c" "losses/planted_20.c:1:"

printf '\n  printf("a; b"\n         " %%-8s\\n", name);\n  fprintf(file, "%%s", name);\n' | plant cli/planted_21.c
refused "the command prints texts for people by cli_print" "cli/planted_21.c:2:"

echo 'DORM_API dorm_status dorm_planted(dorm_context *context, const char *path);' | plant include/dorm/planted_22.h
refused "functions of dorm.h are tried with NULL in tests/unit/arguments_test.c" "dorm_planted is not called with NULL"
refused "dorm.h includes every installed header" "include/dorm/planted_22.h:1: dorm.h does not include it"
structs="structs of callers begin with struct_size, and results have no arrays of characters"
plant include/dorm/planted_23.h << 'END'
typedef struct dorm_sprout {
  double x;
} dorm_sprout;
DORM_API void dorm_plant(int number, dorm_sprout *sprout);
END
refused "$structs" "dorm_plant takes a struct dorm_sprout without struct_size"
plant include/dorm/planted_24.h << 'END'
typedef struct dorm_leaf {
  char text[400];
} dorm_leaf;
END
refused "$structs" "include/dorm/planted_24.h: struct dorm_leaf has an array of characters"

printf '/* Where it stands. */\n' | plant nets/planted_25.c
english="comments and pages are in plain English (english.py -v FOLDER)"
refused "$english" "nets/: openings "
refused "$english" "nets/: stands "

# A circle that is listed must exist, and be explained.
sed -i 's|^circles=.*|circles="data/unplanted_1.c,data/unplanted_2.c"|' "$copy/tree/tests/house/house.sh"
refused "circles that have a reason exist" \
  "tests/house/house.sh: there is no circle of data/unplanted_1.c data/unplanted_2.c"
refused "circles that have a reason are at most two, and ARCHITECTURE.md names them" "ARCHITECTURE.md:1: does not say why"

failures=0
look && failures=1 && echo "FAIL: house.sh accepts the tree"
while IFS="$(printf '\t')" read -r rule line; do
  awk -v rule="FAILED: $rule" '/^FAILED: / { inside = $0 == rule } inside' "$copy/output" | grep -qF "    $line" || {
    echo "FAIL $rule: no line with '$line'"
    failures=$((failures + 1))
  }
done < "$expected"
[ "$failures" = 0 ] || sed 's/^/    /' "$copy/output"
echo "$(wc -l < "$expected") breaches, $failures not found"
[ "$failures" = 0 ]
