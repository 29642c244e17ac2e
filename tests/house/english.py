#!/usr/bin/env python3
"""Measures the English of comments and of the manual, folder by folder, and prints the limits that are passed.

english.py [-v] [FOLDER]...: with -v prints each sentence that is too long, each comment that begins with What or Where,
and each line with a word that is to be avoided.
"""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
OTHERS = ("tests", "bench", "experiments", "build", "debian")
# Per thousand words, but for the last three, which are counted.
LIMITS = {"semicolons": 6.0, "where": 2.0, "that of": 0.3, "stands": 0.0, "openings": 0, "long": 0, "wide": 0}
PATTERNS = {"semicolons": r";", "where": r"(?i)\bwhere\b", "that of": r"(?i)\b(?:that|those) of\b",
            "stands": r"\bstands?\b"}
LONGEST = 35  # words of a sentence
WIDEST = 120  # columns of prose; house.sh looks at the lines of C files


def comments(text):
    """The comments of a C file with their first lines; formulas, which are indented, are left out."""
    for found in re.finditer(r"/\*(.*?)\*/", text, re.S):
        lines = [re.sub(r"^\s*\* ?", "", line) for line in found[1].split("\n")]
        prose = [lines[0]] + [line for line in lines[1:] if not line.startswith("  ")]
        yield text.count("\n", 0, found.start()) + 1, "\n".join(prose)


def paragraphs(text):
    """The prose of a page with first lines: no examples, no tables."""
    blank = lambda found: "\n" * found[0].count("\n")
    text = re.sub(r"```.*?```", blank, text, flags=re.S)
    text = re.sub(r"(?m)^(\||    |.* · ).*$", "", text)
    for found in re.finditer(r"(?:[^\n]+\n?)+", text):
        yield text.count("\n", 0, found.start()) + 1, found[0]


def words(text):
    return re.findall(r"[A-Za-z']+", text)


def look(folder, path, pieces, counts, verbose):
    for line, text in pieces:
        counts["words"] += len(words(text))
        for name, pattern in PATTERNS.items():
            found = len(re.findall(pattern, text))
            counts[name] += found
            if verbose and found and name != "semicolons":
                print(f"{path}:{line}: {name}")
        if re.match(r"\s*(What|Where)\b", text):
            counts["openings"] += 1
            if verbose:
                print(f"{path}:{line}: begins with {text.split()[0]}")
        for row in text.split("\n"):
            if len(row) > WIDEST:
                counts["wide"] += 1
                if verbose:
                    print(f"{path}:{line}: {len(row)} columns: {row[:60]}")
        for sentence in re.split(r"(?<=[.:;?!])\s+|\n\s*\n|\n- ", text):
            if len(words(sentence)) > LONGEST:
                counts["long"] += 1
                if verbose:
                    print(f"{path}:{line}: {len(words(sentence))} words: {' '.join(sentence.split())[:90]}")


def main(arguments):
    verbose = "-v" in arguments
    wanted = [argument for argument in arguments if argument != "-v"]
    totals = collections.defaultdict(collections.Counter)
    for path in sorted([*ROOT.rglob("*.[ch]"), *ROOT.glob("manual/*.md"), *ROOT.glob("*.md")]):
        place = path.relative_to(ROOT)
        folder = place.parts[0] if len(place.parts) > 1 else "pages"
        if folder.startswith(OTHERS) or (wanted and folder not in wanted):
            continue
        pieces = (paragraphs if path.suffix == ".md" else comments)(path.read_text())
        look(folder, place, pieces, totals[folder], verbose)
    over = []
    print(f"{'':14}{'words':>8}" + "".join(f"{name:>12}" for name in LIMITS))
    for folder, counts in sorted(totals.items()):
        row = f"{folder:14}{counts['words']:8}"
        for name, limit in LIMITS.items():
            value = 1000 * counts[name] / max(counts["words"], 1) if name in PATTERNS else counts[name]
            row += f"{value:12.2f}" if name in PATTERNS else f"{value:12}"
            if value > limit:
                over.append(f"{folder}/: {name} {value:.2f}, at most {limit}")
        print(row)
    print("\n".join(over))
    return len(over) > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
