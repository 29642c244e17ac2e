#!/usr/bin/env python3
"""evaluator.py QRELS RUN [--all]: the measures of trec_eval 9, written from its documented definitions in plain Python.
Prints lines `measure query value` and `measure all value`; --all also counts judged queries that the run lacks.

Documents are sorted by score downwards, equal ones by document id downwards. A document that was not judged, or has a
negative label, is not relevant, and bpref does not count it at all. NDCG has the labels as gains. gm_map takes the
logarithm of max(AP, 0.00001) and prints the exponential of the mean. Interpolated precision at recall x is the largest
precision where floor(x R + 0.9) relevant documents stand at or above. rbp is no measure of trec_eval.
"""
import math
import sys
from collections import defaultdict

CUTOFFS = [5, 10, 15, 20, 30, 100]
SUMS = ["num_ret", "num_rel", "num_rel_ret"]


def dcg(gains):
    return sum(gain / math.log2(place + 2) for place, gain in enumerate(gains))


def measures_of(judged, scored):
    names = [name for _, name in sorted(((score, name) for name, score in scored.items()), reverse=True)]
    labels = [judged.get(name, -1) for name in names]
    relevant = [label >= 1 for label in labels]
    num_rel = sum(label >= 1 for label in judged.values())
    num_irrelevant = sum(label == 0 for label in judged.values())
    found = sum(relevant)
    over = lambda a, b: a / b if b else 0.0
    precision = [sum(relevant[: p + 1]) / (p + 1) for p in range(len(names))]
    values = {"num_ret": len(names), "num_rel": num_rel, "num_rel_ret": found}
    values["map"] = over(sum(v for v, is_one in zip(precision, relevant) if is_one), num_rel)
    values["gm_map"] = math.log(max(values["map"], 0.00001))
    values["Rprec"] = over(sum(relevant[:num_rel]), num_rel)
    bpref = 0.0
    for p, is_one in enumerate(relevant):
        if is_one:
            above = sum(label == 0 for label in labels[:p])
            bpref += 1 - min(above, num_rel) / min(num_irrelevant, num_rel) if above else 1
    values["bpref"] = over(bpref, num_rel)
    values["recip_rank"] = 1 / (relevant.index(True) + 1) if found else 0.0
    for tenth in range(11):
        needed = int(tenth / 10 * num_rel + 0.9)
        reached = [v for p, v in enumerate(precision) if sum(relevant[: p + 1]) >= needed]
        values[f"iprec_at_recall_{tenth / 10:.2f}"] = max(reached, default=0.0)
    gains = [max(label, 0) for label in labels]
    ideal = sorted((max(label, 0) for label in judged.values()), reverse=True)
    values["ndcg"] = over(dcg(gains), dcg(ideal))
    for k in CUTOFFS:
        values[f"P_{k}"] = sum(relevant[:k]) / k
        values[f"recall_{k}"] = over(sum(relevant[:k]), num_rel)
        values[f"success_{k}"] = float(any(relevant[:k]))
        values[f"ndcg_cut_{k}"] = over(dcg(gains[:k]), dcg(ideal[:k]))
        values[f"map_cut_{k}"] = over(sum(v for v, is_one in list(zip(precision, relevant))[:k] if is_one), num_rel)
    p, r = over(found, len(names)), over(found, num_rel)
    values["set_P"], values["set_recall"] = p, r
    values["set_F"] = over(2 * p * r, p + r)
    values["set_F_3"] = over(4 * p * r, r + 3 * p)
    values["rbp:p=0.9"] = 0.1 * sum(0.9**place for place, is_one in enumerate(relevant) if is_one)
    return values


def read(path, column, number):
    table = defaultdict(dict)
    for line in open(path):
        words = line.split()
        table[words[0]][words[2]] = number(words[column])
    return table


def main():
    labels, scores = read(sys.argv[1], 3, int), read(sys.argv[2], 4, float)
    queries = [query for query in labels if query in scores or "--all" in sys.argv]
    table = {query: measures_of(labels[query], scores.get(query, {})) for query in queries}
    for name in table[queries[0]]:
        for query in queries:
            print(name, query, repr(float(table[query][name])))
        total = sum(table[query][name] for query in queries)
        mean = total if name in SUMS else total / len(queries)
        print(name, "all", repr(float(math.exp(mean) if name == "gm_map" else mean)))


main()
