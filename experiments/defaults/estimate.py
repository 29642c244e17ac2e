"""estimate.py FOLDER DRAWS: the table of estimate.sh on standard output."""
import os
import subprocess
import sys
import tempfile

import dorm
import numpy as np

folder, draws = sys.argv[1], int(sys.argv[2])
MEASURE = "ndcg@10"


def artificial(draw):
    """60 queries to train on, and 1,000 fresh ones of the same distribution."""
    for part, queries in ((1, 60), (2, 1000)):
        with tempfile.NamedTemporaryFile(suffix=".txt") as file:
            program = [os.environ["DORM"], "generate", "artificial", "--seed", str(2000 + draw), "--part", str(part)]
            subprocess.run(program + ["--queries", str(queries), "-o", file.name], check=True, stderr=subprocess.DEVNULL)
            data = dorm.read_letor(file.name)
        yield np.asarray(data.X), np.asarray(data.y), np.asarray(data.qid)


def mq2008():
    """All queries: features, labels, and numbers of queries."""
    parts = [dorm.read_letor(f"{folder}/Fold1/{name}.txt") for name in ("train", "vali", "test")]
    rows, labels = (np.concatenate([np.asarray(getattr(part, name)) for part in parts]) for name in ("X", "y"))
    queries = np.concatenate([np.asarray(part.qid).astype(str) for part in parts])
    return rows, labels, np.unique(queries, return_inverse=True)[1]


def halves(data, draw):
    """A random half of the queries to train on, and the other half."""
    rows, labels, queries = data
    is_first = np.random.RandomState(draw).permutation(queries.max() + 1) <= queries.max() // 2
    for chosen in (is_first[queries], ~is_first[queries]):
        yield rows[chosen], labels[chosen], queries[chosen]


def measure(parts):
    """One draw: the estimate, its error, the best candidate's value, and mean and error of the fresh queries."""
    (rows, labels, queries), (fresh_rows, fresh_labels, fresh_queries) = parts
    ranker = dorm.Ranker(n_jobs=1, training_budget=0).fit(rows, labels, qid=queries)
    scores = ranker.predict(fresh_rows, qid=fresh_queries)
    fresh = dorm.evaluate(dorm.Dataset(fresh_rows, fresh_labels, qid=fresh_queries), scores, measures=MEASURE).per_query
    fresh = np.asarray(fresh)
    fresh = fresh[~np.isnan(fresh)]
    half = (ranker.interval_[1] - ranker.interval_[0]) / 2
    best = max(one.validation for one in ranker.candidates_ if one.is_selected)
    return ranker.expected_, half, best, fresh.mean(), fresh.std(ddof=1) / np.sqrt(len(fresh))


print("data\tdraws\testimate\tfresh queries\testimate less fresh\testimate less fresh ±\tbest candidate less fresh\t"
      "best candidate less fresh ±\tseen, %")
whole = mq2008()
for name, draw_parts in (("artificial, 60 queries", artificial), ("MQ2008, 392 queries", lambda draw: halves(whole, draw))):
    found = np.array([measure(draw_parts(draw)) for draw in range(draws)])
    estimate, half, best, fresh, fresh_error = found.T
    is_seen = np.abs(estimate - fresh) <= np.hypot(half, 1.96 * fresh_error)
    words = [name, str(draws), f"{estimate.mean():.4f}", f"{fresh.mean():.4f}"]
    for difference in (estimate - fresh, best - fresh):
        words += [f"{difference.mean():+.4f}", f"{difference.std(ddof=1) / np.sqrt(draws):.4f}"]
    print("\t".join(words + [f"{100 * is_seen.mean():.1f}"]), flush=True)
