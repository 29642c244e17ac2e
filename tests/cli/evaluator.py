#!/usr/bin/env python3
"""evaluator.py QRELS RUN: map, recip_rank, P_10 and ndcg_cut_10 as trec_eval
defines them, written from the definitions. Documents are sorted by score (in
single precision) downwards, equal ones by document id downwards; the mean is
over the queries that stand in both files."""
import sys
from collections import defaultdict

import numpy as np

labels, scores = defaultdict(dict), defaultdict(dict)
for line in open(sys.argv[1]):
    query, _, document, label = line.split()
    labels[query][document] = int(label)
for line in open(sys.argv[2]):
    query, _, document, _, score, _ = line.split()
    scores[query][document] = np.float32(score)


def measures(judged, scored):
    ranking = sorted(sorted(scored, reverse=True), key=lambda document: -scored[document])
    found = np.array([max(judged.get(document, 0), 0) for document in ranking], dtype=float)
    ideal = np.sort(np.maximum(np.array(list(judged.values()), dtype=float), 0))[::-1]
    relevant = found > 0
    num_relevant = np.count_nonzero(ideal > 0)
    places = np.arange(1, len(found) + 1)
    discounts = np.log2(np.arange(2, 12))
    if num_relevant == 0:
        return np.zeros(4)
    precision = np.cumsum(relevant) / places
    dcg = np.sum(found[:10] / discounts[: len(found[:10])])
    best = np.sum(ideal[:10] / discounts[: len(ideal[:10])])
    first = 1 / places[relevant][0] if relevant.any() else 0
    return np.array([precision[relevant].sum() / num_relevant, first, relevant[:10].sum() / 10, dcg / best])


table = np.array([measures(labels[query], scores[query]) for query in scores if query in labels])
for name, mean in zip(["map", "recip_rank", "P_10", "ndcg_cut_10"], table.mean(axis=0)):
    print(f"{name} {mean:.12f}")
