#!/usr/bin/env python3
"""mpi_model.py: what training by many processes would take, from what mpi_bench has measured on this machine.

    mpi_model.py COUNTS TIMES QUERIES DOCS FEATURES

COUNTS is the output of mpi_bench for two processes and several numbers of shards, TIMES that for several processes with one
number of shards, both for QUERIES queries of DOCS documents with FEATURES features. The convex problem takes

    passes (n m t_pass + words l)  +  moves (n m t_sweep + l + 8 G (d + 3) / b + g G^2 d / 2 + h G d)

seconds on P processes, of which each has n queries of m documents. Of these, t_pass and t_sweep, the seconds for a document
in a pass and in a sweep, are the fastest in TIMES; passes and moves (sweeps and sequential passes) grow with the number of
shards G as powers of it, fitted to COUNTS; g and h are the seconds of a multiply-add in the Gram matrix of the moves and in
their sum; l = latency * ceil(log2 P) and b = bandwidth belong to the network.
"""

import math
import sys

GRAM_ADD = 1 / 4e9  # seconds of a multiply-add on vectors in the cache, one thread
SUM_ADD = 1 / 1e9
NETWORKS = [("10 Gb/s Ethernet", 30e-6, 1.1e9), ("100 Gb/s InfiniBand", 2e-6, 11e9)]


def read(path):
    with open(path) as file:
        names = file.readline().rstrip("\n").split("\t")
        return [dict(zip(names, map(float, line.split("\t")))) for line in file]


def fit_power(xs, ys):
    """y = a x^b by least squares of logarithms; b = 0 where there is one x."""
    lx, ly = [math.log(x) for x in xs], [math.log(y) for y in ys]
    mean_x, mean_y = sum(lx) / len(lx), sum(ly) / len(ly)
    spread = sum((x - mean_x) ** 2 for x in lx)
    b = sum((x - mean_x) * (y - mean_y) for x, y in zip(lx, ly)) / spread if spread else 0
    return math.exp(mean_y - b * mean_x), b


class Model:
    def __init__(self, counts, times, queries, docs, features):
        self.docs, self.features = docs, features
        shards = [row["shards"] for row in counts]
        self.passes = fit_power(shards, [row["passes"] for row in counts])
        self.moves = fit_power(shards, [row["moves"] for row in counts])
        alone = [row for row in times if row["processes"] == 1 and row["threads"] == 1][0]
        documents = queries * docs
        # of all rows the fastest, since other programs only slow them down
        self.t_pass = min(
            (row["score"] + row["oracle"]) * row["processes"] / row["passes"] / documents for row in times
        )
        alike = [row for row in counts if row["shards"] == alone["shards"]][0]  # counts do not depend on the processes
        self.t_sweep = min(row["qp"] * row["processes"] / alike["moves"] / documents for row in times)
        self.words = alike["words"] / alike["passes"]
        # of the transport here: a word has no bytes to speak of, a move has
        several = [row for row in times if row["processes"] > 1 and row["word"] > 0]
        self.here = None
        if several:
            row = several[0]
            extra = max(row["move"] - row["word"], 1e-3) * 1e-6
            self.here = (row["word"] * 1e-6 / max(1, math.ceil(math.log2(row["processes"]))), row["bytes/move"] / extra)

    def parts(self, processes, queries, shards, latency, bandwidth):
        """Seconds of the passes, of the sweeps, of the network, and of joining the moves."""
        passes = self.passes[0] * shards ** self.passes[1]
        moves = self.moves[0] * shards ** self.moves[1]
        documents = queries / processes * self.docs
        each = latency * math.ceil(math.log2(processes)) if processes > 1 else 0
        sent = 8 * shards * (self.features + 3) / bandwidth if processes > 1 else 0
        gram = GRAM_ADD * shards**2 * self.features / 2 if shards > 1 else 0
        return (
            passes * documents * self.t_pass,
            moves * documents * self.t_sweep,
            passes * self.words * each + moves * (2 * each + sent),
            moves * (gram + SUM_ADD * shards * self.features),
        )

    def seconds(self, *arguments):
        return sum(self.parts(*arguments))


def main():
    queries, docs, features = (int(text) for text in sys.argv[3:6])
    times = read(sys.argv[2])
    model = Model(read(sys.argv[1]), times, queries, docs, features)
    print(f"passes = {model.passes[0]:.1f} G^{model.passes[1]:.2f}, moves = {model.moves[0]:.0f} G^{model.moves[1]:.2f}")
    print(f"a document takes {1e9 * model.t_pass:.1f} ns in a pass and {1e9 * model.t_sweep:.2f} ns in a sweep")
    if model.here:
        latency, bandwidth = model.here
        print(f"transport here: {1e6 * latency:.1f} us, {bandwidth / 1e9:.2f} GB/s")
        for row in times:
            told = model.seconds(int(row["processes"]), queries, int(row["shards"]), latency, bandwidth)
            solved = row["score"] + row["oracle"] + row["qp"]
            print(
                f"  {row['processes']:.0f} processes, {row['threads']:.0f} threads: "
                f"{told:.2f} s by the model (one thread each), {solved:.2f} s measured in scores, oracles and QPs"
            )
    print("\n| network | processes = shards | queries | passes | sweeps | network | joining | seconds |")
    print("|---|---|---|---|---|---|---|---|")
    for name, latency, bandwidth in NETWORKS:
        for processes in (8, 64, 512):
            for total in (10**6, 10**8):
                parts = model.parts(processes, total, processes, latency, bandwidth)
                shown = " | ".join(f"{part:.3g}" for part in parts)
                print(f"| {name} | {processes} | {total:.0e} | {shown} | {sum(parts):.3g} |".replace("e+0", "e"))
    print("\n20,000 queries for each process, as many shards as the largest number of processes:\n")
    print("| network | processes | seconds | efficiency |")
    print("|---|---|---|---|")
    for name, latency, bandwidth in NETWORKS:
        alone = model.seconds(1, 20000, 64, latency, bandwidth)
        for processes in (2, 8, 64):
            taken = model.seconds(processes, 20000 * processes, 64, latency, bandwidth)
            print(f"| {name} | {processes} | {taken:.1f} | {alone / taken:.3f} |")


if __name__ == "__main__":
    main()
