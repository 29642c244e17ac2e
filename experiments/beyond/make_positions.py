"""make.py: documents of which some are government sites, and the tables of the experiment.

  make.py data FOLDER              train.txt, validation.txt, test.txt, labels of relevance alone (relevance-*.txt), costs.txt
  make.py rule SCORES DATA         scores with the best-scored government site of each query moved to the top
  make.py ideal DATA               scores of a ranking of the least cost
  make.py first SCORES DATA        the share of queries whose best-scored document is a government site, in per cent
  make.py spent COMMAND...         runs the command and prints the seconds of the processor that it took
  make.py folds FILE...            values of queries, one file for each method: mean and difference from the first
"""
import math
import random
import resource
import statistics
import subprocess
import sys

FEATURES, DOCS, SITES = 10, 20, 0.2


def gain(label):
    return (2**label - 1) / 15


def make(folder):
    rng = random.Random(7)
    weights = [rng.gauss(0, 1) for _ in range(FEATURES)]
    length = math.sqrt(sum(w * w for w in weights))
    for seed, (name, queries) in enumerate((("train", 150), ("validation", 150), ("test", 1000)), 1):
        rng = random.Random(seed)
        with open(f"{folder}/{name}.txt", "w") as both, open(f"{folder}/relevance-{name}.txt", "w") as plain:
            for query in range(1, queries + 1):
                sites = [rng.random() < SITES for _ in range(DOCS)]
                sites[0] = sites[0] or not any(sites)
                for site in sites:
                    x = [rng.gauss(0, 1) for _ in range(FEATURES)]
                    score = sum(w * v for w, v in zip(weights, x)) / length + 0.5 * rng.gauss(0, 1)
                    label = sum(score > edge for edge in (-0.3, 0.4, 1.0, 1.7))
                    row = " ".join(f"{f}:{v:.4f}" for f, v in enumerate(x, 1)) + f" {FEATURES + 1}:{site:d}"
                    both.write(f"{label + 10 * site} qid:{query} {row}\n")
                    plain.write(f"{label} qid:{query} {row}\n")
    with open(f"{folder}/costs.txt", "w") as costs:
        for site in (0, 1):
            for label in range(5):
                later = " ".join(f"{-gain(label) / math.log2(p + 2):.9g}" for p in range(1, DOCS))
                costs.write(f"{label + 10 * site} {1 - site * gain(label):.9g} {later}\n")


def queries(scores, data):
    """[(lines of the query, scores, whether they are sites)]"""
    found = {}
    with open(scores) as first, open(data) as second:
        for number, (score, line) in enumerate(zip(first, second)):
            words = line.split()
            found.setdefault(words[1], []).append((number, float(score), words[-1].endswith(":1")))
    return list(found.values())


def rule(scores, data):
    result = {}
    for docs in queries(scores, data):
        top = max(score for _, score, _ in docs)
        best = max((doc for doc in docs if doc[2]), key=lambda doc: doc[1])
        result.update((number, score) for number, score, _ in docs)
        result[best[0]] = top + 1
    for number in sorted(result):
        print(result[number])


def ideal(data):
    found = {}
    with open(data) as lines:
        for number, line in enumerate(lines):
            words = line.split()
            found.setdefault(words[1], []).append((number, int(words[0]) % 10, int(words[0]) >= 10))
    for docs in found.values():
        best = None
        for head in docs:
            rest = sorted((label for doc in docs if doc is not head for label in [doc[1]]), reverse=True)
            value = head[2] * gain(head[1]) + sum(gain(label) / math.log2(p + 2) for p, label in enumerate(rest, 1))
            if best is None or (value, head[2]) > best[:2]:
                best = (value, head[2], head[0])
        for number, label, _ in docs:
            print(10 if number == best[2] else label)


def first(scores, data):
    heads = [max(docs, key=lambda doc: doc[1])[2] for docs in queries(scores, data)]
    print(f"{100 * statistics.mean(heads):.1f}")


def spent(command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    print(f"{resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime:.2f}")


def folds(paths):
    values = [[float(line) for line in open(path)] for path in paths]
    for one in values:
        differences = [x - y for x, y in zip(one, values[0])]
        cells = []
        for numbers in (one, differences):
            cells += [f"{statistics.mean(numbers):+.4f}" if cells else f"{statistics.mean(numbers):.4f}",
                      f"{statistics.stdev(numbers) / math.sqrt(len(numbers)):.4f}"]
        if one is values[0]:
            cells[2:] = ["", ""]
        print("\t".join(cells))


{"data": lambda: make(sys.argv[2]), "rule": lambda: rule(*sys.argv[2:]), "first": lambda: first(*sys.argv[2:]),
 "ideal": lambda: ideal(sys.argv[2]), "spent": lambda: spent(sys.argv[2:]), "folds": lambda: folds(sys.argv[2:])}[sys.argv[1]]()
