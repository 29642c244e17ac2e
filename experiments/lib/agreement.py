"""agreement.py: are the results of a run the kept ones?

With the kernels that made the kept results a run finds them again to the byte. Other kernels of OpenBLAS round differently.
There a run finds them again if its tables have the same rows, columns and words, and if each number with a standard error
differs by at most that error. Numbers without an error, such as p-values and counts, are not compared there."""
import re

import blocks

KERNELS = "SkylakeX"


def _cells(block):
    """{(row, column): cell}. Rows are numbered, since their words may repeat."""
    return {(k, column): cell for k, row in enumerate(block["rows"]) for column, cell in zip(block["columns"], row)}


def _is_apart(old, new):
    matches = [blocks.CELL.match(cell) for cell in (old, new)]
    if not all(matches):
        return old != new and not re.search(r"\d", old + new)
    error = matches[0].group(2)
    return error is not None and abs(float(matches[0].group(1)) - float(matches[1].group(1))) > float(error)


def differences(kept, new):
    """What is in one file alone, and each number that is farther from the kept one than its standard error: sentences."""
    (_, old_blocks), (_, new_blocks) = (blocks.read(path) for path in (kept, new))
    old_of, new_of = ({block["id"]: block for block in found} for found in (old_blocks, new_blocks))
    found = ["%s is in one of them alone" % id for id in sorted(old_of.keys() ^ new_of.keys())]
    for id in old_of.keys() & new_of.keys():
        old, fresh = _cells(old_of[id]), _cells(new_of[id])
        if old.keys() != fresh.keys():
            found.append("%s has other rows or columns" % id)
            continue
        found += ["%s, row %d, %s: %s, kept %s" % (id, key[0] + 1, key[1], fresh[key], old[key])
                  for key in old if _is_apart(old[key], fresh[key])]
    return found
