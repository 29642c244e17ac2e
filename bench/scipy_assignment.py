"""Times scipy's linear_sum_assignment on the problems that oracle_bench --dump wrote.

Usage: scipy_assignment.py DUMP MOST_DOCS

It prints lines of the same form as oracle_bench does, and how far the values that
both found differ at most. Building the matrix is not timed.
"""

import sys
import time

import numpy
from scipy.optimize import linear_sum_assignment


def problems(path):
    with open(path, "rb") as file:
        while line := file.readline():
            loss, levels, docs, scale, count = line.decode().rstrip("\n").split("\t")
            docs, count = int(docs), int(count)

            def numbers(size):
                return numpy.frombuffer(file.read(8 * size), dtype=numpy.float64)

            a, c = numbers(docs), numbers(docs)
            queries = [(numbers(docs), numbers(docs), numbers(1)[0]) for _ in range(count)]
            yield loss, levels, docs, scale, a, c, queries


def main():
    most_docs = int(sys.argv[2])
    worst = 0.0
    for loss, levels, docs, scale, a, c, queries in problems(sys.argv[1]):
        if docs > most_docs:
            continue
        times = []
        for b, g, value in queries:
            gain = numpy.outer(g, c) - numpy.outer(b, a)
            start = time.perf_counter()
            rows, columns = linear_sum_assignment(gain, maximize=True)
            times.append(1e6 * (time.perf_counter() - start))
            size = abs(c).max() * abs(g).max() + abs(a).max() * abs(b).max()
            worst = max(worst, abs(gain[rows, columns].sum() - value) / size)
        times.sort()
        n = len(times)
        figures = [times[n // 2], times[n // 4], times[3 * n // 4], times[0], times[-1], sum(times) / n]
        fields = ["time", "scipy", loss, levels, docs, scale, "cold", n] + ["%.3f" % x for x in figures]
        print(*fields, sep="\t", flush=True)
    print("difference", "scipy", "%.3g" % worst, sep="\t")


main()
