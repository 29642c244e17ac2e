#!/bin/sh
# house.sh: the rules of the house that a script can check. It prints each breach as file:line, and at the end how
# many rules passed. house_test.sh checks that the rules find what they should. For other trees than the one around it,
# srcdir names the root.
cd "${srcdir:-.}" || exit 1
verdicts=$(mktemp)
arrows=$(mktemp)
trap 'rm -f "$verdicts" "$arrows"' EXIT

# Circles between source files that have a reason: one line for each circle, its files separated by commas. There are
# at most two, and ARCHITECTURE.md names their files and says why.
circles=""

# rule WHAT: reads breaches from standard input; the rule passes if there are none. (A rule is the end of a pipe and
# runs in a process of its own, so its verdict goes through a file.)
rule() {
  breaches=$(cat)
  if [ -z "$breaches" ]; then
    echo passed >> "$verdicts"
  else
    echo failed >> "$verdicts"
    echo "FAILED: $1"
    echo "$breaches" | sed 's/^/    /'
  fi
}

sources() { find "$@" -name '*.[ch]' | sort; }
# without PATTERN: a list of files, one per line, without those that match.
without() { grep -vE "$1" || true; }

library="base settings data clicks features losses measures assignment kernels policies lambdas solver trees nets models jobs trainers
  training collaborative"
library_sources=$(sources $library)
all_sources=$(sources include $library cli)

# ---- Folders: who includes and who calls whom ----

perl tests/house/arrows.pl $(for circle in $circles; do echo "--circle=$circle"; done) $all_sources > "$arrows" ||
  echo "arrows.pl: it failed" | rule "includes and calls can be read"
arrow_rule() { awk -F '\t' -v kind="$1" '$1 == kind { print $2 }' "$arrows" | rule "$2"; }
arrow_rule private "other folders include a folder's face alone (base/: any header)"
arrow_rule twice "a header of another folder that the own folder's headers bring is not included again"
arrow_rule order "includes go one way, also over several headers"
arrow_rule calls "functions use what is defined below them"
arrow_rule circle "source files do not call one another in a circle"
arrow_rule stale "circles that have a reason exist"
{
  [ "$(echo "$circles" | wc -w)" -le 2 ] || echo "tests/house/house.sh: more than two circles"
  for file in $(echo "$circles" | tr ',' ' '); do
    grep -qF "$file" ARCHITECTURE.md || echo "ARCHITECTURE.md:1: does not say why $file is part of a circle"
  done
} | rule "circles that have a reason are at most two, and ARCHITECTURE.md names them"
for folder in $(echo "$library" | sed 's,\<collaborative\>,collaborative/ratings,'); do
  face=$folder/${folder##*/}.h
  [ -f "$face" ] || echo "$face:1: is missing"
  awk -v face="$face" '/^[a-z].*[ *]dorm__[a-z_0-9]+\(/ && ++count == 31 { print face ":" FNR ": the 31st function" }' "$face"
done | rule "a face has at most thirty functions"

# ---- Settings end at jobs/, trainers/, training/, collaborative/*/options.c and cli/ ----

below_settings=$(sources base data clicks features losses measures assignment kernels policies lambdas solver trees nets models \
  collaborative |
  without '^collaborative/[a-z]+/options\.c$')
# models/ and collaborative/ copy the settings as a whole; models/model_lines.c writes all of them to a file, and
# models/model.c hands out those of a model as text (dorm_model_setting).
grep -nE '\bdorm_(_settings_[a-z_]+|settings_get)\(' $(echo "$below_settings" | without '^models/setting_lines\.c$') /dev/null |
  without '^(models|collaborative)/[a-z_/]+\.c:.*\bdorm__settings_(copy(_usable)?|replace)\(' |
  without '^models/model\.c:.*\bdorm_settings_get\(' |
  rule "settings are read in jobs/, trainers/, training/, collaborative/*/options.c and cli/ alone"
grep -nE '\bdorm__spec_is\(' $(echo "$below_settings" | without '^base/') /dev/null |
  rule "a setting's text is taken apart in jobs/, trainers/, training/ and collaborative/*/options.c alone"
# The words between which the settings choose, from the rows of their table.
choices=$(perl -0777 -ne '
  while (/\b(?:CHOICE|SPEC),[^"]*((?:"[^"]*"\s*)+)/g) {
    (my $words = $1) =~ s/"\s*"//g;
    $words =~ tr/"//d;
    for (split /,\s*/, $words) { s/[:\s].*//s; print "$_\n" if length }
  }' settings/settings_list.h | sort -u)
echo "$choices" | grep -qx averaged || echo "settings/settings_list.h:1: no choices found" | rule "settings have choices"
# Some words are also values of a loss's, a measure's or a kernel's own parameters, or begin a line of a model file.
grep -nE "(str|mem)[a-z]*cmp\(.*\"($(echo "$choices" | paste -sd '|'))\"" $below_settings /dev/null |
  without '^losses/rsvm_ir\.c:[^:]*:.*"auto"' |
  without '^measures/kinds\.c:[^:]*:.*"(docid|yes|gain)"' |
  without '^kernels/expression\.c:[^:]*:.*"auto"' |
  without '^models/model_file\.c:[^:]*:.*"feature"' |
  rule "no text is compared with a choice of a setting below jobs/"
grep -nE '\bstr[a-z]*cmp\(' $(sources assignment solver) /dev/null | rule "assignment/ and solver/ compare no texts"

# ---- Foreign libraries and banned calls ----

# one_door HEADER FILE: a foreign library enters through one file.
one_door() {
  grep -nE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]$1[>\"]" $all_sources /dev/null | without "^($2):" |
    rule "<$1> is included only in $2"
}
one_door 'cblas\.h' base/linalg.c
one_door 'lapacke\.h' base/linalg.c
one_door 'ini\.h' settings/ini_file.c
one_door 'zlib\.h' data/reader_parts.c
one_door 'glpk\.h' assignment/groups/glpk.c
one_door 'dlfcn\.h' base/module.c
one_door 'mpi\.h' cli/mpi.c
# The command has a door of its own, since it sees nothing of the library but its header.
one_door 'jansson\.h' 'base/json.c|cli/log_json.c'

# banned FILES WORDS WHY: calls that do not occur.
banned() {
  grep -nE "(^|[^a-zA-Z0-9_.>])($2)\(" $1 /dev/null | grep -vE ':[[:space:]]*(\*|/[*/])' | rule "$3"
}
banned "$library_sources" 'exit|abort|_exit|printf|puts|putchar|perror|getenv|setlocale|system' \
  "the library does not exit, print, read the environment or set the locale"
banned "$(echo "$library_sources" | without '^base/memory\.c$')" 'malloc|calloc|realloc|free|strdup' \
  "memory comes from base/memory.c"
banned "$all_sources" 'gets|strcpy|strcat|sprintf|vsprintf|atoi|atof|atol|strtok|rand|srand|alloca' \
  "no call without bounds or bound to a locale"
banned "$(echo "$library_sources" | without '^base/text\.c$')" 'strtod|strtof|scanf|sscanf|fscanf' \
  "numbers are read by base/text.c"

# factors.c prints a table for programs, whose names keep their bytes.
perl -0777 -ne '
  while (/(?<![\w])(?:printf\(|fprintf\(stderr,)(?:"(?:\\.|[^"\\])*"|[^";])*;/g) {
    my ($call, $line) = ($&, 1 + (substr($_, 0, $-[0]) =~ tr/\n//));
    print "$ARGV:$line: a text\n" if $call =~ /%[-0-9.*]*s/;
  }' $(sources cli | without '^cli/factors\.c$') | rule "the command prints texts for people by cli_print"

# ---- Text ----

awk 'length($0) > 120 { print FILENAME ":" FNR ": " length($0) " columns" }' $all_sources $(sources tests) |
  rule "lines of at most 120 columns"
python3 tests/house/english.py | grep ', at most ' | rule "comments and pages are in plain English (english.py -v FOLDER)"
grep -nE '[[:space:]]+$' $all_sources $(sources tests) /dev/null | rule "no blanks at the ends of lines"

# ---- The installed headers ----

grep -nE '^#include "' include/dorm/*.h | grep -v '#include "dorm/' | rule "installed headers include no other"
for header in include/dorm/*.h; do
  [ "$header" = include/dorm/dorm.h ] || grep -qx "#include \"dorm/${header##*/}\"" include/dorm/dorm.h ||
    echo "$header:1: dorm.h does not include it"
  grep -qF "%D%/${header#include/}" include/sources.am || echo "$header:1: include/sources.am does not install it"
done | rule "dorm.h includes every installed header"
perl -0777 -ne 'print "$1\n" while /DORM_API\s+dorm_status\s+(dorm_[a-z_]+)\(/g' include/dorm/*.h | while read -r name; do
  grep -qE "REFUSES.*[ (]$name\(" tests/unit/arguments_test.c || echo "$name is not called with NULL"
done | rule "functions of dorm.h are tried with NULL in tests/unit/arguments_test.c"
# A struct that a function takes from its caller by pointer begins with struct_size. Those of plugin.h
# have the version of its interface before that. A handle has a function that frees it.
perl -0777 -e '
  my %body;
  my $functions = "";
  for my $path (@ARGV) {
    open my $file, "<", $path or die;
    my $text = <$file>;
    $text =~ s{/\*.*?\*/}{}gs;
    while ($text =~ /\bstruct (dorm_\w+) \{(.*?)\n\}/gs) {
      $body{$1} = $2;
      my ($name, $fields) = ($1, $2);
      print "$path: struct $name has an array of characters\n" if $fields =~ /\bchar \w+\[/;
    }
    $functions .= $text;
  }
  while ($functions =~ /DORM_API[^;(]*?\b(dorm_\w+)\(([^;]*)\)\s*;/g) {
    my ($function, $arguments) = ($1, $2);
    next if $function =~ /_free$/;
    while ($arguments =~ /\b(dorm_\w+) \*\w/g) {
      print "$function takes a struct $1 without struct_size\n" if $body{$1} && $body{$1} !~ /^\s*(?:uint32_t abi;\s*uint32_t|size_t) struct_size;/;
    }
  }' include/dorm/*.h | rule "structs of callers begin with struct_size, and results have no arrays of characters"
# Every exported function is declared in an installed header, and the other way round.
if [ -n "$LIBDORM" ] && [ -f "$LIBDORM" ]; then
  exported=$(nm -D --defined-only "$LIBDORM" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' | sort)
  declared=$(grep -ohE '\bdorm_[a-z_]+\(' include/dorm/*.h | tr -d '(' | sort -u)
  for name in $exported; do
    echo "$declared" | grep -qx "$name" || echo "$name is exported, but not declared in include/dorm/"
  done | rule "exported symbols are declared"
  grep -hE '^DORM_API' include/dorm/*.h | grep -oE 'dorm_[a-z_]+\(' | tr -d '(' | sort -u | while read -r name; do
    echo "$exported" | grep -qx "$name" || echo "$name is declared, but not exported"
  done | rule "declared functions are exported"
fi

failed=$(grep -c failed "$verdicts")
echo "$(grep -c passed "$verdicts") passed, $failed failed"
[ "$failed" = 0 ]
