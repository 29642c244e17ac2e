"""equal_bins.py TRAIN...: how many bins of equal length the features of these files need, as a table on standard output.

As in McRank's Appendix I and Figure 2 (c), a bin begins at the first value of a feature that no bin holds, and has the same
length as all bins of that feature. The length begins at 1e-8 of the feature's range, and grows by a tenth until at most B bins
hold all values."""
import sys

import numpy as np

import letor

FIRST_LENGTH, GROWTH = 1e-8, 1.1
EXPONENTS = (3, 4, 5, 6, 7, 8, 16)  # of B, as in Figure 3


def edges(values, length, most):
    """Where bins of this length begin; None if there are more than `most`."""
    after = np.searchsorted(values, values + length, side="right").tolist()  # the first value behind a bin that begins here
    found, place = [], 0
    while place < len(values):
        if len(found) == most:
            return None
        found.append(place)
        place = after[place]
    return values[found]


def adaptive(values, most):
    """Where the bins of one feature begin. The length is found by halving."""
    values = np.unique(values.astype(float))
    span = values[-1] - values[0]
    few, many = int(np.ceil(np.log(1 / FIRST_LENGTH) / np.log(GROWTH))) + 1, -1  # steps of growth that give few bins, and too many
    while few - many > 1:
        middle = (few + many) // 2
        if edges(values, span * FIRST_LENGTH * GROWTH**middle, most) is None:
            many = middle
        else:
            few = middle
    return edges(values, span * FIRST_LENGTH * GROWTH**few, most)


def main():
    files = [letor.read(path)[0].x.T for path in sys.argv[1:]]
    totals = [sum(len(adaptive(column, 1 << exponent)) for x in files for column in x) for exponent in EXPONENTS]
    print("B\tbins of all features\tpercent of 2^16")
    for exponent, total in zip(EXPONENTS, totals):
        print("2^%d\t%d\t%.2f" % (exponent, total, 100 * total / totals[-1]))


main()
