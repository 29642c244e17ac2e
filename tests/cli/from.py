"""from.py DATA MODEL EARLIER RHO C: the primal value of a model around an earlier one, from its definition: all rankings
of each query are tried. The loss is ndcg with weights of positions (p + 2)^-0.5 and the listed reference; features are
not normalised. Prints the value, and the least one at 200 points near the model's weights."""

import itertools
import math
import random
import sys


def weights_of(path):
    lines = [line.split() for line in open(path)]
    return {int(line[1]): float(line[2]) for line in lines if line and line[0] == "feature"}


def queries_of(path):
    queries = {}
    for line in open(path):
        fields = line.split("#")[0].split()
        values = {int(field.split(":")[0]): float(field.split(":")[1]) for field in fields[2:]}
        queries.setdefault(fields[1], []).append((float(fields[0]), values))
    return list(queries.values())


def rankings_of(query):
    """For each ranking its feature map and its loss, and the feature map of the listed reference."""
    gains = [2**label - 1 for label, _ in query]
    ideal = sorted(range(len(query)), key=lambda j: -gains[j])
    best = sum(gains[j] / math.log2(p + 2) for p, j in enumerate(ideal))
    if best == 0 or len(set(gains)) == 1:
        return None

    def feature_map(order):
        phi = {}
        for p, j in enumerate(order):
            for f, value in query[j][1].items():
                phi[f] = phi.get(f, 0) + value / math.sqrt(p + 2)
        return phi

    found = []
    for order in itertools.permutations(range(len(query))):
        found.append((feature_map(order), 1 - sum(gains[j] / math.log2(p + 2) for p, j in enumerate(order)) / best))
    return found, feature_map(ideal)


def primal(w, centre, C, queries):
    value = 0.5 * sum((w[f] - centre[f]) ** 2 for f in w)
    for rankings, reference in queries:
        worst = max(sum(w[f] * phi.get(f, 0) for f in w) + loss for phi, loss in rankings)
        value += C / len(queries) * max(0, worst - sum(w[f] * reference.get(f, 0) for f in w))
    return value


data, model, earlier, rho, C = sys.argv[1:]
w = weights_of(model)
centre = {f: float(rho) * value for f, value in weights_of(earlier).items()}
queries = [made for made in map(rankings_of, queries_of(data)) if made]
least = math.inf
random.seed(1)
for trial in range(200):
    near = {f: value + random.gauss(0, 10 ** random.uniform(-6, -1)) for f, value in w.items()}
    least = min(least, primal(near, centre, float(C), queries))
print("%.17g %.17g" % (primal(w, centre, float(C), queries), least))
