"""make.py types FOLDER: generated queries of two types, whose users want different things: labels of type A come from one
linear function of ten features, those of type B from another, both with noise. A is one query of ten in train.txt and
validation.txt, and one of two in test.txt. train.txt.weight and validation.txt.weight have the shares in the test over
those in the training: 5 for A and 5/9 for B.

make.py noise SOURCE TARGET SHARE WEIGHT SEED: a copy of LETOR text in which the labels of a share of the queries are dealt
to the documents of the query at random; TARGET.weight has WEIGHT for these queries and 1 for the others, and
TARGET-clean.txt has these others alone.
"""

import os
import random
import sys


def write_types(folder):
    random.seed(1)
    functions = [[random.gauss(0, 1) for _ in range(10)] for _ in range(2)]
    for name, queries, share in (("train", 500, 0.1), ("validation", 300, 0.1), ("test", 1000, 0.5)):
        with open(os.path.join(folder, name + ".txt"), "w") as out, open(
            os.path.join(folder, name + ".txt.weight"), "w"
        ) as weights:
            for query in range(queries):
                b = random.random() >= share
                weights.write("%.17g\n" % (0.5 / (1 - share) if b else 0.5 / share))
                for _ in range(20):
                    x = [random.random() for _ in range(10)]
                    score = sum((v - 0.5) * w for v, w in zip(x, functions[b])) + random.gauss(0, 0.3)
                    label = sum(score > bound for bound in (0.3, 0.8, 1.3))
                    out.write("%d qid:%s%d " % (label, "AB"[b], query))
                    out.write(" ".join("%d:%.4f" % (f + 1, v) for f, v in enumerate(x)) + "\n")
    os.remove(os.path.join(folder, "test.txt.weight"))


def write_noise(source, target, share, weight, seed):
    random.seed(int(seed))
    queries = []
    for line in open(source):
        label, query, rest = line.split(" ", 2)
        if not queries or queries[-1][0] != query:
            queries.append((query, []))
        queries[-1][1].append((label, rest))
    clean = open(target[: -len(".txt")] + "-clean.txt", "w")
    with open(target, "w") as out, open(target + ".weight", "w") as weights:
        for query, docs in queries:
            is_noisy = random.random() < float(share)
            labels = [label for label, _ in docs]
            if is_noisy:
                random.shuffle(labels)
            weights.write("%s\n" % (weight if is_noisy else "1"))
            for label, (_, rest) in zip(labels, docs):
                for file in (out,) if is_noisy else (out, clean):
                    file.write("%s %s %s" % (label, query, rest))


if sys.argv[1] == "types":
    write_types(sys.argv[2])
else:
    write_noise(*sys.argv[2:])
