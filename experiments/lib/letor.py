"""letor.py: ranking data as arrays, LETOR text, and the measures by which methods
are tuned.

A Ranking holds x [docs][features] (float32), the labels r [docs], and start
[queries + 1]: query q has the documents start[q] .. start[q + 1] - 1.
"""
import os

import numpy as np


class Ranking:
    def __init__(self, x, r, start, normalise=True, text=None):
        self.x = x
        self.r = r
        self.start = start
        self.normalise = normalise  # features within queries; False leaves them as they are
        self.text = text  # path of the file in which dorm reads the same data
        self._blocks = None

    @property
    def num_queries(self):
        return len(self.start) - 1

    @property
    def query(self):
        """[docs] The number of the query of each document."""
        return np.repeat(np.arange(self.num_queries), np.diff(self.start))

    @property
    def gain(self):
        return np.exp2(self.r) - 1

    @property
    def blocks(self):
        """The blocks that dorm's default chooses between: the features within [0, 1]
        of their query, and the same beside half their within-query mid-ranks."""
        if self._blocks is None:
            if self.normalise:
                values = min_max(self.x, self.start)
                ranks = mid_ranks(self.x, self.start)
                self._blocks = [("values", values), ("values and ranks", np.hstack([values, 0.5 * ranks]))]
            else:
                self._blocks = [("values", self.x)]
        return self._blocks

    def queries(self):
        for q in range(self.num_queries):
            yield slice(self.start[q], self.start[q + 1])

    def subset(self, chosen):
        """The queries `chosen`, in this order."""
        docs = np.concatenate([np.arange(self.start[q], self.start[q + 1]) for q in chosen])
        sizes = np.diff(self.start)[chosen]
        return Ranking(self.x[docs], self.r[docs], np.concatenate([[0], np.cumsum(sizes)]), self.normalise)

    def save(self, path):
        temporary = "%s.%d.npz" % (path, os.getpid())
        np.savez(temporary, x=self.x, r=self.r, start=self.start, normalise=self.normalise)
        os.replace(temporary, path)


def load(path, text):
    with np.load(path) as file:
        return Ranking(file["x"], file["r"], file["start"], bool(file["normalise"]), text)


def min_max(x, start):
    out = np.zeros_like(x)
    for first, end in zip(start[:-1], start[1:]):
        low = x[first:end].min(axis=0)
        width = x[first:end].max(axis=0) - low
        out[first:end] = np.where(width > 0, (x[first:end] - low) / np.where(width > 0, width, 1), 0)
    return out


def mid_ranks(x, start):
    """1 - (documents strictly above + (ties - 1) / 2) / (l - 1); 0.5 where constant."""
    out = np.full_like(x, 0.5)
    for first, end in zip(start[:-1], start[1:]):
        part = x[first:end]
        if len(part) > 1:
            above = (part[None] > part[:, None]).sum(axis=1)
            ties = (part[None] == part[:, None]).sum(axis=1)
            out[first:end] = 1 - (above + (ties - 1) / 2) / (len(part) - 1)
    return out


def read(path):
    """Reads LETOR text: the ranking, and for every query the bytes of its lines."""
    x, r, start, lines = [], [], [0], []
    previous = None
    with open(path, "rb") as file:
        for line in file:
            words = line.split(b"#")[0].split()
            if words[1] != previous:
                previous = words[1]
                start.append(start[-1])
                lines.append([])
            start[-1] += 1
            lines[-1].append(line)
            r.append(float(words[0]))
            x.append([float(word.split(b":")[1]) for word in words[2:]])
    return Ranking(np.array(x, np.float32), np.array(r), np.array(start)), [b"".join(part) for part in lines]


def join(paths, path):
    """Writes the queries of several files of LETOR text into one. A query's id begins with the number of its file, since
    files may have the same ids."""
    with open(path, "w") as joined:
        for number, part in enumerate(paths):
            with open(part) as file:
                joined.writelines(line.replace(" qid:", " qid:%d-" % number, 1) for line in file)


def write(ranking, path):
    """Writes it as LETOR text, with all features of every document."""
    form = " ".join("%d:%%.6g" % (f + 1) for f in range(ranking.x.shape[1]))
    with open(path, "w") as file:
        for q, docs in enumerate(ranking.queries()):
            for j in range(docs.start, docs.stop):
                file.write("%g qid:%d %s\n" % (ranking.r[j], q + 1, form % tuple(ranking.x[j])))


def spread_within_queries(ranking, scores):
    """The standard deviation of the scores within queries, pooled over the queries."""
    sums = np.add.reduceat(scores, ranking.start[:-1])
    mean = sums / np.diff(ranking.start)
    return float(np.sqrt(np.mean((scores - np.repeat(mean, np.diff(ranking.start))) ** 2)))


# ---- Measures: means over the queries; one without a relevant document counts 0 -


def _ranked(ranking, scores):
    """The labels of each query by position; ties are in document order."""
    for docs in ranking.queries():
        yield ranking.r[docs][np.argsort(-scores[docs], kind="stable")]


def ndcg_at(ranking, scores, truncation):
    values = []
    for labels in _ranked(ranking, scores):
        discount = 1 / np.log2(np.arange(2, min(truncation, len(labels)) + 2))
        top = len(discount)
        ideal = discount @ (np.exp2(np.sort(labels)[::-1][:top]) - 1)
        values.append(discount @ (np.exp2(labels[:top]) - 1) / ideal if ideal > 0 else 0)
    return float(np.mean(values))


def _mrr(ranking, scores):
    values = []
    for labels in _ranked(ranking, scores):
        found = np.flatnonzero(labels >= labels.max())
        values.append(1 / (1 + found[0]) if labels.max() > 0 else 0)
    return float(np.mean(values))


def _wta(ranking, scores):
    return float(np.mean([labels.max() > 0 and labels[0] == labels.max() for labels in _ranked(ranking, scores)]))


def _mwta(ranking, scores):
    """NDCG@n with n = 3 or, where the three largest labels are equal, with n the number
    of documents with the largest label, plus 1."""
    values = []
    for labels in _ranked(ranking, scores):
        ideal = np.sort(labels)[::-1]
        n = 3
        if len(ideal) >= 3 and ideal[0] == ideal[2]:
            n = int(np.sum(ideal == ideal[0])) + 1
        n = min(n, len(ideal))
        discount = 1 / np.log2(np.arange(2, n + 2))
        best = discount @ (np.exp2(ideal[:n]) - 1)
        values.append(discount @ (np.exp2(labels[:n]) - 1) / best if best > 0 else 0)
    return float(np.mean(values))


# The measures that methods are tuned by: name -> (the function, dorm's name of the measure).
SELECTION = {
    "ndcg@10": (lambda ranking, scores: ndcg_at(ranking, scores, 10), "ndcg@10:empty=0"),
    "mrr": (_mrr, "mrr:threshold=0,empty=0"),
    "wta": (_wta, "wta:empty=0"),
    "mwta": (_mwta, "mwta:empty=0"),
}
