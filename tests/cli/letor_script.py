"""letor_script.py SCORES DATA: what LETOR 4.0's evaluation script prints, by its definitions: for each query DCG@k = r_1 + sum
over i = 2 .. k of r_i / log2(i), r = 2^label - 1, documents of equal score in the order of the data; NDCG@k is DCG@k over
that of the ideal ranking, 0 where that is 0, and where the query has fewer than k documents; MeanNDCG is the mean of
NDCG@1 .. NDCG@n over the n documents of the query; labels above 0 are relevant for average precision. Prints means over the
queries: NDCG@1 .. NDCG@10, MeanNDCG, MAP."""
import math
import sys

TOP = 10


def dcg(labels):
    """[DCG@1, DCG@2, ...]"""
    sums, total = [], 0.0
    for i, label in enumerate(labels, 1):
        total += (2**label - 1) * (1 if i == 1 else math.log(2) / math.log(i))
        sums.append(total)
    return sums


def ndcg(labels):
    best = dcg(sorted(labels, reverse=True))
    return [found / ideal if ideal > 0 else 0.0 for found, ideal in zip(dcg(labels), best)]


def average_precision(labels):
    relevant, total = 0, 0.0
    for i, label in enumerate(labels, 1):
        if label > 0:
            relevant += 1
            total += relevant / i
    return total / relevant if relevant else 0.0


def main():
    queries = {}
    with open(sys.argv[1]) as scores, open(sys.argv[2]) as data:
        for line, score in zip(data, scores):
            words = line.split()
            queries.setdefault(words[1], []).append((-float(score), len(queries.get(words[1], [])), int(words[0])))
    rows = []
    for documents in queries.values():
        labels = [label for _, _, label in sorted(documents)]
        values = ndcg(labels)
        rows.append([values[k] if k < len(values) else 0.0 for k in range(TOP)]
                    + [sum(values) / len(values), average_precision(labels)])
    for mean in (sum(column) / len(rows) for column in zip(*rows)):
        print("%.12f" % mean)


main()
