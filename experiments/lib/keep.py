"""keep.py: how a shell script prints a table and keeps it in its results.tsv.

    keep.py FILE about KEY TEXT
    keep.py FILE table ID TITLE [--varying COLUMN]... [--holm COLUMN] [--note TEXT]...
    keep.py FILE figure ID TITLE --x LABEL --y LABEL

A table or figure comes from standard input, with tabs between its columns, their
names in the first line, and standard errors in columns `NAME ±` (blocks.py). A table
is printed with all of its columns, but those that are said to vary are not kept. --holm
adds a column with Holm's correction behind a column of p-values. The rows of a figure are
its series, and its column names are the values of x; it is printed as a table is.
"""
import argparse
import os
import sys

import blocks
import summary


def main():
    parser = argparse.ArgumentParser(prog="keep.py")
    parser.add_argument("file")
    parser.add_argument("kind", choices=["about", "table", "figure"])
    parser.add_argument("id")
    parser.add_argument("title")
    parser.add_argument("--varying", action="append", default=[])
    parser.add_argument("--holm")
    parser.add_argument("--note", action="append", default=[])
    parser.add_argument("--x", default="")
    parser.add_argument("--y", default="")
    options = parser.parse_args()
    about, found = blocks.read(options.file) if os.path.exists(options.file) else ({}, [])
    if options.kind == "about":
        about[options.id] = options.title
    else:
        columns, *rows = blocks.join([line.rstrip("\n").split("\t") for line in sys.stdin])
        said = {"notes": options.note}
        if options.holm:
            count = summary.holm_column(columns, rows, options.holm)
            said["notes"] = options.note + ["Holm's correction for %d comparisons" % count]
        if options.kind == "table":
            block = blocks.table(options.id, options.title, columns, rows, varying=options.varying, **said)
        else:
            at = [float(x) for x in columns[1:]]
            block = blocks.figure(options.id, options.title, options.x, options.y, columns, rows, at, **said)
        found.append(block)
        print(blocks.as_text(block) + "\n")
    blocks.write(options.file, about, found)


main()
