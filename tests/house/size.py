#!/usr/bin/env python3
"""size.py: how large the house is, beside how large it may be. `make house-size` prints the table.

The sources are formatted by clang-format, so a function begins and ends in the first column. A row that is over its
limit makes the exit status 1 with --check."""
import collections
import os
import re
import subprocess
import sys

LIBRARY = ("base settings data clicks features losses measures assignment kernels policies lambdas solver trees nets "
           "models jobs trainers training collaborative include cli").split()
LONG, MANY_ARGUMENTS, MANY_FIELDS = 60, 7, 20


def tracked():
    """The files that git knows, or, in a tarball, all files."""
    found = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=False)
    if found.returncode == 0 and found.stdout:
        return [path for path in found.stdout.split("\n") if os.path.isfile(path)]
    return [os.path.join(folder, name)[2:] for folder, _, names in os.walk(".") for name in names]


def text_of(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def lines_of(paths):
    return sum(text_of(path).count("\n") for path in paths)


def bytes_of(paths):
    return sum(os.path.getsize(path) for path in paths)


def functions(text):
    """(name, number of arguments, number of lines) of each function that is defined in `text`."""
    text = re.sub(r"/\*.*?\*/", lambda comment: "\n" * comment.group().count("\n"), text, flags=re.S)
    for match in re.finditer(r"^(?!typedef|struct \w+ \{|enum|static const)[A-Za-z][^;{}#=]*?\b(\w+)\(([^;{}]*)\)\n\{\n(.*?)^\}",
                             text, flags=re.S | re.M):
        name, arguments, body = match.groups()
        depth, count = 0, 0 if arguments.strip() in ("", "void") else 1
        for character in arguments:
            depth += (character == "(") - (character == ")")
            count += character == "," and depth == 0
        yield name, count, body.count("\n") + 2


def structs(text):
    """(name, number of fields) of each struct."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    for match in re.finditer(r"^(?:typedef )?struct (\w+) \{\n(.*?)^\}", text, flags=re.S | re.M):
        yield match.group(1), sum(statement.count(",") + 1 if "(" not in statement else 1
                                  for statement in match.group(2).split(";") if statement.strip())


def measure():
    """The rows of the table: (what, value, limit, examples)."""
    files = tracked()
    sources = [path for path in files if path.endswith((".c", ".h"))]
    library = [path for path in sources if path.split("/")[0] in LIBRARY]
    tests = [path for path in sources if path.startswith("tests/")]
    folders = collections.Counter(os.path.dirname(path) for path in library)
    folder, largest = folders.most_common(1)[0]
    table = [path for path in library if path.endswith("settings_list.h")]
    settings = sum(len(re.findall(r"^SETTING\(", text_of(path), flags=re.M)) for path in table)
    refusals = [f"{path}: {line}" for path in library if path.startswith(("jobs/", "trainers/", "training/"))
                for line in text_of(path).split("\n")
                if re.search(r'"[^"]*\b(?:not go with|goes? with|together with|without)\b', line)]
    long, many, wide = [], [], []
    for path in library:
        text = text_of(path)
        for name, count, lines in functions(text):
            if lines > LONG:
                long.append(f"{path}:{name} {lines}")
            if count > MANY_ARGUMENTS:
                many.append(f"{path}:{name} {count}")
        wide += [f"{path}:{name} {count}" for name, count in structs(text) if count > MANY_FIELDS]
    experiments = {os.path.dirname(path) for path in files if re.match(r"experiments/.*/run$", path)}
    prose = [path for path in files if path.endswith(".md")]
    return [
        ("C without tests, experiments and benchmarks, lines", lines_of(library), 54000, []),
        ("C tests, lines", lines_of(tests), 27000, []),
        ("files .c and .h of the library and the command", len(library), 440, []),
        (f"largest folder ({folder}), files", largest, 35, []),
        ("settings", settings, 80, []),
        ("refusals of combinations in training", len(refusals), 6, refusals),
        (f"functions above {LONG} lines", len(long), 0, long),
        (f"functions above {MANY_ARGUMENTS} arguments", len(many), 10, many),
        (f"structs above {MANY_FIELDS} fields", len(wide), 2, wide),
        ("experiments", len(experiments), 16, []),
        ("prose (.md), bytes", bytes_of(prose), 420000, []),
        ("manual, bytes", bytes_of([path for path in prose if path.startswith("manual/")]), 110000, []),
        ("Makefile.am, bytes", bytes_of(["Makefile.am"]), 7000, []),
        ("ARCHITECTURE.md, bytes", bytes_of(["ARCHITECTURE.md"]), 17000, []),
        ("HACKING.md, bytes", bytes_of(["HACKING.md"]), 8000, []),
    ]


def main():
    rows = measure()
    print(f"{'':54} {'now':>8} {'at most':>8}")
    for what, value, limit, examples in rows:
        print(f"{what:54} {value:8,} {limit:8,}{'' if value <= limit else '  over'}")
        for example in examples if "-v" in sys.argv else []:
            print(f"    {example}")
    return int("--check" in sys.argv and any(value > limit for _, value, limit, _ in rows))


if __name__ == "__main__":
    sys.exit(main())
